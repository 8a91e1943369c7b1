package mali

import (
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/cases"
	"astrolabe/capture/simulate/simulatetest"
)

// holds are relations that the hardware keeps in every sample, written down from the vendor's guide and not from the
// emitter: the counters on the left, each times its factor, add up to no more than the one on the right times its
// factor.
var holds = []struct {
	gpu   string // "" for both
	left  map[string]float64
	right string
	by    float64
}{
	{"mali-g615", map[string]float64{"MaliGPUQueuedCyclesFragmentQueued": 1}, "MaliGPUCyclesAnyQueueActive", 1},
	{"mali-g615", map[string]float64{"MaliGPUQueuedCyclesVertexQueued": 1}, "MaliGPUCyclesAnyQueueActive", 1},
	{"mali-g615", map[string]float64{"MaliGPUCyclesAnyQueueActive": 1}, "gpu_clock_cycles", 1},
	{"mali-g615", map[string]float64{"MaliShaderCoreCyclesFragmentActive": 1},
		"MaliShaderCoreCyclesAnyWorkloadActive", 1},
	{"mali-g615", map[string]float64{"MaliShaderCoreCyclesNonFragmentActive": 1},
		"MaliShaderCoreCyclesAnyWorkloadActive", 1},
	{"mali-g615", map[string]float64{"MaliTextureUnitCyclesFullBilinearFilterActive": 1,
		"MaliTextureUnitCyclesFullTrilinearFilterActive": 1}, "MaliTextureUnitCyclesTextureFilteringActive", 1},
	{"mali-g720", map[string]float64{"MaliGPUQueuedCyclesMainPhaseQueued": 1}, "MaliGPUCyclesGPUActive", 1},
	{"mali-g720", map[string]float64{"MaliGPUQueuedCyclesBinningPhaseQueued": 1}, "MaliGPUCyclesGPUActive", 1},
	{"mali-g720", map[string]float64{"MaliGPUWaitCyclesMainPhaseQueueEndpointStall": 1},
		"MaliGPUQueuedCyclesMainPhaseQueued", 1},
	{"mali-g720", map[string]float64{"MaliGPUCyclesGPUActive": 1}, "gpu_clock_cycles", 1},
	{"mali-g720", map[string]float64{"MaliShaderCoreCyclesMainPhaseActive": 1},
		"MaliShaderCoreCyclesAnyWorkloadActive", 1},
	{"mali-g720", map[string]float64{"MaliShaderCoreCyclesComputeOrBinningPhaseActive": 1},
		"MaliShaderCoreCyclesAnyWorkloadActive", 1},
	{"mali-g720", map[string]float64{"MaliTextureUnitBusInputBeats": 1}, "MaliShaderCoreCyclesExecutionCoreActive", 1},
	{"", map[string]float64{"MaliGPUQueuedCyclesComputeQueued": 1}, "gpu_clock_cycles", 1},
	{"", map[string]float64{"MaliShaderCoreCyclesExecutionCoreActive": 1}, "MaliShaderCoreCyclesAnyWorkloadActive", 1},
	{"", map[string]float64{"MaliTextureUnitCyclesTextureFilteringActive": 1},
		"MaliShaderCoreCyclesExecutionCoreActive", 1},
	{"", map[string]float64{"MaliLoadStoreUnitCyclesFullRead": 1, "MaliLoadStoreUnitCyclesPartialRead": 1,
		"MaliLoadStoreUnitCyclesFullWrite":    1,
		"MaliLoadStoreUnitCyclesPartialWrite": 1,
		"MaliLoadStoreUnitCyclesAtomicAccess": 1}, "MaliShaderCoreCyclesExecutionCoreActive", 1},
	{"", map[string]float64{"MaliVaryingUnitIssues32BitInterpolationIssues": 1,
		"MaliVaryingUnitIssues16BitInterpolationIssues": 1}, "MaliShaderCoreCyclesExecutionCoreActive", 4},
	{"", map[string]float64{"MaliALUInstructionsSFUPipeInstructions": 4}, "MaliShaderCoreCyclesExecutionCoreActive", 1},
	{"", map[string]float64{"MaliALUInstructionsFMAPipeInstructions": 0.5,
		"MaliALUInstructionsCVTPipeInstructions": 0.5,
		"MaliALUInstructionsSFUPipeInstructions": 0.5}, "MaliShaderCoreCyclesExecutionCoreActive", 1},
	{"", map[string]float64{"MaliExternalBusReadLatency0127Cycles": 1, "MaliExternalBusReadLatency128191Cycles": 1,
		"MaliExternalBusReadLatency192255Cycles": 1,
		"MaliExternalBusReadLatency256319Cycles": 1,
		"MaliExternalBusReadLatency320383Cycles": 1}, "MaliExternalBusBeatsReadBeats", 1},
	{"", map[string]float64{"MaliFragmentZSQuadsEarlyZSKilledQuads": 1, "MaliFragmentZSQuadsEarlyZSUpdatedQuads": 1},
		"MaliFragmentZSQuadsEarlyZSTestedQuads", 1},
	{"", map[string]float64{"MaliFragmentZSQuadsEarlyZSTestedQuads": 1}, "MaliFragmentQuadsRasterizedFineQuads", 1},
	{"", map[string]float64{"MaliShaderThreadsFragmentThreads": 1}, "MaliShaderWarpsFragmentWarps", 16},
	{"", map[string]float64{"MaliShaderCoreTilesKilledUnchangedTiles": 1}, "MaliShaderCoreTilesTiles", 4},
	{"", map[string]float64{"MaliShaderCoreExternalReadsTextureExternalReadBeats": 1},
		"MaliShaderCoreL2ReadsTextureL2ReadBeats", 1},
	{"", map[string]float64{"MaliShaderCoreExternalReadsLoadStoreExternalReadBeats": 1},
		"MaliShaderCoreL2ReadsLoadStoreL2ReadBeats", 1},
}

