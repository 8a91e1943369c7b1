package cli

import "testing"

func TestCommandLinesCanBePasted(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"/usr/bin/astrolabe", "report", "/data/a b.arrow", "-o", "../out/today.html", "--script=/x/y.star"}, "astrolabe report 'a b.arrow' -o report.html --script=y.star"},
		{[]string{"astrolabe", "run", "lib/check.star", "--limit=50%", "it's"}, `astrolabe run lib/check.star --limit=50% 'it'\''s'`},
		{[]string{"astrolabe", "report", "--script", "@astrolabe//triage/cpu.star"}, "astrolabe report --script @astrolabe//triage/cpu.star"},
		{[]string{"astrolabe", "--out=/tmp/x", "report", "--output=x.md"}, "astrolabe report --output=report.md"},
		{[]string{"astrolabe", "--out", "/tmp/x", "report", "--output=x.md"}, "astrolabe report --output=report.md"},
		{[]string{"astrolabe"}, ""},
		{[]string{"astrolabe", "repl"}, ""},
	} {
		if got := commandLine(c.args); got != c.want {
			t.Errorf("%q: %s, want %s", c.args, got, c.want)
		}
	}
}
