package openmetrics

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"astrolabe/capture"
	"astrolabe/capture/formats"
)

func encode(cfg capture.Config) (string, error) {
	c, err := capture.New(cfg)
	if err != nil {
		return "", err
	}
	var buf bytes.Buffer
	err = Format{}.Encode(context.Background(), &buf, c)
	return buf.String(), err
}

// sample is three samples that end at 10, 20 and 1500 ms after a moment of 2023.
func sample() capture.Config {
	axis := &capture.Axis{Start: []int64{0, 10e6, 20e6}, End: []int64{10e6, 20e6, 1500e6}}
	ints := func(v ...uint64) *capture.Column { return capture.NewColumn(capture.Data{U: v}) }
	floats := func(v ...float64) *capture.Column { return capture.NewColumn(capture.Data{F: v}) }
	one := func(m capture.Meta, col *capture.Column) *capture.Counter {
		return &capture.Counter{Axis: axis, Meta: m, Col: col}
	}
	nan := math.NaN()
	reads := one(capture.Meta{Name: "reads", Unit: "bytes", Block: "L2"}, nil)
	reads.AddInstance(one(capture.Meta{Name: "reads[5]", Instance: "5", Device: "card\"0\"\\"}, ints(1, 2, math.MaxUint64)))
	busy := one(capture.Meta{Name: "GPU.Busy Total", Kind: capture.Gauge, Unit: "%", Doc: "share \\ of\ntime"},
		floats(50, nan, 0.1))
	busy.Reasons = []capture.ReasonRun{{From: 1, To: 2, Reason: capture.Reason{Code: capture.PowerGated, Text: "it was\noff"}}}
	return capture.Config{Name: "run \"1\"", GPU: "gfx1151", StartTime: time.Unix(1700000000, 123e6), Axis: axis,
		Labels:   []*capture.Label{capture.NewLabel("frame no", []string{"1", "", "2\n"}, nil)},
		Counters: []*capture.Counter{reads, busy, one(capture.Meta{Name: "task-clock", Unit: "ms"}, floats(nan, 1, 0.5))}}
}

