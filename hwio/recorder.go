package hwio

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"astrolabe/capture"
)

// recorder is one recording: the sampling loop runs on a locked thread, the sink in a goroutine, and a bounded set of slots
// goes round between them.
type recorder struct {
	opt     Options
	pacer   pacer
	members []member
	schema  capture.Schema
	sink    Sink
	child   *child
	watch   func() // stops watching a process
	res     *Result
	marks   *Marks // nil without
	told    tally  // warnings of the streams
	frames  int    // the label of frames, where there are marks

	stopped atomic.Bool // the command or process has exited

	join *joiner // where a stream that stamps its own samples shares the recording, else nil

	// Of the sampling loop.
	epoch, last int64 // ns of the clock: time 0, and the end of the last sample
	flushed     bool  // something was handed to the sink, so that epoch stays
	tick        uint64
	rows, slots int // size of a slot, and how many there may be
	made        int
	cur         *slot
	curSince    int64
	drops       uint64    // ticks dropped since the last sample
	between     intervals // from one read to the next
	reads       intervals // of one tick

	full, free chan *slot
	failed     atomic.Pointer[error] // of the sink

	samples, missed, dropped atomic.Uint64
	began                    atomic.Int64
}

// slotBytes bounds the memory of all slots together.
const slotBytes = 64 << 20

// manyWarnings is how many different warnings of its sources a recording keeps.
const manyWarnings = 200

func newRecorder(o Options) *recorder {
	return &recorder{opt: o, res: &Result{}, told: tally{most: manyWarnings}}
}

func (r *recorder) stopNow() {
	r.stopped.Store(true)
	r.pacer.Wake()
}

// record runs the loop and the sink to the end.
func (r *recorder) record(ctx context.Context) error {
	period := r.opt.Period.Nanoseconds()
	r.rows = int(max(1, min(4096, r.opt.FlushEvery.Nanoseconds()/period)))
	r.slots = r.opt.MaxBatches
	if r.slots <= 0 {
		r.slots = max(4, min(64, slotBytes/(r.rows*(len(r.schema.Columns)+2)*8)))
	}
	r.full, r.free = make(chan *slot, r.slots), make(chan *slot, r.slots)

	var writer sync.WaitGroup
	writer.Go(r.write)
	unhook := context.AfterFunc(ctx, func() {
		if r.child != nil {
			r.child.terminate()
		}
		r.pacer.Wake()
	})
	defer unhook()
	endProgress := r.progress()

	var err error
	var sampler sync.WaitGroup
	sampler.Go(func() {
		// The thread belongs to the loop until it ends, so that no other goroutine delays a tick on it.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		before := threadCPU()
		err = r.loop(ctx)
		if err == nil {
			// The recording's own end may have come from ctx.
			err = r.finish(context.WithoutCancel(ctx))
		}
		r.res.SamplingCPU = time.Duration(threadCPU() - before)
	})
	sampler.Wait()
	r.conclude()
	close(r.full)
	writer.Wait()
	endProgress()
	if failed := r.failed.Load(); failed != nil {
		err = errors.Join(fmt.Errorf("write the recording: %w", *failed), err)
	}
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

// loop takes the baseline and then a sample per tick.
func (r *recorder) loop(ctx context.Context) error {
	if err := r.baseline(ctx); err != nil {
		return err
	}
	period := r.opt.Period.Nanoseconds()
	if err := r.pacer.Arm(r.epoch+period, period); err != nil {
		return err
	}
	if r.child != nil {
		if err := r.child.release(); err != nil {
			return err
		}
	}
	var deadline int64
	if r.opt.Duration > 0 {
		deadline = r.epoch + r.opt.Duration.Nanoseconds()
	}
	for {
		ticks, err := r.pacer.Wait(deadline)
		if err != nil {
			return err
		}
		// A cancelled recording of a command goes on until the command, which was told to end, has done so.
		r.res.Interrupted = ctx.Err() != nil
		stop := r.stopped.Load() || (r.res.Interrupted && r.child == nil) || r.failed.Load() != nil ||
			(deadline > 0 && r.pacer.Now() >= deadline)
		if ticks == 0 && !stop {
			continue
		}
		err = r.sample(ctx, ticks, stop)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case stop:
			return nil
		}
	}
}

