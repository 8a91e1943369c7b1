//go:build linux

package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/creack/pty"

	"astrolabe/internal/longtests"
)

// A person has a session open all day. What 2,000 entries leave behind (400, but in the long form) shows in its memory,
// its files and its history.
func TestASessionOfTwoThousandEntriesStaysAsItWas(t *testing.T) {
	t.Parallel()
	entered := longtests.Of(2000, 400)
	exe := built(t)
	dir := t.TempDir()
	c := openConsole(t, exe, dir, "", []string{"GOGC=25"}) // garbage is no part of what is measured
	c.wait(prompted)
	c.enter(`cap = capture.from_columns({n: list(range(20000)) for n in ["a", "b", "c", "d"]}, period="1us")`)
	c.enter(`cap.save("big.arrow"); cap.save("big.parquet")`)
	entries := []struct{ typed, shown string }{
		{`cap = capture.open("big.arrow")`, ""},
		{`cap`, "20000 samples"},
		{`nosuch + 1`, "undefined: nosuch"},
		{`cap.nosuch`, "no .nosuch"},
		{`cap = capture.open("big.parquet")`, ""},
		{`x = cap.resample("1ms")["a"]`, ""},
		{`x.total()`, "199990000"},
		{`print("日本語 🚀")`, "日本語 🚀"},
		{`cap.summary()`, "shortened|mean"},
		{`y = (`, "..."}, // and Ctrl-C
	}
	files, memory := 0, 0
	for i := range entered {
		e := entries[i%len(entries)]
		if e.shown == "..." {
			c.send(e.typed + "\r")
			c.wait(`\.\.\. ( \x08|\x1b\[[0-9;?]*[a-zA-Z])*$`)
			c.send("\x03")
			c.wait(prompted)
		} else if got := c.enter(e.typed); i%97 == 0 && e.shown != "shortened|mean" && !strings.Contains(got, e.shown) {
			t.Fatalf("entry %d, %s: %q is not shown: %q", i, e.typed, e.shown, got)
		}
		switch {
		case i%100 == 50: // from 20 columns to 200
			if err := pty.Setsize(c.pty, &pty.Winsize{Rows: 40, Cols: uint16(20 + 60*(i/100%4))}); err != nil {
				t.Fatal(err)
			}
		case i == entered/4:
			files, memory = openFiles(t, c), anonymous(t, c)
		}
	}
	if n := openFiles(t, c); n > files+1 { // the history may be open at the moment
		t.Errorf("%d files are open, %d were after %d entries", n, files, entered/4)
	}
	if kib := anonymous(t, c); kib > memory+64<<10 {
		t.Errorf("%d KiB of memory, %d after %d entries", kib, memory, entered/4)
	}
	maps, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", c.cmd.Process.Pid))
	if n := strings.Count(string(maps), "big.arrow"); err != nil || n > 1 {
		t.Errorf("the file is mapped %d times, %v", n, err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || len(left) > 3 {
		t.Errorf("files are left: %q, %v", left, err)
	}
}

// openFiles counts the descriptors of the program.
func openFiles(t *testing.T, c *console) int {
	t.Helper()
	found, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", c.cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	return len(found)
}

// anonymous is the memory of the program that no file backs, in KiB.
func anonymous(t *testing.T, c *console) int {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", c.cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(status), "RssAnon:")
	kib, err := strconv.Atoi(strings.Fields(rest)[0])
	if err != nil {
		t.Fatal(err)
	}
	return kib
}

func TestFiveThousandPastedLinesAllRun(t *testing.T) {
	t.Parallel()
	exe := built(t)
	pasted := longtests.Of(5000, 1000)
	var lines strings.Builder
	for i := range pasted {
		fmt.Fprintf(&lines, "v%d = %d\r", i, i)
	}
	long := `long = "` + strings.Repeat("x", 50_000) + `"`
	c := openConsole(t, exe, t.TempDir(), "", nil)
	c.wait(prompted)
	c.send("\x1b[200~" + lines.String() + "\x1b[201~\r")
	c.wait(prompted)
	c.send("\x1b[200~" + long + "\x1b[201~\r")
	c.wait(prompted)
	sum := fmt.Sprintf("v0 + v%d + v%d", pasted/2, pasted-1)
	shown := fmt.Sprint(pasted/2 + pasted - 1)
	if got := c.enter(`print("<%d %d>" % (` + sum + `, len(long)))`); !strings.Contains(got, "<"+shown+" 50000>") {
		t.Errorf("of a bracketed paste: %.3000q", got)
	}
	c = openConsole(t, exe, t.TempDir(), "", nil)
	c.wait(prompted)
	c.send(lines.String() + "print('<' + str(" + sum + ") + '>')\r") // a terminal that does not bracket
	c.wait(`\n(\x1b\[\?2004l)?<` + shown + `>\r\n`)
}

func TestCtrlCStopsEveryKindOfBuiltin(t *testing.T) {
	t.Parallel()
	exe := built(t)
	c := openConsole(t, exe, t.TempDir(), "", nil)
	c.wait(prompted)
	c.enter(`load("@astrolabe//lib/example.star", "game")`)
	c.enter(`g = game(); c = g["gpu_active_cycles"]; g.save("g.arrow"); g.save("g.csv"); keep = 77`)
	for _, code := range []string{
		`capture.open("g.csv")`, `capture.open("g.arrow")`, `g.save("o.csv")`, `g.save("o.parquet")`,
		`g.resample("3ms")`, `g.group_by("frame")`,
		`g.summary()`, `g.compare(g)`, `g.eval("$MaliGPUCyclesGPUActive / 2")`, `c.rolling("5ms").max()`,
		`c.gt(5).spans()`, `c.percentile(90)`, `list(c)`,
		`explain(g["main_phase_queue_utilization"])`, `stats.phases(c)`, `stats.outliers(c)`, `stats.frames(g)`,
		`plot.timeline(c).save("p.png")`,
		`report.new("x", capture = g).save("r.html")`, `help("Counter.rolling")`, `json.encode(list(range(1000)))`, `1`,
	} {
		// The first round proves that the call is right; what runs from the second on is stopped.
		c.send(fmt.Sprintf("x = [(%s, print('be' + 'gun') if i == 1 else None) for i in range(100000000)]\r", code))
		if got := c.wait(`begun\r\n|error: .*\r\n`); !strings.Contains(got, "begun\r\n") {
			t.Errorf("%s: %.2000q", code, got)
			c.wait(prompted)
			continue
		}
		c.send("\x03")
		if got := c.wait(prompted); !strings.Contains(got, "interrupted") {
			t.Errorf("%s: %.2000q", code, got)
		}
	}
	if got := c.enter("print('<%d>' % keep)"); !strings.Contains(got, "<77>") {
		t.Errorf("after all of them: %q", got)
	}
}
