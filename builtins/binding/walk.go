package binding

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"go.starlark.net/starlark"

	"astrolabe/capture/memory"
)

// ManyElements is how long a sequence must be to be watched while something walks it.
const ManyElements = 1 << 14

// ElementBytes is what an element of a list or tuple takes, without what it is itself.
const ElementBytes = 16

// Walks are the watched sequences of one call.
type Walks []*walk

// Stopped is why one of them ended before its time.
func (w Walks) Stopped() error {
	for _, one := range w {
		if one.err != nil {
			return one.err
		}
	}
	return nil
}

func (w *Walks) Add(e *Env, it starlark.Iterable, size uint64) starlark.Value {
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

// WalkStep is after how many elements a walk looks up.
const WalkStep = 1 << 10

func (it *walkIterator) Next(p *starlark.Value) bool {
	if it.n++; it.n%WalkStep == 0 {
		if it.w.ctx.Err() != nil {
			it.w.err = context.Cause(it.w.ctx)
		} else if it.w.size > 0 && it.n%(64*WalkStep) == 0 {
			it.w.err = memory.Room(64 * WalkStep * it.w.size)
		}
		if it.w.err != nil {
			return false
		}
	}
	return it.Iterator.Next(p)
}

// Product is a times b, or the largest number where that is more.
func Product(a, b uint64) uint64 {
	if b > 0 && a > ^uint64(0)/b {
		return ^uint64(0)
	}
	return a * b
}

// RoomFor asks for room for what is made of the elements of a sequence.
func RoomFor(it starlark.Iterable) error {
	n := starlark.Len(it)
	if n < ManyElements {
		return nil
	}
	if err := memory.Room(Product(uint64(n), ElementBytes)); err != nil {
		return fmt.Errorf("%d elements: %w", n, err)
	}
	return nil
}

// longSequence reports whether an argument of our own functions is watched while they walk it: what no memory holds can
// be of any length, and of a parameter that takes lists they walk lists and tuples.
func longSequence(p *Param, v starlark.Value) (starlark.Iterable, bool) {
	it, ok := v.(starlark.Iterable)
	if !ok {
		return nil, false
	}
	switch v.Type() {
	case "list", "tuple":
		if !slices.Contains(strings.Split(p.Type, "|"), "list") {
			return nil, false
		}
	case "range", "string.elems", "string.codepoints", "bytes.elems":
	default:
		return nil, false
	}
	return it, starlark.Len(v) >= ManyElements
}
