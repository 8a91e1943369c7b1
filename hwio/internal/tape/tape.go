// Package tape writes down what readers are told by the kernel: the answers of its text files, and of device requests,
// with their times. It stands between the reader and the kernel and hands on only what a list of known files and fields
// allows, so that the reader, and all that follows from it, knows nothing that is not on the tape. Of astrolabe it
// imports the layouts of what files hold that are no text.
package tape

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"syscall"
)

// Kinds of events.
const (
	Phase   = "phase"   // what follows belongs to Name
	File    = "file"    // the content of the file at Path was read
	Again   = "again"   // the same where the file was open already
	Names   = "names"   // the folder at Path was listed
	Link    = "link"    // the last element of what the link at Path leads to
	Exists  = "exists"  // whether something is at Path
	Open    = "open"    // a device was opened: Device is its number from now on
	Request = "request" // a device request, Code
	Map     = "map"     // so much memory of a device was mapped
	Read    = "read"    // bytes that a device gave
	Clock   = "clock"   // the reader that Code names looked at CLOCK_MONOTONIC, which was Value
	Close   = "close"
)

// Hex is bytes that are written as hexadecimal digits.
type Hex []byte

// MarshalText implements encoding.TextMarshaler.
func (h Hex) MarshalText() ([]byte, error) { return []byte(hex.EncodeToString(h)), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (h *Hex) UnmarshalText(text []byte) error {
	b, err := hex.DecodeString(string(text))
	*h = b
	return err
}

// Event is one answer. Which fields it has depends on its kind.
type Event struct {
	Time   int64    `json:"t"` // ns of CLOCK_MONOTONIC since the tape began
	Kind   string   `json:"kind"`
	Path   string   `json:"path,omitempty"`
	Text   string   `json:"text,omitempty"` // of a file, or what a link leads to
	Data   Hex      `json:"data,omitempty"` // of a file that is no text, or what was read
	Names  []string `json:"names,omitempty"`
	Errno  int      `json:"errno,omitempty"`
	Device int      `json:"device,omitempty"`
	Code   string   `json:"code,omitempty"` // number of the request, or what it asks where a reader's own words are known
	Value  int64    `json:"value,omitempty"`
	In     Hex      `json:"in,omitempty"`
	Out    Hex      `json:"out,omitempty"`
	// Pointer is where in the structure the address of a buffer stands, from 1 on; 0 if there is none.
	Pointer int `json:"pointer,omitempty"`
	// Plain says that the argument of the request is the number itself that In holds.
	Plain  bool    `json:"plain,omitempty"`
	BufIn  Hex     `json:"buf_in,omitempty"` // what the structure points to
	BufOut Hex     `json:"buf_out,omitempty"`
	New    int     `json:"new,omitempty"` // number of the device that the request made
	Pieces []Piece `json:"pieces,omitempty"`
	Took   int64   `json:"took,omitempty"`
}

// OfFiles says that the event is of the kernel's files, not of a device.
func (e *Event) OfFiles() bool {
	switch e.Kind {
	case File, Again, Names, Link, Exists:
		return true
	}
	return false
}

// Piece is a part of mapped memory.
type Piece struct {
	At   int64 `json:"at"`
	Data Hex   `json:"data"`
}

// size is about what an event takes.
func (e *Event) size() int {
	n := 96 + len(e.Path) + len(e.Text) + len(e.Data) + len(e.In) + len(e.Out) + len(e.BufIn) + len(e.BufOut)
	for _, s := range e.Names {
		n += len(s) + 4
	}
	for _, p := range e.Pieces {
		n += 24 + len(p.Data)
	}
	return n
}

// MaxBytes bounds a tape. A recording of 2 s takes a tenth of it on the largest GPUs.
const MaxBytes = 256 << 20

// Tape is what was written down. It is safe for concurrent use. A nil Tape writes nothing and changes nothing.
type Tape struct {
	now func() int64

	mu      sync.Mutex
	began   int64
	events  []Event
	bytes   int
	dropped int
	left    map[string]int // reason and path: how often
	devices int
	alias   map[string]string // real address: the one that stands for it
	real    map[string]string
	public  func(guid string) bool // see Public
}

// New begins a tape. now is CLOCK_MONOTONIC in ns.
func New(now func() int64) *Tape {
	return &Tape{now: now, began: now(), left: map[string]int{}, alias: map[string]string{}, real: map[string]string{}}
}

// Began is the time of CLOCK_MONOTONIC at which the tape began.
func (t *Tape) Began() int64 { return t.began }

// Now is the tape's clock, 0 of no tape.
func (t *Tape) Now() int64 {
	if t == nil {
		return 0
	}
	return t.now()
}

// Add writes an event down, with the present time.
func (t *Tape) Add(e Event) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if n := e.size(); t.bytes+n <= MaxBytes {
		t.bytes += n
	} else {
		t.dropped++
		return
	}
	e.Time = t.now() - t.began
	t.events = append(t.events, e)
}

