package repl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// console is the terminal of an interactive session.
type console struct {
	in, out, talk *os.File
	remember      func(entry string) // puts an entry into the history
	find          func(text string) (entry string, ok bool)
	line          *int // number of the next entry's first line
}

// editorCommand is the user's editor with its arguments.
func editorCommand() []string {
	for _, name := range []string{"VISUAL", "EDITOR"} {
		if words := strings.Fields(os.Getenv(name)); len(words) > 0 {
			return words
		}
	}
	if runtime.GOOS == "windows" {
		return []string{"notepad"}
	}
	return []string{"vi"}
}

// editCommand opens the last entry, or the last one that holds a text, in an editor and runs what the user makes of it.
func (s *Session) editCommand(ctx context.Context, arg string) error {
	if s.console == nil {
		return errors.New(":edit needs a session at a terminal")
	}
	text := s.last
	if arg != "" {
		var ok bool
		if text, ok = s.console.find(arg); !ok {
			return fmt.Errorf("no earlier entry holds %q; to run a file: :load FILE", arg)
		}
	}
	edited, err := s.edit(text)
	if err != nil {
		return err
	}
	if strings.TrimSpace(edited) == "" || edited == text {
		_, err := io.WriteString(s.cfg.Talk, "nothing was changed, so nothing runs\n")
		return err
	}
	io.WriteString(s.cfg.Talk, prompted(strings.TrimRight(edited, "\n"))+"\n")
	s.console.remember(edited)
	first := *s.console.line
	*s.console.line += strings.Count(edited, "\n")
	return s.entry(ctx, first, edited)
}

// edit lets the user change a text in their editor.
func (s *Session) edit(text string) (string, error) {
	dir, err := os.MkdirTemp("", "astrolabe-edit-")
	if err != nil {
		return "", fmt.Errorf(":edit: %w", err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "entry.star")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		return "", fmt.Errorf(":edit: %w", err)
	}
	words := editorCommand()
	cmd := exec.Command(words[0], append(words[1:], path)...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = s.console.in, s.console.out, s.console.talk
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("the editor %s failed, so nothing runs (EDITOR chooses another): %w", words[0], err)
	}
	info, err := os.Stat(path)
	if err != nil {
		return "", fmt.Errorf(":edit: %w", err)
	}
	if info.Size() > maxEntry {
		return "", errTooLong
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf(":edit: %w", err)
	}
	edited := strings.ReplaceAll(string(data), "\r\n", "\n")
	if edited != "" && !strings.HasSuffix(edited, "\n") {
		edited += "\n"
	}
	return edited, nil
}
