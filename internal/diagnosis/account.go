package diagnosis

import (
	"context"
	"errors"
	"fmt"

	"go.starlark.net/starlark"

	"astrolabe/builtins/values"
	"astrolabe/capture"
)

// AccountPart is what a report accounts some of the time to.
type AccountPart struct {
	Name, Kind string
	Share      float64 // of the time, 0 to 1
}

// Account is where a report says that the time went, by its script's function accounted(cap); nil where the script has
// none.
func (j *Judge) Account(ctx context.Context, c *capture.Capture) ([]AccountPart, error) {
	accounted, ok := j.triage["accounted"]
	if !ok {
		return nil, nil
	}
	found, err := j.runner.Call(ctx, accounted, starlark.Tuple{values.NewCapture(j.env, c)}, nil)
	if err != nil {
		return nil, err
	}
	s, ok := found.(starlark.HasAttrs)
	if !ok {
		return nil, fmt.Errorf("accounted(cap) returned %s, want what account() returns", found.Type())
	}
	parts, err := s.Attr("parts")
	if err != nil {
		return nil, err
	}
	rows, ok := parts.(starlark.Iterable)
	if !ok {
		return nil, errors.New("the account has no table of parts")
	}
	out := []AccountPart{}
	it := rows.Iterate()
	defer it.Done()
	var row starlark.Value
	for it.Next(&row) {
		p := AccountPart{}
		for name, to := range map[string]*string{"part": &p.Name, "kind": &p.Kind} {
			if *to, err = cell(row, name, starlark.AsString, ""); err != nil {
				return nil, err
			}
		}
		if p.Share, err = cell(row, "share", starlark.AsFloat, 0); err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

// cell is a value of a row of a table; otherwise where it is None.
func cell[T any](row starlark.Value, name string, as func(starlark.Value) (T, bool), otherwise T) (T, error) {
	r, ok := row.(starlark.HasAttrs)
	if !ok {
		return otherwise, fmt.Errorf("a row of the account is %s", row.Type())
	}
	v, err := r.Attr(name)
	if err != nil || v == nil || v == starlark.None {
		return otherwise, err
	}
	x, ok := as(v)
	if !ok {
		return otherwise, fmt.Errorf("the account's %s is %s", name, v.Type())
	}
	return x, nil
}
