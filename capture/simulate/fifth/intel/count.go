package intel

import (
	"math"
	"slices"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
)

const source = "i915-perf"

// count makes the counters of reports. turn says which set a row was measured with.
func (m *machine) count(cols *simulate.Columns, rec *recorder, rows, turn []int, sets []string, names *[]string, hidden []string,
	mask uint64) {
	meta := func(name, unit string) capture.Meta {
		return capture.Meta{Name: name, Unit: unit, Kind: capture.Delta, GPU: m.id, Source: source, Block: "OA"}
	}
	stamp := cols.Counter(meta("TIMESTAMP", "ticks"))
	ticks := cols.Counter(meta("GPU_TICKS", "cycles"))
	at := map[string]int{}
	for _, f := range fixed {
		at[f.name] = cols.Counter(meta(f.name, ""))
	}
	type use struct {
		routed
		tally, instance int
	}
	by := make([][]use, len(sets))
	var order []string
	for k, set := range sets {
		for _, x := range routes(tables[m.set+"/"+set]) {
			tally, instance, _ := tallyOf(x.symbol)
			by[k] = append(by[k], use{x, tally, instance})
			leave := slices.ContainsFunc(hidden, func(h string) bool { return strings.HasPrefix(x.symbol, h) })
			for _, c := range x.counters {
				if _, ok := at[c]; !ok {
					at[c] = -1
					order = append(order, c)
				}
				if leave && !slices.Contains(*names, c) {
					*names = append(*names, c)
				}
			}
		}
	}
	slices.SortFunc(order, func(a, b string) int {
		if a[0] != b[0] {
			return int(a[0]) - int(b[0])
		}
		if len(a) != len(b) {
			return len(a) - len(b)
		}
		return strings.Compare(a, b)
	})
	for _, c := range order {
		at[c] = cols.Counter(meta(c, ""))
	}
	bytes := 64.0
	if m.set != "tgl" {
		bytes = 128
	}
	tick := int64(0)
	for i, row := range rows {
		s := rec.row(row)
		end := int64(math.Round(float64(rec.bounds.At(row+1)) / 1e9 * m.stampHz))
		if i == 0 || rows[i-1] != row-1 {
			tick = int64(math.Round(float64(rec.bounds.At(row)) / 1e9 * m.stampHz))
		}
		cols.Whole(stamp, float64(end-tick))
		tick = end
		cols.Add(ticks, s[tTicks])
		most := cols.Last(ticks)
		for _, f := range fixed {
			cols.Add(at[f.name], s[f.tally])
		}
		cols.Limit(at["A0"], most)
		for _, sub := range [][2]string{{"A27", "A26"}, {"A29", "A28"}, {"A33", "A32"}, {"A22", "A21"}} {
			cols.Limit(at[sub[0]], cols.Last(at[sub[1]]))
		}
		done := map[string]bool{}
		for _, u := range by[turn[i]] {
			v := s[u.tally]
			each := float64(most)
			switch {
			case u.tally == tSlots:
				v, each = v/8, v
			case u.tally >= tActive && u.tally < tThreads:
				each = math.Floor(float64(most) * float64(m.eus) / float64(len(u.counters)))
			case u.tally == tRead || u.tally == tWrite:
				v, each = v/bytes, 1e18
			case m.absent(mask, u.symbol, u.instance):
				v = 0
			default:
				v *= m.lean[u.instance%8]
			}
			for n, c := range u.counters {
				part := v
				if u.tally < tSmpBusy {
					part /= float64(len(u.counters))
				} else if len(u.counters) > 1 { // queues of one bank
					part *= m.lean[(u.instance+n)%8] / m.lean[u.instance%8]
					if strings.Contains(u.symbol, "OutputReady") {
						part = min(part*1.2, each)
					}
				}
				cols.Add(at[c], part)
				if u.tally == tSlots {
					each = math.Floor(float64(most) * float64(m.eus) * m.threads / 8 / float64(len(u.counters)))
				}
				cols.Limit(at[c], uint64(max(0, each)))
				done[c] = true
			}
		}
		for _, c := range order { // what another set counts, this one leaves alone
			if !done[c] {
				cols.Add(at[c], 0)
			}
		}
	}
}

// absent reports whether a counter is of a subslice that is fused off.
func (m *machine) absent(mask uint64, symbol string, instance int) bool {
	if m.set != "tgl" {
		return false
	}
	for _, of := range []string{"Sampler", "NonSampler", "NonPS", "PSThread", "ThreadHeader"} {
		if strings.HasPrefix(symbol, of) {
			return mask>>instanceOfCore(symbol)&1 == 0
		}
	}
	return false
}

// instanceOfCore is the number of the subslice in a symbol such as ThreadHeader02ReadyPort3.
func instanceOfCore(symbol string) int {
	for i := 0; i+1 < len(symbol); i++ {
		if symbol[i] == '0' {
			return int(symbol[i+1] - '0')
		}
	}
	return 0
}
