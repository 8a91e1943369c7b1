package cpu

import (
	"math"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
)

// event is one of perf's, with its value in a sample.
type event struct {
	name, title, unit, block string
	of                       func(x *tally) float64
}

// over adds up what instructions of each mix make.
func (r *recording) over(of func(x *mix) float64) func(*tally) float64 {
	return func(t *tally) (sum float64) {
		for i, n := range t.instr {
			if n > 0 {
				sum += n * of(&r.mixes[i])
			}
		}
		return sum
	}
}

func add(v []float64) (sum float64) {
	for _, x := range v {
		sum += x
	}
	return sum
}

// perf adds the program's events. Where they are more than the processor has counters for, groups of them take turns.
func (r *recording) perf() {
	m, rnd := r.s.m, r.rnd
	instructions := func(t *tally) float64 { return add(t.instr) }
	cycles := func(t *tally) float64 { return add(t.cycles) }
	ran := func(t *tally) float64 { return add(t.ran) }
	groups := [][]event{{
		{"cycles", "CPU cycles", "cycles", "core", cycles},
		{"instructions", "Instructions", "instructions", "core", instructions},
		{"branches", "Branches", "branches", "core", r.over(func(x *mix) float64 { return x.branches })},
		{"branch_misses", "Branch misses", "branches", "core", r.over(func(x *mix) float64 { return x.branches * x.wrong })},
	}, {
		{"cache_references", "Cache references", "accesses", "core", r.over(func(x *mix) float64 { return x.llc })},
		{"cache_misses", "Cache misses", "accesses", "core", r.over(func(x *mix) float64 { return min(x.misses, 0.97*x.llc) })},
	}}
	fixed := 0 // events that have counters of their own
	if m.maker != arm {
		groups[0] = append(groups[0], event{"ref_cycles", "Reference cycles", "cycles", "core", func(t *tally) float64 { return ran(t) * m.nominal }})
		fixed = 3
	}
	if rnd.Chance(0.7) {
		slots := r.slots()
		groups = append(groups, slots)
		if m.maker == intel {
			fixed += len(slots)
		}
	}
	if rnd.Chance(0.4) {
		groups = append(groups, []event{
			{"L1_dcache_loads", "L1 dcache loads", "accesses", "cache", r.over(func(x *mix) float64 { return x.loads })},
			{"L1_dcache_load_misses", "L1 dcache load misses", "accesses", "cache", r.over(func(x *mix) float64 { return min(x.l1, x.loads) })},
		}, []event{
			{"dTLB_loads", "dTLB loads", "accesses", "cache", r.over(func(x *mix) float64 { return x.loads })},
			{"dTLB_load_misses", "dTLB load misses", "accesses", "cache", r.over(func(x *mix) float64 { return x.dtlb })},
			{"iTLB_load_misses", "iTLB load misses", "accesses", "cache", r.over(func(x *mix) float64 { return x.itlb })},
		})
		if m.maker != amd {
			groups = append(groups, []event{
				{"LLC_loads", "LLC loads", "accesses", "cache", r.over(func(x *mix) float64 { return x.llc * 0.8 })},
				{"LLC_load_misses", "LLC load misses", "accesses", "cache", r.over(func(x *mix) float64 { return min(x.misses, 0.97*x.llc) * 0.8 })},
			})
		}
	}
	needed := -fixed
	for _, g := range groups {
		needed += len(g)
	}
	turns := 1
	if needed > m.slots {
		turns = min(len(groups), (needed+m.slots-1)/m.slots)
	}
	r.counted(groups, turns)
	software := func(name, title, unit string, of func(i int) float64) {
		r.delta(name, title, unit, "software", "perfevent", 1, of)
	}
	all := r.tallies.all
	software("task_clock", "Task clock", "ns", func(i int) float64 { return ran(&all[i]) })
	software("cpu_clock", "CPU clock", "ns", func(i int) float64 { return ran(&all[i]) * 1.0004 })
	software("context_switches", "Context switches", "switches", func(i int) float64 {
		return all[i].switches + r.others[i]*ran(&all[i]) + all[i].crowded/4e6
	})
	software("cpu_migrations", "CPU migrations", "migrations", func(i int) float64 { return all[i].migrations })
	minor := rnd.Log(2e-7, 2e-5) // per ns
	var faults []float64
	for i := range all {
		faults = append(faults, math.Floor(ran(&all[i])*minor*rnd.Spread(0.5)))
	}
	software("page_faults", "Page faults", "faults", func(i int) float64 { return faults[i] })
	software("minor_faults", "Minor faults", "faults", func(i int) float64 { return faults[i] })
	software("major_faults", "Major faults", "faults", func(int) float64 { return 0 })
}

