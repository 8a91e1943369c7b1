package lint

import (
	"strings"
	"testing"

	"astrolabe/internal/script"
	"astrolabe/internal/script/infer"
)

// A line of 50 kB took 15 s here, and as long in the formatter and the language server.
func TestALongChainIsRefused(t *testing.T) {
	reader := script.NewReader(nil)
	for name, text := range map[string]string{
		"plus": "x = " + strings.Repeat("1+", 25000) + "1\n",
		"dots": "x = []\ny = x" + strings.Repeat(".a", 25000) + "\n",
		"call": "x = []\ny = x" + strings.Repeat("()", 25000) + "\n",
		"not":  "x = " + strings.Repeat("not ", 25000) + "1\n",
		"if":   "x = " + strings.Repeat("1 if 1 else ", 25000) + "1\n",
	} {
		found := Run(infer.NewWorld(reader), reader.Text(name+".star", []byte(text)))
		if len(found) != 1 || !strings.Contains(found[0].String(), "more than 1000 parts one in another") &&
			!strings.Contains(found[0].String(), "excessive nesting") {
			t.Errorf("%s: %d findings: %v", name, len(found), found[:min(len(found), 3)])
		}
	}
	if found := Run(infer.NewWorld(reader),
		reader.Text("short.star", []byte("x = "+strings.Repeat("1+", 500)+"1\nprint(x)\n"))); len(found) > 0 {
		t.Errorf("a chain of 500: %v", found)
	}
}
