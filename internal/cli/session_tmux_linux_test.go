package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// feature is one that the session has: what is typed in a terminal of 80 by 24, and what is then on the screen.
type feature struct {
	name  string
	args  string   // of the program
	steps []string // keys and what is waited for, in turn; keys that begin with ! are names of keys
	file  string   // one that is there then,
	holds string   // with this text
}

// filesOfTheSession are what a session of these tests finds.
var filesOfTheSession = map[string]string{
	"small.csv":         "time,requests_read,requests_written\n0,1,2\n1,3,4\n2,5,6\n",
	"twice.star":        "loaded = 41 + 1\nprint('loaded', loaded)\n",
	"edit.sh":           "#!/bin/sh\necho \"print('edi' + 'ted')\" > \"$1\"\n",
	"astrolabe/rc.star": "from_rc = 2718\n",
}

var features = []feature{
	{name: "a banner of two lines and a prompt", steps: []string{"", `\A.+\n.+\n>>> *$`}},
	{name: "a file on the command line is cap", args: " repl small.csv", steps: []string{
		"cap.samples + 1000", `\n1003\n`, "cap", `Capture small \(csv\)\n +3 samples`}},
	{name: "a result is printed, and is _", steps: []string{"6 * 7", `\n42\n`, "_ + 100", `\n142\n`}},
	{name: "an entry of several lines comes back whole and is edited", steps: []string{
		"for i in [7, 8]:", `\.\.\. *$`, "  print(i * 11)", `\.\.\.   print\(i \* 11\)\n\.\.\. *$`, "", `\n77\n88\n>>> *$`,
		"!Up", `88\n>>> for i in \[7, 8\]:\n\.\.\.   print\(i \* 11\)\s*$`, "!BSpace", `print\(i \* 11`, "+1)", `\n78\n89\n`}},
	{name: "Ctrl-R finds what an earlier session entered", steps: []string{
		"print('so' + 'ught')", `\nsought\n`, "!C-d", `again\n`, "", `(?s)again.*>>> *$`, "!C-r", `bck-i-search:`, "ught",
		`(?s)again.*\nsought\n`}},
	{name: "completion of names, attributes and counters", args: " repl small.csv", steps: []string{
		"alpha_beta = 5", `^>>> *$`, "alp!Tab", `>>> alpha_beta`, " + 1", `\n6\n`,
		"cap.resam!Tab", `>>> cap.resample`, "!C-u", `^>>> *$`, "cap[\"requests_w!Tab", `cap\["requests_written`, "\"].sum()", `\n12\n`,
		"cap.resample(peri!Tab", `cap.resample\(period *=`}},
	{name: "completion of files, modules and keys", steps: []string{
		"d = {'Cycles Active': 11, 'Idle': 12}", `^>>> *$`, "d['Cyc!Tab", `d\['Cycles Active`, "']", `\n11\n`,
		"capture.open(\"sm!Tab", `capture.open\("small.csv`, "\").samples", `\n3\n`,
		"load(\"@astrolabe//lib/exam!Tab", `load\("@astrolabe//lib/example.star`}},
	{name: "the history is suggested", steps: []string{
		"print('long ' + 'remembered')", `\nlong remembered\n`, "pri!None", `>>> print\('long ' \+ 'remembered'\)$`, "!Right",
		`>>> print\('long ' \+ 'remembered'\)$`, "", `(?s)long remembered\n.*long remembered\n`}},
	{name: "what is pasted is one entry", steps: []string{
		"!paste:def f(x):\n\n    return x + 1\n\nprint(f(1), f(2))\n", `print\(f\(1\), f\(2\)\)`, "", `\n2 3\n`, "!Up",
		`def f\(x\):(.*\n)+.*print\(f\(1\), f\(2\)\)\s*$`}},
	{name: "Ctrl-C stops a statement and keeps the variables", steps: []string{
		"n = 500", `^>>> *$`, "[print('it', 'runs') if i == 0 else i for i in range(1 << 40)] and 0", `\nit runs\n`,
		"!C-c", `interrupted`, "n + 1", `\n501\n`}},
	{name: "Ctrl-C drops a line, Ctrl-D leaves", steps: []string{
		"abandoned +!C-c", `abandoned \+.*\n>>> *$`, "!C-d", `again\n`}},
	{name: "an error has its place and what may be meant", steps: []string{
		"answer = 1", `^>>> *$`, "[1, anwser]", `(?s)\[1, anwser\]\n +\^\nerror: .*did you mean answer`}},
	{name: "help of a name, and of words", steps: []string{
		"len?", `len\(`, "help('Counter.rolling')", `rolling\(window`, ":help frames of a game", `(?i)frame`}},
	{name: "a wide table stays within the terminal", args: " repl small.csv", steps: []string{
		"table.new({'column_%d' % i: [1.5] for i in range(20)})", `^column_0 .*column_7$(.*\n)+… 12 more columns: column_8, `}},
	{name: "a long table shows its ends and says what it left out", steps: []string{
		"table.new({'n': list(range(500))}, units={'n': 'ms'})", `… 483 more rows\n(.*\n)+ *499\n`}},
	{name: "a counter is one line", args: " repl small.csv", steps: []string{
		"cap['requests_read']", `^Counter requests_read .*min 1 .*median 3 .*max 5`}},
	{name: "a picture in characters", args: " repl small.csv", steps: []string{
		"plot.timeline(cap['requests_read']).show()", `time \[`}},
	{name: ":load and :reload", steps: []string{
		":load twice.star", `\nloaded 42\n`, "loaded + 1", `\n43\n`, ":reload", `(?s)loaded 42.*loaded 42\n`}},
	{name: ":open binds a capture", steps: []string{":open small.csv small", `small = Capture small`, "small.samples", `\n3\n`}},
	{name: ":time and :doc", steps: []string{":time 5 * 5", `\n25\n.*s`, ":doc recording", `(?i)record`}},
	{name: ":set, :theme and :sources", steps: []string{
		":set items 3", `items = 3`, "list(range(9))", `\[0, 1, 2, …`, ":theme dark", `theme = dark`, ":sources", `panfrost +no`}},
	{name: ":edit opens the entry in an editor", steps: []string{"1 + 1", `\n2\n`, ":edit", `\nedited\n`}},
	{name: ":copy writes the last table", steps: []string{
		"table.new({'name': ['x'], 'n': [5]})", `^x +5`, ":copy csv out.csv", `out.csv`}, file: "out.csv", holds: "name,n\nx,5\n"},
	{name: ":save writes a script", steps: []string{"kept = 12", `^>>> *$`, ":save kept.star", `kept.star`}, file: "kept.star",
		holds: "kept = 12\n"},
	{name: ":save writes a transcript", steps: []string{"6 * 8", `\n48\n`, ":save bug.md", `bug.md`}, file: "bug.md", holds: "48"},
	{name: "!COMMAND asks for --allow-exec", steps: []string{"!literal:!echo one", `--allow-exec`}},
	{name: "!COMMAND runs with --allow-exec", args: " --allow-exec", steps: []string{"!literal:!echo on''e; exit 3", `\none\nexit status 3\n`}},
	{name: "the start-up file has run", steps: []string{"from_rc + 1", `\n2719\n`}},
	{name: ":help lists the commands, :clear clears, :quit leaves", steps: []string{
		":help", `:save FILE`, ":clear", `\A>>> *$`, ":quit", `again\n`}},
}

