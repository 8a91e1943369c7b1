package typeset

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
)

// A font is input from outside. The parser of go-text reserves the length that a table claims before it reads it, so
// the claims are checked against the file first.

const (
	maxFontFile    = 256 << 20 // the largest font in use has some 180 MB
	maxFacesOfFile = 256
	maxTables      = 256
)

var errNoOutlines = errors.New("it has no outlines")

// checkFont reads the directories of a font file or collection: every table must lie within the file, and every face
// must have a map of characters and outlines.
func checkFont(r io.ReaderAt, size int64) (faces int, err error) {
	if size > maxFontFile {
		return 0, fmt.Errorf("%d MB are more than any font in use has", size>>20)
	}
	var head [12]byte
	if _, err := r.ReadAt(head[:], 0); err != nil {
		return 0, fmt.Errorf("its head is cut off: %w", err)
	}
	if string(head[:4]) != "ttcf" {
		return 1, checkFace(r, 0, size)
	}
	n := int64(binary.BigEndian.Uint32(head[8:]))
	if n == 0 || n > maxFacesOfFile || 12+4*n > size {
		return 0, fmt.Errorf("a collection of %d faces", n)
	}
	offsets := make([]byte, 4*n)
	if _, err := r.ReadAt(offsets, 12); err != nil {
		return 0, err
	}
	for i := range n {
		if err := checkFace(r, int64(binary.BigEndian.Uint32(offsets[4*i:])), size); err != nil {
			return 0, err
		}
	}
	return int(n), nil
}

// checkFace checks the directory of one face at an offset.
func checkFace(r io.ReaderAt, at, size int64) error {
	var head [12]byte
	if at < 0 || at+12 > size {
		return fmt.Errorf("a face begins at byte %d of %d", at, size)
	}
	if _, err := r.ReadAt(head[:], at); err != nil {
		return err
	}
	switch string(head[:4]) {
	case "\x00\x01\x00\x00", "true", "OTTO":
	default:
		return fmt.Errorf("it begins with %q, which is no TrueType or OpenType font", head[:4])
	}
	n := int64(binary.BigEndian.Uint16(head[4:]))
	if n > maxTables || at+12+16*n > size {
		return fmt.Errorf("a directory of %d tables", n)
	}
	records := make([]byte, 16*n)
	if _, err := r.ReadAt(records, at+12); err != nil {
		return err
	}
	have := map[string]bool{}
	for i := range n {
		rec := records[16*i : 16*i+16]
		tag := string(rec[:4])
		offset, length := int64(binary.BigEndian.Uint32(rec[8:])), int64(binary.BigEndian.Uint32(rec[12:]))
		if offset+length > size {
			return fmt.Errorf("its table %q reaches to byte %d of %d", tag, offset+length, size)
		}
		have[tag] = length > 0
	}
	for _, tag := range []string{"cmap", "head", "hhea", "hmtx", "maxp"} {
		if !have[tag] {
			return fmt.Errorf("it lacks the table %q", tag)
		}
	}
	if !(have["glyf"] && have["loca"]) && !have["CFF "] && !have["CFF2"] {
		return errNoOutlines // pictures of emoji, or a font of pixels
	}
	return nil
}

// openFont opens a font file that passes the check.
func openFont(path string) (f *os.File, faces int, err error) {
	info, err := os.Stat(path) // before it is opened: opening a pipe would wait for its other end
	if err != nil {
		return nil, 0, err
	}
	if !info.Mode().IsRegular() {
		return nil, 0, errors.New("it is no regular file")
	}
	if f, err = os.Open(path); err != nil {
		return nil, 0, err
	}
	if faces, err = checkFont(f, info.Size()); err != nil {
		f.Close()
		return nil, 0, err
	}
	return f, faces, nil
}
