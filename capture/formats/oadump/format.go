// Package oadump reads raw dumps of Intel OA reports: the snapshots that MI_REPORT_PERF_COUNT wrote into a buffer, one
// after the other and nothing else. Nothing in such a file says what it is, so the format is never guessed: the caller
// names it, the GPU and the layout of the reports.
//
// A sample lies between a snapshot and the next, or between the two of each pair where snapshots are taken at the
// beginning and the end of something. The first word of a snapshot is a value of the program that asked for it (the
// column RPT_ID), so there is no reason and no clock ratio. Times are the GPU's own. Constants such as
// EuCoresTotalCount and metric_set are options of open (properties=).
package oadump

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/decode/oa"
	"astrolabe/capture/formats"
	"astrolabe/capture/formats/internal/mapping"
	"astrolabe/capture/metrics"
	"astrolabe/capture/progress"
)

// Format reads raw report dumps. Its zero value is ready for use.
type Format struct{}

var (
	_ formats.Format    = Format{}
	_ formats.Explainer = Format{}
)

// Name is "oa".
func (Format) Name() string { return "oa" }

// Doc says what the format is.
func (Format) Doc() string {
	return "raw dump of Intel OA reports, such as MI_REPORT_PERF_COUNT writes (only on request: format=\"oa\", gpu=..., report_format=...)"
}

// Sniff is never sure: any bytes could be reports.
func (Format) Sniff(*formats.Input) int { return 0 }

// WhyNot says how to open a dump.
func (Format) WhyNot(*formats.Input) string {
	return "a raw dump of Intel OA reports cannot be told by its content: open it with format=\"oa\", gpu= and report_format="
}

// Names of the format's own options.
const (
	optFormat    = "report_format"
	optSnapshots = "snapshots"
)

// options are what the caller said.
type options struct {
	gpu       string
	format    *oa.Format
	pairs     bool
	frequency uint64 // of the timestamp, Hz
	maximum   uint32 // core clock, Hz; 0 if not told
}

// Open reads a dump. Its options are report_format, the name of a format, its Counter Select or its number, and
// snapshots: "consecutive" (each with the next, the default) or "pairs".
func (f Format) Open(ctx context.Context, in *formats.Input, opt formats.Options) (*capture.Capture, error) {
	o, err := readOptions(opt)
	if err != nil {
		return nil, err
	}
	if in.IsDir {
		return nil, fmt.Errorf("%s: a folder, and a dump of reports is one file", in.Path)
	}
	file, err := in.Open()
	if err != nil {
		return nil, err
	}
	defer file.Close()
	st, err := file.Stat()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", in.Path, err)
	}
	var cfg capture.Config
	err = mapping.With(file, st.Size(), func(data []byte) (err error) {
		cfg, err = decode(ctx, data, o)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", in.Path, err)
	}
	cfg.Path, cfg.Format, cfg.Name = in.Path, f.Name(), strings.TrimSuffix(filepath.Base(in.Path),
		filepath.Ext(in.Path))
	cfg.Device = capture.Device{Vendor: "Intel"}
	if cat, err := metrics.Get(o.gpu); err == nil {
		cfg.Device.Name = cat.Title()
	}
	opt.Apply(&cfg)
	if opt.Warn != nil {
		for _, w := range cfg.Warnings {
			opt.Warn(w)
		}
	}
	return capture.New(cfg)
}

