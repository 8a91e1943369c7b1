package formula

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"astrolabe/capture"
	"astrolabe/capture/memory"
)

// Operand is what a name of a formula stands for: a counter, a constant, or something that is known and missing.
type Operand struct {
	Counter       *capture.Counter
	Const         float64
	IsConst       bool
	MissingReason *capture.Reason // why there is neither
}

// Env resolves the names of a formula. dollar tells whether the name was written with $.
type Env interface {
	Lookup(name string, dollar bool) (Operand, error)
}

// Options change how formulas are evaluated.
type Options struct {
	// ZeroIsZero makes a division by zero 0 instead of missing, as the GPA catalogue wants.
	ZeroIsZero bool
	// Notes, one per expression, are doubts that the caller has about the operands. They become warnings.
	Notes [][]string
	// Percent tells which expressions give a percentage, so that values over 100 are questioned. It may be nil.
	Percent []bool
}

// Program is a set of formulas compiled for the counters of one time axis. It is immutable from outside and safe for
// concurrent use. Compilation to block code happens when a formula is first evaluated, for that formula only.
type Program struct {
	axis   *capture.Axis
	g      *graph
	inputs []*input
	outs   []*derivation
	opt    Options

	mu       sync.Mutex // guards the aggregates below
	bins     *capture.Bins
	binned   map[int][]float64 // by input, of bins
	fullSums map[int]float64   // by input, over all samples
}

// input is one distinct counter that the formulas read. It is a source.
type input struct {
	counter *capture.Counter

	scan    sync.Once
	missing capture.Bits // see holes
}

// direct returns the column itself where it holds doubles side by side.
func (in *input) direct() []float64 {
	if in.counter.Col != nil {
		return in.counter.Col.Doubles()
	}
	return nil
}

func (in *input) read(dst []float64, from int) { in.counter.ReadFloats(dst, from) }

// holes tells in which samples the input is missing, but for those in which it only waited for its turn on the
// hardware: sums are scaled up to these. It is nil if there is none.
func (in *input) holes() capture.Bits {
	in.scan.Do(func() {
		c := in.counter
		n := c.Len()
		var bits capture.Bits
		turns := c.Turns()
		var buf []float64
		for lo := 0; lo < n; lo += capture.BlockRows {
			rows := min(capture.BlockRows, n-lo)
			if c.AllThere(lo, lo+rows) {
				continue
			}
			if buf == nil {
				buf = make([]float64, min(n, capture.BlockRows))
			}
			block := buf[:rows]
			in.read(block, lo)
			for i, v := range block {
				if v != v && !turns.Get(lo+i) {
					if bits == nil {
						bits = capture.NewBits(n)
					}
					bits.Set(lo + i)
				}
			}
		}
		in.missing = bits
	})
	return in.missing
}

// derivation is one formula of a program. It implements capture.Derivation.
type derivation struct {
	p       *Program
	index   int
	expr    *Expr
	id      int32                // its node in the graph
	ids     []int32              // the nodes of its tree, in post-order
	leaves  map[leafName]Operand // what its names stand for
	reduces bool

	rows     sync.Once
	rowCode  *code
	agg      sync.Once
	aggr     *aggregation
	warn     sync.Once
	warnings []string
	named    sync.Once
	operands []*capture.Counter
}

type leafName struct {
	name   string
	dollar bool
}

var _ capture.Derivation = (*derivation)(nil)

// errAxis is wrapped by the error of combining counters that do not share a time axis.
var errAxis = errors.New("different time axes")

const (
	inlineNodes  = 256 // a derived operand of at most this many operations is compiled into its user
	inlineInputs = 32
)

// Bind compiles formulas for the counters that env resolves. All counters must be on axis.
func Bind(exprs []*Expr, axis *capture.Axis, env Env, opt Options) (*Program, error) {
	return BindEach(exprs, axis, func(int) Env { return env }, opt)
}

// bindError is what is wrong with a formula. What it says is put together when it is asked: scripts try formulas, and
// what is near an unknown name takes long to find.
type bindError struct {
	expr *Expr
	err  error
}

func (e *bindError) Error() string {
	return "formula " + clip(collapse(e.expr.Src)) + ": " + e.err.Error()
}
func (e *bindError) Unwrap() error { return e.err }

// BindEach is Bind where names mean different things in different formulas: env gives the environment of exprs[i].
func BindEach(exprs []*Expr, axis *capture.Axis, env func(i int) Env, opt Options) (*Program, error) {
	p := &Program{axis: axis, g: newGraph(opt.ZeroIsZero), opt: opt}
	b := &binder{p: p, byCounter: map[*capture.Counter]int32{}}
	for i, e := range exprs {
		d := &derivation{p: p, index: i, expr: e, leaves: map[leafName]Operand{}}
		id, err := b.build(d, e.Root, env(i))
		if err != nil {
			return nil, &bindError{e, err}
		}
		d.id = id
		p.g.walk(id, map[int32]bool{}, func(n int32) { d.reduces = d.reduces || p.g.nodes[n].op.reduction() })
		p.outs = append(p.outs, d)
	}
	return p, nil
}

