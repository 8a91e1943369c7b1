package metrics

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/metrics/formula"
)

// fixture builds captures for tests.
type fixture struct {
	cfg capture.Config
}

func newFixture(gpu string, samples int) *fixture {
	return &fixture{capture.Config{GPU: gpu, Axis: capture.NewUniformAxis(samples, 10_000_000)}}
}

func (f *fixture) add(name string, v ...float64) *capture.Counter {
	c := &capture.Counter{Meta: capture.Meta{Name: name}, Axis: f.cfg.Axis, Col: capture.NewColumn(capture.Data{F: v})}
	f.cfg.Counters = append(f.cfg.Counters, c)
	return c
}

// perCPU adds a counter with one instance per row of values.
func (f *fixture) perCPU(name string, combine capture.Combine, kind capture.Kind, values ...[]float64) {
	c := &capture.Counter{Meta: capture.Meta{Name: name, Combine: combine, Kind: kind}, Axis: f.cfg.Axis}
	for i, v := range values {
		in := &capture.Counter{Meta: capture.Meta{Name: fmt.Sprintf("%s[%d]", name, i), Instance: fmt.Sprint(i), Kind: kind}, Axis: f.cfg.Axis,
			Col: capture.NewColumn(capture.Data{F: v})}
		c.Instances = append(c.Instances, in)
	}
	f.cfg.Counters = append(f.cfg.Counters, c)
}

func (f *fixture) property(name string, v float64) {
	f.cfg.Properties = append(f.cfg.Properties, capture.Property{Name: name, Number: v})
}

