package intel

import (
	"maps"
	"strings"
)

// target is the value of a metric in a sample, in the metric's unit.
type target func(m *moment, at place) float64

// place is which of several like things a metric is of: the numbers in its symbol, as they stand there.
type place []string

// index is the last digit of the numbers, for parts of the GPU that share work almost evenly.
func (p place) index() int {
	n := 0
	for _, x := range p {
		for _, c := range x {
			n = n*7 + int(c-'0')
		}
	}
	return n
}

// number is the k-th number, 0 where there are fewer.
func (p place) number(k int) (n int) {
	if k < len(p) {
		for _, c := range p[k] {
			n = n*10 + int(c-'0')
		}
	}
	return n
}

// targetOf finds what models a metric by its symbol, with the numbers in it left out.
func targetOf(symbol string) (target, place, bool) {
	var key strings.Builder
	var at place
	for i := 0; i < len(symbol); i++ {
		if symbol[i] < '0' || symbol[i] > '9' {
			key.WriteByte(symbol[i])
			continue
		}
		from := i
		for i+1 < len(symbol) && symbol[i+1] >= '0' && symbol[i+1] <= '9' {
			i++
		}
		at = append(at, symbol[from:i+1])
		key.WriteByte('#')
	}
	t, ok := targets[key.String()]
	return t, at, ok
}

// targets are what metrics show, by symbol with # for each number. Symbols of Gen8 to Xe-LPG are in camel case, those
// of Xe2 are all capitals.
var targets = func() map[string]target {
	out := map[string]target{}
	for _, list := range []map[string]target{pipeTargets, pixelTargets, memoryTargets, xe2Pipes, xe2Units, xe2Memory} {
		maps.Copy(out, list)
	}
	return out
}()

// clocks makes a percentage of the GPU's clocks.
func clocks(of func(m *moment) float64) target {
	return func(m *moment, _ place) float64 { return m.percent(of(m)) }
}

// each is a percentage of the clocks of one of several parts.
func each(of func(m *moment) float64) target {
	return func(m *moment, at place) float64 {
		return m.percent(of(m) * m.share[at.index()%len(m.share)])
	}
}

// engines makes a percentage of the clocks of all execution units.
func engines(of func(m *moment) float64) target {
	return func(m *moment, _ place) float64 { return m.percent(of(m) / float64(m.d.eus)) }
}

// ofThreads makes a percentage of those clocks from what one kind of threads does.
func ofThreads(first, last int, of func(m *moment, stage int) float64) target {
	return engines(func(m *moment) float64 { return m.over(first, last, of) })
}

func every(of func(m *moment, stage int) float64) target { return ofThreads(0, shaders-1, of) }

// count is a number of events.
func count(of func(m *moment) float64) target {
	return func(m *moment, _ place) float64 { return of(m) }
}

// of counts what the model counts, so many at a time.
func of(quantity int, by float64) target {
	return func(m *moment, _ place) float64 { return by * m.v[quantity] }
}

// none is what no content of the simulator does: streams out of shaders, media engines, copies by the copy engine.
func none(*moment, place) float64 { return 0 }

func (m *moment) percent(x float64) float64 {
	if !(m.clocks > 0) {
		return 0
	}
	return 100 * min(1, max(0, x/m.clocks))
}

func (m *moment) over(first, last int, of func(m *moment, stage int) float64) (sum float64) {
	for s := first; s <= last; s++ {
		sum += of(m, s)
	}
	return sum
}

// What a kind of threads does in the pipes, in unit clocks.

func firstPipe(m *moment, s int) float64 { return m.v[perFirst+s] }
func secondPipe(m *moment, s int) float64 {
	return m.v[perUnion+s] - m.v[perMatrix+s] + m.v[perBeside+s] + m.v[perBoth+s] - m.v[perFirst+s]
}
func bothPipes(m *moment, s int) float64  { return m.v[perBoth+s] }
func matrixPipe(m *moment, s int) float64 { return m.v[perMatrix+s] }
func besidePipe(m *moment, s int) float64 { return m.v[perBeside+s] }
func sendPipe(m *moment, s int) float64   { return m.v[perSend+s] }
func active(m *moment, s int) float64     { return m.active[s] }
func stalled(m *moment, s int) float64    { return m.stall[s] }

// occupied is a percentage of the places for threads.
func occupied(m *moment, _ place) float64 {
	return m.percent(m.over(0, shaders-1, func(m *moment, s int) float64 { return m.threads[s] }) /
		float64(m.d.eus*m.d.threads))
}

