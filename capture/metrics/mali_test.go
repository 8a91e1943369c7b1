package metrics

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/internal/testfiles"
)

// maliGuides are the catalogues of the two guides with what they hold: the guides' sections, and every metric and counter.
var maliGuides = []struct {
	id, table         string // catalogue, and GPU in the counter table
	sections, metrics int
	counters          int
}{
	{"mali-g615", "Mali-G615", 108, 148, 181},
	{"mali-g720", "Mali-G720", 110, 145, 192},
}

func TestMaliCataloguesHoldEverySectionAndVariableOfTheirGuides(t *testing.T) {
	for _, g := range maliGuides {
		c := mustGet(t, g.id)
		sections, metrics, counters := 0, 0, 0
		for _, e := range c.Entries() {
			if !e.IsMetric() {
				counters++
				continue
			}
			metrics++
			sections += len(e.Refs)
			for _, in := range e.Inputs {
				if raw, err := c.Find("$" + in); in != sampleTime && (err != nil || raw.Name != in || raw.IsMetric()) {
					t.Errorf("%s: %s reads %s, which is %v, %v", g.id, e.Name, in, raw, err)
				}
			}
		}
		if sections != g.sections || metrics != g.metrics || counters != g.counters {
			t.Errorf("%s: %d sections, %d metrics, %d counters; want %d, %d, %d", g.id, sections, metrics, counters, g.sections, g.metrics, g.counters)
		}
	}
}

func TestMaliCountersAreThoseOfTheCounterTable(t *testing.T) {
	checked := 0
	for _, row := range testfiles.Rows(t, "reference", "mali_counters.csv") {
		if row["in_guide"] != "yes" {
			continue
		}
		checked++
		c := mustGet(t, strings.ToLower(row["gpu"]))
		e, err := c.Find(row["variable"])
		if err != nil {
			t.Errorf("%s: %v", c.ID(), err)
			continue
		}
		scaler := max(e.Scaler, 1)
		if "$"+e.Name != row["variable"] || e.Block != row["block"] || e.Unit != row["unit"] ||
			fmt.Sprint(scaler) != row["shift_or_scaler"] || strconv.Itoa(e.Index) != row["index"] && row["index"] != "" {
			t.Errorf("%s: %s is %s[%d] x %d in %s; the table says %v", c.ID(), e.Name, e.Block, e.Index, scaler, e.Unit, row)
		}
		if (e.Kind == capture.Constant) != (e.Block == "constant") || (e.Index == 0) != (e.Block == "constant") {
			t.Errorf("%s: %s of block %s has kind %s and index %d", c.ID(), e.Name, e.Block, e.Kind, e.Index)
		}
		names := []string{strings.TrimPrefix(row["variable"], "$"), row["newer_variable_name"]}
		if e.Kind != capture.Constant {
			names = append(names, row["hw_counter_name"], row["lgc_machine_name"])
		}
		for _, name := range names {
			if found, err := c.Find(name); err != nil || found != e {
				t.Errorf("%s: Find(%q) = %v, %v; want %s", c.ID(), name, found, err, e.Name)
			}
		}
	}
	if checked != 89+97 {
		t.Errorf("%d variables are in the guides, want 186", checked)
	}
}

// maliVectors is mali_formulas_sample.json.
type maliVectors struct {
	Cases []struct {
		GPU, Kind string
		Inputs    map[string]float64
		Expected  map[string]*float64
	}
	Titles map[string]map[string]string
}

func sortedKeys[V any](m map[string]V) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

func nearly(got, want float64) bool {
	return got == want || math.Abs(got-want) <= 1e-9*math.Abs(want)
}

