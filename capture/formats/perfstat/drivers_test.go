package perfstat

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/formats"
)

func opened(t *testing.T, text, gpu string) *capture.Capture {
	t.Helper()
	path := filepath.Join(t.TempDir(), "stat.txt")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := formats.NewRegistry(Format{}).Open(context.Background(), path, formats.Options{GPU: gpu})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

const drivers = `     0.250000000,164540070,ns,i915/rcs0-busy/,250000000,100.00,,
     0.250000000,1645400,ns,i915/vcs0-busy/,250000000,100.00,,
     0.250000000,200000000,ns,i915/vcs1-busy/,250000000,100.00,,
     0.250000000,68367943,ns,i915/rc6-residency/,250000000,100.00,,
     0.250000000,507,M,i915/actual-frequency/,250000000,100.00,,
     0.250000000,45,,i915/interrupts/,250000000,100.00,,
`

func TestEventsOfAGPUsDriverAreOfAGPU(t *testing.T) {
	for _, gpu := range []string{"", "intel-icl"} {
		c := opened(t, drivers, gpu)
		if c.GPU != "intel-live" {
			t.Errorf("with gpu %q it is of %s", gpu, c.GPU)
		}
		for name, want := range map[string]string{"engine_render": "1.6454007e+08", "engine_video": "2e+08", "engine_busiest": "2e+08", "rc6_time": "6.8367943e+07",
			"frequency": "2.028e+09", "interrupts": "45", "i915/rcs0-busy/": "164540070"} {
			if got := values(c.Counter(name)); got != want {
				t.Errorf("%s is %s, want %s", name, got, want)
			}
		}
	}
	c := opened(t, "     1.000000000,250,,xe_0000_03_00.0/engine-active-ticks,gt=0,engine_class=0,engine_instance=0/,1000000000,100.00,,\n", "")
	if c.Counter("engine_render") != nil {
		t.Error("ticks without those of all the time are no share of it")
	}
	c = opened(t, drivers+"     0.250000000,1000,,cycles,250000000,100.00,,\n", "")
	if c.GPU != "cpu" || c.Counter("engine_render") == nil {
		t.Errorf("with cycles of processors beside them they are of %s", c.GPU)
	}
}

func TestTicksOfXeAreSharesOfTheTime(t *testing.T) {
	event := func(name string) string { return "xe_0000_03_00.0/" + name + ",engine_class=0,engine_instance=0,gt=0/" }
	c := opened(t, `{"interval" : 1.000000000, "counter-value" : "250.000000", "unit" : "", "event" : "`+event("engine-active-ticks")+`", "event-runtime" : 1000000000, "pcnt-running" : 100.00}
{"interval" : 1.000000000, "counter-value" : "1000.000000", "unit" : "", "event" : "`+event("engine-total-ticks")+`", "event-runtime" : 1000000000, "pcnt-running" : 100.00}
`, "")
	if got := values(c.Counter("engine_render")); got != "2.5e+08" || c.GPU != "intel-live" {
		t.Errorf("a quarter of a second is %s, of %s", got, c.GPU)
	}
}
