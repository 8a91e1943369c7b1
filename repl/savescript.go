package repl

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// saveScript writes the statements that succeeded so far as a script that prints what the session printed. It writes
// over no file.
func (s *Session) saveScript(path string) error {
	return saveNew(path, []byte(s.script(filepath.Dir(path))))
}

func saveNew(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return fmt.Errorf("save: %w", err)
	}
	_, err = f.Write(data)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return fmt.Errorf("save: %w", err)
	}
	return nil
}

// script is the session as a script for the given folder. A script may bind a name only once at its top level: a
// session that binds one again becomes the body of a function, where that is allowed.
func (s *Session) script(dir string) string {
	pieces := make([]string, 0, len(s.done))
	var loads, body []string
	for i, d := range s.done {
		piece := s.piece(i, dir)
		pieces = append(pieces, piece)
		if _, ok := d.stmt.(*syntax.LoadStmt); !ok {
			body = append(body, piece)
		} else if !slices.Contains(loads, piece) {
			loads = append(loads, piece)
		}
	}
	plain := strings.Join(pieces, "")
	if s.isScript(plain) {
		return plain
	}
	var out strings.Builder
	out.WriteString(strings.Join(loads, ""))
	out.WriteString("def main():\n")
	for _, piece := range body {
		indent(&out, piece)
	}
	out.WriteString("\nmain()\n")
	if wrapped := out.String(); !s.hides() && s.isScript(wrapped) {
		return wrapped
	}
	return "# This session gave names that astrolabe has, or that it loaded, another meaning, which no script may.\n" +
		"# Run it as a session: astrolabe < FILE\n" + plain
}

// piece is statement i of the script.
func (s *Session) piece(i int, dir string) string {
	d := s.done[i]
	if load, ok := d.stmt.(*syntax.LoadStmt); ok {
		return d.comments + relocate(d.text, load, dir) + d.rest + "\n"
	}
	name := ""
	for _, later := range s.done[i+1:] { // is its value used as _?
		if later.uses("_") {
			name = "_"
			break
		}
		if later.printed != notPrinted || later.binds("_") {
			break
		}
	}
	out := d.printing(name)
	if _, err := s.opts.Parse("", out, 0); err != nil {
		return d.source()
	}
	return out
}

// relocate makes a load that is relative to the working directory relative to the folder of the script.
func relocate(text string, load *syntax.LoadStmt, dir string) string {
	module := load.ModuleName()
	if filepath.IsAbs(module) || strings.HasPrefix(module, "//") || strings.HasPrefix(module, "@") {
		return text
	}
	from, err := filepath.Abs(dir)
	if err != nil {
		return text
	}
	to, err := filepath.Abs(module)
	if err != nil {
		return text
	}
	rel, err := filepath.Rel(from, to)
	if err != nil {
		return text
	}
	return strings.Replace(text, load.Module.Raw, starlark.String(filepath.ToSlash(rel)).String(), 1)
}

// isScript reports whether a text is valid as a script, which is stricter than a session.
func (s *Session) isScript(text string) bool {
	opts := &syntax.FileOptions{Set: true, TopLevelControl: true}
	file, err := opts.Parse("", text, 0)
	if err != nil {
		return false
	}
	_, err = starlark.FileProgram(file, s.cfg.Predeclared.Has)
	return err == nil
}

// hides reports whether the session bound a name that had a meaning before: in a function all uses would mean the new
// one.
func (s *Session) hides() bool {
	loaded := map[string]bool{}
	for _, d := range s.done {
		_, isLoad := d.stmt.(*syntax.LoadStmt)
		for _, id := range boundNames(d.stmt) {
			if loaded[id.Name] || !isLoad && (s.cfg.Predeclared.Has(id.Name) || starlark.Universe.Has(id.Name)) {
				return true
			}
			loaded[id.Name] = loaded[id.Name] || isLoad
		}
	}
	return false
}

// indent writes statements as the body of a function. Lines inside a string stay as they are.
func indent(out *strings.Builder, text string) {
	var e entry
	for line := range strings.Lines(text) {
		if e.quote == "" && !isBlank(strings.TrimRight(line, "\n")) {
			out.WriteString("    ")
		}
		out.WriteString(line)
		e.add(strings.TrimRight(line, "\n"))
	}
}
