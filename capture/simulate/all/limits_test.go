package all

import (
	"slices"
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/simulatetest"
)

// limit is what a machine can do at most: the events, added up, are no more than the clocks times by, and times a
// property of the device where one is named.
type limit struct {
	events   []string
	clocks   string
	by       float64
	property string
}

// rates are limits by the prefix of a family's name, from the vendors' documents. Those of gfx1151 are in its own
// folder, because its counters are measured in runs that take different times.
var rates = map[string][]limit{
	// A slice of L2 has a bus of its own width, and looks up one line; a core rasterizes a quad and issues one texture
	// operation, one interpolation of up to four slots and one access; a tiler takes one triangle.
	"mali-":       maliRates,
	"immortalis-": maliRates,
	// The ring carries 64 bytes a clock each way; an execution unit is active or stalled; a slice has three samplers
	// that take a block of four texels a clock, three data ports of 64 bytes, and a rasterizer and a backend of two
	// blocks.
	"intel-kbl": {
		{[]string{"C6"}, "GPU_TICKS", 1, ""},
		{[]string{"C7"}, "GPU_TICKS", 1, ""},
		{[]string{"A7", "A8"}, "GPU_TICKS", 1, "EuCoresTotalCount"},
		{[]string{"A28"}, "GPU_TICKS", 1, "EuSubslicesTotalCount"},
		{[]string{"A29"}, "GPU_TICKS", 1, "EuSubslicesTotalCount"},
		{[]string{"A30", "A31"}, "GPU_TICKS", 1, "EuSubslicesTotalCount"},
		{[]string{"A32"}, "GPU_TICKS", 1, "EuSubslicesTotalCount"},
		{[]string{"A21"}, "GPU_TICKS", 2, "EuSlicesTotalCount"},
		{[]string{"A26"}, "GPU_TICKS", 2, "EuSlicesTotalCount"},
	},
	// No core that is sold retires more than six instructions in a clock for long.
	"cpu": {
		{[]string{"instructions"}, "cycles", 6, ""},
		{[]string{"stalled_cycles_backend"}, "cycles", 1, ""},
	},
}

// maliRates are by machine names; a layout may lack some.
var maliRates = []limit{
	{[]string{"MaliExtBusRdBt"}, "gpu_clock_cycles", 1, "MaliConstantsL2SliceCount"},
	{[]string{"MaliExtBusWrBt"}, "gpu_clock_cycles", 1, "MaliConstantsL2SliceCount"},
	{[]string{"MaliExtBusRdStallCy"}, "gpu_clock_cycles", 1, "MaliConstantsL2SliceCount"},
	{[]string{"MaliL2CacheLookup"}, "gpu_clock_cycles", 1, "MaliConstantsL2SliceCount"},
	{[]string{"MaliL2CacheRdStallCy"}, "gpu_clock_cycles", 1, "MaliConstantsL2SliceCount"},
	{[]string{"MaliGeomTrianglePrim"}, "gpu_clock_cycles", 1, ""},
	{[]string{"MaliAnyActiveCy"}, "gpu_clock_cycles", 1, "MaliConstantsShaderCoreCount"},
	{[]string{"MaliCoreActiveCy"}, "gpu_clock_cycles", 1, "MaliConstantsShaderCoreCount"},
	{[]string{"MaliFragRastQd"}, "gpu_clock_cycles", 1, "MaliConstantsShaderCoreCount"},
	{[]string{"MaliTexFiltIssueCy"}, "gpu_clock_cycles", 1, "MaliConstantsShaderCoreCount"},
	{[]string{"MaliLSFullRd", "MaliLSPartRd", "MaliLSFullWr", "MaliLSPartWr", "MaliLSAtomic"}, "gpu_clock_cycles", 1,
		"MaliConstantsShaderCoreCount"},
	{[]string{"MaliVar16IssueSlot", "MaliVar32IssueSlot"}, "gpu_clock_cycles", 4, "MaliConstantsShaderCoreCount"},
	{[]string{"MaliSCBusTileWrBt"}, "gpu_clock_cycles", 1, "MaliConstantsShaderCoreCount"},
}

func TestNoCounterPassesWhatTheMachineCanDoInAClock(t *testing.T) {
	of := map[string]int{} // families of each prefix
	for _, family := range Families() {
		var list []limit
		for prefix, l := range rates {
			if strings.HasPrefix(family, prefix) {
				list = l
				of[prefix]++
			}
		}
		if list == nil {
			t.Logf("%s: no limits are stated here", family)
			continue
		}
		checks := make([]int, len(list))
		kinds := Kinds(family)
		for seed := range uint64(simulatetest.Number(t, 12, 6)) {
			kind := kinds[seed%uint64(len(kinds))]
			if kind == simulate.KindHealthy {
				kind = simulate.KindRandom // the same counters, without the search for health
			}
			o := simulate.Options{}
			if strings.HasPrefix(family, "intel") {
				o.Sets = []string{"RenderBasic"}
			}
			cap := record(t, family, kind, seed, o)
			for i, x := range list {
				checks[i] += x.check(t, cap, family+" "+kind, seed)
			}
		}
		for i, n := range checks {
			if n == 0 && !strings.Contains(list[i].events[0], "AnyActive") { // which job managers before G78 lack
				t.Errorf("%s: %v was never checked", family, list[i].events)
			}
		}
	}
	for prefix := range rates {
		if of[prefix] == 0 {
			t.Errorf("no family is called %s…", prefix)
		}
	}
}

// find is the counter of that name or with that alias, nil where there is none.
func find(cap *capture.Capture, name string) *capture.Counter {
	for _, c := range cap.Counters {
		if c.Name == name || slices.Contains(c.Aliases, name) {
			return c
		}
	}
	return nil
}

// check finds samples beyond the limit; a count of rounding is let pass.
func (x *limit) check(t *testing.T, cap *capture.Capture, what string, seed uint64) (checked int) {
	t.Helper()
	by := x.by
	if x.property != "" {
		p, ok := cap.Property(x.property)
		if !ok {
			t.Fatalf("%s %d has no %s", what, seed, x.property)
		}
		by *= p.Number
	}
	clocks := cap.Counter(x.clocks).Floats()
	sum := make([]float64, len(clocks))
	for _, name := range x.events {
		c := find(cap, name)
		if c == nil {
			return 0
		}
		for i, v := range c.Floats() {
			sum[i] += v
		}
	}
	for i := range sum {
		if checked++; sum[i] > by*clocks[i]+1 {
			t.Errorf("%s %d, sample %d of %d: %v is %.0f, with %.0f %s there is room for %.0f", what, seed, i, len(sum),
				x.events, sum[i], clocks[i], x.clocks, by*clocks[i])
			return checked
		}
	}
	return checked
}
