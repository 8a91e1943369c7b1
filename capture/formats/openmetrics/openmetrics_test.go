package openmetrics

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
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

func TestTheSummaryFollowsTheSpecification(t *testing.T) {
	text := encoded(t, sample())
	got, err := validate(text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
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
	if !strings.Contains(text, `# HELP astrolabe_absent (missing here: the block was\noff)`) {
		t.Errorf("nothing says why absent is absent:\n%s", text)
	}
}

func TestTheValidatorFindsMistakes(t *testing.T) {
	for name, text := range map[string]string{
		"no end":       "# TYPE a gauge\na 1\n",
		"twice":        "# TYPE a gauge\na 1\na 2\n# EOF\n",
		"suffix":       "# TYPE a counter\na 1\n# EOF\n",
		"negative":     "# TYPE a counter\na_total -1\n# EOF\n",
		"interleaved":  "# TYPE a gauge\na 1\n# TYPE b gauge\nb 1\n# HELP a x\n# EOF\n",
		"unit":         "# TYPE a gauge\n# UNIT a bytes\na 1\n# EOF\n",
		"label":        "# TYPE a gauge\na{x=\"a\"b\"} 1\n# EOF\n",
		"no number":    "# TYPE a gauge\na one\n# EOF\n",
		"clash":        "# TYPE a counter\na_total 1\n# TYPE a_total gauge\na_total 2\n# EOF\n",
		"empty line":   "# TYPE a gauge\n\na 1\n# EOF\n",
		"double label": "# TYPE a gauge\na{x=\"1\",x=\"2\"} 1\n# EOF\n",
	} {
		if _, err := validate(text); err == nil {
			t.Errorf("%s: no mistake is found", name)
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
