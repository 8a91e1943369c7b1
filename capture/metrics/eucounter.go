package metrics

import (
	"fmt"
	"slices"
	"strings"
)

// The flexible EU counters of Intel's Gen8 and Gen9 GPUs, A7 to A20: each counts, over all EUs, the clocks of an
// increment event that pass a coarse and a fine filter. Seven registers program two counters each, the same way for all
// EUs. Source: Intel Kaby Lake PRM vol. 14, Flexible EU Event Counters.

// EUEvent is what a flexible EU counter counts before filters.
type EUEvent struct {
	Name string // such as "fpu0"
	Code uint8  // bits 3:0 of its field
	Doc  string // what it counts, as the end of a sentence

	coarse, fine []uint8 // codes of the filters that the hardware supports with it
}

// EUFilter narrows what a flexible EU counter counts.
type EUFilter struct {
	Name string // such as "vs"; "none" lets everything pass
	Code uint8  // bits 7:4 (coarse) or 11:8 (fine) of its field
	Doc  string // what it lets pass, as a part of a sentence; "" of none
}

var (
	euAllCoarse = []uint8{0, 1, 2, 3, 4, 5, 6, 7, 8}
	euAllFine   = []uint8{0, 1, 2, 3, 4, 5, 7, 8, 9, 10}
	euRows      = []uint8{0, 7, 8}
	euNumbers   = []uint8{0, 7, 8, 9, 10}
	euSends     = []uint8{0, 5, 7, 8, 9, 10} // the manual also allows code 6 and does not say what it is
)

var euEvents = []EUEvent{
	{"fpu0", 0, "clocks in which pipe FPU0 executed", euAllCoarse, euAllFine},
	{"fpu1", 1, "clocks in which pipe FPU1 executed", euAllCoarse, euAllFine},
	{"send", 2, "clocks in which the send pipe executed", euAllCoarse, euSends},
	{"fpu_both", 3, "clocks in which FPU0 and FPU1 both executed", euRows, euNumbers},
	{"active", 4, "clocks in which at least one pipe executed", euRows, euSends},
	{"stall", 5, "clocks in which a thread was loaded and no pipe executed", euRows, euNumbers},
	{"occupancy", 8, "loaded threads, added up every clock and counted in steps of 8", euRows, euNumbers},
}

var euCoarse = []EUFilter{
	{"none", 0, ""}, {"vs", 1, "for a vertex shader thread"}, {"hs", 2, "for a hull shader thread"},
	{"ds", 3, "for a domain shader thread"},
	{"gs", 4, "for a geometry shader thread"}, {"ps", 5, "for a pixel shader thread"},
	{"ts", 6, "for a thread of the thread spawner (compute)"},
	{"row0", 7, "in EUs of row 0"}, {"row1", 8, "in EUs of row 1"},
}

var euFine = []EUFilter{
	{"none", 0, ""}, {"hybrid", 1, "on hybrid instructions"}, {"ternary", 2, "on three-operand instructions"},
	{"binary", 3, "on two-operand instructions"},
	{"mov", 4, "on move instructions"}, {"send_start", 5, "at the start of a send"},
	{"eu0", 7, "in EUs of number 0"}, {"eu1", 8, "in EUs of number 1"}, {"eu2", 9, "in EUs of number 2"},
	{"eu3", 10, "in EUs of number 3"},
}

// EUEvents lists the increment events.
func EUEvents() []EUEvent { return slices.Clone(euEvents) }

// EUCoarseFilters lists the coarse filters.
func EUCoarseFilters() []EUFilter { return slices.Clone(euCoarse) }

// EUFineFilters lists the fine filters.
func EUFineFilters() []EUFilter { return slices.Clone(euFine) }

// Allows reports whether the hardware supports the event with these filters.
func (e EUEvent) Allows(coarse, fine EUFilter) bool {
	return slices.Contains(e.coarse, coarse.Code) && slices.Contains(e.fine, fine.Code)
}

// EUCounters is the number of flexible EU counters.
const EUCounters = 14

var euRegisters = [EUCounters / 2]uint32{0xE458, 0xE558, 0xE658, 0xE758, 0xE45C, 0xE55C, 0xE65C}

// EUCounter is one programmed flexible EU counter.
type EUCounter struct {
	Index        int // 0 to 13
	Event        EUEvent
	Coarse, Fine EUFilter

	Metric   string // what metric sets call it, or would by their pattern, such as "VsFpu0Active"
	Counter  string // the aggregating counter that holds it, such as "A7"
	Register string // the register that programs it, such as "EU_PERF_CNT_CTL0"
	Address  uint32 // of that register
	Field    uint16 // its 12 bits
	Shift    uint   // where they stand in the register: 0 or 12
	Doc      string // what it measures
	Expr     string // equation of the percentage of all EUs' clocks, or of all thread slots
	Warnings []string
}

