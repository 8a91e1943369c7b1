// Package rates measures the reports by the simulator (capture/simulate), which knows none of their rules: how often
// the finding that a report begins with is what limited the simulated program. Only a test and the command planted use
// it.
package rates

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/all"
	"astrolabe/internal/diagnosis"
)

// Cases says which cases of the simulator to judge: of each family and kind those of the seeds from First on, Number of
// them. Equal seeds give equal counts, and counts of other seeds add up (Rates.Add).
type Cases struct {
	Families []string // all where it is empty
	Kinds    []string // all that a family has where it is empty
	First    uint64
	Number   int
	Workers  int
	Progress func(family, kind string) // called after each kind of a family
}

// Measure lets the triage scripts judge cases of the simulator, which knows none of their rules, and counts how often
// they are right.
func Measure(ctx context.Context, s Cases) (*Rates, error) {
	out := &Rates{Date: today(), Mapping: mappingHash()}
	var err error
	if out.Rules, err = rulesHash(); err != nil {
		return nil, err
	}
	if out.Model, err = modelHash(); err != nil {
		return nil, err
	}
	add := func(name, kind string, found []tallied) error {
		to := out.family(name)
		to.Runs = append(to.Runs, Run{kind, s.First, s.Number})
		for _, t := range found {
			for _, c := range t.counts {
				to.count(c.row, c.hit)
			}
			for _, v := range t.values {
				to.value(v.row, v.points)
			}
			if t.confused.Cases > 0 {
				to.confuse(t.confused)
			}
		}
		return nil
	}
	if err := each(ctx, s, (*examiner).examine, add); err != nil {
		return nil, err
	}
	out.sort()
	return out, nil
}

// counted is whether a case was a hit in a row.
type counted struct {
	row string
	hit bool
}

// valuedAs is a value of a case, in points of percent.
type valuedAs struct {
	row    string
	points int
}

// tallied is what one case adds.
type tallied struct {
	counts   []counted
	values   []valuedAs
	confused Confused
}

func (t *tallied) count(row string, hit bool) { t.counts = append(t.counts, counted{row, hit}) }

func (t *tallied) value(row string, share float64) {
	t.values = append(t.values, valuedAs{row, int(math.Round(100 * share))})
}

// examiner lets scripts judge cases of a family.
type examiner struct {
	f      *family
	judges map[string]*diagnosis.Judge // by script
}

// examine judges a case and compares the answer with the truth.
func (x *examiner) examine(ctx context.Context, kind string, seed uint64) (out tallied, err error) {
	c, err := all.Case(x.f.name, kind, seed)
	if err != nil {
		return out, err
	}
	truth, err := c.Judge()
	if err != nil {
		return out, err
	}
	cap, err := c.Record(simulate.Options{})
	if err != nil {
		return out, err
	}
	if kind == simulate.KindTwoPhase {
		return out, x.twoPhases(ctx, &out, c, cap, truth)
	}
	limiter, clear := truth.Limiter()
	if kind == simulate.KindArchetype {
		if err := x.shares(ctx, &out, cap, &truth.Part, limiter, clear); err != nil {
			return out, err
		}
	}
	if !clear {
		return out, nil
	}
	p, err := x.page(ctx, cap)
	if err != nil {
		return out, err
	}
	right, err := x.right(p.top(), limiter, c, cap)
	if err != nil {
		return out, err
	}
	out.confused = Confused{limiter.String(), nameOf(p.top(), right), 1}
	if truth.Healthy {
		alarm := p.alarm()
		if alarm == "" {
			if alarm, err = p.judge.Stutter(ctx, cap); err != nil {
				return out, err
			}
		}
		row := rowHealthyElsewhere
		if kind == simulate.KindHealthy {
			row = rowHealthy
		}
		out.count(row, alarm != "")
		return out, nil
	}
	switch kind {
	case simulate.KindArchetype:
		if err := x.archetype(&out, p, limiter, c, cap); err != nil {
			return out, err
		}
		x.gain(&out, p, &truth.Part)
		return out, x.withheld(ctx, &out, c, cap, &truth.Part, limiter)
	case simulate.KindSingle:
		out.count(rowPlant, right)
		alone, err := x.right(firstSet(p.top()), limiter, c, cap)
		if err != nil {
			return out, err
		}
		out.count(rowPlantFirst, alone)
	case simulate.KindRandom:
		out.count(rowRandom, right)
	case simulate.KindSerial:
		switch limiter {
		case simulate.QueuesInTurn:
			out.count(rowQueues, right)
		case simulate.CPUSync:
			out.count(rowTurns, right)
		}
	}
	return out, nil
}

