package cpu

// Operations of a thread.
const (
	opRun     = iota // x instructions of segment what
	opLock           // lock what
	opUnlock         //
	opWait           // takes one of semaphore what
	opPost           // gives one
	opIO             // device what serves it for x ns
	opDate           // waits for the next date of timer what
	opBarrier        // waits until all of barrier what are there
	opTake           // does the jobs of pool what until there are none
	opBegin          // a frame begins
	opDone           // a frame is done
)

type op struct {
	do, what int
	x        float64
}

// thread is what one thread does. Those of other programs never end.
type thread struct {
	ops   []op
	other bool // of another program: it begins anew at its end
	nice  bool
}

// lock excludes; where it spins, who waits keeps its CPU.
type lock struct{ spins bool }

// semaphore counts. A loose one makes threads work in turn although nothing that they make needs it.
type semaphore struct {
	start int
	loose bool
}

// timer has a date every so many ns.
type timer struct {
	first, period int64
	other         bool // of another program: its dates are nobody's concern here
}

// program is what runs on a machine.
type program struct {
	segments   []segment
	threads    []thread
	locks      []lock
	semaphores []semaphore
	timers     []timer
	barriers   []int    // how many threads each waits for
	pools      [][][]op // jobs
	frames     int      // of all phases
	warm       int
	phases     []phase
}

type phase struct {
	name  string
	first int // frame
}

func (p *program) segment(s segment) int {
	p.segments = append(p.segments, s)
	return len(p.segments) - 1
}

func (p *program) lock(spins bool) int {
	p.locks = append(p.locks, lock{spins})
	return len(p.locks) - 1
}

func (p *program) semaphore(start int, loose bool) int {
	p.semaphores = append(p.semaphores, semaphore{start, loose})
	return len(p.semaphores) - 1
}

func (p *program) timer(t timer) int {
	p.timers = append(p.timers, t)
	return len(p.timers) - 1
}

func (p *program) barrier(n int) int {
	p.barriers = append(p.barriers, n)
	return len(p.barriers) - 1
}
