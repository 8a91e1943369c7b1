package rdna

import (
	"slices"

	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/content"
)

// Family is one GPU with the cards that have it.
type Family struct {
	Name   string
	runs   [][]string // the counters of each run of the profiler
	device func(r simulate.Random) *device
}

// Families are the GPUs that are simulated.
var Families = []*Family{
	{Name: "gfx1151", runs: groups, device: halo},
	{Name: "gfx1201", runs: groupsOf(absent), device: navi48},
}

// halo draws a GPU of the Ryzen AI Max.
func halo(r simulate.Random) *device {
	d := &device{model: "Radeon 8050S", id: "5510", cus: 32, hz: 2799e6, engines: 2, gl1s: 16, gl2s: 8, arbiters: 9}
	if r.Chance(0.5) {
		d.model, d.cus, d.hz = "Radeon 8060S", 40, 2900e6
	}
	// LPDDR5X of 256 bits carries 256 bytes/ns; 32 MiB beside it give several times that.
	d.memory, d.near = 256*r.Between(0.75, 0.9), r.Between(700, 1000)
	d.latency = r.Between(180, 330)
	d.launch = r.Log(2e3, 6e3)
	d.gated = r.Chance(0.4)
	d.properties = []property{{"sa_per_se", 2}, {"num_memory_channels", 8}, {"num_gl1c", 4}, {"gpu_l2", 2048}}
	return d
}

// navi48 draws a card of the Radeon RX 9070's family: compute units, boost clocks and memory are those of AMD's
// product pages, shader engines and channels those of the driver in Linux. That few requests hit in GL1, which only
// gathers requests on RDNA 4, is of AMD's presentation at Hot Chips 2025.
func navi48(r simulate.Random) *device {
	d := &device{model: "Radeon RX 9070 XT", id: "7550", cus: 64, hz: 2970e6, engines: 4, gl1s: 32, gl2s: 32,
		arbiters: 17, gathers: true, registers: 1536}
	bus, mclk := 256.0, 2518e6 // bits; GDDR6 moves 8 bits of each line in a clock
	switch r.IntN(4) {
	case 0:
		d.model, d.cus, d.hz = "Radeon RX 9070", 56, 2520e6
	case 1:
		d.model, d.cus, d.hz, bus, mclk, d.gl2s = "Radeon RX 9070 GRE", 48, 2790e6, 192, 2250e6, 24
	case 2:
		d.model, d.id, d.hz = "Radeon AI PRO R9700", "7551", 2920e6
	}
	// The Infinity Cache beside memory gives two to three times what memory does.
	peak := bus / 8 * 8 * mclk / 1e9
	d.memory, d.near = peak*r.Between(0.75, 0.92), peak*r.Between(2, 3)
	d.latency = r.Between(260, 420)
	d.launch = r.Log(2e3, 8e3)
	d.properties = []property{{"sa_per_se", 2}, {"num_memory_channels", bus / 16}, {"num_gl1c", 8},
		{"gpu_l2", 256 * float64(d.gl2s)}, {"max_mclk", mclk / 1e6}}
	return d
}

// Matrix instructions of RDNA 4 multiply 16 by 16 by 16 numbers, of which a compute unit does 512 products of 16 bits
// in a clock: one takes one of its two SIMDs 16 clocks. None of AMD's public counters counts them apart.
const matrixClocks = 16

// matrixShare is how much of a kernel's vector time matrix instructions take. Products, convolutions and attention are
// written with them more often than not, which is invented.
func (d *device) matrixShare(p *content.Pass) float64 {
	if d.registers == 0 || !slices.Contains([]string{"matrix product", "convolution", "attention"}, p.Name) {
		return 0
	}
	if at := p.Groups.Seed >> 7 % 16; at >= 6 {
		return 0.4 + 0.055*float64(at-6)
	}
	return 0
}

// dualShare is how many of a kernel's other vector instructions are two in one.
func (d *device) dualShare(p *content.Pass) float64 {
	if d.registers == 0 {
		return 0
	}
	return 0.05 * float64(p.Groups.Seed>>11%9)
}

// vectorRegisters is how many registers a thread has. A SIMD of RDNA 4 has 1536 of them for each lane: 16 waves fit
// with 96, half as many where a shader needs up to 192.
func (d *device) vectorRegisters(p *content.Pass) int {
	if p.Groups.Wide {
		return 120 + 24*int(p.Groups.Seed%4)
	}
	return 24 + 24*int(p.Groups.Seed%4)
}

// absent are counters that gfx1151 has and AMD's panels of RDNA 4 do not read.
var absent = []string{
	"GL1C_GL2_REQ_READ_LATENCY_sum", "GL1C_GL2_REQ_WRITE_LATENCY_sum", "GL1C_STARVE_sum", "GL2C_EA_RDREQ_96B",
	"SPI_BUSY", "SQC_DCACHE_BUSY_CYCLES_sum", "SQC_DCACHE_INPUT_VALID_READYB_sum", "SQC_ICACHE_BUSY_CYCLES_sum",
	"SQC_ICACHE_INPUT_VALID_READYB_sum", "SQ_INSTS_VALU", "SQ_INST_CYCLES_LDS_sum", "SQ_LDS_ATOMIC_RETURN_sum",
	"SQ_WAIT_INST_LDS_sum", "SQ_WAVES", "TCP_GATE_EN2_sum",
}

// groupsOf are the runs of gfx1151 without some counters, and with the one that it lacks.
func groupsOf(without []string) [][]string {
	var out [][]string
	for _, g := range groups {
		var names []string
		for _, name := range g {
			if !slices.Contains(without, name) {
				names = append(names, name)
			}
			if name == "SQ_INSTS_VALU_TRANS_sum" {
				names = append(names, "SQ_INSTS_DUAL_VALU_WAVE32_sum")
			}
		}
		out = append(out, names)
	}
	return out
}
