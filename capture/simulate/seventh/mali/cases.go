package mali

import (
	"fmt"
	"slices"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
)

// Names are the families that are modelled.
var Names = []string{"mali-g720-seventh", "mali-g57-seventh"}

// Kinds are the kinds of cases of a family.
func Kinds(string) []string { return simulate.Kinds() }

// caseOf is a case in the making.
type caseOf struct {
	name, kind, text, plant string
	seed                    uint64
	chip                    *chip
	load                    *load
}

// New draws a case. The same arguments give the same case.
func New(name, kind string, seed uint64) (*simulate.Case, error) {
	if !slices.Contains(Names, name) {
		return nil, fmt.Errorf("seventh/mali: there is no family %q; there are %v", name, Names)
	}
	if !slices.Contains(Kinds(name), kind) {
		return nil, fmt.Errorf("seventh/mali: there is no kind of case %q; there are %v", kind, Kinds(name))
	}
	x := &caseOf{name: name, kind: kind, seed: seed}
	if err := x.draw(simulate.NewRandom(seed, "seventh "+name+" "+kind)); err != nil {
		return nil, err
	}
	return &simulate.Case{Family: name, Kind: kind, Seed: seed, Text: x.text, Plant: x.plant,
		Record: func(o simulate.Options) (*capture.Capture, error) { return x.record(o) },
		Judge:  func() (*simulate.Truth, error) { return judge(x.chip, x.load) }}, nil
}

func (x *caseOf) draw(r simulate.Random) error {
	x.chip = newChip(x.name, r)
	x.load = &load{warm: 4, threads: 1 + r.IntN(2), shares: [2]float64{r.Between(0, 0.5), r.Between(0, 0.12)}}
	b := &builder{c: x.chip, r: r}
	x.steady(r)
	var err error
	switch x.kind {
	case simulate.KindSingle:
		err = x.single(b)
	case simulate.KindHealthy:
		err = x.healthy(b)
	case simulate.KindSerial:
		x.serial(b)
	case simulate.KindRandom:
		x.load.contents = []content{b.mixture()}
		b.uneven(&x.load.contents[0], 0.3)
		x.usual(b, 0.35)
	case simulate.KindTwoPhase:
		x.twoPhase(b)
	default:
		x.load.contents = []content{b.content(simulate.Pick(r, archetypes...))}
		b.uneven(&x.load.contents[0], 0.35)
		if r.Chance(0.35) {
			b.stress(&x.load.contents[0], r.IntN(stLatency+1), r.Log(2, 14))
		}
		x.usual(b, 0.5)
	}
	if x.text == "" {
		if x.plant != "" {
			x.text = "planted " + x.plant + ": "
		}
		for _, t := range x.load.contents {
			x.text += t.name + ", "
		}
		x.text += x.load.pace.Name()
	}
	return err
}

// steady keeps the clock at its highest.
func (x *caseOf) steady(r simulate.Random) {
	x.load.gov = governor{start: len(x.chip.steps) - 1, degrees: r.Between(38, 60), up: 2}
}

// governed lets a governor set the clock, as phones do.
func (x *caseOf) governed(r simulate.Random) {
	g := &x.load.gov
	*g = governor{period: int64(r.Between(8e6, 32e6)), start: r.IntN(len(x.chip.steps)), up: r.Between(0.75, 0.95), degrees: g.degrees,
		jump: r.Chance(0.3)}
	g.down = g.up * r.Between(0.5, 0.8)
}

// hot lets heat hold the clock down.
func (x *caseOf) hot(r simulate.Random, share float64) {
	g := &x.load.gov
	if g.period == 0 {
		g.period, g.start, g.up = int64(r.Between(8e6, 20e6)), len(x.chip.steps)-1, 2
	}
	g.heat, g.watts, g.ambient, g.throttle = true, r.Between(3, 7), r.Between(38, 50), r.Between(75, 92)
	// The clock at which it stays below the limit of heat, always busy, is about this share of the highest.
	g.perWatt = (g.throttle - g.ambient) / g.watts / share / share / share
	g.degrees, g.constant = g.throttle+r.Between(-1, 1), r.Between(0.15e9, 0.6e9)
}

// limited lets firmware hold the clock down for power.
func (x *caseOf) limited(r simulate.Random, share float64) {
	g := &x.load.gov
	if g.period == 0 {
		g.period, g.start, g.up = int64(r.Between(4e6, 16e6)), len(x.chip.steps)-1, 2
	}
	g.watts = r.Between(3, 9)
	g.limit, g.window = g.watts*share*share*share, r.Between(20e6, 80e6)
}

