package perfevent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"astrolabe/capture"
	"astrolabe/hwio"
)

// tasks is a stream of processes whose samples the kernel takes: a group per CPU and thread, inherited by what the
// thread starts, whose clock samples while a thread is on that CPU.
//
// What all of them counted is known when the groups are read, some times a second. Samples say when it was: what a
// thread has counted between two of its samples is spread over that time, and what no sample tells of, as of processes
// shorter than the period, over the time between two readings. All rows between two readings hold what these say, to
// the unit.
type tasks struct {
	stream
	k      kernel
	rings  rings
	byID   map[uint64]*group
	period int64
	edge   int64 // end of the last row

	rows   int64                  // of a period from edge until now
	last   map[uint64]*lastSample // by stream: a thread's copy of a group
	shape  [][]uint64             // per row of a period from edge on: what samples say of each column
	totals []sum                  // per column, since the beginning
	shares []bool                 // per column: it shares the hardware with others, and may have to wait
	waited []uint64               // per column: ns in which it was to count and did not
	skew   [2]int64               // ns that the first and the last reading of all groups took
	cpus   map[int]bool
	values []uint64

	lost      uint64
	lostNow   bool // since the last reading
	maxRate   uint64
	throttles int
	failed    error // of a ring
}

var (
	_ hwio.Yielder  = (*tasks)(nil)
	_ hwio.Paced    = (*tasks)(nil)
	_ hwio.Finisher = (*tasks)(nil)
	_ hwio.Loser    = (*tasks)(nil)
)

// lastSample is what a thread's copy of a group had counted at its last sample.
type lastSample struct {
	g       *group
	time    int64
	running uint64
	values  []uint64

	span  int64    // ns before it, in which
	delta []uint64 // this was counted
}

// Of so many threads the last samples are kept. Of one that is forgotten the next sample stands for itself.
const lastMost = 1 << 14

func newTasks(p *plan, st *stream) (*tasks, error) {
	s := &tasks{stream: *st, k: p.k, byID: byClock(p.groups), period: p.period, maxRate: p.maxRate,
		last: map[uint64]*lastSample{}}
	s.values = make([]uint64, mostMembers(p.groups))
	s.totals, s.waited, s.shares = make([]sum, len(s.cols)), make([]uint64, len(s.cols)), make([]bool, len(s.cols))
	s.cpus = map[int]bool{}
	for _, g := range s.groups {
		if s.cpus[g.cpu] = true; g.coverage < 0 {
			continue
		}
		s.shares[g.coverage], s.shares[g.coverage+1] = true, true
		for _, col := range g.cols {
			if col >= 0 {
				s.shares[col] = true
			}
		}
	}
	return s, s.rings.open(s.groups, s.period)
}

// StampsSamples marks the stream: samples have the kernel's times.
func (s *tasks) StampsSamples() {}

// Yields marks the stream: beside a device that stamps its own samples these are spread over that device's.
func (s *tasks) Yields() {}

// Every is how often the groups are to be read.
func (s *tasks) Every(period, flush time.Duration) time.Duration {
	return max(period, min(collectEvery, flush, time.Duration(s.rings.room)/4))
}

// Lost is how many samples are not there.
func (s *tasks) Lost() uint64 { return s.lost }

// Read appends the rows since the last reading.
func (s *tasks) Read(_ context.Context, b *capture.Batch) error { return s.window(b, false) }

// Finish appends what was counted after that.
func (s *tasks) Finish(_ context.Context, b *capture.Batch) error {
	if !s.began {
		return nil
	}
	return s.window(b, true)
}

// window appends the rows from the last reading to one that it takes. A time much shorter than a period is left to the
// next one, unless it is the last and something was counted in it.
func (s *tasks) window(b *capture.Batch, last bool) error {
	begun := s.began
	if !begun {
		s.edge = s.k.now()
	}
	short := func(now int64) bool { return begun && now-s.edge < s.period/2 }
	from := s.k.now()
	if !last && short(from) {
		return nil
	}
	if err := s.readAll(b); err != nil {
		return err
	}
	// What the readings hold is told of by samples that stand in the rings by now.
	now := s.k.now()
	if s.skew[1] = now - from; !begun {
		s.skew[0] = s.skew[1]
		s.begin()
		return nil
	}
	s.shape, s.rows = s.shape[:0], max(1, (now-s.edge)/s.period+1)
	for _, r := range s.rings.list {
		if _, err := r.drain(s.record); err != nil {
			return err
		}
	}
	if s.failed != nil {
		return s.failed
	}
	s.stop()
	s.foresee(now)
	if now <= s.edge || short(now) && !slices.ContainsFunc(s.acc,
		func(a sum) bool { return a.count > 0 || a.running > 0 }) {
		return nil
	}
	n := max(1, (now-s.edge+s.period/2)/s.period)
	s.fold(int(n))
	for i := range s.cols {
		s.spread(b, i, int(n))
	}
	for i := range n {
		b.Start, b.End = append(b.Start, s.edge+(now-s.edge)*i/n), append(b.End, s.edge+(now-s.edge)*(i+1)/n)
	}
	s.edge = now
	return nil
}

