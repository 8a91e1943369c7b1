package mali

import (
	"slices"
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/cases"
	"astrolabe/capture/simulate/simulatetest"
)

// hold is a relation that the hardware keeps in every sample: the counters on the left, each times its factor, add up
// to no more than the one on the right times its factor. A layout that lacks one of them has no such relation.
type hold struct {
	layouts string // words of the layouts' names; "" for all that have the counters
	left    map[string]float64
	right   string
	by      float64
}

// holds are written down from what the vendor has published of the counters and from its formulas, whose percentages
// end at 100, and not from the emitter.
var holds = []hold{
	{"", map[string]float64{"MaliGPUActiveCy": 1}, "gpu_clock_cycles", 1},
	{"", map[string]float64{"MaliGPUAnyQueueActiveCy": 1}, "gpu_clock_cycles", 1},
	{"", map[string]float64{"MaliGPUIRQActiveCy": 1}, "gpu_clock_cycles", 1},
	{"", map[string]float64{"MaliTilerActiveCy": 1}, "MaliGPUActiveCy", 1},
	{"", map[string]float64{"MaliTilerPosShadFIFOFullCy": 1}, "MaliTilerActiveCy", 1},
	// Job slots: a slot waits for one thing at a time.
	{"", map[string]float64{"MaliFragQueueActiveCy": 1}, "MaliGPUActiveCy", 1},
	{"", map[string]float64{"MaliNonFragQueueActiveCy": 1}, "MaliGPUActiveCy", 1},
	{"", map[string]float64{"MaliResQueueActiveCy": 1}, "MaliGPUActiveCy", 0},
	{"", map[string]float64{"MaliFragQueueWaitFlushCy": 1, "MaliFragQueueWaitRdCy": 1, "MaliFragQueueWaitIssueCy": 1,
		"MaliFragQueueWaitDepCy": 1, "MaliFragQueueWaitFinishCy": 1}, "MaliFragQueueActiveCy", 1},
	{"", map[string]float64{"MaliNonFragQueueWaitFlushCy": 1, "MaliNonFragQueueWaitRdCy": 1,
		"MaliNonFragQueueWaitIssueCy": 1, "MaliNonFragQueueWaitDepCy": 1, "MaliNonFragQueueWaitFinishCy": 1},
		"MaliNonFragQueueActiveCy", 1},
	// Iterators.
	{"G710", map[string]float64{"MaliFragQueuedCy": 1}, "MaliGPUActiveCy", 1},
	{"", map[string]float64{"MaliFragQueuedCy": 1}, "MaliGPUAnyQueueActiveCy", 1},
	{"", map[string]float64{"MaliVertQueuedCy": 1}, "MaliGPUAnyQueueActiveCy", 1},
	{"", map[string]float64{"MaliMainQueuedCy": 1}, "MaliGPUActiveCy", 1},
	{"", map[string]float64{"MaliBinningQueuedCy": 1}, "MaliGPUActiveCy", 1},
	{"", map[string]float64{"MaliCompQueuedCy": 1}, "gpu_clock_cycles", 1},
	{"", map[string]float64{"MaliMainQueueAssignStallCy": 1}, "MaliMainQueuedCy", 1},
	{"", map[string]float64{"MaliFragQueueAssignStallCy": 1}, "MaliFragQueuedCy", 1},
	{"", map[string]float64{"MaliCompQueueAssignStallCy": 1}, "MaliCompQueuedCy", 1},
	// Times of the cores.
	{"", map[string]float64{"MaliFragActiveCy": 1}, "MaliAnyActiveCy", 1},
	{"", map[string]float64{"MaliNonFragActiveCy": 1}, "MaliAnyActiveCy", 1},
	{"", map[string]float64{"MaliMainActiveCy": 1}, "MaliAnyActiveCy", 1},
	{"", map[string]float64{"MaliCompOrBinningActiveCy": 1}, "MaliAnyActiveCy", 1},
	{"", map[string]float64{"MaliCoreActiveCy": 1}, "MaliAnyActiveCy", 1},
	{"", map[string]float64{"MaliFragFPKActiveCy": 1}, "MaliFragActiveCy", 1},
	{"", map[string]float64{"MaliFragFPKActiveCy": 1}, "MaliMainActiveCy", 1},
	{"", map[string]float64{"MaliEngStarveCy": 1}, "MaliCoreActiveCy", 1},
	// Units of the cores: one issue in a cycle, or so many slots.
	{"", map[string]float64{"MaliEngInstr": 1}, "MaliCoreActiveCy", 1},
	{"", map[string]float64{"MaliEngDivergedInstr": 1}, "MaliEngInstr", 1},
	{"", map[string]float64{"MaliEngSFUInstr": 4}, "MaliCoreActiveCy", 1},
	{"G77 G78", map[string]float64{"MaliEngFMAInstr": 1}, "MaliCoreActiveCy", 1},
	{"G77 G78", map[string]float64{"MaliEngCVTInstr": 1}, "MaliCoreActiveCy", 1},
	{"G710", map[string]float64{"MaliEngFMAInstr": 1, "MaliEngCVTInstr": 1, "MaliEngSFUInstr": 1},
		"MaliCoreActiveCy", 1},
	{"G715 G720 G725 G1", map[string]float64{"MaliEngFMAInstr": 0.5, "MaliEngCVTInstr": 0.5, "MaliEngSFUInstr": 0.5},
		"MaliCoreActiveCy", 1},
	{"", map[string]float64{"MaliEngSlot1IssueCy": 1}, "MaliEngSlotAnyIssueCy", 1},
	{"", map[string]float64{"MaliEngSlotAnyIssueCy": 1}, "MaliCoreActiveCy", 1},
	{"", map[string]float64{"MaliTexFiltIssueCy": 1}, "MaliCoreActiveCy", 1},
	{"G52 G76", map[string]float64{"MaliTexQuads": 2}, "MaliTexFiltIssueCy", 1}, // two samples in a cycle
	{"G52 G76", map[string]float64{"MaliTexQuadPass": 2}, "MaliTexFiltIssueCy", 1},
	{"", map[string]float64{"MaliTexQuadPassTri": 1}, "MaliTexQuadPass", 1},
	{"", map[string]float64{"MaliTexCacheLookup": 1}, "MaliCoreActiveCy", 1},
	{"G77 G78", map[string]float64{"MaliTexOutMsg": 1}, "MaliTexFiltIssueCy", 1},
	{"G710 G715", map[string]float64{"MaliTexOutMsg": 1}, "MaliTexFiltIssueCy", 1},
	{"", map[string]float64{"MaliTexFullBiFiltCy": 1, "MaliTexFullTriFiltCy": 1}, "MaliTexFiltIssueCy", 1},
	{"", map[string]float64{"MaliTexInBt": 1}, "MaliCoreActiveCy", 1},
	{"", map[string]float64{"MaliTexOutBt": 1}, "MaliCoreActiveCy", 1},
	{"", map[string]float64{"MaliLSFullRd": 1, "MaliLSPartRd": 1, "MaliLSFullWr": 1, "MaliLSPartWr": 1,
		"MaliLSAtomic": 1}, "MaliCoreActiveCy", 1},
	{"G52 G76 G77 G78", map[string]float64{"MaliVar32IssueSlot": 1, "MaliVar16IssueSlot": 1}, "MaliCoreActiveCy", 1},
	{"G710", map[string]float64{"MaliVar32IssueSlot": 1, "MaliVar16IssueSlot": 1}, "MaliCoreActiveCy", 2},
	{"G715 G720 G725 G1", map[string]float64{"MaliVar32IssueSlot": 1, "MaliVar16IssueSlot": 1}, "MaliCoreActiveCy", 4},
	{"", map[string]float64{"MaliRTUBoxIssueCy": 1}, "MaliCoreActiveCy", 1},
	{"", map[string]float64{"MaliRTUTriIssueCy": 1}, "MaliCoreActiveCy", 1},
	{"", map[string]float64{"MaliRTUActiveCy": 1}, "MaliCoreActiveCy", 1},
	{"", map[string]float64{"MaliBlendIssueCy": 1}, "MaliCoreActiveCy", 1},
	{"", map[string]float64{"MaliEngTexBackpressureCy": 1}, "MaliCoreActiveCy", 1},
	{"", map[string]float64{"MaliEngRTUBackpressureCy": 1}, "MaliCoreActiveCy", 1},
	// Memory.
	{"", map[string]float64{"MaliExtBusRdLat0": 1, "MaliExtBusRdLat128": 1, "MaliExtBusRdLat192": 1,
		"MaliExtBusRdLat256": 1, "MaliExtBusRdLat320": 1}, "MaliExtBusRdBt", 1},
	{"", map[string]float64{"MaliL2CacheRdLookup": 1, "MaliL2CacheWrLookup": 1}, "MaliL2CacheLookup", 1},
	{"", map[string]float64{"MaliExtBusRd": 1}, "MaliL2CacheRdLookup", 1},
	{"", map[string]float64{"MaliExtBusWr": 1}, "MaliL2CacheWrLookup", 1},
	{"", map[string]float64{"MaliExtBusRd": 1}, "MaliExtBusRdBt", 1}, // a beat at least
	{"", map[string]float64{"MaliSCBusTexExtRdBt": 1}, "MaliSCBusTexL2RdBt", 1},
	{"", map[string]float64{"MaliSCBusLSExtRdBt": 1}, "MaliSCBusLSL2RdBt", 1},
	// Triangles, quads and warps.
	{"", map[string]float64{"MaliGeomFrontFacePrim": 1, "MaliGeomBackFacePrim": 1}, "MaliGeomVisiblePrim", 1},
	{"", map[string]float64{"MaliGeomVisibleDVSPrim": 1}, "MaliGeomVisiblePrim", 1},
	{"", map[string]float64{"MaliGeomPosShadPartTask": 1}, "MaliGeomPosShadTask", 1},
	{"", map[string]float64{"MaliFragEZSKillQd": 1, "MaliFragEZSUpdateQd": 1}, "MaliFragEZSTestQd", 1},
	{"", map[string]float64{"MaliFragEZSTestQd": 1}, "MaliFragRastQd", 1},
	{"", map[string]float64{"MaliFragRastPartQd": 1}, "MaliFragRastQd", 1},
	{"", map[string]float64{"MaliFragEZSKillQd": 1, "MaliFragOpaqueQd": 1}, "MaliFragRastQd", 1},
	{"", map[string]float64{"MaliFragPrepassKillQd": 1}, "MaliFragPrepassTestQd", 1},
	{"", map[string]float64{"MaliFragPrepassWarp": 1}, "MaliFragWarp", 1},
	{"", map[string]float64{"MaliFragPartWarp": 1}, "MaliFragWarp", 1},
	{"", map[string]float64{"MaliFragThread": 1}, "MaliFragWarp", 16},
	{"G77 G78", map[string]float64{"MaliEngSWBlendInstr": 2}, "MaliFragWarp", 1},
	{"G710", map[string]float64{"MaliEngSWBlendInstr": 4}, "MaliFragWarp", 1},
	{"G52 G76 G77 G78", map[string]float64{"MaliFragTileKill": 1}, "MaliFragTile", 1},
	{"G710 G715 G720 G725 G1", map[string]float64{"MaliFragTileKill": 1}, "MaliFragTile", 4},
}

