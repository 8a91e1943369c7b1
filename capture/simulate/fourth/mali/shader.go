package mali

import "astrolabe/capture/simulate"

// shader is what a warp of 16 threads does.
type shader struct {
	fma, cvt, sfu   float64 // instructions
	narrow, diverge float64 // shares of them
	tex             float64 // samples of a thread
	texCost         float64 // times the filter's cost of a bilinear sample
	texBytes        float64 // of a sample from the cache, after the texture unit's own
	texMiss         float64 // share of these from memory
	texPath         float64 // share of the filter's cycles that the slowest other part of the texture unit takes
	v32, v16        float64 // interpolation slots
	reads, writes   float64 // cycles of the load/store unit
	atomics         float64
	full            float64 // share of accesses of full width
	lsBytes         float64 // of a read from the cache
	lsMiss          float64 // share of these from memory
	wrBytes         float64 // of a write to the cache
	wrOut           float64 // share of these that reach memory
	rays            float64 // of a thread
	boxes, tris     float64 // issue cycles of a ray
	packed          float64 // rays in an issue cycle
	regs            float64 // share of warps that need more than half of the registers
}

// arith are the cycles that a warp's instructions take to issue, as Arm's formula has it.
func (m *machine) arith(s *shader) float64 {
	if !m.csf {
		return max(s.fma, s.cvt, 4*s.sfu)
	}
	one := s.cvt + s.sfu
	return max(one+max(0, s.fma-one)/2, 4*s.sfu)
}

// Families of shaders. All numbers are drawn: what games' and programs' shaders do on such GPUs, by what offline
// compilers tell of open samples, in orders of magnitude.

func position(r simulate.Random) shader {
	s := shader{fma: r.Log(12, 50), cvt: r.Log(3, 18), sfu: r.Log(0.2, 2), reads: r.Log(2, 8), full: 0.7, lsBytes: r.Log(16, 96),
		lsMiss: r.Between(0.2, 0.7), writes: 1, wrBytes: 64, wrOut: r.Between(0.1, 0.5), regs: r.Between(0, 0.2)}
	if r.Chance(0.25) { // skinned
		s.fma, s.reads = 2.2*s.fma, 2*s.reads
	}
	return s
}

func surface(r simulate.Random, rich float64) shader {
	return shader{fma: rich * r.Log(10, 85), cvt: rich * r.Log(4, 36), sfu: rich * r.Log(0.5, 6), narrow: r.Between(0.1, 0.7),
		diverge: r.Log(0.002, 0.12), tex: rich * r.Log(1.4, 9), texCost: simulate.Pick[float64](r, 1, 1.3, 2, 2, 3, 4), texBytes: r.Log(0.5, 5),
		texMiss: r.Between(0.06, 0.5), texPath: r.Between(0.3, 0.9), v32: r.Log(2, 18), v16: r.Log(1, 12), reads: rich * r.Log(0.6, 6), full: r.Between(0.3, 0.9),
		lsBytes: r.Log(4, 40), lsMiss: r.Between(0.03, 0.3), writes: r.Log(0.02, 0.2), wrBytes: 32, wrOut: 0.3, regs: r.Between(0, 0.6)}
}

func simple(r simulate.Random) shader {
	return shader{fma: r.Log(2, 12), cvt: r.Log(1, 8), sfu: r.Log(0.05, 0.6), narrow: r.Between(0.4, 0.9), diverge: 0.002,
		tex: r.Between(0.7, 1.3), texCost: 1, texBytes: r.Log(1, 5), texMiss: r.Between(0.12, 0.7), texPath: r.Between(0.4, 0.95), v32: r.Log(1, 6),
		v16: r.Log(2, 8), reads: r.Log(0.1, 0.6), full: 0.5, lsBytes: 8, lsMiss: 0.1, regs: 0.02}
}

func postShader(r simulate.Random) shader {
	s := shader{fma: r.Log(8, 80), cvt: r.Log(4, 26), sfu: r.Log(0.3, 5), narrow: r.Between(0.2, 0.8), diverge: r.Log(0.001, 0.05),
		tex: r.Log(2, 18), texCost: simulate.Pick[float64](r, 1, 1, 1.5), texBytes: r.Log(0.8, 4), texMiss: r.Between(0.1, 0.7), texPath: r.Between(0.3, 0.9), v32: 2,
		v16: 2, reads: r.Log(0.1, 1), full: 0.5, lsBytes: 8, lsMiss: 0.1, regs: r.Between(0, 0.4)}
	return s
}

// kernel is a compute shader: matrices, filters, physics, sorting, by what it draws.
func kernel(r simulate.Random) shader {
	s := shader{fma: r.Log(10, 300), cvt: r.Log(8, 120), sfu: r.Log(0.2, 10), narrow: r.Between(0, 0.7), diverge: r.Log(0.003, 0.25),
		reads: r.Log(2, 60), full: r.Between(0.4, 1), lsBytes: r.Log(6, 60), lsMiss: r.Between(0.05, 0.7), writes: r.Log(0.5, 8),
		wrBytes: r.Between(24, 64), wrOut: r.Between(0.3, 1), regs: r.Between(0, 0.8)}
	if r.Chance(0.2) {
		s.atomics = r.Log(0.2, 6)
	}
	if r.Chance(0.35) {
		s.tex, s.texCost, s.texBytes, s.texMiss, s.texPath = r.Log(0.5, 6), 1, r.Log(0.8, 4), r.Between(0.2, 0.8), 0.6
	}
	return s
}

func addRays(s *shader, r simulate.Random) {
	s.rays, s.boxes, s.tris, s.packed = r.Log(0.3, 2), r.Log(2.5, 14), r.Log(0.6, 5), r.Between(5, 13)
}
