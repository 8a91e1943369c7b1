package hwio

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"

	"astrolabe/capture"
)

// markFIFO turns the lines that a program writes while it is recorded into regions and frames:
//
//	NAME          something happened
//	begin NAME    a region starts; regions nest
//	end NAME      the innermost region of that name ends
//	frame [N]     a frame starts, and the one before ends; without N it has the number after the last one's, from 0
//
// A line may be led by its time in ns of CLOCK_MONOTONIC; without one it is the time at which the line arrived.
type markFIFO struct {
	mu     sync.Mutex
	done   []capture.Region // complete, times of CLOCK_MONOTONIC
	open   []capture.Region
	frames []frameStart
	next   uint64 // number of a frame that has none
	lines  int
	bad    tally     // lines that could not be used, by why
	closer io.Closer // the FIFO; nil where only this program marks
}

// close ends the FIFO, if there is one.
func (m *markFIFO) close() error {
	if m.closer == nil {
		return nil
	}
	return m.closer.Close()
}

// Marker marks moments of a recording from within this program.
type Marker struct {
	mu   sync.Mutex
	into *markFIFO // nil while nothing is recorded
}

// begin says where marks go; nil is nowhere.
func (m *Marker) begin(into *markFIFO) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.into = into
}

// Mark says that something happens now. Any name is one, also that of a verb.
func (m *Marker) Mark(name string) error {
	return m.take(name, func(into *markFIFO, name string, at int64) error {
		into.done = append(into.done, capture.Region{Name: name, Start: at, End: at, Depth: len(into.open)})
		return nil
	})
}

// Begin says that a region starts now, which End ends, or the end of the recording.
func (m *Marker) Begin(name string) error {
	return m.take(name, func(into *markFIFO, name string, at int64) error { return into.take("begin "+name, at) })
}

// End says that the innermost region of that name ends now.
func (m *Marker) End(name string) error {
	return m.take(name, func(into *markFIFO, name string, at int64) error { return into.take("end "+name, at) })
}

// take checks a name and hands it on with the time.
func (m *Marker) take(name string, to func(into *markFIFO, name string, at int64) error) error {
	m.mu.Lock()
	into := m.into
	m.mu.Unlock()
	if into == nil {
		return errors.New("mark: no recording is under way")
	}
	name = strings.TrimSpace(name)
	switch {
	case name == "":
		return errors.New("mark: the name is empty")
	case len(name) > maxMarkLine:
		return fmt.Errorf("mark: the name has %d bytes, at most %d are taken", len(name), maxMarkLine)
	case hasControl(name):
		return errors.New("mark: the name holds a control character or is not UTF-8")
	}
	into.mu.Lock()
	defer into.mu.Unlock()
	return to(into, name, markTime())
}

// hasControl reports whether a text holds what a name may not.
func hasControl(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f || r == 0xfffd })
}

// maxOpen is how many regions may be open at a time: a program that never ends its regions must not take the recorder's
// memory.
const maxOpen = 10_000

type frameStart struct {
	at   int64
	name string
}

// maxMarkLine bounds a line; longer ones are refused.
const maxMarkLine = 1024

// mark is one line, understood.
type mark struct {
	at    int64 // 0 where the line does not say
	verb  string
	name  string
	frame string
}

// markError says why a line cannot be used. Those of one kind differ in names and numbers only.
type markError struct{ kind, text string }

func (e *markError) Error() string { return e.text }

func markErrorf(format string, args ...any) error {
	return &markError{format, fmt.Sprintf(format, args...)}
}

// ParseMark checks a line as record --marks reads it.
func ParseMark(line string) error {
	_, err := parseMark(line)
	return err
}

func parseMark(line string) (mark, error) {
	var m mark
	line = strings.TrimSpace(line)
	if len(line) > maxMarkLine {
		return m, markErrorf("the line has %d bytes, at most %d are taken", len(line), maxMarkLine)
	}
	if word, rest, ok := strings.Cut(line, " "); ok {
		if t, err := strconv.ParseInt(word, 10, 64); err == nil {
			if t <= 0 {
				return m, markErrorf("the time %d is not positive: it is ns of CLOCK_MONOTONIC", t)
			}
			m.at, line = t, strings.TrimSpace(rest)
		}
	}
	if hasControl(line) {
		return m, markErrorf("the name holds a control character or is not UTF-8")
	}
	word, rest, _ := strings.Cut(line, " ")
	rest = strings.TrimSpace(rest)
	switch {
	case line == "":
		return m, markErrorf("the line is empty: write NAME, begin NAME, end NAME or frame [N]")
	case word == "begin" || word == "end":
		if rest == "" {
			return m, markErrorf("%s needs the name of the region", word)
		}
		m.verb, m.name = word, rest
	case word == "frame":
		if rest != "" {
			if n, err := strconv.ParseUint(rest, 10, 63); err != nil {
				return m, markErrorf("frame %q: a frame has a number, or none to be counted", rest)
			} else {
				m.frame = strconv.FormatUint(n, 10)
			}
		}
		m.verb = word
	default:
		m.verb, m.name = "mark", line
	}
	return m, nil
}

