package cpupmu

import (
	"cmp"
	"encoding/binary"
	"math/bits"
	"slices"
	"syscall"
	"time"

	"astrolabe/hwio/hwtest"
	"astrolabe/hwio/hwtest/perfring"
	"astrolabe/hwio/hwtest/uapi"
)

// maxSampleRate is kernel.perf_event_max_sample_rate, per second. A period that would be faster on the busiest
// processor is refused: Linux would stop the counter for a while, which is not modelled.
const maxSampleRate = 100_000

// pump is how often records are made while nobody asks for anything.
const pump = 2 * time.Millisecond

// sampled is an event that writes records, as the program has it.
type sampled struct {
	*event
	own   ring  // of its own mapping
	out   *ring // where its records go
	ready *hwtest.Readiness
	news  bool // a poll finds data
	ended bool // a poll finds that its task has ended
}

var (
	_ hwtest.Mapper = (*sampled)(nil)
	_ hwtest.Polled = (*sampled)(nil)
)

// asEvent is the event behind a file, nil where it is none of this device's.
func asEvent(f hwtest.File) *event {
	switch f := f.(type) {
	case *event:
		return f
	case *sampled:
		return f.event
	}
	return nil
}

// Attach is of hwtest.Pollable. The task may have ended meanwhile.
func (s *sampled) Attach(r *hwtest.Readiness) {
	s.d.mu.Lock()
	defer s.d.mu.Unlock()
	s.ready = r
	r.Set(s.ended)
}

// Mapping is of hwtest.Mappable.
func (s *sampled) Mapping() int { return perfring.Most }

// SetMapping is of hwtest.Mappable.
func (s *sampled) SetMapping(shared []byte) { s.own.Mem = shared }

// Map makes the ring.
func (s *sampled) Map(n, offset uint64, write bool) error {
	s.d.mu.Lock()
	defer s.d.mu.Unlock()
	if offset != 0 {
		return syscall.EINVAL
	}
	s.roster.advance(s.d) // what happened before has no place to go
	s.d.flush()
	if err := s.own.Start(n, write); err != nil {
		return err
	}
	s.direct(&s.own)
	return nil
}

// direct has an event's records go to a ring.
func (s *sampled) direct(r *ring) {
	if s.out != nil {
		s.out.users = slices.DeleteFunc(s.out.users, func(u *sampled) bool { return u == s })
	}
	if s.out = r; r == nil {
		return
	}
	r.users = append(r.users, s)
	if s.attr.sampleType&uint64(uapi.Const("PERF_SAMPLE_READ")) != 0 {
		for _, m := range s.answering() {
			m.truth.InSamples, m.truth.Before = true, len(m.truth.Reads)
		}
	}
}

// Polled takes away what the poll tells.
func (s *sampled) Polled() (data, end bool) {
	s.d.mu.Lock()
	defer s.d.mu.Unlock()
	data, s.news = s.news, false
	s.ready.Set(s.ended)
	return data, s.ended
}

// Ioctl adds what only events with a ring have.
func (s *sampled) Ioctl(c *hwtest.Call, req uint32, arg uint64) (int64, error) {
	if req != request("PERF_EVENT_IOC_SET_OUTPUT") {
		return s.event.Ioctl(c, req, arg)
	}
	var to *sampled
	if fd := int(int32(arg)); fd >= 0 {
		if to, _ = c.File(fd).(*sampled); to == nil {
			return 0, syscall.EINVAL
		}
	}
	s.d.mu.Lock()
	defer s.d.mu.Unlock()
	switch {
	case to == nil:
		s.direct(nil)
	case to == s, s.own.Size != 0, to.roster.cpu != s.roster.cpu, to.roster.cpu < 0 && to.roster.pid != s.roster.pid:
		return 0, syscall.EINVAL
	default:
		s.direct(to.out)
	}
	return 0, nil
}

// Close settles what the program never read.
func (s *sampled) Close() {
	s.d.mu.Lock()
	s.roster.advance(s.d)
	s.d.flush()
	if s.out != nil {
		s.out.forget()
		for _, u := range s.out.unread {
			if u.e == s.event {
				s.truth.Unread++
			}
		}
		s.direct(nil)
	}
	s.d.mu.Unlock()
	s.event.Close()
}

// happening is one overflow of an event's counter.
type happening struct {
	e    *event
	time int64
	n    uint64 // the how manieth of the event
	cpu  int
	read []byte // what a read told then, where samples have that
	kind string // of a record that is no sample
}

