package rocprofcompute

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"

	"astrolabe/capture/formats/internal/delimited"
	"astrolabe/capture/memory"
)

// nativeName is the name of a file of AMD's own counter tool in the newest releases: each process writes three tables
// for each set of counters.
var nativeName = regexp.MustCompile(`^(counters|dispatch|kernel_symbols)_(.+)_(\d+)\.csv(\.gz)?$`)

// native is the three files of one process and set of counters.
type native struct {
	set, pid                   string
	counters, dispatch, kernel string
}

// addNative notes a file of the native tool; false for any other.
func (l *layout) addNative(path string) bool {
	m := nativeName.FindStringSubmatch(filepath.Base(path))
	if m == nil {
		return false
	}
	i := 0
	for i < len(l.native) && (l.native[i].set != m[2] || l.native[i].pid != m[3]) {
		i++
	}
	if i == len(l.native) {
		l.native = append(l.native, native{set: m[2], pid: m[3]})
	}
	switch m[1] {
	case "counters":
		l.native[i].counters = path
	case "dispatch":
		l.native[i].dispatch = path
	default:
		l.native[i].kernel = path
	}
	return true
}

// readNative joins the three files of a process: results name dispatches, and dispatches name kernels. Both tables of
// dispatches name the kernel, which must agree.
func (w *workload) readNative(ctx context.Context, n *native) (rows int, err error) {
	for what, path := range map[string]string{"counters": n.counters, "dispatch": n.dispatch,
		"kernel_symbols": n.kernel} {
		if path == "" {
			w.warn("%s: %s_%s_%s.csv is missing, so that nothing says what process %s counted in the run %s: it is left out", w.dir, what, n.set, n.pid, n.pid, n.set)
			return 0, nil
		}
	}
	sheets := make([]*sheet, 3)
	for i, path := range []string{n.counters, n.dispatch, n.kernel} {
		if sheets[i], err = w.readSheet(ctx, path); err != nil {
			return 0, err
		}
	}
	results, launches, kernels := sheets[0], sheets[1], sheets[2]
	if err := results.need(colDispatch, "Kernel_ID", colName, colValue); err != nil {
		return 0, err
	}
	if err := launches.need(colDispatch, "Kernel_ID", colStart, colEnd); err != nil {
		return 0, err
	}
	if err := kernels.need("Kernel_ID", colKernel); err != nil {
		return 0, err
	}
	symbol := map[string]int{}
	for row := range kernels.t.Rows {
		symbol[kernels.text("Kernel_ID", row)] = row
	}
	t := &table{file: n.counters, numbered: "native", runs: []*run{{id: runName(n.set + ".csv")}}}
	place := map[string]int{}
	if t.rows, err = nativeLaunches(launches, kernels, symbol, place); err != nil {
		return 0, err
	}
	return results.t.Rows, w.addResults(t, results, launches, place)
}

// nativeLaunches reads the dispatches of a process.
func nativeLaunches(s, kernels *sheet, symbol, place map[string]int) (out []launch, err error) {
	start, startNs, err := s.times(colStart)
	if err != nil {
		return nil, err
	}
	end, endNs, err := s.times(colEnd)
	if err != nil {
		return nil, err
	}
	for row := range s.t.Rows {
		l := launchOf(s, row)
		k, ok := symbol[s.text("Kernel_ID", row)]
		if !ok {
			return nil, &delimited.Error{File: s.f.Name, Line: s.t.Line(row),
				Msg: fmt.Sprintf("dispatch %s names kernel %s, which is not in %s", l.id, s.text("Kernel_ID", row),
					kernels.f.Name)}
		}
		l.kernel = kernels.text(colKernel, k)
		for i, label := range labels {
			if text := kernels.text(label.column, k); l.labels[i] == "" {
				l.labels[i] = text
			}
		}
		l.time(start[row], end[row], startNs[row], endNs[row])
		place[l.id] = row
		out = append(out, l)
	}
	return out, nil
}

// addResults adds up the results of a counter in a dispatch, which are those of its instances, and keeps the dispatches
// that have any.
func (w *workload) addResults(t *table, s, launches *sheet, place map[string]int) error {
	index := map[string]*column{}
	var order []*column
	var tally memory.Tally
	values := s.t.Col(s.f.Index(colValue)).Num.Data()
	measured := make([]bool, len(t.rows))
	for row := range s.t.Rows {
		at, ok := place[s.text(colDispatch, row)]
		if !ok || launches.text("Kernel_ID", at) != s.text("Kernel_ID", row) {
			return &delimited.Error{File: s.f.Name, Line: s.t.Line(row),
				Msg: fmt.Sprintf("dispatch %s of kernel %s is not in %s", s.text(colDispatch, row),
					s.text("Kernel_ID", row), launches.f.Name)}
		}
		name := s.text(colName, row)
		if name == "" {
			return &delimited.Error{File: s.f.Name, Line: s.t.Line(row), Msg: "column " +
				colName + ": the name of the counter is empty"}
		}
		if values.Missing(row) {
			continue
		}
		c := index[name]
		if c == nil {
			tally.Must(4 * uint64(len(t.rows)))
			c = &column{name: name, at: make([]int32, len(t.rows))}
			for i := range c.at {
				c.at[i] = -1
			}
			index[name] = c
			order = append(order, c)
		}
		if c.at[at] < 0 {
			c.at[at] = int32(len(c.data.F))
			c.data.F = append(c.data.F, 0)
		}
		c.data.F[c.at[at]] += values.Float(row)
		measured[at] = true
	}
	var kept []int
	for i := range t.rows {
		if measured[i] {
			kept = append(kept, i)
		}
	}
	rows := make([]launch, len(kept))
	for k, i := range kept {
		rows[k] = t.rows[i]
	}
	for _, c := range order {
		at := make([]int32, len(kept))
		for k, i := range kept {
			at[k] = c.at[i]
		}
		c.at = at
		c.data, _ = delimited.Narrow(c.data.F)
	}
	if t.rows, t.runs[0].columns = rows, order; len(rows) > 0 {
		w.tables = append(w.tables, t)
	}
	return nil
}
