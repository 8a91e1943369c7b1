package perfevent

import (
	"context"
	"encoding/binary"
	"errors"

	"astrolabe/capture"
	"astrolabe/hwio"
	"astrolabe/hwio/internal/tape"
)

// Taped implements hwio.Tapeable.
func (s *Source) Taped(t *tape.Tape) hwio.Source {
	return &tapedSource{&Source{root: s.root.Taped(t), k: &tapedKernel{s.k, t}, sleep: s.sleep}, t}
}

// tapedSource opens streams that write down when they are read, and when their end was asked for.
type tapedSource struct {
	*Source
	tape *tape.Tape
}

var errNoProcess = errors.New("what single processes do is nothing for a tape")

func (s *tapedSource) Open(ctx context.Context, r hwio.Request) (hwio.Stream, error) {
	if r.PID != 0 {
		return nil, errNoProcess
	}
	st, err := s.Source.Open(ctx, r)
	if err != nil {
		return nil, err
	}
	switch st := st.(type) {
	case *sampling:
		return &tapedSampling{st, s.tape}, nil
	case *stream:
		return &tapedStream{st}, nil
	}
	return nil, errors.Join(errNoProcess, st.Close())
}

// tapedStream looks at the clock before each reading: so many looks so many readings.
type tapedStream struct{ *stream }

func (s *tapedStream) Read(ctx context.Context, b *capture.Batch) error {
	s.opener.k.now()
	return s.stream.Read(ctx, b)
}

// tapedSampling is tapedStream for samples of the kernel.
type tapedSampling struct {
	*sampling
	tape *tape.Tape
}

func (s *tapedSampling) Read(ctx context.Context, b *capture.Batch) error {
	s.k.now()
	return s.sampling.Read(ctx, b)
}

func (s *tapedSampling) Finish(ctx context.Context, b *capture.Batch) error {
	s.tape.Finish()
	return s.sampling.Finish(ctx, b)
}

// Names of system calls on a tape.
const (
	callOpen       = "perf_event_open"
	callResolution = "clock_getres"
)

// tapedKernel is a kernel that writes down what it answers.
type tapedKernel struct {
	kernel
	tape *tape.Tape
}

func (k *tapedKernel) now() int64 { return k.tape.Clock(sourceName, k.kernel.now()) }

func (k *tapedKernel) tick() (ns int64) {
	_ = k.tape.Kernel().Ask(callResolution, tape.Event{Path: "CLOCK_MONOTONIC_COARSE"}, func(e *tape.Event) error {
		ns = k.kernel.tick()
		e.Value = ns
		return nil
	})
	return ns
}

// open is a question to the leader of the group, or where there is none to the kernel.
func (k *tapedKernel) open(a *attr, pid, cpu int, leader counter) (c counter, err error) {
	var l counter
	asked := k.tape.Kernel()
	if t, ok := leader.(*tapedCounter); ok && t != nil {
		l, asked = t.counter, t.tape
	}
	err = asked.Ask(callOpen, tape.Event{In: attrBytes(a), BufIn: targetBytes(pid, cpu)}, func(*tape.Event) (err error) {
		c, err = k.kernel.open(a, pid, cpu, l)
		return err
	})
	if err != nil {
		return nil, err
	}
	return &tapedCounter{c, asked.Made(), a.inherit}, nil
}

// targetBytes are the process, -1 for all or 0 for this one, and the CPU.
func targetBytes(pid, cpu int) []byte {
	return binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, uint32(int32(pid))), uint32(int32(cpu)))
}

// Where struct perf_event_attr has what astrolabe uses, and the bits of its flags.
const (
	attrType, attrConfig, attrPeriod, attrSampleType, attrReadFormat, attrFlags = 0, 8, 16, 24, 32, 40
	attrConfig1, attrConfig2, attrClock, attrSize                               = 56, 64, 92, 96
)

