package metrics

import (
	"errors"
	"io/fs"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/internal/testfiles"
)

func gpaTable(t testing.TB) []map[string]string {
	return testfiles.Rows(t, "reference", "gpa_counters.csv")
}

var instanced = regexp.MustCompile(`^(.*)\*(.*)\[(\d+)(\.\.|,)(\d+)\]$`)

// operands expands the hardware_counters cell of the reference table.
func operands(t testing.TB, cell string) []string {
	t.Helper()
	var out []string
	for _, word := range strings.Fields(cell) {
		m := instanced.FindStringSubmatch(word)
		if m == nil {
			if strings.ContainsAny(word, "*[") {
				t.Fatalf("operand %q has an unknown form", word)
			}
			out = append(out, word)
			continue
		}
		lo, _ := strconv.Atoi(m[3])
		hi, _ := strconv.Atoi(m[5])
		for i := lo; i <= hi; i++ {
			out = append(out, m[1]+strconv.Itoa(i)+m[2])
		}
	}
	return out
}

// runProgram evaluates the text of a GPA program on a stack, apart from the engine.
func runProgram(t testing.TB, program string, in []float64, device map[string]float64) float64 {
	t.Helper()
	var s []float64
	pop := func() float64 {
		v := s[len(s)-1]
		s = s[:len(s)-1]
		return v
	}
	for _, tok := range strings.Split(program, ",") {
		switch {
		case tok == "+" || tok == "-" || tok == "*" || tok == "/" || tok == "min" || tok == "max":
			b, a := pop(), pop()
			switch tok {
			case "+":
				a += b
			case "-":
				a -= b
			case "*":
				a *= b
			case "/":
				if b == 0 {
					a = 0
				} else {
					a /= b
				}
			case "min":
				a = math.Min(a, b)
			case "max":
				a = math.Max(a, b)
			}
			s = append(s, a)
		case tok == "ifnotzero":
			c, y, x := pop(), pop(), pop()
			if c != 0 {
				x = y
			}
			s = append(s, x)
		case strings.HasPrefix(tok, "vec"), strings.HasPrefix(tok, "scalarmul"), strings.HasPrefix(tok, "comparemax"):
			bare := strings.TrimRight(tok, "0123456789")
			n, err := strconv.Atoi(tok[len(bare):])
			if err != nil {
				t.Fatalf("token %q", tok)
			}
			top := slices.Clone(s[len(s)-n:])
			s = s[:len(s)-n]
			if bare == "scalarmul" {
				by := pop()
				for _, x := range top {
					s = append(s, x*by)
				}
				continue
			}
			below := slices.Clone(s[len(s)-n:])
			s = s[:len(s)-n]
			best := 0.0
			for i, x := range below {
				switch bare {
				case "vecsum":
					s = append(s, x+top[i])
				case "vecsub":
					s = append(s, x-top[i])
				default:
					if top[i] != 0 && x > best {
						best = x
					}
				}
			}
			if bare == "comparemax" {
				s = append(s, best)
			}
		case strings.HasPrefix(tok, "sum"), strings.HasPrefix(tok, "max"):
			n, err := strconv.Atoi(tok[3:])
			if err != nil {
				t.Fatalf("token %q", tok)
			}
			part := slices.Clone(s[len(s)-n:])
			s = s[:len(s)-n]
			v := part[0]
			for _, x := range part[1:] {
				if tok[:3] == "sum" {
					v += x
				} else {
					v = math.Max(v, x)
				}
			}
			s = append(s, v)
		case tok[0] == '(':
			v, err := strconv.ParseFloat(strings.Trim(tok, "()"), 64)
			if err != nil {
				t.Fatal(err)
			}
			s = append(s, v)
		case tok[0] >= '0' && tok[0] <= '9':
			lo, hi, run := strings.Cut(tok, "..")
			if !run {
				hi = lo
			}
			a, _ := strconv.Atoi(lo)
			b, _ := strconv.Atoi(hi)
			s = append(s, in[a:b+1]...)
		default:
			v, ok := device[strings.ToLower(tok)]
			if !ok {
				t.Fatalf("token %q", tok)
			}
			s = append(s, v)
		}
	}
	return s[len(s)-1]
}

