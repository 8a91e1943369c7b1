//go:build unix

package repl

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
)

// TestAnInterruptAtTheEndOfAStatementEndsNoSession sends the signal as the statement returns: it is neither this one's
// second interrupt nor one of the next. A session that took it so ended this program with status 130.
func TestAnInterruptAtTheEndOfAStatementEndsNoSession(t *testing.T) {
	came := make(chan os.Signal, 1)
	signal.Notify(came, os.Interrupt)
	defer signal.Stop(came)
	var talk bytes.Buffer
	for range 2000 {
		err := interruptible(context.Background(), &talk, func(context.Context) error {
			return syscall.Kill(os.Getpid(), syscall.SIGINT)
		})
		if err != nil {
			t.Fatal(err)
		}
		<-came
	}
	if talk.Len() > 0 {
		t.Errorf("it says %q", talk.String())
	}
}

// TestASecondInterruptSaysThatItEndsTheSession has pipes instead of a terminal, which throws away what was not read
// where a signal is typed.
func TestASecondInterruptSaysThatItEndsTheSession(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), sessionVariable+"=1", "XDG_STATE_HOME="+home, "XDG_CONFIG_HOME="+home)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	talk, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() })
	interruptAfter := func(r *bufio.Reader, want string) {
		t.Helper()
		for {
			line, err := r.ReadString('\n')
			if strings.Contains(line, want) {
				break
			}
			if err != nil {
				t.Fatalf("no %q: %v", want, err)
			}
		}
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := io.WriteString(in, "hold()\n"); err != nil {
		t.Fatal(err)
	}
	interruptAfter(bufio.NewReader(out), "holding now")
	said := bufio.NewReader(talk)
	interruptAfter(said, "a second Ctrl-C does not wait")
	rest, err := io.ReadAll(said)
	if err != nil || !strings.Contains(string(rest), "ended by a second interrupt") {
		t.Errorf("it says %q, %v", rest, err)
	}
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != statusInterrupted {
		t.Errorf("exit status %d", code)
	}
}