// clip shortens a formula for an error message.
func clip(s string) string {
	if r := []rune(s); len(r) > 200 {
		return string(r[:200]) + "..."
	}
	return s
}

type binder struct {
	p         *Program
	byCounter map[*capture.Counter]int32
}

func (b *binder) build(d *derivation, n *Node, env Env) (int32, error) {
	id, err := b.node(d, n, env)
	d.ids = append(d.ids, id)
	return id, err
}

func (b *binder) node(d *derivation, n *Node, env Env) (int32, error) {
	g := b.p.g
	switch n.Op {
	case OpNone:
		return g.number(math.NaN()), nil
	case OpNumber:
		return g.number(n.Value), nil
	case OpName:
		return b.name(d, n, env)
	}
	args := make([]int32, len(n.Args))
	for i, a := range n.Args {
		id, err := b.build(d, a, env)
		if err != nil {
			return -1, err
		}
		args[i] = id
	}
	switch len(args) {
	case 1:
		return g.apply(n.Op, args[0], -1, -1), nil
	case 2:
		return g.apply(n.Op, args[0], args[1], -1), nil
	case 3:
		if n.Op == OpIf || n.Op == OpClamp {
			return g.apply(n.Op, args[0], args[1], args[2]), nil
		}
	}
	id := args[0] // max and min of many
	for _, a := range args[1:] {
		id = g.apply(n.Op, id, a, -1)
	}
	return id, nil
}

func (b *binder) name(d *derivation, n *Node, env Env) (int32, error) {
	key := leafName{n.Name, n.Dollar}
	op, known := d.leaves[key]
	if !known {
		var err error
		if op, err = env.Lookup(n.Name, n.Dollar); err != nil {
			return -1, err
		}
		d.leaves[key] = op
	}
	switch {
	case op.IsConst:
		return b.p.g.number(op.Const), nil
	case op.Counter == nil:
		return b.p.g.number(math.NaN()), nil
	}
	return b.counter(op.Counter)
}

// counter adds a counter as an input, or compiles its own formula in.
func (b *binder) counter(c *capture.Counter) (int32, error) {
	if id, ok := b.byCounter[c]; ok {
		return id, nil
	}
	if !c.Axis.Same(b.p.axis) {
		return -1, fmt.Errorf("counter %q has other samples than the rest: resample both to one period first: %w",
			c.Name, errAxis)
	}
	id := int32(-1)
	if o, ok := c.Der.(*derivation); ok && !o.reduces && o.p.opt.ZeroIsZero == b.p.opt.ZeroIsZero {
		id = b.inline(o)
	}
	if id < 0 {
		id = b.p.g.input(len(b.p.inputs))
		b.p.inputs = append(b.p.inputs, &input{counter: c})
	}
	b.byCounter[c] = id
	return id, nil
}

// inline copies the graph below another program's formula, -1 where it is too large for that to pay.
func (b *binder) inline(o *derivation) int32 {
	if o.p.g.size(o.id, inlineNodes) > inlineNodes {
		return -1
	}
	inputs := 0
	o.p.g.walk(o.id, map[int32]bool{}, func(id int32) {
		if o.p.g.nodes[id].op == OpName {
			inputs++
		}
	})
	if inputs > inlineInputs {
		return -1
	}
	done := map[int32]int32{-1: -1}
	var copyNode func(id int32) int32
	copyNode = func(id int32) int32 {
		if to, ok := done[id]; ok {
			return to
		}
		n := o.p.g.nodes[id]
		var to int32
		switch n.op {
		case OpNumber:
			v, _ := o.p.g.constant(id)
			to = b.p.g.number(v)
		case OpName:
			c := o.p.inputs[n.bits].counter
			if have, ok := b.byCounter[c]; ok {
				to = have
			} else {
				to = b.p.g.input(len(b.p.inputs))
				b.p.inputs = append(b.p.inputs, &input{counter: c})
				b.byCounter[c] = to
			}
		default:
			x, y, z := copyNode(n.a), copyNode(n.b), copyNode(n.c)
			to = b.p.g.apply(n.op, x, y, z)
		}
		done[id] = to
		return to
	}
	return copyNode(o.id)
}

// Len is the number of formulas.
func (p *Program) Len() int { return len(p.outs) }

// Derivation returns formula i.
func (p *Program) Derivation(i int) capture.Derivation { return p.outs[i] }

// rowSource is the source of a node in evaluation sample by sample.
func (p *Program) rowSource(id int32) source {
	if n := p.g.nodes[id]; n.op == OpName {
		return p.inputs[n.bits]
	}
	return nil
}

