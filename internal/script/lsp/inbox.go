package lsp

import (
	"context"
	"encoding/json"
	"sync"

	"go.lsp.dev/jsonrpc2"
)

// Bounds of what is read ahead; a client that sends more waits.
const (
	maxWaiting      = 1000
	maxWaitingBytes = 16 << 20 // one message may be larger
)

// errCancelled answers what the client has taken back; the number is the protocol's.
var errCancelled = jsonrpc2.Errorf(-32800, "the request was cancelled")

// inbox reads messages ahead of their turn: what the client takes back while it waits is never worked on, and what is
// being worked on hears of it.
type inbox struct {
	*stream
	mu        sync.Mutex
	changed   sync.Cond // of what follows
	waiting   []received
	bytes     int64 // of those
	err       error // why no more will come
	closed    bool
	cancelled map[jsonrpc2.ID]bool // of those that wait

	id     jsonrpc2.ID // of what is being worked on
	cancel context.CancelFunc
}

type received struct {
	msg  jsonrpc2.Message
	size int64
}

var _ jsonrpc2.Stream = (*inbox)(nil)

func newInbox(s *stream) *inbox {
	b := &inbox{stream: s, cancelled: map[jsonrpc2.ID]bool{}}
	b.changed.L = &b.mu
	go b.fill()
	return b
}

// fill reads until the client goes away.
func (b *inbox) fill() {
	for {
		msg, n, err := b.stream.Read(context.Background())
		b.mu.Lock()
		id, back := cancels(msg)
		for !back && !b.closed && len(b.waiting) > 0 && (len(b.waiting) >= maxWaiting || b.bytes+n > maxWaitingBytes) {
			b.changed.Wait()
		}
		switch {
		case err != nil || b.closed:
			b.err = err
		case back:
			b.takeBack(id)
		default:
			b.waiting = append(b.waiting, received{msg, n})
			b.bytes += n
		}
		end := err != nil || b.closed
		b.changed.Broadcast()
		b.mu.Unlock()
		if end {
			return
		}
	}
}

// cancels is the request that a message takes back.
func cancels(msg jsonrpc2.Message) (id jsonrpc2.ID, ok bool) {
	req, is := msg.(*jsonrpc2.Notification)
	if !is || req.Method() != "$/cancelRequest" {
		return id, false
	}
	var p struct {
		ID any `json:"id"`
	}
	if json.Unmarshal(req.Params(), &p) != nil {
		return id, true
	}
	switch v := p.ID.(type) {
	case float64:
		id = jsonrpc2.NewNumberID(int64(v))
	case string:
		id = jsonrpc2.NewStringID(v)
	}
	return id, true
}

// takeBack marks a request that waits, or stops the one that is being worked on.
func (b *inbox) takeBack(id jsonrpc2.ID) {
	if b.cancel != nil && b.id == id {
		b.cancel()
		return
	}
	for _, w := range b.waiting {
		if call, ok := w.msg.(*jsonrpc2.Call); ok && call.ID() == id {
			b.cancelled[id] = true
		}
	}
}

// Read returns the next message.
func (b *inbox) Read(ctx context.Context) (jsonrpc2.Message, int64, error) {
	if err := ctx.Err(); err != nil {
		return nil, 0, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.waiting) == 0 && b.err == nil && !b.closed {
		b.changed.Wait()
	}
	if len(b.waiting) == 0 {
		if b.err == nil {
			return nil, 0, context.Canceled
		}
		return nil, 0, b.err
	}
	next := b.waiting[0]
	b.waiting = b.waiting[1:]
	b.bytes -= next.size
	b.changed.Broadcast()
	return next.msg, next.size, nil
}

// begin says that a request is worked on now: its context ends when the client takes it back. taken is true where that
// has happened already.
func (b *inbox) begin(ctx context.Context, id jsonrpc2.ID) (_ context.Context, end func(), taken bool) {
	// That of the library is used again for the next request, also while something waits for its end.
	ctx, cancel := context.WithCancel(jsonrpc2.DetachContext(ctx))
	b.mu.Lock()
	defer b.mu.Unlock()
	taken = b.cancelled[id]
	delete(b.cancelled, id)
	b.id, b.cancel = id, cancel
	return ctx, func() {
		cancel()
		b.mu.Lock()
		defer b.mu.Unlock()
		b.cancel = nil
	}, taken
}

// Close ends the connection.
func (b *inbox) Close() error {
	b.mu.Lock()
	b.closed = true
	b.changed.Broadcast()
	b.mu.Unlock()
	return b.stream.Close()
}
