package perfstat

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/formats"
	"astrolabe/capture/progress"
)

// Format is the output of perf stat. Its zero value is ready for use.
type Format struct{}

var (
	_ formats.Format    = Format{}
	_ formats.Explainer = Format{}
)

// Name is "perfstat".
func (Format) Name() string { return "perfstat" }

// Doc says what the format looks like.
func (Format) Doc() string {
	return "output of perf stat -x, or -j: lines such as \"12,,context-switches,940915,100.00\" or {\"counter-value\" : ...}"
}

// WhyNot says what is missing.
func (Format) WhyNot(in *formats.Input) string {
	if in.IsDir {
		return "it is a folder"
	}
	return "no line is what perf stat -x or -j prints"
}

// longestLine bounds a line, in bytes.
const longestLine = 1 << 20

// Sniff looks for a line of perf stat with all its fields. It also knows what perf stat prints without counts, so that Open can say which
// option gives them.
func (Format) Sniff(in *formats.Input) int {
	if in.IsDir || bytes.IndexByte(in.Head, 0) >= 0 {
		return 0
	}
	if counts, why := judge(in); counts || why != nil {
		return 96
	}
	return 0
}

// judge looks at the beginning of a file: whether there are counts, and if there are none why it cannot be read although it is perf stat's.
func judge(in *formats.Input) (counts bool, why error) {
	head := in.Head
	if int64(len(head)) < in.Size {
		head = head[:bytes.LastIndexByte(head, '\n')+1]
	}
	lines := strings.Split(string(head), "\n")
	seen, good := 0, 0
	p := &parser{}
	for _, text := range lines {
		text = strings.TrimRight(text, "\r")
		if strings.TrimSpace(text) == "" || strings.HasPrefix(text, "#") {
			continue
		}
		if seen++; seen > 20 {
			break
		}
		r, err := p.line(text)
		if err == nil && r.event != "" && r.timed {
			good++
		}
	}
	if good > 0 {
		return 2*good >= min(seen, 20), nil
	}
	return false, refusal(lines)
}

// Open reads the file. It has no options of its own.
func (Format) Open(ctx context.Context, in *formats.Input, opt formats.Options) (*capture.Capture, error) {
	if len(opt.Extra) > 0 {
		return nil, formats.OptionErrorf("format perfstat has no option %s", strings.Join(slices.Sorted(maps.Keys(opt.Extra)), ", "))
	}
	if in.IsDir {
		return nil, fmt.Errorf("%s: a folder, and perf stat writes one file", in.Path)
	}
	if _, why := judge(in); why != nil {
		return nil, fmt.Errorf("%s: %w", in.Path, why)
	}
	f, err := in.Open()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	progress.From(ctx).Begin(in.Size, progress.Bytes)
	cfg, err := read(ctx, progress.Reader(ctx, f))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", in.Path, err)
	}
	cfg.Name = strings.TrimSuffix(filepath.Base(in.Path), filepath.Ext(in.Path))
	cfg.Path, cfg.Format, cfg.GPU = in.Path, Format{}.Name(), "cpu"
	opt.Apply(cfg)
	if opt.Warn != nil {
		for _, w := range cfg.Warnings {
			opt.Warn(w)
		}
	}
	return capture.New(*cfg)
}

func read(ctx context.Context, r io.Reader) (*capture.Config, error) {
	in := bufio.NewReaderSize(r, longestLine)
	b := newBuilder()
	p := &parser{}
	for n := 1; ; n++ {
		if n%4096 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		raw, err := in.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			return nil, fmt.Errorf("line %d is longer than %d bytes", n, longestLine)
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		ended := err == nil
		if text := strings.TrimRight(string(raw), "\r\n"); strings.TrimSpace(text) != "" {
			if e := b.text(p, text, n, ended); e != nil {
				return nil, e
			}
		}
		if !ended {
			break
		}
	}
	return b.build()
}
