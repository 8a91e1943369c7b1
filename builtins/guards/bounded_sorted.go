package guards

import (
	"context"
	"fmt"
	"sort"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"astrolabe/builtins/binding"
)

// sorted is sorted of the language, which stops when the run does.
func (e bounds) sorted(thread *starlark.Thread, b *starlark.Builtin, args starlark.Tuple,
	kwargs []starlark.Tuple) (starlark.Value, error) {
	args, kwargs, walks, err := e.watchAll("sorted", boundedFunctions["sorted"], args, kwargs)
	if err != nil {
		return nil, err
	}
	var sequence starlark.Iterable
	var key starlark.Callable
	var reverse bool
	if err := starlark.UnpackArgs("sorted", args, kwargs, "iterable", &sequence, "key?", &key, "reverse?",
		&reverse); err != nil {
		return nil, err
	}
	s := &sorting{ctx: e.Context()}
	it := sequence.Iterate()
	defer it.Done()
	var x starlark.Value
	for it.Next(&x) {
		s.values = append(s.values, x)
	}
	if stop := walks.Stopped(); stop != nil {
		return nil, fmt.Errorf("sorted: %w", stop)
	}
	s.keys = s.values
	if key != nil {
		s.keys = make([]starlark.Value, len(s.values))
		for i, v := range s.values {
			if s.keys[i], err = starlark.Call(thread, key, starlark.Tuple{v}, nil); err != nil {
				return nil, err // with the frames of the key
			}
		}
		s.apart = true
	}
	if reverse {
		sort.Stable(sort.Reverse(s))
	} else {
		sort.Stable(s)
	}
	if s.err != nil {
		return nil, s.err
	}
	return starlark.NewList(s.values), nil
}

// sorting is what is being sorted. After an error nothing is less than anything, so that the rest is quick.
type sorting struct {
	ctx          context.Context
	keys, values []starlark.Value
	apart        bool // keys and values are not the same
	compared     int
	err          error
}

func (s *sorting) Len() int { return len(s.values) }

func (s *sorting) Less(i, j int) bool {
	if s.compared++; s.compared%binding.WalkStep == 0 && s.err == nil && s.ctx.Err() != nil {
		s.err = context.Cause(s.ctx)
	}
	if s.err != nil {
		return false
	}
	less, err := starlark.Compare(syntax.LT, s.keys[i], s.keys[j])
	if err != nil {
		s.err = err
	}
	return less
}

func (s *sorting) Swap(i, j int) {
	s.values[i], s.values[j] = s.values[j], s.values[i]
	if s.apart {
		s.keys[i], s.keys[j] = s.keys[j], s.keys[i]
	}
}
