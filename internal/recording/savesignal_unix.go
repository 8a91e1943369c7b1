//go:build unix

package recording

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// SaveSignal has record --last write what it keeps.
var SaveSignal os.Signal = syscall.SIGUSR1

// OnSaveSignal calls save at each such signal, until ctx ends.
func OnSaveSignal(ctx context.Context, save func()) {
	got := make(chan os.Signal, 1)
	signal.Notify(got, SaveSignal)
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