// EvalCounters returns every sample of several counters. Formulas of one program are evaluated together; other counters
// are read. The slices are read-only.
func EvalCounters(ctx context.Context, counters []*capture.Counter) ([][]float64, error) {
	out := make([][]float64, len(counters))
	var programs []*Program
	byProgram := map[*Program][]*derivation{}
	at := map[*derivation][]int{}
	for i, c := range counters {
		d, ok := c.Der.(*derivation)
		if !ok || c.Axis.Len() != d.p.axis.Len() {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			out[i] = c.Floats()
			continue
		}
		if at[d] == nil {
			if byProgram[d.p] == nil {
				programs = append(programs, d.p)
			}
			byProgram[d.p] = append(byProgram[d.p], d)
		}
		at[d] = append(at[d], i)
	}
	for _, p := range programs {
		values, err := p.evalSome(ctx, byProgram[p])
		if err != nil {
			return nil, err
		}
		for k, d := range byProgram[p] {
			for _, i := range at[d] {
				out[i] = values[k]
			}
		}
	}
	return out, nil
}

// evalSome evaluates some formulas of the program together.
func (p *Program) evalSome(ctx context.Context, ders []*derivation) ([][]float64, error) {
	n := p.axis.Len()
	outs := make([][]float64, len(ders))
	var compute []*derivation
	var place []int
	for i, d := range ders {
		if s := p.rowSource(d.id); s != nil {
			outs[i] = s.direct()
		}
		if outs[i] == nil {
			compute = append(compute, d)
			place = append(place, i)
		}
	}
	// Clearing reused memory costs as much as computing, so that is shared out as well.
	var wg memory.Group
	var next atomic.Int64
	for range min(runtime.GOMAXPROCS(0), 1+n*len(compute)>>20) {
		wg.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(compute)); i = next.Add(1) - 1 {
				outs[place[i]] = make([]float64, n)
			}
		})
	}
	wg.Wait()
	part := make([][]float64, len(compute))
	for i, k := range place {
		part[i] = outs[k]
	}
	return outs, p.evalInto(ctx, p.compileAll(compute), part)
}

func (p *Program) compileAll(outs []*derivation) *code {
	ids := make([]int32, len(outs))
	for i, d := range outs {
		ids[i] = d.id
	}
	return compile(p.g, ids, true, p.rowSource)
}

// EvalInto is evalAll into slices of the caller, one per formula and each as long as the axis.
func (p *Program) EvalInto(ctx context.Context, outs [][]float64) error {
	n := p.axis.Len()
	if len(outs) != len(p.outs) {
		return fmt.Errorf("%d outputs for %d formulas", len(outs), len(p.outs))
	}
	for i, o := range outs {
		if len(o) != n {
			return fmt.Errorf("output %d has %d values, the time axis has %d", i, len(o), n)
		}
	}
	return p.evalInto(ctx, p.compileAll(p.outs), outs)
}

func (p *Program) evalInto(ctx context.Context, c *code, outs [][]float64) error {
	n := p.axis.Len()
	if n == 0 || len(outs) == 0 {
		return ctx.Err()
	}
	// A task is long enough to hide its start and short enough to share out evenly.
	const taskRows = 4 * capture.BlockRows
	tasks := (n + taskRows - 1) / taskRows
	workers := min(runtime.GOMAXPROCS(0), tasks)
	if n*len(c.ins) < 1<<17 {
		workers = 1
	}
	var next atomic.Int64
	work := func() {
		part := make([][]float64, len(outs))
		for ctx.Err() == nil {
			lo := int(next.Add(1)-1) * taskRows
			if lo >= n {
				return
			}
			hi := min(lo+taskRows, n)
			for i, o := range outs {
				part[i] = o[lo:hi]
			}
			c.run(part, lo)
		}
	}
	var wg memory.Group
	for range workers - 1 {
		wg.Go(work)
	}
	work()
	wg.Wait()
	return ctx.Err()
}

// Expr is the formula as it was written.
func (d *derivation) Expr() string { return collapse(d.expr.Src) }

// Operands lists the counters that the formula names, each once, in the order of the formula.
func (d *derivation) Operands() []*capture.Counter {
	d.named.Do(func() {
		d.expr.Root.walk(func(n *Node) {
			if n.Op != OpName {
				return
			}
			if op := d.leaves[leafName{n.Name, n.Dollar}]; op.Counter != nil && !slices.Contains(d.operands, op.Counter) {
				d.operands = append(d.operands, op.Counter)
			}
		})
	})
	return slices.Clip(d.operands)
}

// Eval evaluates samples [from, from+len(dst)) into dst. It allocates nothing once it has run.
func (d *derivation) Eval(dst []float64, from int) {
	d.rows.Do(func() { d.rowCode = compile(d.p.g, []int32{d.id}, true, d.p.rowSource) })
	d.rowCode.runOne(dst, from)
}
