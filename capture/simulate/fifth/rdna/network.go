package rdna

import "astrolabe/capture/simulate"

// Stations of the network that waves go round in, and what their time is called. Those up to memory are units with
// queues, the others only delay.
const (
	vectorALU = iota
	localMemory
	loadStore
	firstCache // GL1
	lastCache  // GL2
	memory
	queues
	chained = iota - 1 // results of vector instructions
	localLatency
	loadLatency
	stations
)

func unit(name string) simulate.Candidate {
	return simulate.Candidate{Level: simulate.LevelUnit, Name: name}
}

// Candidates of kernels.
var (
	Arithmetic = unit("arithmetic")
	LoadStore  = unit("load_store")
	Local      = unit("local_memory")
	WaveLaunch = unit("wave_launch")
	Cache      = simulate.Candidate{Level: simulate.LevelMemory, Name: "cache"}
)

var candidates = []simulate.Candidate{Arithmetic, LoadStore, Local, WaveLaunch, Cache, simulate.MemoryBandwidth,
	simulate.MemoryLatency, simulate.LaunchOverhead}

// candidateOf is what the time at a station is called.
var candidateOf = [stations]simulate.Candidate{vectorALU: Arithmetic, localMemory: Local, loadStore: LoadStore,
	firstCache: Cache, lastCache: Cache, memory: simulate.MemoryBandwidth, chained: Arithmetic, localLatency: Local,
	loadLatency: simulate.MemoryLatency}

const faster = 1.5

// conditions are those of one run: the clock as a share of the highest, what is relieved, and how far memory is off.
type conditions struct {
	share  float64
	relief simulate.Candidate
	off    float64 // factor of latencies and of memory's capacity
	start  float64 // factor of the overhead
}

// network is a kernel on a machine: per turn of a wave, cycles of the clock of the moment.
type network struct {
	k       *kernel
	work    [queues]float64 // of one server
	servers [queues]float64
	delay   [stations]float64
	queue   float64
	barrier float64
	other   float64 // scalar work, fetching of instructions

	reads0, reads1, reads2, readsM float64 // requests: 64 bytes at the first level, 128 bytes behind
	writes, writesM                float64 // 64 bytes
	launch, group                  float64 // cycles
	readLatency, writeLatency      float64 // cycles from GL1 on, idle
	start, finish                  float64
	missLatency, hitLatency        float64
}

