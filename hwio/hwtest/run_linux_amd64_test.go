package hwtest

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// toy is a device with one node, through which each kind of file can be had.
type toy struct {
	mu     sync.Mutex
	m      Machine
	opens  int
	closes int
	calls  map[uint32]int
	seq    uint64
	dead   bool
	order  []string // of opens and closes
	fed    []*toyStream
	// waits, where not nil, is closed when a stream had nothing to read.
	waits chan struct{}
	once  sync.Once
}

// byHand as the delay of a stream means that it has data when toyFeed says so.
const byHand = 1 << 20

// Requests of the toy.
const (
	toyCount     = 0xc0087401 // puts the next number into a u64
	toyPoll      = 0x00007402 // a file that can be polled; arg is the delay of its first data in ms
	toyMap       = 0x00007403 // one that can be mapped and polled
	toyUnplug    = 0x00007404
	toyPrivilege = 0x00007405 // 1 if privileged
	toySleep     = 0x00007406 // arg ms
	toyFeed      = 0x00007407 // gives its streams data
)

func (t *toy) Start(m Machine) error {
	t.m, t.calls = m, map[uint32]int{}
	m.Own("/sys/class/toy")
	m.Own("/dev/toys")
	m.File("/sys/devices/toybus/toy0/vendor", "0x8086\n")
	m.File("/sys/devices/toybus/toy0/deep/file", "deep\n")
	m.Link("/sys/class/toy/toy0", "../../devices/toybus/toy0")
	m.Link("/sys/devices/toybus/toy0/subsystem", "../../../class/toy")
	m.Link("/sys/class/toy/abs", "/sys/devices/toybus/toy0")
	m.Dir("/sys/class/toy/empty")
	m.Link("/sys/class/toy/loop", "../toy/loop")
	m.File("/proc/sys/dev/toy_paranoid", "2\n")
	m.File("/proc/sys/dev/toy_closes", "0\n")
	m.Node("/dev/toy0", 240, 7, 0o666, t)
	m.Node("/dev/toys/private", 240, 10, 0o600, t)
	m.Node("/dev/toys/a", 240, 8, 0o666, t)
	m.Node("/dev/toys/broken", 240, 9, 0o666, t)
	m.Fail("/dev/toys/broken", unix.EIO)
	return nil
}

type toyTruth struct {
	opens, closes, count int
	order                string
}

func (t *toy) Truth() any {
	t.mu.Lock()
	defer t.mu.Unlock()
	return toyTruth{t.opens, t.closes, int(t.seq), strings.Join(t.order, " ")}
}

func (t *toy) Stop() {}

func (t *toy) Open(c *Call, flags int) (File, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.dead {
		return nil, unix.ENODEV
	}
	t.opens++
	t.order = append(t.order, "open")
	return &toyFile{t}, nil
}

func (t *toy) closed() {
	t.mu.Lock()
	t.closes++
	n := t.closes
	t.order = append(t.order, "close")
	t.mu.Unlock()
	t.m.File("/proc/sys/dev/toy_closes", fmt.Sprintln(n))
}

type toyFile struct{ t *toy }

func (f *toyFile) String() string { return "toy" }

