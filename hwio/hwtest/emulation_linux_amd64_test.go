package hwtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

func TestProgramsSeeTheTreeAsIfItWereTheMachines(t *testing.T) { emulated(t, "tree") }

func TestRequestsReachTheModel(t *testing.T) {
	r := emulated(t, "ioctl")
	for _, want := range []string{"openat /dev/toy0  ", "ioctl 0xc0087401  0  x3\n", "ioctl 0x00007477  -25 ENOTTY x0\n", "close /dev/toy0  0  x0\n"} {
		if !strings.Contains(calls(r), want) {
			t.Errorf("the log lacks %q:\n%s", want, calls(r))
		}
	}
}

func TestPollableFilesWaitAndWake(t *testing.T) { emulated(t, "pollable") }
func TestMappableFilesAreSharedMemoryThatCanBePolled(t *testing.T) {
	emulated(t, "mappable")
}
func TestNoAnswerIsLostUnderLoad(t *testing.T) {
	r := emulated(t, "stress")
	if n := r.Truth.(toyTruth).count; n != 1800 {
		t.Errorf("the model answered %d requests, want 1800", n)
	}
}

// Go's runtime interrupts its threads by signals at any time. In the kernel one that comes while the poll of the
// listener waits for the filter's lock makes that poll answer POLLERR, which is no end.
func TestSignalsToTheSupervisorEndNothing(t *testing.T) {
	done := make(chan struct{})
	var sender sync.WaitGroup
	sender.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
			}
			tasks, _ := os.ReadDir("/proc/self/task")
			for _, e := range tasks {
				_ = unix.Tgkill(os.Getpid(), number(e.Name()), unix.SIGURG)
			}
		}
	})
	defer sender.Wait()
	defer close(done)
	for range 3 {
		if r := emulated(t, "stress"); r.Truth.(toyTruth).count != 1800 {
			t.Errorf("the model answered %d requests, want 1800", r.Truth.(toyTruth).count)
		}
	}
}

func TestDescriptorsCanBeCopiedAndClosedInAnyWay(t *testing.T) { emulated(t, "descriptors") }
func TestADeviceCanBeUnplugged(t *testing.T)                   { emulated(t, "unplug") }
func TestChildrenInheritDescriptors(t *testing.T)              { emulated(t, "fork") }

func TestPrivilegesAreThoseOfTheThreadUnlessTakenAway(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Setenv("WANT_PRIVILEGED", "1")
	} else {
		t.Setenv("WANT_PRIVILEGED", "0")
	}
	r := emulated(t, "privileged")
	if !strings.Contains(calls(r), "ioctl 0x00007405 asked") {
		t.Errorf("the log lacks the model's note:\n%s", calls(r))
	}
	t.Setenv("WANT_PRIVILEGED", "0")
	emulated(t, "privileged", Unprivileged)
}

func TestEqualCallsAreFoldedInTheLog(t *testing.T) {
	r := emulated(t, "repeat")
	if !strings.Contains(calls(r), "ioctl 0x00007406  0  x50\n") {
		t.Errorf("log:\n%s", calls(r))
	}
}

func TestTheExitStatusIsPassedOn(t *testing.T) {
	for script, want := range map[string]int{"exit 3": 3, "kill -TERM $$": 128 + 15, "true": 0} {
		if r, _ := runToy(t, exec.Command("/bin/sh", "-c", script)); r.Exit != want {
			t.Errorf("%s: exit status %d, want %d", script, r.Exit, want)
		}
	}
}

func TestEmulationsDoNotNest(t *testing.T) { emulated(t, "nested") }

