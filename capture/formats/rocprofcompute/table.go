package rocprofcompute

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"astrolabe/capture"
	"astrolabe/capture/formats/internal/delimited"
	"astrolabe/capture/formats/internal/pairing"
)

// noTime stands for a time that a file does not have.
const noTime = math.MinInt64

// table is dispatches and what one run, or several that were joined, measured of them. A wide file is one table, a long
// file one for each run in it, a database one for each process.
type table struct {
	file string // for messages
	node string // the machine or process group, where a capture holds several
	main bool   // it is the wide file of all runs
	// process orders the tables of one run that are of several processes.
	process string
	rows    []launch
	runs    []*run
	// numbered says which tables number dispatches alike: those of one file, whose name this is.
	numbered string
	averaged bool     // its times are means over several runs, so that they are those of none
	twice    []string // counters that one run has two values of for a dispatch: the later one counts
	lastWins bool     // where two tables of a file have measured a counter the later one counts, as in the tool itself
}

// launch is one dispatch in a table.
type launch struct {
	id         string // as the file has it
	start, end int64  // ns on the source's clock, noTime where unknown
	ns         float64
	kernel     string
	gpu        string
	labels     []string  // by labels
	rows       []float64 // the duration of each of its rows in a long file
}

// run is what was counted at once.
type run struct {
	id      string
	columns []*column
}

// column is the values of one counter or instance in a run.
type column struct {
	name string
	// accumulates is what the column is called outside its file, where its name there says only that a level was
	// accumulated.
	accumulates string
	data        capture.Data
	at          []int32 // the row of data for each launch, -1 where it has none; nil where they are the same
	why         string  // how missing values are written in the file
}

// value is the row of data for a launch, -1 where the run did not measure the counter.
func (c *column) value(launch int) int {
	if c.at == nil {
		return launch
	}
	return int(c.at[launch])
}

// duration of a launch in ns, NaN where it is unknown. No kernel takes no time.
func (l *launch) duration() float64 {
	if l.ns > 0 {
		return l.ns
	}
	return math.NaN()
}

// launchOf reads what describes a dispatch from a row of a file.
func launchOf(s *sheet, row int) launch {
	l := launch{id: s.text(colDispatch, row), kernel: s.text(colKernel, row), gpu: s.text(colGPU, row), start: noTime,
		end: noTime, ns: math.NaN()}
	l.labels = make([]string, len(labels))
	for i := range labels {
		l.labels[i] = s.text(labels[i].column, row)
	}
	return l
}

// time sets the times of a launch.
func (l *launch) time(start, end uint64, startNs, endNs float64) {
	if startNs == startNs {
		l.start = int64(start)
	}
	if endNs == endNs {
		l.end = int64(end)
	}
	if l.start != noTime && l.end != noTime {
		l.ns = float64(l.end - l.start)
		if isFraction(startNs) || isFraction(endNs) {
			l.ns = endNs - startNs
		}
	}
}

func isFraction(f float64) bool { return f == f && f != math.Trunc(f) }

// pairRow is a launch as the package pairing sees it.
func (l *launch) pairRow() pairing.Row {
	r := pairing.Row{Start: l.start, End: l.end, Timed: l.start != noTime && l.end != noTime}
	n, err := strconv.ParseInt(l.id, 10, 64)
	r.Number, r.Numbered = n, err == nil
	// Grid, work group and local memory; what follows is of the compiled kernel and need not be in every file.
	r.Attributes = append(append(make([]string, 0, 5), l.kernel, l.gpu), l.labels[:3]...)
	return r
}

func pairRows(launches []launch) []pairing.Row {
	out := make([]pairing.Row, len(launches))
	for i := range launches {
		out[i] = launches[i].pairRow()
	}
	return out
}

// wideTable makes a table of a file with one row for each dispatch and one column for each counter. Where the file was
// joined from several runs its numbered columns, such as wave_size_3, show where the counters of the next begin.
func wideTable(s *sheet, name string) (*table, error) {
	if err := s.need(colDispatch, colKernel); err != nil {
		return nil, err
	}
	t := &table{file: s.f.Name, numbered: s.f.Name, rows: make([]launch, s.t.Rows)}
	start, startNs, err := s.times(colStart)
	if err != nil {
		return nil, err
	}
	end, endNs, err := s.times(colEnd)
	if err != nil {
		return nil, err
	}
	seen := make(map[string]int, s.t.Rows)
	for row := range t.rows {
		l := launchOf(s, row)
		l.time(start[row], end[row], startNs[row], endNs[row])
		t.averaged = t.averaged || isFraction(startNs[row]) || isFraction(endNs[row])
		key := ""
		for _, column := range keyColumns {
			key += s.text(column, row) + "\x00"
		}
		if was, twice := seen[key]; twice {
			return nil, &delimited.Error{File: s.f.Name, Line: s.t.Line(row),
				Msg: fmt.Sprintf("dispatch %s stands here and in line %d", l.id, s.t.Line(was))}
		}
		seen[key], t.rows[row] = row, l
	}
	t.runs = wideRuns(s, name)
	return t, nil
}

// wideRuns divides the counters of a wide file into runs. A counter that several of the joined runs measured has the
// number of the run after its name from the second on, as the columns that all have.
func wideRuns(s *sheet, name string) (runs []*run) {
	joined := slices.ContainsFunc(s.f.Header, func(column string) bool { _, n := cutNumber(column); return n > 0 })
	part := 0
	var r *run
	for i, header := range s.f.Header {
		if base, n := cutNumber(header); base != header && n != part {
			part, r = n, nil
		}
		if !s.isCounter(i) {
			continue
		}
		if r == nil {
			r = &run{id: name}
			if joined {
				r.id = fmt.Sprintf("%s#%d", name, part)
			}
			runs = append(runs, r)
		}
		values := s.t.Col(i)
		c := &column{name: header, data: values.Num.Data(), why: values.MissingText()}
		if base, n := cutDigits(header); n > 0 && n == part && s.f.Index(base) >= 0 {
			c.name = base
		}
		r.columns = append(r.columns, c)
	}
	return runs
}
