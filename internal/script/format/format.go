// Package format lays scripts out in the one way that buildifier has for Starlark, in process.
package format

import (
	"errors"
	"fmt"

	"github.com/bazelbuild/buildtools/build"
	"github.com/rogpeppe/go-internal/diff"
	"go.starlark.net/syntax"

	"astrolabe/internal/script"
)

// Source returns the text of a file as it should be laid out. The error names the line of what is no Starlark. What
// comes back parses.
func Source(s *script.Source) (out []byte, err error) {
	if _, err := s.Parse(); err != nil {
		return nil, err
	}
	defer func() {
		if p := recover(); p != nil {
			out, err = nil, fmt.Errorf("%s: the formatter cannot handle it: %v", s.Name, p)
		}
	}()
	file, err := build.ParseDefault(s.Name, s.Text)
	if err != nil {
		// The formatter knows a little less of the language than the interpreter.
		return nil, fmt.Errorf("the formatter cannot read it: %w", err)
	}
	out = build.Format(file)
	again := *s
	again.Text = out
	if _, err := again.Parse(); err != nil {
		var e syntax.Error
		errors.As(err, &e)
		return nil, fmt.Errorf("%s: the formatter would break it: %s", s.Name, e.Msg)
	}
	return out, nil
}

// Diff is a unified diff from the text of a file to what Source made of it, "" where they are the same.
func Diff(s *script.Source, formatted []byte) string {
	return string(diff.Diff(s.Name, s.Text, s.Name+" (formatted)", formatted))
}
