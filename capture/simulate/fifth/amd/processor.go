package amd

import (
	"strconv"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
)

// Columns of a line of /proc/stat.
const (
	cpuUser = iota
	cpuNice
	cpuSystem
	cpuIdle
	cpuIOWait
	cpuIRQ
	cpuSoftIRQ
	cpuSteal
	cpuGuest
	cpuColumns
)

var cpuNames = [cpuColumns][2]string{{"cpu_user", "CPU time in user space"}, {"cpu_nice", "CPU time in user space, niced"},
	{"cpu_system", "CPU time in the kernel"}, {"cpu_idle", "CPU idle time"}, {"cpu_iowait", "CPU time idle with I/O"},
	{"cpu_irq", "CPU time in interrupts"}, {"cpu_softirq", "CPU time in soft interrupts"}, {"cpu_steal", "CPU time stolen"},
	{"cpu_guest", "CPU time of guests"}}

// tickNs is what the kernel's numbers in /proc/stat are counted in, whatever its own timer does.
const tickNs = 1e7

// addHost adds what procfs tells of all CPUs in each sample: processor time in steps of 10 ms that come at another moment
// on every CPU and for every column, and the machine's counts.
func (p *program) addHost(t *table, rec *recorder, d recording, origin int64, r simulate.Random) {
	h, n := &p.host, t.axis.Len()
	var sum, phase [][cpuColumns]float64
	last := make([][cpuColumns]uint64, h.cpus)
	burst := make([]float64, h.cpus) // load of the other threads on each CPU, at the moment
	weight := make([]float64, h.cpus)
	for range h.cpus {
		var ph [cpuColumns]float64
		for k := range ph {
			ph[k] = r.Float64() * tickNs
		}
		phase, sum = append(phase, ph), append(sum, [cpuColumns]float64{})
	}
	for c := range weight {
		weight[c] = r.Spread(0.8)
		for k := range last[c] {
			last[c][k] = uint64(phase[c][k] / tickNs)
		}
	}
	columns := make([][cpuColumns][]uint64, h.cpus)
	for c := range columns {
		for k := range columns[c] {
			columns[c][k] = make([]uint64, n)
		}
	}
	singles := map[string][]uint64{}
	for _, name := range []string{"intr", "ctxt", "processes", "procs_running", "procs_blocked"} {
		singles[name] = make([]uint64, n)
	}
	var stall [3][]uint64
	for i := range stall {
		stall[i] = make([]uint64, n)
	}
	carry := map[string]float64{}
	count := func(name string, i int, x float64) {
		x += carry[name]
		whole := float64(uint64(max(0, x)))
		singles[name][i], carry[name] = uint64(whole), x-whole
	}
	kernel := []float64{h.appKernel, h.kernel}
	if p.threads < 2 { // one thread is both
		kernel[0] = min(0.5, h.appKernel+0.15*h.kernel)
	}
	threads := [][]stretch{rec.threads[0], rec.threads[1]}
	for _, share := range h.workers {
		var own []stretch
		for _, s := range rec.threads[0] {
			own = append(own, stretch{s.start, s.start + int64(float64(s.end-s.start)*share), 0})
		}
		threads = append(threads, own)
	}
	on, next := make([]int, len(threads)), make([]int, len(threads))
	for th, cpu := range r.Perm(h.cpus)[:min(h.cpus, len(threads))] {
		on[th] = cpu
	}
	pressure := [3]float64{}
	for i := range n {
		start, end := origin+t.axis.Start[i], origin+t.axis.End[i]
		dt := float64(end - start)
		free := make([]float64, h.cpus)
		for c := range free {
			free[c] = dt
		}
		running, began := 0, 0
		for th := range threads {
			for next[th] < len(threads[th]) {
				s := &threads[th][next[th]]
				if s.start >= end {
					break
				}
				if from, to := max(start, s.start), min(end, s.end); to > from {
					c := on[th]
					ns := min(float64(to-from), free[c])
					free[c] -= ns
					sum[c][cpuUser] += ns * (1 - kernel[min(th, 1)])
					sum[c][cpuSystem] += ns * kernel[min(th, 1)]
					if to == end {
						running++
					}
				}
				if th == 0 && s.start >= start {
					began++
				}
				if s.end > end {
					break
				}
				next[th]++
				if r.Chance(h.migrate) {
					on[th] = r.IntN(h.cpus)
				}
			}
		}
		contended, waited := 0.0, 0.0 // of the CPU with the most: others wait at the same time
		for c := range free {
			// Other programs come and go for some 20 ms at a time.
			if x := dt / 2e7; r.Chance(x / (1 + x)) {
				burst[c] = min(1, h.background*weight[c]*r.ExpFloat64())
				if r.Chance(0.3) {
					burst[c] *= 3
				}
			}
			other := min(free[c], dt*min(1, burst[c]))
			if free[c] < dt*0.5 {
				contended = max(contended, other)
			}
			k := cpuUser
			if h.niced && c%2 == 1 {
				k = cpuNice
			}
			sum[c][k] += 0.75 * other
			sum[c][cpuSystem] += 0.25 * other
			free[c] -= other
			irq := min(free[c], dt*(0.0003+0.00004*h.irqs/1000))
			sum[c][cpuIRQ] += 0.4 * irq
			sum[c][cpuSoftIRQ] += 0.6 * irq
			free[c] -= irq
			waits := 0.0
			if h.iowait > 0 && c < 3 {
				waits = free[c] * min(1, h.iowait*r.ExpFloat64()*2)
			}
			sum[c][cpuIOWait] += waits
			sum[c][cpuIdle] += free[c] - waits
			waited = max(waited, waits)
			for k := range columns[c] {
				v := uint64((sum[c][k] + phase[c][k]) / tickNs)
				columns[c][k][i] = (v - last[c][k]) * tickNs
				last[c][k] = v
			}
			if r.Chance(burst[c]) {
				running++
			}
		}
		pressure[0] += contended
		pressure[1] += waited
		for k := range pressure {
			us := float64(uint64(pressure[k] / 1000))
			stall[k][i] = uint64(us) * 1000
			pressure[k] -= us * 1000
		}
		ms := dt / 1e6
		count("intr", i, (h.irqs*dt*1e-9+float64(began)*h.irqsFrame+0.25*float64(running)*ms)*r.Spread(0.15))
		count("ctxt", i, (h.switches*dt*1e-9+float64(began)*h.perFrame)*r.Spread(0.2))
		count("processes", i, dt*1e-9*r.ExpFloat64()*4)
		singles["procs_running"][i] = uint64(running + 1) // the recorder itself
		if h.iowait > 0 && r.Chance(min(0.9, h.iowait*2)) {
			singles["procs_blocked"][i] = 1
		}
	}
	meta := func(name, title, unit, block string) capture.Meta {
		return capture.Meta{Name: name, Title: title, Unit: unit, Block: block, GPU: "cpu", Source: "procfs"}
	}
	for k, names := range cpuNames {
		for c := range columns {
			m := meta(names[0], names[1], "ns", "cpu")
			m.Instance = strconv.Itoa(c)
			t.instance(m, capture.Data{U: columns[c][k]})
		}
	}
	for _, s := range [][3]string{{"intr", "Interrupts", "interrupts"}, {"ctxt", "Context switches", "switches"},
		{"processes", "Tasks started", "tasks"}, {"procs_running", "Runnable tasks", "tasks"}, {"procs_blocked", "Blocked tasks", "tasks"}} {
		m := meta(s[0], s[1], s[2], "scheduler")
		if s[0] == "procs_running" || s[0] == "procs_blocked" {
			m.Kind = capture.Gauge
		}
		t.whole(m, singles[s[0]])
	}
	if d.pressure {
		t.whole(meta("pressure_cpu_some", "CPU pressure", "ns", "pressure"), stall[0])
		t.whole(meta("pressure_memory_some", "Memory pressure, some", "ns", "pressure"), stall[2])
		t.whole(meta("pressure_memory_full", "Memory pressure, full", "ns", "pressure"), make([]uint64, n))
		t.whole(meta("pressure_io_some", "I/O pressure, some", "ns", "pressure"), stall[1])
		t.whole(meta("pressure_io_full", "I/O pressure, full", "ns", "pressure"), make([]uint64, n))
	}
	if d.frequency {
		high := r.Between(2.8e9, 5.2e9)
		for c := range h.cpus {
			m := meta("cpu_frequency", "CPU frequency", "Hz", "cpu")
			m.Instance, m.Kind, m.Combine = strconv.Itoa(c), capture.Gauge, capture.CombineMean
			v := make([]float64, n)
			now := high * 0.6
			for i := range v {
				if r.Chance(float64(t.axis.End[i]-t.axis.Start[i]) / 1e8) {
					now = high * r.Between(0.4, 0.75)
					if c == on[0] || c == on[1] {
						now = high * r.Between(0.85, 1)
					}
				}
				v[i] = 1e3 * float64(uint64(now/1e3))
			}
			t.instance(m, capture.Data{F: v})
		}
	}
}
