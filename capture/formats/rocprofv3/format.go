package rocprofv3

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/formats"
	"astrolabe/capture/formats/internal/delimited"
	"astrolabe/capture/formats/internal/rocpd"
	"astrolabe/capture/progress"
)

// Format reads rocprofv3's output.
type Format struct{}

var (
	_ formats.Format    = Format{}
	_ formats.Explainer = Format{}
)

// Name is "rocprofv3".
func (Format) Name() string { return "rocprofv3" }

// Doc says what the format looks like.
func (Format) Doc() string {
	return "ROCm rocprofv3: a rocpd SQLite database, a CSV of counters, kernels, calls or copies (columns Dispatch_Id, Kernel_Name, ...), a JSON of counters or kernels, or a folder of them"
}

// Extensions are those of the databases, of the tables and of JSON.
func (Format) Extensions() []string { return []string{".db", ".csv", ".json"} }

// WhyNot says what is missing.
func (Format) WhyNot(in *formats.Input) string {
	if in.IsDir {
		return "no *_" + countersEnd + ", *" + traceEnd + " or *_" + jsonEnd + " or database of rocpd in the folder or up to three below"
	}
	return "neither an SQLite database nor JSON that begins with \"" + jsonRoot + "\", nor a header with the columns Kernel_Name (or Function), Start_Timestamp and End_Timestamp of rocprofv3"
}

// Sniff is sure of a database with rocpd's tables and of the CSV files' headers.
func (Format) Sniff(in *formats.Input) int {
	switch {
	case in.IsDir:
		if len(outputs(in.Path)) > 0 {
			return 80
		}
		return 0
	}
	if database, ours := rocpd.Is(in.Head); ours {
		return 95
	} else if database {
		return 10 // Open says what is missing
	}
	if isJSON(in.Head) || kindOf(headed(in)) != otherFile {
		return 95
	}
	return 0
}

// headerOf returns the names in the header of a file, none if it has no header.
func headerOf(in *formats.Input) []string {
	if bytes.IndexByte(in.Head, 0) >= 0 {
		return nil
	}
	f, err := delimited.Open(in.Path, bytes.NewReader(in.Head), int64(len(in.Head)), delimited.Options{Delim: ','})
	if err != nil {
		return nil
	}
	return f.Header
}

// Open reads a file or folder. There are no options of the format's own.
func (Format) Open(ctx context.Context, in *formats.Input, opt formats.Options) (*capture.Capture, error) {
	for name := range opt.Extra {
		return nil, formats.OptionErrorf("rocprofv3 has no option %q", name)
	}
	if opt.Duration != "" && opt.Duration != "pass" {
		return nil, formats.OptionErrorf("option duration: %q: rocprofv3's files know the durations of each pass only: use \"pass\"", opt.Duration)
	}
	w := newWork()
	w.beside = opt.Beside
	if err := w.read(ctx, in); err != nil {
		return nil, err
	}
	cfg := capture.Config{Path: in.Path, Format: Format{}.Name(),
		Name: strings.TrimSuffix(filepath.Base(filepath.Clean(in.Path)), filepath.Ext(in.Path))}
	w.identify(&cfg)
	opt.Apply(&cfg)
	if err := w.build(&cfg); err != nil {
		return nil, fmt.Errorf("%s: %w", in.Path, err)
	}
	cfg.Warnings = append(cfg.Warnings, w.warnings...)
	if cfg.GPU == "" {
		cfg.Warnings = append(cfg.Warnings, "the GPU is unknown: give gpu= for the metrics of its catalogue")
	}
	if opt.Warn != nil {
		for _, warning := range cfg.Warnings {
			opt.Warn(warning)
		}
	}
	return capture.New(cfg)
}

func (w *work) read(ctx context.Context, in *formats.Input) error {
	if !in.IsDir {
		progress.From(ctx).Begin(in.Size, progress.Bytes)
		return w.readFile(ctx, in.Path, filepath.Base(in.Path))
	}
	files := outputs(in.Path)
	if len(files) == 0 {
		return fmt.Errorf("%s: no *_%s, *%s, *_%s or database of rocpd in it or below", in.Path, countersEnd, traceEnd, jsonEnd)
	}
	progress.From(ctx).Begin(sizeOf(files), progress.Bytes)
	// Databases first: they say which processes need not be read again.
	slices.SortStableFunc(files, func(a, b string) int {
		x, y := strings.HasSuffix(a, databaseEnd), strings.HasSuffix(b, databaseEnd)
		switch {
		case x && !y:
			return -1
		case y && !x:
			return 1
		}
		return 0
	})
	for _, path := range files {
		rel, err := filepath.Rel(in.Path, path)
		if err != nil {
			return err
		}
		if err := w.readFile(ctx, path, rel); err != nil {
			return err
		}
	}
	return nil
}

func (w *work) readFile(ctx context.Context, path, name string) error {
	if isDatabase(path) {
		return w.readDatabase(ctx, path)
	}
	if holds(path, isJSON) {
		return w.readJSON(ctx, path, name)
	}
	return w.readCSV(ctx, path, name)
}
