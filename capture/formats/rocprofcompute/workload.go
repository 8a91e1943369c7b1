package rocprofcompute

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"

	"astrolabe/capture/formats/internal/delimited"
	"astrolabe/capture/formats/internal/pairing"
	"astrolabe/capture/progress"
)

// workload is what the files of a workload hold, on its way to a capture.
type workload struct {
	layout
	folder   bool   // all files of the folder belong to it
	rule     string // the duration option
	warnings []string
	files    []*os.File
	beside   func(path string) error // formats.Options.Beside
	sysinfo  error                   // why sysinfo.csv may not be read

	tables     []*table
	dispatches []dispatch
	timings    []*timing
	series     []*series
	axisOf     *timing // its times make the axis
}

func (w *workload) close() {
	for _, f := range w.files {
		f.Close()
	}
}

func (w *workload) warn(format string, args ...any) {
	w.warnings = append(w.warnings, fmt.Sprintf(format, args...))
}

// readNodes reads several folders of one run. Their clocks have nothing in common: on each the first dispatch is time
// 0.
func (w *workload) readNodes(ctx context.Context, nodes []layout) error {
	var size int64
	for _, l := range nodes {
		size += l.size()
	}
	progress.From(ctx).Begin(size, progress.Bytes)
	var all []*table
	for _, l := range nodes {
		w.layout, w.tables = l, nil
		if err := w.read(ctx); err != nil {
			return err
		}
		sinceFirst(w.tables)
		for _, t := range w.tables {
			t.node = l.node
		}
		all = append(all, w.tables...)
	}
	w.layout, w.tables = nodes[0], all
	w.warn("%d folders of one run (%s): the label node tells them apart, and on each the first dispatch is time 0, since their clocks have nothing in common",
		len(nodes), nodes[0].node+" to "+nodes[len(nodes)-1].node)
	return nil
}

// sinceFirst makes the first start of all tables time 0.
func sinceFirst(tables []*table) {
	first := int64(math.MaxInt64)
	for _, t := range tables {
		for i := range t.rows {
			if s := t.rows[i].start; s != noTime {
				first = min(first, s)
			}
		}
	}
	for _, t := range tables {
		for i := range t.rows {
			l := &t.rows[i]
			if l.start != noTime {
				l.start -= first
			}
			if l.end != noTime {
				l.end -= first
			}
		}
	}
}

// read reads the files of the folder.
func (w *workload) read(ctx context.Context) error {
	empty, err := w.readMain(ctx)
	if err != nil {
		return err
	}
	parts := w.parts
	if len(w.tables) == 0 {
		parts = append(slices.Clone(parts), w.long...)
	}
	for _, path := range parts {
		rows, err := w.readPart(ctx, path)
		if err != nil {
			return err
		}
		if rows == 0 {
			empty = append(empty, filepath.Base(path))
		}
	}
	for i := 0; i < len(w.native) && (i > 0 || len(w.tables) == 0); i++ {
		n := &w.native[i]
		rows, err := w.readNative(ctx, n)
		if err != nil {
			return err
		}
		if rows == 0 {
			empty = append(empty, n.set)
		}
	}
	if len(w.tables) == 0 && w.folder {
		for _, path := range findDatabases(w.dir) {
			rows, err := w.readDatabase(ctx, path)
			if err != nil {
				return err
			}
			if rows == 0 {
				empty = append(empty, filepath.Base(path))
			}
		}
	}
	if len(w.tables) == 0 {
		return w.nothing(empty)
	}
	numberProcesses(w.tables)
	if len(empty) > 0 {
		w.warn("%s: no dispatch was measured: %s without rows", w.dir, plural(empty, "file"))
	}
	return nil
}

// nothing says why a workload holds no counters.
func (w *workload) nothing(empty []string) error {
	if len(empty) == 0 {
		return fmt.Errorf("%s: no counters in the folder: neither %s nor files of its runs (pmc_perf_N.csv, SQ_*.csv, results_*.csv, *.db): copy the whole workload",
			w.dir, mainFile)
	}
	hint := "did its filter match a kernel?"
	if _, err := os.Stat(filepath.Join(w.dir, "log.txt")); err == nil {
		hint += " log.txt has what the profiler printed"
	}
	return fmt.Errorf("%s: no dispatch was measured: %s without rows; %s", w.dir, plural(empty, "file"), hint)
}

// plural counts things and names the first of them.
func plural(names []string, thing string) string {
	if len(names) == 1 {
		return "the " + thing + " " + names[0] + " is"
	}
	return fmt.Sprintf("%d %ss (%s to %s) are", len(names), thing, names[0], names[len(names)-1])
}

// readMain reads the file of all runs, if there is one. It returns its name where it is empty.
func (w *workload) readMain(ctx context.Context) (empty []string, err error) {
	if w.main == "" {
		return nil, nil
	}
	s, err := w.readSheet(ctx, w.main)
	if errors.Is(err, delimited.ErrEmpty) && len(w.parts)+len(w.long) > 0 {
		return []string{filepath.Base(w.main)}, nil
	}
	if err != nil {
		return nil, err
	}
	w.warnings = append(w.warnings, s.warnings()...)
	if s.isLong() {
		w.tables, err = w.longTables(s, "")
	} else if s.t.Rows > 0 {
		err = w.readWide(ctx, s)
	} else {
		err = s.need(colDispatch, colKernel)
	}
	if err == nil && s.t.Rows == 0 {
		empty = []string{filepath.Base(w.main)}
	}
	return empty, err
}

