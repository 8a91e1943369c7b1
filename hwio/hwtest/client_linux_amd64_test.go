package hwtest

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// TestClient is no test: it is the program that the tests emulate, and runs only when HWTEST_CLIENT names a part.
func TestClient(t *testing.T) {
	name := os.Getenv("HWTEST_CLIENT")
	if name == "" {
		return
	}
	client, ok := clients[name]
	if !ok {
		t.Fatalf("no client is called %s", name)
	}
	client(t)
}

var clients = map[string]func(t *testing.T){
	"tree": clientTree, "ioctl": clientIoctl, "pollable": clientPollable, "mappable": clientMappable, "stress": clientStress,
	"descriptors": clientDescriptors, "unplug": clientUnplug, "fork": clientFork, "child": clientChild, "privileged": clientPrivileged,
	"repeat": clientRepeat, "hang": clientHang, "nested": clientNested, "exec": clientExec,
}

func request(f *os.File, req uintptr, p unsafe.Pointer) (int, error) {
	r, _, e := unix.Syscall(unix.SYS_IOCTL, f.Fd(), req, uintptr(p))
	runtime.KeepAlive(f)
	if e != 0 {
		return -1, e
	}
	return int(r), nil
}

func requestInt(f *os.File, req, arg uintptr) (int, error) {
	r, _, e := unix.Syscall(unix.SYS_IOCTL, f.Fd(), req, arg)
	runtime.KeepAlive(f)
	if e != 0 {
		return -1, e
	}
	return int(r), nil
}

