//go:build linux

package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/creack/pty"
)

var escapes = regexp.MustCompile("\x1b\\[[0-9;?]*[a-zA-Z]")

// smallCapture writes a capture of two counters.
func smallCapture(t *testing.T, dir string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "wide.csv"),
		[]byte("time,requests_read,requests_written\n0,1,2\n1,3,4\n"), 0o666); err != nil {
		t.Fatal(err)
	}
}

func TestBuiltSession(t *testing.T) {
	exe := built(t)
	for _, c := range []struct {
		name string
		run  func(t *testing.T, exe string)
	}{
		{"a capture is bound and a builtin stopped", testOpensCapture},
		{"a saved session prints the same again", testReplay},
		{"names are completed inside strings", testCompletes},
		{"help explains and errors hint", testExplains},
		{"a million samples do not flood the screen", testMillion},
		{"tables fit the terminal as it is now", testTableWidth},
		{"long warnings are broken between words", testLongWarnings},
		{"sources say why not on a narrow terminal too", testSources},
		{"pictures are drawn where the terminal can", testPictures},
		{"charts are drawn in characters where it cannot", testCharacters},
		{"a repository's start-up file is asked about once", testStartFile},
		{"progress is shown on a terminal only", testProgress},
		{"opening says how far it is, on a terminal only", testHowFar},
		{"without a terminal output is plain", testPlain},
	} {
		t.Run(c.name, func(t *testing.T) { c.run(t, exe) })
	}
}

func testOpensCapture(t *testing.T, exe string) {
	dir := t.TempDir()
	smallCapture(t, dir)
	c := openConsole(t, exe, dir, "", nil, "repl", "wide.csv")
	c.wait("cap = Capture wide")
	c.wait(prompted)
	c.send("cap[\"req\t") // what both counters share
	c.wait(`cap\["requests_`)
	c.send("wr\t\"].total()\r")
	c.wait("l6\r\n")
	c.send("x = [(cap.resample(\"1ms\"), print(\"be\" + \"gun\") if i == 1 else None) for i in range(100000000)]\r")
	c.wait("begun\r\n")
	c.send("\x03") // in a builtin of ours
	c.wait("interrupted\r\n")
	c.wait(prompted)
	if got := c.enter("cap"); !strings.Contains(got, "wide") { // what there was is still there
		t.Errorf("after the interrupt: %q", got)
	}
	if got := c.enter(":save done.star"); !strings.Contains(got, "done.star\r\n") {
		t.Errorf("saved: %q", got)
	}
	c.send("\x04")
	if code := ended(t, c.cmd); code != 0 {
		t.Errorf("exit status %d", code)
	}
	saved, err := os.ReadFile(filepath.Join(dir, "done.star"))
	if want := "cap = capture.open(\"wide.csv\")\nprint(cap[\"requests_written\"].total())\nprint(cap)\n"; err != nil ||
		string(saved) != want {
		t.Errorf("saved %q, %v; want %q", saved, err, want)
	}
	out, err := exec.Command(exe, "--allow-read="+dir, "run", filepath.Join(dir, "done.star")).CombinedOutput()
	// a relative path is relative to the working directory
	if err == nil || !strings.Contains(string(out), "wide.csv") {
		t.Errorf("the saved script run elsewhere: %v, %s", err, out)
	}
}

