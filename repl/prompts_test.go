package repl

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestATranscriptGivesWhatStandsBehindItsPrompts(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string
		output     int
	}{
		{"one line", ">>> x = 1", []string{"x = 1\n"}, 0},
		{"results are left out", ">>> x = 1\n>>> x + 1\n2\n>>> x\n1\n", []string{"x = 1\n", "x + 1\n", "x\n"}, 2},
		{"a block", ">>> def f():\n...     return 1\n... \n>>> f()\n1\n", []string{"def f():\n    return 1\n", "f()\n"},
			1},
		{"a block whose last prompt lost its space", ">>> if x:\n...   y\n...\n", []string{"if x:\n  y\n"}, 0},
		{"IPython",
			"In [1]: x = 1\n\nIn [12]: for i in [x]:\n    ...:     print(i)\n    ...: \n1\n\nIn [13]: x\nOut[13]: 1\n",
			[]string{"x = 1\n", "for i in [x]:\n    print(i)\n", "x\n"}, 2},
		{"a page with the command line", "$ astrolabe repl run.arrow\n>>> busy.gt(90).spans()\n",
			[]string{"busy.gt(90).spans()\n"}, 1},
		{"indented, as on a page", "    >>> x\n    1\n", []string{"x\n"}, 1},
		{"commands and questions", ">>> :open a.arrow\n>>> cap?\n", []string{":open a.arrow\n", "cap?\n"}, 0},
		{"dots below output are output", ">>> x\n1\n... 35 more\n>>> y\ntext\n", []string{"x\n", "y\n"}, 3},
		{"empty prompts", ">>> \n>>>\n", nil, 0},
		{"line ends of Windows", ">>> x\r\n1\r\n", []string{"x\n"}, 1},
		{"a string over lines that shows prompts", ">>> s = \"\"\"a\n... >>> b\n... \"\"\"\n",
			[]string{"s = \"\"\"a\n>>> b\n\"\"\"\n"}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			if !isTranscript(c.text) {
				t.Fatal("not taken for a transcript")
			}
			got, output := withoutPrompts(c.text)
			if diff := cmp.Diff(c.want, got); diff != "" || output != c.output {
				t.Errorf("%d lines of output, want %d; (-want +got):\n%s", output, c.output, diff)
			}
		})
	}
}

func TestAPlainPasteKeepsThePromptsInItsStrings(t *testing.T) {
	for _, text := range []string{
		"x = 1\n", "def f():\n    \"\"\"Adds.\n\n    >>> f()\n    1\n    \"\"\"\n    return 1\n",
		"s = '''\n>>> x\n'''\n", "x = 8\ny = x >>2\n", "print(\">>> \")\n",
		"# In [1]: the first\nx = 1\n", "x = [1, 2,\n  3]\n",
	} {
		if isTranscript(text) {
			t.Errorf("%q is taken for a transcript", text)
		}
	}
}

func FuzzPrompts(f *testing.F) {
	f.Add(">>> x\n... y\n1\nIn [1]: z")
	f.Add("s = \"\"\"\n>>> x\n\"\"\"")
	f.Fuzz(func(t *testing.T, text string) {
		entries, output := withoutPrompts(text)
		lines := 0
		for _, e := range entries {
			if !strings.HasSuffix(e, "\n") || strings.TrimSpace(e) == "" {
				t.Errorf("entry %q", e)
			}
			lines += strings.Count(e, "\n")
		}
		if all := strings.Count(text, "\n") + 1; lines+output > all {
			t.Errorf("%d lines of entries and %d of output are more than %d", lines, output, all)
		}
		if len(entries) > 0 && !strings.Contains(text, ">>>") && !strings.Contains(text, "In [") {
			t.Errorf("entries without a prompt: %q", entries)
		}
		isTranscript(text)
	})
}
