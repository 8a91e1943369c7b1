package hwtest

import (
	"errors"
	"math/rand/v2"
	"time"
)

// ErrUnsupported is returned by Run where the system cannot emulate: no linux/amd64, or seccomp filters are forbidden.
var ErrUnsupported = errors.New("this system cannot run a program under an emulated kernel")

// Device is a model of one or more pieces of hardware with their drivers.
type Device interface {
	// Start makes the device appear on the machine. It is called once, before the program starts.
	Start(m Machine) error
	// Truth is what the model produced, lost and was asked, for a test to compare with; it can be marshalled as JSON.
	// It is called when the program has ended.
	Truth() any
	// Stop ends every goroutine of the model.
	Stop()
}

// Model is a kind of device that can be emulated.
type Model struct {
	Name      string // what --device takes
	Doc       string // one sentence
	Scenarios []Scenario
	New       func() Device
}

// Scenario is a way in which a device can behave, beside its usual one.
type Scenario struct {
	Name string // what --scenario takes; several can be combined
	Doc  string
}

// Settings are what the user of an emulation chose.
type Settings struct {
	Scenarios []string
	Seed      uint64
	// Answered, where not nil, is called with how often the device has given the program what it measures: samples or
	// reports of GPUs, requests for a sample of panfrost (also those that are still to fail), reads of the event that
	// was read most often, rounds of questions for sensors. It is called with the model locked. A test ends a recording
	// by it: a time would end it before the program on a busy machine has begun.
	Answered func(n int)
}

// Tell calls Answered.
func (s *Settings) Tell(n int) {
	if s.Answered != nil {
		s.Answered(n)
	}
}

// Has reports whether a scenario was chosen.
func (s *Settings) Has(scenario string) bool {
	for _, x := range s.Scenarios {
		if x == scenario {
			return true
		}
	}
	return false
}

// Rand is a generator that the seed decides. Every stream name gives a sequence of its own.
func (s *Settings) Rand(stream string) *rand.Rand {
	h := s.Seed
	for i := range len(stream) {
		h = (h ^ uint64(stream[i])) * 0x100000001b3
	}
	return rand.New(rand.NewPCG(s.Seed, h))
}

// Node is a device node of the tree.
type Node interface {
	// Open is asked when the program opens the node. flags are those of open(2). The error is a unix.Errno.
	Open(c *Call, flags int) (File, error)
}

// File is an open device, as the program sees it through one descriptor. Calls may come from several threads at once.
// Errors are values of unix.Errno. A call that the model does not know is ENOTTY.
type File interface {
	// Ioctl answers a request. arg is the third argument as passed: a number, or an address in the program's memory.
	Ioctl(c *Call, request uint32, arg uint64) (int64, error)
	// Read returns at most n bytes, EAGAIN where there is nothing yet: the machine then waits or passes EAGAIN on, as
	// the descriptor asks for. No bytes without an error is the end of the file.
	Read(c *Call, n int) ([]byte, error)
	// Close is called when the last descriptor of the file is closed or its program ends.
	Close()
}

// Positioned is a File that can be read at a position, as files of text can.
type Positioned interface {
	File
	// ReadAt returns at most n bytes from off on, none at the end.
	ReadAt(c *Call, n int, off int64) ([]byte, error)
}

// Pollable is a File that is not always ready. The machine calls Attach once, when the file gets its descriptor.
type Pollable interface {
	File
	// Attach gives the file the switch by which it says whether a read would find something. At first it would not.
	Attach(r *Readiness)
}

// Mappable is a File that a program can map into its memory.
type Mappable interface {
	File
	// Mapping is the number of bytes that can be mapped. The machine calls it once, before SetMapping.
	Mapping() int
	// SetMapping hands over the memory: what the model writes into it the program sees in its mapping.
	SetMapping(shared []byte)
}

// Mapper is a Mappable that wants to know what of it a program maps.
type Mapper interface {
	Mappable
	// Map is called before the program maps n bytes from offset on, to write there too or only to read. An error is the
	// answer.
	Map(n, offset uint64, write bool) error
}

// Polled is a Pollable whose state a poll takes away, as that of perf events. It holds for poll(2) and ppoll(2), not
// for epoll.
type Polled interface {
	Pollable
	// Polled is called when a poll found the file ready, and says what the program is told: that there is data
	// (POLLIN), that none will come any more (POLLHUP).
	Polled() (data, end bool)
}

// PerfOpener is a Device that answers perf_event_open(2).
type PerfOpener interface {
	Device
	// PerfEventOpen returns a file for the event, nil and no error where the event is none of the device's: the real
	// kernel then answers. group is the file of group_fd, nil where that is -1 or another's.
	PerfEventOpen(c *Call, attr []byte, pid, cpu int, group File, flags uint64) (File, error)
}

// ClockResolver is a Device that answers clock_getres(2).
type ClockResolver interface {
	Device
	// ClockResolution is that of a clock (CLOCK_*) in ns, 0 where the real kernel is to tell.
	ClockResolution(clock int) int64
}

// ExecWatcher is a Device that wants to know when a process becomes another program.
type ExecWatcher interface {
	Device
	// Exec is called before the process goes on with execve(2) of the program at path (empty: by descriptor), which may
	// still fail.
	Exec(pid int, path string)
}

// ExitWatcher is a Device that wants to know of a process's end before its parent does.
type ExitWatcher interface {
	Device
	// Exit is called before the process goes on with exit_group(2). One that is killed, or whose last thread just ends,
	// is not told of.
	Exit(pid int)
}

// Memory is a program's memory.
type Memory interface {
	// Read fills b from addr; EFAULT where that is not readable.
	Read(addr uint64, b []byte) error
	// Write copies b to addr; EFAULT where that is not writable.
	Write(addr uint64, b []byte) error
}

// Call is one system call of the program under way.
type Call struct {
	PID, TID int // process and thread
	Memory
	// Privileged says whether the caller has CAP_PERFMON or CAP_SYS_ADMIN. A scenario may have taken them away.
	Privileged bool
	// Install gives the program a new descriptor for a file and returns its number, for a call whose result it is.
	// cloexec is FD_CLOEXEC, nonblock O_NONBLOCK.
	Install func(f File, cloexec, nonblock bool) (int64, error)
	// File is the model's file behind a descriptor of the caller that is an argument, nil where it is another's.
	File func(fd int) File
	// Note adds words to this call's entry of the log of calls, such as its decoded arguments.
	Note func(format string, args ...any)
}

// Now is the clock of models: nanoseconds of CLOCK_MONOTONIC.
func Now() int64 { return monotonic() }

// NowRaw is nanoseconds of CLOCK_MONOTONIC_RAW.
func NowRaw() int64 { return monotonicRaw() }

// Entry is one call of the log: what the program asked of the devices, in order.
type Entry struct {
	Time   time.Duration `json:"t_ns"` // since the program started
	PID    int           `json:"pid"`
	Call   string        `json:"call"` // openat, ioctl, read, mmap is not seen, close, …
	What   string        `json:"what"` // path, or name of the request as in uapi
	Detail string        `json:"detail,omitempty"`
	Result int64         `json:"result"` // negative: an errno
	Errno  string        `json:"errno,omitempty"`
	Count  int           `json:"count,omitempty"` // repeats of equal calls in a row, where more than 1
}