// NewDevice is the next number of a device.
func (t *Tape) NewDevice() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.devices++
	return t.devices
}

// Leave notes that something was left out, and why.
func (t *Tape) Leave(what, why string) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.left[what+": "+why]++
}

// Left lists what was left out.
func (t *Tape) Left() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var out []string
	for what, n := range t.left {
		if n > 1 {
			what += fmt.Sprintf(" (%d times)", n)
		}
		out = append(out, what)
	}
	slices.Sort(out)
	return out
}

// Events are what was written so far, and how many found no room.
func (t *Tape) Events() (events []Event, dropped int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.events), t.dropped
}

// Alias replaces the addresses of a bus in a name by numbers in the order in which they were met, which say nothing.
// They keep the form of addresses.
func (t *Tape) Alias(name string) string {
	return busAddress().ReplaceAllStringFunc(name, func(a string) string {
		plain := strings.ReplaceAll(a, "_", ":")
		t.mu.Lock()
		alias, ok := t.alias[plain]
		if !ok {
			n := len(t.alias) + 1
			alias = fmt.Sprintf("0000:%02x:%02x.0", n>>5&0xff, n&0x1f)
			t.alias[plain], t.real[alias] = alias, plain
		}
		t.mu.Unlock()
		if strings.Contains(a, "_") {
			alias = strings.ReplaceAll(alias, ":", "_")
		}
		return alias
	})
}

// Real puts the addresses back into a path that was made of names that Alias returned.
func (t *Tape) Real(path string) string {
	if t == nil {
		return path
	}
	return busAddress().ReplaceAllStringFunc(path, func(a string) string {
		t.mu.Lock()
		defer t.mu.Unlock()
		real, ok := t.real[strings.ReplaceAll(a, "_", ":")]
		switch {
		case !ok:
			return a
		case strings.Contains(a, "_"):
			return strings.ReplaceAll(real, ":", "_")
		}
		return real
	})
}

// Errno is the number of an error, 0 of none. An error without a number is EIO's.
func Errno(err error) int {
	var n syscall.Errno
	switch {
	case err == nil:
		return 0
	case errors.As(err, &n):
		return int(n)
	case errors.Is(err, fs.ErrNotExist):
		return int(syscall.ENOENT)
	}
	return int(syscall.EIO)
}

// absent is the error of a path that the list does not allow: as if there were nothing.
func absent(path string) error { return &fs.PathError{Op: "open", Path: path, Err: syscall.ENOENT} }

// Valid refuses an event that no tape holds.
func (e *Event) Valid() error {
	switch e.Kind {
	case Phase, File, Again, Names, Link, Exists, Open, Request, Map, Read, Clock, Close:
	default:
		return fmt.Errorf("there is no event of kind %q", e.Kind)
	}
	if e.OfFiles() && !strings.HasPrefix(e.Path, "/") || strings.Contains(e.Path, "/../") ||
		strings.HasSuffix(e.Path, "/..") {
		return fmt.Errorf("%q is no path of the kernel's", e.Path)
	}
	if e.Device < 0 || e.New < 0 || e.Errno < 0 || e.Errno > 4095 || e.Pointer < 0 || e.Pointer > max(len(e.In), 0) {
		return errors.New("a number is out of its range")
	}
	for _, p := range e.Pieces {
		if p.At < 0 || p.At > 1<<32 {
			return fmt.Errorf("a piece of memory lies at %d", p.At)
		}
	}
	return nil
}
