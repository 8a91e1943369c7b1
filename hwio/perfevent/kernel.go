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
	// disable stops them.
	disable() error
	// ring maps memory for the records of the event: so many bytes, a power of two of pages.
	ring(bytes int) (records, error)
	// into has the records of the event written to the ring of another on the same CPU.
	into(c counter) error
	close() error
}

// readFormat is what a read of the event tells (PERF_FORMAT_*).
func (a *attr) readFormat() uint64 {
	f := uint64(formatTotalTimeEnabled | formatTotalTimeRunning | formatID)
	if a.group {
		f |= formatGroup
	}
	return f
}

// sampleType is what its samples tell (PERF_SAMPLE_*).
func (a *attr) sampleType() uint64 {
	switch {
	case a.period == 0:
		return 0
	case a.inherit:
		return sampleIdentifier | sampleTID | sampleTime | sampleRead | sampleStreamID
	}
	return sampleIdentifier | sampleTID | sampleTime | sampleRead
}

// flags are the bits of the structure.
func (a *attr) flags() (bits uint64) {
	for _, b := range []struct {
		on  bool
		bit uint64
	}{
		{a.disabled, flagDisabled}, {a.inherit, flagInherit}, {a.onExec, flagOnExec},
		{a.period > 0, flagSampleIDAll}, {a.monotonic, flagClock},
		{a.excludeUser, flagExcludeUser}, {a.excludeIdle, flagExcludeIdle},
		{a.excludeKernel, flagExcludeKernel | flagExcludeHypervisor},
	} {
		if b.on {
			bits |= b.bit
		}
	}
	return bits
}

// records is memory to which the kernel writes records.
type records interface {
	// drain hands all records to f, whose body is only valid during the call, and gives their memory back to the kernel.
	// full says that there was no room for as long a record as the longest.
	drain(f func(kind uint32, body []byte)) (full bool, err error)
	unmap() error
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

	flagDisabled          = 1 << 0
	flagInherit           = 1 << 1
	flagExcludeUser       = 1 << 4
	flagExcludeKernel     = 1 << 5
	flagExcludeHypervisor = 1 << 6
	flagExcludeIdle       = 1 << 7
	flagOnExec            = 1 << 12
	flagSampleIDAll       = 1 << 18
	flagClock             = 1 << 25

	clockMonotonic = 1 // CLOCK_MONOTONIC

	recordLost        = 2
	recordThrottle    = 5
	recordUnthrottle  = 6
	recordSample      = 9
	recordLostSamples = 13

	// pmuTypeShift is where the number of a core's counter unit stands in the config of a hardware or cache event, on
	// machines with several kinds of cores (PERF_PMU_TYPE_SHIFT).
	pmuTypeShift = 32
)
