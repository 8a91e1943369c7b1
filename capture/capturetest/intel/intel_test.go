package intel

import (
	"slices"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/capturetest"
)

func TestEveryCaptureObeysTheHardwaresIdentities(t *testing.T) {
	for _, m := range Models() {
		cases := []capturetest.Case{{Noise: 0.3, Idle: 0.4, DVFS: true}, {}}
		for i, p := range m.Plants() {
			next := m.Plants()[(i+1)%len(m.Plants())]
			for _, load := range []float64{0, 1} {
				cases = append(cases, capturetest.Case{Plant: p.ID, Load: load, Noise: 0.3, Seed: 3})
			}
			if next != p {
				cases = append(cases, capturetest.Case{Plant: p.ID, Load: 1, Second: next.ID, DVFS: true})
			}
		}
		for _, c := range cases {
			c.Samples = 40
			cap, err := m.Generate(c)
			if err != nil {
				t.Fatalf("%s %s: %v", m.Name(), c, err)
			}
			if err := m.Check(cap); err != nil {
				t.Errorf("%s %s: %v", m.Name(), c, err)
			}
		}
	}
}

func TestEqualCasesGiveEqualCaptures(t *testing.T) {
	m := Models()[0]
	make := func(seed uint64) []float64 {
		cap, err := m.Generate(capturetest.Case{Plant: "filtering", Noise: 0.2, Seed: seed, Samples: 30})
		if err != nil {
			t.Fatal(err)
		}
		x, err := capturetest.Column(cap, "A7")
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	if !slices.Equal(make(1), make(1)) || slices.Equal(make(1), make(2)) {
		t.Error("a capture must follow from its case, and another seed must change it")
	}
}

func TestABrokenIdentityIsFound(t *testing.T) {
	for _, m := range Models()[:1] {
		c, err := m.Generate(capturetest.Case{Samples: 10})
		if err != nil {
			t.Fatal(err)
		}
		for _, broken := range []string{"A0", "A8", "A22", "A24", "A27", "A29", "A33", "B2", "C4", "C7"} {
			if err := m.Check(with(t, c, broken)); err == nil {
				t.Errorf("%s counts far too much and nobody minds", broken)
			}
		}
	}
}

// with is c with a counter that counts a trillion in its sample 5.
func with(t *testing.T, c *capture.Capture, name string) *capture.Capture {
	t.Helper()
	out, err := c.With(func(cfg *capture.Config) {
		cfg.Counters = slices.Clone(cfg.Counters)
		for i, ctr := range cfg.Counters {
			if ctr.Meta.Name == name {
				data := ctr.Col.Data()
				data.U = slices.Clone(data.U)
				data.U[5] = 1e12
				cfg.Counters[i] = &capture.Counter{Meta: ctr.Meta, Axis: ctr.Axis, Col: capture.NewColumn(data)}
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestAnUnknownPlantIsAnErrorThatListsThem(t *testing.T) {
	_, err := Models()[0].Generate(capturetest.Case{Plant: "nonsense"})
	if err == nil {
		t.Error("no error")
	}
}
