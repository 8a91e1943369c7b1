package kernel

import "sync"

// inboxBytes is how much of requests may wait while a cell runs. Clients of more have to wait themselves.
const inboxBytes = 2 * maxMessage

// inbox holds the requests that wait for the session, in order. Readers of peers fill it, the kernel empties it.
type inbox struct {
	mu      sync.Mutex
	changed *sync.Cond
	waiting []request
	bytes   int
	closed  bool
}

// request is a message and whom its answer goes to.
type request struct {
	*message
	from    *peer
	through *socket
	aborted bool // an earlier cell failed, and its client asked for this one to be left out then
}

func newInbox() *inbox {
	b := &inbox{}
	b.changed = sync.NewCond(&b.mu)
	return b
}

// put appends a request, and waits where there is no room for it.
func (b *inbox) put(r request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.bytes > 0 && b.bytes+r.size > inboxBytes && !b.closed {
		b.changed.Wait()
	}
	b.waiting = append(b.waiting, r)
	b.bytes += r.size
	b.changed.Broadcast()
}

// take waits for the next request; ok is false once the inbox is closed.
func (b *inbox) take() (r request, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.waiting) == 0 && !b.closed {
		b.changed.Wait()
	}
	if b.closed {
		return request{}, false
	}
	r = b.waiting[0]
	b.waiting[0] = request{}
	b.waiting = b.waiting[1:]
	b.bytes -= r.size
	b.changed.Broadcast()
	return r, true
}

// abort marks what waits to be executed as not to be.
func (b *inbox) abort() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range b.waiting {
		if b.waiting[i].header.Type == "execute_request" {
			b.waiting[i].aborted = true
		}
	}
}

func (b *inbox) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	b.changed.Broadcast()
}
