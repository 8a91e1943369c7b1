package wire

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
	"time"

	"astrolabe/internal/recording"
)

func TestWhatIsSaidIsUnderstood(t *testing.T) {
	var b bytes.Buffer
	b.WriteString("Welcome to the board!\nstty: no terminal\n")
	w := NewWriter(&b)
	if err := w.Greet(Greeting{Version: "1", SHA256: "ab"}); err != nil {
		t.Fatal(err)
	}
	said := []*Event{
		{File: "r.arrow", At: 5, Data: []byte("a\nb{}\x00"), All: true},
		{Talk: true, Data: []byte("astrolabe-record/1 {}\n")},
		{Begun: &Begun{Name: "cpu", Request: Request{Flags: recording.Flags{Period: time.Second, Sources: []string{"a'b"}}}}},
		{Ended: &Ended{Killed: true, Files: []Part{{File: "r.arrow", Size: 3, SHA256: "00"}}}},
	}
	for _, e := range said {
		if err := w.Event(e); err != nil {
			t.Fatal(err)
		}
	}
	r := NewReader(&b)
	g, noise, err := r.Greeting()
	if err != nil || g.SHA256 != "ab" || !strings.HasPrefix(noise, "Welcome") {
		t.Fatalf("%+v, %q, %v", g, noise, err)
	}
	for _, want := range said {
		got, err := r.NextEvent()
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got.Data, want.Data) {
			t.Errorf("data %q, want %q", got.Data, want.Data)
		}
		got.Data, want.Data = nil, nil
		if !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
	if _, err := r.NextEvent(); err == nil {
		t.Error("an event behind the last")
	}
}

func TestADeviceThatSaysSomethingElse(t *testing.T) {
	for what, want := range map[string]string{
		`{"Bytes":300000}` + "\n":             "at most",
		`{"Bytes":-1}` + "\n":                 "at most",
		`{"Bytes":5}` + "\nabc":               "broke off",
		"sh: not found\n":                     "no event",
		`{"File":"` + strings.Repeat("x", 20): "EOF",
	} {
		if _, err := NewReader(strings.NewReader(what)).NextEvent(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, want %q", what, err, want)
		}
	}
	if _, noise, err := NewReader(strings.NewReader("sh: 1: x: Permission denied\n")).Greeting(); err == nil ||
		!strings.Contains(noise, "Permission denied") {
		t.Errorf("%q, %v", noise, err)
	}
}

func FuzzReader(f *testing.F) {
	var b bytes.Buffer
	w := NewWriter(&b)
	w.Greet(Greeting{})
	w.Event(&Event{File: "r.arrow", Data: []byte("xyz")})
	f.Add(b.Bytes())
	f.Add([]byte("{}\n{\"Bytes\":3}\nabc"))
	f.Fuzz(func(t *testing.T, data []byte) {
		r := NewReader(bytes.NewReader(data))
		r.Greeting()
		for {
			e, err := r.NextEvent()
			if err != nil {
				break
			}
			if len(e.Data) > MaxBytes || len(e.Data) > len(data) {
				t.Fatalf("%d bytes from %d", len(e.Data), len(data))
			}
		}
		o := NewReader(bytes.NewReader(data))
		for {
			if _, err := o.NextOrder(); err != nil {
				break
			}
		}
	})
}
