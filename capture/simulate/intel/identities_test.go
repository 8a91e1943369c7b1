package intel

import (
	"fmt"
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/cases"
	"astrolabe/capture/simulate/simulatetest"
)

func values(t *testing.T, cap *capture.Capture, name string) []float64 {
	t.Helper()
	c := cap.Counter(name)
	if c == nil {
		t.Fatalf("the capture has no %s", name)
	}
	return c.Floats()
}

// sum is the sum of some columns in a sample.
func sum(t *testing.T, cap *capture.Capture, i int, names ...string) (s float64) {
	for _, n := range names {
		s += values(t, cap, n)[i]
	}
	return s
}

func TestReportsKeepTheHardwaresRelations(t *testing.T) {
	n := uint64(simulatetest.Number(t, 22, 8))
	for _, f := range Families[:2] {
		t.Run(f.Name, func(t *testing.T) {
			for seed := range n {
				set := Sets()[seed%uint64(len(Sets()))]
				kind := []string{simulate.KindArchetype, simulate.KindRandom, simulate.KindSingle,
					simulate.KindTwoPhase}[seed%4]
				c, err := cases.New(f, kind, seed)
				if err != nil {
					t.Fatal(err)
				}
				cap, err := c.Record(simulate.Options{Sets: []string{set}, Host: simulate.No})
				if err != nil {
					t.Fatal(err)
				}
				eus, _ := cap.Property("EuCoresTotalCount")
				cols := map[string][]float64{}
				for _, c := range cap.Counters {
					cols[c.Name] = c.Floats()
				}
				for i := range cap.Len() {
					v := func(name string) float64 { return cols[name][i] }
					clocks := v("GPU_TICKS")
					where := fmt.Sprintf("%s %s %d, set %s, sample %d", f.Name, kind, seed, set, i)
					at := func(what string, ok bool) {
						if !ok {
							t.Fatalf("%s: %s", where, what)
						}
					}
					at("busy above the clock", v("A0") <= clocks)
					programmed := set != "TestOa" && set != "GpuBusyness" && set != "PMA_Stall"
					if programmed && set != "ComputeExtra" {
						at("units active and stalled for longer than they were clocked",
							v("A7")+v("A8") <= eus.Number*clocks)
					}
					if set == "ComputeBasic" || set == "ComputeExtended" || set == "ComputeL3Cache" {
						at("both pipes longer than one", v("A9") <= min(v("A10"), v("A11")))
						at("pipes longer than active", v("A10")+v("A11")-v("A9") <= v("A7"))
					}
					if set == "RenderBasic" {
						at("pipes of stages longer than active", v("A10")+v("A15") <= v("A7")+1 &&
							v("A11")+v("A16") <= v("A7")+1)
						at("samplers longer than the clock", max(v("B0"), v("B1"), v("B2"), v("B3")) <= clocks)
					}
					at("more blocks rejected than rasterized", v("A22")+v("A23")+v("A24")+v("A25") <= v("A21"))
					at("more blended than written", v("A27") <= v("A26"))
					at("more first misses than accesses", v("A33") <= v("A32"))
					if set == "MemoryReads" {
						clients := v("B0") + v("B1") + v("B2") + v("B3") + v("B4") + v("B5") + v("B6") + v("B7") +
							v("C4") + v("C5") + v("C6") + v("C7")
						at(fmt.Sprintf("clients read %v lines of %v", clients, v("C0")),
							clients <= v("C0")+12 && clients >= v("C0")-12)
					}
					if set == "RenderPipeProfile" {
						for _, name := range []string{"B0", "B1", "B2", "B3", "B4", "B5", "B6", "B7", "C0", "C1",
							"C2", "C3", "C4", "C5", "C6", "C7"} {
							at(name+" above the clock", v(name) <= clocks)
						}
					}
				}
			}
		})
	}
}

// What a rasterizer or depth test limits without small triangles has pixels, of which Gen9 rasterizes 16 a clock and
// slice.
func TestRasterizersThatLimitHavePixels(t *testing.T) {
	for _, f := range Families[:2] {
		for seed := uint64(7); seed < 10; seed++ {
			c, err := cases.New(f, simulate.KindSingle, seed)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasPrefix(c.Plant, "rasterizer") {
				continue
			}
			cap := simulatetest.Recorded(t, c, simulate.Options{Sets: []string{"RenderBasic"}, Host: simulate.No})
			slices, _ := cap.Property("EuSlicesTotalCount")
			quads, clocks := 0.0, 0.0
			for i := range cap.Len() {
				quads, clocks = quads+sum(t, cap, i, "A21"), clocks+sum(t, cap, i, "A0")
			}
			if rate := 4 * quads / clocks / slices.Number; rate < 1.2 || rate > 16 {
				t.Errorf("%s %d, %s: %.2f pixels a clock and slice", f.Name, seed, c.Plant, rate)
			}
		}
	}
}

func TestSetsAreMeasuredInRounds(t *testing.T) {
	c, err := cases.New(Families[0], simulate.KindArchetype, 3)
	if err != nil {
		t.Fatal(err)
	}
	cap, err := c.Record(simulate.Options{Sets: []string{"RenderBasic", "RenderPipeProfile", "MemoryReads"}})
	if err != nil {
		t.Fatal(err)
	}
	l := cap.Label("metric_set")
	if l == nil || len(l.Dict) != 3 || len(cap.Gaps) != 2 || len(cap.Regions) != 3 {
		t.Fatalf("label %v, %d gaps, %d regions", l, len(cap.Gaps), len(cap.Regions))
	}
	if _, ok := cap.Property("metric_set"); ok {
		t.Error("a recording of several sets has the property of one")
	}
	if _, err := c.Record(simulate.Options{Sets: []string{"Render"}}); err == nil {
		t.Error("an unknown set is taken")
	}
}

func TestPeriodsAreThoseOfTheTimer(t *testing.T) {
	c, err := cases.New(Families[1], simulate.KindArchetype, 4)
	if err != nil {
		t.Fatal(err)
	}
	cap, err := c.Record(simulate.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ticks := values(t, cap, "TIMESTAMP")
	exact := 0
	for _, x := range ticks {
		for e := 11; e <= 16; e++ {
			if d := x - float64(int64(2)<<e); d >= -1 && d <= 1 {
				exact++
			}
		}
	}
	if exact != len(ticks) {
		t.Errorf("%d of %d samples are a power of two ticks long: %v", exact, len(ticks), ticks[:4])
	}
	if s := sum(t, cap, 0, "A22", "A23"); s < 0 {
		t.Error(s)
	}
}