func openToy(t *testing.T) *os.File {
	t.Helper()
	f, err := os.OpenFile("/dev/toy0", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

func clientTree(t *testing.T) {
	for path, want := range map[string]string{
		"/sys/class/toy/toy0/vendor":                                       "0x8086\n",
		"/sys/class/toy/abs/deep/file":                                     "deep\n",
		"/sys/class/toy/toy0/deep/../../toy0/vendor":                       "0x8086\n",
		"/sys/devices/toybus/toy0/subsystem/toy0/subsystem/toy0//./vendor": "0x8086\n",
		"/proc/sys/dev/toy_paranoid":                                       "2\n",
	} {
		if b, err := os.ReadFile(path); err != nil || string(b) != want {
			t.Errorf("%s: %q, %v", path, b, err)
		}
	}
	for _, path := range []string{"/sys/class/toy/toy1", "/sys/class/toy/toy0/none", "/dev/toys/b", "/sys/devices/toybus/none"} {
		if _, err := os.Open(path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("open %s: %v", path, err)
		}
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("stat %s: %v", path, err)
		}
	}
	if _, err := os.Open("/sys/class/toy/toy0/vendor/x"); !errors.Is(err, unix.ENOTDIR) {
		t.Errorf("a file used as a folder: %v", err)
	}
	if _, err := os.Open("/sys/class/toy/loop"); !errors.Is(err, unix.ELOOP) {
		t.Errorf("a link to itself: %v", err)
	}
	if _, err := os.Open("/dev/toys/broken"); !errors.Is(err, unix.EIO) {
		t.Errorf("a failing path: %v", err)
	}
	if _, err := os.OpenFile("/sys/class/toy/toy0/vendor", os.O_WRONLY, 0); !errors.Is(err, unix.EACCES) {
		t.Errorf("writing text: %v", err)
	}
	list := func(dir string) (out []string) {
		d, err := os.ReadDir(dir)
		if err != nil {
			t.Errorf("list %s: %v", dir, err)
		}
		for _, e := range d {
			out = append(out, e.Name())
		}
		return out
	}
	if got := list("/sys/class/toy"); !slices.Equal(got, []string{"abs", "empty", "loop", "toy0"}) {
		t.Errorf("/sys/class/toy holds %q", got)
	}
	if got := list("/sys/class/toy/toy0/deep"); !slices.Equal(got, []string{"file"}) {
		t.Errorf("a folder behind a link holds %q", got)
	}
	// A folder of both the machine and the tree.
	dev := list("/dev")
	for _, want := range []string{"null", "toy0", "toys"} {
		if !slices.Contains(dev, want) {
			t.Errorf("/dev lacks %s: %q", want, dev)
		}
	}
	if m, err := filepath.Glob("/dev/toy*"); err != nil || len(m) != 2 {
		t.Errorf("glob: %q, %v", m, err)
	}
	if i, err := os.Stat("/dev/null"); err != nil || i.Mode()&os.ModeCharDevice == 0 {
		t.Errorf("the machine's own /dev/null: %v, %v", i, err)
	}
	root, err := os.OpenRoot("/sys/class")
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if b, err := root.ReadFile("toy/empty/../../toy/toy0/../toy0/vendor"); err == nil {
		t.Logf("os.Root: %q", b) // leads out of the root, whatever the kernel
	}
	dir, err := os.Open("/sys/class/toy")
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	fd, err := unix.Openat(int(dir.Fd()), "toy0/vendor", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Errorf("openat of a folder in the tree: %v", err)
	} else {
		_ = unix.Close(fd)
	}
	fd, err = unix.Openat(int(dir.Fd()), "../net/lo/ifindex", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if _, real := os.Stat("/sys/class/net/lo/ifindex"); real == nil && err != nil {
		t.Errorf("from the tree to the machine's own files: %v", err)
	} else if err == nil {
		_ = unix.Close(fd)
	}
	fd, err = unix.Openat2(unix.AT_FDCWD, "/sys/class/toy/toy0/vendor", &unix.OpenHow{Flags: unix.O_RDONLY | unix.O_CLOEXEC})
	if err != nil {
		t.Errorf("openat2: %v", err)
	} else {
		_ = unix.Close(fd)
	}
	if s, err := os.Readlink("/sys/class/toy/toy0"); err != nil || s != "../../devices/toybus/toy0" {
		t.Errorf("readlink: %q, %v", s, err)
	}
	if s, err := filepath.EvalSymlinks("/sys/class/toy/toy0/deep"); err != nil || s != "/sys/devices/toybus/toy0/deep" {
		t.Errorf("links resolved: %q, %v", s, err)
	}
	if s, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", dir.Fd())); err != nil || s != "/sys/class/toy" {
		t.Errorf("a descriptor's path: %q, %v", s, err)
	}
	if err := unix.Access("/dev/toy0", unix.R_OK|unix.W_OK); err != nil {
		t.Errorf("access: %v", err)
	}
	private, err := os.OpenFile("/dev/toys/private", os.O_RDWR, 0)
	if want := os.Geteuid() != 0; errors.Is(err, unix.EACCES) != want || (unix.Access("/dev/toys/private", unix.R_OK) == unix.EACCES) != want {
		t.Errorf("a node of root's: %v", err)
	}
	_ = private.Close()
	if err := unix.Access("/sys/class/toy/toy0/vendor", unix.W_OK); err != unix.EACCES {
		t.Errorf("access for writing: %v", err)
	}
	if err := unix.Faccessat2(unix.AT_FDCWD, "/sys/class/toy/toy9", unix.F_OK, unix.AT_EACCESS); err != unix.ENOENT {
		t.Errorf("faccessat2: %v", err)
	}
	i, err := os.Stat("/dev/toy0")
	if err != nil {
		t.Fatal(err)
	}
	st := i.Sys().(*syscall.Stat_t)
	if i.Mode()&os.ModeCharDevice == 0 || st.Rdev != unix.Mkdev(240, 7) || i.Mode().Perm() != 0o666 {
		t.Errorf("the node is %v with device %#x", i.Mode(), st.Rdev)
	}
	var sx unix.Statx_t
	if err := unix.Statx(unix.AT_FDCWD, "/dev/toy0", 0, unix.STATX_BASIC_STATS, &sx); err != nil || sx.Rdev_major != 240 || sx.Rdev_minor != 7 {
		t.Errorf("statx: %v, %d:%d", err, sx.Rdev_major, sx.Rdev_minor)
	}
	if i, err := os.Lstat("/sys/class/toy/toy0"); err != nil || i.Mode()&os.ModeSymlink == 0 {
		t.Errorf("lstat of a link: %v, %v", i, err)
	}
	// Relative to a working folder.
	if err := os.Chdir("/sys"); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile("class/toy/toy0/vendor"); err != nil || string(b) != "0x8086\n" {
		t.Errorf("a relative path: %q, %v", b, err)
	}
	if b, err := os.ReadFile("../proc/self/../sys/dev/toy_paranoid"); err != nil || string(b) != "2\n" {
		t.Errorf("a relative path through /proc/self: %q, %v", b, err)
	}
}

func clientIoctl(t *testing.T) {
	f := openToy(t)
	if f.Fd() < firstFD {
		t.Errorf("the descriptor is %d", f.Fd())
	}
	var n uint64
	for want := uint64(1); want < 4; want++ {
		if _, err := request(f, toyCount, unsafe.Pointer(&n)); err != nil || n != want {
			t.Errorf("count: %d, %v", n, err)
		}
	}
	if _, err := requestInt(f, toyCount, 8); err != unix.EFAULT {
		t.Errorf("a bad address: %v", err)
	}
	if _, err := requestInt(f, 0x7477, 0); err != unix.ENOTTY {
		t.Errorf("an unknown request: %v", err)
	}
	i, err := f.Stat()
	if err != nil || i.Mode()&os.ModeCharDevice == 0 || i.Sys().(*syscall.Stat_t).Rdev != unix.Mkdev(240, 7) {
		t.Errorf("fstat: %v, %v", i, err)
	}
	if _, err := f.Seek(0, 0); !errors.Is(err, unix.ESPIPE) {
		t.Errorf("seek: %v", err)
	}
	if _, err := f.ReadAt(make([]byte, 8), 0); !errors.Is(err, unix.ESPIPE) {
		t.Errorf("pread: %v", err)
	}
	if _, err := f.Read(make([]byte, 8)); !errors.Is(err, unix.EINVAL) {
		t.Errorf("read: %v", err)
	}
	if _, err := f.Write(make([]byte, 8)); !errors.Is(err, unix.EINVAL) {
		t.Errorf("write: %v", err)
	}
	if s, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", f.Fd())); err != nil || s != "/dev/toy0" {
		t.Errorf("the descriptor's path: %q, %v", s, err)
	}
	if err := unix.IoctlSetInt(int(f.Fd()), fioclex, 0); err != nil {
		t.Errorf("FIOCLEX: %v", err)
	}
}

