package mali

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/metrics"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/telling"
)

// reader is what a recording was read by.
func (m *machine) reader() string {
	if m.csf {
		return "kbase"
	}
	return "panfrost"
}

// record makes the capture.
func (p *program) record(name string, o simulate.Options) (*capture.Capture, error) {
	base := strings.TrimSuffix(name, "-fourth")
	cat, err := metrics.Get(base)
	if err != nil {
		return nil, err
	}
	rel := unrelieved()
	s, err := p.simulate(&rel, true)
	if err != nil {
		return nil, err
	}
	r := simulate.NewRandom(p.seed, "fourth record "+name)
	run := s.sampled(&o, r)
	merged, lost := "the sampler was not run in time: the sample covers several periods", "samples were lost: the reader fell behind"
	axis, origin, rows, gaps, lateOnes := run.Rows("CLOCK_MONOTONIC_RAW", o.Gaps, r, merged, lost)
	if axis.Len() == 0 {
		return nil, fmt.Errorf("no sample fits into %.1f ms", float64(run.End-run.Start)/1e6)
	}
	cfg := capture.Config{Name: fmt.Sprintf("%s-%d", name, p.seed), Format: p.m.reader(), GPU: base, Axis: axis, Gaps: gaps, Late: lateOnes,
		Device: capture.Device{Name: cat.Title(), Vendor: "Arm", Driver: p.m.reader()}}
	p.m.properties(&cfg)
	acc := newTally(s, run.Rec.Bounds, rows, r)
	acc.add()
	left := telling.Left(&o, telling.Mali)
	for _, e := range cat.Entries() {
		if slices.ContainsFunc(e.Aliases, func(a string) bool { return slices.Contains(left, a) }) {
			left = append(left, e.Name)
		}
	}
	cols := p.m.columns(cat, axis, acc, base, r)
	cfg.Counters = cols.Counters(left)
	if o.Host.Of(r.Chance(0.6)) {
		cfg.Counters = append(cfg.Counters, s.processors(axis, origin, left, simulate.NewRandom(p.seed, "fourth host "+name))...)
	}
	if o.Marks.Of(r.Chance(0.35)) {
		run.Mark(&cfg, origin)
	}
	return capture.New(cfg)
}

// sampled draws when samples are taken.
func (s *simulation) sampled(o *simulate.Options, r simulate.Random) *simulate.Run {
	each := s.each()
	start, end := each[s.p.warm-1].Shown, each[len(each)-1].Shown
	period := r.Log(1*ms, 16*ms)
	span := float64(end - start)
	period = max(min(period, span/44), span/380, 0.1*ms)
	if o.Period > 0 {
		period = float64(o.Period)
	}
	share := func(asked, drawn float64) float64 {
		if asked < 0 {
			return 0
		}
		if asked > 0 {
			return asked
		}
		return drawn
	}
	late, missed := share(o.Late, r.Log(0.001, 0.04)), share(o.Missed, r.Log(0.0005, 0.02))
	usual := r.Log(8e3, 60e3)
	if o.Late < 0 {
		usual = 0
	}
	bounds := simulate.NewBounds(period, simulate.Jitter(r, period, usual, late, missed))
	return &simulate.Run{Rec: &simulate.Recorder{Bounds: bounds}, Frames: each, Start: start, End: end}
}

func (m *machine) properties(cfg *capture.Config) {
	number := func(name string, v float64) {
		cfg.Properties = append(cfg.Properties, capture.Property{Name: name, Number: v})
	}
	number("MaliConstantsShaderCoreCount", float64(m.cores))
	number("MaliConstantsL2SliceCount", float64(m.slices))
	number("MaliConstantsBusWidthBits", 8*m.bus)
	number("mali_warp_width", 16)
	number("mali_max_clock_hz", m.hz)
	layout := "Mali-G720"
	if !m.csf {
		layout = "Mali-G77"
	}
	cfg.Properties = append(cfg.Properties, capture.Property{Name: "mali_counter_layout", Text: layout, IsText: true})
}

// states are what samples hold beside events, in cycles where nothing else is said.
const (
	stClock = iota
	stCoreClock
	stGPU
	stAny
	stFlush
	stFlushes
	stIRQ
	stIRQs
	stCEU
	stMCU
	stLSU
	stTiler
	stPosStall
	stVarStall
	stPosFull
	stAssembly
	stFrag
	stFPK
	stOther
	stCore
	stWork
	stStarve
	stTexDesc
	stTexFetch
	stTexFilt
	stTexStarve
	stTexClock
	stL2Rd
	stL2Wr
	stExtRd
	stExtWr
	single
)

