package gfx1151

import (
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/capturetest"
)

func generate(t *testing.T, m capturetest.Model, c capturetest.Case) *capture.Capture {
	t.Helper()
	cap, err := m.Generate(c)
	if err != nil {
		t.Fatal(err)
	}
	return cap
}

func sum(t *testing.T, c *capture.Capture, name string) float64 {
	t.Helper()
	v, err := capturetest.Column(c, name)
	if err != nil {
		t.Fatal(err)
	}
	total := 0.0
	for _, x := range v {
		total += x
	}
	return total
}

func TestEveryCaptureObeysTheHardware(t *testing.T) {
	for _, m := range Models() {
		for _, p := range append(m.Plants(), capturetest.Plant{}) {
			for _, load := range []float64{0, 1} {
				for _, noise := range []float64{0, 0.3} {
					c := capturetest.Case{Plant: p.ID, Load: load, Noise: noise, Seed: 3, Samples: 20, Idle: 0.3, DVFS: noise > 0}
					if err := m.Check(generate(t, m, c)); err != nil {
						t.Errorf("%s %s: %v", m.Name(), c, err)
					}
				}
			}
		}
	}
}

func TestCheckNoticesABrokenIdentity(t *testing.T) {
	m := &Model{}
	for _, name := range []string{"TCP_REQ_READ_sum", "GL2C_HIT_sum", "GRBM_GUI_ACTIVE", "GCEA_RDRAM_SIZE_REQ_sum", "TCP_REQ_MISS_sum"} {
		c := generate(t, m, capturetest.Case{Samples: 5})
		v := c.Counter(name).Col.Data().U
		v[2] *= 30
		if err := m.Check(c); err == nil || !strings.Contains(err.Error(), "sample 2") {
			t.Errorf("thirty times as many %s went unnoticed: %v", name, err)
		}
	}
}

func TestEqualCasesGiveEqualCaptures(t *testing.T) {
	for _, m := range Models() {
		c := capturetest.Case{Plant: "dram_bandwidth", Load: 0.5, Noise: 0.3, Seed: 9, Samples: 10}
		a, b := generate(t, m, c), generate(t, m, c)
		for _, ctr := range a.Counters {
			if sum(t, a, ctr.Name) != sum(t, b, ctr.Name) {
				t.Errorf("%s: %s differs", m.Name(), ctr.Name)
			}
		}
	}
}

func TestPassesHaveTheirOwnDurations(t *testing.T) {
	m := &Model{Passes: true, Drift: 0.05, Slow: "SQ_WAIT_ANY", SlowBy: 2}
	c := generate(t, m, capturetest.Case{Seed: 1, Samples: 10})
	if len(c.Passes) != len(layout) {
		t.Fatalf("%d passes, want %d", len(c.Passes), len(layout))
	}
	slow, fast := c.Counter("SQ_WAIT_ANY").Pass.Duration.Data().Float(9), c.Counter("SQ_BUSY_CYCLES_sum").Pass.Duration.Data().Float(9)
	if slow < 1.4*fast {
		t.Errorf("the slow pass took %g ns, another %g ns", slow, fast)
	}
	for name := range passOf {
		if c.Counter(name) == nil {
			t.Errorf("the layout lists %s, which no dispatch counts", name)
		}
	}
}

func TestGatedModelsCountNoRequests(t *testing.T) {
	m := &Model{Passes: true, Gated: true}
	c := generate(t, m, capturetest.Case{Samples: 5})
	if n := sum(t, c, "TCP_REQ_sum"); n != 0 {
		t.Errorf("%g requests were counted", n)
	}
	if n := sum(t, c, "TCP_GL1_REQ_READ_sum"); n == 0 {
		t.Error("the next level saw no requests")
	}
	for _, p := range m.Plants() {
		if p.Rule == "ta_stalls" {
			t.Error("a plant is listed that no counter shows")
		}
	}
}

func TestTheSlowestUnitSetsThePace(t *testing.T) {
	for _, p := range plants {
		if p.set != nil {
			continue
		}
		for _, load := range []float64{0, 1} {
			k := p.into(balanced(capturetest.NewRandom(capturetest.Case{Seed: 1}, "kernel")), load, 1)
			d := k.run(maxHz, 1)
			want := p.from + (p.to-p.from)*load
			if got := d.load[p.unit]; got < want-0.001 || got > want+0.001 {
				t.Errorf("%s at load %g: the unit works %.3f of the time, want %.3f; all: %.2f", p.id, load, got, want, d.load)
			}
		}
	}
}

func TestUnknownPlantsAreSaid(t *testing.T) {
	if _, err := Models()[0].Generate(capturetest.Case{Plant: "nonsense"}); err == nil || !strings.Contains(err.Error(), "dram_bandwidth") {
		t.Errorf("got %v, want the list of plants", err)
	}
	if _, err := Models()[0].Generate(capturetest.Case{Second: "nonsense"}); err == nil {
		t.Error("an unknown second plant was accepted")
	}
}
