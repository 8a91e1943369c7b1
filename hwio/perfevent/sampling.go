package perfevent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"syscall"
	"time"

	"astrolabe/capture"
	"astrolabe/hwio"
)

// sampling is a stream whose samples the kernel takes: a timer leads each group, and at its ticks the kernel writes
// down what the group has counted, on the CPU where that happens. The recorder collects many samples at once.
//
// Timers of different CPUs tick at different times. The samples of one CPU are the rows; what the others had counted at
// these times lies on a straight line between two of their samples. All are running totals, so that no count is lost or
// counted twice: from the first reading of a group to its last, sums are what the kernel counted.
type sampling struct {
	stream
	k       kernel
	rings   rings
	byID    map[uint64]*group
	period  int64
	idle    int64 // between samples of a CPU that has nothing to do, 0 where that makes no difference
	maxRate uint64
	lead    *group
	edge    int64 // end of the last row, 0 before the first
	values  []uint64

	full    bool   // a ring had no room when it was collected
	lost    uint64 // since the last row
	allLost uint64
	skipped uint64 // ticks of the timer that made no sample for another reason
	from    int    // the ring that is read
	failed  error  // of a ring
}

var (
	_ hwio.Yielder  = (*sampling)(nil)
	_ hwio.Paced    = (*sampling)(nil)
	_ hwio.Finisher = (*sampling)(nil)
	_ hwio.Loser    = (*sampling)(nil)
)

// Rings are collected this often. A group of a CPU without a sample for longer than staleAfter is read.
const (
	collectEvery = 200 * time.Millisecond
	staleAfter   = 25 * time.Millisecond
)

// StampsSamples marks the stream: samples have the kernel's times.
func (s *sampling) StampsSamples() {}

// Yields marks the stream: beside a device that stamps its own samples these are spread over that device's.
func (s *sampling) Yields() {}

// Every is how often the rings are to be emptied.
func (s *sampling) Every(period, flush time.Duration) time.Duration {
	return max(period, min(collectEvery, flush, time.Duration(s.rings.room)/4))
}

// newSampling gives the groups of a plan their rings, one per CPU.
func newSampling(p *plan, st *stream) (*sampling, error) {
	s := &sampling{stream: *st, k: p.k, byID: byClock(p.groups), period: p.period, idle: p.idle, maxRate: p.maxRate}
	s.values = make([]uint64, mostMembers(p.groups))
	return s, s.rings.open(s.groups, s.period)
}

// Read appends a row for every sample of the leading group up to which all groups are known.
func (s *sampling) Read(_ context.Context, b *capture.Batch) error {
	if !s.began {
		return s.begin()
	}
	s.full = false
	for _, g := range s.groups {
		g.run.forget()
	}
	if err := s.collect(); err != nil {
		return err
	}
	now := s.k.now()
	var stale []*group
	for _, g := range s.groups {
		// A group that is not on the hardware makes no samples.
		if last := g.run.last(); g.broken != nil || now-last > max(3*s.period, staleAfter.Nanoseconds()) {
			stale = append(stale, g)
		}
	}
	if err := s.reread(b, stale); err != nil {
		return err
	}
	s.rows(b, false)
	return nil
}

// reread takes what groups have counted by now.
func (s *sampling) reread(b *capture.Batch, groups []*group) error {
	if len(groups) == 0 {
		return nil
	}
	for _, g := range groups {
		if g.broken != nil {
			continue
		}
		if err := g.read(); err != nil {
			if errors.Is(err, syscall.EBADF) {
				return fmt.Errorf("read %s: %w", s.cols[g.firstCol()].name, err)
			}
			s.lose(b, g, err)
		}
	}
	// What happened before a reading stands in the rings by now: a group that was stopped then has told nothing.
	if err := s.collect(); err != nil {
		return err
	}
	now := s.k.now()
	var back []int // CPUs that may be online again
	for _, g := range groups {
		stands := g.broken == nil && g.run.stands(g.now)
		if g.broken != nil {
			g.run.stay(now)
		} else {
			g.run.read(now, g.cur, g.now)
		}
		if g.ended(now, stands) && !slices.Contains(back, g.cpu) {
			back = append(back, g.cpu)
		}
	}
	for _, cpu := range back {
		if err := s.reviveCPU(cpu); err != nil {
			return fmt.Errorf("go on with CPU %d: %w", cpu, err)
		}
	}
	return nil
}

