package metrics

import (
	"fmt"
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/metrics/formula"
)

// divisors lists what a formula divides by, but for numbers. What stands in a conditional is left out: the condition may ask for the zero.
func divisors(n *formula.Node) []*formula.Node {
	if n.Op == formula.OpIf {
		return nil
	}
	var out []*formula.Node
	for _, a := range n.Args {
		out = append(out, divisors(a)...)
	}
	switch n.Op {
	case formula.OpDiv, formula.OpFloorDiv, formula.OpMod, formula.OpUDiv:
		if len(namesIn(n.Args[1])) > 0 {
			out = append(out, n.Args[1])
		}
	}
	return out
}

func namesIn(n *formula.Node) []string { return (&formula.Expr{Root: n}).Names() }

// inputs are the measured counters and constants below names, which may be other metrics.
func inputs(s *scope, e *Entry, names []string, seen map[string]bool) {
	for _, name := range names {
		if seen[name] {
			continue
		}
		other := e.sibling(name)
		if other == nil {
			if found, err := s.find(name); err == nil {
				other = found
			}
		}
		if other != nil && other != e && other.IsMetric() && other.expr != nil {
			seen[name] = false
			inputs(s, other, other.expr.Names(), seen)
			continue
		}
		seen[name] = true
	}
}

// ofOne is a capture of one sample in which every input of a metric has a value, and the named ones are 0.
func ofOne(t *testing.T, e *Entry, all, zero map[string]bool, opt capture.Options, props []capture.Property) *capture.Capture {
	t.Helper()
	a := &capture.Axis{Start: []int64{0}, End: []int64{1000}}
	cfg := capture.Config{GPU: e.GPU, Axis: a, Options: opt, Properties: props}
	if e.Set != nil {
		cfg.Properties = append(cfg.Properties, capture.Property{Name: setLabel, Text: e.Set.Name, IsText: true})
	}
	if strings.Contains(e.Available, "QueryMode") {
		cfg.Properties = append(cfg.Properties, capture.Property{Name: "QueryMode", Number: 1})
	}
	for name, measured := range all {
		if !measured {
			continue
		}
		switch name {
		case "denom":
			if zero[name] {
				a.Count = []float64{0}
			}
			continue
		case "Start_Timestamp", "End_Timestamp", sampleTime:
			if zero[name] {
				a.End[0] = 0
			}
			continue
		}
		v := uint64(1000) // alike, so that no difference is negative
		if zero[name] {
			v = 0
		}
		cfg.Counters = append(cfg.Counters, &capture.Counter{Meta: capture.Meta{Name: strings.TrimSuffix(name, "_PER_XCD")}, Axis: a, Col: capture.NewColumn(capture.Data{U: []uint64{v}})})
	}
	seen := map[string]bool{}
	unique := cfg.Counters[:0]
	for _, c := range cfg.Counters {
		if !seen[c.Name] {
			seen[c.Name] = true
			unique = append(unique, c)
		}
	}
	cfg.Counters = unique
	c, err := capture.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// A divisor of 0 makes the value missing, and its reason says so: in every formula of every catalogue, for every divisor. GPA's formulas give 0, and Intel's
// do where zero="vendor" asks for what the vendor's tool gives.
func TestEveryDivisorOfEveryCatalogueSetToZeroIsMissingWithItsReason(t *testing.T) {
	for _, id := range IDs() {
		cat, err := Get(id)
		if err != nil {
			t.Fatal(err)
		}
		tried, never := 0, 0
		for _, base := range cat.Entries() {
			if !base.IsMetric() {
				continue
			}
			forms := []*Entry{base}
			hardware := [][]capture.Property{nil}
			if len(base.Variants) > 0 {
				forms, hardware = nil, nil
				for _, v := range base.Variants {
					one, err := v.Metric(base)
					if err != nil {
						t.Fatal(err)
					}
					forms = append(forms, one)
					hardware = append(hardware, []capture.Property{{Name: "generation", Text: v.Generations[0], IsText: true}, {Name: "api", Text: v.APIs[0], IsText: true}})
				}
			}
			for k, e := range forms {
				s := newScope(&capture.Capture{Config: capture.Config{GPU: id, Axis: &capture.Axis{}}}, nil)
				all := map[string]bool{}
				inputs(s, e, e.expr.Names(), all)
				for _, d := range divisors(e.expr.Root) {
					zero := map[string]bool{}
					inputs(s, e, namesIn(d), zero)
					check := func(opt string) (total, sample capture.Value, why capture.Reason, divisor float64) {
						cap := ofOne(t, e, all, zero, capture.Options{Zero: opt}, hardware[k])
						c, err := newScope(cap, nil).counter(base)
						if err != nil {
							t.Fatalf("%s %s: %v", id, e.Name, err)
						}
						why, _ = c.Why(-1)
						of, err := newScope(cap, nil).evaluate(&Entry{Name: "divisor", Expr: "divisor", expr: &formula.Expr{Dialect: e.Dialect, Src: e.expr.Src, Root: d}, Set: e.Set, GPU: id}, capture.Meta{Name: "divisor"}, "")
						if err != nil {
							t.Fatalf("%s %s: divisor: %v", id, e.Name, err)
						}
						return c.Total(), c.Value(0), why, of.Total().Float()
					}
					total, sample, why, divisor := check("")
					if divisor != 0 {
						never++ // a sum with a number, or another division whose own zero is tried
						continue
					}
					tried++
					at := fmt.Sprintf("%s %s: %s with %s = 0", id, e.Name, e.expr.Infix(), (&formula.Expr{Dialect: formula.Streamline, Root: d}).Infix())
					if cat.zeroRule == zeroAlways {
						if total.Missing() {
							t.Errorf("%s: the total is missing (%s), where GPA has 0", at, why)
						}
						total, sample, why, _ = check("missing")
					}
					if !total.Missing() || !sample.Missing() {
						t.Errorf("%s: total %v, sample %v", at, total.Float(), sample.Float())
						continue
					}
					// A mask of units may also be the condition, and a difference whose first operand is the divisor goes below zero.
					if e.Set != nil && (why.Code == capture.Unsupported || strings.Contains(why.String(), "its operands are infinite or out of range")) {
						never++
						continue
					}
					if why.Code != capture.ZeroDenominator && !(why.Code == capture.OperandMissing && strings.Contains(why.Text, " is 0")) {
						t.Errorf("%s: the reason is %s: %s", at, why.Code, why)
					}
					if cat.zeroRule == zeroVendor {
						if total, _, why, _ := check("vendor"); total.Missing() {
							t.Errorf("%s: missing (%s) with zero=vendor", at, why)
						}
					}
				}
			}
		}
		t.Logf("%s: %d divisors set to 0, %d cannot be", id, tried, never)
		if tried == 0 && id != "amd-live" {
			t.Errorf("%s: no divisor was tried", id)
		}
	}
}
