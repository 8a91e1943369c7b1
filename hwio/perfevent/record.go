package perfevent

import (
	"encoding/binary"
	"fmt"
)

// sampleRecord is a record of what a group counted up to a time.
type sampleRecord struct {
	id     uint64 // of the clock that sampled
	idle   bool   // the CPU had nothing to do
	time   int64  // ns of CLOCK_MONOTONIC
	stream uint64 // of tasks: the copy of the clock that the task has inherited
	values []byte // as a read of the group gives them
}

// sampleWords is the most words of a sample before its values.
const sampleWords = 4

// decodeSample reads a PERF_RECORD_SAMPLE of events that were opened with attr.period, of tasks or of whole processors.
func decodeSample(body []byte, ofTasks bool) (sampleRecord, error) {
	n := 3
	if ofTasks {
		n = sampleWords
	}
	if len(body) < 8*n {
		return sampleRecord{}, fmt.Errorf("a sample of %d bytes, expected at least %d", len(body), 8*n)
	}
	word := func(i int) uint64 { return binary.NativeEndian.Uint64(body[8*i:]) }
	// The second word is process and thread, both 0 of the task that runs where there is no other.
	r := sampleRecord{id: word(0), idle: word(1) == 0, time: int64(word(2)), values: body[8*n:]}
	if ofTasks {
		r.stream = word(3)
	}
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

// decodeThrottle reads the id of the event from a PERF_RECORD_THROTTLE or PERF_RECORD_UNTHROTTLE, 0 where it is too
// short to have one.
func decodeThrottle(body []byte) uint64 {
	if len(body) < 16 {
		return 0
	}
	return binary.NativeEndian.Uint64(body[8:])
}
