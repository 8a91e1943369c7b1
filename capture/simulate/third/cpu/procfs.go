package cpu

import (
	"math"
	"slices"
	"strconv"

	"astrolabe/capture"
)

// every is the time between two readings of the kernel's text files beside a source that is read more often.
const every = 200e6

// tick is the grain of the processors' times.
const tick = 10e6

// window is the time between two readings.
type window struct {
	first, last    int // samples, last excluded
	from, to       float64
	user, kernel   []float64 // ns by CPU
	soft, disk     []float64
	steal          []float64
	crowded        float64 // ns in which a thread waited for a CPU
	storage        float64 // ns in which a thread waited for storage
	stalled        float64 // ns in which all that were not done did
	switches       float64
	requests       float64
	running, block int // threads at the end
	clock, watts   float64
}

// procfs appends what the kernel tells of the whole machine.
func (w *recorder) procfs() {
	ws := w.windows()
	for _, col := range []struct {
		name, title string
		of          func(v *window) []float64
	}{
		{"cpu_user", "CPU time in user space", func(v *window) []float64 { return v.user }},
		{"cpu_nice", "CPU time in user space, niced", nil},
		{"cpu_system", "CPU time in the kernel", func(v *window) []float64 { return v.kernel }},
		{"cpu_idle", "CPU idle time", func(v *window) []float64 {
			idle := make([]float64, w.m.cpus)
			for c := range idle {
				idle[c] = max(0, v.to-v.from-v.user[c]-v.kernel[c]-v.soft[c]-v.disk[c]-v.steal[c])
			}
			return idle
		}},
		{"cpu_iowait", "CPU time idle with I/O", func(v *window) []float64 { return v.disk }},
		{"cpu_irq", "CPU time in interrupts", nil},
		{"cpu_softirq", "CPU time in soft interrupts", func(v *window) []float64 { return v.soft }},
		{"cpu_steal", "CPU time stolen", func(v *window) []float64 { return v.steal }},
		{"cpu_guest", "CPU time of guests", nil},
	} {
		for c := range w.m.cpus {
			w.counted(capture.Meta{Name: col.name, Title: col.title, Unit: "ns", Block: "cpu", Instance: strconv.Itoa(c)},
				tick, ws, func(v *window) float64 {
					if col.of == nil {
						return 0
					}
					return col.of(v)[c]
				})
		}
	}
	w.scheduler(ws)
	w.pressure(ws)
	w.sensors(ws)
}

// windows puts together what happens between two readings.
func (w *recorder) windows() []*window {
	var ws []*window
	axis := w.cfg.Axis
	for i := 0; i < axis.Len(); {
		v := &window{first: i, from: float64(axis.Start[i])}
		for ; i < axis.Len() && (i == v.first || float64(axis.End[i])-v.from <= every*1.02); i++ {
			v.to = float64(axis.End[i])
		}
		v.last = i
		for _, of := range []*[]float64{&v.user, &v.kernel, &v.soft, &v.disk, &v.steal} {
			*of = make([]float64, w.m.cpus)
		}
		ws = append(ws, v)
	}
	find := func(from, to float64, f func(v *window, a, b float64)) {
		for _, v := range ws {
			if a, b := max(from, v.from), min(to, v.to); a < b {
				f(v, a, b)
			}
		}
	}
	for i := range w.spans {
		sp := &w.spans[i]
		find(sp.from, sp.to, func(v *window, a, b float64) {
			if sp.state.share < 1 {
				v.crowded += b - a
			}
			if sp.stored > 0 {
				v.storage += b - a
				if !slices.ContainsFunc(sp.running, func(n int) bool { return n > 0 }) {
					v.stalled += (b - a) * max(0, 1-w.m.others)
				}
			}
			v.clock, v.watts = sp.state.clock, v.watts+sp.state.watts*(b-a)/(v.to-v.from)
		})
	}
	for _, x := range w.waits {
		length := max(1, x.to-x.from)
		find(x.from, x.from+length, func(v *window, a, b float64) {
			n := float64(x.times) * (b - a) / length
			v.switches += n * 2 // to somebody else, or to nobody, and back
			v.crowded += 3e3 * n
		})
	}
	w.threads(ws, find)
	w.background(ws)
	return ws
}

// threads gives each thread a CPU, which it leaves now and then, and to each CPU what its threads did.
func (w *recorder) threads(ws []*window, find func(from, to float64, f func(v *window, a, b float64))) {
	where := w.r.Perm(w.m.cpus)
	for i, past := range w.past {
		last, home := (*window)(nil), where[i%len(where)]
		for _, x := range past {
			runs := x.what == does || x.busy
			share, kernel := 1.0, 0.0
			if runs {
				k, _ := slices.BinarySearchFunc(w.spans, x.from, func(sp span, t float64) int {
					if sp.to <= t {
						return -1
					}
					return 1
				})
				share = w.spans[min(k, len(w.spans)-1)].state.share
				if x.what == does {
					kernel = w.p.codes[x.code].kernel
				}
			}
			find(x.from, x.to, func(v *window, a, b float64) {
				if v != last && w.r.Float64() < 0.12 {
					home = w.r.IntN(w.m.cpus)
				}
				last = v
				ends := x.from < v.to && x.to >= v.to
				switch {
				case runs:
					v.user[home] += (b - a) * share * (1 - kernel)
					v.kernel[home] += (b - a) * share * kernel
					v.running += btoi(ends)
				case x.what == stores:
					v.disk[home] += b - a
					v.block += btoi(ends)
					v.requests += float64(btoi(b == x.to))
				}
			})
		}
	}
}

