package memory

import (
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"
)

// limit is what SetLimit was given, in bytes; 0 stands for the default. Memory is the program's and not that of a part
// of it, so the limit is the one thing here that all parts share without handing it on.
var limit atomic.Uint64

// SetLimit sets what the program may take, in bytes that are not pages of mapped files; 0 is half of what the machine
// and its control groups allow.
func SetLimit(n uint64) { limit.Store(n) }

// Limit is what the program may take, in bytes.
func Limit() uint64 {
	if n := limit.Load(); n > 0 {
		return n
	}
	return defaultLimit()
}

var defaultLimit = sync.OnceValue(func() uint64 { return machineMemory() / 2 })

// ErrLimit is what every LimitError is.
var ErrLimit = errors.New("memory limit reached")

// LimitError says that something would take the program over its limit, or has.
type LimitError struct {
	Limit uint64 // bytes
	Used  uint64 // bytes in use, 0 if that is not said
	Need  uint64 // further bytes that were asked for, 0 if the program is over the limit already
	File  string // that is being read, "" if none is or the error is wrapped with its name
}

func (e *LimitError) Error() string {
	text := "memory limit " + Text(e.Limit) + " reached"
	if e.File != "" {
		text = e.File + ": " + text
	}
	var parts []string
	if e.Need > 0 {
		parts = append(parts, "this takes "+Text(e.Need))
	}
	if e.Used > 0 {
		parts = append(parts, Text(e.Used)+" in use")
	}
	if len(parts) > 0 {
		text += " (" + strings.Join(parts, ", ") + ")"
	}
	return text + ": raise --max-memory"
}

func (e *LimitError) Unwrap() error { return ErrLimit }

// room is what Room knows from call to call.
var room struct {
	sync.Mutex
	meter *Meter
	after uint64 // bytes in use after the last collection that Room started
	at    uint64 // bytes of values then
}

// Room returns a *LimitError where so many further bytes would take the program over its limit. Whoever makes something
// whose size the input decides asks before it does, in pieces of a mebibyte or more; see Tally for smaller ones.
func Room(n uint64) error {
	most := Limit()
	if n > most {
		return &LimitError{Limit: most, Need: n}
	}
	room.Lock()
	defer room.Unlock()
	if room.meter == nil {
		room.meter = NewMeter()
	}
	values, resident := room.meter.Read()
	if max(values, resident)+n <= most {
		return nil
	}
	// Some of it may be garbage. It is collected at most once per thirty-second part of the limit, so that a program
	// which lives near its limit does not collect all the time.
	if room.after > 0 && values >= room.at && values-room.at+n < most/32 && room.after+(values-room.at)+n <= most {
		return nil
	}
	Shed()
	debug.FreeOSMemory()
	values, resident = room.meter.Read()
	room.at, room.after = values, max(values, resident)
	if room.after+n <= most {
		return nil
	}
	return &LimitError{Limit: most, Used: room.after, Need: n}
}

// Tally asks for room for many small things: it adds up what they take and asks Room for each further mebibyte. The
// zero value is ready.
type Tally struct{ pending uint64 }

// tallied is how many bytes a Tally lets pass before it asks.
const tallied = 1 << 20

// Add is Room for n bytes of several small things.
func (t *Tally) Add(n uint64) error {
	t.pending += n
	if t.pending < tallied {
		return nil
	}
	n, t.pending = t.pending, 0
	return Room(n)
}

// Must is Add for code that builds what has been read and returns no error: where there is no room it panics with the
// *LimitError, which Caught knows.
func (t *Tally) Must(n uint64) {
	if err := t.Add(n); err != nil {
		panic(err)
	}
}

// Append is append for one value. A slice that is full moves to a larger array, and for a while there are both: Append
// asks for the room of the new one first, so that a slice of hundreds of megabytes does not take the program over its
// limit at once. Like Must it panics where there is none.
func Append[T any](t *Tally, s []T, v T) []T {
	if len(s) == cap(s) {
		more := max(16, min(len(s), 256), len(s)/4)
		t.Must(uint64(len(s)+more) * uint64(unsafe.Sizeof(v)))
		s = slices.Grow(s, more)
	}
	return append(s, v)
}

// Text is a size in bytes for people with a binary unit, rounded to a tenth.
func Text(n uint64) string {
	units := []string{"KiB", "MiB", "GiB", "TiB"}
	f, unit := float64(n), "B"
	for _, u := range units {
		if f < 1024 {
			break
		}
		f, unit = f/1024, u
	}
	return strings.TrimSuffix(fmt.Sprintf("%.1f", f), ".0") + " " + unit
}
