package intel

import (
	"slices"

	"astrolabe/capture/simulate"
)

type planted struct {
	station int
	c       simulate.Candidate
}

// Plants beyond stations and those of content.go.
const (
	pApp = 100 + iota
	pDriver
	pSync
	pHeat
	pPower
	pDisplay
)

// plants are what content can be limited by alone. The first 14 are of the GPU's work.
var plants = []planted{{sFPU, candidates[cArithmetic]}, {sSMP, candidates[cTexture]}, {sHDC, candidates[cLoadStore]},
	{sSLM, candidates[cLocal]}, {sVF, candidates[cVF]}, {sCL, candidates[cCL]}, {sSF, candidates[cSF]}, {sRAS, candidates[cRAS]},
	{sHZ, candidates[cHZ]}, {sEZ, candidates[cEZ]}, {sPB, candidates[cPB]}, {sBW, simulate.MemoryBandwidth},
	{plantLatency, simulate.MemoryLatency}, {sL3, candidates[cCache]}, {plantLaunch, simulate.LaunchOverhead},
	{pApp, simulate.CPUApp}, {pDriver, simulate.CPUDriver}, {pSync, simulate.CPUSync}, {pHeat, simulate.ClockThermal},
	{pPower, simulate.ClockPower}, {pDisplay, simulate.DisplayVsync}}

// suits are the passes that a plant can limit.
func suits(station int) []string {
	switch station {
	case sSMP:
		return []string{"opaque", "post", "alpha", "lighting", "g-buffer", "blur/c"}
	case sVF, sCL, sSF:
		return []string{"shadow", "opaque", "g-buffer"}
	case sRAS, sHZ, sEZ:
		return []string{"shadow", "opaque", "g-buffer"}
	case sPB:
		return []string{"alpha", "particles", "g-buffer", "interface", "post"}
	case sHDC:
		return []string{"gather/c", "atomic/c", "scatter/c", "stream/c"}
	case sSLM:
		return []string{"matrix/c", "reduce/c"}
	case sL3:
		return []string{"scatter/c", "gather/c", "opaque", "post"}
	case sRT:
		return []string{"rays/c"}
	case sBW:
		return []string{"stream/c", "reduce/c", "post", "alpha", "g-buffer", "blur/c"}
	case plantLatency:
		return []string{"gather/c", "gather/c", "scatter/c", "opaque", "post"}
	case sFPU:
		return []string{"arithmetic/c", "matrix/c", "lighting", "opaque", "post"}
	}
	return append(slices.Clone(renders), "arithmetic/c", "stream/c", "gather/c", "matrix/c")
}

// limited is content that the plant limits.
func (b *builder) limited(station int) content {
	r := b.r
	list := suits(station)
	var parts []part
	for range r.Whole(1, 4) {
		parts = append(parts, part{simulate.Pick(r, list...), r.Between(0.3, 1)})
	}
	b.plant = station
	c := b.content("limited by one thing", parts, b.frameTime(), false)
	b.plant = plantOther
	if station < stations {
		c.name = "much " + candidates[causeOf[station]].Name
	} else if station == plantLatency {
		c.name = "waits for memory"
	}
	if r.Chance(0.35) { // something of another kind
		kind := simulate.Pick(r, renders...)
		x := b.pass(kind, qRender, b.draw(kind), b.frameTime()*r.Between(0.02, 0.2), dep{pass: len(c.passes) - 1})
		x.submit = 1
		c.passes = append(c.passes, x)
	}
	if r.Chance(0.6) { // what every program has beside
		x := b.pass("interface", qRender, b.draw("interface"), r.Between(30e3, 300e3), dep{pass: len(c.passes) - 1})
		x.submit = 1
		c.passes = append(c.passes, x)
	}
	return c
}

// mixed is content of many limits.
func (b *builder) mixed(ns float64) content {
	a := archetypes[b.r.IntN(2)]
	return b.content(a.name, a.parts, ns, false)
}

// single draws a program that one thing limits.
func (b *builder) single(station int) {
	r, p := b.r, b.p
	switch station {
	case pApp, pDriver:
		p.contents = []content{b.mixed(b.frameTime())}
		app, driver := r.Between(2, 3.5), r.Between(0.2, 0.8)
		if station == pDriver {
			app, driver = driver, app
		}
		b.load(app, driver)
		b.free()
	case pSync:
		b.sync()
	case pHeat, pPower:
		b.limits(map[int]int{pHeat: limitHeat, pPower: limitPower}[station], r.Between(0.36, 0.55))
		p.contents = []content{b.mixed(b.frameTime())}
		b.load(r.Between(0.1, 0.5), r.Between(0.05, 0.3))
		b.free()
	case pDisplay:
		b.healthy()
	default:
		p.contents = []content{b.limited(station)}
		b.load(r.Between(0.1, 0.6), r.Between(0.05, 0.4))
		b.free()
	}
}

