package rocprofcompute

import (
	"errors"
	"io/fs"
	"slices"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/formats"
	"astrolabe/capture/formats/internal/delimited"
)

// rooflineFile has the peaks that the tool's own benchmark measured: a row for each GPU, in GB/s and in 10^9 operations per second, each with the lowest and
// the highest of its repetitions beside it.
const rooflineFile = "roofline.csv"

// maxRoofline is how many GPUs of a roofline.csv are read.
const maxRoofline = 1024

// readRoofline makes a property NAME_empirical_peak of each peak: the median of the GPUs, since the file numbers them otherwise than the files of counters.
func (w *workload) readRoofline(cfg *capture.Config) {
	if !w.folder && w.beside != nil && w.beside(w.path(rooflineFile)) != nil {
		return // it may not be read, as sysinfo.csv, which warns
	}
	names, rows, err := rooflineRows(w.path(rooflineFile))
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err != nil {
		w.warn("%v: the measured peaks are unknown", err)
		return
	}
	for i, name := range names {
		if low := strings.ToLower(name); name == "" || low == "device" || strings.HasSuffix(low, "low") || strings.HasSuffix(low, "high") {
			continue
		}
		var peaks []float64
		for _, row := range rows {
			if x, ok := delimited.ParseFloat([]byte(strings.TrimSpace(row[i])), '.'); ok && x > 0 {
				peaks = append(peaks, x)
			}
		}
		property := capture.Property{Name: name + "_empirical_peak", Number: median(peaks)}
		if len(peaks) > 0 && !slices.ContainsFunc(cfg.Properties, func(p capture.Property) bool { return p.Name == property.Name }) {
			cfg.Properties = append(cfg.Properties, property)
		}
	}
}

// rooflineRows returns the header and the rows of a roofline.csv.
func rooflineRows(path string) (names []string, rows [][]string, err error) {
	r, err := formats.OpenRegular(path)
	if err != nil {
		return nil, nil, err
	}
	defer r.Close()
	st, err := r.Stat()
	if err != nil {
		return nil, nil, err
	}
	f, err := delimited.Open(path, r, st.Size(), delimited.Options{Delim: ','})
	if err != nil {
		return nil, nil, err
	}
	if rows, err = f.Sample(maxRoofline); err != nil {
		return nil, nil, err
	}
	if len(rows) == 0 {
		return nil, nil, &delimited.Error{File: path, Line: f.Line + 1, Msg: "no row of peaks as long as the header: the file is truncated or damaged"}
	}
	return f.Header, rows, nil
}
