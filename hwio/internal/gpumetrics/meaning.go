package gpumetrics

import "strings"

// Sort says how a field's values are to be taken.
type Sort uint8

const (
	Structure Sort = iota // header or padding: no measurement
	Clock                 // a point in time
	Level                 // a gauge
	Total                 // a count since the driver was loaded, which wraps at the field's size
	Bits                  // a mask of conditions
)

// Meaning says what the values of a field are.
type Meaning struct {
	Sort  Sort
	Unit  string  // after scaling; "" where the driver's header names none
	Scale float64 // what the raw number is multiplied with
	// Undecided: the raw number is in percent on some parts and in hundredths of a percent on others. Scale is that of
	// the latter, which any number above 100 proves.
	Undecided bool
}

// joulesPerUnit is the unit of energy accumulators, 15.259 µJ.
const joulesPerUnit = 1.0 / (1 << 16)

// meaning derives a field's meaning from its name and the family of its table: 1 is a discrete GPU, 2 and 3 are APUs.
func meaning(format uint8, name string) Meaning {
	level := func(unit string, scale float64) Meaning { return Meaning{Sort: Level, Unit: unit, Scale: scale} }
	total := func(unit string, scale float64) Meaning { return Meaning{Sort: Total, Unit: unit, Scale: scale} }
	fine := 1.0 // of temperatures and power
	powerFine := 1.0
	if format >= 2 {
		fine, powerFine = 0.01, 0.001
	}
	has := func(part string) bool { return strings.Contains(name, part) }
	switch {
	case strings.HasPrefix(name, "padding"):
		return Meaning{}
	case name == "system_clock_counter":
		return Meaning{Sort: Clock, Unit: "ns", Scale: 1}
	case name == "firmware_timestamp":
		return Meaning{Sort: Clock, Unit: "ns", Scale: 10}
	case strings.HasSuffix(name, "throttle_status"), name == "gfxclk_lock_status":
		return Meaning{Sort: Bits, Scale: 1}
	case name == "energy_accumulator":
		return total("joules", joulesPerUnit)
	case name == "pcie_bandwidth_acc", name == "accumulation_counter", has("residency_acc"), has("activity_acc"),
		has("busy_acc"),
		has("_limit_") && has("_acc"), has("utilization_acc"):
		return total("", 1)
	case strings.HasPrefix(name, "throttle_residency_"): // in cycles of the firmware's timer, by its interface of 14.0.0
		return total("cycles", 1)
	case has("_count_acc"), name == "pcie_lc_perf_other_end_recovery":
		return total("events", 1)
	case has("xgmi_") && has("data_acc"):
		return total("KB", 1)
	case name == "pcie_bandwidth_inst", name == "mem_max_bandwidth":
		return level("GB/s", 1)
	case has("busy"):
		return level("percent", 1)
	case has("temperature"):
		return level("celsius", fine)
	case has("activity"):
		if format == 2 {
			return Meaning{Sort: Level, Unit: "percent", Scale: 0.01, Undecided: true}
		}
		return level("percent", 1)
	case has("power"):
		return level("watts", powerFine)
	case has("dram_"), has("ipu_reads"), has("ipu_writes"):
		return level("bytes/s", 1e6)
	case has("voltage"):
		return level("volts", 0.001)
	case strings.HasSuffix(name, "_current"):
		return level("amperes", 0.001)
	case has("clk"), has("_frequency"), has("maxfreq"):
		return level("Hz", 1e6)
	case name == "current_fan_speed":
		return level("rpm", 1)
	case name == "pcie_link_speed":
		return level("GT/s", 0.1)
	case name == "xgmi_link_speed":
		return level("Gbit/s", 1)
	case strings.HasSuffix(name, "link_width"):
		return level("lanes", 1)
	}
	return level("", 1) // fan_pwm and the filter constant of 3.0: the header names no unit
}
