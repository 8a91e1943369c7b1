package mali

// plant is a bottleneck: how it changes a healthy frame, by load from 0 to 1.
type plant struct {
	id, doc string
	only    string // the one GPU whose counters show it, "" for both
	change  func(c *content, load float64)
}

func between(load, lo, hi float64) float64 { return lo + load*(hi-lo) }

func plantOf(id string) *plant {
	for i := range plants {
		if plants[i].id == id {
			return &plants[i]
		}
	}
	return nil
}

// What is told more exactly by another plant stands behind it: a quarter of that one beside it would be the better
// name.
var plants = []plant{
	{"gpu_idle", "nothing was submitted to the GPU", "", func(c *content, l float64) { c.rhythm.kind = none }},
	{"cpu_bound", "one thread of the CPU runs all the time and the GPU waits for it", "", func(c *content, l float64) {
		c.rhythm = rhythm{kind: cpuBound, busy: between(l, 0.75, 0.2), cpu: 0.97}
	}},
	{"scheduling_bound", "CPU and GPU wait for each other in turn", "", func(c *content, l float64) {
		c.rhythm = rhythm{kind: turns, busy: between(l, 0.7, 0.4)}
	}},
	{"vsync_idle", "the GPU has drawn its frame and waits for the display", "", func(c *content, l float64) {
		c.rhythm = rhythm{kind: vsync, busy: between(l, 0.78, 0.2), cpu: 0.4}
	}},
	{"gpu_starved", "the GPU has no work at irregular times, while the CPUs do little", "",
		func(c *content, l float64) {
			c.rhythm = rhythm{kind: irregular, busy: between(l, 0.75, 0.2), cpu: 0.3}
		}},
	{"partial_warps", "work groups do not fill their warps", "", func(c *content, l float64) {
		c.computeWarps *= between(l, 75, 160)
		c.computeFull = between(l, 0.4, 0.05)
	}},
	{"compute_bound", "compute work takes the longest", "",
		func(c *content, l float64) { c.computeWarps *= between(l, 75, 160) }},
	{"command_processing", "the command processor interprets many small submissions", "",
		func(c *content, l float64) { c.mcu = between(l, 3.4e6, 19e6) }},
	{"serialized", "dependencies let one queue run at a time", "", func(c *content, l float64) {
		c.serial, c.alternate = 1, true
		c.prims *= between(l, 1.35, 1.25) // binning takes as long as the main phase does
		c.computeWarps *= between(l, 2, 5)
	}},
	{"clock_limited", "heat or a power limit hold the clock down, and there is work all the time", "",
		func(c *content, l float64) { c.clock = between(l, 0.82, 0.5) }},
	{"interrupts_pending", "the CPU answers the GPU's interrupts late", "",
		func(c *content, l float64) { c.interrupt = between(l, 0.037, 0.3) }},
	{"constant_tiles", "tiles are drawn that do not change", "", func(c *content, l float64) {
		c.unchanged = between(l, 0.6, 0.95)
		c.latency *= 3.2
	}},
	{"late_zs", "shaders discard or write depth, so that tests come after shading", "", func(c *content, l float64) {
		c.overdraw = 2.2
		c.lateTested, c.lateKilled, c.earlyKilled = between(l, 0.25, 0.9), between(l, 0.1, 0.5), between(l, 0.2, 0.05)
		c.latency *= between(l, 2.6, 3.2)
		c.tileOverhead = between(l, 0.15, 0.4)
	}},
	{"overdraw", "pixels are shaded more than once", "",
		func(c *content, l float64) { c.overdraw = between(l, 5, 10) }},
	{"fragment_starved", "the fragment front end cannot keep the cores fed", "",
		func(c *content, l float64) { c.latency, c.raster = 380, between(l, 110, 220) }},
	{"sample_shading", "fragments are shaded for every sample of a pixel", "",
		func(c *content, l float64) { c.shadingRate = between(l, 3.2, 4) }},
	{"partial_quads", "thin triangles leave quads partly empty", "", func(c *content, l float64) {
		c.partial, c.fill = between(l, 0.5, 0.85), between(l, 0.8, 0.6)
		c.raster = between(l, 40, 80)
		c.latency *= 3
	}},
	{"register_pressure", "shaders take 64 registers, so that half as many warps are in flight", "",
		func(c *content, l float64) {
			c.latency, c.wideWarps = 480, between(l, 0.4, 1)
		}},
	{"main_phase_bound", "fragments wait for their own results, and no unit is full", "",
		func(c *content, l float64) { c.latency *= between(l, 3.2, 6) }},
	{"vertex_reuse", "meshes do not reuse their vertices", "", func(c *content, l float64) {
		c.prims *= 9
		c.positions, c.vertexCycles = between(l, 2.2, 3.4), between(l, 420, 480)
	}},
	{"varying_reuse", "vertices are shaded anew for every visible primitive", "mali-g615", func(c *content, l float64) {
		c.prims *= 9
		c.varyings, c.vertexCycles = between(l, 2.6, 3.6), between(l, 560, 640)
	}},
	{"off_screen", "objects off the screen are drawn", "", func(c *content, l float64) {
		c.prims *= between(l, 7, 16)
		c.frustum = between(l, 0.4, 0.85)
	}},
	{"scissored", "primitives outside the scissor rectangle are drawn", "mali-g720", func(c *content, l float64) {
		c.prims *= between(l, 7, 16)
		c.scissor = between(l, 0.28, 0.8)
	}},
	{"tiny_triangles", "triangles are too small to hit a sample", "", func(c *content, l float64) {
		c.prims *= between(l, 7, 16)
		c.tiny, c.partial = between(l, 0.12, 0.7), between(l, 0.15, 0.3)
	}},
	{"invisible_geometry", "meshes turn their back on the camera, far more than half of them", "",
		func(c *content, l float64) {
			c.prims *= between(l, 7, 16)
			c.facing = between(l, 0.8, 0.95)
		}},
	{"binning_bound", "there are more primitives than pixels need", "",
		func(c *content, l float64) { c.prims *= between(l, 7, 16) }},
	{"divergence", "threads of a warp take different ways, and the warp goes both", "", func(c *content, l float64) {
		c.diverged = between(l, 0.16, 0.6)
		c.fma *= between(l, 3.9, 9)
	}},
	{"special_functions", "shaders call sines, logarithms and roots, which run at a quarter of the rate", "",
		func(c *content, l float64) { c.sfu = between(l, 58, 150) }},
	{"arithmetic_bound", "shaders compute much", "", func(c *content, l float64) { c.fma *= between(l, 3.9, 10) }},
	{"varying_bound", "fragments read many interpolated values", "",
		func(c *content, l float64) { c.vary32, c.vary16 = between(l, 190, 480), between(l, 45, 120) }},
	{"filtering", "samples need trilinear and anisotropic filters", "", func(c *content, l float64) {
		c.texCycles = between(l, 2.1, 6)
		c.texL2, c.texMiss = 1.5, 0.08
	}},
	{"texture_bound", "fragments take many samples", "", func(c *content, l float64) {
		c.texQuads, c.texCycles = between(l, 470, 1200), 0.5
		c.texL2, c.texMiss = 1.5, 0.08
	}},
	{"texture_input", "samples take many parameters", "mali-g720", func(c *content, l float64) {
		c.texQuads, c.texInput = 110*between(l, 1.3, 2.2), between(l, 5.5, 8)
		c.texL2, c.texMiss = 1.5, 0.08
	}},
	{"texture_output", "samples return wide results", "mali-g720", func(c *content, l float64) {
		c.texQuads, c.texOutput = 110*between(l, 1.3, 2.2), between(l, 5.5, 8)
		c.texL2, c.texMiss = 1.5, 0.08
	}},
	{"texture_loads", "texels are wide, and load slowly into the cache of the texture unit", "mali-g720",
		func(c *content, l float64) {
			c.texQuads, c.texLoads = 110*between(l, 1.3, 2.2), between(l, 5.5, 8)
			c.texL2, c.texMiss = 1.5, 0.08
		}},
	{"partial_accesses", "loads and stores use a part of the width", "", func(c *content, l float64) {
		c.partRead, c.partWrite = between(l, 190, 520), between(l, 20, 60)
		c.lsL2, c.lsMiss, c.lsWrite = 3, 0.1, 2
	}},
	{"atomics", "threads add to the same counters", "",
		func(c *content, l float64) { c.atomics, c.lsMiss = between(l, 200, 520), 0.2 }},
	{"load_store_bound", "shaders read and write buffers much", "", func(c *content, l float64) {
		c.fullRead, c.fullWrite = between(l, 190, 480), between(l, 30, 80)
		c.lsL2, c.lsMiss, c.lsWrite = 3, 0.1, 2
	}},
	{"ray_incoherence", "the rays of a warp go different ways", "", func(c *content, l float64) {
		c.box, c.tri, c.coherent = between(l, 235, 600), between(l, 70, 180), between(l, 0.32, 0.05)
	}},
	{"ray_tracing_bound", "rays walk through much geometry", "",
		func(c *content, l float64) { c.box, c.tri = between(l, 235, 600), between(l, 70, 180) }},
	{"texture_reads", "textures read more than memory gives", "", func(c *content, l float64) {
		c.texMiss *= between(l, 19, 50)
		c.texL2 *= between(l, 2, 5)
	}},
	{"buffer_reads", "buffers read more than memory gives", "", func(c *content, l float64) {
		c.lsMiss *= between(l, 12, 30)
		c.lsL2 *= between(l, 1.5, 3)
	}},
	{"geometry_reads", "the fragment front end reads more primitive data than memory gives", "",
		func(c *content, l float64) { c.frontMiss *= between(l, 40, 90) }},
	{"read_stalls", "all units together read more than memory gives", "", func(c *content, l float64) {
		c.texMiss *= between(l, 7.5, 22)
		c.lsMiss *= between(l, 4.2, 13)
		c.frontMiss *= between(l, 14, 42)
	}},
	{"tile_writes", "render targets write more than memory takes", "",
		func(c *content, l float64) { c.tileBytes, c.writeShare = between(l, 64, 150), 0.85 }},
	{"buffer_writes", "shaders store more than memory takes", "", func(c *content, l float64) {
		c.fullWrite, c.lsWrite, c.writeShare = between(l, 22, 30), between(l, 34, 62), 0.85
	}},
	{"write_stalls", "buffers and tiles write more than memory takes", "", func(c *content, l float64) {
		c.lsWrite, c.fullWrite = between(l, 24, 40), between(l, 14, 26)
		c.tileBytes = between(l, 36, 90)
		c.writeShare = 0.85
	}},
	{"tile_bound", "blending and the writing of tiles take longer than shading", "", func(c *content, l float64) {
		// Shaders of next to nothing, and many pixels: a core shades a quad in two to four cycles.
		const little = 0.02
		for _, x := range []*float64{&c.fma, &c.cvt, &c.sfu, &c.vary32, &c.vary16, &c.texQuads, &c.fullRead,
			&c.partRead, &c.fullWrite, &c.partWrite, &c.atomics, &c.box, &c.tri} {
			*x *= little
		}
		c.raster, c.latency = 0.5, between(l, 8, 14)
		c.pixels *= between(l, 18, 24)
		c.tileBytes, c.blended = 0.2, between(l, 0.15, 0.8)
	}},
	{"cache_bound", "textures ask the L2 for more than it gives", "",
		func(c *content, l float64) { c.texL2 = between(l, 65, 150) }},
	{"slow_memory", "others use the memory, and replies come late", "", func(c *content, l float64) {
		c.slow, c.latency = between(l, 0.2, 0.7), c.latency*between(l, 1.05, 2)
	}},
}
