package repl

import (
	"bytes"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"unicode/utf8"
)

func filtered(t *testing.T, r io.Reader) string {
	t.Helper()
	var p pastes
	out, err := io.ReadAll(&inputFilter{r: r, pastes: &p, cells: new(cells)})
	if err != nil {
		t.Fatal(err)
	}
	line, _, _ := p.expand([]rune(string(out)), 0)
	return string(line)
}

func TestFilterTranslatesWhatReadlineDoesNotKnow(t *testing.T) {
	n, tab := string(pasteNewline), string(pasteTab)
	for _, c := range []struct{ name, in, want string }{
		{"ordinary text passes", "aé\r", "aé\r"},
		{"Ctrl-Left and Ctrl-Right move by words", "\x1b[1;5D\x1b[1;5C", "\x1bb\x1bf"},
		{"Home and End in their variants", "\x1b[1~\x1b[H\x1bOH\x1b[4~\x1b[8~", "\x01\x01\x01\x05\x05"},
		{"an unknown sequence is dropped whole", "a\x1b[24;5~b", "ab"},
		{"a NUL does not end the input", "a\x00b", "ab"},
		{"a lone Escape does not swallow the next key", "\x1bx", "x"},
		{"a paste is one entry", "\x1b[200~for x in y:\n\tz\r\nw\x1b[201~\r",
			"for x in y:" + n + tab + "z" + n + "w\r"},
		{"a paste that holds the start of its end", "\x1b[200~a\x1b[20b\x1b[201~\r", "a[20b\r"},
		{"Ctrl-C leaves a paste that never ends", "\x1b[200~a\x03b", "\x03b"},
		{"control characters in a paste are dropped", "\x1b[200~a\x04\x01b\x1b[201~", "ab"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := filtered(t, strings.NewReader(c.in)); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if got := filtered(t, iotest.OneByteReader(strings.NewReader(c.in))); got != c.want {
				t.Errorf("byte by byte: got %q, want %q", got, c.want)
			}
		})
	}
}

func TestDeleteKeyOnAnEmptyLineDoesNotLeaveTheSession(t *testing.T) {
	var empty atomic.Bool
	empty.Store(true)
	out, _ := io.ReadAll(&inputFilter{r: strings.NewReader(deleteKey), empty: &empty})
	if len(out) != 0 {
		t.Errorf("on an empty line: %q", out)
	}
	empty.Store(false)
	out, _ = io.ReadAll(&inputFilter{r: strings.NewReader(deleteKey), empty: &empty})
	if string(out) != deleteKey {
		t.Errorf("on a line with text: %q", out)
	}
}

func TestPasteMovesTheCursorBehindIt(t *testing.T) {
	var p pastes
	a, b := p.put([]rune("one")), p.put([]rune("three"))
	line, pos, ok := p.expand([]rune{'x', a, 'y', b, 'z'}, 2)
	if string(line) != "xoneythreez" || pos != 4 || !ok {
		t.Errorf("got %q, cursor %d, %v", string(line), pos, ok)
	}
	if _, _, ok := p.expand([]rune("plain"), 5); ok {
		t.Error("a line without a paste is taken for one")
	}
}

// FuzzInputFilter checks that how the terminal cuts its bytes into reads does not matter, and that no NUL gets through.
func FuzzInputFilter(f *testing.F) {
	f.Add([]byte("a\x1b[200~x\ny\x1b[201~\r\x1b[1;5D\x00"))
	f.Add([]byte("\x1b\x1b[\x1b[200~\x1b[201\x1b[201~"))
	f.Fuzz(func(t *testing.T, in []byte) {
		if !utf8.Valid(in) { // half a character is one error however it is cut, but not always in the same place
			return
		}
		whole := filtered(t, bytes.NewReader(in))
		if split := filtered(t, iotest.OneByteReader(bytes.NewReader(in))); split != whole {
			t.Fatalf("%q: whole %q, byte by byte %q", in, whole, split)
		}
		if strings.ContainsRune(whole, 0) {
			t.Fatalf("%q lets a NUL through: %q", in, whole)
		}
	})
}