// background adds what others do, and makes each CPU's times fit into the time there was.
func (w *recorder) background(ws []*window) {
	soft, quiet := 0.0005+0.004*w.r.Float64(), 0.002+0.01*w.r.Float64()
	steal := 0.0
	if w.virtual {
		steal = 0.015 * w.r.Float64()
	}
	for _, v := range ws {
		d := v.to - v.from
		others := w.m.others * math.Exp(0.15*w.r.NormFloat64())
		more := math.Floor(others)
		v.running += int(more)
		// Storage may take its time while others of the same CPU run.
		free := func(c int) float64 { return d - v.user[c] - v.kernel[c] }
		for excess, pass := 1.0, 0; excess > 1 && pass < 2*w.m.cpus || pass == 0; pass++ {
			excess = 0
			for c := range v.user {
				if over := -free(c); over > 1 {
					k := 0
					for j := range v.user {
						if free(j) > free(k) {
							k = j
						}
					}
					part := min(over, max(0, free(k)))
					us := part * v.user[c] / (v.user[c] + v.kernel[c])
					v.user[c], v.user[k] = v.user[c]-us, v.user[k]+us
					v.kernel[c], v.kernel[k] = v.kernel[c]-(part-us), v.kernel[k]+part-us
					excess += part
				}
			}
		}
		for left := others * d; left > 1; {
			k := 0
			for j := range v.user {
				if free(j) > free(k) {
					k = j
				}
			}
			part := min(left, max(0, free(k)), d)
			if part < 1 {
				break
			}
			v.user[k] += part * 0.8
			v.kernel[k] += part * 0.2
			left -= part
		}
		for c := range v.user {
			if over := v.user[c] + v.kernel[c] - d; over > 0 {
				v.user[c] -= min(over, v.user[c])
			}
			busy := v.user[c] + v.kernel[c]
			v.soft[c] = busy * soft
			v.steal[c] = busy * steal
			v.user[c] -= v.user[c] * (soft + steal)
			v.kernel[c] -= v.kernel[c] * (soft + steal)
			room := max(0, d-busy)
			extra := min(room, quiet*d*w.r.ExpFloat64()*0.5)
			v.kernel[c] += extra
			v.disk[c] = min(v.disk[c], room-extra)
		}
		if w.r.Float64() < 0.08 { // somebody writes a page
			v.storage = min(d, v.storage+1e6*(0.3+2*w.r.ExpFloat64()))
			v.requests++
		}
		v.switches += d * 1e-9 * (150 + 60*float64(w.m.cpus) + 2000*others) * (0.8 + 0.4*w.r.Float64())
		v.crowded = min(d, v.crowded+d*(0.002+0.02*others/float64(w.m.cpus))*w.r.ExpFloat64())
	}
}

// counted appends what is counted in whole grains, spread over the samples between two readings.
func (w *recorder) counted(m capture.Meta, grain float64, ws []*window, value func(v *window) float64) {
	d := capture.Data{U: make([]uint64, w.cfg.Axis.Len())}
	sum, told := w.r.Float64()*grain, uint64(0)
	for _, v := range ws {
		sum += value(v)
		now := uint64(sum/grain) * uint64(grain)
		given := uint64(0)
		for i := v.first; i < v.last; i++ {
			upto := uint64(float64(now-told) * (float64(w.cfg.Axis.End[i]) - v.from) / (v.to - v.from))
			if i == v.last-1 {
				upto = now - told
			}
			d.U[i] = upto - given
			given = upto
		}
		told = now
	}
	m.Source = "procfs"
	w.put(m, d)
}

// level appends what is read at the end of each window.
func (w *recorder) level(m capture.Meta, ws []*window, value func(v *window) float64) {
	m.Source, m.Kind = "procfs", capture.Gauge
	d := capture.Data{F: make([]float64, w.cfg.Axis.Len())}
	for _, v := range ws {
		now := value(v)
		for i := v.first; i < v.last; i++ {
			d.F[i] = now
		}
	}
	w.put(m, d)
}

