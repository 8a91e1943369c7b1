package replay

import (
	"encoding/binary"
	"fmt"
	"slices"
	"sync"
	"syscall"

	"astrolabe/hwio/hwtest"
	"astrolabe/hwio/hwtest/uapi"
	"astrolabe/hwio/internal/tape"
)

// Drivers of GPUs whose OA units write reports have requests of their own form: answers of more than one buffer, chains
// of structures, and a descriptor that reports are read from.

// oaFile is an open node of such a driver.
type oaFile struct {
	machine *Machine
	played  *tape.Played
	events  []*tape.Event // requests of all openings of the node
	clock   *gpuClock
}

// asked says that a request was made of a node.
func (r *Machine) asked(path, request string) bool {
	return slices.ContainsFunc(r.requests(path), func(e *tape.Event) bool { return e.Code == code(uapi.Ioctl(request)) })
}

// requests are those of all openings of a node.
func (r *Machine) requests(path string) []*tape.Event {
	opened := map[int]bool{}
	var out []*tape.Event
	for i := range r.events {
		switch e := &r.events[i]; {
		case e.Kind == tape.Open && e.Path == path && e.Errno == 0:
			opened[e.Device] = true
		case e.Kind == tape.Request && opened[e.Device]:
			out = append(out, e)
		}
	}
	return out
}

var le = binary.LittleEndian

// Ioctl implements hwtest.File.
func (f *oaFile) Ioctl(c *hwtest.Call, request uint32, arg uint64) (int64, error) {
	b := make([]byte, request>>16&0x3fff)
	if err := c.Read(arg, b); err != nil {
		return 0, syscall.EFAULT
	}
	switch request {
	case uapi.Ioctl("DRM_IOCTL_I915_GETPARAM"):
		return f.param(c, request, b)
	case uapi.Ioctl("DRM_IOCTL_I915_QUERY"):
		return 0, f.items(c, request, b)
	case uapi.Ioctl("DRM_IOCTL_I915_REG_READ"):
		return f.register(c, request, b, arg)
	case uapi.Ioctl("DRM_IOCTL_I915_PERF_ADD_CONFIG"):
		return f.lists(c, request, b)
	case uapi.Ioctl("DRM_IOCTL_I915_PERF_REMOVE_CONFIG"):
		return f.value(request, b, nil)
	case uapi.Ioctl("DRM_IOCTL_I915_PERF_OPEN"):
		return f.openPairs(c, request, b)
	case uapi.Ioctl("DRM_IOCTL_XE_DEVICE_QUERY"):
		return 0, f.deviceQuery(c, request, b, arg)
	case uapi.Ioctl("DRM_IOCTL_XE_OBSERVATION"):
		return f.observation(c, request, b)
	}
	return 0, f.machine.unknown(request, b)
}

// unknown notes a request that the tape has no answer to.
func (r *Machine) unknown(request uint32, in []byte) error {
	r.count(func(t *Truth) {
		if len(t.Unknown) < 100 {
			t.Unknown = append(t.Unknown, fmt.Sprintf("%s with % x", code(request), in))
		}
	})
	return syscall.ENOTTY
}

// ask finds the answer to a question.
func (f *oaFile) ask(request uint32, in, buf []byte) (*tape.Event, *tape.Played, error) {
	if _, _, ok := f.played.Ask(code(request), in, buf); !ok {
		return nil, nil, f.machine.unknown(request, slices.Concat(in, buf))
	}
	f.machine.count(func(t *Truth) { t.Answered++ })
	return f.played.Request(request, in, buf)
}

// value answers a request whose answer is its result.
func (f *oaFile) value(request uint32, in, buf []byte) (int64, error) {
	e, _, err := f.ask(request, in, buf)
	if err != nil {
		return 0, err
	}
	return e.Value, nil
}

