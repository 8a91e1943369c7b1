package metrics

import (
	"strconv"
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/internal/testfiles"
)

func rdnaTable(t testing.TB) []map[string]string {
	return testfiles.Rows(t, "reference", "gpa_rdna_counters.csv")
}

// rdnaDevice is the device that AMD's evaluator was given for the sample.
var rdnaDevice = map[string]float64{
	"num_shader_engines": 4, "num_shader_arrays": 8, "num_simds": 160, "su_clocks_prim": 1, "num_prim_pipes": 4, "num_cus": 80, "max_waves": 16, "ts_freq": 1e8,
}

// rdnaInputs are the inputs of the sample, which are defined and not listed.
func rdnaInputs(kind string, seed, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		if kind == "random" || kind == "sparse" && i%3 == 0 {
			out[i] = float64(1 + (i+1)*7919*seed%999983)
		}
	}
	return out
}

// rdnaPrograms are the rows of the table by counter, generation or ASIC, and API.
func rdnaPrograms(t testing.TB) map[[3]string]map[string]string {
	out := map[[3]string]map[string]string{}
	for _, r := range rdnaTable(t) {
		for _, generation := range strings.Fields(r["generation"]) {
			for _, api := range strings.Fields(r["apis"]) {
				out[[3]string{r["counter"], generation, api}] = r
			}
		}
	}
	return out
}

func TestRDNACountersAgreeWithAMDsEvaluator(t *testing.T) {
	programs := rdnaPrograms(t)
	agree, rows := 0, testfiles.Rows(t, "vectors", "gpa_rdna_sample.csv")
	for _, r := range rows {
		seed, _ := strconv.Atoi(r["seed"])
		n, _ := strconv.Atoi(r["raw_count"])
		want, err := strconv.ParseFloat(r["result"], 64)
		if err != nil {
			t.Fatal(err)
		}
		same := true
		for _, api := range strings.Fields(r["apis"]) {
			generation := r["generation"]
			ref := programs[[3]string{r["counter"], generation, api}]
			if ref == nil {
				t.Fatalf("%s of %s with %s is not in the reference table", r["counter"], generation, api)
			}
			names := operands(t, ref["hardware_counters"])
			if len(names) != n {
				t.Fatalf("%s of %s: %d values for %d operands", r["counter"], generation, n, len(names))
			}
			cap := gpaCapture(t, generation, api, names, [][]float64{rdnaInputs(r["case"], seed, n)}, rdnaDevice, "")
			c, err := Resolve(cap, r["counter"])
			if err != nil {
				t.Errorf("%s on %s with %s: %v", r["counter"], generation, api, err)
				same = false
				continue
			}
			if got := c.Value(0).Float(); !near(got, want) {
				t.Errorf("%s on %s with %s (%s): %v, AMD has %v", r["counter"], generation, api, r["case"], got, want)
				same = false
			}
		}
		if same {
			agree++
		}
	}
	t.Logf("%d of %d results agree with AMD's", agree, len(rows))
	if agree != 1020 {
		t.Errorf("%d of %d results agree", agree, len(rows))
	}
}

// Every program of the table, by generation, ASIC and API, against the stack machine that knows no tree.
func TestEveryRDNAProgramAgreesWithAStackMachine(t *testing.T) {
	compared := 0
	for key, r := range rdnaPrograms(t) {
		names := operands(t, r["hardware_counters"])
		var rows [][]float64
		for _, kind := range []string{"random", "zero", "sparse"} {
			rows = append(rows, rdnaInputs(kind, len(key[0])+977, len(names)))
		}
		cap := gpaCapture(t, key[1], key[2], names, rows, rdnaDevice, "")
		c, err := Resolve(cap, key[0])
		if err != nil {
			t.Errorf("%v: %v", key, err)
			continue
		}
		for k, row := range rows {
			if got, want := c.Value(k).Float(), runProgram(t, r["rpn"], row, rdnaDevice); !near(got, want) {
				t.Errorf("%v, row %d: %v, want %v", key, k, got, want)
			}
			compared++
		}
	}
	t.Logf("%d values agree", compared)
	if compared != 6669 {
		t.Errorf("%d values were compared, AMD's own evaluator was asked for 6669", compared)
	}
}