// readWide takes the wide file of all runs.
func (w *workload) readWide(ctx context.Context, s *sheet) error {
	t, err := wideTable(s, runName(w.main))
	if err != nil {
		return err
	}
	t.main = true
	if len(t.runs) == 0 {
		t.runs = []*run{{id: runName(w.main)}} // it measured when kernels ran
	}
	w.tables = []*table{t}
	return w.mainTimes(ctx, s, t)
}

// readPart reads a file of one run and returns how many rows it has.
func (w *workload) readPart(ctx context.Context, path string) (rows int, err error) {
	s, err := w.readSheet(ctx, path)
	if errors.Is(err, delimited.ErrEmpty) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	w.warnings = append(w.warnings, s.warnings()...)
	name := runName(path)
	if s.isLong() {
		tables, err := w.longTables(s, name)
		w.tables = append(w.tables, tables...)
		return s.t.Rows, err
	}
	if s.t.Rows == 0 {
		return 0, s.need(colDispatch, colKernel)
	}
	t, err := wideTable(s, name)
	if err != nil {
		return 0, err
	}
	for _, r := range t.runs {
		for _, c := range r.columns {
			if c.name == colAccum && isLevel(name) {
				c.accumulates = name + "_ACCUM"
			}
		}
	}
	w.tables = append(w.tables, t)
	return s.t.Rows, nil
}

// mainTimes checks, or finds, the times of the wide file of all runs. Older releases measured them in a run of their
// own, timestamps.csv, and pasted them into the other files row by row, whatever the rows are. Newer ones write the
// mean over all runs.
func (w *workload) mainTimes(ctx context.Context, s *sheet, t *table) error {
	var stamps *table
	var err error = fs.ErrNotExist
	if w.stamps != "" {
		stamps, err = w.readStamps(ctx)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist) && s.hasTimes():
		return nil
	case errors.Is(err, fs.ErrNotExist) && s.f.Index(colStart) < 0 && s.f.Index(colEnd) < 0:
		// What rocprof writes without --timestamp on: counts of dispatches, and nothing about when they ran.
		w.warn("%s: it has no times, and there is no %s beside it: the dispatches follow each other by number, and durations and rates are missing",
			filepath.Base(w.main), timestampsFile)
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%w, unless %s is beside it", s.need(colStart, colEnd), timestampsFile)
	case err != nil && s.hasTimes():
		w.warn("%v: the times are those of %s", err, filepath.Base(w.main))
		return nil
	case err != nil:
		return err
	}
	misplaced := t.misplaced(stamps)
	if s.hasTimes() && misplaced < 0 {
		return nil
	}
	if misplaced >= 0 {
		w.warn("%s: its times were taken from %s row by row, but row %d is of %s here and of %s there: the times are joined anew", filepath.Base(w.main),
			timestampsFile, misplaced+1, t.rows[misplaced].kernel, stamps.rows[misplaced].kernel)
	}
	for i := range t.rows {
		t.rows[i].start, t.rows[i].end, t.rows[i].ns = noTime, noTime, math.NaN()
	}
	p, err := pairing.Match(pairRows(t.rows), pairRows(stamps.rows), false)
	if err != nil {
		w.warn("%s and %s cannot be joined: %v: all times are missing", filepath.Base(w.main), timestampsFile, err)
		return nil
	}
	if p.Shift != 0 {
		w.warn("%s numbers the dispatches of %s %+d: they are joined so", timestampsFile,
			filepath.Base(w.main), p.Shift)
	}
	for j, i := range p.Of {
		if i >= 0 {
			from := &stamps.rows[j]
			t.rows[i].start, t.rows[i].end, t.rows[i].ns = from.start, from.end, from.ns
		}
	}
	return nil
}

func (w *workload) readStamps(ctx context.Context) (*table, error) {
	s, err := w.readSheet(ctx, w.stamps)
	if err != nil {
		return nil, err
	}
	if err := s.need(colDispatch, colKernel, colStart, colEnd); err != nil {
		return nil, err
	}
	return wideTable(s, runName(w.stamps))
}

// misplaced is the first row that has the times of the same row of stamps but is of another kernel or size; -1 if there
// is none.
func (t *table) misplaced(stamps *table) int {
	for i := range t.rows {
		if i >= len(stamps.rows) {
			break
		}
		a, b := t.rows[i].pairRow(), stamps.rows[i].pairRow()
		if !a.Timed || a.Start != b.Start || a.End != b.End {
			continue
		}
		for k, x := range a.Attributes {
			if y := b.Attributes[k]; x != y && x != "" && y != "" {
				return i
			}
		}
	}
	return -1
}

// path is the path of another file of the workload.
func (w *workload) path(name string) string { return filepath.Join(w.dir, name) }
