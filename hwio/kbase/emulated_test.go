//go:build linux

package kbase

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/hwio/hwtest"
	"astrolabe/hwio/hwtest/emulated"
	model "astrolabe/hwio/hwtest/mali"
	"astrolabe/hwio/internal/mali"
)

// emulation is what became of a run of the program on an emulated GPU.
type emulation struct {
	*emulated.Emulation[*model.Truth]
}

func on(t *testing.T, device string, scenarios []string, samples int) hwtest.Options {
	return hwtest.Options{Device: emulated.Device(t, model.Models(), device), Settings: hwtest.Settings{Scenarios: scenarios}, EndAfter: samples}
}

// emulate runs astrolabe with arguments on a device in scenarios. It is interrupted when it has been given so many samples; 0 is never.
func emulate(t *testing.T, device string, scenarios []string, samples int, args ...string) *emulation {
	t.Helper()
	return &emulation{emulated.Astrolabe[*model.Truth](t, on(t, device, scenarios, samples), args...)}
}

// record makes a recording of so many samples, or until it ends by itself.
func record(t *testing.T, device string, scenarios []string, samples int, more ...string) *emulation {
	t.Helper()
	return &emulation{emulated.Record[*model.Truth](t, on(t, device, scenarios, samples), "kbase", "2ms", more...)}
}

// client is the one that counted.
func (e *emulation) client(t *testing.T) *model.ClientTruth {
	t.Helper()
	var out *model.ClientTruth
	for _, c := range e.Truth.Clients {
		if c.PID != 0 && c.Delivered > 0 {
			if out != nil {
				t.Fatal("the program counted twice")
			}
			out = c
		}
	}
	if out == nil {
		t.Fatalf("the program counted nothing:\n%s", e.Output)
	}
	return out
}

// scalers are what counters of Arm's names are multiplied by, by device.
var scalers = func() map[string]map[string]uint64 {
	second, third := map[string]uint64{"core_69": 4, "fe_19": 1024, "fe_27": 1024, "fe_35": 1024}, map[string]uint64{"core_69": 4, "tiler_26": 16, "tiler_34": 16}
	return map[string]map[string]uint64{"mali-g615": second, "mali-g720": second, "mali-g925": third, "mali-g1": third}
}()

// equalsTruth compares every counter of every physical block with what the driver delivered, and the holes with what it lost.
func (e *emulation) equalsTruth(t *testing.T) (*capture.Capture, *model.ClientTruth) {
	t.Helper()
	if !e.Truth.Released {
		t.Error("the program left something behind")
	}
	c, truth := e.Open(t), e.client(t)
	out, unread := 0, truth.Unread
	if e.Truth.Removed != 0 {
		// The driver of a device that went answers nothing: a sample may stay out, others unread.
		out, unread = truth.Delivered-truth.Returned, 0
	}
	if truth.Delivered != truth.Returned+out || out > 1 || unread != 0 || truth.Delivered < 20 {
		t.Errorf("%d samples were delivered, %d returned, %d left unread", truth.Delivered, truth.Returned, truth.Unread)
	}
	var units []emulated.Unit
	for _, b := range truth.Totals {
		u := emulated.Unit{Kind: b.Block, Number: b.Physical, Values: b.Values}
		if truth.Set != 0 {
			u.Kind += fmt.Sprintf("_set%d", truth.Set)
		}
		if mali.BlockType(b.Type).Known() {
			units = append(units, u)
		}
	}
	compared, _, nonzero := emulated.HoldUnits(t, c, units, mali.HeaderValues, func(ctr *capture.Counter, raw string) uint64 {
		if ctr.Name != raw {
			return max(scalers[e.Truth.Device][raw], 1)
		}
		return 1
	})
	if compared < 200 {
		t.Errorf("%d values were compared", compared)
	}
	for k, name := range []string{"gpu_clock_cycles", "shader_clock_cycles"} {
		ctr := c.Counter(name)
		if ctr == nil {
			if truth.Cycles[k] != 0 && !slices.Contains(e.Truth.Scenarios, "pre-r21") { // which had no way to tell them
				t.Errorf("no %s, the driver delivered %d", name, truth.Cycles[k])
			}
			continue
		}
		if got, _ := ctr.Sum().Uint64(); got != truth.Cycles[k] {
			t.Errorf("%s is %d in all, the driver delivered %d", name, got, truth.Cycles[k])
		}
	}
	if nonzero == 0 && !slices.Contains(e.Truth.Scenarios, "idle") && !slices.Contains(e.Truth.Scenarios, "powered-off") {
		t.Error("all values are 0")
	}
	emulated.InOrder(t, c)
	return c, truth
}

