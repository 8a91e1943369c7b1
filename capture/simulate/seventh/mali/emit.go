package mali

import "astrolabe/capture/simulate"

// emitter fills columns by the machine names of their counters.
type emitter struct {
	cols *simulate.Columns
	at   map[string]int
	row  *row
	put  map[string]bool // of the sample
	most uint64          // clocks of the sample
}

// add appends a quantity and returns the whole number that became of it; 0 where this GPU lacks the counter.
func (e *emitter) add(name string, x float64) uint64 {
	at, ok := e.at[name]
	if !ok {
		return 0
	}
	e.put[name] = true
	e.cols.Add(at, x)
	return e.cols.Last(at)
}

// below appends a quantity that is no more than another counter's. What is above is counted later.
func (e *emitter) below(name string, x float64, most uint64) uint64 {
	if _, ok := e.at[name]; !ok {
		return 0
	}
	if e.add(name, x) > most {
		e.cols.Fix(e.at[name], most)
	}
	return e.cols.Last(e.at[name])
}

// whole appends a number as it is.
func (e *emitter) whole(name string, v uint64) {
	if at, ok := e.at[name]; ok {
		e.put[name] = true
		e.cols.Whole(at, float64(v))
	}
}

// rest gives the counters that the sample has no work for a zero.
func (e *emitter) rest() {
	for name, at := range e.at {
		if !e.put[name] {
			e.cols.Whole(at, 0)
		}
	}
	clear(e.put)
}

// emit fills all columns with a sample.
func (c *chip) emit(e *emitter) {
	s := &e.row.s
	cores, slices := uint64(c.cores), uint64(c.slices)
	gpu := e.below("MaliGPUActiveCy", s[sGPU], e.most)
	if c.modern {
		c.emitStreams(e, gpu)
	} else {
		c.emitSlots(e, gpu)
	}
	e.emitTiler(gpu)
	e.emitMemory(gpu, slices)
	any := gpu * cores
	if c.modern {
		any = e.below("MaliAnyActiveCy", s[sAny], gpu*cores)
	} else {
		any = min(any, uint64(s[sAny])+1)
	}
	frag, other := "MaliFragActiveCy", "MaliNonFragActiveCy"
	if c.modern {
		frag, other = "MaliMainActiveCy", "MaliCompOrBinningActiveCy"
	}
	drawn := e.below(frag, s[sFrag], any)
	e.below(other, s[sOther], any)
	e.below("MaliFragFPKActiveCy", s[sFPK], drawn)
	core := e.below("MaliCoreActiveCy", s[sCore], any)
	e.below("MaliEngStarveCy", s[sStarve], 4*core)
	e.emitPixels(c)
	e.emitShaders(c, core)
	e.emitBeats()
	e.rest()
}

