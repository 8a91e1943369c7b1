package rocprofcompute

import (
	"fmt"

	"astrolabe/capture/formats/internal/delimited"
	"astrolabe/capture/memory"
)

// maxSparse bounds the cells of the columns by the rows of a long file. Far more means a damaged file.
const maxSparse, alwaysCells = 256, 1 << 22

// longTables makes a table for each run that a file with one row for each run, dispatch and counter has the results of.
func (w *workload) longTables(s *sheet, name string) ([]*table, error) {
	if err := s.need(colDispatch, colKernel, colName, colValue, colStart, colEnd); err != nil {
		return nil, err
	}
	start, startNs, err := s.times(colStart)
	if err != nil {
		return nil, err
	}
	end, endNs, err := s.times(colEnd)
	if err != nil {
		return nil, err
	}
	of, launches := findLaunches(s)
	names := s.t.Col(s.f.Index(colName))
	if n := len(launches); n*len(names.Dict) > alwaysCells && n*len(names.Dict) > maxSparse*s.t.Rows {
		return nil, fmt.Errorf("%s: %d counters in %d dispatches from only %d rows: the file is damaged", s.f.Name,
			len(names.Dict), n, s.t.Rows)
	}
	starts, ends := make([]int64, len(of)), make([]int64, len(of))
	for row := range of {
		fail := func(msg string) error { return &delimited.Error{File: s.f.Name, Line: s.t.Line(row), Msg: msg} }
		if names.Codes[row] < 0 {
			return nil, fail("column " + colName + ": the name of the counter is empty")
		}
		if isFraction(startNs[row]) {
			return nil, fail(fmt.Sprintf("column %q: %v is not a time in whole nanoseconds", colStart, startNs[row]))
		}
		if isFraction(endNs[row]) {
			return nil, fail(fmt.Sprintf("column %q: %v is not a time in whole nanoseconds", colEnd, endNs[row]))
		}
		var l launch
		l.start, l.end = noTime, noTime
		l.time(start[row], end[row], startNs[row], endNs[row])
		starts[row], ends[row] = l.start, l.end
	}
	passes := findPasses(s, of, starts, ends, names.Codes)
	if n := len(launches) * len(passes); n > alwaysCells && n > maxSparse*s.t.Rows {
		return nil, fmt.Errorf("%s: %d runs of %d dispatches from only %d rows: the file is damaged", s.f.Name,
			len(passes), len(launches), s.t.Rows)
	}
	tables := make([]*table, len(passes))
	for i, p := range passes {
		if tables[i], err = p.table(s, launches); err != nil {
			return nil, err
		}
		if name != "" {
			tables[i].runs[0].id = name
			if len(passes) > 1 {
				tables[i].runs[0].id = name + "#" + p.id
			}
		}
	}
	return tables, nil
}

// findLaunches groups the rows of a long file by dispatch and returns the dispatch of each row, and the first row of
// each dispatch.
func findLaunches(s *sheet) (of []int32, first []int) {
	var cols [][]int32
	for _, name := range keyColumns {
		if c := s.codes(name); c != nil {
			cols = append(cols, c)
		}
	}
	type key [6]int32
	index := map[key]int32{}
	of = make([]int32, s.t.Rows)
	for row := range of {
		var k key
		for i, c := range cols {
			k[i] = c[row]
		}
		d, ok := index[k]
		if !ok {
			d = int32(len(first))
			index[k] = d
			first = append(first, row)
		}
		of[row] = d
	}
	return of, first
}

// table makes the table of one pass.
func (p *pass) table(s *sheet, first []int) (*table, error) {
	t := &table{file: s.f.Name, numbered: s.f.Name, lastWins: true}
	r := &run{id: p.id}
	t.runs = []*run{r}
	values, names := s.t.Col(s.f.Index(colValue)), s.t.Col(s.f.Index(colName))
	why := values.MissingText()
	index := map[int32]*column{}
	var tally memory.Tally
	for at, sg := range p.segments {
		l := launchOf(s, first[sg.dispatch])
		l.start, l.end = sg.start, sg.end
		if l.start != noTime && l.end != noTime {
			l.ns = float64(l.end - l.start)
		}
		for _, row := range sg.rows {
			code := names.Codes[row]
			c := index[code]
			if c == nil {
				tally.Must(4 * uint64(len(p.segments)))
				c = &column{name: names.Dict[code], data: values.Num.Data(), why: why, at: make([]int32, len(p.segments))}
				for i := range c.at {
					c.at[i] = -1
				}
				index[code] = c
				r.columns = append(r.columns, c)
			}
			if c.at[at] >= 0 {
				t.twice = append(t.twice, c.name)
			}
			c.at[at] = row
			if d := l.duration(); d == d {
				l.rows = append(l.rows, d)
			}
		}
		t.rows = append(t.rows, l)
	}
	return t, nil
}
