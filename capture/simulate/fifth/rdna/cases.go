package rdna

import (
	"fmt"
	"slices"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
)

// Names are the families of this package.
var Names = []string{"gfx1151-fifth"}

// Kinds are the kinds of cases of a family; nil where there is no such family. A profiler runs kernels one after the
// other, so that nothing paces them and no queues wait.
func Kinds(name string) []string {
	if !slices.Contains(Names, name) {
		return nil
	}
	return []string{simulate.KindArchetype, simulate.KindSingle, simulate.KindTwoPhase, simulate.KindRandom}
}

// New draws a case. The same arguments give the same case.
func New(name, kind string, seed uint64) (*simulate.Case, error) {
	if !slices.Contains(Names, name) {
		return nil, fmt.Errorf("there is no family %q; there is %v", name, Names)
	}
	if !slices.Contains(Kinds(name), kind) {
		return nil, fmt.Errorf("%s has no kind %q; it has %v", name, kind, Kinds(name))
	}
	r := simulate.NewRandom(seed, "fifth rdna "+kind)
	m := drawMachine(r)
	b := &builder{r: r, c: &scenario{m: m}}
	plant, text := "", ""
	switch kind {
	case simulate.KindArchetype:
		text = b.archetype()
	case simulate.KindSingle:
		c := candidates[seed%uint64(len(candidates))]
		plant = c.String()
		for range r.Whole(1, 3) {
			b.add(b.plant(c), "")
		}
		text = b.c.kernels[0].name
		b.repeat(r.Whole(3, 12), 0.1)
	case simulate.KindTwoPhase:
		i := r.IntN(len(candidates))
		j := (i + r.Whole(1, len(candidates)-1)) % len(candidates)
		for part, c := range []simulate.Candidate{candidates[i], candidates[j]} {
			name := [...]string{"first", "second"}[part]
			first := len(b.c.kernels)
			for range r.Whole(1, 2) {
				b.add(b.plant(c), name)
			}
			b.repeatFrom(first, r.Whole(3, 9), 0.15)
		}
		text = b.c.kernels[0].name + ", then " + b.c.kernels[len(b.c.kernels)-1].name
	default:
		for range r.Whole(1, 6) {
			b.add(b.any(), "")
		}
		text = "any kernels"
		b.repeat(r.Whole(2, 8), 0.4)
	}
	k := drawRecorder(r, b.c)
	s := b.c
	s.requests(simulate.NewRandom(seed, "fifth rdna requests "+kind))
	return &simulate.Case{Family: name, Kind: kind, Seed: seed, Text: text + " on " + m.name, Plant: plant,
		Record: func(o simulate.Options) (*capture.Capture, error) {
			return s.record(fmt.Sprintf("%s %s %d", name, kind, seed), &k, seed, o)
		}, Judge: s.judge}, nil
}

// builder makes a scenario.
type builder struct {
	r simulate.Random
	c *scenario
}

func (b *builder) add(k kernel, phase string) {
	same := 0
	for i := range b.c.kernels {
		if name, _, _ := strings.Cut(b.c.kernels[i].name, "#"); name == k.name {
			same++
		}
	}
	if same > 0 {
		k.name = fmt.Sprintf("%s#%d", k.name, same+1)
	}
	b.c.kernels, b.c.phases = append(b.c.kernels, k), append(b.c.phases, phase)
}

// repeat dispatches all kernels in turn, several times.
func (b *builder) repeat(n int, spread float64) { b.repeatFrom(0, n, spread) }

func (b *builder) repeatFrom(first, n int, spread float64) {
	for range n {
		for i := first; i < len(b.c.kernels); i++ {
			b.c.list = append(b.c.list, dispatch{i, b.r.Spread(spread), b.r.Uint64()})
		}
	}
}