// overflow notes the samples of a stretch of time in which the count went from one value to another.
func (e *event) overflow(start, ns int64, before, after uint64) {
	if e.period == 0 {
		return
	}
	for n := before/e.period + 1; n*e.period <= after; n++ {
		hi, lo := bits.Mul64(n*e.period-before, uint64(ns))
		q, _ := bits.Div64(hi, lo, after-before)
		cpu := e.roster.cpu
		if cpu < 0 {
			cpu = e.d.cpuOf(e.roster.pid, start)
		}
		h := happening{e: e, time: start + int64(q), n: n, cpu: cpu}
		if e.attr.sampleType&uint64(uapi.Const("PERF_SAMPLE_READ")) != 0 {
			h.read = e.answer(uint64(ns) - q)
		}
		e.interrupted(h.time, cpu)
		e.d.samples = append(e.d.samples, h)
	}
}

// flush writes what has happened, in order.
func (d *device) flush() {
	slices.SortStableFunc(d.samples, func(a, b happening) int { return cmp.Compare(a.time, b.time) })
	for _, h := range d.samples {
		e := h.e
		if h.kind != "" {
			d.tellThrottled(h)
			continue
		}
		e.truth.Samples++
		if e.file.out == nil || e.file.out.Size == 0 {
			continue // as in Linux nothing is said of it
		}
		at := d.where(e, h.time)
		at.cpu = h.cpu
		if e.file.out.put(e, d.sample(h, at), true) {
			e.truth.Written++
			if len(h.read) > 0 {
				d.truth.most = max(d.truth.most, int(e.truth.Written))
				d.set.Tell(d.truth.most)
			}
		} else {
			e.truth.Lost++
		}
	}
	d.samples = d.samples[:0]
}

// tellThrottled writes a record of throttling: its time, and the event twice.
func (d *device) tellThrottled(h happening) {
	out := h.e.file.out
	if out == nil || out.Size == 0 {
		return
	}
	at := d.where(h.e, h.time)
	at.cpu = h.cpu
	b := binary.LittleEndian.AppendUint64(nil, uint64(h.time))
	b = binary.LittleEndian.AppendUint64(b, h.e.id)
	b = binary.LittleEndian.AppendUint64(b, h.e.id)
	out.put(h.e, h.e.record(h.kind, 0, b, at), false)
}

// whereabouts are the parts of a record that say whom it is about.
type whereabouts struct {
	pid, tid, cpu int
	time          int64
}

// where says whose work an event counts. Samples of whole processors are said to be the work of the program that opened
// them.
func (d *device) where(e *event, now int64) whereabouts {
	w := whereabouts{pid: e.roster.pid, cpu: e.roster.cpu, time: now}
	if w.pid < 0 {
		w.pid = e.opener
	}
	w.tid = w.pid
	if w.cpu < 0 {
		w.cpu = d.cpuOf(e.roster.pid, now)
	}
	return w
}

// kernelText is where a sample in the kernel is said to be.
const kernelText, kernelSize = 0xffffffff81000000, 0x1000000

// sample makes a record: three of four lie in user space, as the counts do, unless one of both is excluded.
func (d *device) sample(h happening, w whereabouts) []byte {
	e := h.e
	kernel := !e.attr.excludeKernel && (e.attr.excludeUser || h.n%4 == 0)
	mode, context := "PERF_RECORD_MISC_USER", uint64(1<<64-512)
	scatter := h.n * 0x9e3779b97f4a7c15 >> 24
	ip := uint64(0)
	if kernel {
		mode, context = "PERF_RECORD_MISC_KERNEL", 1<<64-128
		ip = kernelText + scatter%kernelSize
	} else if t := d.tasks[w.pid]; t != nil && t.text.size > 0 {
		ip = t.text.start + scatter%t.text.size
	}
	var b []byte
	word := func(kind string, v ...uint64) {
		if e.attr.sampleType&uint64(uapi.Const(kind)) != 0 {
			for _, v := range v {
				b = binary.LittleEndian.AppendUint64(b, v)
			}
		}
	}
	word("PERF_SAMPLE_IDENTIFIER", e.id)
	word("PERF_SAMPLE_IP", ip)
	word("PERF_SAMPLE_TID", pair(w.pid, w.tid))
	word("PERF_SAMPLE_TIME", uint64(w.time))
	word("PERF_SAMPLE_ADDR", 0)
	word("PERF_SAMPLE_ID", e.id)
	word("PERF_SAMPLE_STREAM_ID", e.id)
	word("PERF_SAMPLE_CPU", pair(w.cpu, 0))
	word("PERF_SAMPLE_PERIOD", e.period)
	b = append(b, h.read...)
	word("PERF_SAMPLE_CALLCHAIN", 2, context, ip)
	return header("PERF_RECORD_SAMPLE", uint64(uapi.Const(mode)), b)
}

