package metrics_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"hash/fnv"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/formats"
	"astrolabe/capture/formats/rocprofv3"
	"astrolabe/capture/metrics"
	"astrolabe/internal/testfiles"
)

// definitions are rocprofiler's counters of an architecture that are made of others, by name, as testdata/reference/rocprofiler_metrics.csv writes them.
func definitions(t *testing.T, arch string) map[string]string {
	out := map[string]string{}
	for _, r := range testfiles.Rows(t, "reference", "rocprofiler_metrics.csv") {
		if slices.Contains(strings.Fields(r["archs"]), arch) {
			out[r["name"]] = r["expression"]
		}
	}
	return out
}

// onlyReduced are definitions that are one counter in all of its instances, which captures hold under that name as a counter.
var onlyReduced = regexp.MustCompile(`^reduce\(\w+, ?\w+\)$`)

// ofHardware is what the definitions ask of the GPU, and what the test says of it.
var ofHardware = map[string]float64{"simd_count": 4 * 304, "simd_per_cu": 4, "wave_front_size": 64, "array_count": 64, "simd_arrays_per_engine": 2}

// instancesOfTests is how many instances counters of one dispatch have here.
const instancesOfTests = 3

// counted is what instance i of a counter counted.
func counted(counter string, i int) float64 {
	h := fnv.New32a()
	fmt.Fprint(h, counter, i)
	return float64(1000 + h.Sum32()%9000)
}

// evaluator computes a definition as rocprofiler's guide describes it, without anything of astrolabe's formulas: Go's own parser reads the text.
type evaluator struct {
	t     *testing.T
	defs  map[string]string
	reads map[string]bool // counters, and levels
}

func (v *evaluator) text(expr string) float64 {
	x, err := parser.ParseExpr(expr)
	if err != nil {
		v.t.Fatalf("%s: %v", expr, err)
	}
	return v.value(x)
}

func (v *evaluator) value(x ast.Expr) float64 {
	switch x := x.(type) {
	case *ast.ParenExpr:
		return v.value(x.X)
	case *ast.BasicLit:
		f, _ := strconv.ParseFloat(x.Value, 64)
		return f
	case *ast.BinaryExpr:
		a, b := v.value(x.X), v.value(x.Y)
		return map[string]float64{"+": a + b, "-": a - b, "*": a * b, "/": a / b}[x.Op.String()]
	case *ast.Ident:
		if def, ok := v.defs[x.Name]; ok {
			return v.text(def)
		}
		if f, ok := ofHardware[x.Name]; ok {
			return f
		}
		return v.reduce(x.Name, "sum")
	case *ast.CallExpr:
		how := x.Args[1].(*ast.Ident).Name
		if level, ok := x.Args[0].(*ast.CallExpr); ok {
			name := level.Args[0].(*ast.Ident).Name
			v.reads[name+"_ACCUM"] = true
			f := counted(name+"_ACCUM", 0)
			if level.Args[1].(*ast.Ident).Name == "LOW_RES" {
				f /= 4
			}
			return f
		}
		return v.reduce(x.Args[0].(*ast.Ident).Name, how)
	}
	v.t.Fatalf("%T in a definition", x)
	return 0
}

func (v *evaluator) reduce(counter, how string) float64 {
	v.reads[counter] = true
	values := make([]float64, instancesOfTests)
	sum := 0.0
	for i := range values {
		values[i] = counted(counter, i)
		sum += values[i]
	}
	return map[string]float64{"sum": sum, "max": slices.Max(values), "min": slices.Min(values), "avr": sum / instancesOfTests}[how]
}

