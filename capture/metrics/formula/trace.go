package formula

import (
	"fmt"
	"math"
	"strings"

	"astrolabe/capture"
)

// Trace is one node of a formula with what it evaluates to.
type Trace struct {
	Text    string // of the node, as written
	Op      Op
	Value   float64
	Counter *capture.Counter // of a name that is a counter
	Const   bool             // a number, or a name that is a constant
	Reason  capture.Reason   // why Value is missing, where it is
	Args    []*Trace
}

// missing reports whether the node has no value.
func (t *Trace) missing() bool { return t.Value != t.Value }

// Explain evaluates every node of a formula of this package at sample i, or over all samples where i < 0. ok is false
// for a derivation of another kind. Below a reduction over all samples stand the totals of the names that it reads.
func Explain(der capture.Derivation, i int) (t *Trace, ok bool) {
	d, ok := der.(*derivation)
	if !ok || i >= d.p.axis.Len() {
		return nil, false
	}
	return d.trace(i), true
}

// ExplainBin is Explain over the samples of a single bin, where der may also be a formula in bins of such.
func ExplainBin(der capture.Derivation, b *capture.Bins) (t *Trace, ok bool) {
	der, b = capture.Beneath(der, b)
	d, ok := der.(*derivation)
	if !ok || b.Len() != 1 || b.Lo[0] >= b.Hi[0] {
		return nil, false
	}
	return d.traceOver(-1, b), true
}

// tracer walks a formula's tree in the order in which it was built.
type tracer struct {
	d      *derivation
	row    int // < 0: all samples of a bin
	bin    *capture.Bins
	values map[int32]float64
	next   int // into d.ids
}

func (d *derivation) trace(row int) *Trace { return d.traceOver(row, d.p.axis.Whole()) }

func (d *derivation) traceOver(row int, b *capture.Bins) *Trace {
	t := &tracer{d: d, row: row, bin: b, values: d.nodeValues(row, b)}
	return t.node(d.expr.Root, false)
}

// nodeValues evaluates all nodes of the formula at once. Over the samples of a bin, inputs stand for their totals.
func (d *derivation) nodeValues(row int, b *capture.Bins) map[int32]float64 {
	p := d.p
	var ids []int32
	seen := map[int32]bool{}
	for _, id := range d.ids {
		p.g.walk(id, seen, func(id int32) { ids = append(ids, id) })
	}
	outs := make([][]float64, len(ids))
	for i := range outs {
		outs[i] = make([]float64, 1)
	}
	if row >= 0 {
		compile(p.g, ids, true, p.rowSource).run(outs, row)
	} else {
		mask := d.aggregation().mask
		columns := columnSet{}
		for _, id := range ids {
			switch n := p.g.nodes[id]; {
			case n.op == OpName:
				columns[id] = p.aggregateInput(int(n.bits), b, mask)
			case n.op.reduction():
				columns[id] = p.reduce(p.reduction(id), b, mask)
			}
		}
		compile(p.g, ids, false, columns.source).run(outs, 0)
	}
	values := make(map[int32]float64, len(ids))
	for i, id := range ids {
		values[id] = outs[i][0]
	}
	return values
}

// node traces n. inside tells that it stands in a reduction over all samples, where only names have a total.
func (t *tracer) node(n *Node, inside bool) *Trace {
	out := &Trace{Text: t.d.expr.Text(n), Op: n.Op}
	below := inside || t.row < 0 && n.Op.reduction()
	for _, a := range n.Args {
		out.Args = append(out.Args, t.node(a, below))
	}
	id := t.d.ids[t.next]
	t.next++
	out.Value = t.values[id]
	if below && t.row < 0 {
		out.Args = names(out.Args)
	}
	switch n.Op {
	case OpNumber:
		out.Const = true
	case OpName:
		op := t.d.leaves[leafName{n.Name, n.Dollar}]
		out.Counter, out.Const = op.Counter, op.IsConst
	}
	if out.missing() && !inside {
		out.Reason = t.why(n, out)
	} else if out.missing() && n.Op == OpName {
		out.Reason = t.whyName(n)
	}
	return out
}

// names flattens traces to the distinct names in them.
func names(args []*Trace) []*Trace {
	var out []*Trace
	seen := map[string]bool{}
	var visit func(list []*Trace)
	visit = func(list []*Trace) {
		for _, a := range list {
			if a.Op == OpName && !seen[a.Text] {
				seen[a.Text] = true
				out = append(out, a)
			}
			visit(a.Args)
		}
	}
	visit(args)
	return out
}

