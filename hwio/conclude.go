package hwio

import (
	"fmt"
	"slices"
	"sync"
	"time"
)

// conclude completes the result and sends the last batch with what can only be said at the end.
func (r *recorder) conclude() {
	res := r.res
	res.Samples, res.Missed, res.Dropped = r.samples.Load(), r.missed.Load(), r.dropped.Load()
	res.Duration = time.Duration(r.last - r.epoch)
	res.IntervalMedian, res.IntervalP99 = time.Duration(r.between.quantile(0.5)), time.Duration(r.between.quantile(0.99))
	res.IntervalMax = time.Duration(r.between.max)
	res.ReadMean, res.ReadMax = time.Duration(r.reads.mean()), time.Duration(r.reads.max)
	if r.epoch == 0 {
		return
	}
	if r.cur != nil {
		r.cur.gather(r.members, r.epoch, &r.told) // the last warnings are to be among those told
	}
	var end []string
	say := func(format string, args ...any) { end = append(end, fmt.Sprintf(format, args...)) }
	share := func(n uint64) float64 { return 100 * float64(n) / float64(max(r.tick, 1)) }
	if res.Missed > 0 {
		say("%d of %d ticks (%.2g %%) were missed because the recorder was not run in time; the samples there are longer", res.Missed, r.tick, share(res.Missed))
	}
	if res.Dropped > 0 {
		say("%d of %d ticks (%.2g %%) were dropped because the file could not be written fast enough; the samples there are longer", res.Dropped, r.tick, share(res.Dropped))
	}
	if p := r.opt.Period; res.ReadMean > p/2 && !r.drains() {
		say("reading all counters takes %v, more than half of the period of %v: measure fewer counters or less often", res.ReadMean, p)
	}
	for _, k := range r.told.kinds {
		if k.n > 1 {
			say("%d times: %s", k.n, k.first)
		}
	}
	if r.told.other > 0 {
		say("%d further warnings of the sources are not listed", r.told.other)
	}
	for _, m := range r.members {
		if c, ok := m.stream.(Concluder); ok {
			end = append(end, c.Conclude()...)
		}
	}
	marked := false
	if r.marks != nil {
		if err := r.marks.closer.Close(); err != nil {
			end = append(end, fmt.Sprintf("closing the FIFO of marks: %v", err))
		}
		end = append(end, r.marks.conclude(r.last)...)
		marked = len(r.marks.done) > 0
	}
	res.Warnings = append(res.Warnings, r.schema.Config.Warnings...)
	for _, k := range r.told.kinds {
		res.Warnings = append(res.Warnings, k.first)
	}
	res.Warnings = append(res.Warnings, end...)
	if r.cur == nil {
		if len(end) == 0 && !marked {
			return
		}
		r.takeSlot(true)
	}
	r.cur.batch.Warnings = append(r.cur.batch.Warnings, end...)
	if b := r.cur.batch; b.Len() > 0 || len(end) > 0 || len(b.Gaps)+len(b.Late) > 0 || marked {
		if err := r.flush(); err != nil {
			r.failed.CompareAndSwap(nil, &err)
		}
	}
}

// drains reports whether a device stamps the samples: a read then takes what has gathered, and its time says nothing about the period.
func (r *recorder) drains() bool {
	return slices.ContainsFunc(r.members, func(m member) bool { _, ok := m.stream.(Stamper); return ok })
}

// progress reports until the returned function is called.
func (r *recorder) progress() func() {
	if r.opt.Progress == nil {
		return func() {}
	}
	report := func() {
		p := Progress{Duration: r.opt.Duration, Samples: r.samples.Load(), Missed: r.missed.Load(), Dropped: r.dropped.Load()}
		if t := r.began.Load(); t != 0 {
			p.Elapsed = time.Duration(r.pacer.Now() - t)
		}
		r.opt.Progress(p)
	}
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		t := time.NewTicker(100 * time.Millisecond)
		defer t.Stop()
		for {
			select {
			case <-t.C:
				report()
			case <-done:
				report()
				return
			}
		}
	})
	return func() {
		close(done)
		wg.Wait()
	}
}

// teardown releases everything; it may follow a setup that failed half way.
func (r *recorder) teardown() {
	for _, m := range r.members {
		if err := m.stream.Close(); err != nil {
			r.res.Warnings = append(r.res.Warnings, fmt.Sprintf("closing source %s: %v", m.source, err))
		}
	}
	if r.watch != nil {
		r.watch()
	}
	if r.child != nil {
		r.child.abandon()
	}
	if r.sink != nil {
		_ = r.sink.Close()
	}
	if r.pacer != nil {
		_ = r.pacer.Close()
	}
	if r.marks != nil {
		_ = r.marks.closer.Close() // a second time where the recording came that far
	}
}
