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
	_ formats.Doubter   = Format{}
)

// Name is "openmetrics".
func (Format) Name() string { return "openmetrics" }

// Doc says what the format is.
func (Format) Doc() string {
	return "OpenMetrics text, samples with times for a Prometheus; written and not read (starts with # TYPE, ends with # EOF)"
}

// Extensions are its own.
func (Format) Extensions() []string { return []string{".openmetrics"} }

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

// Open fails: running sums at milliseconds are not what was measured.
func (Format) Open(_ context.Context, in *formats.Input, _ formats.Options) (*capture.Capture, error) {
	return nil, fmt.Errorf("%s: %w: its times are rounded and its counts added up: open the capture that it was made of", in.Path,
		formats.ErrWriteOnly)
}

// Doubts says where times are not those of a clock.
func (Format) Doubts(c *capture.Capture) []string {
	if !c.StartTime.IsZero() {
		return nil
	}
	return []string{"the capture does not say when it began: its times count from 1970"}
}
