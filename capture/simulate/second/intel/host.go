package intel

import (
	"math"
	"math/rand/v2"
	"strconv"

	"astrolabe/capture"
	"astrolabe/capture/simulate/host"
)

// work is what a thread does on the processor it runs on.
type work struct {
	list   []side
	system float64 // share of its time in the kernel
}

// processors adds what the kernel says of the processors and of the temperature of the package.
func (b *columns) processors(r *rand.Rand) {
	sc, n, cpus := b.sc, len(b.rec.rows), b.sc.m.cpus
	user, system := make([][]float64, cpus), make([][]float64, cpus)
	for c := range cpus {
		user[c], system[c] = make([]float64, n), make([]float64, n)
	}
	taken := make([]int, n) // by the application, of the processors
	for i := range taken {
		taken[i] = -1
	}
	for k, w := range []work{{b.played.app, 0.04}, {b.played.driver, 0.25}} {
		cpu, until := r.IntN(cpus), 0.0
		i := 0
		for _, s := range w.list {
			from, to := s.from-b.rec.zero, s.to-b.rec.zero
			if from > until { // the scheduler moves threads from time to time
				cpu, until = r.IntN(cpus), from+(0.1+r.ExpFloat64()*0.4)*1e9
			}
			for i < n && b.rec.edges[i+1] <= from {
				i++
			}
			for k > 0 && i < n && cpu == taken[i] { // and leaves none where another runs
				cpu = r.IntN(cpus)
			}
			for ; i < n && b.rec.edges[i] < to; i++ {
				if k == 0 {
					taken[i] = cpu
				}
				if d := min(to, b.rec.edges[i+1]) - max(from, b.rec.edges[i]); d > 0 {
					user[cpu][i] += d * (1 - w.system)
					system[cpu][i] += d * w.system
				}
			}
			i = max(0, i-1)
		}
	}
	level := make([]float64, cpus)
	for c := range level {
		level[c] = sc.threads / float64(cpus) * (0.5 + r.Float64())
	}
	for c := range cpus {
		for i := range n {
			length := b.rec.edges[i+1] - b.rec.edges[i]
			other := min(max(0, length-user[c][i]-system[c][i]), length*min(1, level[c]*r.ExpFloat64()))
			user[c][i] += 0.8 * other
			system[c][i] += 0.2 * other
		}
	}
	on := &host.Machine{Least: 0.8e9, Reach: span(r, 0.85, 1), Interrupts: r.IntN(2) == 0, Pressure: r.IntN(10) < 8,
		Memory: []float64{8, 16, 16, 32}[r.IntN(4)] * (1 << 30)}
	most := math.Round(span(r, 31, 42)) * 1e8
	if sc.m.xe {
		on.Least, most = 0.4e9, math.Round(span(r, 42, 48))*1e8
	}
	package0 := 48 + 30*r.Float64()
	switch sc.clock.kind {
	case clockThermal:
		package0, on.Reach = 95+4*r.Float64(), span(r, 0.45, 0.7)
	case clockPower: // the processors share the limit
		package0, on.Reach = 72+14*r.Float64(), span(r, 0.45, 0.75)
	}
	for range cpus {
		on.Clusters, on.Most = append(on.Clusters, 0), append(on.Most, most)
	}
	heat := host.Zone(r, "x86_pkg_temp", package0, 1)
	on.Sensors = []host.Sensor{host.Zone(r, "acpitz", 30+10*r.Float64(), 1), heat,
		host.Chip("coretemp", "Package id 0", "celsius", capture.CombineMax, heat.Value)}
	for core := range cpus / 2 {
		cooler := 1 + 5*r.Float64()
		on.Sensors = append(on.Sensors, host.Chip("coretemp", "Core "+strconv.Itoa(core), "celsius", capture.CombineMax,
			func(i int) float64 { return math.Round(heat.Value(i) - cooler) }))
	}
	host.Add(b.cfg, r, on, &host.Load{User: user, System: system, Switches: span(r, 2000, 9000),
		InterruptsRate: span(r, 900, 4500)}, b.without)
}