// gpaCapture is a capture of one sample per row of values.
func gpaCapture(t testing.TB, generation, api string, names []string, rows [][]float64, device map[string]float64, zero string) *capture.Capture {
	t.Helper()
	f := newFixture("amd-gpa", len(rows))
	f.cfg.Options.Zero = zero
	seen := map[string]bool{}
	for i, name := range names {
		if seen[name] {
			continue
		}
		seen[name] = true
		column := make([]float64, len(rows))
		for k, r := range rows {
			column[k] = r[i]
		}
		f.add(name, column...)
	}
	if generation != "" {
		f.cfg.Properties = append(f.cfg.Properties, capture.Property{Name: "generation", Text: generation, IsText: true})
	}
	if api != "" {
		f.cfg.Properties = append(f.cfg.Properties, capture.Property{Name: "api", Text: api, IsText: true})
	}
	for name, v := range device {
		f.cfg.Properties = append(f.cfg.Properties, capture.Property{Name: name, Number: v})
	}
	cap, err := capture.New(f.cfg)
	if err != nil {
		t.Fatal(err)
	}
	return cap
}

func near(a, b float64) bool {
	return a == b || a != a && b != b || math.Abs(a-b) <= 1e-9*math.Max(math.Abs(a), math.Abs(b))
}

var deviceNames = []string{"num_shader_engines", "num_simds", "su_clocks_prim", "num_prim_pipes", "ts_freq"}

func TestGPACountersAgreeWithAMDsEvaluator(t *testing.T) {
	programs := map[string]map[string]string{}
	for _, r := range gpaTable(t) {
		for _, api := range strings.Fields(r["apis"]) {
			programs[r["counter"]+" "+r["generation"]+" "+api] = r
		}
	}
	rows := testfiles.Rows(t, "vectors", "gpa_sample.csv")
	tables := map[string]bool{}
	compared := 0
	for _, r := range rows {
		ref := programs[r["counter"]+" "+r["generation"]+" "+r["api"]]
		if ref == nil {
			t.Fatalf("%s of %s is not in the reference table", r["counter"], r["table"])
		}
		names := operands(t, ref["hardware_counters"])
		raw := strings.Fields(r["raw"])
		if len(raw) != len(names) {
			t.Fatalf("%s of %s: %d values for %d operands", r["counter"], r["table"], len(raw), len(names))
		}
		values := make([]float64, len(raw))
		for i, x := range raw {
			values[i], _ = strconv.ParseFloat(x, 64)
		}
		device := map[string]float64{}
		for _, d := range deviceNames {
			device[d], _ = strconv.ParseFloat(r[d], 64)
		}
		want, err := strconv.ParseFloat(r["result"], 64)
		if err != nil {
			t.Fatal(err)
		}
		cap := gpaCapture(t, r["generation"], r["api"], names, [][]float64{values}, device, "")
		c, err := Resolve(cap, r["counter"])
		if err != nil {
			t.Errorf("%s %s: %v", r["table"], r["counter"], err)
			continue
		}
		if got := c.Value(0).Float(); !near(got, want) {
			t.Errorf("%s %s (%s): %v, AMD has %v", r["table"], r["counter"], r["case"], got, want)
		}
		tables[r["table"]] = true
		compared++
	}
	t.Logf("%d results of %d tables agree with AMD's", compared, len(tables))
	if compared == 0 || len(tables) != 4 {
		t.Errorf("compared %d rows of %d tables", compared, len(tables))
	}
}

func TestEveryGPAProgramAgreesWithAStackMachine(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 9))
	programs := 0
	for _, r := range gpaTable(t) {
		if r["rpn"] == "" {
			continue
		}
		names := operands(t, r["hardware_counters"])
		var rows [][]float64
		for k := range 6 {
			row := make([]float64, len(names))
			byName := map[string]float64{}
			for i, name := range names {
				v, ok := byName[name]
				if !ok {
					switch {
					case k == 0, k > 1 && rng.IntN(3) == 0:
						v = 0
					default:
						v = float64(rng.Int64N(1 << (8 * (1 + k%5))))
					}
					byName[name] = v
				}
				row[i] = v
			}
			rows = append(rows, row)
		}
		device := map[string]float64{}
		for _, d := range deviceNames {
			device[d] = float64(1 + rng.IntN(200))
		}
		for _, api := range strings.Fields(r["apis"]) {
			cap := gpaCapture(t, r["generation"], api, names, rows, device, "")
			c, err := Resolve(cap, r["counter"])
			if err != nil {
				t.Errorf("%s %s %s: %v", r["counter"], r["generation"], api, err)
				continue
			}
			for k, row := range rows {
				if got, want := c.Value(k).Float(), runProgram(t, r["rpn"], row, device); !near(got, want) {
					t.Errorf("%s %s %s, row %d: %v, want %v", r["counter"], r["generation"], api, k, got, want)
				}
			}
			programs++
		}
	}
	t.Logf("%d programs agree on 6 rows each", programs)
	if programs < 1000 {
		t.Errorf("only %d programs", programs)
	}
}

