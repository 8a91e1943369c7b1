package bundle

import (
	"archive/zip"
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"unicode/utf8"

	"astrolabe/hwio/internal/tape"
)

// Bounds of what is read: an archive may come from anybody.
const (
	maxArchive = 512 << 20
	maxContent = 768 << 20
	maxText    = 16 << 20
	maxLine    = 64 << 20
	maxEvents  = 4 << 20
)

// Open reads an archive and checks its form: its files, their hashes, and every line.
func Open(path string) (*Bundle, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxArchive+1))
	if err != nil {
		return nil, err
	}
	b, err := decode(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return b, nil
}

// decode is Open for an archive in memory.
func decode(data []byte) (*Bundle, error) {
	if len(data) > maxArchive {
		return nil, fmt.Errorf("the archive has more than %d bytes, which a bundle has at most", maxArchive)
	}
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, fmt.Errorf("no whole bundle: %w", err)
	}
	return read(z)
}

func read(z *zip.Reader) (*Bundle, error) {
	b := &Bundle{contents: map[string][]byte{}}
	left := int64(maxContent)
	for _, f := range z.File {
		limit := left
		switch {
		case !slices.Contains(order, f.Name):
			return nil, fmt.Errorf("the archive has a file %q, which is none of a bundle's", f.Name)
		case b.contents[f.Name] != nil:
			return nil, fmt.Errorf("the archive has %s twice", f.Name)
		case slices.Contains([]string{Manifest, readmeFile, findingFile, checksFile}, f.Name):
			limit = min(limit, maxText)
		}
		data, err := content(f, limit)
		if err != nil {
			return nil, err
		}
		left -= int64(len(data))
		b.contents[f.Name] = data
	}
	if err := b.unpack(); err != nil {
		return nil, err
	}
	return b, nil
}

// content reads one file, whatever its header says of its length.
func content(f *zip.File, limit int64) ([]byte, error) {
	if f.UncompressedSize64 > uint64(limit) {
		return nil, fmt.Errorf("%s would have %d bytes unpacked; there is room for %d", f.Name, f.UncompressedSize64, limit)
	}
	r, err := f.Open()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name, err)
	}
	defer r.Close()
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s, byte %d: %w", f.Name, len(data), err)
	case int64(len(data)) > limit:
		return nil, fmt.Errorf("%s has more than %d bytes unpacked", f.Name, limit)
	case data == nil:
		data = []byte{}
	}
	return data, nil
}

func (b *Bundle) unpack() error {
	manifest, ok := b.contents[Manifest]
	if !ok {
		return errors.New("the archive has no " + Manifest + ": it is no bundle")
	}
	if err := strictJSON(manifest, &b.About); err != nil {
		return fmt.Errorf("%s: %w", Manifest, err)
	}
	if b.About.Schema != Schema {
		return fmt.Errorf("%s is of schema %d; this version of astrolabe reads schema %d", Manifest, b.About.Schema,
			Schema)
	}
	listed := map[string]bool{Manifest: true}
	for _, e := range b.About.Files {
		data, ok := b.contents[e.Name]
		sum := sha256.Sum256(data)
		switch {
		case !ok:
			return fmt.Errorf("%s lists %q, which is missing", Manifest, e.Name)
		case listed[e.Name]:
			return fmt.Errorf("%s lists %s twice", Manifest, e.Name)
		case int64(len(data)) != e.Bytes || hex.EncodeToString(sum[:]) != e.SHA256:
			return fmt.Errorf("%s is not as %s says: it was changed after it was written", e.Name, Manifest)
		}
		listed[e.Name] = true
	}
	for name := range b.contents {
		if !listed[name] {
			return fmt.Errorf("%s does not list %s", Manifest, name)
		}
	}
	for name, to := range map[string]any{findingFile: &b.Findings, checksFile: &b.Checks} {
		if data, ok := b.contents[name]; !ok {
			return errors.New("the archive has no " + name)
		} else if err := strictJSON(data, to); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	b.Capture = b.contents[CaptureFile]
	for _, name := range []string{filesFile, devicesFile} {
		if err := b.lines(name); err != nil {
			return err
		}
	}
	// What is there twice says the same twice. Bundles of before had it once.
	if text, ok := b.contents[sysfsFile]; ok && !bytes.Equal(text, umockdev(b.Events)) {
		return fmt.Errorf("%s does not say what %s says", sysfsFile, filesFile)
	}
	slices.SortStableFunc(b.Events, func(x, y tape.Event) int { return int(min(max(x.Time-y.Time, -1), 1)) })
	return nil
}

func (b *Bundle) lines(name string) error {
	in := bufio.NewScanner(bytes.NewReader(b.contents[name]))
	in.Buffer(nil, maxLine)
	last := int64(0)
	n := 0
	for in.Scan() {
		n++
		var e tape.Event
		if err := strictJSON(in.Bytes(), &e); err != nil {
			return fmt.Errorf("%s, line %d: %w", name, n, err)
		}
		switch {
		case e.OfFiles() != (name == filesFile):
			return fmt.Errorf("%s, line %d: an event of kind %q does not belong there", name, n, e.Kind)
		case e.Time < last:
			return fmt.Errorf("%s, line %d: its time is before that of the line before", name, n)
		case len(b.Events) >= maxEvents:
			return fmt.Errorf("%s, line %d: a bundle has %d events at most", name, n, maxEvents)
		}
		if err := e.Valid(); err != nil {
			return fmt.Errorf("%s, line %d: %w", name, n, err)
		}
		last = e.Time
		b.Events = append(b.Events, e)
	}
	if err := in.Err(); err != nil {
		return fmt.Errorf("%s, line %d: %w", name, n+1, err)
	}
	return nil
}

// strictJSON refuses fields that are not known: what nobody knows nobody has looked at.
func strictJSON(data []byte, to any) error {
	if !utf8.Valid(data) {
		return errors.New("it is no UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(to); err != nil {
		return fmt.Errorf("byte %d: %w", d.InputOffset(), err)
	}
	if d.More() {
		return fmt.Errorf("byte %d: something follows", d.InputOffset())
	}
	return nil
}
