package simulate

// queue is a hardware queue: the job that it issues chunks of, and what came before.
type queue struct {
	index   uint8
	ease    float64 // 1/Faster where the queue is relieved
	frame   int     // of the next job
	pos     int
	running bool

	job      *Job
	state    *jobState
	jobFrame int
	scale    float64
	began    int64 // when the queue had the job, with everything that it waited for
	start    int64 // when its first chunk could begin
	startAt  int32
	streams  []stream
	end      int64
	endNode  int32
	first    bool // no chunk has been issued

	issued, ended         int64 // of the job before: its last chunk in, and its last chunk out
	issuedNode, endedNode int32
}

func (q *queue) reset(index uint8, relieved bool) {
	streams := q.streams
	*q = queue{index: index, ease: 1, streams: streams[:0]}
	if relieved {
		q.ease = 1 / Faster
	}
}

// stream is a stream of the job that a queue works on.
type stream struct {
	of    *Stream
	k     int   // the next chunk
	ready bool  // it has gone through the front stages, at time at
	at    int64 //
	node  int32
	began int64   // when its front stages began
	share float64 // of the stream's work that a mean chunk is
	pass  int     // in the recorder

	issue, end         []int64 // per chunk, when it entered the cores and when it left the last stage
	issueNode, endNode []int32
	taken              []int64 // per chunk, when the first back stage took it
	takenNode          []int32
}

// begin starts the queue's next job if everything that it waits for is known.
func (e *engine) begin(q *queue) bool {
	var list []int
	for {
		if q.frame >= len(e.w.Frames) {
			return false
		}
		if list = e.byJob[e.w.Frames[q.frame].Content][q.index]; q.pos < len(list) {
			break
		}
		q.frame, q.pos = q.frame+1, 0
	}
	f, j := q.frame, list[q.pos]
	frame := &e.w.Frames[f]
	job := &e.w.Contents[frame.Content].Jobs[j]
	state := &e.jobs[e.first[f]+j]
	if !state.submitted {
		return false
	}
	at, n := state.submit, state.submitNode
	gate, gateNode := q.issued, q.issuedNode
	if job.Drain {
		gate, gateNode = q.ended, q.endedNode
	}
	if gate > at {
		at, n = gate, gateNode
	}
	free, freeNode := int64(0), int32(0) // without the dependencies that the content does not need
	loose, looseNode := int64(0), int32(0)
	for _, d := range job.After {
		if d.Loose && e.relief.Loose {
			continue
		}
		t, tn, known := e.doneOf(f-d.Back, d.Job)
		switch {
		case !known:
			return false
		case d.Loose && t > loose:
			loose, looseNode = t, tn
		case !d.Loose && t > free:
			free, freeNode = t, tn
		}
	}
	if free > at {
		at, n = free, freeNode
	}
	if job.Image && e.w.Pacing.Refresh > 0 {
		if before := f - e.w.Pacing.Buffers + 1; before >= 0 {
			if before >= e.shown {
				return false
			}
			if b := &e.frames[before]; b.flip > at {
				at, n = b.flip, b.flipNode
			}
		}
	}
	if loose > at {
		if e.path.Keep {
			e.blocked = append(e.blocked, blockedStretch{at, loose, q.index})
		}
		at, n = loose, looseNode
	}
	launch := job.Launch * q.ease
	if e.relief.Unit == LaunchOverhead {
		launch /= Faster
	}
	q.running, q.job, q.state, q.jobFrame, q.first = true, job, state, f, true
	state.began = at
	q.scale = float64(frame.Scale[j])
	q.began, q.start = at, at+int64(launch)
	q.startAt = e.at(q.start, causeLaunch, q.index, n)
	q.end, q.endNode = q.start, q.startAt
	if e.rec != nil {
		e.rec.launch(e, q)
	}
	e.frames[f].gpuBegin = min(e.frames[f].gpuBegin, at)
	for len(q.streams) < len(job.Streams) {
		q.streams = append(q.streams, stream{})
	}
	q.streams = q.streams[:len(job.Streams)]
	for s := range job.Streams {
		q.streams[s].reset(&job.Streams[s], q.scale)
		if e.rec != nil {
			q.streams[s].pass = e.rec.passes[frame.Content][j] + s
		}
	}
	q.pos++
	return true
}

