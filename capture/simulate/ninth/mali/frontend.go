package mali

// frontEnd are the counters of the job manager, or of the command streams' front end, in a stretch of ns.
func (x *run) frontEnd(t tally, ns float64) {
	m := x.m
	clocks := ns * m.ghz(x.clock.share())
	held, runs := false, 0
	for q := range x.queue {
		s := x.queue[q].state
		held = held || s >= stateLaunch || s == stateDepend && x.rec.depends && !m.csf
		if s == stateRun {
			runs++
		}
	}
	if held {
		t.add("MaliGPUActiveCy", clocks)
	}
	any := false
	for q := range x.queue {
		s := x.queue[q].state
		any = any || s >= stateRun
		if m.csf {
			x.iterator(t, q, s, clocks, runs)
		} else if q != queueComp {
			x.slot(t, q, s, clocks)
		}
		if s == stateFinish {
			t.add("MaliGPUIRQActiveCy", clocks*.3/queues).add("MaliL2CacheFlushCy", clocks*.4/queues)
		}
	}
	if any {
		t.add("MaliGPUAnyQueueActiveCy", clocks)
	}
}

// slot is a job slot.
func (x *run) slot(t tally, q, state int, clocks float64) {
	name := []string{"MaliNonFragQueue", "MaliFragQueue"}[q]
	switch state {
	case stateIdle:
		return
	case stateDepend:
		if !x.rec.depends { // the driver keeps the job until it may run
			return
		}
		t.add(name+"WaitDepCy", clocks)
	case stateLaunch:
		t.add(name+"WaitFlushCy", clocks*.35).add(name+"WaitRdCy", clocks*.35).add(name+"WaitIssueCy", clocks*.1)
	case stateRun: // tasks wait for cores that are full of others
		t.add(name+"WaitIssueCy", clocks*[]float64{.6, .88}[q])
	case stateFinish:
		t.add(name+"WaitFinishCy", clocks*.7).add(name+"WaitFlushCy", clocks*.3)
	}
	t.add(name+"ActiveCy", clocks)
}

// iterator is that of a queue, with the command stream that feeds it.
func (x *run) iterator(t tally, q, state int, clocks float64, runs int) {
	name := []string{"MaliBinning", "MaliMain", "MaliComp"}[q]
	stream := []string{"0", "1", "2"}[q]
	if state == stateIdle {
		return
	}
	t.add("MaliCSFCS"+stream+"ActiveCy", clocks)
	switch state {
	case stateDepend:
		t.add("MaliCS"+stream+"WaitStallCy", clocks)
	case stateLaunch:
		t.add("MaliCSFMCUActiveCy", clocks*.4/queues).add("MaliCSFCEUActiveCy", clocks*.6/queues).add("MaliCSFLSUActiveCy", clocks*.3/queues)
		t.add("MaliCSDoorbellIRQCy", clocks*.05/queues)
	case stateRun, stateFinish:
		t.add(name+"QueuedCy", clocks)
		t.add("MaliCS"+stream+"WaitStallCy", clocks*.85) // it waits until its own work is done
		t.add("MaliCSFCEUActiveCy", clocks*.02/queues).add("MaliCSFLSUActiveCy", clocks*.01/queues)
		if runs > 1 {
			t.add(name+"QueueAssignStallCy", clocks*.12)
		}
		if state == stateFinish {
			t.add(name+"QueueDrainStallCy", clocks*.5).add(name+"QueueIRQActiveCy", clocks*.2)
			if q == queueGeom {
				t.add("MaliTilerQueueDrainStallCy", clocks*.5)
			}
		}
	}
}

// ended counts a job.
func (t tally) ended(m *machine, q int) {
	if m.csf {
		t.add([]string{"MaliBinningQueueJob", "MaliMainQueueJob", "MaliCompQueueJob"}[q], 1).add("MaliGPUIRQ", 1)
	} else {
		t.add([]string{"MaliNonFragQueueJob", "MaliFragQueueJob", ""}[q], 1)
	}
	t.add("MaliL2CacheFlush", 1)
}
