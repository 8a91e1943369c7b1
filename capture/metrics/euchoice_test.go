package metrics

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/internal/testfiles"
)

// setFields are the fields of the flexible EU counters in Intel's own metric sets, by GPU, set and counter.
func setFields(t *testing.T) map[[3]string]uint32 {
	t.Helper()
	out := map[[3]string]uint32{}
	for _, row := range testfiles.Rows(t, "reference", "intel_kbl_oa_registers.csv") {
		if row["reg_type"] != "FLEX" {
			continue
		}
		a, err1 := strconv.ParseUint(row["address"], 0, 32)
		v, err2 := strconv.ParseUint(row["value"], 0, 32)
		if err1 != nil || err2 != nil {
			t.Fatal(row)
		}
		n := slices.Index(euRegisters[:], uint32(a))
		for half := range 2 {
			out[[3]string{row["gpu"], row["metric_set"], "A" + strconv.Itoa(7+2*n+half)}] = uint32(v) >> (12 * half) & 0xFFF
		}
	}
	return out
}

// Intel's authors have named 23 of the events that the manual allows; each metric of a set that reads one flexible counter must have the name that its field gives here, and
// the set's equation but for the counter.
func TestEUEventsHaveTheNamesAndEquationsOfIntelsSets(t *testing.T) {
	fields := setFields(t)
	named := map[string]bool{}
	held, notAllowed := 0, map[string]bool{}
	for _, gpu := range []string{"kblgt2", "kblgt3"} {
		cat := mustGet(t, intelIDs[gpu])
		for _, e := range cat.Entries() {
			var reads []string
			for _, name := range e.Inputs {
				if EUIndex(name) >= 0 {
					reads = append(reads, name)
				}
			}
			if e.Set == nil || len(reads) != 1 || strings.HasSuffix(e.Symbol, "Adjusted") {
				continue // raw counters, EuAvgIpcRate, which reads three, and a correction
			}
			field, programmed := fields[[3]string{gpu, e.Set.Name, reads[0]}]
			if !programmed {
				t.Logf("%s does not program %s, which its %s reads", e.Set.Name, reads[0], e.Symbol)
				continue
			}
			c, err := decodeEUCounter(field<<(12*(EUIndex(reads[0])%2)), EUIndex(reads[0]))
			if err != nil {
				t.Fatal(err)
			}
			if !c.Event.Allows(c.Coarse, c.Fine) {
				notAllowed[e.Symbol] = true
				continue
			}
			held++
			named[e.Symbol] = true
			if c.Metric != e.Symbol {
				t.Errorf("%s of %s counts %s, which is called %s here", e.Symbol, e.Set.Name, c.Spelling(), c.Metric)
			}
			if again, err := ParseEUCounter(e.Symbol, c.Index); err != nil || again.Field != c.Field {
				t.Errorf("%s: %v, %v", e.Symbol, again, err)
			}
			if one := cat.euMetric(c); strings.ReplaceAll(one.Expr, reads[0][1:]+" READ", "") != strings.ReplaceAll(e.Expr, reads[0][1:]+" READ", "") && e.Symbol != "EuThreadOccupancy" {
				t.Errorf("%s of %s: %s, Intel has %s", e.Symbol, e.Set.Name, one.Expr, e.Expr)
			}
		}
	}
	if len(named) != 23 || held != 261 {
		t.Errorf("%d metrics of %d names were held against their registers: %v", held, len(named), named)
	}
	t.Logf("%d metrics of %d names; not allowed by the manual: %v", held, len(named), notAllowed)
}

