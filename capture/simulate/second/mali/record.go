package mali

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"astrolabe/capture"
	"astrolabe/capture/metrics"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/host"
	"astrolabe/capture/simulate/telling"
)

const source = "kbase"

// recorder puts what a run did into samples.
type recorder struct {
	s      *sim
	m      *machine
	r      *rand.Rand
	origin float64 // of the capture, in seconds of the simulation
	starts []float64
	values [][counts]float64
	clock  []float64 // cycles of the GPU's clock
	// how this chip and driver behave, as shares
	blocked, firmware, spread float64
}

// record makes the capture of a run.
func record(p *program, r *rand.Rand, o simulate.Options) (*capture.Capture, error) {
	o.Without = telling.Left(&o, telling.Mali)
	s := run(p, relief{}, true)
	rec := &recorder{s: s, m: p.m, r: r, origin: s.out[p.first-1].at,
		blocked: between(r, 0.01, 0.08), firmware: between(r, 0.005, 0.03), spread: between(r, 0.25, 0.45)}
	length := s.out[p.last].at - rec.origin
	axis, late := rec.axis(length, o)
	rec.values = make([][counts]float64, axis.Len())
	rec.clock = make([]float64, axis.Len())
	for i := range s.segments {
		rec.segment(&s.segments[i])
	}
	for f := range s.out {
		if o := &s.out[f]; o.at > 0 {
			rec.interrupts(o.gpuEnd)
		}
	}
	c := capture.Config{
		Name: "second", Format: "recording", GPU: p.m.gpu, Axis: axis, Late: late,
		Device: capture.Device{Name: title(p.m), Vendor: "Arm", Driver: "kinstr_prfcnt"},
		Properties: []capture.Property{
			{Name: "MaliConstantsShaderCoreCount", Number: p.m.cores},
			{Name: "MaliConstantsL2SliceCount", Number: p.m.slices},
			{Name: "MaliConstantsBusWidthBits", Number: p.m.bus * 8},
			{Name: "mali_warp_width", Number: 16},
			{Name: "mali_max_clock_hz", Number: p.m.hz},
		},
	}
	if err := rec.counters(&c, o); err != nil {
		return nil, err
	}
	rec.gauges(&c, o)
	marks, processors := r.Float64() < 0.6, r.Float64() < 0.5
	if o.Host.Of(processors) {
		rec.host(&c, o)
	}
	host.Recorder(&c, r, o.Without)
	if o.Marks.Of(marks) {
		rec.marks(&c)
	}
	return capture.New(c)
}

func title(m *machine) string {
	if m.late {
		return "Mali-G720"
	}
	return "Mali-G615"
}

// axis draws when samples were taken: at a period, a little late each, and some periods later.
func (rec *recorder) axis(length float64, o simulate.Options) (*capture.Axis, []capture.Gap) {
	period := pick(rec.r, 1e-3, 1e-3, 2e-3, 4e-3, 5e-3, 8e-3, 10e-3, 16e-3)
	period = max(1e-3, min(period, math.Round(length*1e3/30)*1e-3)) // someone wanted to see something
	if o.Period > 0 {
		period = o.Period.Seconds()
	}
	tardy := period * between(rec.r, 0, 0.03)
	missing := pick(rec.r, 0, 0, 0.002, 0.01)
	a := &capture.Axis{Clock: "CLOCK_MONOTONIC"}
	var late []capture.Gap
	from, lost := 0.0, uint64(0)
	add := func(to float64) {
		rec.starts = append(rec.starts, from)
		a.Start, a.End = append(a.Start, int64(from*1e9)), append(a.End, int64(to*1e9))
		if lost > 0 {
			late = append(late, capture.Gap{Start: int64(from * 1e9), End: int64(to * 1e9), Lost: lost,
				Reason: capture.Reason{Code: capture.LostReports,
					Text: "the driver took no sample in some periods: this sample has their time and counts"}})
		}
		from, lost = to, 0
	}
	for i := 1; float64(i)*period < length; i++ {
		if rec.r.Float64() < missing {
			lost++
			continue
		}
		if to := float64(i)*period + tardy*min(rec.r.ExpFloat64(), 5); to < length {
			add(to)
		}
	}
	lost = 0
	add(length) // when the recorder is stopped it takes what is left
	rec.starts = append(rec.starts, length)
	return a, late
}