func TestAProgramThatCannotStartIsAnError(t *testing.T) {
	cmd := exec.Command("/bin/sh")
	cmd.Path = "/no/such/program"
	_, err := Run(t.Context(), Options{Device: &toy{}, Cmd: cmd})
	if errors.Is(err, ErrUnsupported) {
		t.Skipf("EMULATION SKIPPED: %v", err)
	}
	if err == nil || !strings.Contains(err.Error(), "/no/such/program: no such file") {
		t.Errorf("error %v", err)
	}
	if _, err := Run(t.Context(), Options{Device: &toy{}, Cmd: exec.Command("no-such-program-anywhere")}); !errors.Is(err, exec.ErrNotFound) {
		t.Errorf("a name that PATH does not have: %v", err)
	}
}

func TestSignalsReachTheProgram(t *testing.T) {
	cmd := exec.Command("/bin/sh", "-c", "trap 'exit 9' INT; echo ready; while :; do sleep 0.02; done")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	signals := make(chan os.Signal, 1)
	go func() {
		_, _ = io.ReadFull(out, make([]byte, 6))
		signals <- os.Interrupt
	}()
	r, err := Run(t.Context(), Options{Device: &toy{}, Cmd: cmd, Signals: signals})
	if errors.Is(err, ErrUnsupported) {
		t.Skipf("EMULATION SKIPPED: %v", err)
	}
	if err != nil || r.Exit != 9 {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestTheContextEndsAProgramThatWaitsForTheDevice(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, "-test.run=^TestClient$")
	cmd.Env = append(os.Environ(), "HWTEST_CLIENT=hang")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	dev := &toy{waits: make(chan struct{})}
	go func() {
		_, _ = io.ReadFull(out, make([]byte, 8))
		<-dev.waits
		cancel()
	}()
	r, err := Run(ctx, Options{Device: dev, Cmd: cmd})
	if errors.Is(err, ErrUnsupported) {
		t.Skipf("EMULATION SKIPPED: %v", err)
	}
	if !errors.Is(err, context.Canceled) || r.Exit != 128+9 {
		t.Errorf("%+v, %v", r, err)
	}
	if dev.opens != 2 || dev.closes != 2 {
		t.Errorf("%d files opened and %d closed", dev.opens, dev.closes)
	}
}

func TestWhatExecClosesIsClosedForTheDevice(t *testing.T) {
	r := emulated(t, "exec")
	if order := r.Truth.(toyTruth).order; order != "open close open close" {
		t.Errorf("the device saw %s", order)
	}
}

func TestTheLogKeepsItsBeginningAndItsEnd(t *testing.T) {
	l := newCallLog(10)
	for i := range 100 {
		l.add(Entry{Call: "ioctl", What: fmt.Sprint(i)})
		l.add(Entry{Call: "ioctl", What: fmt.Sprint(i)})
	}
	var got []string
	for _, e := range l.entries() {
		got = append(got, e.What)
	}
	want := "0 1 2 3 4 90 entries of the log are left out here 95 96 97 98 99"
	if s := strings.Join(got, " "); s != want {
		t.Errorf("the log is %s, want %s", s, want)
	}
	if e := l.entries(); e[10].Count != 2 || e[5].Count != 90 {
		t.Errorf("counts: %+v", e)
	}
}

func FuzzPathsStayInTheTree(f *testing.F) {
	s := &Settings{}
	t, err := newTree(s)
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = t.close() })
	if err := (&toy{}).Start(t); err != nil {
		f.Fatal(err)
	}
	for _, p := range []string{"/sys/class/toy/toy0/../toy0/vendor", "/proc/self/fd/0", "//dev/./toy0/", "/sys/class/toy/abs/deep/../../..", "/.."} {
		f.Add(p, true)
	}
	f.Fuzz(func(tt *testing.T, p string, follow bool) {
		if strings.ContainsRune(p, 0) || len(p) > 4096 {
			return
		}
		pl := t.resolve("/"+p, follow, os.Getpid(), os.Getpid())
		if pl.err != nil {
			return
		}
		if pl.path != path.Clean(pl.path) || pl.in && pl.fail == 0 && pl.host != t.root+pl.path || !pl.in && pl.host != pl.path {
			tt.Errorf("%q leads to %+v", p, pl)
		}
	})
}
