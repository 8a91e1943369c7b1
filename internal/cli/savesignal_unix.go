//go:build unix

package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// saveSignal has record --last write what it keeps.
var saveSignal os.Signal = syscall.SIGUSR1

// onSaveSignal calls save at each such signal, until ctx ends.
func onSaveSignal(ctx context.Context, save func()) {
	got := make(chan os.Signal, 1)
	signal.Notify(got, saveSignal)
	go func() {
		defer signal.Stop(got)
		for {
			select {
			case <-got:
				save()
			case <-ctx.Done():
				return
			}
		}
	}()
}
