//go:build linux

package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
)

func TestBuiltProgramOpensASessionOnATerminal(t *testing.T) {
	exe := built(t)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "wide.csv"), []byte("time,requests_read,requests_written\n0,1,2\n1,3,4\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, "repl", "wide.csv")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "TERM=xterm", "XDG_STATE_HOME="+dir)
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 40, Cols: 120})
	if err != nil {
		t.Skipf("no pseudo-terminal here: %v", err)
	}
	defer tty.Close()
	defer cmd.Process.Kill()

	shown := make(chan string)
	go func() {
		buf := make([]byte, 4096)
		for {
			n, err := tty.Read(buf)
			if n > 0 {
				shown <- string(buf[:n])
			}
			if err != nil {
				close(shown)
				return
			}
		}
	}()
	text := ""
	wait := func(want string) {
		t.Helper()
		late := time.After(15 * time.Second)
		for !strings.Contains(text, want) {
			select {
			case s, ok := <-shown:
				if !ok {
					t.Fatalf("the program ended before it showed %q: %q", want, text)
				}
				text += s
			case <-late:
				t.Fatalf("%q was not shown: %q", want, text)
			}
		}
		_, text, _ = strings.Cut(text, want)
	}
	send := func(keys string) {
		t.Helper()
		if _, err := tty.WriteString(keys); err != nil {
			t.Fatal(err)
		}
	}
	wait("cap = Capture wide")
	wait(">>> ")
	send("cap[\"req\t") // what both counters share
	wait("cap[\"requests_")
	send("wr\t\"].total()\r")
	wait("l6\r\n")
	send("x = [cap.resample(\"1ms\") for i in range(100000000)]\r")
	time.Sleep(time.Second)
	send("\x03") // in a builtin of ours
	wait("interrupted\r\n")
	wait(">>> ")
	send(":save done.star\r")
	wait("l" + "done.star\r\n")
	wait(">>> ")
	send("\x04")
	go func() {
		for range shown { // the program writes to the end
		}
	}()
	if code := ended(t, cmd); code != 0 {
		t.Errorf("exit status %d", code)
	}
	saved, err := os.ReadFile(filepath.Join(dir, "done.star"))
	if want := "cap = capture.open(\"wide.csv\")\nprint(cap[\"requests_written\"].total())\n"; err != nil || string(saved) != want {
		t.Errorf("saved %q, %v; want %q", saved, err, want)
	}
	out, err := exec.Command(exe, "--allow-read="+dir, "run", filepath.Join(dir, "done.star")).CombinedOutput()
	if err == nil || !strings.Contains(string(out), "wide.csv") { // a relative path is relative to the working directory
		t.Errorf("the saved script run elsewhere: %v, %s", err, out)
	}
}
