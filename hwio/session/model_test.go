package session

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"astrolabe/capture"
)

// fake is a backend of a few hardware counters. Results arrive when the test lets them.
type fake struct {
	names    []string
	types    []Type
	max      int
	open     bool
	openErr  error
	beginErr error
	late     bool // results stay away until arrive
	arrived  bool
	timed    bool // pass k takes 100*(k+1) ns
	device   capture.Device
}

func (f *fake) Open(context.Context) error { f.open = true; return f.openErr }
func (f *fake) Close() error               { f.open = false; return nil }
func (f *fake) Limits() Limits             { return Limits{Max: f.max} }
func (f *fake) Device() capture.Device     { return f.device }
func (f *fake) Counters() []Counter {
	var out []Counter
	for i, n := range f.names {
		out = append(out, Counter{Name: n, Type: f.types[i], Kind: kindPublic, Hardware: []Hardware{{Name: "hw_" + n}}})
	}
	return out
}
func (f *fake) Evaluate(_ *Counter, v []capture.Value) (capture.Value, error) { return v[0], nil }
func (f *fake) StartPass(_ context.Context, pass int, hw []Hardware) (Pass, error) {
	return &fakePass{f, pass, hw, 0}, nil
}

type fakePass struct {
	f      *fake
	pass   int
	hw     []Hardware
	sample uint32
}

func (p *fakePass) Begin(_ context.Context, sample uint32) error {
	p.sample = sample
	return p.f.beginErr
}
func (p *fakePass) End(context.Context) (Result, error) {
	m := newMeasurement(len(p.hw))
	if p.f.timed {
		m.Start = 1000 * int64(p.pass+1)
		m.End = m.Start + 100*int64(p.pass+1)
	}
	for i, h := range p.hw {
		m.Values[i] = capture.IntValue(uint64(len(h.Name))*1000 + uint64(p.sample))
	}
	return &lateResult{p.f, m}, nil
}
func (p *fakePass) Close() error { return nil }

type lateResult struct {
	f *fake
	m *Measurement
}

func (r *lateResult) Ready() bool                                { return !r.f.late || r.f.arrived }
func (r *lateResult) Wait(context.Context) (*Measurement, error) { return r.m, nil }

// model is a transcription of the table of the reference, one method per row, apart from the library. Counters are those of one fake
// backend, of which max go into a pass.
type model struct {
	names    []string
	types    []Type
	max      int
	contexts map[int]*modelContext
	current  *modelContext
}

type modelContext struct {
	enabled  []int
	sessions []*modelSession // the ring
	active   *modelSession
	count    uint32
}

type modelSession struct {
	id      uint32
	enabled []int
	need    int
	passes  []map[uint32]string // "open" or "done"
	pass    bool
	sample  bool
	ended   bool
}

func (m *model) passCount(n int) int { return (n + m.max - 1) / m.max }

func (m *model) openContext(i int) Status {
	if m.contexts[i] != nil {
		return CountersAlreadyOpen
	}
	m.contexts[i] = &modelContext{}
	m.current = m.contexts[i]
	return OK
}

func (m *model) selectContext(i int) Status {
	if m.contexts[i] == nil {
		return CountersNotOpen
	}
	m.current = m.contexts[i]
	return OK
}

func (m *model) closeContext() Status {
	switch {
	case m.current == nil:
		return CountersNotOpen
	case m.current.active != nil:
		return SamplingNotEnded
	}
	for i, c := range m.contexts {
		if c == m.current {
			delete(m.contexts, i)
		}
	}
	m.current = nil
	return OK
}

func (m *model) enable(i int) Status {
	switch {
	case m.current == nil:
		return CountersNotOpen
	case i < 0 || i >= len(m.names):
		return IndexOutOfRange
	case m.current.active != nil:
		return CannotChangeCountersWhenSampling
	case slices.Contains(m.current.enabled, i):
		return AlreadyEnabled
	}
	m.current.enabled = append(m.current.enabled, i)
	return OK
}

func (m *model) disable(i int) Status {
	switch {
	case m.current == nil:
		return CountersNotOpen
	case i < 0 || i >= len(m.names):
		return IndexOutOfRange
	case m.current.active != nil:
		return CannotChangeCountersWhenSampling
	case !slices.Contains(m.current.enabled, i):
		return NotEnabled
	}
	m.current.enabled = slices.DeleteFunc(m.current.enabled, func(x int) bool { return x == i })
	return OK
}