func TestMaliMetricsEqualTheVectorsBySection(t *testing.T) {
	var doc maliVectors
	testfiles.JSON(t, &doc, "vectors", "mali_formulas_sample.json")
	compared := map[string]int{}
	for _, c := range doc.Cases {
		f := newFixture(c.GPU, 1)
		for _, name := range sortedKeys(c.Inputs) {
			f.add(name, c.Inputs[name])
		}
		cap := f.capture(t)
		sections := sortedKeys(c.Expected)
		counters, err := ResolveAllWith(cap, nil, sections)
		if err != nil {
			t.Fatal(err)
		}
		values, err := Floats(context.Background(), counters)
		if err != nil {
			t.Fatal(err)
		}
		for i, s := range sections {
			ctr, want := counters[i], c.Expected[s]
			compared[c.GPU]++
			if ctr.Title != doc.Titles[c.GPU][s] {
				t.Errorf("%s %s is %q, want %q", c.GPU, s, ctr.Title, doc.Titles[c.GPU][s])
			}
			got, total := values[i][0], ctr.Total()
			if want == nil {
				if !math.IsNaN(got) || !total.Missing() {
					t.Errorf("%s %s %s: %v, total %v, want missing", c.GPU, c.Kind, s, got, total)
				}
				if r, ok := ctr.Why(0); !ok || r.Code != capture.ZeroDenominator {
					t.Errorf("%s %s %s: missing because %v", c.GPU, c.Kind, s, r)
				}
				continue
			}
			if !nearly(got, *want) || !nearly(total.Float(), *want) {
				t.Errorf("%s %s %s %s: %v, total %v, want %v", c.GPU, c.Kind, s, ctr.Name, got, total, *want)
			}
		}
	}
	if compared["mali-g615"] != 4*108 || compared["mali-g720"] != 4*110 {
		t.Errorf("compared %v, want 4 x 108 and 4 x 110", compared)
	}
}

// maliBlocks is mali_blocks_sample.json.
type maliBlocks struct {
	Cases []struct {
		GPU          string
		ShaderCores  int `json:"shader_cores"`
		L2Slices     int `json:"l2_slices"`
		BusWidthBits int `json:"bus_width_bits"`
		Blocks       []struct {
			Type   string
			Index  int
			Values []uint64
		}
		Expected map[string]float64
	}
	Names map[string]map[string]struct{ Variables, Sections []string }
}

func TestMaliBlocksGiveTheValuesOfArmsLibrary(t *testing.T) {
	var doc maliBlocks
	testfiles.JSON(t, &doc, "vectors", "mali_blocks_sample.json")
	for _, c := range doc.Cases {
		cat := mustGet(t, strings.ToLower(c.GPU))
		f := newFixture(cat.ID(), 1)
		f.property("MaliConstantsShaderCoreCount", float64(c.ShaderCores))
		f.property("MaliConstantsL2SliceCount", float64(c.L2Slices))
		f.property("MaliConstantsBusWidthBits", float64(c.BusWidthBits))
		for _, e := range cat.Entries() {
			if e.Index == 0 {
				continue
			}
			sum := uint64(0)
			for _, b := range c.Blocks {
				if b.Type == e.Block {
					sum += b.Values[e.Index]
				}
			}
			f.add(e.Name, float64(sum*max(e.Scaler, 1)))
		}
		cap := f.capture(t)
		sections, variables := 0, 0
		for title, names := range doc.Names[c.GPU] {
			want, ok := c.Expected[title]
			if !ok {
				continue // a constant of the configuration, not a value of the library
			}
			for _, s := range names.Sections {
				sections++
				ctr := resolve(t, cap, s)
				clamped := want
				if strings.HasPrefix(ctr.Expr, "max(min(") {
					clamped = min(max(want, 0), 100)
				}
				if got := ctr.Total().Float(); !nearly(got, clamped) {
					t.Errorf("%s section %s (%s): %v, Arm's library says %v", c.GPU, s, title, got, want)
				}
			}
			for _, v := range names.Variables {
				if e, err := cat.Find(v); err != nil || e.Index == 0 {
					continue
				}
				variables++
				if got := resolve(t, cap, v).Total().Float(); !nearly(got, want) {
					t.Errorf("%s %s (%s): %v, Arm's library says %v", c.GPU, v, title, got, want)
				}
			}
		}
		t.Logf("%s: %d sections and %d variables agree with Arm's library", c.GPU, sections, variables)
		if sections < 90 || variables < 80 {
			t.Errorf("%s: only %d sections and %d variables compared", c.GPU, sections, variables)
		}
	}
}

