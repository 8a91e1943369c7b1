package intel

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
)

// Names are the families.
var Names = []string{"intel-kbl-gt2-second", "intel-tgl-second"}

// Kinds lists what cases there are of a family, nil where there is no such family.
func Kinds(name string) []string {
	if !slices.Contains(Names, name) {
		return nil
	}
	return simulate.Kinds()
}

// New makes a case. The same arguments give the same case.
func New(name, kind string, seed uint64) (*simulate.Case, error) {
	m, ok := models[name]
	if !ok {
		return nil, fmt.Errorf("there is no family %q", name)
	}
	h := fnv.New64a()
	h.Write([]byte(name + "/" + kind))
	r := rand.New(rand.NewPCG(h.Sum64(), seed))
	d := &drawer{artist: newArtist(r, newMachine(m, r)), seed: seed}
	sc, text, plant, err := d.scene(kind)
	if err != nil {
		return nil, err
	}
	recording := rand.NewPCG(seed, h.Sum64()^0x9e3779b97f4a7c15)
	state := *recording
	return &simulate.Case{Family: name, Kind: kind, Seed: seed, Text: text, Plant: plant,
		Record: func(o simulate.Options) (*capture.Capture, error) {
			own := state
			return sc.record(o, rand.New(&own))
		},
		Judge: func() (*simulate.Truth, error) { return sc.judge(), nil },
	}, nil
}

// drawer draws scenes.
type drawer struct {
	*artist
	seed uint64
}

func (d *drawer) scene(kind string) (sc *scene, text, plant string, err error) {
	switch kind {
	case simulate.KindSingle:
		sc, text, plant = d.single()
	case simulate.KindArchetype:
		sc, text = d.archetype()
	case simulate.KindHealthy:
		c := plants[len(plants)-3+d.IntN(3)]
		sc = d.empty()
		text = d.paced(sc, c) + fmt.Sprintf(", paced by %s", c)
	case simulate.KindSerial:
		c := simulate.CPUSync
		if d.chance(0.45) {
			c = simulate.QueuesInTurn
		}
		sc = d.empty()
		d.waiting(sc, c, d.log(5, 28))
		if d.chance(0.3) {
			sc.clock = clock{kind: clockGovernor, share: d.of(0.6, 1), up: d.of(0.85, 0.95), down: d.of(0.4, 0.6), boost: true}
		}
		text = fmt.Sprintf("%s, with %s", sc.contents[0].name, c)
	case simulate.KindTwoPhase:
		sc, text = d.phases()
	case simulate.KindRandom:
		sc, text = d.random()
	default:
		return nil, "", "", fmt.Errorf("there is no kind %q", kind)
	}
	return sc, text, plant, nil
}

// empty is a scene without frames that nothing but the GPU holds up.
func (d *drawer) empty() *scene {
	return &scene{m: d.m, warm: 4, ahead: 2 + d.IntN(2), pace: pacing{buffers: 3}, threads: d.of(0.02, 0.5),
		idle: d.of(2e3, 15e3), submit: d.of(8e3, 40e3)}
}

// animate adds frames of a content. Work varies slowly with what is seen, and a little from frame to frame.
func (d *drawer) animate(sc *scene, content, n int, app, driver float64) {
	drift, phase := d.of(0, 0.12), d.Float64()
	cpu, gpu := d.of(0.02, 0.12), d.of(0.005, 0.03)
	for i := range n {
		x := float64(i)/float64(n) + phase
		x -= float64(int(x))
		wave := 1 + drift*(4*max(x, 1-x)-3)
		sc.frames = append(sc.frames, frame{content: content, gpu: wave * (1 + gpu*d.NormFloat64()),
			app:    app * max(0.4, 1+cpu*d.NormFloat64()),
			driver: driver * max(0.4, 1+cpu*d.NormFloat64())})
	}
}

// plants are what single content is limited by, in turn.
var plants = []simulate.Candidate{arithmetic, texture, loadStore, localMemory, vertexFetch, clipper, setup, rasterizer,
	hierarchical, earlyDepth, pixelBackend, simulate.MemoryBandwidth, simulate.MemoryLatency, cache,
	simulate.LaunchOverhead, simulate.CPUApp, simulate.CPUDriver, simulate.CPUSync, simulate.QueuesInTurn,
	simulate.ClockGovernor, simulate.ClockPower, simulate.ClockThermal, simulate.DisplayVsync, simulate.DisplayCap,
	simulate.DisplayRequest}

