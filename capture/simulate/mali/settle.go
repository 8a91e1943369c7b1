package mali

import (
	"astrolabe/capture/simulate/content"
)

// Shares of traffic. Arm publishes none: invented.
const (
	// of what the tile unit writes into L2, the share that goes on to memory before it is written again
	leaves      = 0.8
	otherWrites = 0.35 // of the content's share of writes, in what shaders move
	lineBytes   = 64
)

// most is how much of the heaviest axis' time the traffic of tiles may take of the bandwidth before a driver's
// compression, or a smaller format, would be chosen.
const most = 0.85

// settle makes a part keep what physics relates. Content draws the share of time that each axis would take alone, one
// by one; on this hardware some of them are of the same work:
//
//   - Threads wait for memory only while their lines are under way (Little's law), so that waits bring traffic: see
//     underWay. The other way round, so many lines under way need threads that wait.
//   - What passes the pixel backend was rasterized and shaded, and what tiles write goes to memory.
//   - What comes from memory goes through L2.
//
// The drawn part is left as it is.
func (d *device) settle(p *content.Pass, drawn *content.Part) *content.Part {
	x := *drawn
	x.Press = drawn.Press
	t := &terms{d: d, p: &x}
	raise := func(a content.Axis, to float64) {
		if x.Press[a] < to && x.Press[a] > 0 {
			x.Press[a] = to
		}
	}
	tile := 0.0
	if drawn == p.Pixel {
		// A quad that the backend takes was made by the rasterizer, in a cycle at best, and shaded: a quarter or half
		// of a warp, one of at least four cycles to issue its instructions.
		b := x.Press[content.Backend] * x.Effort[content.Backend] / backendCycles(&x, &p.Shape)
		raise(content.Arithmetic, 1.02*b/(d.quads()*x.Effort[content.Arithmetic]))
		raise(content.Raster, 1.02*b/(0.95*x.Effort[content.Raster]))
		tile = min(t.picture(&p.Shape).tile, t.room(p))
	}
	read := d.underWay(&x) * lineBytes / d.latency * x.Press[content.Latency] * x.Time
	bytes := (read + leaves*tile) / (1 - otherWrites*p.Memory.Written)
	// A tenth of the traffic is read at least, such as descriptors.
	bytes = max(bytes, leaves*tile/0.9)
	raise(content.Bandwidth, bytes/(x.Time*d.memory*x.Effort[content.Bandwidth]))
	traffic := x.Press[content.Bandwidth] * x.Effort[content.Bandwidth]
	raise(content.Cache, 1.02*traffic*d.memory/(x.Effort[content.Cache]*d.hz/1e9*float64(d.slices)*sliceBytes))
	raise(content.Latency, traffic*d.saturating()/d.threadLines(&x))
	return &x
}

// saturating is how many lines under way keep an idle memory's bus busy: bandwidth times latency.
func (d *device) saturating() float64 {
	return d.machine.MemoryShare * d.memory * d.latency / lineBytes
}

// threadLines is how many lines the threads that fit into the cores can wait for at once: 64 to 128 warps of a core,
// half as many with many registers, with a line each.
func (d *device) threadLines(x *content.Part) float64 {
	lines := d.threads / d.warp * float64(d.cores)
	if x.Wide {
		lines /= 2
	}
	return lines
}

// underWay is how many lines are under way while the part does nothing but wait for memory. It cannot be nearly as
// many as threads fit into the cores: tens of warps on each core, with a line each, would ask for several times what
// the bus carries, and bandwidth would be what they wait for. So latency is a limit of its own only where few lines
// are asked for at a time: because few warps are left or fit, or because many of them wait for the same lines, as
// neighbours in a picture or in a table do, or for one another. Three to six tenths of what keeps the bus busy is
// invented; on seven cores with 30 bytes/ns and 200 ns it is 28 to 56 lines.
func (d *device) underWay(x *content.Part) float64 {
	return min(d.saturating()*(0.3+0.3*float64(x.Seed>>4%256)/256), d.threadLines(x))
}

// picture is what a part of fragments draws.
type picture struct{ quads, tested, killed, shaded, pixels, tile float64 }

// passing is the share of quads that reach the shader.
func passing(s *content.Shape) float64 { return (1 - s.EarlyTest*s.EarlyKill) * (1 - s.Hidden) }

// backendCycles is how many cycles the pixel backend of a core takes for a shaded quad: a cycle to write one of 32
// bits, more to blend it, for wider formats and for several samples. Arm publishes the first; the others are invented.
func backendCycles(x *content.Part, s *content.Shape) float64 {
	cycles := 1.4 + 1.2*float64(x.Seed>>12%64)/64
	if s.PixelSize > 4 {
		cycles++
	}
	return cycles
}

// picture works out how many quads the units have time for. The rasterizer makes a quad in a cycle at best, and no warp
// has fewer than some four instructions. What the backend and the rasterizer take so much time for must
// be quads: more of them than the picture has are drawn over each other, and covered ones are left out before they are
// shaded.
func (t *terms) picture(s *content.Shape) picture {
	var w picture
	raster, backend := t.cycles(content.Raster), t.cycles(content.Backend)
	pass := passing(s)
	can := backend / backendCycles(t.p, s) // shaded quads that the backend's time is for
	// A small triangle takes the rasterizer up to four cycles for a quad.
	w.quads = min(max(s.Pixels*s.Layers/4, can/pass, raster/4), 0.95*raster)
	w.tested = w.quads * s.EarlyTest
	w.killed = w.tested * s.EarlyKill
	w.shaded = w.quads * pass
	if w.shaded < can && pass < 1 {
		// Transparent geometry hides nothing.
		all := min(1, can/w.quads)
		w.killed *= (1 - all) / (1 - pass)
		w.shaded = w.quads * all
	}
	w.shaded = min(w.shaded, t.cycles(content.Arithmetic)*t.d.quads(), can)
	w.pixels = min(s.Pixels, 4*w.quads/s.Layers)
	w.tile = w.pixels * s.PixelSize * (1 - s.Unchanged)
	// A core writes 16 bytes in a cycle at best, and writing is a part of the backend's time.
	w.tile = min(w.tile, 0.5*16*backend)
	return w
}

// room is how many bytes of tiles memory has time for beside what is read, without becoming what the part waits for
// unless it was drawn so.
func (t *terms) room(p *content.Pass) float64 {
	x := t.p
	top := 0.0
	for a, press := range x.Press {
		if content.Axis(a) != content.Bandwidth {
			top = max(top, press)
		}
	}
	share := max(x.Press[content.Bandwidth], most*top*t.d.machine.MemoryShare)
	all := share * x.Time * t.d.memory * x.Effort[content.Bandwidth]
	read := t.d.underWay(x) * lineBytes / t.d.latency * x.Press[content.Latency] * x.Time
	return max(0, min(0.9*all, all*(1-otherWrites*p.Memory.Written)-read)) / leaves
}