// begin takes the first reading of every group.
func (s *sampling) begin() error {
	for _, g := range s.groups {
		if err := g.readFirst(); err != nil {
			return fmt.Errorf("read %s: %w", s.cols[g.firstCol()].name, err)
		}
		g.run.begin(g.cur, g.now)
		g.cur, g.prev = g.prev, g.cur
		g.was = g.now
	}
	s.began = true
	return nil
}

// collect takes the records of all rings.
func (s *sampling) collect() error {
	for i, r := range s.rings.list {
		if r == nil {
			continue
		}
		s.from = i
		full, err := r.drain(s.record)
		if err != nil {
			return err
		}
		if s.full = s.full || full; full {
			s.loses(i)
		}
	}
	return s.failed
}

func (s *sampling) record(kind uint32, body []byte) {
	switch kind {
	case recordSample:
		if err := s.sample(body); err != nil && s.failed == nil {
			s.failed = fmt.Errorf("read a sample of the kernel: %w", err)
		}
	case recordLost, recordLostSamples:
		n := decodeLost(kind, body)
		s.lost, s.allLost = s.lost+n, s.allLost+n
		s.loses(s.from)
	case recordThrottle, recordUnthrottle:
		g := s.byID[decodeThrottle(body)]
		switch {
		case g == nil: // of a counter that does not sample
		case kind == recordThrottle:
			g.run.stop()
		default:
			g.run.resume()
		}
	}
}

// loses is told that records found no room in a ring.
func (s *sampling) loses(ring int) {
	for _, g := range s.groups {
		if g.ring == ring {
			g.run.lose()
		}
	}
}

func (s *sampling) sample(body []byte) error {
	r, err := decodeSample(body, false)
	if err != nil {
		return err
	}
	g := s.byID[r.id]
	if g == nil {
		return fmt.Errorf("no group has the id %d", r.id)
	}
	values := s.values[:len(g.members)]
	at, err := decodeGroup(r.values, g.ids, values)
	if err != nil || g.final != nil && at.enabled > g.final.enabled {
		return err
	}
	if g.run.add(r.time, values, at) {
		g.run.idle[len(g.run.idle)-1] = r.idle
	}
	return nil
}

// leader is the group whose samples are the rows: the first that has one. A group of software events always counts; one
// of hardware events may have to wait for its turn.
func (s *sampling) leader() *group {
	fresh := func(g *group) bool { return g.run.last() > s.edge && g.broken == nil && len(g.run.t) > 1 }
	if s.lead != nil && fresh(s.lead) && !s.lead.idle() {
		return s.lead
	}
	best := s.groups[0]
	for i, g := range s.groups {
		if i == 0 || fresh(g) && !g.idle() && (!fresh(best) || best.idle() || g.coverage < 0 && best.coverage >= 0) {
			best = g
		}
	}
	s.lead = best
	return best
}

// idle reports whether the group's CPU was offline throughout what is known of it.
func (g *group) idle() bool {
	n := len(g.run.t)
	return n == 0 || g.run.times(n-1).enabled == g.run.times(min(g.run.now, n-1)).enabled
}

// rows appends what all groups have counted between two samples of the leader, up to the last time that is known of
// all. The last row goes to the last reading.
func (s *sampling) rows(b *capture.Batch, last bool) {
	known, begun := int64(1<<63-1), int64(0)
	for _, o := range s.groups {
		known = min(known, o.run.last())
		if len(o.run.t) > 0 && s.edge == 0 {
			begun = max(begun, o.run.t[0])
		}
	}
	if known <= s.edge && !last {
		return // which group leads is to depend on what was counted alone, and not on when the rings were collected
	}
	g := s.leader()
	every := known
	if last {
		known = g.run.last()
		// A group that was read for the last time before another's timer came has nothing for a row of its own after
		// that: it would be taken for a CPU that was offline. One that is known for longer than that not at all keeps
		// no row back.
		every = max(every, known-2*s.period)
	}
	if s.edge == 0 && len(g.run.t) > 0 && known > 0 {
		s.edge = g.run.t[0]
	}
	times := g.run.t[min(len(g.run.t), g.run.now+1):]
	for i, t := range times {
		end := last && i == len(times)-1
		if t <= s.edge || !end && (t <= begun || t > every || s.idle > 0 && t-s.edge < s.period/2) {
			continue // where an idle CPU's samples end and its others begin, they are no period apart
		}
		if t > known {
			break
		}
		s.cut(b, g, g.run.now+1, t)
		s.row(b, s.edge, t, end)
	}
}

