//go:build linux

package perfevent

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"astrolabe/hwio/internal/clock"
	"astrolabe/hwio/internal/ioctl"
)

// realKernel is the kernel of this machine.
type realKernel struct{}

func newKernel() kernel { return realKernel{} }

// fileCounter keeps the *os.File, so that the descriptor lives as long as the counter.
type fileCounter struct {
	f  *os.File
	fd int // of f
}

// sysAttr makes the kernel's struct of a.
func sysAttr(a *attr) *unix.PerfEventAttr {
	s := &unix.PerfEventAttr{
		Type: a.typ, Size: uint32(unsafe.Sizeof(unix.PerfEventAttr{})), Config: a.config, Ext1: a.config1,
		Ext2: a.config2, Read_format: a.readFormat(), Sample: a.period, Sample_type: a.sampleType(), Bits: a.flags(),
	}
	if a.monotonic {
		s.Clockid = clockMonotonic
	}
	return s
}

func (realKernel) open(a *attr, pid, cpu int, leader counter) (counter, error) {
	group := -1
	if l, ok := leader.(*fileCounter); ok && l != nil {
		group = int(l.f.Fd())
	}
	fd, err := unix.PerfEventOpen(sysAttr(a), pid, cpu, group, unix.PERF_FLAG_FD_CLOEXEC)
	runtime.KeepAlive(leader)
	if err != nil {
		return nil, err
	}
	return &fileCounter{os.NewFile(uintptr(fd), fmt.Sprintf("perf event %d:%#x", a.typ, a.config)), fd}, nil
}

// read goes past (*os.File).Read, whose locks cost a good part of the system call at a thousand reads a second.
func (c *fileCounter) read(buf []byte) (int, error) {
	for {
		n, err := unix.Read(c.fd, buf)
		runtime.KeepAlive(c.f)
		if err != unix.EINTR {
			return max(n, 0), err
		}
	}
}

func (c *fileCounter) id() (uint64, error) {
	var id uint64
	err := ioctl.Ptr(c.f, unix.PERF_EVENT_IOC_ID, unsafe.Pointer(&id))
	return id, err
}

func (c *fileCounter) enable() error {
	return ioctl.Int(c.f, unix.PERF_EVENT_IOC_ENABLE, unix.PERF_IOC_FLAG_GROUP)
}

func (c *fileCounter) disable() error {
	return ioctl.Int(c.f, unix.PERF_EVENT_IOC_DISABLE, unix.PERF_IOC_FLAG_GROUP)
}

func (c *fileCounter) ring(bytes int) (records, error) {
	mem, err := unix.Mmap(int(c.f.Fd()), 0, os.Getpagesize()+bytes, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, err
	}
	r, err := newRing(mem, func() error { return unix.Munmap(mem) })
	if err != nil {
		return nil, errors.Join(err, unix.Munmap(mem))
	}
	return r, nil
}

func (c *fileCounter) into(to counter) error {
	t, ok := to.(*fileCounter)
	if !ok {
		return unix.EINVAL
	}
	err := ioctl.Int(c.f, unix.PERF_EVENT_IOC_SET_OUTPUT, t.f.Fd())
	runtime.KeepAlive(t)
	return err
}

func (c *fileCounter) close() error { return c.f.Close() }

func (realKernel) now() int64 { return clock.Monotonic() }

func (realKernel) tick() int64 {
	var ts unix.Timespec
	// The coarse clocks move with the scheduler's tick.
	if err := unix.ClockGetres(unix.CLOCK_MONOTONIC_COARSE, &ts); err != nil {
		return int64(time.Millisecond)
	}
	return ts.Nano()
}
