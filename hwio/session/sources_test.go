package session

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"astrolabe/capture"
	"astrolabe/hwio"
)

// stepSource is a source of counters that grow by what the test says with each read.
type stepSource struct {
	stamped bool      // its device stamps its own samples
	onRead  func(int) // told of every read of a stream, with its number
	opened  [][]string
	options []map[string]string
	streams int // open now
}

var stepMetas = []capture.Meta{
	{Name: "events", Unit: "events", Kind: capture.Delta}, {Name: "level", Unit: "percent", Kind: capture.Gauge, Combine: capture.CombineMean},
	{Name: "gone", Kind: capture.Delta}, {Name: "per_cpu", Kind: capture.Delta},
}

func (s *stepSource) Name() string { return "steps" }
func (s *stepSource) Doc() string  { return "Counters of a test." }
func (s *stepSource) Probe(context.Context) hwio.Status {
	return hwio.Status{Usable: true, GPU: "cpu", Device: "test"}
}
func (s *stepSource) Counters(context.Context) ([]capture.Meta, error) { return stepMetas, nil }
func (s *stepSource) Options() []hwio.Option                           { return []hwio.Option{{Name: "speed"}} }
func (s *stepSource) Open(_ context.Context, r hwio.Request) (hwio.Stream, error) {
	st := &stepStream{s: s}
	st.schema.Config.Properties = []capture.Property{{Name: "steps_of", Number: float64(len(s.opened) + 1)}, {Name: "set", Text: "Basic", IsText: true}}
	for i := range stepMetas {
		m := stepMetas[i]
		if !hwio.MatchAny(r.Counters, &m) {
			continue
		}
		for _, instance := range map[bool][]string{true: {"0", "1"}, false: {""}}[m.Name == "per_cpu"] {
			m.Instance = instance
			st.schema.Columns = append(st.schema.Columns, capture.ColumnSpec{Meta: m, Integer: m.Kind == capture.Delta})
		}
	}
	if len(st.schema.Columns) == 0 {
		return nil, hwio.ErrNoMatch
	}
	s.opened = append(s.opened, r.Counters)
	s.options = append(s.options, r.Options)
	s.streams++
	return st, nil
}

type stepStream struct {
	s      *stepSource
	schema capture.Schema
	reads  int
	closed bool
}

func (s *stepStream) Schema() *capture.Schema { return &s.schema }
func (s *stepStream) Read(_ context.Context, b *capture.Batch) error {
	s.reads++
	if s.s.onRead != nil {
		s.s.onRead(s.reads)
	}
	if s.reads == 1 {
		return nil
	}
	rows := 1
	if s.s.stamped {
		rows = 3
	}
	for r := range rows {
		if s.s.stamped {
			at := int64(s.reads*100 + r*10)
			b.Start, b.End = append(b.Start, at), append(b.End, at+int64(r)+1) // 1, 2 and 3 ns long
		}
		for i, c := range s.schema.Columns {
			switch c.Meta.Name {
			case "gone":
				b.AppendMissingFor(i, capture.Reason{Code: capture.NotScheduled, Text: "never had its turn"})
			case "level":
				b.AppendFloat(i, float64(10*(r+1)))
			default:
				b.AppendInt(i, uint64(s.reads*10+r))
			}
		}
	}
	return nil
}
func (s *stepStream) Close() error {
	if !s.closed {
		s.closed = true
		s.s.streams--
	}
	return nil
}

func TestEachPassOpensItsOwnCounters(t *testing.T) {
	ctx := t.Context()
	src := &stepSource{}
	s := opened(t, OverSources([]hwio.Source{src}, SourceOptions{MaxPerPass: 2, Options: map[string]string{"speed": "high"}}))
	must(t, s.EnableAll())
	passes, err := s.Passes()
	must(t, err)
	if len(passes) != 2 {
		t.Fatalf("%d passes, want 2", len(passes))
	}
	var id uint32
	must(t, begin(ctx, s, &id))
	for range passes {
		must(t, s.Step(ctx, BeginPass, 0))
		for sample := range uint32(2) {
			must(t, s.Step(ctx, BeginSample, sample), s.Step(ctx, EndSample, 0))
		}
		must(t, s.Step(ctx, EndPass, 0))
	}
	must(t, s.Step(ctx, EndSession, 0))
	if len(src.opened) != 2 || strings.Join(src.opened[0], " ") != "events level" || strings.Join(src.opened[1], " ") != "gone per_cpu" || src.options[0]["speed"] != "high" {
		t.Errorf("opened %v with %v", src.opened, src.options)
	}
	if src.streams != 0 {
		t.Errorf("%d streams stayed open", src.streams)
	}
	// Reads are: baseline, begin, end, begin, end.
	for sample, want := range []uint64{30, 50} {
		v, err := s.Result(ctx, id, uint32(sample), 0, "")
		if u, ok := v.Uint64(); err != nil || !ok || u != want {
			t.Errorf("sample %d: %v %v, want %d", sample, v.Float(), err, want)
		}
	}
	if v, err := s.Result(ctx, id, 0, 3, ""); err != nil || v.Float() != 60 {
		t.Errorf("the instances make %v, %v, want 60", v.Float(), err)
	}
	if _, err := s.Result(ctx, id, 0, 2, ""); !errors.Is(err, ReadingCounterResult) || !strings.Contains(err.Error(), "never had its turn") {
		t.Errorf("a missing value is %v", err)
	}
	c, err := s.Capture(ctx, id)
	must(t, err)
	// What both streams say is the first one's.
	if p, _ := c.Property("set"); p.Text != "Basic" || len(c.Properties) != 2 {
		t.Errorf("properties %v", c.Properties)
	}
	if c.Len() != 2 || len(c.Passes) != 2 || c.Counter("per_cpu").Pass.ID != "2" || c.GPU != "cpu" {
		t.Errorf("%d samples, %d passes", c.Len(), len(c.Passes))
	}
	if why, ok := c.Counter("gone").Why(0); !ok || why.Code != capture.NotScheduled {
		t.Errorf("the reason in the capture is %v", why)
	}
}

