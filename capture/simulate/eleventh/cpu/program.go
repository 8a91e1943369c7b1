package cpu

// Steps of a thread.
const (
	stepRun     = iota // instructions of a profile
	stepIO             // ask the disk, and sleep until it answers
	stepLock           // take a lock, and sleep while another has it
	stepUnlock         //
	stepTake           // sleep until it is this thread's turn
	stepPass           // hand the turn to the next
	stepBarrier        // wait for all of the phase's threads
	stepDate           // sleep until the timer, or a request, is due
	stepFrame          // a frame, or a batch, is done
)

type step struct {
	kind   int
	work   *profile
	amount float64 // instructions, or ns
	spread float64 // of the logarithm, from time to time
	id     int     // of a lock
}

// script is the steps that a thread repeats.
type script []step

// phase is a program, or a part of one with contents of its own.
type phase struct {
	name    string
	threads []script
	frames  int

	period  float64 // ns between dates; 0 where there are none
	bursts  float64 // of requests: the spread of their distances. 0 is a timer
	turns   int     // threads that take turns
	devices int     // requests that the disk serves at the same time

	others []script // threads of other programs
	nice   bool     // these have a low priority
}

// content is all that a case runs.
type content struct {
	text   string
	phases []*phase
}

// scaled multiplies the instructions of all of a phase's own threads.
func (p *phase) scaled(by float64) {
	for _, s := range p.threads {
		for i := range s {
			if s[i].kind == stepRun {
				s[i].amount *= by
			}
		}
	}
}

// has reports whether threads have steps of a kind.
func (p *phase) has(kind int) bool {
	for _, s := range p.threads {
		for _, x := range s {
			if x.kind == kind {
				return true
			}
		}
	}
	return false
}
