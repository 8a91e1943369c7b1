package amd

import (
	"fmt"
	"slices"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/telling"
)

// replay is what a profiler replays, and how it looks at it.
type replay struct {
	m      *machine
	api    string
	mhz    float64   // of the core, which the profiler holds
	rows   []program // each draw or dispatch, which the profiler runs by itself
	phases []string  // by row; nil where it is one
	noise  float64
	groups [gpaGroups]bool
	text   string
}

// alone makes a program of one job, which the profiler starts when all before it has ended.
func alone(m *machine, j job) program {
	j.queue, j.after, j.image, j.drain, j.jitter = graphics, nil, false, true, nil
	return program{text: j.name, m: m, contents: []content{{name: j.name, jobs: []job{j}}}, frames: []frame{{scale: 1}}, threads: 1,
		pacing: simulate.Pacing{Ahead: 1}}
}

// plantsGPA are those of the plants that a profiler can see.
var plantsGPA = plants[:13]

type replayDraw struct {
	r  simulate.Random
	re *replay
}

// add puts rows of one kind of pass: some materials or kernels, each some times.
func (d *replayDraw) add(kind int, ns float64, limit int, phase string) {
	r := d.r
	materials := r.Whole(1, 4)
	for range materials {
		each := r.Whole(1, 7)
		one := ns / float64(materials*each) * r.Spread(0.4)
		overhead := r.Log(1.5e3, 5e3)
		if limit == causeLaunch {
			one = r.Log(0.8e3, 3e3)
			each = r.Whole(6, 14)
			overhead = one * r.Between(1.7, 4)
		}
		j := drawPass(r, d.re.m, kind, max(one, 700), limit, r.Whole(8, 20))
		for range each {
			one := j
			one.launch = overhead * r.Spread(0.08)
			one.streams = append([]stream(nil), j.streams...)
			by := r.Spread(0.35)
			for s := range one.streams {
				one.streams[s].vary(r, by)
			}
			d.re.rows = append(d.re.rows, alone(d.re.m, one))
			if phase != "" {
				d.re.phases = append(d.re.phases, phase)
			}
		}
	}
}

// vary makes the stream of another draw with the same material: more or less work, spread otherwise.
func (s *stream) vary(r simulate.Random, by float64) {
	for _, u := range s.used {
		s.work[u] *= by * r.Spread(0.08)
	}
	s.latCore, s.latMem = s.latCore*by*r.Spread(0.08), s.latMem*by*r.Spread(0.08)
	s.drawMods(r, len(s.mods))
}

// planted adds rows that a candidate limits, among a few others.
func (d *replayDraw) planted(limit int, phase string) {
	r := d.r
	ns := r.Log(1e6, 2e7)
	kinds := []int{shadow, forward, postPass, uiPass, csGeneral, csStream}
	if limit != causeLaunch {
		kinds = passesLimited(limit)
	}
	n := r.Whole(2, 3)
	first := len(d.re.rows)
	for range n {
		d.add(simulate.Pick(r, kinds...), ns/float64(n), limit, phase)
	}
	rest := ns * r.Between(0.03, 0.15)
	if limit == causeLaunch {
		rest = 3e3
	}
	for range r.Whole(0, 2) {
		d.add(r.IntN(passKinds), rest*0.5, -1, phase)
	}
	mine := d.re.rows[first:]
	r.Shuffle(len(mine), func(i, k int) { mine[i], mine[k] = mine[k], mine[i] })
}

