// Package wire is what the program here and the one on a device say to each other: orders to the device are lines of
// JSON, events from it are lines of JSON, some with bytes behind them. Both ends are of one version, or one of them says
// that it is not.
package wire

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"astrolabe/hwio"
	"astrolabe/internal/recording"
)

// greeting begins the first line of the device's program. What stands before it was said by its shell.
const greeting = "astrolabe-record/1 "

// Beat is how often who follows says that it is there, and Silence how long the device's program waits for it.
const (
	Beat    = 2 * time.Second
	Silence = 2 * time.Minute
)

// Greeting is the first thing that the device's program says.
type Greeting struct {
	Version string
	SHA256  string // of the program itself
}

// Request is what is to be recorded, and how.
type Request struct {
	recording.Flags
	Split, Last time.Duration
	Marks       string   `json:",omitempty"` // path of a FIFO on the device
	Command     []string `json:",omitempty"`
	App         string   `json:",omitempty"` // package of Android to start
	// Alone is how long a recording without an end of its own goes on after nobody follows it any more.
	Alone time.Duration
	// Output is where the recording goes at who asked for it; "" where that follows from Begun.Name.
	Output string
}

// Order is what the device's program is to do.
type Order struct {
	Do      string   // see below
	Run     string   `json:",omitempty"`
	Request *Request `json:",omitempty"`
	Have    []Part   `json:",omitempty"` // of the files of the run
	Told    int64    `json:",omitempty"` // bytes of what the run said
	Deep    bool     `json:",omitempty"`
}

// What can be ordered.
const (
	Begin  = "begin"  // a run, unless it was begun already, and follow it
	Follow = "follow" // a run from what one has
	Stop   = "stop"   // the run that is followed, orderly
	Save   = "save"   // what --last keeps
	Here   = "here"   // a beat
	Remove = "remove" // a run that has ended
	List   = "list"   // the runs
	Doctor = "doctor"
)

// Part is the beginning of a file.
type Part struct {
	File   string
	Size   int64
	SHA256 string `json:",omitempty"` // "" where it need not be compared
}

// Begun is what is known once a recording goes on.
type Begun struct {
	Name    string // of the recording, where the user gives none
	Line    string // for people
	Request Request
}

// Ended is what became of a recording.
type Ended struct {
	Result *hwio.Result `json:",omitempty"` // nil where it never began, or where its recorder was killed
	Error  string       `json:",omitempty"`
	Killed bool         `json:",omitempty"` // the recorder left no word
	Files  []Part       `json:",omitempty"`
}

// Run is a recording on the device.
type Run struct {
	ID      string
	Began   time.Time
	Going   bool
	Output  string
	Command []string `json:",omitempty"`
	Bytes   int64
}

// Event is what the device's program says: one of these.
type Event struct {
	Error    string              `json:",omitempty"` // an order could not be carried out
	Begun    *Begun              `json:",omitempty"`
	File     string              `json:",omitempty"` // Bytes of it come, which stand from At on
	At       int64               `json:",omitempty"`
	All      bool                `json:",omitempty"` // that was all there is now
	Cut      bool                `json:",omitempty"` // the file ends at At
	Differs  bool                `json:",omitempty"` // the file does not begin with what one has
	Talk     bool                `json:",omitempty"` // Bytes were said by the run
	Progress *hwio.Progress      `json:",omitempty"`
	Ended    *Ended              `json:",omitempty"`
	Runs     *[]Run              `json:",omitempty"`
	Findings []recording.Finding `json:",omitempty"`
	Done     bool                `json:",omitempty"` // the order was carried out
	Bytes    int                 `json:",omitempty"`

	Data []byte `json:"-"` // valid until the next event is read
}

// Bounds of what is taken from the other side.
const (
	MaxBytes = 256 << 10
	maxLine  = 8 << 20
	maxNoise = 1 << 20
)

// Writer writes orders or events, from several goroutines.
type Writer struct {
	mu sync.Mutex
	w  io.Writer
}

// NewWriter returns a Writer to w.
func NewWriter(w io.Writer) *Writer { return &Writer{w: w} }

// Greet writes the first line.
func (w *Writer) Greet(g Greeting) error { return w.write(greeting, g, nil) }

// Order writes an order.
func (w *Writer) Order(o *Order) error { return w.write("", o, nil) }

// Event writes an event with its Data.
func (w *Writer) Event(e *Event) error {
	e.Bytes = len(e.Data)
	return w.write("", e, e.Data)
}

func (w *Writer) write(before string, what any, data []byte) error {
	line, err := json.Marshal(what)
	if err != nil {
		return err
	}
	all := make([]byte, 0, len(before)+len(line)+1+len(data))
	all = append(append(append(all, before...), line...), '\n')
	w.mu.Lock()
	defer w.mu.Unlock()
	_, err = w.w.Write(append(all, data...))
	return err
}

// Reader reads orders or events.
type Reader struct {
	r    *bufio.Reader
	data []byte
}

// NewReader returns a Reader of r.
func NewReader(r io.Reader) *Reader { return &Reader{r: bufio.NewReaderSize(r, 64<<10)} }

// Greeting reads up to the greeting. Where none comes, noise is what came instead.
func (r *Reader) Greeting() (g Greeting, noise string, err error) {
	var before strings.Builder
	for before.Len() < maxNoise {
		line, err := r.line()
		if at := bytes.Index(line, []byte(greeting)); at >= 0 && err == nil {
			if err := json.Unmarshal(line[at+len(greeting):], &g); err != nil {
				return g, before.String(), fmt.Errorf("the greeting of the device's program: %w", err)
			}
			return g, before.String(), nil
		}
		before.Write(line)
		if err != nil {
			return g, before.String(), err
		}
	}
	return g, before.String()[:1000], errors.New("the device says much, and no greeting")
}

// NextOrder reads an order.
func (r *Reader) NextOrder() (*Order, error) {
	o := &Order{}
	return o, r.read(o)
}

// NextEvent reads an event with its Data.
func (r *Reader) NextEvent() (*Event, error) {
	e := &Event{}
	if err := r.read(e); err != nil {
		return nil, err
	}
	if e.Bytes < 0 || e.Bytes > MaxBytes || e.At < 0 {
		return nil, fmt.Errorf("the device announces %d bytes at %d, at most %d are taken", e.Bytes, e.At, MaxBytes)
	}
	if cap(r.data) < e.Bytes {
		r.data = make([]byte, MaxBytes)
	}
	e.Data = r.data[:e.Bytes]
	if _, err := io.ReadFull(r.r, e.Data); err != nil {
		return nil, fmt.Errorf("an event broke off: %w", err)
	}
	return e, nil
}

func (r *Reader) read(into any) error {
	line, err := r.line()
	if err != nil {
		return err
	}
	if err := json.Unmarshal(line, into); err != nil {
		return fmt.Errorf("what came is no event of this version (%.80q): %w", line, err)
	}
	return nil
}

// line reads one line with its end.
func (r *Reader) line() ([]byte, error) {
	var out []byte
	for {
		part, err := r.r.ReadSlice('\n')
		out = append(out, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return out, err
		}
		if len(out) > maxLine {
			return nil, fmt.Errorf("a line of more than %d bytes (%.80q)", maxLine, out)
		}
	}
}
