package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"astrolabe/builtins/notation"
	"astrolabe/capture/formats"
	"astrolabe/capture/formats/all"
	"astrolabe/capture/metrics"
	"astrolabe/internal/top"
)

// tmux is a terminal of others, in which a program is driven as a person does it.
type tmux struct {
	t    *testing.T
	dir  string
	args []string
}

// openTmux runs a line of a shell in a terminal of that size. Before and after it the settings of the terminal are
// written into files.
func openTmux(t *testing.T, w, h int, line string) *tmux {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("there is no tmux")
	}
	dir, err := os.MkdirTemp("", "tmux")
	if err != nil {
		t.Fatal(err)
	}
	m := &tmux{t: t, dir: dir}
	m.args = []string{"-S", filepath.Join(m.dir, "socket"), "-f", "/dev/null"}
	t.Cleanup(m.end)
	m.do("new-session", "-d", "-s", "s", "-x", fmt.Sprint(w), "-y", fmt.Sprint(h), "-c", m.dir,
		"stty -g > before; "+line+"; echo \"status $?\"; stty -g > after; exec cat")
	return m
}

// end ends the terminal. What ran in it may still write its last files for a moment, so its folder is no t.TempDir.
func (m *tmux) end() {
	exec.Command("tmux", append(m.args, "kill-server")...).Run()
	for i := 0; os.RemoveAll(m.dir) != nil && i < 100; i++ {
		time.Sleep(50 * time.Millisecond)
	}
}

func (m *tmux) do(args ...string) string {
	m.t.Helper()
	out, err := exec.Command("tmux", append(m.args[:len(m.args):len(m.args)], args...)...).CombinedOutput()
	if err != nil {
		m.t.Fatalf("tmux %v: %v %s", args, err, out)
	}
	return string(out)
}

func (m *tmux) keys(keys ...string) { m.do(append([]string{"send-keys", "-t", "s"}, keys...)...) }

// standstill is how long a screen may stay as it is while a test waits for something: no measure of the program, only the
// end of a test that would never end.
const standstill = 3 * time.Minute

