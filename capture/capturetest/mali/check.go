package mali

import (
	"fmt"

	"astrolabe/capture"
	"astrolabe/capture/capturetest"
)

// Check says where counters break an identity of the hardware: parts above their whole, more cycles than the clock
// gives, more bytes than were asked for.
func (m model) Check(c *capture.Capture) error {
	n := func(key string) string { return name(m.gpu, key) }
	atMost := [][2]string{
		{n("main"), n("active")}, {n("bin"), n("active")}, {n("comp"), n("active")}, {n("mainWait"), n("main")},
		{n("binWait"), n("bin")}, {n("compWait"), n("comp")},
		{"MaliCSFCyclesMCUActive", n("active")}, {"MaliGPUCyclesGPUInterruptActive", n("active")},
		{"MaliShaderCoreCyclesExecutionCoreActive", "MaliShaderCoreCyclesAnyWorkloadActive"},
		{n("coreMain"), "MaliShaderCoreCyclesAnyWorkloadActive"},
		{n("coreNonFrag"), "MaliShaderCoreCyclesAnyWorkloadActive"}, {"MaliShaderCoreCyclesFragmentFPKBufferActive",
			n("coreMain")},
		{"MaliTextureUnitCyclesTextureFilteringActive", "MaliShaderCoreCyclesExecutionCoreActive"},
		{"MaliRayTracingUnitCyclesBoxTesterActive", "MaliShaderCoreCyclesExecutionCoreActive"},
		{"MaliRayTracingUnitCyclesTriangleTesterActive", "MaliShaderCoreCyclesExecutionCoreActive"},
		{"MaliRayTracingUnitRaysMissedRays", "MaliRayTracingUnitRaysStartedRays"},
		{"MaliRayTracingUnitRaysFirstHitTerminatedRays", "MaliRayTracingUnitRaysStartedRays"},
		{"MaliFragmentQuadsPartialRasterizedFineQuads", "MaliFragmentQuadsRasterizedFineQuads"},
		{"MaliFragmentZSQuadsEarlyZSTestedQuads", "MaliFragmentQuadsRasterizedFineQuads"},
		{"MaliFragmentZSQuadsEarlyZSKilledQuads", "MaliFragmentZSQuadsEarlyZSTestedQuads"},
		{"MaliFragmentZSQuadsEarlyZSUpdatedQuads", "MaliFragmentZSQuadsEarlyZSTestedQuads"},
		{"MaliFragmentZSQuadsLateZSTestedQuads", "MaliFragmentQuadsRasterizedFineQuads"},
		{"MaliFragmentZSQuadsLateZSKilledQuads", "MaliFragmentZSQuadsLateZSTestedQuads"},
		{"MaliShaderCoreExternalReadsTextureExternalReadBeats", "MaliShaderCoreL2ReadsTextureL2ReadBeats"},
		{"MaliShaderCoreExternalReadsLoadStoreExternalReadBeats", "MaliShaderCoreL2ReadsLoadStoreL2ReadBeats"},
		{"MaliShaderCoreExternalReadsFragmentExternalReadBeats", "MaliShaderCoreL2ReadsFragmentL2ReadBeats"},
	}
	for _, p := range atMost {
		if err := capturetest.AtMost(c, p[0], p[1], 1); err != nil {
			return err
		}
	}
	weighed := []struct {
		what         string
		parts        []string
		factor       float64
		whole        []string
		wholeFactors float64
	}{
		{"any queue holds work while the GPU is active", []string{n("active")}, 1,
			[]string{n("main"), n("bin"), n("comp")}, 1},
		{"the cores work no longer than the GPU", []string{"MaliShaderCoreCyclesAnyWorkloadActive"}, 1,
			[]string{n("active")}, cores},
		{"a core's time is of one of its paths", []string{"MaliShaderCoreCyclesAnyWorkloadActive"}, 1,
			[]string{n("coreMain"), n("coreNonFrag")}, 1},
		{"a fragment warp has 16 threads", []string{"MaliShaderThreadsFragmentThreads"}, 1,
			[]string{"MaliShaderWarpsFragmentWarps"}, warpWidth},
		{"full warps are warps", []string{"MaliShaderWarpsFullWarps"}, 1,
			[]string{"MaliShaderWarpsFragmentWarps", "MaliShaderWarpsNonFragmentWarps"}, 1},
		{"warps with all registers are warps", []string{"MaliShaderWarpsAllRegisterWarps"}, 1,
			[]string{"MaliShaderWarpsFragmentWarps", "MaliShaderWarpsNonFragmentWarps"}, 1},
		{"the load/store unit issues one access a cycle", []string{"MaliLoadStoreUnitCyclesFullRead",
			"MaliLoadStoreUnitCyclesPartialRead", "MaliLoadStoreUnitCyclesFullWrite",
			"MaliLoadStoreUnitCyclesPartialWrite", "MaliLoadStoreUnitCyclesAtomicAccess"}, 1,
			[]string{"MaliShaderCoreCyclesExecutionCoreActive"}, 1},
		{"the varying unit interpolates in time", []string{"MaliVaryingUnitIssues16BitInterpolationIssues",
			"MaliVaryingUnitIssues32BitInterpolationIssues"}, 0.25,
			[]string{"MaliShaderCoreCyclesExecutionCoreActive"}, 1},
		{"every beat has one latency", []string{"MaliExternalBusReadLatency0127Cycles",
			"MaliExternalBusReadLatency128191Cycles", "MaliExternalBusReadLatency192255Cycles",
			"MaliExternalBusReadLatency256319Cycles", "MaliExternalBusReadLatency320383Cycles"}, 1,
			[]string{"MaliExternalBusBeatsReadBeats"}, 1},
		{"a slice moves one beat a cycle", []string{"MaliExternalBusBeatsReadBeats", "MaliExternalBusBeatsWriteBeats"},
			1, []string{n("active")}, slices},
		{"a slice stalls no longer than it works", []string{"MaliExternalBusStallCyclesReadStall"}, 1,
			[]string{n("active")}, slices},
		{"a slice stalls no longer than it works", []string{"MaliExternalBusStallCyclesWriteStall"}, 1,
			[]string{n("active")}, slices},
		{"what the cores read from memory passed the bus",
			[]string{"MaliShaderCoreExternalReadsTextureExternalReadBeats",
				"MaliShaderCoreExternalReadsLoadStoreExternalReadBeats",
				"MaliShaderCoreExternalReadsFragmentExternalReadBeats"}, coreBytes,
			[]string{"MaliExternalBusBeatsReadBeats"}, beatBytes},
		{"four parts of a tile can be unchanged", []string{"MaliShaderCoreTilesKilledUnchangedTiles"}, 1,
			[]string{"MaliShaderCoreTilesTiles"}, 4},
	}
	for _, w := range weighed {
		if err := noMore(c, w.parts, w.factor, w.whole, w.wholeFactors); err != nil {
			return fmt.Errorf("%s: %w", w.what, err)
		}
	}
	return clocked(c, n("active"))
}

