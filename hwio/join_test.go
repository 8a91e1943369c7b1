package hwio

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"astrolabe/capture"
)

// deviceSource is a source whose device stamps its samples, with boundaries of its own.
type deviceSource struct {
	fakeSource
	edges []int64 // boundaries of samples in ns; a negative one starts a new run after a hole
	at    int
	clock func() int64
	count uint64
}

func (s *deviceSource) Open(_ context.Context, r Request) (Stream, error) {
	return &deviceStream{s}, nil
}

type deviceStream struct{ *deviceSource }

func (s *deviceStream) StampsSamples() {}
func (s *deviceStream) Close() error   { return nil }
func (s *deviceStream) Schema() *capture.Schema {
	return &capture.Schema{Config: capture.Config{GPU: "gfx1151"}, Labels: []string{"context"},
		Columns: []capture.ColumnSpec{{Meta: capture.Meta{Name: "shader"}, Integer: true}, {Meta: capture.Meta{Name: "ratio", Kind: capture.Gauge}}}}
}

func (s *deviceStream) Read(_ context.Context, b *capture.Batch) error {
	now := s.clock()
	for s.at+1 < len(s.edges) {
		start, end := s.edges[s.at], s.edges[s.at+1]
		if end < 0 { // a hole follows
			s.at += 2
			s.edges[s.at-1] = -end
			s.at--
			continue
		}
		if end > now {
			break
		}
		b.Start, b.End = append(b.Start, start), append(b.End, end)
		b.AppendInt(0, uint64(end-start))
		b.AppendFloat(1, 0.5)
		b.Labels[0] = append(b.Labels[0], "0x20")
		s.count += uint64(end - start)
		s.at++
	}
	return nil
}

// tickedSource counts known amounts per read.
type tickedSource struct {
	fakeSource
	total  uint64
	gauge  float64
	first  bool
	amount func() uint64
}

func (s *tickedSource) Open(context.Context, Request) (Stream, error) { return &tickedStream{s}, nil }

type tickedStream struct{ *tickedSource }

func (s *tickedStream) Close() error { return nil }
func (s *tickedStream) Schema() *capture.Schema {
	return &capture.Schema{Config: capture.Config{GPU: "cpu"}, Labels: []string{"mode"}, Columns: []capture.ColumnSpec{
		{Meta: capture.Meta{Name: "events"}, Integer: true},
		{Meta: capture.Meta{Name: "level", Kind: capture.Gauge}},
		{Meta: capture.Meta{Name: "seconds"}},
	}}
}

func (s *tickedStream) Read(_ context.Context, b *capture.Batch) error {
	if !s.first {
		s.first = true
		return nil
	}
	n := s.amount()
	s.total += n
	b.AppendInt(0, n)
	b.AppendFloat(1, s.gauge)
	b.AppendFloat(2, float64(n)/1e3)
	b.Labels[0] = append(b.Labels[0], "busy")
	return nil
}

func TestTickedCountersAreSpreadOverTheDevicesSamplesWithoutLosingACount(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	pace := &fakePacer{now: 1000}
	var edges []int64
	for at := int64(1500); at < 3_000_000; at += 1 + r.Int64N(40_000) {
		edges = append(edges, at)
	}
	gpu := &deviceSource{fakeSource: fakeSource{name: "gpu"}, edges: edges, clock: pace.Now}
	cpu := &tickedSource{fakeSource: fakeSource{name: "cpu"}, gauge: 3, amount: func() uint64 { return 1 + r.Uint64N(1<<40) }}
	res, c, err := toMemory(t, t.Context(), Options{Sources: []Source{gpu, cpu}, Period: 50 * time.Microsecond, Duration: 3 * time.Millisecond, pacer: pace})
	if err != nil {
		t.Fatal(err)
	}
	if c.GPU != "gfx1151" || uint64(c.Len()) != res.Samples || c.Len() < 50 {
		t.Fatalf("gpu %s, %d rows, %d samples", c.GPU, c.Len(), res.Samples)
	}
	if got := c.Counter("shader").Total().Float(); got != float64(gpu.count) {
		t.Errorf("the device counted %d, the recording has %v", gpu.count, got)
	}
	// Every count between the first and the last row is there: at most the part before the first row and after the last is not.
	total := uint64(c.Counter("events").Total().Float())
	first, last := c.Axis.Start[0], c.Axis.End[c.Len()-1]
	share := float64(last-first) / 3e6
	if want := float64(cpu.total) * share; float64(total) < 0.9*want || float64(total) > min(1.1*want, float64(cpu.total)) {
		t.Errorf("of %d events %d are in the recording, which is %.3f of the time", cpu.total, total, share)
	}
	for i := range c.Len() {
		if v := c.Counter("level").Value(i).Float(); v != 3 {
			t.Fatalf("row %d: a level of 3 became %v", i, v)
		}
		if e, s := c.Counter("events").Value(i).Float(), c.Counter("seconds").Value(i).Float(); e < s*1e3-2 || e > s*1e3+2 {
			t.Fatalf("row %d: %v events but %v thousandths", i, e, s)
		}
		if l, _ := c.Label("mode").Value(i); l != "busy" {
			t.Fatalf("row %d: label %q", i, l)
		}
	}
}