// cut appends rows of a period each for a time in which the leader made no samples: it was not on the hardware, its CPU
// had nothing to do, or it stood still.
func (s *sampling) cut(b *capture.Batch, g *group, i int, t int64) {
	if i >= len(g.run.t) || g.run.t[i] > t {
		return
	}
	p, q := g.run.times(i-1), g.run.times(i)
	away := (q.enabled - p.enabled) - (q.running - p.running)
	waited := away <= q.enabled-p.enabled && int64(away) >= s.period/2
	idled := g.run.t[i]-g.run.t[i-1] <= s.idle*3/2 && g.run.idled(i)
	if !waited && !idled && !g.run.blank[i] {
		return
	}
	for t-s.edge > s.period*3/2 {
		s.row(b, s.edge, s.edge+s.period, false)
	}
}

// row appends one row.
func (s *sampling) row(b *capture.Batch, start, end int64, last bool) {
	clear(s.acc)
	at := end
	if last {
		at = 1<<63 - 1 // what is read after the leader belongs to the last row
	}
	for _, g := range s.groups {
		known := false
		g.now, known = g.run.at(at, g.cur)
		s.add(g)
		if !known {
			s.still(g)
		}
		g.cur, g.prev = g.prev, g.cur
		g.was = g.now
	}
	for i := range s.cols {
		s.appendValue(b, i)
	}
	b.Start, b.End = append(b.Start, start), append(b.End, end)
	s.edge = end
	if n := (end - start + s.period/2) / s.period; n > 1 && start > 0 {
		why := "the kernel's timer came late, as it does where a host takes the processor away"
		if s.idle > 0 { // idle CPUs make fewer samples, and neither end of this one was idle
			why += ", or the processor had nothing to do for a moment"
		}
		switch {
		case s.lost > 0 || s.full:
			why = "the kernel's ring of samples was full"
		default:
			s.skipped += uint64(n - 1)
		}
		b.Late = append(b.Late, capture.Gap{Start: start, End: end, Lost: uint64(n - 1),
			Reason: capture.Reason{Code: capture.LostReports,
				Text: why + ": this sample has the time and counts of several"}})
	}
	s.lost = 0
}

// Finish takes the last reading of every group, in the order of the first, and appends the rows up to it.
func (s *sampling) Finish(_ context.Context, b *capture.Batch) error {
	if !s.began {
		return nil
	}
	// All stop before the first is read, so that what they count ends at about the same time.
	for _, g := range s.groups {
		if g.broken != nil {
			continue
		}
		if err := g.leader.disable(); err != nil {
			return fmt.Errorf("stop %s: %w", s.cols[g.firstCol()].name, err)
		}
	}
	finals := make([][]uint64, len(s.groups))
	for i, g := range s.groups {
		if g.broken != nil {
			continue
		}
		if err := g.read(); err != nil {
			s.lose(b, g, err)
			continue
		}
		at := g.now
		finals[i], g.final = slices.Clone(g.cur), &at
	}
	if err := s.collect(); err != nil {
		return err
	}
	now := s.k.now()
	for i, g := range s.groups {
		if g.final == nil {
			g.run.stay(now)
			continue
		}
		g.run.read(now, finals[i], *g.final)
	}
	s.rows(b, true)
	return nil
}

// Conclude tells of samples that were lost, besides what every stream of groups tells.
func (s *sampling) Conclude() []string {
	out := s.stream.Conclude()
	say := func(n uint64, what string) {
		if n > 0 {
			out = append(out, fmt.Sprintf("perfevent: %d %s; no count is lost, but the samples there are longer", n, what))
		}
	}
	say(s.allLost, "samples found no room in the kernel's ring because the recorder was not run in time")
	late := "ticks of the kernel's timer came too late to make a sample"
	if s.idle > 0 {
		late += ", or between two samples when their processor had nothing to do"
	}
	say(s.skipped, late)
	stops, still, all := 0, int64(0), int64(0)
	for _, g := range s.groups {
		stops, still, all = stops+g.run.stops, still+g.run.stopped, all+g.run.last()-g.run.from
	}
	if still > 0 {
		out = append(out, fmt.Sprintf("perfevent: the kernel throttled the timers that take samples (kernel.perf_event_max_sample_rate is %d) %d times and stopped what they lead: "+
			"values are missing for %v, %.2g %% of the time of each group on each CPU; take a longer period than %v",
			s.maxRate, stops, time.Duration(still).Round(time.Microsecond), 100*float64(still)/float64(max(all, 1)),
			time.Duration(s.period)))
	}
	return out
}

// Lost is how many samples are not there.
func (s *sampling) Lost() uint64 { return s.allLost + s.skipped }

// Close stops all events, and gives the rings back.
func (s *sampling) Close() error {
	if s.closed {
		return nil
	}
	return errors.Join(s.rings.unmap(), s.stream.Close())
}
