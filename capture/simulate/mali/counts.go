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

// term is of a counter by its machine name. Layouts that lack the counter leave it out.
type term struct {
	counter string
	tally   int
	amount  float64
}

// issued and left are tallies of items, behind those of the units.
var issued, left = tallyAt(simulate.TallyIssued), tallyAt(simulate.TallyOut)

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
func (t *terms) cycles(a content.Axis) float64 { return t.service(a) * t.p.Effort[a] }

// service is how many cycles the units of an axis are taken by the part, work or not.
func (t *terms) service(a content.Axis) float64 {
	each := float64(t.d.cores)
	if a == content.Geometry {
		each = 1
	}
	return t.p.Press[a] * t.p.Time * t.d.hz / 1e9 * each * t.d.clockOf(a)
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
		m := d.mesh(p)
		out = append(out, d.vertices(p, m), d.fragments(p, m))
	}
	return out
}

// mesh is what a pass draws, before it is pixels.
type mesh struct {
	triangles, vertices float64
	visible             float64 // triangles that no test culls
	shaded              float64 // vertices whose varyings are shaded at all
	culled              []culled
}

// culled is how many triangles a test culls.
type culled struct {
	counter   string
	triangles float64
}

func (d *device) mesh(p *content.Pass) *mesh {
	t := &terms{d: d, p: d.settle(p, p.Vertex)}
	s := &p.Shape
	// The tiler takes a triangle in a cycle at best, and the cores need some instructions for the vertices of a warp:
	// both bound the mesh.
	m := &mesh{triangles: t.cycles(content.Geometry) * 0.9}
	if warps, most := m.triangles/s.PerVertex/16, t.cycles(content.Arithmetic)/8*d.quads(); warps > most {
		m.triangles *= most / warps
	}
	m.visible = m.triangles
	cull := func(counter string, share float64) {
		m.culled = append(m.culled, culled{counter, m.visible * share})
		m.visible -= m.visible * share
	}
	switch d.culls {
	case planesXY:
		// Nine of ten triangles outside of the view are beside it.
		cull("MaliGeomFaceXYPlaneCullPrim", 1-(1-s.Facing)*(1-0.9*s.Frustum))
		cull("MaliGeomZPlaneCullPrim", 0.1*s.Frustum)
	case facingFirst:
		cull("MaliGeomFaceCullPrim", s.Facing)
		cull("MaliGeomPlaneCullPrim", s.Frustum)
	case frustumFirst:
		cull("MaliGeomPlaneCullPrim", s.Frustum)
		cull("MaliGeomScissorCullPrim", s.Scissor)
		cull("MaliGeomFaceCullPrim", s.Facing)
	}
	cull("MaliGeomSampleCullPrim", s.Sample)
	m.vertices, m.shaded = m.triangles/s.PerVertex, m.visible/s.PerVertex
	return m
}

// vertices counts a job that shades vertices and bins triangles.
func (d *device) vertices(p *content.Pass, m *mesh) work {
	t := &terms{d: d, p: d.settle(p, p.Vertex)}
	sh := &p.Shader
	t.arithmetic(sh)
	t.loadStore(sh)
	if t.p.Press[content.Texture] > 0 {
		t.texture(sh)
	}
	t.memory(p, 0, 0)
	for _, c := range m.culled {
		t.add(c.counter, unitTiler, c.triangles)
	}
	t.add("MaliGeomTrianglePrim", unitTiler, m.triangles)
	t.add("MaliGeomVisiblePrim", unitTiler, m.visible)
	t.add("MaliGeomVisibleDVSPrim", unitTiler, m.visible*d.late)
	// Where everything that faces away is culled, hardly any of the rest does.
	t.add("MaliGeomFrontFacePrim", unitTiler, m.visible*0.97)
	t.add("MaliGeomBackFacePrim", unitTiler, m.visible*0.03)
	now := m.shaded * (1 - d.late) // the others are left to the main phase
	t.add("MaliGeomPosShadTask", unitTiler, m.vertices/d.request)
	t.add("MaliGeomVarShadTask", unitTiler, now/d.request)
	t.add("MaliGeomPosShadPartTask", unitTiler, m.vertices/d.request*(1-sh.Filled))
	t.add("MaliGeomVarShadPartTask", unitTiler, now/d.request*(1-sh.Filled))
	all := (m.vertices + now) / d.warp / (0.7 + 0.3*sh.Filled)
	t.warps("MaliNonFragWarp", all, sh.Filled)
	for _, job := range []string{"MaliNonFragQueueJob", "MaliVertQueueJob", "MaliBinningQueueJob"} {
		t.add(job, left, 1)
	}
	return t.list
}

