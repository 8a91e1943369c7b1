package mali

import (
	"fmt"
	"slices"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
)

const (
	nameG52 = "mali-g52-ninth"
	nameG1  = "mali-g1-ultra-ninth"
)

// Names are the families.
var Names = []string{nameG52, nameG1}

// Kinds are the kinds of cases of a family; nil where there is no such family.
func Kinds(name string) []string {
	if !slices.Contains(Names, name) {
		return nil
	}
	return simulate.Kinds()
}

// New draws a case. The same arguments give the same case.
func New(name, kind string, seed uint64) (*simulate.Case, error) {
	if !slices.Contains(Kinds(name), kind) {
		return nil, fmt.Errorf("%s has no cases of kind %q", name, kind)
	}
	r := simulate.NewRandom(seed, name+" "+kind)
	m := newMachine(name, r)
	k := &maker{r, m, &load{}}
	c := &simulate.Case{Family: name, Kind: kind, Seed: seed}
	text := ""
	switch kind {
	case simulate.KindArchetype:
		text = k.archetype()
	case simulate.KindRandom:
		text = k.random()
	case simulate.KindSingle:
		text, c.Plant = k.single(seed)
	case simulate.KindSerial:
		text = k.serial()
	case simulate.KindHealthy:
		text = k.healthy()
	case simulate.KindTwoPhase:
		text = k.twoPhases()
	}
	w := k.w
	c.Text = fmt.Sprintf("%s on %s, %s", text, m.soc, w.pace.Name())
	c.Record = func(o simulate.Options) (*capture.Capture, error) { return record(m, w, seed, kind, o) }
	c.Judge = func() (*simulate.Truth, error) { return judge(m, w) }
	return c, nil
}

// program draws one that the GPU can run.
func (k *maker) program() *program {
	n := len(programs)
	if !k.m.csf {
		n--
	}
	return &programs[k.r.IntN(n)]
}

func (k *maker) pixels(p *program) float64 {
	n := p.pixels.draw(k.r) * 1e6
	if !k.m.csf {
		n *= .5
	}
	return n
}

func (k *maker) archetype() string {
	p := k.program()
	c, gpu := k.draw(p, k.pixels(p))
	k.pace(p.offline, longest(c, gpu))
	switch {
	case k.r.Chance(.3):
		k.warmth(k.r.Chance(.25))
	case k.r.Chance(.05):
		k.saver()
	}
	return c.name
}

func (k *maker) random() string {
	r := k.r
	names := styleNames(k.m)
	var passes []string
	for range 1 + r.IntN(8) {
		passes = append(passes, names[r.IntN(len(names))])
	}
	c := k.build(strings.Join(passes, " "), passes, r.Log(.1e6, 4e6), func(s *segment) {
		if r.Chance(.25) {
			k.m.push(s, k.stationOf(s), r.Between(.6, 2))
		}
	})
	gpu := k.lasts(c, r.Log(1e6, 50e6))
	c.app, c.driver, c.wait = gpu*r.Log(.05, 2), gpu*r.Log(.03, 1.2), r.Chance(.15)
	if r.Chance(.2) {
		k.barriers(c)
	}
	k.pace(r.Chance(.4), longest(c, gpu))
	return "passes: " + c.name
}

// stationOf is one that the segment uses.
func (k *maker) stationOf(s *segment) int {
	list := []int{stArith, stLS, stL2, stDRAM}
	switch {
	case s.kind == kindGeom:
		list = append(list, stTiler)
	case s.kind == kindFrag:
		list = append(list, stTex, stVary, stRast, stBack)
		if k.m.csf {
			list = append(list, stRay)
		}
	}
	return list[k.r.IntN(len(list))]
}

