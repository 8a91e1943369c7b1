package metrics

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/metrics/formula"
	"astrolabe/internal/testfiles"
)

var intelIDs = map[string]string{"kblgt2": "intel-kbl-gt2", "kblgt3": "intel-kbl-gt3"}

func TestEveryCounterOfTheIntelTableIsInItsCatalogue(t *testing.T) {
	n := map[string]int{}
	sets := map[string]bool{}
	for _, row := range testfiles.Rows(t, "reference", "intel_kbl_metrics.csv") {
		c := mustGet(t, intelIDs[row["gpu"]])
		n[c.ID()]++
		sets[row["metric_set"]] = true
		e, err := c.Find(row["metric_set"] + "/" + row["counter_symbol"])
		if err != nil {
			t.Error(err)
			continue
		}
		for _, f := range []struct{ what, got, want string }{
			{"expr", e.Expr, row["equation"]}, {"peak", e.Peak, row["max_equation"]}, {"available", e.Available, row["availability"]},
			{"unit", e.Unit, row["units"]}, {"title", e.Title, row["counter_name"]}, {"block", e.Block, row["group"]}, {"type", e.DataType, row["data_type"]},
			{"semantic", e.Semantic, row["semantic_type"]}, {"usage", e.Usage, row["usage_flags"]}, {"guid", e.Set.GUID, row["guid"]},
			{"set title", e.Set.Title, row["set_name"]}, {"group", e.Group, row["metric_set"]}, {"symbol", e.Symbol, row["counter_symbol"]},
		} {
			if f.got != f.want {
				t.Errorf("%s %s: %s is %q, the table has %q", c.ID(), e.Name, f.what, f.got, f.want)
			}
		}
		if scope := strings.Replace(row["hw_unit"], "gpu", "", 1); e.Scope != scope {
			t.Errorf("%s: scope %q, want %q", e.Name, e.Scope, scope)
		}
		for _, mark := range []string{row["low_watermark"], row["high_watermark"]} {
			found := mark == ""
			for _, r := range e.References {
				found = found || strconv.FormatFloat(r.Value, 'g', -1, 64) == mark
			}
			if !found {
				t.Errorf("%s: watermark %s is no reference", e.Name, mark)
			}
		}
		if op := e.expr.Root.Op; e.DataType == "uint64" && op != formula.OpName && (op < formula.OpUAdd || op > formula.OpUMax) {
			t.Errorf("%s is a whole number and ends with a floating-point operation: it would need truncating", e.Name)
		}
		if again, err := c.Find(e.Name); err != nil || again != e {
			t.Errorf("Find(%s): %v", e.Name, err)
		}
		if again, err := c.Find(row["metric_set"] + "/" + row["counter_name"]); err != nil || again != e {
			t.Errorf("Find(%s/%s): %v", row["metric_set"], row["counter_name"], err)
		}
		for _, src := range []string{e.Peak, e.Available} {
			if src == "" {
				continue
			}
			x, err := formula.Parse(formula.Intel, src)
			if err != nil {
				t.Error(err)
				continue
			}
			for _, name := range x.Names() {
				if _, err := c.Find(name); err != nil && e.sibling(name) == nil {
					t.Errorf("%s: %s reads %s: %v", e.Name, src, name, err)
				}
			}
		}
	}
	for id, want := range map[string]int{"intel-kbl-gt2": 691, "intel-kbl-gt3": 692} {
		metrics := 0
		for _, e := range mustGet(t, id).Entries() {
			if e.IsMetric() {
				metrics++
			}
		}
		if metrics != want || n[id] != want || len(mustGet(t, id).Sets()) != len(sets) {
			t.Errorf("%s has %d metrics and %d sets; the table %d and %d", id, metrics, len(mustGet(t, id).Sets()), n[id], len(sets))
		}
	}
}

