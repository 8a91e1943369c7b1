package metrics

import (
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/metrics/formula"
	"astrolabe/internal/testfiles"
)

// builtinNames are what formulas may read without its being a counter: the capture's own constants and the time of a sample.
var builtinNames = []string{"denom", "Start_Timestamp", "End_Timestamp", sampleTime, "cu_per_gpu", "cpus_online", "cpu_max_freq"}

func TestEveryVariableIsAnEntryThatNamesItsUsers(t *testing.T) {
	for _, id := range IDs() {
		c := mustGet(t, id)
		reads, counters := 0, map[string]bool{}
		for _, e := range c.Entries() {
			inputs := slices.Clone(e.Inputs)
			for _, v := range e.Variants {
				if v.Expr == "" {
					continue
				}
				one, err := v.Metric(e)
				if err != nil {
					t.Fatalf("%s: %v", id, err)
				}
				inputs = append(inputs, one.Inputs...)
			}
			var read []string
			for _, name := range inputs {
				read = append(read, operandsOf(e, name)...)
			}
			for _, in := range read {
				if slices.Contains(builtinNames, in) {
					continue
				}
				used := e.sibling(in)
				if used == nil {
					var err error
					if used, err = c.Find(in); err != nil {
						t.Errorf("%s: %s reads %s, which is no entry: %v", id, e.Name, in, err)
						continue
					}
				}
				if !slices.Contains(used.UsedBy(), e.Name) {
					t.Errorf("%s: %s does not say that %s reads it", id, used.Name, e.Name)
				}
				reads++
				counters[used.Name] = true
			}
		}
		t.Logf("%s: formulas read %d variables, which are %d entries", id, reads, len(counters))
		if reads == 0 {
			t.Errorf("%s: no formula reads anything", id)
		}
	}
}

// roundTrip checks that a formula survives printing, and that its infix form names the same counters.
func roundTrip(t *testing.T, where string, d formula.Dialect, src string) bool {
	t.Helper()
	e, _, err := formula.ParseLenient(d, src)
	if err != nil {
		t.Errorf("%s: %v", where, err)
		return false
	}
	again, err := formula.Parse(d, e.String())
	if err != nil || !again.Root.Equal(e.Root) {
		t.Errorf("%s: %s printed as %s, which is another tree (%v)", where, src, e.String(), err)
		return false
	}
	if d == formula.Intel && regexp.MustCompile(` (&|\||<<|>>) `).MatchString(e.Infix()) {
		return true // infix dialects have no operations on bits
	}
	other := formula.Streamline
	if d == formula.ROCm {
		other = d
	}
	plain, err := formula.Parse(other, e.Infix())
	if err != nil {
		t.Errorf("%s: the infix form of %s does not parse: %v", where, src, err)
		return false
	}
	a, b := e.Names(), plain.Names()
	slices.Sort(a)
	slices.Sort(b)
	if !slices.Equal(a, b) {
		t.Errorf("%s: the infix form %s names other counters", where, e.Infix())
		return false
	}
	return true
}

func TestEveryFormulaOfTheReferenceTablesSurvivesPrinting(t *testing.T) {
	counts := map[string]int{}
	add := func(what, where string, d formula.Dialect, src string) {
		if roundTrip(t, where, d, src) {
			counts[what]++
		}
	}
	for _, r := range testfiles.Rows(t, "reference", "gpa_counters.csv") {
		if r["rpn"] != "" {
			add("amd-gpa", r["counter"]+" "+r["generation"]+" "+r["apis"], formula.GPA, r["rpn"]+" of "+r["hardware_counters"])
		}
	}
	for _, r := range testfiles.Rows(t, "reference", "amd_gfx1151_metrics.csv") {
		for column, src := range r {
			if (column == "avg_or_value" || column == "min" || column == "max") && src != "" {
				add("gfx1151", r["metric"], formula.ROCm, src)
			}
		}
	}
	for _, r := range testfiles.Rows(t, "reference", "intel_kbl_metrics.csv") {
		for column, src := range r {
			if (column == "equation" || column == "max_equation" || column == "availability") && src != "" {
				add("intel "+column, r["counter_symbol"]+" "+column, formula.Intel, src)
			}
		}
	}
	for _, r := range testfiles.Rows(t, "guides", "mali_formulas.csv") {
		add(r["gpu"], r["gpu"]+" "+r["section"], formula.Streamline, r["formula"])
	}
	for _, id := range IDs() {
		for _, e := range mustGet(t, id).Entries() {
			for _, src := range []string{e.Expr, e.Peak, e.PeakExpr} {
				if src != "" && len(e.Variants) == 0 {
					add("catalogue "+id, id+" "+e.Name, e.Dialect, src)
				}
			}
			for _, v := range e.Variants {
				if v.Expr != "" {
					add("catalogue "+id, id+" "+e.Name, e.Dialect, v.Expr)
				}
			}
		}
	}
	total := 0
	var keys []string
	for k, n := range counts {
		keys = append(keys, k)
		total += n
	}
	slices.Sort(keys)
	for _, k := range keys {
		t.Logf("%-40s %5d", k, counts[k])
	}
	t.Logf("%d formulas survive printing", total)
	for what, least := range map[string]int{"amd-gpa": 1019, "gfx1151": 77, "mali-g615": 108, "mali-g720": 110} {
		if counts[what] < least {
			t.Errorf("%s: %d formulas, want at least %d", what, counts[what], least)
		}
	}
}

