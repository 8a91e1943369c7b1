package cpu

import "astrolabe/capture/simulate"

// What is counted, by CPU and sample.
const (
	kBusy   = iota // ns
	kSystem        // ns of it in the kernel
	kCycles
	kInstructions
	kOps   // operations that retired
	kBad   // slots
	kFront // slots
	kBack  // slots
	kMemory
	kBranches
	kWrong
	kLoads
	kL1
	kL2
	kDRAM
	kFetches
	kPages
	kShared
	kDivider
	kBytes
	kStillFront
	kStillBack
	kStillMemory
	kStillCore
	kFaults
	kSwitches
	kMigrations
	kIOWait // ns
	counts
)

type tally [counts]float64

// levelNote is how many threads ran, waited for a CPU, and waited for a device, from a time on.
type levelNote struct {
	at             int64
	run, ready, io int32
}

// tape is what is counted while a simulation is recorded.
type tape struct {
	bounds *simulate.Bounds
	cpus   int
	rows   []tally // by sample: those of the CPUs, and those of the program wherever it ran
	levels []levelNote
	// by CPU: since when it is idle, -1 while it is busy; and how many threads that last ran there wait for devices
	idle  []int64
	waits []int
	begun []int64 // of the wait for devices, while idle
	hint  int
}

func (t *tape) begin(m *machine, threads int) {
	t.cpus = m.cpus()
	t.idle = make([]int64, t.cpus)
	t.waits = make([]int, t.cpus)
	t.begun = make([]int64, t.cpus)
}

// at is the sample that holds a time.
func (t *tape) at(time int64) int {
	i := t.hint
	for i > 0 && t.bounds.At(i) > time {
		i--
	}
	for t.bounds.At(i+1) <= time {
		i++
	}
	t.hint = i
	return i
}

// row is the tally of a sample and CPU; CPU number cpus is the program.
func (t *tape) row(sample, cpu int) *tally {
	need := (sample + 1) * (t.cpus + 1)
	for len(t.rows) < need {
		t.rows = append(t.rows, make([]tally, max(64*(t.cpus+1), len(t.rows)))...)
	}
	return &t.rows[sample*(t.cpus+1)+cpu]
}

// chunk spreads what a chunk counts over its samples.
func (t *tape) chunk(c int, th *threadState, start, end int64, v *tally) {
	for i := t.at(start); ; i++ {
		lo, hi := max(start, t.bounds.At(i)), min(end, t.bounds.At(i+1))
		share := float64(hi-lo) / float64(end-start)
		row := t.row(i, c)
		for k, x := range v {
			row[k] += x * share
		}
		if !th.t.other {
			row = t.row(i, t.cpus)
			for k, x := range v {
				row[k] += x * share
			}
		}
		if hi >= end {
			return
		}
	}
}

func (s *sim) tapeAdd(c int, th *threadState, at int64, k int, n float64) {
	if t := s.rec; t != nil {
		i := t.at(at)
		t.row(i, c)[k] += n
		if !th.t.other {
			t.row(i, t.cpus)[k] += n
		}
	}
}

// spread adds time to samples.
func (t *tape) spread(c int, k int, start, end int64) {
	for i := t.at(start); start < end; i++ {
		hi := min(end, t.bounds.At(i+1))
		t.row(i, c)[k] += float64(hi - start)
		start = hi
	}
}

// tapeCPU is told that a CPU begins or ends to idle.
func (s *sim) tapeCPU(c int, at int64, busy bool) {
	t := s.rec
	if t == nil {
		return
	}
	if busy {
		if t.idle[c] >= 0 && t.waits[c] > 0 {
			t.spread(c, kIOWait, max(t.begun[c], t.idle[c]), at)
		}
		t.idle[c] = -1
		return
	}
	t.idle[c], t.begun[c] = at, at
}

// tapeIO is told that a thread that last ran on a CPU begins or ends to wait for a device.
func (s *sim) tapeIO(c int, at int64, n int) {
	t := s.rec
	if t == nil {
		return
	}
	if t.idle[c] >= 0 && t.waits[c] > 0 && t.waits[c]+n == 0 {
		t.spread(c, kIOWait, max(t.begun[c], t.idle[c]), at)
	}
	if t.waits[c] == 0 {
		t.begun[c] = at
	}
	t.waits[c] += n
	s.tapeLevel(at)
}

// tapeLevel keeps how many threads run and wait.
func (s *sim) tapeLevel(at int64) {
	t := s.rec
	if t == nil {
		return
	}
	n := levelNote{at: at, ready: int32(len(s.queue)), io: int32(s.io)}
	for c := range s.cpus {
		if s.cpus[c].th != nil {
			n.run++
		}
	}
	if k := len(t.levels); k > 0 && t.levels[k-1].at == at {
		t.levels[k-1] = n
		return
	}
	t.levels = append(t.levels, n)
}
