package cpu

import (
	"math"

	"astrolabe/capture/simulate"
)

// mix is how a thread's running time divides among the parts of a burst.
type mix [parts]float64

// mixes are kinds of code. The shares are invented, after what is commonly known of such programs.
var mixes = map[string]mix{
	"arithmetic": {0.86, 0.03, 0.02, 0.06, 0.03},
	"branches":   {0.30, 0.56, 0.06, 0.06, 0.02},
	"large code": {0.29, 0.09, 0.53, 0.07, 0.02},
	"pointers":   {0.22, 0.04, 0.02, 0.68, 0.04},
	"streams":    {0.2, 0.01, 0.01, 0.05, 0.73},
	"mixed":      {0.5, 0.12, 0.1, 0.18, 0.1},
}

// blur varies a mix.
func (m mix) blur(r simulate.Random, by float64) mix {
	sum := 0.0
	for i := range m {
		m[i] *= r.Spread(by)
		sum += m[i]
	}
	for i := range m {
		m[i] /= sum
	}
	return m
}

func (m mix) run(ns float64) step {
	s := step{kind: stepRun}
	for i := range m {
		s.ns[i] = m[i] * ns
	}
	return s
}

// drawMachine draws a computer.
func drawMachine(r simulate.Random) machine {
	m := machine{cpus: simulate.Pick(r, 2, 4, 4, 8, 8, 16), hz: r.Between(1.8e9, 5e9), share: 1,
		line: r.Between(70, 120),
		base: r.Between(0.55, 0.85), bandwidth: r.Log(12, 120)}
	if r.Chance(0.12) {
		m.share, m.held = r.Between(0.5, 0.85), simulate.Pick(r, simulate.ClockThermal, simulate.ClockPower)
	}
	return m
}

// drawCode draws what instructions are like.
func drawCode(r simulate.Random) code {
	return code{ipc: r.Between(1.6, 4.5), branches: r.Between(0.08, 0.25), miss: r.Log(0.001, 0.02),
		loads: r.Between(0.2, 0.4), near: r.Log(0.005, 0.06),
		far: r.Log(0.02, 0.4), kernel: r.Between(0.01, 0.15), faults: r.Log(0.001, 2), stall: r.Between(0.6, 0.95)}
}

// workers are equal threads that go round the same steps.
func workers(n int, spread float64, steps ...step) (out []thread) {
	for range n {
		out = append(out, thread{steps: steps, counts: true, spread: spread})
	}
	return out
}

// archetypes draw programs. item is about how long an item of work runs, in ns.
var archetypes = map[string]func(r simulate.Random, m *machine, item float64) program{
	"batch": func(r simulate.Random, m *machine, item float64) program {
		x := mixes[simulate.Pick(r, "arithmetic", "streams", "pointers", "mixed", "large code", "branches")].blur(r,
			0.3)
		return program{threads: workers(max(1, m.cpus-r.Whole(0, 2)), 0.4, x.run(item))}
	},
	"server": func(r simulate.Random, m *machine, item float64) program {
		x := mixes[simulate.Pick(r, "large code", "mixed", "pointers")].blur(r, 0.3)
		locked := r.Between(0, 0.25)
		return program{locks: 1, devices: []int{r.Whole(2, 16)}, threads: workers(m.cpus*r.Whole(1, 4), 0.7,
			x.run(item*0.4),
			step{kind: stepLock}, x.run(item*locked), step{kind: stepUnlock}, step{kind: stepIO,
				wait: item * r.Log(0.05, 4)}, x.run(item*0.3))}
	},
	"database": func(r simulate.Random, m *machine, item float64) program {
		x := mixes[simulate.Pick(r, "pointers", "mixed", "branches")].blur(r, 0.3)
		return program{locks: 2, devices: []int{r.Whole(2, 16), 1}, threads: workers(m.cpus*2, 0.8, x.run(item*0.5),
			step{kind: stepIO, wait: item * r.Log(0.1, 3)},
			step{kind: stepLock, index: 1}, x.run(item*r.Between(0.05, 0.3)), step{kind: stepIO, index: 1,
				wait: item * r.Log(0.02, 0.4)}, step{kind: stepUnlock, index: 1})}
	},
	"compiler": func(r simulate.Random, m *machine, item float64) program {
		x := mixes["large code"].blur(r, 0.3)
		return program{devices: []int{4}, threads: workers(m.cpus, 0.8,
			step{kind: stepIO, wait: item * r.Log(0.02, 0.5)}, x.run(item))}
	},
	"game": func(r simulate.Random, m *machine, item float64) program {
		x := mixes[simulate.Pick(r, "mixed", "arithmetic", "branches", "pointers")].blur(r, 0.3)
		period := int64(1e9 / simulate.Pick(r, 30.0, 60, 60, 72, 90, 120))
		busy := r.Between(0.2, 1.6)
		p := program{queues: []int{1}, threads: []thread{
			{steps: []step{{kind: stepTimer}, x.run(float64(period) * busy), {kind: stepPut}}, period: period,
				counts: true, spread: 0.15},
			{steps: []step{{kind: stepGet}, x.run(float64(period) * busy * r.Between(0.2, 0.9))}, spread: 0.15},
		}}
		return p
	},
	"video": func(r simulate.Random, m *machine, item float64) program {
		x, y := mixes["arithmetic"].blur(r, 0.3), mixes["streams"].blur(r, 0.3)
		return program{queues: []int{r.Whole(1, 4)}, threads: append(workers(max(1, m.cpus-2), 0.3,
			step{kind: stepGet}, x.run(item)),
			thread{steps: []step{y.run(item * 0.3 / float64(m.cpus)), {kind: stepPut}}, spread: 0.3})}
	},
	"desktop": func(r simulate.Random, m *machine, _ float64) program {
		p := program{devices: []int{4}}
		for i := range r.Whole(2, 8) {
			x := mixes[simulate.Pick(r, "mixed", "large code", "branches")].blur(r, 0.3)
			period := simulate.Pick(r, 16.667e6, 16.667e6, 33.3e6, 50e6, 100e6)
			if i == 0 {
				period = 16.667e6
			}
			steps := []step{{kind: stepTimer}, x.run(period * r.Log(0.01, 0.2))}
			if r.Chance(0.3) {
				steps = append(steps, step{kind: stepIO, wait: period * r.Between(0.02, 0.2)})
			}
			p.threads = append(p.threads, thread{steps: steps, period: int64(period), counts: i == 0, spread: 0.4})
		}
		return p
	},
	"scripts": func(r simulate.Random, _ *machine, item float64) program {
		x := mixes[simulate.Pick(r, "branches", "large code")].blur(r, 0.3)
		return program{devices: []int{2}, threads: workers(1, 0.5, x.run(item),
			step{kind: stepIO, wait: item * r.Log(0.05, 0.6)})}
	},
}

