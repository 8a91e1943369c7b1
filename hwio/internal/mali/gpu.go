package mali

import (
	"fmt"
	"math/bits"

	"astrolabe/capture"
)

// GPU is one graphics processor as its driver describes it.
type GPU struct {
	ID       ID
	CoreMask uint64 // shader cores that are present; it may have holes
	L2Slices int
	L2Mask   uint64 // L2_PRESENT: one bit per core group of the first GPUs; 0 if unknown
	BusWidth int    // bits of the bus of one L2 slice; 0 if unknown
	MaxHz    uint64 // highest clock; 0 if unknown

	Product Product
	Known   bool // Product is of the table
}

// Identify looks up the product. A GPU that the table does not know has a name made of its id.
func (g *GPU) Identify() {
	g.Product, g.Known = g.ID.product(g.Cores())
	if !g.Known {
		g.Product.Name = fmt.Sprintf("unknown Mali GPU %#x", g.ID.Raw)
		g.Product.CSF = g.ID.ArchMajor >= 10
	}
}

// Cores is the number of shader cores.
func (g *GPU) Cores() int { return bits.OnesCount64(g.CoreMask) }

// CoreNumbers lists the physical numbers of the shader cores.
func (g *GPU) CoreNumbers() []int { return bitNumbers(g.CoreMask) }

func bitNumbers(mask uint64) []int {
	var out []int
	for m := mask; m != 0; m &= m - 1 {
		out = append(out, bits.TrailingZeros64(m))
	}
	return out
}

// Config is what a recording says about the GPU. reader is the source's name.
func (g *GPU) Config(reader, driver string) capture.Config {
	cfg := capture.Config{
		GPU: g.Product.Catalogue(),
		Device: capture.Device{Name: g.Product.Name, Vendor: "Arm", Driver: driver, ID: fmt.Sprintf("%#x", g.ID.Raw),
			Extra: map[string]string{}},
	}
	number := func(name string, v float64) {
		if v > 0 {
			cfg.Properties = append(cfg.Properties, capture.Property{Name: name, Number: v})
		}
	}
	text := func(name, v string) {
		if v != "" {
			cfg.Properties = append(cfg.Properties, capture.Property{Name: name, Text: v, IsText: true})
		}
	}
	number("MaliConstantsShaderCoreCount", float64(g.Cores()))
	number("MaliConstantsL2SliceCount", float64(g.L2Slices))
	number("MaliConstantsBusWidthBits", float64(g.BusWidth))
	number("mali_warp_width", float64(g.Product.WarpWidth))
	number("mali_max_clock_hz", float64(g.MaxHz))
	text("mali_core_mask", fmt.Sprintf("%#x", g.CoreMask))
	text("mali_counter_layout", g.Product.Layout)
	if !g.ID.Midgard {
		text("mali_architecture", fmt.Sprintf("%d.%d", g.ID.ArchMajor, g.ID.ArchMinor))
	}
	if why := g.Unnamed(); why != "" {
		cfg.Warnings = append(cfg.Warnings, reader+": "+why)
	}
	return cfg
}

// Unnamed says why the GPU's counters have neither names nor metrics; "" where they have both. An older GPU whose
// counters may be arranged alike is offered and never taken.
func (g *GPU) Unnamed() string {
	const byIndex = "its counters are recorded by block and index (core_17), and no metrics are computed"
	switch {
	case !g.Known:
		why := fmt.Sprintf("GPU id %s is not known to this version: %s", g.ID, byIndex)
		if older, ok := g.ID.Older(g.Cores()); ok {
			why += fmt.Sprintf(". The nearest older one is the %s: if the counters are arranged alike, which is not known, gpu=%q finds names and metrics when the recording is opened",
				older.Name, older.Catalogue())
		}
		return why
	case g.ID.Midgard:
		return fmt.Sprintf("the %s is of the architecture Midgard, whose counters Arm's database does not name: %s",
			g.Product.Name, byIndex)
	}
	return ""
}