// countedBy is a capture of one dispatch with what the definitions read.
func countedBy(t *testing.T, gpu string, names []string) *capture.Capture {
	cfg := capture.Config{GPU: gpu, Axis: &capture.Axis{Start: []int64{0}, End: []int64{700}}}
	column := func(name string, i int) *capture.Column {
		return capture.NewColumn(capture.Data{F: []float64{counted(name, i)}})
	}
	for _, name := range names {
		c := &capture.Counter{Meta: capture.Meta{Name: name}, Axis: cfg.Axis}
		if strings.HasSuffix(name, "_ACCUM") {
			c.Col = column(name, 0)
		}
		for i := range instancesOfTests {
			if c.Col == nil {
				meta := capture.Meta{Name: fmt.Sprintf("%s[%d]", name, i), Instance: fmt.Sprint(i)}
				c.Instances = append(c.Instances, &capture.Counter{Meta: meta, Axis: cfg.Axis, Col: column(name, i)})
			}
		}
		cfg.Counters = append(cfg.Counters, c)
	}
	for name, x := range map[string]float64{"cu_per_gpu": 304, "simd_per_cu": 4, "se_per_gpu": 32, "wave_size": 64} {
		cfg.Properties = append(cfg.Properties, capture.Property{Name: name, Number: x})
	}
	cap, err := capture.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return cap
}

// TestEveryDefinitionOfRocprofilerGivesItsNumber evaluates each of the counters that rocprofiler makes of others, as AMD's file writes it and as the
// catalogue does.
func TestEveryDefinitionOfRocprofilerGivesItsNumber(t *testing.T) {
	for arch, want := range map[string]int{"gfx908": 27, "gfx90a": 93, "gfx940": 37, "gfx941": 37, "gfx942": 39, "gfx950": 39, "gfx1151": 15, "gfx1200": 21, "gfx1201": 21} {
		t.Run(arch, func(t *testing.T) {
			v := &evaluator{t, definitions(t, arch), map[string]bool{}}
			values := map[string]float64{}
			for name, expr := range v.defs {
				constant := map[string]bool{"CU_NUM": true, "SIMD_NUM": true, "SE_NUM": true, "MAX_WAVE_SIZE": true}[name]
				if !constant && (name == "Wavefronts" || !onlyReduced.MatchString(expr)) {
					values[name] = v.text(expr)
				}
			}
			var names []string
			for name := range v.reads {
				names = append(names, name)
			}
			slices.Sort(names)
			cap := countedBy(t, arch, names)
			if len(values) != want {
				t.Errorf("%d definitions, want %d", len(values), want)
			}
			for name, want := range values {
				c, err := metrics.Resolve(cap, name)
				if err != nil {
					t.Errorf("%s: %v", name, err)
					continue
				}
				if got := c.Total(); got.Missing() || math.Abs(got.Float()-want) > 1e-12*math.Abs(want) {
					why, _ := c.Why(-1)
					t.Errorf("%s is %v, want %v of %s (%s)", name, got.Float(), want, v.defs[name], why.Text)
				}
			}
		})
	}
}

// TestTheLargestOfDiesIsTheirMeanWhereTheCaptureHoldsTheirSum is how files of rocprofv3 and rocprof-compute hold the cycles of an MI300's dies.
func TestTheLargestOfDiesIsTheirMeanWhereTheCaptureHoldsTheirSum(t *testing.T) {
	cfg := capture.Config{GPU: "gfx942", Axis: &capture.Axis{Start: []int64{0}, End: []int64{700}}}
	for name, x := range map[string]float64{"GRBM_GUI_ACTIVE": 800, "GRBM_COUNT": 1600, "TA_TA_BUSY": 50} {
		cfg.Counters = append(cfg.Counters, &capture.Counter{Meta: capture.Meta{Name: name}, Axis: cfg.Axis, Col: capture.NewColumn(capture.Data{F: []float64{x}})})
	}
	cfg.Properties = []capture.Property{{Name: "num_xcd", Number: 8}}
	cap, err := capture.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	for expr, want := range map[string]float64{"reduce(GRBM_GUI_ACTIVE,max)": 100, "reduce(GRBM_COUNT, avr)": 200, "reduce(GRBM_COUNT,sum)": 1600, "GPU_UTIL": 50,
		"reduce(GRBM_COUNT,min)": math.NaN(), "reduce(TA_TA_BUSY,max)": math.NaN()} {
		c, err := metrics.Eval(cap, "rocm: "+expr, capture.Meta{})
		if err != nil {
			t.Errorf("%s: %v", expr, err)
			continue
		}
		if got := c.Total(); got.Missing() != math.IsNaN(want) || !got.Missing() && got.Float() != want {
			t.Errorf("%s is %v, want %v", expr, got.Float(), want)
		}
	}
	c, err := metrics.Resolve(cap, "GPU_UTIL")
	if err != nil {
		t.Fatal(err)
	}
	if text := metrics.Explain(c, -1).String(); !strings.Contains(text, "the mean of the dies stands for the largest GRBM_GUI_ACTIVE") {
		t.Errorf("the explanation does not say what stands for the largest:\n%s", text)
	}
}