// emitStreams are the counters of a front end that executes command streams.
func (c *chip) emitStreams(e *emitter, gpu uint64) {
	s, n := &e.row.s, &e.row.n
	e.below("MaliGPUAnyQueueActiveCy", s[sAnyQueue], gpu)
	e.below("MaliCSFMCUActiveCy", s[sMCU], gpu)
	e.below("MaliCSFCEUActiveCy", s[sCEU], gpu)
	e.below("MaliCSFLSUActiveCy", s[sLSU], gpu)
	e.below("MaliGPUIRQActiveCy", s[sIRQ], e.most)
	e.add("MaliGPUIRQ", e.row.irqs)
	e.below("MaliL2CacheFlushCy", s[sFlush], gpu)
	jobs := e.row.jobs
	e.add("MaliL2CacheFlush", jobs[0]+jobs[1]+jobs[2])
	tasks := [3]float64{0, 0, n[nFragTask]}
	// The queues of vertices and of compute count their tasks in one amount: vertices have positions.
	if all := n[nQueueTask]; all > 0 {
		tasks[0] = min(all, n[nPosTask]/64)
		tasks[1] = all - tasks[0]
	}
	for q, x := range []struct{ queued, job, task, irq, assign, drain, total string }{
		{"MaliBinningQueuedCy", "MaliBinningQueueJob", "MaliBinningQueueTask", "MaliBinningQueueIRQActiveCy",
			"MaliBinningQueueAssignStallCy", "MaliTilerQueueDrainStallCy", "ITER_TILER_TOTAL_IDVS_TASK_ACTIVE_CYCLES"},
		{"MaliCompQueuedCy", "MaliCompQueueJob", "MaliCompQueueTask", "MaliCompQueueIRQActiveCy", "MaliCompQueueAssignStallCy",
			"MaliCompQueueDrainStallCy", "ITER_COMP_TOTAL_TASK_ACTIVE_CYCLES"},
		{"MaliMainQueuedCy", "MaliMainQueueJob", "MaliMainQueueTask", "MaliMainQueueIRQActiveCy", "MaliMainQueueAssignStallCy",
			"", "ITER_FRAG_TOTAL_TASK_ACTIVE_CYCLES"},
	} {
		queued := e.below(x.queued, s[sQueued0+q], gpu)
		e.add(x.job, jobs[q])
		e.add(x.task, tasks[q])
		e.below(x.irq, jobs[q]*60, gpu)
		e.below(x.assign, s[sAssign0+q], queued)
		e.below(x.drain, s[sDrain0+q], queued)
		e.add(x.total, s[sTasks0+q])
	}
	for q, x := range [][2]string{{"MaliCSFCS0ActiveCy", "MaliCS0WaitStallCy"}, {"MaliCSFCS1ActiveCy", "MaliCS1WaitStallCy"},
		{"MaliCSFCS2ActiveCy", "MaliCS2WaitStallCy"}} {
		e.below(x[1], s[sBlocked0+q], e.below(x[0], s[sStream0+q], e.most))
	}
}

// emitSlots are the counters of a job manager.
func (c *chip) emitSlots(e *emitter, gpu uint64) {
	s, n := &e.row.s, &e.row.n
	e.below("MaliGPUIRQActiveCy", s[sIRQ], e.most)
	e.add("MaliL2CacheFlush", e.row.jobs[0]+e.row.jobs[1])
	for q, name := range []string{"MaliNonFragQueue", "MaliFragQueue"} {
		active := e.below(name+"ActiveCy", s[sQueued0+q], gpu)
		e.add(name+"Job", e.row.jobs[q])
		left := active
		for _, x := range []struct {
			name  string
			state int
		}{{"WaitFlushCy", sWaitFlush0}, {"WaitRdCy", sWaitRead0}, {"WaitIssueCy", sWaitIssue0}, {"WaitDepCy", sWaitDep0},
			{"WaitFinishCy", sFinish0}} {
			left -= e.below(name+x.name, s[x.state+q], left)
		}
	}
	e.add("MaliNonFragQueueTask", n[nQueueTask])
	e.add("MaliFragQueueTask", n[nFragTask])
}

// emitTiler are triangles and vertices. All that came in were culled by one test or are visible.
func (e *emitter) emitTiler(gpu uint64) {
	s, n := &e.row.s, &e.row.n
	active := e.below("MaliTilerActiveCy", s[sTiler], gpu)
	visible := e.add("MaliGeomVisiblePrim", n[nVisible])
	all := visible + e.add("MaliGeomSampleCullPrim", n[nSample])
	all += e.add("MaliGeomFaceCullPrim", n[nFace]) + e.add("MaliGeomPlaneCullPrim", n[nPlane]) + e.add("MaliGeomScissorCullPrim", n[nScissor])
	// The older layout puts culling by facing and by the edges of the view together.
	all += e.add("MaliGeomFaceXYPlaneCullPrim", n[nFace]+0.85*n[nPlane]+n[nScissor]) + e.add("MaliGeomZPlaneCullPrim", 0.15*n[nPlane])
	lines := e.below("MaliGeomLinePrim", n[nLine], all)
	points := e.below("MaliGeomPointPrim", n[nPoint], all-lines)
	e.whole("MaliGeomTrianglePrim", all-lines-points)
	back := e.below("MaliGeomBackFacePrim", n[nBack], visible)
	e.whole("MaliGeomFrontFacePrim", visible-back)
	e.below("MaliGeomVisibleDVSPrim", n[nDeferred], visible)
	e.add("MaliTilerRdBt", n[nTilerRead])
	e.add("MaliGeomPosShadTask", n[nPosTask])
	e.add("MaliGeomVarShadTask", n[nVarTask])
	e.add("MaliTilerPosCacheHit", n[nPosHit])
	e.add("MaliTilerPosCacheMiss", n[nPosMiss])
	e.add("MaliTilerVarCacheHit", n[nVarHit])
	e.add("MaliTilerVarCacheMiss", n[nVarMiss])
	e.below("MaliTilerPosShadStallCy", s[sPosStall], active)
	e.below("MaliTilerPosShadFIFOFullCy", s[sPosFull], active)
	e.below("MaliTilerPrimAsPosShadStallCy", s[sPrimStall], active)
	e.below("MaliTilerVarShadStallCy", s[sVarStall], active)
}