func TestTheTwoMalisDifferWhereTheHardwareDoes(t *testing.T) {
	old, young := mustGet(t, "mali-g615"), mustGet(t, "mali-g720")
	for name, want := range map[string][2]string{
		"pixels":                       {"$MaliGPUTasksFragmentTasks * 1024", "$MaliGPUTasksMainPhaseTasks * 4096"},
		"gpu_active_cycles":            {"$MaliGPUCyclesAnyQueueActive", "$MaliGPUCyclesGPUActive"},
		"scissor_test_cull_percentage": {"", "PrimitiveCullingScissorTestCulledPrimitives"},
		"main_phase_queue_utilization": {"", "MainPhase"},
		"fragment_queue_utilization":   {"FragmentQueued", ""},
		"total_input_primitives":       {"FrustumTest", "ScissorTest"},
	} {
		for i, c := range []*Catalogue{old, young} {
			e, err := c.Find(name)
			if (err == nil) != (want[i] != "") || err == nil && !strings.Contains(e.Expr, want[i]) {
				t.Errorf("%s: %s is %v, %v; want a formula with %q", c.ID(), name, e, err, want[i])
			}
		}
	}
	for _, name := range []string{"pixels", "culled_primitives", "varying_shader_thread_invocations", "texture_unit_utilization"} {
		a, errA := old.Find(name)
		b, errB := young.Find(name)
		if errA != nil || errB != nil || a.Doc == b.Doc {
			t.Errorf("%s means the same on both: %v, %v", name, errA, errB)
		}
	}
}

func TestAMaliMetricHasManyAddresses(t *testing.T) {
	c := mustGet(t, "mali-g615")
	for addr, want := range map[string]string{
		"3.2.2":                    "vertex_queue_utilization",
		"Vertex queue utilization": "vertex_queue_utilization",
		"GPU utilization/Vertex queue utilization": "vertex_queue_utilization",
		"4.6.1": "fragment_shading_rate",
		"6.3.4": "fragment_shading_rate",
		"Shader workload properties/Fragment shading rate":     "fragment_shading_rate",
		"Fragment shader execution rate/Fragment shading rate": "fragment_shading_rate",
		"$MaliGPUCyclesAnyQueueActive":                         "MaliGPUCyclesAnyQueueActive",
		"MaliTextureUnitCyclesFilteringActive":                 "MaliTextureUnitCyclesTextureFilteringActive",
		"GPU_ITER_ACTIVE":                                      "MaliGPUCyclesAnyQueueActive",
		"MaliGPUAnyQueueActiveCy":                              "MaliGPUCyclesAnyQueueActive",
		"$MaliGPUWaitCyclesVertexQueueEndpointStalls":          "MaliGPUWaitCyclesVertexQueueEndpointStall",
		"MaliConfigCoreCount":                                  "MaliConstantsShaderCoreCount",
		"2.1":                                                  "cpu_activity_user",
		"2.2":                                                  "cycles",
		"$CPUActivityUser":                                     "cpu_activity_user",
	} {
		if e, err := c.Find(addr); err != nil || e.Name != want {
			t.Errorf("Find(%q) = %v, %v; want %s", addr, e, err, want)
		}
	}
	if _, err := c.Find("$MaliGPUCyclesAnyQueueActiv"); err == nil || !strings.Contains(err.Error(), "did you mean MaliGPUCyclesAnyQueueActive") {
		t.Errorf("a mistyped variable: %v", err)
	}
	e, err := c.Find("5.3.1")
	if err != nil || len(e.References) != 1 || e.References[0].Value != 50 || e.References[0].Unit != "percent" || e.References[0].Source != e.Source {
		t.Errorf("5.3.1 has the published numbers %v, %v", e.References, err)
	}
}