// fpu is one of the two pipes of units until Gen11, by the number in the symbol.
func fpu(first, last int) target {
	return func(m *moment, at place) float64 {
		pipe := firstPipe
		if at.number(0) == 1 {
			pipe = secondPipe
		}
		return m.percent(m.over(first, last, pipe) / float64(m.d.eus))
	}
}

// kind is the share of instructions of a kind in one of the two pipes.
func kind(n int) target {
	all := fpu(0, shaders-1)
	return func(m *moment, at place) float64 { return m.kinds[n] * all(m, at) }
}

// pipeTargets are those of threads and of the pipes of execution units.
var pipeTargets = map[string]target{
	"GpuBusy":              clocks(func(m *moment) float64 { return m.busy }),
	"RenderBusy":           clocks((*moment).render),
	"ComputeBusy":          clocks((*moment).computing),
	"AnyRingBusy":          clocks(func(m *moment) float64 { return m.busy }),
	"AnyEngineBusy":        clocks(func(m *moment) float64 { return m.busy }),
	"PoshEngineBusy":       none,
	"BlitterBusy":          none,
	"VeboxBusy":            none,
	"Vdbox#Busy":           none,
	"RenderAndComputeBusy": clocks(func(m *moment) float64 { return m.busy }),
	"ComputeEngine#Busy":   clocks((*moment).computing),

	"VsThreads": of(perThreads+vertex, 1), "HsThreads": of(perThreads+hull, 1), "DsThreads": of(perThreads+domain, 1),
	"GsThreads": of(perThreads+geometryShader, 1), "PsThreads": of(perThreads+pixel, 1),
	"CsThreads": count(func(m *moment) float64 { return m.v[perThreads+compute] + m.v[perThreads+asyncCompute] }),

	"EuActive": every(active), "XveActive": every(active), "EuStall": every(stalled), "XveStall": every(stalled),
	"EuThreadOccupancy": occupied, "XveThreadOccupancy": occupied,
	"VsEuActive": ofThreads(vertex, vertex, active), "VsEuStall": ofThreads(vertex, vertex, stalled),
	"PsEuActive": ofThreads(pixel, pixel, active), "PsEuStall": ofThreads(pixel, pixel, stalled),

	"Fpu#Active": fpu(0, shaders-1), "VsFpu#Active": fpu(vertex, vertex), "PsFpu#Active": fpu(pixel, pixel),
	"CsFpu#Active": fpu(compute, asyncCompute), "EuFpuBothActive": every(bothPipes),
	"PsEuBothFpuActive":       ofThreads(pixel, pixel, bothPipes),
	"EuHybridFpu#Instruction": kind(0), "EuTernaryFpu#Instruction": kind(1), "EuBinaryFpu#Instruction": kind(2),
	"EuMoveFpu#Instruction": kind(3),

	"FpuActive": every(firstPipe), "EmActive": every(secondPipe), "XmxActive": every(matrixPipe),
	"EuFpuEmActive": every(bothPipes), "XveFpuEmActive": every(bothPipes), "XveFpuXmxActive": every(besidePipe),
	"EuSendActive": every(sendPipe), "SendActive": every(sendPipe),
	"VsFpuActive": ofThreads(vertex, vertex, firstPipe), "VsEmActive": ofThreads(vertex, vertex, secondPipe),
	"VsSendActive": ofThreads(vertex, vertex, sendPipe),
	"HsFpuActive":  ofThreads(hull, hull, firstPipe), "HsEmActive": ofThreads(hull, hull, secondPipe),
	"HsSendActive": ofThreads(hull, hull, sendPipe),
	"DsFpuActive":  ofThreads(domain, domain, firstPipe), "DsEmActive": ofThreads(domain, domain, secondPipe),
	"DsSendActive": ofThreads(domain, domain, sendPipe),
	"GsFpuActive":  ofThreads(geometryShader, geometryShader, firstPipe),
	"GsEmActive":   ofThreads(geometryShader, geometryShader, secondPipe),
	"GsSendActive": ofThreads(geometryShader, geometryShader, sendPipe),
	"PsFpuActive":  ofThreads(pixel, pixel, firstPipe), "PsEmActive": ofThreads(pixel, pixel, secondPipe),
	"PsSendActive": ofThreads(pixel, pixel, sendPipe),
	"CsFpuActive":  ofThreads(compute, compute, firstPipe), "CsEmActive": ofThreads(compute, compute, secondPipe),
	"CsSendActive":     ofThreads(compute, asyncCompute, sendPipe),
	"AsyncCsFpuActive": ofThreads(asyncCompute, asyncCompute, firstPipe),
	"AsyncCsEmActive":  ofThreads(asyncCompute, asyncCompute, secondPipe),
	"XveFpuFlt#": func(m *moment, at place) float64 {
		first := m.over(0, shaders-1, firstPipe)
		half := min(m.v[narrow], first)
		switch at.number(0) {
		case 16:
			return m.percent(half / float64(m.d.eus))
		case 32:
			// Integers are in the same pipe.
			return m.percent(m.floats * (first - half) / float64(m.d.eus))
		}
		return 0
	},

	"ThreadHeader#Ready":           each((*moment).headers),
	"ThreadHeader#ReadyPort#":      each(func(m *moment) float64 { return 0.6 * m.headers() }),
	"NonPSThread#ReadyForDispatch": each((*moment).otherWait),
	"PSThread#ReadyForDispatch":    each(func(m *moment) float64 { return m.streamWait(1) }),
}

