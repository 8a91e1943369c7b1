package metrics

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/metrics/formula"
	"astrolabe/internal/testfiles"
)

// intelCase is a metric set of a platform with what it counted and what follows from that.
type intelCase struct {
	Platform  string
	Set       string `json:"metric_set"`
	GUID      string
	Format    string                     `json:"report_format"`
	Device    map[string]json.Number     `json:"device"`
	Raw       map[string]json.RawMessage `json:"raw"`
	Expected  map[string]*json.Number
	Max       map[string]*json.Number
	Missing   []string `json:"unavailable"`
	Zero      []string `json:"zero_divisor"`
	Underflow []string `json:"unsigned_underflow"`
}

// intelID is the catalogue of a platform as the tables call it.
func intelID(platform string) string {
	if name, gt, ok := strings.Cut(platform, "gt"); ok {
		return "intel-" + name + "-gt" + gt
	}
	return "intel-" + platform
}

// capture makes what a reader would have measured.
func (c *intelCase) capture(t testing.TB) *capture.Capture {
	t.Helper()
	f := newFixture(intelID(c.Platform), 1)
	add := func(name string, v uint64) {
		f.add(name).Col = capture.NewColumn(capture.Data{U: []uint64{v}})
	}
	for bank, raw := range c.Raw {
		var one uint64
		if json.Unmarshal(raw, &one) == nil {
			add(map[string]string{"GPU_TIME": "TIMESTAMP", "GPU_CLOCK": "GPU_TICKS"}[bank], one)
			continue
		}
		var many []uint64
		if err := json.Unmarshal(raw, &many); err != nil {
			t.Fatal(err)
		}
		for i, v := range many {
			add(fmt.Sprint(bank, i), v)
		}
	}
	for name, v := range c.Device {
		n, ok := new(big.Int).SetString(v.String(), 10)
		if ok && n.BitLen() > 53 {
			f.cfg.Properties = append(f.cfg.Properties, capture.Property{Name: name, Text: v.String(), IsText: true})
			continue
		}
		x, err := v.Float64()
		if err != nil {
			t.Fatal(err)
		}
		f.property(name, x)
	}
	f.cfg.Properties = append(f.cfg.Properties, capture.Property{Name: "metric_set", Text: c.Set, IsText: true})
	out := f.capture(t)
	out.Options.Zero = "vendor"
	return out
}

// compare says how many values agree, and tells of those that do not.
func (c *intelCase) compare(t testing.TB) (equal, all int) {
	t.Helper()
	fail := func(format string, args ...any) {
		t.Errorf("%s/%s: %s", c.Platform, c.Set, fmt.Sprintf(format, args...))
	}
	cat := mustGet(t, intelID(c.Platform))
	set, err := cat.Set(c.Set)
	if err != nil {
		t.Error(err)
		return 0, len(c.Expected)
	}
	if set.GUID != c.GUID || set.Format != c.Format {
		fail("guid %s and format %s, want %s and %s", set.GUID, set.Format, c.GUID, c.Format)
	}
	capt := c.capture(t)
	for symbol := range set.bySymbol {
		if _, ok := c.Expected[symbol]; !ok && !slices.Contains(c.Missing, symbol) && !IsRole(symbol) {
			fail("%s is expected nowhere", symbol)
		}
	}
	same := func(got float64, want *json.Number, exact bool) bool {
		if want == nil {
			return got != got
		}
		x, err := want.Float64()
		return err == nil && (got == x || !exact && math.Abs(got-x) <= 1e-9*math.Abs(x))
	}
	for symbol, want := range c.Expected {
		all++
		m, err := Resolve(capt, c.Set+"/"+symbol)
		switch e := set.Entry(symbol); {
		case err != nil:
			fail("%v", err)
		case slices.Contains(c.Missing, symbol):
			if r, missing := m.Why(0); missing && r.Code == capture.Unsupported {
				equal++
			} else {
				fail("%s is %v, and does not exist there", symbol, m.Value(0))
			}
		case slices.Contains(c.Underflow, symbol):
			if m.Value(0).Missing() {
				equal++
			} else {
				fail("%s is %v, and goes below zero", symbol, m.Value(0))
			}
		case !same(m.Value(0).Float(), want, e.DataType == "uint64"):
			r, _ := m.Why(0)
			fail("%s is %v (%s), want %v", symbol, m.Value(0), r.Text, want)
		default:
			equal++
		}
		if most := c.Max[symbol]; most != nil {
			all++
			e := set.Entry(symbol)
			p, err := Eval(capt, "intel:"+strings.NewReplacer("$GpuCoreClocks", "GPU_CLOCK 0 READ").Replace(e.Peak), capture.Meta{})
			if err != nil || !same(p.Value(0).Float(), most, false) {
				fail("the peak of %s is %v (%v), want %v", symbol, p, err, most)
				continue
			}
			equal++
		}
	}
	return equal, all
}

