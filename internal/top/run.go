package top

import (
	"context"
	"time"

	"github.com/gdamore/tcell/v3"
)

// Run shows a recording until the user quits, the context ends or the recording does. The screen has been initialized,
// and is left to the caller. A terminal that takes long to draw holds up nothing but itself.
func Run(ctx context.Context, s tcell.Screen, f *Feed, v *View, refresh time.Duration, ended <-chan struct{}) error {
	tick := time.NewTicker(refresh)
	defer tick.Stop()
	events := s.EventQ()
	v.Draw()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ended:
			return nil
		case ev, open := <-events:
			if !open || !v.Handle(ev) {
				return nil
			}
		case <-tick.C:
			c, lost, err := f.Take()
			if err != nil {
				return err
			}
			if err := v.live.Add(c, lost); err != nil {
				return err
			}
			if err := f.Failed(); err != nil {
				v.message = err.Error()
			}
			v.Draw()
		}
	}
}
