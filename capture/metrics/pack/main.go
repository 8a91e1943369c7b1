// Command pack writes the data files of the catalogues into one archive beside them, which is what the program holds of
// them: a seventh of their size.
//
//	go run ./capture/metrics/pack -data capture/metrics/data
package main

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

func main() {
	data := flag.String("data", "capture/metrics/data", "folder of the data files")
	flag.Parse()
	if err := run(*data); err != nil {
		fmt.Fprintln(os.Stderr, "pack:", err)
		os.Exit(1)
	}
}

// run writes the files in the order of their names and without dates, so that equal files make equal archives.
func run(dir string) error {
	names, err := filepath.Glob(filepath.Join(dir, "*.metrics"))
	if err != nil {
		return err
	}
	if len(names) == 0 {
		return fmt.Errorf("no *.metrics in %s", dir)
	}
	var archive bytes.Buffer
	w := zip.NewWriter(&archive)
	w.RegisterCompressor(zip.Deflate, func(to io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(to, flate.BestCompression)
	})
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		entry, err := w.Create("data/" + filepath.Base(name))
		if err != nil {
			return err
		}
		if _, err := entry.Write(data); err != nil {
			return err
		}
	}
	if err := w.Close(); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "catalogues.zip"), archive.Bytes(), 0o644)
}
