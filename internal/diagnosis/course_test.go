package diagnosis

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"go.starlark.net/starlark"

	"astrolabe/builtins/values"
	"astrolabe/capture"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/all"
)

// onThePage are the ids of the findings of a real report.
func onThePage(t *testing.T, j *Judge, script string, c *capture.Capture) (ids []string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "page.star")
	source := `load("@astrolabe//triage/` + script + `.star", "analyze")
def page(cap):
    r = report.new("page", capture = cap)
    analyze(cap, r)
    return [f["id"] for f in r.findings]
`
	if err := os.WriteFile(path, []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	globals, err := j.runner.LoadFile(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	list, err := j.runner.Call(t.Context(), globals["page"], starlark.Tuple{values.NewCapture(j.env, c)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	seq := list.(starlark.Indexable)
	for i := range seq.Len() {
		id, _ := starlark.AsString(seq.Index(i))
		ids = append(ids, id)
	}
	return ids
}

// TestJudgesFindWhatReportsShow compares the shortcut of this package with real pages: the same findings in the same
// order, and those about the course of frames.
func TestJudgesFindWhatReportsShow(t *testing.T) {
	stutters := 0
	for _, c := range []struct {
		family, script string
		seeds          []uint64
	}{{"mali-g720", "mali", []uint64{1, 2}}, {"intel-kbl-gt2", "intel_oa", []uint64{1}},
		{"amd-live", "amd_live", []uint64{1, 2}}, {"gfx1151", "gfx1151", []uint64{3}}, {"cpu", "cpu", []uint64{5}}} {
		j, err := NewJudge(t.Context(), c.script)
		if err != nil {
			t.Fatal(err)
		}
		for _, seed := range c.seeds {
			sim, err := all.Case(c.family, simulate.KindRandom, seed)
			if err != nil {
				t.Fatal(err)
			}
			cap, err := sim.Record(simulate.Options{Marks: simulate.Yes})
			if err != nil {
				t.Fatal(err)
			}
			answer, err := j.Judge(t.Context(), cap)
			if err != nil {
				t.Fatal(err)
			}
			stutter, err := j.Stutter(t.Context(), cap)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range Sorted(answer.Shown) {
				got = append(got, f.ID)
			}
			want := onThePage(t, j, c.script, cap)
			told := slices.DeleteFunc(slices.Clone(want), func(id string) bool {
				return id != "slow_frames" && id != "periodic_stutter"
			})
			want = slices.DeleteFunc(want, func(id string) bool {
				return id == "slow_frames" || id == "periodic_stutter"
			})
			if !slices.Equal(got, want) || stutter != "" && !slices.Contains(told, stutter) {
				t.Errorf("%s %d: %v and %q are found, the page has %v and %v", c.family, seed, got, stutter, want, told)
			}
			if len(got) > 0 && answer.Named != "" && got[0] != answer.Named {
				t.Errorf("%s %d: %s is named, the page begins with %s", c.family, seed, answer.Named, got[0])
			}
			if slices.Contains(told, "periodic_stutter") && stutter == "" {
				t.Errorf("%s %d: %v is not found", c.family, seed, told)
			}
			stutters += len(told)
		}
	}
	if stutters == 0 {
		t.Error("no case has slow frames or stutter: the comparison says little")
	}
}

// A phase is named by what the page's table of phases says of it: by the limiter, and not by what explains that.
func TestPhasesAreNamedAsThePageNamesThem(t *testing.T) {
	j, err := NewJudge(t.Context(), "mali")
	if err != nil {
		t.Fatal(err)
	}
	sim, err := all.Case("mali-g615", simulate.KindTwoPhase, 10)
	if err != nil {
		t.Fatal(err)
	}
	cap, err := sim.Record(simulate.Options{})
	if err != nil {
		t.Fatal(err)
	}
	phases, err := j.Phases(t.Context(), cap)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(phases, func(p Phase) bool { return p.Named == "tile_bound" }) {
		t.Errorf("no phase is limited by the pixel backend, whose overdraw only explains it: %+v", phases)
	}
}

// The range of a gain that is measured is the one that a page prints.
func TestAGainHasTheBoundsOfThePage(t *testing.T) {
	j, err := NewJudge(t.Context(), "mali")
	if err != nil {
		t.Fatal(err)
	}
	verdict := func(confidence string, keys ...string) *starlark.Dict {
		part, out := starlark.NewDict(4), starlark.NewDict(2)
		for i, key := range keys {
			_ = part.SetKey(starlark.String(key), starlark.Float(float64(i+1)/10))
		}
		_ = out.SetKey(starlark.String("confidence"), starlark.String(confidence))
		_ = out.SetKey(starlark.String("part"), part)
		return out
	}
	own := starlark.NewDict(2)
	_ = own.SetKey(starlark.String("confidence"), starlark.String("high"))
	_ = own.SetKey(starlark.String("bounds"), starlark.Tuple{starlark.MakeInt(10), starlark.Float(35)})
	none := starlark.NewDict(1)
	_ = none.SetKey(starlark.String("confidence"), starlark.String("high"))
	for name, c := range map[string]struct {
		verdict   *starlark.Dict
		low, high float64
	}{
		"what is certain to what is possible": {verdict("high", "low", "high", "certain", "possible"), 0.3, 0.4},
		"the account's":                       {verdict("medium", "low", "high"), 0.1, 0.2},
		"of low confidence":                   {verdict("low", "low", "high"), 0, 0.2},
		"its own":                             {own, 0.1, 0.35},
		"none":                                {none, math.NaN(), math.NaN()},
	} {
		low, high, err := j.gain(t.Context(), c.verdict)
		if err != nil || fmt.Sprint(low, high) != fmt.Sprint(c.low, c.high) {
			t.Errorf("%s: %v to %v, %v; want %v to %v", name, low, high, err, c.low, c.high)
		}
	}
}
