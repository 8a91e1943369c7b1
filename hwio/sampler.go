package hwio

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync/atomic"
	"time"

	"astrolabe/capture"
)

// sampler is the part of a recording that runs on a locked thread: it reads all streams on every tick, and hands what
// has gathered to the slots.
type sampler struct {
	opt     Options
	pacer   pacer
	members []member
	schema  capture.Schema
	child   *child    // a command that waits at its gate for the first tick; nil without
	marks   *markFIFO // nil without
	frames  int       // the label of frames, noFrames without
	told    tally     // warnings of the streams

	stopped atomic.Bool // the command or process has exited

	join  *joiner       // where streams measure at different times, else nil
	pause time.Duration // from one tick to the next: how often the stream is read that is read most often

	epoch, last int64 // ns of the clock: time 0, and the end of the last sample
	flushed     bool  // something was handed to the sink, so that epoch stays
	interrupted bool  // the context ended the recording
	tick        uint64
	slots       slots
	cur         *slot
	curSince    int64
	drops       uint64    // ticks dropped since the last sample
	between     intervals // from one read to the next
	reads       intervals // of one tick

	samples, missed, dropped atomic.Uint64
	began                    atomic.Int64
}

// loop takes the baseline and then a sample per tick.
func (r *sampler) loop(ctx context.Context) error {
	if err := r.baseline(ctx); err != nil {
		return err
	}
	if err := r.pacer.Arm(r.epoch+r.pause.Nanoseconds(), r.pause.Nanoseconds()); err != nil {
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
		// A cancelled recording of a command goes on until the command, which was told to end, has done so.
		r.interrupted = ctx.Err() != nil
		last := r.stopped.Load() || (r.interrupted && r.child == nil) || r.slots.failed.Load() != nil ||
			(deadline > 0 && r.pacer.Now() >= deadline)
		if err == nil && (ticks > 0 || last) {
			err = r.sample(ctx, ticks, last)
		}
		if errors.Is(err, io.EOF) { // a stream has nothing more
			return nil
		}
		if err != nil || last {
			return err
		}
	}
}

// baseline reads every stream for the first time and sets time 0.
func (r *sampler) baseline(ctx context.Context) error {
	s := r.slots.take(true, r.newSlot)
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
	for i := range r.members {
		r.members[i].read = r.epoch
	}
	r.began.Store(r.epoch)
	if err := s.check(&r.schema, r.members); err != nil {
		return err
	}
	r.cur, r.curSince = s, r.epoch
	return nil
}

// pace finds how often each stream is read: as a rule once per period, which is a tick of the recorder then. Where the
// samples are stamped elsewhere and every stream can do with less, ticks are longer.
func (r *sampler) pace() {
	every := make([]time.Duration, len(r.members))
	r.pause = MaxPeriod
	stamps := false
	for i, m := range r.members {
		_, own := m.stream.(Stamper)
		_, given := r.opt.Periods[m.source]
		every[i] = r.opt.periodOf(m.source)
		if p, ok := m.stream.(Paced); ok && (own || !given) {
			every[i] = max(p.Every(every[i], r.opt.FlushEvery), MinPeriod)
		}
		r.pause = min(r.pause, every[i])
		stamps = stamps || own
	}
	if !stamps { // something has to make the samples
		for i, m := range r.members {
			if every[i] == r.pause {
				every[i] = r.opt.periodOf(m.source)
			}
		}
		r.pause = slices.Min(every)
	}
	slowest := time.Duration(0)
	for i := range r.members {
		m := &r.members[i]
		m.every = uint64(every[i] / r.pause)
		if m.every > 1 {
			slowest = max(slowest, every[i])
		}
		if _, own := m.stream.(Stamper); !own && m.every > 1 && m.source != ownSource {
			r.schema.Config.Properties = append(r.schema.Config.Properties,
				capture.Property{Name: m.source + "_period", IsText: true,
					Text: fmt.Sprintf("%v: the counters of %s are read this often, and spread evenly over the samples",
						every[i], m.source)})
		}
	}
	if slowest > r.opt.FlushEvery {
		r.schema.Config.Properties = append(r.schema.Config.Properties,
			capture.Property{Name: capture.HeldBack, IsText: true, Text: slowest.String()})
	}
}

// due reports whether a stream is to be read now.
func (r *sampler) due(m *member, final bool) bool {
	return final || m.every <= 1 || r.tick/m.every > m.ticks/m.every
}

// overdue is the time whose samples wait no longer for streams that are read less often.
func (r *sampler) overdue(now int64) int64 {
	slowest := uint64(1)
	for i := range r.members {
		slowest = max(slowest, r.members[i].every)
	}
	return now - int64(slowest)*r.pause.Nanoseconds() - r.opt.FlushEvery.Nanoseconds()
}