// archetype counts a clear frame.
func (x *examiner) archetype(out *tallied, p *page, limiter simulate.Candidate, c *simulate.Case,
	cap *capture.Capture) error {
	first := p.first()
	right, err := x.right(p.top(), limiter, c, cap)
	if err != nil {
		return err
	}
	out.count(rowFirst, right)
	two := false
	for _, f := range p.findings[:min(2, len(p.findings))] {
		hit, err := x.right(f, limiter, c, cap)
		if err != nil {
			return err
		}
		two = two || hit
	}
	out.count(rowTwo, two)
	out.count(rowNamed, x.f.right(first, limiter))
	if x.f.shown(limiter, cap) {
		out.count(rowShown, right)
	} else {
		out.count(rowAsked, right)
		alone, err := x.right(firstSet(p.top()), limiter, c, cap)
		if err != nil {
			return err
		}
		out.count(rowAskedFirst, alone)
	}
	out.count(rowTold, len(x.f.names[limiter.String()]) > 0)
	out.count(rowOther, !right && x.f.limiter(first))
	out.count(rowSymptom, !right && first != "" && !x.f.limiter(first))
	out.count(rowNothing, first == "")
	level := ""
	if first != "" {
		level = p.findings[0].Confidence
		out.count(rowConfidence[level], right)
	}
	out.count(rowCoversHigh, level == "high")
	out.count(rowCoversMedium, level == "high" || level == "medium")
	return nil
}

// right reports whether a finding names the limiter of a case, or, where the capture cannot show it, asks for what can.
func (x *examiner) right(f diagnosis.Finding, limiter simulate.Candidate, c *simulate.Case,
	cap *capture.Capture) (bool, error) {
	if x.f.right(f.ID, limiter) {
		return true, nil
	}
	if f.ID == notCountable {
		return !x.f.countable(limiter, cap), nil
	}
	if f.Record == "" || x.f.limiter(f.ID) || x.f.shown(limiter, cap) {
		return false, nil // who names another limiter is wrong, whatever is asked for beside it
	}
	asked := strings.Split(f.Record, ",")
	if events, ok := x.f.events[limiter.String()]; ok {
		return slices.ContainsFunc(asked, func(name string) bool { return slices.Contains(events, name) }), nil
	}
	var options simulate.Options
	for _, name := range asked {
		if name == recordHost {
			options.Host = simulate.Yes
			continue
		}
		options.Sets = append(options.Sets, name) // several take turns
	}
	other, err := c.Record(options)
	if err != nil {
		if hasSets(cap.GPU, options.Sets) {
			// The simulator does not measure one of them.
			return x.f.countedBy(limiter, cap, options.Sets) || options.Host == simulate.Yes && x.f.byHost(limiter), nil
		}
		return false, fmt.Errorf("%s asks for %q: %w", f.ID, f.Record, err)
	}
	return x.f.shown(limiter, other), nil
}

// firstSet is a finding as if it asked for the first of the metric sets alone that it asks for.
func firstSet(f diagnosis.Finding) diagnosis.Finding {
	f.Record, _, _ = strings.Cut(f.Record, ",")
	return f
}

// recordHost asks for the counters of the processors.
const recordHost = "cpu"

// withheld judges the case again without the counters that tell of its limiter, where there are such counters.
func (x *examiner) withheld(ctx context.Context, out *tallied, c *simulate.Case, whole *capture.Capture,
	truth *simulate.Part,
	limiter simulate.Candidate) error {
	cap, err := c.Record(simulate.Options{Withheld: []simulate.Candidate{limiter}})
	if err != nil || len(cap.Counters) == len(whole.Counters) {
		return err
	}
	p, err := x.page(ctx, cap)
	if err != nil {
		return err
	}
	out.count(rowWithheld, x.f.limiter(p.first()) && !x.f.right(p.first(), limiter))
	out.count(rowWithheldNothing, !x.f.limiter(p.first()))
	return x.notExplained(ctx, out, cap, truth, limiter)
}

// page is what a report says about a capture: that of the GPU's script, and behind it that of the CPU's where
// processors were recorded.
type page struct {
	judge *diagnosis.Judge // of the first script
	// in the order of the page, without those about the data and about the course of frames
	findings []diagnosis.Finding
}

func (x *examiner) page(ctx context.Context, cap *capture.Capture) (*page, error) {
	p := &page{}
	for _, script := range x.scripts(cap) {
		j, err := x.judgeOf(ctx, script)
		if err != nil {
			return nil, err
		}
		if p.judge == nil {
			p.judge = j
		}
		answer, err := j.Judge(ctx, cap)
		if err != nil {
			return nil, err
		}
		for _, f := range answer.Shown {
			if f.Role != "quality" {
				p.findings = append(p.findings, f)
			}
		}
	}
	p.findings = diagnosis.Sorted(p.findings)
	return p, nil
}

