package rocprofcompute

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/formats"
	"astrolabe/capture/formats/internal/delimited"
	"astrolabe/capture/progress"
)

// Format reads rocprof-compute workloads.
type Format struct{}

var (
	_ formats.Format    = Format{}
	_ formats.Explainer = Format{}
)

// Name is "rocprofcompute".
func (Format) Name() string { return "rocprofcompute" }

// Doc says what the format looks like.
func (Format) Doc() string {
	return "AMD rocprof-compute workload: a folder with pmc_perf.csv, or the files of its runs, and sysinfo.csv, or one such file (columns Dispatch_ID, Kernel_Name, ...)"
}

// Sniff is sure of a folder with the files of a workload and of a file with their columns.
func (Format) Sniff(in *formats.Input) int {
	if in.IsDir {
		return isWorkload(in)
	}
	header := headerOf(in)
	// Dispatch_Id and Kernel_Name are rocprofv3's.
	if !slices.Contains(header, colDispatch) && !slices.Contains(header, "Index") {
		return 0
	}
	spellHeader(header)
	if !slices.Contains(header, colDispatch) || !slices.Contains(header, colKernel) {
		return 0
	}
	if slices.Contains(header, colName) || slices.ContainsFunc(header, isCounter) {
		return 95
	}
	if slices.Contains(header, colStart) && slices.Contains(header, colEnd) {
		return 95 // when kernels ran, and no counters, as rocprof --stats writes it
	}
	return 0
}

// headerOf returns the names in the header of a file, none if it has no header.
func headerOf(in *formats.Input) []string {
	head := in.Head
	if z, err := gzip.NewReader(bytes.NewReader(head)); err == nil {
		// The rest of the file is not there, so that this ends in an error.
		head, _ = io.ReadAll(io.LimitReader(z, formats.HeadSize))
	}
	if bytes.IndexByte(head, 0) >= 0 {
		return nil
	}
	f, err := delimited.Open(in.Path, bytes.NewReader(head), int64(len(head)), delimited.Options{Delim: ','})
	if err != nil {
		return nil
	}
	return f.Header
}

// WhyNot says what a workload needs.
func (Format) WhyNot(in *formats.Input) string {
	if !in.IsDir {
		return "no header with columns " + colDispatch + " and " + colKernel + " and counters"
	}
	if nodes := nodesOf(in); len(nodes) > 1 {
		if err := sameRun(nodes); err != nil {
			return err.Error()
		}
	}
	switch found := below(in); len(found) {
	case 0:
	case 1:
		return fmt.Sprintf("no %s in the folder, but %s is a workload: give that folder", mainFile, found[0])
	default:
		return fmt.Sprintf("no %s in the folder, but workloads are below it, such as %s and %s: give one of them",
			mainFile, found[0], found[1])
	}
	return "no " + mainFile + " in the folder"
}

// below lists the first workloads in a folder and in its folders.
func below(in *formats.Input) (found []string) {
	const most = 64 // folders to look into
	var next []string
	for _, name := range in.Files {
		if sub, ok := strings.CutSuffix(name, "/"); ok {
			next = append(next, sub)
		}
	}
	for looked := 0; len(next) > 0 && looked < most && len(found) < 2; looked++ {
		sub := next[0]
		next = next[1:]
		in, err := formats.Inspect(in.File(sub))
		switch {
		case err != nil:
		case isWorkload(in) >= 95:
			found = append(found, filepath.ToSlash(sub))
		case !strings.ContainsRune(sub, filepath.Separator):
			for _, name := range in.Files {
				if deeper, ok := strings.CutSuffix(name, "/"); ok {
					next = append(next, filepath.Join(sub, deeper))
				}
			}
		}
	}
	return found
}

// Open reads a workload. opt.Duration is "pass" (or empty), "median" or "first".
func (Format) Open(ctx context.Context, in *formats.Input, opt formats.Options) (*capture.Capture, error) {
	if err := checkOptions(opt); err != nil {
		return nil, err
	}
	w := &workload{layout: layout{dir: filepath.Dir(in.Path), main: in.Path}, rule: opt.Duration, beside: opt.Beside}
	defer w.close()
	if err := w.open(ctx, in); err != nil {
		return nil, err
	}
	w.join()
	cfg := capture.Config{Path: in.Path, Format: Format{}.Name(), Name: filepath.Base(filepath.Clean(w.dir))}
	if in.IsDir {
		cfg.Name = filepath.Base(filepath.Clean(in.Path))
	}
	if !in.IsDir && !strings.HasPrefix(filepath.Base(in.Path), mainFile) {
		cfg.Name = runName(in.Path)
	}
	w.readSysinfo(&cfg)
	w.readRoofline(&cfg)
	opt.Apply(&cfg)
	w.build(&cfg) // which believes only what the file says of its channels
	newConstants(&cfg).complete()
	cfg.Warnings = append(w.warnings, cfg.Warnings...)
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

// open reads a folder, or a file with those beside it where it is the one of all runs.
func (w *workload) open(ctx context.Context, in *formats.Input) error {
	base := filepath.Base(in.Path)
	if w.folder = in.IsDir || base == mainFile || base == mainFile+packed; !w.folder {
		if w.beside != nil {
			w.sysinfo = w.beside(w.path(sysinfoFile))
		}
		progress.From(ctx).Begin(in.Size, progress.Bytes)
		return w.read(ctx)
	}
	folder := in
	if !in.IsDir {
		if w.beside != nil {
			if err := w.beside(w.dir); err != nil {
				return err
			}
		}
		var err error
		if folder, err = formats.Inspect(w.dir); err != nil {
			return err
		}
	}
	w.layout = layoutOf(folder.Path, folder.Files)
	nodes := nodesOf(folder)
	if w.counters() || folder.Has(sysinfoFile) || len(nodes) < 2 {
		progress.From(ctx).Begin(w.layout.size(), progress.Bytes)
		return w.read(ctx)
	}
	if err := sameRun(nodes); err != nil {
		return fmt.Errorf("%s: %w", in.Path, err)
	}
	return w.readNodes(ctx, nodes)
}

func checkOptions(opt formats.Options) error {
	for name := range opt.Extra {
		return formats.OptionErrorf("rocprofcompute has no option %q", name)
	}
	switch opt.Duration {
	case "", "pass", "median", "first":
		return nil
	}
	return formats.OptionErrorf("option duration: %q: use \"pass\", \"median\" or \"first\"", opt.Duration)
}