// Of states of which there are several the first.
const (
	stQueued  = single // of each queue
	stStall   = stQueued + queues
	stDrain   = stStall + queues
	stTasks   = stDrain + queues
	stWait    = stTasks + queues
	stStream  = stWait + queues
	stIssue   = stStream + queues
	stJobs    = stIssue + queues // jobs
	stEnding  = stJobs + queues
	stLatency = stEnding + queues // beats in bands of latency
	stReads   = stLatency + 6
	stWrites  = stReads + 4
	states    = stWrites + 4
)

// sums are the events and states of a sample.
type sums struct {
	ev [events]float64
	st [states]float64
}

// tally adds up what happened in each sample.
type tally struct {
	s      *simulation
	bounds *simulate.Bounds
	from   int // the first sample
	of     []sums
	rows   []int
	hard   float64 // share of waits for other queues that the hardware of a job manager sees
	spread float64 // of latency
	ragged float64 // share of cores that work while a job runs
	// How much of a wait for shaders, or for the tiler, the tiler's counters see.
	position, varying, assembly, fifo float64
}

func newTally(s *simulation, b *simulate.Bounds, rows []int, r simulate.Random) *tally {
	last := rows[len(rows)-1]
	h := simulate.NewRandom(s.p.seed, "fourth tiler")
	return &tally{s: s, bounds: b, from: rows[0], of: make([]sums, last-rows[0]+1), rows: rows, hard: simulate.Pick[float64](r, 0, 0, 0, r.Float64(), 1),
		spread: r.Between(0.18, 0.4), ragged: r.Between(0.94, 0.998), position: h.Between(0.55, 0.85), varying: h.Between(0.1, 0.4),
		assembly: h.Between(0.3, 0.6), fifo: h.Between(0.6, 0.9)}
}

// each calls f with the samples that a stretch of time lies in, the ns of it in each and its cycles.
func (t *tally) each(from, to float64, f func(x *sums, ns, cycles float64)) {
	end := float64(t.bounds.At(t.from + len(t.of)))
	from, to = max(from, float64(t.bounds.At(t.from))), min(to, end)
	if to <= from {
		return
	}
	for i := t.bounds.Index(int64(from)); from < to && i-t.from < len(t.of); i++ {
		until := min(to, float64(t.bounds.At(i+1)))
		if until > from {
			f(&t.of[i-t.from], until-from, t.cycles(from, until))
		}
		from = max(from, until)
	}
}

// cycles of the GPU's clock in a stretch of time.
func (t *tally) cycles(from, to float64) (sum float64) {
	c := t.s.clocks
	lo, hi := 0, len(c)-1
	for lo < hi { // the last change before
		if mid := (lo + hi + 1) / 2; c[mid].at <= from {
			lo = mid
		} else {
			hi = mid - 1
		}
	}
	for i := lo; i < len(c) && from < to; i++ {
		until := to
		if i+1 < len(c) {
			until = min(to, c[i+1].at)
		}
		if until > from {
			sum += (until - from) * t.s.p.m.steps[c[i].step]
			from = until
		}
	}
	return sum * t.s.p.m.hz / 1e9
}

func (t *tally) count(at float64, state int, n float64) {
	if i := t.bounds.Index(int64(max(0, at))) - t.from; i >= 0 && i < len(t.of) {
		t.of[i].st[state] += n
	}
}

func (t *tally) state(from, to float64, state int, share float64) {
	t.each(from, to, func(x *sums, _, cycles float64) { x.st[state] += cycles * share })
}

// add adds up everything.
func (t *tally) add() {
	s, m := t.s, t.s.p.m
	for i := range t.of {
		from, to := float64(t.bounds.At(t.from+i)), float64(t.bounds.At(t.from+i+1))
		c := t.cycles(from, to)
		t.of[i].st[stClock], t.of[i].st[stCoreClock] = c, c*m.coreRatio
	}
	var flushes [][2]float64
	for i := range s.frames {
		f := &s.frames[i]
		if f.done == never {
			continue
		}
		t.state(f.done-m.flush, f.done, stFlush, 0.9)
		flushes = append(flushes, [2]float64{f.done - m.flush, f.done})
		t.count(f.done, stFlushes, 1)
		t.count(f.done, stIRQs, 1)
		t.state(f.done-m.flush, f.done, stIRQ, min(1, 0.5*m.irq/m.flush))
	}
	for _, x := range s.union(flushes...) {
		t.state(x[0], x[1], stGPU, 1)
	}
	t.queues()
	for i := 0; i < len(s.slices); {
		k := i + 1
		for k < len(s.slices) && s.slices[k].from == s.slices[i].from {
			k++
		}
		t.group(s.slices[i:k])
		i = k
	}
}