func column(t *testing.T, cap *capture.Capture, name, instance string) []float64 {
	t.Helper()
	c := cap.Counter(name)
	if c == nil {
		t.Fatalf("the capture has no %s", name)
	}
	if instance != "" {
		c = c.Instance(instance)
	}
	return c.Floats()
}

func TestCountersKeepTheHardwaresRelations(t *testing.T) {
	n := uint64(simulatetest.Number(t, 12, 6))
	for _, f := range Families {
		t.Run(f.Name, func(t *testing.T) {
			for seed := range n {
				kinds := simulate.Kinds()
				kind := kinds[seed%uint64(len(kinds))]
				if kind == simulate.KindHealthy {
					kind = simulate.KindRandom // the same counters, without the search for health
				}
				c, err := cases.New(f, kind, seed)
				if err != nil {
					t.Fatal(err)
				}
				cap, err := c.Record(simulate.Options{Host: simulate.No})
				if err != nil {
					t.Fatal(err)
				}
				for _, h := range holds {
					if h.gpu != "" && h.gpu != f.Name {
						continue
					}
					check := func(instance string, slack float64) {
						right := column(t, cap, h.right, instance)
						sum := make([]float64, len(right))
						for name, by := range h.left {
							for i, v := range column(t, cap, name, instance) {
								sum[i] += by * v
							}
						}
						for i := range right {
							if sum[i] > right[i]*h.by+slack {
								t.Fatalf("%s %s %d, sample %d%s: %v is %v, %s times %v is %v", f.Name, kind, seed, i,
									instance, h.left, sum[i], h.right, h.by, right[i]*h.by)
							}
						}
					}
					check("", 0)
					// The parts of a core or slice are rounded one by one.
					if ins := cap.Counter(h.right).Instances; len(ins) > 0 {
						slack := h.by
						for _, by := range h.left {
							slack += by
						}
						check(ins[len(ins)-1].Meta.Instance, slack)
					}
				}
			}
		})
	}
}

