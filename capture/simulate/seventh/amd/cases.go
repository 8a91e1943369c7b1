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

// New draws a case of a kind. The same arguments give the same case.
func New(name, kind string, seed uint64) (*simulate.Case, error) {
	if !slices.Contains(Names, name) {
		return nil, fmt.Errorf("there is no family %q; there are %v", name, Names)
	}
	r := simulate.NewRandom(seed, name+" "+kind)
	var l *load
	switch kind {
	case simulate.KindArchetype:
		l = archetype(r)
	case simulate.KindRandom:
		l = random(r)
	case simulate.KindSingle:
		l = single(r, int(seed%uint64(len(plants))))
	case simulate.KindSerial:
		l = serial(r)
	case simulate.KindHealthy:
		l = healthy(r)
	case simulate.KindTwoPhase:
		l = twoPhase(r)
	default:
		return nil, fmt.Errorf("%s has no cases of kind %q", name, kind)
	}
	if l == nil {
		return nil, fmt.Errorf("%s %s %d: no case was found", name, kind, seed)
	}
	return &simulate.Case{Family: name, Kind: kind, Seed: seed, Text: l.text + ", " + l.pacing.Name() + ", " + l.card.name, Plant: l.plant,
		Record: func(o simulate.Options) (*capture.Capture, error) { return l.record(seed, o) }, Judge: l.judge}, nil
}

// machine begins a load on a card, in the state that cards are usually in: cool enough, and limited by power where
// everything is busy.
func machine(r simulate.Random, c *card) *load {
	l := &load{card: c, threads: 1, notice: r.Between(25e3, 90e3), used: r.Between(0.1, 0.8), spare: r.Log(5e7, 2e9)}
	fw := firmware{ppt: c.ppt, full: c.full * r.Between(0.95, 1.05), ceiling: 1, lowest: 0.25, easy: r.Between(0.35, 0.6)}
	rise := (c.limit - r.Between(12, 30)) - 24
	fw.die = rise * r.Between(0.3, 0.45) / c.ppt
	fw.sink = 24 + rise - fw.die*c.ppt
	if c.apu() {
		fw.cpu = c.ppt * r.Between(0.15, 0.4)
	}
	l.firmware = fw
	l.host = hostLook{cpus: simulate.Pick(r, 8, 12, 16, 16, 24), kernel: r.Between(0.15, 0.6), background: r.Log(0.004, 0.06),
		hz: r.Between(3.2e9, 5.6e9), held: r.Between(0.85, 1), spins: r.Chance(0.12)}
	if c.apu() {
		l.host.cpus = simulate.Pick(r, 8, 16)
		l.used, l.spare = r.Between(0.3, 0.95), r.Log(2e8, 6e9)
	}
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
		l.hot(r.Between(0.3, 0.8))
		return ", hot"
	case x < 0.13:
		l.firmware.ppt *= r.Between(0.4, 0.8)
		return ", little power"
	case x < 0.17:
		l.firmware.ceiling = r.Between(0.4, 0.8)
		return ", a low performance level"
	}
	return ""
}

var refreshes = []float64{60, 60, 72, 75, 90, 120, 144, 165}

// pace draws how frames are paced. most is the ns that a frame takes at most of GPU and application.
func pace(r simulate.Random, most float64) (p simulate.Pacing) {
	p.Ahead = r.Whole(2, 3)
	hz := simulate.Pick(r, refreshes...)
	p.Buffers = r.Whole(2, 4)
	switch x := r.Float64(); {
	case x < 0.58:
	case x < 0.76:
		p.Refresh, p.Cadence = int64(1e9/hz), []int{1}
	case x < 0.84:
		p.Refresh, p.Adaptive = int64(1e9/hz), true
	default:
		p.Cap = int64(1e9 / simulate.Pick(r, 30, 40, 48, 60, 72, 90, 120, 144.0))
	}
	return p
}