func gapsOf(c *capture.Capture, text string) (n int, lost uint64) {
	for _, g := range c.Gaps {
		if strings.Contains(g.Reason.Text, text) {
			n++
			lost += g.Lost
		}
	}
	return n, lost
}

func TestRecordingsEqualTheTruthOfEveryDevice(t *testing.T) {
	for _, c := range []struct{ device, scenarios string }{
		{"mali-g615", ""}, {"mali-g615", "sparse,two-clients"}, {"mali-g615", "early-kinstr,sparse"}, {"mali-g615", "id64"}, {"mali-g615", "protected"},
		{"mali-g720", ""}, {"mali-g720", "sparse,dvfs"}, {"mali-g720", "idle"}, {"mali-g720", "powered-off"}, {"mali-g720", "unknown-product"},
		{"mali-g720", "wrap"}, {"mali-g720", "unknown-blocks"}, {"mali-g720", "secondary-set"}, {"mali-g720", "early-kinstr,sparse"},
		{"mali-g52", ""}, {"mali-g52", "sparse"}, {"mali-g76", ""}, {"mali-g76", "sparse"}, {"mali-g78", ""}, {"mali-g78", "old-driver,sparse"},
		{"mali-g710", ""}, {"mali-g710", "old-driver,sparse"}, {"mali-g925", ""}, {"mali-g925", "unknown-blocks,sparse"},
		{"mali-g1", ""}, {"mali-g1", "protected,dvfs"}, {"mali-g1", "unknown-product"},
		{"mali-g57", ""}, {"mali-g57", "early-kinstr"}, {"mali-g57", "old-driver"}, {"mali-g57", "unknown-product"},
		{"mali-g72", ""}, {"mali-g72", "sparse"}, {"mali-g72", "pre-r21"}, {"mali-g72", "midgard"}, {"mali-g72", "low-memory"}, {"mali-g72", "wrap,pre-r21"},
	} {
		t.Run(c.device+" "+c.scenarios, func(t *testing.T) {
			t.Parallel()
			e := record(t, c.device, strings.FieldsFunc(c.scenarios, func(r rune) bool { return r == ',' }), 100)
			cap, truth := e.equalsTruth(t)
			// A sample that took no time is none: that of a stop that raced with the timer, or of a dump that another client had just asked for.
			empty := 0
			for _, s := range truth.Samples {
				if s.Delivered && s.End <= s.Start && s.Sum == 0 {
					empty++
				}
			}
			if cap.Len() != truth.Delivered-empty {
				t.Errorf("%d samples of %d delivered ones, %d of them empty", cap.Len(), truth.Delivered, empty)
			}
			if truth.Interface == "kinstr" && (truth.PeriodNs != 2e6 || !truth.Periodic) {
				t.Errorf("the driver was asked for %d ns, periodic %v", truth.PeriodNs, truth.Periodic)
			}
		})
	}
}

func TestManualSamplesEqualTheTruth(t *testing.T) {
	for _, device := range []string{"mali-g720", "mali-g72"} {
		t.Run(device, func(t *testing.T) {
			e := record(t, device, nil, 60, "--source-option", "mode=manual")
			if _, truth := e.equalsTruth(t); truth.Periodic {
				t.Error("the driver was asked for periodic samples")
			}
		})
	}
}

func TestTheOnlyBlocksAskedForAreThoseOfTheCounters(t *testing.T) {
	e := record(t, "mali-g720", nil, 30, "--counters", "MaliShaderThreadsFragmentThreads,MaliGPUCyclesGPUActive")
	truth := e.client(t)
	want := map[uint8][2]uint64{0: {0xf0}, 3: {0, 0xf << 4}}
	for typ, mask := range truth.Enabled {
		// The driver adds the header.
		mask[0] &^= 0xf
		if mask != want[typ] {
			t.Errorf("block type %d counts %x, want %x", typ, mask, want[typ])
		}
	}
	if len(truth.Enabled) != 2 {
		t.Errorf("%d block types count", len(truth.Enabled))
	}
	c := e.Open(t)
	threads := c.Counter("MaliShaderThreadsFragmentThreads")
	for _, b := range truth.Totals {
		if b.Type != 3 {
			continue
		}
		if got, _ := threads.Instance(fmt.Sprint(b.Physical)).Sum().Uint64(); got != 4*b.Values[69] || got == 0 {
			t.Errorf("core %d: %d threads, the hardware counted %d fours", b.Physical, got, b.Values[69])
		}
	}
}

