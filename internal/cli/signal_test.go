//go:build linux

package cli

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"astrolabe/capture/formats"
	"astrolabe/capture/formats/all"
)

// built is the path of the program that a test of signals runs: the real one, because go run and a test program answer signals in
// their own way.
func built(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("builds the program")
	}
	exe := filepath.Join(t.TempDir(), "astrolabe")
	out, err := exec.Command("go", "build", "-o", exe, "astrolabe").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return exe
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
	case <-time.After(30 * time.Second):
		cmd.Process.Kill()
		t.Fatal("the program does not end")
		return -1
	}
}

// growing waits until a recording has been written to several times.
func growing(t *testing.T, path string) {
	t.Helper()
	grown, last := 0, int64(-1)
	for range 600 {
		if info, err := os.Stat(path); err == nil && info.Size() > last {
			grown++
			last = info.Size()
		}
		if grown == 4 {
			return
		}
		time.Sleep(50 * time.Millisecond)
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
		c, err := all.Registry().Open(context.Background(), filepath.Join(dir, name), formats.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return c.Len()
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
		if err := os.WriteFile(filepath.Join(dir, "endless.star"), []byte("for i in range(1 << 50):\n    pass\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{{"run", "endless.star"}, {"-c", "for i in range(1 << 50): pass"}} {
			cmd, _ := start(args...)
			time.Sleep(500 * time.Millisecond)
			begin := time.Now()
			cmd.Process.Signal(os.Interrupt)
			if code := ended(t, cmd); code != 130 {
				t.Errorf("%v: exit status %d", args, code)
			}
			if took := time.Since(begin); took > 5*time.Second {
				t.Errorf("%v: took %v", args, took)
			}
		}
	})
	t.Run("a recording and a report go on where nobody reads what the program says", func(t *testing.T) {
		gone := func(args ...string) int {
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
			return ended(t, cmd)
		}
		if code := gone("record", "--source=procfs", "--period=5ms", "-o", "pipe.arrow", "--", "sleep", "0.5"); code != 141 {
			t.Errorf("record: exit status %d", code)
		}
		if n := samples(t, "pipe.arrow"); n < 10 {
			t.Errorf("%d samples", n)
		}
		if code := gone("report", "pipe.arrow", "-o", "pipe.json"); code != 141 {
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