// NewEUCounter programs flexible EU counter index (0 to 13) with an event and filters by their names; "" is no filter.
// The error says which filters the event allows.
func NewEUCounter(event, coarse, fine string, index int) (*EUCounter, error) {
	if index < 0 || index >= EUCounters {
		return nil, fmt.Errorf("there is no flexible EU counter %d: they are 0 (A7) to %d (A20)", index, EUCounters-1)
	}
	ev, err := euPick("increment event", event, euEvents, func(e EUEvent) string { return e.Name })
	if err != nil {
		return nil, err
	}
	filterName := func(f EUFilter) string { return f.Name }
	cf, err := euPick("coarse filter", cmpOr(coarse, "none"), euCoarse, filterName)
	if err != nil {
		return nil, err
	}
	ff, err := euPick("fine filter", cmpOr(fine, "none"), euFine, filterName)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(ev.coarse, cf.Code) {
		return nil, fmt.Errorf("event %s cannot be counted with the coarse filter %s; it takes %s", ev.Name, cf.Name,
			joinOr(euNames(euCoarse, ev.coarse)))
	}
	if !slices.Contains(ev.fine, ff.Code) {
		return nil, fmt.Errorf("event %s cannot be counted with the fine filter %s; it takes %s", ev.Name, ff.Name,
			joinOr(euNames(euFine, ev.fine)))
	}
	return newEUCounter(ev, cf, ff, index), nil
}

func cmpOr(s, other string) string {
	if strings.TrimSpace(s) == "" {
		return other
	}
	return s
}

func newEUCounter(ev EUEvent, cf, ff EUFilter, index int) *EUCounter {
	c := &EUCounter{
		Index: index, Event: ev, Coarse: cf, Fine: ff, Metric: euMetric(ev, cf, ff),
		Counter: fmt.Sprintf("A%d", 7+index), Register: fmt.Sprintf("EU_PERF_CNT_CTL%d", index/2),
		Address: euRegisters[index/2],
		Field:   uint16(ev.Code) | uint16(cf.Code)<<4 | uint16(ff.Code)<<8, Shift: uint(12 * (index % 2)),
	}
	c.Doc = "Counts " + ev.Doc
	for _, f := range []EUFilter{ff, cf} {
		if f.Doc != "" {
			c.Doc += " " + f.Doc
		}
	}
	c.Doc += ", over all EUs."
	read := fmt.Sprintf("A %d READ ", 7+index)
	c.Expr = read + "$EuCoresTotalCount UDIV 100 UMUL $GpuCoreClocks FDIV"
	if ev.Name == "occupancy" {
		c.Expr = read + "8 UMUL $EuCoresTotalCount UDIV $EuThreadsCount UDIV 100 UMUL $GpuCoreClocks FDIV"
	}
	if ff.Name == "send_start" && (ev.Name == "fpu0" || ev.Name == "fpu1") {
		c.Warnings = append(c.Warnings, "starts of sends are defined for the send pipe; what this event counts with them is up to the hardware")
	}
	if strings.HasPrefix(cf.Name, "row") || strings.HasPrefix(ff.Name, "eu") {
		c.Warnings = append(c.Warnings, "only some EUs pass the filter, and the formula divides by all of them: the percentage cannot reach 100")
	}
	return c
}

// Spelling is the event with its filters as ParseEUCounter reads them: "active", "fpu0/vs", "fpu1/none/mov".
func (c *EUCounter) Spelling() string {
	switch {
	case c.Fine.Code != 0:
		return c.Event.Name + "/" + c.Coarse.Name + "/" + c.Fine.Name
	case c.Coarse.Code != 0:
		return c.Event.Name + "/" + c.Coarse.Name
	}
	return c.Event.Name
}

// Value is the register's content for this counter, the other counter's field being zero.
func (c *EUCounter) Value() uint32 { return uint32(c.Field) << c.Shift }

// Mask has the bits of the register that belong to this counter.
func (c *EUCounter) Mask() uint32 { return 0xFFF << c.Shift }

// euPick finds an event or filter by name, in any case and spelling.
func euPick[T any](what, name string, list []T, nameOf func(T) string) (T, error) {
	var names []string
	for _, x := range list {
		if fold(nameOf(x)) == fold(name) {
			return x, nil
		}
		names = append(names, nameOf(x))
	}
	var zero T
	if near := nearest(name, names, 1); len(near) > 0 {
		return zero, fmt.Errorf("there is no %s %q; did you mean %s?", what, name, near[0])
	}
	return zero, fmt.Errorf("there is no %s %q; there are %s", what, name, joinAnd(names))
}

func euNames(list []EUFilter, codes []uint8) []string {
	var out []string
	for _, f := range list {
		if slices.Contains(codes, f.Code) {
			out = append(out, f.Name)
		}
	}
	return out
}
