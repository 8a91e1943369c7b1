package live

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Server answers browsers of this machine. Everything but the exchange of the token asks for a cookie, which no other
// site's page makes a browser send, and for a Host and an Origin that are the server's own: a name that somebody else
// has this machine's address for is refused, and so is another page. What changes anything is a POST, which has to name
// its origin.
//
// The page lies below a path that is drawn by chance, and so does its cookie: browsers send cookies to every port of a
// host, and this one is not for other servers.
type Server struct {
	live  *Live
	conns *connections
	hosts []string // that requests may name
	base  string   // path of the page, with its slashes

	mu     sync.Mutex
	token  string          // in the address that is printed
	once   map[string]bool // those in addresses that are opened for the user, each good for one browser
	cookie string
}

// Limits of what a request may cost.
const (
	headTime  = 10 * time.Second
	mostHead  = 16 << 10
	mostBody  = 4 << 10
	unread    = 30 * time.Second // a viewer that takes nothing for so long is cut off
	heartbeat = 15 * time.Second
	farewell  = 2 * time.Second // for viewers, of which one may read nothing
)

// Listen takes a port on loopback; 0 is any that is free.
func Listen(l *Live, port int) (*Server, error) {
	on, err := net.Listen("tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil && !errors.Is(err, syscall.EADDRINUSE) && !errors.Is(err, syscall.EACCES) {
		if six, err6 := net.Listen("tcp6", net.JoinHostPort("::1", strconv.Itoa(port))); err6 == nil {
			on, err = six, nil // a machine without IPv4
		}
	}
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("port %d is taken by another program: name another with --port, or leave it out to get one that is free", port)
	case errors.Is(err, syscall.EACCES):
		return nil, fmt.Errorf("port %d may not be opened by this user: name one from 1024 on with --port, or leave it out", port)
	case err != nil:
		return nil, fmt.Errorf("open a port on loopback: %w", err)
	}
	number := strconv.Itoa(on.Addr().(*net.TCPAddr).Port)
	s := &Server{live: l, base: "/" + secret(9) + "/", token: secret(32), cookie: secret(32), once: map[string]bool{}}
	for _, name := range []string{"127.0.0.1", "localhost", "[::1]"} {
		s.hosts = append(s.hosts, name+":"+number)
	}
	s.conns = newConnections(on, s)
	return s, nil
}

// secret is a text of so many random bytes.
func secret(n int) string {
	b := make([]byte, n)
	rand.Read(b) // never fails
	return base64.RawURLEncoding.EncodeToString(b)
}

// Address is what a browser opens to see the page. Once is good for one browser alone: for an address that others may
// see, as among the arguments of a process.
func (s *Server) Address(once bool) string {
	token := s.token
	if once {
		token = secret(32)
		s.mu.Lock()
		s.once[token] = true
		s.mu.Unlock()
	}
	return "http://" + s.conns.on.Addr().String() + s.base + "?token=" + token
}

// Serve answers until Close.
func (s *Server) Serve() error { return s.conns.serve() }

// Close lets files that are being written be completed, and viewers hear that the recording is over, and then ends all
// answers.
func (s *Server) Close() error {
	s.live.saving.Lock()
	defer s.live.saving.Unlock()
	return s.conns.close(farewell)
}

// refused says why a request is not answered; "" where it is.
func (s *Server) refused(r *http.Request) string {
	if !slices.Contains(s.hosts, r.Host) {
		return "this server answers under the name that astrolabe printed only"
	}
	if from := r.Header["Origin"]; len(from) > 1 || len(from) == 1 && !s.own(from[0]) {
		return "a page of another origin asked"
	} else if len(from) == 0 && r.Method == http.MethodPost {
		return "a request that changes something must say what page it is from"
	}
	return ""
}

// own reports whether an origin is this server's.
func (s *Server) own(origin string) bool {
	host, ok := strings.CutPrefix(origin, "http://")
	return ok && slices.Contains(s.hosts, host)
}

// admitted reports whether the cookie is the one that the token was exchanged for.
func (s *Server) admitted(r *http.Request) bool {
	c, err := r.Cookie(s.cookieName())
	return err == nil && subtle.ConstantTimeCompare([]byte(c.Value), []byte(s.cookie)) == 1
}

// cookieName tells servers of several ports of a host apart.
func (s *Server) cookieName() string {
	return "astrolabe-" + strconv.Itoa(s.conns.on.Addr().(*net.TCPAddr).Port)
}

// takes reports whether a token is good, and uses one up that is good once.
func (s *Server) takes(token string) bool {
	if subtle.ConstantTimeCompare([]byte(token), []byte(s.token)) == 1 {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	good := s.once[token]
	delete(s.once, token)
	return good
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-store")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	if why := s.refused(r); why != "" {
		http.Error(w, why, http.StatusForbidden)
		return
	}
	name, ok := strings.CutPrefix(r.URL.Path, s.base)
	if ok && name == "" && r.Method == http.MethodGet && r.URL.Query().Has("token") {
		s.exchange(w, r)
		return
	}
	// A request that another page made the browser send has no cookie; browsers say besides whose page it was.
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" && site != "same-origin" && site != "none" {
		http.Error(w, "a page of another site asked", http.StatusForbidden)
		return
	}
	if !s.admitted(r) {
		http.Error(w, "open the address that astrolabe printed: this browser has not shown its token", http.StatusForbidden)
		return
	}
	method, answer := s.answerOf(name)
	switch {
	case !ok || answer == nil:
		http.NotFound(w, r)
	case r.Method != method:
		h.Set("Allow", method)
		http.Error(w, "this is asked for by "+method, http.StatusMethodNotAllowed)
	default:
		r.Body = http.MaxBytesReader(w, r.Body, mostBody)
		answer(w, r)
	}
}

// answerOf is what a browser that was admitted may ask for, by the rest of the path, and how.
func (s *Server) answerOf(name string) (method string, answer http.HandlerFunc) {
	switch name {
	case "":
		return http.MethodGet, s.page
	case "events":
		return http.MethodGet, s.events
	case "judged":
		return http.MethodGet, s.judged
	case "mark":
		return http.MethodPost, s.mark
	case "save":
		return http.MethodPost, s.save
	}
	return "", nil
}

// exchange gives a cookie for the token, and leads to the address without it.
func (s *Server) exchange(w http.ResponseWriter, r *http.Request) {
	if !s.takes(r.URL.Query().Get("token")) {
		http.Error(w, "this token is not good, or no longer: open the address that astrolabe printed", http.StatusForbidden)
		return
	}
	http.SetCookie(w, &http.Cookie{Name: s.cookieName(), Value: s.cookie, Path: s.base, HttpOnly: true,
		SameSite: http.SameSiteStrictMode})
	http.Redirect(w, r, s.base, http.StatusSeeOther)
}
