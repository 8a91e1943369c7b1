package metrics

import (
	"testing"

	"astrolabe/capture"
)

// table is a capture of one sample of 100 us as a table of rocprof has it: counters, and nothing of the machine.
func table(t *testing.T, gpu string, properties []capture.Property, values map[string]uint64) *capture.Capture {
	t.Helper()
	axis := &capture.Axis{Start: []int64{0}, End: []int64{100000}}
	cfg := capture.Config{GPU: gpu, Axis: axis, Properties: properties}
	for name, v := range values {
		cfg.Counters = append(cfg.Counters, &capture.Counter{Meta: capture.Meta{Name: name, Kind: capture.Delta}, Axis: axis,
			Col: capture.NewColumn(capture.Data{U: []uint64{v}})})
	}
	c, err := capture.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestWhatACaptureDoesNotSayOfTheMachineIsThatOfItsProduct(t *testing.T) {
	values := map[string]uint64{"SQ_BUSY_CU_CYCLES": 60000, "GRBM_GUI_ACTIVE": 1000}
	const share = "SUM(SQ_BUSY_CU_CYCLES) / SUM(GRBM_GUI_ACTIVE / $num_xcd * $cu_per_gpu)"
	for _, test := range []struct {
		gpu        string
		properties []capture.Property
		want       float64
	}{
		{"gfx908", nil, 0.5},
		{"gfx908", []capture.Property{{Name: "cu_per_gpu", Number: 60}}, 1},
		{"gfx942", nil, 60000. / (1000. / 8 * 304)},
	} {
		c, err := Eval(table(t, test.gpu, test.properties, values), share, capture.Meta{Name: "share"})
		if err != nil {
			t.Fatal(err)
		}
		if got := c.Total().Float(); got != test.want {
			t.Errorf("%s %v: %v, want %v", test.gpu, test.properties, got, test.want)
		}
	}
	c, err := Resolve(table(t, "gfx90a", nil, values), "cu_per_gpu")
	if err != nil || c.Total().Float() != 104 || len(c.Warnings) != 1 {
		t.Errorf("the constant alone is %v with %q, %v", c.Total(), c.Warnings, err)
	}
	c, err = Resolve(table(t, "gfx90a", nil, map[string]uint64{"SQ_ACTIVE_INST_VALU": 52000, "GRBM_GUI_ACTIVE": 1000}), "valu_utilization")
	if err != nil || c.Total().Float() != 50 {
		t.Errorf("a metric is %v, %v", c.Total(), err)
	}
}

func TestCyclesAreNoShareOfTheirName(t *testing.T) {
	c, err := Resolve(table(t, "gfx1201", nil, map[string]uint64{"SPI_BUSY": 5267257, "SQ_WAVES": 4}), "spi_busy")
	if err != nil {
		t.Fatal(err)
	}
	if v := c.Total(); !v.Missing() {
		t.Errorf("SPI Busy is %v %%, want nothing without the cycles of the GPU", v)
	}
}