func TestEveryAddressOfAMaliEntryFindsIt(t *testing.T) {
	for _, g := range maliGuides {
		c := mustGet(t, g.id)
		for _, e := range c.Entries() {
			addresses := append([]string{e.Name, "$" + e.Name, e.Address(), strings.ToLower(e.Address())}, e.Refs...)
			addresses = append(addresses, e.Aliases...)
			if e.IsMetric() {
				addresses = append(addresses, e.Title)
			}
			for _, addr := range addresses {
				if got, err := c.Find(addr); err != nil || got != e {
					t.Errorf("%s: Find(%q) = %v, %v; want %s", g.id, addr, got, err, e.Name)
				}
			}
		}
	}
}

func TestAMaliCaptureMayHaveOtherNamesAndConstantsAsColumns(t *testing.T) {
	f := newFixture("mali-g615", 2)
	f.add("ITER_TILER_ACTIVE", 60, 100)                        // hardware's name
	f.add("MaliGPUWaitCyclesVertexQueueEndpointStalls", 10, 0) // newer variable
	f.add("MaliGPUAnyQueueActiveCy", 100, 100)                 // library's name
	f.add("L2_EXT_READ_BEATS", 5, 7)
	f.add("MaliConstantsBusWidthBits", 128, 128)
	f.add("MaliShaderCoreCyclesAnyWorkloadActive", 240, 320)
	f.add("MaliConfigCoreCount", 4, 4)
	f.add("FRAG_SHADER_THREADS", 3, 4)
	f.add("ITER_FRAG_TASK_COMPLETED", 1, 0)
	cap := f.capture(t)
	for name, want := range map[string]float64{
		"vertex_queue_utilization": 75, "3.3.1": 12 * 16, "shader_core_usage": 70, "12.1.1": 4, "12.1.3": 16,
		"fragments_per_pixel": 28.0 / 1024, "MaliShaderThreadsFragmentThreads": 28, "FRAG_SHADER_THREADS": 7,
	} {
		if got := resolve(t, cap, name).Total(); !nearly(got.Float(), want) {
			t.Errorf("%s = %v, want %v", name, got, want)
		}
	}
	missing := resolve(t, cap, "$MaliCSFCyclesMCUActive")
	if v := missing.Total(); !v.Missing() {
		t.Errorf("a counter that was not collected is %v", v)
	}
	if r, ok := resolve(t, cap, "3.2.1").Why(0); !ok || r.Code != capture.NotCollected {
		t.Errorf("3.2.1 is missing because %v", r)
	}
}

func TestARecordingByPlacesOpensOnceItsGPUIsKnown(t *testing.T) {
	f := newFixture("mali-g615", 2)
	f.add("fe_4", 1, 1) // the defect of this generation: never the time that the GPU was active
	f.add("fe_6", 100, 100)
	f.add("fe_5", 20, 30)
	f.add("core_69", 3, 4)
	cap := f.capture(t)
	for name, want := range map[string]float64{"gpu_active_cycles": 200, "microcontroller_utilization": 25, "$MaliShaderThreadsFragmentThreads": 28, "core_69": 7} {
		if got := resolve(t, cap, name).Total(); !nearly(got.Float(), want) {
			t.Errorf("%s = %v, want %v", name, got, want)
		}
	}
}

func TestAMaliConstantMayBeAProperty(t *testing.T) {
	f := newFixture("mali-g720", 3)
	f.property("MaliConstantsBusWidthBits", 256)
	f.property("MaliConfigL2CacheCount", 2)
	f.add("MaliExternalBusBeatsReadBeats", 1, 2, 3)
	f.add("MaliExternalBusStallCyclesReadStall", 20, 20, 20)
	f.add("MaliGPUCyclesGPUActive", 40, 40, 40)
	cap := f.capture(t)
	for name, want := range map[string]float64{"12.1.3": 32, "12.1.2": 2, "$MaliConstantsBusWidthBits": 256, "MaliConstantsL2SliceCount": 2, "3.3.1": 6 * 32, "3.4.1": 25} {
		c := resolve(t, cap, name)
		if got := c.Total().Float(); got != want || c.Value(1).Missing() {
			t.Errorf("%s = %v, want %v", name, got, want)
		}
	}
	if c := resolve(t, cap, "$MaliConstantsShaderCoreCount"); !c.Total().Missing() {
		t.Errorf("a constant that the capture does not say is %v", c.Total())
	}
}