// queues are the states of the front end.
func (t *tally) queues() {
	s, m := t.s, t.s.p.m
	var iterators [][2]float64
	var previous [queues]float64
	for q := range queues {
		for _, i := range s.fifo[q] {
			in := &s.insts[i]
			if in.end == never {
				continue
			}
			active := in.ready
			if m.csf {
				active += 0.6 * (in.start - in.ready)
			}
			iterators = append(iterators, [2]float64{active, in.end})
			t.state(active, in.end, stQueued+q, 1)
			t.state(in.ready, in.start, stDrain+q, 0.2)
			t.state(in.ready, in.start, stIssue+q, 1)
			t.state(in.ready, in.start, stCEU, 0.5)
			t.state(in.ready, in.start, stMCU, 0.35)
			t.state(in.ready, in.start, stLSU, 0.15)
			t.state(in.end, in.end+1500, stMCU, 0.8)
			t.count(in.end, stJobs+q, 1)
			waits := max(in.submit, previous[q])
			t.state(waits, in.end, stStream+q, 1)
			if in.why.kind == causeTurn || in.why.kind == causeJob && s.insts[in.why.n].queue != q {
				t.state(waits, in.ready, stWait+q, 1)
			}
			previous[q] = in.end
		}
	}
	for _, x := range merge(iterators) {
		t.state(x[0], x[1], stAny, 1)
	}
}

// group is a stretch of time in which one or several jobs run.
func (t *tally) group(list []slice) {
	s, m := t.s, t.s.p.m
	step := m.steps[list[0].step]
	var most, texture, cache, bus, arith, texWait float64
	var g [states]float64 // by cycle
	idle, still, empty := 1.0, 1.0, 1.0
	for k := range list {
		x := &list[k]
		seg := &s.jobOf(int(x.inst)).segs[x.seg]
		q := s.insts[x.inst].queue
		pressure := 0.0
		for i := resArith; i <= resRays; i++ {
			pressure = max(pressure, float64(x.use[i]))
			most = max(most, float64(x.use[i])*m.reach[i])
		}
		slow := float64(x.use[resLatency]) * loaded(m, float64(x.load))
		pressure = min(1, max(pressure, slow, seg.behind(m, &x.use))/seg.filled)
		held := math.Sqrt(pressure) * seg.filled * t.ragged // cores with warps
		holds := seg.filled * t.ragged
		switch q {
		case queueFragment:
			g[stFrag] += holds
			g[stFPK] += holds * (0.1 + 0.9*pressure*pressure)
		default:
			if seg.ev[evTri] > 0 {
				holds = held
			} else {
				held = holds // the endpoint gives cores tasks as long as there are any
			}
			still *= 1 - holds
			if seg.ev[evTri] > 0 {
				w := x.weight
				g[stTiler] = max(g[stTiler], 0.9+0.1*float64(x.use[resTiler]))
				shaders := float64(w[resArith] + w[resLoadStore] + w[resLatency] + w[resDRAM] + w[resCache])
				g[stPosStall] += t.position * min(1, shaders)
				g[stVarStall] += t.varying * min(1, shaders)
				g[stAssembly] += t.assembly * min(1, shaders)
				g[stPosFull] += t.fifo * float64(w[resTiler])
			}
		}
		idle *= 1 - holds
		empty *= 1 - held
		if x.n > 1 {
			g[stStall+q] += 0.3 * (1 - 1/float64(x.n))
		}
		g[stStall+q] += 0.02
		g[stTasks+q] += holds * float64(m.cores) * 1.4
		if seg.filled < 1 {
			g[stEnding+q] = 1
		}
		texture += float64(x.use[resTexture]) * m.reach[resTexture]
		cache += float64(x.use[resCache])
		bus = max(bus, float64(x.load))
		arith += float64(x.use[resArith]) * m.reach[resArith]
		texWait += float64(x.weight[resTexture] + 0.5*x.weight[resLatency])
	}
	g[stOther] = 1 - still
	exec := min(1, max(1-empty, most*1.01))
	work := min(1, max(1-idle, exec))
	cores := float64(m.cores) * m.coreRatio
	g[stFrag], g[stFPK] = min(1, g[stFrag]), min(g[stFPK], g[stFrag])
	g[stCore], g[stWork] = exec, work
	free := max(0, exec-arith)
	g[stStarve] = free * (0.72 + 0.22*min(1, texWait))
	if texture > 0 {
		g[stTexClock] = min(exec, 1.3*texture+0.05)
		g[stTexFetch] = 0.4 * max(0, texture-0.5)
		g[stTexFilt] = (g[stTexClock] - texture) * 0.6
		g[stTexDesc] = 0.01 * texture
		g[stTexStarve] = g[stStarve] * min(1, texWait) * 0.7
	}
	for i := stFrag; i <= stTexClock; i++ {
		g[i] *= cores
	}
	u := min(1, m.background+(1-m.background)*bus)
	busy := func(v, from float64) float64 { x := max(0, (v-from)/(1-from)); return 0.5*x*x + 0.012*v }
	parts := float64(m.slices)
	// Reads and writes have channels of their own: one is stalled by what is asked of it.
	var lines, bytes [2]float64
	for k := range list {
		l := &list[k]
		in := &s.insts[l.inst]
		f := l.share * s.p.frames[in.frame].scale[in.job]
		ev := &s.jobOf(int(l.inst)).segs[l.seg].ev
		lines[0], lines[1] = lines[0]+ev[evRdLine]*f, lines[1]+ev[evWrLine]*f
		bytes[0], bytes[1] = bytes[0]+ev[evRdBytes]*f, bytes[1]+ev[evWrBytes]*f
	}
	part := func(of [2]float64, i int, by float64) float64 { return parts * min(1, by*of[i]/max(1e-9, of[0]+of[1])) }
	full := busy(min(1, cache), 0.65)
	g[stL2Rd], g[stL2Wr] = part(lines, 0, 1.4)*full, part(lines, 1, 1.4)*full
	g[stExtRd], g[stExtWr] = part(bytes, 0, 1.6)*busy(u, 0.72), part(bytes, 1, 1.6)*busy(u, 0.72)
	t.each(list[0].from, list[0].to, func(x *sums, ns, cycles float64) {
		for i := range g {
			x.st[i] += g[i] * cycles
		}
		part := ns / (list[0].to - list[0].from)
		rd, wr := 0.0, 0.0
		for k := range list {
			l := &list[k]
			in := &s.insts[l.inst]
			f := l.share * part * s.p.frames[in.frame].scale[in.job]
			ev := &s.jobOf(int(l.inst)).segs[l.seg].ev
			for i, v := range ev {
				x.ev[i] += v * f
			}
			rd += ev[evRdBytes] * f
			wr += ev[evWrBytes] * f
		}
		latency := (m.latMem*m.hz*step/1e9 + m.latGPU) * loaded(m, bus)
		t.bands(x, latency, rd, wr, cycles)
	})
}

