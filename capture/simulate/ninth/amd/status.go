package amd

import (
	"math"
	"slices"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/telling"
)

// habits are how somebody records: what the machine lets him read, and what he asks for.
type habits struct {
	node                           bool    // the render node is open to him: registers and sensors
	rate                           float64 // samples of registers a second
	reached                        float64 // share of them that is taken
	refresh                        float64 // ns between readings of files
	files, hwmon, metrics, clients bool
	busyLag, powerLag              float64 // ns over which the firmware averages
	umc                            float64 // what the firmware calls busy of a memory that gives all it can
	percent                        bool    // activity in gpu_metrics is in percent where it should be in hundredths
	counts                         bool    // the firmware counts energy
	kernel                         float64 // share of the driver's thread that is in the kernel
	stray                          float64 // of what other programs do on the graphics core
}

func newHabits(r simulate.Random, m *machine) *habits {
	h := &habits{node: r.Chance(0.93), rate: simulate.Pick(r, 10e3, 10e3, 10e3, 5e3, 2e3, 20e3), reached: r.Between(0.9, 1),
		refresh: simulate.Pick(r, 100e6, 100e6, 100e6, 50e6, 20e6), files: true, hwmon: r.Chance(0.95), metrics: r.Chance(0.9),
		clients: r.Chance(0.92), busyLag: r.Log(8e6, 60e6), powerLag: r.Log(10e6, 100e6), umc: r.Between(0.8, 1),
		percent: r.Chance(0.2), counts: r.Chance(0.85), kernel: r.Between(0.2, 0.6), stray: r.Between(0, 0.02)}
	if m.apu {
		h.busyLag, h.powerLag = r.Log(30e6, 400e6), r.Log(50e6, 600e6)
	}
	if r.Chance(0.12) { // a recorder who names what he wants
		h.files, h.hwmon, h.metrics = r.Chance(0.5), r.Chance(0.5), r.Chance(0.5)
	}
	return h
}

// table is a capture in the making.
type table struct {
	m        *machine
	rec      *recording
	host     *host
	axis     *capture.Axis
	at       [][2]int64 // samples, in the simulation's time
	r        simulate.Random
	h        *habits
	counters []*capture.Counter
}

// all adds the columns, and takes away those that the recorder does not measure.
func (t *table) all(o *simulate.Options, host bool) {
	if t.h.node {
		t.status()
		t.sensors()
	}
	t.memory()
	if t.h.files {
		t.files()
	}
	if t.h.hwmon {
		t.hwmon()
	}
	if t.h.metrics {
		t.table()
	}
	if t.h.clients {
		t.clients()
	}
	t.processors()
	left := telling.Left(o, telling.AMD)
	t.counters = slices.DeleteFunc(t.counters, func(c *capture.Counter) bool {
		return slices.Contains(left, c.Name) || !host && c.GPU == "cpu"
	})
}

// add adds a counter, or an instance to the counter of that name.
func (t *table) add(m capture.Meta, d capture.Data) {
	if m.GPU == "" {
		m.GPU, m.Source = "amd-live", "amdgpu"
	}
	c := &capture.Counter{Meta: m, Axis: t.axis, Col: capture.NewColumn(d)}
	if m.Instance == "" {
		t.counters = append(t.counters, c)
		return
	}
	if n := len(t.counters); n > 0 && t.counters[n-1].Name == m.Name {
		t.counters[n-1].Instances = append(t.counters[n-1].Instances, c)
		return
	}
	whole := m
	whole.Instance = ""
	t.counters = append(t.counters, &capture.Counter{Meta: whole, Axis: t.axis, Instances: []*capture.Counter{c}})
}

func (t *table) count(block, name, unit string, values []uint64) {
	t.add(capture.Meta{Name: name, Block: block, Unit: unit}, capture.Data{U: values})
}

// bits are the names of blocks in the reader's columns; those of the second register from cpf on.
var bits = [blocks]string{"gfx", "cp", "spi", "ta", "cb", "db", "pa", "sc", "bci", "sx", "ge", "cpf", "cpc", "cpg", "rlc", "tc",
	"utcl2", "ea", "rmi", "sdma"}

// has reports whether the generation has the bit.
func (m *machine) has(bit int) bool {
	return m.gen != "GFX12" || bit != bUTCL2 && bit != bEA && bit != bRMI
}

// status reads the registers at random times, one in each slice of time.
func (t *table) status() {
	n := len(t.at)
	samples := make([]uint64, n)
	var ones [blocks][]uint64
	for k := range ones {
		ones[k] = make([]uint64, n)
	}
	slice := 1e9 / t.h.rate
	now := 0
	for i, x := range t.at {
		for f := math.Ceil(float64(x[0]) / slice); f*slice < float64(x[1]); f++ {
			when := int64((f + t.r.Float64()) * slice)
			lost, stray := !t.r.Chance(t.h.reached), t.r.Chance(t.h.stray)
			for now < len(t.rec.scenes)-1 && t.rec.scenes[now].to <= when {
				now++
			}
			for now > 0 && t.rec.scenes[now-1].to > when {
				now--
			}
			if lost {
				continue
			}
			samples[i]++
			busy := &t.rec.scenes[now].busy
			pipe := t.r.Chance(float64(busy[bGFX])) || stray
			for k := range ones {
				p := float64(busy[k])
				if stray && k < bRLC && k != bCPC {
					p = max(p, 0.5)
				}
				if k == bGFX && pipe || k != bGFX && (pipe || k == bSDMA || k == bRLC) && t.r.Chance(p) {
					ones[k][i]++
				}
			}
		}
	}
	for _, second := range []bool{false, true} {
		name := "grbm_samples"
		if second {
			name = "grbm2_samples"
		}
		t.count("status", name, "samples", samples)
		for k, bit := range bits {
			if (k >= bCPF) != second || !t.m.has(k) {
				continue
			}
			t.count("status", "busy_"+bit+"_ones", "samples", ones[k])
		}
		for k, bit := range bits {
			if (k >= bCPF) != second || !t.m.has(k) {
				continue
			}
			off := make([]float64, n)
			for i := range off {
				all := float64(samples[i])
				p := float64(ones[k][i]) / all
				off[i] = 100 * math.Sqrt(p*(1-p)/all) // missing where no sample was taken
			}
			t.add(capture.Meta{Name: "busy_" + bit + "_error", Block: "status", Unit: "percent", Kind: capture.Gauge,
				Combine: capture.CombineMax}, capture.Data{F: off})
		}
	}
}
