package bundle_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/capturetest"
	"astrolabe/capture/capturetest/all"
	"astrolabe/hwio/bundle"
	"astrolabe/hwio/hwtest"
	"astrolabe/hwio/hwtest/devices"
	"astrolabe/hwio/hwtest/emulated"
)

// fault is something wrong in a recording of a model device, as a reader, a driver or a device would do it wrong.
type fault struct {
	device string
	name   string
	plant  string // as mutate reads it
	names  string // what a broken check must name
}

// faults were written down before the table of identities was.
var faults = []fault{
	{"mali-g57", "a counter doubled", "scale MaliGPUCyclesGPUActive 2", "MaliGPUCyclesGPUActive"},
	{"mali-g57", "two counters swapped", "swap MaliGPUCyclesGPUActive MaliGPUCyclesNonFragmentQueueActive", "MaliGPUCyclesGPUActive"},
	{"mali-g57", "a lost shader core", "drop MaliShaderCore 1", "MaliConstantsShaderCoreCount"},
	{"mali-g57", "a core's cycles off by 1000", "scale MaliShaderCoreCyclesExecutionCoreActive[1] 1000", "MaliShaderCoreCyclesExecutionCoreActive"},
	{"mali-g57", "a part of a sum doubled", "scale MaliL2CacheLookupsReadLookups 2", "MaliL2CacheLookupsReadLookups"},
	{"mali-g57", "parts of primitives doubled", "scale MaliPrimitiveCullingFacingOrXYPlaneTestCulledPrimitives 2", "MaliPrimitiveCullingFacingOrXYPlaneTestCulledPrimitives"},
	{"mali-g57", "a bin of a histogram doubled", "scale MaliExternalBusReadLatency0127Cycles 3", "MaliExternalBusReadLatency0127Cycles"},
	{"mali-g57", "kHz taken for Hz", "scale gpu_frequency 0.001", "gpu_frequency"},
	{"mali-g57", "tests of quads swapped with quads", "swap MaliFragmentZSQuadsEarlyZSKilledQuads MaliFragmentZSQuadsEarlyZSTestedQuads", "MaliFragmentZSQuadsEarlyZSTestedQuads"},
	{"mali-g720", "the device's clock 2 % off", "stretch 0.98", "gpu_clock_cycles"},
	{"mali-g720", "a wrap of 32 bits that was none", "add MaliGPUCyclesAnyQueueActive 20 4294967296", "MaliGPUCyclesAnyQueueActive"},
	{"mali-g720", "a lost core, of many", "drop MaliShaderCore 7", "MaliConstantsShaderCoreCount"},
	{"mali-g720", "beats counted as bytes", "scale MaliShaderCoreExternalReadsTextureExternalReadBeats 16", "MaliShaderCoreExternalReadsTextureExternalReadBeats"},
	{"panfrost", "a wrap that nobody undid", "back MaliGPUCyclesGPUActive 20 4294967296", "MaliGPUCyclesGPUActive"},
	{"panfrost", "quads in hundredths", "scale MaliFragmentZSQuadsLateZSTestedQuads 100", "MaliFragmentZSQuadsLateZSTestedQuads"},
	{"cpu-pmu", "cycles in thousandths", "scale cycles[0] 1000", "cycles"},
	{"cpu-pmu", "misses swapped with branches", "swap branch_misses branches", "branch_misses"},
	{"cpu-pmu", "a clock in microseconds", "scale task_clock 0.001", "task_clock"},
	{"cpu-pmu", "half of a sum doubled", "scale minor_faults 2", "minor_faults"},
	{"cpu-pmu", "enabled for 2 % longer than it took", "scale counter_enabled 1.02", "counter_enabled"},
	{"cpu-pmu", "a lost CPU", "drop * 1", "cpus_online"},
	{"cpu-pmu", "a coverage above all", "scale counter_coverage 1.5", "counter_coverage"},
	{"cpu-pmu", "cache misses of another event", "scale cache_misses 20", "cache_misses"},
	{"kbl-gt2", "a doubled timestamp", "scale TIMESTAMP 2", "TIMESTAMP"},
	{"kbl-gt2", "the device's clock 2 % off", "stretch 1.02", "TIMESTAMP"},
	{"kbl-gt2", "core clocks off by 1000", "scale GPU_TICKS 1000", "GPU_TICKS"},
	{"kbl-gt2", "a doubled state of the EUs", "scale A7 2", "A7"},
	{"kbl-gt2", "a clock in Hz called MHz", "scale SLICE_CLOCK 1000000", "SLICE_CLOCK"},
	{"kbl-gt2", "two counters swapped", "swap A21 A22", "A22"},
	{"kbl-gt2", "a wrap of 32 bits that was none", "add A28 100 4294967296", "A28"},
	{"kbl-gt2", "the pair of clocks swapped", "swap CORRELATION_CPU CORRELATION_GPU", "CORRELATION_CPU"},
	{"tgl", "busy above its clock", "scale A0 2", "A0"},
	{"dg2", "the device's clock 2 % off", "stretch 0.98", "TIMESTAMP"},
	{"bmg", "core clocks doubled", "scale GPU_TICKS 3", "GPU_TICKS"},
	{"bmg", "a wrap that nobody undid", "back PEC0 100 4294967296", "PEC0"},
	{"gfx1151", "millidegrees for degrees", "scale gpu_metrics_temperature_gfx 1000", "gpu_metrics_temperature_gfx"},
	{"gfx1151", "a bit found more often than read", "scale busy_tc_ones 4", "busy_tc_ones"},
	{"gfx1151", "microwatts for watts", "scale power_now 1000000", "power_now"},
	{"gfx1151", "hundredths for percent", "scale gpu_metrics_average_gfx_activity 100", "gpu_metrics_average_gfx_activity"},
	{"gfx1151", "MHz for Hz", "scale sensor_sclk 0.000001", "sensor_sclk"},
	{"gfx1151", "KiB for bytes, the other way", "scale vram_used 1024", "vram_used"},
	{"gfx1151", "millivolts for volts", "scale sensor_vddgfx 1000", "sensor_vddgfx"},
	{"gfx1151", "another clock's value", "scale sensor_sclk 3", "sensor_sclk"},
	{"gfx942", "an energy in its raw unit", "scale gpu_metrics_energy_accumulator 65536", "gpu_metrics_energy_accumulator"},
	{"gfx9", "an energy twice as large", "scale gpu_metrics_energy_accumulator 2", "gpu_metrics_energy_accumulator"},
	{"procfs", "a time doubled", "scale cpu_idle,cpu_user,cpu_nice,cpu_system,cpu_iowait,cpu_irq,cpu_softirq,cpu_steal 2", "cpu_user"},
	{"procfs", "1000 ticks a second taken for 100", "scale cpu_user,cpu_nice,cpu_system,cpu_idle,cpu_iowait,cpu_softirq,cpu_irq,cpu_steal 0.1", "cpu_user"},
	{"procfs", "kB for bytes", "scale mem_total 0.0009765625", "mem_total"},
	{"procfs", "pressure in ns taken for us", "set pressure_cpu_some 3000000; scale pressure_cpu_some 1000", "pressure_cpu_some"},
	{"procfs", "a lost CPU", "drop * 0", "cpus_online"},
	{"procfs", "a wrap of 32 bits that was none", "add ctxt 20 4294967296", "ctxt"},
	{"procfs", "full above some", "set pressure_cpu_some 3000000; swap pressure_memory_full pressure_cpu_some", "pressure_memory_full"},
}

