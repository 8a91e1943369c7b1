//go:build linux

package xe

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"

	"astrolabe/hwio/intel"
	"astrolabe/hwio/internal/clock"
	"astrolabe/hwio/internal/ioctl"
	"astrolabe/hwio/internal/oaregisters"
)

// realKernel is the kernel of this machine.
type realKernel struct{}

func newKernel() kernel { return realKernel{} }

func (realKernel) open(path string) (device, error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	return &node{f}, nil
}

func (realKernel) now() int64 { return clock.Monotonic() }

// node keeps the *os.File, so that the descriptor lives as long as the node.
type node struct{ f *os.File }

// busyTries bounds how often a request is repeated that the driver broke off with EAGAIN.
const busyTries = 1000

func (n *node) do(request uint, arg unsafe.Pointer) (int, error) {
	for try := 1; ; try++ {
		v, err := ioctl.Value(n.f, request, arg)
		if err == unix.EAGAIN && try < busyTries {
			runtime.Gosched()
			continue
		}
		return v, err
	}
}

// address is p as the kernel's structures hold it. What p points to is pinned, so that it stays there until the pinner
// lets go.
func address(pin *runtime.Pinner, p any, at unsafe.Pointer) uint64 {
	pin.Pin(p)
	return uint64(uintptr(at))
}

// maxAnswer bounds the answer to a question. The topology of the largest GPU has some hundred bytes.
const maxAnswer = 1 << 20

func (n *node) query(id uint32) ([]byte, error) {
	var pin runtime.Pinner
	defer pin.Unpin()
	q := &deviceQuery{query: id}
	if _, err := n.do(ioctlDeviceQuery, unsafe.Pointer(q)); err != nil {
		return nil, err
	}
	if q.size == 0 || q.size > maxAnswer {
		return nil, fmt.Errorf("query %d: an answer of %d bytes", id, q.size)
	}
	data := make([]byte, q.size)
	q.data = address(&pin, &data[0], unsafe.Pointer(&data[0]))
	_, err := n.do(ioctlDeviceQuery, unsafe.Pointer(q))
	return data, err
}

func (n *node) cycles(e intel.Engine) (ticks uint64, when, took int64, err error) {
	var pin runtime.Pinner
	defer pin.Unpin()
	c := &engineCycles{eci: engine{class: e.Class, instance: e.Instance, gt: e.GT}, clockid: unix.CLOCK_MONOTONIC}
	q := &deviceQuery{query: queryCycles, size: uint32(unsafe.Sizeof(*c)), data: address(&pin, c, unsafe.Pointer(c))}
	_, err = n.do(ioctlDeviceQuery, unsafe.Pointer(q))
	return c.cycles, int64(c.cpuTimestamp), int64(c.cpuDelta), err
}

// observe makes a request of the observation interface.
func (n *node) observe(op, param uint64) (int, error) {
	return n.do(ioctlObservation, unsafe.Pointer(&observation{kind: observeOA, op: op, param: param}))
}

func (n *node) addConfig(guid string, regs []oaregisters.Register) (uint64, error) {
	var pin runtime.Pinner
	defer pin.Unpin()
	arg := &oaConfig{nRegs: uint32(len(regs))}
	if copy(arg.uuid[:], guid) != len(arg.uuid) {
		return 0, fmt.Errorf("%q is no GUID", guid)
	}
	if len(regs) > 0 {
		arg.regs = address(&pin, &regs[0], unsafe.Pointer(&regs[0]))
	}
	id, err := n.observe(opAddConfig, address(&pin, arg, unsafe.Pointer(arg)))
	return uint64(id), err
}

func (n *node) removeConfig(id uint64) error {
	var pin runtime.Pinner
	defer pin.Unpin()
	arg := &id
	_, err := n.observe(opRemoveConfig, address(&pin, arg, unsafe.Pointer(arg)))
	return err
}

// chain links properties as the kernel reads them, and returns the address of the first.
func chain(pin *runtime.Pinner, properties []property) uint64 {
	if len(properties) == 0 {
		return 0
	}
	links := make([]setProperty, len(properties))
	first := address(pin, &links[0], unsafe.Pointer(&links[0]))
	for i, p := range properties {
		links[i].property, links[i].value = p.id, p.value
		if i+1 < len(links) {
			links[i].next = first + uint64(i+1)*uint64(unsafe.Sizeof(links[0]))
		}
	}
	return first
}

func (n *node) openStream(properties []property) (reportStream, error) {
	var pin runtime.Pinner
	defer pin.Unpin()
	if len(properties) == 0 {
		return nil, errors.New("a stream without properties")
	}
	fd, err := n.observe(opStreamOpen, chain(&pin, properties))
	if err != nil {
		return nil, err
	}
	// The driver takes no flags: they are set afterwards.
	unix.CloseOnExec(fd)
	if err := unix.SetNonblock(fd, true); err != nil {
		return nil, errors.Join(err, unix.Close(fd))
	}
	return &descriptor{fd}, nil
}

func (n *node) close() error { return n.f.Close() }

// descriptor is a stream's. No *os.File owns it, because that would switch it to blocking when asked for the number;
// nothing else closes it, because no finalizer knows it.
type descriptor struct{ fd int }

func (d *descriptor) read(buf []byte) (int, error) {
	for {
		n, err := unix.Read(d.fd, buf)
		if err != unix.EINTR {
			return max(n, 0), err
		}
	}
}

func (d *descriptor) enable() error {
	_, err := ioctl.Number(d.fd, ioctlEnable, 0)
	return err
}

func (d *descriptor) disable() error {
	_, err := ioctl.Number(d.fd, ioctlDisable, 0)
	return err
}

func (d *descriptor) config(id uint64) (uint64, error) {
	var pin runtime.Pinner
	defer pin.Unpin()
	old, err := ioctl.Number(d.fd, ioctlConfig, uintptr(chain(&pin, []property{{propSet, id}})))
	return uint64(old), err
}

func (d *descriptor) status() (uint64, error) {
	var pin runtime.Pinner
	defer pin.Unpin()
	s := &streamStatus{}
	_, err := ioctl.Number(d.fd, ioctlStatus, uintptr(address(&pin, s, unsafe.Pointer(s))))
	return s.status, err
}

func (d *descriptor) close() error {
	fd := d.fd
	d.fd = -1
	return unix.Close(fd)
}