// of makes a load of one program.
func (l *load) of(r simulate.Random, programs ...program) {
	var app, driver []float64
	varied := r.Between(0.01, 0.08)
	for i := range programs {
		p := &programs[i]
		l.contents = append(l.contents, p.content)
		app, driver = append(app, p.app), append(driver, p.driver)
		l.evict = append(l.evict, p.evict)
		l.host.workers, l.host.helped = max(l.host.workers, p.workers), 0.55
		if p.full {
			l.used, l.spare = r.Between(0.965, 0.995), r.Log(1e9, 8e9)
		}
		if p.sync {
			l.pacing.Ahead = 1
		}
		if p.requests > 0 {
			l.pacing = simulate.Pacing{Requests: true, Cap: p.requests, Ahead: 2}
		}
	}
	seconds := r.Between(1.2, 3)
	l.fill(r, app, driver, seconds, varied)
	if l.text == "" {
		l.text = l.contents[0].name
	}
}

func archetype(r simulate.Random) *load {
	l := machine(r, simulate.Pick(r, cards...))
	var weights []float64
	for _, k := range kinds {
		weights = append(weights, k.weight)
	}
	k := kinds[r.Weighted(weights)]
	p := k.make(newScene(r, l.card, k.name))
	l.tame(r, &p)
	l.pacing = simulate.Pacing{Ahead: r.Whole(2, 3)}
	if p.screen {
		longest, _ := p.content.alone()
		l.pacing = pace(r, max(longest, p.app, p.driver))
	}
	if r.Chance(0.4) {
		l.threads = 2
	}
	l.text = k.name + l.conditions(r)
	l.of(r, p)
	return l
}

// tame keeps a program's size within what somebody would run on the card: settings are lowered until frames come.
func (l *load) tame(r simulate.Random, p *program) {
	longest, _ := p.content.alone()
	switch least, most := r.Log(1.5e6, 16e6), r.Log(16e6, 60e6); {
	case p.screen && longest > most:
		p.content.by(most / longest)
	case p.screen && longest < least: // or raised while they do
		p.content.by(least / longest)
	case longest > 300e6:
		p.content.by(300e6 / longest)
	}
	if r.Chance(0.6) && p.screen { // most who play have a processor that suits
		longest, _ := p.content.alone()
		p.app = min(p.app, longest*r.Between(0.3, 0.95))
		p.driver = min(p.driver, longest*r.Between(0.1, 0.8))
	}
	if p.screen {
		p.driver = min(p.driver, r.Log(8e6, 30e6))
	}
}

// random is passes of any kind in any mixture.
func random(r simulate.Random) *load {
	l := machine(r, simulate.Pick(r, cards...))
	s := newScene(r, l.card, "random passes")
	n := r.Whole(2, 14)
	picture := 0
	for range n {
		var d vector
		for range r.Whole(1, 5) {
			u := simulate.Pick(r, uBandwidth, uLatency, uCache, uArithmetic, uTexture, uLoadStore, uLocal, uVertex, uPrimitive, uRaster,
				uDepth, uPixel, uCommand)
			d[u] = r.Log(0.1, 1)
		}
		ns := r.Log(3e4, 5e6)
		sh, q := meshes, graphics
		if d[uVertex]+d[uPrimitive]+d[uRaster]+d[uDepth]+d[uPixel] == 0 {
			sh, q = threads, simulate.Pick(r, graphics, compute)
		}
		for u := range d {
			d[u] *= ns
		}
		if k := len(s.content.jobs); r.Chance(0.06) {
			s.upload(r.Log(1e5, 1e8))
		} else {
			s.content.jobs = append(s.content.jobs, job{name: "pass", queue: q, shape: sh, fixed: r.Log(2e3, 3e4),
				parts: spreadParts(r, d, r.Whole(1, 4), 0.3), scatter: r.Between(0, 0.5)})
			if k > 0 && s.content.jobs[k-1].queue != q && r.Chance(0.7) {
				s.after(k, need{k - 1, 0, r.Chance(0.25)})
			}
		}
	}
	for i := range s.content.jobs {
		if s.content.jobs[i].queue == graphics {
			picture = i
		}
	}
	p := program{content: s.done(picture), workers: r.Whole(0, 4)}
	longest, _ := p.content.alone()
	p.app, p.driver = longest*r.Log(0.08, 1.6), longest*r.Log(0.04, 1)
	l.pacing = pace(r, max(longest, p.app, p.driver))
	l.threads = r.Whole(1, 2)
	if r.Chance(0.15) {
		l.wait = &sync{at: r.Between(0.2, 0.8), job: r.IntN(len(p.content.jobs))}
	}
	l.text = "random passes" + l.conditions(r)
	l.of(r, p)
	return l
}