func TestSharesOfWholeTicksAreExact(t *testing.T) {
	// Three device samples make one tick, then one sample covers three ticks.
	j := newTrack("cpu", []capture.ColumnSpec{{Meta: capture.Meta{Name: "n"}, Integer: true}}, 0)
	for i, n := range []uint64{10, 20, 30, 41} {
		j.pending = append(j.pending, &tick{start: int64(i * 300), end: int64(i*300 + 300), values: []total{{u: n}}, missing: []bool{false}, why: []capture.Reason{{}}})
	}
	s := newSlot(&capture.Schema{Columns: j.specs}, nil, 8)
	j.begin(0)
	for _, e := range [][2]int64{{0, 100}, {100, 200}, {200, 300}, {300, 1200}} {
		j.share(s, member{}, e[0], e[1])
	}
	if got := fmt.Sprint(s.batch.Cols[0].U); got != "[3 3 4 91]" {
		t.Errorf("shares are %s", got)
	}
	if len(j.pending) != 0 {
		t.Errorf("%d ticks are kept although they are used up", len(j.pending))
	}
}

func TestARowThatATickIsMissingInIsMissing(t *testing.T) {
	// The second of three ticks could not be read; rows of 250 ns lie across the ticks of 300 ns.
	j := newTrack("cpu", []capture.ColumnSpec{{Meta: capture.Meta{Name: "n"}, Integer: true}}, 0)
	why := capture.Reason{Code: capture.NotCollected, Text: "not running"}
	for i, n := range []uint64{30, 0, 60} {
		j.pending = append(j.pending, &tick{start: int64(i * 300), end: int64(i*300 + 300), values: []total{{u: n}}, missing: []bool{i == 1}, why: []capture.Reason{why}})
	}
	s := newSlot(&capture.Schema{Columns: j.specs}, nil, 8)
	for _, e := range [][2]int64{{0, 250}, {250, 500}, {500, 700}, {700, 900}} {
		j.share(s, member{}, e[0], e[1])
	}
	for i, want := range []bool{false, true, true, false} {
		if s.batch.Cols[0].Missing(i) != want {
			t.Errorf("row %d is missing: %t", i, !want)
		}
	}
	if u := s.batch.Cols[0].U; u[0] != 25 || u[3] != 40 {
		t.Errorf("rows have %v", u)
	}
}

func TestARowHasTheLabelOfTheLongestTickInIt(t *testing.T) {
	j := newTrack("cpu", nil, 1)
	for i, name := range []string{"a", "b", "c"} {
		j.pending = append(j.pending, &tick{start: int64(i * 300), end: int64(i*300 + 300), labels: []string{name}})
	}
	s := newSlot(&capture.Schema{Labels: []string{"mode"}}, nil, 8)
	for _, e := range [][2]int64{{0, 500}, {500, 650}, {650, 900}} {
		j.share(s, member{}, e[0], e[1])
	}
	if got := fmt.Sprint(s.batch.Labels[0]); got != "[a b c]" {
		t.Errorf("labels are %s", got)
	}
}

// holes are the rows without a sample of the device: how many, and what the CPU counted in them.
func holes(t *testing.T, c *capture.Capture) (rows int, events float64) {
	t.Helper()
	for i := range c.Len() {
		if i > 0 && c.Axis.Start[i] != c.Axis.End[i-1] {
			t.Errorf("row %d begins at %d, the one before ends at %d", i, c.Axis.Start[i], c.Axis.End[i-1])
		}
		if !c.Counter("shader").Value(i).Missing() {
			continue
		}
		rows++
		events += c.Counter("events").Value(i).Float()
		if why, _ := c.Counter("shader").Why(i); !strings.Contains(why.Text, "gpu has no sample here") {
			t.Errorf("reason is %q", why.Text)
		}
	}
	return rows, events
}

