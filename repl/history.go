package repl

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// historyLimit is how many entries the history keeps.
const historyLimit = 10000

// history is the list of entries of this and earlier sessions, oldest first, without duplicates. Its file holds one
// entry per line, with line ends and backslashes escaped, so that an entry of several lines stays whole.
type history struct {
	path    string // "" keeps nothing
	entries []string
	file    *os.File // opened for appending with the first new entry
}

// historyPath is the history file in the user's state folder, "" where there is no home.
func historyPath() string {
	state := os.Getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(state) {
		home, err := os.UserHomeDir()
		if err != nil {
			return ""
		}
		state = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(state, "astrolabe", "history")
}

// loadHistory reads the history file. A missing file is an empty history.
func loadHistory(path string) (*history, error) {
	h := &history{path: path}
	if path == "" {
		return h, nil
	}
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return h, nil
	}
	if err != nil {
		return h, fmt.Errorf("history is not kept: %w", err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(make([]byte, 64<<10), maxEntry)
	for lines.Scan() {
		if lines.Text() != "" {
			h.entries = append(h.entries, unescapeEntry(lines.Text()))
		}
	}
	if err := lines.Err(); err != nil {
		return h, fmt.Errorf("read history %s: %w", path, err)
	}
	read := len(h.entries)
	h.entries = newest(h.entries)
	if read > 2*historyLimit {
		return h, h.rewrite()
	}
	return h, nil
}

// newest returns the last historyLimit different entries in order, each where it stood last.
func newest(entries []string) []string {
	seen := make(map[string]bool, len(entries))
	out := make([]string, 0, min(len(entries), historyLimit))
	for i := len(entries) - 1; i >= 0 && len(out) < historyLimit; i-- {
		if !seen[entries[i]] {
			seen[entries[i]] = true
			out = append(out, entries[i])
		}
	}
	slices.Reverse(out)
	return out
}

// add appends an entry and writes it to the file at once, so that a killed session loses none.
func (h *history) add(text string) error {
	text = strings.TrimRight(text, "\n")
	if text == "" || len(h.entries) > 0 && h.entries[len(h.entries)-1] == text {
		return nil
	}
	h.entries = append(slices.DeleteFunc(h.entries, func(e string) bool { return e == text }), text)
	if len(h.entries) > historyLimit {
		h.entries = slices.Delete(h.entries, 0, len(h.entries)-historyLimit)
	}
	if h.path == "" {
		return nil
	}
	if h.file == nil {
		if err := os.MkdirAll(filepath.Dir(h.path), 0o700); err != nil {
			h.path = ""
			return fmt.Errorf("history is not kept: %w", err)
		}
		f, err := os.OpenFile(h.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			h.path = ""
			return fmt.Errorf("history is not kept: %w", err)
		}
		h.file = f
	}
	if _, err := h.file.WriteString(escapeEntry(text) + "\n"); err != nil {
		h.path = ""
		return fmt.Errorf("history is not kept: %w", err)
	}
	return nil
}

// rewrite replaces the file by the entries kept.
func (h *history) rewrite() error {
	tmp, err := os.CreateTemp(filepath.Dir(h.path), "history-*")
	if err != nil {
		return fmt.Errorf("shorten history: %w", err)
	}
	w := bufio.NewWriter(tmp)
	for _, e := range h.entries {
		w.WriteString(escapeEntry(e))
		w.WriteByte('\n')
	}
	err = errors.Join(w.Flush(), tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), h.path)
	}
	if err != nil {
		os.Remove(tmp.Name())
		return fmt.Errorf("shorten history: %w", err)
	}
	return nil
}

func (h *history) close() error {
	if h.file == nil {
		return nil
	}
	return h.file.Close()
}

var entryEscaper = strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\r", `\r`)

func escapeEntry(s string) string { return entryEscaper.Replace(s) }

func unescapeEntry(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var out strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			out.WriteByte(s[i])
			continue
		}
		i++
		switch s[i] {
		case 'n':
			out.WriteByte('\n')
		case 'r':
			out.WriteByte('\r')
		case '\\':
			out.WriteByte('\\')
		default:
			out.WriteByte('\\')
			out.WriteByte(s[i])
		}
	}
	return out.String()
}