// wait returns the screen once it shows a pattern.
func (m *tmux) wait(pattern string) string {
	m.t.Helper()
	re := regexp.MustCompile(pattern)
	before, since := "", time.Now()
	for {
		screen := m.do("capture-pane", "-p", "-t", "s")
		if re.MatchString(screen) {
			return screen
		}
		if screen != before {
			before, since = screen, time.Now()
		}
		if time.Since(since) > standstill {
			m.t.Fatalf("no %q on the screen:\n%s", pattern, screen)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// restored checks that the terminal is as it was before the program.
func (m *tmux) restored() {
	m.t.Helper()
	var settings [2]string
	for i, name := range []string{"before", "after"} {
		for settings[i] == "" { // the shell writes it after the status
			data, _ := os.ReadFile(filepath.Join(m.dir, name))
			settings[i] = string(data)
		}
	}
	if settings[0] != settings[1] {
		m.t.Errorf("the settings of the terminal are %s, they were %s", settings[1], settings[0])
	}
	if got := m.do("display-message", "-p", "-t", "s", "#{alternate_on} #{cursor_flag}"); got != "0 1\n" {
		m.t.Errorf("the alternate screen and the cursor are %q", got)
	}
}

func TestTopInATerminal(t *testing.T) {
	exe := built(t)
	for _, size := range [][4]int{{80, 24, 200, 50}, {200, 50, 80, 24}} {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			m := openTmux(t, size[0], size[1], exe+" top --source procfs --refresh 200ms")
			screen := m.wait(`cpu_utilization +[0-9]`)
			if lines := strings.Split(strings.TrimRight(screen, "\n"), "\n"); len(lines) != size[1] ||
				!strings.Contains(lines[size[1]-1], "q quit") {
				t.Errorf("%d lines of %d:\n%s", len(lines), size[1], screen)
			}
			m.keys("r")
			m.wait(`REC .*\.arrow`)
			m.keys("/")
			m.keys("ctxt", "Enter")
			// The second screen from here on has samples of the file alone.
			from := field(t, m.wait(`only search ctxt`), `([0-9.]+) to `)
			for field(t, m.wait(`ctxt +[0-9]`), `([0-9.]+) to `) <= from+0.5 {
				time.Sleep(50 * time.Millisecond)
			}
			m.keys("Space")
			m.wait("PAUSED")
			m.keys("Escape")
			m.wait(`q quit`) // else Escape and what follows are one key
			m.keys("Home")
			shown := m.wait(`PAUSED(.*\n)+.*cpu_utilization`)
			m.do("resize-window", "-t", "s", "-x", fmt.Sprint(size[2]), "-y", fmt.Sprint(size[3]))
			m.wait(fmt.Sprintf(`^.{%d}PAUSED`, size[2]-7))
			m.keys("q")
			m.wait(`\.arrow\s+status 0`)
			m.restored()
			sameAsRecorded(t, m.dir, shown)
		})
	}
}

// field is a number that a pattern finds on a screen.
func field(t *testing.T, screen, pattern string) float64 {
	t.Helper()
	found := regexp.MustCompile(pattern).FindStringSubmatch(screen)
	if found == nil {
		t.Fatalf("no %q on the screen:\n%s", pattern, screen)
	}
	v, err := strconv.ParseFloat(found[1], 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// sameAsRecorded compares what a screen shows with the file that was written meanwhile.
func sameAsRecorded(t *testing.T, dir, screen string) {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(dir, "*.arrow"))
	if len(files) != 1 {
		t.Fatalf("files %v", files)
	}
	c, err := all.Registry().Open(t.Context(), files[0], formats.Options{})
	if err != nil {
		t.Fatal(err)
	}
	// The screen names milliseconds; the samples are those whose middle lies between them.
	from, to := field(t, screen, `([0-9.]+) to `)*1e9, field(t, screen, ` to ([0-9.]+) s`)*1e9
	lo, hi := int64(0), int64(0)
	for i, start := range c.Axis.Start {
		if mid := float64(start+c.Axis.End[i]) / 2; mid > from && mid < to {
			if lo == 0 {
				lo = start
			}
			hi = c.Axis.End[i]
		}
	}
	if c, err = c.Slice(lo, hi); err != nil {
		t.Fatal(err)
	}
	if c, err = metrics.Describe(c); err != nil {
		t.Fatal(err)
	}
	compared := 0
	for _, line := range strings.Split(screen, "\n") {
		cells := strings.Fields(line)
		if len(cells) < 2 || cells[1] == "·" { // what is said of the selected row
			continue
		}
		m, err := metrics.Resolve(c, cells[0])
		if err != nil {
			continue
		}
		v, unit := top.Value(m)
		want := notation.Quantity(v, unit)
		if want = strings.Fields(want)[0]; v != v {
			want = "missing"
		}
		if compared++; cells[1] != want {
			t.Errorf("%s is shown as %s, the recording has %s", cells[0], cells[1], want)
		}
	}
	if compared < 10 {
		t.Errorf("only %d values were compared:\n%s", compared, screen)
	}
}

func TestTopThatIsKilledLeavesTheTerminalAsItWas(t *testing.T) {
	exe := built(t)
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT} {
		t.Run(sig.String(), func(t *testing.T) {
			m := openTmux(t, 80, 24, "sh -c 'echo $$ > pid; exec "+exe+" top --source procfs'")
			m.wait(`cpu_utilization +[0-9]`)
			text, err := os.ReadFile(filepath.Join(m.dir, "pid"))
			if err != nil {
				t.Fatal(err)
			}
			pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
			if err != nil {
				t.Fatal(err)
			}
			if err := syscall.Kill(pid, sig); err != nil {
				t.Fatal(err)
			}
			m.wait(`status [0-9]`)
			m.restored()
		})
	}
}

func TestTopGoesToTheShellAndBack(t *testing.T) {
	exe := built(t)
	// A shell with jobs: dash has none in a terminal of its own without -i.
	m := openTmux(t, 80, 24, "PS1='shell> ' sh -im")
	m.wait(`shell>\s*$`)
	m.keys(exe+" top --source procfs --refresh 200ms", "Enter")
	for range 2 {
		m.wait(`cpu_utilization +[0-9]`)
		m.keys("C-z")
		m.wait(`shell>\s*$`)
		m.keys("stty -g > after; echo a shell", "Enter")
		m.wait(`\na shell\n`)
		m.restored()
		if err := os.Remove(filepath.Join(m.dir, "after")); err != nil {
			t.Fatal(err)
		}
		m.keys("clear; fg", "Enter")
		screen := m.wait(`nothing was measured meanwhile`)
		if lines := strings.Split(strings.TrimRight(screen, "\n"), "\n"); len(lines) < 20 {
			t.Errorf("%d lines behind fg:\n%s", len(lines), screen)
		}
	}
	m.keys("Down")
	m.wait(`q quit`)
	m.keys("q")
	m.wait(`shell>\s*$`)
	m.keys("exit", "Enter")
	m.wait(`status 0`)
	m.restored()
}

func TestTopNeedsAScreen(t *testing.T) {
	exe := built(t)
	if out, err := exec.Command(exe, "top").CombinedOutput(); err == nil ||
		!strings.Contains(string(out), "standard output is none; astrolabe record writes a file instead") {
		t.Errorf("in a pipe: %v %s", err, out)
	}
	for _, tc := range []struct{ line, want string }{
		{"TERM=dumb " + exe + " top", `TERM="dumb"`},
		{exe + " top < /dev/null", `standard input is none`},
		{exe + " top --source procfs --counters nonsense", `nonsense`},
		{exe + " top --set a,b", `one metric set at a time`},
		{exe + " top --refresh 1ms", `not between`},
	} {
		m := openTmux(t, 100, 24, tc.line)
		if screen := m.wait(`status [0-9]`); !strings.Contains(screen, tc.want) || strings.Contains(screen, "status 0") {
			t.Errorf("%s:\n%s", tc.line, screen)
		}
		m.restored()
	}
}
