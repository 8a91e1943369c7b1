package mali

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"

	"astrolabe/hwio/internal/ioctl"
)

type realKernel struct{}

// NewKernel returns this machine's kernel.
func NewKernel() Kernel { return realKernel{} }

func (realKernel) Character(path string) (exists, character bool) {
	info, err := os.Stat(path)
	if err != nil {
		// A folder that may not be searched hides whether the node is there; the opening will say so.
		return !errors.Is(err, fs.ErrNotExist), !errors.Is(err, fs.ErrNotExist)
	}
	return true, info.Mode()&os.ModeCharDevice != 0
}

func (realKernel) Open(path string, write bool) (Device, error) {
	flags := unix.O_RDONLY
	if write {
		flags = unix.O_RDWR
	}
	for {
		fd, err := unix.Open(path, flags|unix.O_CLOEXEC, 0)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return nil, err
		}
		return &fileDevice{os.NewFile(uintptr(fd), path)}, nil
	}
}

// fileDevice keeps the *os.File, so that the descriptor lives as long as the device.
type fileDevice struct{ f *os.File }

func (d *fileDevice) Request(number uint32, arg []byte) (int, error) {
	return ioctl.Value(d.f, uint(number), unsafe.Pointer(unsafe.SliceData(arg)))
}

func (d *fileDevice) RequestWith(number uint32, arg []byte, at int, buf []byte) (int, error) {
	var pin runtime.Pinner
	defer pin.Unpin()
	p := unsafe.SliceData(buf)
	pin.Pin(p)
	// The buffer stays where it is until Unpin, so that its address may stand in the structure.
	binary.LittleEndian.PutUint64(arg[at:], uint64(uintptr(unsafe.Pointer(p))))
	return ioctl.Value(d.f, uint(number), unsafe.Pointer(unsafe.SliceData(arg)))
}

func (d *fileDevice) RequestValue(number uint32, value uint32) (int, error) {
	return 0, ioctl.Int(d.f, uint(number), uintptr(value))
}

func (d *fileDevice) Adopt(fd int, name string) Device {
	return &fileDevice{os.NewFile(uintptr(fd), name)}
}

func (d *fileDevice) Ready() (ready, gone bool, err error) {
	fds := [1]unix.PollFd{{Fd: int32(d.f.Fd()), Events: unix.POLLIN}}
	for {
		_, err = unix.Poll(fds[:], 0)
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	runtime.KeepAlive(d.f)
	return fds[0].Revents&unix.POLLIN != 0, fds[0].Revents&(unix.POLLHUP|unix.POLLERR|unix.POLLNVAL) != 0, err
}

func (d *fileDevice) Map(size int) ([]byte, error) {
	b, err := unix.Mmap(int(d.f.Fd()), 0, size, unix.PROT_READ, unix.MAP_PRIVATE)
	runtime.KeepAlive(d.f)
	return b, err
}

func (d *fileDevice) Unmap(mapping []byte) error { return unix.Munmap(mapping) }

func (d *fileDevice) Close() error { return d.f.Close() }
