package mali

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/metrics"
	"astrolabe/internal/testfiles"
)

func TestProductsAreThoseOfTheReference(t *testing.T) {
	rows := testfiles.Rows(t, "reference", "mali_products.csv")
	if len(rows) != len(products) {
		t.Errorf("%d products, the reference has %d", len(products), len(rows))
	}
	for _, r := range rows {
		key, err := strconv.ParseUint(r["product_id"], 0, 32)
		if err != nil {
			t.Fatal(err)
		}
		cores, _ := strconv.Atoi(r["min_shader_cores"])
		for _, raw := range []uint64{key<<16 | 0x0310, key>>12<<56 | 5<<48 | key&0xf<<32 | 0xf<<28} {
			p, ok := ParseID(raw).product(cores)
			warp, _ := strconv.Atoi(r["warp_width"])
			values, _ := strconv.Atoi(r["values_per_block"])
			if !ok || p.Name != r["name"] || p.Codename != r["kernel_codename"] || p.Architecture != r["architecture"] || p.CSF != (r["frontend"] == "CSF") ||
				p.Layout != r["counter_layout"] || p.Values != values || p.WarpWidth != warp {
				t.Errorf("id %#x with %d cores is %+v, want %v", raw, cores, p, r)
			}
		}
	}
}

func TestOneIDHasANameForEachNumberOfCores(t *testing.T) {
	names := map[uint64]map[int]string{} // by id and least number of cores
	for _, r := range testfiles.Rows(t, "reference", "mali_products.csv") {
		key, _ := strconv.ParseUint(r["product_id"], 0, 32)
		least, _ := strconv.Atoi(r["min_shader_cores"])
		if names[key] == nil {
			names[key] = map[int]string{}
		}
		names[key][least] = r["name"]
	}
	for key, by := range names {
		want := by[slices.Min(slices.Collect(maps.Keys(by)))] // fewer cores than any row has
		for cores := 1; cores <= 32; cores++ {
			if name, ok := by[cores]; ok {
				want = name
			}
			if p, ok := ParseID(key << 16).product(cores); !ok || p.Name != want {
				t.Errorf("id %#x with %d cores is %q, want %q", key, cores, p.Name, want)
			}
		}
	}
}

func TestIDsAreDecodedInEveryForm(t *testing.T) {
	for _, c := range []struct {
		raw          uint64
		cores        int
		major, minor int
		name         string
		known        bool
	}{
		{0xb8a30010, 6, 11, 8, "Mali-G615", true},
		{0xb8a20010, 6, 11, 8, "Mali-G615", true},
		{0xb8a20010, 7, 11, 8, "Mali-G715", true},
		{0xb8a20010, 11, 11, 8, "Immortalis-G715", true},
		{0xc8700000, 10, 12, 8, "Immortalis-G720", true},
		{0x0c08_0000_f000_0000, 5, 12, 8, "Mali-G620", true},
		{0x07500000, 4, 0, 0, "Mali-T760", true},
		{0x69560000, 4, 0, 0, "Mali-T600", true},
		{0x08600000, 4, 0, 0, "Mali-T860", true},
		{0xfe700000, 4, 15, 14, "", false},
		{0x0f02_0009_f000_0000, 4, 15, 2, "", false},
	} {
		id := ParseID(c.raw)
		p, ok := id.product(c.cores)
		if id.ArchMajor != c.major || id.ArchMinor != c.minor || p.Name != c.name || ok != c.known {
			t.Errorf("%#x: %+v, %q %v; want %+v", c.raw, id, p.Name, ok, c)
		}
	}
	if id := ParseID(0xc8701230); id.Revision != 1 || id.RevisionMinor != 0x23 {
		t.Errorf("revision r%dp%d", id.Revision, id.RevisionMinor)
	}
}

