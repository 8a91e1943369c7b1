package amd

import (
	"fmt"
	"slices"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
)

// Names are the families that this package makes.
var Names = []string{"amd-live-seventh"}

// Kinds are the kinds of cases of a family.
func Kinds(string) []string { return simulate.Kinds() }

var makers = map[string]func(r simulate.Random, seed uint64) *load{simulate.KindArchetype: archetype, simulate.KindRandom: random,
	simulate.KindSingle: single, simulate.KindSerial: serial, simulate.KindHealthy: healthy, simulate.KindTwoPhase: twoPhase}

// New draws a case of a kind. The same arguments give the same case.
func New(name, kind string, seed uint64) (*simulate.Case, error) {
	maker := makers[kind]
	if !slices.Contains(Names, name) || maker == nil {
		return nil, fmt.Errorf("there is no family %q with cases of kind %q; there are %v with %v", name, kind, Names, Kinds(name))
	}
	l := maker(simulate.NewRandom(seed, name+" "+kind), seed)
	if l == nil {
		return nil, fmt.Errorf("%s %s %d: nothing was found that keeps its dates", name, kind, seed)
	}
	return &simulate.Case{Family: name, Kind: kind, Seed: seed, Plant: l.plant,
		Text:   l.text + ", " + l.pacing.Name() + ", " + l.card.name,
		Record: func(o simulate.Options) (*capture.Capture, error) { return l.record(seed, o) }, Judge: l.judge}, nil
}

// machine begins a load on a card, in the state that cards are usually in: cool enough, and limited by power where
// everything is busy.
func machine(r simulate.Random) *load {
	c := simulate.Pick(r, cards...)
	l := &load{card: c, threads: r.Whole(1, 2), notice: r.Between(25e3, 90e3), used: r.Between(0.1, 0.8), spare: r.Log(5e7, 2e9)}
	rise := c.limit - r.Between(12, 30) - 24
	die := rise * r.Between(0.3, 0.45) / c.ppt
	l.firmware = firmware{ppt: c.ppt, full: c.full * r.Between(0.95, 1.05), ceiling: 1, lowest: 0.25, easy: r.Between(0.35, 0.6),
		die: die, sink: 24 + rise - die*c.ppt}
	l.host = hostLook{cpus: simulate.Pick(r, 8, 12, 16, 16, 24), helped: 0.55, kernel: r.Between(0.15, 0.6),
		background: r.Log(0.004, 0.06), hz: r.Between(3.2e9, 5.6e9), spins: r.Chance(0.12)}
	if c.apu() {
		l.firmware.cpu = c.ppt * r.Between(0.15, 0.4)
		l.host.cpus = simulate.Pick(r, 8, 16)
		l.used, l.spare = r.Between(0.3, 0.95), r.Log(2e8, 6e9)
	}
	l.pacing = simulate.Pacing{Ahead: r.Whole(2, 3), Buffers: r.Whole(2, 4)}
	return l
}

// hot lets the sink be so warm that the chip comes to its limit of heat at a share of its power.
func (l *load) hot(share float64) {
	l.firmware.sink = l.card.limit - l.firmware.die*l.card.ppt*share
}

// conditions are what happens to machines: heat, low limits of power, levels that somebody set and forgot.
func (l *load) conditions(r simulate.Random) string {
	switch x := r.Float64(); {
	case x < 0.06:
		l.hot(r.Between(0.45, 0.85))
		return ", hot"
	case x < 0.13:
		l.firmware.ppt *= r.Between(0.5, 0.85)
		return ", little power"
	case x < 0.17:
		l.firmware.ceiling = r.Between(0.5, 0.85)
		return ", a low performance level"
	}
	return ""
}

// pace draws how frames are paced.
func (l *load) pace(r simulate.Random) {
	p := &l.pacing
	switch x := r.Float64(); {
	case x < 0.62:
	case x < 0.84:
		p.Refresh = int64(1e9 / simulate.Pick(r, 60, 60, 72, 75, 90, 120, 144, 165.0))
		if p.Cadence = []int{1}; x > 0.77 {
			p.Adaptive = true
		}
	default:
		p.Cap = int64(1e9 / simulate.Pick(r, 30, 40, 48, 60, 72, 90, 120, 144.0))
	}
}