func TestTheOldInterfaceIsAskedForTheGroupsOfTheCounters(t *testing.T) {
	e := record(t, "mali-g72", nil, 30, "--counters", "fe_6,core_30,tiler_13,memory_22")
	truth := e.client(t)
	// The group of each counter, and the header's.
	want := map[uint8][2]uint64{0: {0xff}, 1: {0xf00f}, 2: {0xf0000f}, 3: {0xf<<28 | 0xf}}
	for typ, mask := range truth.Enabled {
		if mask != want[typ] {
			t.Errorf("block type %d counts %x, want %x", typ, mask, want[typ])
		}
	}
	if len(truth.Enabled) != len(want) {
		t.Errorf("%d block types count", len(truth.Enabled))
	}
}

func TestACoreThatIsOffCountsTrueZeros(t *testing.T) {
	e := record(t, "mali-g720", []string{"core-off"}, 280) // 560 ms at least
	c, _ := e.equalsTruth(t)
	cores := c.Counter("MaliShaderCoreCyclesAnyWorkloadActive")
	if cores == nil {
		t.Fatal("no MaliShaderCoreCyclesAnyWorkloadActive")
	}
	if last := cores.Instances[len(cores.Instances)-1]; last.Count() != c.Len() {
		t.Errorf("%d of %d values are there", last.Count(), c.Len())
	}
	if !strings.Contains(e.Output, "powered off") {
		t.Errorf("nothing is said of the core:\n%s", e.Output)
	}
}

func TestSamplesInErrorAreMissingWithAGapEach(t *testing.T) {
	e := record(t, "mali-g720", []string{"error-samples"}, 100)
	c, truth := e.equalsTruth(t)
	n, _ := gapsOf(c, "in error")
	active := c.Counter("MaliGPUCyclesGPUActive")
	if truth.Errors == 0 || n != truth.Errors || active.Count() != c.Len()-truth.Errors {
		t.Errorf("%d samples in error, %d gaps, %d of %d values", truth.Errors, n, active.Count(), c.Len())
	}
}

func TestPeriodsThatWereMergedAreLateWithTheirNumber(t *testing.T) {
	for _, device := range []string{"mali-g720", "mali-g72"} {
		t.Run(device, func(t *testing.T) {
			e := record(t, device, []string{"slow-reader"}, 130)
			c, truth := e.equalsTruth(t)
			if truth.Merged == 0 || c.Len() != len(truth.Samples) {
				t.Fatalf("%d merged periods, %d samples of %d", truth.Merged, c.Len(), len(truth.Samples))
			}
			late := map[int64]capture.Gap{}
			for _, g := range c.Late {
				late[g.Start] = g
			}
			if len(c.Gaps) != 0 || c.Measured() != c.Duration() {
				t.Errorf("gaps %+v, %d of %d ns measured: every sample has its time", c.Gaps, c.Measured(), c.Duration())
			}
			for i, s := range truth.Samples {
				if s.End-s.Start < 3e6 {
					continue // too short to tell a period that was skipped from one whose sample came late
				}
				if truth.Interface == "vinstr" && (i == 0 || i == len(truth.Samples)-1) {
					continue // time may pass between the requests that begin and end sampling and those that clear and take the last sample
				}
				g := late[c.Axis.Start[i]]
				if g.Lost != uint64(s.Merged) || s.Merged > 0 && g.End != c.Axis.End[i] {
					t.Errorf("sample %d of %d ns covers %d merged periods, its late span is %+v", i, s.End-s.Start, s.Merged, g)
				}
			}
		})
	}
}

func TestProtectedContentIsMissingWhereTheDriverSaysSo(t *testing.T) {
	e := record(t, "mali-g720", []string{"protected"}, 510) // more than a second, of which three tenths are protected
	c, _ := e.equalsTruth(t)
	active := c.Counter("MaliGPUCyclesGPUActive")
	missing := c.Len() - active.Count()
	if missing == 0 || missing == c.Len() {
		t.Fatalf("%d of %d values are missing", missing, c.Len())
	}
	for i := range c.Len() {
		if r, ok := active.Why(i); ok && !strings.Contains(r.Text, "protected") {
			t.Fatalf("sample %d is missing because %v", i, r)
		}
	}
}

