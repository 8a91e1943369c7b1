package hwio

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"astrolabe/capture"
	"astrolabe/capture/spelling"
)

// Record opens the sources, reads them all on every tick and pours the samples into the sink until the duration is
// over, the command or process has exited, or the context ends. However it ends, the sink is closed, so that a file is
// complete.
//
// A sample covers the time from one real read to the next, never the nominal period. Where ticks were missed or dropped
// the next sample covers their time too: counts are kept, only resolution is lost. A late span with the number of lost
// ticks marks that sample, and a warning sums them up.
//
// An error after the recording began comes with the Result of what was recorded.
func Record(ctx context.Context, o Options) (*Result, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if len(o.Rounds) > 1 {
		return recordRounds(ctx, o)
	}
	if len(o.Rounds) == 1 {
		o = o.inRound(o.Rounds[0])
	}
	return newRecorder(o).run(ctx)
}

// recorder is one recording, from the first source that is opened to the result: setup, record, conclude and teardown,
// in this order. What runs on every tick is the sampler's.
type recorder struct {
	sampler
	request Request
	sink    Sink
	watch   func() // stops watching a process
	res     *Result
}

// manyWarnings is how many different warnings of its sources a recording keeps.
const manyWarnings = 200

func newRecorder(o Options) *recorder {
	return &recorder{sampler: sampler{opt: o, told: tally{most: manyWarnings}}, res: &Result{}}
}

// run makes the recording. The result is nil where it never began.
func (r *recorder) run(ctx context.Context) (*Result, error) {
	defer r.teardown()
	for _, step := range []func(context.Context) error{r.startClock, r.attach, r.open, r.create} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	err := r.record(ctx)
	return r.res, err
}

// startClock makes what says when a tick is.
func (r *recorder) startClock(context.Context) (err error) {
	if r.pacer = r.opt.pacer; r.pacer == nil {
		r.pacer, err = newPacer()
	}
	return err
}

// attach finds the process to measure, or starts the command, which waits at its gate, and makes the FIFO of marks.
func (r *recorder) attach(ctx context.Context) (err error) {
	o := &r.opt
	r.request = Request{Counters: o.Counters, Period: o.Period, PID: o.PID}
	if o.PID != 0 {
		r.watch, err = watchProcess(o.PID, r.stopNow)
	}
	if o.Command != nil {
		if r.child, err = startGated(ctx, o.Command, r.stopNow); err == nil {
			r.request.PID, r.request.OnExec = r.child.pid, true
		}
	}
	if o.Marks != "" && err == nil {
		r.marks, err = openMarks(o.Marks)
	}
	if o.Marker != nil && err == nil {
		if r.marks == nil {
			r.marks = &markFIFO{}
		}
		o.Marker.begin(r.marks)
	}
	return err
}

func (r *recorder) stopNow() {
	r.stopped.Store(true)
	r.pacer.Wake()
}

// open opens every source, and checks that each pattern found a counter in one of them.
func (r *recorder) open(ctx context.Context) error {
	req := r.request
	var streams []Stream
	var names []string
	for _, src := range r.opt.Sources {
		req.Options, req.Period = optionsOf(src, r.opt.SourceOptions), r.opt.periodOf(src.Name())
		s, err := src.Open(ctx, req)
		if errors.Is(err, ErrNoMatch) {
			continue
		}
		if err != nil {
			closeAll(streams)
			return fmt.Errorf("open source %s: %w", src.Name(), err)
		}
		streams, names = append(streams, s), append(names, src.Name())
	}
	for _, p := range req.Counters {
		if !slices.ContainsFunc(streams, func(s Stream) bool {
			return matchesColumn(p, s.Schema()) ||
				matchesMore(p, s)
		}) {
			closeAll(streams)
			return r.unmatched(ctx, p)
		}
	}
	if len(streams) == 0 {
		return errors.New("record: no source has a counter to measure here")
	}
	r.res.Sources = names
	if r.opt.OwnCost {
		streams, names = append(streams, newOwnCost(&r.sampler)), append(slices.Clip(names), ownSource)
	}
	r.members, r.schema = combine(names, streams)
	r.pace()
	if len(r.schema.Columns) == 0 || r.opt.OwnCost && len(r.schema.Columns) == ownColumns {
		return fmt.Errorf("record: %s has no counter to measure here", strings.Join(r.res.Sources, " and "))
	}
	return nil
}

// create makes the sink for the columns that there are.
func (r *recorder) create(context.Context) error {
	if r.frames = noFrames; r.marks != nil && r.marks.closer != nil {
		r.frames = len(r.schema.Labels)
		r.schema.Labels = append(r.schema.Labels, frameLabel)
	}
	c := &r.schema.Config
	c.Warnings = append(c.Warnings, r.opt.Warnings...)
	c.Name, c.Format, c.StartTime = strings.Join(r.res.Sources, "+"), "recording", time.Now()
	sink, err := r.opt.Create(&r.schema)
	if err != nil {
		return err // sink may be a nil pointer of some type, which is no nil Sink
	}
	r.sink = sink
	r.res.Columns = len(r.schema.Columns)
	if r.opt.OwnCost {
		r.res.Columns -= ownColumns
	}
	return nil
}

