package perfstat

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"astrolabe/capture"
)

// Processors with several kinds of cores have a PMU for each, and perf counts an event on each: cpu_core/cycles/ and
// cpu_atom/cycles/. What the program, or the machine, did is their sum.

// corePMUs are the PMUs of cores by their names in /sys/bus/event_source/devices on x86, coreFamilies what those of other
// processors begin with: armv8_pmuv3_0, armv8_cortex_a76, apple_firestorm_pmu.
var (
	corePMUs     = []string{"cpu", "cpu_core", "cpu_atom", "cpu_lowpower"}
	coreFamilies = []string{"armv7_", "armv8_", "armv9_", "apple_"}
)

func isCorePMU(name string) bool {
	begins := func(family string) bool { return strings.HasPrefix(name, family) }
	return slices.Contains(corePMUs, name) || slices.ContainsFunc(coreFamilies, begins)
}

// spared is the share of the cycles that kinds of cores may have at most which do not count an event: what the others
// count, such as the slots of the large cores, is then that of the program. Ours.
const spared = 0.25

// coreEvent divides the name of an event of a core's PMU, such as cpu_core/cycles/u, into the PMU and the plain name,
// cycles:u.
func coreEvent(event string) (pmu, plain string, ok bool) {
	pmu, rest, _ := strings.Cut(event, "/")
	name, mode, ok := strings.Cut(rest, "/")
	if !ok || name == "" || strings.ContainsAny(name, ",=") || !isCorePMU(pmu) {
		return "", "", false
	}
	if mode = strings.TrimPrefix(mode, ":"); mode != "" {
		name += ":" + mode
	}
	return pmu, name, true
}

// overKinds are series of the plain names of events that were counted on the PMUs of cores: the sums over all kinds of
// cores that ran. Where one kind that did much of the work does not count an event there is no sum, because it would not
// be that of the program.
func (b *builder) overKinds() (out []*series) {
	ran, counts := map[string]bool{}, map[string]map[string]bool{} // by PMU; by event and PMU
	cycles := map[string]float64{}                                 // by PMU
	for _, s := range b.order {
		pmu, plain, ok := coreEvent(s.event)
		if !ok {
			continue
		}
		if counts[plain] == nil {
			counts[plain] = map[string]bool{}
		}
		counts[plain][pmu] = true
		ran[pmu] = ran[pmu] || slices.ContainsFunc(s.values, func(v string) bool {
			f, err := number(v)
			return err == nil && f > 0
		})
		if name, _ := modifiers(plain); slices.Contains(cycleNames, name) {
			cycles[pmu] += s.amount()
		}
	}
	sums := map[key]*series{}
	for _, s := range b.order {
		pmu, plain, ok := coreEvent(s.event)
		k := key{plain, s.instance}
		if !ok || b.seen[key{plain, ""}] > 0 || b.seen[k] > 0 || !countsMost(counts[plain], ran, cycles) {
			continue
		}
		if len(ran) > 1 && !ran[pmu] && anyRan(ran) {
			continue // a kind of core that did nothing
		}
		if sums[k] == nil {
			sums[k] = &series{key: k, unit: s.unit}
			out = append(out, sums[k])
		}
		sums[k].kinds = append(sums[k].kinds, s)
	}
	b.dropIdle(ran)
	return out
}

// dropIdle leaves out the events of kinds of cores on which nothing ran, none of which has a count.
func (b *builder) dropIdle(ran map[string]bool) {
	dropped := map[string]int{}
	b.order = slices.DeleteFunc(b.order, func(s *series) bool {
		pmu, _, ok := coreEvent(s.event)
		counted := slices.ContainsFunc(s.values, func(v string) bool { return v != notCounted })
		if !ok || ran[pmu] || !anyRan(ran) || counted {
			return false
		}
		dropped[pmu]++
		return true
	})
	for _, pmu := range slices.Sorted(maps.Keys(dropped)) {
		b.warn = append(b.warn, fmt.Sprintf("nothing ran on the cores of %s: its %d events, which were not counted, are left out",
			pmu, dropped[pmu]))
	}
}

// cycleNames are what perf calls cycles of cores.
var cycleNames = []string{"cycles", "cpu-cycles", "cpu_cycles"}

// amount is the sum of what was counted.
func (s *series) amount() (sum float64) {
	for _, text := range s.values {
		if f, err := number(text); err == nil {
			sum += f
		}
	}
	return sum
}

// countsMost reports whether an event was counted on every kind of core that ran, but for those that had few of the
// cycles.
func countsMost(counted, ran map[string]bool, cycles map[string]float64) bool {
	all, without := 0.0, 0.0
	for pmu, did := range ran {
		if did && !counted[pmu] && cycles[pmu] == 0 {
			return false
		}
		all += cycles[pmu]
		if !counted[pmu] {
			without += cycles[pmu]
		}
	}
	return without <= spared*all
}

func anyRan(ran map[string]bool) bool {
	for _, did := range ran {
		if did {
			return true
		}
	}
	return false
}

// sum makes the counter of a series that is the sum of others.
func (s *series) sum(axis *capture.Axis) *capture.Counter {
	n := axis.Len()
	out := &capture.Counter{Axis: axis, Meta: capture.Meta{Name: s.event, Unit: s.unit, Source: "perf stat"}}
	var of []string
	for _, k := range s.kinds {
		of = append(of, k.event)
	}
	if len(of) > 1 {
		out.Doc = "The sum of " + strings.Join(of, " and ") + "."
	} else {
		out.Reasons = s.kinds[0].reasons(n)
	}
	for _, k := range s.kinds {
		if c := k.counters(axis)[0]; len(c.Warnings) > 0 {
			out.Warnings = append(out.Warnings, c.Warnings...)
		}
	}
	out.Col = capture.LazyColumn(n, func() (capture.Data, error) { return s.added(n), nil })
	return out
}

// added are the values of a sum: exact where all of its parts are. A sample has one where any part has.
func (s *series) added(n int) capture.Data {
	u, f := make([]uint64, n), make([]float64, n)
	valid := capture.Bitmap{Bits: make([]byte, (n+7)/8)}
	whole := true
	for i := range f {
		f[i] = math.NaN()
	}
	for _, k := range s.kinds {
		d := k.column(k.values, n)
		if d.U == nil {
			whole = false
		}
		for i, x := range d.Floats() {
			if math.IsNaN(x) {
				continue
			}
			if whole {
				if u[i]+d.U[i] < u[i] {
					whole = false
				}
				u[i] += d.U[i]
				valid.Bits[i>>3] |= 1 << (i & 7)
			}
			if math.IsNaN(f[i]) {
				f[i] = 0
			}
			f[i] += x
		}
	}
	if whole {
		return capture.Data{U: u, Valid: valid}
	}
	return capture.Data{F: f}
}