func TestAnUnknownIDIsOfferedTheNearestOlderDesign(t *testing.T) {
	for _, c := range []struct {
		raw   uint64
		cores int
		name  string // "" for none
	}{
		{0xb9950000, 4, "Mali-G615"}, // 11.5, after 11.3
		{0xc9020000, 4, "Mali-G620"}, // 12.2, after 12.1
		{0xd9070000, 12, "Mali-G625"},
		{0x94990000, 8, "Mali-G78AE"}, // 9.9
		{0x74060000, 2, "Mali-G31"},
		{0x83010000, 2, "Mali-G31"},                   // an architecture without any: that of the one before
		{0xb9010000, 16, "Mali-G610"},                 // before every design of its architecture
		{0x0f02_0009_f000_0000, 4, "Mali G1-Pro"},     // 15.2
		{0x0e08_0002_f000_0000, 9, "Mali G1-Premium"}, // 14.8, product 2
		{0x5abc0000, 2, ""},                           // before all
		{0x07990000, 2, ""},                           // Midgard
	} {
		id := ParseID(c.raw)
		if _, known := id.product(c.cores); known {
			t.Errorf("%#x is known", c.raw)
		}
		p, ok := id.Older(c.cores)
		if p.Name != c.name || ok != (c.name != "") {
			t.Errorf("%#x with %d cores is offered %q, want %q", c.raw, c.cores, p.Name, c.name)
		}
		g := GPU{ID: id, CoreMask: 1<<c.cores - 1}
		g.Identify()
		if g.Product.Layout != "" {
			t.Errorf("%#x is taken for %+v", c.raw, g.Product)
		}
		if why := g.Unnamed(); !strings.Contains(why, "is not known to this version") || strings.Contains(why, "nearest older one is the "+c.name+":") != ok {
			t.Errorf("%#x: %s", c.raw, why)
		}
	}
}

func TestMidgardIsRefusedMetricsByName(t *testing.T) {
	g := GPU{ID: ParseID(0x07500000), CoreMask: 0xf}
	g.Identify()
	if why := g.Unnamed(); !g.Known || !strings.Contains(why, "the Mali-T760 is of the architecture Midgard") {
		t.Errorf("known %v: %s", g.Known, why)
	}
}

func TestCounterNamesAreThoseOfTheReference(t *testing.T) {
	layouts := map[string]string{"Mali-G615": "Mali-G715", "Mali-G720": "Mali-G720"}
	types := map[string]BlockType{"fe": FrontEnd, "tiler": Tiler, "memory": Memory, "core": Core}
	checked := 0
	for _, r := range testfiles.Rows(t, "reference", "mali_counters.csv") {
		typ, ok := types[r["block"]]
		if !ok {
			continue // a constant
		}
		checked++
		index, _ := strconv.Atoi(r["index"])
		m, scale := describe(typ, index, layouts[r["gpu"]], "", "test")
		for _, name := range []string{strings.TrimPrefix(r["variable"], "$"), strings.TrimPrefix(r["newer_variable_name"], "$"), r["hw_counter_name"], r["lgc_machine_name"]} {
			if name != "" && m.Name != name && !hasAlias(&m, name) {
				t.Errorf("%s %s %d is %s with aliases %q, want also %s", r["gpu"], r["block"], index, m.Name, m.Aliases, name)
			}
		}
		if r["variable"] != "" && "$"+m.Name != r["variable"] || m.Unit != r["unit"] || strconv.FormatUint(scale, 10) != r["shift_or_scaler"] {
			t.Errorf("%s %s %d is %s in %s times %d, want %v", r["gpu"], r["block"], index, m.Name, m.Unit, scale, r)
		}
	}
	if checked != 364 {
		t.Errorf("%d counters were checked", checked)
	}
}

// Every place of every layout: one that lacks its name or its scaler is a counter that no metric finds, or a sixteenth of one.
func TestCountersOfEveryLayoutAreThoseOfTheReference(t *testing.T) {
	types := map[string]BlockType{"fe": FrontEnd, "tiler": Tiler, "memory": Memory, "core": Core}
	checked := map[string]int{}
	for _, r := range testfiles.Rows(t, "reference", "mali_family_counters.csv") {
		index, _ := strconv.Atoi(r["index"])
		m, scale := describe(types[r["block"]], index, r["layout"], "", "test")
		checked[r["layout"]]++
		for _, name := range []string{r["hardware_name"], r["machine_name"], strings.TrimPrefix(r["variable"], "$")} {
			if name != "" && m.Name != name && !hasAlias(&m, name) {
				t.Errorf("%s %s %d is %s with aliases %q, want also %s", r["layout"], r["block"], index, m.Name, m.Aliases, name)
			}
		}
		if strconv.FormatUint(scale, 10) != r["scaler"] {
			t.Errorf("%s %s %d (%s) is multiplied by %d, want %s", r["layout"], r["block"], index, m.Name, scale, r["scaler"])
		}
	}
	for _, row := range products {
		if checked[row.p.Layout] < 146 {
			t.Errorf("%d counters of %s were checked", checked[row.p.Layout], row.p.Layout)
		}
	}
}

