package intel

// sample is what the GPU did between two reports.
type sample struct {
	m     *machine
	t     [tallies]float64
	ticks float64 // clocks, of work and idle
}

func (q *sample) pipes(k int) (sum float64) {
	for stage := vs; stage <= cs; stage++ {
		sum += q.t[tPipe+2*stage+k]
	}
	return min(sum, q.t[tLoaded]) // a clock at the edge of two samples is not counted in one of them alone
}

func (q *sample) sum(from, n int) (sum float64) {
	for i := range n {
		sum += q.t[from+i]
	}
	return sum
}

// active is the clocks of an EU of each cluster in which a pipe executed; the pipe of messages mostly does beside others.
func (q *sample) active() float64 {
	return min(q.t[tLoaded], q.pipes(0)+q.pipes(1)-q.sum(tBoth, 3)+0.3*q.sum(tSend, 3))
}

// share is a time as the hardware counts one for several units: no longer than the clocks of all.
func (q *sample) share(x float64, units int) float64 { return min(x, q.ticks*float64(units)) }

// counts is what the counters of metrics count, by the symbols of the metrics and in the hardware's unit.
func (q *sample) counts() map[string]float64 {
	if q.m.xe2 {
		return q.xe2()
	}
	return q.gen9()
}

func (q *sample) gen9() map[string]float64 {
	t, eus := &q.t, float64(q.m.eus)
	bank := func(base, n int, all float64) float64 { // the first two banks are followed one by one
		if n < 2 {
			return q.share(t[base+n], 1)
		}
		return q.share((all-t[base]-t[base+1])/2, 1)
	}
	per := func(x float64) float64 { return x / float64(q.m.clusters) }
	out := map[string]float64{
		"GpuBusy": q.share(t[tTime], 1), "RenderBusy": q.share(t[tTime], 1), "AnyRingBusy": q.share(t[tTime], 1), "VsThreads": t[tThreads+vs],
		"PsThreads": t[tThreads+ps], "CsThreads": t[tThreads+cs], "EuActive": q.active() * eus, "EuStall": (t[tLoaded] - q.active()) * eus,
		"EuFpuBothActive": q.sum(tBoth, 3) * eus, "Fpu0Active": q.pipes(0) * eus, "Fpu1Active": q.pipes(1) * eus,
		"EuSendActive": q.sum(tSend, 3) * eus, "VsSendActive": t[tSend+vs] * eus, "PsSendActive": t[tSend+ps] * eus,
		"PsEuBothFpuActive": t[tBoth+ps] * eus, "EuThreadOccupancy": t[tOccupied] * eus / 8, "Sampler0Busy": q.share(t[tSamplerBusy], 1),
		"Sampler1Busy": q.share(t[tSamplerBusy+1], 1), "Sampler0Bottleneck": q.share(t[tSamplerHold], 1),
		"Sampler1Bottleneck": q.share(t[tSamplerHold+1], 1), "RasterizedPixels": t[tQuads], "HiDepthTestFails": t[tHizFails],
		"EarlyDepthTestFails": t[tEarlyFails], "SamplesKilledInPs": t[tKilled], "PixelsFailingPostPsTests": t[tFailed],
		"SamplesWritten": t[tColor], "SamplesBlended": t[tBlended], "SamplerTexels": t[tTexels], "SamplerTexelMisses": t[tTexelMisses],
		"SlmBytesRead": t[tLocalRead], "SlmBytesWritten": t[tLocalWrite], "ShaderMemoryAccesses": t[tLoads] + t[tStores],
		"ShaderAtomics": t[tAtomics], "ShaderBarriers": t[tBarriers], "SamplerL1Misses": t[tLookups+opTexture] / 8,
		"L3Misses": q.sum(tMisses, opKinds), "GtiHdcLookupsThroughput": (t[tMisses+opLoad] + t[tMisses+opStore]) / 64,
		"GtiReadThroughput": t[tReadLines], "GtiMemoryReads": t[tReadLines], "GtiWriteThroughput": t[tWriteLines],
		"GtiMemoryWrites": t[tWriteLines], "GtiRingAccesses": (t[tReadLines] + t[tWriteLines]) / 2, "GtiVfMemoryReads": t[tVertexLines],
		"GtiRccMemoryReads": t[tColorRead], "GtiRccMemoryWrites": t[tColorWrite], "GtiRczMemoryReads": t[tDepthRead],
		"GtiRczMemoryWrites": t[tDepthWrite], "GtiL3Bank0Reads": (t[tReadLines] - t[tVertexLines] - t[tColorRead] - t[tDepthRead]) / 4,
		"GtiL3Bank1Reads": (t[tReadLines] - t[tVertexLines] - t[tColorRead] - t[tDepthRead]) / 4,
		"GtiL3Bank2Reads": (t[tReadLines] - t[tVertexLines] - t[tColorRead] - t[tDepthRead]) / 4,
		"GtiL3Bank3Reads": (t[tReadLines] - t[tVertexLines] - t[tColorRead] - t[tDepthRead]) / 4, "GtiL3Bank0Writes": t[tStoreLines] / 4,
		"GtiL3Bank1Writes": t[tStoreLines] / 4, "GtiL3Bank2Writes": t[tStoreLines] / 4, "GtiL3Bank3Writes": t[tStoreLines] / 4,
		"L30Bank0Active": bank(tBank0, 0, t[tBank]), "L30Bank1Active": bank(tBank0, 1, t[tBank]), "L30Bank2Active": bank(tBank0, 2, t[tBank]),
		"L30Bank3Active": bank(tBank0, 3, t[tBank]), "L30Bank0Stalled": bank(tBankStall0, 0, t[tBankStall]),
		"L30Bank1Stalled": bank(tBankStall0, 1, t[tBankStall]), "L30Bank2Stalled": bank(tBankStall0, 2, t[tBankStall]),
		"L30Bank3Stalled": bank(tBankStall0, 3, t[tBankStall]), "L3Bank00Accesses": q.sum(tLookups, opKinds) / 8,
		"L3Bank01Accesses": q.sum(tLookups, opKinds) / 8, "L3Bank02Accesses": q.sum(tLookups, opKinds) / 8,
		"L3Bank03Accesses": q.sum(tLookups, opKinds) / 8, "VfBottleneck": q.share(t[tWait+vertexFetch], 1),
		"VsBottleneck": q.share(t[tReady+1], 1), "ClBottleneck": q.share(t[tWait+clipper], 1), "SfBottleneck": q.share(t[tWait+setup], 1),
		"HiDepthBottleneck": q.share(t[tWait+hierarchicalDepth], 1), "EarlyDepthBottleneck": q.share(t[tWait+earlyDepth], 1),
		"BcBottleneck": q.share(0.03*t[tBusy+rasterizer], 1), "ClStall": q.share(t[tFixedHeld]+t[tWait+setup]+t[tWait+rasterizer], 1),
		"SfStall": q.share(t[tFixedHeld]+t[tWait+rasterizer], 1), "PolyDataReady": q.share(t[tBusy+setup]+t[tWait+rasterizer], 1),
		"Rasterizer0InputAvailable": q.share(t[tBusy+rasterizer]+t[tWait+rasterizer], 1),
		"Rasterizer0OutputReady":    q.share(t[tBusy+rasterizer]+t[tWait+hierarchicalDepth], 1),
		"PixelData0Ready":           q.share(t[tBusy+earlyDepth]+t[tReady], 1), "PSOutput0Available": q.share(t[tColorBusy], 1),
		"PixelValues0Ready": q.share(t[tColorBusy], 1), "EuUntypedReads0": per(t[tLoads]) / 2, "UntypedReads0": per(t[tLoads]),
		"EuUntypedWrites0": per(t[tStores]) / 2, "VsFpu0Active": t[tPipe+2*vs+0] * eus, "VsFpu1Active": t[tPipe+2*vs+1] * eus,
		"PsFpu0Active": t[tPipe+2*ps+0] * eus, "PsFpu1Active": t[tPipe+2*ps+1] * eus,
	}
	for n := range 3 {
		at := string(rune('0' + n))
		out["PSThread0"+at+"ReadyForDispatch"], out["NonPSThread0"+at+"ReadyForDispatch"] = q.share(t[tReady], 1), q.share(t[tReady+1]+t[tReady+2], 1)
		out["Sampler0"+at+"InputAvailable"] = q.share(t[tSamplerBusy+n], 1)
		out["Sampler0"+at+"OutputReady"] = q.share(per(t[tTexels]), 1) // a quad of results a clock, however many were filtered for it
	}
	return out
}

