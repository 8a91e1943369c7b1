package prometheus

import (
	"bytes"
	"context"
	"fmt"

	"astrolabe/capture"
	"astrolabe/capture/formats"
)

// Format is Prometheus' text form, for writing. Its zero value is ready for use.
type Format struct{}

var (
	_ formats.Summary   = Format{}
	_ formats.Explainer = Format{}
)

// Name is "prometheus".
func (Format) Name() string { return "prometheus" }

// Doc says what the format is.
func (Format) Doc() string {
	return "the text form that a Prometheus scrapes, with totals; written and not read (starts with # HELP)"
}

// Extensions are those that collectors of text files take.
func (Format) Extensions() []string { return []string{".prom"} }

// Sums makes it a summary.
func (Format) Sums() {}

// Sniff knows the format, so that Open can say that it is not read.
func (Format) Sniff(in *formats.Input) int {
	if !in.IsDir && bytes.HasPrefix(in.Head, []byte("# HELP ")) {
		return 97
	}
	return 0
}

// WhyNot says what is missing.
func (Format) WhyNot(in *formats.Input) string {
	if in.IsDir {
		return "it is a folder"
	}
	return "it does not start with # HELP"
}

// Open fails: a summary has no samples.
func (Format) Open(_ context.Context, in *formats.Input, _ formats.Options) (*capture.Capture, error) {
	return nil, fmt.Errorf("%s: %w: a summary has totals and no samples: open the capture that it was made of", in.Path,
		formats.ErrWriteOnly)
}