func TestTheGPACatalogueHoldsTheWholeReferenceTable(t *testing.T) {
	c := mustGet(t, "amd-gpa")
	names := map[string]bool{}
	for _, r := range gpaTable(t) {
		names[r["counter"]] = true
		e, err := c.Find(r["counter"])
		if err != nil {
			t.Fatal(err)
		}
		if e.Title != r["counter"] || e.Group != r["group"] || e.Usage != strings.ToLower(r["usage"]) || e.DataType != strings.TrimPrefix(r["data_type"], "float64") {
			t.Errorf("%s is %s of %s, %s, %q", r["counter"], e.Title, e.Group, e.Usage, e.DataType)
		}
		for _, gen := range strings.Fields(strings.ToLower(r["generation"])) {
			for _, api := range strings.Fields(strings.ToLower(r["apis"])) {
				if !slices.Contains(e.Generations(), gen) || !slices.Contains(e.APIs(), api) {
					t.Errorf("%s lacks %s or %s: %v %v", e.Name, gen, api, e.Generations(), e.APIs())
				}
			}
		}
		if (r["in_seed_guide"] == "yes") && len(e.Refs) == 0 {
			t.Errorf("%s is in the guide and has no section", e.Name)
		}
		for _, name := range operands(t, r["hardware_counters"]) {
			if r["rpn"] == "" {
				continue
			}
			if raw, err := c.Find(name); err != nil || raw.Name != name || raw.Kind != capture.Delta {
				t.Fatalf("operand %s of %s: %v, %v", name, e.Name, raw, err)
			}
		}
	}
	count := 0
	for _, e := range c.Entries() {
		if len(e.Variants) > 0 {
			count++
		}
	}
	if count != len(names) || count != 197 {
		t.Errorf("%d counters, the table has %d", count, len(names))
	}
}

func TestGPACountersAreFoundUnderTheirNames(t *testing.T) {
	c := mustGet(t, "amd-gpa")
	for addr, want := range map[string]string{
		"CBMemRead": "cb_mem_read", "cbmemread": "cb_mem_read", "ColorBuffer/CBMemRead": "cb_mem_read", "cb_mem_read": "cb_mem_read",
		"CSFetchInsts": "cs_sfetch_insts", "GSInvocation": "GSInvocations", "iavertices": "IAVertices",
		"CB0_CB_PERF_SEL_CC_MC_READ_REQUEST": "CB0_CB_PERF_SEL_CC_MC_READ_REQUEST",
		"tcc11_tcc_perf_sel_hit":             "TCC11_TCC_PERF_SEL_HIT",
		"SQ_CS2_SQ_PERF_SEL_WAVES":           "SQ_CS2_SQ_PERF_SEL_WAVES",
		"TCC_TCC_PERF_SEL_HIT":               "TCC_TCC_PERF_SEL_HIT",
		"NUM_SIMDS":                          "num_simds",
	} {
		if e, err := c.Find(addr); err != nil || e.Name != want {
			t.Errorf("Find(%q) = %v, %v; want %s", addr, e, err, want)
		}
	}
	for _, bad := range []string{"XX0_TCC_PERF_SEL_HIT", "TCC99999_TCC_PERF_SEL_HIT", "TCC1", "CB0_NOTHING", "SQ3_CS_SQ_PERF_SEL_WAVES"} {
		if e, err := c.Find(bad); err == nil {
			t.Errorf("Find(%q) = %v", bad, e.Name)
		}
	}
	e, err := c.Find("CBMemRead")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"gfx6 (gl): 0,1,+,(32),* of CB", "gfx6 (dx11): 0..7,sum8,(32),* of CB*_CB_PERF_SEL_CC_MC_READ_REQUEST[0..7]"} {
		if !strings.Contains(e.Expr, want) {
			t.Errorf("the variants do not say %q:\n%s", want, e.Expr)
		}
	}
}

