package rates

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/all"
	"astrolabe/internal/diagnosis"
)

func TestWilsonBounds(t *testing.T) {
	// Values of other programs' tables.
	for _, c := range []struct {
		hits, of  int
		low, high float64
	}{{0, 1000, 0, 0.003827}, {95, 100, 0.888250, 0.978457}, {5, 10, 0.236593, 0.763407},
		{10, 10, 0.722467, 1}, {0, 0, 0, 1}} {
		low, high := wilson(c.hits, c.of)
		if math.Abs(low-c.low) > 1e-5 || math.Abs(high-c.high) > 1e-5 {
			t.Errorf("%d of %d lies in %.6f to %.6f, want %.6f to %.6f", c.hits, c.of, low, high, c.low, c.high)
		}
	}
}

func measured(t *testing.T, first uint64, number, workers int) *Rates {
	t.Helper()
	out, err := Measure(t.Context(), Cases{Families: []string{"gfx1151", "amd-gpa"}, First: first, Number: number,
		Workers: workers})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestRunsOverSeedsAddUpWhoeverJudges(t *testing.T) {
	whole, sum, rest := measured(t, 1, 5, 1), measured(t, 3, 3, 2), measured(t, 1, 2, 3)
	if err := sum.Add(rest); err != nil {
		t.Fatal(err)
	}
	a, _ := json.Marshal(whole)
	b, _ := json.Marshal(sum)
	if !bytes.Equal(a, b) {
		t.Errorf("the whole is\n%s\nthe sum of its parts\n%s", a, b)
	}
	for i := range whole.Families {
		if len(whole.Families[i].Confusion) == 0 || whole.Families[i].row(rowPlant).Of == 0 {
			t.Errorf("nothing was counted: %+v", whole.Families[i])
		}
	}
	if err := sum.Add(rest); err == nil || !strings.Contains(err.Error(), "seeds 1 to 2 are counted already") {
		t.Errorf("cases are counted twice: %v", err)
	}
	other := *rest
	other.Rules = "others"
	if err := whole.Add(&other); err == nil {
		t.Error("rates of other rules are added")
	}

	path := filepath.Join(t.TempDir(), "rates.json")
	if err := whole.WriteJSON(path); err != nil {
		t.Fatal(err)
	}
	read, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	var out, page bytes.Buffer
	if err := read.Print(&out); err != nil {
		t.Fatal(err)
	}
	if err := read.WriteMarkdown(&page, "A note.", "planted"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"gfx1151: seeds of archetype 1..5", rowFirst, "rules " + whole.Rules} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in\n%s", want, out.String())
		}
	}
	for _, want := range []string{"A note.", "### gfx1151", "| display/request | cannot be told", whole.Model} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("%q is not in\n%s", want, page.String())
		}
	}
}

func TestClearFramesAreDividedByWhatIsSaidFirst(t *testing.T) {
	x := examiner{f: findFamily("mali-g720")}
	texture := simulate.Candidate{Level: simulate.LevelUnit, Name: "texture"}
	untold := simulate.DisplayRequest
	named := func(ids ...string) *page {
		p := &page{}
		for _, id := range ids {
			p.findings = append(p.findings, diagnosis.Finding{ID: id, Role: "cause", Severity: "warning",
				Confidence: "medium"})
		}
		return p
	}
	for _, c := range []struct {
		limiter simulate.Candidate
		page    *page
		hits    []string
	}{
		{texture, named("texture_bound"),
			[]string{rowFirst, rowTwo, rowNamed, rowShown, rowTold, rowConfidence["medium"], rowCoversMedium}},
		{texture, named("filtering", "texture_bound"),
			[]string{rowFirst, rowTwo, rowNamed, rowShown, rowTold, rowConfidence["medium"], rowCoversMedium}},
		{texture, named("gpu_starved", "texture_bound"), []string{rowTwo, rowTold, rowSymptom, rowCoversMedium}},
		{texture, named("main_phase_bound", "overdraw", "texture_bound"),
			[]string{rowTold, rowSymptom, rowCoversMedium}},
		{texture, named("slow_memory"), []string{rowTold, rowOther, rowCoversMedium}},
		{untold, named("write_stalls"), []string{rowOther, rowCoversMedium}},
		{untold, named(), []string{rowNothing}},
	} {
		var out tallied
		if err := x.archetype(&out, c.page, c.limiter, nil, nil); err != nil {
			t.Fatal(err)
		}
		hits := map[string]bool{}
		for _, n := range out.counts {
			if n.hit {
				hits[n.row] = true
			}
		}
		for _, want := range c.hits {
			if !hits[want] {
				t.Errorf("%v, %v: no hit in %q", c.limiter, c.page.findings, want)
			}
			delete(hits, want)
		}
		if len(hits) > 0 {
			t.Errorf("%v, %v: hits in %v as well", c.limiter, c.page.findings, hits)
		}
	}
}

