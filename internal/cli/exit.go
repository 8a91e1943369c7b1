package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"astrolabe/capture/spelling"
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

// statusError is an error whose text the user has already seen, with an exit status of its own.
type statusError struct{ status int }

func (e statusError) Error() string { return fmt.Sprintf("exit status %d", e.status) }
func (e statusError) Unwrap() error { return errReported }

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

// asUsage makes an error one of the command line; nil stays nil.
func asUsage(err error) error {
	if err == nil {
		return nil
	}
	return usageError{err}
}

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// exitStatus is what the program ends with after err.
func exitStatus(ctx context.Context, err error) int {
	var usage usageError
	var own statusError
	switch {
	case err == nil:
		return statusOK
	case errors.As(err, &own):
		return own.status
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
	if _, short, ok := strings.Cut(text, "unknown shorthand flag: "); ok {
		if _, word, ok := strings.Cut(short, " in -"); ok && len(word) > 1 {
			if err := oneDash("-"+word, flagNames(cmd)); err != nil {
				return err
			}
		}
		if strings.HasPrefix(short, "'c' in ") { // of the root alone
			return usagef("%s: code stands before the arguments and takes no command: astrolabe [flags] -c CODE [ARGS…]",
				text)
		}
		return usageError{err}
	}
	if _, letter, ok := strings.Cut(text, "flag needs an argument: "); ok {
		name := strings.Trim(strings.TrimPrefix(strings.Split(letter, " in ")[0], "--"), "'")
		for _, f := range allFlags(cmd) {
			if f.Name == name || f.Shorthand == name {
				_, usage := pflag.UnquoteUsage(f)
				return usagef("%s: %s", text, usage)
			}
		}
		return usageError{err}
	}
	if wrong, why, ok := strings.Cut(text, ": strconv.Parse"); ok { // the rest is for programmers
		want := "a number"
		switch kind, _, _ := strings.Cut(why, ":"); kind {
		case "Bool":
			want = "true or false"
		case "Int":
			want = "a whole number"
		case "Uint":
			want = "a whole number from 0 on"
		}
		return usagef("%s: it takes %s", wrong, want)
	}
	name, ok := strings.CutPrefix(text, "unknown flag: --")
	if !ok {
		return usageError{err}
	}
	if near := spelling.Nearest(name, flagNames(cmd)); near != "" {
		return usagef("%s (did you mean --%s?)", text, near)
	}
	if cmd.Name() == "run" || cmd.Name() == "test" {
		return usagef("%s; flags of a script stand behind its name: astrolabe run SCRIPT --%s", text, name)
	}
	return usagef("%s; astrolabe help %s lists the flags", text, cmd.Name())
}

// flagNames lists the long names of the flags that a command takes.
func flagNames(cmd *cobra.Command) []string {
	var names []string
	for _, f := range allFlags(cmd) {
		names = append(names, f.Name)
	}
	return names
}

// oneDash is the error of a flag of several letters that was given with one dash, nil where arg is none.
func oneDash(arg string, names []string) error {
	name, _, _ := strings.Cut(strings.TrimPrefix(arg, "-"), "=")
	if strings.HasPrefix(arg, "--") || len(name) < 2 {
		return nil
	}
	for _, known := range names {
		if known == name {
			return usagef("%s: a flag of several letters has two dashes: --%s", arg, name)
		}
	}
	return nil
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
