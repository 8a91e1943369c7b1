package guards

import (
	"strings"
	"testing"
)

func TestANumberOfAMillionDigitsIsRefused(t *testing.T) {
	digits := strings.Repeat("7", 1_000_000)
	for name, c := range map[string]struct {
		text string
		line string // of the error, "" for none
	}{
		"decimal":        {"x = 1\ny = " + digits, "x.star:2"},
		"hexadecimal":    {"x = 0x" + strings.Repeat("ab", 500_000), "x.star:1"},
		"fraction":       {"x = 1." + digits, "x.star:1"},
		"behind a text":  {"x = \"\"\"a\n\"\n\"\"\" + " + digits, "x.star:3"},
		"in a text":      {"x = '" + digits + "'", ""},
		"in a long text": {"x = '''\n" + digits + "\n'''", ""},
		"in a comment":   {"# " + digits + "\nx = 1", ""},
		"an escape":      {`x = "\"` + digits + `"`, ""},
		"short numbers":  {"x = [" + strings.Repeat("12345678,\n", 10_000) + "]", ""},
		"a name":         {"x = " + strings.Repeat("fade", 5_000), ""},
	} {
		err := CheckNumbers("x.star", []byte(c.text))
		switch {
		case c.line == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case c.line != "" && (err == nil || !strings.HasPrefix(err.Error(), c.line+":") ||
			!strings.Contains(err.Error(), "more than 10000 digits")):
			t.Errorf("%s: got %v", name, err)
		}
	}
}