func TestTheRDNACatalogueHoldsTheWholeReferenceTable(t *testing.T) {
	c := mustGet(t, "amd-gpa-rdna")
	names := map[string]bool{}
	for _, r := range rdnaTable(t) {
		names[r["counter"]] = true
		e, err := c.Find(r["counter"])
		if err != nil {
			t.Fatal(err)
		}
		if e.Title != r["counter"] || e.Group != r["group"] || e.Usage != strings.ToLower(r["usage"]) || len(e.Refs) > 0 {
			t.Errorf("%s is %s of %s, %s, in sections %v", r["counter"], e.Title, e.Group, e.Usage, e.Refs)
		}
		if e.Usage == "nanoseconds" && e.Unit != "ns" || e.Usage == "bytes" && e.Unit != "bytes" || e.Usage == "percentage" && e.Unit != "percent" {
			t.Errorf("%s of usage %s is in %s", e.Title, e.Usage, e.Unit)
		}
		for _, generation := range strings.Fields(strings.ToLower(r["generation"])) {
			if _, err := e.For(generation[strings.IndexByte(generation, ':')+1:], strings.Fields(r["apis"])[0]); err != nil {
				t.Error(err)
			}
		}
		for _, name := range operands(t, r["hardware_counters"]) {
			if raw, err := c.Find(name); err != nil || raw.Name != name {
				t.Fatalf("operand %s of %s: %v, %v", name, e.Name, raw, err)
			}
		}
	}
	count := 0
	for _, e := range c.Entries() {
		if len(e.Variants) > 0 {
			count++
		}
		if e.Doc == "" || e.High == "" || e.Low == "" || e.Source == "" {
			t.Errorf("%s is not described", e.Name)
		}
	}
	if count != len(names) || count != 177 {
		t.Errorf("%d counters, the table has %d", count, len(names))
	}
}

func TestTheGenerationChoosesTheCatalogueOfAFamily(t *testing.T) {
	names := []string{"GPUTime_Bottom_To_Bottom", "GPUTime_BOTTOM_TO_BOTTOM_DURATION"}
	device := map[string]float64{"ts_freq": 1e8}
	for _, c := range []struct {
		generation, asic, gpu, unit string
		want                        float64
	}{
		{"gfx9", "", "amd-gpa", "ms", 0.5}, {"GFX11", "", "amd-gpa-rdna", "ns", 500e3}, {"gfx1150", "", "amd-gpa-rdna", "ns", 500e3},
		{"GFX11:gfx1103", "", "amd-gpa-rdna", "ns", 500e3}, {"12", "", "amd-gpa-rdna", "ns", 500e3}, {"gfx906", "", "amd-gpa", "ms", 0.5},
		{"", "GFX10_3_0", "amd-gpa-rdna", "ns", 500e3}, {"", "gfx1201", "amd-gpa-rdna", "ns", 500e3},
	} {
		cap := gpaCapture(t, c.generation, "dx12", names, [][]float64{{50e3, 50e3}}, device, "")
		if c.asic != "" {
			var err error
			if cap, err = cap.With(func(cfg *capture.Config) {
				cfg.Properties = append(cfg.Properties, capture.Property{Name: "asic", Text: c.asic, IsText: true})
			}); err != nil {
				t.Fatal(err)
			}
		}
		got, err := Resolve(cap, "GPUTime")
		if err != nil {
			t.Errorf("%s%s: %v", c.generation, c.asic, err)
			continue
		}
		if got.GPU != c.gpu || got.Unit != c.unit || got.Value(0).Float() != c.want {
			t.Errorf("%s%s: %v %s by %s, want %v %s by %s", c.generation, c.asic, got.Value(0).Float(), got.Unit, got.GPU, c.want, c.unit, c.gpu)
		}
		if columns, err := Describe(cap); err != nil || columns.Counters[0].Doc == "" && columns.Counters[1].Doc == "" {
			t.Errorf("%s%s: no column is described", c.generation, c.asic)
		}
	}
}