func (f *toyFile) Ioctl(c *Call, request uint32, arg uint64) (int64, error) {
	t := f.t
	t.mu.Lock()
	t.calls[request]++
	dead := t.dead
	t.mu.Unlock()
	if dead {
		return 0, unix.ENODEV
	}
	switch request {
	case toyCount:
		t.mu.Lock()
		t.seq++
		n := t.seq
		t.mu.Unlock()
		return 0, c.Write(arg, binary.LittleEndian.AppendUint64(nil, n))
	case toyPoll:
		t.mu.Lock()
		t.opens++
		t.mu.Unlock()
		return c.Install(&toyStream{t: t, delay: time.Duration(arg) * time.Millisecond}, true, false)
	case toyMap:
		t.mu.Lock()
		t.opens++
		t.mu.Unlock()
		return c.Install(&toyRing{toyStream: toyStream{t: t, delay: time.Duration(arg) * time.Millisecond}}, true, false)
	case toyUnplug:
		t.mu.Lock()
		t.dead = true
		t.mu.Unlock()
		t.m.Remove("/dev/toy0")
		t.m.Remove("/sys/class/toy/toy0")
		return 0, nil
	case toyPrivilege:
		c.Note("asked")
		if c.Privileged {
			return 1, nil
		}
		return 0, nil
	case toyFeed:
		t.mu.Lock()
		fed := slices.Clone(t.fed)
		t.mu.Unlock()
		for _, s := range fed {
			s.give()
		}
		return 0, nil
	case toySleep:
		time.Sleep(time.Duration(arg) * time.Millisecond)
		return 0, nil
	}
	return 0, unix.ENOTTY
}

func (f *toyFile) Read(*Call, int) ([]byte, error) { return nil, unix.EINVAL }
func (f *toyFile) Close()                          { f.t.closed() }

// toyStream has data some time after it was attached, and again whenever it was read; or when it is fed.
type toyStream struct {
	t     *toy
	delay time.Duration
	mu    sync.Mutex
	r     *Readiness
	have  bool
	n     int
}

func (s *toyStream) String() string { return "toy stream" }

func (s *toyStream) Attach(r *Readiness) {
	s.r = r
	if s.delay == byHand*time.Millisecond {
		s.t.mu.Lock()
		s.t.fed = append(s.t.fed, s)
		s.t.mu.Unlock()
	}
	s.arm()
}

func (s *toyStream) arm() {
	if s.delay != byHand*time.Millisecond {
		time.AfterFunc(s.delay, s.give)
	}
}

func (s *toyStream) give() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.have = true
	s.r.Set(true)
}

func (s *toyStream) Ioctl(*Call, uint32, uint64) (int64, error) { return 0, unix.ENOTTY }

func (s *toyStream) Read(_ *Call, n int) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.have {
		s.t.once.Do(func() {
			if s.t.waits != nil {
				close(s.t.waits)
			}
		})
		return nil, unix.EAGAIN
	}
	s.have = false
	s.r.Set(false)
	s.n++
	s.arm()
	return fmt.Appendf(nil, "data %03d", s.n)[:min(n, 8)], nil
}

func (s *toyStream) Close() { s.t.closed() }

type toyRing struct {
	toyStream
	mem []byte
}

func (s *toyRing) Mapping() int { return 8192 }

func (s *toyRing) SetMapping(b []byte) {
	s.mem = b
	copy(b[5000:], "in the mapping")
}

// emulated runs this test binary as the client of that name on a toy, and fails the test unless it exits with 0.
func emulated(t *testing.T, client string, scenarios ...string) *Result {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, "-test.run=^TestClient$", "-test.v=false")
	cmd.Env = append(os.Environ(), "HWTEST_CLIENT="+client)
	r, out := runToy(t, cmd, scenarios...)
	if r.Exit != 0 {
		t.Fatalf("the client %s exits with %d:\n%s", client, r.Exit, out)
	}
	return r
}

func runToy(t *testing.T, cmd *exec.Cmd, scenarios ...string) (*Result, string) {
	t.Helper()
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	r, err := Run(ctx, Options{Device: &toy{}, Settings: Settings{Scenarios: scenarios}, Cmd: cmd})
	if errors.Is(err, ErrUnsupported) {
		t.Skipf("EMULATION SKIPPED: %v", err)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	truth := r.Truth.(toyTruth)
	if truth.opens != truth.closes {
		t.Errorf("the device saw %d files opened and %d closed", truth.opens, truth.closes)
	}
	return r, out.String()
}

func calls(r *Result) string {
	var b strings.Builder
	for _, e := range r.Calls {
		fmt.Fprintf(&b, "%s %s %s %d %s x%d\n", e.Call, e.What, e.Detail, e.Result, e.Errno, e.Count)
	}
	return b.String()
}
