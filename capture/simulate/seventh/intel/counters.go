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

// counting maps what was added up to the counters of reports: those that always count the same, and those that a
// metric set programs, found by the symbols and formulas of the set.
type counting struct {
	m    *machine
	seed uint64
	cols *simulate.Columns
	left []string // counters that are left out
}

// Counters of a report, by place.
const (
	firstA = 0
	firstB = 38
	firstC = firstB + 8
	raws   = firstC + 8
)

// rawNames are their names.
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

// flexible are the first and the last of the counters whose meaning a set chooses.
const flexibleFrom, flexibleTo = 7, 20

// fixed are the counters A that count the same with every set.
func (c *counting) fixed() map[int]value {
	of := func(q quantity) value { return func(t *tally) float64 { return t[q] } }
	out := map[int]value{0: of(qBusy), 1: of(qThreads), 4: of(qThreads + 2), 6: of(qThreads + 1), 28: of(qTexels),
		29: of(qMisses), 32: of(qAccess), 34: of(qAtomics), 35: of(qBarriers),
		30: func(t *tally) float64 { return 0.6 * t[qLocal] }, 31: func(t *tally) float64 { return 0.4 * t[qLocal] },
		33: func(t *tally) float64 { return 0.3 * t[qAccess] }}
	for i := range 7 {
		out[21+i] = of(qPixels + quantity(i))
	}
	return out
}

// kinds are stages of threads in symbols.
var kindNames = []string{"Vs", "Ps", "Cs"}

// unitCount is the number in symbols such as Sampler03Busy or L30Bank4OutputReady.
var unitCount = regexp.MustCompile(`^(Sampler|NonPSThread|PSThread|NonSamplerShader|PixelValues|PSOutput|PixelData|GTRequestQueue|ThreadHeader|L30Bank)(\d+)`)

// symbol is what a metric of a set needs its counters to count together; nil where it is nothing that happens here.
func (c *counting) symbol(name string) value {
	of := func(q quantity) value { return func(t *tally) float64 { return t[q] } }
	sum := func(q quantity) value { return func(t *tally) float64 { return t[q] + t[q+1] + t[q+2] } }
	// A signal of one of several like units: they have a little more or less to do, and signals flicker.
	one := func(at int, least float64, v value) value {
		by := 1 + 0.08*simulate.NewRandom(c.seed, fmt.Sprint("unit ", at)).Between(-1, 1)
		return func(t *tally) float64 { return min(t[qClock], by*v(t)+least*t[qBusy]) }
	}
	at := 0
	if m := unitCount.FindStringSubmatch(name); m != nil {
		at, _ = strconv.Atoi(m[2])
		if m[1] == "L30Bank" {
			at += 20
		}
		name = m[1] + strings.TrimPrefix(name, m[0])
	}
	station := func(q quantity, u unit) quantity { return q + quantity(u-arith) }
	neck := func(s stage) value { return one(0, 0.004, of(qNeck+quantity(s))) }
	stall := func(s stage) value { return one(0, 0.004, of(qHeld+quantity(s))) }
	mixed := func(a, b quantity, share float64) value {
		return func(t *tally) float64 { return t[a] + share*t[b] }
	}
	for k, kind := range kindNames {
		switch name {
		case kind + "FpuActive":
			return of(qFirst + quantity(k))
		case kind + "EmActive":
			return of(qSecond + quantity(k))
		case kind + "SendActive":
			return of(qSend + quantity(k))
		}
	}
	switch name {
	case "EuActive", "XveActive":
		return of(qActive)
	case "EuStall", "XveStall":
		return of(qStall)
	case "EuThreadOccupancy", "XveThreadOccupancy":
		return func(t *tally) float64 { return t[qSlots] / 8 }
	case "XveFpuEmActive", "EuFpuEmActive":
		return of(qPair)
	case "FpuActive":
		return sum(qFirst)
	case "EmActive":
		return sum(qSecond)
	case "EuSendActive":
		return sum(qSend)
	case "SamplerBusy":
		return one(at, 0.002, of(station(qUsed, texture)))
	case "SamplerBottleneck":
		return one(at, 0.003, of(station(qFull, texture)))
	case "SamplerInputAvailable":
		return one(at, 0.01, of(station(qWaiting, texture)))
	case "SamplerOutputReady":
		return one(at, 0.005, func(t *tally) float64 { return 0.85 * t[station(qUsed, texture)] })
	case "L30BankInputAvailable", "L3BankInputAvailable":
		return one(at, 0.01, of(station(qWaiting, cache)))
	case "L30BankOutputReady":
		return one(at, 0.01, func(t *tally) float64 { return 0.85 * t[station(qUsed, cache)] })
	case "NonSamplerShaderAccessStalledOnL3":
		return one(at, 0.004, of(station(qFull, cache)))
	case "GTRequestQueueFull":
		return one(at, 0.002, of(station(qFull, memory)))
	case "GtiReadThroughput":
		return c.interface_(qRead)
	case "GtiWriteThroughput":
		return c.interface_(qWrite)
	case "VfBottleneck":
		return neck(fetching)
	case "VsBottleneck":
		return neck(vertices)
	case "ClBottleneck":
		return neck(clipping)
	case "SfBottleneck":
		return neck(settingUp)
	case "HiDepthBottleneck":
		return neck(coarseTests)
	case "ClStall":
		return stall(clipping)
	case "SfStall":
		return stall(settingUp)
	case "PolyDataReady":
		return one(0, 0.005, mixed(qHeld+quantity(settingUp), qWorks+quantity(settingUp), 0.5))
	case "Rasterizer0InputAvailable":
		return one(0, 0.005, mixed(qWorks+quantity(rasterizing), qHeld+quantity(rasterizing), 1))
	case "Rasterizer0OutputReady":
		return one(0, 0.005, mixed(qHeld+quantity(rasterizing), qWorks+quantity(rasterizing), 0.3))
	case "PixelDataReady":
		return one(at, 0.005, mixed(qHeld+quantity(earlyTests), qWorks+quantity(earlyTests), 0.3))
	case "PSOutputAvailable":
		return one(at, 0.005, of(qWorks+quantity(blending)))
	case "PixelValuesReady":
		return one(at, 0.005, func(t *tally) float64 { return 0.6 * t[qWorks+quantity(blending)] })
	case "PSThreadReadyForDispatch":
		return one(at, 0.01, of(qWaitsPS))
	case "NonPSThreadReadyForDispatch":
		return one(at, 0.01, of(qWaitsRest))
	case "RenderBusy":
		return of(qRender)
	case "ComputeBusy":
		return of(qCompute)
	case "BlitterBusy":
		return of(qCopy)
	case "RenderAndComputeBusy":
		return of(qBoth)
	case "AnyEngineBusy":
		return of(qAny)
	}
	if strings.HasPrefix(name, "ThreadHeaderReady") { // some clocks for each thread
		ports := 1.0
		if strings.Contains(name, "Port") {
			ports = 4
		}
		return one(at, 0, func(t *tally) float64 {
			return (t[qThreads] + t[qThreads+1] + t[qThreads+2]) * 8 / float64(c.m.cores) / ports
		})
	}
	return nil
}

