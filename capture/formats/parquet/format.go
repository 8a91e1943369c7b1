package parquet

import (
	"bytes"
	"context"
	"fmt"
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
	_ formats.Explainer = Format{}
	_ formats.Doubter   = Format{}
	_ formats.Ranger    = Format{}
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

// Sniff is certain of the magic number at the start, and takes folders of Parquet files, or of partitions with such, for a data set.
func (Format) Sniff(in *formats.Input) int {
	if in.IsDir {
		return sniffFolder(in)
	}
	if bytes.HasPrefix(in.Head, []byte(magic)) {
		return 100
	}
	return 0
}

// WhyNot says what is missing for the content to be Parquet.
func (Format) WhyNot(in *formats.Input) string {
	switch {
	case in.IsDir:
		if err := whyNoSet(in); err != nil {
			return err.Error()
		}
	case bytes.HasPrefix(in.Head, []byte("PARE")):
		return "this Parquet file is encrypted"
	}
	return "it does not start with PAR1"
}

// Open reads the description, the time axis and the labels; the other columns are read on first use. A folder is a data
// set, see openSet.
func (Format) Open(ctx context.Context, in *formats.Input, opt formats.Options) (*capture.Capture, error) {
	o := &table.Options{}
	if err := o.Parse(Format{}.Name(), opt.Extra, nil); err != nil {
		return nil, err
	}
	var cfg *capture.Config
	if in.IsDir {
		c, err := openSet(ctx, in.Path, o)
		if err != nil {
			return nil, err
		}
		cfg = &c.Config
	} else {
		one, _, err := openOne(ctx, in.Path, o)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", in.Path, err)
		}
		cfg = one
	}
	return finished(cfg, in, opt)
}

// OpenDistant reads of a file that lies elsewhere its description, its time axis and its labels, and every other column
// on first use.
func (Format) OpenDistant(ctx context.Context, in *formats.Input, d *formats.Distant,
	opt formats.Options) (*capture.Capture, error) {
	o := &table.Options{}
	if err := o.Parse(Format{}.Name(), opt.Extra, nil); err != nil {
		return nil, err
	}
	cfg, _, err := decode(ctx, distantSource(d), in.Path, o)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", in.Path, err)
	}
	return finished(cfg, in, opt)
}

// finished makes the capture.
func finished(cfg *capture.Config, in *formats.Input, opt formats.Options) (*capture.Capture, error) {
	cfg.Path, cfg.Format = in.Path, Format{}.Name()
	if cfg.Name == "" {
		cfg.Name = nameOf(in.Path)
	}
	opt.Apply(cfg)
	if opt.Warn != nil {
		for _, w := range cfg.Warnings {
			opt.Warn(w)
		}
	}
	return capture.New(*cfg)
}

func nameOf(path string) string { return strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)) }

// openOne opens one file; whole is the identity of the capture that it is a part of, ours tells that astrolabe wrote
// it.
func openOne(ctx context.Context, path string, o *table.Options) (cfg *capture.Config, part partOf, err error) {
	src, err := newSource(path)
	if err != nil {
		return nil, part, err
	}
	return decode(ctx, src, path, o)
}

// partOf is what a file says about the capture that it belongs to.
type partOf struct {
	whole string // its identity; "" where the file is whole
	ours  bool   // astrolabe wrote the file
	// Of another program's table: its time column holds points in time, each of which lasts until the next, or ends.
	points, ends bool
}
