package intel

import (
	"math"
	"strconv"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
)

// hostDraw is the processor's side of a machine and what else runs on it.
type hostDraw struct {
	cpus       int
	user       [2]float64 // share of the threads' time that is outside the kernel: application, driver
	stay       float64    // ns that a thread stays on one CPU
	other      float64    // load of other programs on each CPU, at most
	niced      int        // the CPU on which a niced program runs, -1 for none
	disk       float64    // share of time with a disk request
	switches   float64    // per s, of others
	perFrame   float64    // switches and
	interrupts float64    // interrupts of a pass of the GPU
	devices    float64    // interrupts per s of other devices
	hz         float64    // of the kernel's timer
	psi        bool
	sensors    bool
	base, hot  float64   // °C: at rest, and where firmware takes clocks down
	slow, fast float64   // Hz of a CPU
	workers    []float64 // share of the application's time in which its other threads work along
	shift      float64   // between reports and readings of /proc/stat, by the period
}

func newHostDraw(m *machine, p *program, r simulate.Random) hostDraw {
	h := hostDraw{cpus: m.cpus, user: [2]float64{r.Between(0.85, 0.99), r.Between(0.4, 0.85)}, stay: r.Log(20e6, 900e6),
		other: r.Log(0.01, 0.4), niced: -1, switches: r.Log(200, 9000), perFrame: r.Between(2, 14), interrupts: r.Between(0.5, 2.5),
		devices: r.Log(80, 4000), hz: simulate.Pick(r, 100.0, 250, 250, 300, 1000), psi: r.Chance(0.8), sensors: r.Chance(0.6),
		base: r.Between(42, 74), hot: r.Between(78, 100), slow: r.Between(0.8e9, 2.4e9), fast: r.Between(2.8e9, 5e9), shift: r.Float64()}
	for range simulate.Pick(r, 0, 0, 1, 2, 3) {
		h.workers = append(h.workers, r.Between(0.1, 0.9))
	}
	if r.Chance(0.1) {
		h.niced = r.IntN(h.cpus)
	}
	if r.Chance(0.25) {
		h.disk = r.Log(0.01, 0.3)
	}
	return h
}

// Columns of a CPU's line of /proc/stat.
const (
	hUser = iota
	hNice
	hSystem
	hIdle
	hWait
	hIRQ
	hSoft
	hSteal
	hGuest
	hColumns
)

var hostColumns = [hColumns]string{"cpu_user", "cpu_nice", "cpu_system", "cpu_idle", "cpu_iowait", "cpu_irq", "cpu_softirq",
	"cpu_steal", "cpu_guest"}

// unit of /proc/stat, ns.
const userHZ = 10e6

