package perfevent

import (
	"encoding/binary"
	"fmt"
)

// sampleRecord is a record of what a group counted up to a time.
type sampleRecord struct {
	id       uint64 // of the group's leader
	time     int64  // ns of CLOCK_MONOTONIC
	pid, tid uint32 // of a task's events
	stream   uint64 // of a task's events: tells what each task counts from what the others do
	values   []byte // as a read of the group gives them
}

// decodeSample reads a PERF_RECORD_SAMPLE of events that were opened with attr.period; task says that with attr.task.
func decodeSample(body []byte, task bool) (r sampleRecord, err error) {
	need := 16
	if task {
		need = 32
	}
	if len(body) < need {
		return r, fmt.Errorf("a sample of %d bytes, expected at least %d", len(body), need)
	}
	word := func() uint64 {
		v := binary.NativeEndian.Uint64(body)
		body = body[8:]
		return v
	}
	r.id = word()
	if task {
		r.pid, r.tid = binary.NativeEndian.Uint32(body), binary.NativeEndian.Uint32(body[4:])
		body = body[8:]
	}
	r.time = int64(word())
	if task {
		r.stream = word()
	}
	r.values = body
	return r, nil
}

// decodeLost reads how many records found no room from a PERF_RECORD_LOST or PERF_RECORD_LOST_SAMPLES.
func decodeLost(kind uint32, body []byte) uint64 {
	if kind == recordLost && len(body) >= 8 {
		body = body[8:] // the id of the event that was told of it
	}
	if len(body) < 8 {
		return 0
	}
	return binary.NativeEndian.Uint64(body)
}
