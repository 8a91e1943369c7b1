package session

import (
	"context"
	"slices"
	"strings"

	"astrolabe/capture"
)

// Kind says what a counter of a context is made of.
type Kind string

// The kinds.
const (
	kindPublic   Kind = "public"   // computed from hardware counters
	KindHardware Kind = "hardware" // a hardware counter by itself
	kindSoftware Kind = "software" // counted by a driver or system
)

// Kinds lists the kinds in the order in which they are scheduled.
var Kinds = []Kind{kindPublic, KindHardware, kindSoftware}

// Type is the data type of a counter's results, by the guide's name without the prefix.
type Type string

const (
	typeFloat32 Type = "float32"
	typeFloat64 Type = "float64"
	typeUint64  Type = "uint64"
)

// ParseType reads the name of a data type, also with the guide's prefix ("gpa_float64"); "" is what has another name.
func ParseType(s string) Type {
	t := Type(strings.TrimPrefix(strings.ToLower(s), "gpa_"))
	if slices.Contains([]Type{typeFloat32, typeFloat64, "uint32", typeUint64, "int32", "int64"}, t) {
		return t
	}
	return ""
}

// The usages that are told apart here, of those that the guide has.
const (
	usageRatio      = "ratio"
	usagePercentage = "percentage"
	usageItems      = "items"
)

// usages are the guide's words for what results are, with the units of this project that mean the same.
var usages = map[string][]string{
	usageRatio:      {"ratio", "1"},
	usagePercentage: {"percent", "%"},
	"cycles":        {"cycles", "clocks", "ticks"},
	"milliseconds":  {"ms"},
	"bytes":         {"bytes", "B"},
	usageItems:      {"", "events", "items", "faults", "switches", "migrations", "instructions", "requests"},
	"kilobytes":     {"KiB", "kB"},
}

// usageOf is the usage that a unit stands for; "" of a unit that the guide does not have, such as ns.
func usageOf(unit string) string {
	for usage, units := range usages {
		if slices.Contains(units, unit) {
			return usage
		}
	}
	return ""
}

// Counter is one counter that a context can enable.
type Counter struct {
	Name     string
	Group    string
	Doc      string
	Unit     string // as this project writes units; "" if unknown
	Usage    string // the guide's word for what the results are; "" where it has none
	Type     Type
	Kind     Kind
	Combine  capture.Kind // how values of several samples combine
	Hardware []Hardware   // what it is computed from, in the order of its formula; of a hardware or software counter itself
}

// Backend is what a context measures with.
type Backend interface {
	// Open makes the backend ready. The error wraps a Status where one fits, such as HardwareNotSupported; others mean
	// Failed.
	Open(ctx context.Context) error
	// Close releases everything.
	Close() error
	// Counters lists what can be enabled, by index. It stays the same while the backend is open.
	Counters() []Counter
	// Limits is what a pass can hold.
	Limits() Limits
	// Device describes what is measured. Unknown fields are empty.
	Device() capture.Device
	// StartPass prepares the measurement of a pass, 0 being the first. The order of hardware is that of the values in
	// its results.
	StartPass(ctx context.Context, pass int, hardware []Hardware) (Pass, error)
	// Evaluate computes the result of a counter from the values of its hardware counters, in their order.
	Evaluate(c *Counter, operands []capture.Value) (capture.Value, error)
}

// Pass is a measurement under way.
type Pass interface {
	// Begin starts the sample of that number; End ends it.
	Begin(ctx context.Context, sample uint32) error
	End(ctx context.Context) (Result, error)
	// Close ends the pass.
	Close() error
}

// Result is the outcome of one sample of one pass, which may take a while to arrive.
type Result interface {
	// Ready reports whether Wait returns at once.
	Ready() bool
	// Wait returns the values. The error says why they cannot be had.
	Wait(ctx context.Context) (*Measurement, error)
}

// Measurement is the values of one sample of one pass.
type Measurement struct {
	Values     []capture.Value  // in the order of the pass's hardware counters; missing ones are missing
	Why        []capture.Reason // of missing values; nil, or as long as Values
	Start, End int64            // ns on the backend's clock; both 0 where it does not know
	Warnings   []string
}

// resultOf is a Result that is there already.
func resultOf(m *Measurement) Result { return done{m} }

type done struct{ m *Measurement }

func (d done) Ready() bool                                { return true }
func (d done) Wait(context.Context) (*Measurement, error) { return d.m, nil }

// commandRunner is a Backend that can measure a whole command in a pass by itself.
type commandRunner interface {
	// RunPass runs the command and returns the samples in order.
	RunPass(ctx context.Context, pass int, hardware []Hardware, r *Run) ([]*Measurement, error)
}

// describer is a Backend whose captures need more than counters: catalogue, properties, labels of samples.
type describer interface {
	// Describe completes the configuration of a capture of the given samples.
	Describe(cfg *capture.Config, samples []uint32)
}

// metaOf describes a hardware counter as a column.
type metaOf interface {
	Meta(h *Hardware) capture.Meta
}