// treeValue evaluates a formula of one sample, apart from the engine: a reduction of one sample is that sample.
func treeValue(n *formula.Node, value func(name string) float64) float64 {
	args := make([]float64, len(n.Args))
	for i, a := range n.Args {
		args[i] = treeValue(a, value)
	}
	boolean := func(b bool) float64 {
		if b {
			return 1
		}
		return 0
	}
	switch n.Op {
	case formula.OpNumber:
		return n.Value
	case formula.OpName:
		return value(n.Name)
	case formula.OpSum, formula.OpAvg, formula.OpReduceMin, formula.OpReduceMax:
		return args[0]
	case formula.OpAdd:
		return args[0] + args[1]
	case formula.OpSub:
		return args[0] - args[1]
	case formula.OpMul:
		return args[0] * args[1]
	case formula.OpDiv:
		if args[1] == 0 {
			return math.NaN()
		}
		return args[0] / args[1]
	case formula.OpNeg:
		return -args[0]
	case formula.OpAbs:
		return math.Abs(args[0])
	case formula.OpToInt:
		return math.Trunc(args[0])
	case formula.OpNoiseClamp:
		return math.Max(args[0], 0)
	case formula.OpMin, formula.OpMax:
		v := args[0]
		for _, a := range args[1:] {
			if v != v || a != a {
				v = math.NaN()
			} else if n.Op == formula.OpMin && a < v || n.Op == formula.OpMax && a > v {
				v = a
			}
		}
		return v
	case formula.OpIf:
		switch {
		case args[0] != args[0]:
			return math.NaN()
		case args[0] != 0:
			return args[1]
		}
		return args[2]
	case formula.OpLess:
		return boolean(args[0] < args[1])
	case formula.OpGreater:
		return boolean(args[0] > args[1])
	case formula.OpNotEqual:
		return boolean(args[0] != args[1])
	case formula.OpEqual:
		return boolean(args[0] == args[1])
	case formula.OpNone:
		return math.NaN()
	}
	panic(fmt.Sprintf("operation %d of %s", n.Op, n.Name))
}

func TestEveryInfixMetricAgreesWithItsTreeOnOneSample(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 71))
	stated := []string{"cu_per_gpu", "cpus_online", "cpu_max_freq"}
	for _, id := range []string{"mali-g615", "mali-g720", "gfx1151", "cpu"} {
		c := mustGet(t, id)
		agree, present := 0, 0
		for round := range 4 {
			f := newFixture(id, 1)
			values := map[string]float64{"denom": 1, "Start_Timestamp": 0, "End_Timestamp": 1e7, sampleTime: 1e7, "num_xcd": 1}
			for _, e := range c.Entries() {
				if e.IsMetric() || slices.Contains(stated, e.Name) {
					continue
				}
				v := float64(rng.IntN(1_000_000))
				if round > 0 && rng.IntN(3) == 0 {
					v = 0
				}
				values[e.Name] = v
				f.add(e.Name, v).Kind = e.Kind
			}
			for _, name := range stated {
				values[name] = float64(2 + rng.IntN(40))
				f.cfg.Properties = append(f.cfg.Properties, capture.Property{Name: name, Number: values[name]})
			}
			cap, err := capture.New(f.cfg)
			if err != nil {
				t.Fatal(err)
			}
			var value func(name string) float64
			value = func(name string) float64 {
				if v, ok := values[name]; ok {
					return v
				}
				e, err := c.Find(name)
				if err != nil {
					t.Fatalf("%s: %v", id, err)
				}
				if !e.IsMetric() {
					return values[e.Name]
				}
				return treeValue(e.Formula().Root, value)
			}
			for _, e := range c.Entries() {
				if !e.IsMetric() || e.Group == "rocprofiler" { // whose names are calls, see rocprofiler_test.go
					continue
				}
				got, err := Resolve(cap, e.Name)
				if err != nil {
					t.Fatalf("%s: %v", id, err)
				}
				want := treeValue(e.Formula().Root, value)
				if v := got.Value(0).Float(); !near(v, want) {
					t.Errorf("%s: %s is %v, want %v", id, e.Name, v, want)
					continue
				}
				agree++
				if want == want {
					present++
				}
			}
		}
		t.Logf("%s: %d values agree, %d of them present", id, agree, present)
		if present < agree/2 {
			t.Errorf("%s: only %d of %d values are present", id, present, agree)
		}
	}
}
