package kernel

import (
	"context"
	"crypto/rand"
	"sync"
	"time"

	"astrolabe/capture/progress"
)

// Work that takes long is told of once it has taken progressDelay, and again every progressTime.
const (
	progressDelay = time.Second
	progressTime  = 500 * time.Millisecond
)

// Busy is Env.Busy: an output of the cell that says how far something is, and what it was at the end.
func (k *Kernel) Busy(ctx context.Context, what string) (under context.Context, done func()) {
	meter := &progress.Meter{}
	begun := time.Now()
	finish := k.follow(func(now time.Time) string { return k.opt.Busy(what, meter.State(), begun, now) },
		func(now time.Time) string { return what + ": " + now.Sub(begun).Round(100*time.Millisecond).String() })
	return progress.With(ctx, meter), finish
}

// follow shows a line that changes, until the function that it returns is called. Work that is over soon shows nothing.
func (k *Kernel) follow(line, last func(now time.Time) string) (done func()) {
	id := "progress-" + rand.Text()
	stop, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		kind := "display_data"
		show := func(text string) {
			k.out.send(kind, map[string]any{"data": map[string]any{"text/plain": text}, "metadata": struct{}{},
				"transient": map[string]any{"display_id": id}})
			kind = "update_display_data"
		}
		wait := time.NewTimer(progressDelay)
		defer wait.Stop()
		for {
			select {
			case <-stop:
				if kind != "display_data" {
					show(last(time.Now()))
				}
				return
			case now := <-wait.C:
				show(line(now))
				wait.Reset(progressTime)
			}
		}
	}()
	return sync.OnceFunc(func() {
		close(stop)
		<-gone
	})
}
