package mali

import (
	"fmt"

	"astrolabe/capture/simulate"
)

// plants are what single cases are limited by, in turn.
func (x *caseOf) plants() (out []simulate.Candidate) {
	for s := range stations {
		if s != stRays || x.chip.rays {
			out = append(out, candidates[s])
		}
	}
	return append(out, simulate.LaunchOverhead, simulate.CPUApp, simulate.CPUDriver, simulate.CPUSync, simulate.QueuesInTurn,
		simulate.ClockGovernor, simulate.ClockThermal, simulate.ClockPower, simulate.DisplayVsync)
}

// bases are contents for plants of each station.
var bases = map[int][]string{
	stArithmetic: {"shadowed game", "inference", "particles by compute", "video"}, stTexture: {"shadowed game", "flat game", "video"},
	stVarying: {"shadowed game", "forward game with much alpha"}, stLoadStore: {"inference", "particles by compute"},
	stRays: {"rays"}, stTiler: {"much geometry", "map"}, stRasterizer: {"shadowed game", "forward game with much alpha"},
	stBackend: {"deferred game", "forward game with much alpha", "interface"}, stCache: {"inference", "particles by compute", "video"},
	stBandwidth: {"video", "deferred game", "inference"}, stLatency: {"particles by compute", "inference"},
}

// single draws a case that one thing limits.
func (x *caseOf) single(b *builder) error {
	r, w := b.r, x.load
	list := x.plants()
	plant := list[x.seed%uint64(len(list))]
	x.plant = plant.String()
	w.pace = free(r)
	w.threads = 2
	gpu := r.Log(4e6, 30e6)
	kind := simulate.Pick(r, archetypes...)
	station := -1
	for s := range stations {
		if candidates[s] == plant {
			station = s
			kind = simulate.Pick(r, bases[s]...)
		}
	}
	app, driver := 0.3, 0.15
	w.contents = []content{b.content(kind)}
	t := &w.contents[0]
	switch {
	case station >= 0:
		b.planted(t, station)
		x.resize(t, gpu)
	case plant == simulate.LaunchOverhead:
		w.contents = []content{b.content(simulate.Pick(r, "inference", "emulator"))}
		t = &w.contents[0]
		launch := x.took(t) - x.chip.solo(t, &nothing)
		t.scale(launch * r.Between(0.15, 0.35) / x.chip.solo(t, &nothing))
	case plant == simulate.CPUApp:
		x.resize(t, gpu)
		app, driver = r.Between(1.8, 4), r.Between(0.2, 0.6)
	case plant == simulate.CPUDriver:
		x.resize(t, gpu)
		app, driver = r.Between(0.2, 0.6), r.Between(1.8, 4)
	case plant == simulate.CPUSync:
		x.resize(t, gpu)
		app, driver, w.sync = r.Between(0.55, 0.75), 0.15, &syncWait{job: -1}
	case plant == simulate.QueuesInTurn:
		x.turned(b)
		t = &w.contents[0]
		x.resize(t, gpu)
		app, driver = 0.1, 0.1
	case plant == simulate.ClockGovernor: // slow, or one that saves power
		b.planted(t, simulate.Pick(r, stArithmetic, stTexture, stLoadStore))
		x.resize(t, gpu)
		x.governed(r)
		w.gov.start, w.gov.up, w.gov.jump = r.IntN(2), 1.1, false
		w.gov.down = 0
	case plant == simulate.ClockThermal:
		b.planted(t, simulate.Pick(r, stArithmetic, stTexture, stLoadStore))
		x.resize(t, gpu)
		x.hot(r, r.Between(0.38, 0.54))
	case plant == simulate.ClockPower:
		b.planted(t, simulate.Pick(r, stArithmetic, stTexture, stLoadStore))
		x.resize(t, gpu)
		x.limited(r, r.Between(0.38, 0.54))
	default:
		w.contents = nil
		return x.healthy(b)
	}
	all := x.took(t)
	x.fill(r, []float64{all * app}, []float64{all * driver})
	x.text = fmt.Sprintf("planted %s: %s, %s", x.plant, t.name, w.pace.Name())
	return nil
}

