package replay

import (
	"encoding/binary"
	"fmt"
	"slices"
	"sync"
	"syscall"
	"time"

	"astrolabe/hwio/hwtest"
	"astrolabe/hwio/hwtest/perfring"
	"astrolabe/hwio/hwtest/uapi"
	"astrolabe/hwio/internal/tape"
)

// perf answers perf_event_open(2). A question is a whole struct perf_event_attr with its target and its group.
//
// Records are in the program's rings when as much time has passed as on the tape, with stamps that are moved by one
// distance. When the program stops its events, which ends a recording, the rest is there at once, and readings are the
// last ones of the tape; whoever goes on counts nothing more. What the recorder read in the middle, because no sample
// came for a while, stands among the samples: when a program reads is its own matter.
type perf struct {
	machine *Machine
	script  *perfScript

	mu    sync.Mutex
	asked map[string]int // questions of events that sample
	shift int64          // of stamps, once something is mapped
	rings map[int]*perfRing
	ended bool // the program has stopped what it counts

	counts     uint64 // events that only count
	countShift int64  // of the time of the tape for these, 0 before the first is enabled
	stop       chan struct{}
	pumped     sync.WaitGroup
}

// perfRing is the mapped ring of one event.
type perfRing struct {
	perfring.Ring
	script []perfRecord
	next   int
}

// ahead is how much further than to the present records are handed over where a program doubts that any come, because
// this machine was not run in time.
const ahead = 200 * time.Millisecond

// pump is how often records are handed over.
const pump = 2 * time.Millisecond

// perfFile is an open event.
type perfFile struct {
	perf   *perf
	played *tape.Played
	period bool // it samples
	read   int  // readings so far
	begun  bool // one was since its ring was mapped
}

func (f *perfFile) String() string { return "[perf_event] on tape" }

// sampledFile is one of which records can be mapped.
type sampledFile struct {
	*perfFile
	mem []byte
}

var _ hwtest.Mapper = (*sampledFile)(nil)

// attrBytes are what a tape has of a program's structure, in all versions of it.
func attrBytes(raw []byte) []byte {
	const size = 96 // of the third version, behind which nothing is on tapes
	b := slices.Clone(raw[:min(len(raw), size)])
	b = append(b, make([]byte, size-len(b))...)
	uapi.Struct("perf_event_attr").Set(b, "size", 0)
	for _, x := range raw[min(len(raw), size):] {
		if x != 0 {
			return slices.Concat(b, raw[size:])
		}
	}
	return b
}

// PerfEventOpen implements hwtest.PerfOpener. A bundle without any event leaves them to the real kernel.
func (r *Machine) PerfEventOpen(c *hwtest.Call, raw []byte, pid, cpu int, group hwtest.File, _ uint64) (hwtest.File, error) {
	p := r.perf
	if p == nil {
		return nil, nil
	}
	asked, of := r.player.Kernel(), 0
	if l := perfOf(group); l != nil {
		asked, of = l.played, l.played.Number()
	}
	attr := attrBytes(raw)
	target := binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, uint32(int32(pid))), uint32(int32(cpu)))
	samples := uapi.Struct("perf_event_attr").Get(attr, "sample_period") != 0
	p.mu.Lock()
	defer p.mu.Unlock()
	if question := fmt.Sprintf("%d %x %x", of, attr, target); samples {
		// What is opened once more than on the tape, as that of a CPU that seems to be offline, is not there any more.
		if p.asked[question]++; p.script.answers[question] > 0 && p.asked[question] > p.script.answers[question] {
			return nil, syscall.ENODEV
		}
	}
	e, made, err := asked.Call(perfOpen, attr, target)
	switch {
	case e == nil:
		if f := p.count(attr, pid, cpu); f != nil && group == nil {
			return f, nil
		}
		c.Note("not on the tape")
		r.missing("perf_event_open with % x of % x", attr, target)
		return nil, syscall.ENOENT
	case err != nil:
		return nil, err
	}
	r.count(func(t *Truth) { t.Answered++ })
	f := &perfFile{perf: p, played: made, period: samples}
	if samples {
		return &sampledFile{perfFile: f}, nil
	}
	return f, nil
}

var _ hwtest.ClockResolver = (*Machine)(nil)

// ClockResolution implements hwtest.ClockResolver: how often the kernel throttles depends on it.
func (r *Machine) ClockResolution(clock int) int64 {
	const monotonicCoarse = 6 // CLOCK_MONOTONIC_COARSE
	if r.perf == nil || clock != monotonicCoarse {
		return 0
	}
	return r.perf.script.tick
}

// perfOf is the event behind a file, nil where it is none.
func perfOf(f hwtest.File) *perfFile {
	switch f := f.(type) {
	case *perfFile:
		return f
	case *sampledFile:
		return f.perfFile
	}
	return nil
}

// missing notes a question that the tape has no answer to.
func (r *Machine) missing(format string, args ...any) {
	r.count(func(t *Truth) {
		if len(t.Unknown) < 100 {
			t.Unknown = append(t.Unknown, fmt.Sprintf(format, args...))
		}
	})
}

// requests of perf events as tapes name them.
var perfRequests = []string{"PERF_EVENT_IOC_ID", "PERF_EVENT_IOC_ENABLE", "PERF_EVENT_IOC_DISABLE", "PERF_EVENT_IOC_SET_OUTPUT"}