// warps counts warps of which a share is full.
func (t *terms) warps(counter string, all, full float64) {
	t.add(counter, issued, all)
	t.add("MaliCoreFullWarp", issued, all*full)
	if t.p.Wide {
		t.add("MaliCoreAllRegsWarp", issued, all)
	}
}

// fragments counts a job that shades fragments.
func (d *device) fragments(p *content.Pass, m *mesh) work {
	t := &terms{d: d, p: d.settle(p, p.Pixel)}
	s, sh := &p.Shape, &p.Shader
	w := t.picture(s)
	quads, tested, killed, shaded, pixels := w.quads, w.tested, w.killed, w.shaded, w.pixels
	tile := min(w.tile, t.room(p))
	t.arithmetic(sh)
	t.loadStore(sh)
	t.texture(sh)
	v := t.cycles(content.Varying)
	t.add("MaliVar16IssueSlot", unitVarying, d.slots*v*sh.Half)
	t.add("MaliVar32IssueSlot", unitVarying, d.slots*v*(1-sh.Half))
	t.memory(p, tile, 0.12)
	// Tiles are written as fast as memory takes them in the end.
	t.add("MaliSCBusTileWrBt", simulate.UnitBandwidth, tile/16)
	t.rays(s)

	t.add("MaliFragRastQd", unitRaster, quads)
	t.add("MaliFragRastCoarseQd", unitRaster, quads)
	t.add("MaliFragRastPartQd", unitRaster, quads*s.Partial)
	t.add("MaliFragEZSTestQd", unitRaster, tested)
	t.add("MaliFragEZSKillQd", unitRaster, killed)
	t.add("MaliFragEZSUpdateQd", unitRaster, (tested-killed)*0.85)
	// What is neither blended nor thrown away by its shader, and tested early, can hide what comes before it.
	t.add("MaliFragOpaqueQd", unitRaster, (tested-killed)*(1-s.Blended)*(1-s.Discard))
	if d.prepass() {
		t.add("MaliFragPrepassTestQd", unitRaster, quads-killed)
		t.add("MaliFragPrepassKillQd", unitRaster, max(0, quads-killed-shaded))
		t.add("MaliFragPrepassEZSUpdateQd", unitRaster, (tested-killed)*0.85*(1-s.Blended))
	}
	late := shaded * s.LateTest
	t.add("MaliFragLZSTestQd", issued, late)
	t.add("MaliFragLZSKillQd", issued, late*s.LateKill)
	warps := shaded * 4 / d.warp / (0.85 + 0.15*sh.Filled)
	t.warps("MaliFragWarp", warps, sh.Filled)
	// A warp is partial if any of its quads is.
	t.add("MaliFragPartWarp", issued, warps*(1-math.Pow(1-s.Partial, d.warp/4)))
	t.add("MaliFragPrepassWarp", issued, warps*s.Discard*0.3) // shaders that throw pixels away decide what is hidden
	t.add("MaliFragThread", issued, 4*shaded)
	t.add("MaliEngSWBlendInstr", issued, warps*s.Blended*0.05)
	t.add("MaliDefVertWarp", issued, m.shaded*d.late/d.warp)
	tiles := pixels / (d.tile * d.tile)
	t.add("MaliFragTile", left, tiles)
	t.add("MaliFragTileKill", left, d.kills*tiles*s.Unchanged)
	for _, task := range []string{"MaliFragQueueTask", "MaliMainQueueTask"} {
		t.add(task, left, pixels/d.task)
	}
	for _, job := range []string{"MaliFragQueueJob", "MaliMainQueueJob"} {
		t.add(job, left, 1)
	}
	t.add("MaliBlendIssueCy", unitBackend, t.cycles(content.Backend))
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
	warps := d.several() * (t.cycles(content.Arithmetic) + t.cycles(content.LoadStore)) / (30 * math.Pow(10,
		float64(p.Groups.Seed%1000)/1000))
	t.warps("MaliNonFragWarp", warps, sh.Filled)
	for _, job := range []string{"MaliNonFragQueueJob", "MaliCompQueueJob"} {
		t.add(job, left, 1)
	}
	return t.list
}
