package cli

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

var commandLines = []struct {
	args []string
	want string
}{
	{[]string{"/usr/bin/astrolabe", "report", "/data/a b.arrow", "-o", "../out/today.html", "--script=/x/y.star"},
		"astrolabe report '/data/a b.arrow' -o ../out/today.html --script=/x/y.star"},
	{[]string{"astrolabe", "run", "lib/check.star", "--limit=50%", "it's", "repl"},
		`astrolabe run lib/check.star --limit=50% 'it'\''s' repl`},
	{[]string{"astrolabe", "report", "--script", "@astrolabe//triage/cpu.star"},
		"astrolabe report --script @astrolabe//triage/cpu.star"},
	{[]string{"astrolabe", "--out=/tmp/x", "report", "--output=x.md"}, "astrolabe --out=/tmp/x report --output=x.md"},
	{[]string{"astrolabe", "-c", "print(\"$HOME `x` \\\\\")\n", "", "*.arrow", "~", "größe"},
		"astrolabe -c 'print(\"$HOME `x` \\\\\")\n' '' '*.arrow' '~' 'größe'"},
	{[]string{"astrolabe"}, ""},
}

func TestCommandLinesAreWordForWord(t *testing.T) {
	for _, c := range commandLines {
		if got := commandLine(c.args); got != c.want {
			t.Errorf("%q: %s, want %s", c.args, got, c.want)
		}
	}
}

// An environment is made for each capture of map, and the line may name 100,000 of them.
func TestTheOwnCommandLineIsMadeOnce(t *testing.T) {
	ownCommand()
	if n := testing.AllocsPerRun(10, func() { ownCommand() }); n > 0 {
		t.Errorf("asking for it again makes %v things", n)
	}
}

func TestAShellReadsACommandLineAsTheSameWords(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell here")
	}
	for _, c := range commandLines {
		if c.want == "" {
			continue
		}
		out, err := exec.Command(sh, "-c", `astrolabe() { for a in "$@"; do printf '%s\0' "$a"; done; }`+"\n"+
			c.want).Output()
		if err != nil {
			t.Fatal(err)
		}
		if words := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"); !slices.Equal(words, c.args[1:]) {
			t.Errorf("%s is read as %q", c.want, words)
		}
	}
}
