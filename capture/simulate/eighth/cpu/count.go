package cpu

// Quantities that are counted, per CPU and sample.
const (
	qTask = iota // ns
	qCycles
	qReference
	qInstructions
	qRetired // operations
	qWrong   // operations of wrong paths that were issued
	qRecover // slots
	qNoOps   // slots that the front end left empty
	qHeldUp  // slots that the back end left empty
	qMemory  // of these, for data
	qOldest  // cycles without retirement because the oldest operation was not complete
	qLoads   // of these, because of a load
	qNoFetch // cycles without anything to dispatch
	qNoRoom  // cycles in which nothing could be dispatched
	qBranches
	qBranchMisses
	qReferences // what the processor's cache_references are
	qMisses
	qL1
	qL1Misses
	qLast
	qLastMisses
	qDataMisses
	qCodeMisses
	qFaults
	qSwitches
	qMoves
	perf // number of those that perf counts
)

// Times of /proc/stat, in its order.
const (
	qUser = perf + iota
	qNice
	qSystem
	qIdle
	qWaitIO
	qInterrupt
	qSoft
	qSteal
	quantities
)

type row [quantities]float64

// counts is what a thread adds per ns. Where slots go follows what the makers say of their events: operations of a
// wrong path are issued until the branch is known or the window is full, the pipeline then recovers for some cycles and
// fills again from the front; stalls leave slots of the back end empty.
func counts(m *machine, p *profile, x *thread, wide float64) (q row) {
	s, v, c, miss := &x.s, x.speed, x.class, x.m.wrong
	branch := s.branch * wide
	wrong := miss * min(0.6*c.window, 0.65*wide*(0.4*c.depth+s.resolve))
	recover := miss * 3 * wide
	if most := 0.8 * branch; wrong+recover > most {
		f := most / (wrong + recover)
		wrong, recover = wrong*f, recover*f
	}
	refill := min(branch-wrong-recover, miss*0.35*c.depth*wide)
	ops := p.uops + p.faults*faultInstructions*1.1
	idle := max(0, s.base*wide-p.uops)
	fault := max(0, s.fault*wide-p.faults*faultInstructions*1.1)
	noOps := 0.95*s.front*wide + refill + 0.06*idle + 0.35*fault
	data := (s.latency + s.bandwidth) * wide
	total := s.cycles() * wide
	heldUp := max(0, total-ops-wrong-recover-noOps)
	q[qTask], q[qCycles], q[qReference], q[qInstructions] = 1, x.ghz, c.highest*0.7, v*(1+p.faults*faultInstructions)
	q[qRetired], q[qWrong], q[qRecover], q[qNoOps], q[qHeldUp] = v*ops, v*wrong, v*recover, v*noOps, v*heldUp
	q[qMemory] = v * min(heldUp, 0.9*data+0.08*idle+0.2*fault)
	stalls := s.latency + s.bandwidth
	free := max(0, 1-p.uops/max(1e-9, s.base*wide)) * s.base // cycles' worth of slots without an operation
	q[qOldest] = v * (0.9*stalls + 0.4*free + 0.3*miss*s.resolve + 0.4*s.fault)
	q[qLoads] = v * (0.84*stalls + 0.1*free + 0.2*miss*s.resolve + 0.1*s.fault)
	q[qNoFetch] = v * (0.9*s.front + 0.65*s.branch + 0.3*s.fault)
	q[qNoRoom] = v * (0.88*stalls + 0.45*free + 0.4*s.fault)
	q[qBranches], q[qBranchMisses] = v*(p.branches+p.faults*faultInstructions*0.18), v*(miss+p.faults*faultInstructions*0.001)
	q[qL1], q[qL1Misses] = v*(p.loads+p.faults*faultInstructions*0.3), v*(x.m.l1*(1-0.3*p.stream)+p.faults*20)
	q[qLast], q[qLastMisses] = v*(x.m.l2+p.faults*8), v*(x.m.llc*(1-0.6*p.stream)+p.faults*3)
	q[qDataMisses], q[qCodeMisses] = v*(x.m.dataPages+p.faults), v*(x.m.codePages+p.faults*0.5)
	switch m.pmu { // the kernel gives the generic names other events on each of them
	case pmuZen, pmuZen2: // requests of L1, and those that L2 does not have
		q[qReferences], q[qMisses] = v*((x.m.l1+x.m.code1)*(1+0.4*p.stream)+p.faults*70), v*(x.m.l2+x.m.code2+p.faults*8)
	case pmuArm: // accesses of L1 and what it does not have
		q[qReferences], q[qMisses] = v*(1.4*p.loads+p.faults*600), v*(1.1*x.m.l1+p.faults*66)
	default: // the last level, with half of what prefetchers ask for
		q[qReferences], q[qMisses] = v*(x.m.l2*(1-0.2*p.stream)+x.m.code2+p.faults*10), v*(x.m.llc*(1-0.5*p.stream)+x.m.codeLLC+p.faults*4)
	}
	q[qMisses] = min(q[qMisses], q[qReferences])
	q[qFaults] = v * p.faults
	inFaults := s.fault / s.cycles()
	kernel := inFaults + (1-inFaults)*p.kernel
	q[qUser], q[qSystem], q[qSoft], q[qInterrupt] = 1-kernel, 0.9*kernel, 0.09*kernel, 0.01*kernel
	return q
}

// switching is what the kernel adds per ns while it switches threads.
func switching(m *machine, x *thread, wide float64) (q row) {
	i := kernelRate * x.ghz
	q[qTask], q[qCycles], q[qReference], q[qInstructions], q[qRetired] = 1, x.ghz, 0.7*x.class.highest, i, 1.1*i
	q[qWrong], q[qRecover] = 0.1*i, 0.04*i*wide
	rest := max(0, x.ghz*wide-q[qRetired]-q[qWrong]-q[qRecover])
	q[qNoOps], q[qHeldUp], q[qMemory] = 0.45*rest, 0.55*rest, 0.35*rest
	q[qOldest], q[qLoads], q[qNoFetch], q[qNoRoom] = 0.35*x.ghz, 0.25*x.ghz, 0.35*x.ghz, 0.3*x.ghz
	q[qBranches], q[qBranchMisses], q[qReferences], q[qMisses] = 0.19*i, 0.004*i, 0.05*i, 0.008*i
	if m.pmu == pmuArm {
		q[qReferences], q[qMisses] = 0.42*i, 0.025*i
	}
	q[qL1], q[qL1Misses], q[qLast], q[qLastMisses] = 0.3*i, 0.02*i, 0.005*i, 0.001*i
	q[qDataMisses], q[qCodeMisses], q[qSystem] = 0.001*i, 0.0006*i, 1
	return q
}
