package cpu

// machine is a processor in a computer, and what else goes on there.
type machine struct {
	cpu        *model
	others     float64 // processors that other programs keep busy
	background float64 // bytes per ns that they move
	wake       float64 // ns from a wake-up until the thread runs
	deep       float64 // ns that a processor takes in addition after a long idle time

	slots     int     // commands that the storage has in flight
	latency   float64 // ns of a command
	transfers float64 // bytes per ns of storage

	// Where power or heat hold the clock down: the watts that the package may take on average, and those that the
	// cooler carries away at the temperature at which the firmware throttles; 0 is no limit.
	limit, cooled float64
	idle, each    float64 // watts of the idle package, and of a core at the highest clock
	average       float64 // ns over which power is averaged
	inertia       float64 // ns in which the temperature follows power
	ambient       float64
	fresh         float64 // degrees by which it was cooler before the recording than it becomes
	start         float64 // cores that were busy before the recording
	governor      bool    // lowers the clock at low load
	switching     float64 // ns of the kernel's work for a thread that waits and comes back
	roaming       float64 // how often such a thread comes back to another processor
	virtual       bool    // without clocks and temperatures to read
	stolen        float64 // share of time that the host takes from a virtual one
}

// step is one piece of a thread's work.
type step struct {
	what   what
	lock   int8
	mix    uint8
	amount float64 // instructions, or bytes
	spread float64 // times the storage's latency
}

type what uint8

const (
	compute what = iota
	take
	give
	early // gives the lock back where what is left needs none
	fetch // reads or writes storage
)

// part is what one thread does in one stage of a frame.
type part struct {
	frame, stage, order int
	steps               []step
}

// stage is a piece of a frame that ends when all its threads have arrived.
type stage struct {
	threads int
	turn    bool // its threads work one after the other, and need not
}

// spin is how threads wait for a lock before they sleep: they look at it again and again for some ns.
type spin struct {
	ns  float64
	mix uint8
}

// program is what runs.
type program struct {
	mixes   []mix
	threads [][]part
	frames  [][]stage
	locks   int
	spin    spin
	ahead   int  // frames that threads may begin before an earlier one is done
	between bool // a thread begins a frame only when the last stage of the one before is done, and need not
	// period is the time between dates, ns; 0 is none. A frame begins no earlier than its date.
	period    float64
	dates     []float64 // of each frame
	forks     float64   // processes that each frame starts
	switching int       // mix of the kernel's work for a thread that waits
	second    int       // the first frame of the second content, 0 where there is one content
}
