package mali

import (
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/content"
)

// taken is the name of what no layout counts: cycles in which the arithmetic pipes of a core are taken, work or not.
const taken = "arithmetic taken"

// arithmetic counts instructions that take the issue cycles of the part. A special function takes four cycles of its
// pipe.
func (t *terms) arithmetic(s *content.Shader) {
	c := t.cycles(content.Arithmetic)
	t.add(taken, unitArithmetic, t.service(content.Arithmetic))
	special := s.Special * c / 4
	var fma, convert float64
	switch t.d.issue {
	case byInstruction:
		t.add("MaliEngInstr", unitArithmetic, c)
		t.add("MaliEngDivergedInstr", unitArithmetic, s.Diverged*c)
		return
	case bySide:
		// The busiest pipe has the part's cycles, of most shaders that of multiply-adds.
		fma, convert = c, (0.2+s.Convert)*c
		switch {
		case s.Special > 0.27:
			special, fma = c/4, 0.8*c
		case t.p.Stage >= 8:
			fma, convert = (0.3+s.Convert)*c, c
		default:
			special *= 3
		}
	case inTurn:
		convert = s.Convert * (c - special)
		fma = c - special - convert
	case twoAdds:
		// A cycle issues one conversion or special function together with one multiply-add, or two multiply-adds. So
		// with a = conversions + special functions, cycles = a + (multiply-adds - a)/2, and 4 times the special
		// functions is no more than that.
		convert = s.Convert * (c - special)
		fma = 2*c - special - convert
	case twoSlots:
		// The first slot has the part's cycles, and some of them have an instruction for the second.
		second := (0.3 + 0.6*float64(t.p.Seed>>6%64)/64) * c
		rest := c + second - special
		convert = 0.7 * s.Convert * rest
		fma = rest - convert
		t.add("MaliEngSlot1IssueCy", unitArithmetic, second)
		t.add("MaliEngSlotAnyIssueCy", unitArithmetic, c)
	}
	t.add("MaliEngFMAInstr", unitArithmetic, fma)
	t.add("MaliEngCVTInstr", unitArithmetic, convert)
	t.add("MaliEngSFUInstr", unitArithmetic, special)
	all := fma + convert + special
	t.add("MaliEngNarrowInstr", unitArithmetic, s.Narrow*all)
	t.add("MaliEngDivergedInstr", unitArithmetic, s.Diverged*all)
}

// several is by how much more a core with several execution engines issues than a counter of one of them says.
func (d *device) several() float64 {
	if d.issue != byInstruction {
		return 1
	}
	return d.engines
}

// loadStore counts accesses that take the cycles of the part.
func (t *terms) loadStore(s *content.Shader) {
	c := t.cycles(content.LoadStore)
	atomics := s.Atomics * c
	c -= atomics
	t.add("MaliLSFullRd", unitLoadStore, c*(1-s.Writes)*s.Full)
	t.add("MaliLSPartRd", unitLoadStore, c*(1-s.Writes)*(1-s.Full))
	t.add("MaliLSFullWr", unitLoadStore, c*s.Writes*s.Full)
	t.add("MaliLSPartWr", unitLoadStore, c*s.Writes*(1-s.Full))
	t.add("MaliLSAtomic", unitLoadStore, atomics)
}

// texture counts what sampling takes. Trilinear samples take twice the cycles.
func (t *terms) texture(s *content.Shader) {
	c, d := t.cycles(content.Texture), t.d
	switch d.filters {
	case passes:
		quads := c * d.samples / 4 / (1 + s.Trilinear) * 0.95
		t.add("MaliTexFiltIssueCy", unitTexture, c)
		t.add("MaliTexQuads", unitTexture, quads)
		t.add("MaliTexQuadPass", unitTexture, quads*(1+s.Trilinear))
		t.add("MaliTexQuadPassTri", unitTexture, quads*s.Trilinear)
		// Formats that take several beats are looked up several times.
		t.add("MaliTexCacheLookup", unitTexture, min(c, quads*(1+s.Trilinear)*(1+s.Wide)))
	case full:
		t.add("MaliTexFiltIssueCy", unitTexture, c)
		t.add("MaliTexFullTriFiltCy", unitTexture, c*s.Trilinear*0.8)
		t.add("MaliTexFullBiFiltCy", unitTexture, c*(1-s.Trilinear)*0.85)
		messages := c * d.samples / 4 / d.message / (1 + s.Trilinear) * 0.95
		t.add("MaliTexOutMsg", unitTexture, messages)
		t.add("MaliTexInBt", unitTexture, min(c, messages*(1+0.5*s.Trilinear)))
		t.add("MaliTexOutBt", unitTexture, min(c, messages*(1+s.Wide)))
	case stages:
		t.textureStages(s, c)
	}
}

