package intel

import (
	"math"
	"math/rand/v2"
	"strconv"

	"astrolabe/capture"
)

// hostTick is the kernel's unit of processor time, in ns.
const hostTick = 10e6

// work is what a thread does on the processor it runs on.
type work struct {
	list   []side
	system float64 // share of its time in the kernel
}

// host adds what /proc/stat says of the processors, in its unit of 10 ms, and the temperature of the package.
func (b *columns) host(r *rand.Rand) {
	sc, n, cpus := b.sc, len(b.rec.rows), b.sc.m.cpus
	user, system := make([][]float64, cpus), make([][]float64, cpus)
	for c := range cpus {
		user[c], system[c] = make([]float64, n), make([]float64, n)
	}
	for _, w := range []work{{b.played.app, 0.04}, {b.played.driver, 0.25}} {
		cpu, until := r.IntN(cpus), 0.0
		i := 0
		for _, s := range w.list {
			from, to := s.from-b.rec.zero, s.to-b.rec.zero
			if from > until { // the scheduler moves threads from time to time
				cpu, until = r.IntN(cpus), from+(0.1+r.ExpFloat64()*0.4)*1e9
			}
			for ; i < n && b.rec.edges[i] < to; i++ {
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
	// Nobody lowers a priority, waits for a disk or is a guest here; interrupts are those of the display and the network.
	interrupts := [2]float64{span(r, 0.0005, 0.003), span(r, 0.001, 0.006)}
	for _, name := range []string{"cpu_user", "cpu_nice", "cpu_system", "cpu_idle", "cpu_iowait", "cpu_irq", "cpu_softirq",
		"cpu_steal", "cpu_guest"} {
		whole := &capture.Counter{Meta: capture.Meta{Name: name, Unit: "ns", Kind: capture.Delta, GPU: "cpu", Block: "cpu",
			Source: "procfs"}, Axis: b.cfg.Axis}
		for c := range cpus {
			d := capture.Data{U: make([]uint64, n)}
			// The same noise makes all columns of a processor, so that they add up to the time.
			noise := rand.New(rand.NewPCG(uint64(c), math.Float64bits(interrupts[0])))
			spent, shown := noise.Float64()*hostTick, 0.0
			for i := range n {
				length := b.rec.edges[i+1] - b.rec.edges[i]
				other := length * min(1, level[c]*noise.ExpFloat64())
				hard, soft := length*interrupts[0], length*interrupts[1]
				u := min(length-hard-soft, user[c][i]+0.8*other)
				s := min(length-hard-soft-u, system[c][i]+0.2*other)
				switch name {
				case "cpu_user":
					spent += u
				case "cpu_system":
					spent += s
				case "cpu_irq":
					spent += hard
				case "cpu_softirq":
					spent += soft
				case "cpu_idle":
					spent += length - hard - soft - u - s
				}
				units := math.Floor(spent / hostTick)
				d.U[i] = uint64((units - shown) * hostTick)
				shown = units
			}
			meta := whole.Meta
			meta.Instance = strconv.Itoa(c)
			whole.AddInstance(&capture.Counter{Meta: meta, Axis: b.cfg.Axis, Col: capture.NewColumn(d)})
		}
		b.addCounter(whole)
	}
	b.temperature(r)
}

// temperature is that of the package, a whole degree at a time.
func (b *columns) temperature(r *rand.Rand) {
	var base float64
	switch b.sc.clock.kind {
	case clockThermal:
		base = 95 + 4*r.Float64()
	case clockPower:
		base = 72 + 14*r.Float64()
	default:
		base = 48 + 30*r.Float64()
	}
	d := capture.Data{F: make([]float64, len(b.rec.rows))}
	wander := 0.0
	for i := range d.F {
		wander = 0.98*wander + 0.2*r.NormFloat64()
		d.F[i] = math.Round(base + wander)
	}
	meta := capture.Meta{Name: "temperature", Title: "Temperature", Unit: "celsius", Kind: capture.Gauge, GPU: "cpu",
		Block: "thermal", Source: "procfs", Combine: capture.CombineMax}
	whole := &capture.Counter{Meta: meta, Axis: b.cfg.Axis}
	meta.Instance = "x86_pkg_temp"
	whole.AddInstance(&capture.Counter{Meta: meta, Axis: b.cfg.Axis, Col: capture.NewColumn(d)})
	b.addCounter(whole)
}

func (b *columns) addCounter(c *capture.Counter) {
	for _, name := range b.without {
		if name == c.Name {
			return
		}
	}
	b.cfg.Counters = append(b.cfg.Counters, c)
}
