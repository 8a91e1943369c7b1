package mali

import (
	"math"

	"astrolabe/capture/capturetest"
)

// pipeline does the frames of a content sample by sample.
type pipeline struct {
	gpu                    string
	c                      *content
	main, bin, comp, small *capturetest.Random
	backlog                float64
	frame                  float64 // position in the current frame, for queues that take turns
}

func newPipeline(gpu string, c *content, k capturetest.Case) *pipeline {
	k.Plant += gpu // the two GPUs have noise of their own
	return &pipeline{
		gpu: gpu, c: c,
		main: capturetest.NewRandom(k, "main"), bin: capturetest.NewRandom(k, "binning"),
		comp: capturetest.NewRandom(k, "compute"), small: capturetest.NewRandom(k, "rates"),
	}
}

// stage is what a frame of a content costs: core cycles with a warp, and GPU cycles of each queue when it has the GPU
// for itself.
type stage struct {
	fragWarps, vertWarps, compWarps float64
	fragExec, vertExec, compExec    float64 // core cycles
	front                           float64 // core cycles in which the main phase works without keeping the quad buffer filled
	fragCore                        float64 // core cycles of the main phase
	main, bin, comp                 float64 // GPU cycles
	pace                            float64 // GPU cycles from frame to frame
	memory                          float64 // time that memory takes, over the time of everything else
	read, write                     float64 // bytes
}

// warp is the core cycles between two warps: the fullest unit, the latency shared by the warps in flight, or what the
// L2 cache gives to textures.
func (c *content) warp() float64 {
	unit := max(c.arithmetic(), c.vary32+c.vary16, c.texQuads*c.texture(), c.loadStore(), c.box, c.tri)
	return max(unit/0.97, c.latency*(1+c.wideWarps), c.texQuads*c.texCycles*c.texL2*cores/(slices*cacheBytes))
}

// texture is the cycles of a sampled quad in the slowest stage of the texture unit.
func (c *content) texture() float64 {
	return max(c.texCycles, max(c.texInput, c.texOutput, c.texLoads)/2)
}

func (c *content) arithmetic() float64 {
	slow := c.cvt + c.sfu
	return max(slow+(c.fma-min(c.fma, slow))/2, 4*c.sfu)
}

func (c *content) loadStore() float64 {
	return c.fullRead + c.partRead + c.fullWrite + c.partWrite + c.atomics
}

// visible is the share of primitives that no stage culls.
func (c *content) visible() float64 {
	return 1 - c.facing*(1-c.frustum)*(1-c.scissor) - c.frustum - c.scissor*(1-c.frustum) - c.smallShare()
}

// smallShare is the share of all primitives that miss every sample.
func (c *content) smallShare() float64 {
	return c.tiny * (1 - c.frustum) * (1 - c.scissor) * (1 - c.facing)
}

func (c *content) cost() stage {
	var s stage
	frags := c.pixels * c.overdraw * c.shadingRate
	s.fragWarps = frags / (warpWidth * c.fill)
	s.vertWarps = c.prims * (c.positions + c.varyings*c.visible()) / warpWidth
	s.compWarps = c.computeWarps
	s.fragExec = s.fragWarps * c.warp()
	s.vertExec = s.vertWarps * c.vertexCycles
	s.compExec = s.compWarps * 180 / max(0.2, 0.5+c.computeFull/2)
	raster := c.quads() * c.raster
	s.front = max(0, raster-s.fragExec)
	s.fragCore = max(s.fragExec, raster) * (1 + c.tileOverhead)
	s.main = s.fragCore / cores
	s.bin = max(c.prims*c.tilerCycles, s.vertExec/cores*1.05)
	s.comp = s.compExec / cores * 1.05
	longest := max(s.main, s.bin, s.comp)
	busy := longest + c.serial*(s.main+s.bin+s.comp-longest)
	if c.alternate {
		busy = s.main + s.bin + s.comp
	}
	busy = max(busy, (s.fragCore+s.vertExec+s.compExec)/cores*1.02, c.mcu/0.98)
	s.read = c.textureMiss(&s) + c.bufferMiss(&s) + c.frontMissed() + 2e6
	s.write = c.tileBytes*c.pixels*(1-c.unchanged) + c.stores(&s)*0.7 + 40*c.prims*c.visible()*0.2
	s.memory = (s.read + s.write) / c.dram / busy
	s.pace = busy * max(1, s.memory)
	return s
}

