package cpupmu

import (
	"encoding/binary"

	"astrolabe/hwio/hwtest/perfring"
)

// ring is what is mapped of an event, and what is told of it.
type ring struct {
	perfring.Ring
	told   uint64 // the head when the program was last woken
	lost   uint64 // records that found no room since the last that did
	users  []*sampled
	unread []recordEnd // samples that the program has not gone past
}

// recordEnd is where in the stream a sample of an event ends.
type recordEnd struct {
	at uint64
	e  *event
}

// put writes a record of event e, after one of those that found no room, and reports whether it found room itself.
func (r *ring) put(e *event, record []byte, sample bool) bool {
	var all []byte
	if r.lost > 0 {
		body := binary.LittleEndian.AppendUint64(nil, e.id)
		body = binary.LittleEndian.AppendUint64(body, r.lost)
		all = e.record("PERF_RECORD_LOST", 0, body, e.d.where(e, e.d.now()))
	}
	if !r.Put(append(all, record...)) {
		r.lost++
		return false
	}
	r.lost = 0
	if sample {
		r.forget()
		r.unread = append(r.unread, recordEnd{r.Head, e})
	}
	r.wake(e, sample)
	return true
}

// forget drops what the program has read.
func (r *ring) forget() {
	tail, n := r.Tail(), 0
	for n < len(r.unread) && (int64(r.unread[n].at-tail) <= 0 || r.Head-r.unread[n].at >= r.Size) {
		n++
	}
	r.unread = r.unread[n:]
}

// wake tells polls of the ring: after so many samples or bytes as the event asks for, else when it is half full.
func (r *ring) wake(e *event, sample bool) {
	a := e.attr
	if !a.watermark && a.wakeup > 0 {
		if !sample {
			return
		}
		if e.untold++; e.untold < a.wakeup {
			return
		}
		e.untold = 0
	} else {
		mark := r.Size / 2
		if a.watermark && a.wakeup > 0 {
			mark = min(uint64(a.wakeup), r.Size)
		}
		if r.Head-r.told < mark {
			return
		}
	}
	r.told = r.Head
	for _, u := range r.users {
		u.news = true
		u.ready.Set(true)
	}
}