func clientPrivileged(t *testing.T) {
	f := openToy(t)
	if n, err := requestInt(f, toyPrivilege, 0); err != nil || fmt.Sprint(n) != os.Getenv("WANT_PRIVILEGED") {
		t.Errorf("privileged: %d, %v", n, err)
	}
}

func clientRepeat(t *testing.T) {
	f := openToy(t)
	for range 50 {
		_, _ = requestInt(f, toySleep, 0)
	}
}

func stream(t *testing.T, f *os.File, req, delay uintptr) int {
	t.Helper()
	fd, err := requestInt(f, req, delay)
	if err != nil || fd < firstFD {
		t.Fatalf("a file of the device: %d, %v", fd, err)
	}
	return fd
}

func clientPollable(t *testing.T) {
	f := openToy(t)
	fd := stream(t, f, toyPoll, byHand)
	b := make([]byte, 8)
	feedSoon(t, f)
	if n, err := unix.Read(fd, b); err != nil || string(b[:n]) != "data 001" {
		t.Errorf("a read that waits: %q, %v", b[:max(n, 0)], err)
	}
	if err := unix.SetNonblock(fd, true); err != nil {
		t.Fatal(err)
	}
	if _, err := unix.Read(fd, b); err != unix.EAGAIN {
		t.Errorf("a read that does not wait: %v", err)
	}
	pollAll(t, f, fd)
	// The runtime's poller, with a deadline.
	polled := stream(t, f, toyPoll, byHand)
	_ = unix.SetNonblock(polled, true)
	g := os.NewFile(uintptr(polled), "stream")
	defer g.Close()
	if err := g.SetReadDeadline(time.Now().Add(10 * time.Millisecond)); err != nil {
		t.Errorf("deadline: %v", err)
	}
	if _, err := g.Read(b); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("past the deadline: %v", err)
	}
	_ = g.SetReadDeadline(time.Time{})
	feedSoon(t, f)
	if n, err := g.Read(b); err != nil || n != 8 {
		t.Errorf("by epoll: %d, %v", n, err)
	}
	if err := unix.Close(fd); err != nil {
		t.Error(err)
	}
	if _, err := unix.Read(fd, b); err != unix.EBADF {
		t.Errorf("read after close: %v", err)
	}
	// readv.
	fd = stream(t, f, toyPoll, 0)
	x, y := make([]byte, 3), make([]byte, 9)
	if n, err := unix.Readv(fd, [][]byte{x, y}); err != nil || string(x)+string(y[:n-3]) != "data 001" {
		t.Errorf("readv: %d %q %q %v", n, x, y, err)
	}
}