func readOptions(opt formats.Options) (o options, err error) {
	extra := maps.Clone(opt.Extra)
	take := func(name string) string {
		v, ok := extra[name]
		delete(extra, name)
		if !ok {
			return ""
		}
		return fmt.Sprint(v)
	}
	format, snapshots := take(optFormat), take(optSnapshots)
	if len(extra) > 0 {
		return o, formats.OptionErrorf("format oa has no option %s; it has %s and %s",
			strings.Join(slices.Sorted(maps.Keys(extra)), ", "), optFormat, optSnapshots)
	}
	if opt.GPU == "" {
		return o, fmt.Errorf("a raw dump of OA reports does not say which GPU wrote it: give gpu=, one of %s",
			strings.Join(intelGPUs(), ", "))
	}
	if cat, err := metrics.Get(opt.GPU); err != nil {
		return o, err
	} else if o.gpu = cat.ID(); !slices.Contains(intelGPUs(), o.gpu) {
		return o, fmt.Errorf("gpu %s has no OA reports: give one of %s", opt.GPU, strings.Join(intelGPUs(), ", "))
	}
	if format == "" {
		var names []string
		for _, f := range oa.Formats() {
			names = append(names, fmt.Sprintf("%q (%d bytes)", f.Name, f.Size))
		}
		return o, fmt.Errorf("a raw dump of OA reports does not say their layout: give report_format=, one of %s",
			strings.Join(names, ", "))
	}
	if o.format, err = oa.FormatByName(format); err != nil {
		return o, fmt.Errorf("option %s: %w", optFormat, err)
	}
	switch snapshots {
	case "", "consecutive":
	case "pairs":
		o.pairs = true
	default:
		return o, fmt.Errorf(
			"option %s: %q: use \"consecutive\" (each snapshot with the next) or \"pairs\" (begin and end)",
			optSnapshots, snapshots)
	}
	o.frequency = oa.CatalogueFrequency(o.gpu)
	for _, p := range opt.Properties {
		switch {
		case p.IsText:
		case p.Name == "GpuTimestampFrequency" && p.Number >= 1 && p.Number <= 1e12:
			o.frequency = uint64(p.Number)
		case p.Name == "GpuMaxFrequency" && p.Number >= 1 && p.Number < 1<<32:
			o.maximum = uint32(p.Number)
		}
	}
	if o.frequency == 0 {
		return o, fmt.Errorf("a raw dump of OA reports does not say how fast its timestamps run, which on %s depends on the part: give properties={\"GpuTimestampFrequency\": ...} in Hz", o.gpu)
	}
	return o, nil
}

// intelGPUs are the GPUs whose reports have a layout; live are those of which drivers tell what they tell of every GPU.
func intelGPUs() []string {
	var out []string
	for _, id := range metrics.IDs() {
		if strings.HasPrefix(id, "intel-") && id != live {
			out = append(out, id)
		}
	}
	return out
}

const live = "intel-live"

// chunk is how many reports are read between two looks at whether to go on.
const chunk = 4096

// decode goes through the reports, and keeps nothing of data. What is not a whole report at the end is told in a
// warning.
func decode(ctx context.Context, data []byte, o options) (capture.Config, error) {
	variant := oa.UserID
	info := oa.Info{TimestampFrequency: o.frequency, MaxFrequency: o.maximum, Xe: o.format.Enum == 0}
	info.SetFormat(o.format)
	a, err := oa.NewAccumulator(oa.Options{Info: info, GPU: o.gpu, Source: Format{}.Name(), Variant: &variant,
		Separate: o.pairs, Stream: data})
	if err != nil {
		return capture.Config{}, err
	}
	defer a.Abandon()
	size := o.format.Size
	reports := len(data) / size
	b, err := a.NewBatch(reports)
	if err != nil {
		return capture.Config{}, err
	}
	unit := size
	if o.pairs {
		unit *= 2
	}
	skipped, rest := 0, len(data)%unit
	meter := progress.From(ctx)
	meter.Begin(int64(len(data)), progress.Bytes)
	for from := 0; from < len(data)-rest; from += unit {
		if from%(chunk*unit) == 0 {
			if err := ctx.Err(); err != nil {
				return capture.Config{}, err
			}
			meter.Add(int64(min(chunk*unit, len(data)-from)))
		}
		if unlanded(data[from:from+unit], size) {
			skipped++
			continue
		}
		for at := from; at < from+unit; at += size {
			if err := a.ReportAt(b, at, size); err != nil {
				return capture.Config{}, err
			}
		}
	}
	a.Finish(b)
	cfg := a.Config(b, "gpu")
	cfg.Warnings = append(cfg.Warnings, a.Warnings()...)
	what := "snapshots"
	if o.pairs {
		what = "pairs of snapshots"
	}
	if skipped > 0 {
		cfg.Warnings = append(cfg.Warnings,
			fmt.Sprintf("%d %s were left out because they are zeros: the hardware had not written them", skipped, what))
	}
	if rest > 0 {
		cfg.Warnings = append(cfg.Warnings,
			fmt.Sprintf(
				"the last %d bytes of %d are not whole %s of %d bytes: they were left out; is report_format right?",
				rest, len(data), what, unit))
	}
	if b.Len() == 0 {
		cfg.Warnings = append(cfg.Warnings,
			fmt.Sprintf("no sample: one takes two snapshots of %d bytes each", o.format.Size))
	}
	return cfg, nil
}

// unlanded reports whether one of the snapshots is all zeros.
func unlanded(part []byte, size int) bool {
	for at := 0; at < len(part); at += size {
		if !slices.ContainsFunc(part[at:at+size], func(c byte) bool { return c != 0 }) {
			return true
		}
	}
	return false
}
