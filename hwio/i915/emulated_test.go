//go:build linux

package i915

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/metrics"
	"astrolabe/hwio/hwtest"
	"astrolabe/hwio/hwtest/emulated"
	model "astrolabe/hwio/hwtest/i915"
	"astrolabe/hwio/hwtest/intel"
	"astrolabe/hwio/hwtest/programs"
	"astrolabe/hwio/hwtest/uapi"
	"astrolabe/internal/longtests"
)

// emulation is what became of a run of the program on the emulated GPU.
type emulation struct {
	*emulated.Emulation[*model.Truth]
}

// ending says when the program is told to end: when it has been given so many reports, or never. The signal is SIGINT where none is named.
type ending struct {
	reports int
	by      os.Signal
}

func (e ending) on(t *testing.T, device string, scenarios []string) hwtest.Options {
	return hwtest.Options{Device: emulated.Device(t, model.Models(), device), Settings: hwtest.Settings{Scenarios: scenarios}, EndAfter: e.reports, EndBy: e.by}
}

// emulate runs astrolabe with arguments on a device in scenarios.
func emulate(t *testing.T, device string, scenarios []string, end ending, args ...string) *emulation {
	t.Helper()
	return &emulation{emulated.Astrolabe[*model.Truth](t, end.on(t, device, scenarios), args...)}
}

// record makes a recording of so many reports (about 1240 a second), or until it ends by itself.
func record(t *testing.T, device string, scenarios []string, reports int, more ...string) *emulation {
	t.Helper()
	return &emulation{emulated.Record[*model.Truth](t, ending{reports: reports}.on(t, device, scenarios), "i915", "1ms", more...)}
}

// nothingLeft fails where a stream or a config outlived the program.
func (e *emulation) nothingLeft(t *testing.T) {
	t.Helper()
	emulated.NothingLeft(t, &e.Truth.Truth)
}

// equalsTruth compares every counter's total, over all and by context, with what the model produced.
func (e *emulation) equalsTruth(t *testing.T, c *capture.Capture) {
	t.Helper()
	emulated.EqualsOA(t, c, e.Truth.Streams)
}

// Every total of an unmodified recording equals the model's, whatever the driver and the GPU do.
func TestEmulatedRecordingEqualsTheModelsTruth(t *testing.T) {
	for _, c := range []struct {
		device, scenarios string
		more              []string
	}{
		{"kbl-gt2", "", nil},
		{"kbl-gt3", "fused,clock-change", nil},
		{"kbl-gt3", "fused,no-topology", nil},
		{"kbl-gt2", "revision-1,no-timestamps,no-topology", nil},
		{"kbl-gt2", "revision-5,no-oa-timestamp,loaded", nil},
		{"kbl-gt2", "wrap-36,fast-drift,rc6", nil},
		{"kbl-gt2", "report-loss", nil},
		{"kbl-gt2", "slow-reader", nil},
		{"kbl-gt2", "", []string{"--set", "ComputeBasic", "--counters", "EuActive"}},
		{"tgl", "", nil}, {"tgl", "fused,clock-change", []string{"--set", "L3_1"}}, {"tgl", "report-loss", []string{"--set", "EuActivity3"}},
		{"tgl", "wrap-36,fast-drift", nil}, {"tgl", "slow-reader,revision-5", nil},
		{"dg2", "revision-6,loaded", nil}, {"dg2", "fused,clock-change", []string{"--set", "TestOa"}}, {"dg2", "wrap-36,fast-drift,report-loss", nil},
		{"mtl", "", nil}, {"mtl", "revision-6,wrap,slow-reader", []string{"--set", "ComputeBasic"}}, {"mtl", "fused", []string{"--set", "Ext1000", "--source-option", "poll=2ms"}},
		{"mtl", "clock-change", []string{"--set", "MediaSet1"}}, {"mtl", "wrap,report-loss", []string{"--set", "TestOam", "--source-option", "engine=video-enhance0"}},
		{"mtl", "wrap-36,fast-drift", []string{"--set", "MediaSet2", "--source-option", "engine=1"}},
	} {
		name := strings.Join(append([]string{c.device, c.scenarios}, c.more...), " ")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := record(t, c.device, strings.FieldsFunc(c.scenarios, func(r rune) bool { return r == ',' }), 900, c.more...)
			e.nothingLeft(t)
			got := e.Open(t)
			e.equalsTruth(t, got)
			s := e.Truth.Streams[0]
			var report, buffer int
			for _, l := range s.Losses {
				switch l.Kind {
				case "report":
					report++
				case "buffer":
					buffer++
				}
			}
			said := strings.Join(got.Warnings, "\n")
			if want := fmt.Sprintf("dropped reports %d times", report); report > 0 && !strings.Contains(said, want) {
				t.Errorf("warnings do not say %q:\n%s", want, said)
			}
			if want := fmt.Sprintf("overflowed %d times", buffer); buffer > 0 && !strings.Contains(said, want) {
				t.Errorf("warnings do not say %q:\n%s", want, said)
			}
			if len(got.Late) != report || len(got.Gaps) != buffer {
				t.Errorf("the model lost reports %d times and the buffer %d times: late %v, gaps %v", report, buffer, got.Late, got.Gaps)
			}
		})
	}
}

