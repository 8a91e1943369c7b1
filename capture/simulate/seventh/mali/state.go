package mali

import "astrolabe/capture/simulate"

// load is what runs: frames with what they consist of, and the processor's side.
type load struct {
	contents []content
	frames   []frame
	pace     simulate.Pacing
	gov      governor
	warm     int
	threads  int
	sync     *syncWait
	shares   [2]float64 // how busy other cores of the processor are: with the application's workers, and with others' work
}

// frame is one frame's share of randomness.
type frame struct {
	content     int
	app, driver float64 // ns
	scale       float64
	request     int64
}

// syncWait lets the application wait, before it begins a frame, for a job of the frame before.
type syncWait struct{ job int } // -1 for all of them

// relief is what a simulation makes easier.
type relief struct {
	station            int // -1 for none
	queue              int // -1 for none
	gpu, launch        bool
	app, driver        bool
	wait, loose, clock bool
}

var nothing = relief{station: -1, queue: -1}

// jobState is how far a job is.
type jobState struct {
	submitted, done     bool
	submit, end         int64
	submitNode, endNode int32
}

// queueState is a hardware queue.
type queueState struct {
	frame, pos int // of its next job
	job        int // in the frame's list, where it has one
	running    bool
	launching  bool
	until      int64
	part       int
	left       float64 // of the part
	node       int32
	waits      bool // a job is submitted and waits for others
	drains     bool // only for the cores to be empty of another queue's work
}

// frameState is a frame on its way.
type frameState struct {
	begin, gpuBegin, done, flip   int64
	beginNode, doneNode, flipNode int32
	left                          int
	missed                        int
	shown                         bool
}

// machine is a simulation.
type machine struct {
	c    *chip
	w    *load
	r    relief
	now  int64
	path trail
	dial *dial

	queues []queueState
	byQ    [][][]int // by content and queue: jobs in order
	jobs   [][]jobState
	frames []frameState

	app struct {
		frame    int
		working  bool
		end      int64
		from     int64
		node     int32
		cap      int64
		capNode  int32
		took     int64
		tookNode int32
	}
	driver struct {
		free int64
		node int32
	}
	shown int

	flows map[flowKey]*settled
	cur   *settled
	rec   *recorder
	marks []mark
	busy  float64
	clock float64
}

// mark is how busy the GPU was up to a time, and what its clock came to.
type mark struct {
	t           int64
	busy, clock float64
}

// flowKey names what runs at once: a part for each queue, or none, and the clock.
type flowKey struct {
	part [3]int32
	step float64
}

// settled is the flow of what runs at once, with the speed of each queue's part.
type settled struct {
	flow  flow
	list  [3]class
	index [3]int // of a queue's class, -1 where it has none
	speed [3]float64
	holds [3]uint8
	state *states
}

func newMachine(c *chip, w *load, r relief) *machine {
	m := &machine{c: c, w: w, r: r, flows: map[flowKey]*settled{}}
	m.dial = newDial(&w.gov, c.steps, r.clock)
	m.queues = make([]queueState, len(c.queues()))
	for i := range w.contents {
		lists := make([][]int, len(m.queues))
		for k := range w.contents[i].jobs {
			q := w.contents[i].jobs[k].queue
			lists[q] = append(lists[q], k)
		}
		m.byQ = append(m.byQ, lists)
	}
	m.frames = make([]frameState, len(w.frames))
	for i := range w.frames {
		n := len(w.contents[w.frames[i].content].jobs)
		m.jobs = append(m.jobs, make([]jobState, n))
		m.frames[i].left = n
	}
	return m
}

// flowOf is the flow of what runs now.
func (m *machine) flowOf() *settled {
	key := flowKey{step: m.dial.share}
	for q := range m.queues {
		key.part[q] = -1
		if s := &m.queues[q]; s.running {
			key.part[q] = int32(m.jobOf(q).parts[s.part].id)
		}
	}
	if f := m.flows[key]; f != nil {
		return f
	}
	f := &settled{}
	var list []class
	for q := range m.queues {
		f.index[q] = -1
		if s := &m.queues[q]; s.running {
			f.index[q] = len(list)
			list = append(list, m.c.class(&m.jobOf(q).parts[s.part], key.step, &m.r, q))
		}
	}
	if len(list) > 1 { // they share the slots of warps
		for i := range list {
			list[i].groups = max(1, 0.7*list[i].groups)
		}
	}
	settle(list, &f.flow)
	copy(f.list[:], list)
	for q := range m.queues {
		if i := f.index[q]; i >= 0 {
			p := &m.jobOf(q).parts[m.queues[q].part]
			f.speed[q] = f.flow.rate[i] / p.items()
			f.holds[q] = f.flow.holds(i)
		}
	}
	m.flows[key] = f
	return f
}

func (m *machine) jobOf(q int) *job {
	s := &m.queues[q]
	return &m.w.contents[m.w.frames[s.frame].content].jobs[s.job]
}

// launchEase is what relief makes of the time of a launch.
func (m *machine) launchEase(q int) float64 {
	if m.r.launch || m.r.gpu || m.r.queue == q {
		return 1 / simulate.Faster
	}
	return 1
}
