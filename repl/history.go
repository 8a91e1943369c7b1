package repl

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// historyLimit is how many entries the history keeps.
const historyLimit = 10000

// history is the list of entries of this and earlier sessions, oldest first, without duplicates. Its file holds one
// entry per line, with line ends and backslashes escaped, so that an entry of several lines stays whole. Sessions that
// run at the same time share the file: each appends under its lock, and holds the file open no longer than that,
// because another may replace it.
type history struct {
	path    string // "" keeps nothing
	entries []string
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

// history is the session's, which has read nothing yet.
func (s *Session) history() *history {
	if s.hist == nil {
		path := s.cfg.History
		switch path {
		case "":
			path = historyPath()
		case "-":
			path = ""
		}
		s.hist = &history{path: path}
	}
	return s.hist
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
	entries, err := readEntries(f)
	h.entries = newest(entries)
	if err != nil {
		return h, fmt.Errorf("read history %s: %w", path, err)
	}
	if len(entries) > 2*historyLimit {
		return h, h.shorten()
	}
	return h, nil
}

// reload reads the file, to which other sessions may have added, and returns all entries, of which those that were
// known stay the newest.
func (h *history) reload() ([]string, error) {
	file, err := loadHistory(h.path)
	file.entries = newest(append(file.entries, h.entries...))
	*h = *file
	return h.entries, err
}

// find is the newest entry that holds a text and is no command, of all sessions.
func (h *history) find(text string) (entry string, ok bool) {
	h.reload() // what of the file cannot be read was said when it was read first
	for _, e := range slices.Backward(h.entries) {
		if strings.Contains(e, text) && !strings.HasPrefix(e, ":") && !strings.HasPrefix(e, "!") {
			return e + "\n", true
		}
	}
	return "", false
}

// readEntries reads a history file. With an error it returns what stands before it.
func readEntries(r io.Reader) ([]string, error) {
	var entries []string
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 64<<10), 2*maxEntry)
	for lines.Scan() {
		if lines.Text() != "" {
			entries = append(entries, unescapeEntry(lines.Text()))
		}
	}
	return entries, lines.Err()
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
	if err := h.store(text); err != nil {
		h.path = ""
		return fmt.Errorf("history is not kept: %w", err)
	}
	return nil
}

// store appends an entry to the file.
func (h *history) store(text string) error {
	f, err := h.locked()
	if err != nil {
		return err
	}
	line := escapeEntry(text) + "\n"
	if info, err := f.Stat(); err == nil && info.Size() > 0 {
		// A program that was killed in the middle of a line leaves it without an end.
		last := []byte{'\n'}
		if _, err := f.ReadAt(last, info.Size()-1); err == nil && last[0] != '\n' {
			line = "\n" + line
		}
	}
	_, err = f.WriteString(line)
	return errors.Join(err, f.Close())
}

// locked opens the history file for appending and takes its lock.
func (h *history) locked() (*os.File, error) {
	if err := os.MkdirAll(filepath.Dir(h.path), 0o700); err != nil {
		return nil, err
	}
	for {
		f, err := os.OpenFile(h.path, os.O_APPEND|os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil {
			return nil, err
		}
		if err := lockFile(f); err != nil {
			f.Close()
			return nil, err
		}
		mine, err1 := f.Stat()
		now, err2 := os.Stat(h.path)
		if err1 == nil && err2 == nil && os.SameFile(mine, now) {
			return f, nil
		}
		f.Close() // another session replaced the file while this one waited
		if err := errors.Join(err1, err2); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
}

// shorten replaces the file by its newest entries, those included that other sessions have written since it was read.
func (h *history) shorten() error {
	f, err := h.locked()
	if err != nil {
		return fmt.Errorf("shorten history: %w", err)
	}
	defer f.Close()
	entries, err := readEntries(f)
	if err != nil {
		return fmt.Errorf("shorten history %s: %w", h.path, err)
	}
	h.entries = newest(entries)
	if err := h.replace(f); err != nil {
		return fmt.Errorf("shorten history: %w", err)
	}
	return nil
}

// replace writes the entries in place of those of the file, whose lock it holds.
func (h *history) replace(f *os.File) error {
	var text bytes.Buffer
	for _, e := range h.entries {
		text.WriteString(escapeEntry(e) + "\n")
	}
	tmp, err := os.CreateTemp(filepath.Dir(h.path), "history-*")
	if err != nil {
		return err
	}
	_, err = tmp.Write(text.Bytes())
	if err = errors.Join(err, tmp.Close()); err == nil && os.Rename(tmp.Name(), h.path) == nil {
		return nil
	}
	if err == nil { // Windows renames nothing over a file that is open
		if err = f.Truncate(0); err == nil {
			_, err = f.Write(text.Bytes())
		}
	}
	os.Remove(tmp.Name())
	return err
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
