//go:build linux

package panfrost

import (
	"slices"
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/hwio/hwtest"
	"astrolabe/hwio/hwtest/emulated"
	model "astrolabe/hwio/hwtest/mali"
	"astrolabe/hwio/internal/mali"
)

// emulation is what became of a run of the program on the emulated board.
type emulation struct {
	*emulated.Emulation[*model.Truth]
}

func on(t *testing.T, scenarios []string, requests int) hwtest.Options {
	return hwtest.Options{Device: emulated.Device(t, model.Models(), "panfrost"), Settings: hwtest.Settings{Scenarios: scenarios}, EndAfter: requests}
}

// emulate runs astrolabe with arguments in scenarios. It is interrupted when it has made so many requests for a sample; 0 is never.
func emulate(t *testing.T, scenarios []string, requests int, args ...string) *emulation {
	t.Helper()
	return &emulation{emulated.Astrolabe[*model.Truth](t, on(t, scenarios, requests), args...)}
}

// record makes a recording of so many requests, or until it ends by itself.
func record(t *testing.T, scenarios []string, requests int, more ...string) *emulation {
	t.Helper()
	return &emulation{emulated.Record[*model.Truth](t, on(t, scenarios, requests), "panfrost", "2ms", more...)}
}

// client is the one that counted.
func (e *emulation) client(t *testing.T) *model.ClientTruth {
	t.Helper()
	for _, c := range e.Truth.Clients {
		if c.PID != 0 && c.Delivered > 0 {
			return c
		}
	}
	t.Fatalf("the program counted nothing:\n%s", e.Output)
	return nil
}

// equalsTruth compares every counter of every physical block with what the driver delivered.
func (e *emulation) equalsTruth(t *testing.T) (*capture.Capture, *model.ClientTruth) {
	t.Helper()
	if !e.Truth.Released {
		t.Error("the program left something behind")
	}
	c := e.Open(t)
	truth := e.client(t)
	var units []emulated.Unit
	for _, b := range truth.Totals {
		units = append(units, emulated.Unit{Kind: b.Block, Number: b.Physical, Values: b.Values})
	}
	compared, _, nonzero := emulated.HoldUnits(t, c, units, mali.HeaderValues, nil)
	emulated.InOrder(t, c)
	if compared < 240 || nonzero == 0 {
		t.Errorf("%d values were compared, %d of them not 0", compared, nonzero)
	}
	return c, truth
}

func TestRecordingsEqualTheTruth(t *testing.T) {
	for _, scenarios := range []string{"", "sparse", "dvfs", "core-off", "wrap", "unknown-product"} {
		samples := 100
		if scenarios == "core-off" {
			samples = 280 // 560 ms at least
		}
		t.Run(scenarios, func(t *testing.T) {
			t.Parallel()
			e := record(t, strings.Fields(scenarios), samples)
			c, truth := e.equalsTruth(t)
			if c.Len() != truth.Delivered || truth.Delivered < 20 {
				t.Errorf("%d samples of %d delivered ones", c.Len(), truth.Delivered)
			}
			if f := c.Counter("gpu_frequency"); f == nil || f.Count() == 0 {
				t.Error("no frequency was recorded")
			}
		})
	}
}

// A request that the hardware does not answer leaves its counts to the next sample, also where the recording is to end while it hangs: the last sample
// is asked for after it, and only if that hangs too is there a gap.
func TestATimeoutIsLateAndLosesNoCount(t *testing.T) {
	for _, requests := range []int{5, 11} { // every fifth hangs
		e := record(t, []string{"timeout"}, requests)
		c, truth := e.equalsTruth(t)
		lost := uint64(0)
		for _, g := range c.Late {
			if !strings.Contains(g.Reason.Text, "did not answer") {
				continue
			}
			lost += g.Lost
			// The driver waits for a second.
			if i := slices.Index(c.Axis.Start, g.Start); g.End-g.Start < 1e9 || i < 0 || c.Axis.End[i] != g.End {
				t.Errorf("%d requests: the late span %+v is not that of a sample", requests, g)
			}
		}
		for _, g := range c.Gaps {
			lost += g.Lost
			if g.Start != c.Axis.End[c.Len()-1] || !strings.Contains(g.Reason.Text, "the recording ended") {
				t.Errorf("%d requests: the gap %+v is not that of a request at the end", requests, g)
			}
		}
		// Only the very last request leaves its time to nobody.
		if atEnd := (truth.Delivered+truth.Lost)%5 == 0; atEnd != (len(c.Gaps) > 0) || c.Len() != truth.Delivered {
			t.Errorf("%d requests: gaps %+v, %d samples of %d, the last request hung: %v", requests, c.Gaps, c.Len(), truth.Delivered, atEnd)
		}
		if lost == 0 || int(lost) != truth.Lost || truth.Lost < requests/5 {
			t.Errorf("%d requests: %d are late, %d were not answered: %+v", requests, lost, truth.Lost, c.Late)
		}
		if !strings.Contains(e.Output, "did not answer") {
			t.Errorf("%d requests: nothing is said of the hang:\n%s", requests, e.Output)
		}
	}
}

func TestARemovedDeviceEndsTheRecordingCleanly(t *testing.T) {
	e := record(t, []string{"unplug"}, 0)
	c, truth := e.equalsTruth(t)
	if !strings.Contains(e.Output, "was removed") {
		t.Errorf("nothing is said of the removal:\n%s", e.Output)
	}
	if c.Len() != truth.Delivered {
		t.Errorf("%d samples of %d delivered ones", c.Len(), truth.Delivered)
	}
}

func TestAnInterruptSwitchesTheCountersOff(t *testing.T) {
	e := emulate(t, nil, 200, "record", "--source", "panfrost", "--period", "2ms", "--duration", "1h", "-o", "$FILE")
	if _, truth := e.equalsTruth(t); truth.Running || !truth.Closed {
		t.Errorf("running %v, closed %v", truth.Running, truth.Closed)
	}
}

func TestRequestsComeInTheOrderOfTheReference(t *testing.T) {
	e := record(t, nil, 30)
	e.Asked(t, "/renderD128", []string{"GET_PARAM", "PERFCNT_ENABLE", "PERFCNT_DUMP", "PERFCNT_ENABLE", "close"})
}

func TestTheDoctorTellsEveryTroubleApart(t *testing.T) {
	for scenario, want := range map[string]string{
		"denied-open": "/dev/dri/renderD128 may not be opened", "no-unstable": "echo 1 > /sys/module/panfrost/parameters/unstable_ioctls",
		"busy": "another program has the GPU's counters", "unknown-product": "is not known to this version", "": "counters of the Mali-G52",
	} {
		e := emulate(t, strings.Fields(scenario), 0, "doctor")
		if !strings.Contains(e.Output, want) {
			t.Errorf("%s: the doctor does not say %q:\n%s", scenario, want, e.Output)
		}
		if !e.Truth.Released {
			t.Errorf("%s: something was left behind", scenario)
		}
	}
}
