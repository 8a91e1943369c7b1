package csv

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"astrolabe/capture"
	"astrolabe/capture/formats"
)

// open reads text as a file called name.
func open(t testing.TB, name, text string, extra map[string]any) (*capture.Capture, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return formats.NewRegistry(Format{}).Open(context.Background(), path,
		formats.Options{Format: "csv", GPU: "mali-g615", Extra: extra})
}

func mustOpen(t testing.TB, text string, extra map[string]any) *capture.Capture {
	t.Helper()
	c, err := open(t, "x.csv", text, extra)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// values are the samples of a counter as doubles, NaN written as -1.
func values(t testing.TB, c *capture.Capture, name string) []float64 {
	t.Helper()
	ctr := c.Counter(name)
	if ctr == nil {
		var have []string
		for _, x := range c.Counters {
			have = append(have, x.Name)
		}
		t.Fatalf("no counter %q among %q", name, have)
	}
	out := append([]float64{}, ctr.Floats()...)
	for i, v := range out {
		if math.IsNaN(v) {
			out[i] = -1
		}
	}
	return out
}

func eq(t testing.TB, what string, got, want any) {
	t.Helper()
	if d := cmp.Diff(want, got, cmpopts.IgnoreUnexported(capture.Axis{})); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}

func TestTheTimeColumnIsFoundByNameAndUnit(t *testing.T) {
	for _, tc := range []struct {
		header, first, second string
		start                 []int64
	}{
		{"time", "0.5", "1.5", []int64{5e8, 15e8}},
		{"Time (ns)", "5", "7", []int64{5, 7}},
		{"t [ms]", "5", "7.25", []int64{5e6, 7.25e6}},
		{"time_us", "1", "2", []int64{1e3, 2e3}},
		{"timestamp", "1e-9", "3e-9", []int64{1, 3}},
		{"Timestamp (µs)", "1", "2", []int64{1e3, 2e3}},
		{"start_time [s]", "1", "2", []int64{1e9, 2e9}},
		{"TimeMs", "1", "2", []int64{1e6, 2e6}},
		{"timestampns", "1", "2", []int64{1, 2}},
		{"elapsed (min)", "1", "2", []int64{60e9, 120e9}},
		{"Start_Timestamp", "2444210609381441", "2444210609381541", []int64{0, 100}},
		{"time", "2024-05-06T07:08:09.5Z", "2024-05-06 07:08:10.25", []int64{0, 75e7}},
	} {
		c := mustOpen(t, tc.header+",a\n"+tc.first+",1\n"+tc.second+",2\n", nil)
		eq(t, tc.header+": starts", c.Axis.Start, tc.start)
		eq(t, tc.header+": ends", c.Axis.End, []int64{tc.start[1], 2*tc.start[1] - tc.start[0]})
		eq(t, tc.header+": duration", c.Duration(), 2*(tc.start[1]-tc.start[0]))
		eq(t, tc.header+": counters", len(c.Counters), 1)
	}
}

func TestWallClockTimesGiveTheStartTime(t *testing.T) {
	c := mustOpen(t, "time (ns),a\n1714979289500000001,1\n1714979289500000003,2\n", nil)
	eq(t, "starts", c.Axis.Start, []int64{0, 2})
	eq(t, "start time", c.StartTime.UnixNano(), int64(1714979289500000001))
	p, _ := c.Property("time_origin")
	eq(t, "origin", p.Text, "1714979289500000001 ns")
	eq(t, "duration", c.Duration(), int64(4)) // which was 54 years
	eq(t, "measured", c.Axis.Measured(), int64(4))
}

func TestATimeIsTheStartOfItsSampleUnlessTheOptionSaysEnd(t *testing.T) {
	const text = "time (ns),a\n10,1\n20,2\n50,3\n"
	c := mustOpen(t, text, nil)
	eq(t, "starts", c.Axis.Start, []int64{10, 20, 50})
	eq(t, "ends", c.Axis.End, []int64{20, 50, 80})
	c = mustOpen(t, text, map[string]any{"time": "end"})
	eq(t, "starts", c.Axis.Start, []int64{0, 10, 20})
	eq(t, "ends", c.Axis.End, []int64{10, 20, 50})
	c = mustOpen(t, "a,end (ns)\n1,10\n2,20\n", nil)
	eq(t, "ends alone", c.Axis.Start, []int64{0, 10})
	c = mustOpen(t, "start (ns),end (ns),a\n10,15,1\n20,28,2\n", nil)
	eq(t, "both", c.Axis, &capture.Axis{Start: []int64{10, 20}, End: []int64{15, 28}})
	c = mustOpen(t, "time (ns),a\n10,1\n", map[string]any{"period": "4ns"})
	eq(t, "one row with a period", c.Axis.End, []int64{14})
}

// TestRowsThatSayOnlyHowLongTheyTookFollowEachOther has the header of Intel's oneprof, which prints the time of every
// report and not when it was.
func TestRowsThatSayOnlyHowLongTheyTookFollowEachOther(t *testing.T) {
	c := mustOpen(t, "Kernel,SubDeviceId,GpuTime[ns],EuActive[%]\nGEMM,0,300,40\nGEMM,0,100,80\n", nil)
	eq(t, "axis", c.Axis, &capture.Axis{Start: []int64{0, 300}, End: []int64{300, 400}})
	eq(t, "total of a share", c.Counter("EuActive").Total().Float(), 50.0)
	if all := strings.Join(c.Warnings, "\n"); !strings.Contains(all,
		"rows follow each other, each as long as its GpuTime[ns]") {
		t.Errorf("no warning says where the times come from:\n%s", all)
	}
	c = mustOpen(t, "kernel,duration_us,a\nx,2,1\ny,3,1\n", nil)
	eq(t, "ends", c.Axis.End, []int64{2000, 5000})
	c = mustOpen(t, "took,a\n2,1\n3,1\n", map[string]any{"time_column": "took", "time": "length", "time_unit": "ms"})
	eq(t, "ends by the option", c.Axis.End, []int64{2e6, 5e6})
	// A time wins over a length, which is a counter then, and a length without a unit is none.
	c = mustOpen(t, "time (ns),duration (ns),a\n10,5,1\n20,5,2\n", nil)
	eq(t, "starts", c.Axis.Start, []int64{10, 20})
	eq(t, "duration", values(t, c, "duration"), []float64{5, 5})
	_, err := open(t, "x.csv", "duration,a\n2,1\n", nil)
	wantError(t, err, `x\.csv:1: no time column among duration, a`)
	_, err = open(t, "x.csv", "duration_us,a\n2,1\n-3,1\n", nil)
	wantError(t, err, `x\.csv:3: column "duration_us": -3000 ns is no length of a row`)
	_, err = open(t, "x.csv", "counter,value,duration_us\na,1,2\n", nil)
	wantError(t, err, `x\.csv:1: column "duration_us" is how long a row took, and a table of one value in each row`)
}

func TestNoTimeColumnNeedsAPeriod(t *testing.T) {
	_, err := open(t, "x.csv", "a,b\n1,2\n3,4\n", nil)
	wantError(t, err, `x\.csv:1: no time column among a, b.*option period=`)
	c := mustOpen(t, "a,b\n1,2\n3,4\n", map[string]any{"period": 0.5})
	eq(t, "ends", c.Axis.End, []int64{5e8, 1e9})
	eq(t, "b", values(t, c, "b"), []float64{2, 4})
	c = mustOpen(t, "a,clk\n1,10\n3,30\n", map[string]any{"time_column": "clk", "time_unit": "us"})
	eq(t, "named column", c.Axis.Start, []int64{10e3, 30e3})
}

func TestUnitsAndInstancesAreTakenFromTheHeader(t *testing.T) {
	c := mustOpen(t,
		`time (ns),GPU active (cycles),Bandwidth [MB/s],x_bytes,L2 (read),L2 (write),f (bytes),f (cycles),Load [],H[0],H[1],Weird [mops]
0,1,2,3,4,5,6,7,8,9,10,11
1,1,2,3,4,5,6,7,8,90,11,11
`, nil)
	type m struct{ name, unit, kind string }
	var got []m
	for _, x := range c.Counters {
		got = append(got, m{x.Name, x.Unit, x.Kind.String()})
	}
	want := []m{
		{"GPU active", "cycles", "delta"}, {"Bandwidth", "MB/s", "gauge"}, {"x_bytes", "", "delta"},
		{"L2 (read)", "", "delta"}, {"L2 (write)", "", "delta"}, {"f (bytes)", "bytes", "delta"},
		{"f (cycles)", "cycles", "delta"},
		{"Load", "", "delta"}, {"H", "", "delta"}, {"Weird", "mops", "delta"},
	}
	if d := cmp.Diff(want, got, cmp.AllowUnexported(m{})); d != "" {
		t.Errorf("counters (-want +got):\n%s", d)
	}
	h := c.Counter("H")
	eq(t, "instances", len(h.Instances), 2)
	eq(t, "id", h.Instances[1].Meta.Instance, "1")
	eq(t, "name", h.Instances[1].Name, "H[1]")
	eq(t, "sum", values(t, c, "H"), []float64{19, 101})
}

func TestLevelsAreKnownByUnitOrName(t *testing.T) {
	for header, want := range map[string]capture.Kind{
		"a": capture.Delta, "a (cycles)": capture.Delta, "a (bytes)": capture.Delta, "a (ns)": capture.Delta,
		"energy (J)": capture.Delta,
		"a (%)":      capture.Gauge, "a [MHz]": capture.Gauge, "a (C)": capture.Gauge, "a (°C)": capture.Gauge,
		"a (mW)": capture.Gauge, "a (GB/s)": capture.Gauge,
		"a (requests per second)": capture.Gauge, "gpu_frequency": capture.Gauge, "coreTemp": capture.Gauge,
		"L2 hit rate":     capture.Gauge,
		"GPU Utilization": capture.Gauge, "attempts": capture.Delta, "busy %": capture.Gauge,
		"generated": capture.Delta, "rate (cycles)": capture.Delta,
	} {
		c := mustOpen(t, "time,"+header+"\n0.5,1\n", nil)
		eq(t, header, c.Counters[0].Kind, want)
	}
	for header, want := range map[string]capture.Kind{"a (bytes) {gauge}": capture.Gauge,
		"a (%) {delta}": capture.Delta, "n {constant}": capture.Constant} {
		c := mustOpen(t, "time,"+header+"\n0.5,1\n", nil)
		eq(t, header, c.Counters[0].Kind, want)
		eq(t, header+" is stated", c.Counters[0].Guessed, false)
		eq(t, header+" has a plain name", len(c.Counters[0].Name), 1)
	}
}

func TestIntegersAreExact(t *testing.T) {
	c := mustOpen(t, "time (ns),u,whole,neg,frac,big,huge\n"+
		"0,18446744073709551615,12.0,-5,0.1,1,18446744073709551616\n"+
		"1,9007199254740993,13.000,7,1e3,2.5,1\n", nil)
	u := c.Counter("u").Col.Data()
	eq(t, "u", u.U, []uint64{math.MaxUint64, 9007199254740993})
	eq(t, "12.0 is whole", c.Counter("whole").Col.Data().U, []uint64{12, 13})
	neg := c.Counter("neg")
	eq(t, "negative", neg.Col.Data().F, []float64{-5, 7})
	eq(t, "integral", neg.Integral, true)
	eq(t, "int value", neg.Value(0).Big().String(), "-5")
	eq(t, "fractions", c.Counter("frac").Col.Data().F, []float64{0.1, 1000})
	eq(t, "not integral", c.Counter("frac").Integral, false)
	eq(t, "an integer before a fraction", c.Counter("big").Col.Data().F, []float64{1, 2.5})
	eq(t, "2^64 is a double", c.Counter("huge").Col.Data().F, []float64{1 << 64, 1})
}

func TestMissingCellsStayMissingAndSayWhy(t *testing.T) {
	c := mustOpen(t, "time (ns),a,b,c\n0,,1.5,nan\n1,7,NaN,NULL\n2,N/A,-,\n3,<not counted>,2,\n", nil)
	eq(t, "a", values(t, c, "a"), []float64{-1, 7, -1, -1})
	if c.Counter("a").Col.Data().U == nil {
		t.Error("a is not a column of integers")
	}
	eq(t, "b", values(t, c, "b"), []float64{1.5, -1, -1, 2})
	eq(t, "c", values(t, c, "c"), []float64{-1, -1, -1, -1})
	r, ok := c.Counter("a").Why(0)
	if !ok || !strings.Contains(r.Text, "an empty cell") {
		t.Errorf("why = %v, %v", r, ok)
	}
	if _, ok := c.Counter("a").Why(1); ok {
		t.Error("a present value has a reason to be missing")
	}
}

func TestDialectsAreRecognised(t *testing.T) {
	for name, text := range map[string]string{
		"comma":            "time (ns),a,b\n0,1.5,2\n1,3.25,4\n",
		"semicolon":        "time (ns);a;b\n0;1.5;2\n1;3.25;4\n",
		"decimal comma":    "time (ns);a;b\n0;1,5;2\n1;3,25;4\n",
		"tab":              "time (ns)\ta\tb\n0\t1.5\t2\n1\t3.25\t4\n",
		"pipe":             "time (ns)|a|b\n0|1.5|2\n1|3.25|4\n",
		"carriage returns": "time (ns),a,b\r\n0,1.5,2\r\n1,3.25,4\r\n",
		"byte order mark":  "\xef\xbb\xbftime (ns),a,b\n0,1.5,2\n1,3.25,4\n",
		"no last line end": "time (ns),a,b\n0,1.5,2\n1,3.25,4",
		"comments":         "# made by x\n\n# and y\ntime (ns),a,b\n0,1.5,2\n# between\n\n1,3.25,4\n",
		"numpy header":     "# time (ns),a,b\n0,1.5,2\n1,3.25,4\n",
		"quotes":           "\"time (ns)\",\"a\",\"b\"\n\"0\",\"1.5\",\"2\"\n\"1\",\"3.25\",\"4\"\n",
		"blanks":           "time (ns), a, b\n0, 1.5 , 2\n 1,\t3.25, 4\n",
		"sep line":         "sep=;\ntime (ns);a;b\n0;1.5;2\n1;3.25;4\n",
		"plus and zeros":   "time (ns),a,b\n0,+1.50,002\n1,3.25e0,4.\n",
	} {
		t.Run(name, func(t *testing.T) {
			c := mustOpen(t, text, nil)
			eq(t, "start", c.Axis.Start, []int64{0, 1})
			eq(t, "a", values(t, c, "a"), []float64{1.5, 3.25})
			eq(t, "b", c.Counter("b").Col.Data().U, []uint64{2, 4})
		})
	}
}

func TestTextColumnsAndKnownNamesAreLabels(t *testing.T) {
	c := mustOpen(t,
		"time (ns),Kernel,frame,a,pass (label)\n0,\"copy(double*, \"\"x\"\",\n int)\",1,5,10\n1,,1,6,11\n2,copy,2,7,10\n",
		nil)
	eq(t, "counters", len(c.Counters), 1)
	k := c.Label("Kernel")
	s, _ := k.Value(0)
	eq(t, "quoted text", s, "copy(double*, \"x\",\n int)")
	if _, ok := k.Value(1); ok {
		t.Error("an empty label has a value")
	}
	s, _ = c.Label("frame").Value(2)
	eq(t, "frame", s, "2")
	s, _ = c.Label("pass").Value(1)
	eq(t, "pass", s, "11")
	c = mustOpen(t, "time (ns),code\n0,1\n1,2\n", map[string]any{"labels": []any{"code"}})
	eq(t, "labels by option", len(c.Counters), 0)
}

func TestLongFormBecomesColumns(t *testing.T) {
	for name, text := range map[string]string{
		"by time":     "time (ns),counter,value\n0,a,1\n0,b,2.5\n10,a,3\n10,b,4\n20,a,5\n",
		"by counter":  "counter,value,time (ns)\na,1,0\na,3,10\na,5,20\nb,2.5,0\nb,4,10\n",
		"of a query":  "\"ts\",\"name\",\"value\"\n0,\"a\",1\n0,\"b\",2.5\n10,\"a\",3\n10,\"b\",4\n20,\"a\",5\n",
		"other names": "Metric_Name;Value;Timestamp [ns]\na;1;0\na;3;10\na;5;20\nb;2,5;0\nb;4;10\n",
	} {
		t.Run(name, func(t *testing.T) {
			c := mustOpen(t, text, map[string]any{"time_unit": "ns"})
			eq(t, "starts", c.Axis.Start, []int64{0, 10, 20})
			eq(t, "ends", c.Axis.End, []int64{10, 20, 30})
			eq(t, "a", c.Counter("a").Col.Data().U, []uint64{1, 3, 5})
			eq(t, "b", values(t, c, "b"), []float64{2.5, 4, -1})
			r, _ := c.Counter("b").Why(2)
			if !strings.Contains(r.Text, "no row for this counter") {
				t.Errorf("why = %q", r.Text)
			}
		})
	}
}

func TestNamesAreOfCountersOnlyBesideValues(t *testing.T) {
	c := mustOpen(t, "time (ns),name,reads,writes\n0,draw,1,2\n5,copy,3,4\n", nil)
	eq(t, "wide", values(t, c, "writes"), []float64{2, 4})
	const long = "time (ns),name,value\n0,draw,1\n5,copy,2\n"
	eq(t, "long", len(mustOpen(t, long, nil).Counters), 2)
	for _, opts := range []map[string]any{{"labels": []any{"name"}}, {"shape": "wide"}} {
		eq(t, "told", values(t, mustOpen(t, long, opts), "value"), []float64{1, 2})
	}
	numbered := mustOpen(t, "time (ns),channel,value\n0,1,10\n5,1,20\n", nil)
	eq(t, "a number is no name", values(t, numbered, "value"), []float64{10, 20})
}

func TestLongFormExtraColumns(t *testing.T) {
	c := mustOpen(t, `time (ns),counter,instance,unit,block,note,kernel,value
0,hits,0,requests,L2,n1,copy,18446744073709551615
0,hits,1,requests,L2,n1,copy,1
0,clock,,MHz,top,n2,copy,1000
5,hits,0,requests,L2,n1,add,3
5,hits,1,requests,L2,n1,add,
5,clock,,MHz,top,n2,add,1100
`, nil)
	eq(t, "counters", len(c.Counters), 2)
	hits := c.Counter("hits")
	eq(t, "unit", hits.Unit, "requests")
	eq(t, "block", hits.Block, "L2")
	eq(t, "instance", hits.Instances[1].Name, "hits[1]")
	eq(t, "exact", hits.Instances[0].Col.Data().U, []uint64{math.MaxUint64, 3})
	eq(t, "missing", hits.Instances[1].Value(1).Missing(), true)
	eq(t, "kind", c.Counter("clock").Kind, capture.Gauge)
	s, _ := c.Label("kernel").Value(1)
	eq(t, "kernel", s, "add")
	if c.Label("note") != nil || !strings.Contains(strings.Join(c.Warnings, "\n"), `"note"`) {
		t.Errorf("a column that describes counters became a label, or vanished silently: %q", c.Warnings)
	}
	c = mustOpen(t, "time (ns),core,counter,value\n0,x,a,1\n0,y,a,2\n5,x,a,3\n5,y,a,4\n", nil)
	eq(t, "labels tell samples apart", values(t, c, "a"), []float64{1, 2, 3, 4})
	eq(t, "starts", c.Axis.Start, []int64{0, 0, 5, 5})
	eq(t, "ends", c.Axis.End, []int64{5, 5, 10, 10})
}

// utf16le writes text as Excel saves "Unicode text".
func utf16le(s string) string {
	out := "\xff\xfe"
	for _, r := range s {
		out += string([]byte{byte(r), byte(r >> 8)})
	}
	return out
}

func TestSpreadsheetsOfEveryHabitOpen(t *testing.T) {
	const want = "1234.5 7.5"
	for name, text := range map[string]string{
		"decimal comma":               "time;a\n0,5;1234,5\n1,5;7,5\n",
		"points between thousands":    "time;a\n0,5;1.234,5\n1,5;7,5\n",
		"commas between thousands":    "time;a\n0.5;1,234.5\n1.5;7.5\n",
		"quoted, commas between":      "time,a\n0.5,\"1,234.5\"\n1.5,7.5\n",
		"blanks between thousands":    "time;a\n0,5;1\u202f234,5\n1,5;7,5\n",
		"apostrophes (Swiss)":         "time;a\n0.5;1'234.5\n1.5;7.5\n",
		"blanks, as R's write.table":  "\"time\" \"a\"\n0.5 1234.5\n1.5 7.5\n",
		"sep= line":                   "sep=;\r\ntime;a\r\n0,5;1234,5\r\n1,5;7,5\r\n",
		"Unicode text of Excel":       utf16le("time\ta\r\n0,5\t1234,5\r\n1,5\t7,5\r\n"),
		"lines end as on old Macs":    "time,a\r0.5,1234.5\r1.5,7.5\r",
		"a delimiter ends every line": "time,a,\n0.5,1234.5,\n1.5,7.5,\n",
		"stretches of time as clocks": "time,a\n0:00:00.5,1234.5\n00:00:01.5,7.5\n",
		"pandas' stretches of time":   "time,a\n0 days 00:00:00.500000,1234.5\n0 days 00:00:01.500000,7.5\n",
	} {
		c := mustOpen(t, text, nil)
		eq(t, name+": starts", c.Axis.Start, []int64{5e8, 15e8})
		if v := values(t, c, "a"); len(c.Counters) != 1 || fmt.Sprint(v[0], " ", v[1]) != want {
			t.Errorf("%s: %d counters, a = %v", name, len(c.Counters), v)
		}
	}
	c := mustOpen(t, "time;a;b\n0,5;1.234;2.000\n1,5;5.678;3.000\n", nil)
	eq(t, "thousands where the time shows the decimal mark", values(t, c, "a"), []float64{1234, 5678})
}

// TestTheLastFrameOfATableHasItsOwnLength has the columns that apps write of their frames beside counters of HWCPipe.
func TestTheLastFrameOfATableHasItsOwnLength(t *testing.T) {
	const head = "frame,timestamp_ns,frame_time_ms,a\n"
	c := mustOpen(t, head+"1,5000000000,16.667,1\n2,5016666667,33.333,2\n3,5050000000,16.667,1\n4,5066666667,33.333,2\n", nil)
	eq(t, "ends", c.Axis.End, []int64{5016666667, 5050000000, 5066666667, 5100000000 - 333})
	eq(t, "lengths", values(t, c, "frame_time_ms"), []float64{16.667, 33.333, 16.667, 33.333})
	for name, text := range map[string]string{
		"of the frame before": "1,5000000000,33.333,1\n2,5016666667,16.667,2\n3,5050000000,33.333,1\n",
		"of nothing":          "1,5000000000,16.667,1\n2,5016666667,,2\n3,5050000000,16.667,1\n",
		"below zero":          "1,5000000000,16.667,1\n2,5016666667,33.333,2\n3,5050000000,-16.667,1\n",
	} {
		c = mustOpen(t, head+text, nil)
		eq(t, name, c.Axis.End[2], int64(5083333333))
	}
}
