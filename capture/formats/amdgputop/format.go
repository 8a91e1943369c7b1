package amdgputop

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

// Format is the JSON of amdgpu_top. Its zero value is ready for use.
type Format struct{}

var _ formats.Explainer = Format{}

// Name is "amdgputop".
func (Format) Name() string { return "amdgputop" }

// Doc says what the format is.
func (Format) Doc() string {
	return "JSON of amdgpu_top -J (an object in each line, with amdgpu_top_version and devices)"
}

// mark is a key that every object has near its beginning.
var mark = []byte(`"amdgpu_top_version"`)

// Sniff goes by the key of the version in the first object.
func (Format) Sniff(in *formats.Input) int {
	if in.IsDir || !bytes.HasPrefix(bytes.TrimLeft(in.Head, " \t\r\n\ufeff"), []byte{'{'}) || !bytes.Contains(in.Head, mark) ||
		!bytes.Contains(in.Head, []byte(`"devices"`)) {
		return 0
	}
	return 95
}

// WhyNot says what is missing.
func (Format) WhyNot(in *formats.Input) string {
	if in.IsDir {
		return "it is a folder"
	}
	return "no object with the keys amdgpu_top_version and devices at its beginning"
}

// Open reads all periods of one GPU.
func (Format) Open(ctx context.Context, in *formats.Input, opt formats.Options) (*capture.Capture, error) {
	card := ""
	for name, v := range opt.Extra {
		text, ok := v.(string)
		if name != "card" || !ok {
			return nil, formats.OptionErrorf("amdgputop has no option %s=%v; it has card=\"card0\"", name, v)
		}
		card = text
	}
	if err := memory.Room(3 * uint64(in.Size)); err != nil {
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
	cfg := capture.Config{Path: in.Path, Format: Format{}.Name(), GPU: "amd-live",
		Name: strings.TrimSuffix(filepath.Base(in.Path), filepath.Ext(in.Path))}
	if err := l.build(card, &cfg); err != nil {
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
