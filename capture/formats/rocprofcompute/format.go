package rocprofcompute

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
)

// Format reads rocprof-compute workloads.
type Format struct{}

var (
	_ formats.Format    = Format{}
	_ formats.Explainer = Format{}
)

// Names of the files of a workload, and of the columns that make one.
const (
	mainFile       = "pmc_perf.csv"
	sysinfoFile    = "sysinfo.csv"
	timestampsFile = "timestamps.csv"

	colDispatch = "Dispatch_ID"
	colKernel   = "Kernel_Name"
	colName     = "Counter_Name"
	colValue    = "Counter_Value"
	colStart    = "Start_Timestamp"
	colEnd      = "End_Timestamp"
	colGUID     = "GUID"
	colGPU      = "GPU_ID"
	colAccum    = "SQ_ACCUM_PREV_HIRES"
)

// Name is "rocprofcompute".
func (Format) Name() string { return "rocprofcompute" }

// Doc says what the format looks like.
func (Format) Doc() string {
	return "AMD rocprof-compute workload: a folder with pmc_perf.csv and sysinfo.csv, or that pmc_perf.csv (columns Dispatch_ID, Kernel_Name, ...)"
}

// Sniff is sure of a folder with pmc_perf.csv and of a file with its columns.
func (Format) Sniff(in *formats.Input) int {
	if in.IsDir {
		switch {
		case in.Has(mainFile):
			return 95
		case in.Has(sysinfoFile) && (in.Has("pmc_dispatch_info.csv") || in.Has(timestampsFile) || len(levelFiles(in.Files)) > 0):
			return 40 // Open says what is missing
		}
		return 0
	}
	header := headerOf(in)
	if !slices.Contains(header, colDispatch) || !slices.Contains(header, colKernel) {
		return 0
	}
	if slices.Contains(header, colName) || slices.ContainsFunc(header, isCounter) {
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

// WhyNot says what a workload needs.
func (Format) WhyNot(in *formats.Input) string {
	if !in.IsDir {
		return "no header with columns " + colDispatch + " and " + colKernel + " and counters"
	}
	for _, name := range in.Files {
		if sub, ok := strings.CutSuffix(name, "/"); ok {
			if below, err := formats.Inspect(in.File(sub)); err == nil && below.Has(mainFile) {
				return fmt.Sprintf("no %s in the folder, but there is one in %s: give that folder", mainFile, sub)
			}
		}
	}
	return "no " + mainFile + " in the folder"
}

// Open reads a workload. opt.Duration is "pass" (or empty), "median" or "first".
func (Format) Open(ctx context.Context, in *formats.Input, opt formats.Options) (*capture.Capture, error) {
	if err := checkOptions(opt); err != nil {
		return nil, err
	}
	w := &workload{main: in.Path, dir: filepath.Dir(in.Path), rule: opt.Duration}
	defer w.close()
	if in.IsDir {
		if !in.Has(mainFile) {
			return nil, fmt.Errorf("%s: no %s in the folder: it holds the counters, copy the whole workload", in.Path, mainFile)
		}
		w.main, w.dir = in.File(mainFile), in.Path
	}
	if err := w.readMain(ctx); err != nil {
		return nil, err
	}
	if filepath.Base(w.main) == mainFile {
		if err := w.readLevels(ctx); err != nil {
			return nil, err
		}
	}
	cfg := capture.Config{Path: in.Path, Format: Format{}.Name(), Name: filepath.Base(filepath.Clean(w.dir))}
	if !in.IsDir && filepath.Base(w.main) != mainFile {
		cfg.Name = strings.TrimSuffix(filepath.Base(w.main), filepath.Ext(w.main))
	}
	w.readSysinfo(&cfg)
	opt.Apply(&cfg)
	w.build(&cfg)
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

func checkOptions(opt formats.Options) error {
	for name := range opt.Extra {
		return fmt.Errorf("rocprofcompute has no option %q", name)
	}
	switch opt.Duration {
	case "", "pass", "median", "first":
		return nil
	}
	return fmt.Errorf("option duration: %q: use \"pass\", \"median\" or \"first\"", opt.Duration)
}