// plant is a kernel that one thing limits. Of some draws the first is taken that relief shows to be so.
func (b *builder) plant(c simulate.Candidate) kernel {
	var k kernel
	for range 16 {
		k = b.draw(c)
		one := scenario{m: b.c.m, kernels: []kernel{k}, phases: []string{""}, list: []dispatch{{0, 1, 1}}}
		t, err := one.judge()
		if err != nil {
			break
		}
		if l, clear := t.Limiter(); clear && l == c {
			break
		}
	}
	return k
}

var names = map[simulate.Candidate][]string{
	Arithmetic:               {"gemm_tile", "nbody_forces", "black_scholes", "mandelbrot", "conv3x3"},
	LoadStore:                {"gather_rows", "transpose_naive", "sparse_mv", "bilinear_sample"},
	Local:                    {"bitonic_sort", "histogram", "fft_radix8", "scan_block", "transpose_lds"},
	WaveLaunch:               {"fill", "memset32", "mark_flags", "init_indices"},
	Cache:                    {"attention_kv", "gemm_small", "blur_rows", "lookup_table"},
	simulate.MemoryBandwidth: {"vecCopy(double*, double*, double*, int, int)", "stream_triad", "axpy", "dequantize_rows"},
	simulate.MemoryLatency:   {"bfs_level", "hash_probe", "list_walk", "tree_search"},
	simulate.LaunchOverhead:  {"reduce_final", "update_scalar", "scale_small", "sample_token"},
}

// base is a kernel with a little of everything that kernels have, and many waves.
func (b *builder) base(name string) kernel {
	r := b.r
	k := kernel{name: name, perGroup: simulate.Pick(r, 2, 4, 4, 8, 8, 8, 16, 32), vgprs: simulate.Pick(r, 8, 16, 24, 32, 48, 64, 96),
		sgprs: 128, turns: r.Log(2, 120), uneven: simulate.Pick(r, 0, 0, 0.05, 0.15, 0.35), vector: r.Between(4, 14),
		chain: r.Between(0.2, 2), scalar: r.Between(1, 6), fetch: r.Between(0, 1), conflicts: 1, loads: r.Between(0.2, 1),
		stores: r.Between(0, 0.4), pieces: simulate.Pick(r, 2.0, 2, 4, 8), kept: r.Between(0.1, 0.9), kept1: r.Between(0, 0.6),
		kept2: r.Between(0.1, 0.9), writes2: r.Between(0, 0.6), inMALL: r.Between(0, 0.5), together: 1, ahead: r.Between(0, 0.4),
		fetchMisses: r.Log(0.02, 0.6), camped: simulate.Pick(r, 1, 1, r.Between(0.75, 1))}
	if r.Chance(0.3) {
		k.barrier = r.Between(0.01, 0.2)
	}
	k.together = max(1, k.loads)
	k.waves = b.count(r.Log(1.5, 14))
	return k
}

// count is as many waves as fill the GPU's slots so many times.
func (b *builder) count(times float64) int {
	return max(1, int(times*float64(waves*simds*b.c.m.cus)))
}

