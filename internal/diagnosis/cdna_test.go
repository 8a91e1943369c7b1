package diagnosis

import (
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/capturetest"
	"astrolabe/capture/capturetest/cdna"
)

func TestCDNABottlenecksAreNamedFirst(t *testing.T) { checkModels(t, cdna.Models()...) }

// Some folders of MI300 have dispatches that end when they start. What sets the pace of their cycles is known all the same.
func TestCDNADispatchesWithoutATimeAreToldAndJudgedByCycles(t *testing.T) {
	for plant, want := range map[string]string{"gemm": "mfma_bound", "stream": "dram_bandwidth", "lds_traffic": "lds_bound"} {
		m := cdna.New("gfx942")
		m.Timeless = true
		a := judged(t, m, capturetest.Case{Plant: plant, Load: 1, Seed: 1, Samples: 20})
		if a.Named != want {
			t.Errorf("%s: %q was named, want %s", plant, a.Named, want)
		}
		if v := of(t, a, "no_times"); v.State != "holds" || v.Value != 20 {
			t.Errorf("no_times %s with %g: %s", v.State, v.Value, v.Why)
		}
		for _, v := range a.Verdicts {
			if v.ID == a.Named && v.Confidence == "high" {
				t.Errorf("%s has high confidence although no times are known", a.Named)
			}
		}
	}
}

func TestCDNARunsThatDifferAreFlaggedAndChangeNoBottleneck(t *testing.T) {
	flagged := 0
	for seed := range uint64(6) {
		m := cdna.New("gfx942")
		m.Drift = 0.15
		a := judged(t, m, capturetest.Case{Plant: "arithmetic", Load: 1, Seed: seed, Samples: 20})
		if a.Named != "valu_bound" {
			t.Errorf("seed %d: %q was named", seed, a.Named)
		}
		if v := of(t, a, "above_100"); v.State == "holds" {
			flagged++
		}
	}
	if flagged == 0 {
		t.Error("no share above 100 % is flagged")
	}
	if a := judged(t, cdna.New("gfx942"), capturetest.Case{Plant: "arithmetic", Load: 1, Seed: 2, Samples: 20}); of(t, a, "above_100").State == "holds" {
		t.Error("shares of one run are flagged")
	}
}

// A folder with the counters of one block asks for the panels that would tell.
func TestCDNAFoldersOfOneBlockAskForPanels(t *testing.T) {
	c, err := cdna.New("gfx90a").Generate(capturetest.Case{Plant: "few_waves", Load: 1, Seed: 1, Samples: 20})
	if err != nil {
		t.Fatal(err)
	}
	cfg := c.Config
	cfg.Counters = nil
	for _, ctr := range c.Counters {
		if strings.HasPrefix(ctr.Name, "SQ_") || strings.HasPrefix(ctr.Name, "GRBM_") {
			cfg.Counters = append(cfg.Counters, ctr)
		}
	}
	part, err := capture.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	j, err := NewJudge(t.Context(), "cdna")
	if err != nil {
		t.Fatal(err)
	}
	a, err := j.Judge(t.Context(), part)
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Shown) == 0 || a.Shown[0].ID != "not_measured" || a.Shown[0].Record != "panels 15, 16, 17 and 18" {
		t.Errorf("got %+v, want the panels of the caches", a.Shown)
	}
}
