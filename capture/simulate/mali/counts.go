package mali

import (
	"math"

	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/content"
)

// program is what a content's jobs count, in the order of its jobs.
type program []work

// work is what one job counts when all of its work is done once: for each counter, how much of it goes with a tally
// of the recorder.
type work []term

type term struct {
	counter string
	tally   int
	amount  float64
}

// issued is a tally of items, behind those of the units.
var issued = tallyAt(simulate.TallyIssued)

const machineUnits = unitCache + 1

func tallyAt(t int) int { return machineUnits + t }

// terms collects a job's terms.
type terms struct {
	d    *device
	p    *content.Part
	list work
}

func (t *terms) add(counter string, tally int, amount float64) {
	if amount > 0 && !math.IsInf(amount, 0) {
		t.list = append(t.list, term{counter, tally, amount})
	}
}

// cycles is how many cycles the units of an axis work for the part, over all cores.
func (t *terms) cycles(a content.Axis) float64 {
	each := float64(t.d.cores)
	if a == content.Geometry {
		each = 1
	}
	return t.p.Press[a] * t.p.Time * t.d.hz / 1e9 * t.p.Effort[a] * each * t.d.clockOf(a)
}

// clockOf is the clock of an axis's units as a share of the top-level clock.
func (d *device) clockOf(a content.Axis) float64 {
	if a == content.Geometry {
		return 1
	}
	return d.shader
}

// program makes the counts of a scene's jobs.
func (d *device) program(s *content.Scene) program {
	var out program
	for _, p := range s.Passes {
		if p.Kind != content.Render {
			out = append(out, d.groups(p))
			continue
		}
		out = append(out, d.vertices(p), d.fragments(p))
	}
	return out
}

// arithmetic counts instructions that take the issue cycles of the part. A cycle issues one conversion or special
// function together with one multiply-add, or two multiply-adds; a special function takes four cycles of its pipe. So
// with a = conversions + special functions, cycles = a + (multiply-adds - a)/2, and 4 times the special functions is
// no more than that.
func (t *terms) arithmetic(s *content.Shader) {
	c := t.cycles(content.Arithmetic)
	special := s.Special * c / 4
	convert := s.Convert * (c - special)
	rest := special + convert
	fma := 2*c - rest
	t.add("MaliALUInstructionsFMAPipeInstructions", unitArithmetic, fma)
	t.add("MaliALUInstructionsCVTPipeInstructions", unitArithmetic, convert)
	t.add("MaliALUInstructionsSFUPipeInstructions", unitArithmetic, special)
	t.add("MaliALUInstructionsNarrowInstructions", unitArithmetic, s.Narrow*(fma+rest))
	t.add("MaliALUInstructionsDivergedInstructions", unitArithmetic, s.Diverged*(fma+rest))
}

// loadStore counts accesses that take the cycles of the part.
func (t *terms) loadStore(s *content.Shader) {
	c := t.cycles(content.LoadStore)
	atomics := s.Atomics * c
	c -= atomics
	for _, x := range []struct {
		counter string
		share   float64
	}{
		{"FullRead", (1 - s.Writes) * s.Full}, {"PartialRead", (1 - s.Writes) * (1 - s.Full)}, {"FullWrite",
			s.Writes * s.Full}, {"PartialWrite", s.Writes * (1 - s.Full)},
	} {
		t.add("MaliLoadStoreUnitCycles"+x.counter, unitLoadStore, c*x.share)
	}
	t.add("MaliLoadStoreUnitCyclesAtomicAccess", unitLoadStore, atomics)
}

