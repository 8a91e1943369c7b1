package cpu

import "math"

// faster is what relief does to rates.
const faster = 1.5

// start begins a chunk of a thread's work: how long it takes is known at once, from the core's clock, from what the
// code asks for, and from when memory will have served all that was booked before it and its own bytes.
func (s *sim) start(th *threadState, o *op, at int64) {
	c := th.cpu
	k := s.m.kind(c)
	f := s.clock.ghz(s.m.cpuOf[c])
	u := s.noise(th)
	quick := 1.0
	if s.rl.whole || s.rl.role >= 0 && th.t.role == s.rl.role {
		quick = faster
	}
	var x [parts]float64 // ns
	var v tally
	if o.kind == opFault {
		n := min(th.left, math.Ceil(chunkNs/s.p.faultNs))
		th.left -= n
		x[partFaults] = n * s.p.faultNs * u / quick
		v[kFaults] = n
		// Pages are zeroed. Of what is written some stays in the caches; nothing waits for the rest.
		rate := s.m.memory
		if s.rl.bandwidth {
			rate *= faster
		}
		s.free = max(s.free, float64(at)) + n*1500/rate
		v[kInstructions] = n * s.p.faultNs * f * 0.45
		v[kOps] = v[kInstructions] * 1.15
		v[kBranches], v[kWrong] = v[kInstructions]*0.18, v[kInstructions]*0.0015
		v[kLoads], v[kL1] = v[kInstructions]*0.4, n*64*0.6
		v[kL2], v[kDRAM] = n*18, n*6
		v[kFetches], v[kPages] = n*3, n
		v[kSystem] = 1
		s.finish(th, c, k, f, at, &x, &v, 0)
		return
	}
	code := s.p.codes[o.code]
	lat := s.m.latency
	if backlog := (s.free - float64(at)) / chunkNs; backlog > 0 {
		lat *= 1 + 0.5*min(1, backlog)
	}
	cost := costOf(code, k, lat)
	if s.rl.latency {
		cost.nsLatency /= faster
	}
	if s.rl.core {
		cost.core /= faster
	}
	if s.rl.front {
		cost.front /= faster
	}
	if s.rl.branch {
		cost.branch /= faster
	}
	core, front, branch, latency := cost.core/f, cost.front/f, cost.branch/f, cost.nsLatency
	// What the core does while loads are under way is hidden.
	hidden := 0.3 * min(core, latency)
	core -= hidden * core / (core + latency)
	latency -= hidden * latency / (core + latency)
	each := core + front + branch + latency // ns per instruction
	n := th.left
	if most := chunkNs / each; n > most*1.5 {
		n = most
	}
	th.left -= n
	by := n * u / quick
	x[partCore], x[partFront], x[partBranch], x[partLatency] = core*by, front*by, branch*by, latency*by
	own := x[partCore] + x[partFront] + x[partBranch] + x[partLatency]
	bytes := n * (code.stream + code.dram*64)
	rate, pull := s.m.memory, k.pull*1.05
	if s.rl.bandwidth {
		rate, pull = rate*faster, pull*faster
	}
	if s.rl.whole {
		pull *= faster
	}
	s.free = max(s.free, float64(at)) + bytes/rate
	if end := max(s.free-float64(at), bytes/pull); end > own {
		x[partBandwidth] = end - own
	}
	v[kInstructions], v[kOps] = n, n*code.ops
	v[kBranches], v[kWrong] = n*code.branches, n*code.wrong
	v[kLoads] = n * (code.loads + code.stores)
	v[kL2] = n * (code.l2 + code.dram + code.stream/64*0.6)
	v[kL1] = n*code.l1 + v[kL2]
	v[kDRAM] = n * (code.dram + code.stream/64*0.5)
	v[kFetches], v[kPages] = n*code.fetches, n*code.pages
	v[kShared] = n * code.shared
	v[kSystem] = code.kernel
	v[kDivider] = x[partCore] * f * code.divide
	v[kBytes] = bytes
	s.finish(th, c, k, f, at, &x, &v, code.pace*k.width)
}

// finish books a chunk whose parts are known.
func (s *sim) finish(th *threadState, c int, k *coreKind, f float64, at int64, x *[parts]float64, v *tally, issue float64) {
	over := th.overhead
	th.overhead = 0
	ns := over
	for _, t := range x {
		ns += t
	}
	end := at + max(1, int64(ns))
	ns = float64(end - at)
	th.vr += ns
	th.slice += end - at
	s.cpus[c].busy += end - at
	activity := 1.0
	if op := s.op(th); op.kind == opCompute {
		activity = s.p.codes[op.code].activity
	}
	wait := x[partBandwidth] + x[partLatency]
	s.cpus[c].heat += (ns - 0.35*wait) * activity
	s.push(end, evChunk, c)
	if s.keep {
		r := s.note(th, recRun, end)
		y := *x
		y[partCore] += over
		if top := s.clock.top(s.m.cpuOf[c]); f < top {
			for _, p := range [...]int{partCore, partFront, partBranch} {
				late := y[p] * (1 - f/top)
				y[p] -= late
				y[partClock] += late
			}
			r.reason = s.clock.reason(s.m.cpuOf[c])
		}
		for i, t := range y {
			r.parts[i] = float32(t)
		}
	} else {
		th.since = end
	}
	if s.rec == nil {
		return
	}
	cycles := ns * f
	slots := cycles * k.width
	per := f * k.width
	branch, front := x[partBranch]*per, x[partFront]*per
	memory := wait * per
	if x[partFaults] > 0 {
		all := x[partFaults] * per
		branch, front, memory = all*0.05, all*0.18, all*0.42
	}
	front += over * per * 0.5
	v[kOps] += over * 0.3
	v[kInstructions] += over * 0.3
	v[kCycles] = cycles
	v[kOps] = min(v[kOps], slots-branch-front-memory)
	v[kBad], v[kFront], v[kMemory] = branch, front, memory
	v[kBack] = slots - branch - front - v[kOps]
	still := max(0, x[partCore]*f) * math.Exp(-max(0.2, issue))
	v[kStillFront] = front/k.width*0.9 + 0.6*branch/k.width
	v[kStillBack] = memory/k.width*0.92 + still
	v[kStillMemory] = memory / k.width * 0.9
	v[kStillCore] = still
	system := v[kSystem]*(ns-over) + over
	v[kSystem], v[kBusy] = system, ns
	s.rec.chunk(c, th, at, end, v)
}
