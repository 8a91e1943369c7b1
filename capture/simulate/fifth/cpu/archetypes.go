package cpu

import "astrolabe/capture/simulate"

// work is a step of an archetype: code of a flavour with a part of the frame, drawn between two.
type work struct {
	f           flavour
	least, most float64
	do          int // opRun, opLock, opIO
	kernel      bool
	chance      float64 // that there is such a step; 0 is always
}

// archetype is a kind of program.
type archetype struct {
	name         string
	shapes       []shape
	workers      [2]int // 0 is as many as there are CPUs
	short, long  float64
	serial, work []work
	dated        float64 // chance of a cap
	hot          float64 // chance that heat or power holds the clock
}

var archetypes = []archetype{
	{name: "a web server", shapes: []shape{pooled}, workers: [2]int{2, 0}, short: 0.3e6, long: 6e6, work: []work{
		{f: fetchCode, least: 0.2, most: 0.5}, {f: branchCode, least: 0.05, most: 0.3}, {f: latencyCode, least: 0.05, most: 0.3},
		{f: mixedCode, least: 0.01, most: 0.25, do: opLock, chance: 0.6}, {least: 0.02, most: 0.2, kernel: true},
		{least: 0.1, most: 0.8, do: opIO, chance: 0.3}}},
	{name: "a database with commits", shapes: []shape{pooled}, workers: [2]int{2, 0}, short: 0.4e6, long: 8e6, work: []work{
		{f: fetchCode, least: 0.1, most: 0.4}, {f: latencyCode, least: 0.2, most: 0.6},
		{f: latencyCode, least: 0.02, most: 0.3, do: opLock, chance: 0.7}, {least: 0.05, most: 0.9, do: opIO, chance: 0.7},
		{least: 0.03, most: 0.15, kernel: true}}},
	{name: "a build", shapes: []shape{pooled}, workers: [2]int{2, 0}, short: 8e6, long: 40e6, work: []work{
		{least: 0.02, most: 0.15, do: opIO, chance: 0.6}, {f: fetchCode, least: 0.4, most: 0.8}, {f: branchCode, least: 0.1, most: 0.3},
		{f: mixedCode, least: 0.1, most: 0.3}, {least: 0.05, most: 0.2, kernel: true}}},
	{name: "a video encoder", shapes: []shape{forked, pooled}, workers: [2]int{2, 0}, short: 6e6, long: 40e6, hot: 0.35,
		serial: []work{{f: branchCode, least: 0.05, most: 0.4}}, work: []work{{f: coreCode, least: 0.4, most: 0.9},
			{f: streamCode, least: 0.05, most: 0.35}, {f: branchCode, least: 0.05, most: 0.3}}},
	{name: "a game", shapes: []shape{forked, inTurn, pipeline}, workers: [2]int{2, 5}, short: 4e6, long: 22e6, dated: 0.35, hot: 0.15,
		serial: []work{{f: mixedCode, least: 0.1, most: 0.5}, {f: fetchCode, least: 0.1, most: 0.4}},
		work:   []work{{f: coreCode, least: 0.2, most: 0.6}, {f: latencyCode, least: 0.2, most: 0.5}}},
	{name: "a solver of flows", shapes: []shape{forked}, workers: [2]int{4, 0}, short: 3e6, long: 30e6, hot: 0.15,
		serial: []work{{f: mixedCode, least: 0.005, most: 0.1}}, work: []work{{f: streamCode, least: 0.3, most: 0.9},
			{f: coreCode, least: 0.05, most: 0.6}}},
	{name: "analysis of graphs", shapes: []shape{forked, pooled}, workers: [2]int{1, 0}, short: 3e6, long: 30e6,
		serial: []work{{f: mixedCode, least: 0.01, most: 0.2}}, work: []work{{f: latencyCode, least: 0.5, most: 0.9},
			{f: branchCode, least: 0.05, most: 0.4}}},
	{name: "an interpreter with one big lock", shapes: []shape{pooled}, workers: [2]int{2, 8}, short: 0.5e6, long: 8e6, work: []work{
		{f: fetchCode, least: 0.2, most: 0.7, do: opLock}, {f: coreCode, least: 0.1, most: 0.6},
		{f: latencyCode, least: 0.05, most: 0.3, chance: 0.5}}},
	{name: "a browser", shapes: []shape{pipeline, inTurn, pooled}, workers: [2]int{1, 2}, short: 2e6, long: 16e6, dated: 0.5, work: []work{
		{f: fetchCode, least: 0.3, most: 0.6}, {f: mixedCode, least: 0.2, most: 0.6}}},
	{name: "unpacking of archives", shapes: []shape{pooled, pipeline}, workers: [2]int{1, 3}, short: 2e6, long: 20e6, work: []work{
		{least: 0.1, most: 0.7, do: opIO}, {f: branchCode, least: 0.3, most: 0.8}, {f: streamCode, least: 0.02, most: 0.2}}},
	{name: "inference of a language model", shapes: []shape{forked}, workers: [2]int{4, 0}, short: 5e6, long: 40e6, hot: 0.2,
		serial: []work{{f: mixedCode, least: 0.01, most: 0.08}}, work: []work{{f: streamCode, least: 0.4, most: 1},
			{f: coreCode, least: 0.05, most: 0.5}}},
	{name: "a studio for sound", shapes: []shape{forked, pooled}, workers: [2]int{1, 4}, short: 2e6, long: 8e6, dated: 0.8,
		serial: []work{{f: mixedCode, least: 0.05, most: 0.2}}, work: []work{{f: coreCode, least: 0.3, most: 0.8},
			{f: latencyCode, least: 0.03, most: 0.3}}},
	{name: "a rendering of paths", shapes: []shape{pooled}, workers: [2]int{2, 0}, short: 3e6, long: 20e6, hot: 0.35, work: []work{
		{f: coreCode, least: 0.3, most: 0.7}, {f: latencyCode, least: 0.1, most: 0.5}, {f: branchCode, least: 0.05, most: 0.3}}},
}

