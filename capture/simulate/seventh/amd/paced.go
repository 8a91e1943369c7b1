package amd

import "astrolabe/capture/simulate"

// trial simulates a load once and says what part all of its frames make.
func (l *load) trial() (p simulate.Part, ok bool) {
	e := engines.Get().(*engine)
	defer engines.Put(e)
	if err := e.run(l, noRelief(), true, nil); err != nil {
		return p, false
	}
	return e.partOf(l.parts()[0]), true
}

// dates are the ways in which frames that keep their dates are paced.
func dates(r simulate.Random, want simulate.Candidate) (p simulate.Pacing) {
	p.Ahead, p.Buffers = r.Whole(2, 3), r.Whole(2, 3)
	switch want {
	case simulate.DisplayCap:
		p.Cap = int64(1e9 / simulate.Pick(r, 24, 30, 40, 48, 60, 72, 90, 120, 144.0))
		if r.Chance(0.3) {
			p.Refresh, p.Adaptive = 6_060_606, true
		}
	case simulate.DisplayRequest:
		p = simulate.Pacing{Requests: true, Cap: int64(r.Log(9e6, 60e6)), Ahead: 2, Buffers: 3}
	default:
		hz := simulate.Pick(r, 60, 60, 72, 75, 90, 120, 144, 165)
		p.Refresh, p.Cadence = int64(1e9/float64(hz)), []int{1}
		switch x := r.Float64(); {
		case x < 0.2:
			p.Adaptive, p.Cadence = true, nil
		case x < 0.55:
			rate := simulate.Pick(r, 24, 30, 48, 60)
			if rate < hz {
				p.Cadence = simulate.CadenceOf(hz, rate)
			}
		}
		p.Align = r.Chance(0.3) && !p.Adaptive
	}
	return p
}

// paced makes a program that keeps its dates, at 20 to 75 percent of the GPU's time. The governor lets the clock fall
// while there is little to do, so the size is found by trying.
func (l *load) paced(r simulate.Random, p program, want simulate.Candidate) *load {
	l.pacing = dates(r, want)
	interval := float64(l.pacing.Interval())
	goal := r.Between(0.24, 0.68)
	ratioApp := r.Between(0.05, 0.5)
	p.app = min(p.app, interval*ratioApp)
	p.driver = min(p.driver, interval*0.25)
	if want != simulate.DisplayRequest && r.Chance(0.5) {
		p.app = interval * ratioApp
	}
	base, host := *l, r.Uint64()
	p.content.resize(interval * goal)
	for range 14 {
		try := base
		q := p
		q.requests, q.sync = 0, false
		try.of(simulate.NewRandom(host, "frames"), q)
		try.text = p.content.name + ", every date kept"
		part, ok := try.trial()
		good := ok && part.Missed == 0 && part.GPUBusy > 0.21 && part.GPUBusy < 0.74
		if good {
			display := int64(0)
			for _, s := range part.Shares {
				if s.Candidate.Level == simulate.LevelDisplay {
					display += s.Ns
				}
			}
			if 10*display > 6*(part.End-part.Start) {
				if truth, err := try.judge(); err == nil && truth.Healthy {
					return &try
				}
			}
		}
		if ok && part.GPUBusy < 0.21 {
			p.content.by(1.25)
		} else {
			p.content.by(0.8)
			p.app *= 0.85
			p.driver *= 0.85
		}
	}
	return nil
}

// healthy is a program that keeps its dates, on a machine with room.
func healthy(r simulate.Random) *load {
	for range 6 {
		l := machine(r, simulate.Pick(r, cards...))
		k := kinds[r.IntN(len(kinds))]
		p := k.make(newScene(r, l.card, k.name))
		p.full, p.evict = false, eviction{}
		for i := range p.content.jobs { // needless dependencies are no fault where there is time
			for n := range p.content.jobs[i].after {
				p.content.jobs[i].after[n].loose = false
			}
		}
		l.threads = r.Whole(1, 2)
		want := simulate.Pick(r, simulate.DisplayVsync, simulate.DisplayVsync, simulate.DisplayVsync, simulate.DisplayCap, simulate.DisplayRequest)
		if x := l.paced(r, p, want); x != nil {
			return x
		}
	}
	return nil
}

// serial is a program that works in turn although either side has room: the application waits for results, or queues
// wait for each other.
func serial(r simulate.Random) *load {
	l := machine(r, simulate.Pick(r, cards...))
	s := newScene(r, l.card, "")
	var p program
	if r.Chance(0.5) {
		p = inTurn(s)
		l.text = "queues in turn"
		l.pacing = simulate.Pacing{Ahead: r.Whole(2, 3)}
		l.threads = r.Whole(1, 2)
	} else {
		p = limited(s, simulate.Pick(r, uBandwidth, uArithmetic, uTexture, uCache, uLatency, uLocal))
		longest, _ := p.content.alone()
		p.app, p.driver = longest*r.Between(0.5, 1.5), longest*r.Between(0.02, 0.2)
		l.text = "waits for results"
		l.pacing = simulate.Pacing{Ahead: 1}
		if r.Chance(0.5) { // a picture of what was drawn is read within the frame
			l.pacing.Ahead = 2
			l.wait = &sync{at: r.Between(0.3, 0.7), job: len(p.content.jobs) - 1}
		}
	}
	p.content.name = l.text
	l.of(r, p)
	return l
}

// twoPhase is one content and then another, with other limits.
func twoPhase(r simulate.Random) *load {
	l := machine(r, simulate.Pick(r, cards...))
	l.pacing = simulate.Pacing{Ahead: r.Whole(2, 3)}
	l.threads = r.Whole(1, 2)
	l.firmware.ppt *= 1.3
	list := []int{uBandwidth, uLatency, uCache, uArithmetic, uTexture, uLoadStore, uLocal, uVertex, uPrimitive, uRaster, uDepth, uPixel,
		uCopy, uVideo, -1, -2}
	a := r.IntN(len(list))
	b := (a + 1 + r.IntN(len(list)-1)) % len(list)
	one := func(u int, name string) program {
		s := newScene(r, l.card, name)
		p := limited(s, max(u, 0))
		longest, _ := p.content.alone()
		switch u {
		case -1:
			p.app = longest * r.Between(1.5, 3)
		case -2:
			p.driver = longest * r.Between(1.5, 3)
		}
		p.content.name, p.full, p.evict = name, false, eviction{}
		return p
	}
	l.text = "one content and then another"
	l.of(r, one(list[a], "first"), one(list[b], "second"))
	return l
}
