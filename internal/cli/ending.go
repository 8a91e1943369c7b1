package cli

import (
	"context"
	"os/signal"
	"syscall"
)

// endingContext is done also when the program is told to end or its terminal goes away, so that a measurement is completed and takes
// back what it set up in the kernel. A second signal ends the program at once.
func endingContext(parent context.Context) (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(parent, syscall.SIGTERM, syscall.SIGHUP)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}
