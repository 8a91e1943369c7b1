// Command intelgen writes the metric sets of Intel's GPUs, capture/metrics/data/intel.sets.gz, from two tables: one of
// metric sets and one of their counters, in which a row that several platforms share stands once. Run it with the paths
// of the tables:
//
//	go run ./internal/intelgen -sets SETS.csv -counters COUNTERS.csv -out capture/metrics/data/intel.sets.gz
//
// Without flags it takes those of testdata. What counters are called, equations and units are taken over as they stand. What they mean is said in words.txt, and
// made of names, units and places for those that are not there (describe.go).
package main

import (
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"flag"
	"fmt"
	"io"
	"os"
)

func main() {
	sets := flag.String("sets", "testdata/reference/intel_family_sets.csv", "table of metric sets")
	counters := flag.String("counters", "testdata/reference/intel_family_counters.csv", "table of counters")
	order := flag.String("order", "testdata/reference/intel_kbl_metrics.csv", "table of counters in the order of their sets")
	out := flag.String("out", "capture/metrics/data/intel.sets.gz", "file to write")
	flag.Parse()
	if err := run(*sets, *counters, *order, *out); err != nil {
		fmt.Fprintln(os.Stderr, "intelgen:", err)
		os.Exit(1)
	}
}

func run(sets, counters, order, out string) error {
	setRows, err := read(sets)
	if err != nil {
		return err
	}
	counterRows, err := read(counters)
	if err != nil {
		return err
	}
	orderRows, err := read(order)
	if err != nil {
		return err
	}
	text, err := generate(setRows, counterRows, orderRows)
	if err != nil {
		return err
	}
	if have, err := os.ReadFile(out); err == nil {
		if z, err := gzip.NewReader(bytes.NewReader(have)); err == nil {
			// Another version of the compressor would write other bytes of the same text.
			if old, err := io.ReadAll(z); err == nil && bytes.Equal(old, text) {
				return nil
			}
		}
	}
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := z.Write(text); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	return os.WriteFile(out, b.Bytes(), 0o666)
}

// read reads a table with a line of names.
func read(file string) ([]map[string]string, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	all, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s is empty", file)
	}
	var out []map[string]string
	for _, row := range all[1:] {
		m := map[string]string{}
		for i, name := range all[0] {
			m[name] = row[i]
		}
		out = append(out, m)
	}
	return out, nil
}
