package guests

import (
	"math"
	"slices"
	"strings"
	"testing"

	"astrolabe/capture"
)

// A guest of two processors, one of which has nothing to do, and then is not there. Its time leaps where nothing runs.
func TestGuestRecordsIdleAndAbsentProcessorsOfAMD64(t *testing.T) {
	// Linux 6.1 does not bring up a second processor where time leaps.
	m := Boot(t, Options{Kernel: "amd64-6.12", Machine: append([]string{"-smp", "2"}, counted...)})
	table := Compare(t, m.Name())
	sum := func(c *capture.Capture, name, cpu string) float64 { return c.Counter(name).Instance(cpu).Sum().Float() }

	out := m.Must("sh", "-c", "astrolabe record --source perfevent --period 1ms --duration 20s -o /tmp/idle.arrow 2>&1")
	c := open(t, m, "/tmp/idle.arrow")
	last := float64(c.Axis.End[c.Len()-1])
	table.Equal("idle at 1 kHz: said to be throttled", strings.Contains(out, "throttled"), false)
	// A throttled processor would lack most of them. On a busy host the guest's time leaps over some.
	table.Between("idle at 1 kHz: samples", float64(c.Len()), 17_000, 20_100)
	for _, cpu := range []string{"0", "1"} {
		for _, clock := range []string{"cpu_clock", "task_clock"} {
			table.Within("idle at 1 kHz: "+clock+" of processor "+cpu+", ns", sum(c, clock, cpu), last, 1e-4)
		}
	}

	const online = "/sys/devices/system/cpu/cpu1/online"
	out = m.Must("sh", "-c", "astrolabe record --source perfevent --period 1ms --duration 6s -o /tmp/gone.arrow 2>&1 & sleep 2; echo 0 > "+
		online+"; sleep 2; echo 1 > "+online+"; wait $!")
	table.Equal("unplugged: said", strings.Contains(out, "CPU 1 went offline, which ended its counters"), true)
	c = open(t, m, "/tmp/gone.arrow")
	last = float64(c.Axis.End[c.Len()-1])
	for _, clock := range []string{"cpu_clock", "task_clock"} {
		table.Within("unplugged: "+clock+" of the other processor, ns", sum(c, clock, "0"), last, 1e-4)
		in := c.Counter(clock).Instance("1")
		values := in.Floats()
		first := slices.IndexFunc(values, math.IsNaN)
		back := first + slices.IndexFunc(values[max(first, 0):], func(v float64) bool { return !math.IsNaN(v) })
		if first < 0 || back < first {
			t.Fatalf("%s: %d of %d values are missing, from %d to %d", clock, c.Len()-in.Count(), c.Len(), first, back)
		}
		before, after := 0.0, 0.0
		for i, v := range values {
			if i < first {
				before += v
			} else if i >= back {
				after += v
			}
		}
		away := float64(c.Axis.Start[back] - c.Axis.Start[first])
		table.Between("unplugged: "+clock+" of the processor until then, ns", before, 1.5e9, 2.5e9)
		table.Within("unplugged: the time of its values, ns", float64(c.Axis.Start[first]), before, 0.01)
		table.Between("unplugged: time without values, ns", away, 1.5e9, 3.2e9)
		table.Within("plugged in again: "+clock+" of the processor from then on, ns", after, last-float64(c.Axis.Start[back]), 0.01)
		for _, at := range []int{first, back - 1} {
			why, _ := in.Why(at)
			table.Equal("unplugged: why "+clock+" is missing", why, capture.Reason{Code: capture.PowerGated,
				Text: "CPU 1 was offline"})
		}
	}
}