// record runs the loop and the sink to the end.
func (r *recorder) record(ctx context.Context) error {
	period := r.opt.Period.Nanoseconds()
	q := &r.slots
	q.rows, q.most = int(max(1, min(4096, r.opt.FlushEvery.Nanoseconds()/period))), r.opt.MaxBatches
	if q.most <= 0 {
		q.most = max(4, min(64, slotBytes/(q.rows*(len(r.schema.Columns)+2)*8)))
	}
	q.begin(r.sink, r.pacer.Wake)
	unhook := context.AfterFunc(ctx, func() {
		if r.child != nil {
			r.child.terminate()
		}
		r.pacer.Wake()
	})
	defer unhook()
	endProgress := r.progress()

	var err error
	var sampling sync.WaitGroup
	sampling.Go(func() {
		if r.pause < slowTicks {
			// The thread belongs to the loop until it ends, so that no other goroutine delays a tick on it.
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
		} else {
			defer relaxTimers(r.pause)()
			if r.opt.OwnProcess {
				// With one processor Go neither looks for work on others, nor wakes threads to do so.
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
			}
		}
		before, _ := ownUse()
		err = r.loop(ctx)
		if err == nil {
			// The recording's own end may have come from ctx.
			err = r.finish(context.WithoutCancel(ctx))
		}
		after, _ := ownUse()
		r.res.CPU = time.Duration(after - before)
	})
	sampling.Wait()
	r.conclude()
	if failed := q.end(); failed != nil {
		err = errors.Join(failed, err)
	}
	endProgress()
	sink := r.sink
	r.sink = nil
	if cerr := sink.Close(); cerr != nil {
		err = errors.Join(err, fmt.Errorf("complete the recording: %w", cerr))
	}
	if r.child != nil {
		// Only where the duration ended first is the command still running here.
		if !r.stopped.Load() {
			r.child.terminate()
		}
		r.res.Exit = r.child.wait()
	}
	return err
}

// progress reports until the returned function is called.
func (r *recorder) progress() func() {
	if r.opt.Progress == nil {
		return func() {}
	}
	report := func() {
		p := Progress{Duration: r.opt.Duration, Samples: r.samples.Load(), Missed: r.missed.Load(),
			Dropped: r.dropped.Load()}
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

// conclude completes the result and sends the last batch with what can only be said at the end.
func (r *recorder) conclude() {
	res := r.res
	res.Interrupted = r.interrupted
	res.Samples, res.Missed, res.Dropped = r.samples.Load(), r.missed.Load(), r.dropped.Load()
	res.Duration = time.Duration(r.last - r.epoch)
	res.IntervalMedian, res.IntervalP99 = time.Duration(r.between.quantile(0.5)),
		time.Duration(r.between.quantile(0.99))
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
		say("reading all counters takes %v, more than half of the period of %v: measure fewer counters or less often",
			res.ReadMean, p)
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
		if err := r.marks.close(); err != nil {
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
			r.slots.failed.CompareAndSwap(nil, &err)
		}
	}
}

// drains reports whether a device stamps the samples: a read then takes what has gathered, and its time says nothing
// about the period.
func (r *recorder) drains() bool {
	return slices.ContainsFunc(r.members, func(m member) bool { _, ok := m.stream.(Stamper); return ok })
}

// teardown releases everything; it may follow a setup that failed half way.
func (r *recorder) teardown() {
	for _, m := range r.members {
		if err := m.stream.Close(); err != nil {
			r.res.Warnings = append(r.res.Warnings, fmt.Sprintf("closing source %s: %v", m.source, err))
		}
	}
	if r.opt.Marker != nil {
		r.opt.Marker.begin(nil)
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
		_ = r.marks.close() // a second time where the recording came that far
	}
}

func matchesColumn(pattern string, s *capture.Schema) bool {
	return slices.ContainsFunc(s.Columns, func(c capture.ColumnSpec) bool { return Match(pattern, &c.Meta) })
}

// matchesMore asks a stream that takes more names than those of its columns.
func matchesMore(pattern string, s Stream) bool {
	m, ok := s.(Matcher)
	return ok && m.Matches(pattern)
}

// unmatched is the error for a pattern that fits nothing, with the names that may have been meant.
func (r *recorder) unmatched(ctx context.Context, pattern string) error {
	var known, sources []string
	for _, src := range r.opt.Sources {
		sources = append(sources, src.Name())
		metas, err := src.Counters(ctx)
		if err != nil {
			continue
		}
		for i := range metas {
			known = append(known, metas[i].Name)
		}
		if n, ok := src.(Namer); ok {
			known = append(known, n.Names(ctx)...)
		}
	}
	where := strings.Join(sources, " and ")
	if near := spelling.Near(pattern, known); len(near) > 0 && !IsGlob(pattern) {
		return fmt.Errorf("no counter of %s is called %q; did you mean %s?", where, pattern, strings.Join(near, " or "))
	}
	return fmt.Errorf("no counter of %s matches %q; `astrolabe sources` lists what can be measured here",
		where, pattern)
}

func closeAll(streams []Stream) {
	for _, s := range streams {
		// The error that led here is the one to report.
		_ = s.Close()
	}
}
