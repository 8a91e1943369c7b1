package metrics

import (
	"math"
	"strings"
	"testing"

	"astrolabe/capture"
)

// imported is a capture of a file with these columns, none of which says its kind.
func imported(t *testing.T, gpu string, cols map[string][]float64, units map[string]string) *capture.Capture {
	t.Helper()
	f := newFixture(gpu, 2)
	for name, v := range cols {
		c := f.add(name, v...)
		c.Unit, c.Guessed = units[name], true
	}
	cap, err := Describe(f.capture(t))
	if err != nil {
		t.Fatal(err)
	}
	return cap
}

func total(t *testing.T, cap *capture.Capture, name string) (float64, string) {
	t.Helper()
	c, err := Resolve(cap, name)
	if err != nil {
		t.Fatal(err)
	}
	why, _ := c.Why(-1)
	return c.Total().Float(), why.String()
}

func TestUnitsOfAFileBecomeThoseOfTheCatalogue(t *testing.T) {
	// perf stat prints task-clock in msec, the catalogue's cpus_utilized divides ns by ns.
	cap := imported(t, CPU, map[string][]float64{"task-clock": {0.5e-6, 1e-6}}, map[string]string{"task-clock": "msec"})
	if c := cap.Counter("task-clock"); c.Unit != "ns" || c.Total().Float() != 1.5 {
		t.Errorf("task-clock is %v %s", c.Total().Float(), c.Unit)
	}
	span := float64(cap.Duration())
	if v, why := total(t, cap, "cpus_utilized"); math.Abs(v-1.5/span) > 1e-12 {
		t.Errorf("cpus_utilized = %v (%s), want %v", v, why, 1.5/span)
	}
	// A column under a metric's title is converted too.
	cap = imported(t, CPU, map[string][]float64{"CPU utilization": {0.25, 0.75}}, map[string]string{"CPU utilization": "ratio"})
	if v, _ := total(t, cap, "cpu_utilization"); v != 50 || cap.Counter("CPU utilization").Kind != capture.Gauge {
		t.Errorf("a share of 0.5 gives %v %%", v)
	}
}

func TestAUnitThatDoesNotFitMakesTheMetricMissingWithTheReason(t *testing.T) {
	cap := imported(t, CPU, map[string][]float64{"task_clock": {5, 6}}, map[string]string{"task_clock": "bytes"})
	v, why := total(t, cap, "cpus_utilized")
	if !math.IsNaN(v) || !strings.Contains(why, "task_clock is in bytes") || !strings.Contains(why, "ns") {
		t.Errorf("cpus_utilized = %v, because %s", v, why)
	}
	if v, _ := total(t, cap, "task_clock"); v != 11 {
		t.Errorf("the counter itself is %v", v)
	}
	cap = imported(t, CPU, map[string][]float64{"CPU utilization": {5, 6}}, map[string]string{"CPU utilization": "cycles"})
	if v, why := total(t, cap, "cpu_utilization"); !math.IsNaN(v) || !strings.Contains(why, "cycles") {
		t.Errorf("cpu_utilization = %v, because %s", v, why)
	}
}

func TestIntegersInAnotherUnitStayExact(t *testing.T) {
	f := newFixture(CPU, 1)
	c := f.add("task_clock", 0)
	c.Unit, c.Col = "us", capture.NewColumn(capture.Data{U: []uint64{1<<53 + 1}})
	cap, err := Describe(f.capture(t))
	if err != nil {
		t.Fatal(err)
	}
	if u, ok := cap.Counter("task_clock").Value(0).Uint64(); !ok || u != (1<<53+1)*1000 {
		t.Errorf("%d us are %d ns (exact: %t)", uint64(1<<53+1), u, ok)
	}
}

func TestConstantsAreConstantsByTheirName(t *testing.T) {
	for _, name := range []string{"MaliConstantsShaderCoreCount", "$MaliConstantsShaderCoreCount", "$MaliConstantsShaderCoreCount (cores)"} {
		cap := imported(t, "mali-g615", map[string][]float64{name: {4, 4}}, nil)
		if c := cap.Counter("MaliConstantsShaderCoreCount"); c == nil || c.Kind != capture.Constant || c.Total().Float() != 4 {
			t.Errorf("%s: %+v", name, c)
		}
	}
}

func TestStreamlineHeadersWithDollarsAndUnitsAreMatched(t *testing.T) {
	cap := imported(t, "mali-g720", map[string][]float64{
		"$MaliGPUCyclesGPUActive (cycles)":                              {10, 20},
		"MaliVaryingUnitIssues32BitInterpolationIssues (issues)":        {1, 2},
		"$MaliShaderCoreCyclesExecutionCoreActive":                      {3, 4},
		"Something that no catalogue knows (widgets per furlong) (avg)": {1, 1},
	}, nil)
	for name, want := range map[string]float64{"MaliVaryingUnitIssues32BitInterpolationIssues": 3} {
		c := cap.Counter(name)
		if c == nil || c.Title == "" || c.Guessed || c.Total().Float() != want || c.Unit != "issues" {
			t.Errorf("%s: %+v", name, c)
		}
	}
	for _, c := range cap.Counters {
		if strings.HasPrefix(c.Name, "$Mali") {
			t.Errorf("%s keeps its dollar", c.Name)
		}
	}
}

func TestKindsComeFromTheCatalogueThenTheUnitAndElseAreGuessed(t *testing.T) {
	cap := imported(t, CPU, map[string][]float64{
		"procs_running": {1, 2}, "cycles": {1, 2}, "temp": {40, 41}, "x": {1, 2}, "bw": {1, 2}, "clock_mhz": {1, 2}, "clock_rate": {1, 2}, "items": {1, 2}, "mem": {1, 2},
	}, map[string]string{"temp": "°C", "bw": "MB/s", "items": "requests", "mem": "MiB"})
	for name, want := range map[string]struct {
		kind    capture.Kind
		guessed bool
	}{
		"procs_running": {capture.Gauge, false}, "cycles": {capture.Delta, false}, "temp": {capture.Gauge, false}, "x": {capture.Delta, true}, "bw": {capture.Gauge, false},
		"clock_mhz": {capture.Gauge, false}, "clock_rate": {capture.Gauge, true}, "items": {capture.Delta, false}, "mem": {capture.Delta, true},
	} {
		if c := cap.Counter(name); c.Kind != want.kind || c.Guessed != want.guessed {
			t.Errorf("%s is a %s, guessed: %t", name, c.Kind, c.Guessed)
		}
	}
}

// TestColumnsThatAreMetricsOfSeveralSetsAreOfTheKindThatAllOfThemAre has columns that Intel's oneprof prints without a catalogue's set.
func TestColumnsThatAreMetricsOfSeveralSetsAreOfTheKindThatAllOfThemAre(t *testing.T) {
	cap := imported(t, "intel-kbl-gt2", map[string][]float64{"Fpu0Active": {40, 60}, "EuAvgIpcRate": {1.5, 1.7}, "GpuCoreClocks": {100, 200}}, nil)
	for name, want := range map[string]float64{"Fpu0Active": 50, "EuAvgIpcRate": 1.6, "GpuCoreClocks": 300} {
		if got := cap.Counter(name).Total().Float(); math.Abs(got-want) > 1e-9 {
			t.Errorf("%s, a %s, is %v in total, want %v", name, cap.Counter(name).Kind, got, want)
		}
	}
}
