package cpu

import (
	"math"
	"strconv"

	"astrolabe/capture"
)

// reads are the ends of the samples at which /proc is read: the first that is as late as the next reading.
func (c *recording) reads() []int {
	var out []int
	last := int64(0)
	for i := range c.n {
		if at := c.w.b.At(i + 1); float64(at-last) >= c.slow*0.999 || i == c.n-1 {
			out = append(out, i)
			last = at
		}
	}
	return out
}

// spread makes what a reader of running totals has, in whole units, by the time between two readings.
func (c *recording) spread(v []float64, reads []int, unit, begin float64) []float64 {
	out := make([]float64, len(v))
	total := begin
	from := 0
	for _, to := range reads {
		before := math.Floor(total/unit) * unit
		for i := from; i <= to; i++ {
			total += v[i]
		}
		gained := math.Floor(total/unit+1e-9)*unit - before
		start := c.w.b.At(from)
		length := float64(c.w.b.At(to+1) - start)
		for i := from; i <= to; i++ {
			out[i] = gained * float64(c.w.b.At(i+1)-c.w.b.At(i)) / length
		}
		from = to + 1
	}
	return out
}

// held is a level at readings, which samples until then have.
func (c *recording) held(reads []int, of func(t int64) float64) []float64 {
	all := make([]float64, c.n)
	from := 0
	for _, to := range reads {
		x := of(c.w.from + c.w.b.At(to+1))
		for i := from; i <= to; i++ {
			all[i] = x
		}
		from = to + 1
	}
	out := make([]float64, 0, len(c.rows))
	for _, i := range c.rows {
		out = append(out, all[i])
	}
	return out
}

// sensors are read ten times a second at most.
func (c *recording) sensors(meta func(name, title, unit, block string) capture.Meta) []*capture.Counter {
	var out []*capture.Counter
	m := c.x.m
	slow := *c
	slow.slow = max(c.slow, 100e6)
	reads := slow.reads()
	reading := func(t int64) tickReading {
		i := min(max(0, int(t/tickNs)-1), len(c.w.ticks)-1)
		return c.w.ticks[i]
	}
	gauge := func(mt capture.Meta, of func(t int64) float64) *capture.Counter {
		mt.Kind = capture.Gauge
		return &capture.Counter{Meta: mt, Axis: c.axis, Col: capture.NewColumn(capture.Data{F: c.held(reads, of)})}
	}
	if c.k.Chance(0.85) {
		whole := &capture.Counter{Meta: meta("cpu_frequency", "CPU frequency", "Hz", "cpu"), Axis: c.axis}
		whole.Kind, whole.Combine = capture.Gauge, capture.CombineMean
		for cpu, d := range m.cpus {
			mt := whole.Meta
			mt.Instance = strconv.Itoa(cpu)
			whole.Instances = append(whole.Instances, gauge(mt, func(t int64) float64 {
				x := reading(t)
				share := x.share
				if m.kind <= desktop && !x.busyCPU[cpu] { // an idle core's clock is reported low there
					share = max(d.minHz/d.maxHz, share*0.35)
				}
				return math.Round(d.maxHz*share/1e5) * 1e5
			}))
		}
		out = append(out, whole)
	}
	out = append(out, gauge(meta("load_1m", "Load average (1 min)", "", "scheduler"), func(int64) float64 { return 1.5 }))
	for _, x := range []struct {
		name, title string
		v           float64
	}{{"mem_total", "Memory", m.memTotal}, {"mem_available", "Memory available", m.memFree}} {
		mt := meta(x.name, x.title, "bytes", "memory")
		mt.Integral = true
		v := math.Floor(x.v/4096) * 4096
		out = append(out, gauge(mt, func(int64) float64 { return v }))
	}
	if m.kind != neoverse && c.k.Chance(0.85) {
		step := 1.0
		if m.kind == board {
			step = 0.55
		}
		heat := func(t int64) float64 { return math.Floor(reading(t).heat/step) * step }
		mt := meta("temperature", "Temperature", "celsius", "thermal")
		mt.Combine = capture.CombineMax
		switch m.kind {
		case desktop: // Linux has no thermal zone of these, but a chip that it monitors
			mt = meta("hwmon_k10temp_Tctl", "k10temp Tctl", "celsius", "hwmon")
			mt.Combine = capture.CombineMax
			out = append(out, gauge(mt, func(t int64) float64 { return math.Floor(reading(t).heat*8) / 8 }))
		default:
			whole := &capture.Counter{Meta: mt, Axis: c.axis}
			whole.Kind = capture.Gauge
			zone := "x86_pkg_temp"
			if m.kind == board {
				zone = "cpu-thermal"
			}
			mt.Instance = zone
			whole.Instances = append(whole.Instances, gauge(mt, heat))
			out = append(out, whole)
		}
	}
	return out
}