// Every scenario in which something can be recorded, on every device.
func TestEmulatedRecordingEqualsTheTruthInEveryScenario(t *testing.T) {
	if !longtests.Asked() {
		t.Skip("SKIPPED: every scenario of every device takes minutes: set ASTROLABE_LONG_TESTS=1")
	}
	refused := []string{"busy", "no-metrics", "no-oa-unit", "no-perf", "narrow-whitelist", "gt1", "unplug"}
	for _, m := range model.Models() {
		sets := []string{"RenderBasic", "TestOa"}
		if m.Name == "mtl" {
			sets = append(sets, "MediaSet1", "TestOam")
		}
		for i, s := range m.Scenarios {
			if slices.Contains(refused, s.Name) || s.Name == "small-buffer" {
				continue // a buffer of 64 reports is overrun on a busy machine more often than rows are left
			}
			set := sets[i%len(sets)]
			if s.Name == "revision-6" {
				set = sets[0] // before media units
			}
			t.Run(m.Name+" "+s.Name+" "+set, func(t *testing.T) {
				t.Parallel()
				e := record(t, m.Name, []string{s.Name}, 600, "--set", set)
				e.nothingLeft(t)
				e.equalsTruth(t, e.Open(t))
			})
		}
	}
}

// The device counts what is in its registers, so that its truth of a counter is the chosen event's; what the set counts stays as it was.
func TestEmulatedRecordingCountsChosenEvents(t *testing.T) {
	t.Parallel()
	// RenderBasic counts the clocks of pixel shaders in FPU0 on A15 itself: a second counter of them must agree with it.
	e := record(t, "kbl-gt2", nil, 300, "--source-option", "flex=CsFpu0Active+PsFpu0Active+send/hs@A13")
	if len(e.Truth.ConfigsAdded) != 1 || len(e.Truth.ConfigsLeft) != 0 {
		t.Fatalf("configs %v, left %v", e.Truth.ConfigsAdded, e.Truth.ConfigsLeft)
	}
	added := e.Truth.ConfigsAdded[0]
	// Intel's words for RenderBasic, but for the lower half of the fourth (A13) and the last one (A19 and A20).
	want := [7]uint32{0x5004, 0x10003, 0x12011, 0x15022, 0x51050, 0x53052, 0x60050}
	if added.Network != "RenderBasic" || added.Set != "" || added.Flex != want {
		t.Errorf("config %+v, registers %#x", added, added.Flex)
	}
	got := e.Open(t)
	e.equalsTruth(t, got)
	totals := e.Truth.Streams[0].Totals
	if totals["A20"] == 0 || totals["A13"] == 0 || totals["A19"] != totals["A15"] {
		t.Errorf("A20 is %d, A13 %d, A19 %d, A15 %d", totals["A20"], totals["A13"], totals["A19"], totals["A15"])
	}
	for symbol, counter := range map[string]string{"CsFpu0Active": "A20", "PsFpu0Active": "A19", "HsSendActive": "A13", "EuActive": "A7"} {
		m, err := metrics.Resolve(got, symbol)
		if err != nil {
			t.Errorf("%s: %v", symbol, err)
			continue
		}
		share := float64(totals[counter]) / 24 / float64(totals["GPU_TICKS"]) * 100
		if v := m.Total().Float(); math.Abs(v-share) > 0.01 {
			t.Errorf("%s is %v, the model produced %v", symbol, v, share)
		}
	}
	if doc := got.Counter("A13").Doc; doc != "Counts clocks in which the send pipe executed for a hull shader thread, over all EUs." {
		t.Errorf("A13: %s", doc)
	}
}