// count makes the columns of /proc/stat and of what the recorder reads beside it.
func (h *hostDraw) count(cols *simulate.Columns, m *machine, p *program, rec *recorder, rows []int, r simulate.Random) (times []*capture.Counter) {
	meta := func(name, unit string, kind capture.Kind) capture.Meta {
		return capture.Meta{Name: name, Unit: unit, Kind: kind, GPU: "cpu", Source: "procfs"}
	}
	n := len(rows)
	first, last := rows[0], rows[n-1]+2
	total := last - first
	// What each CPU did between two readings.
	spent := make([][][hColumns]float64, h.cpus)
	for c := range spent {
		spent[c] = make([][hColumns]float64, total)
	}
	ends := func(i int) (from, to int64) { return rec.bounds.At(first + i), rec.bounds.At(first + i + 1) }
	put := func(cpu, column int, from, to int64) {
		i := max(0, rec.bounds.Index(max(from, rec.bounds.At(first)))-first)
		for ; i < total; i++ {
			a, b := ends(i)
			if a >= to {
				return
			}
			if x := min(b, to) - max(a, from); x > 0 {
				spent[cpu][i][column] += float64(x)
			}
		}
	}
	start, end := rec.bounds.At(first), rec.bounds.At(last)
	// The program's threads, which the scheduler moves now and then.
	for t := range rec.threads {
		cpu, until := r.IntN(h.cpus), start+int64(h.stay*r.ExpFloat64())
		for _, v := range rec.threads[t] {
			for from := v.start; from < v.end; {
				for from >= until {
					cpu, until = r.IntN(h.cpus), until+int64(h.stay*r.ExpFloat64())+1e6
				}
				to := min(v.end, until)
				cut := from + int64(float64(to-from)*min(1, h.user[t]*r.Between(0.95, 1.05)))
				put(cpu, hUser, from, cut)
				put(cpu, hSystem, cut, to)
				from = to
			}
		}
	}
	for _, share := range h.workers {
		for _, v := range rec.threads[0] {
			if v.end > start && v.start < end {
				from := v.start + int64(float64(v.end-v.start)*(1-share)*r.Float64())
				put(r.IntN(h.cpus), hUser, from, from+int64(float64(v.end-v.start)*share))
			}
		}
	}
	// Other programs come and go.
	for c := range h.cpus {
		load := h.other * r.Float64()
		for t := start; t < end; {
			idle := int64(r.ExpFloat64() * 12e6 * (1 - load) / max(load, 0.005))
			run := int64(r.ExpFloat64() * 12e6)
			t += idle
			put(c, simulate.Pick(r, hUser, hUser, hUser, hSystem), t, t+run)
			t += run
		}
		if c == h.niced {
			put(c, hNice, start, end)
		}
	}
	waitCPU := r.IntN(h.cpus)
	waited := make([]float64, total)
	if h.disk > 0 {
		for t := start; t < end; {
			t += int64(r.ExpFloat64() * 20e6 * (1 - h.disk) / h.disk)
			run := int64(r.ExpFloat64() * 20e6)
			put(waitCPU, hWait, t, t+run)
			t += run
		}
		for i := range waited {
			waited[i] = 0.99 * spent[waitCPU][i][hWait]
		}
	}
	interrupts, switches := make([]float64, total), make([]float64, total)
	running := make([]int, total)
	for i := range total {
		a, b := ends(i)
		ns := float64(b - a)
		busyCPUs, jobs := 0.0, 0.0
		for t := range rec.threads {
			k := search(rec.threads[t], a)
			for ; k < len(rec.threads[t]) && rec.threads[t][k].start < b; k++ {
				if rec.threads[t][k].start >= a {
					jobs++
				}
				if rec.threads[t][k].start < b && rec.threads[t][k].end >= b {
					running[i]++
				}
			}
		}
		irq := ns / 1e9 * h.devices * r.Spread(0.3)
		for c := range spent {
			x := &spent[c][i]
			x[hIRQ] = ns * 0.002 * r.Float64()
			x[hSoft] = ns * 0.004 * r.Float64() * h.devices / 2000
			left := ns - x[hIRQ] - x[hSoft]
			if other := x[hUser] + x[hSystem]; other+x[hNice] > left { // what is niced gives way
				x[hNice] = max(0, min(x[hNice], left-other))
			}
			busy := x[hUser] + x[hSystem] + x[hNice]
			if busy > left {
				for _, k := range []int{hUser, hSystem, hNice} {
					x[k] *= left / busy
				}
				busy = left
			}
			x[hWait] = min(x[hWait], left-busy)
			x[hIdle] = left - busy - x[hWait]
			busyCPUs += busy / ns
		}
		if c := h.niced; c >= 0 {
			running[i]++
		}
		interrupts[i] = irq + ns/1e9*h.hz*busyCPUs + jobs*h.interrupts*4
		switches[i] = ns/1e9*h.switches*r.Spread(0.4) + jobs*h.perFrame
		running[i] += 1 + r.IntN(2)
	}
	times = h.columns(cols, meta, rec.bounds, rows, first, spent, r)
	one := func(name, unit string, of []float64) {
		at := cols.Counter(meta(name, unit, capture.Delta))
		of = h.spread(rec.bounds, first, of)
		for _, row := range rows {
			cols.Add(at, of[row-first])
		}
	}
	one("intr", "interrupts", interrupts)
	one("ctxt", "switches", switches)
	started := make([]float64, total)
	for i := range started {
		if r.Chance(0.01) {
			started[i] = float64(1 + r.IntN(3))
		}
	}
	one("processes", "tasks", started)
	run, blocked := cols.Gauge(meta("procs_running", "tasks", capture.Gauge)), cols.Gauge(meta("procs_blocked", "tasks", capture.Gauge))
	for _, row := range rows {
		cols.Set(run, float64(running[row-first]))
		x := 0.0
		if waited[row-first] > 0 {
			x = 1
		}
		cols.Set(blocked, x)
	}
	if h.psi {
		pressed := make([]float64, total)
		for i := range pressed {
			a, b := ends(i)
			pressed[i] = float64(b-a) * 0.02 * r.Float64() * float64(running[i]) / float64(h.cpus)
		}
		none := make([]float64, total)
		one("pressure_cpu_some", "ns", pressed)
		one("pressure_memory_some", "ns", none)
		one("pressure_memory_full", "ns", none)
		one("pressure_io_some", "ns", waited)
		part := make([]float64, total)
		for i := range part {
			part[i] = waited[i] * 0.7
		}
		one("pressure_io_full", "ns", part)
	}
	if h.sensors {
		at := cols.Gauge(meta("temperature", "°C", capture.Gauge))
		level := h.base
		for i, row := range rows {
			s := rec.row(row)
			ns := float64(rec.bounds.At(row+1) - rec.bounds.At(row))
			to := h.base + 22*s[tBusy]/(ns*m.mhz/1000)
			if p.clock.limit.cause == limitHeat {
				to = h.hot
			}
			if i == 0 {
				level = to
			}
			level += (to - level) * min(1, ns/2e8)
			cols.Set(at, math.Round(level))
		}
		times = append(times, h.frequencies(cols, meta, rec, rows, first, spent, r))
	}
	return times
}