func TestTheCapturesHardwareChoosesTheGPAProgram(t *testing.T) {
	names := operands(t, "CB*_CB_PERF_SEL_CC_MC_READ_REQUEST[0..15]")
	row := make([]float64, len(names))
	for i := range row {
		row[i] = float64(int(1) << i)
	}
	value := func(generation, api string) (float64, error) {
		c, err := Resolve(gpaCapture(t, generation, api, names, [][]float64{row}, nil, ""), "CBMemRead")
		if err != nil {
			return 0, err
		}
		return c.Value(0).Float(), nil
	}
	for _, c := range []struct {
		generation, api string
		want            float64
	}{{"GFX6", "GL", 32 * 3}, {"gfx6", "dx11", 32 * 255}, {"6", "D3D11", 32 * 255}} {
		if got, err := value(c.generation, c.api); err != nil || got != c.want {
			t.Errorf("%s %s: %v, %v; want %v", c.generation, c.api, got, err, c.want)
		}
	}
	for _, c := range []struct {
		generation, api string
		ambiguous       bool
		want            string
	}{
		{"", "", true, "does not say its generation and its api: set the properties generation and api; there are gfx6 (gl)"},
		{"gfx6", "", true, "does not say its api: set the property api"},
		{"gfx13", "gl", false, "CBMemRead does not exist on gfx13 with gl; it exists on gfx6 (gl)"},
		{"gfx8", "cl", false, "CBMemRead does not exist on gfx8 with cl"},
	} {
		_, err := value(c.generation, c.api)
		var v *variantError
		if !errors.As(err, &v) || v.Ambiguous != c.ambiguous || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s: %v, want %q", c.generation, c.api, err, c.want)
		}
	}
}

func TestMetricsOfAGPACaptureAreThoseOfItsHardware(t *testing.T) {
	count := func(generation, api string) (total, missing int) {
		list, err := Metrics(gpaCapture(t, generation, api, []string{"GRBM_GRBM_PERF_SEL_COUNT"}, [][]float64{{5}}, nil, ""))
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range list {
			if v := c.Value(0); v.Missing() {
				missing++
				if r, _ := c.Why(0); r.String() == "" {
					t.Errorf("%s does not say why it is missing", c.Name)
				}
			}
		}
		return len(list), missing
	}
	want := map[string]bool{}
	for _, r := range gpaTable(t) {
		if r["generation"] == "GFX9" && slices.Contains(strings.Fields(r["apis"]), "CL") {
			want[r["counter"]] = true
		}
	}
	if n, _ := count("gfx9", "cl"); n != len(want) {
		t.Errorf("%d metrics for gfx9 with cl, want %d", n, len(want))
	}
	if n, missing := count("", ""); n == 0 || missing != n {
		t.Errorf("without hardware %d of %d metrics are missing", missing, n)
	}
	cap := gpaCapture(t, "gfx9", "", nil, [][]float64{{}}, nil, "")
	list, err := Metrics(cap)
	if err != nil {
		t.Fatal(err)
	}
	said := false
	for _, c := range list {
		r, _ := c.Why(0)
		said = said || strings.Contains(r.String(), "does not say its api")
	}
	if !said {
		t.Error("no metric says that the api is not known")
	}
}

func TestAZeroDivisorGivesZeroForGPAUnlessItShallBeMissing(t *testing.T) {
	names := []string{"GRBM_GRBM_PERF_SEL_GUI_ACTIVE", "GRBM_GRBM_PERF_SEL_COUNT"}
	for zero, want := range map[string]bool{"": false, "vendor": false, "missing": true} {
		c, err := Resolve(gpaCapture(t, "gfx8", "gl", names, [][]float64{{0, 0}}, nil, zero), "GPUBusy")
		if err != nil {
			t.Fatal(err)
		}
		if v := c.Value(0); v.Missing() != want || !want && v.Float() != 0 {
			t.Errorf("zero=%q: %v", zero, v)
		}
		if v := c.Total(); v.Missing() != want {
			t.Errorf("zero=%q: total %v", zero, v)
		}
	}
}