// What is powered is fixed as it was asked for, and the driver's request is the kernel's.
func TestEmulatedRecordingFixesWhatIsPowered(t *testing.T) {
	t.Parallel()
	e := record(t, "kbl-gt3", nil, 100, "--source-option", "sseu=0x3/0x7/8", "--source-option", "card=card0")
	e.nothingLeft(t)
	if p := e.Truth.Streams[0].Powered; p == nil || *p != (intel.PoweredTruth{Slices: 3, Subslices: 7, MinEUs: 8, MaxEUs: 8}) {
		t.Errorf("powered: %+v", p)
	}
	e.equalsTruth(t, e.Open(t))
	for option, want := range map[string]string{"sseu=0x1": "want SLICES/SUBSLICES/EUS", "sseu=0x4/0x7/8": "the GPU has 0x3",
		"sseu=1/7/9": "8 at most", "card=card7": "there are card0 (0000:00:02.0)"} {
		e := emulate(t, "kbl-gt3", nil, ending{}, "record", "--source", "i915", "--source-option", option, "--duration", "100ms", "-o", emulated.File)
		if e.Exit == 0 || !strings.Contains(e.Output, want) {
			t.Errorf("%s: exit %d, %s", option, e.Exit, e.Output)
		}
	}
	old := emulate(t, "kbl-gt2", []string{"revision-3"}, ending{}, "record", "--source", "i915", "--source-option", "sseu=1/7/8", "--duration", "100ms", "-o", emulated.File)
	if old.Exit == 0 || !strings.Contains(old.Output, "revision 3") {
		t.Errorf("exit %d, %s", old.Exit, old.Output)
	}
}

func TestEmulatedRoundsAgreeOnChosenCounters(t *testing.T) {
	t.Parallel()
	e := record(t, "kbl-gt2", nil, 0, "--duration", "200ms", "--set", "RenderBasic,ComputeBasic", "--source-option", "flex=CsFpu0Active")
	if len(e.Truth.ConfigsAdded) != 2 || len(e.Truth.ConfigsLeft) != 0 {
		t.Errorf("configs %v, left %v", e.Truth.ConfigsAdded, e.Truth.ConfigsLeft)
	}
	m, err := metrics.Resolve(e.Open(t), "CsFpu0Active")
	share := float64(e.Truth.Totals["A20"]) / 24 / float64(e.Truth.Totals["GPU_TICKS"]) * 100
	if err != nil || math.Abs(m.Total().Float()-share) > 0.01 {
		t.Errorf("CsFpu0Active is %v, %v; the model produced %v", m, err, share)
	}
	// Metrics of ComputeL3Cache read all fourteen.
	e = emulate(t, "kbl-gt2", nil, ending{}, "record", "--source", "i915", "--duration", "100ms", "-o", "$FILE", "--set", "RenderBasic,ComputeL3Cache", "--source-option", "flex=active")
	if e.Exit == 0 || !strings.Contains(e.Output, "leaves none of the flexible EU counters") {
		t.Errorf("exit %d:\n%s", e.Exit, e.Output)
	}
	if e.Truth.Opened != 0 {
		t.Error("something was measured before the second set was refused")
	}
}

func TestEmulatedCallsComeInOrderAndTakeEverythingBack(t *testing.T) {
	e := record(t, "kbl-gt2", nil, 300)
	e.nothingLeft(t)
	names := map[string]string{}
	var want []string
	for _, name := range []string{"DRM_IOCTL_I915_PERF_ADD_CONFIG", "DRM_IOCTL_I915_PERF_OPEN", "I915_PERF_IOCTL_ENABLE", "I915_PERF_IOCTL_DISABLE", "DRM_IOCTL_I915_PERF_REMOVE_CONFIG"} {
		// Drivers share numbers, and the log knows one name of each.
		names[uapi.IoctlName(uapi.Ioctl(name))] = name
		want = append(want, name)
	}
	var order []string
	for _, c := range e.Calls {
		if name := names[c.What]; c.Call == "ioctl" && name != "" {
			order = append(order, name)
		}
	}
	if !slices.Equal(order, want) {
		t.Errorf("calls came as %q, want %q", order, want)
	}
}

func TestEmulatedInterruptTakesEverythingBack(t *testing.T) {
	for _, sig := range []os.Signal{syscall.SIGINT, syscall.SIGTERM} {
		e := emulate(t, "kbl-gt2", nil, ending{300, sig}, "record", "--source", "i915", "--period", "1ms", "--duration", "10m", "-o", "$FILE")
		e.nothingLeft(t)
		if len(e.Truth.ConfigsRemoved) != 1 {
			t.Errorf("%v: configs removed: %v\n%s", sig, e.Truth.ConfigsRemoved, e.Output)
		}
		e.equalsTruth(t, e.Open(t))
	}
}