// emitMemory are L2 and the bus. Every lookup is a read or a write, every transaction is of one kind, and outside of
// the bands of a histogram is its last, which Arm's formula makes.
func (e *emitter) emitMemory(gpu, slices uint64) {
	s, n := &e.row.s, &e.row.n
	p := part{n: *n}
	r, w := p.lookups()
	room := gpu * slices
	reads := e.below("MaliL2CacheRdLookup", r, room)
	writes := e.below("MaliL2CacheWrLookup", w, room-reads)
	e.whole("MaliL2CacheLookup", reads+writes)
	e.add("MaliL2CacheRd", r)
	e.add("MaliL2CacheWr", w)
	e.below("MaliL2CacheRdStallCy", s[sL2Read], room)
	e.below("MaliL2CacheWrStallCy", s[sL2Write], room)
	e.below("MaliL2CacheL1RdStallCy", s[sL1Read], room)
	e.add("MaliL2CacheL1Rd", 0.003*w)
	e.add("MaliL2CacheEvict", 0.04*r)
	e.add("MaliL2CacheCleanUnique", 0.02*w)
	out := e.below("MaliExtBusRd", n[nExtRead], reads)
	unique := e.below("MaliExtBusRdUnique", 0.02*n[nExtRead], out)
	e.below("MaliExtBusRdNoSnoop", 0.9*n[nExtRead], out-unique)
	e.bands(out, []string{"MaliExtBusRdOTQ1", "MaliExtBusRdOTQ2", "MaliExtBusRdOTQ3"}, s[sOut1:sOut3+1])
	e.whole("MaliExtBusRdBt", out*4)
	e.bands(out*4, []string{"MaliExtBusRdLat0", "MaliExtBusRdLat128", "MaliExtBusRdLat192", "MaliExtBusRdLat256",
		"MaliExtBusRdLat320"}, s[sLat0:sLat320+1])
	e.below("MaliExtBusRdStallCy", s[sExtRead], room)
	in := e.below("MaliExtBusWr", n[nExtWrite], writes)
	left := in
	left -= e.below("MaliExtBusWrNoSnoopPart", 0.06*n[nExtWrite], left)
	left -= e.below("MaliExtBusWrSnoopFull", 0.05*n[nExtWrite], left)
	left -= e.below("MaliExtBusWrSnoopPart", 0.01*n[nExtWrite], left)
	e.whole("MaliExtBusWrNoSnoopFull", left)
	e.bands(in, []string{"MaliExtBusWrOTQ1", "MaliExtBusWrOTQ2", "MaliExtBusWrOTQ3"}, s[sOutW1:sOutW3+1])
	e.whole("MaliExtBusWrBt", in*4)
	e.below("MaliExtBusWrStallCy", s[sExtWrite], room)
	look := 0.02 * (r + w)
	all := e.add("MaliMMULookup", look)
	hit := e.below("MaliMMUL3Hit", 0.75*look, all)
	hit += e.below("MaliMMUL2Hit", 0.15*look, all-hit)
	miss := e.below("MaliMMUL3Rd", 0.1*look, all-hit)
	e.below("MaliMMUL2Rd", 0.02*look, miss)
}

// bands divides a total among the bands of a histogram but its last.
func (e *emitter) bands(total uint64, names []string, of []float64) {
	for i, name := range names {
		total -= e.below(name, of[i], total)
	}
}