// recordings are what is recorded of a model: sources, and counters where not those of their choice. The first one has
// the faults. Processors' counters are recorded in portions, because those that take turns are not judged.
func recordings(model string) [][2]string {
	if model == "cpu-pmu" {
		return [][2]string{{"perfevent", ""}, {"perfevent", "L1_dcache_load*"}, {"perfevent", "LLC_load*"}, {"perfevent", "dTLB_load*"},
			{"procfs", ""}}
	}
	for prefix, source := range map[string]string{"gfx": "amdgpu", "panfrost": "panfrost", "mali": "kbase", "bmg": "xe",
		"lnl": "xe", "ptl": "xe"} {
		if strings.HasPrefix(model, prefix) {
			return [][2]string{{source, ""}}
		}
	}
	if strings.HasSuffix(model, "-xe") {
		return [][2]string{{"xe", ""}}
	}
	return [][2]string{{"i915", ""}}
}

func brokenOf(checks []bundle.Check) (out []string) {
	for _, c := range checks {
		if c.Verdict == bundle.Broken {
			out = append(out, c.Name+": "+c.Text)
		}
	}
	return out
}

func TestIdentitiesHoldOnEveryModelAndFindWhatIsPlanted(t *testing.T) {
	held := map[string]bool{}
	judge := func(t *testing.T, c *capture.Capture) {
		t.Helper()
		for _, k := range bundle.JudgeCapture(t.Context(), c) {
			held[k.Name] = held[k.Name] || k.Verdict == bundle.Holds
			if k.Verdict == bundle.Broken {
				t.Errorf("nothing was planted, but %s: %s", k.Name, k.Text)
			}
		}
	}
	found := 0
	for _, model := range devices.All() {
		for i, r := range recordings(model.Name) {
			t.Run(fmt.Sprintf("%s %s %s", model.Name, r[0], r[1]), func(t *testing.T) {
				args := []string{"--duration", "1500ms"}
				if r[1] != "" {
					args = append(args, "--counters", r[1])
				}
				c := emulated.Record[any](t, hwtest.Options{Device: model.New()}, r[0], "10ms", args...).Open(t)
				judge(t, c)
				for _, f := range faults {
					if of := model.Name; r[0] == "procfs" && f.device != r[0] || r[0] != "procfs" && (i > 0 || f.device != of) {
						continue
					}
					said := brokenOf(bundle.JudgeCapture(t.Context(), mutate(t, c, f.plant)))
					if slices.ContainsFunc(said, func(s string) bool { return strings.Contains(s, f.names) }) {
						found++
					} else {
						t.Errorf("%s (%s): want %s named, found %q", f.name, f.plant, f.names, said)
					}
				}
			})
		}
	}
	for _, m := range all.Models() {
		c, err := m.Generate(capturetest.Case{})
		if err != nil {
			t.Fatal(err)
		}
		t.Run(m.Name(), func(t *testing.T) { judge(t, c) })
	}
	t.Logf("%d of %d faults were found and named", found, len(faults))
	if !testing.Short() {
		for _, row := range bundle.IdentityRows() {
			if name := row[1]; !held[name] {
				t.Errorf("no model has what is needed to judge %q", name)
			}
		}
	}
}

