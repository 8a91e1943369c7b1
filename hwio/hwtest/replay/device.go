package replay

import (
	"encoding/binary"
	"fmt"
	"slices"
	"sync"
	"syscall"
	"time"

	"astrolabe/hwio/hwtest"
	"astrolabe/hwio/hwtest/uapi"
	"astrolabe/hwio/internal/tape"
)

// node is a device node.
type node struct {
	machine *Machine
	path    string
	clock   *gpuClock // of a GPU with OA units, nil of others
	info    bool      // of AMD's driver
}

func (n *node) Open(*hwtest.Call, int) (hwtest.File, error) {
	d, err := n.machine.player.Open(n.path)
	if err != nil {
		return nil, err
	}
	if n.info {
		return &infoFile{n.machine, d}, nil
	}
	if n.clock != nil {
		return &oaFile{machine: n.machine, played: d, events: n.machine.requests(n.path), clock: n.clock}, nil
	}
	return &file{machine: n.machine, played: d, last: -1}, nil
}

// Requests that begin, end or ask for samples of the older interface of Arm's driver, which the current header no longer
// has.
const (
	readerDump      = 0x4004BE10
	readerClear     = 0x4004BE11
	readerInterval  = 0x4004BE30
	readerGet       = 0x8010BE20
	readerGetCycles = 0x8020BE20
)

// commands are requests that a program makes of itself, and on which what it is told later depends.
func commands() []uint32 {
	return []uint32{uapi.Ioctl("KBASE_IOCTL_KINSTR_PRFCNT_CMD"), readerDump, readerClear, readerInterval}
}

func code(request uint32) string { return fmt.Sprintf("%#08x", request) }

// begins says that a command starts periodic sampling. All others end it, or ask for a sample that is then there at once.
func begins(e *tape.Event) bool {
	switch e.Code {
	case code(readerInterval):
		return slices.ContainsFunc(e.In, func(b byte) bool { return b != 0 })
	case code(uapi.Ioctl("KBASE_IOCTL_KINSTR_PRFCNT_CMD")):
		return len(e.In) > 1 && int64(binary.LittleEndian.Uint16(e.In)) == uapi.Const("PRFCNT_CONTROL_CMD_START")
	}
	return false
}

// file is an open device, or a descriptor that one of its requests made.
type file struct {
	machine *Machine
	played  *tape.Played

	mu      sync.Mutex
	mapping []byte
	ready   *hwtest.Readiness
	began   int64 // real time of the last command, 0 before the first
	since   int64 // the same on the tape
	prompt  bool  // the last command is one after which samples are there at once
	shift   int64 // of stamps
	last    int   // position on the tape of the last command that was asked for, -1 before
	ended   bool
}

// Ioctl answers a request.
func (f *file) Ioctl(c *hwtest.Call, request uint32, arg uint64) (int64, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.isSample(request) {
		return f.sample(c, request, arg)
	}
	e, made, err := f.find(c, request, arg)
	if err != nil {
		return 0, err
	}
	if slices.Contains(commands(), request) {
		f.command(e)
	}
	if e.Errno != 0 {
		// What a driver wrote before it failed matters to a handshake.
		_ = f.write(c, e, arg)
		return 0, syscall.Errno(e.Errno)
	}
	if made == 0 {
		return e.Value, f.write(c, e, arg)
	}
	if err := f.write(c, e, arg); err != nil {
		return 0, err
	}
	child := &file{machine: f.machine, played: f.machine.player.Made(made), last: -1}
	child.mapping = make([]byte, min(max(child.played.Mapping(), 0), 256<<20))
	fd, err := c.Install(child, true, false)
	if err != nil || e.Value != 0 {
		return fd, err
	}
	// Where the result says nothing, the number stands behind all else.
	return 0, c.Write(arg+uint64(len(e.In))-4, binary.LittleEndian.AppendUint32(nil, uint32(fd)))
}

