package rocprofv3

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"

	"astrolabe/capture"
	"astrolabe/capture/formats"
	"astrolabe/capture/formats/internal/delimited"
	"astrolabe/capture/memory"
)

// numbers are the columns that are read as numbers, in lower case; all others are texts.
var numbers = []string{"counter_value", "start_timestamp", "end_timestamp"}

// readCSV reads a file. name is how it is called in the names of runs.
func (w *work) readCSV(ctx context.Context, path, name string) error {
	f, err := formats.OpenRegular(path)
	if err != nil {
		return err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return err
	}
	if err := w.readRows(ctx, f, st.Size(), path, name); err != nil {
		return err
	}
	w.readAgents(prefixOf(path))
	return nil
}

// table is a file that has been read.
type table struct {
	*delimited.Table
	file   *delimited.File
	header []string // in lower case
	kind   fileKind
}

func (w *work) readRows(ctx context.Context, r io.ReaderAt, size int64, path, name string) error {
	f, err := delimited.Open(path, r, size, delimited.Options{Delim: ','})
	if err != nil {
		return err
	}
	if err := f.CheckNames(); err != nil {
		return err
	}
	t := &table{file: f, header: lower(f.Header)}
	if t.kind = kindOf(t.header); t.kind == otherFile {
		return &delimited.Error{File: path, Line: f.Line,
			Msg: "the header has not the columns of rocprofv3: Dispatch_Id, Kernel_Name, and for counters Counter_Name and Counter_Value"}
	}
	specs := make([]delimited.Spec, len(t.header))
	for i, column := range t.header {
		if specs[i].Want = delimited.Text; slices.Contains(numbers, column) {
			specs[i].Want = delimited.Number
		}
	}
	if t.Table, err = f.Read(ctx, specs); err != nil {
		return err
	}
	w.warnings = append(append(w.warnings, f.Warnings...), t.Warnings...)
	if t.kind == countersFile || t.kind == kernelsFile {
		return w.dispatches(ctx, t, name)
	}
	return w.spansOf(t, name)
}

func (t *table) fail(row int, format string, args ...any) error {
	return &delimited.Error{File: t.file.Name, Line: t.Line(row), Msg: fmt.Sprintf(format, args...)}
}

// text is a cell of a row, "" where there is no such column.
func (t *table) text(column string, row int) string {
	i := slices.Index(t.header, column)
	if i < 0 {
		return ""
	}
	c := t.Col(i)
	if c.Codes == nil || c.Codes[row] < 0 {
		return ""
	}
	return c.Dict[c.Codes[row]]
}

// size multiplies a size of three columns where the file has them so.
func (t *table) size(column string, row int) (string, error) {
	if !slices.Contains(t.header, column+"_x") {
		return t.text(column, row), nil
	}
	n := int64(1)
	for _, axis := range []string{"_x", "_y", "_z"} {
		cell := t.text(column+axis, row)
		v, err := strconv.ParseInt(cell, 10, 32)
		if err != nil {
			return "", t.fail(row, "column %s: %q is no size", column+axis, cell)
		}
		n *= v
	}
	return strconv.FormatInt(n, 10), nil
}

// times are the start and the end of a row in ns, both 0 where the file does not have them.
func (t *table) times(row int) (start, end int64, err error) {
	var out [2]int64
	for k, column := range []string{"start_timestamp", "end_timestamp"} {
		i := slices.Index(t.header, column)
		if i < 0 {
			return 0, 0, nil
		}
		d := t.Col(i).Num.Data()
		if d.Missing(row) {
			continue
		}
		v := d.Float(row)
		if d.U == nil || v >= 1<<62 {
			return 0, 0, t.fail(row, "column %s: %v is no time in whole nanoseconds", t.file.Header[i], v)
		}
		out[k] = int64(d.U[row])
	}
	if out[1] < out[0] {
		return 0, 0, t.fail(row, "it ends at %d, before it starts at %d", out[1], out[0])
	}
	return out[0], out[1], nil
}

// dispatchRoom is what a dispatch with one result takes, in bytes.
const dispatchRoom = 512

// dispatches takes the rows of a file of counters or kernels.
func (w *work) dispatches(ctx context.Context, t *table, name string) error {
	var values capture.Data
	why := ""
	if i := slices.Index(t.header, "counter_value"); i >= 0 {
		c := t.Col(i)
		values, why = c.Num.Data(), c.MissingText()
	}
	missing := 0
	var tally memory.Tally
	for row := range t.Rows {
		if row%4096 == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := tally.Add(dispatchRoom); err != nil {
			return fmt.Errorf("%s: %w", t.file.Name, err)
		}
		d, err := w.dispatchOf(t, row, name)
		if err != nil {
			return err
		}
		if d == nil || t.kind == kernelsFile {
			continue
		}
		counter := t.text("counter_name", row)
		if counter == "" {
			return t.fail(row, "column Counter_Name is empty")
		}
		i := w.counter(counter)
		if values.Missing(row) {
			missing++
			continue
		}
		d.values[i] = append(d.values[i], result{v: values.Float(row)})
	}
	if missing > 0 {
		w.warn("%s: %d results are %s: they are missing", t.file.Name, missing, why)
	}
	return nil
}

// dispatchOf finds or adds the dispatch of a row; nil where a database has it already.
func (w *work) dispatchOf(t *table, row int, name string) (*dispatch, error) {
	grid, err := t.size("grid_size", row)
	if err != nil {
		return nil, err
	}
	group, err := t.size("workgroup_size", row)
	if err != nil {
		return nil, err
	}
	id := runID(t.text("guid", row), name, t.text("process_id", row))
	if w.databases[id] {
		return nil, nil
	}
	k := key{dispatch: t.text("dispatch_id", row), correlation: t.text("correlation_id", row),
		kernel: t.text("kernel_name", row), agent: t.text("agent_id", row), grid: grid, workgroup: group}
	if k.dispatch != "" {
		k.correlation = "" // a retry of the same dispatch may have another
	}
	r := w.run(id, prefixOf(t.file.Name), t.kind == kernelsFile)
	d := r.dispatch(k, func() []string {
		out := make([]string, len(labelNames))
		for i, l := range labelNames {
			switch l.label {
			case "grid_size":
				out[i] = grid
			case "workgroup_size":
				out[i] = group
			default:
				out[i] = t.text(l.column, row)
			}
		}
		return out
	})
	if d.start, d.end, err = t.times(row); err != nil {
		return nil, err
	}
	if c := t.text("correlation_id", row); c != "" {
		d.correlation = c
	}
	return d, nil
}

// runID names a run: by the GUID of its process, or by file and process.
func runID(guid, name, process string) string {
	switch {
	case guid != "":
		return "guid " + guid
	case process != "":
		return name + " process " + process
	}
	return name
}
