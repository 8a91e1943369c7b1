package live

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/cookiejar"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"astrolabe/capture"
	"astrolabe/hwio"
)

// model is a source of counters that remembers all that it gave.
type model struct {
	counters int
	rows     atomic.Int64
	given    [][]uint64 // by column; of the stream's goroutine until the recording is over
}

func (m *model) Name() string                                     { return "model" }
func (m *model) Doc() string                                      { return "counts what it was asked" }
func (m *model) Probe(context.Context) hwio.Status                { return hwio.Status{Usable: true} }
func (m *model) Counters(context.Context) ([]capture.Meta, error) { return nil, nil }
func (m *model) Close() error                                     { return nil }
func (m *model) Open(context.Context, hwio.Request) (hwio.Stream, error) {
	m.given = make([][]uint64, m.counters)
	return &modelStream{m: m}, nil
}

type modelStream struct {
	m     *model
	begun bool
	seed  uint64
}

func (s *modelStream) Close() error { return nil }
func (s *modelStream) Schema() *capture.Schema {
	out := &capture.Schema{}
	for i := range s.m.counters {
		out.Columns = append(out.Columns, capture.ColumnSpec{Integer: true,
			Meta: capture.Meta{Name: fmt.Sprintf("counter_%03d", i), Kind: capture.Delta, Unit: "events"}})
	}
	return out
}

func (s *modelStream) Read(_ context.Context, b *capture.Batch) error {
	if !s.begun {
		s.begun = true
		return nil
	}
	for i := range s.m.counters {
		s.seed = s.seed*6364136223846793005 + 1442695040888963407
		v := s.seed >> 44
		b.AppendInt(i, v)
		s.m.given[i] = append(s.m.given[i], v)
	}
	s.m.rows.Add(1)
	return nil
}

// running is a Live that records a model and is served.
type running struct {
	live   *Live
	server *Server
	model  *model
	marker hwio.Marker
	stop   context.CancelFunc
	over   sync.WaitGroup
	err    error
}

// run records a model until stop is called.
func run(t *testing.T, counters int, period time.Duration, o Options) *running {
	t.Helper()
	r := &running{model: &model{counters: counters}}
	o.Title, o.Period, o.Mark = "a <model>", period, r.marker.Mark
	if o.Last == 0 {
		o.Last = time.Minute
	}
	o.Refresh = 20 * time.Millisecond
	r.live = New(o)
	var err error
	if r.server, err = Listen(r.live, 0); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	r.stop = stop
	ended := make(chan struct{})
	r.over.Go(func() {
		defer close(ended)
		_, err := hwio.Record(ctx, hwio.Options{Sources: []hwio.Source{r.model}, Period: period, Marker: &r.marker,
			FlushEvery: 10 * time.Millisecond, Create: r.live.Create})
		if errors.Is(err, hwio.ErrNeedsLinux) {
			err = nil
		}
		r.err = errors.Join(r.err, err)
	})
	shown := make(chan error, 1)
	go func() { shown <- r.live.Run(ctx, ended) }()
	r.over.Go(func() {
		if err := r.server.Serve(); err != nil {
			t.Error(err)
		}
	})
	var once sync.Once
	r.stop = func() {
		once.Do(func() {
			stop()
			<-ended
			if err := <-shown; err != nil {
				t.Error(err)
			}
			if err := r.server.Close(); err != nil {
				t.Error(err)
			}
			r.over.Wait()
			if r.err != nil {
				t.Error(r.err)
			}
		})
	}
	t.Cleanup(r.stop)
	return r
}

// browser is a client that was admitted.
func browser(t *testing.T, s *Server) *http.Client {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	c := &http.Client{Jar: jar}
	answer, err := c.Get(s.Address(false))
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusOK || answer.Request.URL.RawQuery != "" {
		t.Fatalf("%s at %s", answer.Status, answer.Request.URL)
	}
	return c
}

// root is the address of the page without its token.
func root(s *Server) string { before, _, _ := strings.Cut(s.Address(false), "?"); return before }

