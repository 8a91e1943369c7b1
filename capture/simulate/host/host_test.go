package host

import (
	"math"
	"math/rand/v2"
	"testing"

	"astrolabe/capture"
)

// made is two processors for two seconds: one busy throughout, one for a quarter of the time.
func made(t *testing.T, pressure bool) *capture.Capture {
	t.Helper()
	cfg := capture.Config{Name: "x", GPU: "x", Axis: &capture.Axis{Clock: "CLOCK_MONOTONIC"}}
	l := &Load{User: make([][]float64, 2), System: make([][]float64, 2), Switches: 1000, InterruptsRate: 500}
	for i := range int64(400) {
		cfg.Axis.Start, cfg.Axis.End = append(cfg.Axis.Start, i*5e6), append(cfg.Axis.End, (i+1)*5e6)
		l.User[0], l.System[0] = append(l.User[0], 6e6), append(l.System[0], 1e6)
		l.User[1], l.System[1] = append(l.User[1], 1e6), append(l.System[1], 0.25e6)
	}
	r := rand.New(rand.NewPCG(1, 1))
	m := &Machine{Clusters: []int{0, 1}, Most: []float64{4e9, 3e9}, Least: 1e9, Reach: 1, Memory: 8 << 30,
		Interrupts: true, Pressure: pressure, Sensors: []Sensor{Zone(r, "soc", 50, 1)}}
	Add(&cfg, r, m, l, []string{"intr"})
	Recorder(&cfg, r, nil)
	c, err := capture.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func sum(c *capture.Counter) (s float64) {
	for _, v := range c.Floats() {
		s += v
	}
	return s
}

func TestTimesOfAProcessorAddUp(t *testing.T) {
	c := made(t, true)
	for k, busy := range []float64{1, 0.25} {
		all := 0.0
		for _, name := range []string{"cpu_user", "cpu_nice", "cpu_system", "cpu_idle", "cpu_iowait", "cpu_irq",
			"cpu_softirq", "cpu_steal"} {
			all += sum(c.Counter(name).Instances[k])
		}
		if math.Abs(all-2e9) > 60e6 {
			t.Errorf("the times of processor %d are %v ns of 2 s", k, all)
		}
		idle := sum(c.Counter("cpu_idle").Instances[k]) + sum(c.Counter("cpu_iowait").Instances[k])
		if math.Abs(idle-2e9*(1-busy)) > 60e6 {
			t.Errorf("processor %d, busy %v of the time, is idle for %v ns", k, busy, idle)
		}
	}
}

func TestTasksThatShareAProcessorWait(t *testing.T) {
	c := made(t, true)
	if got := sum(c.Counter("pressure_cpu_some")); got < 0.7e9 || got > 1e9 { // 2 of 7 ms
		t.Errorf("tasks waited for %v ns", got)
	}
	if c.Counter("intr") != nil || c.Counter("recorder_lost") == nil {
		t.Error("not the counters that were asked for")
	}
	if made(t, false).Counter("pressure_cpu_some") != nil {
		t.Error("pressure is there where it may not be read")
	}
}
