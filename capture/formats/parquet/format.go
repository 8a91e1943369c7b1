package parquet

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/formats"
	"astrolabe/capture/formats/internal/table"
)

// Format is Apache Parquet. Its zero value is ready for use.
type Format struct{}

var (
	_ formats.Writer    = Format{}
	_ formats.Encoder   = Format{}
	_ formats.Explainer = Format{}
	_ formats.Doubter   = Format{}
)

const magic = "PAR1"

// Name is "parquet".
func (Format) Name() string { return "parquet" }

// Doc says what the format is.
func (Format) Doc() string {
	return "Apache Parquet, as written by astrolabe, pandas, polars, DuckDB and Spark (starts and ends with PAR1)"
}

// Extensions are those of Parquet files.
func (Format) Extensions() []string { return []string{".parquet", ".parq"} }

// Sniff is certain of the magic number at the start.
func (Format) Sniff(in *formats.Input) int {
	if !in.IsDir && bytes.HasPrefix(in.Head, []byte(magic)) {
		return 100
	}
	return 0
}

// WhyNot says what is missing for the content to be Parquet.
func (Format) WhyNot(in *formats.Input) string {
	switch {
	case in.IsDir:
		return "a Parquet capture is one file: open the files of a partitioned folder one by one"
	case bytes.HasPrefix(in.Head, []byte("PARE")):
		return "this Parquet file is encrypted"
	}
	return "it does not start with PAR1"
}

// Open reads the description, the time axis and the labels; the other columns are read on first use.
func (Format) Open(ctx context.Context, in *formats.Input, opt formats.Options) (*capture.Capture, error) {
	if in.IsDir {
		return nil, fmt.Errorf("%s: a folder, and a Parquet capture is one file", in.Path)
	}
	o := &table.Options{}
	if err := o.Parse(Format{}.Name(), opt.Extra, nil); err != nil {
		return nil, err
	}
	src, err := newSource(in.Path)
	if err != nil {
		return nil, err
	}
	cfg, err := decode(ctx, src, in.Path, o)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", in.Path, err)
	}
	cfg.Path, cfg.Format = in.Path, Format{}.Name()
	if cfg.Name == "" {
		cfg.Name = strings.TrimSuffix(filepath.Base(in.Path), filepath.Ext(in.Path))
	}
	opt.Apply(cfg)
	if opt.Warn != nil {
		for _, w := range cfg.Warnings {
			opt.Warn(w)
		}
	}
	return capture.New(*cfg)
}

// Write saves c at path, whole or not at all.
func (f Format) Write(ctx context.Context, path string, c *capture.Capture) error {
	return formats.WriteFile(path, func(w io.Writer) error { return f.Encode(ctx, w, c) })
}
