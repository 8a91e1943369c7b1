package mali

// content is what a frame asks of the GPU, and what the GPU and its memory can do. Costs of a warp are cycles of the
// unit in one core.
type content struct {
	// Geometry. Shares are of the primitives that enter the stage.
	prims                           float64
	facing, frustum, scissor, tiny  float64
	positions                       float64 // threads for each primitive
	varyings                        float64 // threads for each visible primitive
	tilerCycles                     float64 // GPU cycles for each primitive
	vertexCycles                    float64 // core cycles of a warp of vertices
	pixels                          float64 // of all passes
	overdraw                        float64 // shaded layers
	earlyKilled, fpkKilled          float64 // of the rasterized quads
	lateTested, lateKilled, partial float64
	fill                            float64 // threads of a fragment warp that are fragments, of all
	shadingRate                     float64 // coarse quads for each fine one
	raster                          float64 // core cycles of the fragment front end for a quad
	tileOverhead                    float64 // core cycles of the main phase without a warp, for each with one
	unchanged                       float64 // of the tiles
	tileBytes                       float64 // written for each pixel
	blended                         float64 // share of the fragments that blend in a shader
	fma, cvt, sfu, narrow, diverged float64 // instructions of a warp; shares of them
	vary32, vary16                  float64
	texQuads, texCycles             float64 // quads that a warp samples; filtering cycles of one
	texL2, texMiss                  float64 // bytes for each filtering cycle, from the L2 and from memory
	texInput, texOutput, texLoads   float64 // half cycles of a sampled quad on the buses of the texture unit, and for loads of its cache
	fullRead, partRead              float64
	fullWrite, partWrite, atomics   float64
	lsL2, lsMiss                    float64 // bytes for each read
	lsWrite                         float64 // bytes for each write
	frontMiss                       float64 // bytes of external memory for each primitive
	box, tri                        float64
	coherent                        float64 // of the box tests, those with more than eight rays
	latency                         float64 // core cycles that pass for a warp when all slots are taken
	wideWarps                       float64 // share of the warps that take two slots
	computeWarps, computeFull       float64
	fragmentFull                    float64
	mcu                             float64 // cycles of the command processor in a frame
	interrupt                       float64 // share of the active cycles with an interrupt pending
	serial                          float64 // share of the shorter queues' work that waits for another queue
	dram                            float64 // bytes that memory gives in a GPU cycle
	slow                            float64 // share of replies that other users of memory delay
	writeShare                      float64 // of the stalls that fall on writes because they fill the queue
	alternate                       bool    // queues take turns within a frame
	clock                           float64 // of the highest
	rhythm                          rhythm
}

// healthy is a balanced frame: no unit, queue or bus near its limit, and the geometry and the layers that a tidy
// program draws.
func healthy() *content {
	return &content{
		prims: 1.2e6, facing: 0.47, frustum: 0.06, scissor: 0.005, tiny: 0.02,
		positions: 0.9, varyings: 1.0, tilerCycles: 4.8, vertexCycles: 80,
		pixels: 1920 * 1088 * 1.6, overdraw: 1.6, earlyKilled: 0.25, fpkKilled: 0.08, lateTested: 0.03,
		lateKilled: 0.01, partial: 0.11,
		fill: 0.86, shadingRate: 1, raster: 15, tileOverhead: 0.12, unchanged: 0.05, tileBytes: 4, blended: 0.004,
		fma: 110, cvt: 24, sfu: 8, narrow: 0.4, diverged: 0.03,
		vary32: 10, vary16: 28,
		texQuads: 110, texCycles: 0.6, texL2: 4, texMiss: 0.35, texInput: 0.6, texOutput: 0.5, texLoads: 0.05,
		fullRead: 34, partRead: 8, fullWrite: 6, partWrite: 2, atomics: 1, lsL2: 10, lsMiss: 0.8, lsWrite: 12,
		frontMiss: 8, box: 16, tri: 6, coherent: 0.8,
		latency: 200, wideWarps: 0.04, computeWarps: 40e3, computeFull: 0.95, fragmentFull: 0.9,
		mcu: 0.7e6, interrupt: 0.01, serial: 0.5, dram: 19, slow: 0, clock: 1,
		rhythm: rhythm{kind: steady, cpu: 0.5},
	}
}

// blend keeps share w of what a second plant changed, and the rest of what was there before.
func (c *content) blend(before *content, w float64) {
	now, old := c.numbers(), before.numbers()
	for i := range now {
		*now[i] = *old[i] + w*(*now[i]-*old[i])
	}
	c.alternate, c.clock, c.rhythm = before.alternate, before.clock, before.rhythm
}

func (c *content) numbers() []*float64 {
	return []*float64{
		&c.prims, &c.facing, &c.frustum, &c.scissor, &c.tiny, &c.positions, &c.varyings, &c.tilerCycles,
		&c.vertexCycles, &c.pixels, &c.overdraw,
		&c.earlyKilled, &c.fpkKilled, &c.lateTested, &c.lateKilled, &c.partial, &c.fill, &c.shadingRate, &c.raster,
		&c.tileOverhead,
		&c.unchanged, &c.tileBytes, &c.blended, &c.fma, &c.cvt, &c.sfu, &c.narrow, &c.diverged, &c.vary32, &c.vary16,
		&c.texQuads, &c.texCycles, &c.texL2, &c.texMiss,
		&c.texInput, &c.texOutput, &c.texLoads,
		&c.fullRead, &c.partRead, &c.fullWrite, &c.partWrite, &c.atomics, &c.lsL2, &c.lsMiss, &c.lsWrite, &c.frontMiss,
		&c.box, &c.tri, &c.coherent,
		&c.latency, &c.wideWarps, &c.computeWarps, &c.computeFull, &c.fragmentFull, &c.mcu, &c.interrupt, &c.serial,
		&c.dram, &c.slow, &c.writeShare,
	}
}
