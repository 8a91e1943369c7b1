package amd

import (
	"math"
	"time"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
)

// Blocks that have a status bit, in the order of the reader's columns.
const (
	bGFX = iota
	bCP
	bSPI
	bTA
	bCB
	bDB
	bPA
	bSC
	bBCI
	bSX
	bGE
	bCPF
	bCPC
	bCPG
	bRLC
	bTC
	bUTCL2
	bEA
	bRMI
	bSDMA
	blocks
)

// scene is a stretch of time in which blocks are as busy throughout.
type scene struct {
	to   int64
	busy [blocks]float32
}

// turn is a ms of what the firmware knows.
type turn struct {
	share, memory, watts, heat, busy, traffic float64
	threads                                   float64
	why                                       int
}

// recording is what a simulation keeps for counters.
type recording struct {
	scenes []scene
	turns  []turn
	engine [queues][]stint
}

// none is the chance that a block of n parts, each busy for a share, is found without work.
func none(busy, n float64) float64 {
	return math.Pow(1-min(0.999, max(0, busy)), n)
}

// moment keeps how busy blocks are until the next change.
func (r *recording) moment(s *sim, until int64) {
	var idle [blocks]float64
	for k := range idle {
		idle[k] = 1
	}
	any := false
	for q := range s.queue {
		x := &s.queue[q]
		if !x.on {
			continue
		}
		if list := &r.engine[q]; len(*list) > 0 && (*list)[len(*list)-1].to == s.now {
			(*list)[len(*list)-1].to = until
		} else {
			*list = append(*list, stint{s.now, until, 0})
		}
		if q == qCopy {
			idle[bSDMA] *= 0.03
			idle[bUTCL2] *= 0.8
			continue
		}
		any = true
		p := s.blocksOf(x, q)
		for k := range idle {
			idle[k] *= 1 - p[k]
		}
	}
	sc := scene{to: until}
	for k := range idle {
		if any || k == bSDMA || k == bUTCL2 {
			sc.busy[k] = float32(1 - idle[k])
		}
	}
	r.scenes = append(r.scenes, sc)
}

// blocksOf is how busy one job keeps the blocks: with their own work, and with work that those behind hold up.
func (s *sim) blocksOf(x *running, q int) (p [blocks]float64) {
	j := s.jobOf(x.frame, x.job)
	p[bGFX], p[bCP], p[bCPF], p[bRLC] = 1, 0.985, 0.93, 0.01
	if q == qCompute {
		p[bCPC] = 0.985
	} else {
		p[bCPG] = 0.985
	}
	if x.launching { // the last waves have left, caches are written back
		p[bSPI], p[bTC], p[bEA], p[bUTCL2] = 0.12, 0.35, 0.25, 0.05
		return p
	}
	n, u, w := &s.m.shared, &x.use, &x.weight
	mix := func(k int, own float64, held float64) {
		p[k] = 1 - none(own, n[k])*(1-min(0.97, max(0, held)))
	}
	stored := w[uMemory] + w[uLatency] + w[uCache]
	shaded := stored*(1-j.target) + w[uALU] + w[uLDS] + w[uTexture] + w[uLoad]
	output := w[uDepth] + w[uPixel] + stored*j.target
	work := max(u[uALU], u[uLDS], u[uTexture], u[uLoad], u[uLatency]*0.95)
	p[bSPI] = 1 - none(work, 6)*(1-0.9*output)
	mix(bTA, max(u[uTexture], u[uLoad]), 0.9*stored*(1-j.target)*min(1, 8*max(u[uTexture], u[uLoad])))
	traffic := max(u[uCache], u[uMemory], 0.8*u[uLatency])
	mix(bTC, 1-none(traffic, 2), 0.95*stored)
	mix(bEA, 1-none(u[uMemory], 2), 0.75*u[uLatency])
	mix(bUTCL2, 0.35*u[uMemory]+0.5*u[uLatency]*u[uLatency], 0)
	if q == qCompute {
		return p
	}
	mix(bGE, u[uVertex], j.hold*(w[uPrim]+w[uRaster]+0.8*(shaded+output)))
	mix(bPA, u[uPrim], j.hold*0.9*(w[uRaster]+0.9*(shaded+output)))
	mix(bSC, u[uRaster], 0.92*(shaded+output)+0.5*w[uRaster])
	mix(bBCI, 0.6*max(u[uRaster], work), 0.6*(shaded+output))
	mix(bSX, 0.7*max(u[uDepth], u[uPixel]), 0.85*output)
	mix(bDB, u[uDepth], 0.6*w[uPixel]+0.8*stored*j.target+j.behind*shaded)
	mix(bCB, u[uPixel], 0.85*stored*j.target)
	mix(bRMI, 0.8*max(u[uDepth], u[uPixel]), 0.9*stored*j.target)
	return p
}