// over calls f for the samples that a stretch is in, with the seconds in each.
func (rec *recorder) over(from, to float64, f func(i int, dt float64)) {
	from, to = max(from-rec.origin, 0), to-rec.origin
	n := len(rec.values)
	if from >= to || n == 0 {
		return
	}
	i := sortedFrom(rec.starts, from)
	for ; i < n && rec.starts[i] < to; i++ {
		if dt := min(to, rec.starts[i+1]) - max(from, rec.starts[i]); dt > 0 {
			f(i, dt)
		}
	}
}

// sortedFrom is the last place whose value is not above x.
func sortedFrom(values []float64, x float64) int {
	i, found := slices.BinarySearch(values, x)
	if !found {
		i--
	}
	return max(i, 0)
}

// segment adds what happened in a segment.
func (rec *recorder) segment(g *segment) {
	length := g.end - g.start
	if g.end <= rec.origin || length <= 0 {
		return
	}
	var v [counts]float64 // per second
	hz := g.clock * rec.m.hz
	rec.rates(g, hz, &v)
	for _, k := range waits { // waiting depends on more than is modelled
		if v[k] > 0 {
			v[k] *= math.Exp(0.1 * rec.r.NormFloat64())
		}
	}
	rec.over(g.start, g.end, func(i int, dt float64) {
		rec.clock[i] += hz * dt
		to := &rec.values[i]
		for k, x := range v {
			if x != 0 {
				to[k] += x * dt
			}
		}
	})
	for i := range g.parts {
		if p := &g.parts[i]; p.done {
			rec.at(g.end, [queues]int{compJobs, tilerJobs, mainJobs}[p.queue], 1)
			rec.at(g.end, [queues]int{compIRQ, tilerIRQ, mainIRQ}[p.queue], 600)
			if p.queue != binningQueue {
				rec.at(g.end, flushes, 1)
				rec.at(g.end, flushCycles, 900)
			}
		}
	}
}

// waits are the counters of cycles in which a unit waits.
var waits = [...]int{posShadStall, posFIFOFull, varShadStall, primAssemblyWait, l2RdStall, l2WrStall, l2RdOutStall,
	extReadStall, extWriteStall, texDescStall, texFetchStall, texFilterStall, texStarved}

// at adds to the sample of a moment.
func (rec *recorder) at(t float64, counter int, x float64) {
	if t -= rec.origin; t > 0 && t <= rec.starts[len(rec.starts)-1] {
		rec.values[min(sortedFrom(rec.starts, t), len(rec.values)-1)][counter] += x
	}
}

// interrupts are those that tell the processor of the end of a frame.
func (rec *recorder) interrupts(t float64) {
	rec.at(t, irqCount, 2)
	rec.at(t, irqActive, rec.m.interrupt*0.2*rec.m.hz*between(rec.r, 0.5, 1.5)*0.5)
}

// counters adds the hardware's counters that the product has.
func (rec *recorder) counters(c *capture.Config, o simulate.Options) error {
	entries, err := entriesOf(rec.m.gpu)
	if err != nil {
		return err
	}
	whole := rec.whole()
	for k, hw := range hardware {
		e := rec.entry(entries, k, hw)
		left := func(name string) bool { return slices.Contains(o.Without, name) }
		if e == nil || left(e.Name) || left(hw) || slices.ContainsFunc(e.Aliases, left) {
			continue
		}
		values := make([]uint64, len(whole))
		for i := range whole {
			values[i] = whole[i][k]
		}
		c.Counters = append(c.Counters, &capture.Counter{
			Meta: capture.Meta{Name: e.Name, Title: e.Title, Unit: e.Unit, Doc: e.Doc, Kind: capture.Delta, GPU: rec.m.gpu,
				Block: e.Block, Source: source, Aliases: e.Aliases},
			Axis: c.Axis, Col: capture.NewColumn(capture.Data{U: values})})
	}
	return nil
}

// entriesOf are the catalogue's counters of a GPU by the names of the hardware.
func entriesOf(gpu string) (map[string]*metrics.Entry, error) {
	if known, ok := entriesKnown.Load(gpu); ok {
		return known.(map[string]*metrics.Entry), nil
	}
	catalogue, err := metrics.Get(gpu)
	if err != nil {
		return nil, fmt.Errorf("second mali: %w", err)
	}
	out := map[string]*metrics.Entry{}
	for _, e := range catalogue.Entries() {
		for _, a := range e.Aliases {
			if e.Expr == "" && out[a] == nil {
				out[a] = e
			}
		}
	}
	entriesKnown.Store(gpu, out)
	return out, nil
}