// texture counts what sampling takes. On the G720 the unit's stages are counted one by one; which of them is the
// busiest depends on formats and filters, and that one has the part's cycles.
func (t *terms) texture(s *content.Shader) {
	c := t.cycles(content.Texture)
	if t.d.gpu == "mali-g615" {
		t.add("MaliTextureUnitCyclesTextureFilteringActive", unitTexture, c)
		t.add("MaliTextureUnitCyclesFullTrilinearFilterActive", unitTexture, c*s.Trilinear*0.8)
		t.add("MaliTextureUnitCyclesFullBilinearFilterActive", unitTexture, c*(1-s.Trilinear)*0.85)
		// Eight bilinear samples a cycle, half as many trilinear ones; a message is two quads.
		t.add("MaliTextureUnitQuadsTextureMessages", unitTexture, c/(1+s.Trilinear)*0.95)
		return
	}
	top := [...]float64{0.9, 0.55, 0.3 + 0.5*s.Trilinear, 0.5, 0.6 * (1 - s.Compressed), 0.7 * s.Compressed, 0.5, 0.5,
		0.55}
	switch at := t.p.Stage; {
	case s.Wide > 0.3:
		top[1] = 1.1 // the way back is the busiest
	case s.Compressed > 0.9 && at < 4:
		top[5] = 1.1 // unpacking is
	case at < 6:
		top[0] = 1.1 // filtering is
	default:
		top[8] = 1.1 // addresses are
	}
	most := 0.0
	for _, x := range top {
		most = max(most, x)
	}
	stages := [...]string{"MaliTextureUnitCyclesTextureFilteringActive", "MaliTextureUnitBusOutputBeats",
		"MaliTextureUnitBusInputBeats", "MaliTextureUnitCacheCyclesCacheLookupActive",
		"MaliTextureUnitCacheCyclesSimpleLoadActive", "MaliTextureUnitCacheCyclesComplexLoadActive",
		"MaliTextureUnitCacheCyclesL1OutputActive", "MaliTextureUnitCacheCyclesL1LookupActive",
		"MaliTextureUnitCyclesIndexCalculationActive"}
	for i, name := range stages {
		t.add(name, unitTexture, c*top[i]/most)
	}
	messages := c / (1 + s.Trilinear) * 0.9
	t.add("MaliTextureUnitQuadsTextureMessages", unitTexture, messages)
	t.add("MaliTextureUnitQuadsTextureMessagesWithSingleQuad", unitTexture, messages*s.Diverged*0.6)
}

// sliceBytes is what a slice of L2 moves in a cycle, both ways together. Arm publishes none: invented.
const sliceBytes = 64

// memory counts traffic. The bus carries what the part's share of the bandwidth is, which settle has made enough for
// what tiles write and for the lines that waiting threads ask for; what the cores ask of L2 is as much as L2's own
// time allows, and at least what comes from outside. beats of the bus are of its width, those of the cores 16 bytes.
func (t *terms) memory(p *content.Pass, tileBytes, frontShare float64) {
	d, m := t.d, &p.Memory
	bytes := t.p.Press[content.Bandwidth] * t.p.Time * d.memory * t.p.Effort[content.Bandwidth]
	written := min(0.9*bytes, leaves*tileBytes+otherWrites*m.Written*bytes)
	read := bytes - written
	beat := float64(d.bus / 8)
	t.add("MaliExternalBusBeatsReadBeats", simulate.UnitBandwidth, read/beat)
	t.add("MaliExternalBusBeatsWriteBeats", simulate.UnitBandwidth, written/beat)
	l2 := t.p.Press[content.Cache] * t.p.Time * d.hz / 1e9 * float64(d.slices) * sliceBytes * t.p.Effort[content.Cache]
	reuse := max(1.02, min(l2/max(bytes, 1), 40)) // how often what came from outside is used
	texture, buffer := m.Texture, m.Buffer
	if t.p.Press[content.Texture] <= 0 {
		texture = 0
	}
	if t.p.Press[content.LoadStore] <= 0 {
		buffer = 0
	}
	front := frontShare * (texture + buffer + 0.2)
	sum := (texture + buffer + front + 1e-9) / 0.95 // the rest is of descriptors and address translation
	for _, x := range []struct {
		name  string
		share float64
	}{{"Texture", texture}, {"LoadStore", buffer}, {"Fragment", front}} {
		ext := read * x.share / sum / 16
		t.add("MaliShaderCoreExternalReads"+x.name+"ExternalReadBeats", simulate.UnitBandwidth, ext)
		t.add("MaliShaderCoreL2Reads"+x.name+"L2ReadBeats", simulate.UnitBandwidth, ext*reuse)
	}
	writes := 0.0
	if buffer > 0 {
		writes = max(0, written-leaves*tileBytes) / 16
	}
	t.add("MaliShaderCoreWritesLoadStoreWriteBackWriteBeats", simulate.UnitBandwidth, 0.7*writes)
	t.add("MaliShaderCoreWritesLoadStoreOtherWriteBeats", simulate.UnitBandwidth, 0.3*writes)
}

