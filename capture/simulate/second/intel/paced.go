package intel

import (
	"astrolabe/capture/simulate"
)

// paced is content that keeps every date of the display, with what asks for it.
func (d *drawer) paced(sc *scene, c simulate.Candidate) (text string) {
	sc.pace, sc.ahead = pacing{buffers: 2 + d.IntN(2)}, 2
	sc.contents = nil
	var ms float64 // of a frame
	rate := func(list ...float64) float64 { return 1000 / list[d.IntN(len(list))] }
	switch c {
	case simulate.DisplayVsync:
		ms = rate(48, 60, 60, 60, 72, 90, 120, 144)
		sc.pace.refresh = ms * 1e6
	case simulate.DisplayCap:
		ms = rate(30, 30, 40, 50, 60)
		sc.pace.period = ms * 1e6
		sc.pace.due = 1.7 * ms * 1e6
		if d.chance(0.6) && ms > 30 {
			sc.pace.refresh = 1e9 / 60
			sc.pace.due += sc.pace.refresh
		}
	default:
		ms = rate(10, 15, 24, 24, 25, 30)
		sc.pace.period, sc.pace.request = ms*1e6, true
		sc.pace.refresh = 1e9 / 60 // 24 in 3:2
		sc.pace.due = 1.2*ms*1e6 + sc.pace.refresh
		if d.chance(0.4) {
			sc.pace.jitter = d.of(0.02, 0.2)
		}
	}
	share := d.of(0.2, 0.7)
	if c == simulate.DisplayRequest && d.chance(0.5) {
		share = d.of(0.03, 0.4) // idle screens
	}
	t := archetypes[d.IntN(len(archetypes))]
	passes := t.draw(d.artist)
	sc.contents = append(sc.contents, content{name: t.name, passes: passes})
	if d.chance(0.5) {
		sc.clock = clock{kind: clockGovernor, share: d.of(0.2, 0.6), up: d.of(0.85, 0.95), down: d.of(0.5, 0.8), boost: true}
	}
	low := 1.0
	if sc.clock.kind == clockGovernor {
		low = sc.clock.share
	}
	warm := sc.warm
	for {
		// The load is that at the clock that the GPU has.
		d.fit(passes, share*ms*1e6*(d.m.minGHz+(d.m.maxGHz-d.m.minGHz)*low)/d.m.maxGHz)
		sc.frames = nil
		if sc.clock.kind == clockGovernor {
			sc.warm = warm + int(400/ms) // until the governor has settled
		}
		d.animate(sc, 0, d.frames(ms)+sc.warm-warm, ms*1e6*d.of(0.05, 0.35), ms*1e6*d.of(0.05, 0.3))
		for i := range sc.frames {
			sc.frames[i].ask = sc.pace.jitter * d.Float64()
			// Nothing strays so far that a date is lost.
			sc.frames[i].app, sc.frames[i].driver = min(sc.frames[i].app, ms*0.45e6), min(sc.frames[i].driver, ms*0.4e6)
		}
		if sc.keeps() || share < 0.02 {
			return t.name
		}
		share *= 0.8
	}
}

// keeps reports whether every date is kept and nothing but the display sets the pace.
func (sc *scene) keeps() bool {
	r := noRelief()
	p := sc.play(&r, nil)
	for i := sc.warm; i < len(p.frames); i++ {
		if p.frames[i].missed > 0 || p.frames[i].paced.Name == "" {
			return false
		}
	}
	return true
}