// turn keeps what the firmware sees of a ms.
func (r *recording) turn(s *sim, threads float64) {
	c := &s.clock
	r.turns = append(r.turns, turn{c.share, c.memory, c.power(&s.done, s.busy, threads), c.heat, s.busy / tick,
		s.done[uMemory] / c.memory / tick, threads / tick, c.why})
}

// record simulates the program and makes the capture that the reader would.
func record(m *machine, w *load, kind string, seed uint64, o *simulate.Options) (*capture.Capture, error) {
	rec := &recording{}
	var s sim
	if err := s.run(m, w, relief{}, false, rec); err != nil {
		return nil, err
	}
	r := simulate.NewRandom(seed, "recorder "+kind)
	// Everything is drawn, whatever the options say, so that they change nothing else.
	period := simulate.Pick(r, 1e6, 2e6, 4e6, 5e6, 8e6, 10e6, 16e6)
	marks, host, lateness, gaps := r.Chance(0.5), r.Chance(0.5), 0.0, 0
	if r.Chance(0.3) {
		lateness = r.Log(1e-3, 3e-2)
	}
	if r.Chance(0.07) {
		gaps = r.Whole(1, 2)
	}
	h := newHabits(r, m)
	late, missed := lateness, lateness/2
	if o.Late != 0 {
		late = max(0, o.Late)
	}
	if o.Missed != 0 {
		missed = max(0, o.Missed)
	}
	if o.Gaps > 0 {
		gaps = o.Gaps
	}
	if o.Period > 0 {
		period = float64(o.Period / time.Nanosecond)
	}
	run := &simulate.Run{Start: s.frames[w.warm-1].shown, End: s.frames[len(s.frames)-1].shown,
		Rec: &simulate.Recorder{Bounds: simulate.NewBounds(period, simulate.Jitter(r, period, 20e3, late, missed))}}
	for i := range s.frames {
		run.Frames = append(run.Frames, simulate.FrameTruth{Content: w.frames[i].content, Begin: s.frames[i].begin})
	}
	// The firmware's turns go no further than the simulation.
	run.End = min(run.End, int64(len(rec.turns))*tick)
	axis, origin, rows, holes, merged := run.Rows("CLOCK_MONOTONIC", gaps, r, "the recorder was late",
		"the recorder was held up")
	t := &table{m: m, rec: rec, host: &s.host, axis: axis, r: r, h: h}
	for _, i := range rows {
		t.at = append(t.at, [2]int64{run.Rec.Bounds.At(i), run.Rec.Bounds.At(i + 1)})
	}
	t.all(o, o.Host.Of(host))
	cfg := capture.Config{Format: "simulated", GPU: "amd-live", Device: m.device(), Properties: m.properties(h), Axis: axis,
		Counters: t.counters, Gaps: holes, Late: merged}
	if o.Marks.Of(marks) {
		run.Mark(&cfg, origin)
	}
	return capture.New(cfg)
}

func (m *machine) device() capture.Device {
	return capture.Device{Name: "AMD " + m.name + " (" + m.chip + ")", Vendor: "AMD", Driver: "amdgpu, Linux 6.12",
		Extra: map[string]string{"generation": m.gen}}
}

// properties are what the driver says of the device.
func (m *machine) properties(h *habits) (out []capture.Property) {
	number := func(name string, v float64) { out = append(out, capture.Property{Name: name, Number: v}) }
	const gib = 1 << 30
	number("vram_bytes", m.vram*gib)
	number("gtt_bytes", m.gtt*gib)
	if !h.node {
		return out
	}
	number("amd_family", m.family)
	number("amd_external_rev", m.rev)
	number("shader_engines", m.engines)
	number("cu_per_gpu", m.compute)
	number("max_sclk_hz", m.sclk*1e6)
	number("max_mclk_hz", m.mclk*1e6)
	apu := 0.0
	if m.apu {
		apu = 1
	}
	number("is_apu", apu)
	return out
}
