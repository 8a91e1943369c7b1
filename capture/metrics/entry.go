package metrics

import (
	"math"
	"slices"
	"strconv"

	"astrolabe/capture"
	"astrolabe/capture/metrics/formula"
)

// Entry is one counter or metric of a catalogue. It is read-only.
type Entry struct {
	Name    string // unique slug, or the vendor's variable of a raw counter
	Title   string // the vendor's title, exactly
	Unit    string // in a metric per $denom: for the default denominator
	Group   string // the vendor's section, exactly
	Doc     string // what it means
	High    string // what a high value tells
	Low     string // what a low value tells
	Expr    string // "" for a raw counter
	Source  string // where formula and meaning come from
	GPU     string // catalogue id
	Block   string // hardware block
	Index   int    // position of a raw counter in its block, counted from the block's start; 0 where there is none
	Scaler  uint64 // what the hardware's number is multiplied by to give the counter; 0 means 1
	Kind    capture.Kind
	Dialect formula.Dialect

	Refs         []string // sections of the vendor's guide
	Inputs       []string // names that the formula reads
	Aliases      []string
	Roles        []string // "KIND:NAME", see role.go
	MoreIsBetter string   // "yes", "no", or "" where it depends
	Peak         string   // formula of the highest possible value; "" if unknown
	PeakExpr     string   // formula of the percentage of the peak, where it is not 100 * value / peak
	References   []Reference
	Run          string // the run whose values of the counters its formula reads, see runs.go; "" where those that count
	PerDenom     bool   // divided by the capture's denominator option

	// Variants are the formulas of a metric that depends on generation and API; Expr then lists them all.
	Variants []*Variant
	Public   []*Public // formulas of other counters that the vendor's tool writes, see public.go
	Usage    string    // the vendor's usage type, where it has one, such as "percentage"
	DataType string    // the type in which the vendor computes it, where it says so; "" means a double

	// Of a metric of an Intel metric set.
	Set       *MetricSet
	Symbol    string // its name in the set
	Semantic  string // "event", "duration", "throughput" or "ratio"
	Scope     string // "slice" or "subslice" where it is not counted for the whole GPU
	Available string // condition on the GPU's topology under which it exists; "" means always

	assumed  *float64           // of a constant: its value where the capture does not say, nil where that is unknown
	columns  []Column           // of the vendor's table, see Columns
	written  map[string]writing // by the names that other programs have for it, see written.go
	writings []string           // these names in the order of the file
	bits     []statusBits       // of columns of conditions that make it, see bits.go
	expr     *formula.Expr      // of Expr
	defined  bool               // by a user, who may have mistyped a name
}

// Reference is a published number to compare a value with.
type Reference struct {
	Text   string  // what the number is
	Value  float64 // NaN where the text states a rule without a number
	Unit   string
	Source string
}

// String is the number with its unit and what it is.
func (r Reference) String() string {
	if math.IsNaN(r.Value) {
		return r.Text
	}
	number := strconv.FormatFloat(r.Value, 'g', -1, 64)
	if r.Unit != "" {
		number += " " + r.Unit
	}
	return number + ": " + r.Text
}

// IsMetric reports whether the entry is a formula, not a raw counter.
func (e *Entry) IsMetric() bool {
	return e.expr != nil || len(e.Variants) > 0 && e.Kind == capture.Derived
}

// Address is the "Group/Title" of the entry.
func (e *Entry) Address() string {
	if e.Group == "" {
		return e.Title
	}
	return e.Group + "/" + e.Title
}

// others are what else people call it.
func (e *Entry) others() []string { return append(slices.Clone(e.Aliases), e.Roles...) }

// meta describes the counter that the entry becomes in a capture.
func (e *Entry) meta() capture.Meta {
	m := capture.Meta{
		Name: e.Name, Title: e.Title, Unit: e.Unit, Doc: e.Doc, Kind: e.Kind, GPU: e.GPU, Block: e.Block,
		Expr: e.Expr, Inputs: e.Inputs, Refs: e.Refs, Aliases: e.Aliases,
	}
	if e.IsMetric() {
		m.Kind = capture.Derived
	}
	m.Integral = e.DataType == "uint64"
	return m
}