func (m *model) byName(name *string, do func(int) Status) Status {
	if name == nil {
		return NullPointer
	}
	i := slices.IndexFunc(m.names, func(n string) bool { return strings.EqualFold(n, *name) })
	if i < 0 {
		return NotFound
	}
	return do(i)
}

func (m *model) all(on bool) Status {
	switch {
	case m.current == nil:
		return CountersNotOpen
	case m.current.active != nil:
		return CannotChangeCountersWhenSampling
	}
	m.current.enabled = nil
	for i := range m.names {
		if on {
			m.current.enabled = append(m.current.enabled, i)
		}
	}
	return OK
}

func (m *model) getPassCount() (Status, int) {
	if m.current == nil {
		return CountersNotOpen, 0
	}
	return OK, m.passCount(len(m.current.enabled))
}

func (m *model) beginSession() (Status, uint32) {
	switch {
	case m.current == nil:
		return CountersNotOpen, 0
	case m.passCount(len(m.current.enabled)) == 0:
		return NoCountersEnabled, 0
	case m.current.active != nil:
		return SamplingAlreadyStarted, 0
	}
	c := m.current
	c.count++
	s := &modelSession{id: c.count, enabled: slices.Clone(c.enabled), need: m.passCount(len(c.enabled))}
	c.active = s
	c.sessions = append(c.sessions, s)
	if len(c.sessions) > 4 {
		c.sessions = c.sessions[1:]
	}
	return OK, s.id
}

func (m *model) beginPass() Status {
	switch {
	case m.current == nil:
		return CountersNotOpen
	case m.current.active == nil:
		return SamplingNotStarted
	case m.current.active.pass:
		return PassAlreadyStarted
	}
	s := m.current.active
	s.pass = true
	s.passes = append(s.passes, map[uint32]string{})
	return OK
}

func (m *model) beginSample(id uint32) Status {
	switch {
	case m.current == nil:
		return CountersNotOpen
	case m.current.active == nil:
		return SamplingNotStarted
	case !m.current.active.pass:
		return PassNotStarted
	case m.current.active.sample:
		return SampleAlreadyStarted
	}
	s := m.current.active
	if s.passes[len(s.passes)-1][id] != "" {
		return SampleAlreadyStarted
	}
	s.passes[len(s.passes)-1][id] = "open"
	s.sample = true
	return OK
}

func (m *model) endSample() Status {
	switch {
	case m.current == nil:
		return CountersNotOpen
	case m.current.active == nil || !m.current.active.sample:
		return SampleNotStarted
	}
	s := m.current.active
	s.sample = false
	for id := range s.passes[len(s.passes)-1] {
		s.passes[len(s.passes)-1][id] = "done"
	}
	return OK
}

func (m *model) endPass() Status {
	switch {
	case m.current == nil:
		return CountersNotOpen
	case m.current.active == nil:
		return SamplingNotStarted
	case !m.current.active.pass:
		return PassNotStarted
	case m.current.active.sample:
		return SampleNotEnded
	}
	s := m.current.active
	s.pass = false
	if len(s.passes[len(s.passes)-1]) != len(s.passes[0]) {
		return VariableNumberOfSamplesInPasses
	}
	return OK
}

func (m *model) endSession() Status {
	switch {
	case m.current == nil:
		return CountersNotOpen
	case m.current.active == nil:
		return SamplingNotStarted
	case m.current.active.pass:
		return PassNotEnded
	}
	s := m.current.active
	s.ended = true
	m.current.active = nil
	if len(s.passes) < s.need {
		return NotEnoughPasses
	}
	return OK
}

func (m *model) find(id uint32) *modelSession {
	if m.current == nil {
		return nil
	}
	for _, s := range m.current.sessions {
		if s.id == id {
			return s
		}
	}
	return nil
}

func (m *model) isSessionReady(id uint32) (Status, bool) {
	switch {
	case m.current == nil:
		return CountersNotOpen, false
	case m.find(id) == nil:
		return SessionNotFound, false
	}
	s := m.find(id)
	ready := s.ended && len(s.passes) >= s.need
	for k := 0; ready && k < s.need; k++ {
		for id := range s.passes[0] {
			ready = ready && s.passes[k][id] == "done"
		}
	}
	return OK, ready
}

