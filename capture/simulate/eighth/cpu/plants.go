package cpu

import "astrolabe/capture/simulate"

// plant is a program that is meant to be limited by one candidate. What comes of it is judged as for all others.
type plant struct {
	limit simulate.Candidate
	make  func(d *draft, r simulate.Random) *program
}

// plain is threads that do nothing but run code, of which change, if not nil, makes more of what it is meant for.
func plain(change func(p *profile, r simulate.Random), names ...string) func(d *draft, r simulate.Random) *program {
	return func(d *draft, r simulate.Random) *program {
		name := simulate.Pick(r, names...)
		p := vary(r, name)
		if change != nil {
			change(p, r)
		}
		return pool(name, d.any(), 0.2, d.run(r.Log(0.5e6, 5e6), p))
	}
}

var usual = plain(nil, "script", "branchy", "compiler", "codec")

var plants = []plant{
	{unitCore, plain(nil, "hash", "dense")},
	{unitBranch, plain(func(p *profile, r simulate.Random) { p.miss = max(0.09, p.miss) * r.Between(1.3, 2) }, "branchy")},
	{unitFront, plain(func(p *profile, r simulate.Random) { p.jumpy, p.code = p.jumpy*r.Between(2, 3), 2*p.code }, "service")},
	{simulate.MemoryLatency, plain(nil, "chase")},
	{simulate.MemoryBandwidth, func(d *draft, r simulate.Random) *program {
		return pool("streams", len(d.m.cpus), 0.2, d.work(r.Log(0.3e6, 3e6), "stream"))
	}},
	{cpuFaults, plain(func(p *profile, r simulate.Random) { p.faults = max(3e-4, p.faults) * r.Between(2, 4) }, "fresh")},
	{cpuLock, func(d *draft, r simulate.Random) *program {
		t := r.Log(40e3, 400e3)
		return pool("one lock", r.Whole(4, d.m.own()+4), 0.3, d.work(t, "service"), d.locked(1, d.work(t*r.Between(0.5, 1.2), "chase", "script", "service")))
	}},
	{cpuIO, func(d *draft, r simulate.Random) *program {
		return pool("reads", r.Whole(1, 4), 0.3, d.after(1, 4, 64, d.work(d.latency*r.Between(0.1, 0.5), "kernel", "branchy", "hash")))
	}},
	{simulate.QueuesInTurn, inTurn},
	{cpuOthers, func(d *draft, r simulate.Random) *program {
		if d.m.steal = 0; d.m.pmu == pmuNone {
			d.m.steal = r.Between(0.4, 0.6)
		} else {
			d.addOthers(r.Between(1.5, 2.5), false)
		}
		return pool("crowded", len(d.m.cpus), 0.2, d.work(r.Log(0.5e6, 5e6), "script", "codec", "compiler"))
	}},
	{simulate.ClockThermal, func(d *draft, r simulate.Random) *program {
		d.m.start, d.m.inertia, d.m.perWatt = d.m.trip-1, r.Between(0.5e9, 1.5e9), (d.m.trip-ambient)/(d.m.full()*r.Between(0.2, 0.35))
		return pool("hot", len(d.m.cpus), 0.2, usual(d, r).stages[0].segments...)
	}},
	{simulate.ClockPower, func(d *draft, r simulate.Random) *program {
		d.m.limit = d.m.full() * r.Between(0.15, 0.28)
		return pool("hungry", len(d.m.cpus), 0.2, usual(d, r).stages[0].segments...)
	}},
	{simulate.ClockGovernor, func(d *draft, r simulate.Random) *program {
		d.m.governed = r.Between(0.35, 0.6)
		return usual(d, r)
	}},
	{timer, func(d *draft, r simulate.Random) *program {
		return line("dates", 1, d.work(r.Log(0.5e6, 4e6), "game", "codec", "script")).at(r, 1, timer)
	}},
	{simulate.DisplayRequest, func(d *draft, r simulate.Random) *program {
		return pool("requests", r.Whole(2, len(d.m.cpus)), 0.3, d.work(r.Log(0.3e6, 3e6), "service")).at(r, 1, simulate.DisplayRequest)
	}},
}