// baseline reads every stream for the first time and sets time 0.
func (r *recorder) baseline(ctx context.Context) error {
	s := newSlot(&r.schema, r.members, r.rows)
	r.made++
	var err error
	if r.join, err = newJoiner(r.members, &r.schema); err != nil {
		return err
	}
	before := r.pacer.Now()
	for i := range r.members {
		if err := r.members[i].stream.Read(ctx, r.view(s, i)); err != nil {
			return fmt.Errorf("read source %s for the first time: %w", r.members[i].source, err)
		}
	}
	after := r.pacer.Now()
	r.epoch = before + (after-before)/2
	r.last = r.epoch
	r.began.Store(r.epoch)
	if err := s.check(&r.schema, r.members); err != nil {
		return err
	}
	r.cur, r.curSince = s, r.epoch
	return nil
}

// sample reads all streams once. ticks is how many ticks the clock made since the last call, 0 for a last read between two.
func (r *recorder) sample(ctx context.Context, ticks uint64, final bool) error {
	period := r.opt.Period.Nanoseconds()
	r.tick += ticks
	if r.cur == nil && !r.takeSlot(final) {
		if r.deviceOnly() {
			return nil
		}
		r.drops += ticks
		r.dropped.Add(ticks)
		return nil
	}
	s := r.cur
	n := s.batch.Len()
	before := r.pacer.Now()
	if final && ticks == 0 && before <= r.last {
		return nil
	}
	for i := range r.members {
		if err := r.members[i].stream.Read(ctx, r.view(s, i)); err != nil {
			// What a device stamped itself is complete, and stays; a row that other streams did not finish goes.
			if !r.stamped(s) {
				truncate(s, n)
			}
			if errors.Is(err, io.EOF) {
				return io.EOF
			}
			return fmt.Errorf("read source %s: %w", r.members[i].source, err)
		}
	}
	after := r.pacer.Now()
	now := before + (after-before)/2
	r.reads.add(after - before)

	if r.join != nil {
		if err := r.join.tick(r.last, now); err != nil {
			return err
		}
		r.stamped(s)
	} else if r.stamped(s) {
		r.between.add(now - r.last)
	} else if s.batch.Cols[0].Len() > n {
		s.batch.Start, s.batch.End = append(s.batch.Start, r.last-r.epoch), append(s.batch.End, now-r.epoch)
		r.between.add(now - r.last)
	}
	r.samples.Add(uint64(s.batch.Len() - n))
	late := ticks > 1 && !r.deviceOnly()
	if late {
		r.missed.Add(ticks - 1)
	}
	if r.drops > 0 {
		r.late(now, r.drops+max(ticks, 1)-1, "the writer could not keep up")
		r.drops = 0
	} else if late {
		r.late(now, ticks-1, "the recorder was not run in time")
	}
	r.last = now
	if s.batch.Len() >= r.rows || now-r.curSince >= r.opt.FlushEvery.Nanoseconds()-period/2 {
		return r.flush()
	}
	return nil
}

// view is the batch that a member reads into.
func (r *recorder) view(s *slot, i int) *capture.Batch {
	if r.join != nil {
		return &r.join.views[i]
	}
	return &s.views[i]
}

// stamped takes over the rows of a stream that stamps its own samples, and reports whether there is such a stream.
func (r *recorder) stamped(s *slot) bool {
	if r.join != nil {
		r.notBeforeZero(&r.join.views[r.join.timed])
		r.join.rows(s, r.epoch)
		return true
	}
	v := &s.views[0]
	r.notBeforeZero(v)
	if _, ok := r.members[0].stream.(Stamper); len(r.members) > 1 || !ok && len(v.Start) == 0 {
		return false
	}
	for i := range v.Start {
		s.batch.Start, s.batch.End = append(s.batch.Start, v.Start[i]-r.epoch), append(s.batch.End, v.End[i]-r.epoch)
	}
	v.Start, v.End = v.Start[:0], v.End[:0]
	return true
}