// attrBytes are the kernel's structure as far as its third version has it, but for its size, which is the program's.
func attrBytes(a *attr) []byte {
	b := make([]byte, attrSize)
	le := binary.LittleEndian
	le.PutUint32(b[attrType:], a.typ)
	le.PutUint64(b[attrConfig:], a.config)
	le.PutUint64(b[attrConfig1:], a.config1)
	le.PutUint64(b[attrConfig2:], a.config2)
	le.PutUint64(b[attrReadFormat:], a.readFormat())
	le.PutUint64(b[attrSampleType:], a.sampleType())
	le.PutUint64(b[attrPeriod:], a.period)
	if a.monotonic {
		le.PutUint32(b[attrClock:], clockMonotonic)
	}
	le.PutUint64(b[attrFlags:], a.flags())
	return b
}

// tapedCounter is an event of which known fields of records reach the reader.
type tapedCounter struct {
	counter
	tape    *tape.Taped
	ofTasks bool
}

// read delivers counts, of which every byte is known.
func (c *tapedCounter) read(buf []byte) (int, error) {
	return c.tape.Read(buf, c.counter.read, func([]byte) {})
}

func (c *tapedCounter) id() (id uint64, err error) {
	err = c.tape.Ask("PERF_EVENT_IOC_ID", tape.Event{}, func(e *tape.Event) error {
		if id, err = c.counter.id(); err == nil {
			e.Out = binary.LittleEndian.AppendUint64(nil, id)
		}
		return err
	})
	return id, err
}

func (c *tapedCounter) enable() error {
	return c.tape.Ask("PERF_EVENT_IOC_ENABLE", tape.Event{}, func(*tape.Event) error { return c.counter.enable() })
}

func (c *tapedCounter) disable() error {
	return c.tape.Ask("PERF_EVENT_IOC_DISABLE", tape.Event{}, func(*tape.Event) error { return c.counter.disable() })
}

func (c *tapedCounter) into(to counter) error {
	t, ok := to.(*tapedCounter)
	if !ok {
		return c.counter.into(to)
	}
	return c.tape.Ask("PERF_EVENT_IOC_SET_OUTPUT", tape.Event{}, func(*tape.Event) error { return c.counter.into(t.counter) })
}

func (c *tapedCounter) ring(bytes int) (r records, err error) {
	made, err := c.tape.Map(bytes, func() error {
		r, err = c.counter.ring(bytes)
		return err
	})
	if err != nil {
		return nil, err
	}
	return &tapedRing{records: r, tape: made, ofTasks: c.ofTasks}, nil
}

func (c *tapedCounter) close() error { return c.tape.Close(c.counter.close()) }

type tapedRing struct {
	records
	tape    *tape.Taped
	ofTasks bool
	data    []byte
}

func (r *tapedRing) drain(f func(kind uint32, body []byte)) (full bool, err error) {
	began := r.tape.Now()
	r.data = r.data[:0]
	full, err = r.records.drain(func(kind uint32, body []byte) {
		at := len(r.data)
		r.data = appendRecord(r.data, kind, body)
		own := r.data[at+recordHeader:]
		keepRecord(kind, own, r.ofTasks)
		f(kind, own)
	})
	r.tape.Collect(began, r.data, err)
	return full, err
}

func appendRecord(b []byte, kind uint32, body []byte) []byte {
	b = binary.NativeEndian.AppendUint32(b, kind)
	b = binary.NativeEndian.AppendUint16(b, 0) // where it was
	b = binary.NativeEndian.AppendUint16(b, uint16(recordHeader+len(body)))
	return append(b, body...)
}

// keepRecord blanks what is not known of the body of a record, and whose work it tells of: of that only whether a CPU had
// any.
func keepRecord(kind uint32, body []byte, ofTasks bool) {
	known := 0
	switch kind {
	case recordSample:
		head := 3
		if ofTasks {
			head = sampleWords
		}
		known = head
		if len(body) >= 8*head+24 {
			known += 3 + 2*int(min(binary.NativeEndian.Uint64(body[8*head:]), uint64(len(body))))
		}
		if len(body) >= 16 && binary.NativeEndian.Uint64(body[8:]) != 0 {
			binary.NativeEndian.PutUint64(body[8:], somebody)
		}
	case recordLost:
		known = 2
	case recordLostSamples:
		known = 1
	case recordThrottle, recordUnthrottle:
		known = 3
	}
	clear(body[min(8*known, len(body)):])
}

// somebody is process 1 and its first thread: in place of who it was.
const somebody = 1 | 1<<32
