package amd

import "math"

// row is everything that public counters of one draw are made of.
type row struct {
	m    *machine
	d    *draw
	o    *outcome
	w    raw
	n    counts
	time float64         // ns, as the timestamps have it
	exec float64         // ns, without the wait before the command reached the top of the pipeline
	at   float64         // ns of the timestamp at its top
	pass [passes_]repeat // of the replay
}

// repeat is how one replay differed from the others.
type repeat struct{ time, ratio float64 }

// Replays. Counters of one block are measured together, and with them the clocks of the command processor.
const (
	inTiming = iota
	inSPI
	inPA
	inDB
	inSX
	inTA
	inTCP
	inGL2
	inGL1
	inSQ
	inSQC
	passes_
)

// public is one of GPUPerfAPI's public counters.
type public struct {
	name, unit string
	pass       int
	only12     bool // through Direct3D 12 only
	of         func(x *row, p repeat) float64
}

func (x *row) percent(p repeat, clocks float64) float64 {
	return math.Min(100, 100*clocks*p.ratio/x.w.clocks)
}

func (x *row) cycles(p repeat, clocks float64) float64 {
	return math.Min(clocks*p.ratio*p.time, x.w.clocks*x.pass[inTiming].time)
}

func ratio100(part, whole float64) float64 { return 100 * share01(part, whole) }

// busy adds the counter of clocks of a block, and that of their share of the time in which the GPU was busy.
func busy(list []public, pass int, name string, clocks func(x *row) float64) []public {
	return append(list,
		public{name, "percent", pass, false, func(x *row, p repeat) float64 { return x.percent(p, clocks(x)) }},
		public{name + "Cycles", "cycles", pass, false, func(x *row, p repeat) float64 { return x.cycles(p, clocks(x)) }})
}

// items adds a counter of things that are the same in every replay.
func items(list []public, pass int, name, unit string, n func(x *row) float64) []public {
	return append(list, public{name, unit, pass, false, func(x *row, _ repeat) float64 { return n(x) }})
}

// hits adds the four counters of a cache. What hits varies a little from replay to replay, but not what is asked for.
func hits(list []public, pass int, cache string, of func(x *row) (requests, misses float64)) []public {
	add := func(name, unit string, value func(all, misses float64) float64) {
		list = append(list, public{cache + name, unit, pass, false, func(x *row, p repeat) float64 {
			all, misses := of(x)
			return value(all, math.Min(all, math.Round(misses*p.ratio)))
		}})
	}
	add("Hit", "percent", func(all, misses float64) float64 { return ratio100(all-misses, all) })
	add("HitCount", "items", func(all, misses float64) float64 { return all - misses })
	add("MissCount", "items", func(_, misses float64) float64 { return misses })
	add("RequestCount", "items", func(all, _ float64) float64 { return all })
	return list
}

// only is a counter of dispatches, or of draws: 0 of the others.
func only(compute bool, of func(x *row) float64) func(x *row) float64 {
	return func(x *row) float64 {
		if x.d.compute != compute {
			return 0
		}
		return of(x)
	}
}

func threads(of func(x *row) float64) func(x *row) float64 { return only(true, of) }

func drawn(of func(x *row) float64) func(x *row) float64 { return only(false, of) }

// limitedBy is the share of the time with waves in which more were ready and a vector unit had no room of this kind.
func limitedBy(class, by int, compute bool) func(x *row, p repeat) float64 {
	return func(x *row, p repeat) float64 {
		prog := &x.d.main
		if class == ofVertices {
			prog = &x.d.vertex
		}
		if _, is := prog.occupancy(); is != by || x.d.compute != compute {
			return 0
		}
		return math.Min(100, ratio100(x.o.held[class], x.o.span[class])*p.ratio)
	}
}

// nothing are counters of what no case has: tessellation, ray tracing, scratch memory, and traffic to the host.
var nothing = []struct{ unit, names string }{
	{"percent", "TessellatorBusy PreTessellationBusy PostTessellationBusy PreTessVALUBusy PreTessSALUBusy PostTessVALUBusy PostTessSALUBusy"},
	{"cycles", "L0TagConflictWriteStalledCycles L0TagConflictAtomicStalledCycles TessellatorBusyCycles PreTessellationBusyCycles PostTessellationBusyCycles PreTessVALUBusyCycles PreTessSALUBusyCycles PostTessVALUBusyCycles PostTessSALUBusyCycles"},
	{"ns", "PreTessellationTime PostTessellationTime"},
	{"items", "PreTessVerticesIn PreTessVALUInstCount PreTessSALUInstCount PostTessPrimsOut PostTessVALUInstCount PostTessSALUInstCount CSGDSInsts RayBoxTests RayTriTests TotalRayTests RayTestsPerWave"},
	{"bytes", "PcieBytes"},
	{"12", "CSLimitedByScratch CSLimitedByBarriers CSLimitedByThreadGroupLimit ESGSLimitedByScratch HSLimitedByBarriers LSHSLimitedByLds LSHSLimitedByScratch LSHSLimitedByVgpr PSLimitedByLds PSLimitedByScratch VSLimitedByScratch VSLimitedByVgpr"},
}
