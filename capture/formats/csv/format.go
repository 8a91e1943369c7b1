package csv

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
	"unsafe"

	"astrolabe/capture"
	"astrolabe/capture/formats"
	"astrolabe/capture/formats/internal/delimited"
	"astrolabe/capture/formats/internal/machine"
	"astrolabe/capture/formats/internal/table"
	"astrolabe/capture/memory"
	"astrolabe/capture/metrics"
	"astrolabe/capture/progress"
)

// Format reads and writes delimited text. Its zero value writes commas.
type Format struct{ tabs bool }

var (
	_ formats.Writer    = Format{}
	_ formats.Explainer = Format{}
)

// Name is "csv".
func (Format) Name() string { return "csv" }

// Doc says what the format looks like.
func (Format) Doc() string {
	return "delimited text: a time column and one column per counter (wide), or time, counter and value columns (long)"
}

// sampleRows is how many rows decide what the columns hold.
const sampleRows = 1000

// Sniff is sure of text whose header has a time column, and thinks any table with numbers possible.
func (Format) Sniff(in *formats.Input) int {
	if in.IsDir {
		return 0
	}
	return sniff(in)
}

func sniff(in *formats.Input) int {
	head := delimited.PlainHead(in.Head)
	if !looksLikeText(head) || isMarkup(head) {
		return 0
	}
	if int64(len(in.Head)) < in.Size {
		// Whole lines only, so that the cut does not look like a ragged row.
		if i := bytes.LastIndexByte(head, '\n'); i > 0 {
			head = head[:i+1]
		}
	}
	f, err := delimited.Open(in.Path, bytes.NewReader(head), int64(len(head)), delimited.Options{})
	if err != nil {
		var at *delimited.Error
		if errors.As(err, &at) && bytes.IndexByte(head, ',') >= 0 {
			return 2 // numbers without a header
		}
		return 0
	}
	if f.Decimal == 0 {
		f.Decimal = '.'
	}
	rows, err := f.Sample(50)
	if err != nil {
		return 0
	}
	timed, numeric := false, 0
	for i, name := range f.Header {
		timed = timed || table.ParseHeader(name).IsTime()
		if numbers, texts := classify(f, rows, i); numbers > texts {
			numeric++
		}
	}
	switch {
	case timed && len(f.Header) > 1 && (numeric > 0 || len(rows) == 0):
		return 60
	case len(f.Header) > 1 && numeric > 0:
		return 20
	}
	return 0
}

// isMarkup recognises JSON and XML, which have commas too.
func isMarkup(head []byte) bool {
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\ufeff")), " \t\r\n")
	return len(head) > 0 && (head[0] == '{' || head[0] == '<' || head[0] == '[' &&
		bytes.ContainsAny(head[:min(len(head), 80)], "{\""))
}

// looksLikeText refuses binary content: control characters, or bytes that are neither UTF-8 nor a few letters of
// Latin-1.
func looksLikeText(head []byte) bool {
	odd := 0
	for i := 0; i < len(head); {
		r, n := utf8.DecodeRune(head[i:])
		if r < ' ' && r != '\n' && r != '\r' && r != '\t' {
			return false
		}
		if r == utf8.RuneError && n == 1 && len(head)-i >= utf8.UTFMax {
			odd++
		}
		i += n
	}
	return len(head) > 0 && odd*50 <= len(head)
}

// WhyNot says what is missing for a table of counters.
func (Format) WhyNot(in *formats.Input) string {
	switch {
	case in.IsDir:
		return "it is a folder"
	case !looksLikeText(delimited.PlainHead(in.Head)):
		return "it is not text"
	}
	if _, err := delimited.Open(filepath.Base(in.Path), bytes.NewReader(in.Head), int64(len(in.Head)),
		delimited.Options{}); err != nil {
		return err.Error()
	}
	return "no table with a header of at least two columns and numbers below it"
}

// Open reads a capture. Its own options are in the package's documentation.
func (Format) Open(ctx context.Context, in *formats.Input, opt formats.Options) (*capture.Capture, error) {
	if in.IsDir {
		return nil, fmt.Errorf("%s is a folder: give a file", in.Path)
	}
	r, err := in.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	st, err := r.Stat()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", in.Path, err)
	}
	cfg := capture.Config{
		Name:   strings.TrimSuffix(filepath.Base(in.Path), filepath.Ext(in.Path)),
		Path:   in.Path,
		Format: Format{}.Name(),
	}
	opt.Apply(&cfg)
	progress.From(ctx).Begin(st.Size(), progress.Bytes)
	if err := Table(ctx, in.Path, r, st.Size(), opt.Extra, &cfg); err != nil {
		return nil, err
	}
	if (cfg.GPU == "" || cfg.GPU == processors) && machine.Known(&cfg) || cfg.GPU == "" && ofProcessors(cfg.Counters) {
		cfg.GPU = processors
	} else if cfg.GPU != "" {
		machine.Shares(&cfg) // of the CPUs beside a GPU, as scripts join what sysstat prints with what they sample
	}
	ofVTune(&cfg)
	ofMonitor(&cfg)
	DoubtGPU(&cfg)
	if opt.Warn != nil {
		for _, w := range cfg.Warnings {
			opt.Warn(w)
		}
	}
	return capture.New(cfg)
}