func (w *recorder) scheduler(ws []*window) {
	meta := func(name, title, unit string) capture.Meta {
		return capture.Meta{Name: name, Title: title, Unit: unit, Block: "scheduler"}
	}
	hz := []float64{100, 250, 1000}[w.r.IntN(3)]
	w.counted(meta("intr", "Interrupts", "interrupts"), 1, ws, func(v *window) float64 {
		busy := 0.0
		for c := range v.user {
			busy += v.user[c] + v.kernel[c]
		}
		return busy*1e-9*hz + v.switches*0.3 + v.requests*1.2 + (v.to-v.from)*1e-9*float64(w.m.cpus)*20*w.r.Float64()
	})
	w.counted(meta("ctxt", "Context switches", "switches"), 1, ws, func(v *window) float64 { return v.switches })
	forks := 3 * w.r.ExpFloat64()
	w.counted(meta("processes", "Tasks started", "tasks"), 1, ws, func(v *window) float64 {
		return forks * (v.to - v.from) * 1e-9 * w.r.ExpFloat64()
	})
	w.level(meta("procs_running", "Runnable tasks", "tasks"), ws, func(v *window) float64 { return 1 + float64(v.running) })
	w.level(meta("procs_blocked", "Blocked tasks", "tasks"), ws, func(v *window) float64 { return float64(v.block) })
	load, age := w.m.others+float64(len(w.p.ops))*w.r.Float64()*0.5, 0.0
	w.level(capture.Meta{Name: "load_1m", Title: "Load average (1 min)", Block: "scheduler"}, ws, func(v *window) float64 {
		if age += v.to - v.from; age >= 5e9 {
			age -= 5e9
			load += (float64(v.running+v.block) - load) * (1 - math.Exp(-5.0/60))
		}
		return math.Round(100*load) / 100
	})
}

func (w *recorder) pressure(ws []*window) {
	if w.r.IntN(4) == 0 { // a kernel without
		return
	}
	swapped := 0.0 // waits for pages that come back are of memory and of storage
	if w.p.swaps {
		swapped = 0.97
	}
	for _, col := range []struct {
		name, title string
		of          func(v *window) float64
	}{
		{"cpu_some", "CPU pressure", func(v *window) float64 { return v.crowded }},
		{"memory_some", "Memory pressure, some", func(v *window) float64 { return swapped * v.storage }},
		{"memory_full", "Memory pressure, full", func(v *window) float64 { return swapped * v.stalled }},
		{"io_some", "I/O pressure, some", func(v *window) float64 { return v.storage }},
		{"io_full", "I/O pressure, full", func(v *window) float64 { return v.stalled }},
	} {
		w.counted(capture.Meta{Name: "pressure_" + col.name, Title: col.title, Unit: "ns", Block: "pressure"}, 1000, ws, col.of)
	}
}

// sensors appends clocks, memory, temperature and power.
func (w *recorder) sensors(ws []*window) {
	least := w.m.top * (0.2 + 0.15*w.r.Float64())
	if !w.virtual {
		for c := range w.m.cpus {
			last := least + (w.m.all-least)*w.r.Float64()
			w.level(capture.Meta{Name: "cpu_frequency", Title: "CPU frequency", Unit: "Hz", Block: "cpu",
				Instance: strconv.Itoa(c), Combine: capture.CombineMean}, ws, func(v *window) float64 {
				if busy := (v.user[c] + v.kernel[c]) / (v.to - v.from); w.r.Float64() < 1.5*busy {
					last = v.clock * (0.995 + 0.005*w.r.Float64())
				} else if w.r.Float64() < 0.3 { // an idle one tells what it was when it last ran
					last = least + (w.m.all*w.m.hold-least)*w.r.Float64()*w.r.Float64()
				}
				return math.Round(last*1e6) * 1000
			})
		}
	}
	size := float64(int(4)<<w.r.IntN(5)) * (1 << 30) * 0.97
	free := 0.3 + 0.5*w.r.Float64()
	if w.p.swaps {
		free *= 0.05
	}
	w.level(capture.Meta{Name: "mem_total", Title: "Memory", Unit: "bytes", Block: "memory", Integral: true}, ws,
		func(*window) float64 { return math.Floor(size/4096) * 4096 })
	w.level(capture.Meta{Name: "mem_available", Title: "Memory available", Unit: "bytes", Block: "memory", Integral: true}, ws,
		func(*window) float64 { return math.Floor(size*free*(0.997+0.006*w.r.Float64())/4096) * 4096 })
	zone := []string{"x86_pkg_temp", "k10temp", "cpu-thermal"}[w.m.vendor]
	air := 32 + 8*w.r.Float64()
	grain := []float64{1, 0.125, 0.1}[w.m.vendor]
	now := 0.0
	if !w.virtual && w.r.IntN(10) > 0 {
		w.level(capture.Meta{Name: "temperature", Title: "Temperature", Unit: "celsius", Block: "thermal", Instance: zone,
			Combine: capture.CombineMax}, ws, func(v *window) float64 {
			at := air + (w.m.hot-air)*min(1, v.watts/w.m.heat)
			if now == 0 {
				now = at
			}
			now += (at - now) * 0.15
			return math.Round((now+0.4*w.r.NormFloat64())/grain) * grain
		})
	}
	if w.m.vendor == arm && !w.virtual && w.r.IntN(2) == 0 {
		w.level(capture.Meta{Name: "hwmon_ina226_power1", Title: "ina226 power1", Unit: "watts", Block: "hwmon"}, ws,
			func(v *window) float64 { return math.Round(v.watts*(1+0.02*w.r.NormFloat64())*40) / 40 })
	}
}