func (f *fixture) capture(t testing.TB) *capture.Capture {
	t.Helper()
	c, err := capture.New(f.cfg)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// cpuCapture has four CPUs in two clusters; CPU i is busy i quarters of the time in sample 0 and idle in sample 1.
func cpuCapture(t testing.TB) *capture.Capture {
	f := newFixture("", 2)
	const ms = 1e6
	var user, idle, cycles, instr, freq [][]float64
	for i := range 4 {
		busy := float64(i) * 2.5 * ms
		user = append(user, []float64{busy, 0})
		idle = append(idle, []float64{10*ms - busy, 10 * ms})
		cycles = append(cycles, []float64{busy * 2, 0})
		instr = append(instr, []float64{busy * float64(i), 0})
		freq = append(freq, []float64{1e9 * float64(i+1), 1e9})
	}
	zero := [][]float64{{0, 0}, {0, 0}, {0, 0}, {0, 0}}
	f.perCPU("cpu_user", capture.CombineSum, capture.Delta, user...)
	f.perCPU("cpu_idle", capture.CombineSum, capture.Delta, idle...)
	for _, n := range []string{"cpu_nice", "cpu_system", "cpu_irq", "cpu_softirq", "cpu_steal", "cpu_iowait"} {
		f.perCPU(n, capture.CombineSum, capture.Delta, zero...)
	}
	f.perCPU("cycles", capture.CombineSum, capture.Delta, cycles...)
	f.perCPU("instructions", capture.CombineSum, capture.Delta, instr...)
	f.perCPU("cpu_frequency", capture.CombineMean, capture.Gauge, freq...)
	f.add("ctxt", 50, 150)
	running := f.add("procs_running", 2, 6)
	running.Kind = capture.Gauge
	f.property("cpus_online", 4)
	for i := range 4 {
		f.property(fmt.Sprintf("cpu_cluster.%d", i), float64(i/2))
		f.property(fmt.Sprintf("cpu_max_freq.%d", i), 2e9*float64(1+i/2))
	}
	return f.capture(t)
}

func resolve(t testing.TB, cap *capture.Capture, name string) *capture.Counter {
	t.Helper()
	c, err := Resolve(cap, name)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return c
}

func wantFloats(t testing.TB, c *capture.Counter, want ...float64) {
	t.Helper()
	got := c.Floats()
	for i := range want {
		if math.Abs(got[i]-want[i]) > 1e-9*math.Abs(want[i]) || (want[i] != want[i]) != (got[i] != got[i]) {
			t.Errorf("%s = %v, want %v", c.Name, got, want)
			return
		}
	}
}

func TestCPUMetricsHoldForAllCPUsForEachAndForClusters(t *testing.T) {
	cap := cpuCapture(t)
	u := resolve(t, cap, "cpu_utilization")
	wantFloats(t, u, 37.5, 0)
	if got := u.Total().Float(); got != 18.75 {
		t.Errorf("total %v", got)
	}
	if len(u.Instances) != 4 || u.Instances[3].Name != "cpu_utilization[3]" {
		t.Fatalf("instances %v", u.Instances)
	}
	wantFloats(t, u.Instances[3], 75, 0)
	wantFloats(t, resolve(t, cap, "cpu_utilization[2]"), 50, 0)
	wantFloats(t, resolve(t, cap, "$CPUActivityUser.Cluster[0]"), 12.5, 0)
	wantFloats(t, resolve(t, cap, "$CPUActivityUser.Cluster[1]"), 62.5, 0)
	wantFloats(t, resolve(t, cap, "CPUActivityUser.Core[1]"), 25, 0)
	wantFloats(t, resolve(t, cap, "$CyclesCPUCycles.Cluster[1]"), 2*(5e6+7.5e6), 0)
	wantFloats(t, resolve(t, cap, "cycles[3]"), 15e6, 0)
	all := resolve(t, cap, "$CPUActivityUser.Cluster[0..N]")
	if len(all.Instances) != 2 || all.Instances[1].Name != "cpu_activity_user.Cluster[1]" {
		t.Fatalf("clusters: %v", all.Instances)
	}
	wantFloats(t, all.Instances[1], 62.5, 0)
	wantFloats(t, all, 37.5, 0)
	ipc := resolve(t, cap, "ipc")
	wantFloats(t, ipc, (2.5+2*5+3*7.5)/(2*15), math.NaN())
	wantFloats(t, ipc.Instances[0], math.NaN(), math.NaN())
	wantFloats(t, ipc.Instances[2], 1, math.NaN())
	wantFloats(t, resolve(t, cap, "frequency_share[1]"), 100, 50)
	wantFloats(t, resolve(t, cap, "frequency_share.Cluster[1]"), 100*3.5e9/4e9, 25)
	wantFloats(t, resolve(t, cap, "frequency_share"), 100*2.5e9/3e9, 100*1e9/3e9)
	wantFloats(t, resolve(t, cap, "system_context_switch_rate"), 5000, 15000)
	rq := resolve(t, cap, "run_queue_per_cpu")
	wantFloats(t, rq, 0.5, 1.5)
	if got := rq.Total().Float(); got != 1 {
		t.Errorf("total of the run queue is its mean: %v", got)
	}
	e, err := Eval(cap, "$CPUActivityUser.Cluster[0] + $CPUActivityUser.Cluster[1]", capture.Meta{Unit: "percent"})
	if err != nil {
		t.Fatal(err)
	}
	wantFloats(t, e, 75, 0)
}

func TestInstancesOfAMetricExplainThemselves(t *testing.T) {
	cap := cpuCapture(t)
	x := Explain(resolve(t, cap, "ipc[2]"), 1)
	if x.Reason.Code != capture.ZeroDenominator || !strings.Contains(x.String(), "cycles = 0 ") {
		t.Errorf("explained as\n%s", x)
	}
}

func TestUncollectedMetricsAreMissingWithTheReason(t *testing.T) {
	cap := cpuCapture(t)
	c := resolve(t, cap, "cache_miss_rate")
	why, missing := c.Why(0)
	if !missing || why.Code != capture.NotCollected || why.Text != "cache_misses and cache_references were not collected" {
		t.Errorf("why: %v %q", why.Code, why.Text)
	}
	if !c.Total().Missing() || c.Count() != 0 {
		t.Error("the metric has values")
	}
	if text := Explain(c, -1).String(); !strings.Contains(text, "cache_misses = missing, because cache_misses was not collected") {
		t.Errorf("explained as\n%s", text)
	}
	raw := resolve(t, cap, "cache_misses")
	if why, _ := raw.Why(0); raw.Count() != 0 || why.Code != capture.NotCollected {
		t.Errorf("raw counter: %v", why)
	}
	twice, err := Eval(cap, "2 * cache_miss_rate", capture.Meta{})
	if err != nil {
		t.Fatal(err)
	}
	if why, _ := twice.Why(-1); why.Code != capture.NotCollected || !strings.Contains(why.Text, "cache_misses and cache_references were not collected") {
		t.Errorf("of a metric of it: %v %q", why.Code, why.Text)
	}
}

func TestNamesThatAddressNothingAreErrorsThatHelp(t *testing.T) {
	cap := cpuCapture(t)
	for name, want := range map[string]string{
		"ipd":                            "did you mean ",
		"cylces":                         "did you mean cycles",
		"cpu_utilization[9]":             "has the instances 0, 1, 2 and 3",
		"ctxt[0]":                        "ctxt has no instances",
		"$CPUActivityUser.Cluster[7]":    "has the clusters 0 and 1",
		"ctxt.Cluster[0]":                "was not measured per CPU",
		"tcp_hit_rate":                   `is known to gfx1151, gfx1200 and gfx1201: open it with gpu="gfx1151"`,
		"TCP Cache Performance/Hit Rate": `is known to gfx1151`,
	} {
		_, err := Resolve(cap, name)
		var unknown *UnknownError
		if !errors.As(err, &unknown) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
	f := newFixture("gfx1151", 1)
	f.add("TCP_REQ_sum", 1)
	gpu := f.capture(t)
	if _, err := Resolve(gpu, "cpu_utilization"); err == nil || !strings.Contains(err.Error(), "known to cpu, this capture is of gfx1151") {
		t.Errorf("cpu metric of a GPU capture: %v", err)
	}
	if _, err := Resolve(gpu, "TCP_REQ_sm"); err == nil || !strings.Contains(err.Error(), "did you mean TCP_REQ_sum") {
		t.Errorf("mistyped counter: %v", err)
	}
	none := newFixture("", 1)
	none.add("Foo", 1)
	if _, err := Resolve(none.capture(t), "bar"); err == nil || !strings.Contains(err.Error(), "open it with gpu= one of "+strings.Join(IDs(), ", ")) {
		t.Errorf("capture without a GPU: %v", err)
	}
	if c := resolve(t, none.capture(t), "foo"); c.Name != "Foo" {
		t.Errorf("a spelling of a measured counter: %v", c.Name)
	}
}

func TestBothCataloguesAreThereAndTheGPUsWins(t *testing.T) {
	f := newFixture("gfx1151", 1)
	f.add("SQ_INSTS_ALL_sum", 30)
	f.add("SQ_INSTS_INTERNAL_sum", 10)
	f.add("SQ_BUSY_CYCLES_sum", 10)
	f.add("instructions", 8)
	f.add("cycles", 4)
	cap := f.capture(t)
	if cats := For(cap); len(cats) != 2 || cats[0].ID() != "gfx1151" || cats[1].ID() != "cpu" {
		t.Fatalf("catalogues %v", cats)
	}
	wantFloats(t, resolve(t, cap, "ipc"), 2)
	wantFloats(t, resolve(t, cap, "IPC"), 2)
	wantFloats(t, resolve(t, cap, "cpu/ipc"), 2)
	if c := resolve(t, cap, "cpu/ipc"); c.GPU != "cpu" || resolve(t, cap, "gfx1151/ipc").GPU != "gfx1151" {
		t.Errorf("cpu/ipc is of %s", c.GPU)
	}
	all, err := Metrics(cap)
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, c := range all {
		if names[c.Name] {
			t.Errorf("%s stands twice", c.Name)
		}
		names[c.Name] = true
	}
	if !names["ipc"] || !names["cpu/ipc"] {
		t.Error("both metrics named ipc should be there")
	}
}

// gpuCapture has two dispatches in two passes.
func gpuCapture(t testing.TB, opt capture.Options) *capture.Capture {
	f := newFixture("gfx1151", 2)
	f.cfg.Options = opt
	pass := func(id string, ns ...float64) *capture.Pass {
		p := &capture.Pass{ID: id, Duration: capture.NewColumn(capture.Data{F: ns})}
		f.cfg.Passes = append(f.cfg.Passes, p)
		return p
	}
	one, two := pass("one", 1000, 3000), pass("two", 2000, 2000)
	f.add("TCP_REQ_sum", 100, 300).Pass = one
	f.add("TCP_REQ_MISS_sum", 10, 90).Pass = one
	f.add("SQ_WAVES_sum", 4, 6).Pass = two
	f.add("GRBM_GUI_ACTIVE", 50, 150).Pass = two
	f.add("TCP_GATE_EN2", 1000, 1500).Pass = one
	f.add("TCP_GL1_REQ_READ_sum", 10, 20).Pass = two
	f.property("cu_per_gpu", 32)
	return f.capture(t)
}

func TestDenominators(t *testing.T) {
	for denom, want := range map[string]struct {
		total, first float64
		unit         string
	}{
		"":           {200, 100, "requests per kernel"},
		"per_kernel": {200, 100, "requests per kernel"},
		"per_wave":   {40, 25, "requests per wave"},
		"per_cycle":  {2, 2, "requests per cycle"},
		"per_second": {400 / 4e-6, 100 / 1e-6, "requests per second"},
	} {
		c := resolve(t, gpuCapture(t, capture.Options{Denom: denom}), "tcp_total_requests")
		if got := c.Total().Float(); math.Abs(got-want.total) > 1e-6*want.total || c.Unit != want.unit {
			t.Errorf("%s: total %v %s, want %v %s", denom, got, c.Unit, want.total, want.unit)
		}
		if got := c.Value(0).Float(); math.Abs(got-want.first) > 1e-6*want.first {
			t.Errorf("%s: first %v, want %v", denom, got, want.first)
		}
		if warned := strings.Contains(strings.Join(c.Der.Warnings(), "\n"), "SQ_WAVES_sum, because SQ_WAVES was not collected"); warned != (denom == "per_wave") {
			t.Errorf("%s: warnings %q", denom, c.Der.Warnings())
		}
	}
	if _, err := Resolve(gpuCapture(t, capture.Options{Denom: "per_moon"}), "tcp_total_requests"); err == nil || !strings.Contains(err.Error(), `"per_moon" is unknown; use per_kernel`) {
		t.Errorf("unknown denominator: %v", err)
	}
}

func TestPerKernelCountsMergedDispatches(t *testing.T) {
	cap := gpuCapture(t, capture.Options{})
	merged, err := cap.Resample(1_000_000_000)
	if err != nil {
		t.Fatal(err)
	}
	c := resolve(t, merged, "tcp_total_requests")
	if c.Len() != 1 || c.Value(0).Float() != 200 || c.Total().Float() != 200 {
		t.Errorf("after merging both dispatches: %v, total %v, want 200 per kernel", c.Floats(), c.Total().Float())
	}
}

func TestTotalsOfRatiosSurviveWhereAndResample(t *testing.T) {
	cap := gpuCapture(t, capture.Options{})
	c := resolve(t, cap, "tcp_hit_rate")
	wantFloats(t, c, 90, 70)
	if got := c.Total().Float(); got != 75 {
		t.Errorf("total %v, want 300 / 400", got)
	}
	merged, err := cap.Resample(1_000_000_000)
	if err != nil {
		t.Fatal(err)
	}
	wantFloats(t, resolve(t, merged, "tcp_hit_rate"), 75)
	some, err := cap.Where(capture.NewMask(cap.Axis, func(i int) bool { return i == 1 }))
	if err != nil {
		t.Fatal(err)
	}
	if got := resolve(t, some, "tcp_hit_rate").Total().Float(); got != 70 {
		t.Errorf("total of the second dispatch %v", got)
	}
	bins, err := cap.Axis.Resample(1_000_000_000)
	if err != nil {
		t.Fatal(err)
	}
	wantFloats(t, c.Rebin(bins), 75)
}

func TestOperandsOfDifferentPassesAreFlagged(t *testing.T) {
	cap := gpuCapture(t, capture.Options{})
	busy := resolve(t, cap, "tcp_busy")
	got := strings.Join(busy.Der.Warnings(), "\n")
	for _, want := range []string{"TCP_GATE_EN2 in pass one; GRBM_GUI_ACTIVE in pass two", "1 of 2 samples are over 100 %"} {
		if !strings.Contains(got, want) {
			t.Errorf("warnings lack %q:\n%s", want, got)
		}
	}
	if !strings.Contains(Explain(busy, 0).String(), "warning: operands were measured in different passes") {
		t.Errorf("explained as\n%s", Explain(busy, 0))
	}
	if w := resolve(t, cap, "tcp_hit_rate").Der.Warnings(); len(w) != 0 {
		t.Errorf("operands of one pass warn %q", w)
	}
	mixed, err := Eval(cap, "SUM(TCP_REQ_sum + TCP_GL1_REQ_READ_sum) / SUM((End_Timestamp - Start_Timestamp) / 1e9)", capture.Meta{})
	if err != nil {
		t.Fatal(err)
	}
	if got := mixed.Value(0).Float(); math.Abs(got-110/1e-6) > 1 {
		t.Errorf("rate over the first pass's time: %v", got)
	}
	if w := strings.Join(mixed.Der.Warnings(), "\n"); !strings.Contains(w, "time is that of the pass that measured TCP_REQ_sum") {
		t.Errorf("warnings %q", w)
	}
}

func TestEvalReadsBothDialects(t *testing.T) {
	cap := gpuCapture(t, capture.Options{})
	for expr, want := range map[string]float64{
		"SUM(TCP_REQ_sum) / SUM($cu_per_gpu)":                         400.0 / 32,
		"max(min(($TCP_REQ_MISS_sum / $TCP_REQ_sum) * 1000, 100), 0)": 100,
		"max(min((($TCP_REQ_MISS_sum / $TCP_REQ_sum) * 100, 100), 0)": 25,
		"TCP_REQ_sum - TCP_REQ_MISS_sum":                              300,
		"streamline: TCP_REQ_sum / 2":                                 200,
		"rocm: AVG(TCP_REQ_MISS_sum / TCP_REQ_sum)":                   0.2,
		"2 * tcp_hit_rate":                                            150,
		"AVG(TCP_REQ_sum) if num_xcd > 0 else None":                   200,
		"SUM($GRBM_GUI_ACTIVE_PER_XCD)":                               200,
	} {
		c, err := Eval(cap, expr, capture.Meta{})
		if err != nil {
			t.Errorf("%s: %v", expr, err)
			continue
		}
		if got := c.Total().Float(); math.Abs(got-want) > 1e-9*want {
			t.Errorf("%s = %v, want %v", expr, got, want)
		}
		if mended := len(c.Warnings) > 0 && strings.Contains(c.Warnings[0], "is surplus"); mended != strings.Contains(expr, "(((") {
			t.Errorf("%s: warnings %q", expr, c.Warnings)
		}
	}
	var syntax *formula.SyntaxError
	if _, err := Eval(cap, "$TCP_REQ_sum +", capture.Meta{}); !errors.As(err, &syntax) {
		t.Errorf("a broken expression: %v", err)
	}
	var unknown *UnknownError
	if _, err := Eval(cap, "$TCP_REQ_sun * 2", capture.Meta{}); !errors.As(err, &unknown) ||
		!strings.Contains(err.Error(), "did you mean TCP_REQ_sum?") {
		t.Errorf("a mistyped name: %v", err)
	}
	c, err := Eval(cap, "SUM(TCP_REQ_sum) / SUM(TCP_DATA_FIFO_STALL_sum)", capture.Meta{})
	if err != nil {
		t.Fatal(err)
	}
	if why, _ := c.Why(0); why.Code != capture.NotCollected {
		t.Errorf("a known counter that is absent: %v", why)
	}
}

func TestDefinitionsAreMetricsOfTheirHolder(t *testing.T) {
	cap := gpuCapture(t, capture.Options{})
	e, err := NewDefinition("gfx1151", "miss_share", "SUM(100 * TCP_REQ_MISS_sum) / SUM(TCP_REQ_sum)", "Miss share", "percent", "Mine.")
	if err != nil {
		t.Fatal(err)
	}
	half, err := NewDefinition("", "half", "miss_share / 2", "", "", "")
	if err != nil {
		t.Fatal(err)
	}
	defs := []*Entry{e, half}
	c, err := ResolveWith(cap, defs, "miss_share")
	if err != nil || c.Total().Float() != 25 || c.Title != "Miss share" || c.Unit != "percent" {
		t.Errorf("got %v, %v", c, err)
	}
	if c, err = ResolveWith(cap, defs, "half"); err != nil || c.Total().Float() != 12.5 {
		t.Errorf("a metric of a metric: %v, %v", c, err)
	}
	if _, err := Resolve(cap, "miss_share"); err == nil {
		t.Error("a definition is known without its holder")
	}
	if _, err := NewDefinition("gfx1151", "bad name", "SUM(A)", "", "", ""); err == nil {
		t.Error("a name with a space was taken")
	}
	if _, err := NewDefinition("gfx", "x", "SUM(A)", "", "", ""); err == nil {
		t.Error("an unknown GPU was taken")
	}
	if _, err := NewDefinition("", "x", "SUM(A", "", "", ""); err == nil {
		t.Error("a broken formula was taken")
	}
	typo, err := NewDefinition("gfx1151", "typo", "SUM(TCP_REQ_sun)", "", "", "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ResolveWith(cap, []*Entry{typo}, "typo"); err == nil || !strings.Contains(err.Error(), "did you mean TCP_REQ_sum") {
		t.Errorf("a mistyped operand: %v", err)
	}
	a, _ := NewDefinition("", "a", "b + 1", "", "", "")
	b, _ := NewDefinition("", "b", "a + 1", "", "", "")
	if _, err := ResolveWith(cap, []*Entry{a, b}, "a"); err == nil || !strings.Contains(err.Error(), "in a circle") {
		t.Errorf("metrics in a circle: %v", err)
	}
}

func TestResolveAllSharesAndKeepsOrder(t *testing.T) {
	cap := gpuCapture(t, capture.Options{})
	list, err := ResolveAllWith(cap, nil, []string{"tcp_hit_rate", "TCP_REQ_sum", "$tcp_total_requests", "tcp_hit_rate", "803.1"})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range list {
		names = append(names, c.Name)
	}
	if want := []string{"tcp_hit_rate", "TCP_REQ_sum", "tcp_total_requests", "tcp_hit_rate", "tcp_hit_rate"}; !slices.Equal(names, want) {
		t.Errorf("got %v", names)
	}
	if list[0] != list[3] {
		t.Error("one metric became two counters")
	}
	if _, err := ResolveAllWith(cap, nil, []string{"tcp_hit_rate", "nope_nope"}); err == nil {
		t.Error("an unknown name was taken")
	}
}

func TestExplainShowsEveryOperand(t *testing.T) {
	cap := gpuCapture(t, capture.Options{})
	text := Explain(resolve(t, cap, "tcp_hit_rate"), -1).String()
	for _, want := range []string{
		"tcp_hit_rate (Hit Rate), total: 75 %", "formula: SUM(100 * (TCP_REQ_sum - TCP_REQ_MISS_sum)) / SUM(TCP_REQ_sum)",
		"TCP_REQ_MISS_sum = 100", "pass one", "high: ", "low: ", "source: ROCm Compute Profiler",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("lacks %q:\n%s", want, text)
		}
	}
	if text := Explain(resolve(t, cap, "TCP_REQ_sum"), 0).String(); !strings.Contains(text, "TCP_REQ_sum, sample 0: 100") || !strings.Contains(text, "pass one") {
		t.Errorf("raw counter:\n%s", text)
	}
	if x := Explain(resolve(t, cap, "TCP_REQ_sum"), 7); !strings.Contains(x.String(), "there are 2 samples") {
		t.Errorf("out of range:\n%s", x)
	}
}

// BenchmarkMetrics compiles and totals all metrics of a capture, as a report does.
func BenchmarkMetrics(b *testing.B) {
	cap := gpuCapture(b, capture.Options{})
	for b.Loop() {
		list, err := Metrics(cap)
		if err != nil {
			b.Fatal(err)
		}
		for _, c := range list {
			c.Total()
			c.Floats()
		}
	}
}

func TestConstantsMayBeColumns(t *testing.T) {
	f := newFixture("gfx1151", 2)
	f.add("TCP_GATE_EN2", 160, 320)
	f.add("GRBM_GUI_ACTIVE", 10, 20)
	f.add("cu_per_gpu", 32, 32)
	c := resolve(t, f.capture(t), "tcp_busy")
	if got := c.Total().Float(); got != 100 {
		t.Errorf("total %v, want 100", got)
	}
	unknown := newFixture("gfx906", 1)
	unknown.add("SQ_WAVES", 1)
	if _, err := Resolve(unknown.capture(t), "nonsense"); err == nil || !strings.Contains(err.Error(), "no catalogue for gfx906") {
		t.Errorf("GPU without a catalogue: %v", err)
	}
}
