package perfevent

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"testing"
	"time"

	"astrolabe/capture"
	"astrolabe/hwio"
	"astrolabe/hwio/internal/tape"
)

// taped records on a tape after each of some times, and returns what came of it and the tape as a file has it.
func taped(t *testing.T, k *fakeKernel, cpus int, r hwio.Request, steps ...func()) (*capture.Batch, []tape.Event) {
	t.Helper()
	tp := tape.New(func() int64 { return k.at })
	src := fakeSource(t, k, cpus, nil).Taped(tp)
	if !src.Probe(t.Context()).Usable {
		t.Fatal("it is not usable")
	}
	st, err := src.Open(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	b := capture.NewBatch(st.Schema(), 1)
	for _, step := range append([]func(){func() {}}, steps...) {
		step()
		if err := st.Read(t.Context(), b); err != nil {
			t.Fatal(err)
		}
	}
	k.advance(123_456)
	if f, ok := st.(hwio.Finisher); ok {
		if err := f.Finish(t.Context(), b); err != nil {
			t.Fatal(err)
		}
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	events, _ := tp.Events()
	text, err := json.Marshal(events)
	if err != nil {
		t.Fatal(err)
	}
	var out []tape.Event
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	for i := range out {
		if err := out[i].Valid(); err != nil {
			t.Fatalf("event %d: %v", i, err)
		}
	}
	return b, out
}

// playedAgain is what a reader makes of a tape.
func playedAgain(t *testing.T, events []tape.Event, r hwio.Request, probes int) *capture.Batch {
	t.Helper()
	src := New("/").Played(tape.NewPlayer(events), 0)
	for range probes {
		if !src.Probe(t.Context()).Usable {
			t.Fatal("it is not usable")
		}
	}
	st, err := src.Open(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	b := capture.NewBatch(st.Schema(), 1)
	for err == nil {
		err = st.Read(t.Context(), b)
	}
	if !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	if f, ok := st.(hwio.Finisher); ok {
		if err := f.Finish(t.Context(), b); err != nil && !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
	}
	return b
}

// sameRows compares times and values.
func sameRows(a, b *capture.Batch) bool {
	return slices.Equal(a.Start, b.Start) && slices.Equal(a.End, b.End) && slices.EqualFunc(a.Cols, b.Cols, func(x, y capture.Data) bool {
		same := x.Len() == y.Len()
		for i := 0; same && i < x.Len(); i++ {
			same = x.Missing(i) == y.Missing(i) && (x.Missing(i) || x.Float(i) == y.Float(i) && (x.U == nil || x.U[i] == y.U[i]))
		}
		return same
	})
}

func TestATapeIsDecodedToWhatWasRecorded(t *testing.T) {
	pass := func(k *fakeKernel, ns int64) func() { return func() { k.advance(ns) } }
	for name, c := range map[string]struct {
		k      *fakeKernel
		period time.Duration
		steps  func(k *fakeKernel) []func()
	}{
		"sampled":        {k: &fakeKernel{counters: 8, capable: true}, period: time.Millisecond},
		"groups in turn": {k: &fakeKernel{counters: 2, capable: true}, period: time.Millisecond},
		"a held counter": {k: &fakeKernel{counters: 4, held: 2, capable: true}, period: time.Millisecond},
		"throttled":      {k: &fakeKernel{counters: 8, capable: true, perTick: 3}, period: time.Millisecond},
		"little memory":  {k: &fakeKernel{counters: 8, capable: true, mlock: 400_000}, period: time.Millisecond},
		"read":           {k: &fakeKernel{counters: 8, capable: true}, period: 100 * time.Millisecond},
		"no clock":       {k: &fakeKernel{counters: 2, capable: true, noClock: true}, period: 10 * time.Millisecond},
		"samples lost": {k: &fakeKernel{counters: 8, capable: true, mlock: 400_000}, period: time.Millisecond,
			steps: func(k *fakeKernel) []func() { return []func(){pass(k, 30e6), pass(k, 2000e6), pass(k, 30e6)} }},
		"a CPU goes": {k: &fakeKernel{counters: 8, capable: true}, period: time.Millisecond,
			steps: func(k *fakeKernel) []func() {
				return []func(){pass(k, 200e6), func() { k.advance(50e6); k.unplug(1, true); k.advance(150e6) }, pass(k, 200e6),
					func() { k.gone = nil; k.advance(200e6) }, pass(k, 200e6), pass(k, 200e6)}
			}},
	} {
		t.Run(name, func(t *testing.T) {
			k, r := c.k, hwio.Request{Period: c.period}
			steps := []func(){pass(k, 200e6), pass(k, 200e6), pass(k, 1e6), pass(k, 300e6)}
			if c.steps != nil {
				steps = c.steps(k)
			}
			was, events := taped(t, k, 2, r, steps...)
			if n := was.Cols[0].Len(); n < 3 {
				t.Fatalf("%d rows", n)
			}
			// A later version may look at the machine once less before it measures.
			for _, probes := range []int{1, 0} {
				is := playedAgain(t, events, r, probes)
				if !sameRows(was, is) {
					t.Errorf("after looking %d times at the machine %d rows of other times or values, which were %d", probes, is.Len(),
						was.Len())
				}
			}
		})
	}
}

func TestWhoWorkedIsNotOnTheTape(t *testing.T) {
	k := &fakeKernel{counters: 8, capable: true}
	_, events := taped(t, k, 2, hwio.Request{Period: time.Millisecond}, func() { k.advance(100e6) })
	samples := 0
	for _, e := range events {
		for b := []byte(e.Data); e.Kind == tape.Read && len(b) >= recordHeader && binary.NativeEndian.Uint32(b) == recordSample; {
			_, n := recordHead(b)
			r, err := decodeSample(b[recordHeader:n], false)
			if err != nil {
				t.Fatal(err)
			}
			if who := binary.NativeEndian.Uint64(b[recordHeader+8:]); who != 0 && who != somebody || r.idle != (who == 0) {
				t.Fatalf("a sample of %#x", who)
			}
			samples, b = samples+1, b[n:]
		}
	}
	if samples < 100 {
		t.Errorf("%d samples", samples)
	}
	tp := tape.New(func() int64 { return k.at })
	if _, err := fakeSource(t, k, 2, nil).Taped(tp).Open(t.Context(), hwio.Request{PID: 1}); !errors.Is(err, errNoProcess) {
		t.Errorf("of a process: %v", err)
	}
}

func TestWhatIsNotKnownOfRecordsIsBlank(t *testing.T) {
	words := func(v ...uint64) (b []byte) {
		for _, x := range v {
			b = binary.NativeEndian.AppendUint64(b, x)
		}
		return b
	}
	const pid, secret = 4242 | 4243<<32, 0x746572636573
	for _, c := range []struct {
		kind     uint32
		ofTasks  bool
		is, want []byte
	}{
		{recordSample, false, words(7, pid, 100, 1, 20, 10, 55, 7, secret), words(7, somebody, 100, 1, 20, 10, 55, 7, 0)},
		{recordSample, false, words(7, 0, 100, 1, 20, 10, 55, 7), words(7, 0, 100, 1, 20, 10, 55, 7)},
		{recordSample, true, words(7, pid, 100, 9, 1, 20, 10, 55, 7, secret), words(7, somebody, 100, 9, 1, 20, 10, 55, 7, 0)},
		{recordSample, false, words(7, pid, 100, 1<<63, 20, 10, 55), words(7, somebody, 100, 1<<63, 20, 10, 55)},
		{recordLost, false, words(7, 3, pid, 100, 7), words(7, 3, 0, 0, 0)},
		{recordLostSamples, false, words(3, pid, 100, 7), words(3, 0, 0, 0)},
		{recordThrottle, false, words(100, 7, 7, pid, 100, 7), words(100, 7, 7, 0, 0, 0)},
		{3, false, words(pid, secret), words(0, 0)}, // the name of a process
	} {
		if keepRecord(c.kind, c.is, c.ofTasks); !bytes.Equal(c.is, c.want) {
			t.Errorf("kind %d: % x, want % x", c.kind, c.is, c.want)
		}
	}
}

// What a reader makes of samples does not depend on how they came to it.
func TestRowsDoNotDependOnWhenRingsAreCollected(t *testing.T) {
	record := func(steps ...int64) *capture.Batch {
		k := &fakeKernel{counters: 2, capable: true, slice: 3_700_000}
		return collected(t, k, openSampled(t, k, 2, time.Millisecond), steps...)
	}
	want := record(1000e6)
	for _, steps := range [][]int64{{0, 200e6, 0, 0, 800e6}, {100_000, 100_000, 400e6, 1_000_000, 598_800_000},
		{250e6, 250e6, 250e6, 250e6}} {
		is := record(steps...)
		if !sameRows(want, is) {
			t.Errorf("collected after %v there are %d rows of other times or values, which were %d", steps, is.Len(), want.Len())
		}
	}
}

// Whatever a record is, what is kept of it stays so.
func FuzzKnownRecords(f *testing.F) {
	f.Add(uint32(recordSample), false, make([]byte, 80))
	f.Add(uint32(recordLost), true, make([]byte, 40))
	f.Fuzz(func(t *testing.T, kind uint32, ofTasks bool, body []byte) {
		keepRecord(kind, body, ofTasks)
		again := slices.Clone(body)
		if keepRecord(kind, again, ofTasks); !bytes.Equal(again, body) {
			t.Fatal("what was known once is not known twice")
		}
	})
}