// archetype draws a program of a kind.
func (b *builder) archetype() *content {
	r := b.r
	a := &archetypes[r.IntN(len(archetypes))]
	x := &content{name: a.name, shape: a.shapes[r.IntN(len(a.shapes))], spread: r.Between(0.03, 0.4), uneven: r.Between(0, 0.25),
		depth: r.Whole(1, 3)}
	most := a.workers[1]
	if most == 0 {
		most = len(b.m.cpus)
	}
	x.workers = r.Whole(min(a.workers[0], len(b.m.cpus)), min(most, len(b.m.cpus)))
	if x.shape == forked {
		x.workers = max(2, x.workers)
	} else if x.shape == pooled && r.Chance(0.25) { // more threads than CPUs
		x.workers = min(24, x.workers*r.Whole(2, 3))
	}
	l := b.p.lock(r.Chance(0.08))
	total := r.Log(a.short, a.long)
	steps := func(list []work) (out []step) {
		for _, w := range list {
			if w.chance > 0 && !r.Chance(w.chance) {
				continue
			}
			s := step{do: w.do, lock: l, ns: total * r.Between(w.least, w.most)}
			switch {
			case w.kernel:
				s.seg = b.kernel()
			case w.do != opIO:
				s.seg = b.code(w.f, r.Between(0.3, 1))
			}
			out = append(out, s)
		}
		return out
	}
	x.serial, x.steps = steps(a.serial), steps(a.work)
	if x.shape == inTurn && len(x.steps) > 2 {
		x.steps = x.steps[:2]
	}
	if x.shape == pipeline || x.shape == inTurn {
		x.workers = len(x.steps)
	}
	if r.Chance(a.dated) {
		x.period = int64(1e9 / simulate.Pick(r, 30.0, 48, 60, 60, 60, 90, 120, 144))
	}
	if r.Chance(a.hot) {
		b.m.hold(r, simulate.Pick(r, simulate.ClockThermal, simulate.ClockPower), r.Between(0.45, 0.9), float64(x.workers))
	}
	return x
}
