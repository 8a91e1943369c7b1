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
	"astrolabe/capture/memory"
	"astrolabe/capture/progress"
	"astrolabe/capture/units"
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
	return "output of perf stat, with -x, -j or neither: lines such as \"12,,context-switches,940915,100.00\", {\"counter-value\" : ...} or \"12 context-switches\" below its title"
}

// Extensions are those of texts and of what -j prints.
func (Format) Extensions() []string { return []string{".txt", ".json"} }

// WhyNot says what is missing.
func (Format) WhyNot(in *formats.Input) string {
	if in.IsDir {
		return "it is a folder"
	}
	return "no line is what perf stat prints"
}

// readingRoom is what is kept of a line beside its text, in bytes.
const readingRoom = 128

// longestLine bounds a line, in bytes.
const longestLine = 1 << 20

// Sniff looks for lines of perf stat with all their fields. It also knows what perf stat prints without counts, so that
// Open can say which option gives them.
func (Format) Sniff(in *formats.Input) int {
	if in.IsDir || bytes.IndexByte(in.Head, 0) >= 0 {
		return 0
	}
	head := in.Head
	if int64(len(head)) < in.Size {
		head = head[:bytes.LastIndexByte(head, '\n')+1]
	}
	switch form, why := judge(head); {
	case form != formNone:
		return 96
	case why != nil:
		return 3 // if nothing else knows better, Open says what to do
	}
	return 0
}

// form is one of the ways in which perf stat prints counts.
type form uint8

const (
	formNone   form = iota
	formFields      // -x or -j
	formPlain       // for people
)

// judge looks at the beginning of a file: in which form it holds counts, and if there are none why it cannot be read
// although it is perf stat's.
func judge(head []byte) (form, error) {
	lines := strings.Split(string(head), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], "\r")
	}
	if hasPlainCounts(lines) {
		return formPlain, nil
	}
	seen, good, first := 0, 0, true
	p := &parser{}
	for _, text := range lines {
		if strings.TrimSpace(text) == "" || strings.HasPrefix(text, "#") {
			continue
		}
		if seen++; seen > 20 {
			break
		}
		r, err := p.line(text)
		if err == nil && r.event != "" && r.timed && isUnit(r.unit) {
			good++
		}
		if err != nil && first && isHeader(text) {
			return formNone, refusal(lines)
		}
		first = false
	}
	if good > 0 {
		if 2*good >= min(seen, 20) {
			return formFields, nil
		}
		return formNone, nil
	}
	return formNone, refusal(lines)
}

// isHeader reports whether a line is the header of a table, none of which perf stat prints before counts.
func isHeader(text string) bool {
	cells := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(",;|\t", r) })
	return len(cells) > 1 && !slices.ContainsFunc(cells, func(c string) bool { return isValue(strings.TrimSpace(c)) })
}

// isUnit reports whether perf may print such a unit beside a count.
func isUnit(unit string) bool { return unit == "" || units.Known(unitOf(unit)) }

// hasPlainCounts reports whether a block of perf stat's text for people holds a count.
func hasPlainCounts(lines []string) bool {
	var p plainReader
	b := newBuilder()
	for i, text := range lines {
		if p.take(b, text, i+1) != nil || len(b.order) > 0 {
			return len(b.order) > 0
		}
	}
	return false
}

// Open reads the file. It has no options of its own.
func (Format) Open(ctx context.Context, in *formats.Input, opt formats.Options) (*capture.Capture, error) {
	if len(opt.Extra) > 0 {
		return nil, formats.OptionErrorf("format perfstat has no option %s",
			strings.Join(slices.Sorted(maps.Keys(opt.Extra)), ", "))
	}
	if in.IsDir {
		return nil, fmt.Errorf("%s: a folder, and perf stat writes one file", in.Path)
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
	ofDrivers(cfg)
	if opt.Apply(cfg); cfg.Stated == monitored {
		formats.Monitored(cfg, monitored)
	}
	if opt.Warn != nil {
		for _, w := range cfg.Warnings {
			opt.Warn(w)
		}
	}
	return capture.New(*cfg)
}

func read(ctx context.Context, r io.Reader) (*capture.Config, error) {
	in := bufio.NewReaderSize(r, longestLine)
	head, err := in.Peek(formats.HeadSize)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if err == nil {
		head = head[:bytes.LastIndexByte(head, '\n')+1]
	}
	form, why := judge(head)
	if why != nil {
		return nil, why
	}
	b := newBuilder()
	p := &parser{}
	plain := &plainReader{}
	var tally memory.Tally
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
		if err := tally.Add(uint64(len(raw)) + readingRoom); err != nil {
			return nil, err
		}
		ended := err == nil
		text := strings.TrimRight(string(raw), "\r\n")
		switch {
		case b.start(text):
		case form == formPlain:
			if err := plain.take(b, text, n); err != nil {
				return nil, fmt.Errorf("line %d: %w", n, err)
			}
		case strings.TrimSpace(text) != "":
			if err := b.text(p, text, n, ended); err != nil {
				return nil, err
			}
		}
		if !ended {
			break
		}
	}
	if form == formPlain {
		plain.finish(b)
	}
	return b.build()
}