// turned makes a content whose queues have about as much to do each, and that lets them work in turn.
func (x *caseOf) turned(b *builder) {
	r := b.r
	f := &frameOf{b: b}
	if r.Chance(0.5) {
		s := b.base(1920 * 1080)
		f.pass("main", b.mesh(r.Log(3e5, 2e6)), s)
	} else { // pixels that are drawn while the next frame is computed
		k := b.task(r.Log(2e5, 2e6))
		k.chain, k.missed = r.Between(8, 25), 0.4
		last := f.run("move", k)
		f.pass("main", b.mesh(r.Log(1e4, 5e4)), b.base(1920*1080), last)
	}
	t := f.done("work in turn")
	// Queues that need the same part of the GPU gain nothing by working at once.
	fragment := simulate.Pick(r, stArithmetic, stTexture, stBandwidth, stBackend, stRasterizer)
	for i := range t.jobs {
		one := content{jobs: t.jobs[i : i+1]}
		switch {
		case t.jobs[i].queue == x.chip.fragmentQueue():
			b.stress(&one, fragment, r.Log(1.5, 5))
		case t.jobs[i].parts[0].n[nPosTask] > 0:
			b.stress(&one, stTiler, r.Log(2, 8))
		default:
			b.stress(&one, simulate.Pick(r, stLatency, stLoadStore), r.Log(1.5, 5))
		}
	}
	// The first queue's work is made as long as the pixels'.
	long := [2]float64{}
	for i := range t.jobs {
		one := content{jobs: t.jobs[i : i+1]}
		which := 0
		if t.jobs[i].queue == x.chip.fragmentQueue() {
			which = 1
		}
		long[which] += x.chip.solo(&one, &nothing)
	}
	for i := range t.jobs {
		if t.jobs[i].queue != x.chip.fragmentQueue() {
			one := content{jobs: t.jobs[i : i+1]}
			one.scale(long[1] / max(1, long[0]) * r.Between(0.7, 1.3))
			t.jobs[i] = one.jobs[0]
		}
	}
	x.load.contents = []content{t}
	x.inTurn(b, &x.load.contents[0])
}

// serial draws a case whose queues, or processor and GPU, work in turn.
func (x *caseOf) serial(b *builder) {
	r, w := b.r, x.load
	w.pace = free(r)
	if r.Chance(0.3) {
		w.pace = paced(r)
	}
	gpu := r.Log(4e6, 30e6)
	if iv := float64(w.pace.Interval()); iv > 0 {
		gpu = iv * r.Between(0.7, 1.4)
	}
	app, driver := r.Between(0.4, 1.2), r.Between(0.1, 0.4)
	if r.Chance(0.5) {
		x.turned(b)
		app, driver = r.Between(0.1, 0.4), r.Between(0.05, 0.2)
	} else {
		w.contents = []content{b.content(simulate.Pick(r, archetypes...))}
		w.sync = &syncWait{job: -1}
		if r.Chance(0.4) {
			w.sync.job = len(w.contents[0].jobs) - 1
		}
	}
	t := &w.contents[0]
	x.resize(t, gpu)
	if r.Chance(0.3) {
		x.governed(r)
	}
	all := x.took(t)
	x.fill(r, []float64{all * app}, []float64{all * driver})
}

// healthy draws a case that keeps its dates, with the GPU busy for 20 to 75 percent of the time. Whether it does is
// found by simulating; where it does not, the work is changed.
func (x *caseOf) healthy(b *builder) error {
	r, w := b.r, x.load
	w.contents = []content{b.content(simulate.Pick(r, archetypes...))}
	w.pace = paced(r)
	if r.Chance(0.07) {
		w.pace.Requests, w.pace.Align, w.pace.Adaptive, w.pace.Cadence, w.pace.Cap = true, false, false, []int{1}, 0
		w.pace.Refresh = max(w.pace.Refresh, int64(1e9)/60)
		w.pace.Buffers, w.pace.Ahead = 3, 2
	}
	if r.Chance(0.6) {
		x.governed(r)
		w.gov.start = max(w.gov.start, len(x.chip.steps)/2)
	}
	w.pace.Buffers = max(w.pace.Buffers, 3)
	aim, busy := r.Between(0.24, 0.7), r.Between(0.1, 0.5)
	iv := float64(w.pace.Interval())
	if w.pace.Requests {
		iv = 16e6 * 1.65
	}
	x.resize(&w.contents[0], iv*aim)
	start := w.frames
	for try := range 14 {
		rr := simulate.NewRandom(x.seed, fmt.Sprint("seventh healthy frames ", x.name))
		w.frames = start
		x.fill(rr, []float64{iv * busy * 0.7}, []float64{iv * busy * 0.3})
		truth, err := judge(x.chip, w)
		if err != nil {
			return err
		}
		if truth.Healthy && truth.GPUBusy > 0.2 && truth.GPUBusy < 0.75 {
			return nil
		}
		by := 0.85
		if truth.Missed == 0 && truth.GPUBusy <= 0.22 {
			by = 1.2
		}
		w.contents[0].scale(by)
		if by < 1 {
			busy *= 0.85
		}
		if try == 7 { // the clock is too slow to keep the dates
			x.steady(r)
		}
	}
	return nil
}