// free lets nothing but the work pace frames: no display, or one that waits for them.
func (b *builder) free() {
	r, p := b.r, &b.p.pacing
	*p = simulate.Pacing{Ahead: max(2, p.Ahead)}
	if r.Chance(0.25) {
		p.Refresh, p.Adaptive, p.Buffers = int64(1e9/simulate.Pick(r, 144.0, 165, 240, 360)), true, 3
	}
	b.p.wait = nil
}

// sync draws a program whose application waits for the GPU.
func (b *builder) sync() {
	r, p := b.r, b.p
	p.contents = []content{b.mixed(b.frameTime())}
	b.load(r.Between(0.55, 1.3), r.Between(0.05, 0.25))
	p.pacing, p.threads = simulate.Pacing{Ahead: 1}, 1
	if p.wait = nil; r.Chance(0.5) {
		return
	}
	p.pacing.Ahead = 2
	p.wait = &wait{pass: len(p.contents[0].passes) - 1, at: r.Between(0.3, 0.9)}
	if n := len(p.contents[0].passes); n > 3 && r.Chance(0.3) {
		p.wait.pass = n - 2
	}
}

// inTurn draws a program whose queues wait for each other without need.
func (b *builder) inTurn() {
	r, p := b.r, b.p
	ns := b.frameTime()
	// Render work that fixed functions or memory limit leaves EUs to compute work that pipes limit, or the other way.
	front, back := simulate.Pick(r, sSF, sRAS, sCL, sEZ, sPB, sBW), simulate.Pick(r, sFPU, sSLM, sHDC)
	if r.Chance(0.3) {
		front, back = simulate.Pick(r, sFPU, sSMP), simulate.Pick(r, sBW, plantLatency)
	}
	share := r.Between(0.35, 0.6)
	c := content{name: "queues in turn"}
	n := r.Whole(1, 3)
	for i := range n {
		b.plant = front
		kind := simulate.Pick(r, suits(front)...)
		for kind[len(kind)-2:] == "/c" {
			kind = simulate.Pick(r, suits(front)...)
		}
		x := b.pass(kind, qRender, b.draw(kind), ns*share/float64(n))
		b.plant = back
		work := map[int]string{sFPU: "arithmetic", sSLM: "matrix", sHDC: "gather", sBW: "stream", plantLatency: "gather"}[back]
		y := b.pass(work, qCompute, b.kernel(work), ns*(1-share)/float64(n))
		b.plant = plantOther
		at := len(c.passes)
		y.after = []dep{{pass: at, loose: true}}
		if i > 0 {
			x.after = []dep{{pass: at - 1, loose: true}}
		} else {
			x.after = []dep{{back: 1, pass: 2*n - 1, loose: true}}
		}
		x.submit, y.submit = (float64(i)+0.3)/float64(n), (float64(i)+0.7)/float64(n)
		c.passes = append(c.passes, x, y)
	}
	p.contents = []content{c}
	b.load(r.Between(0.1, 0.5), r.Between(0.05, 0.3))
	p.pacing, p.wait = simulate.Pacing{Ahead: 3}, nil
}

// load draws the processor's side, the frames and what paces them. app and driver are by the GPU's time of a frame.
func (b *builder) load(app, driver float64) {
	r, p := b.r, b.p
	var ns []float64
	for i := range p.contents {
		ns = append(ns, b.work(&p.contents[i]))
	}
	p.threads = simulate.Pick(r, 1, 2, 2)
	p.interrupt = r.Log(15e3, 120e3)
	p.pacing = simulate.Pacing{Ahead: r.Whole(1, 3) + 1}
	frame := max(ns[0], app*ns[0])
	if r.Chance(0.35) {
		hz := simulate.Pick(r, 60.0, 60, 60, 75, 120, 144)
		p.pacing.Refresh, p.pacing.Cadence, p.pacing.Buffers = int64(1e9/hz), []int{1}, simulate.Pick(r, 2, 3)
		p.pacing.Adaptive = r.Chance(0.2)
		if r.Chance(0.15) {
			p.pacing.Align = true
		}
	} else if r.Chance(0.1) {
		p.pacing.Cap = int64(1e9 / simulate.Pick(r, 30.0, 60, 90, 120))
	}
	if r.Chance(0.08) { // a result of the GPU that the application reads back
		p.wait = &wait{pass: r.IntN(len(p.contents[0].passes)), at: r.Between(0.2, 0.9)}
	}
	each := min(130, max(36, int(r.Between(0.8e9, 2.2e9)/frame)))
	if len(p.contents) > 1 {
		each = max(30, each*2/3)
	}
	b.frames(each, app, driver, ns)
	if r.Chance(0.35) && !b.p.loose() {
		b.compositor(simulate.Pick(r, 60.0, 60, 120))
	}
}