func (m *model) isSampleReady(id, sample uint32) (Status, bool) {
	switch {
	case m.current == nil:
		return CountersNotOpen, false
	case m.find(id) == nil:
		return SessionNotFound, false
	}
	s := m.find(id)
	ready := true
	for k := range s.need {
		if k >= len(s.passes) || s.passes[k][sample] == "" {
			return SampleNotFoundInAllPasses, false
		}
		ready = ready && s.passes[k][sample] == "done"
	}
	return OK, ready
}

func (m *model) getSample(x Type, id, sample uint32, i int) (Status, uint64) {
	switch {
	case m.current == nil:
		return CountersNotOpen, 0
	case i < 0 || i >= len(m.names):
		return IndexOutOfRange, 0
	case m.types[i] != x:
		return CounterNotOfSpecifiedType, 0
	case m.find(id) == nil:
		return SessionNotFound, 0
	case !slices.Contains(m.find(id).enabled, i):
		return NotEnabled, 0
	}
	s := m.find(id)
	pass := slices.Index(s.enabled, i) / m.max
	switch {
	case pass >= len(s.passes) || s.passes[pass][sample] == "":
		return SampleNotFound, 0
	case s.passes[pass][sample] == "open":
		return ReadingCounterResult, 0
	}
	return OK, uint64(len("hw_"+m.names[i]))*1000 + uint64(sample)
}

func (m *model) getSampleCount(id uint32) (Status, int) {
	switch {
	case m.find(id) == nil:
		return SessionNotFound, 0
	case len(m.find(id).passes) == 0:
		return OK, 0
	}
	return OK, len(m.find(id).passes[0])
}

func (m *model) getCounterIndex(name *string) Status {
	switch {
	case name == nil:
		return NullPointer
	case m.current == nil:
		return CountersNotOpen
	}
	return m.byName(name, func(int) Status { return OK })
}

func (m *model) isCounterEnabled(i int) Status {
	switch {
	case m.current == nil, i < 0 || i >= len(m.names):
		return IndexOutOfRange
	case !slices.Contains(m.current.enabled, i):
		return NotFound
	}
	return OK
}

