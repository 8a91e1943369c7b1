package gpumetrics

// Reason is why the firmware holds clocks down: a group of the bits of indep_throttle_status, which mean the same on
// all parts.
type Reason struct {
	Name string // as in a counter's name
	What string
	Bits map[uint]string // what each bit stands for
}

// Reasons are the groups of the kernel's header amdgpu_smu.h, which sorts the bits as the vendor does: limits of power,
// of current, of heat, and others.
var Reasons = []Reason{
	{"power", "a limit of power", map[uint]string{0: "PPT0", 1: "PPT1", 2: "PPT2", 3: "PPT3 (package power)",
		4: "SPL (sustained power)",
		5: "FPPT (fast package power)", 6: "SPPT (slow package power)", 7: "SPPT of the APU"}},
	{"current", "a limit of current", map[uint]string{16: "TDC GFX", 17: "TDC SOC", 18: "TDC MEM", 19: "TDC VDD",
		20: "TDC CVIP", 21: "EDC CPU", 22: "EDC GFX",
		23: "APCC"}},
	{"heat", "heat", map[uint]string{32: "GPU", 33: "CPU cores", 34: "memory", 35: "edge", 36: "hot spot", 37: "SOC",
		38: "regulator GFX",
		39: "regulator SOC", 40: "regulator MEM0", 41: "regulator MEM1", 42: "liquid 0", 43: "liquid 1", 44: "VRHOT 0",
		45: "VRHOT 1",
		46: "PROCHOT of the CPU", 47: "PROCHOT of the GPU"}},
	{"other", "another limit", map[uint]string{56: "PPM", 57: "FIT"}},
}

// Mask is the bits of the reason.
func (r *Reason) Mask() uint64 {
	var m uint64
	for bit := range r.Bits {
		m |= 1 << bit
	}
	return m
}
