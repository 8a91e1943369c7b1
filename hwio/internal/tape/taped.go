package tape

import (
	"fmt"
	"slices"
)

// PhaseFinish begins what was answered to the end of a recording: what reads find then is there because the reader
// waited for it.
const PhaseFinish = "finish"

// Taped is an open device, or one that a request made, whose answers are written down.
type Taped struct {
	tape   *Tape
	number int
}

// Open writes down that a device was opened, or why not.
func (t *Tape) Open(path string, err error) (*Taped, error) {
	n, err := t.Device(path, err)
	if err != nil {
		return nil, err
	}
	return &Taped{t, n}, nil
}

// Request makes a request, which fills the answer of its event in, and writes it down. code is its number, and name
// what the kernel's headers call it.
func (d *Taped) Request(code uint32, name string, e Event, do func(e *Event) error) error {
	e.Path = name
	return d.Ask(Code(code), e, do)
}

// Ask is Request for what has a name in place of a number, as a system call has.
func (d *Taped) Ask(code string, e Event, do func(e *Event) error) error {
	e.Kind, e.Device, e.Code = Request, d.number, code
	began := d.tape.Now()
	err := do(&e)
	e.Took, e.Errno = d.tape.Now()-began, Errno(err)
	d.tape.Add(e)
	return err
}

// Kernel is what is asked that is of no device: system calls.
func (t *Tape) Kernel() *Taped { return &Taped{t, 0} }

// Code is how an event has the number of a request.
func Code(request uint32) string { return fmt.Sprintf("%#08x", request) }

// Now is the tape's clock.
func (d *Taped) Now() int64 { return d.tape.Now() }

// Made writes down that the request before made another device.
func (d *Taped) Made() *Taped {
	made := &Taped{d.tape, d.tape.NewDevice()}
	d.tape.Add(Event{Kind: Open, Device: d.number, New: made.number})
	return made
}

// Read writes down what a device delivers. keep blanks of it what is not known; read fills buf and returns how much of
// it.
func (d *Taped) Read(buf []byte, read func([]byte) (int, error), keep func([]byte)) (int, error) {
	e := Event{Kind: Read, Device: d.number}
	began := d.tape.Now()
	n, err := read(buf)
	e.Took, e.Errno = d.tape.Now()-began, Errno(err)
	if err == nil {
		keep(buf[:n])
		e.Data = slices.Clone(buf[:n])
	}
	d.tape.Add(e)
	return n, err
}

// Map maps memory of the device, and writes down how much. What it delivers is another device's.
func (d *Taped) Map(bytes int, do func() error) (*Taped, error) {
	err := do()
	d.tape.Add(Event{Kind: Map, Device: d.number, Value: int64(bytes), Errno: Errno(err)})
	if err != nil {
		return nil, err
	}
	return d.Made(), nil
}

// Collect writes down what was taken out of mapped memory since a time, also where the rest was not to be understood.
func (d *Taped) Collect(began int64, data []byte, err error) {
	d.tape.Add(Event{Kind: Read, Device: d.number, Data: slices.Clone(data), Took: d.tape.Now() - began, Errno: Errno(err)})
}

// Close writes down that the device was closed.
func (d *Taped) Close(err error) error {
	d.tape.Add(Event{Kind: Close, Device: d.number, Errno: Errno(err)})
	return err
}

// Clock writes down what a reader saw on CLOCK_MONOTONIC, on which depends what it asks next.
func (t *Tape) Clock(reader string, now int64) int64 {
	t.Add(Event{Kind: Clock, Code: reader, Value: now})
	return now
}

// Finish begins PhaseFinish.
func (t *Tape) Finish() { t.Add(Event{Kind: Phase, Path: PhaseFinish}) }

// Public sets what says that a GUID names something published, a metric set. No other may be on the tape.
func (t *Tape) Public(is func(guid string) bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.public = is
}

var guid = expression(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

func (t *Tape) isPublic(name string) bool {
	t.mu.Lock()
	is := t.public
	t.mu.Unlock()
	return is != nil && guid().MatchString(name) && is(name)
}