func TestDeviceConstantsMayBeColumns(t *testing.T) {
	names := []string{"GPUTime_Bottom_To_Bottom", "ts_freq"}
	cap := gpaCapture(t, "gfx8", "gl", names, [][]float64{{27e6, 27e6}, {54e6, 27e6}}, nil, "")
	c, err := Resolve(cap, "GPUTime")
	if err != nil {
		t.Fatal(err)
	}
	if a, b, total := c.Value(0).Float(), c.Value(1).Float(), c.Total().Float(); a != 1000 || b != 2000 || total != 3000 {
		t.Errorf("GPUTime is %v, %v, in total %v", a, b, total)
	}
	cap = gpaCapture(t, "gfx8", "gl", names[:1], [][]float64{{27e6}}, nil, "")
	c, err = Resolve(cap, "GPUTime")
	if err != nil {
		t.Fatal(err)
	}
	if r, missing := c.Why(0); !missing || !strings.Contains(r.String(), "ts_freq") {
		t.Errorf("without ts_freq: %v, %v", r, missing)
	}
}

func TestUsersFormulasMayBeGPAPrograms(t *testing.T) {
	cap := gpaCapture(t, "gfx8", "gl", []string{"CB0_X", "CB1_X"}, [][]float64{{3, 4}}, nil, "")
	for expr, want := range map[string]float64{
		"0,1,+,(32),* of CB*_X[0,1]": 224, "gpa: CB0_X,CB1_X,sum2": 7, "(CB0_X + CB1_X) * 32": 224, "max(CB0_X, CB1_X)": 4,
		"0,1,max2 of CB0_X CB1_X": 4, "CB0_X / 0": 0,
	} {
		c, err := Eval(cap, expr, capture.Meta{})
		if err != nil {
			t.Errorf("%s: %v", expr, err)
			continue
		}
		if got := c.Value(0).Float(); got != want {
			t.Errorf("%s = %v, want %v", expr, got, want)
		}
	}
	d, err := NewDefinition("amd-gpa", "twice", "0,(2),* of CB0_X", "", "", "")
	if err != nil {
		t.Fatal(err)
	}
	if c, err := ResolveWith(cap, []*Entry{d}, "twice"); err != nil || c.Value(0).Float() != 6 {
		t.Errorf("a defined metric: %v, %v", c, err)
	}
}

// Loading takes some 10 ms (BenchmarkLoadTheGPACatalogue). No test measures that: what takes the time is making values, and these are counted.
func TestTheGPACatalogueIsMadeOfFewValues(t *testing.T) {
	raw, err := fs.ReadFile(files(), "data/amd-gpa.metrics")
	if err != nil {
		t.Fatal(err)
	}
	if len(raw) > 450<<10 {
		t.Errorf("the file has %d bytes", len(raw))
	}
	if n := testing.AllocsPerRun(1, func() { loadGPA(t, string(raw)) }); n > 26_000 {
		t.Errorf("loading makes %.0f values", n)
	}
}

func loadGPA(t testing.TB, text string) {
	c, err := parseFile(text)
	if err != nil {
		t.Fatal(err)
	}
	c.readHardware()
}

func BenchmarkLoadTheGPACatalogue(b *testing.B) {
	raw, err := fs.ReadFile(files(), "data/amd-gpa.metrics")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		loadGPA(b, string(raw))
	}
}

func TestAColumnOfAGPACounterStandsForItsMetricOnAnyHardware(t *testing.T) {
	for _, generation := range []string{"", "gfx8"} {
		cap := gpaCapture(t, generation, "", []string{"TexUnitBusy"}, [][]float64{{12.5}, {50}}, nil, "")
		for _, name := range []string{"TexUnitBusy", "tex_unit_busy", "Timing/TexUnitBusy"} {
			c, err := Resolve(cap, name)
			if err != nil {
				t.Errorf("%q %s: %v", generation, name, err)
				continue
			}
			if got := c.Value(1).Float(); got != 50 {
				t.Errorf("%q %s: %v, want the file's 50", generation, name, got)
			}
		}
		list, err := Metrics(cap)
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(list, func(c *capture.Counter) bool { return c.Name == "tex_unit_busy" })
		if i < 0 || list[i].Value(0).Float() != 12.5 {
			t.Errorf("%q: the list of metrics does not have the file's value", generation)
		}
	}
}
