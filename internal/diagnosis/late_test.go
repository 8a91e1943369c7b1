package diagnosis

import (
	"math"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/capturetest"
	"astrolabe/capture/capturetest/all"
)

// After missed ticks a Mali report once took the time of the longer samples off the duration: 4.5 GB/s became 15.
func TestTimeThatLongerSamplesCoverIsNotTakenOffInAnyScript(t *testing.T) {
	judges := map[string]*Judge{}
	for _, m := range all.Models() {
		j := judges[m.Script()]
		if j == nil {
			var err error
			if j, err = NewJudge(t.Context(), m.Script()); err != nil {
				t.Fatal(err)
			}
			judges[m.Script()] = j
		}
		c, err := m.Generate(capturetest.Case{Plant: m.Plants()[0].ID, Load: 1, Noise: 0.1, Idle: 0.3,
			Samples: 120, Seed: 5})
		if err != nil {
			t.Fatal(err)
		}
		late, err := c.With(func(cfg *capture.Config) {
			for i := range cfg.Axis.Len() {
				if i%4 != 0 {
					cfg.Late = append(cfg.Late, capture.Gap{Start: cfg.Axis.Start[i], End: cfg.Axis.End[i], Lost: 1,
						Reason: capture.Reason{Text: "1 tick was missed"}})
				}
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		want, err := j.Judge(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		got, err := j.Judge(t.Context(), late)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range want.Verdicts {
			if w := got.Verdicts[i]; w.Value != v.Value || w.State != v.State || w.Confidence != v.Confidence {
				t.Errorf("%s: %s is %s with %g (confidence %s), and %s with %g (%s) after missed ticks", m.Name(), v.ID,
					v.State, v.Value, v.Confidence, w.State, w.Value, w.Confidence)
			}
		}
	}
}

// A gap is taken off: what was lost is in no sum, and neither is its time.
func TestARateOfAMaliReportDoesNotDependOnHowMuchWasLost(t *testing.T) {
	j, err := NewJudge(t.Context(), "mali")
	if err != nil {
		t.Fatal(err)
	}
	var m capturetest.Model
	for _, one := range all.Models() {
		if one.Script() == "mali" {
			m = one
		}
	}
	c, err := m.Generate(capturetest.Case{Samples: 300, Seed: 5})
	if err != nil {
		t.Fatal(err)
	}
	lost, err := c.Where(capture.NewMask(c.Axis, func(i int) bool { return i < 100 || i >= 250 }))
	if err != nil {
		t.Fatal(err)
	}
	if lost, err = lost.With(func(cfg *capture.Config) {
		cfg.Gaps = []capture.Gap{{Start: c.Axis.Start[100], End: c.Axis.Start[250], Lost: 150,
			Reason: capture.Reason{Code: capture.LostReports}}}
	}); err != nil {
		t.Fatal(err)
	}
	whole, err := j.Judge(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	part, err := j.Judge(t.Context(), lost)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"memory_energy", "frame_bytes"} {
		a, ok := whole.Of(id)
		b, _ := part.Of(id)
		if !ok || a.Value == 0 || math.Abs(b.Value/a.Value-1) > 0.1 {
			t.Errorf("%s is %g of the whole and %g where half was lost (known: %v)", id, a.Value, b.Value, ok)
		}
	}
}
