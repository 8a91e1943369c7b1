package openmetrics

import (
	"bytes"
	"context"
	"fmt"

	"astrolabe/capture"
	"astrolabe/capture/formats"
)

// Format is the OpenMetrics text format, for writing. Its zero value is ready for use.
type Format struct{}

var (
	_ formats.Writer    = Format{}
	_ formats.Explainer = Format{}
)

// Name is "openmetrics".
func (Format) Name() string { return "openmetrics" }

// Doc says what the format is.
func (Format) Doc() string {
	return "OpenMetrics text, a summary written for Prometheus and not read (starts with # TYPE, ends with # EOF)"
}

// Extensions are those that exporters of text files use.
func (Format) Extensions() []string { return []string{".openmetrics", ".prom"} }

// Sniff knows the format, so that Open can say that it is not read.
func (Format) Sniff(in *formats.Input) int {
	if !in.IsDir && bytes.HasPrefix(in.Head, []byte("# TYPE ")) {
		return 97
	}
	return 0
}

// WhyNot says what is missing.
func (Format) WhyNot(in *formats.Input) string {
	if in.IsDir {
		return "it is a folder"
	}
	return "it does not start with # TYPE"
}

// Open fails: a summary has no samples.
func (Format) Open(_ context.Context, in *formats.Input, _ formats.Options) (*capture.Capture, error) {
	return nil, fmt.Errorf("%s: %w: a summary has totals and no samples: open the capture that it was made of", in.Path,
		formats.ErrWriteOnly)
}