func TestIntelAddresses(t *testing.T) {
	c := mustGet(t, "intel-kbl-gt2")
	for addr, want := range map[string]string{
		"render_basic_eu_active": "render_basic_eu_active", "RenderBasic/EuActive": "render_basic_eu_active", "RenderBasic/EU Active": "render_basic_eu_active",
		"gputime": "render_basic_gpu_time", "$EuTypedReads0": "compute_extended_eu_typed_reads0", "GpuTime": "render_basic_gpu_time", "TDL_1/PSThread00ReadyForDispatch": "tdl_1_ps_thread00_ready_for_dispatch",
		"OAPERF_A7": "A7", "OAPERF_A7_UPPER": "A7", "OAPERF_A35": "A35", "OAPERF_B0": "B0", "OAPERF_A19_LOWER_FREE": "A19", "EU_PERF_CNT_CTL0": "EU_PERF_CNT_CTL0",
		"EU_PERF_CNTL6": "EU_PERF_CNT_CTL6", "0xE458": "EU_PERF_CNT_CTL0", "GPU_TICKS": "GPU_TICKS", "GPU_CLOCK": "GPU_TICKS", "GPU_TIME": "TIMESTAMP", "TIME_STAMP": "TIMESTAMP",
		"$EuCoresTotalCount": "EuCoresTotalCount", "OACONTROL": "OACONTROL", "CEC5-1": "CEC5-1", "L3_1/GTRequestQueueFull": "l3_1_gt_request_queue_full",
	} {
		if e, err := c.Find(addr); err != nil || e.Name != want {
			t.Errorf("Find(%q) = %v, %v; want %s", addr, e, err, want)
		}
	}
	_, err := c.Find("Fpu0Active")
	var sets *SetsError
	if !errors.As(err, &sets) || !strings.Contains(err.Error(), "ComputeBasic") || !strings.Contains(err.Error(), "ComputeExtra") && len(sets.Sets) < 2 {
		t.Errorf("Find(Fpu0Active): %v", err)
	}
	if _, err := c.Find("RenderBasic/EuActiv"); err == nil || !strings.Contains(err.Error(), "render_basic_eu_active") {
		t.Errorf("misspelt: %v", err)
	}
	if _, err := c.Set("RenderBsic"); err == nil || !strings.Contains(err.Error(), "did you mean RenderBasic?") {
		t.Errorf("misspelt set: %v", err)
	}
	if s, err := c.Set("99c1a40e-a090-4354-86e3-4d068bb1917e"); err != nil || s.Name != "RenderBasic" || s.Entry("EuActive") == nil {
		t.Errorf("set by guid: %v, %v", s, err)
	}
	registers := strings.Fields(string(testfiles.Read(t, "guides", "kbl_oa_registers.txt")))
	if len(registers) != 118 {
		t.Errorf("the manual names %d registers", len(registers))
	}
	for _, reg := range registers {
		if _, err := c.Find(reg); err != nil {
			t.Errorf("register %s of the manual: %v", reg, err)
		}
	}
}

