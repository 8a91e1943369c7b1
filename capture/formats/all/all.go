// Package all is the registry of every file format that astrolabe reads or writes.
package all

import (
	"astrolabe/capture/formats"
	"astrolabe/capture/formats/arrow"
	"astrolabe/capture/formats/chrometrace"
	"astrolabe/capture/formats/csv"
	"astrolabe/capture/formats/gpa"
	"astrolabe/capture/formats/i915perf"
	"astrolabe/capture/formats/oadump"
	"astrolabe/capture/formats/openmetrics"
	"astrolabe/capture/formats/parquet"
	"astrolabe/capture/formats/perfetto"
	"astrolabe/capture/formats/perfstat"
	"astrolabe/capture/formats/rocprofcompute"
	"astrolabe/capture/formats/rocprofv3"
)

// Registry returns all formats, the native one first.
func Registry() *formats.Registry {
	return formats.NewRegistry(arrow.Format{}, i915perf.Format{}, rocprofcompute.Format{}, rocprofv3.Format{},
		gpa.Format{}, csv.Format{}, oadump.Format{},
		parquet.Format{}, perfetto.Format{}, perfstat.Format{}, chrometrace.Format{}, openmetrics.Format{})
}
