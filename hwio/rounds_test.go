package hwio

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"astrolabe/capture"
)

// setSource is a source with an option that decides what it counts.
type setSource struct {
	fakeSource
	asked []map[string]string
	fail  string // the set that cannot be opened
}

func (s *setSource) Options() []Option { return []Option{{Name: "set", Doc: "which"}, {Name: "depth"}} }

func (s *setSource) Open(ctx context.Context, r Request) (Stream, error) {
	s.asked = append(s.asked, r.Options)
	if s.fail != "" && r.Options["set"] == s.fail {
		return nil, errors.New("no such set")
	}
	s.reads.Store(0)
	st, err := s.fakeSource.Open(ctx, r)
	if err == nil {
		f := st.(*fakeStream)
		f.schema.Config.Properties = []capture.Property{{Name: "metric_set", Text: r.Options["set"], IsText: true}, {Name: "metric_set_guid", Text: "1234", IsText: true}, {Name: "EuCoresTotalCount", Number: 24}}
		if r.Options["set"] == "Other" {
			f.schema.Columns = f.schema.Columns[:1]
		}
	}
	return st, err
}

func roundsOf(names ...string) []Round {
	var out []Round
	for _, n := range names {
		out = append(out, Round{Name: n, Options: map[string]string{"set": n}})
	}
	return out
}

func TestRoundsMakeOneRecordingWithALabelAndARegionEach(t *testing.T) {
	src := &setSource{fakeSource: fakeSource{name: "gpu", metas: metas("A0", "A1")}}
	res, c, err := toMemory(t, t.Context(), Options{Sources: []Source{src}, Period: 10 * time.Millisecond, Duration: 60 * time.Millisecond,
		SourceOptions: map[string]string{"depth": "3"}, Rounds: roundsOf("Render", "Compute"), RoundLabel: "metric_set"})
	if err != nil {
		t.Fatal(err)
	}
	if len(src.asked) != 2 || src.asked[0]["set"] != "Render" || src.asked[1]["set"] != "Compute" || src.asked[1]["depth"] != "3" {
		t.Fatalf("asked for %v", src.asked)
	}
	l := c.Label("metric_set")
	counts := map[string]int{}
	for i := range c.Len() {
		v, _ := l.Value(i)
		counts[v]++
		if i > 0 && c.Axis.Start[i] < c.Axis.End[i-1] {
			t.Fatalf("sample %d starts at %d, before the end %d of the one before", i, c.Axis.Start[i], c.Axis.End[i-1])
		}
	}
	if counts["Render"] < 1 || counts["Compute"] < 1 || uint64(c.Len()) != res.Samples {
		t.Errorf("samples per round: %v of %d", counts, res.Samples)
	}
	if len(c.Regions) != 2 || c.Regions[0].Name != "Render" || c.Regions[1].Name != "Compute" || c.Regions[1].Start < c.Regions[0].End {
		t.Errorf("regions: %+v", c.Regions)
	}
	for _, name := range []string{"metric_set", "metric_set_guid"} {
		if _, ok := c.Property(name); ok {
			t.Errorf("property %s claims one metric set for all rounds", name)
		}
	}
	if p, ok := c.Property("EuCoresTotalCount"); !ok || p.Number != 24 {
		t.Error("a property that all rounds share is lost")
	}
	// A busy machine may add gaps of missed ticks.
	if !slices.ContainsFunc(c.Gaps, func(g capture.Gap) bool { return strings.Contains(g.Reason.Text, "between two rounds") }) {
		t.Errorf("gaps: %+v", c.Gaps)
	}
}

func TestRoundThatFailsKeepsWhatWasMeasured(t *testing.T) {
	src := &setSource{fakeSource: fakeSource{name: "gpu", metas: metas("A0")}, fail: "Bad"}
	res, c, err := toMemory(t, t.Context(), Options{Sources: []Source{src}, Period: 10 * time.Millisecond, Duration: 40 * time.Millisecond,
		Rounds: roundsOf("Render", "Bad"), RoundLabel: "metric_set"})
	if err == nil || !strings.Contains(err.Error(), "round 2 (Bad)") || res == nil || c.Len() == 0 {
		t.Errorf("error %v, result %v", err, res)
	}
}