// sample reads the streams whose turn it is. ticks is how many ticks the clock made since the last call, 0 for a last
// read between two.
func (r *sampler) sample(ctx context.Context, ticks uint64, final bool) error {
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
		m := &r.members[i]
		if !r.due(m, final) {
			continue
		}
		if err := m.stream.Read(ctx, r.view(s, i)); err != nil {
			// What a device stamped itself is complete, and stays; a row that other streams did not finish goes.
			if !r.stamped(s, before) {
				s.truncate(n)
			}
			if errors.Is(err, io.EOF) {
				return io.EOF
			}
			return fmt.Errorf("read source %s: %w", m.source, err)
		}
	}
	after := r.pacer.Now()
	now := before + (after-before)/2
	r.reads.add(after - before)
	for i := range r.members {
		m := &r.members[i]
		if !r.due(m, final) {
			continue
		}
		if r.join != nil {
			if err := r.join.take(i, m.read, now); err != nil {
				return err
			}
		}
		m.read, m.ticks = now, r.tick
	}

	if !r.stamped(s, now) && s.batch.Cols[0].Len() > n {
		s.batch.Start, s.batch.End = append(s.batch.Start, r.last-r.epoch), append(s.batch.End, now-r.epoch)
	}
	for i := n; i < s.batch.Len(); i++ {
		r.between.add(s.batch.End[i] - s.batch.Start[i])
	}
	r.samples.Add(uint64(s.batch.Len() - n))
	late := ticks > 1 && !r.deviceOnly() && r.pause <= r.opt.Period
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
	if s.batch.Len() >= r.slots.rows || now-r.curSince >= r.opt.FlushEvery.Nanoseconds()-r.pause.Nanoseconds()/2 {
		return r.flush()
	}
	return nil
}

// view is the batch that a member reads into.
func (r *sampler) view(s *slot, i int) *capture.Batch {
	if r.join != nil {
		return &r.join.views[i]
	}
	return &s.views[i]
}

// stamped takes over the rows of a stream that stamps its own samples, or of streams that are read at different times,
// and reports whether there are such.
func (r *sampler) stamped(s *slot, now int64) bool {
	if r.join != nil {
		r.notBeforeZero(&r.join.views[r.join.lead])
		r.join.rows(s, r.epoch, r.overdue(now))
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

// notBeforeZero makes the start of the first sample time 0 where it lies before: a device may begin to count before the
// first read of it is over, in whose middle time 0 is. Once something is with the sink only what cannot be is
// corrected.
func (r *sampler) notBeforeZero(v *capture.Batch) {
	if len(v.Start) == 0 || v.Start[0] >= r.epoch {
		return
	}
	if !r.flushed && r.samples.Load() == 0 {
		r.epoch = v.Start[0]
		return
	}
	v.Start[0] = min(r.epoch, v.End[0])
}

// deviceOnly says that a device alone makes the samples. A tick without a read then costs nothing: the device keeps its
// samples, and says itself what it lost.
func (r *sampler) deviceOnly() bool {
	stamps := 0
	for i := range r.members {
		switch r.members[i].stream.(type) {
		case Stamper:
			stamps++
		case *ownCost:
		default:
			return false
		}
	}
	return stamps == 1
}

// finish takes what devices still hold after the last tick.
func (r *sampler) finish(ctx context.Context) error {
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
		if r.join != nil {
			err = errors.Join(err, r.join.take(i, 0, 0))
		}
		r.stamped(r.cur, r.last)
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
	// A device goes on until it is stopped, which is long after the last tick where others have the processor.
	if r.cur != nil {
		if n := r.cur.batch.Len(); n > 0 {
			r.last = max(r.last, r.epoch+r.cur.batch.End[n-1])
		}
	}
	return nil
}

// late notes that the read now is the first after some ticks that had none.
func (r *sampler) late(now int64, lost uint64, why string) {
	if r.join != nil {
		why += ": ticks passed without a read, and what they counted is spread evenly over this time"
	} else {
		why += ": ticks passed without a read, and this sample has their time and counts"
	}
	r.cur.batch.Late = append(r.cur.batch.Late, capture.Gap{
		Start: r.last - r.epoch, End: now - r.epoch, Lost: lost, Reason: capture.Reason{Code: capture.LostReports,
			Text: why},
	})
}

// takeSlot gets an empty slot; only the last read waits for one.
func (r *sampler) takeSlot(wait bool) bool {
	r.cur, r.curSince = r.slots.take(wait, r.newSlot), r.last
	if r.join != nil {
		if at := r.join.waiting(); at > 0 {
			r.curSince = min(r.curSince, at)
		}
	}
	return r.cur != nil
}

func (r *sampler) newSlot() *slot { return newSlot(&r.schema, r.members, r.slots.rows) }

// flush hands the slot to the sink's goroutine. The channel has room for every slot there is.
func (r *sampler) flush() error {
	s := r.cur
	r.cur, r.flushed = nil, true
	if err := s.check(&r.schema, r.members); err != nil {
		return err
	}
	s.gather(r.members, r.epoch, &r.told)
	if r.marks != nil {
		r.marks.gather(s.batch, r.frames, r.epoch)
	}
	r.slots.full <- s
	return nil
}