// pixelTargets are those of fixed functions, samplers and pixels.
var pixelTargets = map[string]target{
	"RasterizedPixels": of(rasterized, 4), "HiDepthTestFails": of(failedFast, 4),
	"EarlyDepthTestFails": of(failedDepth, 4), "SamplesKilledInPs": of(killed, 4),
	"PixelsFailingPostPsTests": of(failedPost, 4), "SamplesWritten": of(written, 4), "SamplesBlended": of(blended, 4),
	"SamplerTexels": of(texels, 4), "SamplerTexelMisses": of(samplerMisses, 4), "SamplerL#Misses": of(samplerMisses, 1),
	"SamplerAccesses": of(texels, 1),

	"Sampler#Busy":           each((*moment).sampling),
	"SamplersBusy":           each((*moment).sampling),
	"Sampler#Bottleneck":     each((*moment).samplingWait),
	"SamplerBottleneck":      each((*moment).samplingWait),
	"Sampler#InputAvailable": each((*moment).samplerInput),
	"Sampler#OutputReady":    each(func(m *moment) float64 { return 0.85 * m.sampling() }),

	"VfBottleneck": clocks(bottleneck(unitFetch)), "Vf#Bottleneck": clocks(bottleneck(unitFetch)),
	"VsBottleneck": clocks((*moment).vertexWait), "Vs#Bottleneck": clocks((*moment).vertexWait),
	"HsBottleneck": clocks((*moment).hullWait), "Hs#Bottleneck": clocks((*moment).hullWait),
	"DsBottleneck": clocks((*moment).hullWait), "Ds#Bottleneck": clocks((*moment).hullWait),
	"GsBottleneck": none, "Gs#Bottleneck": none, "SoBottleneck": none, "So#Bottleneck": none,
	"ClBottleneck": clocks(bottleneck(unitClip)), "Cl#Bottleneck": clocks(bottleneck(unitClip)),
	"SfBottleneck": clocks(bottleneck(unitSetup)), "Sf#Bottleneck": clocks(bottleneck(unitSetup)),
	"HiDepthBottleneck":    clocks(bottleneck(unitHierarchical)),
	"HiDepth#Bottleneck":   clocks(bottleneck(unitHierarchical)),
	"EarlyDepthBottleneck": clocks(bottleneck(unitDepth)),
	"BcBottleneck":         clocks((*moment).pixelWait), "Bc#Bottleneck": clocks((*moment).pixelWait),
	"HsStall": clocks((*moment).hullStall), "Hs#Stall": clocks((*moment).hullStall),
	"DsStall": clocks((*moment).hullStall), "Ds#Stall": clocks((*moment).hullStall),
	"SoStall": none, "So#Stall": none,
	"ClStall": clocks((*moment).clipStall), "Cl#Stall": clocks((*moment).clipStall),
	"SfStall": clocks((*moment).held), "Sf#Stall": clocks((*moment).held),
	"StcPMAStall": clocks(func(m *moment) float64 { return 0.05 * m.wait(unitDepth) }),

	"PolyDataReady": clocks((*moment).polygons), "Poly#DataReady": each((*moment).polygons),
	"Rasterizer#InputAvailable": each(func(m *moment) float64 { return m.v[stageWork+3] + m.wait(unitRaster) }),
	"Rasterizer#OutputReady":    each((*moment).rasterOutput),
	"PixelData#Ready":           each(func(m *moment) float64 { return 0.4*m.v[stageWork+5] + m.streamWait(1) }),
	"PSOutput#Available":        each((*moment).colourInput),
	"PixelValues#Ready":         each((*moment).colourOutput),
}

// rasterOutput is how many clocks the rasterizer has blocks for the hierarchical test.
func (m *moment) rasterOutput() float64 { return 0.5*m.v[stageWork+3] + m.wait(unitHierarchical) }

// bottleneck is how many clocks a fixed function let others wait.
func bottleneck(unit int) func(m *moment) float64 {
	return func(m *moment) float64 { return m.wait(unit) }
}
