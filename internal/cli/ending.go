package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// endingContext is done also when the program is told to end or its terminal goes away, so that a measurement is
// completed and takes back what it set up in the kernel. A second signal ends the program at once.
func endingContext(parent context.Context) (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(parent, syscall.SIGTERM, syscall.SIGHUP)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

// survivePipe keeps the program alive where the reader of its output has gone, until the returned function is called:
// what it measures, and the files that it writes, matter more than who listens. Writing to that output then fails and
// does nothing else.
func survivePipe() (restore func()) {
	ignored := make(chan os.Signal, 1)
	signal.Notify(ignored, syscall.SIGPIPE)
	return func() { signal.Stop(ignored) }
}
