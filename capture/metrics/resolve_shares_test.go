package metrics

import (
	"testing"

	"astrolabe/capture"
)

// sharesOf is a capture of a GPU with columns of percent, as tables that join what two programs wrote.
func sharesOf(t *testing.T, gpu string, names ...string) *capture.Capture {
	t.Helper()
	axis := capture.NewUniformAxis(3, 1e6)
	cfg := capture.Config{GPU: gpu, Axis: axis}
	for _, name := range names {
		col := capture.NewColumn(capture.Data{F: []float64{97, 97, 97}})
		cfg.Counters = append(cfg.Counters, &capture.Counter{Meta: capture.Meta{Name: name, Unit: "%", Kind: capture.Gauge}, Axis: axis, Col: col})
	}
	cap, err := capture.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if cap, err = Describe(cap); err != nil {
		t.Fatal(err)
	}
	return cap
}

func TestSharesOfCPUsBesideAGPUAreThoseOfTheirCatalogue(t *testing.T) {
	for column, metric := range map[string]string{"CPU user": "cpu/cpu_activity_user", "cpu_utilization": "cpu/cpu_utilization", "cpu_activity_system": "cpu/cpu_activity_system"} {
		c, err := Resolve(sharesOf(t, "intel-cfl-gt2", "EuActive", column), metric)
		if err != nil || c.Total().Float() != 97 {
			t.Errorf("%s is not %s: %v, %v", column, metric, c, err)
		}
	}
	for _, column := range []string{"io_wait", "CPU fan", "idle_time"} { // others than CPUs have such
		if n := len(For(sharesOf(t, "intel-cfl-gt2", "EuActive", column))); n != 1 {
			t.Errorf("%s makes it a capture of %d catalogues", column, n)
		}
	}
}

func TestATemperatureOfAGPUIsNoneOfTheCPUsBesideIt(t *testing.T) {
	cap := sharesOf(t, "amd-live", "temperature", "CPU user")
	if c, err := Resolve(cap, "temperature"); err != nil || c.Count() != 3 {
		t.Errorf("the GPU's temperature: %v, %v", c, err)
	}
	if c, err := Resolve(cap, "cpu/temperature"); err != nil || c.Count() != 0 {
		t.Errorf("the CPUs' temperature has %d values, %v", c.Count(), err)
	}
}
