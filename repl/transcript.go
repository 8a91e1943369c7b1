package repl

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"go.starlark.net/starlark"

	"astrolabe/builtins/binding"
	"astrolabe/builtins/characters"
	"astrolabe/builtins/values"
	"astrolabe/plots/canvas"
)

// Bounds of what a transcript keeps. What it leaves out it counts.
const (
	logEntryText = 256 << 10 // bytes that one entry printed
	logText      = 32 << 20  // bytes that all entries printed
	logPictures  = 64 << 20  // bytes of all pictures
	logTableRows = 200       // a longer table is kept as it was printed
)

// transcript remembers what a session was asked and what it answered.
type transcript struct {
	mu       sync.Mutex
	entries  []*logEntry
	oldest   int // entry whose answer is still whole
	text     int // bytes kept of all answers
	pictures int
	isTable  bool // the next output is a table that stands in the transcript already
}

// logEntry is one entry and its answer.
type logEntry struct {
	input string
	parts []logPart
	size  int
	lost  int // bytes of output that were not kept
}

// logPart is a piece of an answer: a text, a table, a picture, a file, or the sign that a picture is gone.
type logPart struct {
	text    string // as printed
	table   string // Markdown
	picture []byte
	format  string // of the picture, such as "png"
	file    string // that was written
	gone    bool   // a picture that was not kept
}

// begin starts an entry.
func (t *transcript) begin(input string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.isTable = false
	t.entries = append(t.entries, &logEntry{input: strings.Trim(input, "\n")})
}

// add appends a part to the running entry and keeps the bounds.
func (t *transcript) add(p logPart) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.entries) == 0 {
		t.entries = append(t.entries, &logEntry{})
	}
	e := t.entries[len(t.entries)-1]
	if p.text != "" {
		if t.isTable {
			t.isTable = false
			return
		}
		if room := logEntryText - e.size; len(p.text) > room {
			e.lost += len(p.text) - room
			p.text = strings.ToValidUTF8(p.text[:room], "")
		}
		if p.text == "" {
			return
		}
	}
	size := len(p.text) + len(p.table) + len(p.file)
	e.size += size
	t.text += size
	t.pictures += len(p.picture)
	if n := len(e.parts); p.text != "" && n > 0 && e.parts[n-1].text != "" {
		e.parts[n-1].text += p.text
	} else {
		e.parts = append(e.parts, p)
	}
	t.forget()
}

// forget drops the oldest answers beyond the bounds.
func (t *transcript) forget() {
	for ; t.oldest < len(t.entries)-1 && (t.text > logText || t.pictures > logPictures); t.oldest++ {
		e := t.entries[t.oldest]
		kept := e.parts[:0]
		for _, p := range e.parts {
			t.text -= len(p.text) + len(p.table) + len(p.file)
			t.pictures -= len(p.picture)
			e.lost += len(p.text) + len(p.table)
			if p.picture != nil {
				kept = append(kept, logPart{gone: true})
			}
		}
		e.parts = kept
	}
}

// value is told of a value before it is printed.
func (t *transcript) value(v starlark.Value) {
	table, ok := v.(*values.Table)
	if !ok || table.Len() > logTableRows {
		return
	}
	t.add(logPart{table: table.Markdown()})
	t.mu.Lock()
	t.isTable = true
	t.mu.Unlock()
}

// watch makes an environment tell the transcript what it shows and writes.
func (t *transcript) watch(env *binding.Env) {
	warn, wrote, show := env.Warn, env.Wrote, env.Show
	env.Warn = func(text string) {
		t.add(logPart{text: "warning: " + text + "\n"})
		if warn != nil {
			warn(text)
		}
	}
	env.Wrote = func(path string) {
		t.add(logPart{file: path})
		if wrote != nil {
			wrote(path)
		}
	}
	if show == nil {
		return
	}
	env.Show = func(p binding.Picture) (string, error) {
		var picture bytes.Buffer
		kept, format := p, ""
		kept.Draw = func(w io.Writer, f string, sz canvas.Size) error {
			format = f
			return p.Draw(io.MultiWriter(w, &picture), f, sz)
		}
		text := ""
		if p.Text != nil {
			kept.Text = func(s characters.Style) (string, error) {
				plain := s
				plain.Colors = characters.NoColors
				var err error
				if text, err = p.Text(plain); err != nil || s == plain {
					return text, err
				}
				return p.Text(s)
			}
		}
		path, err := show(kept)
		switch {
		case err != nil || path != "": // its file will be told of
		case text != "":
			t.add(logPart{text: text})
		case picture.Len() > 0:
			t.add(logPart{picture: picture.Bytes(), format: format})
		}
		return path, err
	}
}

