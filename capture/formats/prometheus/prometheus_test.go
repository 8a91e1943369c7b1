package prometheus

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/formats"
)

func encoded(t testing.TB, cfg capture.Config) string {
	t.Helper()
	c, err := capture.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	var buf bytes.Buffer
	if err := (Format{}).Encode(context.Background(), &buf, c); err != nil {
		t.Fatal(err)
	}
	return buf.String()
}

func sample() capture.Config {
	axis := &capture.Axis{Start: []int64{0, 10, 20}, End: []int64{10, 20, 1_500_000_020}}
	ints := func(v ...uint64) *capture.Column { return capture.NewColumn(capture.Data{U: v}) }
	floats := func(v ...float64) *capture.Column { return capture.NewColumn(capture.Data{F: v}) }
	one := func(m capture.Meta, col *capture.Column) *capture.Counter {
		return &capture.Counter{Axis: axis, Meta: m, Col: col}
	}
	reads := one(capture.Meta{Name: "reads", Unit: "bytes", Block: "L2"}, nil)
	for _, id := range []string{"5", "7"} {
		reads.Instances = append(reads.Instances,
			one(capture.Meta{Name: "reads[" + id + "]", Instance: id, Device: "card\"0\"\\"},
				ints(1, 2, math.MaxUint64)))
	}
	nan := math.NaN()
	absent := one(capture.Meta{Name: "absent"}, floats(nan, nan, nan))
	absent.Reasons = []capture.ReasonRun{
		{From: 0, To: 3, Reason: capture.Reason{Code: capture.PowerGated, Text: "the block was\noff"}}}
	return capture.Config{Name: "run \"1\"", GPU: "gfx1151",
		Device: capture.Device{Name: "Radeon", Driver: "amdgpu 6.1"}, Axis: axis,
		Properties: []capture.Property{{Name: "cu per gpu", Number: 40}, {Name: "api", Text: "hip", IsText: true}},
		Counters: []*capture.Counter{
			reads, absent,
			one(capture.Meta{Name: "GPU.Busy Total", Kind: capture.Gauge, Unit: "%", Doc: "share \\ of\ntime"},
				floats(50, 50, 50)),
			one(capture.Meta{Name: "task-clock", Unit: "ms"}, ints(1, 1, 1498)),
			one(capture.Meta{Name: "task clock", Unit: "s"}, ints(1, 1, 1)),
			one(capture.Meta{Name: "bandwidth", Kind: capture.Gauge, Unit: "bytes/s"}, floats(1e9, 1e9, 1e9)),
			one(capture.Meta{Name: "drift"}, floats(-1, 0, 0)),
			one(capture.Meta{Name: "capture_samples"}, ints(1, 1, 1)),
			one(capture.Meta{Name: "π"}, ints(1, 0, 0)),
		},
	}
}

// samples are those of a text by name and labels; what is no metadata and no sample fails.
func samples(t *testing.T, text string) map[string]string {
	t.Helper()
	out, types := map[string]string{}, map[string]string{}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if m := regexp.MustCompile(`^# (HELP|TYPE) ([a-zA-Z_][a-zA-Z0-9_]*) (.*)$`).FindStringSubmatch(line); m != nil {
			if m[1] == "TYPE" {
				if m[3] != "gauge" && m[3] != "counter" || types[m[2]] != "" {
					t.Errorf("%q: no type of this form, or twice", line)
				}
				types[m[2]] = m[3]
			}
			continue
		}
		m := regexp.MustCompile(`^([a-zA-Z_][a-zA-Z0-9_]*)({.*})? (\S+)$`).FindStringSubmatch(line)
		if m == nil || types[m[1]] == "" || out[m[1]+m[2]] != "" {
			t.Errorf("%q is no sample, of no family, or there twice", line)
			continue
		}
		out[m[1]+m[2]] = m[3]
	}
	return out
}

func TestTheSummaryHoldsTotals(t *testing.T) {
	text := encoded(t, sample())
	got := samples(t, text)
	const c = `capture="run \"1\""`
	want := map[string]string{
		`astrolabe_capture_info{` + c +
			`,gpu="gfx1151",device="Radeon",driver="amdgpu 6.1",property_cu_per_gpu="40",property_api="hip"}`: "1",
		`astrolabe_capture_duration_seconds{` + c + `}`:                                 "1.50000002",
		`astrolabe_capture_samples{` + c + `}`:                                          "3",
		`astrolabe_reads_bytes_total{` + c + `,device="card\"0\"\\",block="L2",id="5"}`: "18446744073709551618",
		`astrolabe_reads_bytes_total{` + c + `,device="card\"0\"\\",block="L2",id="7"}`: "18446744073709551618",
		`astrolabe_gpu_busy_percent{` + c + `}`:                                         "50",
		`astrolabe_task_clock_seconds_total{` + c + `}`:                                 "1.5",
		`astrolabe_task_clock_2_seconds_total{` + c + `}`:                               "3",
		`astrolabe_bandwidth_bytes_per_second{` + c + `}`:                               "1e+09",
		`astrolabe_drift{` + c + `}`:                                                    "-1",
		`astrolabe_capture_samples_2_total{` + c + `}`:                                  "3",
		`astrolabe_x_total{` + c + `}`:                                                  "1",
	}
	for k, v := range want {
		if got[k] != v {
			t.Errorf("%s = %q, want %s", k, got[k], v)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d samples, want %d:\n%s", len(got), len(want), text)
	}
	if !strings.Contains(text, `# HELP astrolabe_absent_total (missing here: the block was\noff)`) {
		t.Errorf("nothing says why absent is absent:\n%s", text)
	}
}

// Samples that a label names are told apart by it, also where two have one name.
func TestWhatALabelNamesHasAValueEach(t *testing.T) {
	cfg := sample()
	l := capture.NewLabel("id", []string{"a\nb", "c", "c"}, nil)
	l.Unique = true
	cfg.Labels = []*capture.Label{l}
	got := samples(t, encoded(t, cfg))
	const c = `astrolabe_x_total{capture="run \"1\"",by_id=`
	for k, v := range map[string]string{`"a\nb"}`: "1", `"c"}`: "0", `"c#2"}`: "0"} {
		if got[c+k] != v {
			t.Errorf("%s = %q, want %s", c+k, got[c+k], v)
		}
	}
}

func TestASummaryIsNotRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(path, []byte(encoded(t, sample())), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := formats.NewRegistry(Format{}).Open(context.Background(), path, formats.Options{})
	if !errors.Is(err, formats.ErrWriteOnly) {
		t.Errorf("error %v", err)
	}
}
