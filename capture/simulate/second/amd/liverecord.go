package amd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"astrolabe/capture"
	"astrolabe/capture/metrics"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/host"
	"astrolabe/capture/simulate/telling"
)

// statusBits are the bits of each register, by block.
var statusBits = []struct {
	samples string
	bits    []bit
}{
	{"grbm_samples", []bit{{"gfx", blockGFX}, {"cp", blockCP}, {"spi", blockSPI}, {"ta", blockTA}, {"cb", blockCB},
		{"db", blockDB}, {"pa", blockPA}, {"sc", blockSC}, {"bci", blockBCI}, {"sx", blockSX}, {"ge", blockGE}}},
	{"grbm2_samples", []bit{{"cpf", blockCPF}, {"cpc", blockCPC}, {"cpg", blockCPG}, {"rlc", blockRLC}, {"tc", blockTC},
		{"utcl2", blockUTCL2}, {"ea", blockEA}, {"rmi", blockRMI}}},
}

type bit struct {
	name string
	at   block
}

// recording is one recording of a live program under way.
type recording struct {
	*live
	r      *rand.Rand
	frames []frame
	axis   *capture.Axis
	config capture.Config
	o      *simulate.Options

	busy    [][blocks]float64 // ns in which each block was busy, by sample
	compute []float64         // ns in which the second queue worked
	memory  []float64         // ns of memory at its full rate
	share   []float64         // of time in which the GPU was busy, as the firmware averages it
	reading []int             // the sample at whose beginning the slow values were read
	program []int
	level   []float64 // of the clock
	heat    []float64 // share of the power that full work takes
}

// record plays the program and reads it as a recorder would.
func (l *live) record(o simulate.Options) (*capture.Capture, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	o.Without = telling.Left(&o, telling.AMD)
	rec := &recording{live: l, r: rand.New(rand.NewPCG(l.seed, 4)), o: &o}
	rec.frames, _ = l.run(none)
	rec.samples()
	rec.work()
	m := l.m
	// the driver states the highest clock of its table; boards reach nearly that
	top := m.clock * 1e9 * 1.06
	rec.config = capture.Config{Name: "live", GPU: "amd-live", Axis: rec.axis, Late: rec.config.Late,
		Device: capture.Device{Name: m.name, Vendor: "AMD", ID: "0000:03:00.0", Driver: "amdgpu, Linux 6.11.0",
			Extra: map[string]string{"card": "card1", "power_dpm_force_performance_level": "auto"}},
		Properties: []capture.Property{{Name: "amd_family", Number: float64(m.family)},
			{Name: "shader_engines", Number: m.engines}, {Name: "cu_per_gpu", Number: m.cus},
			{Name: "max_sclk_hz", Number: math.Round(top/1e6) * 1e6}, {Name: "max_mclk_hz", Number: m.mclk},
			{Name: "vram_bytes", Number: m.vram}, {Name: "is_apu", Number: 0}}}
	if m.generation == "gfx103" {
		rec.config.Device.Extra["generation"] = "GFX10.3"
	} else {
		rec.config.Device.Extra["generation"] = "GFX11"
	}
	if slices.ContainsFunc(l.programs, func(p program) bool { return p.hold == governor && !p.light }) {
		rec.config.Device.Extra["power_dpm_force_performance_level"] = "manual"
	}
	rec.status()
	rec.sensors(top)
	rec.engines()
	processors := rec.r.Float64() < 0.5
	marks := rec.r.Float64() < 0.7
	if o.Host.Of(processors) {
		rec.processors()
	}
	host.Recorder(&rec.config, rec.r, o.Without)
	if o.Marks.Of(marks) {
		rec.mark()
	}
	return capture.New(rec.config)
}

// samples draws when the recorder looked: on ticks, and now and then late.
func (rec *recording) samples() {
	period := []float64{1e6, 2e6, 4e6, 5e6, 10e6, 10e6, 10e6, 16e6}[rec.r.IntN(8)]
	if rec.o.Period > 0 {
		period = float64(rec.o.Period)
	}
	zero := offset(rec.frames)
	end := rec.frames[len(rec.frames)-1].shown - zero
	rec.axis = &capture.Axis{Clock: "CLOCK_MONOTONIC"}
	var now int64
	for float64(now) < end {
		next := (math.Floor(float64(now)/period+0.5) + 1) * period
		next += rec.r.ExpFloat64() * 20e3
		if rec.r.Float64() < 0.006 {
			next += period * (0.3 + 2*rec.r.Float64())
		}
		if lost := math.Round((next-float64(now))/period) - 1; lost > 0 && now > 0 {
			rec.config.Late = append(rec.config.Late, capture.Gap{Start: now, End: int64(next), Lost: uint64(lost),
				Reason: capture.Reason{Code: capture.LostReports, Text: "the recorder was not run in time"}})
		}
		rec.axis.Start, rec.axis.End = append(rec.axis.Start, now), append(rec.axis.End, int64(next))
		now = int64(next)
	}
}

