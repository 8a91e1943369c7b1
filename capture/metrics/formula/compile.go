package formula

import (
	"sync"

	"astrolabe/capture"
)

// source gives one input of a code its values.
type source interface {
	// direct returns all values where they lie in memory as doubles, nil where they must be read block by block.
	direct() []float64
	read(dst []float64, from int)
}

// column is a source that is already in memory, such as aggregates.
type column []float64

func (c column) direct() []float64            { return c }
func (c column) read(dst []float64, from int) { copy(dst, c[from:]) }

// code is a compiled sequence of block operations from sources to outputs. It is safe for concurrent use.
// Registers are numbered: first the inputs that need no conversion, then scratch blocks, then the outputs.
type code struct {
	ins        []instr
	data       [][]float64 // of direct inputs
	loads      []source    // of converted inputs, by kLoad's a
	temps      int
	outs       int
	rows       int // of one block
	zeroIsZero bool
	frames     sync.Pool
}

// frame is the working memory of one evaluation.
type frame struct {
	rows    int // that scratch has for each temporary
	scratch []float64
	regs    [][]float64
}

const (
	// blockBytes is how much scratch a block may use and stay in the second-level cache.
	blockBytes   = 1 << 18
	minBlockRows = 512
)

// compiler emits code for some nodes of a graph.
type compiler struct {
	g       *graph
	c       *code
	source  func(id int32) source // the source of a node that is an input here, nil for others
	perRow  bool                  // a reduction is the sample itself
	uses    map[int32]int
	vreg    map[int32]int32 // the virtual register that holds a node
	nextReg int32
}

// Virtual registers: inputs count up from 0, all others from firstVirtual.
const firstVirtual = 1 << 24

// compile makes code that computes the nodes outs. source says which nodes are inputs.
func compile(g *graph, outs []int32, perRow bool, source func(id int32) source) *code {
	k := &compiler{g: g, c: &code{outs: len(outs), zeroIsZero: g.zeroIsZero}, source: source, perRow: perRow,
		uses: map[int32]int{}, vreg: map[int32]int32{}, nextReg: firstVirtual}
	seen := map[int32]bool{}
	for _, id := range outs {
		id = k.resolve(id)
		k.uses[id]++
		k.count(id, seen)
	}
	owner := map[int32]int{} // virtual register to the output that it becomes
	for i, id := range outs {
		v := k.emit(k.resolve(id))
		if _, taken := owner[v]; v < firstVirtual || taken {
			w := k.reg()
			k.push(instr{kop: kCopy, dst: w, a: v, b: -1, c: -1})
			v = w
		}
		owner[v] = i
	}
	k.allocate(owner)
	k.c.rows = capture.BlockRows
	if k.c.temps > 0 {
		k.c.rows = min(max(blockBytes/8/k.c.temps, minBlockRows), capture.BlockRows) &^ 255
	}
	return k.c
}

// resolve skips reductions where they do nothing.
func (k *compiler) resolve(id int32) int32 {
	for k.perRow && k.g.nodes[id].op.reduction() && k.g.nodes[id].op != OpStd {
		id = k.g.nodes[id].a
	}
	return id
}

func (k *compiler) isInput(id int32) bool { return k.source(id) != nil }

func (k *compiler) count(id int32, seen map[int32]bool) {
	if seen[id] || k.isInput(id) {
		return
	}
	seen[id] = true
	n := k.g.nodes[id]
	for _, arg := range [...]int32{n.a, n.b, n.c} {
		if arg >= 0 {
			arg = k.resolve(arg)
			k.uses[arg]++
			k.count(arg, seen)
		}
	}
}

func (k *compiler) reg() int32 {
	k.nextReg++
	return k.nextReg - 1
}

func (k *compiler) push(in instr) int32 {
	k.c.ins = append(k.c.ins, in)
	return in.dst
}

// emit makes code for a node and returns the virtual register that holds it.
func (k *compiler) emit(id int32) int32 {
	id = k.resolve(id)
	if v, ok := k.vreg[id]; ok {
		return v
	}
	v := k.emitNew(id)
	k.vreg[id] = v
	return v
}

