package hwio

import (
	"fmt"

	"astrolabe/capture"
)

// Memory is a Sink that keeps a recording in memory and makes a Capture of it. It suits short recordings; a long one
// belongs in a file, which is mapped and not loaded.
type Memory struct {
	all         *capture.Collector
	row         int64 // bytes of a sample
	used, limit int64
}

var _ Sink = (*Memory)(nil)

// NewMemory returns an empty recording that takes at most limit bytes of samples.
func NewMemory(schema *capture.Schema, limit int64) *Memory {
	own := *schema
	return &Memory{all: capture.NewCollector(&own), row: int64(8*(2+len(schema.Columns)) + 4*len(schema.Labels)),
		limit: limit}
}

// Write appends the batch.
func (m *Memory) Write(b *capture.Batch) error {
	n := int64(b.Len()) * m.row
	if m.used+n > m.limit {
		return fmt.Errorf("the recording needs more than %d MiB of memory: record to a file", m.limit>>20)
	}
	m.used += n
	m.all.Add(b)
	return nil
}

// Close does nothing: the samples stay.
func (m *Memory) Close() error { return nil }

// Capture returns what was recorded. It may be called once, after the recording.
func (m *Memory) Capture() (*capture.Capture, error) {
	return capture.New(m.all.Config("CLOCK_MONOTONIC"))
}
