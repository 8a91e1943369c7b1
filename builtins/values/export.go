package values

import (
	"context"
	"fmt"

	"go.starlark.net/starlark"

	"astrolabe/builtins/binding"
	"astrolabe/capture"
	"astrolabe/capture/export"
	"astrolabe/capture/memory"
)

// stretches are the parameters of what is written or listed over other stretches of time than samples.
const stretches = "resample: duration=None, by: str=None"

// exported is what the arguments of a call choose of a capture.
func (c *Capture) exported(call *binding.Call, opt export.Options,
	view func(export.Options) (*capture.Capture, error)) (*capture.Capture, error) {
	var err error
	if opt.Resample, err = call.Duration("resample", 0); err != nil {
		return nil, err
	}
	if call.Has("resample") && opt.Resample <= 0 {
		return nil, fmt.Errorf("parameter resample: the period is %d ns, it must be positive", opt.Resample)
	}
	opt.By = call.Str("by", "")
	opt.Defined = c.env.Defined(c.Capture.GPU)
	return view(opt)
}

// namesGiven is a name, or a list of names; nil where the argument is not given.
func namesGiven(call *binding.Call, name string) ([]string, error) {
	switch v := call.Arg(name).(type) {
	case nil:
		return nil, nil
	case starlark.String:
		return []string{string(v)}, nil
	default:
		out, err := binding.AsStrings(v)
		if err != nil {
			return nil, fmt.Errorf("parameter %s: %w", name, err)
		}
		return out, nil
	}
}

// saved is what Capture.save writes.
func (c *Capture) saved(call *binding.Call, path, format string) (*capture.Capture, error) {
	opt := export.Options{Instances: call.Flag("instances", false)}
	var err error
	if opt.Metrics, err = namesGiven(call, "metrics"); err != nil {
		return nil, err
	}
	if opt.Select, err = namesGiven(call, "select"); err != nil {
		return nil, err
	}
	ctx := call.Env.Context()
	return binding.Await(ctx, func() (*capture.Capture, error) {
		return c.exported(call, opt, func(opt export.Options) (*capture.Capture, error) {
			return call.Env.Registry.View(ctx, path, format, c.Capture, opt)
		})
	})
}

// cellBytes is what a cell of a table takes.
const cellBytes = 32

// rows is a table of all samples of a capture.
func (c *Capture) rows(ctx context.Context, of *capture.Capture) (*Table, error) {
	t := &Table{env: c.env, rows: of.Len()}
	columns := 2 + len(of.Labels) + len(of.Counters)
	if err := memory.Room(binding.Product(uint64(t.rows), uint64(columns)*cellBytes)); err != nil {
		return nil, fmt.Errorf("a table of %d rows and %d columns: %w", t.rows, columns, err)
	}
	add := func(name, unit string, cell func(i int) starlark.Value) {
		cells := make([]starlark.Value, t.rows)
		for i := range cells {
			if i%4096 == 0 && ctx.Err() != nil {
				return
			}
			cells[i] = cell(i)
		}
		t.columns = append(t.columns, column{name, unit, cells})
	}
	add("start", "s", func(i int) starlark.Value { return binding.Seconds(of.Axis.Start[i]) })
	add("end", "s", func(i int) starlark.Value { return binding.Seconds(of.Axis.End[i]) })
	for _, l := range of.Labels {
		add(l.Name, "", func(i int) starlark.Value {
			if text, ok := l.Value(i); ok {
				return starlark.String(text)
			}
			return starlark.None
		})
	}
	for _, ctr := range of.Counters {
		add(ctr.Name, ctr.Unit, func(i int) starlark.Value { return binding.Number(ctr.Value(i)) })
	}
	return t, ctx.Err()
}
