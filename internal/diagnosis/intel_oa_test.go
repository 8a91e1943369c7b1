package diagnosis

import (
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/capturetest"
	"astrolabe/capture/capturetest/intel"
)

func TestIntelBottlenecksAreNamedFirst(t *testing.T) { checkModels(t, intel.Models()...) }

func TestIntelReportsThatWereLostAreTold(t *testing.T) {
	c, err := intel.Models()[0].Generate(capturetest.Case{Samples: 20})
	if err != nil {
		t.Fatal(err)
	}
	lossy, err := c.With(func(cfg *capture.Config) {
		cfg.Gaps = []capture.Gap{{Start: 5e6, End: 5e6, Lost: 3}}
	})
	if err != nil {
		t.Fatal(err)
	}
	j, err := NewJudge(t.Context(), "intel_oa")
	if err != nil {
		t.Fatal(err)
	}
	for _, given := range []struct {
		c    *capture.Capture
		want string
	}{{c, "fine"}, {lossy, "holds"}} {
		a, err := j.Judge(t.Context(), given.c)
		if err != nil {
			t.Fatal(err)
		}
		if v, ok := a.Of("lost_reports"); !ok || v.State != given.want {
			t.Errorf("lost_reports %s with %d gaps, want %s", v.State, len(given.c.Gaps), given.want)
		}
	}
}

func TestIntelDriftsOfTheClockAndLittleIdleTimeAreNoBottleneck(t *testing.T) {
	j, err := NewJudge(t.Context(), "intel_oa")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range intel.Models() {
		c, err := m.Generate(capturetest.Case{Idle: 0.15, DVFS: true, Noise: 0.2, Samples: 120})
		if err != nil {
			t.Fatal(err)
		}
		a, err := j.Judge(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		if a.Named != "" && a.Shown[0].Record == "" { // to say what the set cannot show is no finding about the program
			t.Errorf("%s: %s was named", m.Name(), a.Named)
		}
	}
}
