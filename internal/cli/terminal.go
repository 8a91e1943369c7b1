package cli

import (
	"errors"
	"os"

	"github.com/chzyer/readline"

	"astrolabe/internal/script"
	"astrolabe/repl"
)

// isTerminal reports whether f is a terminal.
func isTerminal(f *os.File) bool { return readline.IsTerminal(int(f.Fd())) }

func isReported(err error) bool { return errors.Is(err, errReported) }

// errorText is an error for people. One from a script has its traceback.
func errorText(err error) string {
	var s *script.Error
	if errors.As(err, &s) {
		return repl.FormatError(err, nil)
	}
	return "astrolabe: " + repl.ErrorText(err) + "\n"
}