func TestRandomCallSequencesGiveTheStatusesOfTheTable(t *testing.T) {
	ctx := t.Context()
	seen := map[string]int{}
	for seed := range uint64(400) {
		rng := rand.New(rand.NewPCG(seed, 17))
		names := []string{"Alpha", "Beta", "Gamma_3", "Delta", "Epsilon"}[:2+rng.IntN(4)]
		types := []Type{typeUint64, typeFloat64, "uint32", typeFloat32, typeUint64}[:len(names)]
		maxPerPass := 1 + rng.IntN(3)
		var contexts []*Context
		for range 3 {
			contexts = append(contexts, New(new(Log), &fake{names: names, types: types, max: maxPerPass}))
		}
		m := &model{names: names, types: types, max: maxPerPass, contexts: map[int]*modelContext{}}
		// The names are those that a context had: without one ever open there are none to know.
		c := contexts[0]
		must(t, c.Open(ctx))
		m.openContext(0)
		var trace []string
		for range 150 {
			i := rng.IntN(len(names)+2) - 1
			sample := uint32(rng.IntN(3))
			var session uint32
			if m.current != nil {
				session = uint32(max(0, int(m.current.count)-rng.IntN(6)+rng.IntN(2)))
			}
			name := &[]string{"alpha", "BETA", "Gamma_3", "nothing"}[rng.IntN(4)]
			if rng.IntN(25) == 0 {
				name = nil
			}
			var call string
			var got error
			want := OK
			check := func(ok bool) {
				if want == OK && got == nil && !ok {
					t.Fatalf("seed %d: %s has another result, after %v", seed, call, trace)
				}
			}
			// Steps that go on are more likely than others, so that sequences get somewhere.
			switch rng.IntN(34) {
			case 0:
				h := rng.IntN(3)
				call = fmt.Sprintf("OpenContext(%d)", h)
				if got, want = contexts[h].Open(ctx), m.openContext(h); want == OK {
					c = contexts[h]
				}
			case 1:
				h := rng.IntN(3)
				call = fmt.Sprintf("SelectContext(%d)", h)
				if got, want = contexts[h].Select(), m.selectContext(h); want == OK {
					c = contexts[h]
				}
			case 2:
				call = "CloseContext"
				got, want = c.Close(), m.closeContext()
			case 3, 4:
				call = fmt.Sprintf("EnableCounter(%d)", i)
				got, want = c.Enable(ByNumber(i)), m.enable(i)
			case 5:
				call = "EnableCounterStr"
				got, want = c.Enable(ref(name)), m.byName(name, m.enable)
			case 6:
				call = fmt.Sprintf("DisableCounter(%d)", i)
				got, want = c.Disable(ByNumber(i)), m.disable(i)
			case 7:
				call = "DisableCounterStr"
				got, want = c.Disable(ref(name)), m.byName(name, m.disable)
			case 8:
				call = "EnableAllCounters"
				got, want = c.EnableAll(), m.all(true)
			case 9:
				call = "DisableAllCounters"
				if rng.IntN(3) == 0 {
					got, want = c.DisableAll(), m.all(false)
				}
			case 10:
				call = "GetPassCount"
				passes, err := c.Passes()
				var wantN int
				got = err
				want, wantN = m.getPassCount()
				check(len(passes) == wantN)
			case 11, 12, 13:
				call = "BeginSession"
				var id, wantID uint32
				got = c.Step(ctx, BeginSession, 0)
				id = c.Last()
				want, wantID = m.beginSession()
				check(id == wantID)
			case 14, 15, 16, 17:
				call = "BeginPass"
				got, want = c.Step(ctx, BeginPass, 0), m.beginPass()
			case 18, 19, 20:
				call = fmt.Sprintf("BeginSample(%d)", sample)
				got, want = c.Step(ctx, BeginSample, sample), m.beginSample(sample)
			case 21, 22, 23:
				call = "EndSample"
				got, want = c.Step(ctx, EndSample, 0), m.endSample()
			case 24, 25:
				call = "EndPass"
				got, want = c.Step(ctx, EndPass, 0), m.endPass()
			case 26:
				call = "EndSession"
				got, want = c.Step(ctx, EndSession, 0), m.endSession()
			case 27:
				call = fmt.Sprintf("IsSessionReady(%d)", session)
				var ready, wantReady bool
				ready, got = c.IsSessionReady(session)
				want, wantReady = m.isSessionReady(session)
				check(ready == wantReady)
			case 28:
				call = fmt.Sprintf("IsSampleReady(%d, %d)", session, sample)
				var ready, wantReady bool
				ready, got = c.IsSampleReady(session, sample)
				want, wantReady = m.isSampleReady(session, sample)
				check(ready == wantReady)
			case 29, 30:
				x := []Type{typeFloat32, typeFloat64, "uint32", typeUint64}[rng.IntN(4)]
				if i >= 0 && i < len(types) && rng.IntN(3) > 0 {
					x = types[i]
				}
				call = fmt.Sprintf("GetSample %s(%d, %d, %d)", x, session, sample, i)
				result, err := c.Result(ctx, session, sample, i, x)
				var wantV uint64
				got = err
				want, wantV = m.getSample(x, session, sample, i)
				v := uint64(0)
				if err == nil {
					v = uint64(result.Float())
				}
				check(v == wantV)
			case 31:
				call = fmt.Sprintf("GetSampleCount(%d)", session)
				samples, err := c.Samples(session)
				var wantN int
				got = err
				want, wantN = m.getSampleCount(session)
				check(len(samples) == wantN)
			case 32:
				call = "GetCounterIndex"
				_, got = c.Number(ref(name))
				want = m.getCounterIndex(name)
			case 33:
				call = fmt.Sprintf("IsCounterEnabled(%d)", i)
				got, want = c.IsEnabled(i), m.isCounterEnabled(i)
			}
			trace = append(trace, call)
			if s := StatusOf(got); s != want {
				t.Fatalf("seed %d: %s gives %s (%v), the table %s, after %v", seed, call, s, got, want, trace)
			}
			word, _, _ := strings.Cut(call, "(")
			word, _, _ = strings.Cut(word, " ")
			seen[word+" "+string(want)]++
		}
	}
	for _, must := range []string{"EndPass VARIABLE_NUMBER_OF_SAMPLES_IN_PASSES", "EndSession NOT_ENOUGH_PASSES", "EndSession OK", "GetSample OK", "GetSample READING_COUNTER_RESULT",
		"GetSample SAMPLE_NOT_FOUND", "IsSampleReady SAMPLE_NOT_FOUND_IN_ALL_PASSES", "IsSampleReady OK", "BeginSample SAMPLE_ALREADY_STARTED", "CloseContext SAMPLING_NOT_ENDED",
		"IsSessionReady SESSION_NOT_FOUND", "GetSample COUNTER_NOT_OF_SPECIFIED_TYPE", "EnableCounter CANNOT_CHANGE_COUNTERS_WHEN_SAMPLING", "OpenContext COUNTERS_ALREADY_OPEN",
		"GetCounterIndex COUNTERS_NOT_OPEN", "BeginSession NO_COUNTERS_ENABLED"} {
		if seen[must] == 0 {
			t.Errorf("the sequences never reached %s", must)
		}
	}
}

