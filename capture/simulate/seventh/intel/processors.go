package intel

import (
	"math"
	"slices"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
)

// jiffy is the unit of /proc/stat in ns.
const jiffy = 1e7

// statNames are the times of processors that /proc/stat has.
var statNames = []string{"cpu_user", "cpu_nice", "cpu_system", "cpu_idle", "cpu_iowait", "cpu_irq", "cpu_softirq", "cpu_steal"}

const (
	statUser   = 0
	statSystem = 2
	statIdle   = 3
	statSoft   = 6
)

// use is how long a processor ran programs and the kernel in a sample.
type use struct{ user, system, soft float64 }

// processors are the columns of /proc/stat beside the GPU's.
func processors(p *program, list []*round, axis *capture.Axis, seed uint64, o simulate.Options) []*capture.Counter {
	n := p.m.cpus
	r := simulate.NewRandom(seed, "seventh processors")
	driverSystem := r.Between(0.3, 0.6)
	var rows []use // sample by sample, all processors of each
	var switches []float64
	for _, x := range list {
		from := len(rows) / n
		rows = append(rows, make([]use, len(x.rows)*n)...)
		switches = append(switches, make([]float64, len(x.rows))...)
		b := x.s.rec.bounds
		at := map[int]int{} // of a sample: its row
		for i, row := range x.rows {
			at[row] = from + i
		}
		base := r.IntN(n)
		put := func(s spell, system float64) {
			if base = base + map[bool]int{true: 1}[r.Chance(0.02)]; s.to <= s.from {
				return
			}
			cpu := (base + s.thread) % n
			for i := b.Index(int64(s.from)); float64(b.At(i)) < s.to; i++ {
				row, ok := at[i]
				if !ok {
					continue
				}
				ns := max(0, min(s.to, float64(b.At(i+1)))-max(s.from, float64(b.At(i))))
				rows[row*n+cpu].user += ns * (1 - system)
				rows[row*n+cpu].system += ns * system
				if float64(b.At(i)) <= s.from {
					switches[row] += 2
				}
			}
		}
		for _, s := range x.s.rec.spells {
			system := 0.03
			if slices.Contains(x.s.rec.driver, s) {
				system = driverSystem
			}
			put(s, system)
		}
	}
	var sums [8][]float64 // cumulative
	for f := range sums {
		sums[f] = make([]float64, n)
		for cpu := range n {
			sums[f][cpu] = r.Between(0, jiffy)
		}
	}
	cols := make([][][]uint64, len(statNames))
	for f := range cols {
		cols[f] = make([][]uint64, n)
	}
	ctxt := make([]uint64, axis.Len())
	usual, carry := r.Log(300, 4000)*float64(n)/8, 0.0
	for i := range axis.Len() {
		all := float64(axis.End[i] - axis.Start[i])
		for cpu := range n {
			u := rows[i*n+cpu]
			if busy := u.user + u.system; busy > all {
				u.user, u.system = u.user*all/busy, u.system*all/busy
			}
			rest := all - u.user - u.system
			u.user += rest * (p.other.load*0.8 + 0.004)
			u.system += rest * (p.other.load*0.15 + 0.003)
			u.soft = rest * 0.001
			for f, ns := range [...]float64{statUser: u.user, statSystem: u.system, statIdle: all - u.user - u.system - u.soft,
				statSoft: u.soft, 7: 0} {
				before := math.Floor(sums[f][cpu] / jiffy)
				sums[f][cpu] += ns
				cols[f][cpu] = append(cols[f][cpu], uint64(math.Floor(sums[f][cpu]/jiffy)-before)*jiffy)
			}
		}
		x := switches[i] + usual*all/1e9*(1+3*p.other.load) + carry
		ctxt[i] = uint64(x)
		carry = x - float64(ctxt[i])
	}
	left := slices.Clone(o.Without)
	for _, c := range o.Withheld {
		left = append(left, telling[c].raw...)
	}
	var out []*capture.Counter
	ids := simulate.Numbers(n)
	for f, name := range statNames {
		if slices.Contains(left, name) {
			continue
		}
		m := capture.Meta{Name: name, Kind: capture.Delta, Unit: "ns", Block: "cpu", GPU: "cpu", Source: "procfs"}
		whole := &capture.Counter{Meta: m, Axis: axis}
		for cpu, id := range ids {
			own := m
			own.Instance = id
			whole.Instances = append(whole.Instances, &capture.Counter{Meta: own, Axis: axis,
				Col: capture.NewColumn(capture.Data{U: cols[f][cpu]})})
		}
		out = append(out, whole)
	}
	if !slices.Contains(left, "ctxt") {
		out = append(out, &capture.Counter{Meta: capture.Meta{Name: "ctxt", Kind: capture.Delta, Unit: "switches", Block: "scheduler",
			GPU: "cpu", Source: "procfs"}, Axis: axis, Col: capture.NewColumn(capture.Data{U: ctxt})})
	}
	return out
}