func TestFeaturesOfTheSessionInATerminal(t *testing.T) {
	exe := built(t)
	for _, f := range features {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			line := "export XDG_STATE_HOME=$PWD XDG_CONFIG_HOME=$PWD VISUAL= EDITOR=\"sh $PWD/edit.sh\"; " +
				"until test -e ready; do sleep .1; done; clear; " + exe + f.args + "; echo again; " + exe
			m := openTmux(t, 80, 24, line)
			for name, text := range filesOfTheSession {
				path := filepath.Join(m.dir, name)
				if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.WriteFile(filepath.Join(m.dir, "ready"), nil, 0o666); err != nil {
				t.Fatal(err)
			}
			m.wait(`(?m)^>>> *$`)
			for i := 0; i < len(f.steps); i += 2 {
				m.enter(f.steps[i], i > 0 || f.steps[i] != "")
				m.wait("(?m)" + f.steps[i+1])
			}
			for row := range strings.SplitSeq(m.wait(`.`), "\n") {
				if n := len([]rune(row)); n > 80 {
					t.Errorf("a row of %d: %q", n, row)
				}
			}
			if f.file == "" {
				return
			}
			for began := time.Now(); ; time.Sleep(50 * time.Millisecond) { // its name is on the screen before it is there
				text, err := os.ReadFile(filepath.Join(m.dir, f.file))
				if err == nil && strings.Contains(string(text), f.holds) {
					break
				}
				if time.Since(began) > standstill {
					t.Fatalf("%s holds %q, %v", f.file, text, err)
				}
			}
		})
	}
}

var keyAtTheEnd = regexp.MustCompile(`!(Tab|C-c|None)$`)

// enter types keys as features have them.
func (m *tmux) enter(keys string, end bool) {
	m.t.Helper()
	if text, ok := strings.CutPrefix(keys, "!paste:"); ok {
		m.do("set-buffer", text)
		m.do("paste-buffer", "-p", "-t", "s")
		return
	}
	if text, ok := strings.CutPrefix(keys, "!literal:"); ok {
		m.do("send-keys", "-t", "s", "-l", text)
		m.keys("Enter")
		return
	}
	if key, ok := strings.CutPrefix(keys, "!"); ok {
		m.keys(key)
		return
	}
	key := "Enter"
	if at := keyAtTheEnd.FindStringIndex(keys); at != nil {
		keys, key = keys[:at[0]], keys[at[0]+1:]
	}
	if keys != "" {
		m.do("send-keys", "-t", "s", "-l", keys)
	}
	if end && key != "None" {
		m.keys(key)
	}
}
