//go:build linux

package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"astrolabe/capture/formats"
	"astrolabe/capture/formats/all"
	"astrolabe/hwio/hwtest/programs"
)

// built is the path of the program that a test of signals runs: the real one, because go run and a test program answer
// signals in their own way.
func built(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("builds the program")
	}
	return programs.Path(t, "astrolabe")
}

// ended waits for a command and returns its exit status, 128 and more for a signal.
func ended(t *testing.T, cmd *exec.Cmd) int {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	select {
	case err := <-done:
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			if ws := exit.Sys().(syscall.WaitStatus); ws.Signaled() {
				return 128 + int(ws.Signal())
			}
			return exit.ExitCode()
		}
		return 0
	case <-time.After(stuck):
		cmd.Process.Kill()
		t.Fatal("the program does not end")
		return -1
	}
}

// samplesIn is how many samples a recording holds that may go on, 0 while it is no file yet.
func samplesIn(path string) int {
	c, err := all.Registry().Open(context.Background(), path, formats.Options{})
	if err != nil {
		return 0
	}
	return c.Len()
}

// growing waits until a recording has got twenty samples more, however long these take.
func growing(t *testing.T, path string) {
	t.Helper()
	had := samplesIn(path)
	for begin := time.Now(); time.Since(begin) < stuck; time.Sleep(20 * time.Millisecond) {
		if samplesIn(path) >= had+20 {
			return
		}
	}
	t.Fatalf("%s does not grow", path)
}

