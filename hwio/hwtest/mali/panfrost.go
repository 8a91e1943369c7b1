package mali

import (
	"syscall"
	"time"

	"astrolabe/hwio/hwtest"
	"astrolabe/hwio/hwtest/uapi"
)

// panfrostDevice is the render node of the mainline driver.
type panfrostDevice struct{ board *board }

func (d *panfrostDevice) Open(c *hwtest.Call, flags int) (hwtest.File, error) {
	b := d.board
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.removed {
		return nil, syscall.ENODEV
	}
	f := &panfrostFile{board: b, truth: &FileTruth{PID: c.PID, Handshakes: []string{}}}
	b.truth.Files = append(b.truth.Files, f.truth)
	return f, nil
}

// panfrostFile is one open of it. At most one file of the machine counts at a time.
type panfrostFile struct {
	board  *board
	truth  *FileTruth
	client *ClientTruth // nil unless it counts
	acc    *accumulator
	dumps  int
	seq    uint64
}

// dumpTimeout is how long the driver waits for the hardware.
const dumpTimeout = time.Second

func (f *panfrostFile) Ioctl(c *hwtest.Call, request uint32, arg uint64) (int64, error) {
	b := f.board
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.removed {
		return 0, syscall.ENODEV
	}
	switch request {
	case uapi.Ioctl("DRM_IOCTL_VERSION"):
		return 0, f.version(c, arg)
	case uapi.Ioctl("DRM_IOCTL_PANFROST_GET_PARAM"):
		return 0, f.param(c, arg)
	case uapi.Ioctl("DRM_IOCTL_PANFROST_PERFCNT_ENABLE"):
		return 0, f.enable(c, arg)
	case uapi.Ioctl("DRM_IOCTL_PANFROST_PERFCNT_DUMP"):
		return 0, f.dump(c, arg)
	}
	return 0, syscall.EINVAL
}

func (f *panfrostFile) Read(*hwtest.Call, int) ([]byte, error) { return nil, syscall.EAGAIN }

func (f *panfrostFile) Close() {
	f.board.mu.Lock()
	defer f.board.mu.Unlock()
	f.truth.Closed = true
	if f.client != nil {
		f.client.Closed = true
		f.disable()
	}
}

// version answers DRM_IOCTL_VERSION: lengths always, texts as far as there is room.
func (f *panfrostFile) version(c *hwtest.Call, arg uint64) error {
	l := uapi.Struct("drm_version")
	b, err := fetchStruct(c, arg, l)
	if err != nil {
		return err
	}
	l.Set(b, "version_major", 1)
	l.Set(b, "version_minor", 2)
	l.Set(b, "version_patchlevel", 0)
	for _, text := range []struct{ field, value string }{{"name", "panfrost"}, {"date", "20180908"},
		{"desc", "panfrost DRM"}} {
		room := min(l.Get(b, text.field+"_len"), uint64(len(text.value)))
		if at := l.Get(b, text.field); at != 0 && room > 0 {
			if err := c.Write(at, []byte(text.value[:room])); err != nil {
				return err
			}
		}
		l.Set(b, text.field+"_len", uint64(len(text.value)))
	}
	return c.Write(arg, b)
}

// param answers GET_PARAM.
func (f *panfrostFile) param(c *hwtest.Call, arg uint64) error {
	s := &f.board.spec
	l := uapi.Struct("drm_panfrost_get_param")
	b, err := fetchStruct(c, arg, l)
	if err != nil {
		return err
	}
	values := map[string]uint64{
		"GPU_PROD_ID": s.productID(), "GPU_REVISION": s.id & 0xffff, "SHADER_PRESENT": s.cores, "TILER_PRESENT": 1,
		"L2_PRESENT": 1, "STACK_PRESENT": s.cores, "AS_PRESENT": 0xff, "JS_PRESENT": 7,
		"L2_FEATURES": uint64(s.busBits)<<24 | 18<<16 | 4<<8 | 6, "CORE_FEATURES": s.engines,
		"MEM_FEATURES":    uint64(s.slices-1)<<8 | 1,
		"THREAD_FEATURES": 0x10000, "MAX_THREADS": 384, "NR_CORE_GROUPS": 1,
	}
	for name, v := range values {
		if int64(l.Get(b, "param")) == uapi.Const("DRM_PANFROST_PARAM_"+name) && l.Get(b, "pad") == 0 {
			l.Set(b, "value", v)
			note(c, "%s = %#x", name, v)
			return c.Write(arg, b)
		}
	}
	return syscall.EINVAL
}