// vertices counts a job that shades vertices and bins triangles.
func (d *device) vertices(p *content.Pass) work {
	t := &terms{d: d, p: d.settle(p, p.Vertex)}
	s, sh := &p.Shape, &p.Shader
	// The tiler takes a triangle in a cycle at best, and the cores need some instructions for 16 vertices: both bound
	// the mesh.
	triangles := t.cycles(content.Geometry) * 0.9
	warps := triangles / s.PerVertex / 16
	if most := t.cycles(content.Arithmetic) / 8; warps > most {
		triangles, warps = triangles*most/warps, most
	}
	t.arithmetic(sh)
	t.loadStore(sh)
	if t.p.Press[content.Texture] > 0 {
		t.texture(sh)
	}
	t.memory(p, 0, 0)
	left := triangles
	cull := func(counter string, share float64) {
		t.add(counter, unitTiler, left*share)
		left -= left * share
	}
	if d.gpu == "mali-g615" { // the order of tests
		cull("MaliPrimitiveCullingFacingTestCulledPrimitives", s.Facing)
		cull("MaliPrimitiveCullingFrustumTestCulledPrimitives", s.Frustum)
	} else {
		cull("MaliPrimitiveCullingFrustumTestCulledPrimitives", s.Frustum)
		cull("MaliPrimitiveCullingScissorTestCulledPrimitives", s.Scissor)
		cull("MaliPrimitiveCullingFacingTestCulledPrimitives", s.Facing)
	}
	cull("MaliPrimitiveCullingSampleTestCulledPrimitives", s.Sample)
	t.add("MaliPrimitiveCullingVisiblePrimitives", unitTiler, left)
	vertices := triangles / s.PerVertex
	visible := left / s.PerVertex
	if d.gpu == "mali-g720" {
		visible *= 0.4 // most are deferred to the main phase
	}
	t.add("MaliTilerShadingRequestsPositionShadingRequests", unitTiler, vertices/4)
	t.add("MaliTilerShadingRequestsVaryingShadingRequests", unitTiler, visible/4)
	all := (vertices + visible) / 16 / (0.7 + 0.3*sh.Filled)
	t.add("MaliShaderWarpsNonFragmentWarps", issued, all)
	t.add("MaliShaderWarpsFullWarps", issued, all*sh.Filled)
	if p.Vertex.Wide {
		t.add("MaliShaderWarpsAllRegisterWarps", issued, all)
	}
	return t.list
}