// ratEquation evaluates the text of an equation of a set with rationals; nil is a missing value. It shares nothing with the engine.
func ratEquation(table map[string]string, src string, raw func(name string) *big.Rat) *big.Rat {
	var stack []*big.Rat
	words := strings.Fields(src)
	trunc := func(r *big.Rat) *big.Rat { return new(big.Rat).SetInt(new(big.Int).Quo(r.Num(), r.Denom())) }
	whole := func(r *big.Rat) *big.Rat {
		if r.Sign() < 0 {
			return nil
		}
		return trunc(r)
	}
	for i := 0; i < len(words); i++ {
		w := words[i]
		if i+2 < len(words) && words[i+2] == "READ" {
			name := map[string]string{"GPU_TIME": "TIMESTAMP", "GPU_CLOCK": "GPU_TICKS"}[w]
			if name == "" {
				name = w + words[i+1]
			}
			stack = append(stack, raw(name))
			i += 2
			continue
		}
		if w[0] == '$' {
			if other, ok := table[w[1:]]; ok {
				stack = append(stack, ratEquation(table, other, raw))
			} else {
				stack = append(stack, raw(w[1:]))
			}
			continue
		}
		if v, ok := new(big.Rat).SetString(w); ok {
			stack = append(stack, v)
			continue
		}
		a, b := stack[len(stack)-2], stack[len(stack)-1]
		stack = stack[:len(stack)-2]
		var v *big.Rat
		if a != nil && b != nil {
			switch w {
			case "FADD":
				v = new(big.Rat).Add(a, b)
			case "FMUL":
				v = new(big.Rat).Mul(a, b)
			case "FDIV":
				if b.Sign() != 0 {
					v = new(big.Rat).Quo(a, b)
				}
			case "FMAX":
				if v = a; b.Cmp(a) > 0 {
					v = b
				}
			case "UMIN":
				if v = a; b.Cmp(a) < 0 {
					v = b
				}
			case "UADD":
				v = whole(new(big.Rat).Add(a, b))
			case "USUB":
				v = whole(new(big.Rat).Sub(a, b))
			case "UMUL":
				v = whole(new(big.Rat).Mul(a, b))
			case "UDIV":
				if trunc(b).Sign() != 0 {
					v = trunc(new(big.Rat).Quo(trunc(a), trunc(b)))
				}
			default:
				panic("no operator " + w)
			}
		}
		stack = append(stack, v)
	}
	return stack[0]
}

func TestEveryIntelMetricAgreesWithRationals(t *testing.T) {
	const samples = 24
	rng := rand.New(rand.NewPCG(1, 2))
	rows := map[string][]uint64{}
	for _, name := range append(rawNames(), "PERFCNT0", "PERFCNT1") {
		v := make([]uint64, samples)
		for i := range v {
			switch v[i] = rng.Uint64N(1 << 40); rng.IntN(6) {
			case 0:
				v[i] = 0
			case 1:
				v[i] = 1<<53 - rng.Uint64N(2)
			case 2:
				v[i] = rng.Uint64N(100)
			}
		}
		rows[name] = v
	}
	properties := map[string]float64{"EuCoresTotalCount": 47, "EuSlicesTotalCount": 2, "EuSubslicesTotalCount": 6, "EuThreadsCount": 7,
		"SliceMask": 3, "SubsliceMask": 63, "GpuMaxFrequency": 1.05e9, "GpuTimestampFrequency": 12e6, "QueryMode": 1}
	tables := map[string]map[string]string{}
	table := testfiles.Rows(t, "reference", "intel_kbl_metrics.csv")
	for _, row := range table {
		key := row["gpu"] + row["metric_set"]
		if tables[key] == nil {
			tables[key] = map[string]string{}
		}
		tables[key][row["counter_symbol"]] = row["equation"]
	}
	caps := map[string]*capture.Capture{}
	for gpu, id := range intelIDs {
		f := newFixture(id, samples)
		for name, v := range rows {
			c := f.add(name)
			c.Col = capture.NewColumn(capture.Data{U: v})
		}
		for name, v := range properties {
			f.property(name, v)
		}
		caps[gpu] = f.capture(t)
	}
	compared := 0
	for _, row := range table {
		name := row["metric_set"] + "/" + row["counter_symbol"]
		c, err := Resolve(caps[row["gpu"]], name)
		if err != nil {
			t.Fatal(err)
		}
		got := append(c.Floats(), c.Total().Float())
		for i, g := range got {
			raw := func(name string) *big.Rat {
				if v, ok := properties[name]; ok {
					return new(big.Rat).SetFloat64(v)
				}
				if i < samples {
					return new(big.Rat).SetInt(new(big.Int).SetUint64(rows[name][i]))
				}
				sum := new(big.Int)
				for _, v := range rows[name] {
					sum.Add(sum, new(big.Int).SetUint64(v))
				}
				return new(big.Rat).SetInt(sum)
			}
			want := ratEquation(tables[row["gpu"]+row["metric_set"]], row["equation"], raw)
			if want == nil {
				if g == g {
					t.Errorf("%s %s, sample %d = %v, want nothing", row["gpu"], name, i, g)
				}
				continue
			}
			f, _ := want.Float64()
			// A sum beyond 2^53 reaches the formula as the nearest double, which a difference of two shows.
			if exact := row["data_type"] == "uint64" && i < samples; exact && g != f || !(math.Abs(g-f) <= 1e-9*math.Abs(f)) {
				t.Errorf("%s %s, sample %d = %v, want %v", row["gpu"], name, i, g, f)
			}
			compared++
		}
	}
	t.Logf("%d values of %d counters", compared, len(table))
}

