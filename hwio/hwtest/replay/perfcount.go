package replay

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"sort"
	"syscall"

	"astrolabe/hwio/hwtest"
	"astrolabe/hwio/hwtest/uapi"
)

// A program that only counts may describe an event otherwise than the recorder did: alone, or to be read in another form.
// What it is told are the counts of the tape, by straight lines between the times at which they are known.

// counted is an event of a group that was counted on a processor.
type counted struct {
	group  *perfGroup
	member int
}

// countedKey is what makes an event the same for whoever opens it.
func countedKey(attr []byte, cpu uint32) string {
	s := uapi.Struct("perf_event_attr")
	const config1, config2, end = 56, 64, 72
	b := append(attr[:len(attr):len(attr)], make([]byte, max(0, end-len(attr)))...)
	return fmt.Sprintf("cpu %d: %d %#x %#x %#x, without %d %d", cpu, s.Get(attr, "type"), s.Get(attr, "config"),
		binary.LittleEndian.Uint64(b[config1:]), binary.LittleEndian.Uint64(b[config2:]), s.Get(attr, "exclude_user"),
		s.Get(attr, "exclude_kernel"))
}

// countFile is such an event, open.
type countFile struct {
	perf   *perf
	of     counted
	format uint64
	id     uint64
	on     bool
	since  int64     // of the tape, when it was enabled
	sum    [3]uint64 // what had been counted then: the count, and the time enabled and running
	zero   uint64    // the count at the last reset
}

func (f *countFile) String() string { return "[perf_event] of a count on tape" }

// count opens an event that only counts, nil where the tape has no such count.
func (p *perf) count(attr []byte, pid, cpu int) hwtest.File {
	s := uapi.Struct("perf_event_attr")
	of, ok := p.script.counted[countedKey(attr, uint32(int32(cpu)))]
	format := s.Get(attr, "read_format")
	if !ok || pid != -1 || s.Get(attr, "sample_period") != 0 || len(of.group.points) < 2 ||
		format&uint64(uapi.Const("PERF_FORMAT_GROUP")) != 0 {
		return nil
	}
	const own = 1 << 40 // behind all ids of tapes
	p.counts++
	f := &countFile{perf: p, of: of, format: format, id: own + p.counts}
	f.enable(s.Get(attr, "disabled") == 0)
	return f
}

// now is the time of the tape, which begins with the first event that is enabled.
func (p *perf) now() int64 {
	if p.countShift == 0 {
		p.countShift = hwtest.Now() - p.script.countsFrom
	}
	return hwtest.Now() - p.countShift
}

func (f *countFile) enable(on bool) {
	if on != f.on {
		f.sum, f.on = f.total(), on
		if on {
			f.since = f.perf.now()
		}
	}
}

// total is what was counted while it was enabled.
func (f *countFile) total() [3]uint64 {
	out := f.sum
	if f.on {
		was, is := f.of.at(f.since), f.of.at(f.perf.now())
		for i := range out {
			out[i] += is[i] - was[i]
		}
	}
	return out
}

// at is the count, and the time enabled and running, at a time of the tape.
func (c counted) at(t int64) (out [3]uint64) {
	points := c.group.points
	word := func(i, at int) uint64 {
		if b := points[i].data; len(b) >= at+8 {
			return binary.NativeEndian.Uint64(b[at:])
		}
		return 0
	}
	const running, first, each = 16, 24, 16
	i := sort.Search(len(points), func(i int) bool { return points[i].time > t })
	for k, at := range []int{first + each*c.member, readEnabled, running} {
		switch {
		case i == 0:
			out[k] = word(0, at)
		case i == len(points):
			out[k] = word(i-1, at)
		default:
			p, q := word(i-1, at), word(i, at)
			hi, lo := bits.Mul64(q-p, uint64(t-points[i-1].time))
			part, _ := bits.Div64(hi, lo, uint64(points[i].time-points[i-1].time))
			out[k] = p + part
		}
	}
	return out
}

// Ioctl implements hwtest.File.
func (f *countFile) Ioctl(c *hwtest.Call, request uint32, arg uint64) (int64, error) {
	f.perf.mu.Lock()
	defer f.perf.mu.Unlock()
	switch request {
	case uapi.Ioctl("PERF_EVENT_IOC_ENABLE"):
		f.enable(true)
	case uapi.Ioctl("PERF_EVENT_IOC_DISABLE"):
		f.enable(false)
	case uapi.Ioctl("PERF_EVENT_IOC_RESET"):
		f.zero = f.total()[0]
	case uapi.Ioctl("PERF_EVENT_IOC_ID"):
		return 0, written(c, arg, le.AppendUint64(nil, f.id))
	default:
		return 0, syscall.EINVAL
	}
	return 0, nil
}

// Read implements hwtest.File.
func (f *countFile) Read(_ *hwtest.Call, n int) ([]byte, error) {
	f.perf.mu.Lock()
	defer f.perf.mu.Unlock()
	t := f.total()
	out := binary.NativeEndian.AppendUint64(nil, t[0]-f.zero)
	for _, part := range []struct {
		name  string
		value uint64
	}{{"TOTAL_TIME_ENABLED", t[1]}, {"TOTAL_TIME_RUNNING", t[2]}, {"ID", f.id}, {"LOST", 0}} {
		if f.format&uint64(uapi.Const("PERF_FORMAT_"+part.name)) != 0 {
			out = binary.NativeEndian.AppendUint64(out, part.value)
		}
	}
	if len(out) > n {
		return nil, syscall.ENOSPC
	}
	return out, nil
}

// Close implements hwtest.File.
func (*countFile) Close() {}