func TestAskingForWhatShowsTheLimiterIsRightOnlyWhereTheCaptureCannotShowIt(t *testing.T) {
	x := examiner{f: findFamily("intel-kbl-gt2")}
	c, err := all.Case("intel-kbl-gt2", simulate.KindSingle, 1)
	if err != nil {
		t.Fatal(err)
	}
	texture, vertices := simulate.Candidate{Level: simulate.LevelUnit, Name: "texture"},
		simulate.Candidate{Level: simulate.LevelUnit, Name: "vertex_fetch"}
	app := simulate.Candidate{Level: simulate.LevelCPU, Name: "app"}
	for _, r := range []struct {
		set, asked string
		limiter    simulate.Candidate
		want       bool
	}{
		{"TDL_1", "RenderBasic", texture, true},
		{"TDL_1", "Sampler", texture, true},
		{"TDL_1", "RenderPipeProfile", texture, false}, // that set has no counter of samplers either
		{"TDL_1", "RenderPipeProfile", vertices, true},
		{"Sampler", "RenderBasic", texture, false}, // the capture shows it
		{"TDL_1", "", texture, false},
		{"TDL_1", "cpu", app, true},
		{"TDL_1", "RenderBasic", app, false},
	} {
		cap, err := c.Record(simulate.Options{Sets: []string{r.set}, Host: simulate.No})
		if err != nil {
			t.Fatal(err)
		}
		got, err := x.right(diagnosis.Finding{ID: "not_measured", Record: r.asked}, r.limiter, c, cap)
		if err != nil || got != r.want {
			t.Errorf("%s, limited by %s, asked for %q: %v, %v", r.set, r.limiter, r.asked, got, err)
		}
	}
}

func TestAskingForEventsIsRightWhereNoneShowsTheLimiter(t *testing.T) {
	x := examiner{f: findFamily("cpu")}
	c, err := all.Case("cpu", simulate.KindSingle, 1)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := c.Record(simulate.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, counter := range whole.Counters {
		names = append(names, counter.Name)
	}
	core, memory, lock := simulate.Candidate{Level: simulate.LevelUnit, Name: "core"},
		simulate.Candidate{Level: simulate.LevelMemory, Name: "latency"}, simulate.Candidate{Level: simulate.LevelCPU, Name: "lock"}
	for _, r := range []struct {
		counted  []string
		id, asks string
		limiter  simulate.Candidate
		want     bool
	}{
		{[]string{"task_clock"}, "not_measured", "cache-misses,branch-misses", memory, true},
		{[]string{"task_clock"}, "single_thread", "instructions", core, true},
		{[]string{"task_clock"}, "single_thread", "", core, false},
		{[]string{"task_clock"}, "not_measured", "branch-misses", memory, false}, // these say nothing of memory
		{[]string{"task_clock"}, "branch_misses", "cache-misses", memory, false}, // it names another limiter
		{[]string{"task_clock", "cache_misses"}, "not_measured", "cache-misses", memory, false},
		{[]string{"task_clock", "cache_misses"}, "not_measured", "instructions", core, true},
		{[]string{"task_clock"}, "not_measured", "cache-misses", lock, false},
	} {
		cap, err := c.Record(simulate.Options{Without: slices.DeleteFunc(slices.Clone(names), func(n string) bool {
			return slices.Contains(r.counted, n)
		})})
		if err != nil {
			t.Fatal(err)
		}
		got, err := x.right(diagnosis.Finding{ID: r.id, Record: r.asks}, r.limiter, c, cap)
		if err != nil || got != r.want {
			t.Errorf("%v counted, limited by %s, %s asks for %q: %v, %v", r.counted, r.limiter, r.id, r.asks, got, err)
		}
	}
}

func TestTheErrorThatEndsAMeasurementIsItsCause(t *testing.T) {
	cases := Cases{Families: []string{"gfx1151"}, Kinds: []string{simulate.KindSingle}, Number: 2, First: 1, Workers: 2}
	err := each(t.Context(), cases, func(_ *examiner, ctx context.Context, _ string, seed uint64) (int, error) {
		if seed == 2 {
			return 0, errors.New("it broke")
		}
		<-ctx.Done()
		return 0, ctx.Err()
	}, func(string, string, []int) error { return nil })
	if err == nil || err.Error() != "gfx1151 single 2: it broke" {
		t.Errorf("%v", err)
	}
}

func TestAnAlarmIsAFindingThatWarns(t *testing.T) {
	of := func(severity ...string) *page {
		p := &page{}
		for _, s := range severity {
			p.findings = append(p.findings, diagnosis.Finding{ID: s, Severity: s})
		}
		return p
	}
	for want, p := range map[string]*page{"": of("info", "info"), "warning": of("info", "warning"),
		"critical": of("critical")} {
		if got := p.alarm(); got != want {
			t.Errorf("the alarm is %q, want %q", got, want)
		}
	}
}

func TestAPhaseIsComparedWithThatInWhichItLies(t *testing.T) {
	phases := []diagnosis.Phase{{Start: 0, Duration: 4}, {Start: 4, Duration: 1}, {Start: 5, Duration: 5}}
	for _, c := range []struct {
		at   [2]float64
		want int
	}{{[2]float64{0.5, 4}, 0}, {[2]float64{4.5, 10}, 2}, {[2]float64{4, 4.9}, 1}, {[2]float64{4.9, 6}, -1},
		{[2]float64{20, 30}, -1}} {
		if got := common(phases, c.at); got != c.want {
			t.Errorf("%v is phase %d, want %d", c.at, got, c.want)
		}
	}
	if common([]diagnosis.Phase{{Start: 0, Duration: 10}}, [2]float64{0, 5}) != -1 {
		t.Error("a phase that holds two is that of one")
	}
}
