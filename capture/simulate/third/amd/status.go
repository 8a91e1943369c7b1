package amd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/host"
	"astrolabe/capture/simulate/telling"
)

// bits are those of the status registers, in the order of the recorder's columns: of the first register, then of the
// second.
var bits = []struct {
	name, title string
	second      bool
}{
	{"gfx", "Graphics pipe", false}, {"cp", "Command processor", false}, {"spi", "Shader input (all shader stages)", false},
	{"ta", "Texture pipe", false}, {"cb", "Colour block", false}, {"db", "Depth block", false}, {"pa", "Primitive assembly", false},
	{"sc", "Scan converter", false}, {"bci", "Barycentric interpolation", false}, {"sx", "Shader export", false},
	{"ge", "Geometry engine", false},
	{"cpf", "Command processor fetcher", true}, {"cpc", "Command processor, compute", true}, {"cpg", "Command processor, graphics", true},
	{"tc", "Texture cache", true}, {"ea", "Efficiency arbiter (path to memory)", true}, {"rmi", "Render memory interface", true},
}

// chances are how likely each bit is found set while a work runs. A bit is set while any of a block's instances works,
// which a block that is used a little is more often than one of its instances. The texture cache's bit is that of the
// caches of single pipes, through which all goes that the address units ask for and nothing of colours and depth.
func (o *outcome) chances(w *work, asynchronous bool) (p [17]float64) {
	any := func(ns float64, instances float64) float64 {
		return 1 - math.Pow(1-min(1, max(0, ns/o.time)), instances)
	}
	shading := any(max(o.vs.sum, o.ps.sum), 1)
	stalled := o.psOnCB.sum
	asked := o.busy[serveTA] + o.taOnCache.sum
	p = [17]float64{1, 0.9, shading, any(asked, 2.2), any(o.busy[serveCB]+0.5*stalled, 1.8),
		any(o.busy[serveDB]+0.3*stalled, 1.8), any(o.busy[servePA]+o.paOnSC.sum, 1.5), any(o.busy[serveSC], 1.5), 0,
		any(o.busy[serveCB]+stalled, 1.6), any(o.busy[serveGE]+0.3*o.vs.sum, 1.5), 0.93, 0, 0.93,
		any(max(o.busy[serveL1], asked), 2.5), any(max(o.busy[serveDRAM], o.busy[serveFabric]), 2),
		any(o.busy[serveCB]+o.busy[serveDB], 1.8)}
	if w.compute {
		p[4], p[5], p[6], p[7], p[9], p[10], p[16] = 0, 0, 0, 0, 0.01, 0, 0
		if asynchronous {
			p[12], p[13], p[1] = 0.93, 0, 0.05
		} else {
			p[12] = 0.2
		}
	} else {
		p[8] = 0.6 * shading
	}
	return p
}

// player tells what the GPU does at a time.
type player struct {
	s       *scene
	r       *simulated
	at      int
	chance  [][2][][17]float64 // by content, queue and work
	partsOf [][2][]float64     // where works end, as shares of their queue's time
}

func (s *scene) player(r *simulated) *player {
	p := &player{s: s, r: r, chance: make([][2][][17]float64, len(s.contents)), partsOf: make([][2][]float64, len(s.contents))}
	for k := range s.contents {
		c := &s.contents[k]
		for q := range c.runs {
			sum := 0.0
			for i := range c.runs[q] {
				sum += c.runs[q][i].time
				p.partsOf[k][q] = append(p.partsOf[k][q], sum)
				p.chance[k][q] = append(p.chance[k][q], c.runs[q][i].chances(&c.works[q][i], q == 1))
			}
			for i := range p.partsOf[k][q] {
				p.partsOf[k][q][i] /= sum
			}
		}
	}
	return p
}

// queues are from when to when each queue works for a frame.
func (s *scene) queues(f *shown) (from, to [2]float64) {
	c := &s.contents[f.content]
	_, g, a := c.gpuTime(plain, f.clock, !c.inTurn)
	from, to = [2]float64{f.gpu, f.gpu}, [2]float64{f.gpuEnd, f.gpuEnd}
	switch {
	case a == 0:
		to[1] = f.gpu
	case c.inTurn:
		to[0], from[1] = f.split, f.split
	case g > a:
		to[1] = f.gpu + (f.gpuEnd-f.gpu)*a/g
	default:
		to[0] = f.gpu + (f.gpuEnd-f.gpu)*g/a
	}
	return from, to
}