// notBeforeZero makes the start of the first sample time 0 where it lies before: a device may begin to count before the first read of it is over, in
// whose middle time 0 is. Once something is with the sink only what cannot be is corrected.
func (r *recorder) notBeforeZero(v *capture.Batch) {
	if len(v.Start) == 0 || v.Start[0] >= r.epoch {
		return
	}
	if !r.flushed && r.samples.Load() == 0 {
		r.epoch = v.Start[0]
		return
	}
	v.Start[0] = min(r.epoch, v.End[0])
}

// deviceOnly says that a device alone makes the samples. A tick without a read then costs nothing: the device keeps its samples, and
// says itself what it lost.
func (r *recorder) deviceOnly() bool {
	_, ok := r.members[0].stream.(Stamper)
	return ok && len(r.members) == 1
}

// finish takes what devices still hold after the last tick.
func (r *recorder) finish(ctx context.Context) error {
	for i := range r.members {
		f, ok := r.members[i].stream.(Finisher)
		if !ok {
			continue
		}
		if r.cur == nil {
			r.takeSlot(true)
		}
		n := r.cur.batch.Len()
		err := f.Finish(ctx, r.view(r.cur, i))
		r.stamped(r.cur)
		r.samples.Add(uint64(r.cur.batch.Len() - n))
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("end source %s: %w", r.members[i].source, err)
		}
	}
	if r.join != nil {
		if r.cur == nil {
			r.takeSlot(true)
		}
		r.samples.Add(uint64(r.join.end(r.cur, r.epoch)))
	}
	return nil
}

// late notes that the read now is the first after some ticks that had none.
func (r *recorder) late(now int64, lost uint64, why string) {
	if r.join != nil {
		why += ": ticks passed without a read, and what they counted is spread evenly over this time"
	} else {
		why += ": ticks passed without a read, and this sample has their time and counts"
	}
	r.cur.batch.Late = append(r.cur.batch.Late, capture.Gap{
		Start: r.last - r.epoch, End: now - r.epoch, Lost: lost, Reason: capture.Reason{Code: capture.LostReports, Text: why},
	})
}

// takeSlot gets an empty slot; only the last read waits for one.
func (r *recorder) takeSlot(wait bool) bool {
	select {
	case r.cur = <-r.free:
	default:
		switch {
		case r.made < r.slots:
			r.cur = newSlot(&r.schema, r.members, r.rows)
			r.made++
		case wait:
			r.cur = <-r.free
		default:
			return false
		}
	}
	r.curSince = r.last
	return true
}

// flush hands the slot to the sink's goroutine. The channel has room for every slot there is.
func (r *recorder) flush() error {
	s := r.cur
	r.cur, r.flushed = nil, true
	if err := s.check(&r.schema, r.members); err != nil {
		return err
	}
	s.gather(r.members, r.epoch, &r.told)
	if r.marks != nil {
		r.marks.gather(s.batch, r.frames, r.epoch)
	}
	r.full <- s
	return nil
}

// truncate takes back the values of a row that was not finished.
func truncate(s *slot, n int) {
	for i := range s.batch.Cols {
		c := &s.batch.Cols[i]
		if len(c.U) > n {
			c.U = c.U[:n]
		}
		if len(c.F) > n {
			c.F = c.F[:n]
		}
	}
	for i := range s.batch.Labels {
		if len(s.batch.Labels[i]) > n {
			s.batch.Labels[i] = s.batch.Labels[i][:n]
		}
	}
	for i := range s.views {
		v := &s.views[i]
		kept := v.Reasons[:0]
		for _, x := range v.Reasons {
			if x.To = min(x.To, n); x.From < x.To {
				kept = append(kept, x)
			}
		}
		v.Reasons = kept
		v.Start, v.End = v.Start[:0], v.End[:0]
	}
}

// write is the sink's goroutine. After a failure it keeps emptying the slots, so that the sampling thread can end.
func (r *recorder) write() {
	for s := range r.full {
		if r.failed.Load() == nil {
			if err := r.sink.Write(s.batch); err != nil {
				r.failed.Store(&err)
				r.pacer.Wake()
			}
		}
		s.reset()
		r.free <- s
	}
}
