package csv

import (
	"context"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/formats"
	"astrolabe/capture/formats/internal/delimited"
	"astrolabe/capture/formats/internal/table"
	"astrolabe/capture/memory"
	"astrolabe/capture/progress"
	"astrolabe/capture/units"
)

// Extensions are those of commas and of tabs.
func (Format) Extensions() []string { return []string{".csv", ".tsv"} }

// Named writes tabs into a file whose name ends in .tsv, commas into others.
func (Format) Named(path string) formats.Writer {
	return Format{tabs: strings.EqualFold(filepath.Ext(path), ".tsv")}
}

// sheet is a capture laid out for writing.
type sheet struct {
	delim  byte
	axis   *capture.Axis
	labels []*capture.Label
	quoted [][][]byte // the dictionary of each label as cells
	cols   []writeCol
}

type writeCol struct {
	data capture.Data
}

// Encode writes c in the wide form: start and end in ns, labels, then every counter and instance with its unit.
// Integers are exact and doubles are the shortest text that reads back the same; a missing value is an empty cell. What
// a table cannot hold is left out: kinds, reasons, passes, regions, properties.
func (f Format) Encode(ctx context.Context, w io.Writer, c *capture.Capture) error {
	delim := byte(',')
	if f.tabs {
		delim = '\t'
	}
	t := &sheet{delim: delim, axis: c.Axis, labels: c.Labels}
	head := []byte("start (ns)")
	head = append(append(head, delim), "end (ns)"...)
	for _, l := range c.Labels {
		head = t.appendText(append(head, delim), labelHeader(l))
		cells := make([][]byte, len(l.Dict))
		for i, s := range l.Dict {
			cells[i] = t.appendText(nil, s)
		}
		t.quoted = append(t.quoted, cells)
	}
	for _, ctr := range c.Counters {
		for _, one := range withInstances(ctr) {
			d, err := dataOf(one)
			if err != nil {
				return fmt.Errorf("counter %s: %w", one.Name, err)
			}
			head = t.appendText(append(head, delim), counterHeader(&one.Meta, &ctr.Meta))
			t.cols = append(t.cols, writeCol{d})
		}
	}
	if _, err := w.Write(append(head, '\n')); err != nil {
		return err
	}
	return t.writeRows(ctx, w)
}

// withInstances lists what of a counter is written: its own column, if it has one, and its instances.
func withInstances(c *capture.Counter) []*capture.Counter {
	if len(c.Instances) > 0 && c.Col == nil {
		return c.Instances
	}
	return append([]*capture.Counter{c}, c.Instances...)
}

func dataOf(c *capture.Counter) (capture.Data, error) {
	if c.Col == nil {
		return capture.Data{F: c.Floats()}, nil
	}
	return c.Col.Data(), c.Col.Err()
}

// counterHeader is the name with a unit that the reader finds again, and with the kind where neither says it: what is
// not marked is a count.
func counterHeader(m, whole *capture.Meta) string {
	text := nameAndUnit(m)
	level, known := units.IsLevel(m.Unit)
	odd := m.Kind == capture.Constant || m.Kind == capture.Delta && known && level || m.Kind == capture.Gauge &&
		!(known && level)
	combine := combineMark(m, whole)
	if odd || combine != "" || strings.HasSuffix(text, "}") {
		text += " {" + m.Kind.String() + combine + "}"
	}
	return text
}

// combineMark says how the instances of a whole counter combine, where it is not as for most of their kind.
func combineMark(m, whole *capture.Meta) string {
	usual := capture.CombineSum
	if m.Kind == capture.Gauge {
		usual = capture.CombineMean
	}
	if m.Instance == "" || whole.Combine == usual {
		return ""
	}
	return " " + whole.Combine.String()
}

