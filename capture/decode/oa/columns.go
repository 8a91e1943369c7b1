package oa

import (
	"fmt"
	"math/bits"
	"strconv"

	"astrolabe/capture"
)

// Labels of a capture of reports. The live reader may add its own after them.
const (
	labelContext = "context" // of the row: "0x20", or "idle" where no context was valid
	labelReason  = "reason"  // why the report that begins the row was written
)

// Names of the gauges of the clocks that a report shows, in MHz: what was asked for at the moment of the report. The
// average core clock is GPU_TICKS by time.
const (
	colSliceClock   = "SLICE_CLOCK"
	colUnsliceClock = "UNSLICE_CLOCK"
)

// layout says where the columns of a recording stand.
type layout struct {
	counters int // the first of the format's counters; TIMESTAMP and GPU_TICKS stand before them
	clocks   int // slice, then unslice; -1 without
	keep     int // the columns of the block "report", in the order of keepColumns
	columns  []capture.ColumnSpec
}

var keepColumns = []struct{ name, title, unit, doc string }{
	{colID, "", "", ""},      // the catalogue describes it
	{colContext, "", "", ""}, // too
	{colEndID, "Report Id at the End", "bits",
		"First word of the report that ends the row. Kept for writing recording files."},
	{colEndContext, "Context Id at the End", "id",
		"Context id of the report that ends the row. Kept for writing recording files."},
	{colTime, "Report Time", "ticks",
		"Full timestamp of the report that begins the row. Kept for writing recording files."},
	{colSyncCPU, "Correlation, CPU", "ns",
		"CPU time of the clock correlation that governs the row. Kept for writing recording files."},
	{colSyncGPU, "Correlation, GPU", "ticks",
		"GPU timestamp of the clock correlation that governs the row. Kept for writing recording files."},
	{colMarks, "Loss Marks", "bits",
		"How often reports (bits 15:0 within the row, 31:16 before it) and the whole buffer (47:32) were lost, and how often measuring began anew (63:48). Kept for writing recording files."},
}

func newLayout(f *Format, v Variant, gpu, source string) layout {
	var l layout
	add := func(m capture.Meta, integer bool) {
		m.GPU, m.Source = gpu, source
		l.columns = append(l.columns, capture.ColumnSpec{Meta: m, Integer: integer})
	}
	delta := func(name string) capture.Meta {
		m := capture.Meta{Name: name, Kind: capture.Delta, Block: "OA"}
		if gpu == "" { // no catalogue will describe it
			m.Title, m.Unit = name, "events"
		}
		return m
	}
	add(capture.Meta{Name: "TIMESTAMP", Kind: capture.Delta, Unit: "ticks", Block: "OA"}, true)
	add(capture.Meta{Name: "GPU_TICKS", Kind: capture.Delta, Unit: "cycles", Block: "OA"}, true)
	l.counters = len(l.columns)
	for _, name := range f.Counters() {
		add(delta(name), true)
	}
	l.clocks = -1
	if v == Gen9 {
		l.clocks = len(l.columns)
		add(capture.Meta{Name: colSliceClock, Title: "Slice Clock", Unit: "MHz", Kind: capture.Gauge, Block: "clock",
			Doc: "Clock of the slices that was asked for when the report was written, from the ratio in its first " +
				"word."},
			false)
		add(capture.Meta{Name: colUnsliceClock, Title: "Unslice Clock", Unit: "MHz",
			Kind: capture.Gauge, Block: "clock",
			Doc: "Clock of what the slices share, asked for when the report was written, from the ratio in its first " +
				"word."},
			false)
	}
	l.keep = len(l.columns)
	for _, k := range keepColumns {
		add(capture.Meta{Name: k.name, Title: k.title, Unit: k.unit, Doc: k.doc, Kind: capture.Gauge, Block: keepBlock},
			true)
	}
	return l
}

// contextNames gives contexts codes, in the order in which they are met, and makes their texts, each once.
type contextNames struct {
	texts       []string // by code
	codes       map[uint32]int32
	last        uint32 // the id before, and its code; none where there are no codes
	code        int32
	idle, other int32 // codes of those without an id, plus 1; 0 where they were not met
}

// maxContextNames bounds the texts that are kept of a live GPU, which makes new ids all the time.
const maxContextNames = 4096

// nowhere is the code of rows that have no context.
const nowhere = -1

// id is the code of a context id.
func (n *contextNames) id(id uint32) int32 {
	if n.codes == nil {
		n.codes = map[uint32]int32{}
	} else if id == n.last {
		return n.code
	}
	code, ok := n.codes[id]
	if !ok {
		code = n.add("0x" + strconv.FormatUint(uint64(id), 16))
		n.codes[id] = code
	}
	n.last, n.code = id, code
	return code
}

// of is the code of a context without an id, which *known keeps.
func (n *contextNames) of(text string, known *int32) int32 {
	if *known == 0 {
		*known = n.add(text) + 1
	}
	return *known - 1
}

func (n *contextNames) add(text string) int32 {
	n.texts = append(n.texts, text)
	return int32(len(n.texts) - 1)
}

// text is that of a code.
func (n *contextNames) text(code int32) string {
	if code == nowhere {
		return ""
	}
	return n.texts[code]
}

// reasonCodes gives the reasons of reports codes in the order in which they are met.
type reasonCodes struct {
	texts []string
	codes [9]int32 // by the lowest bit that is set, plus 1; 0 where it was not met
}

func (n *reasonCodes) code(r Reason) int32 {
	c := &n.codes[bits.TrailingZeros8(uint8(r))]
	if *c == 0 {
		n.texts = append(n.texts, r.String())
		*c = int32(len(n.texts))
	}
	return *c - 1
}

// deviceOf describes the device of a recording.
func deviceOf(i *Info) capture.Device {
	return capture.Device{Name: DeviceName(i.DeviceID), Vendor: "Intel", Driver: i.driver(),
		ID:    fmt.Sprintf("8086:%04x", i.DeviceID),
		Extra: map[string]string{"revision": strconv.Itoa(int(i.Revision))}}
}
