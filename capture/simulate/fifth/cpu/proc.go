package cpu

import (
	"math"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
)

// proc adds what the kernel's files tell.
func (t *tables) proc() {
	meta := func(name, unit, block string) capture.Meta {
		return capture.Meta{Name: name, Unit: unit, GPU: "cpu", Block: block, Source: "procfs"}
	}
	t.account()
	const step = 10e6 // ns, 1/USER_HZ
	for state, name := range []string{"cpu_user", "cpu_nice", "cpu_system", "cpu_idle", "cpu_iowait", "cpu_irq", "cpu_softirq",
		"cpu_steal", "cpu_guest"} {
		t.perCPU(meta(name, "ns", "cpu"), func(cpu int) []uint64 {
			out := make([]uint64, len(t.rows))
			sum, at, k := t.k.phases[cpu*states+state]*step, 0, 0
			for row := 0; k < len(t.rows); row++ {
				before := math.Floor(sum / step)
				sum += t.rec.rows[row*t.rec.n+cpu].times[state]
				if row == t.rows[k] {
					out[at] = uint64((math.Floor(sum/step) - before) * step)
					at, k = at+1, k+1
				}
			}
			return out
		})
	}
	total := func(name, unit string, of func(x *row) float64) {
		sums := make([]float64, len(t.rows))
		for i, r := range t.rows {
			for cpu := range t.rec.n {
				sums[i] += of(&t.rec.rows[r*t.rec.n+cpu])
			}
		}
		t.single(meta(name, unit, "scheduler"), whole(sums))
	}
	ticks := float64(t.c.m.hz) / 1e9
	total("intr", "interrupts", func(x *row) float64 {
		return x.devices + (x.times[inUser]+x.times[inNice]+x.times[inSystem])*ticks + t.c.m.calls*x.switches
	})
	total("ctxt", "switches", func(x *row) float64 { return x.switches })
	forks := simulate.NewRandom(uint64(len(t.rows)), "forks")
	total("processes", "tasks", func(*row) float64 {
		if forks.Chance(0.01 / float64(t.rec.n)) {
			return 1
		}
		return 0
	})
	here := []string{""}
	t.level(meta("procs_running", "tasks", "scheduler"), here, func(row, _ int) float64 {
		return float64(t.rec.levels[row].running)
	})
	t.level(meta("procs_blocked", "tasks", "scheduler"), here, func(row, _ int) float64 {
		return float64(t.rec.levels[row].blocked)
	})
	load, memory := t.r.Between(0.2, float64(t.rec.n)), math.Round(t.r.Log(4e9, 64e9)/4096)*4096
	t.level(meta("load_1m", "tasks", "scheduler"), here, func(int, int) float64 { return math.Round(load*100) / 100 })
	t.level(meta("mem_total", "bytes", "memory"), here, func(int, int) float64 { return memory })
	free := math.Round(memory * t.r.Between(0.2, 0.8))
	t.level(meta("mem_available", "bytes", "memory"), here, func(row, _ int) float64 {
		return free - float64(row%7)*4096
	})
	if t.k.pressure {
		t.pressure(meta)
	}
	if t.k.sensors && t.c.m.maker != virtual {
		t.sensors(meta)
	}
}

// account moves the time of interrupts, where the kernel accounts for it, out of what they interrupted.
func (t *tables) account() {
	m := t.c.m
	if m.irq == 0 {
		return
	}
	for i := range t.rec.rows {
		x := &t.rec.rows[i]
		ran := x.times[inUser] + x.times[inNice] + x.times[inSystem]
		n := x.devices + ran*float64(m.hz)/1e9
		for k, each := range []float64{m.irq, m.soft} {
			from := inUser
			for _, s := range []int{inNice, inSystem, inIdle} {
				if x.times[s] > x.times[from] {
					from = s
				}
			}
			ns := min(n*each, 0.5*x.times[from])
			x.times[from] -= ns
			x.times[inIRQ+k] += ns
		}
	}
}