// pickySource knows beforehand what it will not open.
type pickySource struct{ setSource }

func (s *pickySource) Check(r Request) error {
	if r.Options["set"] == s.fail {
		return errors.New("no such set")
	}
	return ErrNoMatch // counters may be another source's
}

func TestRoundsThatWillFailAreFoundBeforeTheFirstIsMeasured(t *testing.T) {
	src := &pickySource{setSource{fakeSource: fakeSource{name: "gpu", metas: metas("A0")}, fail: "Bad"}}
	opt := Options{Sources: []Source{src}, Period: 10 * time.Millisecond, Duration: 20 * time.Millisecond, RoundLabel: "metric_set"}
	for name, want := range map[string]string{"Bad": "round 2 (Bad): source gpu: no such set", "": "round 2 of 2 has no name"} {
		opt.Rounds = roundsOf("Render", name)
		if _, _, err := toMemory(t, t.Context(), opt); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error is %v, want %q", err, want)
		}
	}
	if len(src.asked) != 0 {
		t.Errorf("opened with %v", src.asked)
	}
	opt.Rounds = roundsOf("Render", "Compute")
	if _, _, err := toMemory(t, t.Context(), opt); err != nil {
		t.Error(err)
	}
}

func TestRoundsNeedTheSameColumnsAndAnEnd(t *testing.T) {
	src := &setSource{fakeSource: fakeSource{name: "gpu", metas: metas("A0", "A1")}}
	opt := Options{Sources: []Source{src}, Period: 10 * time.Millisecond, Duration: 20 * time.Millisecond, Rounds: roundsOf("Render", "Other"), RoundLabel: "metric_set"}
	if _, _, err := toMemory(t, t.Context(), opt); err == nil || !strings.Contains(err.Error(), "it measures 1 columns and the first round 2") {
		t.Errorf("error is %v", err)
	}
	opt.Duration = 0
	if _, _, err := toMemory(t, t.Context(), opt); err == nil || !strings.Contains(err.Error(), "give a duration, or a command") {
		t.Errorf("error is %v", err)
	}
}

func TestUnknownSourceOptionNamesThoseThatExist(t *testing.T) {
	src := &setSource{fakeSource: fakeSource{name: "gpu", metas: metas("A0")}}
	_, _, err := toMemory(t, t.Context(), Options{Sources: []Source{src}, Duration: time.Millisecond, SourceOptions: map[string]string{"sett": "x"}})
	if err == nil || !strings.Contains(err.Error(), `no option "sett"; did you mean set?`) {
		t.Errorf("error is %v", err)
	}
	plain := &fakeSource{name: "cpu", metas: metas("A0")}
	_, _, err = toMemory(t, t.Context(), Options{Sources: []Source{plain}, Duration: time.Millisecond, SourceOptions: map[string]string{"set": "x"}})
	if err == nil || !strings.Contains(err.Error(), "it has none at all") {
		t.Errorf("error is %v", err)
	}
}

// Every round repeated what all rounds say, with its name before that of the source.
func TestWarningsOfRoundsAreToldOnce(t *testing.T) {
	src := &fakeSource{name: "a", metas: metas("x"), warns: "a: it broke"}
	rounds := []Round{{Name: "one"}, {Name: "two"}}
	res, c, err := toMemory(t, t.Context(), Options{Sources: []Source{src}, Period: time.Millisecond, Duration: 5 * time.Millisecond, pacer: &fakePacer{now: 1000},
		Rounds: rounds, RoundLabel: "set", Warnings: []string{"left out b"}})
	if err != nil {
		t.Fatal(err)
	}
	told := strings.Join(res.Warnings, "\n")
	for _, want := range []string{"left out b", "a: it broke"} {
		if n := strings.Count("\n"+told+"\n", "\n"+want+"\n"); n != 1 {
			t.Errorf("%q is told %d times:\n%s", want, n, told)
		}
	}
	if strings.Contains(told, "one: ") || strings.Contains(told, "two: ") {
		t.Errorf("a round's name stands before a source's:\n%s", told)
	}
	recorded := strings.Join(c.Warnings, "\n")
	if !strings.Contains(recorded, "a: it broke (in one)") || !strings.Contains(recorded, "a: it broke (in two)") {
		t.Errorf("recorded %s", recorded)
	}
}