func TestEveryIntelPlatformAgreesWithRationals(t *testing.T) {
	var v struct{ Cases []intelCase }
	testfiles.JSON(t, &v, "vectors", "intel_families_sample.json")
	equal, all := 0, 0
	seen := map[string]bool{}
	for i := range v.Cases {
		e, a := v.Cases[i].compare(t)
		equal, all = equal+e, all+a
		seen[v.Cases[i].Platform] = true
	}
	t.Logf("%d of %d values of %d platforms", equal, all, len(seen))
	if len(seen) != 28 {
		t.Errorf("the file has cases of %d platforms", len(seen))
	}
}

// A second reading of the tables: a row holds for each of its platforms.
func TestEveryCounterOfTheIntelFamilyTableIsInItsCatalogues(t *testing.T) {
	sets := map[[2]string]bool{}
	for _, row := range testfiles.Rows(t, "reference", "intel_family_sets.csv") {
		sets[[2]string{row["platform"], row["metric_set"]}] = true
		s, err := mustGet(t, intelID(row["platform"])).Set(row["guid"])
		if err != nil || s.Name != row["metric_set"] || s.Title != row["name"] || s.Format != row["report_format"] {
			t.Errorf("%s: %+v, %v", row["platform"], s, err)
		}
	}
	n := map[string]int{}
	for _, row := range testfiles.Rows(t, "reference", "intel_family_counters.csv") {
		for _, platform := range strings.Fields(row["platforms"]) {
			n[platform]++
			s, err := mustGet(t, intelID(platform)).Set(row["metric_set"])
			if err != nil {
				t.Fatal(err)
			}
			e := s.Entry(row["counter_symbol"])
			if e == nil {
				t.Errorf("%s/%s lacks %s", platform, s.Name, row["counter_symbol"])
				continue
			}
			for _, f := range []struct{ what, got, want string }{
				{"expr", e.Expr, row["equation"]}, {"peak", e.Peak, row["max_equation"]}, {"available", e.Available, row["availability"]},
				{"unit", e.Unit, row["units"]}, {"title", e.Title, row["name"]}, {"block", e.Block, row["group"]}, {"type", e.DataType, row["data_type"]},
				{"semantic", e.Semantic, row["semantic"]}, {"usage", e.Usage, row["usage_flags"]},
				{"scope", e.Scope, strings.Replace(row["hw_unit"], "gpu", "", 1)},
			} {
				if f.got != f.want {
					t.Errorf("%s %s: %s is %q, the table has %q", platform, e.Name, f.what, f.got, f.want)
				}
			}
		}
	}
	all, metrics := 0, 0
	for platform, want := range n {
		c := mustGet(t, intelID(platform))
		got := 0
		for _, e := range c.Entries() {
			if e.IsMetric() {
				got++
			}
			for _, src := range []string{e.Peak, e.Available} {
				if src == "" {
					continue
				}
				x, err := formula.Parse(formula.Intel, src)
				if err != nil {
					t.Error(err)
					continue
				}
				for _, name := range x.Names() {
					if _, err := c.Find(name); err != nil && e.sibling(name) == nil {
						t.Errorf("%s: %s reads %s: %v", e.Name, src, name, err)
					}
				}
			}
		}
		if got != want {
			t.Errorf("%s has %d metrics, the table %d", c.ID(), got, want)
		}
		all, metrics = all+len(c.Sets()), metrics+got
	}
	if len(n) != 28 || all != len(sets) {
		t.Errorf("%d platforms have %d sets, the table %d", len(n), all, len(sets))
	}
	t.Logf("%d platforms, %d sets, %d metrics", len(n), all, metrics)
}

// A counter that is declared a whole number is one, though its equation ends with a multiplication of doubles.
func TestAWholeNumberOfIntelsHasNothingBehindThePoint(t *testing.T) {
	for _, gpu := range []string{"intel-icl", "intel-ehl"} {
		f := newFixture(gpu, 1)
		for name, v := range map[string]uint64{"B4": 3, "B5": 2} {
			f.add(name).Col = capture.NewColumn(capture.Data{U: []uint64{v}})
		}
		f.property("EuSubslicesTotalCount", 3)
		f.property("SubsliceMask", 255)
		f.cfg.Properties = append(f.cfg.Properties, capture.Property{Name: "metric_set", Text: "ComputeBasic", IsText: true})
		if c, err := Resolve(f.capture(t), "TypedAtomics"); err != nil || c.Value(0).Float() != 7 {
			t.Errorf("%s: %v, %v; want 7 of 7.5", gpu, c.Value(0), err)
		}
	}
}