// draw draws a kernel of the kind that a candidate should limit.
func (b *builder) draw(c simulate.Candidate) kernel {
	r := b.r
	k := b.base(names[c][r.IntN(len(names[c]))])
	switch c {
	case Arithmetic:
		k.vector, k.chain = r.Log(60, 500), r.Between(0.1, 1.2)
		switch r.IntN(4) {
		case 0:
			k.slow = k.vector * r.Between(0.1, 0.6)
		case 1:
			k.double = k.vector * r.Between(0.02, 0.5)
		}
		k.vgprs = simulate.Pick(r, 24, 48, 72, 96, 128)
		if r.Chance(0.4) {
			k.shared, k.localBytes = k.vector*r.Between(0.02, 0.15), 8192*r.Whole(1, 4)
		}
	case LoadStore:
		k.loads, k.pieces = r.Log(2, 12), r.Between(8, 32)
		k.kept, k.kept1, k.kept2 = r.Between(0.85, 0.995), r.Between(0.4, 0.95), r.Between(0.6, 0.98)
		k.stores *= 0.2
		k.together, k.vector = k.loads, r.Between(6, 30)
		k.waves = b.count(r.Log(3, 14))
	case Local:
		k.shared, k.conflicts = r.Log(12, 90), simulate.Pick(r, 1.0, 2, 4, 8, r.Between(1, 6))
		k.atomics = k.shared * simulate.Pick(r, 0, 0, 0.3, 0.8)
		k.vector = k.shared * k.conflicts * r.Between(0.1, 0.7)
		k.localBytes = 2048 * r.Whole(1, 8)
		k.barrier = r.Between(0, 0.2)
	case WaveLaunch:
		k.perGroup, k.vgprs = simulate.Pick(r, 1, 1, 2, 4, 8), 8
		k.turns, k.uneven, k.vector, k.loads = 1, 0, r.Between(3, 14), 0
		k.stores, k.pieces, k.writes2, k.inMALL = simulate.Pick(r, 0, r.Between(0.05, 1)), 2, r.Between(0.4, 1), r.Between(0.5, 1)
		k.waves = b.count(r.Log(12, 60))
		k.barrier = 0
	case Cache:
		k.loads, k.pieces = r.Log(2, 12), simulate.Pick(r, 2.0, 4, 8, 8)
		k.kept, k.kept1, k.kept2 = r.Between(0, 0.3), r.Between(0, 0.35), r.Between(0.93, 0.999)
		k.stores *= 0.15
		k.writes2 = r.Between(0.9, 1)
		k.together, k.ahead, k.vector = k.loads, r.Between(0.1, 0.7), r.Between(5, 30)
		k.waves, k.vgprs = b.count(r.Log(4, 14)), simulate.Pick(r, 16, 24, 48)
	case simulate.MemoryBandwidth:
		k.loads, k.pieces, k.kept, k.kept1 = r.Between(1, 4), simulate.Pick(r, 2.0, 4, 8), r.Between(0, 0.15), r.Between(0, 0.1)
		k.stores, k.kept2, k.writes2 = k.loads*r.Between(0, 1), r.Between(0, 0.25), r.Between(0, 0.2)
		k.together, k.inMALL = k.loads, simulate.Pick(r, 0, r.Between(0, 0.3), r.Between(0.6, 1))
		k.turns = r.Log(1, 16)
	case simulate.MemoryLatency:
		k.loads, k.pieces, k.together = r.Between(1, 3), simulate.Pick(r, 1.0, 2, r.Between(2, 20)), 1
		k.kept, k.kept1, k.kept2 = r.Between(0, 0.6), r.Between(0, 0.5), r.Between(0, 0.95)
		k.ahead, k.stores = r.Between(0, 0.15), r.Between(0, 0.1)
		k.turns = r.Log(15, 150)
		if r.Chance(0.5) { // few waves
			k.waves = max(1, b.count(r.Log(0.03, 0.5)))
		} else {
			k.vgprs = r.Whole(7, 10) * 24
			k.localBytes = simulate.Pick(r, 0, 16384, 32768)
		}
	case simulate.LaunchOverhead:
		k.waves, k.turns = max(1, b.count(r.Log(0.002, 0.4))), r.Log(1, 6)
	}
	return b.fit(b.starved(c, k))
}

// starved lets some kernels have too few waves, uneven ones or many barriers, so that units that limit have gaps.
func (b *builder) starved(c simulate.Candidate, k kernel) kernel {
	r := b.r
	switch {
	case c == WaveLaunch || c == simulate.LaunchOverhead || c == simulate.MemoryLatency || r.Chance(0.5):
		return k
	case r.Chance(0.5):
		k.vgprs = r.Whole(3, 10) * 24
	case r.Chance(0.4):
		k.waves = b.count(r.Log(0.15, 1.2))
	}
	if r.Chance(0.5) {
		k.barrier, k.uneven = r.Between(0.05, 0.35), r.Between(0.1, 0.5)
	}
	return k
}

