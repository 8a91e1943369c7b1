package chrometrace

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/formats"
)

func decoded(t testing.TB, text string) *capture.Capture {
	t.Helper()
	cfg, err := decode(context.Background(), strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c, err := capture.New(*cfg)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// values are the samples of a counter, or of an instance, as text.
func values(t testing.TB, c *capture.Capture, name string) string {
	t.Helper()
	for _, whole := range c.Counters {
		for _, ctr := range append([]*capture.Counter{whole}, whole.Instances...) {
			if ctr.Name != name {
				continue
			}
			var out []string
			for i := range ctr.Len() {
				switch v := ctr.Value(i); {
				case v.Missing():
					out = append(out, "-")
				case v.IsInt():
					out = append(out, v.Big().String())
				default:
					out = append(out, fmt.Sprint(v.Float()))
				}
			}
			return strings.Join(out, " ") + " " + ctr.Kind.String() + " " + ctr.Block
		}
	}
	var names []string
	for _, whole := range c.Counters {
		names = append(names, whole.Name)
	}
	return fmt.Sprintf("no counter %q in %q", name, names)
}

// Counters as programs write them: with one argument or several, nested, with an id, in several processes, numbers as
// texts, integers that no double holds, times with decimals and as texts, events in any order.
const counterEvents = `{"ph":"M","pid":7,"name":"process_name","args":{"name":"game"}},
{"ph":"C","pid":7,"tid":1,"ts":"20","name":"fps","cat":"a","args":{"value":61}},
{"ph":"C","pid":7,"tid":1,"ts":10.5,"name":"fps","args":{"value":60}},
{"ph":"C","pid":7,"ts":10.5,"name":"heap","args":{"used":9007199254740993,"free":"1.5","limit":null,"why":{"gc":3}}},
{"ph":"C","pid":7,"ts":10.5,"name":"queue","id":"0x1","args":{"depth":4}},
{"ph":"C","pid":7,"ts":10.5,"name":"queue","id":2,"args":{"depth":5}},
{"ph":"C","pid":"7","ts":20,"name":"loss","args":{"loss":-3}},
{"ph":"C","pid":8,"ts":20,"name":"loss","args":{"loss":NaN}},
{"ph":"C","pid":8,"ts":25,"name":"loss","args":{"loss":2,}}`

func TestCountersOfOtherProgramsAreRead(t *testing.T) {
	for name, text := range map[string]string{
		"list":                    "[" + counterEvents + "]",
		"list without an end":     "\n[\n" + counterEvents,
		"list that ends with ,":   "[" + counterEvents + ",\n",
		"object":                  `{"otherData":{"version":"1"},"traceEvents":[` + counterEvents + `],"displayTimeUnit":"ns"}`,
		"object behind more":      `{"stackFrames":{"a":["}"]},"n":-1.5e3,"traceEvents":[` + counterEvents + `]}`,
		"with a byte order mark":  "\xef\xbb\xbf[" + counterEvents + "]",
		"with empty events at it": "[{}," + counterEvents + ",{}]",
	} {
		t.Run(name, func(t *testing.T) {
			c := decoded(t, text)
			if got := fmt.Sprint(c.Axis.Start, c.Axis.End); got != "[0 9500 14500] [9500 14500 19500]" {
				t.Errorf("axis %s", got)
			}
			for ctr, want := range map[string]string{
				"fps":               "60 61 61 gauge game 7",
				"heap used":         "9007199254740993 9007199254740993 9007199254740993 gauge game 7",
				"heap free":         "1.5 1.5 1.5 gauge game 7",
				"heap why.gc":       "3 3 3 gauge game 7",
				"queue depth[0x1]":  "4 4 4 gauge game 7",
				"queue depth[2]":    "5 5 5 gauge game 7",
				"loss[game 7]":      "- -3 -3 gauge game 7",
				"loss[process 8]":   "- - 2 gauge process 8",
				"heap limit":        "",
				"queue depth[none]": "",
			} {
				if got := values(t, c, ctr); got != want && (want != "" || !strings.HasPrefix(got, "no counter")) {
					t.Errorf("%s: %s, want %s", ctr, got, want)
				}
			}
			if all := strings.Join(c.Warnings, "\n"); !strings.Contains(all, "an event is left out, a counter without") {
				t.Errorf("warnings %q", c.Warnings)
			}
		})
	}
}

func TestSlicesAndMarksAreRegions(t *testing.T) {
	c := decoded(t, `[{"ph":"M","pid":1,"tid":2,"name":"thread_name","args":{"name":"render"}},
{"ph":"B","pid":1,"tid":2,"ts":1,"name":"frame"},{"ph":"X","pid":1,"tid":2,"ts":2,"dur":3,"name":"draw"},
{"ph":"E","pid":1,"tid":2,"ts":9},{"ph":"i","pid":1,"tid":2,"ts":4,"name":"mark","s":"g"},
{"ph":"b","pid":1,"id":"5","cat":"io","ts":2,"name":"read"},{"ph":"e","pid":1,"id":"5","cat":"io","ts":6,"name":"read"},
{"ph":"B","pid":1,"tid":3,"ts":8,"name":"open"},{"ph":"E","pid":1,"tid":4,"ts":8},
{"ph":"X","pid":1,"tid":2,"name":"when"}]`)
	got := map[string]bool{}
	for _, r := range c.Regions {
		got[fmt.Sprint(r)] = true
	}
	for _, want := range []string{"{frame 0 8000 0 process 1: render}", "{draw 1000 4000 1 process 1: render}", "{mark 3000 3000 0 }",
		"{read 1000 5000 0 process 1: io}", "{open 7000 8000 0 process 1: thread 3}"} {
		if !got[want] {
			t.Errorf("no region %s in %v", want, c.Regions)
		}
	}
	// Without counters how long each thread had slices is one.
	if got := values(t, c, "slice_time process 1: render"); got != "1000 4000 2000 1000 delta " {
		t.Errorf("time %q", got)
	}
	all := strings.Join(c.Warnings, "\n")
	for _, want := range []string{"1 slices begin and do not end", "1 ends of slices are left out",
		"an event is left out, without a time: at byte "} {
		if !strings.Contains(all, want) {
			t.Errorf("warnings %q, want %q", c.Warnings, want)
		}
	}
}

func TestDamageIsTold(t *testing.T) {
	c := decoded(t, `[{"ph":"C","ts":1,"name":"a","args":{"v":1}},{"ph":"C","ts" 2},{"ph":"C","ts":3,"name":"a","args":{"v":2}},`+
		`{"ph":"C","ts":4,"na`)
	if got := values(t, c, "a v"); got != "1 2 gauge " {
		t.Errorf("values %s", got)
	}
	all := strings.Join(c.Warnings, "\n")
	if !strings.Contains(all, "an event is left out, damaged: at byte 45") ||
		!strings.Contains(all, "truncated: the event at byte 107 is not complete") {
		t.Errorf("warnings %q", c.Warnings)
	}
	for text, want := range map[string]string{
		`{"traceEvents":[]}`: "no counters",
		`[5]`:                "damaged at byte 1",
		`[{"ph":"i","ts":1,"name":"only a mark"}]`:                            "no slices that take time",
		`[{"ph":"C","ts":1,"name":"` + strings.Repeat("x", mostEvent) + `"}]`: "longer than 32 MiB",
	} {
		if _, err := decode(context.Background(), strings.NewReader(text)); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%.40s: error %v, want %q", text, err, want)
		}
	}
}

// What is recognised is read, plain or packed, whatever the file is called.
func TestWhatIsRecognisedIsRead(t *testing.T) {
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	if _, err := z.Write([]byte(`{"traceEvents": [` + counterEvents + `]}`)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"object": `{"traceEvents":[` + counterEvents + `]}`, "list": "[" + counterEvents,
		"packed": zipped.String()} {
		path := filepath.Join(t.TempDir(), "x")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := formats.NewRegistry(Format{}).Open(context.Background(), path, formats.Options{})
		if err != nil || c.Len() != 3 {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, text := range []string{`[{"counter-value" : "12.0"}]`, `{"a":[{"ph":"C"}]}`, "time,a\n0,1\n", "\x1f\x8b\x08nothing", "["} {
		path := filepath.Join(t.TempDir(), "x")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		in, err := formats.Inspect(path)
		if err != nil {
			t.Fatal(err)
		}
		if sure := (Format{}).Sniff(in); sure != 0 {
			t.Errorf("%q is a trace with certainty %d", text, sure)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte("[" + counterEvents + "]"))
	f.Add([]byte(`{"otherData":{"a":1},"traceEvents":[` + counterEvents + `]}`))
	f.Add([]byte(`[{"ph":"B","ts":1,"name":"a"},{"ph":"X","ts":1,"dur":4},{"ph":"E","ts":3},{"ph":"b","id":1,"ts":-1e3},{"ph":"n","ts":0.1}]`))
	var ours bytes.Buffer
	if err := (Format{}).Encode(context.Background(), &ours, sample(f)); err != nil {
		f.Fatal(err)
	}
	f.Add(ours.Bytes())
	f.Add(bytes.ReplaceAll(ours.Bytes(), []byte(`"name":"cycles"`), []byte(`"n7me":"cycles"`)))
	f.Fuzz(func(t *testing.T, data []byte) {
		cfg, err := decode(context.Background(), bytes.NewReader(data))
		if err != nil {
			return
		}
		c, err := capture.New(*cfg)
		if err != nil {
			t.Fatal(err)
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