func (f *oaFile) param(c *hwtest.Call, request uint32, b []byte) (int64, error) {
	in := slices.Concat(b[:4], make([]byte, 12)) // what lies between the parameter and the address is nothing
	e, _, err := f.ask(request, in, nil)
	if err != nil {
		return 0, err
	}
	return e.Value, written(c, le.Uint64(b[8:]), e.BufOut)
}

func written(c *hwtest.Call, at uint64, b []byte) error {
	if c.Write(at, b) != nil {
		return syscall.EFAULT
	}
	return nil
}

// items answers a list of questions. What is wrong with one is told as its negative length.
func (f *oaFile) items(c *hwtest.Call, request uint32, b []byte) error {
	l := uapi.Struct("drm_i915_query_item")
	one := slices.Concat(le.AppendUint32(nil, 1), make([]byte, 12))
	for i := range min(uint64(le.Uint32(b)), 64) {
		at := le.Uint64(b[8:]) + i*uint64(l.Size)
		item := make([]byte, l.Size)
		if c.Read(at, item) != nil {
			return syscall.EFAULT
		}
		asked := slices.Clone(item)
		length := int32(l.Get(item, "length"))
		l.Set(asked, "length", 0)
		l.Set(asked, "data_ptr", 0)
		e, _, err := f.ask(request, one, asked)
		n := int32(0)
		switch {
		case e == nil:
			n = -int32(syscall.EINVAL)
		case err != nil:
			n = -int32(e.Errno)
		case length == 0:
			n = int32(len(e.BufOut))
		case int(length) < len(e.BufOut):
			n = -int32(syscall.EINVAL)
		default:
			n = int32(len(e.BufOut))
			if err := written(c, l.Get(item, "data_ptr"), e.BufOut); err != nil {
				return err
			}
		}
		if err := written(c, at+uint64(l.Field("length").Offset), le.AppendUint32(nil, uint32(n))); err != nil {
			return err
		}
	}
	return nil
}

// register answers with the GPU's clock as it would stand now.
func (f *oaFile) register(c *hwtest.Call, request uint32, b []byte, arg uint64) (int64, error) {
	e, _, err := f.ask(request, slices.Concat(b[:8], make([]byte, 8)), nil)
	switch {
	case err != nil:
		return 0, err
	case len(e.Out) != 16:
		return 0, syscall.EINVAL
	}
	ticks := f.clock.ticks(hwtest.Now(), le.Uint64(e.Out[8:]))
	return e.Value, written(c, arg+8, le.AppendUint64(nil, ticks))
}

// maxRegisters bounds the registers of a metric set.
const maxRegisters = 1 << 16

// lists answers a metric set, whose registers are in three lists.
func (f *oaFile) lists(c *hwtest.Call, request uint32, b []byte) (int64, error) {
	var registers []byte
	for i := range 3 {
		n, at := le.Uint32(b[36+4*i:]), le.Uint64(b[48+8*i:])
		list := make([]byte, 8*min(n, maxRegisters))
		if c.Read(at, list) != nil {
			return 0, syscall.EFAULT
		}
		registers = append(registers, list...)
	}
	clear(b[48:])
	return f.value(request, b, registers)
}

// openPairs opens a stream by pairs of a property and its value. How its descriptor behaves, and whether the program
// starts it at once or later, is the program's own matter.
func (f *oaFile) openPairs(c *hwtest.Call, request uint32, b []byte) (int64, error) {
	pairs := make([]byte, 16*min(le.Uint32(b[4:]), 64))
	if c.Read(le.Uint64(b[8:]), pairs) != nil {
		return 0, syscall.EFAULT
	}
	const own = 1 | 2 | 4 // close it at an exec, do not wait, do not start
	flags := le.Uint32(b)
	for _, e := range f.events {
		if e.Code == code(request) && len(e.In) == len(b) && le.Uint32(e.In)&^own == flags&^own {
			return f.open(c, request, slices.Concat(e.In[:4], b[4:8], make([]byte, 8)), pairs, flags&1 != 0, flags&2 != 0,
				flags&4 == 0)
		}
	}
	return 0, f.machine.unknown(request, slices.Concat(b, pairs))
}