// fit makes numbers agree: whole workgroups, and as many waves as one may have.
func (b *builder) fit(k kernel) kernel {
	k.perGroup = min(k.perGroup, k.waves)
	k.waves = (k.waves + k.perGroup - 1) / k.perGroup * k.perGroup
	k.loads, k.stores = float64(int(k.loads*16))/16, float64(int(k.stores*16))/16
	k.together = min(max(1, k.together), max(1, k.loads))
	return k
}

// any is a kernel of any mixture.
func (b *builder) any() kernel {
	r := b.r
	x, y := b.draw(candidates[r.IntN(len(candidates))]), b.draw(candidates[r.IntN(len(candidates))])
	if r.Chance(0.25) {
		return x
	}
	part := r.Between(0.2, 0.8)
	mix := func(a, b float64) float64 { return a*part + b*(1-part) }
	x.name = "fused_" + x.name
	x.vector, x.slow, x.double = mix(x.vector, y.vector), mix(x.slow, y.slow), mix(x.double, y.double)
	x.loads, x.stores, x.pieces = mix(x.loads, y.loads), mix(x.stores, y.stores), mix(x.pieces, y.pieces)
	x.kept, x.kept1, x.kept2, x.writes2 = mix(x.kept, y.kept), mix(x.kept1, y.kept1), mix(x.kept2, y.kept2), mix(x.writes2, y.writes2)
	x.shared, x.atomics, x.conflicts = mix(x.shared, y.shared), mix(x.atomics, y.atomics), mix(x.conflicts, y.conflicts)
	x.localBytes, x.together = max(x.localBytes, y.localBytes), mix(x.together, y.together)
	if r.Chance(0.5) {
		x.waves = y.waves
	}
	return b.fit(x)
}

// archetypes are programs with the kernels that they have.
var archetypes = []struct {
	name string
	of   []simulate.Candidate
}{
	{"inference of a language model, token by token", []simulate.Candidate{simulate.MemoryBandwidth, Cache, simulate.LaunchOverhead,
		simulate.MemoryBandwidth, simulate.LaunchOverhead}},
	{"reading of a prompt", []simulate.Candidate{Arithmetic, Local, Cache, simulate.MemoryBandwidth, simulate.LaunchOverhead}},
	{"inference on pictures", []simulate.Candidate{Arithmetic, Arithmetic, Cache, simulate.MemoryBandwidth, Local}},
	{"a simulation of fluids", []simulate.Candidate{simulate.MemoryBandwidth, Arithmetic, LoadStore, simulate.LaunchOverhead}},
	{"molecular dynamics", []simulate.Candidate{Arithmetic, LoadStore, simulate.MemoryLatency, WaveLaunch}},
	{"a walk over graphs", []simulate.Candidate{simulate.MemoryLatency, WaveLaunch, simulate.LaunchOverhead, LoadStore}},
	{"sorting", []simulate.Candidate{Local, simulate.MemoryBandwidth, Local, simulate.LaunchOverhead}},
	{"processing of pictures", []simulate.Candidate{Cache, simulate.MemoryBandwidth, LoadStore, Local}},
	{"a ray tracer of its own", []simulate.Candidate{simulate.MemoryLatency, Arithmetic, WaveLaunch}},
}

// archetype draws the kernels of a program. Most are what they are called after; some are mixtures.
func (b *builder) archetype() string {
	r := b.r
	a := &archetypes[r.IntN(len(archetypes))]
	for _, c := range a.of {
		switch {
		case r.Chance(0.2):
		case r.Chance(0.25):
			b.add(b.any(), "")
		default:
			b.add(b.draw(c), "")
		}
	}
	if len(b.c.kernels) == 0 {
		b.add(b.draw(a.of[0]), "")
	}
	b.repeat(r.Whole(2, 8), 0.25)
	return a.name
}