// loggedWriter passes output on and keeps it.
type loggedWriter struct {
	w   io.Writer
	log *transcript
}

func (l loggedWriter) Write(p []byte) (int, error) {
	l.log.add(logPart{text: string(p)})
	return l.w.Write(p)
}

// saveTranscript writes what was entered and what came of it as Markdown, with the pictures that were shown in files
// beside it. It writes over no file.
func (s *Session) saveTranscript(path string) (files []string, err error) {
	s.log.mu.Lock()
	defer s.log.mu.Unlock()
	var out strings.Builder
	title := "Session"
	if s.cfg.Version != "" {
		title += " of astrolabe " + s.cfg.Version
	}
	out.WriteString("# " + title + "\n")
	stem := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	pictures := map[string][]byte{}
	var names []string
	for _, e := range s.log.entries {
		if e.input != "" {
			out.WriteString("\n" + fenced("python", prompted(e.input)))
		}
		for _, p := range e.parts {
			out.WriteString("\n")
			switch {
			case p.table != "":
				out.WriteString(p.table)
			case p.picture != nil:
				name := fmt.Sprintf("%s-%d.%s", stem, len(names)+1, p.format)
				names = append(names, name)
				pictures[name] = p.picture
				out.WriteString(link(name))
			case p.file != "":
				out.WriteString(link(from(filepath.Dir(path), p.file)))
			case p.gone:
				out.WriteString("(A picture stood here; the session kept only the newest.)\n")
			default:
				out.WriteString(fenced("", p.text))
			}
		}
		if e.lost > 0 {
			fmt.Fprintf(&out, "\n(%d more bytes of output were not kept.)\n", e.lost)
		}
	}
	if err := saveNew(path, []byte(out.String())); err != nil {
		return nil, err
	}
	files = append(files, path)
	for _, name := range names {
		at := filepath.Join(filepath.Dir(path), name)
		if err := saveNew(at, pictures[name]); err != nil {
			if errors.Is(err, os.ErrExist) {
				return files, fmt.Errorf("%w: choose another name for the transcript", err)
			}
			return files, err
		}
		files = append(files, at)
	}
	return files, nil
}

// fenced is text as a block of code.
func fenced(language, text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + language + "\n" + strings.TrimRight(text, "\n") + "\n" + fence + "\n"
}

// prompted is an entry as it stood on the screen.
func prompted(input string) string {
	return prompt + strings.ReplaceAll(input, "\n", "\n"+promptMore)
}

// link is a Markdown link to a file; a picture is shown.
func link(path string) string {
	target := filepath.ToSlash(path)
	if strings.ContainsAny(target, " ()<>") {
		target = "<" + strings.NewReplacer("<", `\<`, ">", `\>`).Replace(target) + ">"
	}
	text := "[" + strings.NewReplacer("[", `\[`, "]", `\]`).Replace(filepath.Base(path)) + "](" + target + ")\n"
	switch strings.ToLower(filepath.Ext(path)) {
	case ".png", ".svg":
		return "!" + text
	}
	return text
}

// from is a path as seen from a folder, itself where there is no way.
func from(dir, path string) string {
	absDir, err1 := filepath.Abs(dir)
	absPath, err2 := filepath.Abs(path)
	if err1 != nil || err2 != nil {
		return path
	}
	rel, err := filepath.Rel(absDir, absPath)
	if err != nil {
		return path
	}
	return rel
}
