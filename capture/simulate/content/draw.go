package content

import (
	"astrolabe/capture/simulate"
)

// Weights are how likely each axis is the heaviest of a part.
type Weights map[Axis]float64

// pick draws an axis; the order of the axes keeps it the same for the same seed.
func (w Weights) pick(r simulate.Random) Axis {
	list := make([]float64, Axes)
	for a, x := range w {
		list[a] = x
	}
	return Axis(r.Weighted(list))
}

// Typical is how heavily parts of a kind use the axes that do not limit them, relative to the limit. The numbers are
// invented; they are wide, so that every mixture occurs.
var (
	typicalPixel = Press{Arithmetic: 0.95, Texture: 0.95, Varying: 0.6, LoadStore: 0.5, RayTracing: 0, Raster: 0.6,
		Backend: 0.6, Cache: 0.6, Bandwidth: 0.8, Latency: 0.8}
	typicalVert = Press{Arithmetic: 0.85, LoadStore: 0.85, Geometry: 0.9, Cache: 0.6, Bandwidth: 0.75, Latency: 0.8,
		Texture: 0.15}
	typicalGroup = Press{Arithmetic: 0.95, LoadStore: 0.9, LocalMemory: 0.6, Texture: 0.4, Cache: 0.7,
		Bandwidth: 0.85, Latency: 0.85}
	typicalCopy = Press{Arithmetic: 0.2, LoadStore: 0.7, Cache: 0.8, Bandwidth: 1, Latency: 0.8}
)

// drawPart draws a part of about that time whose heaviest axis is limit. calm is how far the other axes stay below
// it: 0 lets them come close, 1 keeps them far.
func drawPart(r simulate.Random, typical Press, time float64, limit Axis, calm float64) *Part {
	p := &Part{Time: time, Seed: uint32(r.Uint64()), Stage: uint8(r.IntN(10))}
	top := 0.97 - 0.45*calm
	for a := range Axes {
		x := r.Float64()
		if a != limit && typical[a] > 0 {
			p.Press[a] = max(0.02, typical[a]*top*x*(0.4+0.6*x))
		}
		p.Spread[a] = uint8(r.Weighted([]float64{0, 1, 2, 3, 3, 1.5, 0.4}))
		p.Effort[a] = effort(r)
	}
	p.Press[limit] = 1
	if calm < 0.5 && r.Chance(0.15) { // a rival
		rival := Axis(r.IntN(int(Axes)))
		if typical[rival] > 0 {
			p.Press[rival] = max(p.Press[rival], r.Between(0.8, 1.02))
		}
	}
	p.Wide = r.Chance(0.2)
	p.Spread[Latency] = min(p.Spread[Latency], 3)
	return p
}

// effort is how much of a unit's service is work that its counters count. What real units attain differs by unit and
// content; 74 to 99 percent, mostly about 90, is invented.
func effort(r simulate.Random) float64 {
	if r.Chance(0.15) {
		return r.Between(0.74, 0.88)
	}
	return r.Between(0.86, 0.99)
}

// drawShape draws what a pass draws.
func drawShape(r simulate.Random, pixels, layers float64) Shape {
	return Shape{
		Pixels: pixels, Layers: layers,
		PerVertex: r.Between(0.7, 1.8), Facing: r.Between(0.25, 0.55), Frustum: r.Between(0.02,
			0.4), Scissor: r.Between(0, 0.05), Sample: r.Between(0.01, 0.25),
		Partial: r.Between(0.05, 0.45), EarlyTest: r.Between(0.6, 1), EarlyKill: r.Between(0.02,
			0.45), CoarseZ: r.Between(0.2, 0.8), Hidden: r.Between(0, 0.3),
		LateTest: r.Between(0, 0.15), LateKill: r.Between(0, 0.4), Discard: r.Between(0, 0.1), Blended: r.Between(0,
			0.4),
		PixelSize: pick4(r), Unchanged: r.Between(0, 0.1), Hull: 0,
	}
}

// pick4 is a size of a pixel in bytes.
func pick4(r simulate.Random) float64 { return simulate.Pick(r, 2.0, 4.0, 4.0, 8.0) }

// DrawShader draws what shaders consist of.
func DrawShader(r simulate.Random) Shader {
	return Shader{
		Special: r.Between(0.02, 0.3), Convert: r.Between(0.1, 0.5), Scalar: r.Between(0.2, 1.2), Narrow: r.Between(0,
			0.8), Diverged: r.Between(0, 0.3),
		Trilinear: r.Between(0, 0.7), Wide: r.Between(0, 0.4), Compressed: r.Between(0.1, 1), Half: r.Between(0,
			0.9), Full: r.Between(0.2, 0.95),
		Writes: r.Between(0.05, 0.5), Atomics: r.Between(0, 0.1), Conflicts: r.Between(0,
			0.3), Filled: r.Between(0.75, 1), Barriers: r.Between(0, 6),
		GroupSize: simulate.Pick(r, 64, 64, 128, 256, 256, 512),
	}
}

// DrawMemory draws where data lives. The hit rate of a cache follows from a working set against its size: what fits
// is read once, what does not is read again in proportion to what is left out.
func DrawMemory(r simulate.Random) Memory {
	near, far := r.Log(0.05, 8), r.Log(0.1, 10) // working set by cache
	return Memory{
		Texture: r.Between(0.1, 1), Buffer: r.Between(0.05, 0.6), Attachment: r.Between(0.1,
			0.8), Written: r.Between(0.1, 0.5),
		HitNear: hit(r, near), HitFar: hit(r, far), Instructions: r.Log(1e-4, 0.05),
	}
}

func hit(r simulate.Random, set float64) float64 {
	first := r.Between(0.03, 0.2) // the first touch always misses
	kept := 1.0
	if set > 1 {
		kept = 1 / set
	}
	return (1 - first) * kept
}