// spread gives each sample its part of something that happened from a to b.
func (rec *recording) spread(a, b float64, give func(i int, part float64)) {
	zero := offset(rec.frames)
	a, b = a-zero, b-zero
	if b <= a || b <= 0 {
		return
	}
	i, _ := slices.BinarySearch(rec.axis.End, int64(math.Max(0, a))+1)
	for ; i < rec.axis.Len() && float64(rec.axis.Start[i]) < b; i++ {
		part := math.Min(b, float64(rec.axis.End[i])) - math.Max(a, float64(rec.axis.Start[i]))
		if part > 0 {
			give(i, part)
		}
	}
}

// work finds out what each sample saw.
func (rec *recording) work() {
	n := rec.axis.Len()
	rec.busy = make([][blocks]float64, n)
	rec.compute, rec.memory = make([]float64, n), make([]float64, n)
	rec.program, rec.level, rec.heat = make([]int, n), make([]float64, n), make([]float64, n)
	for k := range rec.frames {
		f := &rec.frames[k]
		p := &rec.programs[f.program]
		c := rec.cost(f.program, none)
		next := math.Inf(1)
		if k+1 < len(rec.frames) {
			next = rec.frames[k+1].gpu
		}
		rec.spread(f.gpu, next, func(i int, _ float64) { rec.program[i], rec.level[i] = f.program, f.level })
		scale := (f.gpuEnd - f.gpu) / c.ns
		full := f.work / (f.gpuEnd - f.gpu) // it waits for submissions in between
		sum := c.busy[valu]*1.1 + c.busy[addresser]*0.8 + c.busy[lds]*0.5 + c.busy[colorBlock]*0.5 + c.busy[dram]*0.6
		hot := math.Min(1, 0.35+0.65*sum/c.ns)
		rec.spread(f.gpu, f.gpuEnd, func(i int, part float64) {
			rec.memory[i] += part * full * math.Min(1, c.busy[dram]*memoryRate/c.ns)
			rec.heat[i] += part * full * hot * math.Pow(p.level, 2.2)
		})
		if len(p.scene.compute) > 0 && !p.inTurn {
			rec.beside(f, c)
			continue
		}
		now := f.gpu
		for j, st := range c.stretches {
			end := now + st.ns*scale
			rec.spread(now, end, func(i int, part float64) {
				for b := range blocks {
					rec.busy[i][b] += part * full * st.blocks[b]
				}
				if j >= len(p.scene.graphics) {
					rec.compute[i] += part * full
				}
			})
			now = end
		}
	}
	rec.share, rec.reading = make([]float64, n), make([]int, n)
	last, average := int64(-1<<62), -1.0
	phase := int64(rec.r.Float64() * 100e6)
	for i := range n {
		d := float64(rec.axis.Interval(i))
		now := rec.busy[i][blockGFX] / d
		if average < 0 {
			average = now
		}
		average += (now - average) * math.Min(1, d/500e6)
		rec.share[i] = average
		if turn := (rec.axis.Start[i] + phase) / 100e6; turn != last {
			last, rec.reading[i] = turn, i
		} else {
			rec.reading[i] = rec.reading[i-1]
		}
	}
}

// beside puts two queues that run at the same time on top of each other.
func (rec *recording) beside(f *frame, c *cost) {
	p := &rec.programs[f.program]
	n := len(p.scene.graphics)
	length := f.gpuEnd - f.gpu
	for k, part := range [][]stretch{c.stretches[:n], c.stretches[n:]} {
		alone := c.ns - c.async
		if k == 1 {
			alone = c.async
		}
		now := f.gpu
		for _, st := range part {
			end := now + st.ns/alone*length*math.Min(1, alone/c.beside*1.02)
			rec.spread(now, end, func(i int, ns float64) {
				d := float64(rec.axis.Interval(i))
				for b := range blocks { // either is seen
					had := rec.busy[i][b] / d
					add := ns / d * st.blocks[b]
					rec.busy[i][b] = d * math.Max(had, math.Min(1, had+add*(1-had*st.blocks[b])))
				}
				if k == 1 {
					rec.compute[i] += ns
				}
			})
			now = end
		}
	}
}

