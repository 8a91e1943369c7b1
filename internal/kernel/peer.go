package kernel

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-zeromq/zmq4"
	"github.com/go-zeromq/zmq4/security/null"
)

// queueBytes is how much may wait for a peer. One message of any size goes through an empty queue.
const queueBytes = 64 << 20

// usualPatience is how long a peer whose queue is full may take nothing before it is hung up on. It comes back by itself
// when it reads again.
const usualPatience = 10 * time.Second

// peer is a client at the other end of a connection.
type peer struct {
	conn   *zmq4.Conn
	wire   *wire
	id     string // the identity that replies go to
	topics []string
	// patience is how long it may take nothing while its queue is full.
	patience time.Duration

	mu     sync.Mutex
	queue  []outgoing
	bytes  int           // in the queue
	still  bool          // everything has been handed to the system
	work   chan struct{} // one token: the queue is not empty
	room   chan struct{} // one token: something has left the queue
	closed chan struct{}
	close  func()
}

// outgoing is a message, or an answer to a PING.
type outgoing struct {
	frames [][]byte
	pong   bool
	size   int
}

func newPeer(w *wire) *peer {
	p := &peer{wire: w, still: true, patience: usualPatience, work: make(chan struct{}, 1), room: make(chan struct{}, 1), closed: make(chan struct{})}
	p.close = sync.OnceFunc(func() {
		close(p.closed)
		w.Close()
	})
	w.command = func(body []byte) {
		if context, ok := pingOf(body); ok {
			p.add(outgoing{frames: [][]byte{context}, pong: true, size: len(context)})
		}
	}
	return p
}

func token(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

func (p *peer) add(o outgoing) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.put(o)
}

// put is add for whoever holds mu.
func (p *peer) put(o outgoing) {
	p.queue = append(p.queue, o)
	p.bytes += o.size
	p.still = false
	token(p.work)
}

// sizeOf is how many bytes the frames of a message have.
func sizeOf(frames [][]byte) (size int) {
	for _, f := range frames {
		size += len(f)
	}
	return size
}

// send puts a message into the queue of a peer. Where that is full it waits as long as the peer reads; one that reads
// nothing is hung up on, and loses the message.
func (p *peer) send(frames [][]byte) error {
	size := sizeOf(frames)
	for {
		p.mu.Lock()
		full, patience := p.bytes > 0 && p.bytes+size > queueBytes, p.patience
		p.mu.Unlock()
		if !full {
			break
		}
		before := p.wire.sent.Load()
		waited := time.NewTimer(patience)
		select {
		case <-p.room:
		case <-p.closed:
		case <-waited.C:
			if p.wire.sent.Load() == before {
				p.close()
				return fmt.Errorf("it has read nothing for %v, while %d MiB waited for it", patience, queueBytes>>20)
			}
		}
		waited.Stop()
		select {
		case <-p.closed:
			return nil
		default:
		}
	}
	p.add(outgoing{frames: frames, size: size})
	return nil
}

// write sends what is in the queue until the connection ends.
func (p *peer) write() {
	defer p.close()
	for {
		p.mu.Lock()
		var next outgoing
		some := len(p.queue) > 0
		if some {
			next = p.queue[0]
		}
		p.mu.Unlock()
		if !some {
			if p.wire.w.Flush() != nil {
				return
			}
			p.mu.Lock()
			p.still = len(p.queue) == 0
			p.mu.Unlock()
			select {
			case <-p.work:
				continue
			case <-p.closed:
				return
			}
		}
		var err error
		if next.pong {
			err = p.conn.SendCmd(zmq4.CmdPong, next.frames[0])
		} else {
			err = p.conn.SendMsg(zmq4.NewMsgFrom(next.frames...))
		}
		if err != nil {
			return
		}
		p.mu.Lock()
		p.queue[0] = outgoing{}
		p.queue = p.queue[1:]
		p.bytes -= next.size
		p.mu.Unlock()
		token(p.room)
	}
}

// idle reports whether everything has been handed to the system.
func (p *peer) idle() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.still
}

// subscribe takes a subscription, or its end. welcome makes the message that a new one begins with: it is in the queue
// before anything else can be that is published to it.
func (p *peer) subscribe(frames [][]byte, welcome func(topic string) [][]byte) {
	if len(frames) != 1 || len(frames[0]) == 0 {
		return
	}
	topic := string(frames[0][1:])
	p.mu.Lock()
	defer p.mu.Unlock()
	switch i := slices.Index(p.topics, topic); {
	case frames[0][0] == 0 && i >= 0:
		p.topics = slices.Delete(p.topics, i, i+1)
	case frames[0][0] == 1 && i < 0 && len(p.topics) < maxTopics:
		p.topics = append(p.topics, topic)
		if message := welcome(topic); message != nil {
			p.put(outgoing{frames: message, size: sizeOf(message)})
		}
	}
}

// maxTopics is how many subscriptions of a peer are kept. Clients have one, of everything.
const maxTopics = 100

func (p *peer) subscribed(topic string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.ContainsFunc(p.topics, func(t string) bool { return strings.HasPrefix(topic, t) })
}

// open exchanges greetings with a peer. What zmq4 cannot read makes it panic.
func (p *peer) open(kind zmq4.SocketType) (err error) {
	defer caught(&err)
	if err := p.wire.SetDeadline(time.Now().Add(greetingTime)); err != nil {
		return err
	}
	if p.conn, err = zmq4.Open(p.wire, null.Security(), kind, nil, true, nil); err != nil {
		return err
	}
	p.wire.established.Store(true)
	return p.wire.SetDeadline(time.Time{})
}

// greetingTime is how long a peer may take to say who it is.
const greetingTime = 30 * time.Second

// receive is the next message of a peer.
func (p *peer) receive() (frames [][]byte, err error) {
	defer caught(&err)
	msg, err := p.conn.RecvMsg()
	return msg.Frames, err
}

func caught(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("what it sent cannot be read: %v", r)
	}
}
