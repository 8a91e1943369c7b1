package documents

import (
	"slices"

	"astrolabe/plots/canvas"
)

// What the written forms of a report have in common: Markdown (mdreport.go), HTML (html.go) and JSON (jsonreport.go).
// They come in the order of need: findings with their evidence, what was drawn and tabulated, the thresholds, how to
// make the report again, and what it was made from.

const reproduceTitle = "How to reproduce"

// thresholds lists what the findings were compared with, each once, in the order of the findings.
func (r *Report) thresholds() []KV {
	var out []KV
	for _, f := range r.Findings() {
		if f.Threshold == "" {
			continue
		}
		name := f.Metric
		if name == "" {
			name = f.ID
		}
		if kv := (KV{name, f.Threshold}); !slices.Contains(out, kv) {
			out = append(out, kv)
		}
	}
	return out
}

// headline is what a finding is called where it has several names.
func (f Finding) headline() string {
	for _, s := range []string{f.Title, f.ID, f.Metric} {
		if s != "" {
			return canvas.Printable(s)
		}
	}
	return "finding"
}
