//go:build linux

package cli

import (
	"bytes"
	"os"
	"os/exec"
	"testing"

	"github.com/creack/pty"

	"astrolabe/hwio/hwtest/programs"
)

// BenchmarkFirstPrompt measures the time from the start of the process on a terminal to its prompt.
func BenchmarkFirstPrompt(b *testing.B) {
	dir := b.TempDir()
	exe := programs.Path(b, "astrolabe")
	buf := make([]byte, 4096)
	for b.Loop() {
		cmd := exec.Command(exe)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "TERM=xterm", "XDG_STATE_HOME="+dir, "XDG_CONFIG_HOME="+dir)
		tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 40, Cols: 120})
		if err != nil {
			b.Skipf("no pseudo-terminal here: %v", err)
		}
		var shown []byte
		for !bytes.Contains(shown, []byte(">>> ")) {
			n, err := tty.Read(buf)
			if err != nil {
				b.Fatalf("%v after %q", err, shown)
			}
			shown = append(shown, buf[:n]...)
		}
		b.StopTimer()
		cmd.Process.Kill()
		cmd.Wait()
		tty.Close()
		b.StartTimer()
	}
}
