package live

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// net/http reads requests and knows what headers mean. Its server is not used: what it brings along for other servers,
// such as TLS, is 2 MB of program. Here a connection has one request, and its end is that of the answer.

// mostConnections are open at a time. Browsers open some that they send nothing on.
const mostConnections = 128

// connections are those of a listener, each with its request.
type connections struct {
	on     net.Listener
	answer http.Handler
	room   chan struct{}
	ctx    context.Context // of requests
	stop   context.CancelFunc
	open   sync.WaitGroup
	asked  atomic.Bool // there has been one
}

func newConnections(on net.Listener, answer http.Handler) *connections {
	c := &connections{on: on, answer: answer, room: make(chan struct{}, mostConnections)}
	c.ctx, c.stop = context.WithCancel(context.Background())
	return c
}

// serve accepts connections until close.
func (c *connections) serve() error {
	for {
		c.room <- struct{}{}
		conn, err := c.on.Accept()
		if errors.Is(err, net.ErrClosed) {
			return nil
		}
		if err != nil { // such as too many open files, which passes
			<-c.room
			select {
			case <-time.After(100 * time.Millisecond):
				continue
			case <-c.ctx.Done():
				return nil
			}
		}
		c.asked.Store(true)
		c.open.Go(func() {
			defer func() { <-c.room }()
			c.one(conn)
		})
	}
}

// close gives the connections that there are some time to end, and then ends them. Pages that hear of the end still
// fetch what was told just before it: connections are taken until there have been none for a while.
func (c *connections) close(grace time.Duration) error {
	if c.ctx.Err() != nil {
		return nil
	}
	const turn, while = 10 * time.Millisecond, 50
	over := time.Now().Add(grace)
	for quiet := 0; c.asked.Load() && quiet < while && time.Now().Before(over); quiet++ {
		time.Sleep(turn)
		if len(c.room) > 1 { // serve holds one place for the next
			quiet = 0
		}
	}
	err := c.on.Close()
	gone := make(chan struct{})
	go func() {
		c.open.Wait()
		close(gone)
	}()
	select {
	case <-gone:
	case <-time.After(time.Until(over)):
	}
	c.stop()
	<-gone
	return err
}

// one answers the request of a connection.
func (c *connections) one(conn net.Conn) {
	ctx, stop := context.WithCancel(c.ctx)
	defer stop()
	defer conn.Close()
	defer context.AfterFunc(c.ctx, func() { _ = conn.Close() })() // whoever waits for the other end stops with the server
	_ = conn.SetDeadline(time.Now().Add(headTime))
	in := bufio.NewReader(io.LimitReader(conn, mostHead+mostBody))
	w := &answerer{conn: conn, out: bufio.NewWriter(conn), header: http.Header{}}
	r, err := http.ReadRequest(in)
	if err != nil {
		if !errors.Is(err, io.EOF) {
			http.Error(w, "this is no request of HTTP/1.1 that is answered here", http.StatusBadRequest)
		}
		w.end()
		return
	}
	w.bare = r.Method == http.MethodHead
	_ = conn.SetReadDeadline(time.Time{})
	_ = conn.SetWriteDeadline(time.Now().Add(unread))
	if r.ContentLength == 0 {
		go func() { // nothing more comes but the end
			_, _ = io.Copy(io.Discard, in)
			stop()
		}()
	}
	c.ask(w, r.WithContext(ctx))
	w.end()
	// What was sent and not read would have the system throw the answer away.
	if half, ok := conn.(interface{ CloseWrite() error }); ok && half.CloseWrite() == nil && r.ContentLength != 0 {
		_ = conn.SetReadDeadline(time.Now().Add(farewell))
		_, _ = io.Copy(io.Discard, in)
	}
}

// ask has a request answered. The recording goes on whatever becomes of the answer, such as a report that is saved.
func (c *connections) ask(w http.ResponseWriter, r *http.Request) {
	defer func() {
		if p := recover(); p != nil {
			http.Error(w, fmt.Sprintf("a defect of astrolabe kept it from answering: %v", p), http.StatusInternalServerError)
		}
	}()
	c.answer.ServeHTTP(w, r)
}

// answerer is the http.ResponseWriter of a connection with one request.
type answerer struct {
	conn   net.Conn
	out    *bufio.Writer
	header http.Header
	begun  bool
	bare   bool // without a body
}

func (a *answerer) Header() http.Header { return a.header }

func (a *answerer) WriteHeader(status int) {
	if a.begun {
		return
	}
	a.begun = true
	fmt.Fprintf(a.out, "HTTP/1.1 %d %s\r\n", status, http.StatusText(status))
	a.header.Set("Connection", "close")
	_ = a.header.Write(a.out) // a bufio.Writer keeps its error
	_, _ = a.out.WriteString("\r\n")
}

func (a *answerer) Write(p []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	if a.bare {
		return len(p), nil
	}
	return a.out.Write(p)
}

// FlushError and SetWriteDeadline are for http.ResponseController.
func (a *answerer) FlushError() error                   { return a.out.Flush() }
func (a *answerer) SetWriteDeadline(at time.Time) error { return a.conn.SetWriteDeadline(at) }

// end sends what has not been sent.
func (a *answerer) end() {
	a.WriteHeader(http.StatusOK)
	_ = a.out.Flush() // who went away misses nothing
}