// interface_ are lines that go between the GPU and memory. On Tiger Lake the processor's last cache answers some of the
// reads, which the interface counts all the same.
func (c *counting) interface_(q quantity) value {
	line, more := 64.0, 1.0
	if c.m.discrete {
		line = 128
	} else if q == qRead {
		more = 1 + simulate.NewRandom(c.seed, "last level cache").Between(0.02, 0.25)
	}
	return func(t *tally) float64 { return min(0.99*t[qClock]*c.m.reads/line, t[q]*more/line) }
}

// columns counts what rounds saw.
func (c *counting) columns(list []*round, o simulate.Options) error {
	last := firstB - 2 // A32u40_A4u32 has A0 to A35
	if c.m.discrete {
		last = firstB
	}
	meta := func(name, unit string) int {
		return c.cols.Counter(capture.Meta{Name: name, Kind: capture.Delta, Unit: unit, Block: "OA", GPU: c.m.product,
			Source: "i915perf"})
	}
	stamp, ticks := meta("TIMESTAMP", "ticks"), meta("GPU_TICKS", "cycles")
	var place [raws]int
	for i := range raws {
		if i < last || i >= firstB {
			place[i] = meta(rawName(i), "")
		}
	}
	c.left = append(slices.Clone(o.Without), c.withheld(list, o.Withheld)...)
	for _, x := range list {
		values := c.fixed()
		share := map[int]float64{}
		cat, err := metrics.Get(c.m.product)
		if err != nil {
			return err
		}
		for _, e := range cat.Entries() {
			if e.Set != x.set || e.Symbol == "EuAvgIpcRate" {
				continue
			}
			v, reads := c.symbol(e.Symbol), readsOf(e.Expr)
			if v == nil || len(reads) == 0 {
				continue
			}
			by := 1.0
			if len(reads) > 1 && !strings.Contains(e.Expr, fmt.Sprint(len(reads), " FDIV")) { // they add up to it
				by = 1 / float64(len(reads))
			}
			for _, i := range reads {
				values[i], share[i] = v, by
			}
		}
		for _, row := range x.rows {
			t := x.s.rec.row(row)
			b := x.s.rec.bounds
			c.cols.Add(stamp, float64(b.At(row+1)-b.At(row))*c.m.timestamp/1e9)
			c.cols.Add(ticks, t[qClock])
			clocks := c.cols.Last(ticks)
			for i := range raws {
				if i >= last && i < firstB {
					continue
				}
				v, by := 0.0, share[i]
				if f := values[i]; f != nil {
					if by == 0 {
						by = 1
					}
					v = by * f(t)
				}
				c.cols.Add(place[i], v)
				switch {
				case i == 0 || i >= firstB:
					c.cols.Limit(place[i], clocks)
				case i >= flexibleFrom && i <= flexibleTo:
					c.cols.Limit(place[i], clocks*uint64(c.m.eus))
				}
			}
			c.cols.Limit(place[29], c.cols.Last(place[28]))
		}
	}
	return nil
}