func (k *compiler) emitNew(id int32) int32 {
	if s := k.source(id); s != nil {
		if data := s.direct(); data != nil {
			k.c.data = append(k.c.data, data)
			return int32(len(k.c.data) - 1)
		}
		k.c.loads = append(k.c.loads, s)
		return k.push(instr{kop: kLoad, dst: k.reg(), a: int32(len(k.c.loads) - 1), b: -1, c: -1})
	}
	n := k.g.nodes[id]
	if v, ok := k.g.constant(id); ok {
		return k.push(instr{kop: kFill, dst: k.reg(), a: -1, b: -1, c: -1, k: v})
	}
	if n.op.unsigned() {
		return k.emitIsland(id)
	}
	if v, ok := k.fused(id, n); ok {
		return v
	}
	if n.op == OpStd { // of one sample
		a := k.emit(n.a)
		return k.push(instr{kop: kSub, dst: k.reg(), a: a, b: a, c: -1})
	}
	in := instr{kop: kScalar, op: n.op, a: -1, b: -1, c: -1}
	in.a = k.emit(n.a)
	if n.b >= 0 {
		in.b = k.emit(n.b)
	}
	if n.c >= 0 {
		in.c = k.emit(n.c)
	}
	switch n.op {
	case OpAdd:
		in.kop = kAdd
	case OpSub:
		in.kop = kSub
	case OpMul:
		in.kop = kMul
	case OpMin:
		in.kop = kMin
	case OpMax:
		in.kop = kMax
	case OpNeg:
		in.kop = kNeg
	case OpAbs:
		in.kop = kAbs
	case OpDiv:
		if !k.g.zeroIsZero {
			in.kop = kDiv
		}
	}
	in.dst = k.reg()
	return k.push(in)
}

// inner returns a node that only its one user needs, so that it may be fused into it.
func (k *compiler) inner(id int32, op Op) (gnode, bool) {
	id = k.resolve(id)
	if _, done := k.vreg[id]; done || k.uses[id] != 1 || k.isInput(id) || k.g.nodes[id].op != op {
		return gnode{}, false
	}
	return k.g.nodes[id], true
}

// split separates the constant from the other argument of a commutative operation.
func (k *compiler) split(n gnode) (x int32, c float64, ok bool) {
	if v, ok := k.g.constant(n.b); ok {
		return n.a, v, true
	}
	if v, ok := k.g.constant(n.a); ok {
		return n.b, v, true
	}
	return 0, 0, false
}

// fused handles operations with constants and the combinations that counters' formulas are made of.
func (k *compiler) fused(id int32, n gnode) (int32, bool) {
	one := func(op kop, a int32, c float64) (int32, bool) {
		in := instr{kop: op, a: k.emit(a), b: -1, c: -1, k: c}
		in.dst = k.reg()
		return k.push(in), true
	}
	two := func(op kop, a, b int32, c, lo, hi float64) (int32, bool) {
		in := instr{kop: op, a: k.emit(a), b: k.emit(b), c: -1, k: c, lo: lo, hi: hi}
		in.dst = k.reg()
		return k.push(in), true
	}
	zeroMissing := !k.g.zeroIsZero
	switch n.op {
	case OpAdd:
		if x, c, ok := k.split(n); ok {
			return one(kAddK, x, c)
		}
		// Sums of three come in both shapes, as equal operands were sorted. A constant inside is left to kAddK,
		// which reads a column less.
		for _, swap := range [...]bool{false, true} {
			a, b := n.a, n.b
			if swap {
				a, b = b, a
			}
			if s, ok := k.inner(a, OpAdd); ok {
				if _, _, constant := k.split(s); !constant {
					in := instr{kop: kAdd3, a: k.emit(s.a), b: k.emit(s.b), c: k.emit(b)}
					in.dst = k.reg()
					return k.push(in), true
				}
			}
		}
	case OpSub:
		if c, ok := k.g.constant(n.b); ok {
			return one(kSubK, n.a, c)
		}
		if c, ok := k.g.constant(n.a); ok {
			return one(kRsubK, n.b, c)
		}
	case OpMul:
		if x, c, ok := k.split(n); ok {
			// 100 * a / b, the commonest formula there is. Not where a division by zero is zero: that kernel has no
			// branch for it.
			if d, ok := k.inner(x, OpDiv); ok && zeroMissing && k.variable(d) {
				return two(kRatio, d.a, d.b, c, 0, 0)
			}
			return one(kMulK, x, c)
		}
	case OpDiv:
		// What a zero divisor gives depends on the dialect; only the plain kernel asks for it.
		if !zeroMissing {
			return 0, false
		}
		if c, ok := k.g.constant(n.b); ok {
			return one(kDivK, n.a, c) // a constant zero is folded before
		}
		if c, ok := k.g.constant(n.a); ok {
			return one(kRdivK, n.b, c)
		}
		if m, ok := k.inner(n.a, OpMul); ok {
			if x, c, ok := k.split(m); ok {
				return two(kMulDiv, x, n.b, c, 0, 0)
			}
		}
	case OpMin:
		if x, c, ok := k.split(n); ok {
			return one(kMinK, x, c)
		}
	case OpMax:
		if x, c, ok := k.split(n); ok {
			return one(kMaxK, x, c)
		}
	case OpClamp:
		lo, okLo := k.g.constant(n.b)
		hi, okHi := k.g.constant(n.c)
		// Bounds in the wrong order have a result by the order of min and max, which one kernel for both would
		// change.
		if !okLo || !okHi || lo > hi {
			return 0, false
		}
		if m, ok := k.inner(n.a, OpMul); ok && zeroMissing {
			if x, c, ok := k.split(m); ok {
				if d, ok := k.inner(x, OpDiv); ok && k.variable(d) {
					return two(kRatioClamp, d.a, d.b, c, lo, hi)
				}
			}
		}
		in := instr{kop: kClamp, a: k.emit(n.a), b: -1, c: -1, lo: lo, hi: hi}
		in.dst = k.reg()
		return k.push(in), true
	}
	return 0, false
}