// single is content that one thing limits.
func (d *drawer) single() (sc *scene, text, plant string) {
	c := plants[d.seed%uint64(len(plants))]
	sc = d.empty()
	ms := d.log(6, 28)
	switch c.Level {
	case simulate.LevelUnit, simulate.LevelMemory, simulate.LevelLaunch:
		d.limited(sc, c, ms)
		d.animate(sc, 0, d.frames(ms), ms*1e6*d.of(0.1, 0.5), ms*1e6*d.of(0.1, 0.4))
	case simulate.LevelCPU, simulate.LevelQueues:
		d.waiting(sc, c, ms)
	case simulate.LevelClock:
		d.slowed(sc, c, ms)
	default:
		d.paced(sc, c)
	}
	return sc, fmt.Sprintf("content that %s limits", c), c.String()
}

// frames is how many frames of a length make a capture.
func (d *drawer) frames(ms float64) int { return 4 + min(120, max(36, int(d.of(700, 1300)/ms))) }

// limited adds content whose passes one candidate of the GPU limits.
func (d *drawer) limited(sc *scene, c simulate.Candidate, ms float64) {
	var passes []*pass
	for range 1 + d.IntN(3) {
		passes = append(passes, d.planted(c))
	}
	d.fit(passes, ms*1e6)
	sc.contents = append(sc.contents, content{name: c.String(), passes: passes})
}

// ordinary adds content that no candidate limits alone.
func (d *drawer) ordinary(sc *scene, ms float64) archetype {
	t := archetypes[d.IntN(len(archetypes))]
	passes := t.draw(d.artist)
	d.fit(passes, ms*1e6)
	sc.contents = append(sc.contents, content{name: t.name, passes: passes})
	return t
}

// waiting is a scene in which the GPU waits for a thread, or two engines or sides work in turn.
func (d *drawer) waiting(sc *scene, c simulate.Candidate, ms float64) {
	d.ordinary(sc, ms)
	app, driver := ms*1e6*d.of(0.1, 0.5), ms*1e6*d.of(0.1, 0.5)
	long := ms * 1e6 * d.of(1.4, 3)
	total := long / 1e6
	switch c {
	case simulate.CPUApp:
		app, driver = long, long*d.of(0.1, 0.5)
	case simulate.CPUDriver:
		app, driver = long*d.of(0.1, 0.5), long
	case simulate.CPUSync:
		sc.sync = true
		app, driver = ms*1e6*d.of(0.35, 0.8), ms*1e6*d.of(0.1, 0.3)
		total = ms + (app+driver)/1e6
	case simulate.QueuesInTurn:
		x := &sc.contents[0]
		x.turn, x.blit = true, d.chance(0.3) && !d.m.xe // Tiger Lake's sets show no blitter
		x.video = ms * 1e6 * d.of(0.5, 1)
		total = ms + x.video/1e6
	}
	d.animate(sc, len(sc.contents)-1, d.frames(total), app, driver)
}

// slowed is a scene whose clock something holds down.
func (d *drawer) slowed(sc *scene, c simulate.Candidate, ms float64) {
	d.limited(sc, arithmetic, ms)
	sc.clock = clock{share: d.of(0.42, 0.56), swing: d.of(0.02, 0.1), wave: d.log(1e8, 2e9)}
	app, driver := ms*1e6*d.of(0.1, 0.4), ms*1e6*d.of(0.1, 0.4)
	switch c {
	case simulate.ClockPower:
		sc.clock.kind = clockPower
		sc.threads = d.of(0.8, 2) // the processor takes its part of the power
	case simulate.ClockThermal:
		sc.clock.kind = clockThermal
	case simulate.ClockGovernor:
		// A governor whose interval is longer than the bursts sees no reason to go up.
		sc.clock = clock{kind: clockGovernor, share: d.of(0.2, 0.4), up: d.of(0.97, 0.999), down: d.of(0.9, 0.95)}
		sc.single = true
		app, driver = ms*1e6*d.of(0.1, 0.25), ms*1e6*d.of(0.05, 0.12)
		sc.ahead = 1
	}
	d.animate(sc, 0, d.frames(ms/0.6), app, driver)
}

// archetype is an application as it comes.
func (d *drawer) archetype() (*scene, string) {
	sc := d.empty()
	ms := d.log(5, 32)
	t := d.ordinary(sc, ms)
	app, driver := ms*1e6*d.log(t.app[0], t.app[1]), ms*1e6*d.log(t.driver[0], t.driver[1])
	if d.chance(0.2) {
		sc.single = true
		app, driver = app*0.6, driver*0.6
	}
	switch x := d.Float64(); {
	case x < 0.12:
		sc.clock = clock{kind: clockPower, share: d.of(0.6, 0.95), swing: d.of(0.02, 0.08), wave: d.log(1e8, 2e9)}
	case x < 0.18:
		sc.clock = clock{kind: clockThermal, share: d.of(0.5, 0.9), swing: d.of(0.01, 0.05), wave: d.log(5e8, 4e9)}
	case x < 0.45:
		sc.clock = clock{kind: clockGovernor, share: d.of(0.6, 1), up: d.of(0.85, 0.95), down: d.of(0.6, 0.85),
			boost: d.chance(0.5)}
	}
	total := max(ms, (app)/1e6, driver/1e6)
	if d.chance(0.35) {
		sc.pace = pacing{refresh: 1e9 / 60, buffers: 2 + d.IntN(2)}
	}
	d.animate(sc, 0, d.frames(total), app, driver)
	return sc, t.name
}