// Line takes one line that arrived at a time of CLOCK_MONOTONIC. What it cannot use is counted and told at the end.
func (m *markFIFO) Line(line string, arrived int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.lines++
	if err := m.take(line, arrived); err != nil {
		kind := err.Error()
		var e *markError
		if errors.As(err, &e) {
			kind = e.kind
		}
		m.bad.add(kind, fmt.Sprintf("mark %d (%.40q): %v", m.lines, line, err))
	}
}

func (m *markFIFO) take(line string, arrived int64) error {
	x, err := parseMark(line)
	if err != nil {
		return err
	}
	if x.at == 0 {
		x.at = arrived
	}
	switch x.verb {
	case "mark":
		m.done = append(m.done, capture.Region{Name: x.name, Start: x.at, End: x.at, Depth: len(m.open)})
	case "begin":
		if len(m.open) >= maxOpen {
			return markErrorf("%d regions are open already: what begins must end", maxOpen)
		}
		m.open = append(m.open, capture.Region{Name: x.name, Start: x.at, Depth: len(m.open)})
	case "end":
		for i := len(m.open) - 1; i >= 0; i-- {
			r := m.open[i]
			if r.Name != x.name {
				continue
			}
			if x.at < r.Start {
				return markErrorf("region %q would end %d ns before it began", x.name, r.Start-x.at)
			}
			r.End = x.at
			m.done = append(m.done, r)
			m.open = slices.Delete(m.open, i, i+1)
			return nil
		}
		return markErrorf("no region %q is open", x.name)
	case "frame":
		if x.frame == "" {
			x.frame = strconv.FormatUint(m.next, 10)
		}
		if n := len(m.frames); n > 0 {
			if x.at < m.frames[n-1].at {
				return markErrorf("frame %s starts %d ns before the one before it", x.frame, m.frames[n-1].at-x.at)
			}
			m.endFrame(x.at)
		}
		if n, err := strconv.ParseUint(x.frame, 10, 63); err == nil {
			m.next = n + 1
		}
		m.frames = append(m.frames, frameStart{x.at, x.frame})
	}
	return nil
}

// endFrame completes the region of the newest frame.
func (m *markFIFO) endFrame(at int64) {
	f := m.frames[len(m.frames)-1]
	m.done = append(m.done, capture.Region{Name: "frame " + f.name, Start: f.at, End: at})
}

// frameLabel is the label of a recording with a FIFO of marks. One that has none has the label number noFrames.
const (
	frameLabel = "frame"
	noFrames   = -1
)

// gather moves complete regions into a batch and labels its samples with their frame, where there is such a label;
// times of the batch count from epoch. Frames that ended before its last sample are forgotten.
func (m *markFIFO) gather(b *capture.Batch, label int, epoch int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, r := range m.done {
		r.Start, r.End = r.Start-epoch, r.End-epoch
		b.Regions = append(b.Regions, r)
	}
	m.done = m.done[:0]
	if label == noFrames {
		return
	}
	k := 0
	for i := len(b.Labels[label]); i < len(b.Start); i++ {
		middle := epoch + b.Start[i] + (b.End[i]-b.Start[i])/2
		for k+1 < len(m.frames) && m.frames[k+1].at <= middle {
			k++
		}
		name := ""
		if k < len(m.frames) && m.frames[k].at <= middle {
			name = m.frames[k].name
		}
		b.Labels[label] = append(b.Labels[label], name)
	}
	if k > 0 {
		m.frames = append(m.frames[:0], m.frames[k:]...)
	}
}

// conclude closes what is still open at the end of the recording and returns what went wrong.
func (m *markFIFO) conclude(end int64) []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if n := len(m.frames); n > 0 && m.frames[n-1].at < end {
		m.endFrame(end)
	}
	var open tally
	for _, r := range m.open {
		if r.Start < end {
			r.End = end
			m.done = append(m.done, r)
		}
		open.add(r.Name, r.Name)
	}
	var warnings []string
	switch n := len(m.open); {
	case n == 1:
		warnings = append(warnings, fmt.Sprintf("region %q was still open when the recording ended", m.open[0].Name))
	case n > 1:
		warnings = append(warnings, fmt.Sprintf("%d regions were still open when the recording ended: %s", n,
			strings.Join(open.texts(func(name string, n int) string {
				return fmt.Sprintf("%s (%d times)", name, n)
			}), ", ")))
	}
	m.open = nil
	return append(warnings, m.bad.texts(func(first string, n int) string {
		return fmt.Sprintf("%s; %d more lines cannot be used for a reason like this", first, n-1)
	})...)
}
