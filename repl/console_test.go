//go:build linux

package repl

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// writeFile puts a file into a folder that need not exist.
func writeFile(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

func TestTerminalEditsTheLastEntryInAnEditor(t *testing.T) {
	home := t.TempDir()
	editor := filepath.Join(home, "my editor.sh")
	writeFile(t, editor, "#!/bin/sh\nsed -i 's/answer/answer + 1/' \"$2\"\n", 0o700)
	// The name of a program in EDITOR is split at spaces, as everywhere.
	link := filepath.Join(home, "ed.sh")
	if err := os.Symlink(editor, link); err != nil {
		t.Fatal(err)
	}
	s := startTerminal(t, home, 80, "VISUAL=", "EDITOR="+link+" --wait")
	s.wait(ready)
	s.typeKeys("for i in [0]:\r")
	s.wait(`\.\.\. `)
	s.typeKeys("  print(answer)\r")
	s.wait(`\.\.\. `)
	s.typeKeys("\r")
	s.wait(printed("42"))
	s.wait(ready)
	s.typeKeys(":edit\r")
	s.wait(`print\(answer \+ 1\)`)
	s.wait(`43\r\n`)
	s.wait(ready)
	s.typeKeys("\x1b[A\r") // Up: what was run, whole
	s.wait(printed("43"))
	s.wait(ready)
	s.typeKeys("1 // 0\r")
	s.wait(`error: `)
	s.wait(ready)
	s.typeKeys(":edit\r") // the editor changes nothing
	s.wait("nothing was changed")
	s.wait(ready)
	s.typeKeys("quit\r")
	s.exits()
}

func TestTerminalSaysWhereAnEditorFails(t *testing.T) {
	s := startTerminal(t, t.TempDir(), 80, "VISUAL=/nonexistent/editor")
	s.wait(ready)
	s.typeKeys(":edit\r")
	s.wait("the editor /nonexistent/editor failed, so nothing runs")
	s.wait(ready)
}

func TestTerminalShowsAndChangesSettings(t *testing.T) {
	s := startTerminal(t, t.TempDir(), 100)
	s.wait(ready)
	s.typeKeys(":set\r")
	s.wait(`items +40 .*\r\n.*steps +0 .*\r\n.*suggestions +off .*\r\n.*width +0 `)
	s.wait(ready)
	s.typeKeys(":set it\t 2\r")
	s.wait(`items = 2\r\n`)
	s.wait(ready)
	s.typeKeys("[1, 2, 3, 4]\r")
	s.wait(`\[1, 2, … and 2 more\]\r\n`)
	s.wait(ready)
	s.typeKeys(":set steps=5000\r")
	s.wait(`steps = 5000\r\n`)
	s.wait(ready)
	s.typeKeys("[i for i in range(100000)]\r")
	s.wait(`limit of 5000 steps`)
	s.wait(ready)
	s.typeKeys(":set itmes 3\r")
	s.wait(`did you mean items\?`)
	s.wait(ready)
	s.typeKeys(":set items none\r")
	s.wait(`"none" is no whole number from 1`)
}

func TestTerminalRunsTheStartUpFile(t *testing.T) {
	home := t.TempDir()
	writeFile(t, filepath.Join(home, "astrolabe", "rc.star"),
		"def double(x):\n    return 2 * x\nprint('mine')\nbad = answer.nothing\n", 0o600)
	s := startTerminal(t, home, 100)
	s.wait(`mine\r\n`)
	s.wait(`rc.star:4:`) // an error in it is shown and ends nothing
	s.wait(ready)
	s.typeKeys("double(answer)\r")
	s.wait(printed("84"))
}

func TestTerminalAsksOnceAboutTheRepositorysStartUpFile(t *testing.T) {
	home, repo := t.TempDir(), t.TempDir()
	rc := filepath.Join(repo, "rc.star")
	writeFile(t, rc, "print('from the ' + 'repository')\n", 0o600)
	session := func(answer, want string) {
		t.Helper()
		s := startTerminal(t, home, 200, "ASTROLABE_TEST_REPO="+repo)
		if answer != "" {
			s.wait(`\[y/N\] `)
			s.typeKeys(answer + "\r")
		}
		text := s.wait(ready)
		if asked := strings.Contains(text, "[y/N]"); asked && answer == "" {
			t.Errorf("asked again: %q", text)
		}
		if ran := strings.Contains(text, "from the repository"); ran != (want == "run") {
			t.Errorf("answer %q: %q", answer, text)
		}
	}
	session("y", "run")
	session("", "run")
	writeFile(t, rc, "print('from the ' + 'repository')\nx = 1\n", 0o600) // another text is another question
	session("n", "")
	session("", "")
}

func TestTerminalPrintsAMillionValuesBounded(t *testing.T) {
	s := startTerminal(t, t.TempDir(), 100)
	s.wait(ready)
	for _, c := range []struct{ keys, want string }{
		{"list(range(1000000))\r", `… and 999960 more\]\r\n`},
		{"[[list(range(1000)) for i in range(1000)] for k in range(3)]\r", `… and \d+ more\]+\r\n`},
		{"'x' * 1000000\r", `… and 996000 more bytes\r\n`},
		{"print(list(range(1000000)))\r", `more bytes: write\(PATH, TEXT\) puts all of it into a file\r\n`},
		{"{i: [i] * 1000 for i in range(1000)}\r", `… and \d+ more\}\r\n`},
		{"b'x' * 100000\r", `… and 96000 more bytes\r\n`},
		{"n = 1\r", ``},
		{"[1 << 500] * 100000\r", `… and \d+ more\]\r\n`},
	} {
		s.typeKeys(c.keys)
		if got := s.wait(c.want + "(.|\n)*" + ready); len(got) > 80000 {
			t.Errorf("%s printed %d bytes", strings.TrimSpace(c.keys), len(got))
		}
	}
}

func TestTerminalWritesATranscriptOfTheScreen(t *testing.T) {
	s := startTerminal(t, t.TempDir(), 100)
	s.wait(ready)
	s.typeKeys("answer\r")
	s.wait(printed("42"))
	s.wait(ready)
	s.typeKeys("answr\r")
	s.wait("did you mean answer")
	s.wait(ready)
	s.typeKeys(":save bug.md\r")
	s.wait(printed(`bug\.md`))
	data, err := os.ReadFile(filepath.Join(s.cmd.Dir, "bug.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"```python\n>>> answer\n```\n\n```\n42\n```\n",
		"undefined: answr (did you mean answer?)"} {
		if !strings.Contains(string(data), want) {
			t.Errorf("%q is not in\n%s", want, data)
		}
	}
}

// A repository may bring a pipe in the place of a start-up file. It is no file, and nobody waits for its other end.
func TestAPipeIsNoStartUpFile(t *testing.T) {
	home := t.TempDir()
	path := filepath.Join(home, "astrolabe", "rc.star")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	s := startTerminal(t, home, 100)
	s.wait(`start-up file: .*not a regular file but a pipe`)
	s.wait(ready)
}