// slots are the events that account for a core's slots, of each maker. Costs become slots by the width; what they do
// not explain the back end held up.
func (r *recording) slots() []event {
	m := r.s.m
	w := m.width
	const uops = 1.08
	total := func(t *tally) float64 { return add(t.cycles) * w }
	retired := func(t *tally) float64 { return add(t.instr) * uops }
	rest := func(t *tally) float64 { return max(0, total(t)-retired(t)) }
	bad := func(t *tally) float64 { return min(rest(t)*0.9, add(t.branch)*w*r.badOff) }
	front := func(t *tally) float64 { return min(rest(t)-bad(t), (add(t.front)+0.01*add(t.cycles))*w*r.frontOff) }
	back := func(t *tally) float64 { return max(0, rest(t)-bad(t)-front(t)) }
	memory := func(t *tally) float64 { return min(back(t)*0.97, (add(t.memory)*w*r.memoryOff)+back(t)*0.05) }
	switch m.maker {
	case intel:
		return []event{
			{"topdown_retiring", "Slots of completed work", "slots", "core", retired},
			{"topdown_bad_spec", "Slots of wrong guesses", "slots", "core", bad},
			{"topdown_fe_bound", "Slots without an instruction", "slots", "core", front},
			{"topdown_be_bound", "Slots held up by the back end", "slots", "core", back},
			{"topdown_mem_bound", "Slots held up by memory", "slots", "core", memory},
		}
	case amd:
		// Half of what a wrong guess costs are slots without operations.
		dispatched := func(t *tally) float64 { return retired(t) + bad(t)*0.55 }
		empty := func(t *tally) float64 { return front(t) + bad(t)*0.45 }
		oldest := func(t *tally) float64 { return min(add(t.cycles), add(t.memory)+0.35*(add(t.cycles)-add(t.memory))) }
		return []event{
			{"amd_ops_dispatched", "Operations dispatched", "operations", "core", dispatched},
			{"amd_ops_retired", "Operations retired", "operations", "core", retired},
			{"amd_slots_without_ops", "Slots without operations", "slots", "core", empty},
			{"amd_slots_held_up", "Slots held up", "slots", "core", back},
			{"amd_cycles_of_the_oldest", "Cycles whose oldest operation is not complete", "cycles", "core", oldest},
			{"amd_cycles_of_loads", "Cycles whose oldest operation is a load", "cycles", "core", func(t *tally) float64 {
				return min(0.98*oldest(t), add(t.memory)*r.memoryOff+0.06*oldest(t))
			}},
		}
	case arm:
		return []event{
			{"stalled_cycles_frontend", "Frontend stall cycles", "cycles", "core", func(t *tally) float64 {
				return min(0.97*add(t.cycles), (add(t.front)+0.7*add(t.branch))*r.frontOff)
			}},
			{"stalled_cycles_backend", "Backend stall cycles", "cycles", "core", func(t *tally) float64 {
				return min(0.97*add(t.cycles)-min(0.97*add(t.cycles), (add(t.front)+0.7*add(t.branch))*r.frontOff),
					add(t.memory)*r.memoryOff+0.25*add(t.core))
			}},
		}
	}
	return []event{
		{"topdown_total_slots", "Slots to issue in", "slots", "core", total},
		{"topdown_slots_issued", "Slots issued", "slots", "core", func(t *tally) float64 { return retired(t) + bad(t)*0.6 }},
		{"topdown_slots_retired", "Slots retired", "slots", "core", retired},
		{"topdown_fetch_bubbles", "Slots without an operation", "slots", "core", front},
		{"topdown_recovery_bubbles", "Slots of recovery", "slots", "core", func(t *tally) float64 { return bad(t) * 0.4 }},
	}
}

