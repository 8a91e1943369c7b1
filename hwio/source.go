package hwio

import (
	"context"
	"errors"
	"strings"
	"time"

	"astrolabe/capture"
	"astrolabe/hwio/internal/tape"
)

// Source is one reader of counters. Its methods are safe for concurrent use and never panic on what a driver returns.
type Source interface {
	// Name is the short name that --source takes, such as "perfevent".
	Name() string
	// Doc says in a sentence what the source measures.
	Doc() string
	// Probe says whether the source works on this machine for this user. It changes nothing.
	Probe(ctx context.Context) Status
	// Counters lists what can be measured here, one entry per counter, not per instance. A counter that this machine
	// does not have is not in the list.
	Counters(ctx context.Context) ([]capture.Meta, error)
	// Open starts measuring. It returns ErrNoMatch where no pattern of the request fits a counter of the source.
	Open(ctx context.Context, r Request) (Stream, error)
}

// Status is the answer of Probe.
type Status struct {
	Usable bool
	// ProcessOnly: the user may measure processes of theirs, but not the whole machine.
	ProcessOnly bool
	Reason      string   // why not, or what is limited: one sentence that a user can act on
	Fix         string   // what to type or change; "" where there is nothing to do
	Details     []string // further facts, such as the limits of this machine
	GPU         string   // catalogue id of what is measured, such as "cpu"
	Device      string   // its name
}

// Refused is the status with an error for what is in the way.
func (s Status) Refused(err error) Status {
	p := ProblemOf(err)
	s.Usable, s.Reason, s.Fix = false, p.Reason, p.Fix
	return s
}

// Finding is the status as the doctor's finding on a source: on what of its device, or on something more general where
// there is none.
func (s Status) Finding(source, what, general string) Finding {
	f := Finding{Source: source, What: general, Usable: s.Usable, Reason: s.Reason, Fix: s.Fix}
	if s.Device != "" {
		f.What = what + s.Device
	}
	if s.Usable && f.Reason == "" {
		f.Reason = strings.Join(s.Details, "; ")
	}
	return f
}

// Request says what to measure.
type Request struct {
	// Counters are names or globs (*, ?); none means the source's default set.
	Counters []string
	// Period is the time between two reads. A source may use it to leave out what cannot be read that often.
	Period time.Duration
	// PID limits the measurement to a process and the children it starts from now on; 0 is the whole machine.
	// Sources that only know the whole machine ignore it.
	PID int
	// OnExec says that PID is a process about to execute the command to be measured: counting starts at that moment.
	OnExec bool
	// Options are those of the source's own (see Configurable) that the user set. The source refuses a value that it
	// does not know.
	Options map[string]string
}

// grouped is a Source that can be asked for by names that it shares with others, such as that of the maker of what it
// measures.
type grouped interface {
	Groups() []Group
}

// Group is a name that stands for several sources.
type Group struct {
	Name string
	// Together says that all of the group that work here are recorded side by side. Else the first that works is: they
	// are ways to the same device.
	Together bool
}

// Configurable is a Source with options of its own, such as the metric set of a GPU.
type Configurable interface {
	Options() []Option
}

// Option is one option of a Source.
type Option struct {
	Name    string // such as "set"
	Doc     string // one sentence with the values it takes
	Default string // "" where the source decides
}

// Checker is a Source that can tell beforehand that it will not take what a request asks for, such as an unknown metric
// set: of several measurements the last is checked before the first begins.
type Checker interface {
	// Check measures nothing and changes nothing. What only Open finds out is no error, nor is ErrNoMatch.
	Check(r Request) error
}

// Stream is an open measurement. It is used by one goroutine at a time.
type Stream interface {
	// Schema describes the columns. It stays the same while the stream is open.
	Schema() *capture.Schema
	// Read appends what was measured since the last Read to b, whose columns are those of Schema.
	//
	// The first Read takes the baseline and appends nothing. Every other appends exactly one value to each column and
	// leaves b.Start and b.End alone: the recorder knows when it read. A stream whose device stamps its own samples
	// (Stamper) appends any number of rows instead, in order and without overlap, with Start and End in nanoseconds of
	// CLOCK_MONOTONIC.
	//
	// Gaps, late spans and regions are in nanoseconds of CLOCK_MONOTONIC. Read does not block and allocates nothing
	// once warm. io.EOF means that what was measured has ended; any other error ends the recording too.
	Read(ctx context.Context, b *capture.Batch) error
	// Close stops measuring and releases everything. A second Close does nothing.
	Close() error
}

// Stamper is a Stream whose device stamps its own samples. One stream of a recording may be one, beside those that
// yield: its samples then are the recording's, and what the other streams read is spread over them in proportion to
// time.
type Stamper interface {
	// StampsSamples does nothing: it marks the stream.
	StampsSamples()
}

// Yielder is a Stamper that shares a recording with others. Where another stamps the recording's samples, its own are
// spread over them.
type Yielder interface {
	Stamper
	// Yields does nothing: it marks the stream.
	Yields()
}

// Paced is a Stream that need not be read once per period.
type Paced interface {
	// Every is how often Read is worth its while, given the period of the recording and that of flushing. A stream that
	// holds samples back is read no later.
	Every(period, flush time.Duration) time.Duration
}

// Loser is a Stream whose device loses samples at times.
type Loser interface {
	// Lost is how many samples were lost so far.
	Lost() uint64
}

// Finisher is a Stream whose device still holds samples when the last tick is over.
type Finisher interface {
	// Finish stops measuring and appends the samples that remain, as Read does. It is called once, after the last Read
	// and before Conclude, and waits no longer than a device takes that hangs: some seconds.
	Finish(ctx context.Context, b *capture.Batch) error
}

// Concluder is a Stream that knows more about the whole recording at its end than during it.
type Concluder interface {
	// Conclude returns warnings about the recording. It is called once, after the last Read.
	Conclude() []string
}

// Diagnoser is a Source that can say in detail what it could measure here.
type Diagnoser interface {
	Diagnose(ctx context.Context) []Finding
}

// Finding is one line of the doctor's report: something that this machine can or cannot measure.
type Finding struct {
	Source string // reader, or the device where no reader fits
	What   string // such as "hardware events (cycles, instructions, …)"
	Usable bool
	Reason string // why not, or what is limited
	Fix    string // exactly what to do; "" where there is nothing to do
}

var (
	// ErrNoMatch is returned by Source.Open where no pattern of the request fits any counter of that source.
	ErrNoMatch = errors.New("no counter of this source matches")
	// ErrNeedsLinux is returned where a recording is asked for on another system.
	ErrNeedsLinux = errors.New("recording needs Linux; captures made there can be opened and analysed here")
)

// CounterError says why a counter that the user named cannot be measured.
type CounterError struct {
	Counter string
	Problem
}

func (e *CounterError) Error() string { return "counter " + e.Counter + ": " + e.Problem.Error() }

// Tapeable is a Source whose conversation with the kernel can be written down. The package of the tape is internal to
// readers; package bundle makes files of it.
type Tapeable interface {
	// Taped returns a like source that works alone on what the tape may hold.
	Taped(t *tape.Tape) Source
}

// Playable is a Source that can answer from a tape in place of a kernel.
type Playable interface {
	// Played returns a like source. offset is CLOCK_MONOTONIC less CLOCK_MONOTONIC_RAW when the tape was made, in ns.
	Played(p *tape.Player, offset int64) Source
}
