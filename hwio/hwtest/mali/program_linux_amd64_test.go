package mali

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"astrolabe/hwio/hwtest/uapi"
)

// TestProgram is no test: it is the program that runs under the emulated kernel, and does so only when MALI_PROGRAM names a part.
func TestProgram(t *testing.T) {
	part := os.Getenv("MALI_PROGRAM")
	if part == "" {
		return
	}
	sums := map[string][]uint64{}
	map[string]func(*testing.T, map[string][]uint64){"kinstr": programKinstr, "vinstr": programVinstr, "panfrost": programPanfrost}[part](t, sums)
	b, err := json.Marshal(sums)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(os.Getenv("MALI_SUMS"), b, 0o600); err != nil {
		t.Fatal(err)
	}
}

// sys is a request that has to succeed; the address is made in the call itself so that the stack cannot move in between.
func sys(t *testing.T, f *os.File, request uint32, p unsafe.Pointer) int {
	t.Helper()
	n, _, e := unix.Syscall(unix.SYS_IOCTL, f.Fd(), uintptr(request), uintptr(p))
	runtime.KeepAlive(f)
	if e != 0 {
		t.Fatalf("%s: %v", uapi.IoctlName(request), e)
	}
	return int(n)
}

func openNode(t *testing.T, path string) *os.File {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

// patience is how long the program waits for what has to come, in ms: as long as a machine may take that has much else to do.
const patience = 120_000

// wait polls and reports whether a sample is there.
func wait(t *testing.T, f *os.File, ms int) bool {
	t.Helper()
	for {
		p := []unix.PollFd{{Fd: int32(f.Fd()), Events: unix.POLLIN}}
		n, err := unix.Poll(p, ms)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		return n > 0
	}
}

func add(sums map[string][]uint64, typ, physical, index int, v uint64) {
	key := fmt.Sprintf("%d/%d", typ, physical)
	if sums[key] == nil {
		sums[key] = make([]uint64, 128)
	}
	if index >= headerValues {
		sums[key][index] += v
	}
}

func programKinstr(t *testing.T, sums map[string][]uint64) {
	if b, err := os.ReadFile("/sys/class/misc/mali0/device/gpuinfo"); err != nil || !strings.HasPrefix(string(b), "Mali-G720 10 cores") {
		t.Errorf("gpuinfo: %q, %v", b, err)
	}
	f := openNode(t, "/dev/mali0")
	var four [4]byte
	sys(t, f, nr52, unsafe.Pointer(&four))
	four = [4]byte{2}
	sys(t, f, flags, unsafe.Pointer(&four))
	var arg [16]byte
	sys(t, f, enum, unsafe.Pointer(&arg))
	all := ^uint64(0)
	var items []byte
	for _, it := range [][]byte{modeItem(1, 1e6), enableItem(0, 0, all, all), enableItem(1, 0, all, all), enableItem(2, 0, all, all), enableItem(3, 0, all, all), endItem()} {
		items = append(items, it...)
	}
	clear(arg[:])
	le.PutUint32(arg[:], uint32(len(items)/32))
	le.PutUint32(arg[4:], 32)
	pinned := new(runtime.Pinner)
	defer pinned.Unpin()
	pinned.Pin(&items[0])
	le.PutUint64(arg[8:], uint64(uintptr(unsafe.Pointer(&items[0]))))
	reader := os.NewFile(uintptr(sys(t, f, setup, unsafe.Pointer(&arg))), "reader")
	defer reader.Close()
	ring, err := unix.Mmap(int(reader.Fd()), 0, int(le.Uint32(arg[4:])), unix.PROT_READ, unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.Munmap(ring) }()
	r := &rig{t: t, mapping: ring, b: newBoard(specs()[1])}
	send := func(c uint16) {
		copy(arg[:], command(c, 5))
		sys(t, reader, cmd, unsafe.Pointer(&arg))
	}
	fetch := func() {
		sys(t, reader, get, unsafe.Pointer(&arg))
		g := r.read(le.Uint64(arg[8:]), 48)
		for _, b := range g.blocks {
			for i, v := range b.values {
				add(sums, int(b.typ), int(b.idx), i, v)
			}
		}
		sys(t, reader, put, unsafe.Pointer(&arg))
	}
	if wait(t, reader, 20) {
		t.Error("readable before the start")
	}
	send(cmdStart)
	for range 300 {
		if !wait(t, reader, patience) {
			t.Fatal("no sample comes")
		}
		fetch()
	}
	send(cmdStop)
	for wait(t, reader, 0) {
		fetch()
	}
}

func programVinstr(t *testing.T, sums map[string][]uint64) {
	f := openNode(t, "/dev/mali0")
	var four [4]byte
	sys(t, f, nr0, unsafe.Pointer(&four))
	four = [4]byte{2}
	sys(t, f, flags, unsafe.Pointer(&four))
	var arg [32]byte
	for i := range arg {
		arg[i] = 0xff
	}
	le.PutUint32(arg[:], 16)
	reader := os.NewFile(uintptr(sys(t, f, readerSetup, unsafe.Pointer(&arg))), "reader")
	defer reader.Close()
	sys(t, reader, readerGetSize, unsafe.Pointer(&four))
	size := int(le.Uint32(four[:]))
	ring, err := unix.Mmap(int(reader.Fd()), 0, size*16, unix.PROT_READ, unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.Munmap(ring) }()
	number := func(request uint32, v uintptr) {
		if _, _, e := unix.Syscall(unix.SYS_IOCTL, reader.Fd(), uintptr(request), v); e != 0 {
			t.Fatal(e)
		}
	}
	number(readerClear, 0)
	number(readerInterval, 1e6)
	for range 100 {
		if !wait(t, reader, patience) {
			t.Fatal("no sample comes")
		}
		sys(t, reader, readerGetCycles, unsafe.Pointer(&arg))
		addPlaces(sums, ring[int(le.Uint32(arg[12:]))*size:], 2)
		sys(t, reader, readerPutCycles, unsafe.Pointer(&arg))
	}
	number(readerInterval, 0)
}

// addPlaces adds a sample of six cores without holes.
func addPlaces(sums map[string][]uint64, b []byte, slices int) {
	for place := range 2 + slices + 6 {
		typ, physical := place, 0
		if place >= 2 {
			typ, physical = 2, place-2
		}
		if place >= 2+slices {
			typ, physical = 3, place-2-slices
		}
		for i := range 64 {
			if at := place*vinstrBlock + 4*i; at < len(b) {
				add(sums, typ, physical, i, uint64(le.Uint32(b[at:])))
			}
		}
	}
}

func programPanfrost(t *testing.T, sums map[string][]uint64) {
	if b, err := os.ReadFile("/sys/class/drm/renderD128/device/devfreq/13000000.mali/cur_freq"); err != nil || string(b) != "800000000\n" {
		t.Errorf("cur_freq: %q, %v", b, err)
	}
	f := openNode(t, "/dev/dri/renderD128")
	on := [8]byte{1}
	sys(t, f, enable, unsafe.Pointer(&on))
	out := make([]byte, 5*vinstrBlock)
	pinned := new(runtime.Pinner)
	defer pinned.Unpin()
	pinned.Pin(&out[0])
	for range 50 {
		time.Sleep(2 * time.Millisecond)
		at := uint64(uintptr(unsafe.Pointer(&out[0])))
		sys(t, f, dump, unsafe.Pointer(&at))
		addPlaces(sums, out, 1)
	}
}