// fragments counts a job that shades fragments.
func (d *device) fragments(p *content.Pass) work {
	t := &terms{d: d, p: d.settle(p, p.Pixel)}
	s, sh := &p.Shape, &p.Shader
	w := t.picture(s)
	quads, tested, killed, shaded, pixels := w.quads, w.tested, w.killed, w.shaded, w.pixels
	tile := min(w.tile, t.room(p))
	t.arithmetic(sh)
	t.loadStore(sh)
	t.texture(sh)
	v := t.cycles(content.Varying)
	t.add("MaliVaryingUnitIssues16BitInterpolationIssues", unitVarying, 4*v*sh.Half)
	t.add("MaliVaryingUnitIssues32BitInterpolationIssues", unitVarying, 4*v*(1-sh.Half))
	t.memory(p, tile, 0.12)
	// Tiles are written as fast as memory takes them in the end.
	t.add("MaliShaderCoreWritesTileUnitWriteBeats", simulate.UnitBandwidth, tile/16)
	t.rays(s)

	t.add("MaliFragmentQuadsRasterizedFineQuads", unitRaster, quads)
	t.add("MaliFragmentQuadsRasterizedCoarseQuads", unitRaster, quads)
	t.add("MaliFragmentQuadsPartialRasterizedFineQuads", unitRaster, quads*s.Partial)
	t.add("MaliFragmentZSQuadsEarlyZSTestedQuads", unitRaster, tested)
	t.add("MaliFragmentZSQuadsEarlyZSKilledQuads", unitRaster, killed)
	t.add("MaliFragmentZSQuadsEarlyZSUpdatedQuads", unitRaster, (tested-killed)*0.85)
	late := shaded * s.LateTest
	t.add("MaliFragmentZSQuadsLateZSTestedQuads", issued, late)
	t.add("MaliFragmentZSQuadsLateZSKilledQuads", issued, late*s.LateKill)
	warps := shaded / 4 / (0.85 + 0.15*sh.Filled)
	t.add("MaliShaderWarpsFragmentWarps", issued, warps)
	t.add("MaliShaderWarpsFullWarps", issued, warps*sh.Filled)
	if p.Pixel.Wide {
		t.add("MaliShaderWarpsAllRegisterWarps", issued, warps)
	}
	t.add("MaliShaderThreadsFragmentThreads", issued, 4*shaded)
	t.add("MaliALUInstructionsBlendShaderCalls", issued, warps*s.Blended*0.05)
	tiles := pixels / 1024
	t.add("MaliShaderCoreTilesTiles", tallyAt(simulate.TallyOut), tiles)
	t.add("MaliShaderCoreTilesKilledUnchangedTiles", tallyAt(simulate.TallyOut), 4*tiles*s.Unchanged)
	// Regions of 32 x 32 pixels on the G615, 64 x 64 on the G720.
	if d.gpu == "mali-g615" {
		t.add("MaliGPUTasksFragmentTasks", tallyAt(simulate.TallyOut), pixels/1024)
	} else {
		t.add("MaliGPUTasksMainPhaseTasks", tallyAt(simulate.TallyOut), pixels/4096)
	}
	return t.list
}

// groups counts a compute job.
func (d *device) groups(p *content.Pass) work {
	t := &terms{d: d, p: d.settle(p, p.Groups)}
	sh := &p.Shader
	t.arithmetic(sh)
	t.loadStore(sh)
	if t.p.Press[content.Texture] > 0 {
		t.texture(sh)
	}
	t.memory(p, 0, 0)
	t.rays(&p.Shape)
	// Some 30 to 300 issue cycles in a warp.
	warps := (t.cycles(content.Arithmetic) + t.cycles(content.LoadStore)) / (30 * math.Pow(10,
		float64(p.Groups.Seed%1000)/1000))
	t.add("MaliShaderWarpsNonFragmentWarps", issued, warps)
	t.add("MaliShaderWarpsFullWarps", issued, warps*sh.Filled)
	if p.Groups.Wide {
		t.add("MaliShaderWarpsAllRegisterWarps", issued, warps)
	}
	return t.list
}

// rays counts the work of the ray tracing unit: the busier of its two testers has the part's cycles.
func (t *terms) rays(s *content.Shape) {
	c := t.cycles(content.RayTracing)
	if c <= 0 {
		return
	}
	boxes, triangles := c, c*0.4
	if t.p.Seed%5 == 0 {
		boxes, triangles = 0.7*c, c
	}
	t.add("MaliRayTracingUnitCyclesBoxTesterActive", unitRays, boxes)
	t.add("MaliRayTracingUnitCyclesTriangleTesterActive", unitRays, triangles)
	// How many rays of a warp go the same way.
	share := [...]float64{0.15, 0.2, 0.25, 0.4}
	for i, band := range []string{"14", "58", "912", "1316"} {
		t.add("MaliRayTracingUnitBoxTestBoxNodesWith"+band+"Rays", unitRays, boxes/4*share[i])
		t.add("MaliRayTracingUnitTriangleTestTriangleBatchesWith"+band+"Rays", unitRays, triangles/4*share[i])
	}
	rays := c / 12
	t.add("MaliRayTracingUnitRaysStartedRays", unitRays, rays)
	t.add("MaliRayTracingUnitTriangleWorkloadOpaqueTriangleHits", unitRays, rays*0.6)
	t.add("MaliRayTracingUnitTriangleWorkloadNonOpaqueTriangleHits", unitRays, rays*0.15)
	t.add("MaliRayTracingUnitRaysFirstHitTerminatedRays", unitRays, rays*0.3)
	t.add("MaliRayTracingUnitRaysMissedRays", unitRays, rays*1.4)
}
