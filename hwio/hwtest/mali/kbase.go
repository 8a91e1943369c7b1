package mali

import (
	"fmt"
	"syscall"

	"astrolabe/hwio/hwtest"
	"astrolabe/hwio/hwtest/uapi"
)

// kbaseDevice is the node /dev/mali0.
type kbaseDevice struct{ board *board }

func (d *kbaseDevice) Open(c *hwtest.Call, flags int) (hwtest.File, error) {
	b := d.board
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.removed {
		return nil, syscall.ENODEV
	}
	f := &kbaseFile{board: b, pid: c.PID, truth: &FileTruth{PID: c.PID, Handshakes: []string{}}}
	b.truth.Files = append(b.truth.Files, f.truth)
	return f, nil
}

// kbaseFile is one open of the node.
type kbaseFile struct {
	board   *board
	pid     int
	session *version // what the handshake agreed on
	context bool
	truth   *FileTruth
}

// Numbers of the interfaces before r21, which no public header of today has: 16 bytes of handshake and the functions
// that follow, each a structure led by a 64-bit header whose low half is the function's id.
const (
	oldHandshake = 0xC0108000
	oldSetFlags  = 0xC0108212
	oldGPUProps  = 0xC218820E
	oldReader    = 0xC0208224

	idHandshake = 0
	idSetFlags  = 512 + 18
	idGPUProps  = 512 + 14
	idReader    = 512 + 36
)

// readerSetup is the request of the first counter interface, which the current header no longer has.
const readerSetup = 0x40148008

// createMonitor is the flag of a context that submits nothing, and createKnown all flags that the driver knows.
const (
	createMonitor = 2
	createKnown   = 0xf
)

func (f *kbaseFile) Ioctl(c *hwtest.Call, request uint32, arg uint64) (int64, error) {
	f.board.mu.Lock()
	defer f.board.mu.Unlock()
	if err := f.board.refused(c, f.pid); err != nil {
		return 0, err
	}
	if f.board.spec.kind == driverPreR21 {
		return f.oldIoctl(c, request, arg)
	}
	switch request {
	case uapi.Ioctl("KBASE_IOCTL_VERSION_CHECK"), uapi.Ioctl("KBASE_IOCTL_VERSION_CHECK_RESERVED"):
		return 0, f.handshake(c, request, arg)
	}
	if request == oldHandshake {
		f.truth.Handshakes = append(f.truth.Handshakes, "nr 0, 16 bytes")
		return 0, syscall.ENOTTY
	}
	if f.session == nil {
		return 0, syscall.EPERM
	}
	switch request {
	case uapi.Ioctl("KBASE_IOCTL_SET_FLAGS"):
		b, err := fetch(c, arg, requestSize(request))
		if err != nil {
			return 0, err
		}
		return 0, f.setFlags(c, le.Uint32(b))
	case uapi.Ioctl("KBASE_IOCTL_GET_GPUPROPS"):
		return f.gpuProps(c, arg)
	case uapi.Ioctl("KBASE_IOCTL_GET_CPU_GPU_TIMEINFO"):
		return 0, f.timeInfo(c, arg)
	case uapi.Ioctl("KBASE_IOCTL_KINSTR_PRFCNT_ENUM_INFO"), uapi.Ioctl("KBASE_IOCTL_KINSTR_PRFCNT_SETUP"):
		return f.kinstr(c, request, arg)
	case readerSetup:
		return f.vinstr(c, arg)
	}
	return 0, syscall.ENOTTY
}

func (f *kbaseFile) Read(*hwtest.Call, int) ([]byte, error) {
	// Events of jobs: a context that submits nothing has none.
	if f.session == nil {
		return nil, syscall.EPERM
	}
	return nil, syscall.EAGAIN
}

func (f *kbaseFile) Close() {
	f.board.mu.Lock()
	defer f.board.mu.Unlock()
	f.truth.Closed = true
}

// refused is the error of every call to a device that is gone, or through a descriptor that another process opened: CSF
// drivers 1.20 to 1.28 refuse those.
func (b *board) refused(c *hwtest.Call, opener int) error {
	v := b.spec.version
	switch {
	case b.removed:
		return syscall.ENODEV
	case b.spec.kind == driverCSF && v.minor >= 20 && v.minor <= 28 && c.PID != opener:
		note(c, "descriptor of process %d", opener)
		return syscall.EPERM
	}
	return nil
}

// handshake answers both short forms: number 52 of CSF drivers and number 0 of job-manager drivers.
func (f *kbaseFile) handshake(c *hwtest.Call, request uint32, arg uint64) error {
	reserved := request == uapi.Ioctl("KBASE_IOCTL_VERSION_CHECK_RESERVED")
	f.truth.Handshakes = append(f.truth.Handshakes, fmt.Sprintf("nr %d, 4 bytes", request&0xff))
	csf := f.board.spec.kind == driverCSF
	switch {
	case csf && reserved:
		return syscall.EPERM // and the argument stays untouched
	case !csf && !reserved:
		return syscall.ENOTTY
	case f.session != nil:
		return syscall.EPERM
	}
	l := uapi.Struct("kbase_ioctl_version_check")
	b, err := fetchStruct(c, arg, l)
	if err != nil {
		return err
	}
	v := f.agree(c, version{uint16(l.Get(b, "major")), uint16(l.Get(b, "minor"))})
	l.Set(b, "major", uint64(v.major))
	l.Set(b, "minor", uint64(v.minor))
	return c.Write(arg, b)
}

// agree settles the version of the session: the driver's own where the majors differ, else the smaller minor.
func (f *kbaseFile) agree(c *hwtest.Call, asked version) version {
	v := f.board.spec.version
	if asked.major == v.major {
		v.minor = min(v.minor, asked.minor)
	}
	f.session = &v
	f.truth.Session = fmt.Sprintf("%d.%d", v.major, v.minor)
	note(c, "asked %d.%d, session %d.%d", asked.major, asked.minor, v.major, v.minor)
	return v
}

func (f *kbaseFile) setFlags(c *hwtest.Call, flags uint32) error {
	note(c, "create_flags %#x", flags)
	switch {
	case f.context:
		return syscall.EPERM
	case flags&^uint32(createKnown) != 0:
		return syscall.EINVAL
	}
	f.context, f.truth.Context = true, true
	return nil
}

// needContext is the rule of drivers that answer nothing before there is a context.
func (f *kbaseFile) needContext() error {
	if !f.context && !f.board.spec.atLeast(10, 34) {
		return syscall.EPERM
	}
	return nil
}

// timeInfo answers with both clocks at the same moment.
func (f *kbaseFile) timeInfo(c *hwtest.Call, arg uint64) error {
	if !f.context {
		return syscall.EPERM
	}
	l := uapi.Struct("kbase_ioctl_get_cpu_gpu_timeinfo")
	b, err := fetchStruct(c, arg, l)
	if err != nil {
		return err
	}
	now := f.board.now()
	f.board.gpu.dump(now)
	clear(b)
	l.Set(b, "out.sec", uint64(now/1e9))
	l.Set(b, "out.nsec", uint64(now%1e9))
	l.Set(b, "out.timestamp", uint64(now)/1000*26)
	l.Set(b, "out.cycle_counter", uint64(f.board.gpu.clk[0]))
	return c.Write(arg, b)
}
