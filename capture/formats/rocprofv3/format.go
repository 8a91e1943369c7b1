package rocprofv3

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/formats"
	"astrolabe/capture/formats/internal/delimited"
	"astrolabe/capture/progress"
)

// Format reads rocprofv3's output.
type Format struct{}

var (
	_ formats.Format    = Format{}
	_ formats.Explainer = Format{}
)

const (
	colDispatch = "Dispatch_Id"
	colKernel   = "Kernel_Name"
	colCounter  = "Counter_Name"
	colValue    = "Counter_Value"
	colStart    = "Start_Timestamp"
	colEnd      = "End_Timestamp"

	countersEnd = "counter_collection.csv"
	traceEnd    = "kernel_trace.csv"
	agentsEnd   = "agent_info.csv"
)

// magic begins every SQLite database.
var magic = []byte("SQLite format 3\x00")

// Name is "rocprofv3".
func (Format) Name() string { return "rocprofv3" }

// Doc says what the format looks like.
func (Format) Doc() string {
	return "ROCm rocprofv3: a rocpd SQLite database, a counter-collection or kernel-trace CSV (columns Dispatch_Id, Kernel_Name, ...), or a folder of them"
}

// WhyNot says what is missing.
func (Format) WhyNot(in *formats.Input) string {
	if in.IsDir {
		return "no *_" + countersEnd + " or *_" + traceEnd + " in the folder or its pass_N folders"
	}
	return "neither an SQLite database nor a header with the columns " + colKernel + ", " + colStart + " and " + colEnd + " of rocprofv3"
}

// Sniff is sure of a database with rocpd's tables and of the CSV files' headers.
func (Format) Sniff(in *formats.Input) int {
	switch {
	case in.IsDir:
		if len(outputs(in.Path)) > 0 {
			return 80
		}
		return 0
	case bytes.HasPrefix(in.Head, magic):
		if bytes.Contains(in.Head, []byte("rocpd_")) {
			return 95
		}
		return 10 // Open says what is missing
	}
	switch kindOf(headerOf(in)) {
	case countersFile, traceFile:
		return 95
	}
	return 0
}

// fileKind is what a CSV file holds.
type fileKind uint8

const (
	otherFile fileKind = iota
	countersFile
	traceFile
)

func kindOf(header []string) fileKind {
	has := func(names ...string) bool {
		return !slices.ContainsFunc(names, func(n string) bool { return !slices.Contains(header, n) })
	}
	switch {
	case has(colDispatch, colKernel, colCounter, colValue):
		return countersFile
	case has("Kind", colKernel, colStart, colEnd):
		return traceFile
	}
	return otherFile
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

// outputs lists the CSV files of rocprofv3 in a folder and up to three folders below it, in the order of their paths.
func outputs(dir string) []string {
	const most = 20000 // entries to look at, so that a home folder is not searched through
	var out []string
	seen := 0
	// A folder that cannot be read holds nothing for this format.
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(dir, path)
		seen++
		switch {
		case seen > most:
			return fs.SkipAll
		case err != nil:
			return fs.SkipDir
		case d.IsDir() && strings.Count(rel, string(filepath.Separator)) >= 3:
			return fs.SkipDir
		case !d.IsDir() && (strings.HasSuffix(path, countersEnd) || strings.HasSuffix(path, traceEnd)):
			out = append(out, path)
		}
		return nil
	})
	slices.SortFunc(out, comparePaths)
	return out
}

// comparePaths orders pass_2 before pass_10.
func comparePaths(a, b string) int {
	if len(filepath.Dir(a)) != len(filepath.Dir(b)) {
		return len(filepath.Dir(a)) - len(filepath.Dir(b))
	}
	return strings.Compare(a, b)
}

// sizeOf is the size of files together, in bytes.
func sizeOf(files []string) (n int64) {
	for _, path := range files {
		if st, err := os.Stat(path); err == nil {
			n += st.Size()
		}
	}
	return n
}

// Open reads a file or folder. There are no options of the format's own.
func (Format) Open(ctx context.Context, in *formats.Input, opt formats.Options) (*capture.Capture, error) {
	for name := range opt.Extra {
		return nil, formats.OptionErrorf("rocprofv3 has no option %q", name)
	}
	if opt.Duration != "" && opt.Duration != "pass" {
		return nil, formats.OptionErrorf("option duration: %q: rocprofv3's files know the durations of each pass only: use \"pass\"", opt.Duration)
	}
	w := &work{}
	var err error
	switch {
	case in.IsDir:
		files := outputs(in.Path)
		if len(files) == 0 {
			return nil, fmt.Errorf("%s: no *_%s or *_%s in it or below", in.Path, countersEnd, traceEnd)
		}
		progress.From(ctx).Begin(sizeOf(files), progress.Bytes)
		for _, path := range files {
			rel, _ := filepath.Rel(in.Path, path)
			if err = w.readCSV(ctx, path, rel); err != nil {
				break
			}
		}
	case bytes.HasPrefix(in.Head, magic):
		err = w.readDatabase(ctx, in.Path)
	default:
		progress.From(ctx).Begin(in.Size, progress.Bytes)
		err = w.readCSV(ctx, in.Path, filepath.Base(in.Path))
	}
	if err != nil {
		return nil, err
	}
	cfg := capture.Config{Path: in.Path, Format: Format{}.Name(), Name: strings.TrimSuffix(filepath.Base(filepath.Clean(in.Path)), filepath.Ext(in.Path))}
	cfg.GPU, cfg.Device = w.gpu, w.device
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
