package chrometrace

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"astrolabe/capture"
)

func sample(t testing.TB) *capture.Capture {
	axis := &capture.Axis{Start: []int64{-5, 1234567, 2_000_000_001}, End: []int64{10, 1240000, 2_000_000_100}}
	valid := capture.NewBitmap(3)
	valid.Clear(1)
	busy := &capture.Counter{Axis: axis,
		Meta: capture.Meta{Name: "busy", Kind: capture.Gauge, Unit: "percent", Block: "GRBM"}}
	for i, id := range []string{"0", "2"} {
		busy.Instances = append(busy.Instances,
			&capture.Counter{Axis: axis,
				Col:  capture.NewColumn(capture.Data{F: []float64{0.5, float64(i), math.NaN()}}),
				Meta: capture.Meta{Name: "busy[" + id + "]", Instance: id}})
	}
	c, err := capture.New(capture.Config{Name: "run \"1\"", GPU: "gfx1151", StartTime: time.Unix(1, 5).UTC(),
		Axis: axis,
		Counters: []*capture.Counter{
			{Axis: axis, Col: capture.NewColumn(capture.Data{U: []uint64{7, 0, math.MaxUint64}, Valid: valid}),
				Meta: capture.Meta{Name: "cycles", Device: "card1", Doc: "clocks <&>"}},
			{Axis: axis, Col: capture.NewColumn(capture.Data{F: []float64{math.Inf(1), 1e300, -1.5}}),
				Meta: capture.Meta{Name: "level"}},
			busy,
		},
		Labels: []*capture.Label{capture.NewLabel("kernel", []string{"a", "a", ""}, nil)},
		Regions: []capture.Region{{Name: "frame", Start: 0, End: 30}, {Name: "draw", Start: 20, End: 50, Depth: 1},
			{Name: "call", Start: 0, End: 50, Track: "HIP"},
			{Name: "inner", Start: 5, End: 20, Depth: 1, Track: "HIP"}},
		Gaps: []capture.Gap{{Start: 40, End: 1050, Lost: 7, Reason: capture.Reason{Code: capture.LostReports}}},
		Late: []capture.Gap{{Start: 0, End: 20, Lost: 1,
			Reason: capture.Reason{Code: capture.LostReports, Text: "slept"}}, {Start: 10, End: 30}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

type traceEvent struct {
	Ph   string         `json:"ph"`
	Pid  int            `json:"pid"`
	Tid  int            `json:"tid"`
	Name string         `json:"name"`
	Cat  string         `json:"cat"`
	Ts   json.Number    `json:"ts"`
	Dur  json.Number    `json:"dur"`
	Args map[string]any `json:"args"`
}

func TestAChromeTraceHoldsCountersAndRegions(t *testing.T) {
	var buf bytes.Buffer
	if err := (Format{}).Encode(context.Background(), &buf, sample(t)); err != nil {
		t.Fatal(err)
	}
	var trace struct {
		Events   []traceEvent   `json:"traceEvents"`
		Unit     string         `json:"displayTimeUnit"`
		Other    map[string]any `json:"otherData"`
		Counters []counterDoc   `json:"counters"`
	}
	d := json.NewDecoder(&buf)
	d.UseNumber()
	d.DisallowUnknownFields()
	if err := d.Decode(&trace); err != nil {
		t.Fatal(err)
	}
	if trace.Unit != "ns" || trace.Other["gpu"] != "gfx1151" ||
		trace.Other["start"] != "1970-01-01T00:00:01.000000005Z" || trace.Counters[0].Doc != "clocks <&>" {
		t.Errorf("%q %v %v", trace.Unit, trace.Other, trace.Counters)
	}
	var got []string
	for _, e := range trace.Events {
		switch e.Ph {
		case "C":
			got = append(got, fmt.Sprint("C", e.Pid, " ", e.Name, " ", e.Ts, " ", e.Args))
		case "X":
			got = append(got, fmt.Sprint("X", e.Tid, " ", e.Name, " ", e.Cat, " ", e.Ts, "+", e.Dur))
		case "M":
			got = append(got, fmt.Sprint("M", e.Pid, " ", e.Tid, " ", e.Args["name"]))
		}
	}
	want := []string{
		`M1 0 run "1"`, `M2 0 run "1" card1`, `M3 0 run "1" GRBM`, "M1 2 regions", "X2 frame region 0+0.030", "M1 3 regions",
		"X3 draw region 0.020+0.030",
		"M1 4 HIP", "X4 call region 0+0.050", "X4 inner region 0.005+0.015",
		"M1 1 gaps", "X1 lost reports gap 0.040+1.010", "M1 5 late", "X5 slept late 0+0.020", "M1 6 late",
		"X6 unknown late 0.010+0.020",
		"M1 7 kernel", "X7 a label -0.005+0.015", "X7 a label 1234.567+5.433",
		"C2 cycles -0.005 map[value:7]", "C3 busy (percent) -0.005 map[0:0.5 2:0.5]",
		"C1 level 1234.567 map[value:1e+300]", "C3 busy (percent) 1234.567 map[0:0 2:1]",
		"C2 cycles 2000000.001 map[value:18446744073709551615]", "C1 level 2000000.001 map[value:-1.5]",
	}
	if a, b := strings.Join(got, "\n"), strings.Join(want, "\n"); a != b {
		t.Errorf("events\n%s\nwant\n%s", a, b)
	}
}

func TestValuesThatViewersChangeAreDoubted(t *testing.T) {
	doubts := strings.Join((Format{}).Doubts(sample(t)), "\n")
	if !strings.Contains(doubts, "cycles has values beyond 2^53") || !strings.Contains(doubts, "level has infinite") {
		t.Errorf("doubts %q", doubts)
	}
}
