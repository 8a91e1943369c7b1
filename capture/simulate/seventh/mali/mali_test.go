package mali

import (
	"context"
	"math"
	"slices"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/metrics"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/simulatetest"
)

func made(t *testing.T, name, kind string, seed uint64) *simulate.Case {
	return simulatetest.Make(New).Case(t, name, kind, seed)
}

func TestPlantsLimit(t *testing.T) {
	for _, name := range Names {
		simulatetest.Make(New).PlantsLimit(t, name, 20*simulatetest.Number(t, 2, 1))
	}
}

func TestKindsHold(t *testing.T) {
	for _, name := range Names {
		simulatetest.Make(New).KindsHold(t, name, Kinds(name), simulatetest.Number(t, 8, 4))
	}
}

func TestHealthyCasesKeepTheirDates(t *testing.T) {
	for _, name := range Names {
		for seed := range uint64(simulatetest.Number(t, 12, 6)) {
			c := made(t, name, simulate.KindHealthy, seed)
			truth := simulatetest.Judged(t, c)
			if !truth.Healthy || truth.Missed > 0 || truth.GPUBusy < 0.2 || truth.GPUBusy > 0.75 {
				t.Errorf("%s %d (%s): healthy %v, %d missed, busy %.2f, %v", name, seed, c.Text, truth.Healthy, truth.Missed,
					truth.GPUBusy, truth.Leaves[0])
			}
		}
	}
}

// values are a counter's values by its machine name; nil where there is none.
func values(cap *capture.Capture, name string) []float64 {
	for _, c := range cap.Counters {
		if c.Name == name || slices.Contains(c.Aliases, name) {
			return c.Floats()
		}
	}
	return nil
}

// sums are counters whose sum the first ones are, by machine names, times a number; less are those that are no more.
var sums = []struct {
	whole []string
	parts []string
	by    float64
}{
	{[]string{"MaliGeomVisiblePrim"}, []string{"MaliGeomFrontFacePrim", "MaliGeomBackFacePrim"}, 1},
	{[]string{"MaliGeomTrianglePrim", "MaliGeomLinePrim", "MaliGeomPointPrim"}, []string{"MaliGeomVisiblePrim",
		"MaliGeomFaceCullPrim", "MaliGeomPlaneCullPrim", "MaliGeomSampleCullPrim", "MaliGeomScissorCullPrim",
		"MaliGeomFaceXYPlaneCullPrim", "MaliGeomZPlaneCullPrim"}, 1},
	{[]string{"MaliL2CacheLookup"}, []string{"MaliL2CacheRdLookup", "MaliL2CacheWrLookup", "MaliL2CacheSnpLookup"}, 1},
	{[]string{"MaliExtBusWr"}, []string{"MaliExtBusWrNoSnoopFull", "MaliExtBusWrNoSnoopPart", "MaliExtBusWrSnoopFull",
		"MaliExtBusWrSnoopPart"}, 1},
	{[]string{"MaliExtBusRd"}, []string{"MaliExtBusRdBt"}, 4},
	{[]string{"MaliRTUTri"}, []string{"MaliRTUTriBin1", "MaliRTUTriBin5", "MaliRTUTriBin9", "MaliRTUTriBin13"}, 1},
	{[]string{"MaliRTUBoxIssueCy"}, []string{"MaliRTUBoxBin1", "MaliRTUBoxBin5", "MaliRTUBoxBin9", "MaliRTUBoxBin13"}, 1},
}

var less = [][2][]string{
	{{"MaliGPUActiveCy"}, {"gpu_clock_cycles"}}, {{"MaliGPUAnyQueueActiveCy"}, {"MaliGPUActiveCy"}},
	{{"MaliCoreActiveCy"}, {"MaliAnyActiveCy"}}, {{"MaliMainActiveCy"}, {"MaliAnyActiveCy"}},
	{{"MaliCompOrBinningActiveCy"}, {"MaliAnyActiveCy"}}, {{"MaliFragFPKActiveCy"}, {"MaliMainActiveCy", "MaliFragActiveCy"}},
	{{"MaliTexFiltIssueCy"}, {"MaliCoreActiveCy"}},
	{{"MaliFragEZSKillQd", "MaliFragEZSUpdateQd"}, {"MaliFragEZSTestQd"}}, {{"MaliFragEZSTestQd"}, {"MaliFragRastQd"}},
	{{"MaliFragRastPartQd"}, {"MaliFragRastQd"}}, {{"MaliFragLZSKillQd"}, {"MaliFragLZSTestQd"}},
	{{"MaliCoreFullWarp"}, {"MaliFragWarp", "MaliNonFragWarp"}}, {{"MaliCoreAllRegsWarp"}, {"MaliFragWarp", "MaliNonFragWarp"}},
	{{"MaliSCBusTexExtRdBt"}, {"MaliSCBusTexL2RdBt"}}, {{"MaliSCBusLSExtRdBt"}, {"MaliSCBusLSL2RdBt"}},
	{{"MaliExtBusRd"}, {"MaliL2CacheRdLookup"}}, {{"MaliExtBusWr"}, {"MaliL2CacheWrLookup"}},
	{{"MaliExtBusRdOTQ1", "MaliExtBusRdOTQ2", "MaliExtBusRdOTQ3"}, {"MaliExtBusRd"}},
	{{"MaliExtBusWrOTQ1", "MaliExtBusWrOTQ2", "MaliExtBusWrOTQ3"}, {"MaliExtBusWr"}},
	{{"MaliExtBusRdLat0", "MaliExtBusRdLat128", "MaliExtBusRdLat192", "MaliExtBusRdLat256", "MaliExtBusRdLat320"}, {"MaliExtBusRdBt"}},
	{{"MaliTexOutSingleMsg"}, {"MaliTexOutMsg"}}, {{"MaliTilerPosShadFIFOFullCy"}, {"MaliTilerActiveCy"}},
	{{"MaliTilerActiveCy"}, {"MaliGPUActiveCy"}}, {{"MaliBinningQueueAssignStallCy"}, {"MaliBinningQueuedCy"}},
	{{"MaliFragQueueWaitFlushCy", "MaliFragQueueWaitRdCy", "MaliFragQueueWaitIssueCy", "MaliFragQueueWaitDepCy",
		"MaliFragQueueWaitFinishCy"}, {"MaliFragQueueActiveCy"}},
	{{"MaliFragQueueActiveCy"}, {"MaliGPUActiveCy"}}, {{"MaliNonFragQueueActiveCy"}, {"MaliGPUActiveCy"}},
}