// feedSoon gives the toy's streams data in a while, when somebody waits for it, as far as one can tell.
func feedSoon(t *testing.T, f *os.File) {
	t.Helper()
	var fed sync.WaitGroup
	fed.Go(func() {
		time.Sleep(20 * time.Millisecond)
		feed(t, f)
	})
	t.Cleanup(fed.Wait)
}

// feed gives the toy's streams data now.
func feed(t *testing.T, f *os.File) {
	if _, err := requestInt(f, toyFeed, 0); err != nil {
		t.Errorf("feed: %v", err)
	}
}

// pollAll polls a file that does not wait, and has no data, together with a pipe. In the end it has some.
func pollAll(t *testing.T, f *os.File, fd int) {
	t.Helper()
	var pipe [2]int
	if err := unix.Pipe(pipe[:]); err != nil {
		t.Fatal(err)
	}
	wait := func(timeout int, fds ...unix.PollFd) (int, []unix.PollFd) {
		for {
			n, err := unix.Poll(fds, timeout)
			if err == unix.EINTR {
				continue
			}
			if err != nil {
				t.Errorf("poll: %v", err)
			}
			return n, fds
		}
	}
	in := func(fd int) unix.PollFd { return unix.PollFd{Fd: int32(fd), Events: unix.POLLIN | unix.POLLOUT} }
	b := make([]byte, 8)
	if n, _ := wait(0, unix.PollFd{Fd: int32(fd), Events: unix.POLLIN}); n != 0 {
		t.Error("poll without a timeout finds data")
	}
	if n, _ := wait(5, unix.PollFd{Fd: int32(fd), Events: unix.POLLIN}, unix.PollFd{Fd: int32(pipe[0]), Events: unix.POLLIN}, unix.PollFd{Fd: -1}); n != 0 {
		t.Error("poll finds data too early")
	}
	feedSoon(t, f)
	n, p := wait(-1, unix.PollFd{Fd: int32(fd), Events: unix.POLLIN}, unix.PollFd{Fd: int32(pipe[0]), Events: unix.POLLIN})
	if n != 1 || p[0].Revents != unix.POLLIN || p[1].Revents != 0 {
		t.Errorf("poll: %d %+v", n, p)
	}
	if n, err := unix.Read(fd, b); err != nil || n != 8 {
		t.Errorf("read after poll: %v", err)
	}
	time.AfterFunc(20*time.Millisecond, func() { _, _ = unix.Write(pipe[1], b) })
	n, p = wait(-1, unix.PollFd{Fd: int32(pipe[0]), Events: unix.POLLIN}, unix.PollFd{Fd: int32(fd), Events: unix.POLLPRI})
	if n != 1 || p[0].Revents != unix.POLLIN {
		t.Errorf("poll of a pipe and the file: %d %+v", n, p)
	}
	feed(t, f)
	n, p = wait(-1, in(pipe[1]), in(fd), in(9999))
	if n < 2 || p[0].Revents != unix.POLLOUT || p[2].Revents != unix.POLLNVAL {
		t.Errorf("poll with what is no descriptor: %d %+v", n, p)
	}
	ts := unix.NsecToTimespec(int64(time.Minute * 5))
	for {
		n, err := unix.Ppoll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, &ts, nil)
		if err == unix.EINTR {
			continue
		}
		if n != 1 || err != nil {
			t.Errorf("ppoll: %d, %v", n, err)
		}
		break
	}
	_ = unix.Close(pipe[0])
	_ = unix.Close(pipe[1])
}

