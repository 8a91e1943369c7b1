package diagnosis

import (
	"strings"
	"testing"

	"astrolabe/capture/capturetest"
	"astrolabe/capture/capturetest/gfx1151"
)

func TestGfx1151BottlenecksAreNamedFirst(t *testing.T) { checkModels(t, gfx1151.Models()...) }

// judged is what the script says about a case of a model.
func judged(t *testing.T, m capturetest.Model, c capturetest.Case) *Answer {
	t.Helper()
	j, err := NewJudge(t.Context(), m.Script())
	if err != nil {
		t.Fatal(err)
	}
	cap, err := m.Generate(c)
	if err != nil {
		t.Fatal(err)
	}
	a, err := j.Judge(t.Context(), cap)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func of(t *testing.T, a *Answer, id string) Verdict {
	t.Helper()
	v, ok := a.Of(id)
	if !ok {
		t.Fatalf("there is no rule %s", id)
	}
	return v
}

func TestGfx1151RunsThatDifferAreFlaggedAndNotBelieved(t *testing.T) {
	// The run that counted stalls of instruction fetch took three times as long as the one that counted busy cycles.
	m := &gfx1151.Model{Passes: true, Slow: "SQC_ICACHE_INPUT_VALID_READYB_sum", SlowBy: 3}
	a := judged(t, m, capturetest.Case{Plant: "large_code", Load: 1, Seed: 1, Samples: 40})
	if v := of(t, a, "fetch_stalls"); v.State != "unknown" || !strings.Contains(v.Why, "2 runs") {
		t.Errorf("a share above 100 %% is %s: %s", v.State, v.Why)
	}
	if a.Named == "fetch_stalls" {
		t.Error("a share above 100 % was named")
	}
	for _, id := range []string{"above_100", "mixed_runs"} {
		if v := of(t, a, id); v.State != "holds" {
			t.Errorf("%s is %s: %s", id, v.State, v.Why)
		}
	}
	if v := of(t, a, "mixed_runs"); v.Value < 150 || v.Value > 250 {
		t.Errorf("runs differ by %g %%, want about 200", v.Value)
	}
}

func TestGfx1151OneRunIsNotFlagged(t *testing.T) {
	a := judged(t, &gfx1151.Model{}, capturetest.Case{Plant: "large_code", Load: 1, Noise: 0.3, Seed: 1, Samples: 40})
	for _, id := range []string{"above_100", "mixed_runs", "clock_gated", "uncounted"} {
		if v := of(t, a, id); v.State == "holds" {
			t.Errorf("%s holds with %g in a capture of one run", id, v.Value)
		}
	}
}

func TestGfx1151GatedCountersGiveNoHitRate(t *testing.T) {
	m := &gfx1151.Model{Passes: true, Gated: true}
	a := judged(t, m, capturetest.Case{Plant: "dram_bandwidth", Load: 1, Seed: 1, Samples: 40})
	for _, id := range []string{"clock_gated", "uncounted"} {
		if v := of(t, a, id); v.State != "holds" {
			t.Errorf("%s is %s: %s", id, v.State, v.Why)
		}
	}
	for _, id := range []string{"tcp_misses", "write_heavy", "narrow_fills", "requests_held_up", "data_fifo_stalls",
		"gl1_backpressure"} {
		if v := of(t, a, id); v.State != "unknown" || v.Why == "" {
			t.Errorf("%s is %s with %g: %s", id, v.State, v.Value, v.Why)
		}
	}
	if a.Named != "dram_bandwidth" {
		t.Errorf("%q was named", a.Named)
	}
}

func TestGfx1151RunsThatDifferChangeNoBottleneck(t *testing.T) {
	m := &gfx1151.Model{Passes: true, Drift: 0.1}
	for seed := range uint64(8) {
		if a := judged(t, m, capturetest.Case{Noise: 0.3, Idle: 0.3, DVFS: true, Seed: seed, Samples: 40}); a.Named !=
			"waves_starved" {
			t.Errorf("seed %d: %q was named", seed, a.Named)
		}
	}
}
