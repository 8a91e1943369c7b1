package perfevent

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// groupSize is the length of a read of n events with PERF_FORMAT_GROUP, ID and both times: a header of three words,
// then value and id of each.
func groupSize(n int) int { return 24 + 16*n }

// times are how long a group was enabled and how long it was really counting, in ns.
type times struct{ enabled, running uint64 }

func (t times) plus(o times) times { return times{t.enabled + o.enabled, t.running + o.running} }

// errTakenApart is the error of reading a group from which the kernel has taken events. It does so when a CPU goes offline,
// and does not put them back when it comes online again.
var errTakenApart = errors.New("the kernel has taken it apart")

// decodeGroup reads the values of the events with the given ids from a group read. The layout is struct read_format of
// linux/perf_event.h, in the machine's byte order.
func decodeGroup(buf []byte, ids, values []uint64) (times, error) {
	if len(buf) < groupSize(0) {
		return times{}, fmt.Errorf("group read of %d bytes, expected %d", len(buf), groupSize(len(ids)))
	}
	nr := binary.NativeEndian.Uint64(buf)
	if nr < uint64(len(ids)) && len(buf) == groupSize(int(nr)) {
		return times{}, fmt.Errorf("group read of %d events, expected %d: %w", nr, len(ids), errTakenApart)
	}
	if nr != uint64(len(ids)) || len(buf) < groupSize(len(ids)) {
		return times{}, fmt.Errorf("group read of %d bytes holds %d events, expected %d", len(buf), nr, len(ids))
	}
	t := times{binary.NativeEndian.Uint64(buf[8:]), binary.NativeEndian.Uint64(buf[16:])}
	for i, id := range ids {
		at := 24 + 16*i
		if binary.NativeEndian.Uint64(buf[at+8:]) != id {
			// Members come in the order they were opened; should a kernel differ, the id still finds the value.
			at = findID(buf, len(ids), id)
			if at < 0 {
				return times{}, fmt.Errorf("group read lacks the event with id %d", id)
			}
		}
		values[i] = binary.NativeEndian.Uint64(buf[at:])
	}
	return t, nil
}

func findID(buf []byte, n int, id uint64) int {
	for k := range n {
		if at := 24 + 16*k; binary.NativeEndian.Uint64(buf[at+8:]) == id {
			return at
		}
	}
	return -1
}

// decodeSingle reads a single event without PERF_FORMAT_GROUP: value, both times, id.
func decodeSingle(buf []byte, values []uint64) (times, error) {
	if len(buf) < 32 {
		return times{}, fmt.Errorf("event read of %d bytes, expected 32", len(buf))
	}
	values[0] = binary.NativeEndian.Uint64(buf)
	return times{binary.NativeEndian.Uint64(buf[8:]), binary.NativeEndian.Uint64(buf[16:])}, nil
}
