package arrow

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"path/filepath"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/formats"
	"astrolabe/capture/formats/internal/table"
)

// Format is the Arrow IPC format, file and stream form. Its zero value is ready for use.
type Format struct {
	stream bool // writes the stream form
}

var (
	_ formats.Writer    = Format{}
	_ formats.Explainer = Format{}
	_ formats.Ranger    = Format{}
)

// Name is "arrow".
func (Format) Name() string { return "arrow" }

// Doc says what the format is.
func (Format) Doc() string {
	return "Arrow IPC, astrolabe's own format, also as written by pandas, polars and DuckDB (starts with ARROW1, or is an Arrow stream, which a name in .arrows asks for), or a folder of the parts of a recording"
}

// Extensions are the endings of the file form, the stream form and pandas' name for the file form.
func (Format) Extensions() []string { return []string{".arrow", ".arrows", ".feather", ".ipc"} }

// isStream reports whether the name of a file asks for the stream form.
func isStream(path string) bool { return strings.EqualFold(filepath.Ext(path), ".arrows") }

// Named writes the stream form into a file whose name ends in .arrows, the file form into others.
func (Format) Named(path string) formats.Writer { return Format{stream: isStream(path)} }

// Sniff is certain of the file form, and almost of the stream form and of a recording in parts.
func (Format) Sniff(in *formats.Input) int {
	switch {
	case in.IsDir && len(partsAmong(in.Files)) > 0:
		return 95
	case in.IsDir:
		return 0
	case bytes.HasPrefix(in.Head, []byte(magic)):
		return 100
	case startsStream(in.Head, in.Size):
		return 90
	}
	return 0
}

// startsStream reports whether head starts with a schema message, as far as it can be seen in head.
func startsStream(head []byte, size int64) bool {
	if len(head) < 8 || binary.LittleEndian.Uint32(head) != contToken {
		return false
	}
	n := int64(binary.LittleEndian.Uint32(head[4:]))
	if n == 0 || n%8 != 0 {
		return false
	}
	if n > int64(len(head)-8) {
		// A description of many columns, or one that was cut off: nothing else starts like this.
		return true
	}
	info, err := verifyMessage(head[8:8+n], &viewCount{})
	return err == nil && info.header == headerSchema
}

// WhyNot says what is missing for the content to be Arrow.
func (Format) WhyNot(in *formats.Input) string {
	switch {
	case in.IsDir:
		return "an Arrow capture is one file, or a folder with " + partFile(1)
	case bytes.HasPrefix(in.Head, []byte("FEA1")):
		return "this is Feather version 1, from before Arrow files: read it with pandas and write it again"
	case bytes.HasPrefix(in.Head, []byte("PAR1")):
		return "this is Parquet, not Arrow IPC"
	}
	return "it starts neither with ARROW1 nor with an Arrow stream's schema"
}

// Open reads the capture. Its columns refer to the file and are read on first use.
func (Format) Open(ctx context.Context, in *formats.Input, opt formats.Options) (*capture.Capture, error) {
	o := &table.Options{}
	if err := o.Parse(Format{}.Name(), opt.Extra, nil); err != nil {
		return nil, err
	}
	if in.IsDir && len(partsAmong(in.Files)) == 0 {
		return nil, fmt.Errorf("%s: a folder without %s, and an Arrow capture is one file or a recording in parts", in.Path,
			partFile(1))
	}
	pieces, free, err := loadPieces(in)
	if err != nil {
		return nil, err
	}
	return openPieces(ctx, pieces, free, in, o, opt)
}

// OpenDistant reads of a file that lies elsewhere its metadata, its time axis and its labels, and every other column on
// first use.
func (Format) OpenDistant(ctx context.Context, in *formats.Input, d *formats.Distant,
	opt formats.Options) (*capture.Capture, error) {
	o := &table.Options{}
	if err := o.Parse(Format{}.Name(), opt.Extra, nil); err != nil {
		return nil, err
	}
	p, free, err := distantPiece(d)
	if err != nil {
		return nil, err
	}
	return openPieces(ctx, []piece{p}, free, in, o, opt)
}

func openPieces(ctx context.Context, pieces []piece, free func(), in *formats.Input, o *table.Options,
	opt formats.Options) (*capture.Capture, error) {
	c, err := decodePieces(ctx, pieces, in.Path, o)
	if err != nil {
		free()
		return nil, fmt.Errorf("%s: %w", in.Path, err)
	}
	opt.Apply(&c.Config)
	if opt.Warn != nil {
		for _, w := range c.Warnings {
			opt.Warn(w)
		}
	}
	return c, nil
}
