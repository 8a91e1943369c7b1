package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"astrolabe/builtins/notation"
	"astrolabe/capture/lake"
	"astrolabe/internal/fleet"
)

// Kinds of work besides the calling of a script.
const (
	workTriage = "triage"
	workLake   = "lake"
)

// lakeSetup is what workers of lake are told.
type lakeSetup struct {
	Dir     string            `json:"dir"`   // of the lake that counts
	Stage   string            `json:"stage"` // where what is new goes
	Labels  map[string]string `json:"labels"`
	Scopes  []string          `json:"scopes"`
	Metrics []string          `json:"metrics"`
	Replace bool              `json:"replace"`
}

// own is the program for one capture of a worker.
func (w *mapWorker) own(ctx context.Context, talk func(string)) *app {
	a := *w.app
	a.ctx, a.told = ctx, talk
	a.limits.maxSteps = w.setup.MaxSteps
	return &a
}

// triage gives a row for each finding of the capture's report, or one that says what was judged where there are none.
func (w *mapWorker) triage(ctx context.Context, from *reached, talk func(string)) ([]fleet.Row, error) {
	c, err := from.open(ctx, w.open)
	if err != nil {
		return nil, err
	}
	var row lake.Capture
	findings, err := w.own(ctx, talk).lakeFindings(from.readable(), c, &row)
	if err != nil {
		return nil, err
	}
	text := func(key string, v *string) fleet.Cell {
		if v == nil {
			return fleet.Cell{Key: key, Kind: fleet.Null}
		}
		return fleet.Cell{Key: key, Kind: fleet.Text, Text: *v}
	}
	number := func(key string, v *float64) fleet.Cell {
		if v == nil {
			return fleet.Cell{Key: key, Kind: fleet.Null}
		}
		return fleet.FloatCell(key, *v)
	}
	judged := fleet.Cell{Key: "judged", Kind: fleet.Null}
	if row.Judged != nil {
		judged = fleet.Cell{Key: "judged", Kind: fleet.Bool, Text: fmt.Sprint(*row.Judged)}
	}
	device := lake.DeviceOf(&lake.Capture{DeviceName: lake.Text(c.Device.Name), DeviceID: lake.Text(c.Device.ID),
		GPU: lake.Text(c.GPU)})
	head := fleet.Row{text("gpu", lake.Text(c.GPU)), text("device_name", lake.Text(device)), judged,
		text("not_judged", row.NotJudged)}
	if len(findings) == 0 {
		return []fleet.Row{head}, nil
	}
	var rows []fleet.Row
	for _, f := range findings {
		rows = append(rows, append(head[:len(head):len(head)], text("finding", &f.Finding), text("severity", &f.Severity),
			text("title", &f.Title), text("metric", f.Metric), number("value", f.Value), number("limit", f.Limit),
			text("unit", f.Unit), text("value_text", f.ValueText), text("limit_text", f.LimitText),
			text("confidence", f.Confidence), number("share", f.Share), number("gain_least", f.GainLeast),
			number("gain_most", f.GainMost), fleet.Cell{Key: "hint", Kind: fleet.Bool, Text: fmt.Sprint(f.Hint)},
			text("instead_of", f.InsteadOf), text("advice", f.Advice)))
	}
	return rows, nil
}

// unreadable is the error of a capture that cannot be opened, or of what stopped it.
func unreadable(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return unreadableError{err}
}

// addToLake puts what is known of a capture where the lake takes it from when all are done. One that the lake has
// gives no row.
func (w *mapWorker) addToLake(ctx context.Context, from *reached, talk func(string)) ([]fleet.Row, error) {
	s := w.setup.Lake
	f := &lakeAddFlags{scopes: s.Scopes, metrics: s.Metrics, replace: s.Replace}
	var err error
	if f.open, err = w.setup.Open.flags(); err != nil {
		return nil, err
	}
	a := w.own(ctx, talk)
	into, err := lake.Open(s.Dir)
	if err != nil {
		return nil, err
	}
	hash, there, err := a.lakeHas(into, from.path, s.Labels, f)
	if err != nil || there {
		return nil, err
	}
	stage, err := lake.Open(s.Stage)
	if err != nil {
		return nil, err
	}
	_, err = a.lakeCompute(stage, from.path, hash, s.Labels, f, nil)
	return nil, err
}

// Groups says what becomes of the rows of all captures together, in place of them.
type Groups struct {
	By        []string  `json:"by"` // columns, or labels of folders, whose values make a group
	Of        []string  `json:"of"` // columns of numbers; none are all
	Quantiles []float64 `json:"quantiles"`
	Labels    []string  `json:"labels"` // that folders have

	Rows []fleet.Row `json:"-"` // of the groups, in order: the result
}

// writeGroups writes rows that are of no capture.
func (r *mapRun) writeGroups(rows []fleet.Row) error {
	var cols fleet.Columns
	cols.Add(0, rows)
	f, a := r.flags, r.app
	if f.form == "" && !f.csv {
		table := notation.TextTable{}
		for i, c := range cols.List() {
			table.Header = append(table.Header, c.Name)
			table.Right = append(table.Right, i > len(f.groups.By))
		}
		for _, row := range rows {
			var line []string
			for _, c := range row {
				line = append(line, strings.Join(strings.Fields(c.Text), " "))
			}
			table.Add(line...)
		}
		if len(rows) == 0 {
			return nil
		}
		return a.print(table.String())
	}
	form := f.form
	if f.csv {
		form = fleet.CSVForm
	}
	write := func(w io.Writer) error {
		t, err := fleet.NewRowTable(w, form, &cols)
		if err != nil {
			return err
		}
		for _, row := range rows {
			if err := t.AddRow(row); err != nil {
				return err
			}
		}
		return t.Close()
	}
	if f.output != "" {
		return r.toFile(write)
	}
	return written(write(a.out))
}
