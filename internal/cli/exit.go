package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
)

// Exit statuses.
const (
	statusOK          = 0
	statusFailed      = 1
	statusUsage       = 2
	statusInterrupted = 130
	statusNoReader    = 141 // what a shell shows for a program that SIGPIPE ended
)

// errReported is an error whose text the user has already seen.
var errReported = errors.New("reported")

// errNoReader says that whoever read the output is gone, which needs no words.
var errNoReader = fmt.Errorf("%w: nobody reads the output", errReported)

// written is the error of writing to standard output.
func written(err error) error {
	if errors.Is(err, syscall.EPIPE) {
		return errNoReader
	}
	return err
}

// usageError is a command line that makes no sense.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// exitStatus is what the program ends with after err.
func exitStatus(ctx context.Context, err error) int {
	var usage usageError
	switch {
	case err == nil:
		return statusOK
	case errors.As(err, &usage):
		return statusUsage
	case errors.Is(err, errNoReader):
		return statusNoReader
	case ctx.Err() != nil:
		return statusInterrupted
	default:
		return statusFailed
	}
}

// flagError adds near names to pflag's error about an unknown flag.
func flagError(cmd *cobra.Command, err error) error {
	text := err.Error()
	name, ok := strings.CutPrefix(text, "unknown flag: --")
	if !ok {
		return usageError{err}
	}
	var names []string
	for _, f := range allFlags(cmd) {
		names = append(names, f.Name)
	}
	if near := nearest(name, names); near != "" {
		return usagef("%s (did you mean --%s?)", text, near)
	}
	return usageError{err}
}

// argCount makes a validator of the number of arguments whose error names what is missing.
func argCount(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return usagef("%s: missing argument; usage: %s", cmd.Name(), cmd.UseLine())
		case most >= 0 && len(args) > most:
			return usagef("%s: unexpected argument %q; usage: %s", cmd.Name(), args[most], cmd.UseLine())
		}
		return nil
	}
}