func clientMappable(t *testing.T) {
	f := openToy(t)
	fd := stream(t, f, toyMap, byHand)
	m, err := unix.Mmap(fd, 0, 8192, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil || string(m[5000:5014]) != "in the mapping" {
		t.Fatalf("mmap: %v", err)
	}
	if _, err := unix.Mmap(fd, 0, 8192, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED); err != unix.EACCES {
		t.Errorf("a mapping that can be written, of a file that cannot: %v", err)
	}
	_ = unix.SetNonblock(fd, true)
	pollAll(t, f, fd)
	set, err := unix.EpollCreate1(0)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.EpollCtl(set, unix.EPOLL_CTL_ADD, fd, &unix.EpollEvent{Events: unix.EPOLLIN, Fd: 77, Pad: 88}); err != nil {
		t.Fatalf("epoll_ctl: %v", err)
	}
	b := make([]byte, 8)
	if n, err := unix.Read(fd, b); n != 8 || err != nil {
		t.Errorf("what was polled for: %d, %v", n, err)
	}
	feedSoon(t, f)
	var ev [2]unix.EpollEvent
	n := 0
	for n, err = unix.EpollWait(set, ev[:], -1); err == unix.EINTR; n, err = unix.EpollWait(set, ev[:], -1) {
	}
	if n != 1 || err != nil || ev[0].Fd != 77 || ev[0].Pad != 88 {
		t.Errorf("epoll_wait: %d %v %+v", n, err, ev[0])
	}
	if err := unix.EpollCtl(set, unix.EPOLL_CTL_DEL, fd, nil); err != nil {
		t.Errorf("epoll_ctl: %v", err)
	}
	g := os.NewFile(uintptr(fd), "ring")
	if n, err := g.Read(b); err != nil || n != 8 {
		t.Errorf("by the runtime's poller: %d, %v", n, err)
	}
	feedSoon(t, f)
	if n, err := g.Read(b); err != nil || n != 8 {
		t.Errorf("by the runtime's poller, waiting: %d, %v", n, err)
	}
	_ = g.Close()
	_ = unix.Munmap(m)
}

func clientStress(t *testing.T) {
	f := openToy(t)
	stop := make(chan bool)
	var gc sync.WaitGroup
	for range 2 {
		gc.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					_ = make([]byte, 1<<16)
					runtime.GC()
				}
			}
		})
	}
	const each, workers = 300, 6
	seen := make([]bool, each*workers+1)
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for range each {
				var b [8]byte
				if _, err := request(f, toyCount, unsafe.Pointer(&b)); err != nil {
					t.Errorf("ioctl: %v", err)
				}
				v := binary.LittleEndian.Uint64(b[:])
				mu.Lock()
				if v == 0 || v >= uint64(len(seen)) || seen[v] {
					t.Errorf("the answer %d is lost or came twice", v)
				} else {
					seen[v] = true
				}
				mu.Unlock()
			}
		})
	}
	wg.Go(func() {
		for range 50 {
			fd := stream(t, f, toyPoll, 1)
			b := make([]byte, 8)
			for {
				if n, err := unix.Read(fd, b); err == unix.EINTR {
					continue
				} else if err != nil || n != 8 {
					t.Errorf("read: %d, %v", n, err)
				}
				break
			}
			if err := unix.Close(fd); err != nil {
				t.Errorf("close: %v", err)
			}
		}
	})
	wg.Wait()
	close(stop)
	gc.Wait()
}