// newGPA draws what a profiler with GPUPerfAPI replays.
func newGPA(kind string, seed uint64) (*simulate.Case, error) {
	r := simulate.NewRandom(seed, "fifth gpa "+kind)
	var list []product
	for _, p := range products {
		if p.gen == 103 || p.gen == 11 {
			list = append(list, p)
		}
	}
	m := drawMachine(r, list[r.IntN(len(list))])
	m.irq, m.clock.mode = 0, clockFixed
	re := &replay{m: m, api: simulate.Pick(r, "vk", "vk", "dx12"), noise: r.Log(0.002, 0.025), mhz: m.sclk * r.Between(0.55, 1)}
	for g := range re.groups {
		re.groups[g] = true
	}
	if r.Chance(0.35) { // a user who asked for less, to have fewer passes
		for g := range re.groups {
			re.groups[g] = g == groupTiming || r.Chance(0.65)
		}
	}
	d := &replayDraw{r, re}
	c := &simulate.Case{Family: GPAName, Kind: kind, Seed: seed}
	switch kind {
	case simulate.KindArchetype:
		s := &scenes[r.IntN(len(scenes))]
		ns := r.Log(2e6, 2.5e7)
		for i, k := range s.kinds {
			limit := -1
			if r.Chance(0.3) {
				limit = simulate.Pick(r, limitsOf(k)...)
			}
			d.add(k, ns*s.shares[i]*r.Spread(0.3), limit, "")
		}
		re.text = s.name
	case simulate.KindSingle:
		plant := plantsGPA[seed%uint64(len(plantsGPA))]
		c.Plant = plant.String()
		d.planted(slices.Index(candidates[:], plant), "")
		re.text = "limited by " + c.Plant
	case simulate.KindRandom:
		for range r.Whole(2, 9) {
			k, limit := r.IntN(passKinds), -1
			if r.Chance(0.4) {
				limit = simulate.Pick(r, limitsOf(k)...)
			}
			d.add(k, r.Log(1e5, 6e6), limit, "")
		}
		re.text = "random draws and dispatches"
	case simulate.KindTwoPhase:
		limits := r.Perm(len(plantsGPA))
		for i, l := range limits[:2] {
			limit := slices.Index(candidates[:], plantsGPA[l])
			d.planted(limit, fmt.Sprintf("%d %s", i+1, candidates[limit]))
		}
		re.text = "two halves"
	default:
		return nil, fmt.Errorf("%s has no kind %q; it has %v", GPAName, kind, Kinds(GPAName))
	}
	c.Text = fmt.Sprintf("%s on %s at %.0f MHz, %d rows of %s", re.text, m.name, re.mhz, len(re.rows), re.api)
	c.Judge = re.judge
	c.Record = func(o simulate.Options) (*capture.Capture, error) { return re.record(seed, c, o) }
	return c, nil
}

// judge finds out by relief what limits the rows, all together and in each phase. Between rows is the profiler's time.
func (re *replay) judge() (*simulate.Truth, error) {
	e := engines.Get().(*engine)
	defer engines.Put(e)
	truth := &simulate.Truth{}
	parts := make([]simulate.Part, 1)
	place := map[string]int{}
	for i, name := range re.phases {
		if place[name] == 0 {
			place[name] = len(parts)
			parts = append(parts, simulate.Part{Name: name, First: i})
		}
	}
	of := func(i int) []int { // the parts of a row
		if re.phases == nil {
			return []int{0}
		}
		return []int{0, place[re.phases[i]]}
	}
	base := make([]int64, len(re.rows))
	leaf := make([][causes]int64, len(parts))
	at := int64(0)
	for i := range re.rows {
		if err := e.run(&re.rows[i], nothing, true, nil); err != nil {
			return nil, err
		}
		ns := e.frames[0].done
		base[i] = ns
		for _, p := range of(i) {
			if parts[p].Frames == 0 {
				parts[p].Start, parts[p].End = at, at
			}
			parts[p].Frames++
			parts[p].End += ns
			e.path.Walk(e.frames[0].doneNode, 0, func(start, end int64, cause, _ uint8) { leaf[p][cause] += end - start })
		}
		truth.Each = append(truth.Each, simulate.FrameTruth{Content: i, Begin: at, GPUBegin: at, GPUEnd: at + ns, Shown: at + ns, Judged: true})
		at += ns
	}
	for cause := range causeApp {
		r := nothing
		r.cause = cause
		gain := make([]float64, len(parts))
		simulated := make([]bool, len(parts))
		for i := range re.rows {
			if work, _, _ := re.rows[i].works(); !work[cause] && cause != causeLaunch {
				continue
			}
			if err := e.run(&re.rows[i], r, false, nil); err != nil {
				return nil, err
			}
			for _, p := range of(i) {
				gain[p] += float64(base[i] - e.frames[0].done)
				simulated[p] = true
			}
		}
		for p := range parts {
			parts[p].Leaves = append(parts[p].Leaves, simulate.Gain{Candidate: candidates[cause],
				Percent: 100 * gain[p] / float64(max(1, parts[p].End-parts[p].Start)), Simulated: simulated[p]})
		}
	}
	for p := range parts {
		x := &parts[p]
		simulate.SortGains(x.Leaves)
		x.GPUBusy, x.ClockMean = 1, 1
		for c, ns := range leaf[p] {
			if ns > 0 {
				x.Shares = append(x.Shares, simulate.Share{Candidate: candidates[c], Ns: ns})
			}
		}
		simulate.SortShares(x.Shares)
	}
	truth.Part = parts[0]
	if len(parts) > 2 {
		truth.Phases = parts[1:]
	}
	return truth, nil
}