func TestStretchesWithoutDeviceSamplesKeepWhatTheCPUCountedPerTick(t *testing.T) {
	for name, x := range map[string]struct {
		edges      []int64
		rows, most int
	}{
		"in the middle": {[]int64{100_000, 300_000, 500_000, -1_500_000, 1_700_000, 1_950_000}, 9, 11},
		"at the end":    {[]int64{100_000, 300_000, 500_000}, 14, 16},
		"throughout":    {nil, 19, 20},
	} {
		pace := &fakePacer{now: 1000}
		gpu := &deviceSource{fakeSource: fakeSource{name: "gpu"}, edges: x.edges, clock: pace.Now}
		cpu := &tickedSource{fakeSource: fakeSource{name: "cpu"}, amount: func() uint64 { return 100 }}
		res, c, err := toMemory(t, t.Context(), Options{Sources: []Source{cpu, gpu}, Period: 100 * time.Microsecond, Duration: 2 * time.Millisecond, pacer: pace})
		if err != nil {
			t.Fatal(err)
		}
		rows, events := holes(t, c)
		if rows < x.rows || rows > x.most || events < float64(rows*100-60) || events > float64(rows*100+60) {
			t.Errorf("%s: %d rows without the device with %v events, want %d to %d with 100 each", name, rows, events, x.rows, x.most)
		}
		if int(res.Samples) != c.Len() {
			t.Errorf("%s: %d samples, %d rows", name, res.Samples, c.Len())
		}
	}
}

// A device that begins to count before the first read of it is over had a first sample before time 0.
func TestNoSampleStartsBeforeZero(t *testing.T) {
	for _, sources := range []int{1, 2} {
		pace := &fakePacer{now: 1_000_000}
		gpu := &deviceSource{fakeSource: fakeSource{name: "gpu"}, edges: []int64{900_000, 1_100_000, 1_400_000, 1_700_000}, clock: pace.Now}
		all := []Source{gpu, &tickedSource{fakeSource: fakeSource{name: "cpu"}, amount: func() uint64 { return 100 }}}
		_, c, err := toMemory(t, t.Context(), Options{Sources: all[:sources], Period: 100 * time.Microsecond, Duration: time.Millisecond, pacer: pace})
		if err != nil {
			t.Fatal(err)
		}
		if c.Axis.Start[0] != 0 || c.Axis.End[0] != 200_000 || c.Axis.Start[1] != 200_000 {
			t.Errorf("%d sources: the first samples are %v to %v", sources, c.Axis.Start, c.Axis.End)
		}
	}
}

func TestTwoDevicesThatStampSamplesDoNotShareARecording(t *testing.T) {
	pace := &fakePacer{now: 1000}
	a := &deviceSource{fakeSource: fakeSource{name: "i915"}, clock: pace.Now}
	b := &deviceSource{fakeSource: fakeSource{name: "kbase"}, clock: pace.Now}
	_, _, err := toMemory(t, t.Context(), Options{Sources: []Source{a, b}, Period: time.Millisecond, Duration: time.Millisecond, pacer: pace})
	if err == nil || !strings.Contains(err.Error(), "i915 and kbase both stamp their own samples") {
		t.Errorf("error is %v", err)
	}
}

func TestPendingTicksStayBounded(t *testing.T) {
	j := newTrack("cpu", []capture.ColumnSpec{{Meta: capture.Meta{Name: "n"}, Integer: true}}, 0)
	v := capture.NewBatch(&capture.Schema{Columns: j.specs}, 1)
	for i := range 10 * maxPending {
		v.AppendInt(0, 7)
		if err := j.take(v, false, int64(i)*10, int64(i)*10+10); err != nil {
			t.Fatal(err)
		}
	}
	if len(j.pending) > maxPending {
		t.Errorf("%d ticks wait", len(j.pending))
	}
	for i, p := range j.pending {
		if i > 0 && p.start != j.pending[i-1].end {
			t.Fatalf("tick %d begins at %d, the one before ends at %d", i, p.start, j.pending[i-1].end)
		}
	}
	if sum, _, _ := j.until(0, 1<<60); sum.u != 7*10*maxPending {
		t.Errorf("merging made %d of %d", sum.u, 7*10*maxPending)
	}
}

