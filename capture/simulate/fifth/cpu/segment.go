package cpu

import "astrolabe/capture/simulate"

// segment is a kind of code. Everything is per instruction on the fast core; cycles are of its clock.
type segment struct {
	kernel, spin    bool
	uops            float64
	core            float64 // cycles with perfect prediction, fetching and memory
	branches, wrong float64 // wrong ones among them
	fetch           float64 // cycles of fetching and decoding in excess
	itlb            float64
	loads, l1, l2   float64 // loads, their misses of the first level, and what comes to the last
	misses          float64 // demand misses of the last level
	lines           float64 // that memory carries, prefetches and writes among them
	ahead           float64 // of these, how many were prefetched
	parallel        float64 // misses under way at once
	near            float64 // ns of hits in the last level and of walks of page tables that are not hidden
	dtlb            float64
	norm            int // how computing and memory overlap: 1 not, 2, 4 nearly always
	faults          float64
}

// flavour is what a piece of code mostly costs.
type flavour int

const (
	coreCode flavour = iota
	branchCode
	fetchCode
	latencyCode
	streamCode
	mixedCode
	flavours
)

// drawSegment draws code of a flavour. strong is how far its main cost leads, from 0 to 1.
func drawSegment(r simulate.Random, m *machine, f flavour, strong float64) segment {
	width := m.types[0].width
	s := segment{uops: r.Between(1.02, 1.3), branches: r.Between(0.06, 0.22), loads: r.Between(0.18, 0.34),
		norm: simulate.Pick(r, 1, 2, 2), parallel: r.Between(1.3, 4), faults: r.Log(1e-9, 1e-7)}
	s.core = max(s.uops/width*r.Between(1.04, 1.4), r.Between(0.22, 0.5))
	weak := 1.25 - strong // of everything that is not its flavour
	s.wrong = s.branches * r.Log(0.002, 0.02) * weak
	s.fetch = r.Log(0.01, 0.12) * weak
	s.l1 = s.loads * r.Log(0.008, 0.05)
	s.l2 = s.l1 * r.Between(0.1, 0.45) * weak
	s.misses = s.l2 * r.Log(0.02, 0.25) * weak
	s.dtlb = s.loads * r.Log(0.0002, 0.003)
	written := r.Between(1.05, 1.7)
	prefetched := r.Between(0.4, 2.5)
	switch f {
	case coreCode:
		// Long dependencies, busy ports or dense work.
		if r.Chance(0.5) {
			s.core = max(s.uops/width*r.Between(1.05, 1.3), s.core*r.Between(0.8, 1))
			s.fetch *= 0.5
			s.wrong *= 0.4
			s.misses *= 0.3
		} else {
			s.core = r.Between(0.6, 1.9) * (0.6 + 0.6*strong)
			s.branches *= r.Between(0.3, 1)
			s.wrong = min(s.wrong, s.branches*0.02)
		}
	case branchCode:
		s.branches = r.Between(0.12, 0.26)
		s.wrong = s.core * r.Between(1, 3) * (0.4 + strong) / m.wrong
	case fetchCode:
		s.branches = r.Between(0.14, 0.24)
		s.fetch = s.core * r.Between(1, 2.6) * (0.4 + strong)
		s.dtlb *= r.Between(1, 3)
	case latencyCode:
		s.loads = r.Between(0.22, 0.4)
		s.l1 = s.loads * r.Between(0.04, 0.14)
		s.l2 = s.l1 * r.Between(0.4, 0.95)
		far := r.Between(0.1, 0.95)
		s.misses = s.l2 * far
		s.parallel, prefetched = r.Between(1.1, 5), r.Between(0, 0.25)
		s.norm = simulate.Pick(r, 1, 1, 2)
		s.dtlb = s.misses * r.Between(0.1, 0.9)
		// So many instructions between misses that waiting is a drawn multiple of the rest.
		want := r.Between(1.2, 4) * (0.4 + strong) * (s.core + s.fetch + s.wrong*m.wrong) / m.types[0].highest
		one := m.latency/s.parallel + (1/far-1)*r.Between(6, 16)/s.parallel
		s.scaleMisses(want / one / s.misses)
	case streamCode:
		s.core = max(s.uops/width*1.05, r.Between(0.25, 0.45))
		s.branches, s.wrong = r.Between(0.03, 0.1), s.branches*0.001
		s.fetch *= 0.3
		s.loads = r.Between(0.25, 0.4)
		s.l1 = s.loads * r.Between(0.1, 0.3)
		s.l2 = s.l1 * r.Between(0.8, 1)
		s.norm = 4
		// Streams that few cores at once draw more than memory carries.
		all := m.capacity * r.Between(1.5, 4) * (0.5 + strong) / float64(min(4, len(m.cpus)))
		s.lines = all * s.core / m.types[0].highest
		s.ahead = s.lines * r.Between(0.45, 0.85)
		s.misses = s.lines * r.Between(0.08, 0.3)
		s.l2 = max(s.l2, s.misses*1.1)
		s.l1 = max(s.l1, s.l2)
		s.loads = max(s.loads, s.l1*1.5)
		// As many lines under way as an idle memory needs at that rate, and some more.
		s.parallel = s.misses * m.latency / (s.core / m.types[0].highest) * r.Between(1.1, 1.8)
		s.dtlb = s.lines * r.Between(0.005, 0.03)
	case mixedCode:
		s.wrong = s.branches * r.Log(0.008, 0.05)
		s.fetch = s.core * r.Between(0.1, 0.7)
		s.l2 = s.l1 * r.Between(0.2, 0.6)
		s.misses = s.l2 * r.Between(0.05, 0.4)
	}
	if s.lines == 0 {
		s.ahead = s.misses * prefetched
		s.lines = (s.misses + s.ahead) * written
	}
	s.near = ((s.l2-s.misses)*r.Between(5, 14) + s.dtlb*r.Between(3, 9)) / max(1, s.parallel)
	if f != latencyCode {
		s.near *= 0.5
	}
	s.itlb = s.fetch * r.Log(0.002, 0.02)
	s.dtlb = min(s.dtlb, s.loads)
	s.wrong = min(s.wrong, 0.4*s.branches)
	return s
}

func (s *segment) scaleMisses(by float64) {
	s.misses *= by
	s.l2 *= by
	s.l1 = max(s.l1*min(by, 1), s.l2)
	s.loads = max(s.loads, s.l1*1.2)
	s.dtlb *= by
}

// kernelSegment is code of the kernel: scattered, with much to fetch.
func kernelSegment(r simulate.Random, m *machine) segment {
	s := drawSegment(r, m, simulate.Pick(r, mixedCode, fetchCode), 0.3)
	s.kernel = true
	return s
}

// spinSegment waits in a loop that reads one word.
func spinSegment(r simulate.Random) segment {
	return segment{spin: true, uops: 1, core: r.Between(0.4, 8), branches: 0.3, wrong: 1e-6, fetch: 0.01, loads: 0.3,
		l1: 1e-4, l2: 1e-5, misses: 1e-7, lines: 1e-7, parallel: 1, norm: 1}
}