// find is how likely each bit is set at a time, which does not go back.
func (p *player) find(t float64) (out [17]float64) {
	for p.at < len(p.r.frames)-1 && p.r.frames[p.at].gpuEnd <= t {
		p.at++
	}
	f := &p.r.frames[p.at]
	if t < f.gpu || t >= f.gpuEnd {
		out[1], out[11] = 0.004, 0.006
		return out
	}
	from, to := p.s.queues(f)
	for q := range from {
		if t < from[q] || t >= to[q] {
			continue
		}
		i, _ := slices.BinarySearch(p.partsOf[f.content][q], (t-from[q])/(to[q]-from[q]))
		chances := &p.chance[f.content][q][min(i, len(p.chance[f.content][q])-1)]
		for k, v := range chances {
			out[k] = 1 - (1-out[k])*(1-v)
		}
	}
	return out
}

// recording is a capture of a scene in the making.
type recording struct {
	s       *scene
	r       *rand.Rand
	run     *simulated
	zero    float64 // of the capture, on the scene's time
	cfg     capture.Config
	without []string
	busy    []float64 // ns by sample in which a queue worked
	queue   [2][]float64
	clock   []float64 // share, by sample
	memory  []float64 // share of the memory's bandwidth
	work    []float64 // share of the power that all units at work take
}

func (s *scene) record(c *simulate.Case, seed uint64, o simulate.Options) (*capture.Capture, error) {
	x := &recording{s: s, r: rand.New(rand.NewPCG(seed, 2)), run: s.run(all), without: telling.Left(&o, telling.AMD)}
	x.zero = x.run.frames[s.warm-1].flip
	marks := o.Marks.Of(x.r.Float64() < 0.6)
	hosted := o.Host.Of(x.r.IntN(2) == 0)
	x.cfg = capture.Config{Name: fmt.Sprintf("%s-%s-%d", c.Family, c.Kind, c.Seed), Format: "recording", GPU: "amd-live"}
	x.axis(o)
	x.timeline()
	x.status()
	x.sensors()
	x.properties()
	if hosted {
		x.host()
	}
	host.Recorder(&x.cfg, x.r, x.without)
	if marks {
		x.marks()
	}
	return capture.New(x.cfg)
}

// axis draws samples up to the end of the truth. Some are taken late and cover the ticks that were missed.
func (x *recording) axis(o simulate.Options) {
	period := int64([]float64{2e6, 5e6, 8e6, 10e6, 16e6}[x.r.IntN(5)])
	if o.Period > 0 {
		period = int64(o.Period)
	}
	late := []float64{0, 0, 0.01, 0.04}[x.r.IntN(4)]
	end := int64(math.Round(x.run.frames[len(x.run.frames)-1].flip - x.zero))
	a := &capture.Axis{Clock: "CLOCK_MONOTONIC"}
	for at := int64(0); at < end; {
		n := int64(1)
		for x.r.Float64() < late {
			n++
		}
		to := min(end, (at/period+n)*period+int64(15e3*x.r.ExpFloat64()))
		if end-to < period/2 {
			to = end
		}
		a.Start, a.End = append(a.Start, at), append(a.End, to)
		if n > 1 {
			x.cfg.Late = append(x.cfg.Late, capture.Gap{Start: at, End: to, Lost: uint64(n - 1),
				Reason: capture.Reason{Code: capture.Unknown, Text: "the recorder was late"}})
		}
		at = to
	}
	x.cfg.Axis = a
}

// lay adds the time from one moment to another to the samples that it lies in, so many times.
func (x *recording) lay(row []float64, from, to, times float64) {
	from, to = from-x.zero, to-x.zero
	a := x.cfg.Axis
	i, _ := slices.BinarySearch(a.End, int64(max(0, from)))
	for ; i < a.Len() && float64(a.Start[i]) < to; i++ {
		if d := min(to, float64(a.End[i])) - max(from, float64(a.Start[i])); d > 0 {
			row[i] += d * times
		}
	}
}

// timeline adds up by sample what frames did.
func (x *recording) timeline() {
	n := x.cfg.Axis.Len()
	row := func() []float64 { return make([]float64, n) }
	x.busy, x.queue, x.clock, x.memory, x.work = row(), [2][]float64{row(), row()}, row(), row(), row()
	for i := range x.run.frames {
		f := &x.run.frames[i]
		c := &x.s.contents[f.content]
		x.lay(x.busy, f.gpu, f.gpuEnd, 1)
		from, to := x.s.queues(f)
		for q := range from {
			x.lay(x.queue[q], from[q], to[q], 1)
			cost := &c.costs[plain][q]
			if cost.time[2] == 0 {
				continue
			}
			share := func(server int) float64 { return min(1, cost.busy[server]/cost.time[2]) }
			x.lay(x.memory, from[q], to[q], share(serveDRAM))
			x.lay(x.work, from[q], to[q], min(1, 0.3+0.4*share(serveVALU)+0.15*share(serveTA)+0.25*share(serveDRAM)+0.1*share(serveLDS)))
		}
		next := math.Inf(1)
		if i+1 < len(x.run.frames) {
			next = x.run.frames[i+1].gpu
		}
		x.lay(x.clock, f.gpu, min(next, x.zero+float64(x.cfg.Axis.End[n-1])), f.clock)
	}
	for i := range n {
		d := float64(x.cfg.Axis.Interval(i))
		x.busy[i], x.memory[i], x.work[i] = min(d, x.busy[i]), min(1, x.memory[i]/d), min(1, x.work[i]/d)
		x.clock[i] = min(1, x.clock[i]/d)
		if x.clock[i] == 0 {
			x.clock[i] = 0.3
		}
	}
}