func nameAndUnit(m *capture.Meta) string {
	name := m.Name
	if m.Instance != "" && !strings.HasSuffix(name, "]") {
		name = fmt.Sprintf("%s[%s]", name, table.InstanceText(m.Instance))
	}
	if m.Unit == "" {
		// A name that looks as if it ended in a unit, or like a time or a label, says that it has none.
		if h := table.ParseHeader(name); h.Unit != "" || h.IsTime() || table.IsLabel(name) {
			return name + " []"
		}
		return name
	}
	if (table.Header{Full: name, Name: name, Unit: m.Unit}).IsTime() {
		return name + " [" + m.Unit + "]"
	}
	if units.Known(m.Unit) && !strings.ContainsAny(m.Unit, "()") {
		return name + " (" + m.Unit + ")"
	}
	return name + " [" + strings.NewReplacer("[", "(", "]", ")").Replace(m.Unit) + "]"
}

// labelHeader is the name of a label column, marked where its content or name would make it something else.
func labelHeader(l *capture.Label) string {
	h := table.ParseHeader(l.Name)
	timed := h.IsTime()
	if table.IsLabel(l.Name) && h.Name == l.Name {
		return l.Name
	}
	for _, s := range l.Dict {
		timed = timed || delimited.IsNumber(s, 0) || delimited.IsMissing(s) || delimited.IsInfinity(s)
	}
	if timed || len(l.Dict) == 0 || h.Unit != "" || h.Instance != "" {
		return l.Name + " (" + table.LabelUnit + ")"
	}
	return l.Name
}

// mustQuote are the characters that put a cell in quotes: every delimiter, so that none but the file's own is found
// outside quotes when the file is read again.
const mustQuote = ",;\t|\"\r\n#"

// appendText appends a text as a cell, quoted where it has to be, and marked where a spreadsheet would take it for a
// formula.
func (t *sheet) appendText(b []byte, s string) []byte {
	if !delimited.IsNumber(s, 0) {
		s = formats.MarkText(s)
	}
	if s == "" || !strings.ContainsAny(s, mustQuote) && s == strings.TrimSpace(s) {
		return append(b, s...)
	}
	b = append(b, '"')
	b = append(b, strings.ReplaceAll(s, `"`, `""`)...)
	return append(b, '"')
}

// writeRows renders blocks of rows on all cores and writes them in order.
func (t *sheet) writeRows(ctx context.Context, w io.Writer) error {
	const block = 1024
	n := t.axis.Len()
	workers := runtime.GOMAXPROCS(0)
	bufs := make([][]byte, workers)
	meter := progress.From(ctx)
	meter.Begin(int64(n), progress.Samples)
	for from := 0; from < n; from += workers * block {
		if err := ctx.Err(); err != nil {
			return err
		}
		var wg memory.Group
		for k := range workers {
			lo := from + k*block
			bufs[k] = bufs[k][:0]
			if lo >= n {
				continue
			}
			wg.Go(func() { bufs[k] = t.appendRows(bufs[k], lo, min(lo+block, n)) })
		}
		wg.Wait()
		for _, b := range bufs {
			if _, err := w.Write(b); err != nil {
				return err
			}
		}
		meter.Set(int64(min(n, from+workers*block)))
	}
	return nil
}

func (t *sheet) appendRows(b []byte, from, to int) []byte {
	for i := from; i < to; i++ {
		b = strconv.AppendInt(b, t.axis.Start[i], 10)
		b = append(b, t.delim)
		b = strconv.AppendInt(b, t.axis.End[i], 10)
		for k, l := range t.labels {
			b = append(b, t.delim)
			if code := l.Codes[i]; code >= 0 {
				b = append(b, t.quoted[k][code]...)
			}
		}
		for k := range t.cols {
			b = append(b, t.delim)
			d := &t.cols[k].data
			switch {
			case d.Missing(i):
			case d.U != nil:
				b = strconv.AppendUint(b, d.U[i], 10)
			default:
				b = appendFloat(b, d.F[i])
			}
		}
		b = append(b, '\n')
	}
	return b
}

// appendFloat appends the shortest text that reads back as v.
func appendFloat(b []byte, v float64) []byte {
	switch a := math.Abs(v); {
	case math.IsInf(v, 1):
		return append(b, "inf"...)
	case math.IsInf(v, -1):
		return append(b, "-inf"...)
	case a != 0 && (a < 1e-4 || a >= 1e15):
		return strconv.AppendFloat(b, v, 'e', -1, 64)
	}
	return strconv.AppendFloat(b, v, 'f', -1, 64)
}
