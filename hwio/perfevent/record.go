package perfevent

import (
	"encoding/binary"
	"fmt"
)

// sampleRecord is a record of what a group counted up to a time.
type sampleRecord struct {
	id     uint64 // of the group's leader
	time   int64  // ns of CLOCK_MONOTONIC
	values []byte // as a read of the group gives them
}

// decodeSample reads a PERF_RECORD_SAMPLE of events that were opened with attr.period.
func decodeSample(body []byte) (sampleRecord, error) {
	if len(body) < 16 {
		return sampleRecord{}, fmt.Errorf("a sample of %d bytes, expected at least 16", len(body))
	}
	id, at := binary.NativeEndian.Uint64(body), binary.NativeEndian.Uint64(body[8:])
	return sampleRecord{id, int64(at), body[16:]}, nil
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

// decodeThrottle reads the id of the event from a PERF_RECORD_THROTTLE or PERF_RECORD_UNTHROTTLE, 0 where it is too short to have one.
func decodeThrottle(body []byte) uint64 {
	if len(body) < 16 {
		return 0
	}
	return binary.NativeEndian.Uint64(body[8:])
}