// begin takes the first readings as the first samples of the threads that there are.
func (s *tasks) begin() {
	for _, g := range s.groups {
		// readAll has put what it read behind.
		s.last[g.ids[0]] = &lastSample{g: g, time: s.edge, running: g.was.running, values: slices.Clone(g.prev),
			delta: make([]uint64, len(g.members))}
	}
}

// foresee lets threads that were on a CPU a moment ago go on until now as they did: their next samples are still to
// come.
func (s *tasks) foresee(now int64) {
	for _, l := range s.last {
		since := now - l.time
		if l.span == 0 || since <= 0 || since > max(l.span, s.period)*3/2 {
			continue
		}
		for k, col := range l.g.cols {
			if col >= 0 {
				s.put(col, uint64(float64(l.delta[k])*float64(since)/float64(l.span)), l.time, now)
			}
		}
		if c := l.g.coverage; c >= 0 {
			s.put(c, uint64(since)*uint64(min(l.span, s.period))/uint64(l.span), l.time, now)
		}
	}
}

// stop says that there are no values of the groups that were throttled since the last reading, and of none of the
// threads' where records of that may be lost.
func (s *tasks) stop() {
	for _, g := range s.groups {
		if g.throttled || s.throttles > 0 && s.lostNow {
			s.still(g)
		}
		g.throttled = false
	}
	s.lostNow = false
}

func (s *tasks) record(kind uint32, body []byte) {
	switch kind {
	case recordSample:
		if err := s.sample(body); err != nil && s.failed == nil {
			s.failed = fmt.Errorf("read a sample of the kernel: %w", err)
		}
	case recordLost, recordLostSamples:
		s.lost += decodeLost(kind, body)
		s.lostNow = true
	case recordThrottle, recordUnthrottle:
		if g := s.byID[decodeThrottle(body)]; g != nil {
			g.throttled = true
		}
		if kind == recordThrottle {
			s.throttles++
		}
	}
}

// sample puts what a thread has counted since its last sample into the rows of that time.
func (s *tasks) sample(body []byte) error {
	r, err := decodeSample(body, true)
	if err != nil {
		return err
	}
	g := s.byID[r.id]
	if g == nil {
		return fmt.Errorf("no group has the id %d", r.id)
	}
	values := s.values[:len(g.members)]
	at, err := decodeGroup(r.values, g.ids, values)
	if err != nil {
		return err
	}
	l := s.last[r.stream]
	if l == nil {
		if len(s.last) >= lastMost {
			clear(s.last)
		}
		l = &lastSample{g: g, time: r.time - int64(min(at.running, uint64(max(r.time-s.edge, 0))+uint64(s.period))),
			values: make([]uint64, len(values)), delta: make([]uint64, len(values))}
		if began := uint64(r.time - l.time); at.running > began {
			// It counted before the samples that are known: of that the last part.
			l.running = at.running - began
			for k, v := range values {
				l.values[k] = v - partOfWay(0, v, began, at.running)
			}
		}
		s.last[r.stream] = l
	}
	if l.span = r.time - l.time; l.span > 0 {
		for k, col := range g.cols {
			if l.delta[k] = values[k] - l.values[k]; col >= 0 {
				s.put(col, l.delta[k], l.time, r.time)
			}
		}
		if g.coverage >= 0 {
			s.put(g.coverage, at.running-l.running, l.time, r.time)
		}
	}
	l.time, l.running = r.time, at.running
	copy(l.values, values)
	return nil
}

// put spreads a count over the rows of a time; what lies before the first one was told of before.
func (s *tasks) put(col int, count uint64, from, to int64) {
	if count == 0 || to <= s.edge {
		return
	}
	given := uint64(0)
	if from < s.edge {
		given = partOfWay(0, count, uint64(s.edge-from), uint64(to-from))
	}
	for row := min(max(from-s.edge, 0)/s.period, s.rows-1); ; row++ {
		for int64(len(s.shape)) <= row {
			s.grow()
		}
		end := s.edge + (row+1)*s.period
		if end >= to || row+1 >= s.rows {
			s.shape[row][col] += count - given
			return
		}
		upto := partOfWay(0, count, uint64(end-from), uint64(to-from))
		s.shape[row][col] += upto - given
		given = upto
	}
}