func TestTicksWithoutAReadCostADeviceNothing(t *testing.T) {
	pace := &fakePacer{now: 1000, late: map[uint64]int{3: 5}}
	var edges []int64
	for at := int64(1500); at < 1_000_000; at += 10_000 {
		edges = append(edges, at)
	}
	gpu := &deviceSource{fakeSource: fakeSource{name: "gpu"}, edges: edges, clock: pace.Now}
	res, c, err := toMemory(t, t.Context(), Options{Sources: []Source{gpu}, Period: 50 * time.Microsecond, Duration: time.Millisecond, pacer: pace})
	if err != nil {
		t.Fatal(err)
	}
	if res.Missed != 0 || len(c.Gaps) != 0 || len(res.Warnings) != 0 || c.Len() != 99 {
		t.Errorf("%d missed ticks, gaps %v, warnings %q, %d rows", res.Missed, c.Gaps, res.Warnings, c.Len())
	}
}

func TestTheChoicesOfASourceReachTheRecording(t *testing.T) {
	var cfg capture.Config
	for _, o := range []capture.Options{{}, {Denom: "per_second"}, {Denom: "per_kernel", Duration: "first", Zero: "vendor"}} {
		mergeConfig(&cfg, &capture.Config{Options: o})
	}
	if want := (capture.Options{Denom: "per_second", Duration: "first", Zero: "vendor"}); cfg.Options != want {
		t.Errorf("options %+v, want %+v", cfg.Options, want)
	}
}

// pacedStream is read less often than others.
type pacedSource struct {
	tickedSource
	every time.Duration
	reads int
}

type pacedStream struct {
	tickedStream
	of *pacedSource
}

func (s *pacedSource) Open(context.Context, Request) (Stream, error) {
	return &pacedStream{tickedStream{&s.tickedSource}, s}, nil
}
func (s *pacedStream) Every(time.Duration, time.Duration) time.Duration { return s.of.every }
func (s *pacedStream) Read(ctx context.Context, b *capture.Batch) error {
	s.of.reads++
	return s.tickedStream.Read(ctx, b)
}

func TestASlowSourceIsReadAtItsOwnRateAndSpreadOverTheRows(t *testing.T) {
	pace := &fakePacer{now: 1000}
	fast := &fakeSource{name: "fast", metas: []capture.Meta{{Name: "a"}, {Name: "b"}}}
	slow := &pacedSource{tickedSource: tickedSource{fakeSource: fakeSource{name: "slow"}, gauge: 3, amount: func() uint64 { return 1003 }}, every: 10 * time.Millisecond}
	res, c, err := toMemory(t, t.Context(), Options{Sources: []Source{slow, fast}, Period: time.Millisecond, Duration: 100 * time.Millisecond, pacer: pace})
	if err != nil {
		t.Fatal(err)
	}
	if slow.reads < 10 || slow.reads > 12 || fast.reads.Load() < 100 || c.Len() < 99 || int(res.Samples) != c.Len() {
		t.Errorf("%d reads of the slow source and %d of the fast one made %d rows", slow.reads, fast.reads.Load(), c.Len())
	}
	if got := c.Counter("events").Total().Float(); got != float64(slow.total) {
		t.Errorf("%v events in the recording, %d were counted", got, slow.total)
	}
	if p, ok := c.Property("slow_period"); !ok || !strings.HasPrefix(p.Text, "10ms: ") {
		t.Errorf("the recording says %+v of the slow source", p)
	}
	// How long samples wait for it is told where that is longer than until the next are written.
	for flush, want := range map[time.Duration]string{5 * time.Millisecond: "10ms", 20 * time.Millisecond: ""} {
		slow := &pacedSource{tickedSource: tickedSource{fakeSource: fakeSource{name: "slow"}, amount: func() uint64 { return 1 }}, every: 10 * time.Millisecond}
		_, c, err := toMemory(t, t.Context(), Options{Sources: []Source{slow, &fakeSource{name: "fast", metas: []capture.Meta{{Name: "a"}}}},
			Period: time.Millisecond, FlushEvery: flush, Duration: 100 * time.Millisecond, pacer: &fakePacer{now: 1000}})
		if err != nil {
			t.Fatal(err)
		}
		if p, _ := c.Property(capture.HeldBack); p.Text != want {
			t.Errorf("handed on every %v: samples wait for %q, not %q", flush, p.Text, want)
		}
	}
	for i := range c.Len() - 1 {
		if v := c.Counter("events").Value(i).Float(); v < 99 || v > 102 {
			t.Errorf("row %d has %v of 1003 events in ten rows", i, v)
		}
		if c.Counter("level").Value(i).Float() != 3 {
			t.Errorf("row %d: level %v", i, c.Counter("level").Value(i))
		}
	}
}

