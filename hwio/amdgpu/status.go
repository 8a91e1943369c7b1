package amdgpu

import "fmt"

// Families of amdgpu, from drm/amdgpu_drm.h.
const (
	familySI    = 110
	familyCI    = 120
	familyKV    = 125
	familyVI    = 130
	familyCZ    = 135
	familyAI    = 141 // Vega
	familyRV    = 142 // Raven
	familyNV    = 143 // Navi 1x and 2x
	familyVGH   = 144
	familyGC110 = 145
	familyYC    = 146
	familyGC111 = 148
	familyGC106 = 149
	familyGC115 = 150
	familyGC107 = 151
	familyGC12  = 152
)

// generation orders graphics cores by the meaning of their status bits.
type generation uint8

const (
	unknownGeneration generation = iota
	gfx6
	gfx7
	gfx8
	gfx9
	gfx10   // 10.1
	gfx10_3 // 10.3
	gfx11
	gfx12
)

var generationNames = [...]string{"unknown", "GFX6", "GFX7", "GFX8", "GFX9", "GFX10.1", "GFX10.3", "GFX11", "GFX12"}

func (g generation) String() string { return generationNames[g] }

// firstNavi2x is where the revisions of Navi 2x begin in the family that Navi 1x and 2x share.
const firstNavi2x = 0x28

func generationOf(family, externalRev uint32) generation {
	switch family {
	case familySI:
		return gfx6
	case familyCI, familyKV:
		return gfx7
	case familyVI, familyCZ:
		return gfx8
	case familyAI, familyRV:
		return gfx9
	case familyNV:
		if externalRev < firstNavi2x {
			return gfx10
		}
		return gfx10_3
	case familyVGH, familyYC, familyGC106, familyGC107:
		return gfx10_3
	case familyGC110, familyGC111, familyGC115:
		return gfx11
	case familyGC12:
		return gfx12
	}
	return unknownGeneration
}

// chipName is the graphics core's name where family and revision leave no doubt, else "". The ranges are those of AMD's
// public address library.
func chipName(family, externalRev uint32) string {
	if family == familyGC115 {
		switch {
		case externalRev >= 0x01 && externalRev < 0x40:
			return "gfx1150"
		case externalRev >= 0xc0 && externalRev < 0xff:
			return "gfx1151"
		}
	}
	return ""
}

// statusBit is a bit that is set while a block works.
type statusBit struct {
	bit         uint8
	name, title string
	near        string // what of AMD's GPA counters it comes closest to; "" for nothing
	from, to    generation
}

// register is a status register.
type register struct {
	name    string
	counter string // of its samples
	offset  uint32 // in dwords
	from    generation
	to      generation
	bits    []statusBit
}

const (
	firstGeneration = gfx6
	lastGeneration  = gfx12
)

// registers are those that the driver lets everyone read on the parts between from and to.
var registers = []register{
	{"GRBM_STATUS", "grbm_samples", 0x2004, firstGeneration, lastGeneration, []statusBit{
		{31, "gfx", "Graphics pipe", "GPUBusy", firstGeneration, lastGeneration},
		{29, "cp", "Command processor", "", firstGeneration, lastGeneration},
		{22, "spi", "Shader input (all shader stages)", "PSBusy, VSBusy and CSBusy together", firstGeneration,
			lastGeneration},
		{14, "ta", "Texture pipe", "TexUnitBusy", firstGeneration, lastGeneration},
		{30, "cb", "Colour block", "", firstGeneration, lastGeneration},
		{26, "db", "Depth block", "DepthStencilTestBusy", firstGeneration, lastGeneration},
		{25, "pa", "Primitive assembly", "PrimitiveAssemblyBusy", firstGeneration, lastGeneration},
		{24, "sc", "Scan converter", "", firstGeneration, lastGeneration},
		{23, "bci", "Barycentric interpolation", "", firstGeneration, lastGeneration},
		{20, "sx", "Shader export", "", firstGeneration, lastGeneration},
		{21, "wd", "Work distributor", "", gfx7, gfx9},
		{21, "ge", "Geometry engine", "VSBusy and GSBusy together", gfx10, lastGeneration},
		{19, "ia", "Input assembly", "", firstGeneration, gfx9},
		{17, "vgt", "Vertex grouper and tessellator", "TessellatorBusy and VSBusy together", firstGeneration, gfx9},
		{15, "gds", "Global data share", "", firstGeneration, gfx9},
		{10, "ee", "Event engine", "", firstGeneration, gfx9},
	}},
	{"GRBM_STATUS2", "grbm2_samples", 0x2002, firstGeneration, lastGeneration, []statusBit{
		{28, "cpf", "Command processor fetcher", "", gfx7, lastGeneration},
		{29, "cpc", "Command processor, compute", "", gfx7, lastGeneration},
		{30, "cpg", "Command processor, graphics", "", gfx7, lastGeneration},
		{24, "rlc", "Run list controller", "", gfx8, gfx10},
		{26, "rlc", "Run list controller", "", gfx10_3, lastGeneration},
		{25, "tc", "Texture cache", "", gfx8, gfx10},
		{27, "tc", "Texture cache", "", gfx10_3, lastGeneration},
		{15, "utcl2", "Address translation, second level", "", gfx9, gfx11},
		{16, "ea", "Efficiency arbiter (path to memory)", "", gfx9, gfx11},
		{17, "rmi", "Render memory interface", "", gfx9, gfx11},
		{21, "sdma", "System DMA", "", gfx10, lastGeneration},
	}},
	{"SRBM_STATUS", "srbm_samples", 0xe50 / 4, firstGeneration, gfx8, []statusBit{
		{19, "uvd", "Video decoder", "", firstGeneration, gfx8},
	}},
	{"SRBM_STATUS2", "srbm2_samples", 0xe4c / 4, firstGeneration, gfx8, []statusBit{
		{7, "vce", "Video encoder", "", firstGeneration, gfx8},
	}},
}

// bitsOf lists the registers of a generation with the bits that it has. An unknown one has the bit that no generation
// moved: the graphics pipe's.
func bitsOf(g generation) []register {
	if g == unknownGeneration {
		r := registers[0]
		r.bits = r.bits[:1]
		return []register{r}
	}
	var out []register
	for _, r := range registers {
		if g < r.from || g > r.to {
			continue
		}
		var bits []statusBit
		for _, b := range r.bits {
			if g >= b.from && g <= b.to {
				bits = append(bits, b)
			}
		}
		if len(bits) > 0 {
			r.bits = bits
			out = append(out, r)
		}
	}
	return out
}

// doc describes the number of samples that found the bit set.
func (b *statusBit) doc(r *register) string {
	s := fmt.Sprintf("Samples of the register %s that found bit %d set, which it is while this block works: busy_%s makes a share of wall time of it.", r.name, b.bit, b.name)
	if b.near != "" {
		s += fmt.Sprintf(" It comes close to GPA's %s, which counts cycles instead.", b.near)
	}
	return s
}