// grow appends a row to the shape, in memory that was used before where there is some.
func (s *tasks) grow() {
	if n := len(s.shape); n < cap(s.shape) {
		if s.shape = s.shape[:n+1]; s.shape[n] != nil {
			clear(s.shape[n])
			return
		}
		s.shape = s.shape[:n]
	}
	s.shape = append(s.shape, make([]uint64, len(s.cols)))
}

// fold makes the shape one of n rows.
func (s *tasks) fold(n int) {
	for len(s.shape) < n {
		s.grow()
	}
	for _, extra := range s.shape[n:] {
		for i, v := range extra {
			s.shape[n-1][i] += v
		}
	}
	s.shape = s.shape[:n]
}

// settle makes the times of a column fit each other. Every group of a thread is enabled on all CPUs at once, which is
// counted for one of them, and counts on one of them; as groups are read one after the other, only all of the time
// tells how long it had to wait. What the threads of all CPUs do while groups are read, which is long where the recorder
// loses its own CPU meanwhile, is no waiting; and software events never wait.
func (s *tasks) settle(i int, a *sum) {
	if !s.shares[i] {
		a.enabled = a.running
		return
	}
	t := &s.totals[i]
	t.enabled, t.running = t.enabled+a.enabled, t.running+a.running
	waited := s.waited[i]
	if t.enabled > t.running+uint64(s.skew[0]+s.skew[1])*uint64(len(s.cpus)) {
		s.waited[i] = max(waited, t.enabled-t.running)
	}
	a.enabled = a.running + s.waited[i] - waited
}

// spread appends the rows of a column.
func (s *tasks) spread(b *capture.Batch, i, n int) {
	c, a := &s.cols[i], &s.acc[i]
	s.settle(i, a)
	missing := func(why capture.Reason) {
		for range n {
			b.AppendMissingFor(i, why)
		}
	}
	if a.later {
		missing(familyChange)
		return
	}
	c.enabled += a.enabled
	c.running += a.running
	switch {
	case a.still:
		missing(throttled)
	case a.gone:
		missing(unreadable)
	case c.coverage && a.enabled == 0:
		missing(notRun)
	case !c.coverage && !c.enabledTime && a.running == 0 && a.enabled > 0:
		missing(notScheduled)
	case c.coverage:
		s.share(i, n, a.running, a.enabled > a.running, func(ran uint64) {
			if ran == 0 {
				b.AppendMissingFor(i, notRun)
				return
			}
			b.AppendFloat(i, min(100, 100*float64(a.running)/float64(a.enabled)))
		})
	case c.enabledTime:
		s.share(i-1, n, a.enabled, true, func(v uint64) { b.AppendInt(i, v) })
	case c.scale != 0:
		s.share(i, n, scaleUp(a.count, a.enabled, a.running), a.enabled > a.running,
			func(v uint64) { b.AppendFloat(i, float64(v)*c.scale) })
	default:
		s.share(i, n, scaleUp(a.count, a.enabled, a.running), a.enabled > a.running,
			func(v uint64) { b.AppendInt(i, v) })
	}
}

// share divides a total among n rows. As a rule they have what the samples tell, and equal parts of the rest; where
// that is an estimate, or less than samples tell, as where they are of a little before, the total is divided as the
// samples are.
func (s *tasks) share(shape, n int, total uint64, estimate bool, row func(uint64)) {
	told := uint64(0)
	for i := range n {
		told += s.shape[i][shape]
	}
	asTold := told > 0 && (estimate || told > total)
	sofar, given := uint64(0), uint64(0)
	for i := range n {
		sofar += s.shape[i][shape]
		upto := total
		switch {
		case asTold && sofar < told:
			upto = partOfWay(0, total, sofar, told)
		case !asTold && i < n-1:
			upto = sofar + partOfWay(0, total-told, uint64(i+1), uint64(n))
		}
		row(upto - given)
		given = upto
	}
}

// Conclude tells of samples that were lost, and of throttling, besides what every stream of groups tells.
func (s *tasks) Conclude() []string {
	out := s.stream.Conclude()
	if s.lost > 0 {
		out = append(out, fmt.Sprintf("perfevent: %d samples found no room in the kernel's ring because the recorder was not run in time; no count is lost, but those of that time are spread evenly", s.lost))
	}
	if s.throttles > 0 {
		out = append(out, fmt.Sprintf("perfevent: the kernel throttled the timers that take samples (kernel.perf_event_max_sample_rate is %d) %d times and stopped what they lead: "+
			"values are missing from the reading before to the one after; take a longer period than %v", s.maxRate,
			s.throttles, time.Duration(s.period)))
	}
	return out
}

// Close stops all events, and gives the rings back.
func (s *tasks) Close() error {
	if s.closed {
		return nil
	}
	return errors.Join(s.rings.unmap(), s.stream.Close())
}
