package hwio

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"astrolabe/capture"
	"astrolabe/internal/longtests"
)

func flightSchema() *capture.Schema {
	return &capture.Schema{Config: capture.Config{GPU: "cpu"}, Labels: []string{"frame"},
		Columns: []capture.ColumnSpec{{Meta: capture.Meta{Name: "n"}, Integer: true}, {Meta: capture.Meta{Name: "load", Kind: capture.Gauge}}}}
}

// flightBatch puts n samples of a millisecond from number first into b.
func flightBatch(b *capture.Batch, first, n int) *capture.Batch {
	b.Reset()
	for i := first; i < first+n; i++ {
		b.Start, b.End = append(b.Start, int64(i)*1e6), append(b.End, int64(i+1)*1e6)
		b.AppendInt(0, uint64(i))
		if i%10 == 0 {
			b.AppendMissingFor(1, capture.Reason{Code: capture.NotScheduled})
		} else {
			b.AppendFloat(1, float64(i))
		}
		b.Labels[0] = append(b.Labels[0], fmt.Sprint(i/16))
	}
	return b
}

// savings gathers what a Flight saves; each save is told over the channel.
func savings() (save func(*Saved) error, saved chan *Saved) {
	saved = make(chan *Saved, 100)
	return func(s *Saved) error { saved <- s; return nil }, saved
}

// checkSaved makes sure that samples [from, to) were kept, all of them and as they were.
func checkSaved(t *testing.T, s *Saved, why string, from, to int) *capture.Capture {
	t.Helper()
	if !strings.Contains(s.Why, why) {
		t.Errorf("saved because of %q, want %q", s.Why, why)
	}
	c, err := s.Capture()
	if err != nil {
		t.Fatal(err)
	}
	if c.Len() != to-from {
		t.Fatalf("%d samples, want %d", c.Len(), to-from)
	}
	for k := range c.Len() {
		i := from + k
		if c.Axis.Start[k] != int64(i)*1e6 || c.Axis.End[k] != int64(i+1)*1e6 {
			t.Fatalf("sample %d covers [%d, %d)", i, c.Axis.Start[k], c.Axis.End[k])
		}
		if v, _ := c.Counter("n").Value(k).Uint64(); v != uint64(i) {
			t.Fatalf("n[%d] = %d", i, v)
		}
		if v := c.Counter("load").Value(k); v.Missing() != (i%10 == 0) || !v.Missing() && v.Float() != float64(i) {
			t.Fatalf("load[%d] = %v", i, v)
		}
		if why, ok := c.Counter("load").Why(k); i%10 == 0 && (!ok || why.Code != capture.NotScheduled) {
			t.Fatalf("load[%d] is missing because of %v", i, why)
		}
		if l, _ := c.Label("frame").Value(k); l != fmt.Sprint(i/16) {
			t.Fatalf("frame[%d] = %q", i, l)
		}
	}
	return c
}

func TestAFlightKeepsTheLastSamplesAndSavesThemWhenTold(t *testing.T) {
	save, saved := savings()
	s := flightSchema()
	f, err := NewFlight(s, FlightOptions{Last: 250 * time.Millisecond, Period: time.Millisecond, Save: save})
	if err != nil {
		t.Fatal(err)
	}
	b := capture.NewBatch(s, 70)
	write := func(first, n int, also func()) {
		t.Helper()
		flightBatch(b, first, n)
		if also != nil {
			also()
		}
		if err := f.Write(b); err != nil {
			t.Fatal(err)
		}
	}
	write(0, 70, func() { b.Warnings = append(b.Warnings, "said at the beginning") })
	f.Trigger("signal")
	write(70, 70, nil)
	checkSaved(t, <-saved, "signal", 0, 140)
	for i := 140; i < 980; i += 70 {
		write(i, 70, nil)
	}
	write(980, 70, func() {
		b.Regions = append(b.Regions, capture.Region{Name: "spike", Start: 1000e6, End: 1000e6})
		b.Gaps = append(b.Gaps, capture.Gap{Start: 990e6, End: 991e6})
	})
	c := checkSaved(t, <-saved, "mark spike", 800, 1050)
	if len(c.Regions) != 1 || len(c.Gaps) != 1 || len(c.Warnings) != 1 || c.Warnings[0] != "said at the beginning" {
		t.Errorf("regions %v, gaps %v, warnings %q", c.Regions, c.Gaps, c.Warnings)
	}
	write(1050, 10, func() {
		b.Regions = append(b.Regions, capture.Region{Name: "frame 7", Start: 1051e6, End: 1059e6})
	})
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	checkSaved(t, <-saved, "the recording ended", 810, 1060)
	if len(saved) > 0 {
		t.Errorf("saved once more because of %q", (<-saved).Why)
	}
}

