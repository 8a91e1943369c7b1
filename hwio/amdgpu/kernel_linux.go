package amdgpu

import (
	"os"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"

	"astrolabe/hwio/internal/clock"
	"astrolabe/hwio/internal/ioctl"
)

// renderNode is the device file of a GPU.
type renderNode struct{ f *os.File }

func openNode(path string) (node, error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	return renderNode{f}, nil
}

func (n renderNode) info(c *call, query, size uint32, arg [4]uint32) error {
	clear(c.answer[:size])
	c.request = request{returnPointer: uint64(uintptr(unsafe.Pointer(&c.answer))), returnSize: size,
		query: query, arg: arg}
	err := ioctl.Ptr(n.f, infoIoctl, unsafe.Pointer(&c.request))
	runtime.KeepAlive(c)
	return err
}

func (n renderNode) close() error { return n.f.Close() }

// now is ns of CLOCK_MONOTONIC.
func now() int64 { return clock.Monotonic() }

// sleepUntil waits for a time of CLOCK_MONOTONIC. It may wake early.
func sleepUntil(t int64) {
	ts := unix.NsecToTimespec(t)
	_ = unix.ClockNanosleep(unix.CLOCK_MONOTONIC, unix.TIMER_ABSTIME, &ts, nil)
}

// wakePrecisely asks the kernel to wake the calling thread in time, and not with others up to 50 µs later.
func wakePrecisely() { _ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0) }
