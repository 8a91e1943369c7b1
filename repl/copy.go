package repl

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"astrolabe/builtins/values"
	"astrolabe/capture/spelling"
)

// maxClipboard is how many bytes terminals take for their clipboard: xterm reads sequences of 100,000 bytes, which is
// what base64 makes of fewer.
const maxClipboard = 74_000

var tableFormats = map[string]func(*values.Table) string{"csv": (*values.Table).CSV, "markdown": (*values.Table).Markdown,
	"md": (*values.Table).Markdown}

// copyCommand copies the last table that was shown: :copy [csv|markdown] [FILE]. Without a file it goes to the
// clipboard of the terminal, which need not be on this machine.
func (s *Session) copyCommand(_ context.Context, arg string) error {
	format, path, _ := strings.Cut(arg, " ")
	path = strings.Trim(strings.TrimSpace(path), `"`)
	if path == "" && filepath.Ext(format) != "" {
		format, path = "", strings.Trim(format, `"`)
	}
	if format == "" {
		switch strings.ToLower(filepath.Ext(path)) {
		case ".csv":
			format = "csv"
		case ".md":
			format = "markdown"
		case "":
			format = "csv"
		default:
			return fmt.Errorf(":copy %s: a name that ends in .csv or .md says the format, or :copy csv FILE", path)
		}
	}
	write, ok := tableFormats[format]
	if !ok {
		known := slices.Sorted(maps.Keys(tableFormats))
		if near := spelling.Nearest(format, known); near != "" {
			return fmt.Errorf(":copy has no format %q (did you mean %s?)", format, near)
		}
		return fmt.Errorf(":copy has no format %q, only %s", format, strings.Join(known, ", "))
	}
	if s.table == nil {
		return errors.New("no table was shown yet, such as by cap.summary()")
	}
	text := write(s.table)
	switch {
	case path != "":
		if err := saveNew(path, []byte(text)); err != nil {
			return err
		}
		_, err := io.WriteString(s.cfg.Out, path+"\n")
		return err
	case s.console == nil:
		_, err := io.WriteString(s.cfg.Out, text)
		return err
	case len(text) > maxClipboard:
		return fmt.Errorf("the table is %d bytes, and a terminal's clipboard takes %d: :copy FILE writes it",
			len(text), maxClipboard)
	}
	// The sequence OSC 52, which terminals obey that let programs write their clipboard.
	if _, err := io.WriteString(s.console.out,
		"\x1b]52;c;"+base64.StdEncoding.EncodeToString([]byte(text))+"\a"); err != nil {
		return err
	}
	_, err := fmt.Fprintf(s.cfg.Talk, "%d rows as %s to the terminal's clipboard, if it takes them; :copy FILE writes a file\n",
		s.table.Len(), format)
	return err
}