func styleNames(m *machine) (out []string) {
	for name := range styles {
		if name != "rays" || m.csf {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// plants are by what limits; seeds take them in turn.
func plants(m *machine) []int {
	list := []int{stArith, stTex, stVary, stLS, stRast, stBack, stTiler, stL2, stDRAM, causeLatency, causeLaunch, causeApp, causeDriver,
		plantSync, plantTurn, plantThermal, plantGovernor, causeVsync}
	if m.csf {
		list = append(list, stRay)
	}
	return list
}

const (
	plantSync = causes + iota
	plantTurn
	plantThermal
	plantGovernor
)

func (k *maker) single(seed uint64) (text, plant string) {
	list := plants(k.m)
	p := list[seed%uint64(len(list))]
	if p < causes {
		plant = candidates[p].String()
	} else {
		plant = []simulate.Candidate{simulate.CPUSync, simulate.QueuesInTurn, simulate.ClockThermal, simulate.ClockGovernor}[p-plantSync].String()
	}
	r := k.r
	passes := simulate.Pick(r, []string{"opaque"}, []string{"shadow", "opaque", "ui"}, []string{"gbuffer", "light"}, []string{"opaque", "alpha"})
	switch p {
	case stArith, stLS, stL2, stDRAM:
		if r.Chance(.4) {
			passes = simulate.Pick(r, []string{"matrix"}, []string{"particles", "particles"}, []string{"image"})
		}
	case causeLatency:
		passes = []string{"gather", "gather"}
	case causeLaunch:
		passes = nil
		for range 8 + r.IntN(40) {
			passes = append(passes, simulate.Pick(r, "layer", "layer", "particles", "ui"))
		}
	case stTiler:
		passes = simulate.Pick(r, []string{"shadow"}, []string{"gbuffer"}, []string{"shadow", "opaque"})
	}
	each := func(s *segment) {
		switch {
		case p < stations && (p == stTiler) == (s.kind == kindGeom):
			if s.kind == kindFrag || p == stTiler || p <= stLS && p != stTex && p != stVary || p == stL2 || p == stDRAM {
				k.m.push(s, p, r.Between(1.6, 3))
			}
			if p == stTiler {
				s.warps *= r.Between(6, 14)
			}
		case p == stTiler:
			s.warps *= .15
		case p == causeLatency && s.kind == kindComp:
			s.phases, s.occupancy = s.phases*r.Between(2, 5), r.Between(.06, .2)
			s.miss, s.atomic, s.lsLines = max(s.miss, .6), 0, s.lsLines*.3
			s.lsRead *= .4
		}
	}
	c := k.build("planted "+plant, passes, r.Log(.2e6, 3e6), each)
	ns := r.Log(4e6, 25e6)
	if p == causeLaunch {
		ns = float64(len(passes)) * (k.m.launch + k.m.finish) * r.Between(.5, 1.2)
	}
	gpu := k.lasts(c, ns)
	c.app, c.driver = gpu*r.Between(.1, .4), gpu*r.Between(.05, .3)
	k.pace(true, gpu)
	k.w.pace.Ahead, k.w.single = 3, false
	switch p {
	case causeApp:
		c.app = gpu * r.Between(1.5, 3)
	case causeDriver:
		c.driver = gpu * r.Between(1.5, 3)
	case plantSync:
		c.wait, c.app = true, gpu*r.Between(.5, 1.1)
	case plantTurn:
		k.turns(c)
	case plantThermal:
		k.warmth(true)
	case plantGovernor:
		k.saver()
	case causeVsync:
		k.keep(c)
		return "light work", plant
	}
	return "content with one limit", plant
}

// turns makes both queues have work for about as long, of different units, in turn.
func (k *maker) turns(c *content) {
	r, none := k.r, noRelief
	var took [kindComp + 1]float64
	each := func(do func(s *segment)) {
		for _, j := range c.jobs {
			for _, s := range j.segments {
				do(&k.w.segments[s])
			}
		}
	}
	each(func(s *segment) {
		if s.kind == kindGeom {
			s.miss, s.lsLines, s.lsWriteLines, s.instr, s.occupancy = s.miss*.2, s.lsLines*.3, s.lsWriteLines*.3, s.instr*.3, .6
		}
		took[s.kind] += s.warps / solve([]class{k.m.class(s, 1, &none, false)})[0].rate
	})
	more := took[kindFrag] / took[kindGeom] * r.Between(.6, 1.2)
	each(func(s *segment) {
		if s.kind == kindGeom {
			s.warps = max(1, s.warps*more)
		}
	})
	gpu := k.lasts(c, r.Log(6e6, 20e6))
	k.barriers(c)
	c.app, c.driver = gpu*.2, gpu*.1
}

func (k *maker) serial() string {
	r, p := k.r, k.program()
	for p.offline {
		p = k.program()
	}
	c, gpu := k.draw(p, k.pixels(p))
	c.app, c.driver = gpu*r.Between(.2, .9), gpu*r.Between(.05, .3)
	k.pace(true, gpu+c.app)
	k.w.pace.Ahead = 3
	if r.Chance(.5) {
		c.wait = true
	} else {
		k.turns(c)
	}
	return c.name + " in turn"
}

func (k *maker) healthy() string {
	p := k.program()
	for p.offline {
		p = k.program()
	}
	c, _ := k.draw(p, k.pixels(p))
	c.wait = false
	k.keep(c)
	return c.name
}

// keep makes a content one that keeps its dates.
func (k *maker) keep(c *content) {
	r, w := k.r, k.w
	w.frames = nil
	refresh := 1e9 / simulate.Pick(r, k.refreshes()...)
	w.pace = simulate.Pacing{Refresh: int64(refresh), Buffers: 3, Ahead: 2, Align: true}
	if r.Chance(.25) {
		w.pace.Cadence = []int{2}
		refresh *= 2
	} else if r.Chance(.25) {
		w.pace = simulate.Pacing{Cap: int64(refresh), Ahead: 2}
	}
	w.warm, w.single = 8, r.Chance(.35)
	for range w.warm + int(r.Between(.8, 2)*1e9/refresh) {
		w.frames = append(w.frames, k.frame(0))
	}
	gpu := k.lasts(c, refresh*r.Between(.25, .6))
	c.app, c.driver = refresh*r.Between(.1, .35), refresh*r.Between(.05, .25)
	if gpu > .7*refresh { // too many launches for this display
		c.jobs = c.jobs[:2]
		k.lasts(c, refresh*.4)
	}
	for range 6 {
		none := noRelief
		x, err := simulateLoad(k.m, w, &none, false, nil)
		missed := 0
		for i := w.warm; err == nil && i < len(x.frames); i++ {
			missed += x.frames[i].Missed
		}
		if missed == 0 {
			break
		}
		k.lasts(c, k.alone(c)*.75)
		c.app, c.driver = c.app*.75, c.driver*.75
	}
}

func (k *maker) twoPhases() string {
	a := k.program()
	pixels := k.pixels(a)
	x, gpu := k.draw(a, pixels)
	t := longest(x, gpu)
	name := x.name
	b := a
	for b == a || b.offline != a.offline {
		b = k.program()
	}
	y, gpu2 := k.draw(b, pixels)
	k.pace(a.offline, max(t, longest(y, gpu2)))
	for len(k.w.frames) < 36 {
		k.w.frames = append(k.w.frames, k.frame(0))
	}
	k.phases()
	return name + ", then " + y.name
}
