package formula

import "math"

// gnode is one node of the graph that all formulas of a program share. Equal nodes are one node.
type gnode struct {
	op      Op
	a, b, c int32  // arguments, -1 where there are fewer
	bits    uint64 // OpNumber: the value's bits; OpName: the index of the input
}

// graph is a directed acyclic graph of operations. Arguments come before the nodes that use them.
type graph struct {
	nodes      []gnode
	index      map[gnode]int32
	zeroIsZero bool
}

func newGraph(zeroIsZero bool) *graph {
	return &graph{index: map[gnode]int32{}, zeroIsZero: zeroIsZero}
}

func (g *graph) add(n gnode) int32 {
	if id, ok := g.index[n]; ok {
		return id
	}
	id := int32(len(g.nodes))
	g.nodes = append(g.nodes, n)
	g.index[n] = id
	return id
}

func (g *graph) number(v float64) int32 {
	if v != v {
		v = math.NaN() // one node for all NaNs
	}
	return g.add(gnode{op: OpNumber, a: -1, b: -1, c: -1, bits: math.Float64bits(v)})
}

func (g *graph) input(i int) int32 {
	return g.add(gnode{op: OpName, a: -1, b: -1, c: -1, bits: uint64(i)})
}

// constant returns the value of a node that is a number.
func (g *graph) constant(id int32) (float64, bool) {
	if id < 0 || g.nodes[id].op != OpNumber {
		return 0, false
	}
	return math.Float64frombits(g.nodes[id].bits), true
}

// apply adds an operation on up to three arguments, folding what is constant. Folding never changes a result.
func (g *graph) apply(op Op, a, b, c int32) int32 {
	va, ka := g.constant(a)
	vb, kb := g.constant(b)
	vc, kc := g.constant(c)
	if op.reduction() {
		// A scalar reduces to itself, as in the vendor's tool; its deviation is 0.
		if ka && op == OpStd {
			return g.number(va - va)
		}
		if ka {
			return a
		}
		return g.add(gnode{op: op, a: a, b: b, c: -1})
	}
	if ka && (b < 0 || kb) && (c < 0 || kc) {
		if v := scalar(op, va, vb, vc, g.zeroIsZero); !op.unsigned() || !large(v) {
			return g.number(v)
		}
		return g.add(gnode{op: op, a: a, b: b, c: c}) // exact only as part of an island
	}
	// A missing constant makes the whole missing, except where an operation chooses between its arguments: of those
	// that if and fill leave aside nothing may be folded.
	missing := ka && va != va || kb && vb != vb && op != OpFill || kc && vc != vc
	switch op {
	case OpIf:
		if ka {
			if va != va {
				return a
			}
			if va != 0 {
				return b
			}
			return c
		}
		missing = false
	case OpFill:
		if ka && va != va {
			return b
		}
		if kb && vb != vb {
			return a
		}
	case OpMul:
		// Only by one: x * 0 is not 0 where x is missing, and x + 0 turns a negative zero into a positive one.
		if kb && vb == 1 {
			return a
		}
		if ka && va == 1 {
			return b
		}
	case OpSub:
		if kb && vb == 0 {
			return a
		}
	case OpDiv:
		if kb && vb == 1 {
			return a
		}
		if kb && vb == 0 && !g.zeroIsZero {
			missing = true
		}
		// Exact for powers of two only; any other reciprocal would round twice.
		if kb && powerOfTwo(vb) {
			return g.apply(OpMul, a, g.number(1/vb), -1)
		}
	case OpMax, OpMin:
		if id, ok := g.clamp(op, a, b); ok {
			return id
		}
		if id, ok := g.clamp(op, b, a); ok {
			return id
		}
	}
	if missing {
		return g.number(math.NaN())
	}
	// Sorted, so that a + b and b + a are one node. Both orders give the same double, NaN included.
	if (op == OpAdd || op == OpMul || op == OpMin || op == OpMax) && a > b {
		a, b = b, a
	}
	return g.add(gnode{op: op, a: a, b: b, c: c})
}

// clamp turns max(min(x, hi), lo) and min(max(x, lo), hi) into one operation.
func (g *graph) clamp(op Op, inner, bound int32) (int32, bool) {
	outerK, ok := g.constant(bound)
	n := g.nodes[inner]
	if !ok || outerK != outerK || !(op == OpMax && n.op == OpMin || op == OpMin && n.op == OpMax) {
		return 0, false
	}
	x, k := n.a, n.b
	innerK, ok := g.constant(k)
	if !ok {
		x, k = n.b, n.a
		innerK, ok = g.constant(k)
	}
	if !ok {
		return 0, false
	}
	lo, hi := bound, k
	if op == OpMin {
		lo, hi = k, bound
		outerK, innerK = innerK, outerK
	}
	if outerK > innerK {
		return 0, false
	}
	return g.add(gnode{op: OpClamp, a: x, b: lo, c: hi}), true
}

// powerOfTwo reports whether dividing by v is exactly multiplying by 1/v.
func powerOfTwo(v float64) bool {
	frac, exp := math.Frexp(v)
	return (frac == 0.5 || frac == -0.5) && exp > -1000 && exp < 1000
}

// walk calls f for id and everything below it, each once.
func (g *graph) walk(id int32, seen map[int32]bool, f func(int32)) {
	if id < 0 || seen[id] {
		return
	}
	seen[id] = true
	f(id)
	n := g.nodes[id]
	g.walk(n.a, seen, f)
	g.walk(n.b, seen, f)
	g.walk(n.c, seen, f)
}

// size counts the nodes below and including id, at most limit of them.
func (g *graph) size(id int32, limit int) int {
	n := 0
	seen := map[int32]bool{}
	var visit func(int32)
	visit = func(id int32) {
		if id < 0 || n > limit || seen[id] {
			return
		}
		seen[id] = true
		n++
		visit(g.nodes[id].a)
		visit(g.nodes[id].b)
		visit(g.nodes[id].c)
	}
	visit(id)
	return n
}