func TestRowsOfADeviceThatStampsItsSamplesAreTakenTogether(t *testing.T) {
	ctx := t.Context()
	s := opened(t, OverSources([]hwio.Source{&stepSource{stamped: true}}, SourceOptions{}))
	must(t, s.Enable(ByNumber(0)), s.Enable(ByNumber(1)))
	var id uint32
	must(t, begin(ctx, s, &id), s.Step(ctx, BeginPass, 0), s.Step(ctx, BeginSample, 0), s.Step(ctx, EndSample, 0), s.Step(ctx, EndPass, 0), s.Step(ctx, EndSession, 0))
	if v, err := s.Result(ctx, id, 0, 0, ""); err != nil || v.Float() != 30+31+32 {
		t.Errorf("a count is %v, %v", v.Float(), err)
	}
	if v, err := s.Result(ctx, id, 0, 1, ""); err != nil || v.Float() != (10*1+20*2+30*3)/6.0 {
		t.Errorf("a level is %v, %v, want the mean over time", v.Float(), err)
	}
}

func TestRunRunsTheCommandOncePerPass(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("recordings need Linux")
	}
	ctx := t.Context()
	src := &stepSource{}
	s := opened(t, OverSources([]hwio.Source{src}, SourceOptions{MaxPerPass: 1, Options: map[string]string{"speed": "low"}}))
	must(t, s.Enable(ByNumber(0)), s.Enable(ByNumber(3)))
	var out strings.Builder
	var warned []string
	id, err := s.Run(ctx, &Run{Args: []string{"sh", "-c", "echo ran; exit 3"}, Output: &out, Warn: func(s string) { warned = append(warned, s) }})
	must(t, err)
	if out.String() != "ran\nran\n" {
		t.Errorf("the command printed %q", out.String())
	}
	if len(warned) != 2 || !strings.Contains(warned[0], "exit status 3") {
		t.Errorf("warnings %q", warned)
	}
	c, err := s.Capture(ctx, id)
	must(t, err)
	if c.Len() != 1 || len(c.Passes) != 2 || c.Counter("events").Value(0).Missing() || c.Counter("per_cpu").Value(0).Missing() {
		t.Fatalf("%d samples, %d passes", c.Len(), len(c.Passes))
	}
	a, b := c.Counter("events").Interval(0), c.Counter("per_cpu").Interval(0)
	if !(a > 0) || !(b > 0) || c.Counter("events").Pass == c.Counter("per_cpu").Pass {
		t.Errorf("the passes lasted %v and %v ns", a, b)
	}
	if !slices.ContainsFunc(src.options, func(o map[string]string) bool { return o["speed"] == "low" }) {
		t.Errorf("the source's options were lost: %v", src.options)
	}
	var ready bool
	must(t, isReady(s, id, &ready))
	if !ready {
		t.Error("the session is not ready")
	}
	// A command that cannot start ends the session and leaves the context usable.
	if _, err := s.Run(ctx, &Run{Args: []string{"/nonexistent/command"}}); !errors.Is(err, Failed) {
		t.Errorf("got %v, want FAILED", err)
	}
	must(t, s.DisableAll(), s.Close())
}

func TestPeriodsGiveSamplesByPosition(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("recordings need Linux")
	}
	ctx := t.Context()
	// The command ends when four samples have been taken of it: that of the first pass leaves its file, which the second takes away first.
	end := filepath.Join(t.TempDir(), "end")
	src := &stepSource{onRead: func(n int) {
		switch n {
		case 1:
			_ = os.Remove(end) // which is not there in the first pass
		case 5:
			if err := os.WriteFile(end, nil, 0o600); err != nil {
				t.Error(err)
			}
		}
	}}
	s := opened(t, OverSources([]hwio.Source{src}, SourceOptions{MaxPerPass: 1}))
	must(t, s.Enable(ByNumber(0)), s.Enable(ByNumber(3)))
	id, err := s.Run(ctx, &Run{Args: []string{"sh", "-c", `until [ -e "$0" ]; do sleep 0.01; done`, end}, Period: 10 * time.Millisecond})
	must(t, err)
	c, err := s.Capture(ctx, id)
	must(t, err)
	if c.Len() < 4 {
		t.Errorf("%d samples of a command that waits for four", c.Len())
	}
	if s, _ := c.Label("sample").Value(1); s != "1" {
		t.Errorf("the second sample is %s", s)
	}
}