// deviceQuery answers a question in two steps: how long the answer is, and the answer.
func (f *oaFile) deviceQuery(c *hwtest.Call, request uint32, b []byte, arg uint64) error {
	id, size, data := le.Uint32(b[8:]), le.Uint32(b[12:]), le.Uint64(b[16:])
	clear(b[16:24])
	if int64(id) == uapi.Const("DRM_XE_DEVICE_QUERY_ENGINE_CYCLES") {
		return f.cycles(c, request, b, size, data, arg)
	}
	le.PutUint32(b[12:], 0)
	e, _, err := f.ask(request, b, nil)
	switch {
	case err != nil:
		return err
	case size == 0:
		return written(c, arg+12, le.AppendUint32(nil, uint32(len(e.BufOut))))
	case int(size) != len(e.BufOut):
		return syscall.EINVAL
	}
	return written(c, data, e.BufOut)
}

// cycles answers with an engine's clock and the CPU's, as they would stand now.
func (f *oaFile) cycles(c *hwtest.Call, request uint32, b []byte, size uint32, data, arg uint64) error {
	l := uapi.Struct("drm_xe_query_engine_cycles")
	if size == 0 {
		return written(c, arg+12, le.AppendUint32(nil, uint32(l.Size)))
	}
	asked := make([]byte, l.Size)
	if int(size) != l.Size || c.Read(data, asked) != nil {
		return syscall.EINVAL
	}
	clear(asked[12:]) // behind the engine and the kind of clock
	e, _, err := f.ask(request, b, asked)
	switch {
	case err != nil:
		return err
	case len(e.BufOut) != l.Size:
		return syscall.EINVAL
	}
	out, now := slices.Clone([]byte(e.BufOut)), hwtest.Now()
	l.Set(out, "engine_cycles", f.clock.ticks(now, l.Get(out, "engine_cycles")))
	l.Set(out, "cpu_timestamp", uint64(now)-l.Get(out, "cpu_delta")/2)
	return written(c, data, out)
}

// observation answers a request of the observation interface.
func (f *oaFile) observation(c *hwtest.Call, request uint32, b []byte) (int64, error) {
	op, at := int64(le.Uint64(b[16:])), le.Uint64(b[24:])
	clear(b[24:])
	switch op {
	case uapi.Const("DRM_XE_OBSERVATION_OP_STREAM_OPEN"):
		properties, err := chain(c, at)
		if err != nil {
			return 0, err
		}
		return f.open(c, request, b, properties, false, false, !disabled(properties))
	case uapi.Const("DRM_XE_OBSERVATION_OP_ADD_CONFIG"):
		config := make([]byte, uapi.Struct("drm_xe_oa_config").Size)
		if c.Read(at, config) != nil {
			return 0, syscall.EFAULT
		}
		list := make([]byte, 8*min(le.Uint32(config[44:]), maxRegisters))
		if c.Read(le.Uint64(config[48:]), list) != nil {
			return 0, syscall.EFAULT
		}
		clear(config[48:])
		return f.value(request, b, append(config, list...))
	case uapi.Const("DRM_XE_OBSERVATION_OP_REMOVE_CONFIG"):
		id := make([]byte, 8)
		if c.Read(at, id) != nil {
			return 0, syscall.EFAULT
		}
		return f.value(request, b, id)
	}
	return 0, f.machine.unknown(request, b)
}

// chain reads properties that are linked, without the addresses that link them.
func chain(c *hwtest.Call, at uint64) ([]byte, error) {
	var out []byte
	for range 64 {
		if at == 0 {
			return out, nil
		}
		p := make([]byte, uapi.Struct("drm_xe_ext_set_property").Size)
		if c.Read(at, p) != nil {
			return nil, syscall.EFAULT
		}
		at = le.Uint64(p)
		clear(p[:8])
		out = append(out, p...)
	}
	return nil, syscall.E2BIG
}