// enable starts and stops counting for this file.
func (f *panfrostFile) enable(c *hwtest.Call, arg uint64) error {
	b := f.board
	if b.set.Has("no-unstable") {
		return syscall.ENOSYS
	}
	l := uapi.Struct("drm_panfrost_perfcnt_enable")
	buf, err := fetchStruct(c, arg, l)
	if err != nil {
		return err
	}
	on, set := l.Get(buf, "enable") != 0, l.Get(buf, "counterset")
	note(c, "enable %v, set %d", on, set)
	// The second set is one of Bifrost, whose architectures are 6 and 7.
	if arch := b.spec.id >> 28; set > 1 || set == 1 && arch != 6 && arch != 7 {
		return syscall.EINVAL
	}
	switch {
	case !on && b.holder != f:
		return syscall.EINVAL
	case !on:
		f.disable()
		return nil
	case b.holder == f:
		return nil
	case b.holder != nil || b.set.Has("busy"):
		return syscall.EBUSY
	}
	b.holder = f
	f.client = b.client(f.truth.PID, "panfrost")
	f.client.Set, f.client.Starts, f.client.Running = int(set), 1, true
	for _, i := range b.gpu.places(false) {
		if i != hole {
			x := b.gpu.instances[i]
			f.client.Enabled[x.typ] = [2]uint64{^uint64(0), 0}
			f.client.Totals = append(f.client.Totals, &BlockTotal{
				Type: x.typ, Block: x.block, Physical: x.physical, Reported: x.physical,
				Values: make([]uint64, vinstrValues),
			})
		}
	}
	f.acc, f.seq = b.gpu.attach(b.now()), 0
	return nil
}

func (f *panfrostFile) disable() {
	if f.board.holder != f {
		return
	}
	f.board.holder = nil
	f.board.gpu.detach(f.acc)
	f.client.Running, f.client.Stops = false, 1
}

// dump takes a sample into the program's buffer. One that the hardware does not deliver in time leaves its counts to
// the next.
func (f *panfrostFile) dump(c *hwtest.Call, arg uint64) error {
	b := f.board
	if b.set.Has("no-unstable") {
		return syscall.ENOSYS
	}
	l := uapi.Struct("drm_panfrost_perfcnt_dump")
	buf, err := fetchStruct(c, arg, l)
	if err != nil {
		return err
	}
	if b.holder != f {
		return syscall.EINVAL
	}
	// Told before anything can fail: a request that hangs counts too, or a program that is ended after so many would
	// wait for one more.
	f.dumps++
	b.set.Tell(f.dumps)
	if b.set.Has("slow-reader") && f.dumps%slowEvery == 0 {
		f.wait(50 * time.Millisecond)
	}
	if b.set.Has("timeout") && f.dumps%timeoutEvery == 0 {
		f.wait(dumpTimeout)
		f.client.Lost++
		return syscall.ETIMEDOUT
	}
	// Time may have passed with the board unlocked.
	if b.removed || b.holder != f {
		return syscall.ENODEV
	}
	end := b.gpu.take(f.acc, b.now())
	s := &sample{SampleTruth: SampleTruth{Seq: f.seq, Start: f.acc.from, End: end}}
	places := b.gpu.places(false)
	out := make([]byte, len(places)*vinstrBlock)
	for at, i := range places {
		if i == hole {
			continue
		}
		values := make([]uint64, vinstrValues)
		for j := range values {
			values[j] = uint64(uint32(f.acc.vals[i][j]))
			if values[j] != f.acc.vals[i][j] {
				f.client.Cut++
			}
			s.Sum += values[j]
		}
		b.gpu.header(values, end, 0xffff)
		for j, v := range values {
			le.PutUint32(out[at*vinstrBlock+4*j:], uint32(v))
		}
		s.values, s.states = append(s.values, values), append(s.states, 0)
	}
	// The hardware has written the sample and begun anew. Whether the program gets it is another matter: what its
	// buffer does not take is lost.
	f.acc.reset(end)
	f.seq++
	f.client.add(s)
	if err := c.Write(l.Get(buf, "buf_ptr"), out); err != nil {
		f.client.Lost++
		return err
	}
	f.client.deliver(s)
	f.client.put(s)
	return nil
}

// wait lets time pass with the board unlocked.
func (f *panfrostFile) wait(d time.Duration) {
	f.board.mu.Unlock()
	f.board.sleep(d)
	f.board.mu.Lock()
}
