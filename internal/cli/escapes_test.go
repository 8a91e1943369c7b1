//go:build linux

package cli

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/creack/pty"
)

// hostile is a name that would set the title of the terminal, hide what follows, and turn its order around.
const hostile = "evil\x1b]0;owned\x07\x1b[8mx\u009b31my\u202ez\u2066"

// hostileName is that in a literal of Starlark.
const hostileName = `evil\x1b]0;owned\a\x1b[8mx\u009b31my\u202ez\u2066`

// hostileCapture is a capture in which names of counters, labels and their values are hostile, in a file that is called
// so too.
func hostileCapture(t *testing.T, dir string) string {
	t.Helper()
	name := hostile + ".arrow"
	code := strings.ReplaceAll(
		`capture.from_columns({"E": [1, 2], "E 2": [3, None]}, period = "1ms", name = "E", labels = {"E": ["E", "b"]}, properties = {"E": "E"}, units = {"E": "E"}).save("E.arrow")`,
		"E", hostileName)
	cmd := exec.Command("astrolabe", "-c", code)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return name
}

// obeyedBy returns what a terminal would obey in what a program said. Line ends are as a terminal gets them.
func obeyedBy(said []byte) []string {
	var out []string
	text := strings.ReplaceAll(string(said), "\r\n", "\n")
	for i, r := range text {
		_, n := utf8.DecodeRuneInString(text[i:])
		if r == utf8.RuneError && n == 1 || unicode.IsControl(r) && r != '\n' && r != '\t' && r != '\r' ||
			unicode.Is(unicode.Bidi_Control, r) {
			out = append(out, text[max(0, i-20):min(len(text), i+20)])
		}
	}
	return out
}

func TestNamesFromCapturesAreNotObeyedByTerminals(t *testing.T) {
	dir := t.TempDir()
	file := hostileCapture(t, dir)
	if err := os.WriteFile(filepath.Join(dir, "r.star"),
		[]byte(
			"def analyze(cap, r):\n    for c in cap.counters.values():\n        r.finding(\"f\", \"warning\", c.name, evidence=[c], advice=c.name)\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	open := func(code string) []string {
		return []string{"-c", "cap = capture.open(args[0])\nc = list(cap.counters.values())[0]\n" + code, file}
	}
	for what, args := range map[string][]string{
		"stat":                          {"stat", file},
		"an absent file":                {"stat", hostile + ".none"},
		"a file of no format":           {"stat", "--input-format", "csv", file},
		"a capture":                     open("cap"),
		"a printed capture":             open("print(cap)"),
		"a printed counter":             open("print(c)"),
		"printed counters":              open("print(cap.counters)"),
		"the first samples":             open("print(cap.head())"),
		"a summary":                     open("cap.summary()"),
		"groups":                        open("cap.group_by(\"" + hostileName + "\")"),
		"a sample":                      open("[s for s in cap][0]"),
		"a row":                         open("cap.head()[0]"),
		"a list of names":               open("print([c.name], {c.name: c}, (c,))"),
		"an unknown counter":            open("cap[\"" + hostileName + "3\"]"),
		"an error of a script":          open("fail(c.name)"),
		"an error that quotes its code": {"-c", "x = \"" + hostile + "\" +"},
		"a warning":                     open("capture.open(args[0], gpu=\"x" + hostileName + "\")"),
		"the path of a written file":    open("write(\"e\\x1b[31m\\u009b.txt\", \"\")"),
		"findings":                      {"report", file, "--script", "r.star", "-o", "x.json"},
		"a converted file":              {"convert", file, "-", "--format", "csv"},
		"a comparison":                  {"compare", file, file, "--all"},
		"an option":                     {"stat", "--input-format", hostile, file},
		"a command":                     {hostile},
		"a script that is absent":       {"run", hostile + ".star"},
		"the values as JSON":            {"stat", "--json", file},
	} {
		for _, terminal := range []bool{false, true} {
			cmd := exec.Command("astrolabe", args...)
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "TERM=xterm", "XDG_STATE_HOME="+dir, "XDG_CONFIG_HOME="+dir)
			var said []byte
			if terminal {
				tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 40, Cols: 120})
				if err != nil {
					t.Skipf("no pseudo-terminal here: %v", err)
				}
				said, _ = io.ReadAll(tty) // its end is an error
				cmd.Wait()
				tty.Close()
			} else {
				switch what {
				case "a converted file", "the values as JSON", "the path of a written file": // programs read them
					continue
				}
				said, _ = cmd.CombinedOutput()
			}
			if found := obeyedBy(said); len(found) > 0 {
				t.Errorf("%s, on a terminal %t: %q in\n%q", what, terminal, found[0], said)
			}
			if len(bytes.TrimSpace(said)) == 0 {
				t.Errorf("%s says nothing", what)
			}
		}
	}
}

func TestPrintedTextIsShownOnTerminalsAndWholeInPipes(t *testing.T) {
	code := `print("a\x1b[31mb\u009b\u202e")`
	cmd := exec.Command("astrolabe", "-c", code)
	if out, err := cmd.Output(); err != nil || string(out) != "a\x1b[31mb\u009b\u202e\n" {
		t.Errorf("a pipe gets %q, %v", out, err)
	}
	cmd = exec.Command("astrolabe", "-c", code)
	tty, err := pty.Start(cmd)
	if err != nil {
		t.Skipf("no pseudo-terminal here: %v", err)
	}
	defer tty.Close()
	out, _ := io.ReadAll(tty)
	cmd.Wait()
	if want := `a\x1b[31mb\u009b\u202e` + "\r\n"; string(out) != want {
		t.Errorf("a terminal gets %q, want %q", out, want)
	}
}

func TestCompletionOffersNoNameThatATerminalOrShellObeys(t *testing.T) {
	dir := t.TempDir()
	make := exec.Command("astrolabe", "-c",
		`capture.from_columns({n: [1] for n in ["good", "ev\x1b[31mil", "$(touch x)", "`+"`id`"+
			`", "two\nlines", "x\u202e"]}, period = "1ms").save("a.arrow")`)
	make.Dir = dir
	if out, err := make.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd := exec.Command("astrolabe", "__complete", "compare", "a.arrow", "a.arrow", "--metrics", "")
	cmd.Dir = dir
	out, _ := cmd.Output()
	if found := obeyedBy(out); len(found) > 0 || strings.ContainsAny(string(out), "$`") ||
		!strings.Contains(string(out), "good\n") {
		t.Errorf("completions:\n%q", out)
	}
}