// scripts are those that a report runs on a capture: the family's, and that of the CPU's counters beside a GPU.
func (x *examiner) scripts(cap *capture.Capture) []string {
	out := []string{x.f.script}
	if x.f.script != "cpu" && slices.ContainsFunc(cap.Counters, func(c *capture.Counter) bool {
		return c.GPU == "cpu"
	}) {
		out = append(out, "cpu")
	}
	return out
}

func (x *examiner) judgeOf(ctx context.Context, script string) (*diagnosis.Judge, error) {
	if j := x.judges[script]; j != nil {
		return j, nil
	}
	j, err := diagnosis.NewJudge(ctx, script)
	if err == nil {
		x.judges[script] = j
	}
	return j, err
}

// first is the id of the first finding, "" where there is none.
func (p *page) first() string {
	if len(p.findings) == 0 {
		return ""
	}
	return p.findings[0].ID
}

// top is the first finding, that of no id where there is none.
func (p *page) top() diagnosis.Finding {
	if len(p.findings) == 0 {
		return diagnosis.Finding{}
	}
	return p.findings[0]
}

// alarm is the id of the first finding that warns, "" where none does.
func (p *page) alarm() string {
	for _, f := range p.findings {
		if f.Severity != "info" {
			return f.ID
		}
	}
	return ""
}

// nameOf is how the confusion matrix calls a finding: one that says what to record by that, with whether it was right
// to ask.
func nameOf(f diagnosis.Finding, right bool) string {
	switch {
	case f.ID == "":
		return diagnosis.Nothing
	case f.ID == notCountable && right:
		return f.ID + " (no set" + askedRightly
	case f.Record != "" && right:
		return f.ID + " (" + f.Record + askedRightly
	case f.Record != "":
		return f.ID + " (" + f.Record + ")"
	}
	return f.ID
}

// askedRightly ends the name of a finding that asks for what can show the limiter, where the capture cannot.
const askedRightly = ", rightly)"

// twoPhases counts a case of two phases where each is clear and they differ: whether the report cuts it there, and
// names each phase's limiter for it. Of a report's phase that is the one with most of the time in common, most of which
// is in the simulator's phase.
func (x *examiner) twoPhases(ctx context.Context, out *tallied, c *simulate.Case, cap *capture.Capture,
	truth *simulate.Truth) error {
	if len(truth.Phases) != 2 {
		return nil
	}
	if x.f.dispatches && cap.Len() != len(truth.Each) {
		return fmt.Errorf("the capture has %d samples of %d dispatches", cap.Len(), len(truth.Each))
	}
	var limiters [2]simulate.Candidate
	for i := range truth.Phases {
		var clear bool
		if limiters[i], clear = truth.Phases[i].Limiter(); !clear || truth.Phases[i].Healthy {
			return nil
		}
	}
	if limiters[0] == limiters[1] {
		return nil
	}
	var told [2]diagnosis.Finding
	cut := false
	for _, script := range x.scripts(cap) {
		j, err := x.judgeOf(ctx, script)
		if err != nil {
			return err
		}
		phases, err := j.Phases(ctx, cap)
		if err != nil {
			return err
		}
		var at [2]int
		for i := range truth.Phases {
			at[i] = common(phases, x.interval(cap, truth, i))
			if at[i] >= 0 && told[i].ID == "" {
				told[i] = diagnosis.Finding{ID: phases[at[i]].Named, Record: phases[at[i]].Record}
			}
		}
		cut = cut || at[0] >= 0 && at[1] >= 0 && at[0] != at[1]
	}
	out.count(rowCut, cut)
	both := cut
	for i, f := range told {
		right, err := x.right(f, limiters[i], c, cap)
		if err != nil {
			return err
		}
		both = both && right
	}
	out.count(rowPhases, both)
	return nil
}

// interval is when a phase of the truth was, in seconds since the start of the capture.
func (x *examiner) interval(cap *capture.Capture, truth *simulate.Truth, i int) (at [2]float64) {
	p, axis := &truth.Phases[i], cap.Axis
	if x.f.dispatches {
		return [2]float64{float64(axis.Start[p.First]-axis.Start[0]) / 1e9,
			float64(axis.End[p.First+p.Frames-1]-axis.Start[0]) / 1e9}
	}
	return [2]float64{float64(p.Start-truth.Start) / 1e9, float64(p.End-truth.Start) / 1e9}
}

// common is the phase that has most in common with an interval and lies in it for the most part; -1 where there is
// none.
func common(phases []diagnosis.Phase, at [2]float64) int {
	best, most := -1, 0.0
	for i, p := range phases {
		shared := min(at[1], p.Start+p.Duration) - max(at[0], p.Start)
		if shared > most && shared > p.Duration/2 {
			best, most = i, shared
		}
	}
	return best
}
