package kernel

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"time"

	"github.com/go-zeromq/zmq4"
)

// maxPeers is how many clients a socket has at a time.
const maxPeers = 200

// socket is one of the kernel's: a router, which answers the peer that asked, or a publisher.
type socket struct {
	name     string
	kind     zmq4.SocketType
	listener net.Listener
	path     string // of a socket that is a file
	log      func(format string, args ...any)
	// received takes a message of a peer; it is called by one goroutine of each peer.
	received func(p *peer, frames [][]byte)
	// welcome makes what a peer of a publisher is told first when it has subscribed to more; nil for nothing.
	welcome func(topic string) [][]byte

	mu     sync.Mutex
	peers  map[*peer]bool
	byID   map[string]*peer
	closed bool
}

// listen opens a socket at an address; serve begins to accept.
func listen(name string, kind zmq4.SocketType, network, address string) (*socket, error) {
	l, err := net.Listen(network, address)
	if err != nil {
		return nil, fmt.Errorf("the %s socket: %w", name, err)
	}
	s := &socket{name: name, kind: kind, listener: l, peers: map[*peer]bool{}, byID: map[string]*peer{}}
	if network == "unix" {
		s.path = address
	}
	return s, nil
}

// serve accepts peers until the socket is closed.
func (s *socket) serve() {
	for {
		conn, err := s.listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // such as too many open files: others may be closed meanwhile
			time.Sleep(100 * time.Millisecond)
			continue
		}
		go s.attend(conn)
	}
}

// attend talks to one peer until it is gone.
func (s *socket) attend(conn net.Conn) {
	p := newPeer(newWire(conn))
	defer p.close()
	s.mu.Lock()
	crowded := len(s.peers) >= maxPeers || s.closed
	if !crowded {
		s.peers[p] = true
	}
	s.mu.Unlock()
	if crowded {
		s.log("%s: a client was refused: there are %d", s.name, maxPeers)
		return
	}
	defer s.leave(p)
	if err := p.open(s.kind); err != nil {
		if !isEnd(err) { // who looks whether somebody listens says nothing
			s.log("%s: a client could not connect: %v", s.name, err)
		}
		return
	}
	s.enter(p)
	go p.write()
	for {
		frames, err := p.receive()
		if err != nil {
			if !isEnd(err) {
				s.log("%s: a client was hung up on: %v", s.name, err)
			}
			return
		}
		if s.kind == zmq4.Pub {
			p.subscribe(frames, s.welcome)
		} else if s.received != nil {
			s.received(p, frames)
		}
	}
}

// isEnd reports whether an error is only that a connection ended, in whatever way.
func isEnd(err error) bool {
	var network net.Error
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) ||
		errors.As(err, &network) && !network.Timeout()
}

// enter lets replies reach a peer. One that comes back gets those to what it asked before, too.
func (s *socket) enter(p *peer) {
	p.id = p.conn.Peer.Meta["Identity"]
	if p.id == "" {
		p.id = "\x00" + rand.Text()
	}
	s.mu.Lock()
	s.byID[p.id] = p
	s.mu.Unlock()
}

func (s *socket) leave(p *peer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.peers, p)
	if s.byID[p.id] == p {
		delete(s.byID, p.id)
	}
}

// reply sends a message to who asked: on the connection that the request came by, or where that is gone on the newest of
// the same identity, if there is one.
func (s *socket) reply(p *peer, frames [][]byte) {
	select {
	case <-p.closed:
		s.mu.Lock()
		p = s.byID[p.id]
		s.mu.Unlock()
	default:
	}
	if p != nil {
		s.send(p, frames)
	}
}

// publish sends a message to those who subscribed to its topic, its first frame.
func (s *socket) publish(frames [][]byte) {
	topic := string(frames[0])
	for _, p := range s.present() {
		if p.subscribed(topic) {
			s.send(p, frames)
		}
	}
}

func (s *socket) send(p *peer, frames [][]byte) {
	if err := p.send(frames); err != nil {
		s.log("%s: a client was hung up on: %v", s.name, err)
	}
}

func (s *socket) present() []*peer {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]*peer, 0, len(s.peers))
	for p := range s.peers {
		out = append(out, p)
	}
	return out
}

// drain waits until every peer was sent what is in its queue, or has taken nothing for a while.
func (s *socket) drain() {
	for _, p := range s.present() {
		for stuck := 0; stuck < 100 && !p.idle(); stuck++ {
			before := p.wire.sent.Load()
			select {
			case <-p.closed:
				stuck = 100
			case <-time.After(10 * time.Millisecond):
			}
			if p.wire.sent.Load() != before {
				stuck = 0
			}
		}
	}
}

func (s *socket) close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.listener.Close()
	for _, p := range s.present() {
		p.close()
	}
	if s.path != "" {
		os.Remove(s.path)
	}
}
