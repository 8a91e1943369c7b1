//go:build linux

package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Ctrl-C during capture.record threw away what had been measured, and bound nothing.
func TestCtrlCEndsARecordingOfASessionAndKeepsIt(t *testing.T) {
	exe := built(t)
	dir := t.TempDir()
	s := openConsole(t, exe, dir, "", nil)
	s.wait(prompted)
	s.send("cap = capture.record(\"procfs\", period=\"5ms\", duration=\"1h\", out=\"kept.arrow\")\r")
	growing(t, filepath.Join(dir, "kept.arrow"))
	s.send("\x03")
	said := s.wait(prompted)
	for _, want := range []string{"the recording was ended by Ctrl-C and holds", "kept.arrow"} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is not said: %q", want, said)
		}
	}
	if out := s.enter("print(cap.samples > 10, cap.duration > 0.01)"); !strings.Contains(out, "True True") {
		t.Errorf("cap is not what was measured: %q", out)
	}
	// The second Ctrl-C of a statement stops it: a loop does not go on for ever.
	s.send(
		"caps = [capture.record(\"procfs\", period=\"5ms\", duration=\"1h\", out=\"loop%d.arrow\" % i) for i in range(9)]\r")
	growing(t, filepath.Join(dir, "loop0.arrow"))
	s.send("\x03")
	growing(t, filepath.Join(dir, "loop1.arrow"))
	s.send("\x03")
	if said := s.wait(prompted); !strings.Contains(said, "interrupted") || !strings.Contains(said, "loop1.arrow") {
		t.Errorf("after the second Ctrl-C: %q", said)
	}
	if _, err := os.Stat(filepath.Join(dir, "loop2.arrow")); err == nil {
		t.Error("the loop went on")
	}
	if out := s.enter("print(capture.open(\"loop1.arrow\").samples > 10)"); !strings.Contains(out, "True") {
		t.Errorf("the second recording is lost: %q", out)
	}
}

func TestAScriptThatIsInterruptedNamesTheRecordingThatItLeaves(t *testing.T) {
	exe := built(t)
	dir := t.TempDir()
	cmd := exec.Command(exe, "-c",
		"c = capture.record('procfs', period='5ms', duration='1h', out='left.arrow')\nprint('went on')")
	cmd.Dir = dir
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	growing(t, filepath.Join(dir, "left.arrow"))
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if code := ended(t, cmd); code != 130 || strings.Contains(out.String(), "went on") ||
		!strings.Contains(out.String(), "\nleft.arrow\n") {
		t.Errorf("exit status %d: %s", code, out.String())
	}
}
