package simulate

// Recorder keeps what counters count, by sample and pass, while a simulation runs. It knows units and passes;
// families make counters of it.
type Recorder struct {
	Bounds *Bounds

	units   int
	queues  int
	groups  []int
	passes  [][]int // per content and job: the number of its first stream's pass
	total   int     // streams of all contents
	dims    int
	hint    int       // the sample that was written to last
	lo, hi  int64     // its time
	rows    int       // samples with memory
	tallies []float32 // by sample, pass (a stream of a job) and dimension
	touched []bool    // by sample and pass
	spans   []float64 // by sample and span: ns times the clock's share
	edges   []int64   // per span: up to when it is counted
	share   float64   // of the clock, at the moment
	threads []float64 // by sample and thread: ns
	busy    []float64 // by sample: ns in which the GPU had work
}

// Dimensions of a pass's tallies behind those of its units, which count shares of the pass's work on the unit as it
// is served.
const (
	TallyIn     = iota // share of the pass's items that came through the front stages
	TallyIssued        // share that entered the cores
	TallyOut           // share that left the last stage
	TallySlots         // time that chunks held slots, ns times the clock's share
	// share of memory traffic times the factor by which its latency was above that of an idle memory
	TallyLatency
	TallyQueueing // share of memory traffic times the ns that it waited for the bus
	tallies
)

// Spans are times in which something held, whatever its extent. They are counted in ns times the clock's share, of
// which the highest clock makes cycles. Those of streams, groups of queues, units and tags follow these; StreamSpan,
// GroupCores, UnitWait and Tagged say where.
const (
	SpanBusy    = iota // the GPU had work in any queue
	SpanCores          // the cores had work of any queue, in their front stages, in slots or behind
	SpanSlots          // at least one slot was taken
	SpanFull           // all work in slots waited for a free one
	SpanBacklog        // requests waited for the memory's bus
	firstStream        // the first of the streams' own spans
)

// Spans of a queue's streams. The first four are of the queue and stand with its first stream.
const (
	QueueHeld    = iota // it had a job with all that the job waited for
	QueueCores          // the cores had work of it
	QueueLaunch         // it had a job that was being started
	QueueTail           // it had issued all of a job and waited for the rest of it
	StreamStall         // it had a job whose first chunk waited for room in the cores
	StreamBuffer        // the buffer before the cores held a chunk of it
	StreamWait          // a chunk was ready for the cores and found no room
	StreamHeld          // its next chunk waited until the job's other stream took what it had made
	streamSpans
)

// newRecorder records the samples of bounds.
func newRecorder(m *Machine, w *Load, bounds *Bounds) *Recorder {
	r := &Recorder{Bounds: bounds, units: len(m.Units), queues: len(m.Queues)}
	for i := range w.Contents {
		var list []int
		for j := range w.Contents[i].Jobs {
			list = append(list, r.total)
			r.total += len(w.Contents[i].Jobs[j].Streams)
		}
		r.passes = append(r.passes, list)
	}
	r.dims = r.units + tallies
	r.groups = m.Groups
	r.edges = make([]int64, firstStream+(2*streamSpans+1)*r.queues+r.units+m.Tags)
	return r
}

// GroupCores is the span in which the cores had work of any queue of a group.
func (r *Recorder) GroupCores(group int) int { return firstStream + 2*streamSpans*r.queues + group }

// UnitWait is the span in which chunks waited for a unit.
func (r *Recorder) UnitWait(unit int) int { return firstStream + (2*streamSpans+1)*r.queues + unit }

// Tagged is the span in which the cores had work with a tag.
func (r *Recorder) Tagged(tag int) int { return r.UnitWait(r.units) + tag - 1 }

// Span is the number of a span of a queue's first stream.
func Span(queue, span int) int { return StreamSpan(queue, 0, span) }

// StreamSpan is the number of a span of one of a queue's streams.
func StreamSpan(queue, stream, span int) int {
	return firstStream + (2*queue+stream)*streamSpans + span
}

// row is the sample that holds a time.
func (r *Recorder) row(t int64) int {
	if t >= r.lo && t < r.hi {
		return r.hint
	}
	return r.seek(t)
}

func (r *Recorder) seek(t int64) int {
	b := r.Bounds
	for t >= b.At(r.hint+1) {
		r.hint++
	}
	for r.hint > 0 && t < b.at[r.hint] {
		r.hint--
	}
	r.lo, r.hi = b.at[r.hint], b.at[r.hint+1]
	if r.hint >= r.rows {
		r.grow(r.hint + 1)
	}
	return r.hint
}

func (r *Recorder) grow(rows int) {
	rows = max(rows+8, rows*3/2)
	add := rows - r.rows
	r.tallies = append(r.tallies, make([]float32, add*r.total*r.dims)...)
	r.touched = append(r.touched, make([]bool, add*r.total)...)
	r.spans = append(r.spans, make([]float64, add*len(r.edges))...)
	r.threads = append(r.threads, make([]float64, add*2)...)
	r.busy = append(r.busy, make([]float64, add)...)
	r.rows = rows
}

// tally adds to a dimension of a pass, spread evenly over a time.
func (r *Recorder) tally(pass, dim int, start, end int64, amount float64) {
	first := r.row(start)
	if end <= r.hi {
		at := first*r.total + pass
		r.touched[at] = true
		r.tallies[at*r.dims+dim] += float32(amount)
		return
	}
	per := amount / float64(end-start)
	for start < end {
		row := r.row(start)
		until := min(end, r.hi)
		r.touched[row*r.total+pass] = true
		r.tallies[(row*r.total+pass)*r.dims+dim] += float32(per * float64(until-start))
		start = until
	}
}