// why says why the node is missing, from the traces of its arguments.
func (t *tracer) why(n *Node, tr *Trace) capture.Reason {
	args := tr.Args
	switch {
	case n.Op == OpName:
		return t.whyName(n)
	case n.Op == OpNone:
		return capture.Reason{Code: capture.OperandMissing, Text: "the formula leaves the value out here"}
	case n.Op.reduction() && t.row < 0:
		return t.whyReduction(n, args)
	case n.Op == OpIf:
		cond := args[0]
		if cond.missing() {
			return cond.Reason
		}
		chosen := 1
		if cond.Value == 0 {
			chosen = 2
		}
		if n.Args[chosen].Op == OpNone {
			holds := "holds"
			if chosen == 2 {
				holds = "does not hold"
			}
			return capture.Reason{Code: capture.OperandMissing,
				Text: fmt.Sprintf("%s %s here, for which the formula gives no value", cond.Text, holds)}
		}
		return args[chosen].Reason
	case n.Op == OpFill:
		return args[1].Reason
	}
	for _, a := range args {
		if a.missing() {
			return a.Reason
		}
	}
	if (n.Op == OpDiv || n.Op == OpFloorDiv || n.Op == OpMod || n.Op == OpUDiv) && args[1].Value == 0 {
		text := "the divisor " + unbracket(args[1].Text) + " is 0"
		for _, w := range doubts(args[1]) {
			text += " (" + w + ")"
		}
		return capture.Reason{Code: capture.ZeroDenominator, Text: text}
	}
	if n.Op == OpUDiv && math.Abs(args[1].Value) < 1 {
		return capture.Reason{Code: capture.ZeroDenominator, Text: "the divisor " +
			args[1].Text + " is 0 as a whole number"}
	}
	if n.Op == OpUSub && args[0].Value < args[1].Value {
		return capture.Reason{Code: capture.NotANumber,
			Text: tr.Text + " is below zero, which an unsigned number cannot be"}
	}
	return capture.Reason{Code: capture.NotANumber,
		Text: unbracket(tr.Text) + " has no value: its operands are infinite or out of range"}
}

// doubts collects the warnings of the counters below a node, such as a clock that was gated.
func doubts(tr *Trace) []string {
	var out []string
	seen := map[string]bool{}
	var visit func(t *Trace)
	visit = func(t *Trace) {
		if t.Counter != nil {
			for _, w := range t.Counter.Warnings {
				if !seen[w] {
					seen[w] = true
					out = append(out, w)
				}
			}
		}
		for _, a := range t.Args {
			visit(a)
		}
	}
	visit(tr)
	return out
}

func (t *tracer) whyName(n *Node) capture.Reason {
	op := t.d.leaves[leafName{n.Name, n.Dollar}]
	if op.MissingReason != nil {
		return *op.MissingReason
	}
	if op.Counter == nil {
		return capture.Reason{Code: capture.OperandMissing, Text: "the constant " + n.Name + " is not a number"}
	}
	r, missing := op.Counter.Why(t.row)
	if !missing {
		why := capture.Reason{Code: capture.OperandMissing, Text: "no sample has all operands of the formula"}
		if t.row < 0 && t.d.p.axis.Len() > 0 {
			if first := t.d.trace(t.bin.Lo[0]); first.missing() {
				why.Text += "; in the first, " + first.Reason.String()
			}
		}
		return why
	}
	if r.Code == capture.Unknown {
		r.Code = capture.OperandMissing
	}
	r.Text = n.Name + " is missing: " + r.String()
	return r
}

// whyReduction explains a reduction over all samples that found nothing to reduce.
func (t *tracer) whyReduction(n *Node, args []*Trace) capture.Reason {
	if t.d.p.axis.Len() == 0 {
		return capture.Reason{Code: capture.TooFewSamples, Text: "there are no samples"}
	}
	for _, a := range args {
		if a.Op == OpName && a.missing() {
			return a.Reason
		}
	}
	first := t.d.trace(t.bin.Lo[0])
	if first.missing() {
		return capture.Reason{Code: first.Reason.Code, Text: "no sample has a value; in the first, " +
			first.Reason.String()}
	}
	return capture.Reason{Code: capture.OperandMissing, Text: "no sample has a value for " +
		unbracket(t.d.expr.Text(n))}
}

// unbracket removes the brackets around a whole text.
func unbracket(s string) string {
	for len(s) > 2 && s[0] == '(' && s[len(s)-1] == ')' {
		depth := 0
		for i := range len(s) - 1 {
			switch s[i] {
			case '(':
				depth++
			case ')':
				depth--
			}
			if depth == 0 {
				return s
			}
		}
		s = strings.TrimSpace(s[1 : len(s)-1])
	}
	return s
}

// Why says why sample i, or the total for i < 0, is missing.
func (d *derivation) Why(i int) capture.Reason {
	if r, ok := d.notCollected(); ok {
		return r
	}
	if d.p.axis.Len() == 0 || i >= d.p.axis.Len() {
		return capture.Reason{Code: capture.TooFewSamples, Text: "there are no samples"}
	}
	r := d.trace(i).Reason
	if r == (capture.Reason{}) {
		r = capture.Reason{Code: capture.OperandMissing}
	}
	return r
}

// notCollected names all operands that nobody measured, where the formula cannot have a value without them.
func (d *derivation) notCollected() (capture.Reason, bool) {
	if v, ok := d.p.g.constant(d.id); !ok || !math.IsNaN(v) {
		return capture.Reason{}, false
	}
	var absent []string
	var other *capture.Reason
	seen := map[string]bool{}
	d.expr.Root.walk(func(n *Node) {
		op := d.leaves[leafName{n.Name, n.Dollar}]
		if n.Op != OpName || op.MissingReason == nil || seen[n.Name] {
			return
		}
		seen[n.Name] = true
		if op.MissingReason.Code == capture.NotCollected {
			absent = append(absent, n.Name)
		} else if other == nil {
			other = op.MissingReason
		}
	})
	if len(absent) > 0 {
		verb := " was not collected"
		if len(absent) > 1 {
			verb = " were not collected"
		}
		if most := 8; len(absent) > most+1 { // all of a formula over hundreds of units say no more
			absent = append(absent[:most:most], fmt.Sprintf("%d more", len(absent)-most))
		}
		return capture.Reason{Code: capture.NotCollected, Text: listNames(absent) + verb}, true
	}
	if other != nil {
		return *other, true
	}
	return capture.Reason{}, false
}

// listNames joins names as in a sentence.
func listNames(names []string) string {
	if len(names) == 1 {
		return names[0]
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}
