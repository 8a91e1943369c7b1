package i915perf

import (
	"context"
	"errors"
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

// Open reads a recording. A file that breaks off is read up to there; one that is damaged inside is an error with the
// offset.
func (f Format) Open(ctx context.Context, in *formats.Input, opt formats.Options) (*capture.Capture, error) {
	if len(opt.Extra) > 0 {
		return nil, formats.OptionErrorf("format %s has no option %s", f.Name(),
			strings.Join(slices.Sorted(maps.Keys(opt.Extra)), ", "))
	}
	if in.IsDir {
		return nil, fmt.Errorf("%s: a folder, and a recording is one file", in.Path)
	}
	file, err := in.Open()
	if err != nil {
		return nil, err
	}
	defer file.Close()
	name := strings.TrimSuffix(filepath.Base(in.Path), filepath.Ext(in.Path))
	st, err := file.Stat()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", in.Path, err)
	}
	progress.From(ctx).Begin(st.Size(), progress.Bytes)
	var cfg capture.Config
	err = mapping.With(file, st.Size(), func(data []byte) (err error) {
		cfg, err = decode(ctx, data, opt)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", in.Path, err)
	}
	cfg.Path, cfg.Format, cfg.Name = in.Path, f.Name(), name
	opt.Apply(&cfg)
	if opt.Warn != nil {
		for _, w := range cfg.Warnings {
			opt.Warn(w)
		}
	}
	return capture.New(cfg)
}

// decode goes through a recording twice, and keeps nothing of it.
func decode(ctx context.Context, data []byte, opt formats.Options) (capture.Config, error) {
	var s scan
	if err := s.run(ctx, data); err != nil {
		return capture.Config{}, err
	}
	if !s.haveInfo && s.cut > 0 && s.survey.Reports == 0 {
		return capture.Config{}, fmt.Errorf(
			"truncated: the file breaks off at byte %d, before its device information (record type %#x) is complete: it holds no reports",
			s.cutAt+int64(s.cut), oa.RecordInfo)
	}
	if !s.haveInfo {
		return capture.Config{}, fmt.Errorf(
			"the file holds no device information (record type %#x): without it neither format nor clock of its %d reports are known",
			oa.RecordInfo, s.survey.Reports)
	}
	s.info.Topology = s.topology
	if s.topology == nil {
		s.warn(
			"the recording does not hold the topology: metrics that depend on the number of EUs are missing; give properties={\"EuCoresTotalCount\": ...} to have them")
	}
	if err := s.chooseFormat(opt.GPU); err != nil {
		return capture.Config{}, err
	}
	if err := s.settle(ctx, data); err != nil {
		return capture.Config{}, err
	}
	s.checkSet(opt.GPU)
	a, err := oa.NewAccumulator(oa.Options{Info: s.info, GPU: opt.GPU, Source: Format{}.Name(), Survey: &s.survey,
		PeriodTicks: s.survey.PeriodTicks(), Stream: data})
	if err != nil {
		return capture.Config{}, err
	}
	defer a.Abandon()
	b, err := a.NewBatch(s.survey.Reports)
	if err != nil {
		return capture.Config{}, err
	}
	others, err := fill(ctx, data, a, b, &s)
	if err != nil {
		return capture.Config{}, err
	}
	if others > 0 {
		s.warn("%d reports do not have the %d bytes of format %s: they were left out", others, a.Format().Size,
			a.Format().Name)
	}
	clock := "cpu"
	switch {
	case s.survey.Reports == 0:
		s.warn("the recording holds its headers only, and no report")
	case s.survey.Correlations() == 0:
		clock = "gpu"
		s.warn("the recording holds no clock correlation: times are the GPU's own and cannot be set beside a CPU's")
	case s.survey.Correlations() == 1:
		s.warn(
			"the recording holds a single clock correlation: times follow from it at the GPU clock's nominal frequency, and drift apart from the CPU's away from it")
	}
	if n := s.survey.Reports; n == 1 {
		s.warn("the recording holds a single report, and a sample takes two")
	}
	for _, kind := range slices.Sorted(maps.Keys(s.survey.Types)) {
		s.warn("%d records of the unknown type %#x were skipped", s.survey.Types[kind], kind)
	}
	cfg := a.Config(b, clock)
	cfg.GPU, _ = oa.CatalogueOf(s.info.DeviceID) // what the file says; the caller's is applied to it
	cfg.Warnings = slices.Concat(cfg.Warnings, s.warnings, a.Warnings())
	if c, ok := s.survey.Tail(); ok {
		cfg.Properties = append(cfg.Properties, oa.TailProperty(c))
	}
	return cfg, nil
}

// fill is the second pass. others counts the reports of another size.
func fill(ctx context.Context, data []byte, a *oa.Accumulator, b *capture.Batch, s *scan) (others int, err error) {
	headers := 0
	_, _, err = each(ctx, data, func(r oa.Record) error {
		if s.end >= 0 && r.Offset >= s.end {
			return errStop
		}
		switch r.Type {
		case oa.RecordVersion:
			if headers++; headers > 1 && s.headers[headers-1] {
				a.Restart("another recording begins")
			} else if headers > 1 {
				a.Header()
			}
		case oa.RecordSample:
			if a.ReportAt(b, int(r.Offset)+oa.RecordHeader, len(r.Data)) != nil {
				others++
			}
		case oa.RecordReportLost:
			a.ReportLost()
		case oa.RecordBufferLost:
			a.BufferLost()
		case oa.RecordCorrelation:
			if c, err := oa.ParseCorrelation(r.Data); err == nil {
				a.Correlate(c)
			}
		}
		return nil
	})
	if err != nil && !errors.Is(err, errStop) {
		return others, err
	}
	a.Finish(b)
	return others, nil
}

// chooseFormat takes the format of the metric set where the file's number says another one and is xe-perf-recorder's,
// which is that program's own, or says none; and what the reports' own size says, where the file contradicts it.
func (s *scan) chooseFormat(gpu string) error {
	f, err := s.info.Layout()
	fits := func(g *oa.Format) bool { return s.survey.Reports == 0 || s.survey.Sizes[g.Size] }
	if set := s.set(gpu); set != nil && (s.info.Xe || err != nil) {
		if g, e := oa.FormatByName(set.Format); e == nil && g != f && fits(g) {
			s.warn("the file says report format %d, and the metric set %s has reports of %s: they are read as these", s.info.Format,
				set.Name, g.Name)
			s.info.SetFormat(g)
			return nil
		}
	}
	if err == nil && fits(f) {
		return nil
	}
	var others []*oa.Format
	for _, g := range oa.Formats() {
		if s.survey.Sizes[g.Size] && g.Before(oa.A24u40A14u32B8C8) == s.old() {
			others = append(others, g)
		}
	}
	switch {
	case s.survey.Reports == 0:
		s.info.SetFormat(oa.A32u40A4u32B8C8)
		return nil
	case len(others) == 1:
		s.warn("the file says report format %d, but its reports have %d bytes: they are read as %s", s.info.Format,
			others[0].Size, others[0].Name)
		s.info.SetFormat(others[0])
		return nil
	case err != nil:
		return fmt.Errorf("device information: %w", err)
	}
	sizes := slices.Sorted(maps.Keys(s.survey.Sizes))
	return fmt.Errorf("the file says report format %s, whose reports have %d bytes, but its own have %v bytes",
		f.Name, f.Size, sizes)
}

// old reports whether the device is one of before DG2, whose reports have other formats.
func (s *scan) old() bool {
	if d, ok := oa.DeviceByID(s.info.DeviceID); ok {
		return d.Version < 1255
	}
	return !s.info.Xe
}

// set is the metric set that the file names, in the catalogue of the GPU; nil where there is none.
func (s *scan) set(gpu string) *metrics.MetricSet {
	if gpu == "" {
		gpu, _ = oa.CatalogueOf(s.info.DeviceID)
	}
	cat, err := metrics.Get(gpu)
	if err != nil {
		return nil
	}
	if set, err := cat.Set(s.info.GUID); err == nil {
		return set
	}
	set, _ := cat.Set(s.info.Set)
	return set
}

// settle goes through the file once more where its reports are not what the first pass took them for, or its clock
// correlations show that their clock runs at another pace beside that of the reports.
func (s *scan) settle(ctx context.Context, data []byte) error {
	f, err := s.info.Layout()
	if err != nil {
		return err
	}
	shift := s.info.Shift
	if pace := s.survey.Pace(s.info.TimestampFrequency); pace != 0 {
		shift += pace
		if shift < 0 || shift > 1 {
			shift = s.info.Shift
		}
	}
	if f == s.survey.Format && shift == s.info.Shift {
		return nil
	}
	if shift != s.info.Shift {
		s.warn("the clock correlations run at %s the pace of the timestamp frequency: they are read as such of the command streamer",
			map[bool]string{true: "half", false: "the whole of"}[shift > s.info.Shift])
	}
	again := scan{again: true, warnings: s.warnings, info: s.info}
	again.info.Shift = shift
	again.survey.Format = f
	n := len(s.warnings)
	if err := again.run(ctx, data); err != nil {
		return err
	}
	again.info.Topology = again.topology
	again.warnings = again.warnings[:n]
	*s = again
	return nil
}

// checkSet says where the metric set is not what the catalogue knows by its name.
func (s *scan) checkSet(gpu string) {
	if gpu == "" {
		gpu, _ = oa.CatalogueOf(s.info.DeviceID)
	}
	cat, err := metrics.Get(gpu)
	if err != nil {
		s.guess()
		return // a warning about the device says so
	}
	if s.info.Set == "" {
		s.warn("the recording does not name its metric set: name metrics with theirs, such as RenderBasic/GpuBusy")
		return
	}
	set, err := cat.Set(s.info.Set)
	if err != nil || set.Name != s.info.Set {
		// The configuration is what was measured, whatever somebody calls it.
		if i := slices.IndexFunc(cat.Sets(), func(m *metrics.MetricSet) bool {
			return s.info.GUID != "" && strings.EqualFold(m.GUID, s.info.GUID)
		}); i >= 0 {
			set, err = cat.Sets()[i], nil
			s.warn("metric set %q is unknown for %s, and its configuration %s is that of %s: it is read as that",
				s.info.Set, gpu, s.info.GUID, set.Name)
			s.info.Set = set.Name
		}
	}
	switch {
	case err != nil || set.Name != s.info.Set:
		s.warn(
			"metric set %q is unknown for %s: A counters mean what they always do, but what the flexible ones (A7 to A20), B and C counters mean is unknown, and there are no metrics",
			s.info.Set, gpu)
	case s.info.GUID != "" && !strings.EqualFold(s.info.GUID, set.GUID):
		s.warn(
			"the recording was made with configuration %s, and %s is %s here: its B and C counters may count something else",
			s.info.GUID, set.Name, set.GUID)
	}
}

// guess names the GPU whose metric set a device that no list knows was measured with: the configuration tells. Intel's
// tools read new GPUs by the sets of Lunar Lake.
func (s *scan) guess() {
	if _, known := oa.DeviceByID(s.info.DeviceID); known || s.info.GUID == "" {
		return
	}
	for _, id := range metrics.IDs() {
		if !strings.HasPrefix(id, "intel-") {
			continue
		}
		cat, err := metrics.Get(id)
		if err != nil {
			continue
		}
		if set, err := cat.Set(s.info.GUID); err == nil {
			s.warn("the configuration %s is that of %s on %s: gpu=%q reads the recording as one of that GPU, which is a guess", s.info.GUID,
				set.Name, cat.Title(), id)
			return
		}
	}
}