// span notes that something held from one time to another, as far as it was not noted before.
func (r *Recorder) span(span int, start, end int64) {
	start = max(start, r.edges[span])
	if end <= start {
		return
	}
	r.edges[span] = end
	for start < end {
		row := r.row(start)
		until := min(end, r.hi)
		r.spans[row*len(r.edges)+span] += r.share * float64(until-start)
		if span == SpanBusy {
			r.busy[row] += float64(until - start)
		}
		start = until
	}
}

func (r *Recorder) work(pass, unit int, start, end int64, amount float64) {
	r.tally(pass, unit, start, end, amount)
}

// memory notes a chunk's traffic: its share of the pass's, when it asked and was served, and the latency's factor at
// that time.
func (r *Recorder) memory(pass int, asked, start, end int64, amount, latency float64) {
	r.tally(pass, r.units+TallyLatency, start, end, amount*latency)
	if start > asked {
		r.tally(pass, r.units+TallyQueueing, start, end, amount*float64(start-asked))
		r.span(SpanBacklog, asked, start)
	}
}

// wait notes that a chunk waited for a unit.
func (r *Recorder) wait(unit uint8, from, to int64) {
	if to > from {
		r.span(r.UnitWait(int(unit)), from, to)
	}
}

// launch notes that a queue starts a job.
func (r *Recorder) launch(e *engine, q *queue) {
	before := r.share
	r.share = e.clock.share
	r.span(Span(int(q.index), QueueLaunch), q.began, q.start)
	r.share = before
}

// tail notes that a queue issued the last chunk of a job that ends later.
func (r *Recorder) tail(q *queue, issued int64) {
	r.span(Span(int(q.index), QueueTail), issued, q.end)
}

// issue notes that a chunk enters the cores.
func (r *Recorder) issue(e *engine, q *queue, which int, at int64) {
	s := &q.streams[which]
	r.share = e.clock.share
	of := func(span int) int { return StreamSpan(int(q.index), which, span) }
	if len(s.of.Front) > 0 {
		// While a chunk waits for room the buffer is full; while the front stages work for the next one it holds what
		// they have made so far.
		r.span(of(StreamBuffer), s.at-(s.at-s.began)/3, max(at, s.at))
	}
	if at > s.at {
		r.span(of(StreamWait), s.at, at)
		r.span(SpanFull, s.at, at)
		if q.first {
			r.span(of(StreamStall), s.at, at)
		}
	}
}

// chunk notes the life of a chunk.
func (r *Recorder) chunk(e *engine, q *queue, which int, at, finish, free, out int64) {
	s := &q.streams[which]
	items, pass := s.share, s.pass
	u := r.units
	if s.at > s.began {
		r.tally(pass, u+TallyIn, s.began, s.at, items)
	} else {
		r.tally(pass, u+TallyIn, at, at, items)
	}
	r.tally(pass, u+TallyIssued, at, at, items)
	if out > finish {
		r.tally(pass, u+TallyOut, finish, out, items)
	} else {
		r.tally(pass, u+TallyOut, out, out, items)
	}
	if free > at {
		r.tally(pass, u+TallySlots, at, free, float64(free-at)*e.clock.share*float64(max(1, s.of.Weight)))
	}
	index := int(q.index)
	r.span(SpanBusy, q.began, out)
	r.span(Span(index, QueueHeld), q.began, out)
	r.span(Span(index, QueueCores), s.began, out)
	if r.groups != nil {
		r.span(r.GroupCores(r.groups[index]), s.began, out)
	}
	if tag := q.job.Tag; tag > 0 {
		r.span(r.Tagged(tag), s.began, out)
	}
	r.span(SpanCores, s.began, out)
	r.span(SpanSlots, at, max(finish, free))
}

// thread notes that a thread of the processor ran.
func (r *Recorder) thread(thread int, start, end int64) {
	for start < end {
		row := r.row(start)
		until := min(end, r.hi)
		r.threads[row*2+thread] += float64(until - start)
		start = until
	}
}

// Row is what was recorded of one sample.
type Row struct {
	r *Recorder
	i int
}

// Row is sample i; one that nothing was recorded in is empty.
func (r *Recorder) Row(i int) Row {
	if i >= r.rows {
		r.grow(i + 1)
	}
	return Row{r, i}
}

// Passes calls visit for every pass that did anything in the sample. of has the units' tallies first, then those of
// Tally….
func (w Row) Passes(visit func(pass int, of []float32)) {
	for p := range w.r.total {
		if at := w.i*w.r.total + p; w.r.touched[at] {
			visit(p, w.r.tallies[at*w.r.dims:(at+1)*w.r.dims])
		}
	}
}

// Span is a span's ns in the sample, times the clock's share of its highest.
func (w Row) Span(span int) float64 { return w.r.spans[w.i*len(w.r.edges)+span] }

// Busy is how many ns of the sample the GPU had work.
func (w Row) Busy() float64 { return w.r.busy[w.i] }

// Thread is how many ns a thread of the processor ran in the sample.
func (w Row) Thread(thread int) float64 { return w.r.threads[w.i*2+thread] }

// Units is the number of units, before which the tallies of Tally… stand not.
func (r *Recorder) Units() int { return r.units }
