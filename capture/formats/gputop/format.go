package gputop

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/formats"
	"astrolabe/capture/formats/csv"
	"astrolabe/capture/memory"
	"astrolabe/capture/progress"
	"astrolabe/capture/units"
)

// Format is the text of gputop-wrapper. Its zero value is ready for use.
type Format struct{}

var _ formats.Explainer = Format{}

// Name is "gputop".
func (Format) Name() string { return "gputop" }

// Doc says what the format is.
func (Format) Doc() string {
	return "text of gputop-wrapper (a line of metrics with Timestamp, a line of their units in brackets, rows)"
}

// cells divides a line at its commas, or at blanks: older versions put no commas between names.
func cells(line string) []string {
	if strings.Contains(line, ",") {
		out := strings.Split(line, ",")
		for i := range out {
			out[i] = strings.TrimSpace(out[i])
		}
		return out
	}
	return strings.Fields(line)
}

// header is the names and units of the first two lines; ok is false where they are none.
func header(head []byte) (names, of []string, ok bool) {
	first, rest, _ := bytes.Cut(head, []byte("\n"))
	second, _, _ := bytes.Cut(rest, []byte("\n"))
	names, of = cells(string(first)), cells(string(second))
	if len(names) < 2 || len(names) != len(of) {
		return nil, nil, false
	}
	for i, u := range of {
		inside, closed := strings.CutSuffix(strings.TrimPrefix(u, "("), ")")
		if !closed || !strings.HasPrefix(u, "(") {
			return nil, nil, false
		}
		ok = ok || names[i] == clock && inside == "ns"
		of[i] = strings.TrimSuffix(inside, "/s")
	}
	return names, of, ok
}

// clock is the column of times.
const clock = "Timestamp"

// Sniff goes by the two lines of the header.
func (Format) Sniff(in *formats.Input) int {
	if in.IsDir {
		return 0
	}
	if _, _, ok := header(in.Head); ok {
		return 95
	}
	return 0
}

// WhyNot says what is missing.
func (Format) WhyNot(in *formats.Input) string {
	if in.IsDir {
		return "it is a folder"
	}
	return "its first two lines are no names with Timestamp and units in brackets"
}

// Open reads the table.
func (Format) Open(ctx context.Context, in *formats.Input, opt formats.Options) (*capture.Capture, error) {
	if err := memory.Room(4 * uint64(in.Size)); err != nil {
		return nil, err
	}
	raw, err := formats.ReadRegular(in.Path)
	if err != nil {
		return nil, err
	}
	names, of, ok := header(raw)
	if !ok {
		return nil, fmt.Errorf("%s: %s", in.Path, Format{}.WhyNot(in))
	}
	cfg := capture.Config{Path: in.Path, Format: Format{}.Name(),
		Name: strings.TrimSuffix(filepath.Base(in.Path), filepath.Ext(in.Path))}
	opt.Apply(&cfg)
	text, err := plain(in.Path, string(raw), names, of)
	if err != nil {
		return nil, err
	}
	progress.From(ctx).Begin(int64(text.Len()), progress.Bytes)
	if err := csv.Table(ctx, in.Path, text, text.Size(), opt.Extra, &cfg); err != nil {
		return nil, err
	}
	csv.DoubtGPU(&cfg)
	if opt.Warn != nil {
		for _, w := range cfg.Warnings {
			opt.Warn(w)
		}
	}
	return capture.New(cfg)
}

// plain is the table with plain numbers, and a header of its own with names and units. A line that breaks off at the end of the file
// is left as it is, for the reader of tables to tell; so are empty lines and the numbers of lines.
func plain(path, raw string, names, of []string) (*strings.Reader, error) {
	var out strings.Builder
	out.WriteString("#\n")
	for i, name := range names {
		if i > 0 {
			out.WriteByte(',')
		}
		fmt.Fprintf(&out, "%s [%s]", name, of[i])
	}
	out.WriteByte('\n')
	number := 0
	for line := range strings.Lines(raw) {
		number++
		if number <= 2 {
			continue
		}
		if strings.TrimSpace(line) == "" {
			out.WriteByte('\n')
			continue
		}
		for i, cell := range strings.Split(line, ",") {
			if i > 0 {
				out.WriteByte(',')
			}
			if i >= len(of) {
				break // the reader of tables counts cells
			}
			v, err := value(cell, of[i])
			if err != nil && strings.HasSuffix(line, "\n") {
				return nil, fmt.Errorf("%s:%d: column %q: %w", path, number, names[i], err)
			}
			out.WriteString(v)
		}
		if strings.HasSuffix(line, "\n") {
			out.WriteByte('\n')
		}
	}
	return strings.NewReader(out.String()), nil
}

// value is a cell such as "770.9 M cycles" as a number of the column's unit.
func value(cell, unit string) (string, error) {
	words := strings.Fields(cell)
	if len(words) == 0 {
		return "", nil
	}
	if len(words) == 1 {
		return words[0], nil
	}
	v, err := strconv.ParseFloat(words[0], 64)
	from := strings.TrimSuffix(strings.Join(words[1:], ""), "/s")
	conv, ok := units.Convert(from, unit)
	if err != nil || !ok || !units.Known(from) {
		return "", fmt.Errorf("%q is no number in %s", strings.TrimSpace(cell), unit)
	}
	return strconv.FormatFloat(conv.Apply(v), 'g', -1, 64), nil
}
