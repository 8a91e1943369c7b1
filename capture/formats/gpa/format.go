package gpa

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

// Format is the CSV of GPA's guide.
type Format struct{}

var (
	_ formats.Writer    = Format{}
	_ formats.Explainer = Format{}
)

const (
	identifier   = "Identifier,"
	lineEndsName = "gpa_line_ends" // property of captures of files with line ends of Windows
)

// Name is "gpa".
func (Format) Name() string { return "gpa" }

// Doc says what the format looks like.
func (Format) Doc() string {
	return "CSV of the GPUPerfAPI user guide: a header \"Identifier, COUNTER, ...\" and rows \"session: 1; sample: 0, VALUE,...\""
}

// WhyNot says what is missing.
func (Format) WhyNot(*formats.Input) string {
	return "the first line does not begin with \"" + identifier + "\""
}

// Extensions is empty: the format is chosen by its name.
func (Format) Extensions() []string { return nil }

// Sniff is sure of a header of the guide with a row of it, or with nothing.
func (Format) Sniff(in *formats.Input) int {
	if in.IsDir || !bytes.HasPrefix(in.Head, []byte(identifier)) {
		return 0
	}
	_, rows, _ := bytes.Cut(in.Head, []byte{'\n'})
	if _, _, _, err := splitIdentifier(string(rows[:min(len(rows), 80)])); err == nil {
		return 98
	}
	if len(rows) == 0 {
		return 70
	}
	return 30 // Open says which line is odd
}

// Open reads the file. The option skip (bool) leaves out rows whose number of values is not that of the header.
func (Format) Open(ctx context.Context, in *formats.Input, opt formats.Options) (*capture.Capture, error) {
	r := &reader{name: in.Path}
	for name, v := range opt.Extra {
		skip, ok := v.(bool)
		if name != "skip" || !ok {
			return nil, formats.OptionErrorf("gpa has no option %s=%v; it has skip=True", name, v)
		}
		r.skip = skip
	}
	if err := memory.Room(2 * uint64(in.Size)); err != nil {
		return nil, err
	}
	raw, err := formats.ReadRegular(in.Path)
	if err != nil {
		return nil, err
	}
	progress.From(ctx).Begin(int64(len(raw)), progress.Bytes)
	if err := r.read(ctx, string(raw)); err != nil {
		return nil, err
	}
	cfg := capture.Config{Path: in.Path, Format: Format{}.Name(), Name: strings.TrimSuffix(filepath.Base(in.Path),
		filepath.Ext(in.Path)), GPU: r.catalogue(opt)}
	r.build(&cfg)
	opt.Apply(&cfg)
	if opt.Warn != nil {
		for _, w := range cfg.Warnings {
			opt.Warn(w)
		}
	}
	return capture.New(cfg)
}
