package metrics_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/metrics"
)

// column is a counter of one value per sample that states neither unit nor kind.
func column(axis *capture.Axis, name string, v ...float64) *capture.Counter {
	return &capture.Counter{Meta: capture.Meta{Name: name, Kind: capture.Delta, Guessed: true}, Axis: axis, Col: capture.NewColumn(capture.Data{F: v})}
}

func TestNamesOfOtherProgramsAreTheCatalogues(t *testing.T) {
	axis := capture.NewUniformAxis(2, 1e9)
	c, err := capture.New(capture.Config{GPU: "amd-live", Axis: axis, Counters: []*capture.Counter{
		column(axis, "power1_average", 200e6, 203e6),
		column(axis, "temp1_input", 61000, 62000),
		column(axis, "temp2_input", 75000, 76000),
		column(axis, "gpu_core_clock", 2400, 2300),
		column(axis, "mem_info_vram_total", 16e9, 16e9),
		column(axis, "average_gfx_activity", 9700, 9800), // hundredths, as some generations have it
		column(axis, "average_umc_activity", 40, 41),
	}})
	if err != nil {
		t.Fatal(err)
	}
	if c, err = metrics.Describe(c); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]float64{"power": 200, "temperature": 75, "sensor_sclk": 2.4e9, "vram_bytes": 16e9, "mem_busy_percent": 40} {
		got := c.Counter(name)
		if got == nil || got.Guessed || got.Col.Data().Float(0) != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	// The hotter of two is the temperature, and a share above 100 is in another unit.
	for _, name := range []string{"temp1_input", "average_gfx_activity"} {
		if c.Counter(name) == nil {
			t.Errorf("%s has become something else", name)
		}
	}
	if k := c.Counter("vram_bytes"); k != nil && k.Kind != capture.Constant {
		t.Errorf("vram_bytes is of kind %v", k.Kind)
	}
}

func TestProductsWhoseSetsHaveTheNamesAreTold(t *testing.T) {
	ids, n := metrics.Naming([]string{"XVE_ACTIVE", "XVE_STALL", "GPU_MEMORY_BYTE_READ", "something"})
	if !slices.Contains(ids, "intel-bmg") || slices.Contains(ids, "intel-tgl-gt2") || n != 3 {
		t.Errorf("%d names of %q, want 3 of Battlemage and its like", n, ids)
	}
	if ids, n := metrics.Naming([]string{"Sampler Slice0 Dualsubslice0 is bottleneck"}); n != 1 || !slices.Contains(ids, "intel-tgl-gt2") {
		t.Errorf("a title is one of %d names of %q", n, ids)
	}
}

func TestTheCatalogueThatHasTheNamesIsTold(t *testing.T) {
	if ids, n := metrics.Naming([]string{"gpu_busy_percent", "power1_average", "temp1_input", "something"}); len(ids) != 1 || ids[0] != "amd-live" || n != 3 {
		t.Errorf("%d names of %q, want 3 of amd-live", n, ids)
	}
}

func TestNamesOfOtherProgramsMayHaveBlanks(t *testing.T) {
	axis := capture.NewUniformAxis(2, 1e9)
	use := column(axis, "GPU use", 97, 98)
	use.Unit = "%"
	c, err := capture.New(capture.Config{GPU: "amd-live", Axis: axis, Counters: []*capture.Counter{
		use, column(axis, "Average Graphics Package Power", 297, 298), column(axis, "gfx_clk", 1700, 1690),
		column(axis, "max_power", 300, 300), column(axis, "pviol", 95, 94), column(axis, "tviol", 0, 1), // of amd-smi monitor
	}})
	if err != nil {
		t.Fatal(err)
	}
	if c, err = metrics.Describe(c); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]float64{"gpu_busy_percent": 97, "power": 297, "sensor_sclk": 1.7e9, "power_cap": 300, "throttled_by_power": 95, "throttled_by_heat": 0} {
		if got := c.Counter(name); got == nil || got.Floats()[0] != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
}

func TestBitsOfAStatusAreTheCountersOfTheirConditions(t *testing.T) {
	axis := capture.NewUniformAxis(4, 1e9)
	c, err := capture.New(capture.Config{GPU: "amd-live", Axis: axis, Counters: []*capture.Counter{
		column(axis, "indep_throttle_status", 0, 1, 1<<36, math.NaN()),
		column(axis, "throttled_by_current", 7, 7, 7, 7), // which was recorded itself
	}})
	if err != nil {
		t.Fatal(err)
	}
	if c, err = metrics.Describe(c); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]float64{"throttled": {0, 100, 100}, "throttled_by_power": {0, 100, 0}, "throttled_by_heat": {0, 0, 100},
		"throttled_by_current": {7, 7, 7}} {
		got := c.Counter(name)
		if got == nil || got.Kind != capture.Gauge || got.Unit != "percent" || !slices.Equal(got.Floats()[:3], want) {
			t.Errorf("%s is %v, want %v", name, got, want)
		} else if name != "throttled_by_current" && !math.IsNaN(got.Floats()[3]) {
			t.Errorf("%s has a value where the status has none", name)
		}
	}
	if status := c.Counter("indep_throttle_status"); status.Kind != capture.Gauge || status.Guessed {
		t.Errorf("the status is %v: it is no count that adds up", status)
	}
}

func TestAUnitAtTheEndOfANameIsTheColumns(t *testing.T) {
	axis := capture.NewUniformAxis(2, 1e9)
	for name, want := range map[string]float64{"gpu_frequency_khz": 8e8, "gpufreq_khz": 8e8, "GPU frequency kHz": 8e8} {
		c, err := capture.New(capture.Config{GPU: "mali-g78", Axis: axis, Counters: []*capture.Counter{column(axis, name, 8e5, 8e5)}})
		if err == nil {
			c, err = metrics.Describe(c)
		}
		if err != nil {
			t.Fatal(err)
		}
		if m, err := metrics.Resolve(c, "gpu_frequency"); err != nil || m.Total().Float() != want || m.Kind != capture.Gauge {
			t.Errorf("%s: %v, want %v Hz", name, m, want)
		}
	}
}

func TestAUnitThatIsNoneIsTold(t *testing.T) {
	axis := capture.NewUniformAxis(1, 1e9)
	c, err := capture.New(capture.Config{GPU: "mali-g78", Axis: axis, Counters: []*capture.Counter{
		column(axis, "GPU active (Mfoo)", 1), column(axis, "something (else)", 1), column(axis, "Fragment jobs (jobs)", 1),
	}})
	if err == nil {
		c, err = metrics.Describe(c)
	}
	if err != nil {
		t.Fatal(err)
	}
	if got := metrics.UnknownUnits(c); !strings.Contains(got, `"GPU active (Mfoo)", which is read in cycles (write`) {
		t.Errorf("told %q", got)
	}
}
