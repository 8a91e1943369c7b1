package radeontop

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/formats"
	"astrolabe/capture/memory"
	"astrolabe/capture/progress"
)

// Format is the dump of radeontop. Its zero value is ready for use.
type Format struct{}

var _ formats.Explainer = Format{}

// Name is "radeontop".
func (Format) Name() string { return "radeontop" }

// Doc says what the format is.
func (Format) Doc() string {
	return "dump of radeontop -d (lines \"SECONDS.MICROSECONDS: bus 03, gpu 98.33%, ...\")"
}

// Sniff goes by the first line of an interval.
func (Format) Sniff(in *formats.Input) int {
	if in.IsDir {
		return 0
	}
	for line := range bytes.Lines(in.Head) {
		if _, _, ok := interval(strings.TrimSpace(string(line))); ok {
			return 95
		}
		if len(bytes.TrimSpace(line)) > 0 && !bytes.HasPrefix(line, []byte(dumping)) {
			return 0
		}
	}
	return 0
}

// dumping begins what radeontop says before, where its messages are in the file too.
const dumping = "Dumping to "

// WhyNot says what is missing.
func (Format) WhyNot(in *formats.Input) string {
	if in.IsDir {
		return "it is a folder"
	}
	return "its first line is not \"SECONDS.MICROSECONDS: bus ..., gpu ...%\""
}

// Open reads the dump.
func (Format) Open(ctx context.Context, in *formats.Input, opt formats.Options) (*capture.Capture, error) {
	for name, v := range opt.Extra {
		return nil, formats.OptionErrorf("radeontop has no option %s=%v", name, v)
	}
	if err := memory.Room(4 * uint64(in.Size)); err != nil {
		return nil, err
	}
	raw, err := formats.ReadRegular(in.Path)
	if err != nil {
		return nil, err
	}
	progress.From(ctx).Begin(int64(len(raw)), progress.Bytes)
	cfg := capture.Config{Path: in.Path, Format: Format{}.Name(), GPU: "amd-live",
		Name: strings.TrimSuffix(filepath.Base(in.Path), filepath.Ext(in.Path))}
	if err := read(in.Path, string(raw), &cfg); err != nil {
		return nil, err
	}
	opt.Apply(&cfg)
	if opt.Warn != nil {
		for _, w := range cfg.Warnings {
			opt.Warn(w)
		}
	}
	return capture.New(cfg)
}
