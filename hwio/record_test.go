package hwio

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"astrolabe/capture"
)

// fakePacer is a clock that jumps from tick to tick as fast as the recorder asks, with scripted lateness.
type fakePacer struct {
	mu     sync.Mutex
	now    int64
	first  int64
	period int64
	seen   uint64         // ticks handed out
	late   map[uint64]int // after tick n, this many ticks pass unseen
	woken  bool
	before func(tick uint64) // runs before tick n is handed out
}

func (p *fakePacer) Now() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now += 10 // time passes while the recorder works
	return p.now
}

func (p *fakePacer) Arm(first, period int64) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.first, p.period = first, period
	return nil
}

func (p *fakePacer) Wait(deadline int64) (uint64, error) {
	if p.before != nil {
		p.before(p.seen + 1)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.woken {
		p.woken = false
		return 0, nil
	}
	n := 1 + uint64(p.late[p.seen])
	at := p.first + int64(p.seen+n-1)*p.period
	if deadline > 0 && at > deadline {
		p.now = deadline
		return 0, nil
	}
	p.seen += n
	p.now = max(p.now, at)
	return n, nil
}

func (p *fakePacer) Wake()        { p.mu.Lock(); p.woken = true; p.mu.Unlock() }
func (p *fakePacer) Close() error { return nil }

// fakeSource is a source whose counters advance by a known amount per read.
type fakeSource struct {
	name    string
	metas   []capture.Meta
	fail    int    // the read that fails, 0 for none
	failErr error  // with what
	stamped bool   // stamps its own samples
	status  Status // of Probe
	reads   atomic.Int64
	closed  atomic.Int64
	skew    bool // delivers a value too few
	opened  Request
	warns   string // said at every read
	groups  []Group
}

func (s *fakeSource) Groups() []Group { return s.groups }

func (s *fakeSource) Name() string                                     { return s.name }
func (s *fakeSource) Doc() string                                      { return "a source for tests" }
func (s *fakeSource) Probe(context.Context) Status                     { return s.status }
func (s *fakeSource) Counters(context.Context) ([]capture.Meta, error) { return s.metas, nil }

func (s *fakeSource) Open(_ context.Context, r Request) (Stream, error) {
	s.opened = r
	s.reads.Store(0)
	schema := &capture.Schema{Config: capture.Config{GPU: "cpu"}}
	for _, m := range s.metas {
		if len(r.Counters) == 0 || MatchAny(r.Counters, &m) {
			schema.Columns = append(schema.Columns, capture.ColumnSpec{Meta: m, Integer: true})
		}
	}
	if len(schema.Columns) == 0 {
		return nil, ErrNoMatch
	}
	return &fakeStream{s, schema}, nil
}

type fakeStream struct {
	*fakeSource
	schema *capture.Schema
}

func (s *fakeStream) Schema() *capture.Schema { return s.schema }
func (s *fakeStream) Close() error            { s.closed.Add(1); return nil }

func (s *fakeStream) Read(_ context.Context, b *capture.Batch) error {
	n := s.reads.Add(1)
	if n == 1 {
		return nil
	}
	if s.warns != "" {
		b.Warnings = append(b.Warnings, s.warns, fmt.Sprintf("%s %d", s.warns, n%3))
	}
	rows := 1
	if s.stamped {
		rows = 2
		b.Start, b.End = append(b.Start, n*1000, n*1000+500), append(b.End, n*1000+500, n*1000+1000)
	}
	for i := range s.schema.Columns {
		if int64(s.fail) == n && i == 1 {
			return s.failErr
		}
		if s.skew && i == 1 {
			continue
		}
		for range rows {
			if n%5 == 0 {
				b.AppendMissingFor(i, capture.Reason{Code: capture.NotScheduled, Text: "every fifth"})
			} else {
				b.AppendInt(i, uint64(n))
			}
		}
	}
	return nil
}

func metas(names ...string) []capture.Meta {
	var out []capture.Meta
	for _, n := range names {
		out = append(out, capture.Meta{Name: n})
	}
	return out
}

// toMemory records into memory and returns the capture.
func toMemory(t *testing.T, ctx context.Context, o Options) (*Result, *capture.Capture, error) {
	t.Helper()
	var mem *Memory
	o.Create = func(s *capture.Schema) (Sink, error) {
		mem = NewMemory(s, 64<<20)
		return mem, nil
	}
	res, err := Record(ctx, o)
	if mem == nil {
		return res, nil, err
	}
	c, cerr := mem.Capture()
	if cerr != nil {
		t.Fatal(cerr)
	}
	return res, c, err
}

func TestRecordTakesOneSamplePerTickBetweenRealReads(t *testing.T) {
	a, b := &fakeSource{name: "a", metas: metas("x", "y")}, &fakeSource{name: "b", metas: metas("z")}
	res, c, err := toMemory(t, t.Context(), Options{
		Sources: []Source{a, b}, Period: time.Millisecond, Duration: 100 * time.Millisecond, pacer: &fakePacer{},
	})
	if err != nil {
		t.Fatal(err)
	}
	if res.Samples != 100 || c.Len() != 100 || res.Missed != 0 || res.Dropped != 0 {
		t.Fatalf("samples = %d (%d in the capture), missed %d, dropped %d", res.Samples, c.Len(), res.Missed, res.Dropped)
	}
	if c.Axis.Start[0] != 0 {
		t.Errorf("the first sample starts at %d", c.Axis.Start[0])
	}
	for i := 1; i < c.Len(); i++ {
		if c.Axis.Start[i] != c.Axis.End[i-1] || c.Axis.End[i] <= c.Axis.Start[i] {
			t.Fatalf("sample %d is [%d, %d) after %d", i, c.Axis.Start[i], c.Axis.End[i], c.Axis.End[i-1])
		}
	}
	// The n-th read delivered n, the first was the baseline, and every fifth is missing with its reason.
	for _, name := range []string{"x", "y", "z"} {
		ctr := c.Counter(name)
		for i := range c.Len() {
			read := uint64(i + 2)
			v := ctr.Value(i)
			if u, ok := v.Uint64(); read%5 != 0 && (!ok || u != read) {
				t.Fatalf("%s[%d] = %v, want %d", name, i, v, read)
			}
			why, missing := ctr.Why(i)
			if missing != (read%5 == 0) || (missing && why.Text != "every fifth") {
				t.Fatalf("%s[%d]: missing = %v because %v", name, i, missing, why)
			}
		}
	}
	if a.closed.Load() != 1 || b.closed.Load() != 1 {
		t.Error("a stream was not closed once")
	}
	if !slices.Equal(res.Sources, []string{"a", "b"}) || c.Axis.Clock != "CLOCK_MONOTONIC" {
		t.Errorf("sources = %v", res.Sources)
	}
}

func TestMissedTicksAreCountedAndTheirTimeIsLateAndNoGap(t *testing.T) {
	p := &fakePacer{late: map[uint64]int{10: 3, 50: 1}}
	res, c, err := toMemory(t, t.Context(), Options{
		Sources: []Source{&fakeSource{name: "a", metas: metas("x")}}, Period: time.Millisecond, Duration: 100 * time.Millisecond, pacer: p,
	})
	if err != nil {
		t.Fatal(err)
	}
	if res.Missed != 4 || res.Samples != 96 {
		t.Fatalf("missed %d, samples %d", res.Missed, res.Samples)
	}
	if len(c.Late) != 2 || c.Late[0].Lost != 3 || c.Late[1].Lost != 1 || len(c.Gaps) != 0 {
		t.Fatalf("late = %+v, gaps = %+v", c.Late, c.Gaps)
	}
	if g := c.Late[0]; g.Start != c.Axis.Start[10] || g.End != c.Axis.End[10] {
		t.Errorf("the first late span is [%d, %d), its sample [%d, %d)", g.Start, g.End, c.Axis.Start[10], c.Axis.End[10])
	}
	if c.Measured() != c.Duration() {
		t.Errorf("%d of %d ns were measured: every sample has its time", c.Measured(), c.Duration())
	}
	if c.Axis.End[10]-c.Axis.Start[10] < 3.9e6 {
		t.Errorf("sample 10 lasts %d ns, it should cover the missed ticks", c.Axis.End[10]-c.Axis.Start[10])
	}
	if !slices.ContainsFunc(c.Warnings, func(w string) bool { return strings.HasPrefix(w, "4 of 100 ticks") }) {
		t.Errorf("warnings = %q", c.Warnings)
	}
}

// gateSink blocks its writes until the gate opens, and counts those that began after it.
type gateSink struct {
	*Memory
	gate   chan struct{}
	writes atomic.Int64
}

func (s *gateSink) Write(b *capture.Batch) error {
	<-s.gate
	s.writes.Add(1)
	return s.Memory.Write(b)
}

func TestSlowSinkDropsTicksButKeepsTheirTime(t *testing.T) {
	var sink *gateSink
	gate := make(chan struct{})
	p := &fakePacer{}
	opened := false
	p.before = func(tick uint64) {
		if tick == 80 && !opened {
			opened = true
			close(gate)
			for sink.writes.Load() < 2 { // once the second write begins, the slot of the first is free
				time.Sleep(time.Millisecond)
			}
		}
	}
	res, err := Record(t.Context(), Options{
		Sources: []Source{&fakeSource{name: "a", metas: metas("x")}}, Period: time.Millisecond, Duration: 100 * time.Millisecond,
		FlushEvery: 10 * time.Millisecond, MaxBatches: 3, pacer: p,
		Create: func(s *capture.Schema) (Sink, error) {
			sink = &gateSink{Memory: NewMemory(s, 1<<20), gate: gate}
			return sink, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	c, err := sink.Capture()
	if err != nil {
		t.Fatal(err)
	}
	if res.Dropped != 49 || res.Samples != 51 || c.Len() != 51 {
		t.Fatalf("dropped %d, samples %d (%d in the capture)", res.Dropped, res.Samples, c.Len())
	}
	if len(c.Late) != 1 || c.Late[0].Lost != 49 || len(c.Gaps) != 0 {
		t.Fatalf("late = %+v, gaps = %+v", c.Late, c.Gaps)
	}
	if c.Axis.Measured() < 99e6 {
		t.Errorf("the samples cover %d ns of 100 ms", c.Axis.Measured())
	}
	if !slices.ContainsFunc(c.Warnings, func(w string) bool { return strings.Contains(w, "49 of 100 ticks") && strings.Contains(w, "dropped") }) {
		t.Errorf("warnings = %q", c.Warnings)
	}
}

// brokenSink fails at its n-th write.
type brokenSink struct {
	*Memory
	n      int
	closed int
}

func (s *brokenSink) Write(b *capture.Batch) error {
	if s.n--; s.n < 0 {
		return errors.New("no space left on device")
	}
	return s.Memory.Write(b)
}
func (s *brokenSink) Close() error { s.closed++; return nil }

func TestFailingSinkEndsTheRecordingAndIsClosed(t *testing.T) {
	var sink *brokenSink
	src := &fakeSource{name: "a", metas: metas("x")}
	res, err := Record(t.Context(), Options{
		Sources: []Source{src}, Period: time.Millisecond, FlushEvery: 5 * time.Millisecond, MaxBatches: 2, pacer: &fakePacer{},
		Create: func(s *capture.Schema) (Sink, error) {
			sink = &brokenSink{Memory: NewMemory(s, 1<<20), n: 2}
			return sink, nil
		},
	})
	if err == nil || !strings.Contains(err.Error(), "no space left") {
		t.Fatalf("err = %v", err)
	}
	if sink.closed != 1 || src.closed.Load() != 1 {
		t.Errorf("sink closed %d times, stream %d times", sink.closed, src.closed.Load())
	}
	if res == nil || res.Samples < 10 {
		t.Errorf("result = %+v", res)
	}
}

func TestCancelEndsTheRecordingWithACompleteFile(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	p := &fakePacer{before: func(tick uint64) {
		if tick == 20 {
			cancel()
		}
	}}
	res, c, err := toMemory(t, ctx, Options{Sources: []Source{&fakeSource{name: "a", metas: metas("x")}}, Period: time.Millisecond, pacer: p})
	if err != nil {
		t.Fatal(err)
	}
	if !res.Interrupted || c.Len() != 20 || int(res.Samples) != c.Len() {
		t.Errorf("interrupted = %v with %d samples, %d in the capture", res.Interrupted, res.Samples, c.Len())
	}
}

func TestFailingStreamKeepsWhatWasReadAndNoHalfRow(t *testing.T) {
	src := &fakeSource{name: "a", metas: metas("x", "y"), fail: 12, failErr: errors.New("device is gone")}
	res, c, err := toMemory(t, t.Context(), Options{Sources: []Source{src}, Period: time.Millisecond, Duration: time.Second, pacer: &fakePacer{}})
	if err == nil || !strings.Contains(err.Error(), "read source a: device is gone") {
		t.Fatalf("err = %v", err)
	}
	if res.Samples != 10 || c.Len() != 10 || c.Counter("x").Len() != 10 {
		t.Errorf("samples = %d, %d in the capture", res.Samples, c.Len())
	}
}

func TestEndOfStreamEndsTheRecordingWithoutError(t *testing.T) {
	src := &fakeSource{name: "a", metas: metas("x", "y"), fail: 7, failErr: fmt.Errorf("wrapped: %w", io.EOF)}
	res, c, err := toMemory(t, t.Context(), Options{Sources: []Source{src}, Period: time.Millisecond, pacer: &fakePacer{}})
	if err != nil || res.Samples != 5 || c.Len() != 5 {
		t.Errorf("samples = %d, err = %v", res.Samples, err)
	}
}

func TestStreamThatSkipsAValueIsReportedAndNotWritten(t *testing.T) {
	src := &fakeSource{name: "a", metas: metas("x", "y"), skew: true}
	_, c, err := toMemory(t, t.Context(), Options{Sources: []Source{src}, Period: time.Millisecond, Duration: time.Second, pacer: &fakePacer{}})
	if err == nil || !strings.Contains(err.Error(), "a defect of that reader") {
		t.Fatalf("err = %v", err)
	}
	if c.Len() != 0 {
		t.Errorf("%d samples were written", c.Len())
	}
}

func TestStreamThatStampsItsOwnSamplesKeepsItsTimes(t *testing.T) {
	src := &fakeSource{name: "gpu", metas: metas("x"), stamped: true}
	res, c, err := toMemory(t, t.Context(), Options{Sources: []Source{src}, Period: time.Millisecond, Duration: 3 * time.Millisecond, pacer: &fakePacer{now: 100}})
	if err != nil || res.Samples != 6 {
		t.Fatalf("samples = %d, err = %v", res.Samples, err)
	}
	if d := c.Axis.Start[1] - c.Axis.Start[0]; d != 500 || c.Axis.End[5]-c.Axis.Start[0] != 3000 {
		t.Errorf("axis = %v to %v", c.Axis.Start, c.Axis.End)
	}
}

func TestClashingNamesKeepBothCounters(t *testing.T) {
	a, b := &fakeSource{name: "a", metas: metas("x")}, &fakeSource{name: "b", metas: metas("x", "y")}
	_, c, err := toMemory(t, t.Context(), Options{Sources: []Source{a, b}, Period: time.Millisecond, Duration: 5 * time.Millisecond, pacer: &fakePacer{}})
	if err != nil {
		t.Fatal(err)
	}
	if c.Counter("x") == nil || c.Counter("b_x") == nil || c.Counter("y") == nil {
		t.Errorf("counters = %v", c.Counters)
	}
	if !slices.ContainsFunc(c.Warnings, func(w string) bool { return strings.Contains(w, "b_x") }) {
		t.Errorf("warnings = %q", c.Warnings)
	}
}

func TestPatternsThatFitNothingAreErrorsWithNearNames(t *testing.T) {
	a, b := &fakeSource{name: "a", metas: metas("cycles")}, &fakeSource{name: "b", metas: metas("page_faults")}
	record := func(patterns ...string) error {
		_, _, err := toMemory(t, t.Context(), Options{
			Sources: []Source{a, b}, Counters: patterns, Period: time.Millisecond, Duration: 2 * time.Millisecond, pacer: &fakePacer{},
		})
		return err
	}
	if err := record("page-faults", "CYC*"); err != nil {
		t.Errorf("good patterns: %v", err)
	}
	if err := record("page_fault"); err == nil || !strings.Contains(err.Error(), "did you mean page_faults?") {
		t.Errorf("err = %v", err)
	}
	if err := record("cycles", "nothing*"); err == nil || !strings.Contains(err.Error(), `"nothing*"`) {
		t.Errorf("err = %v", err)
	}
	if closed := a.closed.Load(); closed != 2 {
		t.Errorf("a was opened twice and closed %d times", closed)
	}
}

func TestProgressReportsTheLastState(t *testing.T) {
	var mu sync.Mutex
	var last Progress
	_, _, err := toMemory(t, t.Context(), Options{
		Sources: []Source{&fakeSource{name: "a", metas: metas("x")}}, Period: time.Millisecond, Duration: 30 * time.Millisecond, pacer: &fakePacer{},
		Progress: func(p Progress) { mu.Lock(); last = p; mu.Unlock() },
	})
	if err != nil {
		t.Fatal(err)
	}
	if last.Samples != 30 || last.Duration != 30*time.Millisecond || last.Elapsed < 30*time.Millisecond {
		t.Errorf("progress = %+v", last)
	}
}

func TestBadOptionsAreRefused(t *testing.T) {
	src := []Source{&fakeSource{name: "a", metas: metas("x")}}
	create := func(*capture.Schema) (Sink, error) { return nil, errors.New("never called") }
	for want, o := range map[string]Options{
		"no source":        {Create: create},
		"nowhere":          {Sources: src},
		"not both":         {Sources: src, Create: create, PID: 1, Command: &Command{Args: []string{"true"}}},
		"command is empty": {Sources: src, Create: create, Command: &Command{}},
		"not between":      {Sources: src, Create: create, Period: time.Nanosecond},
		"negative":         {Sources: src, Create: create, Duration: -1},
		"no process":       {Sources: src, Create: create, PID: -4},
	} {
		if _, err := Record(t.Context(), o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: err = %v", want, err)
		}
	}
}

func TestMemoryLimitIsAnErrorThatSaysSo(t *testing.T) {
	_, err := Record(t.Context(), Options{
		Sources: []Source{&fakeSource{name: "a", metas: metas("x")}}, Period: time.Millisecond, Duration: time.Minute, pacer: &fakePacer{},
		Create: func(s *capture.Schema) (Sink, error) { return NewMemory(s, 10_000), nil },
	})
	if err == nil || !strings.Contains(err.Error(), "record to a file") {
		t.Errorf("err = %v", err)
	}
}

func TestIntervalQuantilesAreWithinOnePercent(t *testing.T) {
	var h intervals
	for i := int64(1); i <= 100_000; i++ {
		h.add(i * 37)
	}
	for _, q := range []float64{0.01, 0.5, 0.9, 0.99, 1} {
		got, want := float64(h.quantile(q)), q*100_000*37
		if math.Abs(got-want)/want > 0.01 {
			t.Errorf("quantile %v = %v, want %v", q, got, want)
		}
	}
	if h.min != 37 || h.max != 3_700_000 {
		t.Errorf("min %d, max %d", h.min, h.max)
	}
	for _, ns := range []int64{0, 1, 127, 128, 255, 256, 1 << 40, math.MaxInt64} {
		if b := bin(ns); binEdge(b) > ns || (ns < 1<<62 && binEdge(b+1) <= ns) {
			t.Errorf("%d ns falls in bin %d = [%d, %d)", ns, b, binEdge(b), binEdge(b+1))
		}
	}
}

// A Create that fails may return a nil pointer of its own type, which is no nil Sink. Closing it crashed.
func TestASinkThatCannotBeMadeIsAnErrorAndNoCrash(t *testing.T) {
	src := &fakeSource{name: "a", metas: metas("x")}
	for _, rounds := range [][]Round{nil, {{Name: "one"}, {Name: "two"}}} {
		res, err := Record(t.Context(), Options{
			Sources: []Source{src}, Period: time.Millisecond, Duration: 10 * time.Millisecond, pacer: &fakePacer{}, Rounds: rounds, RoundLabel: "round",
			Create: func(*capture.Schema) (Sink, error) {
				var none *gateSink
				return none, errors.New("write x: read-only file system")
			},
		})
		if res != nil && res.Samples > 0 || err == nil || !strings.Contains(err.Error(), "read-only file system") {
			t.Errorf("%d rounds: %+v, %v", len(rounds), res, err)
		}
	}
	if src.closed.Load() != 2 {
		t.Errorf("the source was closed %d times of 2", src.closed.Load())
	}
}

// What a source says at every read was in the file as often, and the user was not told.
func TestWarningsOfASourceAreToldOnceAndCounted(t *testing.T) {
	for _, sources := range [][]Source{
		{&fakeSource{name: "a", metas: metas("x"), warns: "it broke"}},
		{&fakeSource{name: "a", metas: metas("x"), warns: "it broke"}, &deviceSource{fakeSource: fakeSource{name: "gpu"}, clock: func() int64 { return 0 }}},
	} {
		res, c, err := toMemory(t, t.Context(), Options{Sources: sources, Period: time.Millisecond, Duration: 100 * time.Millisecond, pacer: &fakePacer{now: 1000}})
		if err != nil {
			t.Fatal(err)
		}
		want := []string{"it broke", "it broke 2", "it broke 0", "it broke 1", "100 times: it broke", "34 times: it broke 2", "33 times: it broke 0", "33 times: it broke 1"}
		if !slices.Equal(res.Warnings, want) || !slices.Equal(c.Warnings, want) {
			t.Errorf("%d sources: told %q, recorded %q", len(sources), res.Warnings, c.Warnings)
		}
	}
}

func TestARecordingHoldsWhatItTookItself(t *testing.T) {
	for _, period := range []time.Duration{time.Millisecond, 500 * time.Millisecond} {
		pace := &fakePacer{now: 1000, late: map[uint64]int{3: 2}}
		src := &fakeSource{name: "a", metas: []capture.Meta{{Name: "x"}, {Name: "y"}}}
		before, _ := ownUse()
		res, c, err := toMemory(t, t.Context(), Options{Sources: []Source{src}, Period: period, Duration: max(2*time.Second, 20*period), OwnCost: true, pacer: pace})
		if err != nil {
			t.Fatal(err)
		}
		after, _ := ownUse()
		if res.Columns != 2 || fmt.Sprint(res.Sources) != "[a]" || uint64(c.Len()) != res.Samples || res.Missed != 2 {
			t.Errorf("%v: %d columns of %v, %d rows for %d samples, %d missed", period, res.Columns, res.Sources, c.Len(), res.Samples, res.Missed)
		}
		if got := c.Counter("recorder_lost").Total().Float(); got != 2 {
			t.Errorf("%v: %v samples lost", period, got)
		}
		if got := int64(c.Counter("recorder_cpu").Total().Float()); got < 0 || got > after-before {
			t.Errorf("%v: %d ns of processor time, the test took %d", period, got, after-before)
		}
		for i := range c.Len() {
			if c.Counter("recorder_wakeups").Value(i).Missing() {
				t.Fatalf("%v: row %d does not know the wake-ups", period, i)
			}
		}
	}
}
