package script

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"astrolabe/builtins/binding"
	"astrolabe/capture/memory"
)

// What stopped a run from the outside; errors.Is finds them in what a Runner returns.
var (
	ErrInterrupted = errors.New("interrupted")
	ErrTimeLimit   = errors.New("time limit reached")
	ErrStepLimit   = errors.New("step limit reached")
	ErrMemoryLimit = memory.ErrLimit
)

// stopped is one of the reasons above with the numbers of this run.
type stopped struct {
	kind error
	text string
}

func (s *stopped) Error() string { return s.text }
func (s *stopped) Unwrap() error { return s.kind }

// Stopped reports whether a run ended because it was interrupted or reached a limit, and not by a mistake of its own.
func Stopped(err error) bool {
	var s *stopped
	return errors.As(err, &s)
}

func timeStopped(d time.Duration) *stopped {
	return &stopped{ErrTimeLimit, fmt.Sprintf("time limit %v reached: raise --timeout", d)}
}

// TimeLimit is what a context is cancelled with (context.Cause) where a run is only a part of what has to end in time:
// the run then ends with ErrTimeLimit.
func TimeLimit(d time.Duration) error { return timeStopped(d) }

func stepsStopped(n uint64) *stopped {
	return &stopped{ErrStepLimit, fmt.Sprintf("step limit %d reached: raise --max-steps", n)}
}

// memoryStopped says how much was in use, if used is not 0.
func memoryStopped(limit, used uint64) *stopped {
	return &stopped{ErrMemoryLimit, (&memory.LimitError{Limit: limit, Used: used}).Error()}
}

// UsageError is a command line that the script does not understand (exit status 2), or its help (Help is set).
type UsageError = binding.UsageError

// internalError is a panic of a builtin: a mistake in astrolabe, never in the script.
type internalError struct {
	Func  string // Go function that panicked
	Value any    // of the panic
}

func (e *internalError) Error() string {
	return fmt.Sprintf(
		"internal error in %s: %v; this is a mistake in astrolabe, not in the script: please report it with the script",
		e.Func, e.Value)
}

// Error is an error of a run with what it takes to show the source lines. Its text is the message alone.
type Error struct {
	err  error
	stop error // *stopped, nil where the script failed by itself
	text *sourceText
}

func (e *Error) Error() string {
	if e.stop != nil {
		return e.stop.Error()
	}
	return e.err.Error()
}

func (e *Error) Unwrap() []error {
	if e.stop != nil {
		return []error{e.err, e.stop}
	}
	return []error{e.err}
}

// SourceLine returns a line of a file that the run loaded, for repl.FormatError.
func (e *Error) SourceLine(name string, line int) (string, bool) { return e.text.line(name, line) }

// recoverInternal turns a panic into an internalError. It must be deferred directly.
func recoverInternal(err *error) {
	if p := recover(); p != nil {
		*err = &internalError{Func: panicSite(), Value: p}
	}
}

// panicSite names the function that panicked, while the panic is being recovered from: the first of our own behind the
// first panic. Interpreter and runtime stand for themselves only where there is none.
func panicSite() string {
	pcs := make([]uintptr, 256)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(0, pcs)])
	var names []string
	for {
		f, more := frames.Next()
		if f.Function == "runtime.gopanic" {
			names = names[:0] // a panic that was passed on: the first one is outermost in this list
		} else {
			names = append(names, f.Function)
		}
		if !more {
			break
		}
	}
	site := "the interpreter"
	if i := slices.IndexFunc(names, func(n string) bool { return !strings.HasPrefix(n, "runtime.") }); i >= 0 {
		site = names[i]
	}
	if i := slices.IndexFunc(names, func(n string) bool {
		return strings.HasPrefix(n, "astrolabe/")
	}); i >= 0 && !strings.HasPrefix(names[i], "astrolabe/internal/script.(*Runner)") {
		site = names[i]
	}
	return strings.TrimPrefix(site, "astrolabe/")
}
