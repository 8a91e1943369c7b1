package repl

import (
	"context"
	"io"
	"os"
	"os/signal"
	"time"

	"astrolabe/builtins/binding"
)

// statusInterrupted is the exit status of a program that Ctrl-C ended.
const statusInterrupted = 130

// hintDelay is how long after an interrupt a person is told what goes on, where the statement still runs.
const hintDelay = time.Second

// interruptible runs f with a context that the first Ctrl-C cancels, unless work in it takes that one (binding.Ending).
// A second one does not wait for f: it ends the program.
func interruptible(ctx context.Context, talk io.Writer, f func(context.Context) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ctx, ending := binding.WithEnding(ctx)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt)
	finished, watched := make(chan struct{}), make(chan struct{})
	defer func() {
		signal.Stop(signals)
		close(finished)
		<-watched // it must not take a signal of this statement for one of the next
	}()
	go func() {
		defer close(watched)
		var hint <-chan time.Time
		for {
			select {
			case <-finished:
				return
			case <-hint:
				io.WriteString(talk, "\nthis stops at its end; a second Ctrl-C does not wait and ends the session\n")
			case <-signals:
				select {
				case <-finished: // one that came as f returned ends nothing
					return
				default:
				}
				if ctx.Err() != nil {
					io.WriteString(talk, "\nended by a second interrupt\n")
					os.Exit(statusInterrupted)
				}
				if !ending.Interrupt() {
					cancel()
					hint = time.After(hintDelay)
				}
			}
		}
	}()
	return f(ctx)
}
