package builtins

import (
	"context"
	"fmt"

	"go.starlark.net/starlark"

	"astrolabe/capture/memory"
)

// Functions of the language make room for all they will hold at once, and walk a range of 10^12 numbers without looking up. Memory that
// the system refuses to give ends a Go program without a word that anybody understands, so what a script can name is put behind functions
// that ask for the room first (memory.Room) and stop when the run does. The language's own functions, which other programs in one process
// would share, are never changed: AddGuards hides them behind names of the run.

// manyElements is how long a sequence must be to be watched while something walks it.
const manyElements = 1 << 14

// elementBytes is what an element of a list or tuple takes, without what it is itself.
const elementBytes = 16

// boundedFunctions are the functions of the language that walk a sequence, with the bytes that they take for each element.
var boundedFunctions = map[string]uint64{
	"list": elementBytes, "tuple": elementBytes, "reversed": elementBytes, "sorted": 2 * elementBytes, "enumerate": 4 * elementBytes,
	"zip": 2 * elementBytes, "set": 4 * elementBytes, "dict": 4 * elementBytes, "bytes": 1, "min": 0, "max": 0,
}

// textFunctions are the functions of the language that make a text of any value.
var textFunctions = []string{"str", "repr", "print", "fail"}

// bounded is a function of the language that asks for room.
type bounded struct{ *starlark.Builtin }

// builtinFunc is how a function of the language runs.
type builtinFunc = func(*starlark.Thread, *starlark.Builtin, starlark.Tuple, []starlark.Tuple) (starlark.Value, error)

func newBounded(name string, run builtinFunc) *bounded {
	return &bounded{starlark.NewBuiltin(name, run)}
}

// addBounded adds the functions of the language that ask for room to the names that a program sees. A name that is taken stays.
func addBounded(env *Env, names starlark.StringDict) {
	add := func(name string, run builtinFunc) {
		if !names.Has(name) {
			names[name] = newBounded(name, run)
		}
	}
	for name, size := range boundedFunctions {
		add(name, env.watching(starlark.Universe[name].(*starlark.Builtin), size))
	}
	add("sorted", env.sorted)
	for _, name := range textFunctions {
		add(name, env.telling(starlark.Universe[name].(*starlark.Builtin)))
	}
	add("int", intOf)
	add("getattr", func(thread *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		v, err := starlark.Universe["getattr"].(*starlark.Builtin).CallInternal(thread, args, kwargs)
		if b, ok := v.(*starlark.Builtin); ok && b.Receiver() != nil {
			return env.boundMethod(b), err
		}
		return v, err
	})
}

// watching is a function of the language whose sequences are watched; each element makes it take size bytes.
func (e *Env) watching(f *starlark.Builtin, size uint64) builtinFunc {
	return func(thread *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		args, kwargs, walks, err := e.watchAll(f.Name(), size, args, kwargs)
		if err != nil {
			return nil, err
		}
		v, err := f.CallInternal(thread, args, kwargs)
		if stop := walks.stopped(); stop != nil {
			return nil, fmt.Errorf("%s: %w", f.Name(), stop)
		}
		return v, err
	}
}

// watchAll puts the long sequences among the arguments of a call behind walks.
func (e *Env) watchAll(name string, size uint64, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Tuple, []starlark.Tuple, walks, error) {
	var all walks
	changed := false
	watch := func(v starlark.Value) (starlark.Value, error) {
		n := starlark.Len(v)
		it, ok := v.(starlark.Iterable)
		if _, pairs := v.(starlark.IterableMapping); !ok || n >= 0 && n < manyElements || pairs && name == "dict" {
			return v, nil
		}
		if n > 0 && size > 0 {
			if err := memory.Room(product(uint64(n), size)); err != nil {
				return nil, fmt.Errorf("%s of %d elements: %w", name, n, err)
			}
			size = 0 // there is room for all of them
		}
		changed = true
		return all.add(e, it, size), nil
	}
	var err error
	out := args
	for i, a := range args {
		v, failed := watch(a)
		if failed != nil {
			return nil, nil, nil, failed
		}
		if changed && &out[0] == &args[0] {
			out = append(starlark.Tuple{}, args...)
		}
		out[i] = v
	}
	named := kwargs
	for i, kv := range kwargs {
		v, failed := watch(kv[1])
		if failed != nil {
			return nil, nil, nil, failed
		}
		if v != kv[1] {
			named = append([]starlark.Tuple{}, named...)
			named[i] = starlark.Tuple{kv[0], v}
		}
	}
	return out, named, all, err
}

// walks are the watched sequences of one call.
type walks []*walk

// stopped is why one of them ended before its time.
func (w walks) stopped() error {
	for _, one := range w {
		if one.err != nil {
			return one.err
		}
	}
	return nil
}

func (w *walks) add(e *Env, it starlark.Iterable, size uint64) starlark.Value {
	one := &walk{Iterable: it, ctx: e.Context(), size: size}
	*w = append(*w, one)
	if n := starlark.Len(it); n >= 0 {
		return &walkSequence{one, n}
	}
	return one
}

// walk is an iterable that ends when the run is stopped, or when there is no room for what is made of its elements.
type walk struct {
	starlark.Iterable
	ctx  context.Context
	size uint64 // bytes that whoever walks takes for an element
	err  error  // why it ended
}

// walkSequence is a walk whose length is known.
type walkSequence struct {
	*walk
	n int
}

var (
	_ starlark.Iterable = (*walk)(nil)
	_ starlark.Sequence = (*walkSequence)(nil)
)

func (w *walkSequence) Len() int { return w.n }

func (w *walk) Iterate() starlark.Iterator {
	return &walkIterator{Iterator: w.Iterable.Iterate(), w: w}
}

type walkIterator struct {
	starlark.Iterator
	w *walk
	n int
}

// walkStep is after how many elements a walk looks up.
const walkStep = 1 << 10

func (it *walkIterator) Next(p *starlark.Value) bool {
	if it.n++; it.n%walkStep == 0 {
		if it.w.ctx.Err() != nil {
			it.w.err = context.Cause(it.w.ctx)
		} else if it.w.size > 0 && it.n%(64*walkStep) == 0 {
			it.w.err = memory.Room(64 * walkStep * it.w.size)
		}
		if it.w.err != nil {
			return false
		}
	}
	return it.Iterator.Next(p)
}

// product is a times b, or the largest number where that is more.
func product(a, b uint64) uint64 {
	if b > 0 && a > ^uint64(0)/b {
		return ^uint64(0)
	}
	return a * b
}

// roomFor asks for room for what is made of the elements of a sequence.
func roomFor(it starlark.Iterable) error {
	n := starlark.Len(it)
	if n < manyElements {
		return nil
	}
	if err := memory.Room(product(uint64(n), elementBytes)); err != nil {
		return fmt.Errorf("%d elements: %w", n, err)
	}
	return nil
}

// longSequence reports whether an argument of our own functions is watched while they walk it: what no memory holds can be of any
// length.
func longSequence(v starlark.Value) (starlark.Iterable, bool) {
	it, ok := v.(starlark.Iterable)
	if !ok {
		return nil, false
	}
	switch v.Type() {
	case "range", "string.elems", "string.codepoints", "bytes.elems":
		return it, starlark.Len(v) >= manyElements
	}
	return nil, false
}