// of reports whether the relation is one of a capture's.
func (h *hold) of(cap *capture.Capture, layout string) bool {
	word := layout[strings.LastIndexAny(layout, " -")+1:]
	if h.layouts != "" && !slices.Contains(strings.Fields(h.layouts), word) {
		return false
	}
	for name := range h.left {
		if find(cap, name) == nil {
			return false
		}
	}
	return find(cap, h.right) != nil
}

// find is the counter of a machine name, or of a name that readers give; nil where there is none.
func find(cap *capture.Capture, name string) *capture.Counter {
	for _, c := range cap.Counters {
		if c.Name == name || slices.Contains(c.Aliases, name) {
			return c
		}
	}
	return nil
}

func column(t *testing.T, cap *capture.Capture, name, instance string) []float64 {
	t.Helper()
	c := find(cap, name)
	if c == nil {
		t.Fatalf("the capture has no %s", name)
	}
	if instance != "" {
		if c = c.Instance(instance); c == nil {
			t.Fatalf("%s has no instance %s", name, instance)
		}
	}
	return c.Floats()
}

func TestCountersKeepTheHardwaresRelations(t *testing.T) {
	n := uint64(simulatetest.Number(t, 6, 3))
	kept := map[int]bool{}
	for i, f := range Families {
		layout := products[i].layout
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
				for i := range holds {
					h := &holds[i]
					if !h.of(cap, layout) {
						continue
					}
					kept[i] = true
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
					if ins := find(cap, h.right).Instances; len(ins) > 0 {
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
	for i, h := range holds {
		if !kept[i] {
			t.Errorf("no GPU has the relation of %v with %s", h.left, h.right)
		}
	}
}

func TestTheBusNeverCarriesMoreThanItCan(t *testing.T) {
	for _, f := range Families {
		for seed := range uint64(simulatetest.Number(t, 3, 2)) {
			c, err := cases.New(f, simulate.KindSingle, seed)
			if err != nil {
				t.Fatal(err)
			}
			cap, err := c.Record(simulate.Options{})
			if err != nil {
				t.Fatal(err)
			}
			slices, _ := cap.Property("MaliConstantsL2SliceCount")
			reads, writes, clock := column(t, cap, "MaliExtBusRdBt", ""), column(t, cap,
				"MaliExtBusWrBt", ""), column(t, cap, "gpu_clock_cycles", "")
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
	for i, f := range Families {
		c, err := cases.New(f, simulate.KindArchetype, 5)
		if err != nil {
			t.Fatal(err)
		}
		all, err := c.Record(simulate.Options{})
		if err != nil {
			t.Fatal(err)
		}
		d := newDevice(simulate.NewRandom(1, "x"), &products[i])
		for _, u := range d.machine.Units {
			names := d.Counters(u.Candidate)
			if lacks := u.Candidate.Name == "ray_tracing" && products[i].rays == 0; len(names) == 0 && !lacks {
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
			if len(part.Counters)+len(names) != len(all.Counters) || len(part.Counters) < len(all.Counters)/2 {
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
