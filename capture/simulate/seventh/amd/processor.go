package amd

import (
	"strconv"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
)

// hostLook is what the processor looks like while it does what the load says.
type hostLook struct {
	cpus, workers int
	helped        float64 // share of the application's time in which the workers run too
	spins         bool    // the application waits by asking again and again
	kernel        float64 // share of the driver's time that is in the kernel
	background    float64 // share of each CPU that other programs take
	hz            float64 // clock of the processor
}

// hostShare is about how much of the processor is in use, for its part of an APU's power.
func (l *load) hostShare() float64 {
	app, all := 0.0, 1.0
	var gpu []float64
	for i := range l.contents {
		gpu = append(gpu, l.contents[i].longest())
	}
	for i := range l.frames {
		f := &l.frames[i]
		app += f.app*(1+float64(l.host.workers)*l.host.helped) + f.driver
		all += max(gpu[f.content], f.app+f.driver, float64(l.pacing.Interval()))
	}
	return min(1, app/all/4)
}

// userHz is the ns of a unit of /proc/stat.
const userHz = 10_000_000

// processor adds what the kernel tells of the processor: times of each CPU in units of 10 ms, switches, frequency.
func (t *table) processor(r simulate.Random) {
	h, n, rec := &t.l.host, len(t.from), t.rec
	names := [...]string{"cpu_user", "cpu_system", "cpu_idle", "cpu_iowait", "cpu_irq"}
	times := make([][len(names)][]float64, h.cpus)
	noise, clocks := make([]float64, h.cpus), make([][]float64, h.cpus)
	for k := range times {
		for j := range times[k] {
			times[k][j] = make([]float64, n)
		}
		noise[k], clocks[k] = h.background*r.Spread(0.8), make([]float64, n)
	}
	switches, interrupts, running := make([]uint64, n), make([]uint64, n), make([]float64, n)
	place := r.Perm(h.cpus) // of the application's thread, the one that records, and the workers
	for i := range n {
		from, to := t.from[i], t.to[i]
		length := float64(to - from)
		if r.Chance(min(1, length/400e6)) { // the scheduler moves a thread
			a, b := r.IntN(h.cpus), r.IntN(2)
			place[a], place[b] = place[b], place[a]
		}
		app, other := float64(within(rec.app[0], from, to)), float64(within(rec.app[1], from, to))
		kernel := float64(within(rec.driver, from, to)) * h.kernel
		ran, sys := make([]float64, h.cpus), make([]float64, h.cpus)
		ran[place[0]] = min(length, app+float64(within(rec.spins, from, to)))
		ran[place[1]] = other
		sys[place[t.l.threads-1]] = kernel
		for w := range h.workers {
			ran[place[(2+w)%h.cpus]] += app * h.helped * r.Spread(0.2)
		}
		busy := 0.0
		for k := range times {
			all := min(length, ran[k]+length*min(0.9, noise[k]*r.Spread(0.6)))
			system := min(all, sys[k]+0.15*max(0, all-ran[k]))
			irq := min(length-all, length*0.002)
			for j, ns := range [len(names)]float64{all - system, system, length - all - irq, 0, irq} {
				times[k][j][i] = ns
			}
			clocks[k][i] = 1000 * float64(int(h.hz*(0.55+0.45*min(1, 2*all/length))/1000))
			busy += all
		}
		frames := length / float64(t.frames[len(t.frames)-1].flip.at) * float64(len(t.frames))
		switches[i] = uint64(frames*float64(8+4*h.workers)*r.Spread(0.1) + length/1e6*(0.4+h.background*float64(h.cpus)))
		interrupts[i] = uint64(frames*6 + length/1e6*0.5*(0.2*float64(h.cpus)+busy/length))
		running[i] = float64(1 + int(busy/length+0.3*r.Float64()))
	}
	meta := func(name, unit, instance string, kind capture.Kind) capture.Meta {
		return capture.Meta{Name: name, Unit: unit, Instance: instance, Kind: kind, GPU: "cpu", Source: "procfs"}
	}
	for j, name := range names {
		for k := range times {
			values, sum, before := make([]uint64, n), r.Float64()*userHz, uint64(0)
			for i, ns := range times[k][j] {
				sum += ns
				values[i] = (uint64(sum/userHz) - before) * userHz
				before = uint64(sum / userHz)
			}
			t.add(meta(name, "ns", strconv.Itoa(k), capture.Delta), capture.Data{U: values})
		}
	}
	t.add(meta("intr", "interrupts", "", capture.Delta), capture.Data{U: interrupts})
	t.add(meta("ctxt", "switches", "", capture.Delta), capture.Data{U: switches})
	t.add(meta("procs_running", "tasks", "", capture.Gauge), capture.Data{F: running})
	for k := range clocks {
		m := meta("cpu_frequency", "Hz", strconv.Itoa(k), capture.Gauge)
		m.Combine = capture.CombineMean
		t.add(m, capture.Data{F: clocks[k]})
	}
}
