package rocprofcompute

import (
	"errors"
	"io/fs"
	"slices"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/formats/internal/delimited"
)

// rooflineFile has the peaks that the tool's own benchmark measured: a row for each GPU, in GB/s and in 10^9 operations
// per second, each with the lowest and the highest of its repetitions beside it.
const rooflineFile = "roofline.csv"

// maxRoofline is how many GPUs of a roofline.csv are read.
const maxRoofline = 1024

// readRoofline makes a property NAME_empirical_peak of each peak: the median of the GPUs, since the file numbers them
// otherwise than the files of counters.
func (w *workload) readRoofline(cfg *capture.Config) {
	if !w.folder && w.beside != nil && w.beside(w.path(rooflineFile)) != nil {
		return // it may not be read, as sysinfo.csv, which warns
	}
	names, rows, err := smallTable(w.path(rooflineFile), maxRoofline)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err != nil {
		w.warn("%v: the measured peaks are unknown", err)
		return
	}
	for i, name := range names {
		if low := strings.ToLower(name); name == "" || low == "device" || strings.HasSuffix(low, "low") ||
			strings.HasSuffix(low, "high") {
			continue
		}
		var peaks []float64
		for _, row := range rows {
			if x, ok := delimited.ParseFloat([]byte(strings.TrimSpace(row[i])), '.'); ok && x > 0 {
				peaks = append(peaks, x)
			}
		}
		property := capture.Property{Name: name + "_empirical_peak", Number: median(peaks)}
		if len(peaks) > 0 && !slices.ContainsFunc(cfg.Properties,
			func(p capture.Property) bool { return p.Name == property.Name }) {
			cfg.Properties = append(cfg.Properties, property)
		}
	}
}
