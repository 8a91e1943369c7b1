package perfevent

// attr is what astrolabe uses of the kernel's struct perf_event_attr.
type attr struct {
	typ                        uint32
	config, config1, config2   uint64
	excludeUser, excludeKernel bool // hypervisor events go with the kernel's
	excludeIdle                bool // of a clock: no samples while its CPU has nothing to do; counts go on
	inherit                    bool // count children that the process starts too
	disabled                   bool // until the group is enabled
	onExec                     bool // enable when the process executes a program
	group                      bool // reading the leader reads the whole group

	period    uint64 // ns or events between two samples, which hold the values of the whole group; 0 only counts
	monotonic bool   // samples have times of CLOCK_MONOTONIC; alike for all that write to one ring
}

// counter is an open event.
type counter interface {
	// read puts the values of the event, or of its group, into buf.
	read(buf []byte) (int, error)
	// id is the number that marks the event's value in a group read.
	id() (uint64, error)
	// enable starts the event and the members of its group.
	enable() error
	// ring maps memory for the records of the event: so many bytes, a power of two of pages.
	ring(bytes int) (*ring, error)
	// into has the records of the event written to the ring of another on the same CPU.
	into(c counter) error
	close() error
}

// kernel opens events. Errors are a syscall.Errno, possibly wrapped.
type kernel interface {
	// open opens an event of process pid (0 is the caller, -1 all) on a CPU (-1 is any), as a member of leader's group
	// unless that is nil.
	open(a *attr, pid, cpu int, leader counter) (counter, error)
	// now is the time of CLOCK_MONOTONIC in ns.
	now() int64
	// tick is the time between two ticks of the scheduler in ns.
	tick() int64
}

// Numbers of the kernel's interface, from linux/perf_event.h.
const (
	typeHardware   = 0
	typeSoftware   = 1
	typeTracepoint = 2
	typeCache      = 3
	typeRaw        = 4

	configCPUClock = 0 // of typeSoftware

	formatTotalTimeEnabled = 1
	formatTotalTimeRunning = 2
	formatID               = 4
	formatGroup            = 8

	sampleTID        = 1 << 1
	sampleTime       = 1 << 2
	sampleRead       = 1 << 4
	sampleStreamID   = 1 << 9
	sampleIdentifier = 1 << 16

	recordLost        = 2
	recordThrottle    = 5
	recordUnthrottle  = 6
	recordSample      = 9
	recordLostSamples = 13

	// pmuTypeShift is where the number of a core's counter unit stands in the config of a hardware or cache event, on
	// machines with several kinds of cores (PERF_PMU_TYPE_SHIFT).
	pmuTypeShift = 32
)