// put appends a counter, or an instance of the last one.
func (x *recording) put(m capture.Meta, d capture.Data) {
	if slices.Contains(x.without, m.Name) {
		return
	}
	m.GPU, m.Source = "amd-live", "amdgpu"
	n := len(x.cfg.Counters)
	c := &capture.Counter{Meta: m, Axis: x.cfg.Axis, Col: capture.NewColumn(d)}
	if m.Instance == "" {
		x.cfg.Counters = append(x.cfg.Counters, c)
		return
	}
	if n == 0 || x.cfg.Counters[n-1].Name != m.Name {
		whole := m
		whole.Instance = ""
		x.cfg.Counters = append(x.cfg.Counters, &capture.Counter{Meta: whole, Axis: x.cfg.Axis})
		n++
	}
	x.cfg.Counters[n-1].AddInstance(c)
}

// status samples the registers at random moments, one in each slice of time.
func (x *recording) status() {
	rate := []float64{2000, 5000, 10000, 10000}[x.r.IntN(4)]
	n := x.cfg.Axis.Len()
	samples := make([]uint64, n)
	ones := make([][]uint64, len(bits))
	for k := range ones {
		ones[k] = make([]uint64, n)
	}
	p := x.s.player(x.run)
	slice := 1e9 / rate
	for i, t := 0, 0.0; ; t += slice {
		at := t + slice*x.r.Float64()
		for i < n && float64(x.cfg.Axis.End[i]) <= at {
			i++
		}
		if i == n {
			break
		}
		if x.r.Float64() < 0.01 { // the thread did not run in time
			continue
		}
		samples[i]++
		chances := p.find(at + x.zero)
		for k, c := range chances {
			if c > 0 && x.r.Float64() < c {
				ones[k][i]++
			}
		}
	}
	for _, second := range []bool{false, true} {
		name, register := "grbm_samples", "GRBM_STATUS"
		if second {
			name, register = "grbm2_samples", "GRBM_STATUS2"
		}
		x.put(capture.Meta{Name: name, Title: "Samples of " + register, Unit: "samples", Block: "status"}, capture.Data{U: samples})
		for k, b := range bits {
			if b.second == second {
				x.put(capture.Meta{Name: "busy_" + b.name + "_ones", Title: b.title + " found busy", Unit: "samples", Block: "status"},
					capture.Data{U: ones[k]})
			}
		}
		for k, b := range bits {
			if b.second != second {
				continue
			}
			errs := make([]float64, n)
			for i := range errs {
				share := float64(ones[k][i]) / float64(samples[i])
				errs[i] = 100 * math.Sqrt(share*(1-share)/float64(samples[i]))
			}
			x.put(capture.Meta{Name: "busy_" + b.name + "_error", Title: b.title + " busy sampled, standard error", Unit: "percent",
				Kind: capture.Gauge, Combine: capture.CombineMax, Block: "status"}, capture.Data{F: errs})
		}
	}
}

// marks are frames as the application marks them: when its work for one begins.
func (x *recording) marks() {
	names := make([]string, x.cfg.Axis.Len())
	k := -1
	for i := range names {
		middle := float64(x.cfg.Axis.Start[i]+x.cfg.Axis.Interval(i)/2) + x.zero
		for k+1 < len(x.run.frames) && x.run.frames[k+1].app <= middle {
			k++
		}
		if k >= 0 {
			names[i] = strconv.Itoa(k)
		}
	}
	x.cfg.Labels = append(x.cfg.Labels, capture.NewLabel("frame", names, nil))
	_, end := x.cfg.Axis.Extent()
	for i, f := range x.run.frames {
		to := end
		if i+1 < len(x.run.frames) {
			to = int64(x.run.frames[i+1].app - x.zero)
		}
		from := int64(f.app - x.zero)
		if from >= 0 && to <= end {
			x.cfg.Regions = append(x.cfg.Regions, capture.Region{Name: "frame " + strconv.Itoa(i), Start: from, End: to})
		}
	}
}
