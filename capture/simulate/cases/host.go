package cases

import (
	"math"
	"slices"
	"strconv"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
)

// hostCPUs is how many processors the machine of a case has.
const hostCPUs = 4

// tick is the step of the times in /proc/stat, in ns.
const tick = 10_000_000

// hostTimes are the kinds of time in /proc/stat. Guests are part of user time, and there are none.
var hostTimes = [...]string{"cpu_user", "cpu_nice", "cpu_system", "cpu_idle", "cpu_iowait", "cpu_irq", "cpu_softirq",
	"cpu_steal", "cpu_guest"}

// HostCounters are what /proc/stat gives beside a GPU's counters: the application's thread runs on one processor, the
// driver's on another, and a little of the system everywhere.
func HostCounters(run *simulate.Run, axis *capture.Axis, rows []int, rec *Recording) []*capture.Counter {
	r := simulate.NewRandom(rec.Seed, "host")
	threads := 1
	if run.Load.Threads > 1 {
		threads = 2
	}
	var noise, total, shown [hostCPUs][len(hostTimes)]float64
	for cpu := range hostCPUs {
		noise[cpu][0] = r.Between(0.002, 0.05)
		noise[cpu][2], noise[cpu][4] = 0.5*noise[cpu][0], r.Between(0, 0.002)
		noise[cpu][5], noise[cpu][6] = r.Between(0, 0.004), r.Between(0, 0.006)
	}
	system := r.Between(0.05, 0.35) // share of the driver's time within the kernel
	cols := simulate.NewColumns(axis)
	for _, name := range hostTimes {
		for cpu := range hostCPUs {
			cols.Counter(capture.Meta{Name: name + "." + strconv.Itoa(cpu)})
		}
	}
	for k, i := range rows {
		ns := float64(axis.End[k] - axis.Start[k])
		w := run.Rec.Row(i)
		for cpu := range hostCPUs {
			var now [len(hostTimes)]float64
			rest := ns
			take := func(kind int, t float64) {
				t = min(t, rest)
				now[kind] += t
				rest -= t
			}
			if cpu < threads {
				ran, kernel := w.Thread(cpu), 0.03
				if cpu == threads-1 {
					kernel = system
				}
				take(0, ran*(1-kernel))
				take(2, ran*kernel)
			}
			by := r.Between(0.3, 1.7)
			for kind, share := range noise[cpu] {
				take(kind, share*ns*by)
			}
			take(3, rest)
			for kind, t := range now {
				// The kernel gives whole ticks.
				total[cpu][kind] += t
				whole := math.Floor(total[cpu][kind]/tick) * tick
				cols.Add(kind*hostCPUs+cpu, whole-shown[cpu][kind])
				shown[cpu][kind] = whole
			}
		}
	}
	flat := cols.Counters(nil)
	var out []*capture.Counter
	for kind, name := range hostTimes {
		if slices.Contains(rec.Options.Without, name) {
			continue
		}
		whole := &capture.Counter{Meta: capture.Meta{Name: name, Unit: "ns", Block: "cpu", Kind: capture.Delta,
			GPU: "cpu", Source: "procfs"}, Axis: axis}
		for cpu := range hostCPUs {
			one := flat[kind*hostCPUs+cpu]
			one.Meta = whole.Meta
			one.Meta.Instance = strconv.Itoa(cpu)
			whole.Instances = append(whole.Instances, one)
		}
		out = append(out, whole)
	}
	return out
}

// HostProperties are the constants that come with them.
func HostProperties(*Recording) []capture.Property {
	return []capture.Property{{Name: "cpus_online", Number: hostCPUs}}
}
