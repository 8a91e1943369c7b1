package nvtop

import (
	"bytes"
	"context"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"astrolabe/capture"
	"astrolabe/capture/formats"
	"astrolabe/capture/memory"
	"astrolabe/capture/progress"
)

// Format is the snapshots of nvtop. Its zero value is ready for use.
type Format struct{}

var _ formats.Explainer = Format{}

// Name is "nvtop".
func (Format) Name() string { return "nvtop" }

// Doc says what the format is.
func (Format) Doc() string {
	return "snapshots of nvtop -s (JSON: lists of GPUs with device_name and gpu_util, one behind the other)"
}

// Sniff goes by the keys of the first GPU.
func (Format) Sniff(in *formats.Input) int {
	head := bytes.TrimLeft(in.Head, " \t\r\n\ufeff")
	if in.IsDir || !bytes.HasPrefix(head, []byte{'['}) || !bytes.HasPrefix(bytes.TrimLeft(head[1:], " \t\r\n"), []byte{'{'}) ||
		!bytes.Contains(head, []byte(`"device_name"`)) || !bytes.Contains(head, []byte(`"gpu_util"`)) {
		return 0
	}
	return 95
}

// WhyNot says what is missing.
func (Format) WhyNot(in *formats.Input) string {
	if in.IsDir {
		return "it is a folder"
	}
	return "no list of objects with the keys device_name and gpu_util at its beginning"
}

// Open reads all snapshots of one GPU.
func (Format) Open(ctx context.Context, in *formats.Input, opt formats.Options) (*capture.Capture, error) {
	period, device, err := options(opt.Extra)
	if err != nil {
		return nil, err
	}
	if err := memory.Room(8 * uint64(in.Size)); err != nil {
		return nil, err
	}
	raw, err := formats.ReadRegular(in.Path)
	if err != nil {
		return nil, err
	}
	progress.From(ctx).Begin(int64(len(raw)), progress.Bytes)
	l := &log{name: in.Path}
	if err := l.read(ctx, raw); err != nil {
		return nil, err
	}
	cfg := capture.Config{Path: in.Path, Format: Format{}.Name(), Warnings: l.warn,
		Name: strings.TrimSuffix(filepath.Base(in.Path), filepath.Ext(in.Path))}
	if period == 0 {
		period = time.Second
		cfg.Warnings = append(cfg.Warnings, in.Path+" has no times: each snapshot is taken for a second (option period= says otherwise)")
	}
	if err := l.build(period, device, &cfg); err != nil {
		return nil, err
	}
	opt.Apply(&cfg)
	if cfg.GPU == "" {
		cfg.Warnings = append(cfg.Warnings, in.Path+" does not say which GPU it is of: give gpu= for the metrics of its catalogue, amd-live for one of AMD's")
	}
	if opt.Warn != nil {
		for _, w := range cfg.Warnings {
			opt.Warn(w)
		}
	}
	return capture.New(cfg)
}

// options are the time between two snapshots, 0 where it is not given, and the number of a GPU, -1 where it is not.
func options(extra map[string]any) (period time.Duration, device int, err error) {
	device = -1
	for name, v := range extra {
		text, ok := v.(string)
		switch {
		case name == "period" && ok:
			if period, err = time.ParseDuration(text); err != nil || period <= 0 || period > longest {
				return 0, 0, formats.OptionErrorf("period=%s is no time between two snapshots, such as 500ms", text)
			}
		case name == "device" && ok:
			if device, err = strconv.Atoi(text); err != nil || device < 0 {
				return 0, 0, formats.OptionErrorf("device=%s is no number of a GPU, from 0 on", text)
			}
		default:
			return 0, 0, formats.OptionErrorf("nvtop has no option %s=%v; it has period=\"1s\" and device=\"0\"", name, v)
		}
	}
	return period, device, nil
}

const longest = 24 * time.Hour // between two snapshots; a million of them are no more ns than an integer holds