func TestEveryLayoutHasNamesAndNoneTwice(t *testing.T) {
	for _, row := range products {
		blocks := []Block{one(FrontEnd), one(Tiler), one(Memory), one(Core)}
		for i := range blocks {
			blocks[i].Values = row.p.Values
		}
		seen, named := map[string]bool{}, 0
		for _, m := range Counters(blocks, row.p.Layout, "", "test") {
			if seen[m.Name] {
				t.Errorf("%s has two counters %s", row.p.Layout, m.Name)
			}
			if seen[m.Name] = true; m.Doc == "" {
				named++
			}
		}
		if named < 140 {
			t.Errorf("%s: %d counters have names", row.p.Layout, named)
		}
	}
	// Places that this version knows from the database of Arm's library.
	for _, c := range []struct {
		layout string
		block  BlockType
		index  int
		name   string
		scale  uint64
	}{
		{"Mali-G52", FrontEnd, 6, "MaliGPUCyclesGPUActive", 1}, {"Mali-G77", FrontEnd, 10, "MaliGPUCyclesFragmentQueueActive", 1},
		{"Mali-G725", Tiler, 26, "MaliTilerVertexCachePositionCacheHits", 16}, {"Mali G1", Core, 69, "MaliShaderThreadsAllFragmentThreads", 4},
		{"Mali-G72", Core, 200, "core_200", 1},
	} {
		if m, scale := describe(c.block, c.index, c.layout, "", "test"); m.Name != c.name || scale != c.scale {
			t.Errorf("%s %s %d is %s times %d, want %s times %d", c.layout, c.block, c.index, m.Name, scale, c.name, c.scale)
		}
	}
}

func hasAlias(m *capture.Meta, name string) bool {
	for _, a := range m.Aliases {
		if a == name {
			return true
		}
	}
	return false
}

func TestEveryRawCounterOfTheCataloguesHasAColumn(t *testing.T) {
	for _, r := range products {
		id := strings.ReplaceAll(strings.ToLower(r.p.Name), " ", "-")
		if r.p.Catalogue() != id {
			t.Errorf("the catalogue of %s is %q, want its own, %q", r.p.Name, r.p.Catalogue(), id)
		}
		cat, err := metrics.Get(id)
		if err != nil {
			t.Fatal(err)
		}
		have := map[string]capture.Meta{}
		for _, m := range Counters([]Block{one(FrontEnd), one(Tiler), one(Memory), one(Core)}, r.p.Layout, id, "test") {
			have[m.Name] = m
		}
		n := 0
		for _, e := range cat.Entries() {
			if e.IsMetric() || e.Kind == capture.Constant || e.Block == "clock" { // the clock is no counter of a block
				continue
			}
			n++
			m, ok := have[e.Name]
			for _, alias := range e.Aliases {
				if !ok { // a layout without a printed guide has the variables of today
					m, ok = have[alias]
				}
			}
			if !ok || m.Block != e.Block || m.Unit != "" && m.Unit != e.Unit || m.GPU != id {
				t.Errorf("%s: %s of %s in %s is %+v", id, e.Name, e.Block, e.Unit, m)
			}
		}
		if n < 146 {
			t.Errorf("%s: %d counters were checked", id, n)
		}
	}
}

func one(t BlockType) Block { return Block{Type: t, Instances: []int{0}, Values: 128} }

func TestTheG615sGPUActiveCounterIsNotTheDenominator(t *testing.T) {
	raw, _ := describe(FrontEnd, 4, "Mali-G715", "mali-g615", "test")
	active, _ := describe(FrontEnd, 6, "Mali-G715", "mali-g615", "test")
	if raw.Name == "MaliGPUCyclesGPUActive" || !strings.Contains(raw.Doc, "defect") {
		t.Errorf("index 4 is %+v", raw)
	}
	if active.Name != "MaliGPUCyclesAnyQueueActive" || !hasAlias(&active, "MaliGPUCyclesGPUActive") {
		t.Errorf("index 6 is %+v", active)
	}
	if good, _ := describe(FrontEnd, 4, "Mali-G720", "mali-g720", "test"); good.Name != "MaliGPUCyclesGPUActive" {
		t.Errorf("index 4 of the G720 is %s", good.Name)
	}
}
