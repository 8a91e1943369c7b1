package mali

// sink adds up over samples what a simulation does.
type sink struct {
	edges []int64 // of the samples, in the simulation's time
	guess float64 // samples per ns
	class map[*pass]int
	list  []*pass

	work   [][]float64        // by sample: of each class and leaf, ns at the highest clock
	stall  [servers][]float64 // ns in which something waited for a server
	until  [servers]int64     // how far that was counted
	busyOf [servers][]float64

	count   [queues]int // tasks on the way
	changed [queues]int64
	tasks   [queues][]float64 // ns with any
	other   []float64         // ns with any of the non-fragment queues
	otherAt int64
	any     []float64 // ns with any of all
	anyAt   int64
	core    int // tasks in the execution cores
	coreAt  int64
	inCore  []float64
	memory  []float64 // tasks times ns in which they waited for memory
	all     []float64 // and altogether

	jobSpan  [queues][]float64
	read     [queues][]float64
	issue    [queues][]float64
	finish   [queues][]float64
	flush    [queues][]float64
	jobs     [queues][]float64
	irq      []float64
	tilerOn  []float64
	gpu      []float64
	user     [2][]float64
	system   [2][]float64
	switches []float64
}

func newSink(p *program, edges []int64) *sink {
	n := len(edges) - 1
	s := &sink{edges: edges, class: map[*pass]int{}}
	s.guess = float64(n) / float64(edges[n]-edges[0])
	for _, c := range p.contents {
		for _, q := range c.passes {
			s.class[q] = len(s.list)
			s.list = append(s.list, q)
		}
	}
	flat := make([]float64, n*len(s.list)*(servers+1))
	for range n {
		k := len(s.list) * (servers + 1)
		s.work = append(s.work, flat[:k:k])
		flat = flat[k:]
	}
	row := func() []float64 { return make([]float64, n) }
	for i := range servers {
		s.stall[i], s.busyOf[i] = row(), row()
	}
	for q := range queues {
		s.tasks[q], s.jobSpan[q], s.read[q], s.issue[q], s.finish[q], s.flush[q], s.jobs[q] = row(), row(), row(), row(), row(), row(), row()
	}
	for i := range s.user {
		s.user[i], s.system[i] = row(), row()
	}
	s.other = row()
	s.any, s.inCore, s.memory, s.all, s.irq, s.tilerOn, s.gpu, s.switches = row(), row(), row(), row(), row(), row(), row(), row()
	return s
}

// bin is the sample that holds a time, or -1.
func (s *sink) bin(t int64) int {
	n := len(s.edges) - 1
	if t < s.edges[0] || t >= s.edges[n] {
		return -1
	}
	i := max(0, min(n-1, int(float64(t-s.edges[0])*s.guess)))
	for s.edges[i] > t {
		i--
	}
	for s.edges[i+1] <= t {
		i++
	}
	return i
}

// spread gives each sample its part of a stretch of time, in ns times a factor.
func (s *sink) spread(into []float64, from, to int64, by float64) {
	n := len(s.edges) - 1
	from, to = max(from, s.edges[0]), min(to, s.edges[n])
	if to <= from {
		return
	}
	for i := s.bin(from); i < n && from < to; i++ {
		end := min(to, s.edges[i+1])
		into[i] += float64(end-from) * by
		from = end
	}
}

func (s *sink) served(p *pass, leaf int, asked, from, to int64, work float64) {
	at := s.class[p]*(servers+1) + leaf
	n := len(s.edges) - 1
	if a, z := max(from, s.edges[0]), min(to, s.edges[n]); z > a {
		by := work / float64(to-from)
		for i := s.bin(a); i < n && a < z; i++ {
			end := min(z, s.edges[i+1])
			s.work[i][at] += float64(end-a) * by
			a = end
		}
	}
	if leaf < servers {
		s.spread(s.busyOf[leaf], from, to, 1)
		if a := max(asked, s.until[leaf]); a < from {
			s.spread(s.stall[leaf], a, from, 1)
			s.until[leaf] = from
		}
	}
	s.spread(s.all, asked, to, 1)
	if leaf >= cache {
		s.spread(s.memory, asked, to, 1)
	}
}

// resident says that a task of a queue began or ended.
func (s *sink) resident(q int, now int64, by int) {
	if s.count[0]+s.count[1]+s.count[2] > 0 {
		s.spread(s.any, s.anyAt, now, 1)
	}
	if s.count[q] > 0 {
		s.spread(s.tasks[q], s.changed[q], now, 1)
	}
	if q != fragment {
		if s.count[nonFragment]+s.count[computing] > 0 {
			s.spread(s.other, s.otherAt, now, 1)
		}
		s.otherAt = now
	}
	s.count[q] += by
	s.changed[q], s.anyAt = now, now
}

// inside says that a task began or ended a step; those in the tiler, the rasterizer and the tile memory are in no
// execution core.
func (s *sink) inside(leaf int, now int64, by int) {
	if leaf == tiler || leaf == rasterizer || leaf == backend {
		return
	}
	if s.core > 0 {
		s.spread(s.inCore, s.coreAt, now, 1)
	}
	s.core += by
	s.coreAt = now
}

// ran is a job that is done.
func (s *sink) ran(j *job) {
	q := j.pass.queue
	s.spread(s.jobSpan[q], j.begin, j.at, 1)
	s.spread(s.read[q], j.begin, j.first, 0.5)
	s.spread(s.issue[q], j.first, j.lastIssue, 1)
	s.spread(s.finish[q], j.lastIssue, j.lastTask, 1)
	s.spread(s.flush[q], j.lastTask, j.at, 1)
	s.spread(s.irq, j.at, j.at+7000, 1)
	if i := s.bin(j.at); i >= 0 {
		s.jobs[q][i]++
	}
	if j.pass.kind == geometry {
		s.spread(s.tilerOn, j.first, j.lastTask, 1)
	}
}

// cpu is work of the application's thread, 0, or of the driver's, 1.
func (s *sink) cpu(thread int, from, to int64, system float64) {
	s.spread(s.user[thread], from, to, 1-system)
	s.spread(s.system[thread], from, to, system)
	if i := s.bin(to); i >= 0 {
		s.switches[i] += 2
	}
}
