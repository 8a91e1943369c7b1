package cli

import (
	"strings"
	"sync"
	"testing"
	"time"

	"astrolabe/builtins"
)

// shownText is what a terminal was sent; grew tells of every part.
type shownText struct {
	mu   sync.Mutex
	text string
	grew chan struct{}
}

func (s *shownText) Write(p []byte) (int, error) {
	s.mu.Lock()
	s.text += string(p)
	s.mu.Unlock()
	select {
	case s.grew <- struct{}{}:
	default:
	}
	return len(p), nil
}

func TestLongWorkIsNamedOnALineThatIsClearedAtItsEnd(t *testing.T) {
	out := &shownText{grew: make(chan struct{}, 1)}
	done := busyLine{out, func() int { return 100 }}.begin("opening 日本.arrow")
	select {
	case <-out.grew:
	case <-time.After(time.Minute):
		t.Fatal("nothing was shown")
	}
	done()
	done() // once is enough
	first, rest, _ := strings.Cut(strings.TrimPrefix(out.text, "\r"), "\r")
	if !strings.HasPrefix(first, "opening 日本.arrow: 0.") || !strings.HasSuffix(first, "s, Ctrl-C stops it") {
		t.Errorf("shown: %q", first)
	}
	if cleared := "\r" + strings.Repeat(" ", builtins.TextCells(first)) + "\r"; !strings.HasSuffix("\r"+rest, cleared) {
		t.Errorf("%q is not cleared by %q", first, rest)
	}
}

func TestShortWorkIsNotNamed(t *testing.T) {
	out := &shownText{grew: make(chan struct{}, 1)}
	busyLine{out, func() int { return 0 }}.begin("opening x")()
	if out.text != "" {
		t.Errorf("shown: %q", out.text)
	}
}

func TestTheLineOfLongWorkNeverWraps(t *testing.T) {
	for _, what := range []string{"drawing", "opening " + strings.Repeat("folder/", 40) + "end.arrow", "opening " + strings.Repeat("日本", 60), "opening a\x1b[2Jb\nc"} {
		for _, width := range []int{0, 1, 10, 30, 40, 79, 500} {
			text := busyText(what, 12*time.Second, width)
			if n := builtins.TextCells(text); n > busyCells || width > 0 && n >= width {
				t.Errorf("width %d: %d cells: %q", width, n, text)
			}
			if strings.ContainsAny(text, "\x1b\n") {
				t.Errorf("%q moves the cursor", text)
			}
		}
	}
	long := "opening " + strings.Repeat("folder/", 40) + "end.arrow"
	if got := busyText(long, 1500*time.Millisecond, 60); !strings.HasPrefix(got, "opening fol") || !strings.HasSuffix(got, "end.arrow: 1.5 s, Ctrl-C stops it") {
		t.Errorf("%q", got)
	}
}