// plants are programs that one thing limits.
var plants = map[string]func(r simulate.Random, m *machine, item float64) program{
	"core":      plain("arithmetic"),
	"branch":    plain("branches"),
	"front end": plain("large code"),
	"latency":   plain("pointers"),
	"bandwidth": plain("streams"),
	"lock": func(r simulate.Random, m *machine, item float64) program {
		x := mixes["mixed"].blur(r, 0.2)
		return program{locks: 1, threads: workers(max(3, m.cpus), 0.3, x.run(item*0.3), step{kind: stepLock},
			x.run(item*r.Between(0.5, 0.9)), step{kind: stepUnlock})}
	},
	"I/O": func(r simulate.Random, m *machine, item float64) program {
		x := mixes["mixed"].blur(r, 0.2)
		return program{devices: []int{1}, threads: workers(r.Whole(1, 4), 0.3, x.run(item*r.Between(0.05, 0.3)),
			step{kind: stepIO, wait: item})}
	},
	"in turn":     inTurn,
	"heat":        slow(simulate.ClockThermal),
	"power limit": slow(simulate.ClockPower),
	"dates":       dates,
}

// slow is code that only a faster clock helps, because the core, its predictions and its front end share the time.
func slow(held simulate.Candidate) func(r simulate.Random, m *machine, item float64) program {
	return func(r simulate.Random, m *machine, item float64) program {
		m.share, m.held = r.Between(0.45, 0.65), held
		x := mix{0.34, 0.3, 0.28, 0.05, 0.03}.blur(r, 0.1)
		return program{threads: workers(max(1, m.cpus-1), 0.3, x.run(item))}
	}
}

func plain(name string) func(r simulate.Random, m *machine, item float64) program {
	return func(r simulate.Random, m *machine, item float64) program {
		return program{threads: workers(max(1, r.Whole(m.cpus/2, m.cpus)), 0.4, mixes[name].blur(r, 0.15).run(item))}
	}
}

// inTurn is two threads that hand work to each other, of which there is only one piece.
func inTurn(r simulate.Random, _ *machine, item float64) program {
	x, y := mixes["mixed"].blur(r, 0.3), mixes["mixed"].blur(r, 0.3)
	first := r.Between(0.35, 0.65)
	return program{queues: []int{1, 1}, threads: []thread{
		{steps: []step{{kind: stepPut, index: 1}, x.run(item * first), {kind: stepPut}}, spread: 0.3},
		{steps: []step{{kind: stepGet}, y.run(item * (1 - first)), {kind: stepGet, index: 1}}, counts: true,
			spread: 0.3},
	}}
}

// dates is a program that is done well before its next date.
func dates(r simulate.Random, m *machine, _ float64) program {
	x := mixes[simulate.Pick(r, "mixed", "arithmetic", "pointers", "streams", "large code", "branches")].blur(r, 0.3)
	period := int64(1e9 / simulate.Pick(r, 24.0, 30, 50, 60, 60, 72, 90, 100, 120, 144))
	n := r.Whole(1, m.cpus)
	p := program{}
	for i := range n {
		p.threads = append(p.threads, thread{steps: []step{{kind: stepTimer},
			x.run(float64(period) * r.Between(0.2, 0.7))}, period: period, counts: i == 0, spread: 0.1})
	}
	return p
}

// complete draws what every program has.
func (p *program) complete(r simulate.Random, m *machine, name string) {
	p.name, p.code = name, drawCode(r)
	// One thread that only moves data takes a good part of what memory gives.
	p.share = r.Between(0.25, 0.7)
	if name == "bandwidth" {
		p.share = max(p.share, r.Between(1.4, 3)/float64(len(p.threads)))
	}
}

// draws are the factors of items' work.
func draws(r simulate.Random) []float32 {
	out := make([]float32, 8191)
	for i := range out {
		out[i] = float32(math.Exp(0.5*r.NormFloat64() - 0.125))
	}
	return out
}