func total(cap *capture.Capture, names []string, i int) (out float64, ok bool) {
	for _, n := range names {
		if v := values(cap, n); v != nil {
			out, ok = out+v[i], true
		}
	}
	return out, ok
}

func TestCountersKeepTheIdentitiesOfTheHardware(t *testing.T) {
	for _, name := range Names {
		for _, kind := range Kinds(name) {
			for seed := range uint64(simulatetest.Number(t, 3, 1)) {
				c := made(t, name, kind, seed)
				cap := simulatetest.Recorded(t, c, simulate.Options{})
				for i := range cap.Len() {
					for _, x := range sums {
						whole, ok := total(cap, x.whole, i)
						parts, _ := total(cap, x.parts, i)
						if ok && whole*x.by != parts {
							t.Fatalf("%s %s %d, sample %d: %v is %v, %v is %v", name, kind, seed, i, x.whole, whole, x.parts, parts)
						}
					}
					for _, x := range less {
						a, ok := total(cap, x[0], i)
						b, _ := total(cap, x[1], i)
						if _, there := total(cap, x[1], i); ok && there && a > b {
							t.Fatalf("%s %s %d, sample %d: %v is %v, %v is %v", name, kind, seed, i, x[0], a, x[1], b)
						}
					}
				}
			}
		}
	}
}

// TestMetricsAreNumbers evaluates every metric: percentages are from 0 to 100, and values are finite where there was work.
func TestMetricsAreNumbers(t *testing.T) {
	for _, name := range Names {
		most := 0
		for seed := range uint64(simulatetest.Number(t, 12, 6)) {
			kind := Kinds(name)[seed%6]
			cap := simulatetest.Recorded(t, made(t, name, kind, seed), simulate.Options{Host: simulate.Yes})
			list, err := metrics.Metrics(cap)
			if err != nil {
				t.Fatal(err)
			}
			all, err := metrics.Floats(context.Background(), list)
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			for i, m := range list {
				if m.Total().Missing() {
					continue
				}
				n++
				for k, v := range append(all[i], m.Total().Float()) {
					if math.IsInf(v, 0) || m.Unit == "percent" && (v > 100+1e-6 || v < -1e-6) {
						t.Errorf("%s %s %d: %s is %v %s in sample %d", name, kind, seed, m.Name, v, m.Unit, k)
						break
					}
				}
			}
			most = max(most, n)
		}
		if most < 90 {
			t.Errorf("%s: no capture has more than %d metrics", name, most)
		}
	}
}

// TestSamplesAddUpToTheWork checks that work is counted once, however it is cut into samples.
func TestSamplesAddUpToTheWork(t *testing.T) {
	for _, name := range Names {
		c := made(t, name, simulate.KindArchetype, 4)
		sum := func(o simulate.Options) (out float64) {
			for _, v := range values(simulatetest.Recorded(t, c, o), "MaliEngFMAInstr") {
				out += v
			}
			return out
		}
		a, b := sum(simulate.Options{Period: 1e6, Late: -1, Missed: -1}), sum(simulate.Options{Period: 4e6})
		if a == 0 || math.Abs(a-b) > 0.05*a {
			t.Errorf("%s: %v instructions in short samples, %v in long ones", name, a, b)
		}
	}
}

func TestNetworkReachesItsBounds(t *testing.T) {
	var f flow
	one := class{groups: 16}
	one.demand[stTexture], one.demand[stArithmetic], one.demand[stLatency] = 10, 4, 50
	settle([]class{one}, &f)
	if f.rate[0] > 0.1 || f.rate[0] < 0.09 || f.holds(0) != stTexture {
		t.Errorf("16 groups pass a station of 10 ns every %v ns, %s holds them", 1/f.rate[0], candidates[f.holds(0)])
	}
	one.groups = 1
	settle([]class{one}, &f)
	if math.Abs(f.rate[0]-1.0/64) > 1e-6 {
		t.Errorf("a group that is alone takes %v ns instead of 64", 1/f.rate[0])
	}
	one.groups = 8
	settle([]class{one, one}, &f)
	if f.used[stTexture] > 1 || f.rate[0] != f.rate[1] {
		t.Errorf("two equal classes go at %v and %v, and use %v", f.rate[0], f.rate[1], f.used[stTexture])
	}
}
