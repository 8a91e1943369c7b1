// Package intelmeasure reads what Mesa's drivers for Intel's GPUs write where the environment has INTEL_MEASURE: a row for each event, which is a draw or
// as many as it was told to take together.
//
// As Mesa's intel_measure.c has it, time_us is how long the event took, idle_us how long nothing was measured before it since the end of the row before, and
// draw_start and draw_end are ticks of the GPU. A sample begins where the one before it ends: it is the gap and the event behind it, and engine_busiest of
// the catalogue intel-live is how long of it there was an event. Of the first row the gap is that since the GPU began, and left out. Rows that
// are several events are as long as these, without what was between them. Frames, batches, render passes and what an event is are labels; the hashes of
// shaders are left out.
package intelmeasure

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/formats"
	"astrolabe/capture/memory"
	"astrolabe/capture/progress"
)

// Format is a table of INTEL_MEASURE. Its zero value is ready for use.
type Format struct{}

var _ formats.Explainer = Format{}

// catalogue is that of what monitors tell of an Intel GPU.
const catalogue = "intel-live"

// needed are the columns that say how long events took; that of measuring the CPU (INTEL_MEASURE=cpu) has none of them.
var needed = []string{"draw_start", "draw_end", "frame", "event_index", "idle_us", "time_us"}

// labelled are the columns that become labels.
var labelled = []string{"frame", "batch", "renderpass", "type"}

// Name is "intelmeasure".
func (Format) Name() string { return "intelmeasure" }

// Doc says what the format is.
func (Format) Doc() string {
	return "table of Mesa's INTEL_MEASURE (columns draw_start, draw_end, frame, idle_us and time_us)"
}

// Sniff goes by the names of the columns.
func (Format) Sniff(in *formats.Input) int {
	line, rest, ended := bytes.Cut(in.Head, []byte("\n"))
	if in.IsDir || !ended || len(rest) == 0 || !bytes.HasPrefix(line, []byte("draw_start,")) {
		return 0
	}
	if names := cells(string(line)); slices.ContainsFunc(needed, func(n string) bool { return !slices.Contains(names, n) }) {
		return 0
	}
	return 95
}

func cells(line string) []string { return strings.Split(strings.TrimRight(line, "\r"), ",") }

// WhyNot says what is missing.
func (Format) WhyNot(in *formats.Input) string {
	if in.IsDir {
		return "it is a folder"
	}
	return "no header with the columns " + strings.Join(needed, ", ")
}

// Open reads all rows.
func (Format) Open(ctx context.Context, in *formats.Input, opt formats.Options) (*capture.Capture, error) {
	for name, v := range opt.Extra {
		return nil, formats.OptionErrorf("intelmeasure has no option %s=%v", name, v)
	}
	if err := memory.Room(6 * uint64(in.Size)); err != nil {
		return nil, err
	}
	raw, err := formats.ReadRegular(in.Path)
	if err != nil {
		return nil, err
	}
	progress.From(ctx).Begin(int64(len(raw)), progress.Bytes)
	cfg := capture.Config{Path: in.Path, Format: Format{}.Name(), GPU: catalogue, Device: capture.Device{Vendor: "Intel"},
		Name: strings.TrimSuffix(filepath.Base(in.Path), filepath.Ext(in.Path))}
	if err := read(ctx, in.Path, string(raw), &cfg); err != nil {
		return nil, err
	}
	opt.Apply(&cfg)
	formats.Monitored(&cfg, catalogue)
	if opt.Warn != nil {
		for _, w := range cfg.Warnings {
			opt.Warn(w)
		}
	}
	return capture.New(cfg)
}

// table collects the rows.
type table struct {
	at            map[string]int // of the columns
	start, end    []int64
	busy, events  []float64
	labels        []*capture.Label
	codes         []map[string]int32
	now           float64 // ns
	name          string
	columns, line int
}

func read(ctx context.Context, name, text string, cfg *capture.Config) error {
	lines := strings.Split(text, "\n")
	names := cells(lines[0])
	t := &table{at: map[string]int{}, name: name, columns: len(names)}
	for i, n := range names {
		t.at[n] = i
	}
	for _, n := range labelled {
		if _, ok := t.at[n]; ok {
			t.labels, t.codes = append(t.labels, &capture.Label{Name: n}), append(t.codes, map[string]int32{})
		}
	}
	for i, line := range lines[1:] {
		if i%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if strings.TrimSpace(line) == "" || strings.HasPrefix(line, "draw_start,") { // the header of another device
			continue
		}
		t.line = i + 2
		fields := cells(line)
		if len(fields) != t.columns {
			if t.line == len(lines) && len(t.start) > 0 {
				cfg.Warnings = append(cfg.Warnings, fmt.Sprintf("truncated: line %d breaks off and is left out", t.line))
				break
			}
			return fmt.Errorf("%s:%d: %d values below %d columns", name, t.line, len(fields), t.columns)
		}
		if err := t.row(fields); err != nil {
			return err
		}
	}
	if len(t.start) == 0 {
		return fmt.Errorf("%s: empty: it has a header and no rows", name)
	}
	cfg.Axis, cfg.Labels = &capture.Axis{Start: t.start, End: t.end}, t.labels
	for _, c := range []struct {
		name, unit string
		values     []float64
	}{{"engine_busiest", "ns", t.busy}, {"events", "events", t.events}} {
		cfg.Counters = append(cfg.Counters, &capture.Counter{Meta: capture.Meta{Name: c.name, Unit: c.unit, Kind: capture.Delta}, Axis: cfg.Axis,
			Col: capture.NewColumn(capture.Data{F: c.values})})
	}
	return nil
}

// row takes in an event.
func (t *table) row(fields []string) error {
	number := func(column string) (float64, error) {
		v, err := strconv.ParseFloat(fields[t.at[column]], 64)
		if err != nil || !(v >= 0 && v < 1e12) {
			return 0, fmt.Errorf("%s:%d: column %q: %q is no number of microseconds", t.name, t.line, column, fields[t.at[column]])
		}
		return v, nil
	}
	idle, err := number("idle_us")
	if err != nil {
		return err
	}
	took, err := number("time_us")
	if err != nil {
		return err
	}
	if len(t.start) == 0 {
		idle = 0
	}
	t.start = append(t.start, int64(t.now))
	t.now += 1000 * (idle + took)
	if t.now > math.MaxInt64/4 {
		return fmt.Errorf("%s:%d: all rows until here are more than 73 years", t.name, t.line)
	}
	t.end, t.busy = append(t.end, int64(t.now)), append(t.busy, 1000*took)
	many := math.NaN()
	if i, ok := t.at["event_count"]; ok {
		if v, err := strconv.ParseUint(fields[i], 10, 32); err == nil {
			many = float64(v)
		}
	}
	t.events = append(t.events, many)
	for i, l := range t.labels {
		text := fields[t.at[l.Name]]
		code, ok := t.codes[i][text]
		if !ok {
			code = int32(len(l.Dict))
			t.codes[i][text], l.Dict = code, append(l.Dict, text)
		}
		l.Codes = append(l.Codes, code)
	}
	return nil
}