var entriesKnown sync.Map // by GPU

// entry is the catalogue's counter of a place, nil where the product has none or what it counts is not modelled.
func (rec *recorder) entry(entries map[string]*metrics.Entry, k int, hw string) *metrics.Entry {
	switch {
	case k >= rtTri && k <= rtTriIssue && !rec.m.rays, // a small part without ray tracing units
		k == gpuActive && !rec.m.late: // counts something else on this generation
		return nil
	case k == texOut && !rec.m.late:
		hw = "TEX_MSGO_NUM_FLITS"
	}
	return entries[hw]
}

// whole are the values as integers. What is cut off a sample goes to the next, and what counts parts of another counter
// still adds up to it.
func (rec *recorder) whole() [][counts]uint64 {
	out := make([][counts]uint64, len(rec.values))
	var carry [counts]float64
	for i := range rec.values {
		for k, x := range rec.values[i] {
			x += carry[k]
			n := math.Floor(max(x, 0))
			carry[k] = x - n
			out[i][k] = uint64(n)
		}
		agree(&out[i])
	}
	return out
}

// agree makes counters add up that are counted together.
func agree(v *[counts]uint64) {
	atMost := func(part, of int) { v[part] = min(v[part], v[of]) }
	v[primVisible] = v[frontFacing] + v[backFacing]
	total := v[primVisible] + v[primFaceCulled] + v[primFrustumCulled] + v[primSampleCulled] + v[primScissorCulled]
	v[lines], v[points] = min(v[lines], total/2), min(v[points], total/2)
	v[triangles] = total - v[lines] - v[points]
	atMost(primDVS, primVisible)
	v[ezsTest] = min(max(v[ezsTest], v[ezsKill]+v[ezsUpdate]), v[quadsRast])
	atMost(ezsKill, ezsTest)
	atMost(partialQuads, quadsRast)
	v[quadsCoarse] = v[quadsRast]
	v[fragWarps] = min(v[fragWarps], (v[quadsRast]-v[ezsKill])/4)
	v[fragThreads] = min(v[fragThreads], 16*v[fragWarps]) / 4 * 4 // counted by quads
	atMost(lzsKill, lzsTest)
	v[fpkKiller] = min(v[fpkKiller], v[quadsRast]-v[ezsKill])
	v[l2Any] = v[l2ReadLookup] + v[l2WriteLookup] + v[l2Evict] + v[l2CleanUnique]
	v[l2Rd] = v[l2ReadLookup]
	v[l2Wr] = v[l2WriteLookup]
	v[extWrite] = v[extWriteNoSnoopFull] + v[extWriteNoSnoopPart] + v[extWriteSnoopFull] + v[extWriteSnoopPart]
	v[mmuRequests] = v[mmuHitL3] + v[mmuHitL2] + v[mmuReadsL3]
	within := func(of int, parts ...int) {
		left := v[of]
		for _, k := range parts {
			v[k] = min(v[k], left)
			left -= v[k]
		}
	}
	within(extReadBeats, extLat0, extLat128, extLat192, extLat256, extLat320)
	within(extRead, extReadQ1, extReadQ2, extReadQ3)
	within(extWrite, extWriteQ1, extWriteQ2, extWriteQ3)
	for _, x := range [][2]int{{compBlocked, compQueued}, {tilerBlocked, tilerQueued}, {mainBlocked, mainQueued},
		{beatsRdTexExt, beatsRdTex}, {beatsRdLSCExt, beatsRdLSC}, {beatsRdFTCExt, beatsRdFTC},
		{extReadNoSnoop, extRead}, {execActive, coreActive}, {fragActive, coreActive},
		{computeActive, coreActive}, {fpkActive, fragActive}, {tilerActive, iterActive}} {
		atMost(x[0], x[1])
	}
	warps := v[fragWarps] + v[computeWarps]
	v[warpRegs64], v[fullWarps] = min(v[warpRegs64], warps), min(v[fullWarps], warps)
}