// noMore checks that the parts, times a factor, are together no more than the whole, times another, but for rounding.
func noMore(c *capture.Capture, parts []string, factor float64, whole []string, wholeFactor float64) error {
	sum := func(names []string, f float64) ([]float64, error) {
		out := make([]float64, c.Axis.Len())
		for _, n := range names {
			col, err := capturetest.Column(c, n)
			if err != nil {
				return nil, err
			}
			for i, v := range col {
				out[i] += v * f
			}
		}
		return out, nil
	}
	a, err := sum(parts, factor)
	if err != nil {
		return err
	}
	b, err := sum(whole, wholeFactor)
	if err != nil {
		return err
	}
	slack := float64(len(parts))*factor + float64(len(whole))*wholeFactor
	for i := range a {
		if a[i] > b[i]+slack {
			return fmt.Errorf("sample %d: %v come to %g, above %g of %v", i, parts, a[i], b[i], whole)
		}
	}
	return nil
}

// clocked checks that no sample has more cycles than the highest clock gives in its time.
func clocked(c *capture.Capture, active string) error {
	col, err := capturetest.Column(c, active)
	if err != nil {
		return err
	}
	for i, v := range col {
		if most := maxHz * float64(c.Axis.End[i]-c.Axis.Start[i]) / 1e9; v > most+1 {
			return fmt.Errorf("sample %d: %g active cycles in a time of %g", i, v, most)
		}
	}
	return nil
}
