package live

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"net/http"
	"os"
	"strconv"
	"time"

	"astrolabe/plots/canvas"
	"astrolabe/plots/documents"
	"astrolabe/plots/interactive"
)

//go:embed assets
var assets embed.FS

func asset(name string) string {
	data, err := assets.ReadFile("assets/" + name)
	if err != nil {
		panic(err) // they are part of the program
	}
	return string(data)
}

// page is the page itself, without a bucket: those come as events.
func (s *Server) page(w http.ResponseWriter, r *http.Request) {
	l := s.live
	select {
	case <-l.begun:
	case <-r.Context().Done():
		return
	case <-time.After(headTime):
		w.Header().Set("Refresh", "1")
		http.Error(w, "No sample has been measured yet.", http.StatusServiceUnavailable)
		return
	}
	l.hub.mu.Lock()
	data, err := l.lanes.Layout()
	l.hub.mu.Unlock()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	scripts := []string{interactive.Script(true), asset("live.js")}
	style := documents.LiveStyle() + interactive.Style() + asset("live.css")
	policy := interactive.Policy(scripts, []string{style}) + "; connect-src 'self'"
	title := html.EscapeString(canvas.Undirected(l.o.Title))
	h := w.Header()
	h.Set("Content-Security-Policy", policy+"; frame-ancestors 'none'")
	h.Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprintf(w, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"+
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>%s</title>\n<style>%s</style>\n"+
		"</head>\n<body>\n<main>\n<h1>%s</h1>\n%s</main>\n<script type=\"text/plain\" id=\"astrolabe-data\">%s</script>\n",
		title, style, title, fmt.Sprintf(asset("live.html"), l.o.Last.Nanoseconds()), data)
	for _, text := range scripts {
		fmt.Fprintf(w, "<script>%s</script>\n", text)
	}
	fmt.Fprint(w, "</body>\n</html>\n")
}

// events sends a viewer what is new for as long as it reads.
func (s *Server) events(w http.ResponseWriter, r *http.Request) {
	after := int64(-1)
	for _, text := range []string{r.URL.Query().Get("after"), r.Header.Get("Last-Event-ID")} { // the browser's own is newer
		if n, err := strconv.ParseInt(text, 10, 64); err == nil && n >= 0 {
			after = n
		}
	}
	hub := &s.live.hub
	v := hub.join(after)
	if v == nil {
		http.Error(w, fmt.Sprintf("%d pages are open already", mostViewers), http.StatusServiceUnavailable)
		return
	}
	cut := false
	defer func() { hub.leave(v, cut) }()
	w.Header().Set("Content-Type", "text/event-stream")
	to := http.NewResponseController(w)
	alive := time.NewTicker(heartbeat)
	defer alive.Stop()
	for {
		text, wake, over := hub.next(v)
		for len(text) == 0 && !over {
			select {
			case <-wake:
			case <-alive.C:
				text = []byte(": the connection is there\n\n")
				continue
			case <-r.Context().Done():
				return
			}
			text, wake, over = hub.next(v)
		}
		_ = to.SetWriteDeadline(time.Now().Add(unread)) // a connection of net/http has one
		_, err := w.Write(text)
		if err == nil {
			err = to.Flush()
		}
		if err != nil || over {
			cut = errors.Is(err, os.ErrDeadlineExceeded)
			return
		}
	}
}

// judged is what the script says of the last samples.
func (s *Server) judged(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(s.live.judged.body()) // who went away misses nothing
}

// read takes the request of a page.
func read[T any](w http.ResponseWriter, r *http.Request) (request T, ok bool) {
	if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
		http.Error(w, "the request cannot be read: "+err.Error(), http.StatusBadRequest)
		return request, false
	}
	return request, true
}

func answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // who went away misses nothing
}

// mark marks this moment of the recording.
func (s *Server) mark(w http.ResponseWriter, r *http.Request) {
	request, ok := read[struct{ Name string }](w, r)
	if !ok {
		return
	}
	if err := s.live.o.Mark(request.Name); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	answer(w, struct{}{})
}

// save writes what is kept into a file, which the user's folder gets and not the browser.
func (s *Server) save(w http.ResponseWriter, r *http.Request) {
	request, ok := read[struct{ As string }](w, r)
	if !ok {
		return
	}
	l := s.live
	if !l.saving.TryLock() {
		http.Error(w, "a file is being written already", http.StatusConflict)
		return
	}
	defer l.saving.Unlock()
	kept := l.saved(l.o.Last)
	if len(kept.Batches) == 0 {
		http.Error(w, "there is no sample yet", http.StatusConflict)
		return
	}
	var path string
	var err error
	switch request.As {
	case "capture":
		path, err = l.o.SaveCapture(kept)
	case "report":
		path, err = l.o.SaveReport(r.Context(), kept)
	default:
		http.Error(w, fmt.Sprintf("saved is as a capture or a report, not as %q", request.As), http.StatusBadRequest)
		return
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	answer(w, map[string]string{"path": path})
}