func TestTheBusNeverCarriesMoreThanItCan(t *testing.T) {
	for _, f := range Families {
		for seed := range uint64(simulatetest.Number(t, 6, 4)) {
			c, err := cases.New(f, simulate.KindSingle, seed)
			if err != nil {
				t.Fatal(err)
			}
			cap, err := c.Record(simulate.Options{})
			if err != nil {
				t.Fatal(err)
			}
			slices, _ := cap.Property("MaliConstantsL2SliceCount")
			reads, writes, clock := column(t, cap, "MaliExternalBusBeatsReadBeats", ""), column(t, cap,
				"MaliExternalBusBeatsWriteBeats", ""), column(t, cap, "gpu_clock_cycles", "")
			for i := range reads {
				if most := clock[i] * slices.Number; reads[i] > most || writes[i] > most {
					t.Fatalf("%s %d, sample %d: %v beats read and %v written in %v cycles of %v slices", f.Name, seed,
						i, reads[i], writes[i], clock[i], slices.Number)
				}
			}
		}
	}
}

func TestWithheldCountersAreAbsentAndOthersAreNot(t *testing.T) {
	for _, f := range Families {
		c, err := cases.New(f, simulate.KindArchetype, 5)
		if err != nil {
			t.Fatal(err)
		}
		all, err := c.Record(simulate.Options{})
		if err != nil {
			t.Fatal(err)
		}
		d := newDevice(simulate.NewRandom(1, "x"), f.Name)
		for _, u := range d.machine.Units {
			names := d.Counters(u.Candidate)
			if len(names) == 0 {
				t.Errorf("%s: no counter tells of %v", f.Name, u.Candidate)
			}
			part, err := c.Record(simulate.Options{Withheld: []simulate.Candidate{u.Candidate}})
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range names {
				if part.Counter(name) != nil {
					t.Errorf("%s: %s is there although %v is withheld", f.Name, name, u.Candidate)
				}
			}
			if len(part.Counters) >= len(all.Counters) || len(part.Counters) < len(all.Counters)/2 {
				t.Errorf("%s: without %v there are %d of %d counters", f.Name, u.Candidate, len(part.Counters),
					len(all.Counters))
			}
		}
	}
}

func TestSamplesAreTakenAsTheDriverTakesThem(t *testing.T) {
	c, err := cases.New(Families[1], simulate.KindArchetype, 6)
	if err != nil {
		t.Fatal(err)
	}
	cap, err := c.Record(simulate.Options{Period: 2e6, Late: 0.05, Missed: 0.05, Gaps: 2, Marks: simulate.Yes})
	if err != nil {
		t.Fatal(err)
	}
	usual, late, long := 0, 0, 0
	for i := range cap.Len() {
		switch d := cap.Axis.Interval(i); {
		case d > 1.8e6 && d < 2.2e6:
			usual++
		case d > 3.5e6:
			long++
		default:
			late++
		}
		if i > 0 && cap.Axis.Start[i] < cap.Axis.End[i-1] {
			t.Fatalf("sample %d starts at %d, the one before ends at %d", i, cap.Axis.Start[i], cap.Axis.End[i-1])
		}
	}
	if usual < cap.Len()/2 || late == 0 || long == 0 || len(cap.Gaps) < 1 || len(cap.Late) < 3 {
		t.Errorf("of %d samples %d are as usual, %d are late or short, %d cover missed ticks; %d gaps", cap.Len(),
			usual, late, long, len(cap.Gaps))
	}
	if l := cap.Label("frame"); l == nil || len(cap.Regions) < 10 {
		t.Errorf("label %v, %d regions", l, len(cap.Regions))
	}
	plain, err := c.Record(simulate.Options{Marks: simulate.No})
	if err != nil {
		t.Fatal(err)
	}
	if plain.Label("frame") != nil || len(plain.Regions) > 0 {
		t.Error("a recording without marks has labels or regions of frames")
	}
}