// spread gives each sample its part of what readings told that were taken a little later than it.
func (h *hostDraw) spread(b *simulate.Bounds, first int, of []float64) []float64 {
	ns := func(i int) float64 { return float64(b.At(first+i+1) - b.At(first+i)) }
	least := ns(0)
	for i := range of {
		least = min(least, ns(i))
	}
	out := make([]float64, len(of))
	for i := range of {
		part := of[i] * h.shift * least / ns(i)
		out[i] += of[i] - part
		if i > 0 {
			out[i-1] += part
		}
	}
	return out
}

// frequencies are what the driver of the processors' clocks tells some times a second.
func (h *hostDraw) frequencies(cols *simulate.Columns, meta func(string, string, capture.Kind) capture.Meta, rec *recorder, rows []int,
	first int, spent [][][hColumns]float64, r simulate.Random) *capture.Counter {
	whole := &capture.Counter{Meta: meta("cpu_frequency", "Hz", capture.Gauge), Axis: cols.Axis}
	whole.Combine, whole.Block = capture.CombineMean, "cpu"
	step := int64(r.Between(1e8, 4e8))
	for c := range h.cpus {
		var values []float64
		at, next, busy, all := h.slow, int64(0), 0.0, 0.0
		for _, row := range rows {
			ns := float64(rec.bounds.At(row+1) - rec.bounds.At(row))
			x := spent[c][row-first]
			busy, all = busy+x[hUser]+x[hSystem]+x[hNice], all+ns
			if t := rec.bounds.At(row); t >= next {
				load := min(1, 1.3*busy/all)
				at = math.Round((h.slow+(h.fast-h.slow)*load*r.Between(0.85, 1))/1e6) * 1e6
				next, busy, all = t+step, 0, 0
			}
			values = append(values, at)
		}
		one := whole.Meta
		one.Instance = strconv.Itoa(c)
		whole.Instances = append(whole.Instances, &capture.Counter{Meta: one, Axis: cols.Axis,
			Col: capture.NewColumn(capture.Data{F: values})})
	}
	return whole
}

// columns writes the processors' times, which the kernel tells in whole units: each CPU and column has its own phase.
func (h *hostDraw) columns(cols *simulate.Columns, meta func(string, string, capture.Kind) capture.Meta, b *simulate.Bounds,
	rows []int, first int, spent [][][hColumns]float64, r simulate.Random) (out []*capture.Counter) {
	for k, name := range hostColumns {
		whole := &capture.Counter{Meta: meta(name, "ns", capture.Delta), Axis: cols.Axis}
		whole.Block = "cpu"
		for c := range h.cpus {
			carry := userHZ * r.Float64()
			read := make([]float64, len(spent[c]))
			for i := range read {
				carry += spent[c][i][k]
				read[i] = math.Floor(carry/userHZ) * userHZ
				carry -= read[i]
			}
			rest := 0.0
			var values []uint64
			read = h.spread(b, first, read)
			for _, row := range rows {
				x := read[row-first] + rest
				v := math.Floor(x + 1e-6)
				rest = x - v
				values = append(values, uint64(max(0, v)))
			}
			one := whole.Meta
			one.Instance = strconv.Itoa(c)
			whole.Instances = append(whole.Instances, &capture.Counter{Meta: one, Axis: cols.Axis,
				Col: capture.NewColumn(capture.Data{U: values})})
		}
		out = append(out, whole)
	}
	return out
}

// search is the first interval that ends after a time.
func search(list []interval, t int64) int {
	lo, hi := 0, len(list)
	for lo < hi {
		if mid := (lo + hi) / 2; list[mid].end > t {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return lo
}
