package analysis

import (
	"fmt"
	"strconv"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/metrics"
)

// By says what of one capture is compared with what of the other.
type By string

// The alignments of two captures.
const (
	ByTime   By = "time"   // the whole of both
	ByRegion By = "region" // regions of the same name, each occurrence being one observation
	ByLabel  By = "label"  // samples with the same value of a label, such as a kernel
	// frames, each being one observation, paired where all captures have the same; also what a label numbers as it does
	// frames
	ByFrame By = "frame"
)

// ParseBy reads "time", "region", "frame", "label:NAME" (or "label=NAME"), and "kernel" for the label of that name.
func ParseBy(text string) (by By, label string, err error) {
	head, rest, named := strings.Cut(text, ":")
	if !named {
		head, rest, named = strings.Cut(text, "=")
	}
	switch by = By(head); {
	case by == ByLabel && rest != "":
		return by, rest, nil
	case by == ByLabel:
		return "", "", fmt.Errorf("%q lacks the name of the label: write label:NAME", text)
	case named:
	case by == ByTime || by == ByRegion || by == ByFrame:
		return by, "", nil
	case text == "kernel":
		return ByLabel, text, nil
	}
	return "", "", fmt.Errorf("%q is nothing to compare by: use time, region, frame, kernel or label:NAME", text)
}

// Options say how captures are compared. The zero value takes the defaults.
type Options struct {
	By    By     // "" is ByTime
	Label string // of ByLabel; of ByFrame the label whose stretches are the frames, "" being regions or the label frame

	// Metrics selects counters and metrics by any of their names or by globs over name and title; nil takes all.
	Metrics []string
	// Defined are metrics of the caller's own.
	Defined []*metrics.Entry

	Alpha     float64 // the accepted fraction of false changes; 0 is DefaultAlpha
	MinEffect float64 // a smaller relative change is none, as a fraction; 0 judges every change

	// More and Less are globs of counters of which more, or less, is better. They come before what the catalogue says.
	More, Less []string

	Seed       uint64
	Replicates int // of the bootstrap; 0 is DefaultReplicates
}

// Defaults of Options.
const (
	DefaultAlpha      = 0.05
	DefaultReplicates = 1000
	// DefaultMinEffect is what the command line and scripts take: changes below 1 % rarely matter to anyone.
	DefaultMinEffect = 0.01
)

func (o Options) withDefaults() Options {
	if o.By == "" {
		o.By = ByTime
	}
	if o.Alpha == 0 {
		o.Alpha = DefaultAlpha
	}
	if o.Replicates == 0 {
		o.Replicates = DefaultReplicates
	}
	return o
}

// maxReplicates bounds the memory of the bootstrap.
const maxReplicates = 100_000

func (o Options) check() error {
	switch {
	case !(o.Alpha > 0 && o.Alpha < 1):
		return fmt.Errorf("alpha is %v, it must lie between 0 and 1", o.Alpha)
	case !(o.MinEffect >= 0) || o.MinEffect > 1e6:
		return fmt.Errorf("the least effect is %v, it must be a fraction such as 0.01", o.MinEffect)
	case o.Replicates < 100 || o.Replicates > maxReplicates:
		return fmt.Errorf("%d replicates: there must be 100 to %d", o.Replicates, maxReplicates)
	case o.By == ByLabel && o.Label == "":
		return fmt.Errorf("the name of the label to compare by is missing")
	}
	return nil
}

// notComparableError says why captures can't be compared.
type notComparableError struct{ Reason string }

func (e *notComparableError) Error() string { return "not comparable: " + e.Reason }

func notComparable(format string, args ...any) error {
	return &notComparableError{fmt.Sprintf(format, args...)}
}

// nameOf is what messages call a capture.
func nameOf(c *capture.Capture) string {
	switch {
	case c.Path != "":
		return c.Path
	case c.Name != "":
		return c.Name
	}
	return "a capture"
}

// ParseEffect reads a relative change: "2%" or "0.02".
func ParseEffect(text string) (float64, error) {
	number, percent := strings.CutSuffix(strings.TrimSpace(text), "%")
	f, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if percent {
		f /= 100
	}
	if err != nil || !(f >= 0) || f > 1e6 {
		return 0, fmt.Errorf("%q is no relative change: write it like 2%% or 0.02", text)
	}
	return f, nil
}