func clientDescriptors(t *testing.T) {
	f := openToy(t)
	var n uint64
	count := func(fd int) error {
		_, _, e := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), toyCount, uintptr(unsafe.Pointer(&n)))
		if e != 0 {
			return e
		}
		return nil
	}
	a, err := unix.Dup(int(f.Fd()))
	if err != nil || a < firstFD || count(a) != nil {
		t.Fatalf("dup: %d, %v", a, err)
	}
	b, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 3)
	if err != nil || b < firstFD || count(b) != nil {
		t.Fatalf("fcntl: %d, %v", b, err)
	}
	if fl, err := unix.FcntlInt(uintptr(b), unix.F_GETFD, 0); err != nil || fl != unix.FD_CLOEXEC {
		t.Errorf("flags of the copy: %d, %v", fl, err)
	}
	if fl, err := unix.FcntlInt(f.Fd(), unix.F_GETFL, 0); err != nil || fl&unix.O_ACCMODE != unix.O_RDWR {
		t.Errorf("flags of the file: %#x, %v", fl, err)
	}
	if err := unix.Dup3(a, 700, unix.O_CLOEXEC); err != nil || count(700) != nil {
		t.Errorf("dup3: %v", err)
	}
	if err := unix.Dup2(a, 700); err != nil || count(700) != nil {
		t.Errorf("dup2: %v", err)
	}
	if err := unix.Dup2(a, 50); err != unix.EBADF {
		t.Errorf("dup2 below the emulated numbers: %v", err)
	}
	null, err := os.Open("/dev/null")
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.Dup2(int(null.Fd()), 700); err != nil || count(700) != unix.ENOTTY {
		t.Errorf("another file at an emulated number: %v", err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if count(a) != nil || count(b) != nil {
		t.Error("copies do not outlive the first descriptor")
	}
	if err := unix.CloseRange(uint(a), ^uint(0)>>32, 0); err != nil {
		t.Errorf("close_range: %v", err)
	}
	if err := count(a); err != unix.EBADF {
		t.Errorf("after close_range: %v", err)
	}
	var all []*os.File
	for range 30 {
		all = append(all, openToy(t))
	}
	for i, x := range all {
		if err := x.Close(); err != nil {
			t.Errorf("close %d: %v", i, err)
		}
	}
}

func clientUnplug(t *testing.T) {
	f := openToy(t)
	if _, err := requestInt(f, toyUnplug, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := requestInt(f, toySleep, 0); err != unix.ENODEV {
		t.Errorf("a request to a device that is gone: %v", err)
	}
	if _, err := os.Stat("/dev/toy0"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("its node: %v", err)
	}
	if _, err := os.Stat("/sys/class/toy/toy0"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("its link: %v", err)
	}
}

func clientFork(t *testing.T) {
	f := openToy(t)
	fd, err := unix.Dup(int(f.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	_ = f.Close()
	exe, _ := os.Executable()
	cmd := exec.Command("/bin/sh", "-c", `exec "$0" -test.run='^TestClient$'`, exe)
	cmd.Env = append(os.Environ(), "HWTEST_CLIENT=child", fmt.Sprintf("HWTEST_FD=%d", fd))
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = unix.Close(fd) // the child keeps it open
	_ = in.Close()     // and begins
	if err := cmd.Wait(); err != nil {
		t.Errorf("the child: %v\n%s", err, out.String())
	}
}

// clientChild uses a descriptor that it inherited, after its parent has closed it.
func clientChild(t *testing.T) {
	var fd int
	if _, err := fmt.Sscan(os.Getenv("HWTEST_FD"), &fd); err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, os.Stdin) // which ends when the parent has closed the descriptor
	var n uint64
	if _, _, e := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), toyCount, uintptr(unsafe.Pointer(&n))); e != 0 || n == 0 {
		t.Errorf("the inherited descriptor: %d, %v", n, e)
	}
}

// clientHang waits in a read for ever.
func clientHang(t *testing.T) {
	fd := stream(t, openToy(t), toyPoll, 1<<30)
	fmt.Println("hanging")
	_, _ = unix.Read(fd, make([]byte, 8))
}

// clientNested starts an emulation in an emulation, which the kernel does not allow.
func clientNested(t *testing.T) {
	r, err := Run(t.Context(), Options{Device: &toy{}, Cmd: exec.Command("/bin/true")})
	if !errors.Is(err, ErrUnsupported) || !strings.Contains(err.Error(), "seccomp(2)") {
		t.Errorf("an emulation in an emulation: %+v, %v", r, err)
	}
}

// clientExec leaves a descriptor to be closed by exec, and waits until that has been noticed.
func clientExec(t *testing.T) {
	openToy(t)
	t.Error(unix.Exec("/bin/sh", []string{"sh", "-c", "until [ $(/bin/cat /proc/sys/dev/toy_closes) = 1 ]; do sleep 0.05; done; /bin/cat /dev/toys/a; true"}, os.Environ()))
}
