package monitors

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/formats"
	"astrolabe/capture/formats/internal/table"
	"astrolabe/capture/memory"
	"astrolabe/capture/progress"
)

// Format is the text of programs that watch a machine. Its zero value is ready for use.
type Format struct{}

var (
	_ formats.Format    = Format{}
	_ formats.Explainer = Format{}
)

// Name is "monitors".
func (Format) Name() string { return "monitors" }

// Doc says what the format looks like.
func (Format) Doc() string {
	return "text that vmstat, sar, mpstat, pidstat and turbostat print, or several tables of sadf -d: a header such as \"10:00:00  CPU  %usr ... %idle\" and rows of numbers below it"
}

// Sniff is sure of a header of one of these programs with a row below it. One table of sadf -d alone is any reader's of tables.
func (Format) Sniff(in *formats.Input) int {
	if in.IsDir || bytes.IndexByte(in.Head, 0) >= 0 {
		return 0
	}
	head := in.Head
	if int64(len(head)) < in.Size {
		head = head[:bytes.LastIndexByte(head, '\n')+1]
	}
	r := reader{name: in.Path}
	n := 0
	for line := range bytes.Lines(head) {
		n++
		if err := r.line(string(line), n); err != nil {
			break
		}
		if len(r.ends) > 0 && (!r.now.cells || r.restart || len(r.tables) > 1) {
			return 94
		}
	}
	return 0
}

// WhyNot says what is missing.
func (Format) WhyNot(in *formats.Input) string {
	if in.IsDir {
		return "it is a folder"
	}
	return "no line is a header of vmstat, sar, mpstat, pidstat or turbostat with numbers below it"
}

// options are those that the format has.
type options struct{ period int64 }

func parseOptions(extra map[string]any) (o options, err error) {
	for _, name := range slices.Sorted(maps.Keys(extra)) {
		if name != "period" {
			return o, formats.OptionErrorf("format monitors has no option %s (it has period)", name)
		}
		if o.period, err = table.AsDuration(extra[name]); err != nil {
			return o, formats.OptionErrorf("option period: %w", err)
		}
	}
	return o, nil
}

// longestLine bounds a line, in bytes; lineRoom is what is kept of one beside its text.
const longestLine, lineRoom = 1 << 20, 256

// Open reads the text. Its own option is period.
func (Format) Open(ctx context.Context, in *formats.Input, opt formats.Options) (*capture.Capture, error) {
	o, err := parseOptions(opt.Extra)
	if err != nil {
		return nil, err
	}
	if in.IsDir {
		return nil, fmt.Errorf("%s: a folder: give a file", in.Path)
	}
	f, err := in.Open()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	progress.From(ctx).Begin(in.Size, progress.Bytes)
	s := bufio.NewScanner(progress.Reader(ctx, f))
	s.Buffer(nil, longestLine)
	s.Split(wholeLines)
	r := reader{name: in.Path, options: o}
	var tally memory.Tally
	n := 0
	for s.Scan() {
		if n++; n%4096 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err := tally.Add(4*uint64(len(s.Bytes())) + lineRoom); err != nil {
			return nil, err
		}
		if err := r.line(s.Text(), n); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", in.Path, n, err)
		}
	}
	if err := s.Err(); err != nil {
		return nil, fmt.Errorf("%s:%d: %w", in.Path, n+1, err)
	}
	cfg := capture.Config{Path: in.Path, Format: Format{}.Name(), GPU: "cpu", Name: strings.TrimSuffix(filepath.Base(in.Path), filepath.Ext(in.Path))}
	if err := r.build(&cfg); err != nil {
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

// wholeLines splits into lines that keep their ends: one without may be cut off.
func wholeLines(data []byte, last bool) (int, []byte, error) {
	if i := bytes.IndexByte(data, '\n'); i >= 0 {
		return i + 1, data[:i+1], nil
	}
	if last && len(data) > 0 {
		return len(data), data, nil
	}
	return 0, nil, nil
}
