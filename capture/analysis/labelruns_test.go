package analysis

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"astrolabe/capture"
)

// framed is a capture of so many frames, each of length samples with one value of a label.
func framed(t *testing.T, rng *rand.Rand, label string, frames, length int, level float64,
	name func(i int) string) *capture.Capture {
	n := frames * length
	values := make([]string, n)
	for i := range values {
		values[i] = name(i / length)
	}
	return made(t, label, map[string][]float64{"c000": noisy(rng, n, level)}, func(c *capture.Config) {
		c.Labels = []*capture.Label{capture.NewLabel(label, values, nil)}
	})
}

func numbered(prefix string) func(int) string {
	return func(i int) string { return prefix + fmt.Sprint(i+7) }
}

func TestLabelsThatNumberFramesGiveObservationsInsteadOfParts(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 21))
	for _, c := range []struct {
		label, per string
		length     int
		name       func(int) string
	}{
		{"frame", "per frame", 5, numbered("f")},
		{"frame", "per frame", 1, numbered("")},
		{"batch", "per batch", 2, numbered("batch ")},
		{"dispatch", "per sample", 1, numbered("")},
		{"hash", "per hash", 1, func(i int) string { return fmt.Sprintf("%x", uint32(i)*2654435761) }},
	} {
		a, b := framed(t, rng, c.label, 1000, c.length, 100, c.name), framed(t, rng, c.label, 800,
			c.length, 130, c.name)
		res := compare(t, a, b, Options{By: ByLabel, Label: c.label})
		if len(res.Rows) != 2 || res.Judged != 2 {
			t.Errorf("%s: %d rows, %d judged; want the counter and the duration", c.label, len(res.Rows), res.Judged)
			continue
		}
		r := rowOf(t, res, "", "c000")
		want := 100 * float64(c.length)
		if r.Basis != c.per || r.Verdict != Changed || math.Abs(r.Before/want-1) > 0.03 ||
			math.Abs(r.Change()-0.3) > 0.03 {
			t.Errorf("%s: %s, %v before, %s by %v; want %v %s and a change of 0.3", c.label, r.Basis, r.Before,
				r.Verdict, r.Change(), want, c.per)
		}
		if res.Options.By != ByFrame || !strings.Contains(strings.Join(res.Notes, "\n"), "label "+c.label+" numbers") {
			t.Errorf("%s: by %s, notes %q; want it said that values are observations", c.label,
				res.Options.By, res.Notes)
		}
	}
}

func TestLabelsThatNameWorkGiveParts(t *testing.T) {
	rng := rand.New(rand.NewPCG(22, 22))
	kernels := func(i int) string { return []string{"k1", "k2", "k3"}[i%3] }
	few := func(i int) string { return []string{"low", "medium", "high"}[i] }
	for _, c := range []struct {
		label          string
		frames, length int
		name           func(int) string
	}{{"kernel", 90, 10, kernels}, {"quality", 3, 60, few}, {"level", 6, 60, numbered("")}} {
		a := framed(t, rng, c.label, c.frames, c.length, 100, c.name)
		res := compare(t, a, a, Options{By: ByLabel, Label: c.label})
		if res.Options.By != ByLabel || len(res.Rows) < 3 || res.Rows[0].Part == "" {
			t.Errorf("%s: compared by %s in %d rows, want one part per value", c.label, res.Options.By, len(res.Rows))
		}
	}
}

func TestRepeatedRunsJudgeKernelsThatRunOnce(t *testing.T) {
	rng := rand.New(rand.NewPCG(23, 23))
	name := func(i int) string { return fmt.Sprintf("kernel_%c%c", 'a'+i%26, 'a'+i/26) }
	var runs []*capture.Capture
	for range 4 {
		runs = append(runs, framed(t, rng, "kernel", 40, 1, 100, name))
	}
	res, err := Compare(t.Context(), runs[:3], runs[3:], Options{By: ByLabel, Label: "kernel"})
	if err != nil {
		t.Fatal(err)
	}
	if res.Options.By != ByLabel || res.Judged < 40 {
		t.Errorf("by %s, %d judged; want a judgement of each of the 40 kernels", res.Options.By, res.Judged)
	}
}
