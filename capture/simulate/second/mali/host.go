package mali

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/host"
)

// gauges adds what the driver's clock and the kernel's files say beside the counters.
func (rec *recorder) gauges(c *capture.Config, o simulate.Options) {
	add := func(m capture.Meta, d capture.Data) {
		if !slices.Contains(o.Without, m.Name) {
			m.Source = source
			c.Counters = append(c.Counters, &capture.Counter{Meta: m, Axis: c.Axis, Col: capture.NewColumn(d)})
		}
	}
	n := len(rec.clock)
	cycles, carry := make([]uint64, n), 0.0
	for i, x := range rec.clock {
		x += carry
		cycles[i] = uint64(x)
		carry = x - math.Floor(x)
	}
	add(capture.Meta{Name: "gpu_clock_cycles", Title: "GPU clock cycles", Unit: "cycles", Block: "clock"},
		capture.Data{U: cycles})
	if rec.r.Float64() < 0.2 { // files that this phone does not let the shell read
		return
	}
	// The kernel's files are read every 20 ms.
	frequency, load := make([]float64, n), make([]float64, n)
	last, next := 0.0, 0.0
	busy, all := 0.0, 0.0
	share := 0.0
	for i := range n {
		dt := rec.starts[i+1] - rec.starts[i]
		busy += rec.values[i][iterActive]
		all += rec.clock[i]
		if end := rec.starts[i+1]; end >= next {
			last = math.Round(rec.clock[i]/dt/1e6) * 1e6
			share = math.Round(100 * busy / max(all, 1))
			busy, all = 0, 0
			next = end + 0.02
		}
		frequency[i], load[i] = last, min(share, 100)
	}
	add(capture.Meta{Name: "gpu_frequency", Title: "GPU frequency", Unit: "Hz", Kind: capture.Gauge, Block: "gpu",
		Doc: "Clock of the GPU as its frequency driver sets it."}, capture.Data{F: frequency})
	if rec.r.Float64() < 0.6 {
		add(capture.Meta{Name: "gpu_utilisation", Title: "GPU utilisation", Unit: "percent", Kind: capture.Gauge,
			Block: "gpu", Doc: "Share of time in which the GPU was busy, as its driver estimates it."},
			capture.Data{F: load})
	}
	warm := between(rec.r, 38, 68)
	p := rec.s.p
	if p.limit > 0 && p.holder == thermal {
		warm = between(rec.r, 83, 97)
	}
	heat := make([]float64, n)
	for i := range heat {
		heat[i] = math.Round(10*(warm+0.6*math.Sin(float64(i)/float64(n)*5))) / 10
	}
	if rec.r.Float64() < 0.8 {
		add(capture.Meta{Name: "gpu_temperature", Title: "GPU temperature", Unit: "celsius", Kind: capture.Gauge,
			Block: "gpu", Combine: capture.CombineMax, Doc: "Temperature of the GPU's thermal zone."},
			capture.Data{F: heat})
	}
}

// host adds what the kernel says of the processors: four small ones, three large ones and one that is larger still.
func (rec *recorder) host(c *capture.Config, o simulate.Options) {
	n, m := len(rec.clock), rec.m
	user := make([][]float64, m.processor)
	system := make([][]float64, m.processor)
	for k := range user {
		user[k], system[k] = make([]float64, n), make([]float64, n)
	}
	// The application's threads run on the large processors and seldom change.
	home := m.processor - 1
	render := home - 1
	if rec.s.p.pacing.oneThread {
		render = home
	}
	kernel := between(rec.r, 0.05, 0.2)
	for i := range rec.s.nodes {
		x := &rec.s.nodes[i]
		to, system0 := home, kernel
		switch {
		case x.times[cpuApp] > 0:
		case x.times[cpuDriver] > 0:
			to, system0 = render, 0.35
		default:
			continue
		}
		rec.over(x.start, x.end, func(i int, dt float64) {
			user[to][i] += dt * 1e9 * (1 - system0)
			system[to][i] += dt * 1e9 * system0
		})
	}
	other := between(rec.r, 0.01, 0.08) // everything else that runs
	for k := range user {
		for i := range n {
			ns := (rec.starts[i+1] - rec.starts[i]) * 1e9
			some := max(0, ns-user[k][i]-system[k][i]) * min(1, other*rec.r.ExpFloat64())
			user[k][i] += some * 0.7
			system[k][i] += some * 0.3
		}
	}
	r := rec.r
	// Phones let a shell read neither pressure nor thermal zones; boards and rooted phones do. Android's kernels account
	// for interrupts.
	open := r.Float64() < 0.4
	on := &host.Machine{Least: 0.4e9, Shared: true, Reach: 1, Memory: pick(r, 4.0, 6, 8, 12) * (1 << 30),
		Interrupts: r.Float64() < 0.8, Pressure: open}
	if rec.s.p.limit > 0 && rec.s.p.holder == thermal {
		on.Reach = between(r, 0.75, 0.95) // the processors are in the same heat
	}
	most := []float64{1.8e9, 2.4e9, 2.8e9}
	if m.late {
		most = []float64{2.0e9, 2.8e9, 3.2e9}
	}
	for k := range m.processor {
		cluster := 0
		switch {
		case k == m.processor-1:
			cluster = 2
		case k >= m.processor/2:
			cluster = 1
		}
		on.Clusters, on.Most = append(on.Clusters, cluster), append(on.Most, most[cluster])
	}
	if open {
		on.Sensors = append(on.Sensors, host.Zone(r, "cpu-thermal", between(r, 45, 70), 0.1),
			host.Zone(r, "battery", between(r, 28, 38), 0.1))
	}
	host.Add(c, r, on, &host.Load{User: user, System: system, Switches: between(r, 4000, 20000),
		InterruptsRate: between(r, 2000, 9000)}, o.Without)
}

// marks adds the frames that the program marked: each begins with the application's work for it.
func (rec *recorder) marks(c *capture.Config) {
	p, out := rec.s.p, rec.s.out
	l := &capture.Label{Name: "frame", Codes: make([]int32, c.Axis.Len())}
	f, last := 0, int32(-1)
	code := map[int]int32{}
	for i := range l.Codes {
		middle := rec.origin + (rec.starts[i]+rec.starts[i+1])/2
		for f < len(out) && out[f].at > 0 && out[f].begin <= middle {
			f++
		}
		if f == 0 {
			l.Codes[i] = -1
			continue
		}
		if n, ok := code[f-1]; ok {
			last = n
		} else {
			last = int32(len(l.Dict))
			code[f-1] = last
			l.Dict = append(l.Dict, strconv.Itoa(f-1))
		}
		l.Codes[i] = last
	}
	c.Labels = append(c.Labels, l)
	end := rec.starts[len(rec.starts)-1]
	for f := 1; f < len(out) && f <= p.last; f++ {
		if out[f].at == 0 {
			break
		}
		from, to := out[f-1].begin-rec.origin, out[f].begin-rec.origin
		if to > 0 && from < end {
			c.Regions = append(c.Regions, capture.Region{Name: fmt.Sprintf("frame %d", f-1), Start: int64(from * 1e9),
				End: int64(to * 1e9)})
		}
	}
}