// disabled says whether a stream is opened stopped.
func disabled(properties []byte) bool {
	l := uapi.Struct("drm_xe_ext_set_property")
	for p := properties; len(p) >= l.Size; p = p[l.Size:] {
		if int64(l.Get(p, "property")) == uapi.Const("DRM_XE_OA_PROPERTY_OA_DISABLED") && l.Get(p, "value") != 0 {
			return true
		}
	}
	return false
}

// open opens a stream, from which on the time of the tape runs.
func (f *oaFile) open(c *hwtest.Call, request uint32, in, buf []byte, cloexec, nonblock, started bool) (int64, error) {
	e, made, err := f.ask(request, in, buf)
	if err != nil {
		return 0, err
	}
	f.clock.begin(hwtest.Now(), e.Time)
	records := request == uapi.Ioctl("DRM_IOCTL_I915_PERF_OPEN")
	return c.Install(newReports(f.machine, made, f.clock, records, started), cloexec, nonblock)
}

func (*oaFile) Read(*hwtest.Call, int) ([]byte, error) { return nil, syscall.EAGAIN }
func (*oaFile) Close()                                 {}

// gpuClock is the GPU's clock, which goes on from where it was on the tape.
type gpuClock struct {
	mu     sync.Mutex
	offset int64 // of the real time, less that of the tape
	begun  bool
	a, b   reading // of the tape, as far apart as there are
}

// reading is what the clock showed at a time of the tape.
type reading struct {
	at, took int64
	ticks    uint64
}

// clockOf finds the readings of a clock on the tape: the quickest of the first ones, and of the last ones.
func clockOf(about int64, events []*tape.Event) *gpuClock {
	var all []reading
	for _, e := range events {
		r := reading{at: e.Time - e.Took/2, took: e.Took}
		switch {
		case e.Errno != 0:
			continue
		case e.Code == code(uapi.Ioctl("DRM_IOCTL_I915_REG_READ")) && len(e.Out) == 16:
			r.ticks = le.Uint64(e.Out[8:])
		case e.Code == code(uapi.Ioctl("DRM_IOCTL_XE_DEVICE_QUERY")) && len(e.BufIn) > 0 && len(e.BufOut) == 40:
			r.ticks, r.took = le.Uint64(e.BufOut[16:]), int64(le.Uint64(e.BufOut[32:]))
			r.at = int64(le.Uint64(e.BufOut[24:])) + r.took/2 - about
		default:
			continue
		}
		if n := len(all); n > 0 && r.ticks < all[n-1].ticks {
			break // it has wrapped: what is behind is on another line
		}
		all = append(all, r)
	}
	c := &gpuClock{}
	if len(all) > 0 {
		const few = 5
		quickest := func(list []reading) reading {
			return slices.MinFunc(list, func(x, y reading) int { return int(min(max(x.took-y.took, -1), 1)) })
		}
		c.a, c.b = quickest(all[:min(few, len(all))]), quickest(all[max(0, len(all)-few):])
	}
	return c
}

// begin has the time of the tape run from a place on it.
func (c *gpuClock) begin(now, at int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.offset, c.begun = now-at, true
}

// tapeTime is the place on the tape at a real time.
func (c *gpuClock) tapeTime(now int64) int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return now - c.offset
}

// ticks is what the clock would show at a time; was is what it showed on the tape, where that tells nothing of its
// rate.
func (c *gpuClock) ticks(now int64, was uint64) uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.begun || c.b.at <= c.a.at || c.b.ticks <= c.a.ticks {
		return was
	}
	rate := float64(c.b.ticks-c.a.ticks) / float64(c.b.at-c.a.at)
	return uint64(int64(c.a.ticks) + int64(rate*float64(now-c.offset-c.a.at)))
}
