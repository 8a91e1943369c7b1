package rocprofcompute

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"astrolabe/capture"
	"astrolabe/capture/formats/internal/delimited"
	"astrolabe/capture/progress"
)

// workload is what the files of a workload hold, on its way to a capture.
type workload struct {
	main, dir string
	rule      string // the duration option
	warnings  []string
	files     []*os.File

	sheet      *sheet
	dispatches []dispatch
	passes     []*pass
	series     []*series
	byName     map[string]*series
	mainPass   *pass // its times make the axis
}

func (w *workload) close() {
	for _, f := range w.files {
		f.Close()
	}
}

// dispatch is one future sample.
type dispatch struct {
	row       int     // its first row in the main file
	id        string  // as the file has it
	durations []int64 // of each of its rows
}

// pass is one measuring run.
type pass struct {
	id         string
	start, end []int64 // for each dispatch, noTime where it was not measured
}

func newPass(id string, dispatches int) *pass {
	p := &pass{id: id, start: make([]int64, dispatches), end: make([]int64, dispatches)}
	for i := range p.start {
		p.start[i], p.end[i] = noTime, noTime
	}
	return p
}

// duration of a dispatch in this pass in ns, -1 if it is unknown.
func (p *pass) duration(d int) int64 {
	if p.start[d] == noTime || p.end[d] == noTime || p.end[d] < p.start[d] {
		return -1
	}
	return p.end[d] - p.start[d]
}

// series is the values of one counter or instance.
type series struct {
	name    string
	u       []uint64  // one of u and f for each dispatch
	f       []float64 // NaN where missing
	have    []bool    // of u
	passOf  []*pass   // the pass each value is from, nil without a value
	why     string    // how missing values are written in the file, "" if none are
	repeats []string  // ids of passes whose values a later pass has replaced
}

func newSeries(name string, exact bool, n int) *series {
	s := &series{name: name, passOf: make([]*pass, n)}
	if exact {
		s.u, s.have = make([]uint64, n), make([]bool, n)
		return s
	}
	s.f = make([]float64, n)
	for i := range s.f {
		s.f[i] = math.NaN()
	}
	return s
}

// set stores the value of row i of d. A missing value is noted and stays missing.
func (s *series) set(dispatch int, d capture.Data, i int, p *pass, why string) {
	if was := s.passOf[dispatch]; was != nil {
		s.replace(was)
	}
	s.passOf[dispatch] = p
	switch {
	case d.Missing(i):
		s.why = why
		if s.u != nil {
			s.have[dispatch] = false
		} else {
			s.f[dispatch] = math.NaN()
		}
	case s.u != nil:
		s.u[dispatch], s.have[dispatch] = d.U[i], true
	default:
		s.f[dispatch] = d.Float(i)
	}
}

func (s *series) replace(was *pass) {
	for _, id := range s.repeats {
		if id == was.id {
			return
		}
	}
	s.repeats = append(s.repeats, was.id)
}

func (w *workload) warn(format string, args ...any) {
	w.warnings = append(w.warnings, fmt.Sprintf(format, args...))
}

// size is that of all files that are read, in bytes. What a form of the workload leaves out is small.
func (w *workload) size() (n int64) {
	paths, _ := filepath.Glob(filepath.Join(globEscape(w.dir), "SQ_*.csv"))
	for _, path := range append(paths, w.main, w.path(timestampsFile)) {
		if st, err := os.Stat(path); err == nil {
			n += st.Size()
		}
	}
	return n
}

// readMain reads pmc_perf.csv in either form.
func (w *workload) readMain(ctx context.Context) error {
	progress.From(ctx).Begin(w.size(), progress.Bytes)
	s, err := w.readSheet(ctx, w.main)
	if err != nil {
		return err
	}
	w.sheet = s
	w.byName = map[string]*series{}
	w.warnings = append(w.warnings, s.warnings()...)
	if err := s.need(colDispatch, colKernel); err != nil {
		return err
	}
	if s.t.Rows == 0 {
		w.warn("%s: empty: it has a header and no rows", s.f.Name)
	}
	if s.f.Index(colName) >= 0 || s.f.Index(colValue) >= 0 {
		if err := s.need(colName, colValue, colStart, colEnd); err != nil {
			return err
		}
		return w.readLong()
	}
	return w.readWide(ctx)
}

// maxSparse bounds the cells of the columns by the rows of a long file. Far more means a damaged file.
const maxSparse, alwaysCells = 256, 1 << 22

// readLong reads one row for each pass, dispatch and counter.
func (w *workload) readLong() error {
	s := w.sheet
	starts, err := s.times(colStart)
	if err != nil {
		return err
	}
	ends, err := s.times(colEnd)
	if err != nil {
		return err
	}
	of := w.findDispatches(s)
	names := &s.t.Cols[s.f.Index(colName)]
	values := &s.t.Cols[s.f.Index(colValue)]
	n := len(w.dispatches)
	if cells := n * len(names.Dict); cells > alwaysCells && cells > maxSparse*s.t.Rows {
		return fmt.Errorf("%s: %d counters in %d dispatches from only %d rows: the file is damaged", s.f.Name, len(names.Dict), n, s.t.Rows)
	}
	for row, d := range of {
		if names.Codes[row] < 0 {
			return &delimited.Error{File: s.f.Name, Line: s.t.Line(row), Msg: "column " + colName + ": the name of the counter is empty"}
		}
		if starts[row] != noTime && ends[row] != noTime && ends[row] >= starts[row] {
			w.dispatches[d].durations = append(w.dispatches[d].durations, ends[row]-starts[row])
		}
	}
	passOf := w.findPasses(s, of, starts, ends, names.Codes)
	for _, name := range names.Dict {
		w.newSeries(name, values.Num.U != nil)
	}
	why := values.MissingText()
	for row, d := range of {
		w.series[names.Codes[row]].set(int(d), values.Num, row, passOf[row], why)
	}
	w.mainPass = earliest(w.passes)
	return nil
}

func (w *workload) newSeries(name string, exact bool) *series {
	se := newSeries(name, exact, len(w.dispatches))
	w.series = append(w.series, se)
	w.byName[name] = se
	return se
}

// findDispatches groups rows and returns the dispatch of each row.
func (w *workload) findDispatches(s *sheet) []int32 {
	var cols [][]int32
	for _, name := range keyColumns {
		if c := s.codes(name); c != nil {
			cols = append(cols, c)
		}
	}
	type key [6]int32
	index := map[key]int32{}
	of := make([]int32, s.t.Rows)
	for row := range of {
		var k key
		for i, c := range cols {
			k[i] = c[row]
		}
		d, ok := index[k]
		if !ok {
			d = int32(len(w.dispatches))
			index[k] = d
			w.dispatches = append(w.dispatches, dispatch{row: row, id: s.text(colDispatch, row)})
		}
		of[row] = d
	}
	return of
}

// path is the path of another file of the workload.
func (w *workload) path(name string) string { return filepath.Join(w.dir, name) }
