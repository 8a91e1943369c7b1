package rdna

import (
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/content"
)

// property is what the profiler's sysinfo.csv tells of a GPU beyond what all have.
type property struct {
	name  string
	value float64
}

// device is one GPU with the kernels that run on it.
type device struct {
	model, id  string
	cus        int  // compute units
	engines    int  // shader engines
	gl1s, gl2s int  // instances that GL1's counters are summed over; channels of GL2
	arbiters   int  // instances that the memory arbiters' counters are summed over, in a clock of their own
	registers  int  // of a lane of a SIMD; 0 where neither they nor matrix instructions are told of
	gathers    bool // GL1 only gathers requests: few hit
	properties []property

	hz      float64 // highest shader clock
	memory  float64 // bytes/ns of memory at best
	near    float64 // bytes/ns of what the cache beside memory holds
	latency float64 // ns of an access to idle memory
	launch  float64 // ns from when the queue has a dispatch to its first waves
	gated   bool    // the clock of the vector L1's request counters is off
	has     content.Has
	machine simulate.Machine
}

// Facts of the GPU: two compute units share a work-group processor with one sequencer, one vector L1 and local
// memory; sysinfo.csv of the real capture has the others.
const (
	maxWaves = 32 // of a compute unit
	// GL2's cycle counter runs at this share of the shader clock in the real capture.
	gl2Clock = 0.87
	// Instructions in a clock of a work-group processor: the profiler's own peak for this GPU.
	issueRate = 5
)

// Units of the machine beyond those that all have.
const (
	unitLaunch = simulate.FirstUnit + iota
	unitVector
	unitLoadStore
	unitLocal
	unitCache
	machineUnits
)

func (f *Family) newDevice(r simulate.Random) *device {
	d := f.device(r)
	for _, a := range []content.Axis{content.Arithmetic, content.LoadStore, content.LocalMemory, content.Cache,
		content.Bandwidth, content.Latency} {
		d.has.Axes[a] = true
	}
	d.has.Width, d.has.Height = 1024, 1024
	unit := func(name string) simulate.Unit {
		return simulate.Unit{Candidate: simulate.Candidate{Level: simulate.LevelUnit, Name: name},
			Domain: simulate.CoreClock}
	}
	d.machine = simulate.NewMachine([]string{"compute"}, unit("wave_launch"), unit("arithmetic"), unit("load_store"),
		unit("local_memory"),
		simulate.Unit{Candidate: content.Cache.Candidate(), Domain: simulate.CoreClock})
	d.machine.Clock = simulate.FixedClock(d.hz)
	d.machine.LatencyLoad = r.Between(0.3, 0.7)
	return d
}

// launchRate is how many waves a clock can launch, one in each shader engine.
func (d *device) launchRate() float64 { return float64(d.engines) }

// launching is the ns that launching so many waves takes.
func (d *device) launching(waves float64) float64 { return waves / d.launchRate() / (d.hz / 1e9) }

// issuing is how many instructions all sequencers can issue in so many ns, of which some are lost to what they wait
// for.
func (d *device) issuing(ns float64) float64 {
	return 0.95 * issueRate * float64(d.wgps()) * ns * d.hz / 1e9
}

// wgps is how many work-group processors there are.
func (d *device) wgps() int { return d.cus / 2 }

// kernel is a kernel with what a dispatch of it counts.
type kernel struct {
	pass    *content.Pass
	content simulate.Content
	counts  counts
}

// chunks is how many chunks a kernel is cut into: a profiler's kernels are few and short, so that there is time for
// many.
func chunks(time float64) int { return max(32, min(96, int(time/4e3))) }

// compile turns a pass of work groups into a kernel.
func (d *device) compile(p *content.Pass) *kernel {
	x := d.settle(p)
	k := &kernel{pass: p, counts: d.count(p)}
	s := simulate.Stream{Chunks: chunks(x.Time), Seed: x.Seed, Weight: 1}
	if x.Wide {
		s.Weight = 2
	}
	s.Front = []simulate.Serve{{Unit: unitLaunch, Spread: 1, Time: d.launching(k.counts.waves)}}
	for _, u := range []struct {
		unit uint8
		axis content.Axis
	}{
		{simulate.UnitBandwidth, content.Bandwidth}, {simulate.UnitLatency, content.Latency}, {unitVector,
			content.Arithmetic},
		{unitLoadStore, content.LoadStore}, {unitLocal, content.LocalMemory}, {unitCache, content.Cache},
	} {
		if x.Press[u.axis] > 0 {
			time := x.Press[u.axis] * x.Time
			if u.unit == unitVector { // other instructions are issued by the same sequencers
				time = max(time, x.Time*k.counts.issued/d.issuing(x.Time))
			}
			s.Core = append(s.Core, simulate.Serve{Unit: u.unit, Spread: x.Spread[u.axis], Time: time})
		}
	}
	s.Exact()
	k.content = simulate.Content{Name: p.Name, Jobs: []simulate.Job{{Name: p.Name, Streams: []simulate.Stream{s},
		Launch: d.launch}}}
	return k
}
