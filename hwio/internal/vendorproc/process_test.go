package vendorproc

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// fakeVariable makes the test's own program play the second program, in one of several ways.
const fakeVariable = "VENDORPROC_FAKE"

func TestMain(m *testing.M) {
	if mode := os.Getenv(fakeVariable); mode != "" {
		fake(mode)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func fake(mode string) {
	switch mode {
	case "mute":
		fmt.Fprintln(os.Stderr, "cannot load something")
		return
	case "babble":
		fmt.Println("Hello, I am another program.")
		return
	case "other version":
		s := &Server{out: os.Stdout}
		_ = s.message(hello{Program, protocol + 1})
		return
	}
	s, err := NewServer(os.Stdout)
	if err != nil {
		return
	}
	_ = s.Serve(os.Stdin, map[string]Handler{
		"echo":  func(b json.RawMessage) (any, error) { return b, nil },
		"fail":  func(json.RawMessage) (any, error) { return nil, &Error{Kind: NoDevice, Text: "no GPU"} },
		"plain": func(json.RawMessage) (any, error) { return nil, errors.New("something else") },
		"hang":  func(json.RawMessage) (any, error) { select {} },
		"crash": func(json.RawMessage) (any, error) {
			fmt.Fprintln(os.Stderr, "the library's last words")
			os.Exit(7)
			return nil, nil
		},
		"count": func(json.RawMessage) (any, error) {
			for i := range 3 * room {
				if err := s.Sample(&Sample{Start: int64(i), End: int64(i), Values: []float64{float64(i)}}); err != nil {
					return nil, err
				}
			}
			return struct{}{}, nil
		},
		"end": func(json.RawMessage) (any, error) {
			return struct{}{}, errors.Join(s.Sample(&Sample{Values: []float64{1}}), s.Ended(errors.New("the GPU is gone")))
		},
		"print": func(json.RawMessage) (any, error) {
			fmt.Println("a library prints")
			return struct{}{}, nil
		},
	})
}

func begin(t *testing.T, mode string) (*Process, error) {
	t.Helper()
	t.Setenv(fakeVariable, mode)
	p, err := startProgram(t.Context(), os.Args[0])
	if p != nil {
		t.Cleanup(func() { _ = p.Close() })
	}
	return p, err
}

func start(t *testing.T) *Process {
	t.Helper()
	p, err := begin(t, "serve")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func wantError(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatal("no error")
	}
	for _, p := range parts {
		if !strings.Contains(err.Error(), p) {
			t.Errorf("error %q does not say %q", err, p)
		}
	}
}

func TestAnotherProgramIsToldFromTheSecondProgram(t *testing.T) {
	for mode, want := range map[string][]string{
		"mute":          {"ended before it said what it is", "cannot load something", "go build"},
		"babble":        {"is not astrolabe-vendorlib", "go build"},
		"other version": {fmt.Sprintf("speaks protocol %d and this astrolabe %d", protocol+1, protocol), "go build"},
	} {
		_, err := begin(t, mode)
		wantError(t, err, want...)
	}
}

func TestTheSecondProgramIsLookedForWhereDocumented(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	t.Setenv(Variable, "")
	var missing *Error
	if _, err := find(); !errors.As(err, &missing) || missing.Kind != ProgramMissing || !strings.Contains(missing.Text, Program) {
		t.Errorf("without a program: %v", err)
	}
	name := Program
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if got, err := find(); err != nil || got != path {
		t.Errorf("in PATH: %s, %v, want %s", got, err, path)
	}
	other := filepath.Join(t.TempDir(), "mine")
	if err := os.WriteFile(other, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv(Variable, other)
	if got, err := find(); err != nil || got != other {
		t.Errorf("with %s: %s, %v, want %s", Variable, got, err, other)
	}
	t.Setenv(Variable, filepath.Join(dir, "nothing"))
	if _, err := find(); !errors.As(err, &missing) || !strings.Contains(err.Error(), Variable) {
		t.Errorf("with %s that leads nowhere: %v", Variable, err)
	}
}

func TestCallsAreAnsweredAndErrorsKeepTheirKind(t *testing.T) {
	p := start(t)
	var got map[string]int
	if err := p.Call(t.Context(), "echo", map[string]int{"a": 3}, &got); err != nil || got["a"] != 3 {
		t.Errorf("echo: %v, %v", got, err)
	}
	for op, kind := range map[string]string{"fail": NoDevice, "plain": LibraryFailed, "unheard": BadRequest} {
		var e *Error
		if err := p.Call(t.Context(), op, nil, nil); !errors.As(err, &e) || e.Kind != kind {
			t.Errorf("%s: %v, want kind %q", op, err, kind)
		}
	}
}

func TestCrashesAreToldWithTheLastWords(t *testing.T) {
	p := start(t)
	err := p.Call(t.Context(), "crash", nil, nil)
	wantError(t, err, "exit status 7", "was asked for crash", "the library's last words")
	if err := p.Close(); err != nil {
		t.Errorf("closing after a crash: %v", err)
	}
}

func TestHangsEndWithTheTimeout(t *testing.T) {
	p := start(t)
	p.timeout = 50 * time.Millisecond
	wantError(t, p.Call(t.Context(), "hang", nil, nil), "did not answer hang", "hangs")
	select {
	case <-p.done:
	default:
		t.Error("the program still runs")
	}
}

func TestTheProgramEndsByItselfWhenItsInputCloses(t *testing.T) {
	p := start(t)
	p.exit = 5 * time.Minute
	msg, err := json.Marshal(request{Op: "hang"})
	if err != nil {
		t.Fatal(err)
	}
	if err := writeFrame(p.stdin, frameMessage, msg); err != nil {
		t.Fatal(err)
	}
	if err := p.Close(); err != nil {
		t.Errorf("a program whose library hangs had to be killed: %v", err)
	}
	if err := p.Close(); err != nil {
		t.Errorf("a second Close: %v", err)
	}
}

func TestSamplesThatComeBeforeAnAnswerAreKept(t *testing.T) {
	p := start(t)
	if err := p.Call(t.Context(), "count", nil, nil); err != nil {
		t.Fatal(err)
	}
	for i := range 3 * room {
		s, err := p.Next()
		if err != nil || s == nil {
			t.Fatalf("sample %d: %v, %v", i, s, err)
		}
		if s.Values[0] != float64(i) {
			t.Fatalf("sample %d holds %v", i, s.Values)
		}
		p.Recycle(s)
	}
	if s, err := p.Next(); s != nil || err != nil {
		t.Errorf("after the last sample: %v, %v", s, err)
	}
}

func TestAnEndThatNobodyAskedForComesAfterTheSamples(t *testing.T) {
	p := start(t)
	if err := p.Call(t.Context(), "end", nil, nil); err != nil {
		t.Fatal(err)
	}
	if s, err := p.Next(); s == nil || err != nil {
		t.Fatalf("the sample: %v, %v", s, err)
	}
	for range 2 {
		if _, err := p.Next(); err == nil || !strings.Contains(err.Error(), "the GPU is gone") {
			t.Errorf("the end: %v", err)
		}
	}
}

func TestTextInTheProtocolEndsTheConversation(t *testing.T) {
	p := start(t)
	wantError(t, p.Call(t.Context(), "print", nil, nil), "does not speak the protocol")
}

func FuzzServe(f *testing.F) {
	f.Add([]byte("\x12\x00\x00\x00J{\"op\":\"echo\"}     "))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := NewServer(new(strings.Builder))
		if err != nil {
			t.Fatal(err)
		}
		// It must end and not panic; what it says is the client's business.
		_ = s.Serve(strings.NewReader(string(data)), map[string]Handler{"echo": func(b json.RawMessage) (any, error) { return b, nil }})
	})
}

func TestLastWordsOfACrashNameItAndWhatLedThere(t *testing.T) {
	var w words
	fmt.Fprint(&w, "one\ntwo\n\nthree\nlibrary: bad state\nfatal error: unexpected signal during runtime execution\n[signal SIGSEGV: segmentation violation code=0x1]\n\nruntime stack:\nmore\nrax 0x0\n")
	if got, want := w.last(), "three | library: bad state | fatal error: unexpected signal during runtime execution | [signal SIGSEGV: segmentation violation code=0x1]"; got != want {
		t.Errorf("last words %q, want %q", got, want)
	}
	var long words
	for range 3 {
		fmt.Fprint(&long, strings.Repeat("x", keepWords/2)+"\n")
	}
	if len(long.tail) > keepWords {
		t.Errorf("%d bytes are kept, more than %d", len(long.tail), keepWords)
	}
}
