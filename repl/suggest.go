package repl

import (
	"strings"
	"sync"
)

// suggestions offer the newest earlier entry that begins as the line does, as it is typed.
type suggestions struct {
	mu      sync.Mutex // readline draws in a goroutine of its own
	entries []string   // oldest first
	off     bool       // the line is being left: what is not in it goes from the screen
	atEnd   bool       // the cursor stood at the end of the line before this key
}

// remember puts an entry at the end.
func (s *suggestions) remember(entries ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.entries = append(s.entries, entries...)
}

// reset forgets all entries.
func (s *suggestions) reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.entries = nil
}

// leave hides what is suggested until the next line, or shows it again.
func (s *suggestions) leave(off bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.off = off
}

// of is what would follow a text, "" for nothing.
func (s *suggestions) of(text string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.off || strings.TrimSpace(text) == "" {
		return ""
	}
	for i := len(s.entries) - 1; i >= 0; i-- {
		if rest, ok := strings.CutPrefix(s.entries[i], text); ok && rest != "" {
			return rest
		}
	}
	return ""
}

// shownOf is as much of a suggestion as fits into so many cells of the row: its first line.
func (c *cells) shownOf(rest string, room int) []rune {
	first, _, more := strings.Cut(rest, "\n")
	line := c.toEdit(first)
	if more {
		line = append(line, '…')
	}
	if len(line) <= room {
		return line
	}
	if room < 2 {
		return nil
	}
	line = line[:room-1]
	if c.isWide(line[len(line)-1]) { // without its second cell
		line = line[:len(line)-1]
	}
	return append(line, '…')
}

// nextWord is the beginning of a suggestion up to the end of its next word.
func nextWord(rest string) string {
	for i := 1; i < len(rest); i++ {
		if !isNameByte(rest[i]) && isNameByte(rest[i-1]) { // bytes of other characters are those of names
			return rest[:i]
		}
	}
	return rest
}
