package cpu

import (
	"fmt"
	"slices"
	"sync"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
)

// Name is the family's.
const Name = "cpu"

// Kinds are the kinds of cases that programs on processors can have.
func Kinds() []string { return simulate.Kinds() }

// New draws a case.
func New(kind string, seed uint64) (*simulate.Case, error) {
	if !slices.Contains(Kinds(), kind) {
		return nil, fmt.Errorf("family %s has no kind of case %q; it has %v", Name, kind, Kinds())
	}
	var failed error
	for attempt := range uint64(16) {
		r := simulate.NewRandom(seed+attempt<<56, Name+"/"+kind)
		c := &programCase{seed: seed}
		c.draw(r, kind)
		judge := sync.OnceValues(c.judge)
		if kind == simulate.KindHealthy {
			t, err := judge()
			if err != nil {
				return nil, err
			}
			if !t.Healthy {
				failed = fmt.Errorf("%d missed dates", t.Missed)
				continue
			}
		}
		return &simulate.Case{Family: Name, Kind: kind, Seed: seed, Text: c.text, Plant: c.plant,
			Judge: judge, Record: c.record}, nil
	}
	return nil, fmt.Errorf("family %s, kind %s, seed %d: no case of the kind was found: %w", Name, kind, seed, failed)
}

// programCase is a case: one program, or two one after the other.
type programCase struct {
	seed   uint64
	loads  []*load
	text   string
	plant  string  // of a case that one thing limits
	period float64 // ns between samples
}

// Bounds of captures.
const (
	fewest, largest = 210, 420 // samples
	steps           = 30000    // bursts, waits and the like that a simulation has time for
)

func (c *programCase) draw(r simulate.Random, kind string) {
	m := drawMachine(r)
	item := r.Log(0.3e6, 20e6)
	names := sorted(plants)
	var list []string
	switch kind {
	case simulate.KindHealthy:
		c.add(r, m, dates(r, &m, item), "dates")
	case simulate.KindSerial:
		c.add(r, m, inTurn(r, &m, item), "in turn")
	case simulate.KindSingle:
		c.plant = names[c.seed%uint64(len(names))] // seeds take them in turn
		list = []string{c.plant}
	case simulate.KindTwoPhase:
		m.share = 1
		first := r.IntN(len(names))
		second := (first + 1 + r.IntN(len(names)-1)) % len(names)
		list = []string{names[first], names[second]}
	default:
		all := sorted(archetypes)
		name := all[r.IntN(len(all))]
		c.add(r, m, archetypes[name](r, &m, item), name)
	}
	for _, name := range list {
		own := m
		p := plants[name](r, &own, item)
		c.add(r, own, p, name)
	}
	for i, w := range c.loads {
		if i > 0 {
			c.text += ", then "
		}
		c.text += fmt.Sprintf("%s: %d threads", w.p.name, len(w.p.threads))
	}
	c.text += fmt.Sprintf(" on %d processors", m.cpus)
	// A period of a tick of the kernel or so, with enough samples in what there is time to simulate.
	c.period = simulate.Pick(r, 1e6, 2e6, 5e6, 10e6)
	for _, w := range c.loads {
		c.fit(w)
	}
}

func sorted[V any](m map[string]V) (out []string) {
	for name := range m {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

func (c *programCase) add(r simulate.Random, m machine, p program, name string) {
	p.complete(r, &m, name)
	c.loads = append(c.loads, &load{m: m, p: p, rnd: draws(r), warm: max(8, len(p.threads)+2), items: 40})
}

// fit sets how many items are simulated: as many as give enough samples, and not more than there is time for.
func (c *programCase) fit(w *load) {
	e := w.engine(relief{}, false, nil)
	if e.run() != nil {
		return
	}
	start, end := took(e.done, w.warm)
	each := float64(end-start) / float64(w.items)
	per := float64(e.order) / float64(len(e.done))
	want := float64(fewest+largest) / 2 * c.period / each
	if len(c.loads) > 1 {
		want /= 2
	}
	w.items = max(30, int(min(want, steps/per)))
	if have := float64(w.items) * each; have < fewest*c.period {
		c.period = max(0.2e6, have/fewest)
	} else if have > 1800*c.period {
		c.period = have / 1800
	}
}

func (c *programCase) judge() (*simulate.Truth, error) {
	var parts []simulate.Part
	var all simulate.Truth
	at := int64(0)
	for _, w := range c.loads {
		t, err := w.judge()
		if err != nil {
			return nil, err
		}
		p := t.Part
		p.Name, p.Start, p.End = w.p.name, at, at+p.End-p.Start
		at = p.End
		parts = append(parts, p)
		all.Each = append(all.Each, t.Each...)
	}
	if len(parts) == 1 {
		all.Part = parts[0]
		return &all, nil
	}
	all.Part, all.Phases = together(parts), parts
	return &all, nil
}

// together is the truth about programs that run one after the other: their times, shares and gains add up.
func together(parts []simulate.Part) simulate.Part {
	sum := simulate.Part{Start: parts[0].Start, End: parts[len(parts)-1].End, ClockMean: parts[0].ClockMean}
	gains := map[simulate.Candidate]float64{}
	shares := map[simulate.Candidate]int64{}
	var order []simulate.Candidate
	for _, p := range parts {
		sum.Frames += p.Frames
		sum.Missed += p.Missed
		for _, g := range p.Leaves {
			if _, ok := gains[g.Candidate]; !ok {
				order = append(order, g.Candidate)
			}
			gains[g.Candidate] += g.Percent * float64(p.End-p.Start) / float64(sum.End-sum.Start)
		}
		for _, s := range p.Shares {
			shares[s.Candidate] += s.Ns
		}
	}
	for _, c := range order {
		sum.Leaves = append(sum.Leaves, simulate.Gain{Candidate: c, Percent: gains[c], Simulated: true})
	}
	for _, c := range append(order, Timer) {
		if shares[c] > 0 {
			sum.Shares = append(sum.Shares, simulate.Share{Candidate: c, Ns: shares[c]})
		}
	}
	simulate.SortGains(sum.Leaves)
	simulate.SortShares(sum.Shares)
	return sum
}

// record makes the capture.
func (c *programCase) record(o simulate.Options) (*capture.Capture, error) {
	t := newTable(c, o)
	for _, w := range c.loads {
		if err := t.load(w); err != nil {
			return nil, err
		}
	}
	return t.capture()
}
