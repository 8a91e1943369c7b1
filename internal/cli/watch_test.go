package cli

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// program is the path of the command line as a program of its own, which testscript puts into PATH.
func program(t *testing.T) string {
	t.Helper()
	exe, err := exec.LookPath("astrolabe")
	if err != nil {
		t.Fatal(err)
	}
	return exe
}

func TestWatchRunsAgainWhenTheScriptOrWhatItLoadsChanges(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no interrupt can be sent to a process there")
	}
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("main.star", "load(\"lib.star\", \"n\")\nprint(\"n is\", n)\n")
	write("lib.star", "n = 1\n")
	cmd := exec.Command(program(t), "run", "--watch", "main.star")
	cmd.Dir = dir
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = cmd.Stdout
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := make(chan string, 100)
	go func() {
		defer close(lines)
		for s := bufio.NewScanner(out); s.Scan(); {
			lines <- s.Text()
		}
	}()
	defer cmd.Process.Kill()
	await := func(want string) {
		t.Helper()
		var seen []string
		for {
			select {
			case line, ok := <-lines:
				if !ok {
					t.Fatalf("the program ended before %q: %q", want, seen)
				}
				seen = append(seen, line)
				if strings.Contains(line, want) {
					return
				}
			case <-time.After(stuck):
				t.Fatalf("no %q in %q", want, seen)
			}
		}
	}
	await("n is 1")
	await("watching 2 files")
	write("lib.star", "n = 222\n")
	await("n is 222")
	await("watching 2 files")
	write("main.star", "load(\"lib.star\", \"n\")\nload(\"more.star\", \"m\")\nprint(\"m is\", m)\n")
	await("more.star does not exist")
	await("watching 3 files")
	write("more.star", "m = 4\n")
	await("m is 4")
	await("watching 3 files")
	write("main.star", "fail(\"on purpose\")\n")
	await("on purpose")
	await("watching 1 file;")
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	for range lines {
	}
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != statusInterrupted {
		t.Errorf("exit status %d, want %d", code, statusInterrupted)
	}
}
