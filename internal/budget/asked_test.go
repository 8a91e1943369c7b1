package budget

import (
	"context"
	"strings"
	"testing"

	"astrolabe/capture"
)

// told answers what it was given.
type told struct {
	time  Time
	found Findings
}

func (t told) Time(context.Context, *capture.Capture) (*Time, error) { return &t.time, nil }
func (t told) Findings(context.Context, *capture.Capture) (*Findings, error) {
	return &t.found, nil
}

func TestLimitsOnTimeHoldOnlyIfTheyDoWithWhatNobodyCouldTell(t *testing.T) {
	c := made(t, []float64{1, 2})
	ask := told{time: Time{Shares: map[string]float64{"texture": 0.3, "queues_in_turn": 0, "not_measured": 0.1},
		Open: []string{"not_measured"}, Missing: []string{"tiler_active"}}}
	for text, want := range map[string]Verdict{
		"time.texture < 50%":        Kept,
		"time.texture < 35%":        NotJudged, // it may be 40 %
		"time.texture < 20%":        Broken,
		"time.texture > 25%":        Kept,
		"time.texture > 35%":        NotJudged,
		"time.texture > 45%":        Broken,
		"time.queues_in_turn < 5%":  NotJudged,
		"time.queues_in_turn <= 10": Kept,
		"time.not_measured < 10%":   Kept,
		"time.not_measured < 5%":    Broken,
	} {
		b, err := Inline([]string{text})
		if err != nil {
			t.Fatal(err)
		}
		j, err := Judge(t.Context(), b, c, ask)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		r := j.Results[0]
		if r.Verdict != want {
			t.Errorf("%s is %s, want %s (%s)", text, r.Verdict, want, r.Why)
		}
		if want == NotJudged && !strings.Contains(r.Why,
			"for 10 % of the time nobody can tell what set the pace: record tiler_active") {
			t.Errorf("%s: %s", text, r.Why)
		}
	}
}

func TestLimitsOnFindingsCountThem(t *testing.T) {
	c := made(t, []float64{1, 2})
	ask := told{found: Findings{Count: map[string]int{"critical": 0, "slow_frames": 1}}}
	verdict := func(text string) Verdict {
		b, err := Inline([]string{text})
		if err != nil {
			t.Fatal(err)
		}
		j, err := Judge(t.Context(), b, c, ask)
		if err != nil {
			t.Fatal(err)
		}
		return j.Results[0].Verdict
	}
	if v := verdict("findings.slow_frames < 0"); v != Broken {
		t.Errorf("a finding that is there is %s", v)
	}
	if v := verdict("findings.critical < 0"); v != Kept {
		t.Errorf("a finding that is not there is %s", v)
	}
	ask.found.Unsure = "the GPU: no active cycles"
	if v := verdict("findings.critical < 0"); v != NotJudged {
		t.Errorf("where nothing could be judged, a finding that is not there is %s", v)
	}
	if v := verdict("findings.slow_frames < 0"); v != Broken {
		t.Errorf("where little could be judged, a finding that is there is %s", v)
	}
}

func TestMistakesInLimitsOnTimeAreToldByName(t *testing.T) {
	c := made(t, []float64{1, 2})
	ask := told{time: Time{Shares: map[string]float64{"texture": 0.3}},
		found: Findings{Count: map[string]int{"slow_frames": 0}}}
	for text, want := range map[string]string{
		"metric = 'time.textur'\nmax = 1":                  "did you mean time.texture?",
		"metric = 'findings.slow_frame'\nmax = 1":          "did you mean findings.slow_frames?",
		"metric = 'time.texture'\nmax = 1\nper = 'sample'": "is of the whole capture",
		"metric = 'time.texture'\nmax = '3ms'":             "3ms",
	} {
		_, err := Judge(t.Context(), parse(t, "[[limit]]\n"+text), c, ask)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	if _, err := Judge(t.Context(), parse(t, "[[limit]]\nmetric = 'time.texture'\nmax = 1"), c, nil); err == nil {
		t.Error("a limit that nobody can answer was judged")
	}
	b, err := Inline([]string{"time.texture < 5%", "time.textures < 5%"})
	if err != nil {
		t.Fatal(err)
	}
	want := "--limit 'time.textures < 5%': there is no time.textures for this capture"
	if _, err := Judge(t.Context(), b, c, ask); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %q", err, want)
	}
	for _, text := range []string{"", "<", "a", "< 3", "a <"} {
		if b, err := Inline([]string{text}); err == nil {
			t.Errorf("%q is taken for %+v", text, b.Limits[0])
		}
	}
}

func FuzzInline(f *testing.F) {
	f.Add("time.queues_in_turn < 5%")
	f.Add("a\"b\\ >= 3ms")
	f.Fuzz(func(t *testing.T, text string) {
		b, err := Inline([]string{text})
		if err == nil && (len(b.Limits) != 1 || b.Limits[0].Metric == "") {
			t.Errorf("%q: %+v", text, b.Limits)
		}
	})
}