func TestEverySpellingAndNameOfAnEUEventIsItsOwn(t *testing.T) {
	by := map[string]string{}
	for _, c := range euAll() {
		for _, text := range []string{c.Spelling(), c.Metric, strings.ToUpper(c.Metric)} {
			again, err := ParseEUCounter(text, 5)
			if err != nil || again.Field != c.Field || again.Counter != "A12" {
				t.Errorf("%s: %v, %v", text, again, err)
			}
		}
		if other := by[c.Metric]; other != "" {
			t.Errorf("%s is the name of %s and of %s", c.Metric, other, c.Spelling())
		}
		by[c.Metric] = c.Spelling()
	}
	if len(by) != 297 {
		t.Errorf("%d events", len(by))
	}
	program := "A19=fpu0/ts A20=fpu1/none/mov A7=active"
	if list, err := ParseEUProgram(program); err != nil || EUProgram(list) != program {
		t.Errorf("%v, %v", list, err)
	}
	for _, text := range []string{"A19", "A21=active", "A6=active", "A19=stall/vs", "A19=active A19=stall", "A19=fpu0/a/b/c", "A19=nothing"} {
		if list, err := ParseEUProgram(text); err == nil {
			t.Errorf("%q programs %v", text, list)
		}
	}
}

// euCapture has GPU_TICKS, A7 and A20 in two samples, of a GPU with 24 EUs.
func euCapture(t *testing.T, program string) *capture.Capture {
	t.Helper()
	axis := capture.NewUniformAxis(2, 1000)
	cfg := capture.Config{Axis: axis, GPU: "intel-kbl-gt2", Properties: []capture.Property{
		{Name: "EuCoresTotalCount", Number: 24}, {Name: "EuThreadsCount", Number: 7}, {Name: "metric_set", Text: "RenderBasic", IsText: true},
	}}
	if program != "" {
		cfg.Properties = append(cfg.Properties, capture.Property{Name: EUProperty, Text: program, IsText: true})
	}
	for name, values := range map[string][]uint64{"GPU_TICKS": {1000, 2000}, "A7": {2400, 4800}, "A20": {12000, 480}} {
		cfg.Counters = append(cfg.Counters, &capture.Counter{Meta: capture.Meta{Name: name, Kind: capture.Delta}, Axis: axis, Col: capture.NewColumn(capture.Data{U: values})})
	}
	c, err := capture.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestChosenEUEventsAreMetricsOfTheirCapture(t *testing.T) {
	for program, want := range map[string]float64{
		// 12000 of 24 x 1000 clocks; occupancy is counted in steps of 8, and an EU has 7 threads.
		"A20=fpu0/ts":        50,
		"A20=hybrid":         0,  // programs nothing
		"A20=fpu0/hs":        50, // no set has this one
		"A20=occupancy/row0": 8 * 12000.0 / 7 / 24 / 1000 * 100,
		"A20=occupancy":      8 * 12000.0 / 7 / 24 / 1000 * 100,
	} {
		c := euCapture(t, program)
		list, _ := ParseEUProgram(program)
		all, err := Metrics(c)
		if err != nil {
			t.Fatal(err)
		}
		if len(list) == 0 {
			if i := slices.IndexFunc(all, func(m *capture.Counter) bool { return slices.Contains(m.Inputs, "A20") }); i >= 0 {
				t.Errorf("%q: there is %s", program, all[i].Name)
			}
			continue
		}
		symbol := list[0].Metric
		got, err := Resolve(c, symbol)
		if err != nil {
			t.Errorf("%s: %v", program, err)
			continue
		}
		if v := got.Value(0).Float(); math.Abs(v-want) > 0.1 {
			t.Errorf("%s is %v, want %v", symbol, v, want)
		}
		if !slices.ContainsFunc(all, func(m *capture.Counter) bool { return m.Name == got.Name }) {
			t.Errorf("%s is not listed", got.Name)
		}
		// What the set counts is as it was.
		if active, err := Resolve(c, "EuActive"); err != nil || active.Value(0).Float() != 10 {
			t.Errorf("EuActive: %v, %v", active, err)
		}
	}
	// Without a choice nobody knows what A20 counted.
	if c, err := Resolve(euCapture(t, ""), "CsFpu0Active"); err == nil && !c.Value(0).Missing() {
		t.Errorf("CsFpu0Active is %v", c.Value(0))
	}
}