func TestWhoIsNotAdmittedIsRefused(t *testing.T) {
	saved := atomic.Int64{}
	r := run(t, 3, time.Millisecond, Options{SaveCapture: func(*hwio.Saved) (string, error) {
		saved.Add(1)
		return "x.arrow", nil
	}})
	friend := browser(t, r.server)
	base := root(r.server)
	origin := "http://" + r.server.conns.on.Addr().String()
	_, port, _ := net.SplitHostPort(r.server.conns.on.Addr().String())
	type request struct {
		name, method, path, host, origin, site string
		cookie                                 bool
		want                                   int
	}
	list := []request{
		{name: "no token", method: "GET", want: 403},
		{name: "a wrong token", method: "GET", path: "?token=" + secret(32), want: 403},
		{name: "an empty token", method: "GET", path: "?token=", want: 403},
		{name: "a wrong token with the cookie", method: "GET", path: "?token=x", cookie: true, want: 403},
		{name: "the cookie", method: "GET", cookie: true, want: 200},
		{name: "the cookie, as localhost", method: "GET", cookie: true, host: "localhost:" + port, want: 200},
		{name: "the cookie, as ::1", method: "GET", cookie: true, host: "[::1]:" + port, want: 200},
		{name: "the cookie, as another host", method: "GET", cookie: true, host: "evil.example:" + port, want: 403},
		{name: "the cookie, as a host that begins alike", method: "GET", cookie: true, host: "localhost.evil.example:" + port, want: 403},
		{name: "the cookie, at another port", method: "GET", cookie: true, host: "127.0.0.1:1", want: 403},
		{name: "the cookie, without a port", method: "GET", cookie: true, host: "127.0.0.1", want: 403},
		{name: "the cookie, from another origin", method: "GET", cookie: true, origin: "http://evil.example", want: 403},
		{name: "the cookie, from no origin", method: "GET", cookie: true, origin: "null", want: 403},
		{name: "the cookie, from another port's page", method: "GET", cookie: true, origin: "http://127.0.0.1:1", want: 403},
		{name: "the cookie, from https", method: "GET", cookie: true, origin: "https://127.0.0.1:" + port, want: 403},
		{name: "the cookie, from the same site's other page", method: "GET", cookie: true, site: "same-site", want: 403},
		{name: "events without the cookie", method: "GET", path: "events", want: 403},
		{name: "judged without the cookie", method: "GET", path: "judged", want: 403},
		{name: "a mark by GET", method: "GET", path: "mark", cookie: true, want: 405},
		{name: "a save by GET", method: "GET", path: "save", cookie: true, want: 405},
		{name: "a save by HEAD", method: "HEAD", path: "save", cookie: true, want: 405},
		{name: "a save by PUT", method: "PUT", path: "save", cookie: true, origin: origin, want: 405},
		{name: "a save without an origin", method: "POST", path: "save", cookie: true, want: 403},
		{name: "a save from another origin", method: "POST", path: "save", cookie: true, origin: "http://evil.example", want: 403},
		{name: "a save without the cookie", method: "POST", path: "save", origin: origin, want: 403},
		{name: "the page by POST", method: "POST", cookie: true, origin: origin, want: 405},
		{name: "what is not there", method: "GET", path: "etc", cookie: true, want: 404},
		{name: "a save", method: "POST", path: "save", cookie: true, origin: origin, want: 200},
		{name: "a mark", method: "POST", path: "mark", cookie: true, origin: origin, want: 400}, // without a name
	}
	for _, q := range list {
		req, err := http.NewRequest(q.method, base+q.path, strings.NewReader(`{"As": "capture"}`))
		if err != nil {
			t.Fatal(err)
		}
		req.Host = q.host
		if q.origin != "" {
			req.Header.Set("Origin", q.origin)
		}
		if q.site != "" {
			req.Header.Set("Sec-Fetch-Site", q.site)
		}
		if q.cookie {
			for _, c := range friend.Jar.Cookies(req.URL) {
				req.AddCookie(c)
			}
		}
		answer, err := http.DefaultTransport.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != q.want {
			t.Errorf("%s: %s, want %d", q.name, answer.Status, q.want)
		}
	}
	if n := saved.Load(); n != 1 {
		t.Errorf("%d files were saved, want 1", n)
	}
}

// The secret leaves the address at once, and what is opened for the user is good for one browser.
func TestTheTokenIsExchanged(t *testing.T) {
	r := run(t, 1, time.Millisecond, Options{})
	for _, once := range []bool{false, true} {
		address := r.server.Address(once)
		for i, want := range []int{303, map[bool]int{false: 303, true: 403}[once]} {
			req, _ := http.NewRequest("GET", address, nil)
			answer, err := http.DefaultTransport.RoundTrip(req)
			if err != nil {
				t.Fatal(err)
			}
			answer.Body.Close()
			if answer.StatusCode != want {
				t.Errorf("once %v, time %d: %s, want %d", once, i+1, answer.Status, want)
			}
			if answer.StatusCode != 303 {
				continue
			}
			cookie := answer.Header.Get("Set-Cookie")
			to := answer.Header.Get("Location")
			if strings.Contains(to, "token") || !strings.HasPrefix(to, "/") || !strings.Contains(cookie, "; HttpOnly") ||
				!strings.Contains(cookie, "; SameSite=Strict") || !strings.Contains(cookie, "Path="+to+";") {
				t.Errorf("to %q with %q", to, cookie)
			}
		}
	}
}

