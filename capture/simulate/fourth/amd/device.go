package amd

// device is a product, by its public specification.
type device struct {
	name       string
	generation string // as recorders spell it
	pci        string
	apu        bool
	cu         float64 // compute units of two SIMDs with 32 lanes
	se         float64 // shader engines
	pipes      float64 // primitives a clock
	rops       float64 // pixels a clock
	channels   float64 // of L2, 64 bytes a clock each
	mhz        float64 // of the shaders at their highest
	dram       float64 // GB/s
	dramMHz    float64
	mall       float64 // times the bandwidth of the memory that its last cache gives, 0 where there is none
	mallMiB    float64
	vramGiB    float64
	watts      float64 // limit of the board or the package
}

var devices = []device{
	{"AMD Radeon RX 5700 XT", "GFX10.1", "0x1002:0x731f", false, 40, 2, 4, 64, 16, 1905, 448, 875, 0, 0, 8, 180},
	{"AMD Radeon RX 6500 XT", "GFX10.3", "0x1002:0x743f", false, 16, 1, 2, 32, 4, 2815, 144, 1124, 1.6, 16, 4, 107},
	{"AMD Radeon RX 6600", "GFX10.3", "0x1002:0x73ff", false, 28, 2, 2, 64, 8, 2491, 224, 875, 2.0, 32, 8, 132},
	{"AMD Radeon RX 6700 XT", "GFX10.3", "0x1002:0x73df", false, 40, 2, 4, 64, 12, 2581, 384, 1000, 2.6, 96, 12, 186},
	{"AMD Radeon RX 6800", "GFX10.3", "0x1002:0x73bf", false, 60, 3, 3, 96, 16, 2105, 512, 1000, 3.0, 128, 16, 203},
	{"AMD Radeon RX 6900 XT", "GFX10.3", "0x1002:0x73bf", false, 80, 4, 4, 128, 16, 2250, 512, 1000, 3.2, 128, 16, 255},
	{"AMD Radeon 680M", "GFX10.3", "0x1002:0x1681", true, 12, 1, 1, 32, 4, 2400, 90, 2400, 0, 0, 2, 45},
	{"AMD Custom GPU 0405", "GFX10.3", "0x1002:0x163f", true, 8, 1, 1, 16, 4, 1600, 88, 1375, 0, 0, 1, 15},
	{"AMD Radeon RX 7600", "GFX11", "0x1002:0x7480", false, 32, 2, 2, 64, 8, 2655, 288, 1124, 1.8, 32, 8, 165},
	{"AMD Radeon RX 7800 XT", "GFX11", "0x1002:0x747e", false, 60, 3, 3, 96, 16, 2430, 624, 1218, 2.8, 64, 16, 263},
	{"AMD Radeon RX 7900 XTX", "GFX11", "0x1002:0x744c", false, 96, 6, 6, 192, 24, 2499, 960, 1249, 3.0, 96, 24, 315},
	{"AMD Radeon 780M", "GFX11", "0x1002:0x15bf", true, 12, 1, 1, 32, 4, 2700, 100, 2800, 0, 0, 2, 54},
}

// gfx is the generation as GPUPerfAPI has it.
func (d *device) gfx() string {
	return map[string]string{"GFX10.1": "gfx10", "GFX10.3": "gfx103", "GFX11": "gfx11"}[d.generation]
}

// simds is the number of SIMDs with 32 lanes.
func (d *device) simds() float64 { return 2 * d.cu }

// slots is the number of waves that the shaders hold at most.
func (d *device) slots() float64 { return 16 * d.simds() }