// record makes the capture that the reader of GPUPerfAPI's files makes: rows one after the other, each as long as its
// GPUTime.
func (re *replay) record(seed uint64, c *simulate.Case, o simulate.Options) (*capture.Capture, error) {
	noise := re.noise
	switch {
	case o.Noise < 0:
		noise = 0
	case o.Noise > 0:
		noise *= o.Noise
	}
	e := engines.Get().(*engine)
	defer engines.Put(e)
	defer func() { e.rec = nil }()
	r := simulate.NewRandom(seed, "fifth profiler "+c.Kind)
	v := newValues(re, len(re.rows), noise, r)
	axis := &capture.Axis{Clock: "samples"}
	now := int64(0)
	var sessions, samples []string
	for i := range re.rows {
		rec := &recorder{sum: &shows{}}
		if err := e.run(&re.rows[i], nothing, false, rec); err != nil {
			return nil, err
		}
		x := re.measure(&re.rows[i].contents[0].jobs[0], rec)
		ns := v.row(i, &x)
		axis.Start, axis.End = append(axis.Start, now), append(axis.End, now+ns)
		now += ns
		sessions, samples = append(sessions, "1"), append(samples, fmt.Sprint(i))
	}
	t := &table{axis: axis}
	v.into(t)
	cfg := capture.Config{Name: fmt.Sprintf("%s-%s-%d", c.Family, c.Kind, c.Seed), Format: "simulated", GPU: "amd-gpa-rdna", Axis: axis,
		Device: capture.Device{Name: re.m.name, Vendor: "AMD"}}
	generation := "gfx11"
	if re.m.gen == 103 {
		generation = "gfx103"
	}
	cfg.Properties = []capture.Property{{Name: "generation", Text: generation, IsText: true}, {Name: "api", Text: re.api, IsText: true},
		{Name: "num_shader_engines", Number: float64(re.m.engines)}, {Name: "num_simds", Number: re.m.simds()},
		{Name: "num_cus", Number: float64(re.m.cus)}, {Name: "num_shader_arrays", Number: float64(re.m.engines * re.m.arrays)},
		{Name: "num_prim_pipes", Number: float64(re.m.engines)}, {Name: "su_clocks_prim", Number: 1}, {Name: "ts_freq", Number: 1e8},
		{Name: "max_waves", Number: re.m.simds() * 16}}
	cfg.Counters = t.counters(&o, telling.GPA)
	cfg.Labels = []*capture.Label{capture.NewLabel("session", sessions, nil), capture.NewLabel("sample", samples, nil)}
	return capture.New(cfg)
}
