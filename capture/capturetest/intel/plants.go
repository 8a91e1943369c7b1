package intel

// dose is how much of a plant is sown.
type dose struct {
	load   float64 // 0 to 1
	weight float64 // 1, less for one beside another
}

// to moves a quantity of the usual work to between low (at load 0) and high (at load 1).
func (d dose) to(x *float64, low, high float64) {
	*x += d.weight * (low + (high-low)*d.load - *x)
}

// slow makes a unit need between low and high, because each result takes it longer.
func (d dose) slow(f *frame, u unit, low, high float64) {
	was := f.demand[u]
	d.to(&f.demand[u], low, high)
	f.cost[u] *= f.demand[u] / was
}

// plant is a bottleneck; rules says which rule names it in which set.
type plant struct {
	id, doc string
	rules   map[string]string
	sow     func(f *frame, d dose)
}

// in is the same rule in several sets.
func in(rule string, sets ...string) map[string]string {
	out := map[string]string{}
	for _, s := range sets {
		out[s] = rule
	}
	return out
}

var plants = []plant{
	{"starved", "the GPU has no work for a part of the time", in("gpu_starved", "RenderBasic", "ComputeBasic",
		"RenderPipeProfile", "Sampler", "VMEPipe"),
		func(f *frame, d dose) { d.to(&f.starved, 0.3, 0.85) }},
	{"paced", "frames wait for the dates of a display", in("vsync_idle", "RenderBasic", "ComputeBasic", "Sampler"),
		func(f *frame, d dose) { d.to(&f.waits, 0.3, 0.7) }},
	{"thread", "the GPU waits for a processor that works all the time", in("cpu_bound", "RenderBasic", "ComputeBasic"),
		func(f *frame, d dose) {
			d.to(&f.waits, 0.3, 0.7)
			d.to(&f.thread, 0.97, 0.97)
		}},
	{"turns", "GPU and processor work in turn", in("scheduling_bound", "RenderBasic", "ComputeBasic"),
		func(f *frame, d dose) {
			d.to(&f.waits, 0.35, 0.6)
			d.to(&f.thread, 0.95, 0.95)
			f.turns = f.turns || d.weight == 1
		}},
	{"video", "the render engine waits while the video engine works", in("other_engine", "GpuBusyness"),
		func(f *frame, d dose) {
			d.to(&f.starved, 0.3, 0.85)
			d.to(&f.ring, 0.88, 0.99)
		}},
	{"idle-engines", "no engine has work for a part of the time", in("gpu_starved", "GpuBusyness"),
		func(f *frame, d dose) { d.to(&f.starved, 0.3, 0.85) }},
	{"capped-clock", "a limit holds the clock down", in("clock_capped", "RenderBasic", "ComputeBasic", "MemoryReads"),
		func(f *frame, d dose) { d.to(&f.capped, 0.6, 0.35) }},

	{"pixel-math", "pixel shaders compute much", in("ps_math", "RenderBasic", "HDCAndSF", "TDL_1"),
		func(f *frame, d dose) { d.to(&f.demand[eu], 1, 3) }},
	{"vertex-math", "vertex shaders compute much", in("vs_math", "RenderBasic"),
		func(f *frame, d dose) {
			d.to(&f.demand[eu], 1, 3)
			d.to(&f.vertex, 0.75, 0.95)
		}},
	{"math", "shaders compute much", map[string]string{"ComputeBasic": "fpu_bound",
		"RenderPipeProfile": "eu_compute_bound", "MemoryReads": "eu_compute_bound", "AsyncCompute": "cs_math"},
		func(f *frame, d dose) {
			d.to(&f.demand[eu], 1, 3)
			d.to(&f.fpu0, 0.9, 0.95)
			d.to(&f.fpu1, 0.6, 0.8)
			d.to(&f.both, 0.55, 0.77)
		}},
	{"messages", "shaders send messages more than they compute", in("send_bound", "ComputeBasic", "ComputeExtended"),
		func(f *frame, d dose) {
			d.to(&f.demand[eu], 1, 2.5)
			d.to(&f.send, 0.8, 0.95)
			d.to(&f.fpu0, 0.35, 0.3)
			d.to(&f.fpu1, 0.2, 0.1)
			d.to(&f.both, 0.1, 0.05)
		}},

	{"latency", "threads wait for data, though all slots are taken", in("memory_latency", "RenderBasic", "ComputeBasic",
		"MemoryReads"),
		func(f *frame, d dose) { d.to(&f.demand[wait], 1.65, 6) }},
	{"few-threads", "registers or SLM leave room for few threads", in("low_occupancy", "ComputeBasic", "AsyncCompute"),
		func(f *frame, d dose) {
			was := f.slots
			d.to(&f.slots, 0.40, 0.14)
			f.demand[wait] *= was / f.slots
		}},
	{"barriers", "threads wait at barriers", in("barrier_bound", "ComputeBasic"),
		func(f *frame, d dose) {
			d.to(&f.barriers, 25, 100)
			d.to(&f.demand[wait], 1.8, 5)
		}},
	{"atomics", "threads wait for atomics on the same addresses", in("atomic_bound", "ComputeBasic"),
		func(f *frame, d dose) {
			d.to(&f.atomics, 0.4, 0.95)
			d.to(&f.demand[wait], 1.8, 5)
		}},

	{"filtering", "samplers filter much", map[string]string{"RenderBasic": "sampler_bound", "Sampler": "sampler_bound"},
		func(f *frame, d dose) { d.slow(f, sampler, 1.15, 3) }},
	{"texel-misses", "the samplers' caches miss", in("sampler_bound", "RenderBasic"),
		func(f *frame, d dose) {
			d.slow(f, sampler, 1.15, 2.5)
			d.to(&f.texelMiss, 0.32, 0.7)
			f.footprint *= 0.10 / f.texelMiss * (1 + d.weight) // neighbours share lines
		}},
	{"wide-texels", "samplers read many lines of L3 for each texel", in("l3_sampler_bound", "RenderBasic"),
		func(f *frame, d dose) { d.to(&f.footprint, 7, 20) }},

	{"slm", "SLM is as fast as it gets", in("slm_bound", "RenderBasic", "ComputeBasic"),
		func(f *frame, d dose) { d.to(&f.demand[slm], 0.8, 3) }},
	{"data-port", "the data port moves what it can between EUs and L3",
		in("l3_data_bound", "RenderBasic", "ComputeBasic", "HDCAndSF", "ComputeExtended"),
		func(f *frame, d dose) {
			d.to(&f.demand[data], 0.8, 3)
			d.to(&f.lines, 3, 12)
		}},
	{"data-misses", "the data port has as many misses in flight as it can", in("hdc_waits_on_l3", "HDCAndSF"),
		func(f *frame, d dose) { d.to(&f.demand[hdc], 2.2, 5) }},
	{"bank", "one bank of L3 is asked for most", map[string]string{"ComputeL3Cache": "l3_bank_bound",
		"L3_1": "l3_bank_stalled"},
		func(f *frame, d dose) {
			d.to(&f.demand[data], 0.45, 0.9)
			d.to(&f.bankSkew, 2.5, 3.5)
			if !f.compute {
				d.to(&f.demand[bank], 2.2, 4)
			}
		}},

	{"memory", "memory is as fast as it gets, whoever asks", in("memory_bound", "RenderBasic", "ComputeBasic",
		"MemoryReads"),
		func(f *frame, d dose) {
			for i := range f.bytes {
				d.to(&f.bytes[i], f.bytes[i]*6.6, f.bytes[i]*18)
			}
		}},
	{"memory-textures", "memory is as fast as it gets, for what misses L3",
		map[string]string{"RenderBasic": "memory_l3", "MemoryReads": "memory_l3"},
		func(f *frame, d dose) { d.to(&f.bytes[srcL3], 22, 70) }},
	{"memory-color", "memory is as fast as it gets, for render targets",
		in("memory_color", "RenderBasic", "MemoryWrites"),
		func(f *frame, d dose) {
			d.to(&f.bytes[srcColor], 26, 80)
			d.to(&f.samples, 2, 8)
			d.to(&f.blended, 0.7, 1)
		}},
	{"memory-depth", "memory is as fast as it gets, for depth and stencil",
		in("memory_depth", "RenderBasic", "MemoryReads"),
		func(f *frame, d dose) { d.to(&f.bytes[srcDepth], 24, 70) }},
	{"memory-vertices", "memory is as fast as it gets, for vertices",
		in("memory_vertices", "RenderBasic", "MemoryReads"),
		func(f *frame, d dose) { d.to(&f.bytes[srcVertex], 24, 70) }},
	{"memory-commands", "memory is as fast as it gets, for commands and state", in("memory_commands", "MemoryReads"),
		func(f *frame, d dose) { d.to(&f.bytes[srcCommand], 24, 70) }},
	{"interface", "the graphics interface is as fast as it gets, from the CPU's last-level cache",
		in("gti_bound", "RenderBasic", "ComputeBasic"),
		func(f *frame, d dose) {
			for i := range f.bytes {
				d.to(&f.bytes[i], f.bytes[i]*18, f.bytes[i]*42)
			}
			d.to(&f.cached, 0.85, 0.95)
		}},

	{"geometry", "the geometry pipeline delivers few triangles", map[string]string{"RenderBasic": "not_measured",
		"HDCAndSF": "geometry_starves", "TDL_1": "not_measured"},
		func(f *frame, d dose) { d.to(&f.demand[cl], 2.6, 7) }},
	{"dispatch", "threads are so short that dispatching them takes longer than they run", in("dispatch_bound", "TDL_1"),
		func(f *frame, d dose) {
			d.to(&f.demand[dispatch], 2.6, 7)
		}},
	{"launches", "dispatches are so small that starting them takes longer than they run",
		in("launch_bound", "ComputeBasic"),
		func(f *frame, d dose) { d.to(&f.demand[dispatch], 2.6, 7) }},
	{"small-triangles", "rasterizing many small triangles takes longer than shading them",
		map[string]string{"RasterizerAndPixelBackend": "rasterizer_hotspot", "HDCAndSF": "not_measured"},
		func(f *frame, d dose) { d.slow(f, raster, 2.6, 7) }},
	{"backend", "the pixel back-end takes longer than shading", in("backend_hotspot", "RasterizerAndPixelBackend"),
		func(f *frame, d dose) {
			d.slow(f, backend, 1.3, 4)
			d.to(&f.blended, 0.7, 1)
		}},

	{"vertex-fetch", "fetching vertices takes longest", in("stage_vf", "RenderPipeProfile"), stage(vf, 1.25)},
	{"vertex-shading", "vertex shading takes longest", in("stage_vs", "RenderPipeProfile"), stage(vs, 1.25)},
	{"hull-shading", "hull shading takes longest", in("stage_hs", "RenderPipeProfile"), stage(hs, 1.25)},
	{"domain-shading", "domain shading takes longest", in("stage_ds", "RenderPipeProfile"), stage(ds, 1.25)},
	{"geometry-shading", "geometry shading takes longest", in("stage_gs", "RenderPipeProfile"), stage(gs, 1.25)},
	{"stream-output", "stream output takes longest", in("stage_so", "RenderPipeProfile"), stage(so, 1.25)},
	{"clipping", "clipping takes longest", in("stage_cl", "RenderPipeProfile"), stage(cl, 1.25)},
	{"setup", "setting triangles up takes longest", in("stage_sf", "RenderPipeProfile"), stage(sf, 1.25)},
	{"hierarchical-depth", "hierarchical depth takes longest", in("stage_hiz", "RenderPipeProfile"), stage(hiz, 1.25)},
	{"early-depth", "early depth takes longest", in("stage_iz", "RenderPipeProfile"), stage(iz, 1.25)},
	{"barycentrics", "setting attributes up takes longest", in("stage_bc", "RenderPipeProfile"), stage(bc, 1.25)},

	{"late-rejection", "pixels are shaded and thrown away", in("late_rejection", "RenderBasic", "RenderPipeProfile"),
		func(f *frame, d dose) {
			d.to(&f.late, 0.2, 0.7)
			d.to(&f.early, 0.05, 0.02)
		}},
	{"stencil", "early and late tests of stencil wait for each other", in("stencil_pma", "PMA_Stall"),
		func(f *frame, d dose) { d.to(&f.demand[stencil], 1.6, 4) }},
	{"motion", "motion estimation takes longest", in("vme_bound", "VMEPipe"),
		func(f *frame, d dose) { d.to(&f.demand[vme], 1, 3) }},
}

// stage makes a stage of the pipeline take up to three times as long as all that a piece of work usually takes.
func stage(u unit, low float64) func(*frame, dose) {
	return func(f *frame, d dose) { d.to(&f.demand[u], low, 3) }
}
