package buildserver

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Project is the folder that a build server checked out. Servers show a file beside what is said of it only where it is
// named relative to that folder.
type Project string

// file is the name that the server knows a file by, false where it is not one of the project.
func (p Project) file(name string) (string, bool) {
	if name == "" {
		return "", false
	}
	path, err := filepath.Abs(name)
	if err != nil {
		return "", false
	}
	if st, err := os.Stat(path); err != nil || st.IsDir() {
		return "", false
	}
	root, err := filepath.Abs(string(p))
	if err != nil {
		return "", false
	}
	if rel, ok := below(root, path); ok {
		return rel, true
	}
	// the folder may be named through a link, as the working directory may
	if root, err = filepath.EvalSymlinks(root); err != nil {
		return "", false
	}
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return "", false
	}
	return below(root, path)
}

func below(root, path string) (string, bool) {
	rel, err := filepath.Rel(root, path)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return "", false
	}
	return filepath.ToSlash(rel), true
}

// level is how grave what became of a case is.
type level int

const (
	passed level = iota
	skipped
	warning
	failure
	broken // it could not be judged
)

var levelNames = map[level]string{passed: "passed", skipped: "skipped", warning: "warning", failure: "failed",
	broken: "error"}

// outcome is how grave a case is, and why.
func (c *Case) outcome() (level, *Message) {
	switch {
	case c.Error != nil:
		return broken, c.Error
	case c.Failure != nil:
		return failure, c.Failure
	case c.Warning != nil:
		return warning, c.Warning
	case c.Skipped != nil:
		return skipped, c.Skipped
	}
	return passed, nil
}

// cases are all cases, the gravest first and otherwise in their order.
func (s *Suites) cases() []*Case {
	var out []*Case
	for i := range s.Suites {
		for k := range s.Suites[i].Cases {
			out = append(out, &s.Suites[i].Cases[k])
		}
	}
	slices.SortStableFunc(out, func(a, b *Case) int {
		p, _ := a.outcome()
		q, _ := b.outcome()
		return cmp.Compare(q, p)
	})
	return out
}

// text is all of a message: the line, and what it adds.
func (m *Message) text() string {
	if m.Text == "" || m.Text == m.Message {
		return m.Message
	}
	return m.Text
}