func TestPeriodsOfSingleSources(t *testing.T) {
	record := func(periods map[string]time.Duration) (slow, fast int64, err error) {
		a := &fakeSource{name: "a", metas: []capture.Meta{{Name: "x"}, {Name: "y"}}}
		b := &fakeSource{name: "b", metas: []capture.Meta{{Name: "v"}, {Name: "w"}}}
		_, c, err := toMemory(t, t.Context(), Options{Sources: []Source{a, b}, Period: time.Millisecond, Periods: periods, Duration: 100 * time.Millisecond, pacer: &fakePacer{now: 1000}})
		if err == nil && c.Len() < 99 {
			t.Errorf("%v: %d rows", periods, c.Len())
		}
		return a.reads.Load(), b.reads.Load(), err
	}
	if a, b, err := record(map[string]time.Duration{"a": 20 * time.Millisecond}); err != nil || a < 5 || a > 7 || b < 100 {
		t.Errorf("%d and %d reads, %v", a, b, err)
	}
	if a, b, err := record(map[string]time.Duration{"b": 20 * time.Millisecond}); err != nil || b < 5 || b > 7 || a < 100 {
		t.Errorf("%d and %d reads, %v", a, b, err)
	}
	for text, periods := range map[string]map[string]time.Duration{
		`a period is given for "c", which is not recorded here; there is a and b`: {"c": time.Second},
		"the period 11s of a is not between 50µs and 10s":                         {"a": 11 * time.Second},
		"the period 1µs of a is not between":                                      {"a": time.Microsecond},
	} {
		if _, _, err := record(periods); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%v: %v", periods, err)
		}
	}
}

// yieldingSource stamps its samples and shares the recording with a device that does.
type yieldingSource struct{ deviceSource }

type yieldingStream struct{ deviceStream }

func (s *yieldingSource) Open(context.Context, Request) (Stream, error) {
	return &yieldingStream{deviceStream{&s.deviceSource}}, nil
}
func (s *yieldingStream) Yields() {}
func (s *yieldingStream) Schema() *capture.Schema {
	return &capture.Schema{Labels: []string{"task"}, Columns: []capture.ColumnSpec{{Meta: capture.Meta{Name: "time"}, Integer: true}, {Meta: capture.Meta{Name: "share", Kind: capture.Gauge}}}}
}

func TestSamplesOfAStreamThatYieldsAreSpreadOverThoseOfADevice(t *testing.T) {
	for _, first := range []int{0, 1} {
		pace := &fakePacer{now: 1000}
		var edges, own []int64
		for at := int64(5_000); at < 3_000_000; at += 70_000 {
			edges = append(edges, at)
		}
		for at := int64(2_000); at < 3_000_000; at += 31_000 {
			own = append(own, at)
		}
		gpu := &deviceSource{fakeSource: fakeSource{name: "gpu"}, edges: edges, clock: pace.Now}
		cpu := &yieldingSource{deviceSource{fakeSource: fakeSource{name: "cpu"}, edges: own, clock: pace.Now}}
		all := []Source{gpu, cpu, gpu}
		_, c, err := toMemory(t, t.Context(), Options{Sources: all[first : first+2], Period: 50 * time.Microsecond, Duration: 3 * time.Millisecond, pacer: pace})
		if err != nil {
			t.Fatal(err)
		}
		// The device's samples lead whichever source comes first. Of a nanosecond each has one count.
		gpuLen := 0
		for i := range c.Len() {
			if c.Counter("shader").Value(i).Missing() {
				continue
			}
			gpuLen++
			length := float64(c.Axis.End[i] - c.Axis.Start[i])
			if c.Counter("shader").Value(i).Float() != length {
				t.Errorf("row %d of %v ns has %v", i, length, c.Counter("shader").Value(i))
			}
			if v := c.Counter("time").Value(i); v.Missing() || v.Float() < length-1 || v.Float() > length+1 {
				t.Errorf("row %d of %v ns has a share of %v", i, length, v)
			}
		}
		if gpuLen != len(edges)-1 {
			t.Errorf("%d of the device's %d samples are rows", gpuLen, len(edges)-1)
		}
	}
}

