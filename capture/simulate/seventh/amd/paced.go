package amd

import "astrolabe/capture/simulate"

// dates are the ways in which frames that keep their dates are paced.
func dates(r simulate.Random, want simulate.Candidate) (p simulate.Pacing) {
	p.Ahead, p.Buffers = r.Whole(2, 3), r.Whole(2, 3)
	switch want {
	case simulate.DisplayCap:
		p.Cap = int64(1e9 / simulate.Pick(r, 24, 30, 40, 48, 60, 72, 90, 120, 144.0))
		if r.Chance(0.3) {
			p.Refresh, p.Adaptive = 6_060_606, true // 165 Hz
		}
	case simulate.DisplayRequest:
		p = simulate.Pacing{Requests: true, Cap: int64(r.Log(9e6, 60e6)), Ahead: 2, Buffers: 3}
	default:
		hz := simulate.Pick(r, 60, 60, 72, 75, 90, 120, 144, 165)
		p.Refresh, p.Cadence = int64(1e9/float64(hz)), []int{1}
		rate := simulate.Pick(r, 24, 30, 48, 60)
		switch x := r.Float64(); {
		case x < 0.2:
			p.Adaptive = true
		case x < 0.55 && rate < hz:
			p.Cadence = simulate.CadenceOf(hz, rate)
		}
	}
	return p
}

// paced makes a program that keeps its dates, at 20 to 75 percent of the GPU's time. The governor lets the clock fall
// while there is little to do, so the size is found by trying; nil where none is found.
func (l *load) paced(r simulate.Random, p program, want simulate.Candidate) *load {
	l.pacing = dates(r, want)
	interval, app := float64(l.pacing.Interval()), r.Between(0.05, 0.5)
	p.app, p.driver, p.requests, p.sync = interval*app*r.Between(0.3, 1), min(p.driver, interval*0.25), 0, false
	p.full, p.evict = false, eviction{}
	for i := range p.content.jobs { // needless dependencies are no fault where there is time
		if p.content.jobs[i].name == moving {
			p.content.jobs[i].name = "upload" // its buffers fit
		}
		for n := range p.content.jobs[i].after {
			p.content.jobs[i].after[n].loose = false
		}
	}
	p.content.by(interval * r.Between(0.24, 0.68) / p.content.longest())
	l.text = p.content.name + ", every date kept"
	base, frames := *l, r.Uint64()
	for range 14 {
		try := base
		try.of(simulate.NewRandom(frames, "frames"), p)
		e := engines.Get().(*engine)
		err := e.run(&try, relief{unit: -1, queue: -1}, true, nil)
		part := e.partOf(try.parts()[0])
		engines.Put(e)
		if err == nil && part.Missed == 0 && part.GPUBusy > 0.21 && part.GPUBusy < 0.74 && part.Displayed() > 0.6 {
			if truth, err := try.judge(); err == nil && truth.Healthy {
				return &try
			}
		}
		if err == nil && part.GPUBusy < 0.21 {
			p.content.by(1.25)
		} else {
			p.content.by(0.8)
			p.app, p.driver = p.app*0.85, p.driver*0.85
		}
	}
	return nil
}

// healthy is a program that keeps its dates, on a machine with room.
func healthy(r simulate.Random, _ uint64) *load {
	for range 6 {
		l := machine(r)
		k := programs[r.IntN(len(programs))]
		p := k.make(newScene(r, l.card, k.name))
		if x := l.paced(r, p, simulate.Pick(r, simulate.DisplayVsync, simulate.DisplayVsync, simulate.DisplayVsync, simulate.DisplayCap,
			simulate.DisplayRequest)); x != nil {
			return x
		}
	}
	return nil
}

// serial is a program that works in turn although either side has room: the application waits for results, or queues
// wait for each other.
func serial(r simulate.Random, _ uint64) *load {
	l := machine(r)
	if r.Chance(0.5) {
		l.text = "queues in turn"
		return l.of(r, newScene(r, l.card, l.text).inTurn())
	}
	l.text = "waits for results"
	p := newScene(r, l.card, l.text).of(simulate.Pick(r, uBandwidth, uArithmetic, uTexture, uCache, uLatency, uLocal))
	ns := p.content.longest()
	p.app, p.driver, p.sync = ns*r.Between(0.5, 1.5), ns*r.Between(0.02, 0.2), true
	return l.of(r, p)
}

// twoPhase is one content and then another, with other limits.
func twoPhase(r simulate.Random, _ uint64) *load {
	l := machine(r)
	l.firmware.ppt *= 1.3
	l.text = "one content and then another"
	list := []int{uBandwidth, uLatency, uCache, uArithmetic, uTexture, uLoadStore, uLocal, uVertex, uPrimitive, uRaster, uDepth,
		uPixel, uCopy, uVideo, -1, -2} // the last two are the processor's
	a := r.IntN(len(list))
	both := []int{list[a], list[(a+1+r.IntN(len(list)-1))%len(list)]}
	var phases []program
	for i, u := range both {
		p := newScene(r, l.card, []string{"first", "second"}[i]).of(max(u, 0))
		switch ns := p.content.longest(); u {
		case -1:
			p.app = ns * r.Between(1.5, 3)
		case -2:
			p.driver = ns * r.Between(1.5, 3)
		}
		phases = append(phases, p)
	}
	return l.of(r, phases...)
}
