package intel

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/metrics"
	"astrolabe/capture/simulate"
)

// Counters of a report, by place.
const (
	firstA = 0
	firstB = 38
	firstC = firstB + 8
	raws   = firstC + 8
)

func rawName(i int) string {
	switch {
	case i >= firstC:
		return fmt.Sprint("C", i-firstC)
	case i >= firstB:
		return fmt.Sprint("B", i-firstB)
	}
	return fmt.Sprint("A", i)
}

var readings = regexp.MustCompile(`([ABC]) (\d+) READ`)

// readsOf are the counters that a formula reads itself.
func readsOf(expr string) (out []int) {
	for _, m := range readings.FindAllStringSubmatch(expr, -1) {
		n, _ := strconv.Atoi(m[2])
		if i := n + map[string]int{"A": firstA, "B": firstB, "C": firstC}[m[1]]; !slices.Contains(out, i) {
			out = append(out, i)
		}
	}
	return out
}

// value is how much a counter counts in a sample.
type value func(t *tally) float64

func of(q quantity) value { return func(t *tally) float64 { return t[q] } }

func times(by float64, q quantity) value { return func(t *tally) float64 { return by * t[q] } }

func sum(q quantity) value { return func(t *tally) float64 { return t[q] + t[q+1] + t[q+2] } }

func mixed(a, b quantity, share float64) value {
	return func(t *tally) float64 { return t[a] + share*t[b] }
}

// fixed are the counters A that count the same with every set.
func fixed() map[int]value {
	out := map[int]value{0: of(qBusy), 1: of(qThreads), 4: of(qThreads + 2), 6: of(qThreads + 1), 28: of(qTexels), 29: of(qMisses),
		30: times(0.6, qLocal), 31: times(0.4, qLocal), 32: of(qAccess), 33: times(0.3, qAccess), 34: of(qAtomics), 35: of(qBarriers)}
	for i := range 7 {
		out[21+i] = of(qPixels + quantity(i))
	}
	return out
}

func at(q quantity, u unit) quantity { return q + quantity(u-arith) }

func in(q quantity, s stage) quantity { return q + quantity(s) }

// whole are what metrics of sets need their counters to count together, by symbols, where that is of the whole GPU.
var whole = map[string]value{"EuActive": of(qActive), "XveActive": of(qActive), "EuStall": of(qStall), "XveStall": of(qStall),
	"EuThreadOccupancy": times(1.0/8, qSlots), "XveThreadOccupancy": times(1.0/8, qSlots),
	"XveFpuEmActive": of(qPair), "EuFpuEmActive": of(qPair), "FpuActive": sum(qFirst), "EmActive": sum(qSecond), "EuSendActive": sum(qSend),
	"VsFpuActive": of(qFirst), "PsFpuActive": of(qFirst + 1), "CsFpuActive": of(qFirst + 2),
	"VsEmActive": of(qSecond), "PsEmActive": of(qSecond + 1), "CsEmActive": of(qSecond + 2),
	"VsSendActive": of(qSend), "PsSendActive": of(qSend + 1), "CsSendActive": of(qSend + 2),
	"RenderBusy": of(qRender), "ComputeBusy": of(qCompute), "BlitterBusy": of(qCopy), "RenderAndComputeBusy": of(qBoth), "AnyEngineBusy": of(qAny)}

// signals are the same of one of several like units, whose number is left out, and of stages of the pipe. Threads wait for
// a header a few clocks each.
var signals = map[string]value{
	"SamplerBusy": of(at(qUsed, texture)), "SamplerBottleneck": of(at(qFull, texture)),
	"SamplerInputAvailable": of(at(qWaiting, texture)), "SamplerOutputReady": times(0.85, at(qUsed, texture)),
	"L30BankInputAvailable": of(at(qWaiting, cache)), "L30BankOutputReady": times(0.85, at(qUsed, cache)),
	"NonSamplerShaderAccessStalledOnL3": of(at(qFull, cache)), "GTRequestQueueFull": of(at(qFull, memory)),
	"VfBottleneck": of(in(qNeck, fetching)), "VsBottleneck": of(in(qNeck, vertices)), "ClBottleneck": of(in(qNeck, clipping)),
	"SfBottleneck": of(in(qNeck, settingUp)), "HiDepthBottleneck": of(in(qNeck, coarseTests)),
	"ClStall": of(in(qHeld, clipping)), "SfStall": of(in(qHeld, settingUp)),
	"PolyDataReady":             mixed(in(qHeld, settingUp), in(qWorks, settingUp), 0.5),
	"Rasterizer0InputAvailable": mixed(in(qWorks, rasterizing), in(qHeld, rasterizing), 1),
	"Rasterizer0OutputReady":    mixed(in(qHeld, rasterizing), in(qWorks, rasterizing), 0.3),
	"PixelDataReady":            mixed(in(qHeld, earlyTests), in(qWorks, earlyTests), 0.3),
	"PSOutputAvailable":         of(in(qWorks, blending)), "PixelValuesReady": times(0.6, in(qWorks, blending)),
	"PSThreadReadyForDispatch": of(qWaitsPS), "NonPSThreadReadyForDispatch": of(qWaitsRest)}