func TestBuiltProgramAnswersSignals(t *testing.T) {
	exe := built(t)
	dir := t.TempDir()
	start := func(args ...string) (*exec.Cmd, *strings.Builder) {
		cmd := exec.Command(exe, args...)
		cmd.Dir = dir
		var out strings.Builder
		cmd.Stdout = &out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return cmd, &out
	}
	samples := func(t *testing.T, name string) int {
		t.Helper()
		return samplesIn(filepath.Join(dir, name))
	}

	t.Run("Ctrl-C is the ordinary end of a recording", func(t *testing.T) {
		cmd, out := start("record", "--source=procfs", "--period=5ms", "-o", "int.arrow")
		growing(t, filepath.Join(dir, "int.arrow"))
		cmd.Process.Signal(os.Interrupt)
		if code := ended(t, cmd); code != 0 {
			t.Errorf("exit status %d", code)
		}
		if out.String() != "int.arrow\n" {
			t.Errorf("printed %q", out)
		}
		if n := samples(t, "int.arrow"); n < 10 {
			t.Errorf("%d samples", n)
		}
	})
	t.Run("a killed recorder leaves what it had written", func(t *testing.T) {
		cmd, _ := start("record", "--source=procfs", "--period=5ms", "-o", "kill.arrow")
		growing(t, filepath.Join(dir, "kill.arrow"))
		cmd.Process.Kill()
		ended(t, cmd)
		if n := samples(t, "kill.arrow"); n < 10 {
			t.Errorf("%d samples", n)
		}
	})
	t.Run("Ctrl-C ends a script with 130", func(t *testing.T) {
		if err := os.WriteFile(filepath.Join(dir, "endless.star"),
			[]byte("print('begun')\nfor i in range(1 << 50):\n    pass\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{{"run", "endless.star"},
			{"-c", "print('begun')\nfor i in range(1 << 50): pass"}} {
			cmd := exec.Command(exe, args...)
			cmd.Dir = dir
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			if line, err := bufio.NewReader(out).ReadString('\n'); line != "begun\n" {
				t.Errorf("%v: printed %q, %v", args, line, err)
			}
			cmd.Process.Signal(os.Interrupt)
			if code := ended(t, cmd); code != 130 {
				t.Errorf("%v: exit status %d", args, code)
			}
		}
	})
	t.Run("a recording and a report go on where nobody reads what the program says", func(t *testing.T) {
		gone := func(while func(), args ...string) int {
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(exe, args...)
			cmd.Dir, cmd.Stdout, cmd.Stderr = dir, w, w
			err = cmd.Start()
			r.Close()
			w.Close()
			if err != nil {
				t.Fatal(err)
			}
			while()
			return ended(t, cmd)
		}
		// The program that is recorded ends when the test lets it.
		let := filepath.Join(dir, "let")
		if err := syscall.Mkfifo(let, 0o600); err != nil {
			t.Fatal(err)
		}
		hold, err := os.OpenFile(let, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer hold.Close()
		code := gone(func() {
			growing(t, filepath.Join(dir, "pipe.arrow"))
			hold.WriteString("end\n")
		}, "record", "--source=procfs", "--period=5ms", "-o", "pipe.arrow", "--", "sh", "-c", "read line < let")
		if code != 141 {
			t.Errorf("record: exit status %d", code)
		}
		if n := samples(t, "pipe.arrow"); n < 10 {
			t.Errorf("%d samples", n)
		}
		if code := gone(func() {}, "report", "pipe.arrow", "-o", "pipe.json"); code != 141 {
			t.Errorf("report: exit status %d", code)
		}
		if _, err := os.Stat(filepath.Join(dir, "pipe.json")); err != nil {
			t.Error(err)
		}
	})
	t.Run("a failing script ends with 1", func(t *testing.T) {
		cmd, _ := start("-c", "fail('x')")
		if code := ended(t, cmd); code != 1 {
			t.Errorf("exit status %d", code)
		}
	})
}

// kernelCount reads one of the machine's counts from /proc/stat.
func kernelCount(t *testing.T, name string) uint64 {
	t.Helper()
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) == 2 && f[0] == name {
			n, err := strconv.ParseUint(f[1], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
	}
	t.Skip("SKIPPED: this kernel does not count", name)
	return 0
}

// What the kernel counted while the recorder was not run is in the recording, which says when that was, and that
// nothing is missing.
func TestAStoppedRecorderLosesNoCountAndSaysWhenItWasStopped(t *testing.T) {
	exe := built(t)
	path := filepath.Join(t.TempDir(), "stopped.arrow")
	before := kernelCount(t, "ctxt")
	cmd := exec.Command(exe, "record", "--source", "procfs", "--counters", "ctxt", "--period", "5ms", "--duration",
		"1h", "-o", path)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	growing(t, path)
	began := kernelCount(t, "ctxt")
	signal := func(s syscall.Signal) {
		if err := cmd.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
	}
	signal(syscall.SIGSTOP)
	status := fmt.Sprintf("/proc/%d/stat", cmd.Process.Pid)
	for state := ""; state != "T"; time.Sleep(time.Millisecond) {
		text, err := os.ReadFile(status)
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(text), ") ")
		state = rest[:1]
	}
	since := time.Now()
	time.Sleep(200 * time.Millisecond) // this is at least how long it is stopped, and it may be longer
	stopped := time.Since(since)
	signal(syscall.SIGCONT)
	growing(t, path)
	until := kernelCount(t, "ctxt")
	signal(syscall.SIGINT)
	if status := ended(t, cmd); status != 0 && status != statusInterrupted {
		t.Fatalf("exit status %d", status)
	}
	after := kernelCount(t, "ctxt")

	c, err := all.Registry().Open(t.Context(), path, formats.Options{})
	if err != nil {
		t.Fatal(err)
	}
	got, exact := c.Counter("ctxt").Sum().Uint64()
	if !exact || got < until-began || got > after-before {
		t.Errorf("%d context switches: the kernel counted from %d to %d", got, until-began, after-before)
	}
	longest := int64(0)
	for _, l := range c.Late {
		longest = max(longest, l.End-l.Start)
	}
	if longest < stopped.Nanoseconds() || len(c.Gaps) != 0 || c.Measured() != c.Duration() {
		t.Errorf("stopped for %v: the longest late span has %d ns; gaps %+v; %d of %d ns measured", stopped, longest,
			c.Gaps, c.Measured(), c.Duration())
	}
}