func TestAMaliMetricHoldsForEachCore(t *testing.T) {
	f := newFixture("mali-g615", 1)
	f.perCPU("MaliShaderCoreCyclesAnyWorkloadActive", capture.CombineSum, capture.Delta, []float64{50}, []float64{70}, []float64{90})
	f.perCPU("MaliShaderCoreCyclesFragmentActive", capture.CombineSum, capture.Delta, []float64{5}, []float64{35}, []float64{90})
	f.add("MaliGPUCyclesAnyQueueActive", 100)
	f.property("MaliConstantsShaderCoreCount", 3)
	cap := f.capture(t)
	for name, want := range map[string][]float64{"shader_core_usage": {70, 50, 70, 90}, "fragment_utilization": {130.0 / 2.1, 10, 50, 100}} {
		c := resolve(t, cap, name)
		got := []float64{c.Total().Float()}
		for _, in := range c.Instances {
			got = append(got, in.Total().Float())
		}
		if !slices.EqualFunc(got, want, nearly) {
			t.Errorf("%s of all and of each core: %v, want %v", name, got, want)
		}
	}
}

func TestAMaliCaptureWithCPUColumnsAnswersTheCPUSections(t *testing.T) {
	cpu := cpuCapture(t)
	cfg := cpu.Config
	cfg.GPU = "mali-g720"
	cfg.Counters = append(slices.Clone(cfg.Counters), &capture.Counter{Meta: capture.Meta{Name: "MaliGPUCyclesGPUActive"}, Axis: cfg.Axis,
		Col: capture.NewColumn(capture.Data{F: []float64{1, 2}})})
	cap, err := capture.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"$CPUActivityUser.Cluster[0]", "$CPUActivityUser.Cluster[1]", "$CyclesCPUCycles.Cluster[0]", "$CyclesCPUCycles.Cluster[1]", "$CPUActivityUser", "$CyclesCPUCycles"} {
		got, want := resolve(t, cap, name).Total(), resolve(t, cpu, name).Total()
		if got.Missing() || got.Float() != want.Float() {
			t.Errorf("%s is %v beside a GPU, %v alone", name, got, want)
		}
	}
	if a, b := resolve(t, cap, "2.1").Total(), resolve(t, cap, "cpu_activity_user").Total(); a != b {
		t.Errorf("section 2.1 is %v, want %v", a, b)
	}
	all := resolve(t, cap, "$CPUActivityUser.Cluster[0..N]")
	if len(all.Instances) != 2 {
		t.Errorf("Cluster[0..N] has %d instances, want 2", len(all.Instances))
	}
	if v := resolve(t, cap, "3.1.1").Total(); v.Float() != 3 {
		t.Errorf("3.1.1 is %v", v)
	}
}

func TestGuideFormulasWithASurplusBracketPasteIn(t *testing.T) {
	f := newFixture("mali-g615", 1)
	f.add("MaliPrimitiveCullingVisiblePrimitives", 30)
	f.add("MaliPrimitiveCullingFacingTestCulledPrimitives", 50)
	f.add("MaliPrimitiveCullingFrustumTestCulledPrimitives", 15)
	f.add("MaliPrimitiveCullingSampleTestCulledPrimitives", 5)
	cap := f.capture(t)
	// As section 4.2.1 prints it.
	c, err := Eval(cap, "max(min((($MaliPrimitiveCullingVisiblePrimitives /\n($MaliPrimitiveCullingFacingTestCulledPrimitives +\n"+
		"$MaliPrimitiveCullingFrustumTestCulledPrimitives +\n$MaliPrimitiveCullingSampleTestCulledPrimitives +\n"+
		"$MaliPrimitiveCullingVisiblePrimitives)) * 100, 100), 0)", capture.Meta{})
	if err != nil {
		t.Fatal(err)
	}
	if got := c.Total().Float(); got != 30 || got != resolve(t, cap, "4.2.1").Total().Float() {
		t.Errorf("section 4.2.1 pasted in is %v, want 30", got)
	}
	if w := c.Warnings; len(w) == 0 || !strings.Contains(w[0], "is surplus") {
		t.Errorf("warnings %q, want what was assumed", w)
	}
}