func newNetwork(m *machine, k *kernel, c conditions) *network {
	clock := m.mhz / 1000 * c.share // cycles per ns
	w := &network{k: k, queue: m.queue, barrier: k.barrier}
	w.reads0 = k.loads * k.pieces
	// Lines behind the first level have 128 bytes. Where accesses join, a line serves two pieces.
	w.reads1 = w.reads0 * (1 - k.kept) / 2
	if k.pieces > 8 {
		w.reads1 *= 1.7 // scattered
	}
	w.reads2 = w.reads1 * (1 - k.kept1)
	w.readsM = w.reads2 * (1 - k.kept2)
	w.writes = k.stores * k.pieces
	w.writesM = w.writes * (1 - k.writes2)
	w.work = [queues]float64{
		vectorALU:   (k.vector-k.slow-k.double)/m.vectors + 4*k.slow + 16*k.double,
		localMemory: k.shared * k.conflicts,
		loadStore:   max((k.loads+k.stores)*1.0, (w.reads0+w.writes)*0.5),
		firstCache:  w.reads1*1.7 + w.writes,
		lastCache:   w.reads2*128/m.width + w.writes*64/m.width,
		memory:      (w.readsM*128 + w.writesM*64) * clock * (k.inMALL/m.mall + (1-k.inMALL)/m.dram) * c.off,
	}
	for i, reached := range m.reached {
		w.work[i] /= reached
	}
	for _, i := range []int{loadStore, firstCache, lastCache} {
		w.work[i] /= k.camped
	}
	w.servers = [queues]float64{vectorALU: float64(simds * m.cus), localMemory: float64(m.cus),
		loadStore: float64(m.wgps()), firstCache: gl1s, lastCache: channels, memory: 1}
	w.delay[chained] = k.vector*k.chain + k.scalar*0.7
	w.delay[localLatency] = 26 * min(k.shared, 1+k.shared/6)
	w.hitLatency = m.middle * clock
	w.missLatency = (m.middle + (m.far-m.middle)*c.off*(1-0.35*k.inMALL)) * clock
	if k.loads > 0 {
		// A wait for several loads is as long as the longest of them takes.
		n := max(1, k.together)
		beyond := 1 - power(k.kept, n)
		deep := 1 - power(1-(1-k.kept)*(1-k.kept1)*(1-k.kept2), n)
		one := m.near*clock*(1-beyond) + w.hitLatency*max(0, beyond-deep) + w.missLatency*deep
		w.delay[loadLatency] = k.loads / n * one * (1 - k.ahead)
	}
	w.delay[loadLatency] += k.fetch * 0.25 * m.near * clock
	w.readLatency = (w.hitLatency + (w.missLatency-w.hitLatency)*(1-k.kept2)) * 0.8
	w.writeLatency = w.hitLatency * 0.5
	w.other = k.fetchMisses
	w.launch, w.group = m.launch/engines, m.group/engines
	w.start, w.finish = m.overhead*clock*c.start, m.finish*clock
	switch c.relief {
	case Arithmetic:
		w.work[vectorALU] /= faster
		w.delay[chained] /= faster
		w.other /= faster
	case Local:
		w.work[localMemory] /= faster
		w.delay[localLatency] /= faster
	case LoadStore:
		w.work[loadStore] /= faster
	case Cache:
		w.work[firstCache] /= faster
		w.work[lastCache] /= faster
	case simulate.MemoryBandwidth:
		w.work[memory] /= faster
	case simulate.MemoryLatency:
		w.delay[loadLatency] /= faster
	case WaveLaunch:
		w.launch /= faster
		w.group /= faster
	case simulate.LaunchOverhead:
		w.start /= faster
		w.finish /= faster
	}
	return w
}

// power is x^n for a whole part of n and a linear rest, without the differences between processors of math.Pow.
func power(x, n float64) float64 {
	out := 1.0
	for ; n >= 1; n-- {
		out *= x
	}
	return out * (1 - n*(1-x))
}

// flow is the network with so many waves in it.
type flow struct {
	rate   float64           // turns per cycle, of all waves together
	turn   float64           // cycles of a turn, without barriers
	used   [queues]float64   // share of time that a server works
	stay   [stations]float64 // cycles per turn at a station
	waited [queues]float64   // those of them in the queue
}

// flow solves the network: the rate at which as many waves are in the stations as there are.
func (w *network) flow(n float64) flow {
	most := 1e9
	base := w.other
	for i, d := range w.work {
		if d > 0 {
			most = min(most, w.servers[i]/d)
		}
		base += d
	}
	for _, d := range w.delay {
		base += d
	}
	lo, hi := 0.0, min(most*0.99999, n/base*1.0000001)
	held := func(x float64) float64 {
		sum := base
		for i, d := range w.work {
			if d > 0 {
				sum += d * w.wait(x*d/w.servers[i], n/w.servers[i])
			}
		}
		return x * sum * (1 + w.barrier)
	}
	for range 34 {
		if mid := (lo + hi) / 2; held(mid) < n {
			lo = mid
		} else {
			hi = mid
		}
	}
	f := flow{rate: lo}
	f.turn = n / lo / (1 + w.barrier)
	left := f.turn
	for i, d := range w.work {
		f.used[i] = lo * d / w.servers[i]
		f.waited[i] = d * w.wait(f.used[i], n/w.servers[i])
		f.stay[i] = d + f.waited[i]
		left -= f.stay[i]
	}
	for i, d := range w.delay {
		f.stay[i] += d
		left -= d
	}
	f.stay[chained] += left // what is neither: scalar work, fetching of instructions
	return f
}

// wait is the mean queue at a server that works for a share of the time and could have so many waves.
func (w *network) wait(used, most float64) float64 {
	if most <= 1 {
		return 0
	}
	return w.queue * used * used / (1 - used) * (1 - 1/most)
}
