package amd

import (
	"math"

	"astrolabe/capture/simulate"
)

// Passes of compute programs.

// buffers is a kernel of loads and stores of buffers: no textures.
func (s *scene) buffers(valu, load, store float64) shader {
	h := s.shade(valu, 0, load, store)
	h.lanes = s.Between(0.85, 1)
	h.lsClocks = s.Log(1.5, 8)
	return h
}

func reduce(s *scene) draw {
	h := s.buffers(40, s.Between(4, 16), 0.1)
	h.lines, h.lsClocks = simulate.Pick(s.Random, 1.0, 2, 4), s.Between(2, 5)
	h.hit0, h.hit1, h.hit2, h.mall = s.Between(0.02, 0.3), 0.05, s.Between(0.02, 0.25), s.Between(0, 0.5)
	h.lds = s.Between(1, 12)
	h.rounds = s.Between(1, 3)
	return s.dispatch("reduction", s.Log(5e4, 2e7)*min(1, s.m.cus/30), h)
}

func gemm(s *scene) draw {
	h := s.buffers(s.Log(1500, 12000), s.Log(8, 80), s.Between(2, 8))
	h.lds = h.valu * s.Log(0.03, 0.35)
	h.ldsClocks, h.conflict = s.Between(1, 4), s.Log(0.01, 0.6)
	h.hit0, h.hit1, h.hit2 = s.Between(0.1, 0.6), s.Between(0.3, 0.7), s.Between(0.6, 0.95)
	h.occupancy, h.ilp = float64(s.Whole(2, 8)), s.Between(1, 1.8)
	h.rounds = math.Sqrt(h.load) * s.Between(0.5, 1.5)
	n := s.Log(256, 4096)
	return s.dispatch("matrix product", max(2048, n*n/simulate.Pick(s.Random, 4.0, 8, 16)), h)
}

func stencil(s *scene) draw {
	h := s.buffers(s.Log(20, 120), s.Between(5, 27), 1)
	h.hit0, h.hit2, h.mall = s.Between(0.55, 0.92), s.Between(0.1, 0.7), s.Between(0, 0.6)
	h.lines = s.Between(1, 2.5)
	return s.dispatch("stencil", s.Log(1e5, 1e7)*min(1, s.m.cus/30), h)
}

func sortKeys(s *scene) draw {
	h := s.buffers(s.Log(100, 600), s.Between(2, 8), s.Between(2, 8))
	h.lds, h.ldsClocks, h.conflict = s.Log(20, 200), s.Between(1, 2), s.Log(0.05, 2.5)
	h.lines, h.fetch = s.Between(4, 24), 64
	h.lsClocks = s.Between(2, 12)
	h.hit0, h.hit2 = s.Between(0.05, 0.4), s.Between(0.2, 0.7)
	return s.dispatch("radix sort", s.Log(1e5, 4e6)*min(1, s.m.cus/30), h)
}

func histogram(s *scene) draw {
	h := s.buffers(s.Log(40, 160), s.Between(2, 8), s.Between(0.1, 1))
	h.lds, h.conflict = s.Log(8, 90), s.Log(0.2, 6)
	h.hit0, h.hit2 = s.Between(0.02, 0.4), s.Between(0.05, 0.5)
	return s.dispatch("histogram", s.Log(2e5, 8e6)*min(1, s.m.cus/30), h)
}

func fourier(s *scene) draw {
	h := s.buffers(s.Log(200, 900), s.Between(4, 16), s.Between(4, 16))
	h.lds, h.ldsClocks, h.conflict = s.Log(20, 120), s.Between(1, 2), s.Log(0.02, 1.5)
	h.hit0, h.hit2 = s.Between(0.02, 0.3), s.Between(0.1, 0.8)
	h.lines = s.Between(1, 6)
	return s.dispatch("FFT", s.Log(1e5, 4e6)*min(1, s.m.cus/30), h)
}

func gather(s *scene) draw {
	h := s.buffers(s.Log(30, 200), s.Between(4, 20), 1)
	h.lines = s.Between(8, 32)
	h.lsClocks, h.fetch = h.lines, simulate.Pick(s.Random, 32.0, 64, 64, 96)
	h.hit0, h.hit1, h.hit2 = s.Between(0.1, 0.5), s.Between(0.02, 0.3), s.Between(0.3, 0.95)
	h.rounds = h.load * s.Between(0.2, 1)
	return s.dispatch("graph walk", s.Log(2e4, 3e6)*min(1, s.m.cus/30), h)
}

func bodies(s *scene) draw {
	h := s.buffers(s.Log(4000, 30000), s.Between(8, 40), 1)
	h.lds, h.ldsClocks = h.valu*s.Between(0.01, 0.08), 1
	h.hit0, h.hit2, h.ilp = s.Between(0.6, 0.95), s.Between(0.7, 0.97), s.Between(1, 2.2)
	return s.dispatch("bodies", s.Log(5e3, 3e5), h)
}

func tiny(s *scene) draw {
	h := s.buffers(s.Log(10, 80), s.Between(1, 4), 1)
	return s.dispatch("small kernel", s.Log(32, 2e4), h)
}