func TestAPortThatIsTakenIsSaid(t *testing.T) {
	on, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer on.Close()
	port := on.Addr().(*net.TCPAddr).Port
	if _, err := Listen(New(Options{}), port); err == nil ||
		!strings.Contains(err.Error(), fmt.Sprintf("port %d is taken", port)) {
		t.Errorf("%v", err)
	}
}

// reader collects the samples that a viewer is sent.
type reader struct {
	rows, missed int64
	last         string
	marks        []string
	status       status
	ended        bool
}

// read reads events until the recording ends or stop says so.
func (v *reader) read(t *testing.T, c *http.Client, address string, stop func() bool) {
	t.Helper()
	answer, err := c.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	in := bufio.NewScanner(answer.Body)
	in.Buffer(nil, 64<<20)
	name := ""
	for in.Scan() && !v.ended && !(stop != nil && stop()) {
		line := in.Text()
		switch word, rest, _ := strings.Cut(line, ": "); word {
		case "event":
			name = rest
		case "id":
			v.last = rest
		case "data":
			switch name {
			case "append":
				var e struct{ Rows []int64 }
				if err := json.Unmarshal([]byte(rest), &e); err != nil {
					t.Fatal(err)
				}
				for _, n := range e.Rows {
					v.rows += n
				}
			case "missed":
				if err := json.Unmarshal([]byte(rest), &v.missed); err != nil {
					t.Fatal(err)
				}
			case "bands":
				var list []struct{ Kind, Label string }
				if err := json.Unmarshal([]byte(rest), &list); err != nil {
					t.Fatal(err)
				}
				v.marks = nil
				for _, b := range list {
					if b.Kind == "mark" {
						v.marks = append(v.marks, b.Label)
					}
				}
			case "status":
				if err := json.Unmarshal([]byte(rest), &v.status); err != nil {
					t.Fatal(err)
				}
			case "end":
				v.ended = true
			}
		}
	}
}

// Of two viewers one never reads. No sample is lost, and what is saved is what the source gave.
func TestAViewerThatNeverReadsCostsNoSample(t *testing.T) {
	length, counters, period := 20*time.Second, 200, time.Millisecond
	if testing.Short() {
		length, counters = 2*time.Second, 50
	}
	var saved *capture.Capture
	r := run(t, counters, period, Options{SaveCapture: func(s *hwio.Saved) (path string, err error) {
		saved, err = s.Capture()
		return "", err
	}})
	good := browser(t, r.server)
	asleep, err := net.Dial("tcp", r.server.conns.on.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer asleep.Close()
	var cookies []string
	req, _ := http.NewRequest("GET", root(r.server), nil)
	for _, c := range good.Jar.Cookies(req.URL) {
		cookies = append(cookies, c.Name+"="+c.Value)
	}
	fmt.Fprintf(asleep, "GET %sevents HTTP/1.1\r\nHost: %s\r\nCookie: %s\r\n\r\n", r.server.base, r.server.conns.on.Addr(), strings.Join(cookies, "; "))

	var v reader
	var reading sync.WaitGroup
	reading.Go(func() { v.read(t, good, root(r.server)+"events", nil) })
	time.Sleep(length)
	if err := r.marker.Mark("here"); err != nil {
		t.Error(err)
	}
	for marked := false; !marked; {
		time.Sleep(5 * time.Millisecond)
		r.live.hub.mu.Lock()
		marked = len(r.live.own.list) > 0
		r.live.hub.mu.Unlock()
	}
	if n, _, _ := r.live.hub.watched(); n != 2 {
		t.Errorf("there are %d viewers, want 2", n)
	}
	r.stop() // the recording ends first: the rest is what it gave
	reading.Wait()
	if _, err := r.live.o.SaveCapture(r.live.saved(time.Hour)); err != nil {
		t.Fatal(err)
	}
	given := int(r.model.rows.Load())
	if saved.Len() != given || v.rows != int64(given) || v.missed != 0 || !v.ended {
		t.Errorf("%d samples were given, %d are saved, %d were shown and %d missed, ended %v", given, saved.Len(), v.rows,
			v.missed, v.ended)
	}
	for i, want := range r.model.given {
		column := saved.Counter(fmt.Sprintf("counter_%03d", i)).Floats()
		for k, x := range column {
			if x != float64(want[k]) {
				t.Fatalf("counter %d, sample %d is %v, the source gave %d", i, k, x, want[k])
			}
		}
	}
	if len(v.marks) != 1 || v.marks[0] != "here" || len(saved.Regions) != 1 || saved.Regions[0].Name != "here" {
		t.Errorf("marks %q and regions %+v", v.marks, saved.Regions)
	}
	t.Logf("%d samples of %d counters", given, counters)
}