// find finds the answer on the tape: the one to the same question.
func (f *file) find(c *hwtest.Call, request uint32, arg uint64) (e *tape.Event, made int, err error) {
	size := int(request >> 16 & 0x3fff)
	in := make([]byte, size)
	readable := c.Read(arg, in) == nil
	for _, form := range f.machine.forms(code(request)) {
		own := slices.Clone(in)
		var buf []byte
		switch {
		case form.plain:
			own = binary.LittleEndian.AppendUint32(nil, uint32(arg))
		case !readable || form.size != size || form.pointer >= 0 && form.pointer+8 > size:
			continue
		case form.pointer >= 0:
			at := binary.LittleEndian.Uint64(own[form.pointer:])
			clear(own[form.pointer : form.pointer+8])
			if buf = make([]byte, form.buffer); c.Read(at, buf) != nil {
				continue
			}
		}
		if e, made, ok := f.played.Ask(code(request), own, buf); ok && (e.Pointer > 0) == (form.pointer >= 0) {
			f.machine.count(func(t *Truth) { t.Answered++ })
			return e, made, nil
		}
	}
	if e := f.machine.told(code(request)); e != nil {
		return e, 0, nil
	}
	f.machine.count(func(t *Truth) {
		if what := fmt.Sprintf("%s with % x", code(request), in); len(t.Unknown) < 100 {
			t.Unknown = append(t.Unknown, what)
		}
	})
	return nil, 0, syscall.ENOTTY
}

// form is how a request of a number stands on the tape.
type form struct {
	plain         bool
	size, pointer int // the structure's; where in it the address of a buffer stands, -1 nowhere
	buffer        int // bytes that are handed over there
}

func (r *Machine) forms(code string) []form {
	var out []form
	for i := range r.events {
		e := &r.events[i]
		if x := (form{e.Plain, len(e.In), e.Pointer - 1, len(e.BufIn)}); e.Kind == tape.Request && e.Code == code &&
			!slices.Contains(out, x) {
			out = append(out, x)
		}
	}
	return out
}

// told is a request that a driver was only told something by, such as that a sample was read: what exactly, which may be a
// stamp, does not matter. It is nil where the driver ever answered more than that it had heard.
func (r *Machine) told(code string) *tape.Event {
	var out *tape.Event
	for i := range r.events {
		e := &r.events[i]
		if e.Kind != tape.Request || e.Code != code {
			continue
		}
		if e.Errno != 0 || e.Value != 0 || e.Out != nil || e.BufOut != nil || e.New != 0 || e.Plain {
			return nil
		}
		out = e
	}
	return out
}

func (r *Machine) count(f func(*Truth)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f(&r.truth)
}

// write hands an answer over. The address of a buffer stays the program's.
func (f *file) write(c *hwtest.Call, e *tape.Event, arg uint64) error {
	if e.Plain {
		return nil
	}
	if e.BufOut != nil && e.Pointer > 0 {
		var at [8]byte
		if err := c.Read(arg+uint64(e.Pointer-1), at[:]); err != nil {
			return err
		}
		if err := c.Write(binary.LittleEndian.Uint64(at[:]), e.BufOut); err != nil {
			return err
		}
	}
	if e.Out == nil {
		return nil
	}
	if at := e.Pointer - 1; at >= 0 && at+8 <= len(e.Out) {
		if err := c.Write(arg, e.Out[:at]); err != nil {
			return err
		}
		return c.Write(arg+uint64(at)+8, e.Out[at+8:])
	}
	return c.Write(arg, e.Out)
}

// isSample says that a request fetches what was counted.
func (f *file) isSample(request uint32) bool {
	switch request {
	case uapi.Ioctl("KBASE_IOCTL_KINSTR_PRFCNT_GET_SAMPLE"), readerGet, readerGetCycles,
		uapi.Ioctl("DRM_IOCTL_PANFROST_PERFCNT_DUMP"):
		return true
	}
	return false
}

// sample answers a request for the next sample.
func (f *file) sample(c *hwtest.Call, request uint32, arg uint64) (int64, error) {
	if request == uapi.Ioctl("DRM_IOCTL_PANFROST_PERFCNT_DUMP") {
		e, ok := f.played.Next(func(e *tape.Event) bool { return e.Code == code(request) })
		if !ok {
			return 0, syscall.ENODEV // the recording is over
		}
		f.machine.count(func(t *Truth) { t.Samples++ })
		if e.Errno != 0 {
			return 0, syscall.Errno(e.Errno)
		}
		return e.Value, f.write(c, e, arg)
	}
	e, wait := f.due()
	switch {
	case e == nil || wait > 0:
		f.signal()
		if request == uapi.Ioctl("KBASE_IOCTL_KINSTR_PRFCNT_GET_SAMPLE") {
			return 0, syscall.EINVAL
		}
		return 0, syscall.EAGAIN
	case e.Code != code(request):
		return 0, syscall.EINVAL
	}
	f.played.Next(func(x *tape.Event) bool { return x == e })
	f.machine.count(func(t *Truth) { t.Samples++ })
	for _, p := range e.Pieces {
		if p.At < int64(len(f.mapping)) {
			copy(f.mapping[p.At:], p.Data)
		}
	}
	own := *e
	own.Out = f.restamp(e, request)
	f.signal()
	return e.Value, f.write(c, &own, arg)
}

