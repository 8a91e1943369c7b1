package cpu

import "astrolabe/capture/simulate"

// Candidates of programs on processors, beside those that all machines have.
var (
	// Core: instructions retire as fast as the core can.
	Core = simulate.Candidate{Level: simulate.LevelUnit, Name: "core"}
	// Branches: wrong predictions.
	Branches = simulate.Candidate{Level: simulate.LevelUnit, Name: "branch"}
	// FrontEnd: instructions are not delivered.
	FrontEnd = simulate.Candidate{Level: simulate.LevelUnit, Name: "front_end"}
	// Lock: threads wait for each other's critical sections.
	Lock = simulate.Candidate{Level: simulate.LevelCPU, Name: "lock"}
	// IO: disks and the like.
	IO = simulate.Candidate{Level: simulate.LevelCPU, Name: "io"}
	// Handover: two threads work in turn because one waits for the other's result.
	Handover = simulate.QueuesInTurn
	// Cores: there are fewer processors than threads that want to run.
	Cores = simulate.Candidate{Level: simulate.LevelWhole, Name: "cores"}
	// Timer: dates that the program keeps; never relieved.
	Timer = simulate.Candidate{Level: simulate.LevelDisplay, Name: "timer"}
)

// Parts of a burst of running, in the order of burst.ns.
const (
	compute   = iota // retiring
	branch           // recovering from wrong predictions
	front            // waiting for instructions
	latency          // waiting for memory, one access after the other
	bandwidth        // waiting for memory to deliver
	parts
)

// step is what a thread does next.
type step struct {
	kind  uint8
	ns    [parts]float64 // of stepRun, at the highest clock and with the memory to itself
	index int            // of the lock, the device or the queue
	wait  float64        // ns of stepIO
}

const (
	stepRun = iota
	stepLock
	stepUnlock
	stepIO
	stepTimer // until the next date
	stepPut   // into a queue of limited length
	stepGet
)

// thread is a thread with the steps of an item of its work.
type thread struct {
	steps  []step
	period int64 // ns between dates; 0 without
	counts bool  // its items are those that the program is measured by
	spread float64
}

// program is what runs.
type program struct {
	name    string
	threads []thread
	locks   int
	devices []int   // how many requests each serves at once
	queues  []int   // how many items fit into each
	share   float64 // of a thread that only moves data in the machine's bandwidth
	code    code
}

// code is what instructions are like.
type code struct {
	ipc      float64 // while retiring
	branches float64 // per instruction
	miss     float64 // of branches
	loads    float64 // per instruction
	near     float64 // share of loads that miss the first level
	far      float64 // of those, that reach the last level
	kernel   float64 // share of running time in the kernel
	faults   float64 // page faults per ms
	stall    float64 // share of waiting cycles that counters call stalled
}

// machine is the computer.
type machine struct {
	cpus  int
	hz    float64
	share float64 // of the highest clock at which it runs
	held  simulate.Candidate
	line  float64 // ns of an access to memory
	base  float64 // the clock that reference cycles count at, as a share of the highest

	bandwidth float64 // of memory, bytes per ns
}