// quads is the number of fine quads of a frame that rasterization makes.
func (c *content) quads() float64 {
	return c.pixels * c.overdraw / 4 / c.fill / (1 - c.earlyKilled - c.fpkKilled)
}

func (c *content) filtering(s *stage) float64   { return s.fragWarps * c.texQuads * c.texCycles }
func (c *content) textureMiss(s *stage) float64 { return c.filtering(s) * c.texMiss }
func (c *content) reads(s *stage) float64 {
	return s.fragWarps*(c.fullRead+c.partRead) + (s.vertWarps+s.compWarps)*20
}
func (c *content) bufferMiss(s *stage) float64 { return c.reads(s) * c.lsMiss }
func (c *content) frontMissed() float64        { return c.prims * c.visible() * c.frontMiss }
func (c *content) stores(s *stage) float64 {
	return (s.fragWarps*(c.fullWrite+c.partWrite) + (s.vertWarps+s.compWarps)*4) * c.lsWrite
}

// stalls is the share of cycles in which memory holds up the bus: it rises before memory is full, and with what it
// cannot take.
func stalls(memory float64) float64 {
	knee := max(0, min(1, (memory-0.6)/0.4))
	return min(0.9, 0.02+0.13*knee+0.75*max(0, 1-1/max(1, memory)))
}

// run fills in the counters of every sample.
func (p *pipeline) run(w *capturetest.Work, t *capturetest.Table) {
	s := p.c.cost()
	for i := range w.Len() {
		cycles := w.Cycles(i)
		if p.c.rhythm.kind == steady {
			p.backlog += 0.96 * w.Amount[i] * cycles // a program that draws as fast as it can, and now and then a little late
			done := min(cycles, p.backlog)
			p.backlog = min(p.backlog-done, 3*cycles)
			if w.Active[i] == 1 && p.c.gpuBound() {
				done = cycles
			}
			cycles = done
		}
		p.sample(t, i, s, math.Floor(cycles))
	}
}

// gpuBound tells whether the frames take longer than a healthy one.
func (c *content) gpuBound() bool { return c.cost().pace > 1.05*c.clock*healthy().cost().pace }

// memoryShare is how much of the time of a frame memory takes at least, when its stages have factors f.
func (p *pipeline) memoryShare(s stage, f [3]float64) float64 {
	return min(1, s.memory) * (f[0] + f[1]) / 2
}

// shares is how much of a frame each queue does in a sample of so many cycles, and the cycles in which it is at work.
func (p *pipeline) shares(s stage, cycles float64) (n, q [3]float64) {
	times := [3]float64{s.main, s.bin, s.comp}
	stretch := s.pace / max(1, s.pace/max(1, s.memory)) // queues hold their work for as long as memory takes
	f := [3]float64{p.main.Factor(), p.bin.Factor(), p.comp.Factor()}
	if p.c.alternate {
		at := math.Mod(p.frame, s.pace)
		p.frame += cycles
		lo := 0.0
		for k, d := range times {
			d *= stretch
			for base := -s.pace; base < at+cycles; base += s.pace {
				q[k] += max(0, min(at+cycles, base+s.pace+lo+d)-max(at, base+s.pace+lo))
			}
			q[k] = min(q[k], cycles)
			n[k] = q[k] / d
			lo += d
		}
		return n, q
	}
	// A lighter frame is done sooner, and the next one begins.
	sum, longest := 0.0, 0.0
	for k := range times {
		times[k] *= f[k]
		sum, longest = sum+times[k], max(longest, times[k])
	}
	pace := max(longest+p.c.serial*(sum-longest), (s.fragCore*f[0]+s.vertExec*f[1]+s.compExec*f[2])/cores*1.02,
		p.c.mcu/0.98, s.pace/stretch*p.memoryShare(s, f))
	frames := cycles / (pace * stretch)
	for k, d := range times {
		n[k] = frames * f[k]
		q[k] = min(cycles, frames*d*stretch)
	}
	return n, q
}
