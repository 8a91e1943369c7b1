package kernel

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"io"
	"net"
	"testing"
)

// fed is a connection whose peer has said all that it will say.
type fed struct {
	net.Conn
	io.Reader
}

func (f fed) Read(p []byte) (int, error) { return f.Reader.Read(p) }

// FuzzWire reads what a peer may send. What is handed on is what came without commands, and never more than a message
// may have.
func FuzzWire(f *testing.F) {
	frame := func(flags byte, body string) string { return string([]byte{flags, byte(len(body))}) + body }
	f.Add([]byte(frame(flagMore, "a")+frame(0, "b")), true)
	f.Add([]byte(frame(flagCommand, "\x04PING\x00\x00ctx")+frame(0, "")), true)
	f.Add(binary.BigEndian.AppendUint64([]byte{flagLong}, 1<<62), true)
	f.Add(binary.BigEndian.AppendUint64([]byte{flagLong | flagCommand}, 5), false)
	f.Fuzz(func(t *testing.T, sent []byte, established bool) {
		w := newWire(fed{Reader: io.MultiReader(bytes.NewReader(make([]byte, greetingBytes)), bytes.NewReader(sent))})
		commands := 0
		w.command = func(body []byte) {
			commands += len(body)
			if context, ok := pingOf(body); ok && len(context) > len(body)-7 {
				t.Fatalf("a context of %d bytes in a command of %d", len(context), len(body))
			}
		}
		w.established.Store(established)
		got, err := io.ReadAll(w)
		heads := len(sent) - (len(got) - greetingBytes) - commands // of commands that were taken out
		if heads < 0 || heads > 0 && err == nil && !established {
			t.Fatalf("%d bytes became %d, and %d of commands", len(sent), len(got)-greetingBytes, commands)
		}
	})
}

// FuzzMessage parses frames. What is a message is one again when it is composed from its parts.
func FuzzMessage(f *testing.F) {
	s, err := newSigner("", "key")
	if err != nil {
		f.Fatal(err)
	}
	for _, content := range []any{map[string]string{"code": "1"}, []int{1}, nil} {
		frames, err := s.compose(newHeader("s", "execute_request"), nil, emptyObject, content)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(bytes.Join(frames, []byte("\n")), true)
	}
	f.Add([]byte("<IDS|MSG>\n\n{}\n{}\n{}\n{}"), true)
	f.Add([]byte("id\n<IDS|MSG>\n\n{\"msg_id\": 5}\n{}\n{}\n{}"), false)
	f.Fuzz(func(t *testing.T, joined []byte, sign bool) {
		frames := bytes.Split(joined, []byte("\n"))
		for i, frame := range frames { // the signature of what was made up
			if sign && bytes.Equal(frame, delimiter) && len(frames) >= i+6 {
				frames[i+1] = s.sign(frames[i+2 : i+6])
				break
			}
		}
		m, err := s.parse(frames)
		if err != nil {
			return
		}
		if m.header.Type == "" || m.header.ID == "" || !json.Valid(m.origin) || !json.Valid(m.content) {
			t.Fatalf("%+v", m)
		}
		back, err := s.compose(m.header, m.origin, emptyObject, m.content)
		if err != nil {
			t.Fatal(err)
		}
		again, err := s.parse(back)
		if err != nil || again.header != m.header {
			t.Fatalf("%v: %+v, not %+v", err, again, m.header)
		}
		var asked executeRequest
		_ = json.Unmarshal(m.content, &asked) // an error is answered
		var place placed
		if json.Unmarshal(m.content, &place) == nil {
			if at := place.at(); at < 0 || at > len(place.Code) {
				t.Fatalf("a place at %d of %d bytes", at, len(place.Code))
			}
		}
		var history historyRequest
		if json.Unmarshal(m.content, &history) == nil {
			history.choose([]recalled{{1, 1, "a", ""}, {2, 1, "b/c\n", ""}, {2, 2, "a", "x"}})
		}
	})
}

// FuzzConnection reads connection files.
func FuzzConnection(f *testing.F) {
	f.Add([]byte(`{"shell_port": 1, "iopub_port": 2, "stdin_port": 3, "control_port": 4, "hb_port": 5, "key": "k", "signature_scheme": "hmac-sha256"}`))
	f.Add([]byte(`{"transport": "ipc", "ip": "/tmp/x", "shell_port": 1, "iopub_port": 2, "stdin_port": 3, "control_port": 4, "hb_port": 5}`))
	f.Add([]byte(`{"shell_port": "1"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := parseConnection(data)
		if err != nil {
			return
		}
		if network, address := c.address(c.Shell); network == "" || address == "" {
			t.Fatalf("%+v", c)
		}
		if _, err := newSigner(c.Scheme, c.Key); err != nil {
			t.Fatal(err)
		}
	})
}
