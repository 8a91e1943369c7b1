package mali

import (
	"math"
	"slices"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
)

// beside makes what a recorder reads beside the GPU's blocks: gauges of the driver, and of the processor where it is
// measured. Linux tells times in hundredths of a second.
func (x *caseOf) beside(axis *capture.Axis, rows []int, rec *recorder, o simulate.Options, left []string) []*capture.Counter {
	r, c := simulate.NewRandom(x.seed, "seventh mali beside "+x.kind), x.chip
	cols := simulate.NewColumns(axis)
	clock := cols.Gauge(capture.Meta{Name: "gpu_frequency", Title: "GPU frequency", Unit: "Hz", Block: "gpu", Source: "kbase"})
	heat := cols.Gauge(capture.Meta{Name: "gpu_temperature", Title: "GPU temperature", Unit: "celsius", Block: "gpu", Source: "kbase"})
	var last row
	last.share, last.heat = c.steps[x.load.gov.start], x.load.gov.degrees
	shown := last.heat
	for k, i := range rows {
		if i < len(rec.rows) && rec.rows[i].share > 0 {
			last = rec.rows[i]
		}
		cols.Set(clock, math.Round(c.hz*last.share/1e6)*1e6)
		if k%20 == 0 { // sensors are slow
			shown = math.Round(last.heat*10) / 10
		}
		cols.Set(heat, shown)
	}
	host := o.Host.Of(r.Chance(0.6))
	has := x.load.gov.heat || r.Chance(0.5)
	drop := slices.Clone(left)
	if !has {
		drop = append(drop, "gpu_temperature")
	}
	out := cols.Counters(drop)
	if host {
		out = append(out, x.processors(axis, rows, rec, r, left)...)
	}
	return out
}

// processors are the counters of eight cores: the application's and the driver's threads have one each, the rest runs
// the application's workers and what else there is.
func (x *caseOf) processors(axis *capture.Axis, rows []int, rec *recorder, r simulate.Random, left []string) (out []*capture.Counter) {
	const cpus = 8
	const tick = 1e7 // ns
	names := []string{"cpu_user", "cpu_system", "cpu_idle", "cpu_iowait"}
	cols := simulate.NewColumns(axis)
	meta := func(name, unit, block string) capture.Meta {
		return capture.Meta{Name: name, Unit: unit, Block: block, Source: "procfs"}
	}
	at := map[string]int{}
	for _, n := range []string{"ctxt"} {
		at[n] = cols.Counter(meta(n, "switches", "scheduler"))
	}
	app, driver := r.Whole(4, 6), 7
	if x.load.threads == 1 {
		driver = app
	}
	kernel := r.Between(0.25, 0.6) // share of the driver's time that is in the kernel
	var exact, told [cpus][4]float64
	values := [cpus][4][]uint64{}
	for k, i := range rows {
		ns := float64(axis.End[k] - axis.Start[k])
		var thread [2]float64
		if i < len(rec.rows) {
			thread = rec.rows[i].thread
		}
		switches := 4 + (thread[0]+thread[1])/4e5 + r.Between(0, 6)
		for cpu := range cpus {
			var user, system float64
			if cpu == app {
				user += thread[0] * 0.96
				system += thread[0] * 0.04
			}
			if cpu == driver {
				user += thread[1] * (1 - kernel)
				system += thread[1] * kernel
			}
			if cpu != app && cpu != driver {
				user += thread[0] * x.load.shares[0] * r.Between(0.6, 1)
				user += ns * x.load.shares[1] * r.Between(0, 2)
				system += ns * x.load.shares[1] * r.Between(0, 0.6)
			}
			if all := user + system; all > ns {
				user, system = user*ns/all, system*ns/all
			}
			switches += user / 2e6
			for f, v := range []float64{user, system, ns - user - system, 0} {
				exact[cpu][f] += v
				now := math.Floor(exact[cpu][f]/tick) * tick
				values[cpu][f] = append(values[cpu][f], uint64(now-told[cpu][f]))
				told[cpu][f] = now
			}
		}
		cols.Add(at["ctxt"], switches)
	}
	for f, name := range names {
		if slices.Contains(left, name) {
			continue
		}
		m := meta(name, "ns", "cpu")
		whole := &capture.Counter{Meta: m, Axis: axis}
		for cpu, id := range simulate.Numbers(cpus) {
			m.Instance = id
			whole.Instances = append(whole.Instances, &capture.Counter{Meta: m, Axis: axis,
				Col: capture.NewColumn(capture.Data{U: values[cpu][f]})})
		}
		out = append(out, whole)
	}
	return append(out, cols.Counters(left)...)
}