// pressure adds stall times: those of the CPUs weighted by how long each was not idle, as the kernel adds them up, in µs.
func (t *tables) pressure(meta func(name, unit, block string) capture.Meta) {
	names := []string{"pressure_cpu_some", "pressure_io_some", "pressure_io_full"}
	for which, name := range names {
		values := make([]float64, len(t.rows))
		for i, r := range t.rows {
			sum, all := 0.0, 0.0
			for cpu := range t.rec.n {
				p := &t.rec.rows[r*t.rec.n+cpu].pressure
				sum += p[which] * p[nonIdle]
				all += p[nonIdle]
			}
			if all > 0 {
				values[i] = sum / all / 1000
			}
		}
		us := make([]uint64, len(values))
		for i, v := range values {
			us[i] = uint64(v) * 1000
		}
		t.single(meta(name, "ns", "pressure"), us)
		if which == 0 {
			t.single(meta("pressure_memory_some", "ns", "pressure"), make([]uint64, len(t.rows)))
			t.single(meta("pressure_memory_full", "ns", "pressure"), make([]uint64, len(t.rows)))
		}
	}
}

// sensors adds clocks, temperatures and power, which are read every 100 ms.
func (t *tables) sensors(meta func(name, unit, block string) capture.Meta) {
	m := t.c.m
	every := make([]int, len(t.rec.rows)/t.rec.n+1) // by row: the one before the last reading
	last, at := 0, int64(-1e18)
	for row := range every {
		if start := t.rec.bounds.At(row); start-at >= 90e6 {
			last, at = row, start
		}
		every[row] = last
	}
	state := func(row int) change {
		c := t.s.changes[0]
		for _, x := range t.s.changes {
			if x.at > t.rec.bounds.At(row+1) {
				break
			}
			c = x
		}
		return c
	}
	cpus := simulate.Numbers(t.rec.n)
	freq := meta("cpu_frequency", "Hz", "cpu")
	freq.Combine = capture.CombineMean
	busy := func(row, cpu int) float64 {
		sum, ns := 0.0, 0.0
		for k := max(0, row-4); k <= row; k++ {
			sum += t.rec.rows[k*t.rec.n+cpu].all[eRan]
			ns += float64(t.rec.bounds.At(k+1) - t.rec.bounds.At(k))
		}
		return sum / ns
	}
	t.level(freq, cpus, func(row, cpu int) float64 {
		row = every[row]
		typ := &m.types[m.cpus[cpu]]
		ghz := typ.highest * state(row).share
		if busy(row, cpu) < 0.02 { // asleep: the last request of the governor
			ghz = min(ghz, typ.least)
		}
		return math.Round(ghz*1e6) * 1e3
	})
	heat := meta("temperature", "celsius", "thermal")
	heat.Combine = capture.CombineMax
	cold, off := t.r.Between(36, 86), t.r.Between(8, 25)
	zones := []string{"x86_pkg_temp", "acpitz"}
	if m.maker == armCores {
		zones = []string{"cpu-thermal", "soc-thermal"}
	}
	t.level(heat, zones, func(row, zone int) float64 {
		c := state(every[row]).heat
		if c == 0 {
			c = cold + 0.4*math.Sin(float64(every[row])/9)
		}
		return math.Round((c-off*float64(zone))*10) / 10
	})
	if t.k.power {
		power := meta("hwmon_ina226_power1", "watts", "hwmon")
		t.level(power, []string{""}, func(row, _ int) float64 {
			row = every[row]
			c, w := state(row), m.clock.idleWatts
			for cpu, typ := range m.cpus {
				w += busy(row, cpu) * m.types[typ].watts * c.share * c.share * c.share
			}
			if m.clock.limit > 0 {
				w = c.watts
			}
			return math.Round(w*1000) / 1000
		})
	}
}
