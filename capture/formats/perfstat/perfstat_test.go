package perfstat

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/formats"
)

func parse(text string) (*capture.Capture, error) {
	cfg, err := read(context.Background(), strings.NewReader(text))
	if err != nil {
		return nil, err
	}
	return capture.New(*cfg)
}

func mustParse(t *testing.T, text string) *capture.Capture {
	t.Helper()
	c, err := parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// open opens what perf 6.1 itself wrote.
func open(t *testing.T, name string) *capture.Capture {
	t.Helper()
	c, err := formats.NewRegistry(Format{}).Open(context.Background(), filepath.Join("testdata", name),
		formats.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func values(c *capture.Counter) string {
	if c == nil {
		return "no counter"
	}
	var out []string
	for i := range c.Len() {
		switch v := c.Value(i); {
		case v.Missing():
			out = append(out, "-")
		case v.IsInt():
			out = append(out, v.Big().String())
		default:
			out = append(out, fmt.Sprint(v.Float()))
		}
	}
	return strings.Join(out, " ")
}

func want(t *testing.T, c *capture.Capture, name, text string) {
	t.Helper()
	if got := values(c.Counter(name)); got != text {
		t.Errorf("%s = %s, want %s", name, got, text)
	}
}

func TestIntervalsOfPerfAreSamples(t *testing.T) {
	c := open(t, "interval.csv")
	if got := fmt.Sprint(c.Axis.Start,
		c.Axis.End); got != "[0 50093739 101185488 155778014] [50093739 101185488 155778014 161723889]" {
		t.Errorf("axis %s", got)
	}
	want(t, c, "task-clock", "1.623e+07 0 0 90000") // 16.23 msec, and the clock of a process that sleeps stands still
	want(t, c, "page-faults", "143 - - 0")
	want(t, c, "cycles", "- - - -")
	if u := c.Counter("task-clock").Unit; u != "ns" {
		t.Errorf("unit %q", u)
	}
	if why, _ := c.Counter("page-faults").Why(1); why.Code != capture.NotCollected ||
		!strings.Contains(why.Text, "<not counted>: what the event counts for did not run") {
		t.Errorf("not counted is explained by %+v", why)
	}
	// While the process slept there was nothing to count: nothing is scaled up to that time.
	if total := c.Counter("page-faults").Total(); total.Float() != 143 {
		t.Errorf("%v page faults in all", total.Float())
	}
	if why, _ := c.Counter("cycles").Why(0); why.Code != capture.Unsupported {
		t.Errorf("not supported is explained by %+v", why)
	}
	if p, ok := c.Property("started"); !ok || !strings.Contains(p.Text, "Nov") {
		t.Errorf("started %+v", p)
	}
}

func TestFieldsWithCountsAreNotToldToHaveNone(t *testing.T) {
	for name, text := range map[string]string{
		"-x,": "1000,,cycles,1000000,100.00,,\n2000,,instructions,1000000,100.00,,\n",
		"-j":  `{"counter-value" : "1000.000000", "unit" : "", "event" : "cycles", "event-runtime" : 1000000, "pcnt-running" : 100.00}` + "\n",
	} {
		cfg, err := read(t.Context(), strings.NewReader(text))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, w := range cfg.Warnings {
			if strings.Contains(w, "no counts") {
				t.Errorf("%s: %s", name, w)
			}
		}
	}
}

func TestCPUsOfPerfAreInstances(t *testing.T) {
	for name, sums := range map[string]string{"percpu.csv": "719 728 557", "percpu.json": "1065 655 185"} {
		c := open(t, name)
		want(t, c, "context-switches", sums)
		in := c.Counter("context-switches").Instance("1")
		if in == nil || in.Name != "context-switches[1]" {
			t.Fatalf("%s: CPU 1 is %+v", name, in)
		}
		if why, ok := c.Counter("cycles").Why(0); !ok || why.Code != capture.Unsupported {
			t.Errorf("%s: cycles are missing because of %+v", name, why)
		}
	}
	c := open(t, "percore.csv")
	want(t, c, "page-faults", "5729")
	if c.Counter("page-faults").Instance("S0-D0-C1") == nil || c.Axis.End[0] != 76985008 {
		t.Errorf("instances %+v, axis %+v", c.Counter("page-faults").Instances, c.Axis)
	}
}

func TestTheWholeRunIsOneSample(t *testing.T) {
	c := open(t, "total.csv")
	want(t, c, "task-clock", "1.08e+06")
	want(t, c, "duration_time", "102651170")
	if c.Len() != 1 || c.Axis.End[0] != 102651170 {
		t.Errorf("axis %+v", c.Axis)
	}
	c = open(t, "repeated.json")
	want(t, c, "page-faults", "75")
	want(t, c, "page-faults:noise", "0.67")
	want(t, c, "task-clock", "928489")
	c = mustParse(t, "5,,a,1000,100.00,,\n")
	if c.Axis.End[0] != 1000 || !strings.Contains(strings.Join(c.Warnings, "\n"), "duration_time") {
		t.Errorf("axis %+v, warnings %q", c.Axis, c.Warnings)
	}
}

func TestScaledCountsSaySo(t *testing.T) {
	c := mustParse(t,
		"1.000000000,100,,cycles,250,25.00,,\n1.000000000,7,,faults,1000,100.00,,\n2.000000000,90,,cycles,500,50.00,,\n2.000000000,<not counted>,,faults,0,0.00,,\n")
	want(t, c, "cycles", "100 90")
	want(t, c, "cycles:running", "25 50")
	if k := c.Counter("cycles:running"); k.Kind != capture.Gauge || k.Unit != "percent" {
		t.Errorf("%+v", k.Meta)
	}
	if w := c.Counter("cycles").Warnings; len(w) != 1 || !strings.Contains(w[0], "as little as 25 %") {
		t.Errorf("warnings %q", w)
	}
	if c.Counter("faults:running") != nil || len(c.Counter("faults").Warnings) > 0 {
		t.Error("an event that was not counted is taken for a scaled one")
	}
}

func TestOddLinesOfPerf(t *testing.T) {
	c := mustParse(t, strings.Join([]string{
		"# started on Sat",
		"18446744073709551615,,cpu/event=0x3c,umask=0x1/,1000,100.00,,",
		",,,,,1.5,insn per cycle",
		"3,,cpu/event=0x3c,umask=0x1/,1000,100.00,,",
		"2,Joules,energy,1000,100.00,,",
		"# started on Sun",
		"4,Joules,energy,1000,100.00,,",
		"",
	}, "\n"))
	want(t, c, "cpu/event=0x3c,umask=0x1/", "18446744073709551615 -")
	want(t, c, "cpu/event=0x3c,umask=0x1/#2", "3 -")
	want(t, c, "energy", "2 4")
	if c.Axis.Start[1] != 1000 || c.Counter("energy").Unit != "Joules" {
		t.Errorf("axis %+v", c.Axis)
	}
	if why, _ := c.Counter("cpu/event=0x3c,umask=0x1/").Why(1); why.Code != capture.NotCollected {
		t.Errorf("absent because of %+v", why)
	}
	want(t, mustParse(t, "1,500000000;0,94;msec;clock;5;100,00;;\n"), "clock", "0.94")
	want(t, mustParse(t, "1.000000000,CPU0,5,,a,/user,9,100.00,,\n"), "a", "5")
	want(t, mustParse(t, "1.000000000,5,,a,9,100.00,,\nsummary,5,,a,9,100.00,,\n"), "a", "5")
	want(t,
		mustParse(t,
			"{\"interval\":1.5,\"counter-value\":\"5\",\"event\":\"a\"}\n{\"interval\":1.5,\"metric-value\":\"1\",\"metric-unit\":\"x\"}\n{\"counter-value\":\"5\",\"event\":\"a\"}\n"),
		"a", "5")
}

func TestDamageNamesTheLine(t *testing.T) {
	for text, part := range map[string]string{
		"":                            "empty",
		"# started on Sat\n\n":        "no line of it holds a count",
		"5,,a,9,100.00\nhello\n":      "line 2",
		"5,,a,x,100.00\n":             "running time",
		"5,,a,9,many\n":               "percentage",
		"{\"counter-value\":\"5\"}\n": "no event",
		"{\"event\":\"a\"}\n":         "no counter-value",
		"{\"counter-value\":5}\n":     "no JSON",
		"2.000000000,5,,a,9,100.00\n1.000000000,5,,a,9,100.00\n":      "line 2: the interval ends at 1.000000000 s",
		"{\"interval\":1e99,\"counter-value\":\"5\",\"event\":\"a\"}": "no time",
		strings.Repeat("x", longestLine+1):                            "longer than",
	} {
		_, err := parse(text)
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%.40q: error %v, want one with %q", text, err, part)
		}
	}
	c := mustParse(t, "5,,a,9,100.00\n7,,b,9,10")
	want(t, c, "a", "5")
	c = mustParse(t, "5,,a,9,100.00\n7,")
	if !strings.Contains(strings.Join(c.Warnings, "\n"), "truncated: line 2") {
		t.Errorf("warnings %q", c.Warnings)
	}
}

func TestOnlyOutputOfPerfIsRecognised(t *testing.T) {
	files, err := filepath.Glob("testdata/*.*")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		in, err := formats.Inspect(f)
		if err != nil {
			t.Fatal(err)
		}
		if s := (Format{}).Sniff(in); s != 96 {
			t.Errorf("%s: certainty %d", f, s)
		}
	}
	for _, text := range []string{"time,a,b\n1,2,3\n", "{\"traceEvents\":[]}", "1,2,3,4,5\n", "a,b,c\nx,y,z\n"} {
		path := filepath.Join(t.TempDir(), "x")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		in, err := formats.Inspect(path)
		if err != nil {
			t.Fatal(err)
		}
		if s := (Format{}).Sniff(in); s != 0 {
			t.Errorf("%q: certainty %d", text, s)
		}
	}
}

func FuzzRead(f *testing.F) {
	files, err := filepath.Glob("testdata/*.*")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(data))
	}
	f.Add("1,500000000;0,94;msec;clock;5;100,00;;\n")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := parse(text)
		if err != nil {
			return
		}
		for i := range c.Len() {
			if c.Axis.End[i] < c.Axis.Start[i] || i > 0 && c.Axis.Start[i] < c.Axis.Start[i-1] {
				t.Fatalf("sample %d covers [%d, %d)", i, c.Axis.Start[i], c.Axis.End[i])
			}
		}
		for _, ctr := range c.Counters {
			for _, one := range append([]*capture.Counter{ctr}, ctr.Instances...) {
				if one.Col != nil && one.Col.Data().Len() != c.Len() {
					t.Fatalf("%s has %d values in %d samples", one.Name, one.Col.Data().Len(), c.Len())
				}
			}
		}
	})
}
