package perfstat

import (
	"fmt"
	"strings"
	"testing"

	"astrolabe/capture"
)

func property(c *capture.Capture, name string) string {
	p, ok := c.Property(name)
	switch {
	case !ok:
		return ""
	case p.IsText:
		return p.Text
	}
	return fmt.Sprint(p.Number)
}

func TestCPUsUtilizedSayHowLongOneTotalTook(t *testing.T) {
	for name, text := range map[string]string{
		"-x": "5022.10,msec,task-clock,5022756051,100.00,0.685,CPUs utilized\n9,,context-switches,5022756051,100.00,1.8,/sec\n",
		"-j": `{"counter-value" : "5022.100000", "unit" : "msec", "event" : "task-clock", "event-runtime" : 5022756051, "pcnt-running" : 100.00, "metric-value" : 0.685, "metric-unit" : "CPUs utilized"}` + "\n",
	} {
		c := mustParse(t, text)
		if got := fmt.Sprint(float64(c.Axis.End[0]) / 1e9); !strings.HasPrefix(got, "7.331") {
			t.Errorf("%s: took %s s", name, got)
		}
		if property(c, capture.ElapsedUnknown) != "" || !strings.Contains(strings.Join(c.Warnings, "\n"), "to 0.073 %") {
			t.Errorf("%s: %+v, warnings %q", name, c.Properties, c.Warnings)
		}
	}
}

func TestATotalThatSaysNotHowLongItTookHasNoLength(t *testing.T) {
	for name, text := range map[string]string{
		"no clock":       "9000,,cycles,5022756051,100.00,,\n9,,faults,5022756051,100.00,,\n",
		"too few digits": "5022.10,msec,task-clock,5022756051,100.00,0.001,CPUs utilized\n",
		"no metric":      "5022.10,msec,task-clock,5022756051,100.00,,\n",
	} {
		if c := mustParse(t, text); property(c, capture.ElapsedUnknown) == "" || c.Counter("task-clock") == nil {
			t.Errorf("%s: %+v", name, c.Properties)
		}
	}
}

func TestHowLongEventsRanIsTheTasksTime(t *testing.T) {
	c := mustParse(t, "1.000000000,9000,,cycles,420000000,70.00,,\n1.000000000,9,,faults,600000001,100.00,,\n"+
		"2.000000000,9000,,cycles,420000000,70.00,,\n2.000000000,<not counted>,,faults,0,0.00,,\n")
	want(t, c, "task-clock", "600000001 600000000")
	// Text without intervals prints what the tasks used; text with them has no times.
	c = mustParse(t, "\n Performance counter stats for './work':\n\n     9,000      cycles\n\n       5.2 seconds time elapsed\n\n       3.7 seconds user\n       0.3 seconds sys\n")
	want(t, c, "task-clock", "4000000000")
	c = mustParse(t, "#           time             counts unit events\n     1.000000000      9,000      cycles\n")
	if c.Counter("task-clock") != nil {
		t.Errorf("task-clock is %s, and nothing says how long the tasks ran", values(c.Counter("task-clock")))
	}
}

func TestWholeCPUsAreToldFromPrograms(t *testing.T) {
	sample := "%[1]d.000000000,%[2]s,msec,%[3]s,%[4]d,100.00,%[5]s,CPUs utilized\n%[1]d.000000000,9,,cycles,%[4]d,100.00,,\n"
	for name, want := range map[string]struct{ text, counted, cpus string }{
		"-a":                       {fmt.Sprintf(sample, 1, "16003.36", "cpu-clock", 16003360000, "15.998") + fmt.Sprintf(sample, 2, "15997.2", "cpu-clock", 15997200000, "16.003"), "CPUs", "16"},
		"-a, one total":            {"49047.12,msec,cpu-clock,49047209495,100.00,16.000,CPUs utilized\n", "CPUs", "16"},
		"-a, no clock":             {"1.000183677,8,,faults,16002938838,100.00,,\n1.000183677,8,,cycles,9500000000,59.37,,\n", "CPUs", "16"},
		"a program, no clock":      {"1.000183677,8,,faults,15902938838,100.00,,\n", "", ""},
		"a program":                {fmt.Sprintf(sample, 1, "8003.36", "task-clock", 8003360000, "7.998"), "", ""},
		"threads that always work": {"8000.00,msec,task-clock,8000000000,100.00,8.000,CPUs utilized\n", "", ""},
		"-A":                       {"CPU0,10,,cycles,100,100.00,,\nCPU1,20,,cycles,100,100.00,,\n", "CPUs", "2"},
		"--per-core":               {"S0-D0-C0,2,10,,cycles,200,100.00,,\nS0-D0-C1,2,20,,cycles,200,100.00,,\n", "CPUs", "4"},
		"--per-thread":             {"work-12,10,,cycles,100,100.00,,\nwork-13,20,,cycles,100,100.00,,\n", "", ""},
		"text of -a":               {"\n Performance counter stats for 'system wide':\n\n     8,001.10 msec cpu-clock       #    8.001 CPUs utilized\n\n       1.000100 seconds time elapsed\n", "CPUs", "8"},
		"text of -a, no clock":     {"\n Performance counter stats for 'system wide':\n\n     9,000      cycles\n\n       1.000100 seconds time elapsed\n", "CPUs", ""},
	} {
		c := mustParse(t, want.text)
		if counted, cpus := property(c, capture.Counted), property(c, capture.CPUsCounted); counted != want.counted || cpus != want.cpus {
			t.Errorf("%s: counted %q, %q CPUs", name, counted, cpus)
		}
		if c.Counter("task-clock") != nil && want.counted != "" {
			t.Errorf("%s: CPUs have a time of tasks", name)
		}
	}
}