// A set that a killed recorder left in the driver serves the next one, which leaves it as it was: its like is another program's.
func TestEmulatedConfigurationOfAKilledRecorderIsUsed(t *testing.T) {
	t.Parallel()
	script := `"$1" record --source i915 --period 1ms --duration 10m -o "$2.killed.arrow" & killed=$!
while [ -z "$(cat /sys/class/drm/card0/metrics/*/id 2>/dev/null)" ]; do sleep 0.05; done
kill -9 $killed; wait $killed
"$1" record --source i915 --period 1ms --duration 300ms -o "$2"`
	file := filepath.Join(t.TempDir(), "live.arrow")
	o := ending{}.on(t, "mtl", nil)
	o.Cmd = exec.Command("sh", "-c", script, "sh", programs.Path(t, "astrolabe"), file)
	r, out := emulated.Run(t, o)
	truth := r.Truth.(*model.Truth)
	if r.Exit != 0 || len(truth.ConfigsAdded) != 1 || len(truth.ConfigsRemoved) != 0 || len(truth.ConfigsLeft) != 1 {
		t.Fatalf("exit %d, configs added %v, removed %v, left %v\n%s", r.Exit, truth.ConfigsAdded, truth.ConfigsRemoved, truth.ConfigsLeft, out)
	}
	last := truth.Streams[len(truth.Streams)-1]
	if last.Configs[0].ID != truth.ConfigsAdded[0].ID {
		t.Errorf("the stream counts %v, the killed recorder left %v", last.Configs, truth.ConfigsAdded)
	}
	emulated.EqualsOA(t, emulated.Open(t, file), []*intel.StreamTruth{last})
}

// What a GPU or a kernel does not have is refused with a reason, before anything is opened.
func TestEmulatedOptionsThatAGPULacksAreRefused(t *testing.T) {
	for _, c := range []struct{ device, scenario, option, want string }{
		{"dg2", "", "sseu=1/1/16", "up to Alder Lake only"}, {"dg2", "", "set=MediaSet1", "MediaSet1"}, {"dg2", "", "format=A32u40_A4u32_B8_C8", "have the format A24u40_A14u32_B8_C8, not"},
		{"mtl", "", "engine=compute0", "which has render 0"}, {"mtl", "revision-6", "set=MediaSet1", "OA of media engines came with 7"},
		{"mtl", "", "hold-preemption=yes", "which the recorder would have to own"}, {"kbl-gt2", "revision-4", "poll=1ms", "revision 4"},
	} {
		e := emulate(t, c.device, strings.Fields(c.scenario), ending{}, "record", "--source", "i915", "--source-option", c.option, "--duration", "100ms", "-o", emulated.File)
		if e.Exit == 0 || !strings.Contains(e.Output, c.want) || e.Truth.Opened != 0 {
			t.Errorf("%s %s: exit %d, %d streams, %s", c.device, c.option, e.Exit, e.Truth.Opened, e.Output)
		}
		e.nothingLeft(t)
	}
}

func TestEmulatedUnplugKeepsWhatWasMeasured(t *testing.T) {
	e := record(t, "kbl-gt2", []string{"unplug"}, 0)
	if !e.Truth.Unplugged || !strings.Contains(e.Output, "the GPU is gone, and the recording ends here") {
		t.Errorf("unplugged %v:\n%s", e.Truth.Unplugged, e.Output)
	}
	e.equalsTruth(t, e.Open(t))
}

func TestEmulatedRefusalsAreExplained(t *testing.T) {
	for scenario, want := range map[string][]string{
		"busy":             {"another program measures this GPU"},
		"no-metrics":       {"no folder /sys/class/drm/card0/metrics"},
		"no-oa-unit":       {"cannot use this GPU's OA unit"},
		"no-perf":          {"this kernel measures nothing"},
		"narrow-whitelist": {"rejects the registers of metric set RenderBasic"},
		"gt1":              {"for which no metric sets exist"},
		"unprivileged":     {"permission denied", "perf_stream_paranoid=0"},
	} {
		t.Run(scenario, func(t *testing.T) {
			t.Parallel()
			e := emulate(t, "kbl-gt2", []string{scenario}, ending{}, "record", "--source", "i915", "--duration", "100ms", "-o", "$FILE")
			if e.Exit == 0 {
				t.Errorf("no error:\n%s", e.Output)
			}
			for _, w := range want {
				if !strings.Contains(e.Output, w) {
					t.Errorf("the error does not say %q:\n%s", w, e.Output)
				}
			}
			e.nothingLeft(t)
			if _, err := os.Stat(e.File); err == nil {
				t.Error("there is a recording")
			}
		})
	}
}

func TestEmulatedDoctorProvesTheCounters(t *testing.T) {
	e := emulate(t, "kbl-gt2", nil, ending{}, "doctor", "--deep")
	for _, want := range []string{"yes  counters of Intel Kaby Lake GT2", "yes  the OA unit counts: TestOa", "yes  the GPU's timestamps and clock", "yes  changing the metric set of an open stream"} {
		if !strings.Contains(e.Output, want) {
			t.Errorf("the doctor does not say %q:\n%s", want, e.Output)
		}
	}
	e.nothingLeft(t)
	// A look alone opens no stream.
	if e := emulate(t, "kbl-gt2", nil, ending{}, "doctor"); e.Truth.Opened != 0 || len(e.Truth.ConfigsAdded) != 0 {
		t.Errorf("the doctor opened %d streams and added %v", e.Truth.Opened, e.Truth.ConfigsAdded)
	}
}