// TestASumHasTwoNames: rocprofv3 adds up the instances of SQ_WAVES as well as it does of SQ_WAVES_sum.
func TestASumHasTwoNames(t *testing.T) {
	cfg := capture.Config{GPU: "gfx1151", Format: "rocprofv3", Axis: &capture.Axis{Start: []int64{0}, End: []int64{700}}}
	for name, x := range map[string]float64{"SQ_WAVES_sum": 6, "SQ_WAIT_ANY": 3} {
		cfg.Counters = append(cfg.Counters, &capture.Counter{Meta: capture.Meta{Name: name}, Axis: cfg.Axis, Col: capture.NewColumn(capture.Data{F: []float64{x}})})
	}
	cap, err := capture.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	c, err := metrics.Eval(cap, "rocm: SQ_WAVES / SQ_WAIT_ANY_sum", capture.Meta{})
	if err != nil || c.Total().Float() != 2 {
		t.Errorf("SQ_WAVES / SQ_WAIT_ANY_sum is %v, %v", c, err)
	}
}

func TestACallOfNoCounterIsRefused(t *testing.T) {
	cap := countedBy(t, "gfx942", []string{"SQ_WAVES"})
	for expr, want := range map[string]string{
		"reduce(SQ_WAVES)":                   "expected a comma and one of sum, max, min, avr",
		"reduce(SQ_WAVES, most)":             "expected one of sum, max, min, avr, found most",
		"reduce(2, sum)":                     "reduce needs the name of a counter, found the number 2",
		"reduce(accumulate(A, FINE), sum)":   "expected one of HIGH_RES, LOW_RES, NONE, found FINE",
		"1 + reduce(SQ_WAVES, sum) SQ_WAVES": "after a complete value",
	} {
		if _, err := metrics.Eval(cap, "rocm: "+expr, capture.Meta{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", expr, err, want)
		}
	}
}

func TestAgentsOfAFolderGiveDefinitionsTheirHardware(t *testing.T) {
	const header = `"Correlation_Id","Dispatch_Id","Agent_Id","Queue_Id","Process_Id","Thread_Id","Grid_Size","Kernel_Id",` +
		`"Kernel_Name","Workgroup_Size","LDS_Block_Size","Scratch_Size","VGPR_Count","Accum_VGPR_Count","SGPR_Count",` +
		`"Counter_Name","Counter_Value","Start_Timestamp","End_Timestamp"`
	rows := header + "\n"
	for name, v := range map[string]float64{"SQ_WAVE_CYCLES": 3e9, "GRBM_GUI_ACTIVE": 8e5, "SQ_ACTIVE_INST_VALU": 2e7} {
		rows += fmt.Sprintf(`1,1,"Agent 2",1,7,7,1024,10,"k",64,0,0,8,0,16,%q,%f,1000,1500`+"\n", name, v)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"7_counter_collection.csv": rows, "7_agent_info.csv": "Node_Id,Agent_Type," +
		"Simd_Count,Simd_Per_Cu,Cu_Count,Num_Xcc,Array_Count,Simd_Arrays_Per_Engine,Name\n2,GPU,1216,4,304,8,32,1,gfx942\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	cap, err := formats.NewRegistry(rocprofv3.Format{}).Open(t.Context(), dir, formats.Options{})
	if err != nil {
		t.Fatal(err)
	}
	// GRBM_GUI_ACTIVE is the sum of eight dies, whose mean stands for the largest.
	for name, want := range map[string]float64{
		"OccupancyPercent": 400 * 3e9 / 1e5 / 304 / 32, "VALUBusy": 100 * 2e7 / 304 / 1e5,
	} {
		m, err := metrics.Resolve(cap, name)
		if err != nil {
			t.Error(err)
		} else if got := m.Total().Float(); math.Abs(got/want-1) > 1e-12 {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
}
