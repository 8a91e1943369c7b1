//go:build linux

package i915

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"

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

// busyTries bounds how often a request is repeated that the driver broke off with EAGAIN, as it does during a reset of
// the GPU.
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

func (n *node) param(id int32) (int32, error) {
	var pin runtime.Pinner
	defer pin.Unpin()
	v := new(int32)
	arg := &getParam{param: id, value: address(&pin, v, unsafe.Pointer(v))}
	if _, err := n.do(ioctlGetParam, unsafe.Pointer(arg)); err != nil {
		return 0, err
	}
	return *v, nil
}

// maxAnswer bounds the answer to a query. The topology of the largest GPU has a few hundred bytes.
const maxAnswer = 1 << 20

func (n *node) query(id uint64) ([]byte, error) {
	var pin runtime.Pinner
	defer pin.Unpin()
	item := &queryItem{id: id}
	ask := func() error {
		arg := &query{numItems: 1, items: address(&pin, item, unsafe.Pointer(item))}
		if _, err := n.do(ioctlQuery, unsafe.Pointer(arg)); err != nil {
			return err
		}
		if item.length < 0 {
			return unix.Errno(-item.length)
		}
		return nil
	}
	if err := ask(); err != nil {
		return nil, err
	}
	if item.length == 0 || item.length > maxAnswer {
		return nil, fmt.Errorf("query %d: an answer of %d bytes", id, item.length)
	}
	data := make([]byte, item.length)
	item.data = address(&pin, &data[0], unsafe.Pointer(&data[0]))
	if err := ask(); err != nil {
		return nil, err
	}
	if int(item.length) > len(data) {
		return nil, fmt.Errorf("query %d: the answer grew from %d to %d bytes", id, len(data), item.length)
	}
	return data[:item.length], nil
}

func (n *node) readRegister(offset uint64) (uint64, error) {
	arg := &regRead{offset: offset}
	_, err := n.do(ioctlRegRead, unsafe.Pointer(arg))
	return arg.val, err
}

func (n *node) addConfig(guid string, r *oaregisters.Lists) (uint64, error) {
	var pin runtime.Pinner
	defer pin.Unpin()
	arg := &perfConfig{nMux: uint32(len(r.Mux)), nBoolean: uint32(len(r.Boolean)), nFlex: uint32(len(r.Flex))}
	if copy(arg.uuid[:], guid) != len(arg.uuid) {
		return 0, fmt.Errorf("%q is no GUID", guid)
	}
	for _, l := range []struct {
		list []oaregisters.Register
		at   *uint64
	}{{r.Mux, &arg.muxAddr}, {r.Boolean, &arg.booleanAddr}, {r.Flex, &arg.flexAddr}} {
		if len(l.list) > 0 {
			*l.at = address(&pin, &l.list[0], unsafe.Pointer(&l.list[0]))
		}
	}
	id, err := n.do(ioctlAddConfig, unsafe.Pointer(arg))
	return uint64(id), err
}

func (n *node) removeConfig(id uint64) error {
	arg := &id
	_, err := n.do(ioctlRemoveConfig, unsafe.Pointer(arg))
	return err
}

func (n *node) openStream(flags uint32, properties []uint64, powered *sseu) (reportStream, error) {
	var pin runtime.Pinner
	defer pin.Unpin()
	if len(properties) == 0 {
		return nil, errors.New("a stream without properties")
	}
	if powered != nil {
		properties = append(properties, propSSEU, address(&pin, powered, unsafe.Pointer(powered)))
	}
	arg := &perfOpen{flags: flags, numProperties: uint32(len(properties) / 2),
		properties: address(&pin, &properties[0], unsafe.Pointer(&properties[0]))}
	fd, err := n.do(ioctlPerfOpen, unsafe.Pointer(arg))
	if err != nil {
		return nil, err
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
	old, err := ioctl.Number(d.fd, ioctlConfig, uintptr(id))
	return uint64(old), err
}

func (d *descriptor) close() error {
	fd := d.fd
	d.fd = -1
	return unix.Close(fd)
}