// add adds a column as the catalogue describes it.
func (rec *recording) add(catalogue, source string, meta capture.Meta, values []float64, integer bool) {
	if slices.Contains(rec.o.Without, meta.Name) {
		return
	}
	if cat, err := metrics.Get(catalogue); err == nil {
		if e := cat.Named(meta.Name); e != nil && !e.IsMetric() {
			meta.Title, meta.Unit, meta.Doc, meta.Block = e.Title, e.Unit, e.Doc, e.Block
			meta.Kind = e.Kind
		}
	}
	meta.GPU, meta.Source = catalogue, source
	data := capture.Data{F: values}
	if integer {
		data = capture.Data{U: make([]uint64, len(values))}
		for i, v := range values {
			data.U[i] = uint64(math.Round(math.Max(0, v)))
		}
	}
	c := &capture.Counter{Meta: meta, Axis: rec.axis, Col: capture.NewColumn(data)}
	if meta.Instance == "" {
		rec.config.Counters = append(rec.config.Counters, c)
		return
	}
	for _, all := range rec.config.Counters {
		if all.Name == meta.Name && all.Col == nil {
			all.AddInstance(c)
			return
		}
	}
	meta.Instance = ""
	all := &capture.Counter{Meta: meta, Axis: rec.axis}
	all.AddInstance(c)
	rec.config.Counters = append(rec.config.Counters, all)
}

const statusRate = 10000 // readings of a status register per second

// status reads the status registers.
func (rec *recording) status() {
	n := rec.axis.Len()
	for _, reg := range statusBits {
		samples := make([]float64, n)
		for i := range n {
			samples[i] = math.Max(1, math.Round(float64(rec.axis.Interval(i))*statusRate/1e9+0.5*rec.r.NormFloat64()))
		}
		rec.add("amd-live", "amdgpu", capture.Meta{Name: reg.samples}, samples, true)
		for _, b := range reg.bits {
			ones, errors := make([]float64, n), make([]float64, n)
			for i := range n {
				p := clamp(rec.busy[i][b.at]/float64(rec.axis.Interval(i)), 0, 1)
				// readings are evenly spaced and work is in stretches, so that counts vary less than independent ones
				ones[i] = clamp(math.Round(samples[i]*p+0.6*math.Sqrt(samples[i]*p*(1-p))*rec.r.NormFloat64()), 0, samples[i])
				q := ones[i] / samples[i]
				errors[i] = 100 * math.Sqrt(q*(1-q)/samples[i])
			}
			rec.add("amd-live", "amdgpu", capture.Meta{Name: "busy_" + b.name + "_ones"}, ones, true)
			rec.add("amd-live", "amdgpu", capture.Meta{Name: "busy_" + b.name + "_error", Unit: "percent",
				Kind: capture.Gauge, Combine: capture.CombineMax, Block: "status"}, errors, false)
		}
	}
}

// slow makes a column of a value that is read about every 100 ms and stays until the next.
func (rec *recording) slow(meta capture.Meta, integer bool, read func(i int) float64) {
	n := rec.axis.Len()
	values := make([]float64, n)
	for i := range n {
		if rec.reading[i] == i || i == 0 {
			values[i] = read(i)
		} else {
			values[i] = values[i-1]
		}
	}
	meta.Kind = capture.Gauge
	rec.add("amd-live", "amdgpu", meta, values, integer)
}

// mean is the mean of what samples add up to, by time, over the 100 ms before one.
func (rec *recording) mean(of func(i int) float64, i int) float64 {
	var sum, ns float64
	for k := i; k >= 0 && ns < 100e6; k-- {
		sum += of(k)
		ns += float64(rec.axis.Interval(k))
	}
	return sum / ns
}

// mark labels frames as the application's marks name them.
func (rec *recording) mark() {
	zero := offset(rec.frames)
	names := make([]string, rec.axis.Len())
	k := 0
	for i := range names {
		middle := float64(rec.axis.Start[i]+rec.axis.End[i])/2 + zero
		for k+1 < len(rec.frames) && rec.frames[k+1].app <= middle {
			k++
		}
		if f := &rec.frames[k]; k >= warmUp && f.app >= zero && f.app <= middle { // marks of before went unheard
			names[i] = strconv.Itoa(k - warmUp)
		}
	}
	rec.config.Labels = append(rec.config.Labels, capture.NewLabel("frame", names, nil))
	_, end := rec.axis.Extent()
	for k := warmUp; k < len(rec.frames); k++ {
		start, until := int64(rec.frames[k].app-zero), end
		if k+1 < len(rec.frames) {
			until = int64(rec.frames[k+1].app - zero)
		}
		if start >= 0 && until > start {
			rec.config.Regions = append(rec.config.Regions, capture.Region{Name: fmt.Sprint("frame ", k-warmUp),
				Start: start, End: min(until, end)})
		}
	}
}