func TestARemovedDeviceEndsTheRecordingCleanly(t *testing.T) {
	for _, device := range []string{"mali-g720", "mali-g72"} {
		t.Run(device, func(t *testing.T) {
			e := record(t, device, []string{"unplug"}, 0)
			c, truth := e.equalsTruth(t)
			if !strings.Contains(e.Output, "was removed") {
				t.Errorf("nothing is said of the removal:\n%s", e.Output)
			}
			if c.Len() != truth.Delivered {
				t.Errorf("%d samples of %d delivered ones", c.Len(), truth.Delivered)
			}
		})
	}
}

func TestAnInterruptReleasesEverything(t *testing.T) {
	e := emulate(t, "mali-g720", nil, 200, "record", "--source", "kbase", "--period", "2ms", "--duration", "1h", "-o", "$FILE")
	_, truth := e.equalsTruth(t)
	if truth.Stops != 1 || !truth.Closed {
		t.Errorf("%d stops, closed %v", truth.Stops, truth.Closed)
	}
}

func TestRequestsComeInTheOrderOfTheReference(t *testing.T) {
	for device, want := range map[string][]string{
		"mali-g720": {
			"VERSION_CHECK", "SET_FLAGS", "GET_GPUPROPS", "KINSTR_PRFCNT_ENUM_INFO", "KINSTR_PRFCNT_SETUP", "KINSTR_PRFCNT_CMD",
			"KINSTR_PRFCNT_GET_SAMPLE", "KINSTR_PRFCNT_PUT_SAMPLE", "KINSTR_PRFCNT_CMD", "KINSTR_PRFCNT_GET_SAMPLE", "KINSTR_PRFCNT_PUT_SAMPLE", "close", "close",
		},
		"mali-g72": {
			// No public header of today names the requests of the old reader: set-up, API version, size, clear, interval, get, put, interval, dump.
			"VERSION_CHECK", "SET_FLAGS", "GET_GPUPROPS", "0x40148008", "0x4008beff", "0x8004be01", "0x4004be11", "0x4004be30",
			"0x8020be20", "0x4020be21", "0x4004be30", "0x4004be10", "0x8020be20", "0x4020be21", "close", "close",
		},
	} {
		e := record(t, device, nil, 30)
		e.Asked(t, "/mali0", want)
		for i, f := range e.Truth.Files {
			if !f.Closed || !f.Context || len(f.Handshakes) == 0 || !strings.Contains(f.Handshakes[0], "16 bytes") {
				t.Errorf("%s: open %d: %+v", device, i, f)
			}
		}
	}
}

func TestTheDoctorTellsEveryTroubleApart(t *testing.T) {
	for _, c := range []struct{ device, scenario, want string }{
		{"mali-g720", "denied-open", "/dev/mali0 may not be opened"},
		{"mali-g720", "denied-enum", "held back"},
		{"mali-g720", "old-driver", "too old for the counters of the Immortalis-G720"},
		{"mali-g720", "powered-off", "powered off at the moment"},
		{"mali-g720", "unknown-product", "is not known to this version"},
		{"mali-g72", "", "vinstr"},
		{"mali-g57", "old-driver", "vinstr"},
	} {
		e := emulate(t, c.device, strings.Fields(c.scenario), 0, "doctor")
		if !strings.Contains(e.Output, c.want) {
			t.Errorf("%s %s: the doctor does not say %q:\n%s", c.device, c.scenario, c.want, e.Output)
		}
		if !e.Truth.Released {
			t.Errorf("%s %s: something was left behind", c.device, c.scenario)
		}
	}
}

func TestTwoSourcesShareTheSamplesOfTheGPU(t *testing.T) {
	e := record(t, "mali-g720", nil, 100, "--source", "procfs")
	c := e.Open(t)
	truth := e.client(t)
	if c.GPU != "immortalis-g720" || c.Counter("cpu_idle_time") == nil && c.Counter("context_switches") == nil && c.Counter("load_1m") == nil {
		t.Errorf("GPU %q with %d counters", c.GPU, len(c.Counters))
	}
	var want uint64
	for _, b := range truth.Totals {
		if b.Type == 0 {
			want = b.Values[4]
		}
	}
	if got, _ := c.Counter("MaliGPUCyclesGPUActive").Sum().Uint64(); got != want || want == 0 {
		t.Errorf("%d active cycles, the driver delivered %d", got, want)
	}
}
