package cli

import (
	"fmt"
	"strings"
	"sync/atomic"

	"astrolabe/capture/lake"
	"astrolabe/capture/memory"
	"astrolabe/capture/progress"
	"astrolabe/repl"
)

// lakeAdded counts captures by what became of them.
type lakeAdded struct{ added, there, failed int }

// lakeAddAll adds captures to a lake. Several are computed at a time; they are added, and told of, in their order, so
// that of two with the same content the first one counts.
func (a *app) lakeAddAll(paths []string, labels map[string]string, f *lakeAddFlags) (sums lakeAdded, err error) {
	ctx, stop := a.busy(a.ctx, "adding captures to "+f.dir)
	defer stop()
	meter := progress.From(ctx)
	meter.Begin(int64(len(paths)), progress.Captures)
	done := make([]chan struct{}, len(paths)+1) // closed when all captures before it have been dealt with
	for i := range done {
		done[i] = make(chan struct{})
	}
	close(done[0])
	var next atomic.Int64
	var wg memory.Group
	one := func(l *lake.Lake, i int) {
		var out lake.Outcome
		var err error
		var told []string
		turn := func() error {
			select {
			case <-done[i]:
				return nil
			case <-a.ctx.Done():
				return a.ctx.Err()
			}
		}
		defer func() {
			p := recover()
			if caught := memory.Caught(p); caught != nil {
				p, err = nil, caught
			}
			if turn() == nil && p == nil && a.ctx.Err() == nil {
				for _, text := range told {
					a.say(text)
				}
				switch {
				case err != nil:
					sums.failed++
					a.line.clear()
					fmt.Fprintf(a.talk, "failed: %s: %s\n", paths[i],
						strings.TrimPrefix(repl.ErrorText(err), paths[i]+": "))
				case out.Added:
					sums.added++
				default:
					sums.there++
				}
			}
			meter.Add(1)
			close(done[i+1])
			if p != nil {
				panic(p)
			}
		}()
		worker := *a
		worker.line, worker.told = nil, func(text string) { told = append(told, text) }
		var hash string
		var there bool
		if hash, there, err = worker.lakeHas(l, paths[i], labels, f); err != nil || there {
			return
		}
		if out, err = worker.lakeCompute(l, paths[i], hash, labels, f, turn); err == nil && !out.Added {
			told = nil // one with the same content was added meanwhile, which told it
		}
	}
	for range min(f.jobs, len(paths)) {
		l, err := lake.Open(f.dir) // what it keeps of the lake is for one goroutine
		if err != nil {
			return sums, usageError{err}
		}
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(paths) && a.ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				one(l, i)
			}
		})
	}
	wg.Wait()
	return sums, a.ctx.Err()
}