// work is what a content's passes take one by one.
func (b *builder) work(c *content) (ns float64) {
	for i := range c.passes {
		for _, s := range c.passes[i].segs {
			ns += s.launch + b.solo(&b.p.loads[s.load])
		}
	}
	return ns
}

// frames draws so many of each content.
func (b *builder) frames(each int, app, driver float64, ns []float64) {
	r, p := b.r, b.p
	p.warm = 8
	sigma, spikes := r.Log(0.01, 0.12), simulate.Pick(r, 0, 0, 0.01, 0.03)
	jitter := r.Between(0.02, 0.2)
	for c := range p.contents {
		n := each
		if c == 0 {
			n += p.warm
		}
		mix, hold := r.Spread(0.3), r.Whole(1, 12)
		for i, scale := range b.noise(&p.contents[c], n, sigma, spikes) {
			p.frames = append(p.frames, frame{content: c, app: ns[c] * app * mix * r.Spread(jitter), driver: ns[c] * driver * r.Spread(jitter),
				scale: scale, view: i / hold})
		}
	}
}

// compositor puts another program on the GPU.
func (b *builder) compositor(hz float64) {
	r, p := b.r, b.p
	x := b.pass("compositor", qRender, b.draw("interface"), r.Log(80e3, 900e3))
	p.behind = &behind{period: 1e9 / hz, phase: r.Between(1e5, 1e9/hz), job: &x}
	for range 16 {
		p.behind.scale = append(p.behind.scale, r.Spread(0.1))
	}
}

// healthy draws a program that keeps its dates.
func (b *builder) healthy() string {
	r, p := b.r, b.p
	hz := simulate.Pick(r, 60, 60, 60, 90, 120, 144)
	rate := hz
	pace := simulate.Pacing{Buffers: simulate.Pick(r, 2, 3, 3), Ahead: r.Whole(2, 3)}
	switch r.IntN(7) {
	case 0:
		hz, rate = 60, 24
	case 1:
		hz, rate = simulate.Pick(r, 60, 120), 30
	case 2:
		hz, rate = 144, 72
	case 3:
		hz, rate = 144, 48
	}
	interval := 1e9 / float64(rate)
	kind := r.IntN(8)
	pace.Refresh = int64(1e9 / float64(hz))
	pace.Cadence = simulate.CadenceOf(hz, rate)
	switch {
	case kind == 0: // a limit of the program's own, shown as it comes
		pace.Refresh, pace.Cadence, pace.Buffers, pace.Cap = 0, nil, 0, int64(interval)
	case kind == 1:
		pace.Adaptive, pace.Cap, pace.Cadence = true, int64(interval*1.02), []int{1}
	case kind == 2:
		pace.Align, pace.Ahead = true, 3
	case kind <= 4: // a browser or a desktop that draws when something asks
		pace.Requests, pace.Cadence = true, []int{1}
	}
	p.threads = simulate.Pick(r, 1, 2)
	p.interrupt = r.Log(15e3, 100e3)
	load := r.Between(0.24, 0.66)
	var a = archetypes[simulate.Pick(r, 0, 1, 2, 3, 3, 4, 8, 8)]
	if pace.Requests {
		a = archetypes[simulate.Pick(r, 3, 3, 8)]
	}
	c := b.content(a.name, a.parts, interval*load, false)
	p.contents = []content{c}
	p.pacing = pace
	app := r.Between(0.1, 0.55) * interval
	driver := r.Between(0.05, 0.25) * interval
	n := min(130, max(36, int(r.Between(0.8e9, 2e9)/interval)))
	b.frames(n, 0, 0, []float64{0})
	at := float64(0)
	for i := range p.frames {
		f := &p.frames[i]
		for j := range f.scale {
			f.scale[j] = min(1.25, max(0.8, f.scale[j]))
		}
		f.app, f.driver = min(0.7*interval, app*r.Spread(0.08)), min(0.3*interval, driver*r.Spread(0.08))
		if p.threads == 1 && f.app+f.driver > 0.75*interval {
			f.app = 0.75*interval - f.driver
		}
		f.request = int64(at) + 1
		at += interval
		if pace.Requests && r.Chance(0.06) {
			at += interval * float64(r.Whole(1, 12)) // an idle screen
		}
	}
	c2 := &p.clock
	c2.up = max(c2.up, 0.9)
	if c2.period > 0 && r.Chance(0.5) {
		c2.start = max(0, len(c2.steps)*2/3)
	}
	if r.Chance(0.3) {
		b.compositor(float64(hz))
	}
	return "healthy " + a.name
}
