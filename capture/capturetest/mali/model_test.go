package mali

import (
	"testing"

	"astrolabe/capture/capturetest"
)

func TestEveryCaptureKeepsTheIdentitiesOfTheHardware(t *testing.T) {
	for _, m := range Models() {
		ids := []string{""}
		for _, p := range m.Plants() {
			ids = append(ids, p.ID)
		}
		for _, id := range ids {
			for _, load := range []float64{0, 0.5, 1} {
				for _, noise := range []float64{0, 0.3} {
					c := capturetest.Case{Plant: id, Load: load, Noise: noise, Samples: 60, Seed: 3, DVFS: noise > 0}
					cap, err := m.Generate(c)
					if err == nil {
						err = m.Check(cap)
					}
					if err != nil {
						t.Errorf("%s %s: %v", m.Name(), c, err)
					}
				}
			}
		}
	}
}

func TestEqualCasesGiveEqualCaptures(t *testing.T) {
	m := Models()[1]
	c := capturetest.Case{Plant: "overdraw", Load: 0.5, Noise: 0.3, Samples: 40, Seed: 9}
	a, err := m.Generate(c)
	if err != nil {
		t.Fatal(err)
	}
	b, err := m.Generate(c)
	if err != nil {
		t.Fatal(err)
	}
	for i, x := range a.Counters {
		y := b.Counters[i]
		for k, v := range x.Col.Data().Floats() {
			if w := y.Col.Data().Floats()[k]; v != w {
				t.Fatalf("%s: sample %d is %g and %g", x.Name, k, v, w)
			}
		}
	}
}

func TestASecondPlantIsTheWeakerOne(t *testing.T) {
	both := healthy()
	first := *both
	plantOf("overdraw").change(both, 1)
	both.blend(&first, 0.25)
	if both.overdraw <= first.overdraw || both.overdraw >= 4 {
		t.Errorf("a quarter of the plant gives %g layers", both.overdraw)
	}
}

func TestUnknownPlantsAreRefused(t *testing.T) {
	if _, err := Models()[0].Generate(capturetest.Case{Plant: "scissored"}); err == nil {
		t.Error("the G615 has no scissor stage")
	}
	if _, err := Models()[0].Generate(capturetest.Case{Second: "nothing"}); err == nil {
		t.Error("an unknown second plant went through")
	}
}