// Table reads delimited text that begins with a header into cfg: that of a whole file, or of the table within one. name is
// the file's, for messages, and extra the options of the package's documentation.
func Table(ctx context.Context, name string, r io.ReaderAt, size int64, extra map[string]any, cfg *capture.Config) error {
	o, err := parseOptions(extra)
	if err != nil {
		return err
	}
	f, err := delimited.Open(name, r, size, delimited.Options{Delim: o.delim, Decimal: o.decimal})
	if err != nil {
		return err
	}
	if err := fill(ctx, f, o, cfg); err != nil {
		return err
	}
	if cfg.Axis.Len() == 0 {
		cfg.Warnings = append(cfg.Warnings, fmt.Sprintf("%s: empty: it has a header and no rows", f.Name))
	}
	return nil
}

// DoubtGPU warns where nothing says which GPU a table is of.
func DoubtGPU(cfg *capture.Config) {
	if cfg.GPU == "" {
		cfg.Warnings = append(cfg.Warnings, fmt.Sprintf(
			"%s does not say which GPU it is of: give gpu= for the metrics of its catalogue%s", cfg.Path, likely(cfg)))
	}
}

// likely names the catalogues that have most of the columns, as the end of a sentence; "" where none has a few.
func likely(cfg *capture.Config) string {
	names := make([]string, len(cfg.Counters))
	for i, c := range cfg.Counters {
		names[i] = c.Name
	}
	const few, show = 3, 3
	ids, n := metrics.Naming(names)
	if n < few {
		return ""
	}
	text := ids[0]
	if len(ids) > show {
		text = fmt.Sprintf("%s and %d more", strings.Join(ids[:show], ", "), len(ids)-show)
	} else if last := len(ids) - 1; last > 0 {
		text = strings.Join(ids[:last], ", ") + " or " + ids[last]
	}
	return fmt.Sprintf(": %d of its columns are named as in that of %s", n, text)
}

// processors is the catalogue of what a machine's CPUs count.
const processors = "cpu"

// ofProcessors reports whether most columns of a table are counters of a machine's processors, and some of them no
// events that GPUs may have as well, such as cycles and instructions.
func ofProcessors(counters []*capture.Counter) bool {
	catalogue, err := metrics.Get(processors)
	if err != nil {
		return false
	}
	known, own := 0, false
	for _, c := range counters {
		if e, err := catalogue.Find(c.Name); err == nil && !e.IsMetric() {
			known, own = known+1, own || e.Group != "Perf events"
		}
	}
	return own && 2*known > len(counters)
}

// fill reads the file into the configuration.
func fill(ctx context.Context, f *delimited.File, o *options, cfg *capture.Config) error {
	unnamed := nameColumns(f)
	if err := f.CheckNames(); err != nil {
		return err
	}
	rows, err := f.Sample(sampleRows)
	if err != nil {
		return err
	}
	if f.Decimal == 0 {
		f.Decimal = f.GuessDecimal(rows)
	}
	if err := memory.Room(uint64(len(f.Header)) * uint64(unsafe.Sizeof(table.Column{}))); err != nil {
		return fmt.Errorf("%d columns: %w", len(f.Header), err)
	}
	l, err := table.NewLayout(f.Name, columnsOf(f, rows), &o.Options, func(format string, args ...any) error {
		return &delimited.Error{File: f.Name, Line: f.Line, Msg: fmt.Sprintf(format, args...)}
	})
	if err != nil {
		return err
	}
	t, err := f.Read(ctx, l.Specs())
	if err != nil {
		return err
	}
	cfg.Warnings = slices.Concat(cfg.Warnings, f.Warnings, t.Warnings)
	if err := l.Fill(ctx, &cells{f, t}, cfg); err != nil {
		return err
	}
	for _, i := range unnamed {
		dropEmpty(f, i, cfg)
	}
	return machine.Spread(cfg, f.Header)
}

// nameColumns gives names to the columns that have none, and lists them.
func nameColumns(f *delimited.File) (unnamed []int) {
	for i, h := range f.Header {
		if h == "" {
			f.Header[i] = fmt.Sprintf("column %d", i+1)
			unnamed = append(unnamed, i)
		}
	}
	return unnamed
}

// dropEmpty takes out a column without name and content, as a delimiter at the end of every line makes one; of one with
// content it tells.
func dropEmpty(f *delimited.File, i int, cfg *capture.Config) {
	name := f.Header[i]
	at := slices.IndexFunc(cfg.Counters, func(c *capture.Counter) bool { return c.Name == name })
	if at >= 0 && cfg.Counters[at].Count() == 0 {
		cfg.Counters = slices.Delete(cfg.Counters, at, at+1)
		return
	}
	cfg.Warnings = append(cfg.Warnings, fmt.Sprintf("%s:%d: column %d has no name: it is called %q", f.Name,
		f.Line, i+1, name))
}