// numbered is the number of a unit in symbols such as Sampler03Busy or L30Bank4OutputReady.
var numbered = regexp.MustCompile(`^(Sampler|NonPSThread|PSThread|NonSamplerShader|PixelValues|PSOutput|PixelData|GTRequestQueue|ThreadHeader|L30Bank)(\d+)`)

// symbol is what a metric of a set needs its counters to count together; nil where it is nothing that happens here.
func symbol(name string, m *machine, seed uint64) value {
	if v := whole[name]; v != nil {
		return v
	}
	line, more := 64.0, 1.0
	if m.discrete {
		line = 128
	}
	q := qWrite
	switch name {
	case "GtiReadThroughput":
		if q = qRead; !m.discrete { // the processor's last cache answers some, and the interface counts them too
			more += simulate.NewRandom(seed, "last level cache").Between(0.02, 0.25)
		}
		fallthrough
	case "GtiWriteThroughput":
		return func(t *tally) float64 { return min(0.99*t[qClock]*m.reads/line, t[q]*more/line) }
	}
	n := numbered.FindStringSubmatch(name)
	if n != nil {
		name = n[1] + strings.TrimPrefix(name, n[0])
	}
	v := signals[name]
	if strings.HasPrefix(name, "ThreadHeaderReady") {
		by := 8 / float64(m.cores)
		if name != "ThreadHeaderReady" { // one of four ports
			by /= 4
		}
		v = func(t *tally) float64 { return by * sum(qThreads)(t) }
	}
	if v == nil {
		return nil
	}
	// Like units have a little more or less to do, and signals flicker.
	r := simulate.NewRandom(seed, fmt.Sprint("unit ", n))
	by, flicker := r.Between(0.93, 1.06), r.Between(0.001, 0.01)
	return func(t *tally) float64 { return min(t[qClock], by*v(t)+flicker*t[qBusy]) }
}

// testShares are how much of the clocks the counters B of the set TestOa count, by which a reader tests itself.
var testShares = [8]float64{0, 1, 1, 1.0 / 2, 1.0 / 3, 1.0 / 3, 1.0 / 6, 2.0 / 3}

// count makes counters of reports of what rounds saw: those that always count the same, and those that a metric set
// programs, found by the symbols and formulas of the set.
func count(m *machine, seed uint64, axis *capture.Axis, list []*round, o simulate.Options) ([]*capture.Counter, error) {
	cols := simulate.NewColumns(axis)
	add := func(name, unit string) int {
		return cols.Counter(capture.Meta{Name: name, Kind: capture.Delta, Unit: unit, Block: "OA", GPU: m.product, Source: "i915perf"})
	}
	stamp, ticks := add("TIMESTAMP", "ticks"), add("GPU_TICKS", "cycles")
	place := map[int]int{}
	for i := range raws {
		if i < firstB-2 || i >= firstB || m.discrete { // reports of DG2 have A36 and A37 too
			place[i] = add(rawName(i), "")
		}
	}
	cat, err := metrics.Get(m.product)
	if err != nil {
		return nil, err
	}
	for _, x := range list {
		var values [raws]value
		var share [raws]float64
		for i, v := range fixed() {
			values[i], share[i] = v, 1
		}
		for _, e := range cat.Entries() {
			if e.Set != x.set || e.Symbol == "EuAvgIpcRate" {
				continue
			}
			v, reads := symbol(e.Symbol, m, seed), readsOf(e.Expr)
			for _, i := range reads {
				if v == nil {
					break
				}
				values[i], share[i] = v, 1
				if !strings.Contains(e.Expr, fmt.Sprint(len(reads), " FDIV")) { // they add up to it
					share[i] = 1 / float64(len(reads))
				}
			}
		}
		if x.set.Name == "TestOa" {
			for i, part := range testShares {
				values[firstB+i], share[firstB+i] = of(qClock), part
			}
		}
		b := x.s.rec.bounds
		for _, row := range x.rows {
			t := x.s.rec.row(row)
			cols.Add(stamp, float64(b.At(row+1)-b.At(row))*m.timestamp/1e9)
			cols.Add(ticks, t[qClock])
			clocks := cols.Last(ticks)
			for i := range raws {
				to, there := place[i]
				if !there {
					continue
				}
				n := 0.0
				if values[i] != nil {
					n = share[i] * values[i](t)
				}
				cols.Add(to, n)
				switch {
				case i == 0 || i >= firstB:
					cols.Limit(to, clocks)
				case i >= 7 && i <= 20: // of all EUs
					cols.Limit(to, clocks*uint64(m.eus))
				case i == 29:
					cols.Limit(to, cols.Last(place[28]))
				}
			}
		}
	}
	return cols.Counters(append(withheld(cat, list, o.Withheld), o.Without...)), nil
}
