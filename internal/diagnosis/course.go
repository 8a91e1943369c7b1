package diagnosis

import (
	"context"
	"fmt"

	"go.starlark.net/starlark"

	"astrolabe/builtins/values"
	"astrolabe/capture"
)

// Phase is one of the phases that a report tells apart, with what its table says limits it.
type Phase struct {
	Start, Duration float64 // seconds since the start of the capture
	Named           string  // id of a rule, "" where nothing is named
	Record          string  // what that says to record because the capture cannot tell
}

// Phases are the phases that a report tells apart; one where the capture does not change.
func (j *Judge) Phases(ctx context.Context, c *capture.Capture) ([]Phase, error) {
	var cap starlark.Value = values.NewCapture(j.env, c)
	var recorded starlark.Value = starlark.None
	// The scripts of sources with slow values look for phases in longer samples.
	if smooth, ok := j.triage["_smooth"]; ok {
		var err error
		recorded = cap
		if cap, err = j.runner.Call(ctx, smooth, starlark.Tuple{cap}, nil); err != nil {
			return nil, err
		}
	}
	var leading starlark.Value = j.triage["LEADING"]
	if of, ok := j.triage["leading"]; ok { // where phases show depends on what was counted
		var err error
		if leading, err = j.runner.Call(ctx, of, starlark.Tuple{cap}, nil); err != nil {
			return nil, err
		}
	}
	list, err := j.runner.Call(ctx, j.phases["split"], starlark.Tuple{cap, leading},
		[]starlark.Tuple{{starlark.String("recorded"), recorded}})
	if err != nil {
		return nil, err
	}
	seq, ok := list.(starlark.Indexable)
	if !ok {
		return nil, fmt.Errorf("split returned %s, want a list", list.Type())
	}
	var out []Phase
	for i := range seq.Len() {
		d, ok := seq.Index(i).(*starlark.Dict)
		if !ok {
			return nil, fmt.Errorf("phase %d is %s, want a dict", i, seq.Index(i).Type())
		}
		p := Phase{Start: number(d, "start"), Duration: number(d, "duration")}
		part, _, _ := d.Get(starlark.String("cap"))
		found, err := j.runner.Call(ctx, j.verdicts, starlark.Tuple{part}, nil)
		if err != nil {
			return nil, err
		}
		top, err := j.runner.Call(ctx, j.limiter, starlark.Tuple{found}, nil) // as the table of phases names it
		if err != nil {
			return nil, err
		}
		if v, ok := top.(*starlark.Dict); ok {
			p.Named, p.Record = text(v, "id"), text(v, "record")
		}
		out = append(out, p)
	}
	return out, nil
}

// Stutter is the id of the first finding that a report has about the course of frames and that warns: "slow_frames",
// "periodic_stutter", or "" where there is none. The conditions are those of lib/phases.star.
func (j *Judge) Stutter(ctx context.Context, c *capture.Capture) (string, error) {
	cap := values.NewCapture(j.env, c)
	busy := j.triage["BUSY"]
	if busy == nil {
		busy = starlark.NewList(nil)
	}
	found, err := j.runner.Call(ctx, j.phases["frames"], starlark.Tuple{cap, j.triage["LEADING"], busy}, nil)
	if err != nil {
		return "", err
	}
	d, ok := found.(*starlark.Dict)
	if !ok {
		return "", nil // no frames are marked
	}
	frames := 0
	if v, _, _ := d.Get(starlark.String("per_frame")); v != nil {
		if p, ok := v.(*values.Capture); ok {
			frames = p.Capture.Len()
		}
	}
	constant := func(name string) float64 {
		v, _ := starlark.AsFloat(j.phases[name])
		return v
	}
	if float64(frames) < constant("LEAST_FRAMES") {
		return "", nil
	}
	warns, err := j.runner.Call(ctx, j.phases["warns"], starlark.Tuple{found}, nil)
	if err != nil {
		return "", err
	}
	if warns == starlark.True {
		return "slow_frames", nil
	}
	back, err := j.runner.Call(ctx, j.phases["stutter"], starlark.Tuple{cap, found}, nil)
	if err != nil {
		return "", err
	}
	if d, ok := back.(*starlark.Dict); ok {
		if warns, _, _ := d.Get(starlark.String("warns")); warns == starlark.True {
			return "periodic_stutter", nil
		}
	}
	return "", nil
}

// number is a number in a dict, 0 where it is None.
func number(d *starlark.Dict, key string) float64 {
	v, _, _ := d.Get(starlark.String(key))
	if v == nil {
		return 0
	}
	x, _ := starlark.AsFloat(v)
	return x
}
