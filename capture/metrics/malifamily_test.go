package metrics

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"astrolabe/internal/testfiles"
)

// maliID is the id of the catalogue of a product by the name that Arm gives it.
func maliID(product string) string { return strings.ReplaceAll(strings.ToLower(product), " ", "-") }

// maliFamily is mali_families_sample.json: what Arm's own library made of random blocks, one case of each product.
type maliFamily struct {
	Cases []struct {
		GPU, Kind    string
		ShaderCores  int `json:"shader_cores"`
		L2Slices     int `json:"l2_slices"`
		BusWidthBits int `json:"bus_width_bits"`
		Blocks       []struct {
			Type   string
			Values []uint64
		}
		Expected map[string]any
	}
}

func TestEveryMaliGivesTheValuesOfArmsLibrary(t *testing.T) {
	var doc maliFamily
	testfiles.JSON(t, &doc, "vectors", "mali_families_sample.json")
	products, compared, missing := map[string]bool{}, 0, 0
	for _, c := range doc.Cases {
		cat := mustGet(t, maliID(c.GPU))
		products[cat.ID()] = true
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
		for _, name := range sortedKeys(c.Expected) {
			compared++
			ctr := resolve(t, cap, name)
			got := ctr.Total()
			want, finite := c.Expected[name].(float64)
			if strings.HasPrefix(ctr.Expr, "max(min(") && ctr.Unit == "percent" {
				want = min(max(want, 0), 100)
			}
			switch {
			case got.Missing():
				if r, ok := ctr.Why(0); !ok || finite && want != 0 || !strings.Contains(r.String(), "zero") {
					t.Errorf("%s %s is missing (%v), Arm's library says %v", c.GPU, name, r, c.Expected[name])
				}
				missing++ // 0/0 is 0 there, and x/0 infinity
			case !finite || !nearly(got.Float(), want):
				t.Errorf("%s %s: %v, Arm's library says %v", c.GPU, name, got.Float(), c.Expected[name])
			}
		}
	}
	t.Logf("%d values of %d products compared, %d of them missing for a division by zero", compared, len(products), missing)
	if len(products) != 27 || compared != 7197 {
		t.Errorf("%d values of %d products compared, want 7197 of 27", compared, len(products))
	}
}

// The tables of the reference are the whole of what is known: every counter at its place under each of its names, and every formula.
func TestEveryMaliHasEveryCounterOfItsLayout(t *testing.T) {
	layout := map[string]string{}
	for _, row := range testfiles.Rows(t, "reference", "mali_products.csv") {
		layout[row["name"]] = row["counter_layout"]
	}
	if len(layout) != 27 {
		t.Fatalf("%d products, want 27", len(layout))
	}
	rows := testfiles.Rows(t, "reference", "mali_family_counters.csv")
	formulas := testfiles.Rows(t, "reference", "mali_family_metrics.csv")
	for product, of := range layout {
		c := mustGet(t, maliID(product))
		raw, places := 0, map[string]string{}
		for _, e := range c.Entries() {
			if e.Index == 0 {
				continue
			}
			raw++
			at := e.Block + strconv.Itoa(e.Index)
			if places[at] != "" {
				t.Errorf("%s: %s and %s are both at %s", c.ID(), e.Name, places[at], at)
			}
			places[at] = e.Name
		}
		want := 0
		for _, row := range rows {
			if row["layout"] != of {
				continue
			}
			want++
			for _, name := range append(strings.Fields(row["older_variables"]), row["hardware_name"], row["machine_name"], row["variable"]) {
				if name == "" {
					continue
				}
				e, err := c.Find(name)
				if err != nil || e.IsMetric() || e.Block != row["block"] || strconv.Itoa(e.Index) != row["index"] || strconv.Itoa(int(max(e.Scaler, 1))) != row["scaler"] {
					t.Errorf("%s: Find(%q) = %+v, %v; want %s %s x %s", c.ID(), name, e, err, row["block"], row["index"], row["scaler"])
				}
			}
			if title := row["title"]; title != "" {
				e, err := c.Find(title)
				if err != nil || deep(e) != deep(mustFind(t, c, row["machine_name"])) {
					t.Errorf("%s: Find(%q) = %v, %v; want %s", c.ID(), title, e, err, row["machine_name"])
				}
			}
		}
		if raw != want {
			t.Errorf("%s has %d counters, want %d", c.ID(), raw, want)
		}
		for _, row := range formulas {
			if !slices.Contains(strings.Split(row["products"], ";"), product) {
				continue
			}
			a, err := c.Find(row["machine_name"])
			if err != nil || !a.IsMetric() && row["group"] != "Implementation Configuration" {
				t.Errorf("%s: Find(%q) = %v, %v; want a metric", c.ID(), row["machine_name"], a, err)
				continue
			}
			for _, name := range []string{row["title"], row["group"] + "/" + row["series"]} {
				if b, err := c.Find(name); err != nil || deep(b) != deep(a) {
					t.Errorf("%s: Find(%q) = %v, %v; want %s", c.ID(), name, b, err, a.Name)
				}
			}
		}
	}
}

// deep is the name of an entry; of a metric that shows a counter under another name it is that of the counter.
func deep(e *Entry) string {
	if e.IsMetric() && len(e.Inputs) == 1 && e.Expr == "$"+e.Inputs[0] {
		return e.Inputs[0]
	}
	return e.Name
}

func mustFind(t *testing.T, c *Catalogue, name string) *Entry {
	t.Helper()
	e, err := c.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestAMidgardIsRefusedByName(t *testing.T) {
	for _, id := range []string{"mali-t860", "Mali-T720"} {
		if _, err := Get(id); err == nil || !strings.Contains(err.Error(), "there is none for Arm, Midgard") {
			t.Errorf("%s: %v", id, err)
		}
	}
	if _, err := Get("mali-g616"); err == nil || !strings.Contains(err.Error(), "did you mean") || !strings.Contains(err.Error(), "mali-g615") {
		t.Errorf("mali-g616: %v", err)
	}
}

// A second is a second however the recorder ticks.
func TestMaliBandwidthIsOfTheMeasuredTime(t *testing.T) {
	f := newFixture("mali-g78", 2)
	f.property("MaliConstantsBusWidthBits", 128)
	f.add("MaliExternalBusBeatsReadBeats", 1000, 3000)
	got := resolve(t, f.capture(t), "MaliExtBusRdBPS")
	seconds := float64(got.Axis.End[1]-got.Axis.Start[0]) / 1e9
	if v := got.Total().Float(); math.Abs(v*seconds-4000*16) > 1e-6 || got.Unit != "bytes/second" {
		t.Errorf("%v %s over %v s, want %v bytes", v, got.Unit, seconds, 4000*16)
	}
}
