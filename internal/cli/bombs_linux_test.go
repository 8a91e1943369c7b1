package cli

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"astrolabe/capture/memory"
	"astrolabe/internal/longtests"
)

// bombLimit is what the bombs are held against, in megabytes. They are as much larger as it is, so that -bomb-limit=512
// takes some minutes.
var bombLimit = flag.Int("bomb-limit", 128, "limit of memory in MB that the tests of bombs set")

// underLimit runs the program and returns how it ended, what it said, and the most that it had in memory beside mapped
// files, in bytes.
func underLimit(t *testing.T, args ...string) (status int, said string, resident int64) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	left := filepath.Join(dir, "memory")
	var errs bytes.Buffer
	cmd := &exec.Cmd{Path: exe, Args: append([]string{"astrolabe"}, args...), Stderr: &errs, Dir: dir,
		Env: append(os.Environ(), memoryFile+"="+left, "XDG_STATE_HOME="+dir)}
	cmd.Run()
	text, err := os.ReadFile(left)
	if err != nil {
		t.Errorf("the program ended itself, or was ended: %s", errs.String())
	}
	for line := range strings.Lines(string(text)) {
		name, rest, _ := strings.Cut(line, ":")
		kib, _ := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 10, 64)
		switch name {
		case "VmHWM":
			resident += kib << 10
		case "RssFile":
			resident -= kib << 10
		}
	}
	return cmd.ProcessState.ExitCode(), errs.String(), resident
}

func limitFlag() string { return fmt.Sprintf("--max-memory=%dMB", *bombLimit) }

func limitBytes() int64 { return int64(*bombLimit) * 1e6 }

// holds checks that a command ends with an error that names the limit and the file, and never has more than an eighth
// above the limit.
func holds(t *testing.T, path string, args ...string) {
	t.Helper()
	if len(args) == 0 {
		args = []string{"stat", path}
	}
	status, said, resident := underLimit(t, append([]string{limitFlag()}, args...)...)
	want := "memory limit " + memory.Text(uint64(limitBytes())) + " reached"
	if status != 1 || !strings.Contains(said, want) || !strings.Contains(said, "raise --max-memory") ||
		!strings.Contains(said, path) {
		t.Errorf("status %d: %.2000s", status, said)
	}
	fits(t, resident, said)
}

// fits checks that a program has had no more in memory than the limit and an eighth.
func fits(t *testing.T, resident int64, said string) {
	t.Helper()
	if most := limitBytes() * 9 / 8; resident > most {
		t.Errorf("%s were in memory, not %s: %.500s", memory.Text(uint64(resident)), memory.Text(uint64(most)), said)
	}
	t.Logf("%s: %.300s", memory.Text(uint64(resident)), said)
}

// A bomb is a file that a small limit of memory stops, of scale times the size that a limit of 128 MB needs.
type bomb struct {
	name string
	make func(t *testing.T, path string, scale int)
	args []string // of the command, PATH being the file; none is stat
	slow bool     // it is made, or read, slowly: in the long form only
	kind bool     // it meets the limit in a way of its own: while cells, packets, pages or the description are read
	file string   // that the error names, relative to the path; "" for the path itself
}

func TestEveryBombEndsAtTheLimitWithAnErrorThatNamesIt(t *testing.T) {
	t.Parallel()
	for _, b := range bombs() {
		if b.slow && !longtests.Asked() {
			continue
		}
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "bomb")
			b.make(t, path, max(1, *bombLimit/128))
			args := []string{"stat", path}
			if b.args != nil {
				args = nil
				for _, a := range b.args {
					args = append(args, strings.ReplaceAll(a, "PATH", path))
				}
			}
			holds(t, filepath.Join(path, b.file), args...)
		})
	}
}

// A session goes on after any of them; after one of each kind but in the long form.
func TestASessionSurvivesBombs(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it takes some seconds")
	}
	exe, dir := built(t), t.TempDir()
	c := openConsole(t, exe, dir, "", nil, limitFlag(), "repl")
	c.wait(prompted)
	n := 0
	for _, b := range bombs() {
		if b.args != nil || b.slow || !b.kind && !longtests.Asked() {
			continue
		}
		n++
		name := fmt.Sprint("bomb", n)
		b.make(t, filepath.Join(dir, name), max(1, *bombLimit/128))
		said := c.enter(fmt.Sprintf("x = len([k.total() for k in capture.open(%q).counters])", name))
		if !strings.Contains(said, "memory limit") {
			t.Errorf("%s: %q", b.name, said)
		}
		if said := c.enter("1000 + 234"); !strings.Contains(said, "1234") {
			t.Fatalf("the session did not go on after %s: %q", b.name, said)
		}
		os.RemoveAll(filepath.Join(dir, name))
	}
}

func TestAScriptIsBoundedToo(t *testing.T) {
	holds(t, "", "-c", fmt.Sprintf("x = [0] * %d", limitBytes()/4))
}

// A file that is larger than the limit is legitimate: its pages are mapped, and columns of several batches are read
// again when they were dropped.
func TestALargeNativeFileIsReadUnderASmallLimit(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "large.arrow")
	code := `capture.from_columns({"n%d" % i: range(1 << 20) for i in range(20)}, period = "1us").save(args[0])`
	if status, said, _ := underLimit(t, "-c", code, path); status != 0 {
		t.Fatal(said)
	}
	if st, err := os.Stat(path); err != nil || st.Size() < 150<<20 {
		t.Fatalf("%v: %d bytes are no large file", err, st.Size())
	}
	png := filepath.Join(dir, "x.png")
	for _, c := range []struct {
		makes string
		args  []string
	}{
		{png, []string{"-c", "plot.timeline(cap['n3'], cap['n17']).save('" + png + "')", path}},
		{"", []string{"stat", path}},
	} {
		status, said, resident := underLimit(t, append([]string{limitFlag()}, c.args...)...)
		if status != 0 {
			t.Errorf("%s: status %d: %s", c.args, status, said)
		} else if _, err := os.Stat(c.makes); c.makes != "" && err != nil {
			t.Error(err)
		}
		fits(t, resident, said)
	}
}