// variable reports whether neither argument is constant.
func (k *compiler) variable(n gnode) bool {
	_, a := k.g.constant(n.a)
	_, b := k.g.constant(n.b)
	return !a && !b
}

// firstOutput numbers outputs until the scratch blocks are counted.
const firstOutput = 1 << 25

// allocate maps virtual registers to inputs, as few scratch blocks as possible, and outputs. owner says which virtual
// register becomes which output.
func (k *compiler) allocate(owner map[int32]int) {
	last := map[int32]int{}
	for i := range k.c.ins {
		for _, r := range k.c.ins[i].reads() {
			last[*r] = i
		}
	}
	inputs := int32(len(k.c.data))
	temps := int32(0)
	place := map[int32]int32{}
	var free []int32
	for i := range k.c.ins {
		in := &k.c.ins[i]
		for _, r := range in.reads() {
			v := *r
			if v < firstVirtual {
				continue
			}
			*r = place[v]
			if last[v] == i && place[v] < firstOutput {
				last[v] = -1 // an operand read twice is freed once
				free = append(free, place[v])
			}
		}
		o, out := owner[in.dst]
		v := in.dst
		switch {
		case out:
			place[v] = firstOutput + int32(o)
		case len(free) > 0:
			place[v] = free[len(free)-1]
			free = free[:len(free)-1]
		default:
			place[v] = inputs + temps
			temps++
		}
		in.dst = place[v]
	}
	for i := range k.c.ins {
		in := &k.c.ins[i]
		for _, r := range append(in.reads(), &in.dst) {
			if *r >= firstOutput {
				*r += inputs + temps - firstOutput
			}
		}
	}
	k.c.temps = int(temps)
}

// reads lists the registers that an instruction reads.
func (in *instr) reads() []*int32 {
	if in.kop == kLoad {
		return nil
	}
	var out []*int32
	for _, r := range [...]*int32{&in.a, &in.b, &in.c} {
		if *r >= 0 {
			out = append(out, r)
		}
	}
	if in.island != nil {
		for i := range in.island.leaves {
			out = append(out, &in.island.leaves[i])
		}
	}
	return out
}

// run computes rows [from, from+len(outs[i])) of every output.
func (c *code) run(outs [][]float64, from int) {
	if c.outs == 0 {
		return
	}
	f, _ := c.frames.Get().(*frame)
	if rows := min(c.rows, len(outs[0])); f == nil || f.rows < rows { // totals need one row, not a block
		f = &frame{rows: rows, scratch: make([]float64, c.temps*rows),
			regs: make([][]float64, len(c.data)+c.temps+c.outs)}
	}
	defer c.frames.Put(f)
	for lo := 0; lo < len(outs[0]); lo += c.rows {
		n := min(c.rows, len(outs[0])-lo)
		at := from + lo
		for i, d := range c.data {
			f.regs[i] = d[at : at+n : at+n]
		}
		r := len(c.data)
		for i := range c.temps {
			f.regs[r] = f.scratch[i*f.rows : i*f.rows+n]
			r++
		}
		for _, o := range outs {
			f.regs[r] = o[lo : lo+n : lo+n]
			r++
		}
		for i := range c.ins {
			in := &c.ins[i]
			if in.kop == kLoad {
				c.loads[in.a].read(f.regs[in.dst], at)
				continue
			}
			exec(in, f.regs, c.zeroIsZero)
		}
	}
	clear(f.regs)
}

// runOne is run for code with one output. It allocates nothing once it has run.
func (c *code) runOne(dst []float64, from int) {
	outs := [1][]float64{dst}
	c.run(outs[:], from)
}