func TestTopologyAndSetDecideWhatIsAvailable(t *testing.T) {
	rows := map[string][]uint64{"TIMESTAMP": {12000}, "GPU_TICKS": {1000}}
	for _, n := range rawNames()[2:] {
		rows[n] = []uint64{480}
	}
	cap := oaCapture(t, "Sampler", rows)
	if c, err := Resolve(cap, "Sampler00OutputReady"); err != nil || c.Value(0).Float() != 48 {
		t.Errorf("Sampler00OutputReady = %v, %v", c.Value(0), err)
	}
	for i, p := range cap.Properties {
		if p.Name == "SubsliceMask" {
			cap.Properties[i].Number = 6 // subslice 0 is fused off
		}
	}
	c, err := Resolve(cap, "Sampler00OutputReady")
	if err != nil {
		t.Fatal(err)
	}
	if r, missing := c.Why(0); !missing || r.Code != capture.Unsupported || !strings.Contains(r.Text, "it needs $SubsliceMask & 1, and $SubsliceMask is 6") {
		t.Errorf("a sampler that is fused off: %v, %v", c.Value(0), r)
	}
	c, err = Resolve(cap, "GTRequestQueueFull")
	if err != nil {
		t.Fatal(err)
	}
	if r, _ := c.Why(-1); r.Code != capture.Unsupported || !strings.Contains(r.Text, "this is a recording") {
		t.Errorf("a counter of queries: %v, %v", c.Total(), r)
	}
	c, err = Resolve(cap, "RenderBasic/Sampler0Busy")
	if err != nil {
		t.Fatal(err)
	}
	if r, _ := c.Why(-1); r.Code != capture.Unsupported || !strings.Contains(r.Text, "metric set Sampler") {
		t.Errorf("a counter of another set: %v, %v", c.Total(), r)
	}
	// What all sets count the same way can be had by any of their names.
	if c, err := Resolve(cap, "RenderBasic/GpuBusy"); err != nil || c.Value(0).Float() != 48 {
		t.Errorf("RenderBasic/GpuBusy = %v, %v", c.Value(0), err)
	}
	// The vendor's tools print 0 where the divisor is 0; here it is missing unless asked for.
	rows["GPU_TICKS"] = []uint64{0}
	cap = oaCapture(t, "RenderBasic", rows)
	c, _ = Resolve(cap, "GpuBusy")
	if r, missing := c.Why(0); !missing || r.Code != capture.ZeroDenominator {
		t.Errorf("no clocks: %v %v", c.Value(0), r)
	}
	cap.Options.Zero = "vendor"
	if c, _ = Resolve(cap, "GpuBusy"); c.Value(0).Float() != 0 {
		t.Errorf("no clocks by the vendor's rule: %v", c.Value(0))
	}
	// A capture that does not say what it was measured with has no symbols that differ.
	cap = oaCapture(t, "", rows)
	var sets *SetsError
	if _, err := Resolve(cap, "L3Misses"); !errors.As(err, &sets) {
		t.Errorf("L3Misses without a set: %v", err)
	}
	if c, err := Resolve(cap, "VsThreads"); err != nil || c.Value(0).Float() != 480 {
		t.Errorf("VsThreads without a set: %v", err)
	}
}