func (s *stream) reset(of *Stream, scale float64) {
	s.of, s.k, s.ready, s.share = of, 0, false, scale/float64(of.Chunks)
	for len(s.issue) < of.Chunks {
		s.issue, s.end, s.taken = append(s.issue, 0), append(s.end, 0), append(s.taken, 0)
		s.issueNode, s.endNode, s.takenNode = append(s.issueNode, 0), append(s.endNode, 0), append(s.takenNode, 0)
	}
}

// doneOf is when a job was done, or all of its frame for job -1. Frames before the first are done from the start.
func (e *engine) doneOf(frame, job int) (t int64, n int32, known bool) {
	if frame < 0 {
		return 0, 0, true
	}
	if job < 0 || job >= len(e.w.Contents[e.w.Frames[frame].Content].Jobs) {
		f := &e.frames[frame]
		return f.done, f.doneNode, f.left == 0
	}
	s := &e.jobs[e.first[frame]+job]
	return s.end, s.endNode, s.done
}

// prepare takes the next chunk of a stream through its front stages. It returns false while something that it waits
// for is not known yet.
func (e *engine) prepare(q *queue, which int) bool {
	s := &q.streams[which]
	k := s.k
	at, n := q.start, q.startAt
	if k >= e.m.Front && s.issue[k-e.m.Front] > at {
		at, n = s.issue[k-e.m.Front], s.issueNode[k-e.m.Front]
	}
	if len(q.streams) == 2 {
		a, b := &q.streams[0], &q.streams[1]
		if which == 1 {
			// The chunk needs its part of the first stream.
			need := min((k+1)*a.of.Chunks/b.of.Chunks, a.of.Chunks) - 1
			if need >= a.k {
				return false
			}
			if need >= 0 && a.end[need] > at {
				at, n = a.end[need], a.endNode[need]
			}
		} else if k >= q.job.Gap {
			// What the first makes must have room until the second takes it.
			need := (k - q.job.Gap) * b.of.Chunks / a.of.Chunks
			if need >= b.k {
				return false
			}
			if b.issue[need] > at {
				if e.rec != nil {
					e.rec.span(StreamSpan(int(q.index), 0, StreamHeld), at, b.issue[need])
				}
				at, n = b.issue[need], b.issueNode[need]
			}
		}
	}
	s.began = at
	for i := range s.of.Front {
		v := &s.of.Front[i]
		time, amount := e.time(q, s, v, k)
		start, end := e.serve(v.Unit, at, n, time)
		if e.rec != nil {
			e.rec.work(s.pass, int(v.Unit), start, end, amount)
			e.rec.wait(v.Unit, at, start)
		}
		at = end
		n = e.at(end, v.Unit, q.index, e.unit[v.Unit].since)
	}
	s.at, s.node, s.ready = at, n, true
	return true
}

// time is the ns that a unit needs for chunk k, and the chunk's share of the stream's work on it.
func (e *engine) time(q *queue, s *stream, v *Serve, k int) (ns int64, amount float64) {
	amount = s.share
	if v.Spread > 0 {
		amount *= variation(v.Spread, s.of.Seed, int(v.Unit), k)
	}
	t := v.Time * amount * e.factor[v.Unit]
	if v.Unit == UnitLatency {
		t *= 1 + e.m.LatencyLoad*e.load*e.load
	}
	return int64(t*q.ease + 0.5), amount
}

// memoryWindow is the ns over which the load of the memory is smoothed.
const memoryWindow = 60e3

// useMemory notes that memory was busy for some time from a moment on.
func (e *engine) useMemory(at, time int64) {
	if at > e.loadAt {
		x := float64(at-e.loadAt) / memoryWindow
		e.load /= 1 + x + x*x/2 // nearly e^-x
		e.loadAt = at
	}
	e.load = min(1, e.load+float64(time)/memoryWindow)
}
