package canvas

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
)

// Size is the size of a picture. For PNG, Width and Height are device pixels and DPI says how many of them make
// an inch, so that a higher DPI at the same Width makes larger text. SVG and PDF get the same proportions with one
// device pixel measuring 72/DPI points. Zero fields take the defaults of the thing that is drawn.
type Size struct {
	Width, Height, DPI int
}

// Defaults of Size for a chart.
const (
	DefaultWidth  = 1600
	DefaultHeight = 900
	DefaultDPI    = 96
)

// Limits of a picture: the least that a chart can be read at, and the most that one page may hold.
const (
	minWidth, minHeight = 160, 120 // logical pixels
	MaxSide             = 32768    // device pixels
	MaxPixels           = 256 << 20
)

// Resolve fills in the defaults and returns the size in logical pixels (96 per inch) with device pixels per logical
// pixel. height 0 stands for "as high as the content needs".
func (sz Size) Resolve(width, height int) (w, h, scale float64, err error) {
	if sz.Width == 0 {
		sz.Width = width
	}
	if sz.Height == 0 {
		sz.Height = height
	}
	if sz.DPI == 0 {
		sz.DPI = DefaultDPI
	}
	if sz.Width < 0 || sz.Height < 0 || sz.Width > MaxSide || sz.Height > MaxSide || sz.Width*sz.Height > MaxPixels {
		return 0, 0, 0, fmt.Errorf("size %dx%d: a picture may have up to %d pixels a side and %d million in all",
			sz.Width, sz.Height, MaxSide, MaxPixels>>20)
	}
	if sz.DPI < 24 || sz.DPI > 1200 {
		return 0, 0, 0, fmt.Errorf("%d dpi: choose between 24 and 1200", sz.DPI)
	}
	scale = float64(sz.DPI) / 96
	w, h = float64(sz.Width)/scale, float64(sz.Height)/scale
	if w < minWidth || (sz.Height > 0 && h < minHeight) {
		return 0, 0, 0, fmt.Errorf("size %dx%d at %d dpi is too small to read: choose at least %dx%d",
			sz.Width, sz.Height, sz.DPI, int(math.Ceil(minWidth*scale)), int(math.Ceil(minHeight*scale)))
	}
	return w, h, scale, nil
}

// Formats lists the picture formats, as file name extensions without the dot.
func Formats() []string { return []string{"png", "svg", "pdf"} }

// reportFormats lists the formats of reports, as file name extensions without the dot.
func reportFormats() []string { return append(Formats(), "md", "html", "json") }

// UnknownFormatError says that a picture or report was asked for in a format that does not exist here.
type UnknownFormatError struct {
	Format string   // as asked for, "" if the path has no extension
	Path   string   // "" if there was none
	Known  []string // nil stands for Formats
}

func (e *UnknownFormatError) Error() string {
	known, what := e.Known, "report"
	if known == nil {
		known, what = Formats(), "picture"
	}
	list := "." + strings.Join(known, ", .")
	switch {
	case e.Path != "" && e.Format == "":
		return fmt.Sprintf("%s: the name has no extension; a %s is one of %s", e.Path, what, list)
	case e.Path != "":
		return fmt.Sprintf("%s: cannot draw %q; a %s is one of %s", e.Path, e.Format, what, list)
	}
	return fmt.Sprintf("cannot draw %q; a %s is one of %s", e.Format, what, list)
}

// FormatOf returns the format that the extension of path names.
func FormatOf(path string) (string, error) {
	ext := strings.TrimPrefix(filepath.Ext(path), ".")
	f, err := ParseFormat(ext)
	if err != nil {
		return "", &UnknownFormatError{Format: ext, Path: path}
	}
	return f, nil
}

// ReportFormatOf returns the format of reports that the extension of path names.
func ReportFormatOf(path string) (string, error) {
	ext := strings.TrimPrefix(filepath.Ext(path), ".")
	f, err := ParseReportFormat(ext)
	if err != nil {
		return "", &UnknownFormatError{Format: ext, Path: path, Known: reportFormats()}
	}
	return f, nil
}

func ParseReportFormat(s string) (string, error) {
	switch low := strings.ToLower(s); low {
	case "md", "markdown":
		return "md", nil
	case "html", "htm":
		return "html", nil
	case "json":
		return "json", nil
	default:
		f, err := ParseFormat(low)
		if err != nil {
			return "", &UnknownFormatError{Format: s, Known: reportFormats()}
		}
		return f, nil
	}
}

func ParseFormat(s string) (string, error) {
	low := strings.ToLower(s)
	for _, f := range Formats() {
		if f == low {
			return f, nil
		}
	}
	return "", &UnknownFormatError{Format: s}
}
