package diagnosis

import (
	"bytes"
	"testing"

	"astrolabe/capture/capturetest"
	"astrolabe/capture/capturetest/all"
	formatsall "astrolabe/capture/formats/all"
)

func TestEqualCasesGiveEqualCapturesAndOtherSeedsOtherOnes(t *testing.T) {
	encoded := func(m capturetest.Model, c capturetest.Case) []byte {
		cap, err := m.Generate(c)
		if err != nil {
			t.Fatalf("%s: %v", m.Name(), err)
		}
		var out bytes.Buffer
		if err := formatsall.Registry().Encode(t.Context(), &out, "x.arrow", "arrow", cap); err != nil {
			t.Fatalf("%s: %v", m.Name(), err)
		}
		return out.Bytes()
	}
	for _, m := range all.Models() {
		c := capturetest.Case{Plant: m.Plants()[0].ID, Load: 0.5, Noise: 0.2, Seed: 3, Samples: 100}
		first := encoded(m, c)
		for range 3 {
			if !bytes.Equal(first, encoded(m, c)) {
				t.Errorf("%s: the same case gave another capture", m.Name())
				break
			}
		}
		c.Seed++
		if bytes.Equal(first, encoded(m, c)) {
			t.Errorf("%s: another seed gave the same capture", m.Name())
		}
	}
}

func TestNamesOfModelsAndPlantsAreUnique(t *testing.T) {
	names := map[string]bool{}
	for _, m := range all.Models() {
		if names[m.Name()] {
			t.Errorf("two models are called %q", m.Name())
		}
		names[m.Name()] = true
		plants := map[string]bool{}
		for _, p := range m.Plants() {
			if p.ID == "" || p.Rule == "" || p.Doc == "" || plants[p.ID] {
				t.Errorf("%s: plant %+v is incomplete or stands twice", m.Name(), p)
			}
			plants[p.ID] = true
		}
		if _, err := m.Generate(capturetest.Case{Plant: "no such plant"}); err == nil {
			t.Errorf("%s plants what it does not know", m.Name())
		}
	}
}