func TestADeviceClockThatDriftsIsFound(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: -short: emulations record in real time")
	}
	m, err := devices.Find("mali-g57")
	if err != nil {
		t.Fatal(err)
	}
	file := archived(t, hwtest.Options{Device: m.New()}, "--duration", "1500ms")
	const name = "the device's clock against CLOCK_MONOTONIC"
	for _, c := range []struct {
		rate    float64
		verdict string
	}{{1, bundle.Holds}, {1.02, bundle.Broken}, {0.98, bundle.Broken}} {
		b, err := bundle.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		for i := range b.Events {
			b.Events[i].Time = int64(float64(b.Events[i].Time) * c.rate)
		}
		checks := b.Judge(t.Context())
		if !slices.ContainsFunc(checks, func(k bundle.Check) bool { return k.Name == name && k.Verdict == c.verdict }) {
			t.Errorf("at %g of the rate it is not %s: %+v", c.rate, c.verdict, checks)
		}
	}
}

// mutate is a copy of a capture with a fault: "scale NAMES FACTOR", where a name may be of an instance, "swap A B",
// "add NAME ROW VALUE", "back NAME ROW VALUE" (in 64 bits, so that it is less than 0), "drop PREFIX INSTANCE" of all
// counters that begin so, "stretch FACTOR" of the times of all samples, "set NAME VALUE" of all samples; several, with
// semicolons between them, one after the other.
func mutate(t testing.TB, c *capture.Capture, plant string) *capture.Capture {
	t.Helper()
	if first, rest, more := strings.Cut(plant, ";"); more {
		return mutate(t, mutate(t, c, first), rest)
	}
	words := strings.Fields(plant)
	number := func(i int) float64 {
		x, err := strconv.ParseFloat(words[i], 64)
		if err != nil {
			t.Fatalf("%s: %v", plant, err)
		}
		return x
	}
	changed := 0
	cfg := c.Config
	axis := &capture.Axis{Clock: c.Axis.Clock, Start: slices.Clone(c.Axis.Start), End: slices.Clone(c.Axis.End)}
	if words[0] == "stretch" {
		changed++
		for i := range axis.Start {
			axis.Start[i] = int64(float64(axis.Start[i]) * number(1))
			axis.End[i] = int64(float64(axis.End[i]) * number(1))
		}
	}
	change := func(name, instance string, d capture.Data) capture.Data {
		is := func(which string) bool { return which == name || which == name+"["+instance+"]" }
		out := capture.Data{U: slices.Clone(d.U), F: slices.Clone(d.F), Valid: d.Valid}
		row := func(i int) int { return min(int(number(i)), d.Len()-1) }
		switch {
		case words[0] == "scale" && slices.ContainsFunc(strings.Split(words[1], ","), is):
			for i := range out.U {
				out.U[i] = uint64(float64(out.U[i]) * number(2))
			}
			for i := range out.F {
				out.F[i] *= number(2)
			}
		case words[0] == "set" && is(words[1]):
			out.Valid = capture.Bitmap{}
			for i := range out.U {
				out.U[i] = uint64(number(2))
			}
		case words[0] == "add" && is(words[1]):
			out.U[row(2)] += uint64(number(3))
		case words[0] == "back" && is(words[1]):
			out.U[row(2)] -= uint64(number(3))
		default:
			return out
		}
		changed++
		return out
	}
	cfg.Axis = axis
	cfg.Counters = nil
	copied := func(x *capture.Counter, name string) *capture.Counter {
		out := x.Clone()
		out.Axis, out.Instances = axis, nil
		if x.Col != nil {
			out.Col = capture.NewColumn(change(name, x.Meta.Instance, x.Col.Data()))
		}
		return out
	}
	for _, x := range c.Counters {
		out := copied(x, x.Name)
		for _, in := range x.Instances {
			if words[0] == "drop" && (words[1] == "*" || strings.HasPrefix(x.Name, words[1])) && in.Meta.Instance == words[2] {
				changed++
				continue
			}
			out.Instances = append(out.Instances, copied(in, x.Name))
		}
		cfg.Counters = append(cfg.Counters, out)
	}
	if words[0] == "swap" {
		a, b := -1, -1
		for i, x := range cfg.Counters {
			switch x.Name {
			case words[1]:
				a = i
			case words[2]:
				b = i
			}
		}
		if a >= 0 && b >= 0 {
			changed++
			x, y := cfg.Counters[a], cfg.Counters[b]
			x.Col, y.Col = y.Col, x.Col
			for i := range min(len(x.Instances), len(y.Instances)) {
				x.Instances[i].Col, y.Instances[i].Col = y.Instances[i].Col, x.Instances[i].Col
			}
		}
	}
	if changed == 0 {
		t.Fatalf("%q changes nothing: %s", plant, names(c))
	}
	out, err := capture.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func names(c *capture.Capture) string {
	var out []string
	for _, x := range c.Counters {
		out = append(out, fmt.Sprintf("%s×%d", x.Name, len(x.Instances)))
	}
	return strings.Join(out, " ")
}