func testReplay(t *testing.T, exe string) {
	dir := t.TempDir()
	smallCapture(t, dir)
	input :=
		"cap = capture.open('wide.csv')\ncap\nc = cap['requests_read']\nc\nc = c * 2\nc.total()\n_ + " +
			"1\ncap.summary(metrics=False)\n" +
			"n = 0\nfor i in range(3):\n  n += i\n\nn\n'text'\nexplain(c)\n:save again.star\n"
	run := func(stdin string, args ...string) string {
		cmd := exec.Command(exe, args...)
		cmd.Dir = dir
		cmd.Stdin = strings.NewReader(stdin)
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	first := strings.TrimSuffix(run(input), "again.star\n")
	if again := run("", "run", "again.star"); again != first || len(first) < 100 {
		script, _ := os.ReadFile(filepath.Join(dir, "again.star"))
		t.Errorf("the session printed\n%s\nits script\n%s\nprints\n%s", first, script, again)
	}
}

func testCompletes(t *testing.T, exe string) {
	dir := t.TempDir()
	smallCapture(t, dir)
	c := openConsole(t, exe, dir, "", nil)
	c.wait(prompted)
	c.send("cap = capture.open(\"wi\t\")\r")
	c.wait(`wide\.csv`)
	c.wait(prompted)
	c.send("m = metrics.get(\"immortalis-g9\t\", \"gpu_active_c\t\").name\r")
	c.wait(prompted)
	if got := c.enter("print('<' + m + '>')"); !strings.Contains(got, "<gpu_active_cycles>") {
		t.Errorf("completed %q", got)
	}
	c.send("x = capture.open(\"wide.csv\", zero=\"ven\t\", denom=\"per_k\t\").samples\r")
	c.wait(prompted)
	if got := c.enter("x"); !strings.Contains(got, "2\r\n") {
		t.Errorf("options: %q", got)
	}
	c.send("cap[\"requests_\t\t") // ambiguous: the candidates stand above the line
	c.wait(`requests_read +requests_written\r\n`)
}

func testExplains(t *testing.T, exe string) {
	dir := t.TempDir()
	smallCapture(t, dir)
	c := openConsole(t, exe, dir, "", nil, "repl", "wide.csv")
	c.wait(prompted)
	for _, tc := range []struct {
		line string
		want []string
	}{
		{"capture.open?", []string{"open(path, format=None", "capture.open("}},
		{":help metrics", []string{"metrics", "get("}},
		{":doc cap.total", []string{"total(name", "cap.total("}},
		{"help(metrics.get(\"mali-g615\", \"gpu_active_cycles\"))", []string{"formula   $MaliGPUCyclesAnyQueueActive"}},
		{"help(metrics.get(\"mali-g615\", \"queue:fragment\"))", []string{"Metric fragment_queue_utilization", "roles     queue:fragment"}},
		{"help(metrics.get(\"gfx1151\", \"TCP Cache Performance/Hit Rate\"))",
			[]string{"unit      percent", "inputs    TCP_REQ_sum", "source    ROCm"}},
		{"print(1 + 1) # or not?", []string{"2\r\n"}},
		{"# is a comment a question?", nil},
		{":doc cap.total(", []string{"neither a name nor a value"}},
		{"cap total?", []string{"<session>", "error: "}},
		{"capure", []string{"did you mean capture?", "    capure\r\n    ^"}},
		{"cap.totl(\"x\")", []string{"did you mean .total?"}},
		{"cap.total(nam=\"x\")", []string{"did you mean name?"}},
		{"cap[\"requests_raed\"]", []string{"requests_read"}},
		{":opne x", []string{"did you mean :open?"}},
		{"cap[\"requests_read\"]", []string{"requests_read", "min", "max"}},
	} {
		got := c.enter(tc.line)
		for _, want := range tc.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: %q is not in %q", tc.line, want, got)
			}
		}
	}
}

func testMillion(t *testing.T, exe string) {
	dir := t.TempDir()
	c := openConsole(t, exe, dir, "", nil)
	c.wait(prompted)
	c.enter("cap = capture.from_columns({'a b': list(range(1000000))}, period='1us')")
	for line, most := range map[string]int{
		"cap['a b']": 400, "cap['a b'].values": 4000, "cap": 2000, "cap['a b'].times": 4000,
		"print(cap['a b'].values)": 70000, "cap.head(1000000)": 8000,
		"[cap['a b']] * 1000": 20000, "cap.counters": 4000, "cap['a b'].gt(5)": 2000, "cap['a b'].gt(5).spans()": 4000,
		"cap.summary()": 4000,
	} {
		if got := c.enter(line); len(got) > most || strings.Contains(got, "error") {
			t.Errorf("%s printed %d bytes: %.600q", line, len(got), got)
		}
	}
}