// of makes a load of programs, one after the other.
func (l *load) of(r simulate.Random, list ...program) *load {
	var app, driver []float64
	for _, p := range list {
		l.contents, l.evict = append(l.contents, p.content), append(l.evict, p.evict)
		app, driver = append(app, p.app), append(driver, p.driver)
		l.host.workers = max(l.host.workers, p.workers)
		if p.full {
			l.used, l.spare = r.Between(0.965, 0.995), r.Log(1e9, 8e9)
		}
		if p.sync {
			l.pacing.Ahead = 1
		}
		if p.requests > 0 {
			l.pacing = simulate.Pacing{Requests: true, Cap: p.requests, Ahead: 2}
		}
		l.kfd = p.compute && r.Chance(0.5)
	}
	varied := r.Log(0.01, 0.12)
	l.fill(r, app, driver, r.Between(1.2, 3), varied)
	return l
}

func archetype(r simulate.Random, _ uint64) *load {
	l := machine(r)
	var weights []float64
	for _, k := range programs {
		weights = append(weights, k.weight)
	}
	k := programs[r.Weighted(weights)]
	p := k.make(newScene(r, l.card, k.name))
	// Settings are lowered until frames come, or raised while they do.
	ns, least, most := p.content.longest(), 0.0, 300e6
	if p.screen {
		least, most = r.Log(1.5e6, 16e6), r.Log(16e6, 60e6)
		l.pace(r)
	}
	size := min(max(ns, least), most) / ns
	p.content.by(size)
	p.evict.bytes, p.evict.buffers = p.evict.bytes*size, p.evict.buffers*size
	ns = p.content.longest()
	if p.screen && r.Chance(0.6) { // most who play have a processor that suits
		p.app, p.driver = min(p.app, ns*r.Between(0.3, 0.95)), min(p.driver, ns*r.Between(0.1, 0.8))
	}
	if p.screen {
		p.driver = min(p.driver, r.Log(8e6, 30e6))
	}
	l.text = k.name + l.conditions(r)
	return l.of(r, p)
}

// random is passes of any kind in any mixture.
func random(r simulate.Random, _ uint64) *load {
	l := machine(r)
	s := newScene(r, l.card, "random passes")
	picture := 0
	for k := range r.Whole(2, 14) {
		if r.Chance(0.06) {
			s.upload(r.Log(1e5, 1e8))
			continue
		}
		var d vector
		ns := r.Log(3e4, 5e6)
		for range r.Whole(1, 5) {
			d[simulate.Pick(r, uBandwidth, uLatency, uCache, uArithmetic, uTexture, uLoadStore, uLocal, uVertex, uPrimitive, uRaster, uDepth,
				uPixel, uCommand)] = ns * r.Log(0.1, 1)
		}
		sh, q := meshes, graphics
		if d[uVertex]+d[uPrimitive]+d[uRaster]+d[uDepth]+d[uPixel] == 0 {
			sh, q = threads, simulate.Pick(r, graphics, compute)
		}
		if s.put("pass", q, sh, d, r.Whole(1, 4), 0.3, r.Log(2e3, 3e4)); k > 0 && s.content.jobs[k-1].queue != q && r.Chance(0.7) {
			s.after(k, need{k - 1, 0, r.Chance(0.25)})
		}
		if q == graphics {
			picture = k
		}
	}
	p := program{content: s.done(picture), workers: r.Whole(0, 4), sync: r.Chance(0.1)}
	ns := p.content.longest()
	p.app, p.driver = ns*r.Log(0.08, 1.5), ns*r.Log(0.04, 0.9)
	if r.Chance(0.4) {
		l.pace(r)
	}
	l.text = "random passes" + l.conditions(r)
	return l.of(r, p)
}