func TestCycleBudget(t *testing.T) {
	b, err := CycleBudget(3, 500e6, 1920, 1080, 60)
	if err != nil || !nearly(b.Max, 12.056327160493828) || !nearly(b.Real, 10.247878086419753) {
		t.Errorf("budget %v, %v", b, err)
	}
	for _, bad := range [][5]float64{{0, 1, 1, 1, 1}, {1, -1, 1, 1, 1}, {1, 1, math.NaN(), 1, 1}, {1, 1, 1, math.Inf(1), 1}, {1, 1, 1, 1, 0}} {
		if b, err := CycleBudget(bad[0], bad[1], bad[2], bad[3], bad[4]); err == nil {
			t.Errorf("CycleBudget(%v) = %v", bad, b)
		}
	}
}

func TestTheCatalogueDescribesMeasuredCounters(t *testing.T) {
	f := newFixture("mali-g615", 2)
	f.add("MaliGPUCyclesAnyQueueActive", 1, 2)
	f.add("MaliConstantsShaderCoreCount", 4, 4)
	f.add("ITER_TILER_ACTIVE", 1, 2).Unit = "kcycles"
	f.add("FRAG_SHADER_THREADS", 1, 2)
	f.add("mine", 1, 2)
	f.perCPU("MaliShaderCoreCyclesAnyWorkloadActive", capture.CombineSum, capture.Delta, []float64{5, 5}, []float64{7, 7})
	before := f.capture(t)
	cap, err := Describe(before)
	if err != nil {
		t.Fatal(err)
	}
	c := cap.Counter("MaliGPUCyclesAnyQueueActive")
	if c.Unit != "cycles" || c.Title != "Any Queue Active" || c.Doc == "" || c.Block != "fe" || c.GPU != "mali-g615" || c.Total().Float() != 3 {
		t.Errorf("described as %+v", c.Meta)
	}
	if c := cap.Counter("MaliConstantsShaderCoreCount"); c.Kind != capture.Constant || c.Total().Float() != 4 {
		t.Errorf("a column of constants is %s with total %v", c.Kind, c.Total())
	}
	if c := cap.Counter("ITER_TILER_ACTIVE"); c.Unit != "cycles" || c.Total().Float() != 3000 || c.Doc == "" {
		t.Errorf("kcycles are described as %+v with total %v", c.Meta, c.Total())
	}
	if c := cap.Counter("FRAG_SHADER_THREADS"); c != before.Counter("FRAG_SHADER_THREADS") {
		t.Errorf("quads are described as threads: %+v", c.Meta)
	}
	if c := cap.Counter("mine"); c != before.Counter("mine") {
		t.Errorf("an unknown counter is described: %+v", c.Meta)
	}
	if c := cap.Counter("MaliShaderCoreCyclesAnyWorkloadActive"); len(c.Instances) != 2 || c.Instances[1].Unit != "cycles" || c.Total().Float() != 24 || c.Instances[1].Meta.Instance != "1" {
		t.Errorf("instances are described as %+v", c.Meta)
	}
	if before.Counter("MaliGPUCyclesAnyQueueActive").Unit != "" {
		t.Error("the capture that was described changed")
	}
	if again, err := Describe(cap); err != nil || again != cap {
		t.Errorf("described twice: %v", err)
	}
}