// wholes are events of which others count a part.
var wholes = map[string]string{"branches": "instructions", "branch_misses": "branches", "cache_misses": "cache_references",
	"L1_dcache_load_misses": "L1_dcache_loads", "LLC_load_misses": "LLC_loads", "dTLB_load_misses": "dTLB_loads",
	"topdown_mem_bound": "topdown_be_bound", "amd_cycles_of_loads": "amd_cycles_of_the_oldest"}

// rotation is how often the kernel lets the next groups count.
const rotation = 4e6 // ns

// counted adds events. Groups take turns in so many sets; a group counts in its turns only, and the kernel's values
// are scaled by the time that it counted.
func (r *recording) counted(groups [][]event, turns int) {
	all := r.tallies.all
	n := len(all)
	of := capture.TurnWhole
	var share, enabled []*capture.Counter
	for set := range turns {
		if turns > 1 {
			of = "group" + string(rune('0'+set))
		}
		part := make([]float64, n)
		total := make([]uint64, n)
		off := make([]float64, n)
		for i := range n {
			start, end := all[i].start, all[i].end
			total[i] = uint64(end - start)
			part[i], off[i] = 1, 1
			if turns > 1 {
				part[i] = counting(start, end, set, turns) / (end - start)
				// What it did in its turns is not quite what it did in all of the sample.
				off[i] = r.rnd.Spread(0.04 * math.Sqrt(1-part[i]) * max(0, noise(r.o)))
			}
		}
		for g, list := range groups {
			if g%turns != set {
				continue
			}
			made := map[string][]uint64{}
			for _, e := range list {
				c := counted{unit: 1}
				valid := capture.NewBitmap(n)
				var why []capture.ReasonRun
				for i := range n {
					c.add(e.of(&all[i]) * off[i])
					if whole := made[wholes[e.name]]; whole != nil {
						c.values[i] = min(c.values[i], whole[i])
					}
					if part[i] < 0.01 {
						valid.Clear(i)
						why = append(why, capture.ReasonRun{From: i, To: i + 1, Reason: capture.Reason{Code: capture.NotScheduled}})
					}
				}
				made[e.name] = c.values
				d := capture.Data{U: c.values}
				if why != nil {
					d.Valid = valid
				}
				r.add(&capture.Counter{Meta: capture.Meta{Name: e.name, Title: e.title, Unit: e.unit, Block: e.block, Source: "perfevent", TurnOf: of},
					Col: capture.NewColumn(d), Reasons: why})
			}
		}
		percent := make([]float64, n)
		for i := range n {
			if percent[i] = 100 * part[i]; part[i] < 0.01 {
				percent[i] = 0
			}
		}
		name := ""
		if turns > 1 {
			name = of
		}
		share = append(share, &capture.Counter{Meta: capture.Meta{Name: capture.TurnShare, Title: "Counter coverage", Unit: "percent", Kind: capture.Gauge,
			Block: "core", Source: "perfevent", Combine: capture.CombineMean, Instance: name}, Col: capture.NewColumn(capture.Data{F: percent})})
		enabled = append(enabled, &capture.Counter{Meta: capture.Meta{Name: capture.TurnEnabled, Title: "Counter enabled time", Unit: "ns",
			Block: "core", Source: "perfevent", Combine: capture.CombineMean, Instance: name}, Col: capture.NewColumn(capture.Data{U: total})})
	}
	for _, list := range [][]*capture.Counter{share, enabled} {
		if turns == 1 {
			r.add(list[0])
			continue
		}
		meta := list[0].Meta
		meta.Instance = ""
		r.add(&capture.Counter{Meta: meta, Instances: list})
	}
}

// counting is how long a set counts between two times.
func counting(start, end float64, set, turns int) (sum float64) {
	for k := math.Floor(start / rotation); k*rotation < end; k++ {
		if int(k)%turns == set {
			sum += min(end, (k+1)*rotation) - max(start, k*rotation)
		}
	}
	return sum
}

func noise(o *simulate.Options) float64 {
	if o.Noise == 0 {
		return 1
	}
	return o.Noise
}