func TestSamplesFollowTheSpecification(t *testing.T) {
	text, err := encode(sample())
	if err != nil {
		t.Fatal(err)
	}
	got, err := validate(text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	const c, reads = `capture="run \"1\""`, `,device="card\"0\"\\",block="L2",id="5"} `
	want := map[string]string{
		`astrolabe_capture_info{` + c + `,gpu="gfx1151"} 1700000000.123`:         "1",
		`astrolabe_capture_info{` + c + `,gpu="gfx1151"} 1700000001.623`:         "1",
		`astrolabe_label_frame_no_info{` + c + `,frame_no="1"} 1700000000.133`:   "1",
		`astrolabe_label_frame_no_info{` + c + `,frame_no="2\n"} 1700000001.623`: "1",
		`astrolabe_reads_bytes_total{` + c + reads + `1700000000.123`:            "0",
		`astrolabe_reads_bytes_total{` + c + reads + `1700000000.133`:            "1",
		`astrolabe_reads_bytes_total{` + c + reads + `1700000000.143`:            "3",
		`astrolabe_reads_bytes_total{` + c + reads + `1700000001.623`:            "18446744073709551618",
		`astrolabe_gpu_busy_percent{` + c + `} 1700000000.133`:                   "50",
		`astrolabe_gpu_busy_percent{` + c + `} 1700000001.623`:                   "0.1",
		`astrolabe_task_clock_seconds_total{` + c + `} 1700000000.123`:           "0",
		`astrolabe_task_clock_seconds_total{` + c + `} 1700000000.143`:           "0.001",
		`astrolabe_task_clock_seconds_total{` + c + `} 1700000001.623`:           "0.0015",
	}
	near := func(key string) string { // a time may be a hair later, see timeText
		name, at, _ := strings.Cut(key, "} ")
		return name + "} " + at[:min(len(at), 14)]
	}
	have := map[string]string{}
	for k, v := range got {
		have[near(k)] = v
	}
	for k, v := range want {
		if have[k] != v {
			t.Errorf("%s = %q, want %s", k, have[k], v)
		}
	}
	if len(have) != len(want) {
		t.Errorf("%d samples, want %d:\n%s", len(have), len(want), text)
	}
	if !strings.Contains(text, `# HELP astrolabe_gpu_busy_percent share \\ of\ntime (missing here: it was\noff)`) {
		t.Errorf("nothing says why a value is missing:\n%s", text)
	}
}

func parse(text string, into *float64) (err error) {
	*into, err = strconv.ParseFloat(text, 64)
	return err
}

// What a Prometheus reads is cut off behind milliseconds.
func TestTimesComeToTheirMillisecond(t *testing.T) {
	for _, ms := range []int64{0, 1, 999, 1700000000123, 1700000000124, 1700000000125, 1763900000001, 4102444799999} {
		for k := range int64(2000) {
			var seconds float64
			text := timeText(ms + k)
			if err := parse(text, &seconds); err != nil || int64(seconds*1000) != ms+k {
				t.Fatalf("%s comes to %d ms, want %d", text, int64(seconds*1000), ms+k)
			}
		}
	}
}

func TestSamplesOfOneMillisecondAreRefused(t *testing.T) {
	cfg := sample()
	cfg.Axis.Start[1], cfg.Axis.End[1] = 10e6, 10.4e6
	_, err := encode(cfg)
	if !errors.Is(err, formats.ErrUnsuitable) || !strings.Contains(err.Error(), "sample 1 ends in the same millisecond") ||
		!strings.Contains(err.Error(), "--resample 10ms") {
		t.Errorf("error %v", err)
	}
}

// Samples that a label names are series of their own, wherever they end.
func TestWhatALabelNamesIsASeries(t *testing.T) {
	cfg := sample()
	cfg.Axis.End[0] = 1500e6
	kernels := capture.NewLabel("kernel", []string{"a", "b", "b"}, nil)
	kernels.Unique = true
	cfg.Labels = append(cfg.Labels, kernels)
	text, err := encode(cfg)
	if err != nil {
		t.Fatal(err)
	}
	got, err := validate(text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	for _, kernel := range []string{"a", "b#2"} {
		found := false
		for k := range got {
			found = found || strings.Contains(k, `astrolabe_gpu_busy_percent{capture="run \"1\"",kernel="`+kernel+`"} `)
		}
		if !found {
			t.Errorf("no series of %s:\n%s", kernel, text)
		}
	}
}

func TestTheValidatorFindsMistakes(t *testing.T) {
	for name, text := range map[string]string{
		"no end":       "# TYPE a gauge\na 1 1\n",
		"no time":      "# TYPE a gauge\na 1\n# EOF\n",
		"twice":        "# TYPE a gauge\na 1 1\na 2 1\n# EOF\n",
		"back":         "# TYPE a gauge\na 1 2\na 2 1\n# EOF\n",
		"mixed":        "# TYPE a gauge\na 1 2\na{b=\"c\"} 2 1\na 1 3\n# EOF\n",
		"suffix":       "# TYPE a counter\na 1 1\n# EOF\n",
		"negative":     "# TYPE a counter\na_total -1 1\n# EOF\n",
		"interleaved":  "# TYPE a gauge\na 1 1\n# TYPE b gauge\nb 1 1\n# HELP a x\n# EOF\n",
		"unit":         "# TYPE a gauge\n# UNIT a bytes\na 1 1\n# EOF\n",
		"label":        "# TYPE a gauge\na{x=\"a\"b\"} 1 1\n# EOF\n",
		"no number":    "# TYPE a gauge\na one 1\n# EOF\n",
		"clash":        "# TYPE a counter\na_total 1 1\n# TYPE a_total gauge\na_total 2 1\n# EOF\n",
		"empty line":   "# TYPE a gauge\n\na 1 1\n# EOF\n",
		"double label": "# TYPE a gauge\na{x=\"1\",x=\"2\"} 1 1\n# EOF\n",
	} {
		if _, err := validate(text); err == nil {
			t.Errorf("%s: no mistake is found", name)
		}
	}
}

func TestSamplesAreNotRead(t *testing.T) {
	text, err := encode(sample())
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err = formats.NewRegistry(Format{}).Open(context.Background(), path, formats.Options{}); !errors.Is(err, formats.ErrWriteOnly) {
		t.Errorf("error %v", err)
	}
}