func testTableWidth(t *testing.T, exe string) {
	dir := t.TempDir()
	c := openConsole(t, exe, dir, "", nil)
	c.wait(prompted)
	c.enter("t = table.new({'column %d 日本' % (i + 10): [i, 10 * i] for i in range(30)})")
	for _, width := range []int{120, 50, 78} {
		if err := pty.Setsize(c.pty, &pty.Winsize{Rows: 40, Cols: uint16(width)}); err != nil {
			t.Fatal(err)
		}
		got := c.enter("t")
		shown := strings.Count(got, "日本")
		if shown == 0 {
			t.Errorf("width %d: %q", width, got)
		}
		for _, line := range strings.Split(escapes.ReplaceAllString(got, ""), "\r\n") {
			cells := len([]rune(line)) + 2*strings.Count(line, "日本")
			if cells > width && !strings.HasPrefix(line, "…") { // the line that names the hidden columns may wrap
				t.Errorf("width %d: a line of %d cells: %q", width, cells, line)
			}
		}
	}
	if got := c.enter(":set width 40"); !strings.Contains(got, "width = 40") {
		t.Errorf("%q", got)
	}
	for _, height := range []int{16, 30, 60} {
		if err := pty.Setsize(c.pty, &pty.Winsize{Rows: uint16(height), Cols: 80}); err != nil {
			t.Fatal(err)
		}
		if got := c.enter("table.new({'n': list(range(500))})"); strings.Count(got, "\r\n") > height || strings.Count(got, "\r\n") < height-8 {
			t.Errorf("a table of 500 rows takes %d lines of %d: %q", strings.Count(got, "\r\n"), height, got)
		}
	}
}

// What is wider than the terminal is broken between words.
func testLongWarnings(t *testing.T, exe string) {
	dir := t.TempDir()
	file := filepath.Join(dir, "counts.csv")
	if err := os.WriteFile(file, []byte("time,alpha,beta,gamma\n0,1,2,3\n1,2,3,4\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	c := openConsole(t, exe, dir, "", nil)
	c.wait(prompted)
	if err := pty.Setsize(c.pty, &pty.Winsize{Rows: 40, Cols: 44}); err != nil {
		t.Fatal(err)
	}
	got := escapes.ReplaceAllString(c.enter(fmt.Sprintf("c = capture.open(%q)", file)), "")
	lines := strings.Split(got, "\r\n")
	for _, line := range lines[:len(lines)-1] {
		words := strings.Fields(line)
		if !strings.HasPrefix(line, "warning: ") && !strings.HasPrefix(line, "  ") || len(line) > 44 && len(words) > 1 {
			t.Errorf("a line of a warning is %q", line)
		}
	}
	if text := strings.Join(strings.Fields(got), " "); !strings.Contains(text, "taken for counts that add up (delta): alpha, beta, gamma") {
		t.Errorf("the warning is %q", text)
	}
}

func testSources(t *testing.T, exe string) {
	out, err := exec.Command(exe, "sources", "--json").Output()
	if err != nil {
		t.Fatal(err)
	}
	var list []sourceJSON
	if err := json.Unmarshal(out, &list); err != nil {
		t.Fatal(err)
	}
	c := openConsole(t, exe, t.TempDir(), "", nil)
	c.wait(prompted)
	if err := pty.Setsize(c.pty, &pty.Winsize{Rows: 40, Cols: 60}); err != nil {
		t.Fatal(err)
	}
	got := c.enter(":sources")
	for _, s := range list {
		if !s.Usable && s.Reason != nil && !strings.Contains(got, s.Name+": "+*s.Reason) {
			t.Errorf("no reason why %s is not usable in %q", s.Name, got)
		}
	}
	if got := c.enter("type(_)"); !strings.Contains(got, "Table") {
		t.Errorf("_ is %q", got)
	}
}

func testPictures(t *testing.T, exe string) {
	show := "plot.bar({'a': 1, 'b': 2}).show(width=320, height=200)"
	for _, tc := range []struct {
		name, answer string
		env          []string
		want         string
	}{
		{"kitty by its environment", "", []string{"KITTY_WINDOW_ID=1"}, `\x1b_Ga=T,f=100`},
		{"iTerm2 by its environment", "", []string{"TERM_PROGRAM=iTerm.app"}, `\x1b\]1337;File=inline=1`},
		{"sixels by the terminal's answer", "\x1b[?63;1;4c", nil, `\x1bP[0-9;]*q`},
		{"kitty's protocol by the terminal's answer", "\x1b_Gi=31;OK\x1b\\\x1b[?62c", nil, `\x1b_Ga=T,f=100`},
		{"a terminal without pictures", "\x1b[?1;2c", nil, `b █+[▉-▏]? +2\r\n`},
		{"a terminal that does not answer", "", nil, `b █+[▉-▏]? +2\r\n`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := t.TempDir()
			exe, env := exe, tc.env
			if tc.answer != "" { // it is waited for: how fast this test answers is the scheduler's
				exe, env = program(t), []string{answerVariable + "=" + stuck.String()}
			}
			c := openConsole(t, exe, dir, tc.answer, env)
			c.wait(prompted)
			c.send(show + "\r")
			c.wait(tc.want)
			c.wait(prompted)
			if got := c.enter("1 + 1"); !strings.Contains(got, "2\r\n") { // the answer did not end up in the line
				t.Errorf("after the picture: %q", got)
			}
			if tc.env != nil {
				return
			}
			c.enter(":set pictures iterm2")
			c.send(show + "\r")
			c.wait(`\x1b\]1337;File=inline=1`)
			c.wait(prompted)
			c.enter(":save bug.md")
			md, err := os.ReadFile(filepath.Join(dir, "bug.md"))
			if err != nil || !strings.Contains(string(md), "![bug-") {
				t.Errorf("the transcript: %v\n%s", err, md)
			}
			if _, err := os.Stat(filepath.Join(dir, "bug-1.png")); err != nil {
				t.Error(err)
			}
		})
	}
}

func testCharacters(t *testing.T, exe string) {
	show := "plot.bar({'a': 1, 'b': 2}).show()"
	for _, tc := range []struct {
		name string
		env  []string
		args []string
		want string
	}{
		{"without colours", []string{graphicsVariable + "=text", "NO_COLOR=1"}, nil, `b █{60,}[▉-▏]? +2\r\n`},
		{"in 24 bits", []string{graphicsVariable + "=text", "COLORTERM=truecolor", "NO_COLOR="}, nil, `b \x1b\[38;2;[0-9;]+m█+[▉-▏]?\x1b\[39m +2`},
		{"in ASCII", []string{graphicsVariable + "=text", "NO_COLOR=1"}, []string{"--no-unicode"}, `b #{60,} +2\r\n`},
		{"on the kernel's console", []string{"TERM=linux", "NO_COLOR=1"}, nil, `b #{60,} +2\r\n`},
		{"as files", []string{graphicsVariable + "=none"}, nil, `astrolabe-[0-9]+\.png\r\n`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := t.TempDir()
			c := openConsole(t, exe, dir, "", tc.env, tc.args...)
			c.wait(prompted)
			c.send(show + "\r")
			c.wait(tc.want)
			c.wait(prompted)
			c.enter(":save bug.md")
			md, err := os.ReadFile(filepath.Join(dir, "bug.md"))
			if err != nil || !strings.Contains(string(md), "astrolabe-") && !regexp.MustCompile(`b [█#]+[▉-▏]? +2\n`).Match(md) {
				t.Errorf("the transcript: %v\n%s", err, md)
			}
		})
	}
}