// textureStages counts the unit's stages one by one; which of them is the busiest depends on formats and filters, and
// that one has the part's cycles.
func (t *terms) textureStages(s *content.Shader, c float64) {
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
	for i, name := range textureStages {
		t.add(name, unitTexture, c*top[i]/most)
	}
	messages := c / (1 + s.Trilinear) * 0.9
	t.add("MaliTexOutMsg", unitTexture, messages)
	t.add("MaliTexOutSingleMsg", unitTexture, messages*s.Diverged*0.6)
}

var textureStages = [...]string{"MaliTexFiltIssueCy", "MaliTexOutBt", "MaliTexInBt", "MaliTexCacheLookupCy",
	"MaliTexCacheSimpleLoadCy", "MaliTexCacheComplexLoadCy", "MaliTexL1CacheOutputCy", "MaliTexL1CacheLookupCy",
	"MaliTexIndexCy"}

// sliceBytes is what a slice of L2 moves in a cycle, both ways together. Arm publishes none: invented.
const sliceBytes = 64

// memory counts traffic. The bus carries what the part's share of the bandwidth is, which settle has made enough for
// what tiles write and for the lines that waiting threads ask for; what the cores ask of L2 is as much as L2's own
// time allows, and at least what comes from outside. beats of the bus are of its width, those of the cores 16 bytes;
// a transaction is a line.
func (t *terms) memory(p *content.Pass, tileBytes, frontShare float64) {
	d, m := t.d, &p.Memory
	bytes := t.p.Press[content.Bandwidth] * t.p.Time * d.memory * t.p.Effort[content.Bandwidth]
	written := min(0.9*bytes, leaves*tileBytes+otherWrites*m.Written*bytes)
	read := bytes - written
	beat := float64(d.bus / 8)
	t.add("MaliExtBusRdBt", simulate.UnitBandwidth, read/beat)
	t.add("MaliExtBusWrBt", simulate.UnitBandwidth, written/beat)
	t.add("MaliExtBusRd", simulate.UnitBandwidth, read/lineBytes)
	t.add("MaliExtBusWr", simulate.UnitBandwidth, written/lineBytes)
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
	}{{"Tex", texture}, {"LS", buffer}, {"FFE", front}} {
		ext := read * x.share / sum / 16
		t.add("MaliSCBus"+x.name+"ExtRdBt", simulate.UnitBandwidth, ext)
		t.add("MaliSCBus"+x.name+"L2RdBt", simulate.UnitBandwidth, ext*reuse)
	}
	shaders := max(0, written-leaves*tileBytes)
	writes := 0.0
	if buffer > 0 {
		writes = shaders / 16
	}
	t.add("MaliSCBusLSWBWrBt", simulate.UnitBandwidth, 0.7*writes)
	t.add("MaliSCBusLSOtherWrBt", simulate.UnitBandwidth, 0.3*writes)
	t.add("MaliSCBusLSWrBt", simulate.UnitBandwidth, writes)
	// Every line that goes in or out is looked up.
	reads := read * reuse
	updates := max(1.02*written, min(tileBytes+1.1*shaders, l2-reads))
	t.add("MaliL2CacheRdLookup", simulate.UnitBandwidth, reads/lineBytes)
	t.add("MaliL2CacheWrLookup", simulate.UnitBandwidth, updates/lineBytes)
	t.add("MaliL2CacheLookup", simulate.UnitBandwidth, (reads+updates)/lineBytes)
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
	t.add("MaliRTUActiveCy", unitRays, t.service(content.RayTracing))
	t.add("MaliRTUBoxIssueCy", unitRays, boxes)
	t.add("MaliRTUTriIssueCy", unitRays, triangles)
	// How many rays of a warp go the same way.
	share := [...]float64{0.15, 0.2, 0.25, 0.4}
	for i, band := range []string{"1", "5", "9", "13"} {
		t.add("MaliRTUBoxBin"+band, unitRays, boxes/4*share[i])
		t.add("MaliRTUTriBin"+band, unitRays, triangles/4*share[i])
	}
	rays := c / 12
	t.add("MaliRTURay", unitRays, rays)
	t.add("MaliRTUOpaqueHit", unitRays, rays*0.6)
	t.add("MaliRTUNonOpaqueHit", unitRays, rays*0.15)
	t.add("MaliRTUFirstHitTerm", unitRays, rays*0.3)
	t.add("MaliRTUMiss", unitRays, rays*1.4)
}
