package cpu

import "astrolabe/capture/simulate"

// plant is a program that is meant to be limited by one candidate. What comes of it is judged as for all others.
type plant struct {
	limit simulate.Candidate
	make  func(d *draft) *program
}

// plain is threads that do nothing but run code.
func plain(codes ...string) func(d *draft) *program {
	return func(d *draft) *program {
		r := d.r
		name := simulate.Pick(r, codes...)
		return pool(name, simulate.Pick(r, 1, 1, 2, d.cores()), 0.2, d.work(d.code(name), r.Log(0.5e6, 5e6)))
	}
}

var plants = []plant{
	{unitCore, plain("hash", "dense")},
	{unitBranch, func(d *draft) *program {
		k := d.code("branchy")
		d.profiles[k].miss = max(0.09, d.profiles[k].miss) * d.r.Between(1.3, 2)
		return pool("guesses", simulate.Pick(d.r, 1, 2, d.cores()), 0.2, d.work(k, d.r.Log(0.5e6, 5e6)))
	}},
	{unitFront, func(d *draft) *program {
		k := d.code("service")
		d.profiles[k].jumpy *= d.r.Between(2, 3)
		d.profiles[k].code *= 2
		return pool("large code", simulate.Pick(d.r, 1, 2, d.cores()), 0.2, d.work(k, d.r.Log(0.5e6, 5e6)))
	}},
	{simulate.MemoryLatency, func(d *draft) *program {
		return pool("pointers", simulate.Pick(d.r, 1, 1, 2, d.cores()), 0.2, d.work(d.code("chase"), d.r.Log(0.5e6, 5e6)))
	}},
	{simulate.MemoryBandwidth, func(d *draft) *program {
		return pool("streams", len(d.m.cpus), 0.2, d.work(d.code("stream"), d.r.Log(0.3e6, 3e6)))
	}},
	{cpuFaults, func(d *draft) *program {
		k := d.code("fresh")
		d.profiles[k].faults = max(d.profiles[k].faults, 3e-4) * d.r.Between(2, 4)
		return pool("fresh memory", simulate.Pick(d.r, 1, 2, d.cores()), 0.2, d.work(k, d.r.Log(0.5e6, 5e6)))
	}},
	{cpuLock, func(d *draft) *program {
		t := d.r.Log(40e3, 400e3)
		return pool("one lock", d.r.Whole(4, d.cores()+4), 0.3, d.work(d.code("service"), t),
			d.work(d.code(simulate.Pick(d.r, "chase", "script", "service")), t*d.r.Between(0.5, 1.2)).locked(1))
	}},
	{cpuIO, func(d *draft) *program {
		return pool("reads", d.r.Whole(1, 4), 0.3, d.work(d.code(simulate.Pick(d.r, "kernel", "branchy", "hash")),
			d.device.latency*d.r.Between(0.1, 0.5)).after(d.r.Log(4, 64)*kb))
	}},
	{simulate.QueuesInTurn, inTurn},
	{cpuOthers, func(d *draft) *program {
		if d.m.pmu == pmuNone {
			d.m.steal = d.r.Between(0.4, 0.6)
		} else {
			d.addOthers(d.r.Between(1.5, 2.5), false)
		}
		return pool("crowded", len(d.m.cpus), 0.2, d.work(d.code(simulate.Pick(d.r, "script", "codec", "compiler")), d.r.Log(0.5e6, 5e6)))
	}},
	{simulate.ClockThermal, func(d *draft) *program {
		d.heated(0.25, 0.4)
		return pool("hot", len(d.m.cpus), 0.2, d.work(d.code(simulate.Pick(d.r, "script", "branchy", "compiler", "codec")),
			d.r.Log(0.5e6, 5e6)))
	}},
	{simulate.ClockPower, func(d *draft) *program {
		d.m.heat, d.m.limit = nil, d.full()*d.r.Between(0.15, 0.28)
		return pool("hungry", len(d.m.cpus), 0.2, d.work(d.code(simulate.Pick(d.r, "script", "branchy", "compiler", "codec")),
			d.r.Log(0.5e6, 5e6)))
	}},
	{simulate.ClockGovernor, func(d *draft) *program {
		d.m.governed = d.r.Between(0.35, 0.6)
		return pool("slow policy", simulate.Pick(d.r, 1, 2, d.cores()), 0.2,
			d.work(d.code(simulate.Pick(d.r, "script", "branchy", "codec", "compiler")), d.r.Log(0.5e6, 5e6)))
	}},
	{timer, func(d *draft) *program {
		p := line("dates", 1, 0.15, d.work(d.code(simulate.Pick(d.r, "game", "codec", "script")), d.r.Log(0.5e6, 4e6)))
		p.pace = dates
		return p
	}},
	{simulate.DisplayRequest, func(d *draft) *program {
		p := pool("requests", d.r.Whole(2, len(d.m.cpus)), 0.3, d.work(d.code("service"), d.r.Log(0.3e6, 3e6)))
		p.pace = requests
		return p
	}},
}

// full is what all cores take together at their highest clocks.
func (d *draft) full() float64 { return d.m.classes[0].watts*float64(d.cores()) + d.m.idleWatts }

// heated gives the machine a cooler that carries off a share of what all cores take.
func (d *draft) heated(least, most float64) {
	d.m.limit = 0
	trip := 90.0
	d.m.heat = &heat{start: trip - 1, ambient: 30, trip: trip, perWatt: (trip - 30) / (d.full() * d.r.Between(least, most)),
		time: d.r.Between(0.5e9, 1.5e9)}
}