// behind is how much what is behind the warps holds them up, so that they stay in the cores and quads in front of them: the
// pixel backend where it blends, the cache and memory where shaders' own lines are a half or more of what moves. Tiles
// that are written out hold no warp.
func (s *segment) behind(m *machine, use *[resources]float32) (most float64) {
	e := &s.ev
	if e[evBlendCy]/m.blendQd >= e[evTileWr] {
		most = float64(use[resBackend])
	}
	waits := func(shaders, all float64) float64 { return min(1, shaders/max(1e-9, all-shaders)) }
	stored := e[evLSWB] + e[evLSOtherWr]
	most = max(most, float64(use[resCache])*waits(16*(e[evTexL2]+e[evLSL2]+stored), 64*(e[evRdLine]+e[evWrLine])))
	far := float64(max(use[resBus], use[resDRAM]))
	return max(most, far*waits(16*(e[evTexExt]+e[evLSExt]), e[evRdBytes]+e[evWrBytes]))
}

// bands are the histograms of how long reads take and of how many are under way.
func (t *tally) bands(x *sums, latency, rd, wr, cycles float64) {
	m := t.s.p.m
	below := 0.0
	for i, edge := range [...]float64{128, 192, 256, 320, 384, never} {
		share := 1.0
		if edge < never {
			share = 1 / (1 + math.Exp(-1.7*math.Log(edge/latency)/t.spread))
		}
		x.st[stLatency+i] += (share - below) * rd / m.bus
		below = share
	}
	for _, one := range []struct {
		at    int
		bytes float64
		wait  float64
	}{{stReads, rd, latency}, {stWrites, wr, latency * 0.6}} {
		under := one.bytes / 64 / max(cycles, 1) / float64(m.slices) * one.wait / m.outstand
		below = 0
		for i := range 4 {
			share := 1.0
			if i < 3 {
				share = 1 / (1 + math.Exp(-(float64(i+1)*0.25-under)/0.07))
			}
			x.st[one.at+i] += (share - below) * one.bytes / 64
			below = share
		}
	}
}

// merge joins stretches of time that overlap.
func merge(list [][2]float64) (out [][2]float64) {
	slices.SortFunc(list, func(a, b [2]float64) int { return cmp.Compare(a[0], b[0]) })
	for _, x := range list {
		if n := len(out); n > 0 && x[0] <= out[n-1][1] {
			out[n-1][1] = max(out[n-1][1], x[1])
			continue
		}
		out = append(out, x)
	}
	return out
}