func TestResultsAreReadyWhenTheyHaveArrived(t *testing.T) {
	ctx := t.Context()
	f := &fake{names: []string{"A"}, types: []Type{typeUint64}, max: 1, late: true}
	s := opened(t, f)
	must(t, s.EnableAll())
	var id uint32
	must(t, begin(ctx, s, &id), s.Step(ctx, BeginPass, 0), s.Step(ctx, BeginSample, 7), s.Step(ctx, EndSample, 0), s.Step(ctx, EndPass, 0), s.Step(ctx, EndSession, 0))
	var ready bool
	must(t, isReady(s, id, &ready))
	if ready {
		t.Error("a session without results is ready")
	}
	f.arrived = true
	must(t, isReady(s, id, &ready))
	if !ready {
		t.Error("a session with all results is not ready")
	}
}

func must(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

func TestWhatABackendSaysIsTheStatusOfTheCall(t *testing.T) {
	ctx := t.Context()
	err := New(new(Log), &fake{openErr: fail(HardwareNotSupported, "no GPU")}).Open(ctx)
	if !errors.Is(err, HardwareNotSupported) || err.Error() != "HARDWARE_NOT_SUPPORTED: no GPU" {
		t.Errorf("got %v", err)
	}
	if err := New(new(Log), &fake{openErr: errors.New("broken")}).Open(ctx); !errors.Is(err, Failed) {
		t.Errorf("got %v, want FAILED", err)
	}
	f := &fake{names: []string{"A"}, types: []Type{typeUint64}, max: 1, beginErr: errors.New("busy")}
	var id uint32
	s := opened(t, f)
	must(t, s.Enable(ByNumber(0)), begin(ctx, s, &id), s.Step(ctx, BeginPass, 0))
	if err := s.Step(ctx, BeginSample, 0); !errors.Is(err, Failed) || !strings.Contains(err.Error(), "busy") {
		t.Errorf("got %v, want FAILED: busy", err)
	}
	f.device = capture.Device{Name: "chip", ID: "0x6860"}
	if d := s.Device(); d.Name != "chip" || d.ID != "0x6860" {
		t.Errorf("device %+v", d)
	}
}

func TestTheLoggingCallbackGetsWhatItAskedFor(t *testing.T) {
	var log Log
	s, ctx := New(&log, &fake{}), t.Context()
	var got []string
	to := func(lt LogType, text string) { got = append(got, lt.Name()+" "+text) }
	if err := log.Register(logError, nil); !errors.Is(err, NullPointer) {
		t.Errorf("got %v, want NULL_POINTER", err)
	}
	must(t, log.Register(logAll, to))
	_ = s.Step(ctx, BeginPass, 0)
	must(t, log.Register(logError, to))
	_ = s.Step(ctx, EndPass, 0)
	must(t, s.Open(ctx))
	must(t, log.Register(LogNone, nil))
	_ = s.Step(ctx, EndPass, 0)
	want := []string{"message Logging callback registered successfully.", "error BeginPass: COUNTERS_NOT_OPEN: no context is current: open one",
		"error EndPass: COUNTERS_NOT_OPEN: no context is current: open one"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestUnitsHaveTheGuidesUsages(t *testing.T) {
	for unit, want := range map[string]string{"%": "percentage", "kB": "kilobytes", "": "items", "ns": ""} {
		if got := usageOf(unit); got != want {
			t.Errorf("%q is of usage %q, want %q", unit, got, want)
		}
	}
	for name, want := range map[string]Type{"gpa_float64": typeFloat64, "UINT64": typeUint64, "text": ""} {
		if got := ParseType(name); got != want {
			t.Errorf("%s is type %q, want %q", name, got, want)
		}
	}
}

func TestAClosedContextForgetsWhatWasEnabled(t *testing.T) {
	ctx := t.Context()
	a := &fake{names: []string{"A"}, types: []Type{typeUint64}, max: 1}
	s := opened(t, a)
	must(t, s.EnableAll(), s.Close())
	if a.open || !errors.Is(s.Step(ctx, BeginPass, 0), CountersNotOpen) || !errors.Is(s.Select(), CountersNotOpen) {
		t.Error("the context is still open")
	}
	must(t, s.Open(ctx))
	if enabled, err := s.Enabled(); err != nil || len(enabled) != 0 {
		t.Errorf("%d counters are enabled in a fresh context, %v", len(enabled), err)
	}
}

// opened is an open context over a backend.
func opened(t testing.TB, b Backend, hidden ...Kind) *Context {
	t.Helper()
	c := New(new(Log), b, hidden...)
	if err := c.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	return c
}

// begin begins a session where errors are gathered.
func begin(ctx context.Context, c *Context, id *uint32) error {
	err := c.Step(ctx, BeginSession, 0)
	*id = c.Last()
	return err
}

func isReady(c *Context, id uint32, ready *bool) (err error) {
	*ready, err = c.IsSessionReady(id)
	return err
}

// ref is the counter of a name; nil is a null pointer.
func ref(name *string) Ref {
	if name == nil {
		return Ref{}
	}
	return ByName(*name)
}

func TestKindsOfCountersCanBeHidden(t *testing.T) {
	raw := rawCapture(t, []string{"GPUTime_Bottom_To_Bottom"}, [][]string{{"1"}})
	count := func(hidden ...Kind) int {
		list, err := opened(t, OverResults(raw, ResultOptions{Generation: "gfx8", API: "dx11"}), hidden...).Counters()
		must(t, err)
		return len(list)
	}
	all, public, software, hardware := count(), count(kindSoftware, KindHardware), count(kindPublic, KindHardware), count(kindPublic, kindSoftware)
	if public == 0 || software == 0 || hardware == 0 || public+software+hardware != all {
		t.Errorf("%d counters: %d public, %d of the API, %d of the hardware", all, public, software, hardware)
	}
}

func TestAContextKeepsItsLastFourSessions(t *testing.T) {
	s, ctx := opened(t, &fake{names: []string{"a"}, types: []Type{typeUint64}}), t.Context()
	if err := s.Enable(ByNumber(0)); err != nil {
		t.Fatal(err)
	}
	for range 6 {
		var id uint32
		for _, err := range []error{begin(ctx, s, &id), s.Step(ctx, BeginPass, 0), s.Step(ctx, BeginSample, 0), s.Step(ctx, EndSample, 0), s.Step(ctx, EndPass, 0), s.Step(ctx, EndSession, 0)} {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	for id, want := range map[uint32]Status{2: SessionNotFound, 3: OK, 4: OK, 5: OK, 6: OK, 7: SessionNotFound} {
		_, err := s.IsSessionReady(id)
		if got := StatusOf(err); got != want {
			t.Errorf("session %d of 6: %s, want %s", id, got, want)
		}
	}
}

func TestEveryCounterKnowsItsPassAndThatPassesDuration(t *testing.T) {
	s, ctx := opened(t, &fake{names: []string{"a", "bb"}, types: []Type{typeUint64, typeUint64}, max: 1, timed: true}), t.Context()
	var id uint32
	for _, err := range []error{s.EnableAll(), begin(ctx, s, &id)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		for _, err := range []error{s.Step(ctx, BeginPass, 0), s.Step(ctx, BeginSample, 0), s.Step(ctx, EndSample, 0), s.Step(ctx, EndPass, 0)} {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := s.Step(ctx, EndSession, 0); err != nil {
		t.Fatal(err)
	}
	c, err := s.Capture(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct {
		name, pass string
		ns         uint64
	}{{"hw_a", "1", 100}, {"hw_bb", "2", 200}} {
		p := c.Counters[i].Pass
		if c.Counters[i].Name != want.name || p == nil || p.ID != want.pass || p.Duration.Data().U[0] != want.ns {
			t.Errorf("%s is of pass %+v, want %+v", c.Counters[i].Name, p, want)
		}
	}
}