// restamp moves the stamps of a sample, and returns the answer that tells of it.
func (f *file) restamp(e *tape.Event, request uint32) []byte {
	out := slices.Clone([]byte(e.Out))
	move := func(b []byte) { binary.LittleEndian.PutUint64(b, uint64(int64(binary.LittleEndian.Uint64(b))+f.shift)) }
	if request != uapi.Ioctl("KBASE_IOCTL_KINSTR_PRFCNT_GET_SAMPLE") {
		move(out) // the time comes first
		return out
	}
	l := uapi.Struct("prfcnt_metadata")
	kind := uint64(uapi.Const("PRFCNT_SAMPLE_META_TYPE_SAMPLE"))
	for _, p := range e.Pieces {
		// Values of blocks are longer than the description of anything.
		if len(p.Data) < l.Size || len(p.Data) > 4*l.Size || binary.LittleEndian.Uint16(p.Data) != uint16(kind) ||
			p.At+int64(len(p.Data)) > int64(len(f.mapping)) {
			continue
		}
		at := f.mapping[p.At:]
		for _, name := range []string{"timestamp_start", "timestamp_end"} {
			move(at[l.Field("u.sample_md").Offset+uapi.Struct("prfcnt_sample_metadata").Field(name).Offset:])
		}
	}
	return out
}

// command notes what was asked for. The first begins the time of the tape. It is answered when the real clock stands
// between two multiples of the period where that of the tape stood: then the stamps, which are moved by whole periods,
// neither lie before what they are the end of nor after when they are fetched.
func (f *file) command(e *tape.Event) {
	f.last = f.played.Position(e)
	if f.began == 0 {
		// Stamps are of CLOCK_MONOTONIC_RAW. A request that the tape had to wait for was answered no sooner than it began.
		was := f.machine.about.Began + e.Time - e.Took - f.machine.about.Offset
		period := max(f.machine.about.Period, 1)
		behind := func() int64 { return ((hwtest.NowRaw()-was)%period + period) % period }
		time.Sleep(time.Duration((period - behind()) % period))
		shift := hwtest.NowRaw() - was
		f.shift = shift - (shift%period+period)%period
	}
	f.began, f.since, f.prompt = hwtest.Now(), e.Time-e.Took, !begins(e)
	f.signal()
}

// due is the next sample, and how long it has still to come; nil where none comes before something is asked for.
func (f *file) due() (*tape.Event, time.Duration) {
	e, ok := f.played.Peek(func(e *tape.Event) bool { return len(e.Pieces) > 0 })
	if !ok || f.began == 0 {
		return nil, 0
	}
	at := f.played.Position(e)
	next, ok := f.played.After(f.last, func(e *tape.Event) bool {
		return slices.ContainsFunc(commands(), func(r uint32) bool { return code(r) == e.Code })
	})
	switch {
	case ok && next < at:
		return nil, 0 // something else was asked for first
	case f.last > at, f.prompt:
		// It was there when that was asked for, or is what was asked for: whoever waits for it on the tape and now may do
		// so for different times.
		return e, 0
	}
	return e, time.Duration(max(0, e.Time-f.since-(hwtest.Now()-f.began)))
}

// signal says whether a sample is there, now and when the next one comes.
func (f *file) signal() {
	if f.ready == nil || f.ended {
		return
	}
	e, wait := f.due()
	f.ready.Set(e != nil && wait == 0)
	if e != nil && wait > 0 {
		time.AfterFunc(wait, func() {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.signal()
		})
	}
}

// Attach implements hwtest.Pollable.
func (f *file) Attach(r *hwtest.Readiness) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ready = r
}

// Mapping implements hwtest.Mappable.
func (f *file) Mapping() int { return len(f.mapping) }

// SetMapping implements hwtest.Mappable.
func (f *file) SetMapping(shared []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.mapping = shared
}

func (f *file) Read(*hwtest.Call, int) ([]byte, error) { return nil, syscall.EINVAL }

func (f *file) Close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ended = true
}
