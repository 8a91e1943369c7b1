package panfrost

import (
	"sync"
	"sync/atomic"
	"time"

	"astrolabe/hwio/internal/mali"
)

// dump is the answer to one request.
type dump struct {
	start, end int64 // ns of CLOCK_MONOTONIC: from the middle of the previous request to the middle of this one
	data       []byte
	err        error
}

// dumper asks for samples in the background: a request waits for the hardware, which takes up to a second where it
// hangs, and a recording must not wait for it.
type dumper struct {
	dev    mali.Device
	now    func() (before, raw, after int64)
	full   chan dump
	free   chan []byte
	finish chan struct{}
	once   sync.Once
	done   chan struct{}
	late   atomic.Bool // nobody waits for a last sample any more
	last   int64
}

// queueLength is how many samples may wait to be read. Beyond it none are taken: the next one covers their time.
const queueLength = 64

// startDumper begins to take samples of size bytes every interval. The counters were switched on at the time since.
func startDumper(dev mali.Device, size int, interval time.Duration, now func() (before, raw, after int64),
	since int64) *dumper {
	d := &dumper{
		dev: dev, now: now, full: make(chan dump, queueLength), free: make(chan []byte, queueLength),
		finish: make(chan struct{}), done: make(chan struct{}), last: since,
	}
	for range queueLength {
		d.free <- make([]byte, size)
	}
	go d.run(interval)
	return d
}

func (d *dumper) run(interval time.Duration) {
	defer close(d.done)
	defer holdSignals()()
	t := time.NewTicker(interval)
	defer t.Stop()
	arg := make([]byte, 8)
	for {
		select {
		case <-t.C:
			if d.late.Load() || !d.take(arg) {
				return
			}
		case <-d.finish:
			if !d.late.Load() {
				d.take(arg)
			}
			return
		}
	}
}

// take asks for one sample. It returns false where no further one can come.
func (d *dumper) take(arg []byte) bool {
	var buf []byte
	select {
	case buf = <-d.free:
	default:
		return true
	}
	before, _, _ := d.now()
	_, err := d.dev.RequestWith(reqDump, arg, 0, buf)
	_, _, after := d.now()
	at := max(before+(after-before)/2, d.last+1)
	// There is room for every buffer.
	d.full <- dump{start: d.last, end: at, data: buf, err: err}
	if err == nil {
		// What a request without an answer would have counted comes with the next sample, which therefore begins where
		// the last one ended.
		d.last = at
	}
	return err == nil || timedOut(err)
}

// stop takes a last sample and waits for it for at most a while. It returns false where the hardware still has not
// answered.
func (d *dumper) stop(wait time.Duration) bool {
	d.once.Do(func() { close(d.finish) })
	select {
	case <-d.done:
		return true
	case <-time.After(wait):
		d.late.Store(true)
		return false
	}
}
