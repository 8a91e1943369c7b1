package oa

import "math"

// Variant is a meaning of the first word of a report.
type Variant uint8

const (
	// Gen9 is that of Gen9 to Gen11, with the clock ratios that the driver has included.
	Gen9 Variant = iota
	// Gen8 is that of Broadwell and Cherryview.
	Gen8
	// UserID is that of snapshots of MI_REPORT_PERF_COUNT: a value of the user's, with no fields.
	UserID
	// Gen12 is that of Gen12 and later, whose reasons have a bit more where Gen9 has a clock ratio.
	Gen12
)

func (v Variant) String() string { return [...]string{"Gen9", "Gen8", "the user's own", "Gen12"}[v] }

// Reason is why a report was written: bits that can be set together.
type Reason uint8

const (
	Timer Reason = 1 << iota
	Trigger1
	Trigger2
	ContextSwitch
	GoTransition     // entering RC6
	ClockRatioChange // Gen9 on
	MMIOTrigger      // Gen12 on
)

var reasonNames = []string{"timer", "internal trigger 1", "internal trigger 2", "context switch", "entering RC6",
	"clock ratio change", "MMIO trigger"}

// String is the name of the lowest bit, "none" where no bit is set.
func (r Reason) String() string {
	for i, name := range reasonNames {
		if r>>i&1 != 0 {
			return name
		}
	}
	return "none"
}

// ReportID is the first word of a report, decoded.
type ReportID struct {
	Raw          uint32
	Reason       Reason
	ContextValid bool // the context id of the report names a context
	StartTrigger bool // start trigger event of the trigger that the reason names
	Threshold    bool // the threshold of that trigger is enabled
	TimerEnabled bool // Gen8 only
	HasRatios    bool // the ratios below were reported
	Slice        uint16
	Unslice      uint16
}

// Decode takes the first word of a report apart.
func (v Variant) Decode(raw uint32) ReportID {
	id := ReportID{Raw: raw}
	if v == UserID {
		return id
	}
	id.Reason = Reason(raw >> 19 & 0x3F)
	id.StartTrigger = raw>>18&1 != 0
	id.Threshold = raw>>17&1 != 0
	if v == Gen8 {
		id.Reason &^= ClockRatioChange // reserved
		id.ContextValid = raw>>25&1 != 0
		id.TimerEnabled = raw>>16&1 != 0
		return id
	}
	id.ContextValid = raw>>16&1 != 0
	if v == Gen12 {
		id.Reason = Reason(raw >> 19 & 0x7F)
		return id // what its other bits say of clocks is not published
	}
	id.Slice = uint16(raw>>25&0x7F | raw>>9&3<<7)
	id.Unslice = uint16(raw & 0x1FF)
	id.HasRatios = id.Slice != 0 || id.Unslice != 0
	return id
}

// clocks are those that the report shows in MHz, NaN where it shows none.
func (id *ReportID) clocks() (slice, unslice float64) {
	if !id.HasRatios {
		return math.NaN(), math.NaN()
	}
	return mHz(id.Slice), mHz(id.Unslice)
}

// mHz is the frequency of a clock ratio: it counts in steps of 50/3 MHz.
func mHz(ratio uint16) float64 { return float64(ratio) * 50 / 3 }

// ratioStep is one step of a clock ratio in Hz.
const ratioStep = 50e6 / 3
