package chrometrace

import (
	"bytes"
	"context"
	"fmt"
	"math"

	"astrolabe/capture"
	"astrolabe/capture/formats"
)

// Format is the Chrome trace format, for writing. Its zero value is ready for use.
type Format struct{}

var (
	_ formats.Writer    = Format{}
	_ formats.Explainer = Format{}
	_ formats.Doubter   = Format{}
)

// Name is "chrometrace".
func (Format) Name() string { return "chrometrace" }

// Doc says what the format is.
func (Format) Doc() string {
	return "a Chrome trace in JSON, written for chrome://tracing, Perfetto and speedscope and not read"
}

// Extensions are those of JSON.
func (Format) Extensions() []string { return []string{".json"} }

// Sniff knows a Chrome trace, so that Open can say that it is not read.
func (Format) Sniff(in *formats.Input) int {
	head := bytes.TrimSpace(in.Head)
	if !in.IsDir && bytes.HasPrefix(head, []byte("{")) && bytes.Contains(head, []byte(`"traceEvents"`)) {
		return 60
	}
	return 0
}

// WhyNot says what is missing.
func (Format) WhyNot(in *formats.Input) string {
	if in.IsDir {
		return "it is a folder"
	}
	return "it is no JSON object with \"traceEvents\""
}

// Open fails: a Chrome trace says neither what its counters count nor how long their samples are.
func (Format) Open(_ context.Context, in *formats.Input, _ formats.Options) (*capture.Capture, error) {
	return nil, fmt.Errorf(
		"%s: %w: a Chrome trace says nothing about kinds and units: keep the capture itself, or record a Perfetto trace",
		in.Path, formats.ErrWriteOnly)
}

// Doubts says which values viewers do not show as they are.
func (Format) Doubts(c *capture.Capture) []string {
	var out []string
	for _, whole := range c.Counters {
		for _, ctr := range append([]*capture.Counter{whole}, whole.Instances...) {
			if ctr.Col == nil {
				continue
			}
			d := ctr.Col.Data()
			big, infinite := false, false
			for _, u := range d.U {
				big = big || u > 1<<53
			}
			for _, f := range d.F {
				infinite = infinite || math.IsInf(f, 0)
			}
			if big {
				out = append(out, fmt.Sprintf("counter %s has values beyond 2^53, which viewers of Chrome traces round",
					ctr.Name))
			}
			if infinite {
				out = append(out,
					fmt.Sprintf("counter %s has infinite values, which JSON cannot hold: they are left out", ctr.Name))
			}
		}
	}
	return out
}
