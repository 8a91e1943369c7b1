//go:build linux

package repl

import (
	"strings"
	"testing"
)

// shown draws everything that the session wrote.
func (s *terminal) shown(width int) *screen {
	s.mu.Lock()
	defer s.mu.Unlock()
	sc := &screen{width: width}
	sc.show(s.text.String())
	return sc
}

func TestTerminalEditsWideCharacters(t *testing.T) {
	for _, c := range []struct {
		name string
		keys string // typed behind x = '
		want string // what then stands on the screen behind the prompt
		text string // of x after a closing quote
		col  int    // of the cursor before that quote
	}{
		{"East Asian characters", "日本語\x1b[D\x1b[Da", "x = '日a本語", "日a本語", 4 + 5 + 3},
		{"an emoji", "🚀b\x1b[D\x1b[D\x1b[C\x1b[C", "x = '🚀b", "🚀b", 4 + 5 + 3},
		{"a combining mark", "e\u0301b\x1b[D\x7fu", "x = 'ub", "ub", 4 + 5 + 1},
		{"a joined emoji", "👩\u200d💻\x7f.", "x = '👩\u200d.", "👩\u200d.", 4 + 5 + 3},
		{"half-width katakana", "ｱｲ\x1b[Dz", "x = 'ｱzｲ", "ｱzｲ", 4 + 5 + 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := startTerminal(t, t.TempDir(), 60)
			s.wait(ready)
			s.typeKeys("x = '" + c.keys + "\x07") // Ctrl-G does nothing
			if sc := s.settled(60, c.want, c.col); sc.text(sc.row) != ">>> "+c.want {
				t.Errorf("the screen shows %q", sc.text(sc.row))
			}
			s.typeKeys("\x05'\r")
			s.wait(ready)
			s.typeKeys("print('<' + x + '>')\r")
			s.wait(printed("<" + c.text + ">"))
		})
	}
}

func TestTerminalEditsALineLongerThanTheScreen(t *testing.T) {
	const width = 21
	s := startTerminal(t, t.TempDir(), width)
	s.wait(ready)
	s.typeKeys("x='" + strings.Repeat("日", 20) + "'" + strings.Repeat("\x1b[D", 14) + "ab")
	s.typeKeys("\x05\r")
	s.wait(ready)
	s.typeKeys("print(x)\r")
	s.wait(strings.Repeat("日", 7) + "ab" + strings.Repeat("日", 13) + "\r\n")
	sc := s.shown(width)
	for i := range sc.rows {
		if n := len([]rune(sc.text(i))); n > width {
			t.Errorf("row %d holds %d characters", i, n)
		}
	}
}

func TestTerminalFindsWideCharactersInTheHistory(t *testing.T) {
	s := startTerminal(t, t.TempDir(), 60)
	s.wait(ready)
	s.typeKeys("x = '日本'\r")
	s.wait(ready)
	s.typeKeys("answer\r")
	s.wait(printed("42"))
	s.wait(ready)
	s.typeKeys("\x12日本\r")
	s.wait(ready)
	s.typeKeys("print('<' + x + '>')\r")
	s.wait(printed("<日本>"))
	if text := s.shown(60); strings.ContainsFunc(strings.Join(flat(text), ""), func(r rune) bool {
		return noncharacter(r) || r >= firstStandIn
	}) {
		t.Errorf("the editor's own runes are on the screen: %q", flat(text))
	}
}

func TestTerminalErrorPointsBelowWideText(t *testing.T) {
	s := startTerminal(t, t.TempDir(), 60)
	s.wait(ready)
	s.typeKeys("'日本' + nothing\r")
	got := s.wait(`undefined: nothing`)
	if !strings.Contains(got, "'日本' + nothing\r\n             ^") {
		t.Errorf("the caret does not stand below the name: %q", got)
	}
}

func TestTerminalFollowsAResize(t *testing.T) {
	s := startTerminal(t, t.TempDir(), 100)
	s.wait(ready)
	s.typeKeys("words = ['" + strings.Repeat("w", 60))
	s.wait("www")
	s.resize(30)
	s.typeKeys("z']\r")
	s.wait(ready)
	s.typeKeys("len(words[0])\r")
	s.wait(printed("61"))
	s.wait(ready)
	s.resize(0)
	s.typeKeys("answer - 1\r")
	s.wait("41\r\n")
	s.resize(80)
	s.typeKeys("answer - 2\r")
	s.wait("40\r\n")
}