// sampleParts are what a sample of this model can hold.
var sampleParts = []string{"IDENTIFIER", "IP", "TID", "TIME", "ADDR", "ID", "STREAM_ID", "CPU", "PERIOD", "READ",
	"CALLCHAIN"}

// pair are two numbers of 32 bits.
func pair(a, b int) uint64 { return uint64(uint32(a)) | uint64(uint32(b))<<32 }

func header(kind string, misc uint64, body []byte) []byte {
	s := uapi.Struct("perf_event_header")
	out := make([]byte, s.Size, s.Size+len(body))
	s.Set(out, "type", uint64(uapi.Const(kind)))
	s.Set(out, "misc", misc)
	s.Set(out, "size", uint64(s.Size+len(body)))
	return append(out, body...)
}

// record makes one that is no sample, with what samples say of whom they are about where the event asks for that.
func (e *event) record(kind string, misc uint64, b []byte, w whereabouts) []byte {
	word := func(part string, v uint64) {
		if e.attr.sampleIDAll && e.attr.sampleType&uint64(uapi.Const(part)) != 0 {
			b = binary.LittleEndian.AppendUint64(b, v)
		}
	}
	word("PERF_SAMPLE_TID", pair(w.pid, w.tid))
	word("PERF_SAMPLE_TIME", uint64(w.time))
	word("PERF_SAMPLE_ID", e.id)
	word("PERF_SAMPLE_STREAM_ID", e.id)
	word("PERF_SAMPLE_CPU", pair(w.cpu, 0))
	word("PERF_SAMPLE_IDENTIFIER", e.id)
	return header(kind, misc, b)
}

// checkSampling refuses what the model cannot sample, and finds the period.
func (a *attr) checkSampling(c *hwtest.Call, rate uint64, pace uint64, noInheritedReads bool) (period uint64,
	err error) {
	if a.writeBackward {
		c.Note("write_backward is not modelled")
		return 0, syscall.EINVAL
	}
	if a.inherit && a.sampleType&uint64(uapi.Const("PERF_SAMPLE_READ")) != 0 {
		// Since 6.12, and only where samples say of which task they are.
		if a.sampleType&uint64(uapi.Const("PERF_SAMPLE_TID")) == 0 || noInheritedReads {
			return 0, syscall.EINVAL
		}
	}
	rest := a.sampleType
	for _, p := range sampleParts {
		rest &^= uint64(uapi.Const("PERF_SAMPLE_" + p))
	}
	if rest != 0 {
		c.Note("sample_type %#x is not modelled", rest)
		return 0, syscall.EINVAL
	}
	if a.period == 0 {
		return 0, nil
	}
	if a.precise != 0 {
		return 0, syscall.EOPNOTSUPP
	}
	perSecond := rate * a.share() / 4 // of a clock too: one that may not see the kernel takes no samples there
	if a.freq {
		if a.period > maxSampleRate {
			return 0, syscall.EINVAL
		}
		return max(1, perSecond/a.period), nil // Linux finds this period after a while
	}
	if a.period>>63 != 0 {
		return 0, syscall.EINVAL
	}
	if perSecond*pace/8/maxSampleRate > a.period {
		c.Note("more than %d samples per second are not modelled", maxSampleRate)
		return 0, syscall.EINVAL
	}
	return a.period, nil
}

// keepPumping makes records from time to time, until the device stops.
func (d *device) keepPumping(stop <-chan struct{}) {
	tick := time.NewTicker(pump)
	defer tick.Stop()
	for {
		select {
		case <-stop:
			return
		case <-tick.C:
			d.mu.Lock()
			d.sampleAll()
			d.mu.Unlock()
		}
	}
}

// sampleAll makes the records that are due.
func (d *device) sampleAll() {
	for _, x := range d.rosters {
		if !slices.ContainsFunc(x.groups, func(l *event) bool {
			return slices.ContainsFunc(l.members, func(m *event) bool { return m.file != nil })
		}) {
			continue
		}
		if t := d.tasks[x.pid]; t != nil && !t.look(d) {
			continue // it is about to become another program: what it does there is written when that is known
		}
		x.advance(d)
	}
	d.flush()
}
