package metrics

import (
	"slices"
	"strings"

	"astrolabe/capture/metrics/formula"
)

// hardwareBlocks are the blocks of GCN and RDNA hardware that stand in front of a GPA hardware counter's name. A block
// that exists several times has its number behind it: TCC3_TCC_PERF_SEL_HIT is that of the fourth L2 channel.
var hardwareBlocks = []string{
	"CB", "DB", "SQ", "SQ_CS", "SQ_ES", "SQ_GS", "SQ_HS", "SQ_LS", "SQ_PS", "SQ_VS", "SPI", "TCC", "TCP", "TA", "PA_SC",
	"PA_SU", "SX", "VGT", "GRBM",
	"CPF", "GCEA", "GC_EA_CPWD", "GC_EA_SE", "GE", "GE2_DIST", "GE2_SE", "GE_SE", "GL1C", "GL2C", "SQG_CS", "SQWGP",
	"SQWGP_CS", "TD",
}

// hardwareFamily takes the number of the block out of a hardware counter's name, in any case. ok is false where there
// is none.
func hardwareFamily(name string) (family string, ok bool) {
	whole := len(blockOf(strings.ToUpper(name))) // GE2_DIST is a block, and not the third of GE
	for i := len(name) - 1; i > 0; i-- {         // from the end: GE2_SE0 is the first GE2_SE
		if !digit(name[i]) || digit(name[i-1]) || i < whole ||
			!slices.Contains(hardwareBlocks, strings.ToUpper(name[:i])) {
			continue
		}
		j := i
		for j < len(name) && digit(name[j]) {
			j++
		}
		if j-i <= 4 && j < len(name) && name[j] == '_' {
			return name[:i] + name[j:], true
		}
	}
	return name, false
}

// blockOf is the block of a hardware counter whose name has no number, the longest that it begins with.
func blockOf(name string) string {
	block := ""
	for _, b := range hardwareBlocks {
		if len(b) > len(block) && len(name) > len(b) && name[len(b)] == '_' && name[:len(b)] == b {
			block = b
		}
	}
	return block
}

// numbered returns the entry of one block's counter, made from the entry of the counter of all such blocks; nil if
// there is none.
func (c *Catalogue) numbered(name string) *Entry {
	if !c.hardware {
		return nil
	}
	family, ok := hardwareFamily(name)
	if !ok {
		return nil
	}
	for _, h := range c.keys()[fold(family)] {
		digits := len(name) - len(family)
		at := 0 // where the block ends: the family is the name without what stands there
		for at < len(family) && name[at] == family[at] {
			at++
		}
		if h.rank == rankName && !h.e.IsMetric() && blockOf(h.e.Name) == strings.ToUpper(name[:at]) {
			one := *h.e
			one.Name = one.Name[:at] + name[at:at+digits] + one.Name[at:]
			one.Title = one.Name
			return &one
		}
	}
	return nil
}

// readHardware fills in what entries with variants read: the hardware counters without the numbers of their blocks, and
// the device's constants. The programs themselves are parsed when they are asked for.
func (c *Catalogue) readHardware() {
	families := map[string]string{} // by operand as it is written
	for _, e := range c.entries {
		if !e.IsMetric() || len(e.Variants) == 0 {
			continue
		}
		c.hardware = true
		seen := map[string]bool{}
		add := func(name string) {
			if !seen[name] {
				seen[name] = true
				e.Inputs = append(e.Inputs, name)
			}
		}
		for _, v := range e.Variants {
			program, list, _ := strings.Cut(v.Expr, " of ")
			for list != "" {
				var operand string
				operand, list, _ = strings.Cut(list, " ")
				family, ok := families[operand]
				if !ok {
					bare, _, _ := strings.Cut(operand, "[")
					family, _ = hardwareFamily(strings.Replace(bare, "*", "0", 1))
					families[operand] = family
				}
				add(family)
			}
			for _, name := range formula.DeviceConstants() {
				if strings.Contains(program, strings.ToUpper(name)) {
					add(name)
				}
			}
		}
	}
}
