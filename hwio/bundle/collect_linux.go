package bundle

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"astrolabe/capture"
	"astrolabe/capture/formats/arrow"
	"astrolabe/hwio"
	"astrolabe/hwio/all"
	"astrolabe/hwio/internal/clock"
	"astrolabe/hwio/internal/sysroot"
	"astrolabe/hwio/internal/tape"
)

// Collect asks all readers what works, records for a moment, and checks the result.
func Collect(ctx context.Context, o Options) (*Bundle, error) {
	t := tape.New(clock.Monotonic)
	root := sysroot.At("").Taped(t)
	b := &Bundle{}
	b.About = About{Schema: Schema, Program: o.Program, System: runtime.GOOS + "/" + runtime.GOARCH,
		Root: os.Geteuid() == 0, Period: o.Period.Nanoseconds(), Began: t.Began(), Sources: []Source{},
		Recorded: []string{}}
	b.About.Offset = clock.Monotonic() - clock.Read(unix.CLOCK_MONOTONIC_RAW)
	b.About.Kernel, _ = root.String("/proc/sys/kernel/osrelease")
	status, _ := root.String("/proc/self/status")
	for line := range strings.Lines(status) {
		if value, ok := strings.CutPrefix(line, "CapEff:"); ok {
			b.About.Capability = strings.TrimSpace(value)
		}
	}
	var sources []hwio.Source
	t.Add(tape.Event{Kind: tape.Phase, Path: phaseDoctor})
	for _, s := range all.Sources("") {
		on, ok := s.(hwio.Tapeable)
		if !ok {
			t.Leave("source "+s.Name(), "what it is told cannot be written down")
			continue
		}
		taped := on.Taped(t)
		sources = append(sources, taped)
		b.About.Sources = append(b.About.Sources, Source{s.Name(), taped.Probe(ctx).Usable})
	}
	for _, card := range root.List("/sys/class/drm") {
		for _, name := range []string{"vendor", "device", "revision", "class", "subsystem_vendor", "subsystem_device"} {
			_, _ = root.Read("/sys/class/drm/" + card + "/device/" + name) // which board it is, for whoever reads the bundle
		}
		root.LinkName("/sys/class/drm/" + card + "/device")
	}
	for _, f := range hwio.DoctorOf(ctx, root, sources) {
		b.Findings = append(b.Findings, Finding(f))
	}
	t.Add(tape.Event{Kind: tape.Phase, Path: phaseRecording})
	if err := b.record(ctx, sources, o); err != nil {
		return nil, err
	}
	b.Events, b.About.Dropped = t.Events()
	b.About.Left = append([]string{}, t.Left()...)
	b.Checks = b.judge(ctx)
	return b, b.pack()
}

// record makes the recording. That it is refused is a finding, no error.
func (b *Bundle) record(ctx context.Context, sources []hwio.Source, o Options) error {
	var sel *hwio.Selection
	var err error
	if len(o.Sources) > 0 {
		sel, err = hwio.Select(ctx, sources, o.Sources, false)
	} else {
		sel, err = hwio.Best(ctx, sources)
	}
	if err != nil {
		var unusable *hwio.UnusableError
		if len(o.Sources) > 0 && !errors.As(err, &unusable) {
			return err
		}
		b.About.Refused = err.Error()
		return nil
	}
	dir, err := os.MkdirTemp("", "astrolabe-bundle-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, CaptureFile)
	res, err := hwio.Record(ctx, hwio.Options{Sources: sel.Sources, Counters: o.Counters, Period: o.Period,
		Duration: o.Duration, SourceOptions: o.Options, Warnings: sel.Warnings,
		Create: func(schema *capture.Schema) (hwio.Sink, error) {
			schema.Config.StartTime = time.Time{} // when it was is nobody's business
			return arrow.Create(file, *schema)
		}})
	if res == nil {
		b.About.Refused = err.Error()
		return ctx.Err()
	}
	if err != nil {
		b.About.Refused = "it broke off: " + err.Error()
	}
	b.About.Recorded, b.About.Wall = res.Sources, res.Duration.Nanoseconds()
	b.Capture, err = os.ReadFile(file)
	return err
}
