package cdna

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

func TestEveryCaptureObeysTheHardware(t *testing.T) {
	for _, m := range Models() {
		for _, p := range append(m.Plants(), capturetest.Plant{}) {
			for _, load := range []float64{0, 1} {
				c := capturetest.Case{Plant: p.ID, Load: load, Noise: 0.3, Seed: 3, Samples: 12}
				if err := m.Check(generate(t, m, c)); err != nil {
					t.Errorf("%s %s: %v", m.Name(), c, err)
				}
			}
		}
	}
}

func TestCheckNoticesABrokenIdentity(t *testing.T) {
	m := Models()[0]
	for _, name := range []string{"SQ_WAIT_ANY", "TCC_HIT_sum", "SQ_ACTIVE_INST_VALU", "TCC_EA_RDREQ_sum", "SQC_ICACHE_HITS"} {
		c := generate(t, m, capturetest.Case{Samples: 5})
		c.Counter(name).Col.Data().U[2] *= 300
		if err := m.Check(c); err == nil || !strings.Contains(err.Error(), "sample 2") {
			t.Errorf("three hundred times as many %s went unnoticed: %v", name, err)
		}
	}
}

// A unit that is asked for more works more, until it works all the time and the kernel takes as long as its work does there.
func TestTheUnitThatIsExhaustedSetsThePace(t *testing.T) {
	for _, m := range machines {
		for _, p := range plants {
			if p.set != nil {
				continue
			}
			for _, load := range []float64{0, 1} {
				r := m.run(p.into(m, m.usual(capturetest.NewRandom(capturetest.Case{Seed: 1}, "kernel")), load, 1))
				want := p.from + (p.to-p.from)*load
				if got := r.used[p.unit]; got < want-0.002 || got > want+0.03 {
					t.Errorf("%s %s at load %g: the unit works %.3f of the time, want %.3f; all: %.2f", m.gpu, p.id, load, got, want, r.used)
				}
				for s, used := range r.used {
					if s != p.unit && used > r.used[p.unit] {
						t.Errorf("%s %s at load %g: station %d works %.3f of the time, more than %.3f", m.gpu, p.id, load, s, used, r.used[p.unit])
					}
				}
			}
		}
	}
}

// Little's law: what is in flight is the rate times how long each stays.
func TestWavesInFlightFollowLittlesLaw(t *testing.T) {
	for _, m := range machines {
		for _, p := range plants {
			r := m.run(p.into(m, m.usual(capturetest.NewRandom(capturetest.Case{Seed: 1}, "kernel")), 1, 1))
			sum := r.delay
			for _, s := range r.spent {
				sum += s
			}
			if got := r.rate * sum; got < 0.999*r.held || got > 1.001*r.held {
				t.Errorf("%s %s: %g waves at a rate of %g that stay %g cycles: %g", m.gpu, p.id, r.held, r.rate, sum, got)
			}
		}
	}
}

func TestUnknownPlantsAreSaid(t *testing.T) {
	for _, c := range []capturetest.Case{{Plant: "nonsense"}, {Second: "nonsense"}} {
		if _, err := Models()[0].Generate(c); err == nil || !strings.Contains(err.Error(), "stream") {
			t.Errorf("%s: got %v, want the list of plants", c, err)
		}
	}
}

func TestTimelessDispatchesEndWhenTheyStart(t *testing.T) {
	m := New("gfx942")
	m.Timeless = true
	c := generate(t, m, capturetest.Case{Samples: 4})
	for i := range c.Len() {
		if c.Axis.Interval(i) != 0 {
			t.Errorf("sample %d is %d ns long", i, c.Axis.Interval(i))
		}
	}
	if New("gfx1151") != nil {
		t.Error("an RDNA GPU has a model of CDNA")
	}
}
