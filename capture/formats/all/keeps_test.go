package all

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"astrolabe/capture"
	"astrolabe/capture/formats"
	"astrolabe/capture/formats/formatstest"
)

// fullCapture has something of everything.
func fullCapture(t *testing.T) *capture.Capture {
	t.Helper()
	a := &capture.Axis{Clock: "CLOCK_MONOTONIC", Start: []int64{0, 1000, 2000, 4000, 6000},
		End: []int64{1000, 2000, 4000, 5000, 7000}}
	valid := capture.NewBitmap(5)
	valid.Clear(1)
	valid.Clear(4)
	pass := &capture.Pass{ID: "p1", Duration: capture.NewColumn(capture.Data{U: []uint64{900, 900, 1900, 900, 900}})}
	u := func(v ...uint64) *capture.Column { return capture.NewColumn(capture.Data{U: v}) }
	why := capture.Reason{Code: capture.PowerGated, Text: "the block was off"}
	core := func(id string, v ...uint64) *capture.Counter {
		return &capture.Counter{Axis: a, Col: u(v...), Meta: capture.Meta{Name: "busy[" + id + "]", Instance: id,
			Unit: "cycles", Block: "shader_core", Device: "card0"}}
	}
	asleep := core("5", 6, 7, 8, 0, 10)
	asleep.Col = capture.NewColumn(capture.Data{U: []uint64{6, 7, 8, 0, 10}, Valid: capture.NewBitmap(5)})
	asleep.Col.Stretch(0, 5, nil).Valid.Clear(3)
	asleep.Reasons = []capture.ReasonRun{{From: 3, To: 4, Reason: why}}
	c, err := capture.New(capture.Config{
		Name: "full", GPU: "test-gpu", Device: capture.Device{Name: "Test GPU", Driver: "test 1.0"}, Axis: a,
		StartTime:  time.Unix(1_700_000_000, 250).UTC(),
		Properties: []capture.Property{{Name: "cores", Number: 2}, {Name: "api", Text: "vk", IsText: true}},
		Counters: []*capture.Counter{
			{Axis: a, Meta: capture.Meta{Name: "requests", Title: "Requests", Unit: "requests"},
				Col:     capture.NewColumn(capture.Data{U: []uint64{1 << 53, 0, 3, 4, 0}, Valid: valid}),
				Reasons: []capture.ReasonRun{{From: 0, To: 5, Reason: why}}, Pass: pass},
			{Axis: a, Meta: capture.Meta{Name: "used", Unit: "MiB", Kind: capture.Gauge}, Col: u(10, 20, 30, 40, 50)},
			{Axis: a, Meta: capture.Meta{Name: "clock", Unit: "MHz", Kind: capture.Gauge},
				Col: capture.NewColumn(capture.Data{F: []float64{800.5, 900, 1000, 1100, 1200}})},
			{Axis: a, Meta: capture.Meta{Name: "width", Unit: "bits", Kind: capture.Constant},
				Col: u(128, 128, 128, 128, 128)},
			{Axis: a, Meta: capture.Meta{Name: "busy", Unit: "cycles", Block: "shader_core"},
				Instances: []*capture.Counter{core("0", 1, 2, 3, 4, 5), asleep}},
		},
		Labels: []*capture.Label{capture.NewLabel("kernel", []string{"a", "a", "b", "b", ""}, nil),
			capture.NewLabel("metric_set", []string{"x", "y", "x", "y", "x"}, nil)},
		Regions: []capture.Region{{Name: "frame 1", Start: 0, End: 4000},
			{Name: "shadow", Start: 500, End: 1500, Depth: 1}},
		Gaps: []capture.Gap{{Start: 5000, End: 6000, Lost: 3,
			Reason: capture.Reason{Code: capture.LostReports, Text: "the ring was full"}}},
		Late: []capture.Gap{{Start: 3000, End: 4000, Lost: 1,
			Reason: capture.Reason{Code: capture.InGap, Text: "a tick was missed"}}},
		Passes:   []*capture.Pass{pass},
		Warnings: []string{"the clock was not locked"},
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// gpaCapture is what of it a file of GPUPerfAPI has a place for: counters without instances, numbered by session and
// sample.
func gpaCapture(t *testing.T, full *capture.Capture) *capture.Capture {
	t.Helper()
	c, err := full.With(func(cfg *capture.Config) {
		cfg.Counters = cfg.Counters[:4]
		cfg.Labels = []*capture.Label{capture.NewLabel("session", []string{"1", "1", "1", "2", "2"}, nil),
			capture.NewLabel("sample", []string{"0", "1", "2", "0", "1"}, nil)}
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// The table in docs/formats.md says what each format keeps; this is what they do keep. Recordings of i915perf are held
// against it by package devices.
func TestFormatsKeepWhatTheTableSays(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	promised, err := formatstest.Promises(root)
	if err != nil {
		t.Fatal(err)
	}
	full := fullCapture(t)
	kept := formatstest.Promise{"i915perf": promised["i915perf"]}
	for _, f := range Registry().Formats() {
		w, ok := f.(formats.Writer)
		if !ok {
			continue
		}
		c := full
		if f.Name() == "gpa" {
			c = gpaCapture(t, full)
		}
		if back := formatstest.RoundTrip(t, Registry(), w, c); back != nil {
			kept[f.Name()] = formatstest.Measure(c, back)
			if c != full { // what was taken out of it is lost too
				if whole := formatstest.RoundTrip(t, Registry(), w, full); whole != nil {
					kept[f.Name()]["instances"] = formatstest.Measure(full, whole)["instances"]
				}
			}
		}
	}
	if have, want := formatstest.Table(promised), formatstest.Table(kept); have != want {
		t.Errorf("docs/formats.md says\n%s\nand formats keep\n%s", have, want)
	}
	if strings.Contains(formatstest.Table(kept), "|  |") {
		t.Errorf("a format is not in the table:\n%s", formatstest.Table(kept))
	}
}