// parts are counters of which metrics take several, by metric: of the first to the last of its equation.
func (q *sample) parts(symbol string) []float64 {
	t := &q.t
	per := func(x float64) float64 { return x / float64(q.m.clusters) }
	switch symbol {
	case "GtiVfThroughput":
		return []float64{t[tVertexLines] * 0.2, t[tVertexLines] * 0.8} // indices and vertices
	case "GtiDepthThroughput":
		return []float64{t[tDepthRead], t[tDepthWrite]}
	case "GtiRccThroughput":
		return []float64{t[tColorRead], t[tColorWrite]}
	case "UntypedBytesRead":
		return []float64{per(t[tLoads]), per(t[tLoads]), per(t[tLoads])}
	case "UntypedBytesWritten":
		return []float64{per(t[tStores]), per(t[tStores]), per(t[tStores])}
	case "GtiL3Throughput":
		return []float64{q.sum(tMisses, opKinds) - t[tStoreLines], t[tStoreLines]}
	case "NonSamplerShader00AccessStalledOnL3", "NonSamplerShader01AccessStalledOnL3", "NonSamplerShader02AccessStalledOnL3":
		busy := per(t[tLoads] + t[tStores])
		return []float64{q.share(busy+t[tPortHeld+int(symbol[17]-'0')], 1), min(busy, q.ticks)}
	}
	return nil
}