// phases is one content, then another that something else limits.
func (d *drawer) phases() (*scene, string) {
	sc := d.empty()
	of := plants[:len(plants)-8] // those of the GPU, and the threads
	first := d.IntN(len(of))
	second := (first + 1 + d.IntN(len(of)-1)) % len(of)
	for i, c := range []simulate.Candidate{of[first], of[second]} {
		ms := d.log(6, 24)
		app, driver, total := ms*1e6*d.of(0.1, 0.5), ms*1e6*d.of(0.1, 0.4), ms
		if c.Level == simulate.LevelCPU {
			d.ordinary(sc, ms)
			long := d.of(1.4, 3)
			total = long * ms
			if c == simulate.CPUApp {
				app = long * ms * 1e6
			} else {
				driver = long * ms * 1e6
			}
		} else {
			d.limited(sc, c, ms)
		}
		n := max(24, int(d.of(450, 900)/total))
		if i == 0 {
			n += sc.warm
		}
		d.animate(sc, i, n, app, driver)
	}
	return sc, fmt.Sprintf("%s, then %s", sc.contents[0].name, sc.contents[1].name)
}

// random is passes of any kind in any mixture.
func (d *drawer) random() (*scene, string) {
	sc := d.empty()
	a := d.artist
	var passes []*pass
	for range 1 + d.IntN(7) {
		switch d.IntN(9) {
		case 0:
			passes = append(passes, a.render(a.shadow()))
		case 1:
			s := a.scenery("any scenery")
			s.bytes, s.msaa, s.stencil = a.log(4, 20), a.log(1, 4), a.log(1, 2)
			s.blend, s.hiz = a.Float64(), a.of(0, 0.9)
			s.verts, s.psInstr, s.samples = a.log(2e4, 5e6), a.log(5, 400), a.log(0.3, 20)
			passes = append(passes, a.render(s))
		case 2:
			passes = append(passes, a.render(a.particles()))
		case 3:
			s := a.screen("any filter", a.of(0.2, 1))
			s.texCost, s.texLine, s.trips = a.log(1, 6), a.log(0.05, 1.2), a.log(0.3, 6)
			passes = append(passes, a.render(s))
		case 4:
			passes = append(passes, a.render(a.interfaces(a.log(0.2, 6))))
		case 5:
			k := a.kernel("any kernel")
			k.instr, k.loads, k.trips = a.log(20, 2000), a.log(1, 80), a.log(0.3, 30)
			k.skew, k.l3Miss, k.miss = a.log(1, 3), a.Float64(), a.Float64()
			passes = append(passes, a.dispatch(k))
		case 6:
			k := a.matrix("any tiles")
			k.slmReads, k.atomics = a.log(1, 200), a.log(0.1, 20)
			passes = append(passes, a.dispatch(k))
		case 7:
			passes = append(passes, a.dispatch(a.stream("copy")))
		default:
			of := plants[:len(plants)-10]
			passes = append(passes, a.planted(of[d.IntN(len(of))]))
		}
	}
	ms := d.log(4, 36)
	a.fit(passes, ms*1e6)
	sc.contents = append(sc.contents, content{name: "any passes", passes: passes})
	app, driver := ms*1e6*d.log(0.08, 1.8), ms*1e6*d.log(0.08, 1.5)
	sc.single = d.chance(0.2)
	sc.sync = d.chance(0.12)
	if d.chance(0.12) {
		sc.contents[0].video, sc.contents[0].turn = ms*1e6*d.of(0.1, 0.8), d.chance(0.6)
	}
	switch d.IntN(5) {
	case 0:
		sc.clock = clock{kind: clockGovernor, share: d.Float64(), up: d.of(0.8, 0.97), down: d.of(0.4, 0.8),
			boost: d.chance(0.5)}
	case 1:
		sc.clock = clock{kind: clockPower + clockKind(d.IntN(2)), share: d.of(0.5, 0.98), swing: d.of(0, 0.1),
			wave: d.log(1e8, 3e9)}
	}
	if d.chance(0.25) {
		sc.pace = pacing{refresh: 1e9 / 60, buffers: 2 + d.IntN(2)}
	}
	d.animate(sc, 0, d.frames(max(ms, app/1e6, driver/1e6)), app, driver)
	return sc, fmt.Sprintf("%d passes of any kind", len(passes))
}