func TestWhatABudgetSaysIsSavedWhenItChanges(t *testing.T) {
	save, saved := savings()
	s := flightSchema()
	judged := make(chan int, 1)
	f, err := NewFlight(s, FlightOptions{Last: 100 * time.Millisecond, Period: time.Millisecond, Save: save,
		JudgeEvery: 50 * time.Millisecond, Judge: func(c *capture.Capture) (string, error) {
			defer func() { judged <- c.Len() }()
			switch last := c.Axis.End[c.Len()-1]; {
			case last > 400e6 && last <= 600e6:
				return "too many", nil
			case last > 900e6:
				return "", errors.New("no such counter")
			}
			return "", nil
		}})
	if err != nil {
		t.Fatal(err)
	}
	b := capture.NewBatch(s, 50)
	for i := 0; ; i += 50 {
		if err = f.Write(flightBatch(b, i, 50)); err != nil {
			break
		}
		if n := <-judged; n != min(100, i+50) {
			t.Errorf("%d samples were judged after %d", n, i+50)
		}
		f.finished.Wait() // so that every batch is judged
	}
	if !strings.Contains(err.Error(), "no such counter") {
		t.Error(err)
	}
	checkSaved(t, <-saved, "too many", 350, 450)
	if len(saved) > 0 {
		t.Errorf("saved once more because of %q", (<-saved).Why)
	}
	if err := f.Close(); err == nil {
		t.Error("the failure is forgotten")
	}
}

func TestAFlightsMemoryDoesNotGrow(t *testing.T) {
	s := flightSchema()
	f, err := NewFlight(s, FlightOptions{Last: time.Second, Period: time.Millisecond, Save: func(*Saved) error { return nil }})
	if err != nil {
		t.Fatal(err)
	}
	b := capture.NewBatch(s, 200)
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	var early uint64
	at := 0
	for hour := time.Hour.Milliseconds(); int64(at) < hour; at += 200 {
		if at == 60_000 {
			early = heap()
		}
		if err := f.Write(flightBatch(b, at, 200)); err != nil {
			t.Fatal(err)
		}
	}
	if late := heap(); late > early+1<<20 {
		t.Errorf("%d bytes after a minute and %d after an hour", early, late)
	}
	if n := len(f.ring.batches); n > 6 {
		t.Errorf("%d batches of 200 ms are kept for a second", n)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestAFlightThatGetsMoreThanItWasToldSaysSo(t *testing.T) {
	save, saved := savings()
	s := flightSchema()
	// Samples that are to come every second come every millisecond.
	f, err := NewFlight(s, FlightOptions{Last: time.Hour, Period: time.Second, Save: save})
	if err != nil {
		t.Fatal(err)
	}
	f.ring.most = f.ring.schema.Bytes(1000)
	b := capture.NewBatch(s, 100)
	for i := range 20 {
		if err := f.Write(flightBatch(b, 100*i, 100)); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	c := checkSaved(t, <-saved, "ended", 1000, 2000)
	if len(c.Warnings) != 1 || !strings.Contains(c.Warnings[0], "no room") {
		t.Errorf("warnings %q", c.Warnings)
	}
	if _, err := NewFlight(s, FlightOptions{Last: 1e6 * time.Hour, Period: time.Microsecond, Save: save}); err == nil {
		t.Error("more than there is memory for is taken")
	}
}

// heapSink counts samples and looks at the heap from time to time.
type heapSink struct {
	samples     atomic.Int64
	next, every int64
	heaps       []uint64
}

func (s *heapSink) Write(b *capture.Batch) error {
	s.samples.Add(int64(b.Len()))
	if n := b.Len(); n > 0 && b.End[n-1] >= s.next {
		s.next += s.every
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		s.heaps = append(s.heaps, m.HeapAlloc)
	}
	return nil
}

func (s *heapSink) Close() error { return nil }

func TestLongRecordingsTakeNoMoreMemoryThanShortOnes(t *testing.T) {
	part := time.Duration(1)
	if testing.Short() {
		part = 3 // the race detector takes many times as long for each sample
	}
	for _, c := range []struct {
		period, duration time.Duration
	}{{time.Millisecond, time.Duration(longtests.Of(60, 1)) * time.Minute},
		{100 * time.Microsecond, time.Duration(longtests.Of(600, 6)) * time.Second}} {
		c.duration /= part
		sink := &heapSink{next: time.Second.Nanoseconds(), every: c.duration.Nanoseconds() / 20}
		// Time waits for the sink: more batches would be made for a late one, which is growth that ends, and then ticks dropped.
		pacer := &fakePacer{now: 1000, before: func(tick uint64) {
			for int64(tick)-sink.samples.Load() > int64(time.Second/c.period) {
				time.Sleep(100 * time.Microsecond)
			}
		}}
		var names []string
		for i := range 18 {
			names = append(names, fmt.Sprint("c", i))
		}
		res, err := Record(t.Context(), Options{
			Sources: []Source{&fakeSource{name: "a", metas: metas(names...)}, &fakeSource{name: "b", metas: metas("x")}},
			Period:  c.period, Duration: c.duration, OwnCost: true, pacer: pacer,
			Create: func(*capture.Schema) (Sink, error) { return sink, nil },
		})
		if err != nil {
			t.Fatal(err)
		}
		samples := sink.samples.Load()
		if want := int64(c.duration / c.period); samples < want-1 || uint64(samples) != res.Samples || res.Dropped > 0 {
			t.Errorf("%v every %v: %d samples, %d dropped, want %d", c.duration, c.period, samples, res.Dropped, want)
		}
		first, last := sink.heaps[0], sink.heaps[len(sink.heaps)-1]
		t.Logf("%v every %v: %d samples, heap of %d bytes after a second and %d at the end", c.duration, c.period,
			samples, first, last)
		if last > first+4<<20 {
			t.Errorf("%v every %v: the heap grew from %d to %d bytes", c.duration, c.period, first, last)
		}
	}
}
