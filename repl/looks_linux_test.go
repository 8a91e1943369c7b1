//go:build linux

package repl

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTerminalColorsWhatIsTyped(t *testing.T) {
	s := startTerminal(t, t.TempDir(), 100, "NO_COLOR=")
	s.wait(ready)
	s.typeKeys(`for x in [12]: print("a", x) # c`)
	s.wait(`\x1b\[35mfor\x1b\[0m x \x1b\[35min\x1b\[0m \[\x1b\[36m12\x1b\[0m\]: print\(\x1b\[32m"a"\x1b\[0m, x\) \x1b\[90m# c\x1b\[0m`)
	// The cursor still goes where readline believes that it is.
	s.typeKeys(strings.Repeat("\x1b[D", 5))
	s.settled(100, `>>> for x in [12]: print("a", x) # c`, 31)
	s.typeKeys("\x03")
	s.wait(ready)
	s.typeKeys("answerr\r")
	s.wait(`\x1b\[31m(?s:.*)undefined: answerr(?s:.*)\x1b\[0m`)
	s.wait(ready)
	s.typeKeys(":set colors off\r")
	s.wait(`colors = off`)
	s.wait(ready)
	s.typeKeys("for i in [1]: pass")
	s.wait(`>>> for i in \[1\]: pass`)
}

func TestTerminalSuggestsFromTheHistory(t *testing.T) {
	s := startTerminal(t, t.TempDir(), 60, "NO_COLOR=")
	s.wait(ready)
	s.typeKeys("answer + 1000 # 温\r")
	s.wait(`1042\r\n`)
	s.wait(ready)
	s.typeKeys("answ")
	s.settled(60, ">>> answer + 1000 # 温", 8) // it stands behind the cursor
	s.typeKeys("\r")                          // and is not entered
	s.wait(`undefined: answ`)
	s.wait(ready)
	s.typeKeys("answe")
	s.settled(60, ">>> answer + 1000 # 温", 9)
	s.typeKeys("x") // it goes where the line does not go on so
	s.settled(60, ">>> answex", 10)
	s.typeKeys("\x7f\x1b[1;5C") // a word of it
	s.settled(60, ">>> answer + 1000 # 温", 10)
	s.typeKeys("\x1b[C") // all
	s.settled(60, ">>> answer + 1000 # 温", 22)
	s.typeKeys("\r")
	s.wait(`1042\r\n`)
	s.wait(ready)
	s.typeKeys("answer\x1b[D\x1b[C") // Right inside a line only moves
	s.settled(60, ">>> answer + 1000 # 温", 10)
	s.typeKeys("\x03")
	s.wait(`answer\^C`)
	s.wait(ready)

	// A long one is cut at the edge, an entry of several lines shows its first and comes back whole.
	s.typeKeys("for i in [1]:\r")
	s.wait(`\.\.\. `)
	s.typeKeys("  print(i * 4321)\r\r")
	s.wait(`4321\r\n`)
	s.wait(ready)
	s.typeKeys("for")
	s.settled(60, ">>> for i in [1]:…", 7)
	s.typeKeys("\x05")
	s.settled(60, "...   print(i * 4321)", 21)
	s.typeKeys("\r")
	s.wait(`4321\r\n`)
	s.wait(ready)
	s.typeKeys("'" + strings.Repeat("long ", 20) + "'\r")
	s.wait(`long "\r\n`)
	s.wait(ready)
	s.typeKeys("'lo")
	s.settled(60, ">>> "+("'" + strings.Repeat("long ", 20))[:54]+"…", 7)
	s.typeKeys("\x03")
	s.wait(ready)
	s.typeKeys(":set suggestions off\r")
	s.wait(`suggestions = off`)
	s.wait(ready)
	s.typeKeys("for")
	s.settled(60, ">>> for", 7)
}

func TestTerminalRunsCommandsOfTheShellWhereItMay(t *testing.T) {
	s := startTerminal(t, t.TempDir(), 100)
	s.wait(ready)
	s.typeKeys("!echo one\r")
	s.wait(`started as astrolabe --allow-exec`)
	s.wait(ready)
	s.typeKeys("quit\r")
	s.exits()

	s = startTerminal(t, t.TempDir(), 100, "ASTROLABE_TEST_SHELL=1")
	s.wait(ready)
	s.typeKeys("!echo o''ne; exit 3\r")
	s.wait(`one\r\nexit status 3\r\n`)
	s.wait(ready)
	s.typeKeys("!test -t 0 && test -t 1 && echo a'' terminal\r")
	s.wait(`a terminal\r\n`)
	s.wait(ready)
	// Ctrl-C is the command's, and ends no session however often it is typed. A terminal flushes what is shown right
	// after the signal, unless it is told not to.
	s.typeKeys("!stty noflsh; n=; trap 'echo no''t yet; n=1' INT; echo be''gun; until [ \"$n\" ]; do sleep .1; done; exit 7\r")
	s.wait(`begun\r\n`)
	s.typeKeys("\x03")
	s.wait(`not yet\r\n(?s:.*)exit status 7\r\n`)
	s.wait(ready)
	s.typeKeys("answer\r")
	s.wait(printed(`42`))
}

func TestTerminalEditsAnEarlierEntry(t *testing.T) {
	dir := t.TempDir()
	editor := filepath.Join(dir, "editor")
	if err := os.WriteFile(editor, []byte("#!/bin/sh\nsed -i s/40/50/ \"$1\"\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	s := startTerminal(t, dir, 100, "VISUAL="+editor)
	s.wait(ready)
	s.typeKeys("for i in [1]:\r")
	s.wait(`\.\.\. `)
	s.typeKeys("  print(i * 40)\r\r")
	s.wait(printed(`40`))
	s.wait(ready)
	s.typeKeys("answer\r")
	s.wait(printed(`42`))
	s.wait(ready)
	s.typeKeys(":edit print(i\r")
	s.wait(`>>> for i in \[1\]:\r\n\.\.\.   print\(i \* 50\)\r\n50\r\n`)
	s.wait(ready)
	s.typeKeys(":edit nothing like it\r")
	s.wait(`no earlier entry holds "nothing like it"`)
}