// fill makes frames: so many of each content, with some randomness from frame to frame.
func (x *caseOf) fill(r simulate.Random, app, driver []float64) {
	n := r.Whole(26, 40)
	long := float64(x.load.pace.Interval())
	for i := range x.load.contents {
		long = max(long, x.took(&x.load.contents[i]), app[i], driver[i])
	}
	n = max(n, min(int(r.Between(0.3e9, 0.7e9)/long), 2500/len(x.load.contents[0].jobs)))
	uneven, pan, hitch := r.Log(0.01, 0.12), r.Between(0, 0.04), 0.0
	if (x.kind == simulate.KindArchetype || x.kind == simulate.KindRandom) && r.Chance(0.25) {
		hitch = r.Between(0.01, 0.06) // frames in which a program collects garbage, or loads
	}
	for k := range x.load.contents {
		seen := 0.0 // what is seen changes as a camera turns
		for range n {
			seen = 0.92*seen + pan*r.NormFloat64()
			f := frame{content: k, app: max(2e4, app[k]*r.Spread(uneven*1.5)), driver: max(1e4, driver[k]*r.Spread(uneven)),
				scale: r.Spread(uneven) * max(0.5, 1+seen)}
			if r.Chance(hitch) {
				f.app *= r.Between(2, 4)
			}
			x.load.frames = append(x.load.frames, f)
		}
	}
	if p := &x.load.pace; p.Requests { // frames as fingers move, or as a film has them
		at := 0.0
		for i := range x.load.frames {
			at += max(float64(p.Interval()), 16e6) * r.Between(0.8, 2.5)
			x.load.frames[i].request = int64(at)
		}
	}
}

// took is how long a content takes the GPU, about: queues overlap in part.
func (x *caseOf) took(t *content) float64 {
	launch := 0.0
	for i := range t.jobs {
		launch += x.chip.launch*(1+0.35*(t.jobs[i].starts-1)) + x.chip.flush
	}
	return x.chip.solo(t, &nothing) + launch
}

// resize scales a content to a time of the GPU. What launches take does not scale.
func (x *caseOf) resize(t *content, ns float64) {
	launch := x.took(t) - x.chip.solo(t, &nothing)
	t.scale(max(0.05*ns, ns-launch) / x.chip.solo(t, &nothing))
}

// usual draws what feeds a content: pacing, the processor's work, the clock. free is the chance that nothing paces.
func (x *caseOf) usual(b *builder, unpaced float64) {
	r, w := b.r, x.load
	w.pace = free(r)
	if !r.Chance(unpaced) {
		w.pace = paced(r)
		if r.Chance(0.08) {
			w.pace.Requests, w.pace.Align = true, false
		}
	}
	base := r.Log(2.5e6, 40e6)
	if iv := float64(w.pace.Interval()); iv > 0 {
		base = iv * r.Log(0.5, 2.2)
	}
	var app, driver []float64
	processor := r.Log(0.3, 1.3)
	for i := range w.contents {
		t := &w.contents[i]
		ns := x.took(t)
		small := len(t.jobs) > 8 && ns < base && r.Chance(0.5) // many passes, none of them long
		if !small && (w.pace.Interval() > 0 || ns > 45e6 || ns < 0.1e6) {
			x.resize(t, base)
		}
		all := x.took(t)
		app = append(app, all*processor*r.Between(0.7, 1))
		driver = append(driver, all*processor*r.Log(0.1, 1.5)+r.Between(15e3, 60e3)*float64(len(t.jobs)))
	}
	if r.Chance(0.45) {
		x.governed(r)
	}
	if r.Chance(0.06) {
		x.hot(r, r.Between(0.5, 0.85))
	} else if r.Chance(0.08) {
		x.limited(r, r.Between(0.5, 0.85))
	}
	if r.Chance(0.07) {
		w.sync = &syncWait{job: -1}
	}
	if r.Chance(0.2) {
		x.inTurn(b, &w.contents[0])
	}
	x.fill(r, app, driver)
}

// inTurn adds a dependency that the content does not need: geometry, or compute, that waits for the pixels of the frame
// before, as with a barrier between all stages.
func (x *caseOf) inTurn(b *builder, t *content) {
	last := len(t.jobs) - 1
	for i := range t.jobs {
		if t.jobs[i].queue != x.chip.fragmentQueue() {
			t.jobs[i].after = append(t.jobs[i].after, dependency{job: last, back: 1, loose: true})
			return
		}
	}
}

func (x *caseOf) twoPhase(b *builder) {
	r := b.r
	first := r.IntN(len(archetypes))
	second := (first + r.Whole(1, len(archetypes)-1)) % len(archetypes)
	x.load.contents = []content{b.content(archetypes[first]), b.content(archetypes[second])}
	for i := range x.load.contents {
		if r.Chance(0.6) { // something that limits it
			b.stress(&x.load.contents[i], r.IntN(stLatency+1), r.Log(2, 8))
		}
	}
	x.usual(b, 0.55)
}
