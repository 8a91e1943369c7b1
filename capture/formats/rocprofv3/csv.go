package rocprofv3

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"astrolabe/capture/progress"
)

// readCSV reads a counter-collection or kernel-trace file. name is how the file is called in the names of runs.
func (w *work) readCSV(ctx context.Context, path, name string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := w.readRows(ctx, progress.Reader(ctx, f), path, name); err != nil {
		return err
	}
	prefix, _ := strings.CutSuffix(path, countersEnd)
	prefix, _ = strings.CutSuffix(prefix, traceEnd)
	if prefix != path {
		w.readAgents(prefix + agentsEnd)
	}
	return nil
}

// table reads a CSV file row by row.
type table struct {
	r      *csv.Reader
	path   string
	header map[string]int
	row    []string
}

func newTable(r io.Reader, path string) (*table, error) {
	t := &table{r: csv.NewReader(r), path: path, header: map[string]int{}}
	t.r.ReuseRecord = true
	t.r.TrimLeadingSpace = true
	names, err := t.r.Read()
	if err != nil {
		return nil, t.wrap(err)
	}
	for i, n := range names {
		n = strings.TrimSpace(strings.TrimPrefix(n, "\ufeff"))
		if _, twice := t.header[n]; twice {
			return nil, t.fail("two columns are called %q", n)
		}
		t.header[n] = i
	}
	return t, nil
}

func (t *table) next() (bool, error) {
	var err error
	t.row, err = t.r.Read()
	if errors.Is(err, io.EOF) {
		return false, nil
	}
	return err == nil, t.wrap(err)
}

// wrap names the file in an error of the csv package, which names the line.
func (t *table) wrap(err error) error {
	var parse *csv.ParseError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, io.EOF):
		return fmt.Errorf("%s: empty: no header and no rows", t.path)
	case errors.As(err, &parse):
		return fmt.Errorf("%s:%d: %w: the file may be truncated", t.path, parse.Line, parse.Err)
	}
	return fmt.Errorf("%s: %w", t.path, err)
}

func (t *table) fail(format string, args ...any) error {
	line, _ := t.r.FieldPos(0)
	return fmt.Errorf("%s:%d: %s", t.path, line, fmt.Sprintf(format, args...))
}

// text is a cell of the row, "" where there is no such column.
func (t *table) text(column string) string {
	if i, ok := t.header[column]; ok && i < len(t.row) {
		return t.row[i]
	}
	return ""
}

// sizes multiplies a size of three columns where the file has them so.
func (t *table) size(column string) (string, error) {
	if _, ok := t.header[column+"_X"]; !ok {
		return t.text(column), nil
	}
	n := int64(1)
	for _, axis := range []string{"_X", "_Y", "_Z"} {
		v, err := strconv.ParseInt(t.text(column+axis), 10, 32)
		if err != nil {
			return "", t.fail("column %s: %q is no size", column+axis, t.text(column+axis))
		}
		n *= v
	}
	return strconv.FormatInt(n, 10), nil
}

func (t *table) time(column string) (int64, error) {
	cell := t.text(column)
	if cell == "" {
		return 0, nil
	}
	v, err := strconv.ParseInt(cell, 10, 64)
	if err != nil || v < 0 {
		return 0, t.fail("column %s: %q is no time in whole nanoseconds", column, cell)
	}
	return v, nil
}

func (w *work) readRows(ctx context.Context, r io.Reader, path, name string) error {
	t, err := newTable(r, path)
	if err != nil {
		return err
	}
	var header []string
	for n := range t.header {
		header = append(header, n)
	}
	kind := kindOf(header)
	if kind == otherFile {
		return fmt.Errorf("%s:1: the header has not the columns of rocprofv3: %s, %s and, for counters, %s and %s", path, colDispatch, colKernel, colCounter, colValue)
	}
	for rows := 1; ; rows++ {
		if rows%4096 == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		ok, err := t.next()
		if err != nil || !ok {
			return err
		}
		if err := w.row(t, kind, name); err != nil {
			return err
		}
	}
}

// row takes one row of a file.
func (w *work) row(t *table, kind fileKind, name string) error {
	grid, err := t.size("Grid_Size")
	if err != nil {
		return err
	}
	group, err := t.size("Workgroup_Size")
	if err != nil {
		return err
	}
	id := name
	if pid := t.text("Process_Id"); pid != "" {
		id += " process " + pid
	}
	k := key{strings.Clone(t.text(colDispatch)), strings.Clone(t.text(colKernel)), strings.Clone(t.text("Agent_Id")), grid, group}
	if k.dispatch == "" { // older traces do not number dispatches
		k.dispatch = strings.Clone(t.text("Correlation_Id"))
	}
	d := w.run(id, kind == traceFile).dispatch(k, func() []string {
		out := make([]string, len(labelNames))
		for i, l := range labelNames {
			switch l.label {
			case "grid_size":
				out[i] = grid
			case "workgroup_size":
				out[i] = group
			case "dispatch":
				out[i] = k.dispatch
			default:
				out[i] = strings.Clone(t.text(l.column))
			}
		}
		return out
	})
	if d.start, err = t.time(colStart); err != nil {
		return err
	}
	if d.end, err = t.time(colEnd); err != nil {
		return err
	}
	if d.end < d.start {
		return t.fail("the dispatch ends at %d, before it starts at %d", d.end, d.start)
	}
	if kind == traceFile {
		return nil
	}
	cell := t.text(colValue)
	v, err := strconv.ParseFloat(cell, 64)
	if err != nil {
		return t.fail("column %s: %q is no number", colValue, cell)
	}
	counter := t.text(colCounter)
	if counter == "" {
		return t.fail("column %s is empty", colCounter)
	}
	i := w.counter(strings.Clone(counter))
	d.values[i] = append(d.values[i], value{v: v})
	return nil
}

// readAgents finds the GPU in the file that rocprofv3 puts beside its output; without it the GPU is unknown.
func (w *work) readAgents(path string) {
	f, err := os.Open(filepath.Clean(path))
	if err != nil {
		return
	}
	defer f.Close()
	t, err := newTable(f, path)
	if err != nil {
		return
	}
	for {
		if ok, err := t.next(); err != nil || !ok {
			return
		}
		if t.text("Agent_Type") == "GPU" || t.text("Agent_Type") == "2" {
			w.foundAgent(strings.Clone(t.text("Name")), strings.Clone(t.text("Product_Name")))
		}
	}
}
