package lsp

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"go.lsp.dev/jsonrpc2"
)

// gate is a client that is read from a reader.
type gate struct {
	io.Reader
	out bytes.Buffer
}

func (g *gate) Write(p []byte) (int, error) { return g.out.Write(p) }

func (g *gate) Close() error { return nil }

func TestWhatIsTakenBackWhileItWaitsIsNotWorkedOn(t *testing.T) {
	ask := func(id, method string) string {
		return frame(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":{"query":""}}`, id, method))
	}
	cancel := func(id string) string {
		return frame(fmt.Sprintf(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":%s}}`, id))
	}
	in := newInbox(newStream(&gate{Reader: strings.NewReader(ask("1", "a") + ask("2", "b") + ask(`"x"`, "c") +
		cancel("2") + cancel(`"x"`) + cancel("7") + cancel("[]") + ask("3", "d"))}))
	in.mu.Lock()
	for in.err == nil { // all has been read
		in.changed.Wait()
	}
	in.mu.Unlock()
	var got []string
	for {
		msg, _, err := in.Read(t.Context())
		if err != nil {
			if err != io.EOF {
				t.Error(err)
			}
			break
		}
		call := msg.(interface{ Method() string })
		ctx, end, taken := in.begin(t.Context(), idOf(msg))
		if ctx.Err() != nil {
			t.Error("what begins has ended")
		}
		end()
		got = append(got, fmt.Sprintf("%s %v", call.Method(), taken))
	}
	if want := "a false b true c true d false"; strings.Join(got, " ") != want {
		t.Errorf("%q, want %q", got, want)
	}
	if len(in.cancelled) != 0 {
		t.Errorf("%d requests are remembered", len(in.cancelled))
	}
}

func TestWhatIsBeingWorkedOnHearsThatItIsTakenBack(t *testing.T) {
	r, w := io.Pipe()
	in := newInbox(newStream(&gate{Reader: r}))
	go io.WriteString(w, frame(`{"jsonrpc":"2.0","id":5,"method":"a"}`))
	msg, _, err := in.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ctx, end, _ := in.begin(t.Context(), idOf(msg))
	defer end()
	go io.WriteString(w, frame(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":5}}`))
	<-ctx.Done()
	in.Close()
	if _, _, err := in.Read(context.Background()); err == nil {
		t.Error("a closed connection has messages")
	}
	w.Close()
}

// idOf is the id of a request.
func idOf(msg jsonrpc2.Message) jsonrpc2.ID {
	call, _ := msg.(*jsonrpc2.Call)
	return call.ID()
}