// Ioctl implements hwtest.File.
func (f *perfFile) Ioctl(c *hwtest.Call, request uint32, arg uint64) (int64, error) {
	at := slices.IndexFunc(perfRequests, func(name string) bool { return uapi.Ioctl(name) == request })
	if at < 0 {
		return 0, f.perf.machine.unknown(request, nil)
	}
	name := perfRequests[at]
	f.perf.mu.Lock()
	defer f.perf.mu.Unlock()
	if name == "PERF_EVENT_IOC_DISABLE" {
		// Events may be stopped whose end is not on the tape, as of a recording that broke off.
		f.perf.end()
		return 0, nil
	}
	e, _, err := f.played.Call(name, nil, nil)
	switch {
	case e == nil:
		return 0, f.perf.machine.unknown(request, nil)
	case err != nil:
		return 0, err
	case name == "PERF_EVENT_IOC_ID":
		return 0, written(c, arg, e.Out)
	}
	return 0, nil
}

// Read implements hwtest.File.
func (f *perfFile) Read(_ *hwtest.Call, n int) ([]byte, error) {
	p := f.perf
	p.mu.Lock()
	defer p.mu.Unlock()
	f.played.Settle(func(e *tape.Event) bool { return e.Kind == tape.Read })
	g := p.script.groups[f.played.Number()]
	if g == nil {
		return nil, syscall.EIO
	}
	e := f.answer(g)
	switch {
	case e == nil:
		return nil, syscall.EIO
	case e.Errno != 0:
		return nil, syscall.Errno(e.Errno)
	case len(e.Data) > n:
		return nil, syscall.ENOSPC
	}
	p.machine.count(func(t *Truth) {
		t.Answered++
		if t.reads = max(t.reads, f.read); g.ring == 0 {
			p.machine.set.Tell(t.reads)
		}
	})
	return e.Data, nil
}

// answer is the next reading of a group: in order until its ring is mapped and one behind that, and at the end the last.
func (f *perfFile) answer(g *perfGroup) *tape.Event {
	p := f.perf
	f.read++
	mapped := p.rings[g.ring] != nil
	switch {
	case !mapped && len(g.before) > 0:
		return g.before[min(f.read, len(g.before))-1]
	case !mapped:
		return g.begin
	case !f.begun:
		f.begun = true
		return g.begin
	case p.ended && g.final != nil:
		return g.final
	}
	return p.between(g)
}

// between is what a group has counted when it was read and should not have been: the program found no sample of it for a
// while, as this machine handed them over late. So they are handed over, some in advance, and the reading is that of the
// last of them, which tells nothing new.
func (p *perf) between(g *perfGroup) *tape.Event {
	now := hwtest.Now()
	p.deliver(now + ahead.Nanoseconds())
	r := p.rings[g.ring]
	of := func(x perfRecord) bool { return x.group == g }
	var last *perfRecord
	for i := r.next - 1; i >= 0 && last == nil; i-- {
		if of(r.script[i]) {
			last = &r.script[i]
		}
	}
	switch over := !slices.ContainsFunc(r.script[r.next:], of); {
	case last != nil && (last.due+p.shift > now || !over || g.final == nil):
		return &tape.Event{Data: last.counts()}
	case over && g.final != nil:
		return g.final // all counts stand still behind the tape
	}
	return g.begin
}

// deliver hands over what is due at a time.
func (p *perf) deliver(now int64) {
	n := 0
	for _, r := range p.rings {
		for r.next < len(r.script) {
			x := &r.script[r.next]
			if !p.ended && x.due+p.shift > now || !r.Put(x.moved(p.shift)) {
				break // what finds no room waits for it: on the tape it had found some
			}
			r.next++
			n++
		}
	}
	if n > 0 {
		p.machine.count(func(t *Truth) {
			t.Samples += n
			p.machine.set.Tell(t.Samples)
		})
	}
}

// end hands the rest over.
func (p *perf) end() {
	if len(p.rings) > 0 {
		p.ended = true
		p.deliver(0)
	}
}

// Mapping implements hwtest.Mappable.
func (f *sampledFile) Mapping() int { return perfring.Most }

// SetMapping implements hwtest.Mappable.
func (f *sampledFile) SetMapping(shared []byte) { f.mem = shared }

// Map implements hwtest.Mapper: begins the time of the tape where it was mapped there.
func (f *sampledFile) Map(n, offset uint64, write bool) error {
	p := f.perf
	p.mu.Lock()
	defer p.mu.Unlock()
	if offset != 0 {
		return syscall.EINVAL
	}
	f.played.Settle(func(e *tape.Event) bool { return e.Kind == tape.Map && e.Errno == 0 })
	// How much a program maps is its own matter.
	e, ok := f.played.Peek(func(e *tape.Event) bool { return e.Kind == tape.Map && e.Errno == 0 })
	if !ok {
		return syscall.EPERM // the kernel gave no memory
	}
	number := f.played.MadeBy(e)
	r := &perfRing{script: p.script.rings[number]}
	r.Mem = f.mem
	if err := r.Start(n, write); err != nil {
		return err
	}
	if len(p.rings) == 0 {
		p.shift = hwtest.Now() - (p.machine.about.Began + e.Time)
		p.stop = make(chan struct{})
		p.pumped.Go(func() { p.keepPumping(p.stop) })
	}
	p.rings[number] = r
	return nil
}

func (p *perf) keepPumping(stop <-chan struct{}) {
	tick := time.NewTicker(pump)
	defer tick.Stop()
	for {
		select {
		case <-stop:
			return
		case <-tick.C:
			p.mu.Lock()
			p.deliver(hwtest.Now())
			p.mu.Unlock()
		}
	}
}

func (p *perf) close() {
	p.mu.Lock()
	stop := p.stop
	p.stop = nil
	p.mu.Unlock()
	if stop != nil {
		close(stop)
		p.pumped.Wait()
	}
}

// Close implements hwtest.File. A program that measures once more begins anew.
func (f *perfFile) Close() {}
