package arrow

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"

	"astrolabe/capture"
	"astrolabe/capture/formats"
	"astrolabe/capture/formats/internal/mapping"
)

// A recording in parts is a folder of files part-0001.arrow, part-0002.arrow and so on, each a capture of its own on
// the time axis of the whole. Opened as a folder they are one capture, whose columns lie where the files have them.

// keyPart is the schema metadata that says which part of which recording a file is.
const keyPart = "astrolabe.part"

type partDoc struct {
	Recording string `json:"recording"` // the same in all parts, and in no other recording
	Part      int    `json:"part"`      // from 1
}

var partName = regexp.MustCompile(`^part-(\d{4,9})\.arrow$`)

func partFile(n int) string { return fmt.Sprintf("part-%04d.arrow", n) }

// partNumber is the number in the name of a part, 0 for any other file.
func partNumber(name string) int {
	m := partName.FindStringSubmatch(name)
	if m == nil {
		return 0
	}
	n, _ := strconv.Atoi(m[1])
	return n
}

// partsAmong are the parts among the files of a folder, in their order.
func partsAmong(files []string) (out []string) {
	for _, name := range files {
		if partNumber(name) > 0 {
			out = append(out, name)
		}
	}
	slices.SortFunc(out, func(a, b string) int { return partNumber(a) - partNumber(b) })
	return out
}

// Parts are the files of a recording in parts, or the file itself.
func Parts(path string) ([]string, error) {
	st, err := os.Stat(path)
	if err != nil || !st.IsDir() {
		return []string{path}, nil // whoever opens it finds out
	}
	in, err := formats.Inspect(path)
	if err != nil {
		return nil, err
	}
	parts := partsAmong(in.Files)
	if len(parts) == 0 {
		return nil, fmt.Errorf("%s: a folder without %s: no recording in parts", path, partFile(1))
	}
	for i, name := range parts {
		parts[i] = filepath.Join(path, name)
	}
	return parts, nil
}

// piece is one file of a capture; name is "" where it is the only one.
type piece struct {
	name string
	data []byte
	from *afar // nil where data is all there
}

// loadPieces loads the file or the parts that in is. free gives all back.
func loadPieces(in *formats.Input) (out []piece, free func(), err error) {
	var given []func()
	free = func() {
		for _, f := range given {
			f()
		}
	}
	take := func(name string, f *os.File, err error) error {
		if err != nil {
			return err
		}
		defer f.Close() // a mapping outlives its file descriptor
		st, err := f.Stat()
		if err != nil {
			return err
		}
		data, unload, err := mapping.Load(f, st.Size())
		if err != nil {
			return err
		}
		out, given = append(out, piece{name: name, data: data}), append(given, unload)
		return nil
	}
	if !in.IsDir {
		f, err := in.Open()
		return out, free, errors.Join(take("", f, err))
	}
	for _, name := range partsAmong(in.Files) {
		f, ferr := in.OpenFile(name)
		if err = take(name, f, ferr); err != nil {
			free()
			return nil, nil, err
		}
	}
	return out, free, nil
}

// absentParts are parts that are not there, by their numbers, before a row.
type absentParts struct{ from, to, row int }

// read takes the pieces apart and lays them side by side.
func (d *decoded) read(ctx context.Context, pieces []piece) (absent []absentParts, err error) {
	recording, next := "", 1
	for i, p := range pieces {
		c, err := takeApart(ctx, p.messages())
		if err == nil && p.name != "" {
			var doc partDoc
			doc, err = c.partOf()
			switch {
			case err != nil:
			case i > 0 && doc.Recording != recording:
				err = errors.New("it is a part of another recording than the parts before it")
			case doc.Part != partNumber(p.name):
				err = fmt.Errorf("it was %s when it was recorded", partFile(doc.Part))
			case doc.Part > next:
				row := 0
				if i > 0 {
					row = d.rows()
				}
				absent = append(absent, absentParts{next, doc.Part - 1, row})
			}
			recording, next = doc.Recording, doc.Part+1
		}
		if err == nil && i > 0 {
			err = d.join(c)
		} else if err == nil {
			d.content = c
		}
		switch {
		case err != nil && p.name != "":
			return nil, fmt.Errorf("%s: %w", p.name, err)
		case err != nil:
			return nil, err
		}
		d.tellCut(c, p.name)
	}
	return absent, nil
}

// tellCut warns of a piece that breaks off.
func (d *decoded) tellCut(c *content, name string) {
	if c.cut == "" {
		return
	}
	if name != "" {
		name += " is "
	}
	hint := ""
	if c.file {
		hint = "; astrolabe repair adds the footer that other programs look for"
	}
	d.warn("%struncated: the data breaks off at byte %d (%s): %d samples in %d batches were kept%s%s", name,
		c.cutAt, c.cut,
		c.rows(), c.batches(), c.heldBack(), hint)
}

// heldBack says what a recorder that was killed had not written yet, "" where that is no more than always.
func (c *content) heldBack() string {
	md := c.schema.Metadata()
	layout, _ := md.GetValue(keyLayout)
	text, _ := md.GetValue(keyCapture)
	doc, err := readDoc(layout, text)
	if err != nil {
		return "" // whoever opens the file is told
	}
	for _, p := range doc.Properties {
		if p.Name == capture.HeldBack && p.Text != nil {
			return fmt.Sprintf("; a recorder that was killed lost up to %s behind them, as samples waited for counters that "+
				"were read that seldom", *p.Text)
		}
	}
	return ""
}

// join lays the batches of c and then those of o side by side.
func (c *content) join(o *content) error {
	if len(c.cols) != len(o.cols) {
		return fmt.Errorf("it has %d columns and the first part %d", len(o.cols), len(c.cols))
	}
	rows := c.rows()
	if c.allPlain() && o.allPlain() {
		c.plain = append(c.plain, o.plain...)
	} else {
		c.spread()
		o.spread()
	}
	for i := range c.cols {
		a, b := &c.cols[i], &o.cols[i]
		if !a.field.Equal(b.field) {
			return fmt.Errorf("its column %d is %q, not the %q of the first part, or described otherwise", i,
				b.field.Name, a.field.Name)
		}
		a.chunks, a.labels = append(a.chunks, b.chunks...), append(a.labels, b.labels...)
		a.texts, a.exotic = append(a.texts, b.texts...), append(a.exotic, b.exotic...)
	}
	for _, n := range o.first[1:] {
		c.first = append(c.first, rows+n)
	}
	for _, n := range o.notes {
		n.base += rows
		c.notes = append(c.notes, n)
	}
	for i := range c.cols {
		c.cols[i].first = c.first
	}
	return nil
}

// partOf says which part a content is.
func (c *content) partOf() (doc partDoc, err error) {
	md := c.schema.Metadata()
	text, ok := md.GetValue(keyPart)
	if !ok {
		return doc, errors.New("it is no part of a recording")
	}
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		return doc, fmt.Errorf("damaged: %s: %w", keyPart, err)
	}
	return doc, nil
}

// missingParts is the gap where the parts from one number to another are absent.
func (d *decoded) missingParts(from, to, row int) {
	start := d.cfg.Axis.Start
	what := partFile(from)
	if to > from {
		what += " to " + partFile(to)
	}
	d.warn("%s is missing", what)
	if row == 0 || row >= len(start) {
		return
	}
	if end := d.cfg.Axis.End[row-1]; end < start[row] {
		d.cfg.Gaps = append(d.cfg.Gaps, capture.Gap{Start: end, End: start[row],
			Reason: capture.Reason{Code: capture.NotCollected, Text: what + " is missing"}})
	}
}