func TestIntelExplanations(t *testing.T) {
	rows := map[string][]uint64{"TIMESTAMP": {12000}, "GPU_TICKS": {1000}}
	for _, n := range rawNames()[2:] {
		rows[n] = []uint64{480}
	}
	cap := oaCapture(t, "RenderBasic", rows)
	c, err := Resolve(cap, "EuActive")
	if err != nil {
		t.Fatal(err)
	}
	text := Explain(c, 0).String()
	for _, want := range []string{"A 7 READ $EuCoresTotalCount UDIV", "20", ": 2 %", "oa-kblgt2.xml"} {
		if !strings.Contains(text, want) {
			t.Errorf("the explanation lacks %q:\n%s", want, text)
		}
	}
	for _, expr := range []string{"A 7 READ 2 UMUL", "intel: A 7 READ 2 FMUL", "$A7 * 2", "OAPERF_A7 + A8", "$GpuBusy * 20"} {
		c, err := Eval(cap, expr, capture.Meta{})
		if err != nil || c.Value(0).Float() != 960 {
			t.Errorf("eval %s: %v, %v", expr, c, err)
		}
	}
}

func TestEveryCounterOfAnIntelEquationSaysWhoReadsIt(t *testing.T) {
	for _, id := range intelIDs {
		c := mustGet(t, id)
		if e, err := c.Find("SubsliceMask"); err != nil || !slices.Contains(e.UsedBy(), "render_basic_sampler0_busy") {
			t.Errorf("SubsliceMask is read by a condition: %v", err)
		}
		for _, e := range c.Entries() {
			for _, in := range e.reads() {
				read := e.sibling(in)
				if read == nil {
					var err error
					if read, err = c.Find(in); err != nil {
						t.Fatal(err)
					}
				}
				if !slices.Contains(read.UsedBy(), e.Name) {
					t.Fatalf("%s: %s does not say that %s reads it", id, read.Name, e.Name)
				}
			}
		}
	}
}

func BenchmarkLoadIntel(b *testing.B) {
	p := products()[slices.IndexFunc(products(), func(p *product) bool { return p.id == "intel-kbl-gt2" })]
	for b.Loop() {
		if _, err := p.read(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkMetricsOfASet(b *testing.B) {
	rows := map[string][]uint64{}
	for _, n := range rawNames() {
		rows[n] = make([]uint64, 1<<16)
		for i := range rows[n] {
			rows[n][i] = uint64(i) * 7919
		}
	}
	cap := oaCapture(b, "RenderBasic", rows)
	for b.Loop() {
		list, err := Metrics(cap)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := Floats(b.Context(), list); err != nil {
			b.Fatal(err)
		}
	}
}

func TestSetsForAFormulaAreThoseWithAllItsMetrics(t *testing.T) {
	c := mustGet(t, "intel-kbl-gt2")
	for _, x := range []struct {
		expr string
		want []string
		all  bool
	}{
		{"$SamplersBusy 0.01 FMUL", []string{"RenderBasic"}, false},
		{"$GtiReadThroughput $GtiWriteThroughput FADD", []string{"RenderBasic", "ComputeBasic", "ComputeL3Cache"}, false},
		{"$GtiReadThroughput $SamplersBusy FADD", []string{"RenderBasic"}, false},
		{"$GtiReadThroughput $VfBottleneck FADD", nil, false}, // no set has both
		{"A 28 READ $EuSubslicesTotalCount FDIV", nil, true},  // every set counts it
		{"no formula", nil, true},
	} {
		if got, all := c.SetsFor(x.expr); !slices.Equal(got, x.want) || all != x.all {
			t.Errorf("%s: got %q, %v, want %q, %v", x.expr, got, all, x.want, x.all)
		}
	}
	if got, all := mustGet(t, "mali-g720").SetsFor("$SamplersBusy 2 FMUL"); got != nil || !all {
		t.Errorf("a GPU without sets has %q, %v", got, all)
	}
}
