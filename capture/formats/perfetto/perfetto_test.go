package perfetto

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"astrolabe/capture"
	"astrolabe/capture/formats"
)

var background = context.Background()

func ints(v ...uint64) *capture.Column    { return capture.NewColumn(capture.Data{U: v}) }
func floats(v ...float64) *capture.Column { return capture.NewColumn(capture.Data{F: v}) }

func mustNew(t testing.TB, cfg capture.Config) *capture.Capture {
	t.Helper()
	c, err := capture.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// sample has what a trace can hold: units, groups, instances, regions that overlap, gaps, labels, missing values and a
// row of them.
func sample(t testing.TB) *capture.Capture {
	axis := &capture.Axis{Start: []int64{-5, 10, 20, 50, 60}, End: []int64{10, 20, 40, 60, 75}}
	valid := capture.NewBitmap(5)
	valid.Clear(1)
	valid.Clear(3)
	busy := &capture.Counter{Axis: axis,
		Meta: capture.Meta{Name: "busy", Kind: capture.Gauge, Unit: "percent", Block: "GRBM"}}
	for _, id := range []string{"0", "2"} {
		busy.Instances = append(busy.Instances,
			&capture.Counter{Axis: axis, Col: floats(1.5, 2, math.NaN(), math.NaN(), 4),
				Meta: capture.Meta{Name: "busy[" + id + "]", Instance: id, Kind: capture.Gauge, Unit: "percent",
					Block: "GRBM"}})
	}
	return mustNew(t, capture.Config{
		Name: "run", GPU: "gfx1151", Device: capture.Device{Name: "Radeon"},
		StartTime: time.Unix(1_700_000_000, 5).UTC(), Axis: axis,
		Counters: []*capture.Counter{
			{Axis: axis, Col: capture.NewColumn(capture.Data{U: []uint64{1, 0, math.MaxInt64, 0, 5}, Valid: valid}),
				Meta: capture.Meta{Name: "cycles", Unit: "cycles", Block: "GRBM", Device: "card0", Doc: "GPU clocks"}},
			{Axis: axis, Col: ints(5, 6, 7, 0, 9).Slice(0, 5),
				Meta: capture.Meta{Name: "read", Unit: "bytes", Device: "card1"}},
			busy,
		},
		Labels: []*capture.Label{{Name: "kernel", Codes: []int32{0, 0, 1, -1, 0},
			Dict: []string{"vcopy(double*)", "init"}}},
		Regions: []capture.Region{{Name: "frame", Start: 0, End: 30}, {Name: "draw", Start: 20, End: 50, Depth: 1},
			{Name: "mark", Start: 60, End: 60},
			{Name: "call", Start: 5, End: 40, Track: "HIP, thread 7"},
			{Name: "inner", Start: 5, End: 20, Depth: 1, Track: "HIP, thread 7"}},
		Gaps: []capture.Gap{{Start: 40, End: 50, Lost: 7,
			Reason: capture.Reason{Code: capture.LostReports, Text: "buffer full"}}, {Start: 45, End: 55}},
		Late: []capture.Gap{{Start: -5, End: 10, Lost: 3,
			Reason: capture.Reason{Code: capture.LostReports, Text: "slept"}}, {Start: -5, End: 20}},
	})
}

func encoded(t testing.TB, c *capture.Capture) []byte {
	t.Helper()
	var buf bytes.Buffer
	if err := (Format{}).Encode(background, &buf, c); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func decodeBytes(data []byte) (*capture.Capture, error) {
	cfg, err := decode(background, bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	return capture.New(*cfg)
}

func mustDecode(t testing.TB, data []byte) *capture.Capture {
	t.Helper()
	c, err := decodeBytes(data)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// values are the samples of a counter as text.
func values(c *capture.Counter) (out []string) {
	for i := range c.Len() {
		switch v := c.Value(i); {
		case v.Missing():
			out = append(out, "-")
		case v.IsInt():
			out = append(out, v.Big().String())
		default:
			out = append(out, fmt.Sprint(v.Float()))
		}
	}
	return out
}

// plain is what of a capture a trace keeps.
func plain(c *capture.Capture) map[string]any {
	out := map[string]any{"axis": fmt.Sprint(c.Axis.Start, c.Axis.End), "regions": c.Regions, "gaps": c.Gaps,
		"late": c.Late, "start": c.StartTime.UnixNano()}
	for _, w := range c.Counters {
		for _, one := range append([]*capture.Counter{w}, w.Instances...) {
			m := one.Meta
			if one.Col != nil {
				out[m.Name] = fmt.Sprint(values(one), m.Unit, m.Kind, m.Block, m.Device, m.Doc, m.Instance)
			}
		}
		out["whole "+w.Name] = fmt.Sprint(len(w.Instances), w.Unit, w.Kind)
	}
	for _, l := range c.Labels {
		var texts []string
		for i := range l.Codes {
			v, ok := l.Value(i)
			texts = append(texts, fmt.Sprint(v, ok))
		}
		out["label "+l.Name] = texts
	}
	return out
}

func TestWhatATraceHoldsComesBackExactly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.bin")
	want := sample(t)
	if err := formats.NewRegistry(Format{}).Save(background, path, Format{}.Name(), want); err != nil {
		t.Fatal(err)
	}
	got, err := formats.NewRegistry(Format{}).Open(background, path, formats.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(plain(want), plain(got)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if len(got.Warnings) > 0 {
		t.Errorf("warnings %q", got.Warnings)
	}
	if why, ok := got.Counter("cycles").Why(1); !ok || why.Code != capture.NotCollected {
		t.Errorf("the missing value is explained by %+v", why)
	}
	if a, b := encoded(t, want), encoded(t, want); !bytes.Equal(a, b) {
		t.Error("the same capture was written as different bytes")
	}
}

func TestSamplesWithoutAnyValueAndCountersWithoutAnyComeBack(t *testing.T) {
	axis := &capture.Axis{Start: []int64{0, 10, 20}, End: []int64{10, 20, 30}}
	nan := math.NaN()
	want := mustNew(t, capture.Config{Axis: axis, Counters: []*capture.Counter{
		{Axis: axis, Col: floats(1.5, nan, 2.5), Meta: capture.Meta{Name: "a"}},
		{Axis: axis, Col: floats(nan, nan, nan), Meta: capture.Meta{Name: "b", Kind: capture.Constant}}}})
	got := mustDecode(t, encoded(t, want))
	a, b := plain(want), plain(got)
	delete(a, "start")
	delete(b, "start")
	if d := cmp.Diff(a, b); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestEveryFieldIsOfThePublishedSchema(t *testing.T) {
	schema := loadSchema(t)
	trace := takeApart(t, schema, "Trace", encoded(t, sample(t)))
	tracks := map[uint64]node{}
	byName := map[string]node{}
	counts := map[string]int{}
	stacks := map[uint64]int{}
	last := map[uint64]uint64{}
	var cycles []string
	for i, p := range trace["packet"] {
		packet := p.(node)
		if packet.one(t, "trusted_packet_sequence_id") != uint64(1) {
			t.Fatalf("packet %d has sequence %v", i, packet["trusted_packet_sequence_id"])
		}
		if first := packet.one(t, "first_packet_on_sequence") != nil; first != (i == 0) ||
			first != (packet.one(t, "sequence_flags") == uint64(1)) {
			t.Errorf("packet %d: first %v, flags %v", i, first, packet["sequence_flags"])
		}
		if d := packet.sub(t, "track_descriptor"); d != nil {
			id := d.one(t, "uuid").(uint64)
			if id == 0 || tracks[id] != nil {
				t.Errorf("track id %d is 0 or taken", id)
			}
			if parent := d.one(t, "parent_uuid"); parent != nil && tracks[parent.(uint64)] == nil {
				t.Errorf("track %v stands before its parent", d)
			}
			tracks[id], byName[d.one(t, "name").(string)] = d, d
			continue
		}
		e := packet.sub(t, "track_event")
		if e == nil {
			clocks := packet.sub(t, "clock_snapshot")["clocks"]
			if len(clocks) != 2 || clocks[0].(node).one(t, "clock_id") != uint64(6) ||
				clocks[1].(node).one(t, "clock_id") != uint64(1) ||
				clocks[1].(node).one(t, "timestamp") != uint64(1_700_000_000_000_000_005) ||
				clocks[0].(node).one(t, "timestamp") != uint64(5) {
				t.Errorf("clocks %v", clocks)
			}
			continue
		}
		track := tracks[e.one(t, "track_uuid").(uint64)]
		if track == nil {
			t.Fatalf("event %v has no track", e)
		}
		at := packet.one(t, "timestamp").(uint64)
		id := e.one(t, "track_uuid").(uint64)
		switch e.one(t, "type") {
		case uint64(1):
			counts["begin"]++
			if stacks[id]++; stacks[id] > 1 && track.one(t, "name") != "HIP, thread 7" { // whose regions nest
				t.Errorf("slices of track %v overlap at %d", track, at)
			}
			fallthrough
		case uint64(2):
			if e.one(t, "type") == uint64(2) {
				counts["end"]++
				stacks[id]--
			}
			if at < last[id] {
				t.Errorf("track %v goes back to %d", track, at)
			}
			last[id] = at
		case uint64(3):
			counts["instant"]++
		case uint64(4):
			counts["counter"]++
			if track["counter"] == nil || (e["counter_value"] == nil) == (e["double_counter_value"] == nil) {
				t.Errorf("event %v on track %v", e, track)
			}
			if track.one(t, "name") == "cycles" {
				cycles = append(cycles, fmt.Sprint(at, "=", e.one(t, "counter_value")))
			}
		default:
			t.Errorf("event of type %v", e["type"])
		}
	}
	want := map[string]int{"begin": 3 + 2 + 2 + 2 + 3, "end": 3 + 2 + 2 + 2 + 3, "instant": 1 + 1 + 2,
		"counter": 3 + 5 + 2*3}
	if d := cmp.Diff(want, counts); d != "" {
		t.Errorf("events (-want +got):\n%s", d)
	}
	if got := strings.Join(cycles, " "); got != fmt.Sprintf("0=1 25=%d 65=5", math.MaxInt64) {
		t.Errorf("cycles %s", got)
	}
	name := func(n node, field string) any {
		parent, _ := n.one(t, field).(uint64)
		return tracks[parent].one(t, "name")
	}
	cyc := byName["cycles"]
	if cyc.sub(t, "counter").one(t, "unit_name") != "cycles" || cyc.one(t, "description") != "GPU clocks" ||
		name(cyc, "parent_uuid") != "GRBM" {
		t.Errorf("cycles: %v", cyc)
	}
	if name(tracks[cyc.one(t, "parent_uuid").(uint64)], "parent_uuid") != "card0" {
		t.Error("cycles is not below its block and its device")
	}
	if unit := byName["read"].sub(t, "counter").one(t, "unit"); unit != uint64(3) {
		t.Errorf("bytes are unit %v", unit)
	}
	if in := byName["busy[2]"]; in.sub(t, "counter").one(t, "y_axis_share_key") != "busy" ||
		name(in, "parent_uuid") != "GRBM 2" {
		t.Errorf("instance: %v", in)
	}
	if root := byName["astrolabe run"]; root.one(t, "description") != "gfx1151, Radeon" ||
		root.one(t, "child_ordering") != uint64(3) || root["parent_uuid"] != nil {
		t.Errorf("root: %v", root)
	}
}

func TestValuesThatATraceCannotHoldAreDoubted(t *testing.T) {
	axis := &capture.Axis{Start: []int64{0, 5}, End: []int64{10, 15}}
	c := mustNew(t, capture.Config{Axis: axis,
		Counters: []*capture.Counter{{Axis: axis, Col: ints(math.MaxUint64, 1), Meta: capture.Meta{Name: "big"}}}})
	doubts := strings.Join((Format{}).Doubts(c), "\n")
	if !strings.Contains(doubts, "big") || !strings.Contains(doubts, "1 samples overlap") {
		t.Errorf("doubts %q", doubts)
	}
	if d := (Format{}).Doubts(sample(t)); len(d) > 0 {
		t.Errorf("doubts %q", d)
	}
}

func TestATraceCutAnywhereKeepsItsWholePackets(t *testing.T) {
	data := encoded(t, sample(t))
	for n := range data {
		c, err := decodeBytes(data[:n])
		if err != nil {
			if !strings.Contains(err.Error(), "truncated") && !strings.Contains(err.Error(), "no counter") &&
				!strings.Contains(err.Error(), "no GPU counters") {
				t.Fatalf("cut at %d: %v", n, err)
			}
			continue
		}
		if c.Len() > 5 {
			t.Fatalf("cut at %d: %d samples", n, c.Len())
		}
	}
}

func TestDamageIsNamedWithItsPlace(t *testing.T) {
	data := append(encoded(t, sample(t)), 0x0b, 1, 2)
	if _, err := decodeBytes(data); err == nil ||
		!strings.Contains(err.Error(), fmt.Sprintf("damaged at byte %d", len(data)-3)) {
		t.Errorf("error %v", err)
	}
	bad := []byte{0x0a, 6, 0x40, 1, 0x5a, 2, 0x08, 0x80} // a track event that breaks off
	if _, err := decodeBytes(bad); err == nil || !strings.Contains(err.Error(), "packet at byte 0") {
		t.Errorf("error %v", err)
	}
}

func TestOtherContentIsNoTrace(t *testing.T) {
	for _, text := range []string{"\ntime,a\n0,1\n", "\n\n\n\n", "PAR1", "{\"traceEvents\":[]}", "\x0a\x02\x08\x01"} {
		path := filepath.Join(t.TempDir(), "x")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		in, err := formats.Inspect(path)
		if err != nil {
			t.Fatal(err)
		}
		if s := (Format{}).Sniff(in); s != 0 {
			t.Errorf("%q is a trace with certainty %d", text, s)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(encoded(f, sample(f)))
	f.Add(gpuTrace(true))
	for _, one := range foreignTraces(f) {
		f.Add(one.Trace)
	}
	f.Add(gpuTrace(false))
	f.Add(chromeTrace())
	f.Add(packed(gpuTrace(true)))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := decodeBytes(data)
		if err != nil {
			return
		}
		for i := range c.Len() {
			if c.Axis.End[i] < c.Axis.Start[i] || i > 0 && c.Axis.Start[i] < c.Axis.Start[i-1] {
				t.Fatalf("sample %d covers [%d, %d)", i, c.Axis.Start[i], c.Axis.End[i])
			}
		}
		for _, ctr := range c.Counters {
			for _, one := range append([]*capture.Counter{ctr}, ctr.Instances...) {
				if one.Col != nil && one.Col.Data().Len() != c.Len() {
					t.Fatalf("%s has %d values in %d samples", one.Name, one.Col.Data().Len(), c.Len())
				}
			}
		}
	})
}
