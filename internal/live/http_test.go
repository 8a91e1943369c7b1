package live

import (
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestAnAnswerThatFailsEndsNoRecording(t *testing.T) {
	on, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := newConnections(on, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/broken" {
			panic("nothing there")
		}
		_, _ = io.WriteString(w, "fine")
	}))
	served := make(chan error, 1)
	go func() { served <- c.serve() }()
	for _, want := range []struct {
		path, says string
		status     int
	}{{"/broken", "nothing there", 500}, {"/", "fine", 200}} {
		answer, err := http.Get("http://" + on.Addr().String() + want.path)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil || answer.StatusCode != want.status || !strings.Contains(string(text), want.says) {
			t.Errorf("%s: status %d, %q, %v", want.path, answer.StatusCode, text, err)
		}
	}
	for range 2 { // the second has nothing to do
		if err := c.close(time.Second); err != nil {
			t.Error(err)
		}
	}
	if err := <-served; err != nil {
		t.Error(err)
	}
}
