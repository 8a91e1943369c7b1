package cpu

import (
	"fmt"
	"math"
	"sort"
	"strconv"

	"astrolabe/capture"
)

// events adds the counters of perf events.
func (c *recording) events(set []string) {
	m := c.l.m
	var ids []string
	cells := []int{m.cpus()}
	if !c.command {
		cells = nil
		for i := range m.cpuOf {
			ids, cells = append(ids, strconv.Itoa(i)), append(cells, i)
		}
	}
	clock := func(name, title, doc string) {
		var values []capture.Data
		for _, cell := range cells {
			x := c.each(cell, func(v *tally) float64 { return v[kBusy] })
			if !c.command { // whole CPUs: the time that passed
				for i := range x {
					x[i] = float64(c.axis.End[i] - c.axis.Start[i])
				}
			}
			values = append(values, capture.Data{U: wholes(x)})
		}
		c.put(capture.Meta{Name: name, Title: title, Unit: "ns", Doc: doc, Block: "software", GPU: "cpu", Source: "perfevent"},
			ids, values, nil)
	}
	all := m.hardware()
	groups := 1
	if len(set) > m.events && m.family != "hybrid" {
		groups = 2
	}
	turns := make([][]string, groups)
	for g := range groups {
		for _, cell := range cells {
			name := capture.TurnWhole
			switch {
			case !c.command && groups > 1:
				name = fmt.Sprintf("%d/group%d", cell, g)
			case !c.command:
				name = strconv.Itoa(cell)
			case groups > 1:
				name = fmt.Sprintf("group%d", g)
			}
			turns[g] = append(turns[g], name)
		}
	}
	share := c.coverage(groups, len(cells))
	for i, name := range set {
		col := all[name]
		g := 0
		if groups > 1 {
			g = i * groups / len(set)
		}
		c.column(&col, cells, ids, turns[g], share[g])
	}
	clock("task_clock", "Task clock", "Processor time of the measured process. Measured for a whole processor it is simply the time that passed, busy or not.")
	clock("cpu_clock", "CPU clock", "Time on the processor by a high-resolution timer. Measured for a whole processor it is simply the time that passed, busy or not.")
	for _, col := range m.software() {
		c.column(&col, cells, ids, nil, nil)
	}
	if !c.command && m.vendor != "ARM" && c.r.Chance(0.7) {
		c.energy()
	}
	if groups > 1 || c.r.Chance(0.9) {
		c.turnColumns(turns, share)
	}
}

// coverage is the share of each sample in which each group of events counted, by group, cell and sample.
func (c *recording) coverage(groups, cells int) [][][]float64 {
	out := make([][][]float64, groups)
	for g := range out {
		out[g] = make([][]float64, cells)
		for k := range out[g] {
			out[g][k] = make([]float64, len(c.rows))
		}
	}
	for k := range cells {
		for i := range c.rows {
			rest := 1.0
			for g := range groups {
				x := rest
				if g < groups-1 {
					x = rest * c.r.Between(0.4, 0.6)
				}
				out[g][k][i] = x
				rest -= x
			}
		}
	}
	return out
}

// column adds a counter. What counted only a part of the time is scaled up, and an estimate.
func (c *recording) column(col *column, cells []int, ids, turns []string, share [][]float64) {
	m := c.l.m
	meta := col.meta()
	var values []capture.Data
	var names, of []string
	for k, cell := range cells {
		g := 0
		if cell < m.cpus() {
			g = m.cpuOf[cell]
		}
		if col.only >= 0 && g != col.only {
			continue
		}
		kind := &m.groups[g].kind
		x := c.each(cell, func(v *tally) float64 { return col.value(v, kind) })
		if share != nil {
			for i := range x {
				if s := share[k][i]; s < 0.999 {
					x[i] *= max(0, 1+0.1*c.noise*c.r.NormFloat64()*math.Sqrt(1-s))
				}
			}
		}
		values = append(values, capture.Data{U: wholes(x)})
		if ids != nil {
			names = append(names, ids[k])
		}
		if turns != nil {
			of = append(of, turns[k])
		}
	}
	c.put(meta, names, values, of)
}

// turnColumns says how long groups of events counted.
func (c *recording) turnColumns(turns [][]string, share [][][]float64) {
	of := capture.Meta{Name: capture.TurnShare, Title: "Counter coverage", Unit: "percent", Block: "core", GPU: "cpu",
		Source: "perfevent", Kind: capture.Gauge, Combine: capture.CombineMean}
	enabled := capture.Meta{Name: capture.TurnEnabled, Title: "Counter enabled time", Unit: "ns", Block: "core", GPU: "cpu",
		Source: "perfevent", Combine: capture.CombineMean}
	var ids []string
	var shares, times []capture.Data
	for g := range turns {
		for k, name := range turns[g] {
			if name != capture.TurnWhole {
				ids = append(ids, name)
			}
			x := make([]float64, len(c.rows))
			y := make([]float64, len(c.rows))
			for i := range x {
				x[i] = 100 * share[g][k][i]
				y[i] = float64(c.axis.End[i] - c.axis.Start[i])
			}
			if c.command {
				y = c.each(c.l.m.cpus(), func(v *tally) float64 { return v[kBusy] })
			}
			shares = append(shares, capture.Data{F: x})
			times = append(times, capture.Data{U: wholes(y)})
		}
	}
	c.put(of, ids, shares, nil)
	c.put(enabled, ids, times, nil)
}

// sensor is what the clock's log says at a time.
func (c *recording) sensor(at int64) *clockNote {
	log := c.s.clock.log
	i := sort.Search(len(log), func(i int) bool { return log[i].at > at })
	return &log[max(0, i-1)]
}

// energy adds the package's energy, which the first CPU counts.
func (c *recording) energy() {
	x := make([]float64, len(c.rows))
	for i := range x {
		x[i] = c.sensor(c.axis.Start[i]+c.origin).watts * float64(c.axis.End[i]-c.axis.Start[i]) / 1e9
	}
	c.put(capture.Meta{Name: "power/energy-pkg/", Title: "power energy-pkg", Unit: "joules", Block: "power", GPU: "cpu",
		Source: "perfevent", Doc: "Event energy-pkg of the counter unit power, as the kernel names it.",
		Aliases: []string{"power_energy_pkg"}}, []string{"0"}, []capture.Data{{F: x}}, nil)
}