func testStartFile(t *testing.T, exe string) {
	dir := t.TempDir()
	for name, text := range map[string]string{"astrolabe.toml": "", "rc.star": "greeting = 'from the repository'\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	c := openConsole(t, exe, dir, "", nil)
	c.wait(`\[y/N\] `)
	c.send("y\r")
	c.wait(prompted)
	if got := c.enter("greeting"); !strings.Contains(got, "from the repository") {
		t.Errorf("%q", got)
	}
	again := openConsole(t, exe, dir, "", nil)
	if got := again.wait(prompted); strings.Contains(got, "y/N") {
		t.Errorf("asked again: %q", got)
	}
	out, err := exec.Command(exe, "-c", "1").Output()
	if err != nil || string(out) != "1\n" {
		t.Errorf("-c: %q, %v", out, err)
	}
}

func testProgress(t *testing.T, exe string) {
	dir := t.TempDir()
	c := openConsole(t, exe, dir, "", nil)
	c.wait(prompted)
	c.send("r = capture.record('procfs', period='10ms', duration='20s')\r")
	c.wait(`recording \[#+\.*\] +\d+ %, \d+ s left, \d+ samples \(\d+/s\)`)
	c.send("\x03")
	c.wait(prompted)
	cmd := exec.Command(exe, "-c", "r = capture.record('procfs', period='10ms', duration='800ms')")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil || strings.Contains(string(out), "recording [") {
		t.Errorf("%v: %q", err, out)
	}
}

func testHowFar(t *testing.T, exe string) {
	const opening = `opening long.txt: \[#*\.*\] +\d+ %, [\d.]+ MB/s, \d+ s left`
	dir := t.TempDir()
	shows := func(lines int) bool {
		writePerfStat(t, filepath.Join(dir, "long.txt"), lines)
		c := openConsole(t, exe, dir, "", nil)
		c.wait(prompted)
		c.send("cap = capture.open('long.txt')\r")
		c.wait(`\r\n(\x1b\[\?2004l)?`)
		shown := c.wait(prompted)
		if strings.Contains(shown, "warning") {
			t.Errorf("a file of counts has a warning: %.2000q", shown)
		}
		if got := c.enter("cap.samples"); !strings.Contains(got, fmt.Sprint(lines/4)) {
			t.Errorf("opened: %q", got)
		}
		if !regexp.MustCompile(opening).MatchString(shown) {
			return false
		}
		c = openConsole(t, exe, dir, "", nil, "convert", "long.txt", "out.csv")
		shown = c.wait(`\bout.csv\r\n`)
		if !regexp.MustCompile(opening).MatchString(shown) {
			return false
		}
		if !strings.Contains(shown, " \rout.csv") { // the line is gone before anything else is written
			t.Errorf("the line is not cleared: %.2000q", shown)
		}
		return true
	}
	lines := 100_000
	for !shows(lines) { // until this machine takes long enough to read it
		if lines *= 4; lines > 10_000_000 {
			t.Fatalf("%d lines were opened and nothing told how far", lines/4)
		}
	}
	cmd := exec.Command(exe, "convert", "long.txt", "again.csv")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil || strings.Contains(string(out), " left") {
		t.Errorf("without a terminal: %v: %q", err, out)
	}
}

// writePerfStat writes a file as perf stat -I -x, does, of four events.
func writePerfStat(t *testing.T, path string, lines int) {
	t.Helper()
	var b bytes.Buffer
	for i := range lines / 4 {
		for _, event := range []string{"cycles", "instructions", "branches", "faults"} {
			fmt.Fprintf(&b, "%d.%03d000000,%d,,%s,1000000,100.00,,\n", i/1000, i%1000, 1000+i, event)
		}
	}
	if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
}

func testPlain(t *testing.T, exe string) {
	dir := t.TempDir()
	smallCapture(t, dir)
	for _, tc := range []struct {
		name, stdin string
		args        []string
		want        string
		code        int
	}{
		{"a script on standard input", "x = 2\nx * 21\n", nil, "42\n", 0},
		{"-c", "", []string{"-c", "[1, 2]"}, "[1, 2]\n", 0},
		{"JSON of -c", "", []string{"--json", "-c", "{'a': [1, None]}"}, "{\"a\":[1,null]}\n", 0},
		{"JSON of standard input", "capture.open('wide.csv').head(1)\n", []string{"--json"}, "[{\"start\":", 0},
		{"a failing script", "fail('no')\n", nil, "", 1},
		{"a long value is whole", "list(range(100))\n", nil,
			"[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83, 84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95, 96, 97, 98, 99]\n",
			0},
	} {
		for _, env := range []string{"NO_COLOR=1", "TERM=xterm-256color"} {
			t.Run(fmt.Sprintf("%s with %s", tc.name, env), func(t *testing.T) {
				cmd := exec.Command(exe, tc.args...)
				cmd.Dir = dir
				cmd.Env = append(os.Environ(), env)
				cmd.Stdin = strings.NewReader(tc.stdin)
				var out, talk strings.Builder
				cmd.Stdout, cmd.Stderr = &out, &talk
				cmd.Run()
				if code := cmd.ProcessState.ExitCode(); code != tc.code {
					t.Errorf("exit status %d, want %d: %s", code, tc.code, &talk)
				}
				if !strings.HasPrefix(out.String(), tc.want) {
					t.Errorf("printed %q", out.String())
				}
				if strings.ContainsAny(out.String()+talk.String(), "\x1b\r") || strings.Contains(out.String(), ">>>") {
					t.Errorf("escapes or a prompt: %q %q", out.String(), talk.String())
				}
			})
		}
	}
	c := openConsole(t, exe, dir, "", []string{"NO_COLOR=1"}, "repl", "wide.csv")
	c.wait(prompted)
	if got := c.enter("cap.summary()"); strings.Contains(got, "m"+"total") || strings.Contains(got, "\x1b[3") ||
		strings.Contains(got, "\x1b[1m") {
		t.Errorf("colour in spite of NO_COLOR: %q", got)
	}
}
