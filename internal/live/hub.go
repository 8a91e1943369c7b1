package live

import (
	"strconv"
	"sync"
	"time"
)

// Bounds of what viewers cost. What they miss is counted.
const (
	mostViewers = 32
	mostBehind  = 64 // stretches that a viewer may be behind, once it has what there was when it came
	mostAtOnce  = 16 // stretches that are written in one go
)

// chunk is a stretch of samples, ready to be sent. Samples are numbered from the start of the recording.
type chunk struct {
	from, to int64 // numbers of its samples
	end      int64 // ns, of the last
	data     []byte
}

// topic is something of which only the newest counts.
type topic int

const (
	bandsTopic topic = iota
	statusTopic
	judgedTopic
	topics
)

var topicNames = [topics]string{"bands", "status", "judged"}

// hub holds what viewers are sent. A viewer is a place in it: nothing waits for one, and one that is slow loses its
// place.
type hub struct {
	last time.Duration // how much is kept

	mu      sync.Mutex
	chunks  []chunk
	samples int64 // all that came
	newest  [topics][]byte
	version [topics]uint64
	wake    chan struct{} // closed and made anew when there is something
	over    bool
	viewers map[*viewer]bool
	missed  int64 // by all viewers that ever were
	cut     int   // viewers that read nothing for so long that they were cut off
}

// viewer is one browser's place.
type viewer struct {
	at      int64 // number of the next sample that it is to get
	head    int64 // all up to here is what it found when it came, and may be read at leisure
	fresh   bool  // it came for the first time: what is dropped before it has read what it found is too old to be shown
	seen    [topics]uint64
	missed  int64
	told    int64 // of missed
	endTold bool
}

// changed wakes who waits. The caller holds the lock.
func (h *hub) changed() {
	close(h.wake)
	h.wake = make(chan struct{})
}

// append adds a stretch of samples that ends at a time.
func (h *hub) append(data []byte, samples int, end int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.chunks = append(h.chunks, chunk{h.samples, h.samples + int64(samples), end, data})
	h.samples += int64(samples)
	n := 0
	for n < len(h.chunks)-1 && h.chunks[n].end < end-h.last.Nanoseconds() {
		h.chunks[n] = chunk{}
		n++
	}
	h.chunks = h.chunks[n:]
	h.changed()
}

// lose counts samples that never came.
func (h *hub) lose(samples int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.samples += int64(samples)
}

// tell replaces what there is of a topic.
func (h *hub) tell(t topic, data []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.newest[t] = data
	h.version[t]++
	h.changed()
}

// end tells all viewers that nothing follows.
func (h *hub) end() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.over = true
	h.changed()
}

// join gives a viewer a place: behind the sample of that number, or at the oldest where after is negative. It is nil
// where there are too many.
func (h *hub) join(after int64) *viewer {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.viewers) >= mostViewers {
		return nil
	}
	v := &viewer{at: after, head: h.samples}
	if after < 0 || after > h.samples {
		v.fresh = true
		if v.at = h.samples; len(h.chunks) > 0 {
			v.at = h.chunks[0].from
		}
	}
	if h.viewers == nil {
		h.viewers = map[*viewer]bool{}
	}
	h.viewers[v] = true
	h.changed()
	return v
}

// leave gives a place up; cut says that the viewer read nothing.
func (h *hub) leave(v *viewer, cut bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.viewers, v)
	if cut {
		h.cut++
	}
	h.changed()
}

// watched says how many viewers there are, how many samples viewers missed, and how many viewers were cut off.
func (h *hub) watched() (viewers int, missed int64, cut int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.viewers), h.missed, h.cut
}

// waitForViewer returns once there is a viewer, or done is closed.
func (h *hub) waitForViewer(done <-chan struct{}) {
	for {
		h.mu.Lock()
		n, wake := len(h.viewers), h.wake
		h.mu.Unlock()
		if n > 0 {
			return
		}
		select {
		case <-wake:
		case <-done:
			return
		}
	}
}

// next is what a viewer is to be sent now, and what to wait for where that is nothing. over says that nothing follows.
func (h *hub) next(v *viewer) (events []byte, wake <-chan struct{}, over bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	// All that a viewer has had ends where a stretch ends, so that the next begins at its place, unless it is gone.
	i := 0
	for i < len(h.chunks) && h.chunks[i].from < v.at {
		i++
	}
	if behind := len(h.chunks) - i; behind > mostBehind && h.chunks[len(h.chunks)-mostBehind].from > v.head {
		i = len(h.chunks) - 1
	}
	var out []byte
	for k := 0; i < len(h.chunks) && k < mostAtOnce; k++ {
		c := &h.chunks[i]
		if !v.fresh || v.at >= v.head {
			v.missed += c.from - v.at
			h.missed += c.from - v.at
		}
		out = appendEvent(out, "append", strconv.FormatInt(c.to, 10), c.data)
		v.at = c.to
		i++
	}
	for t := range topics {
		if h.version[t] > v.seen[t] {
			out = appendEvent(out, topicNames[t], "", h.newest[t])
			v.seen[t] = h.version[t]
		}
	}
	if v.missed > v.told {
		out = appendEvent(out, "missed", "", strconv.AppendInt(nil, v.missed, 10))
		v.told = v.missed
	}
	if h.over && i == len(h.chunks) && !v.endTold {
		out = appendEvent(out, "end", "", []byte("true"))
		v.endTold = true
	}
	return out, h.wake, v.endTold
}

// appendEvent writes an event of a stream of server-sent events. data has no line breaks.
func appendEvent(out []byte, name, id string, data []byte) []byte {
	out = append(append(out, "event: "...), name...)
	if id != "" {
		out = append(append(out, "\nid: "...), id...)
	}
	out = append(append(out, "\ndata: "...), data...)
	return append(out, "\n\n"...)
}