// A row that one tick covers alone takes a shorter way, which must give what the long one gives.
func TestBothWaysToShareATickAgree(t *testing.T) {
	specs := []capture.ColumnSpec{
		{Integer: true, Meta: capture.Meta{Name: "count", Kind: capture.Delta}}, {Meta: capture.Meta{Name: "real", Kind: capture.Delta}},
		{Integer: true, Meta: capture.Meta{Name: "level", Kind: capture.Gauge}}, {Meta: capture.Meta{Name: "gauge", Kind: capture.Gauge}},
	}
	schema := capture.Schema{Columns: specs}
	r := rand.New(rand.NewPCG(1, 2))
	short, long := newTrack("x", specs, 0), newTrack("x", specs, 0)
	fast, slow := newSlot(&schema, nil, 16), newSlot(&schema, nil, 16)
	at := int64(1000)
	for range 200 {
		start := at
		at += 1 + r.Int64N(1000)
		v := capture.NewBatch(&schema, 1)
		for c := range specs {
			switch {
			case r.IntN(8) == 0:
				v.AppendMissingFor(c, noSample)
			case specs[c].Integer:
				v.AppendInt(c, r.Uint64N(1<<40))
			default:
				v.AppendFloat(c, r.Float64()*1e6)
			}
		}
		short.add(v, 0, start, at)
		long.add(v, 0, start, at)
		for from := start; from < at; {
			to := min(at, from+1+r.Int64N(300))
			short.share(fast, member{}, from, to)
			for c := range specs {
				long.value(slow, c, c, long.pending[:1], from, to)
			}
			from = to
		}
		for c := range specs {
			long.base[c].u += long.pending[0].values[c].u
			long.base[c].f += long.pending[0].values[c].f
		}
		long.pending = long.pending[:0]
	}
	for c := range specs {
		a, b := &fast.batch.Cols[c], &slow.batch.Cols[c]
		if a.Len() != b.Len() || a.Len() < 400 {
			t.Fatalf("%s: %d and %d rows", specs[c].Meta.Name, a.Len(), b.Len())
		}
		for i := range a.Len() {
			if a.Missing(i) != b.Missing(i) || !a.Missing(i) && a.Float(i) != b.Float(i) {
				t.Fatalf("%s, row %d: %v (missing %t) and %v (missing %t)", specs[c].Meta.Name, i, a.Float(i), a.Missing(i), b.Float(i), b.Missing(i))
			}
		}
	}
}

var noSample = capture.Reason{Code: capture.NotCollected, Text: "nothing"}

// slowToStop is a device that goes on for a while after the last tick, until it is stopped.
type slowToStop struct {
	deviceStream
	pace *fakePacer
	more int64
}

func (s *slowToStop) Finish(ctx context.Context, b *capture.Batch) error {
	s.pace.now += s.more
	return s.Read(ctx, b)
}

type slowSource struct {
	*deviceSource
	pace *fakePacer
}

func (s *slowSource) Open(context.Context, Request) (Stream, error) {
	return &slowToStop{deviceStream{s.deviceSource}, s.pace, 20e6}, nil
}

// Where others have the processor a device may be stopped long after the last tick: the recording lasts until then.
func TestARecordingLastsAsLongAsItsSamples(t *testing.T) {
	for _, together := range []bool{false, true} {
		pace := &fakePacer{now: 1000}
		var edges []int64
		for at := int64(1000); at < 50e6; at += 100e3 {
			edges = append(edges, at)
		}
		o := Options{Period: time.Millisecond, Duration: 10 * time.Millisecond, pacer: pace, Sources: []Source{
			&slowSource{&deviceSource{fakeSource: fakeSource{name: "gpu"}, edges: edges, clock: pace.Now}, pace}}}
		if together {
			o.Sources = append(o.Sources, &tickedSource{fakeSource: fakeSource{name: "cpu"}, amount: func() uint64 { return 1 }})
		}
		res, c, err := toMemory(t, t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		end := c.Axis.End[c.Len()-1]
		if end < 29e6 || res.Duration.Nanoseconds() != end {
			t.Errorf("with others %t: the last sample ends at %d ns, and the recording at %d", together, end, res.Duration)
		}
	}
}
