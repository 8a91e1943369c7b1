package delimited

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"astrolabe/capture/memory"
)

// maxRow is the longest row that is read, in bytes. A longer one is most likely an opened quote that never closes.
const maxRow = 64 << 20

// headSize is how much of a file decides its dialect, in bytes.
const headSize = 256 << 10

// ErrEmpty is a file without a header.
var ErrEmpty = errors.New("the file is empty")

// Error is something wrong at one line of a file.
type Error struct {
	File string
	Line int // 1 is the first
	Msg  string
}

func (e *Error) Error() string { return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Msg) }

// Options fix what is otherwise found from the content; a zero means "find it".
type Options struct {
	Delim   byte
	Decimal byte
}

// File is an opened file of which only the header has been read.
type File struct {
	Name    string
	Delim   byte
	Decimal byte // '.' or ','; 0 accepts either
	Header  []string
	Line    int // of the header
	// Warnings is what a user should know about the way the file is read.
	Warnings []string

	r        io.ReaderAt
	size     int64
	data     int64 // offset of the first byte after the header
	dataLine int
	titled   bool   // the table has a title above its header
	again    []byte // the line of the header, which a program writes once more in each turn of a loop, as rocm-smi --csv; nil where it cannot be told
	piece    int64  // how much of the file is read at a time; 0 picks it
}

// Open reads the header of the file that r holds. The name is used in messages only.
func Open(name string, r io.ReaderAt, size int64, opt Options) (*File, error) {
	r, size, err := Plain(r, size)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	f := &File{Name: name, Delim: opt.Delim, Decimal: opt.Decimal, r: r, size: size}
	head, err := f.read(0, min(size, headSize))
	if err != nil {
		return nil, err
	}
	start, err := f.checkEncoding(head)
	if err != nil {
		return nil, err
	}
	for {
		err := f.findHeader(head, start)
		if !errors.Is(err, errShort) {
			return f, err
		}
		if int64(len(head)) >= min(size, maxRow) {
			return nil, &Error{name, f.Line,
				fmt.Sprintf("the header does not end within %d MiB: is this delimited text?", maxRow>>20)}
		}
		if head, err = f.read(0, min(size, int64(len(head))*8, maxRow)); err != nil {
			return nil, err
		}
	}
}

// read returns bytes [from, to), followed by a line end that is not part of the slice's length.
func (f *File) read(from, to int64) ([]byte, error) {
	if to-from > headSize {
		if err := memory.Room(uint64(to - from)); err != nil {
			return nil, fmt.Errorf("%s: a row of %d bytes: %w", f.Name, to-from, err)
		}
	}
	buf := make([]byte, to-from, to-from+1)
	if err := f.readInto(buf, from); err != nil {
		return nil, err
	}
	return buf, nil
}

func (f *File) readInto(buf []byte, from int64) error {
	n, err := f.r.ReadAt(buf, from)
	if n == len(buf) {
		return nil
	}
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("%s: truncated while it was read: it had %d bytes and ends at byte %d now", f.Name,
			f.size, from+int64(n))
	}
	return fmt.Errorf("%s: read at byte %d: %w", f.Name, from, err)
}

// checkEncoding returns the length of the byte order mark, and an error for text that is not UTF-8 or one byte per
// character.
func (f *File) checkEncoding(head []byte) (int, error) {
	switch {
	case len(head) == 0:
		return 0, fmt.Errorf("%s: %w (0 bytes)", f.Name, ErrEmpty)
	case bytes.HasPrefix(head, []byte{0xef, 0xbb, 0xbf}):
		return 3, nil
	}
	if i := bytes.IndexByte(head, 0); i >= 0 {
		return 0, fmt.Errorf("%s: byte %d is NUL, so this is not text", f.Name, i)
	}
	return 0, nil
}

// errShort says that the header goes beyond the bytes at hand.
var errShort = errors.New("more bytes needed")

// findHeader sets everything that describes the file from its first bytes.
func (f *File) findHeader(head []byte, start int) error {
	whole := int64(len(head)) == f.size
	f.Line = 1
	pos := start
	comment := -1 // start of the last comment line
	if f.Delim == 0 && bytes.HasPrefix(head[pos:], []byte("sep=")) && len(head) > pos+5 &&
		(head[pos+5] == '\n' || head[pos+5] == '\r') {
		f.Delim = head[pos+4]
	}
	for skipping := true; skipping; {
		end := bytes.IndexByte(head[pos:], '\n')
		line := head[pos:]
		if end >= 0 {
			line = head[pos : pos+end]
		}
		switch {
		case len(line) > 0 && line[0] == '#':
			comment = pos
		case pos == start && f.Delim != 0 && bytes.HasPrefix(line, []byte("sep=")):
		case isTitle(line):
			f.titled = true
		case len(line) == 0, len(line) == 1 && line[0] == '\r':
		default:
			skipping = false
			continue
		}
		if end < 0 {
			if !whole {
				return errShort
			}
			return f.noHeader(head, comment)
		}
		pos += end + 1
		f.Line++
	}
	if f.Delim == 0 {
		f.Delim = sniffDelim(head[pos:])
	}
	if f.Delim == ',' {
		f.Decimal = '.'
	}
	cells, next, lines, ok := f.row(terminated(head[pos:], whole))
	if !ok {
		return errShort
	}
	f.data, f.dataLine = int64(pos+min(next, len(head)-pos)), f.Line+lines
	isNumber := func(cell string) bool { return IsNumber(cell, 0) }
	if comment >= 0 && slices.ContainsFunc(cells, isNumber) || allNumbers(cells) {
		err := f.headerFromComment(head, comment, pos, cells)
		if err == nil || allNumbers(cells) {
			return err
		}
	}
	if line := head[pos : pos+min(next, len(head)-pos)]; lines == 1 && bytes.HasSuffix(line, []byte{'\n'}) && !bytes.ContainsRune(line, '"') {
		f.again = bytes.Clone(line)
	}
	f.setHeader(cells)
	if f.titled {
		return f.untilTitle()
	}
	return nil
}

// isTitle reports whether a line is the title of a table, as unitrace writes one for each device: "=== Device #0 Metrics ===".
func isTitle(line []byte) bool {
	line = bytes.TrimSpace(line)
	return len(line) > 2*len(titleMark) && bytes.HasPrefix(line, titleMark) && bytes.HasSuffix(line, []byte(" ==="))
}

var titleMark = []byte("=== ")

// untilTitle ends the table where another one has its title.
func (f *File) untilTitle() error {
	next := append([]byte{'\n'}, titleMark...)
	for from := f.data; from < f.size; from += headSize {
		buf, err := f.read(from-1, min(f.size, from+headSize+int64(len(next))))
		if err != nil {
			return err
		}
		if i := bytes.Index(buf, next); i >= 0 {
			f.size = from + int64(i)
			f.Warnings = append(f.Warnings, fmt.Sprintf("%s: it has several tables, of which the first is read", f.Name))
			break
		}
	}
	return nil
}

func (f *File) setHeader(cells []string) {
	for i, c := range cells {
		c, fixed := toUTF8(c)
		c = strings.TrimSpace(c)
		if fixed {
			f.Warnings = append(f.Warnings, fmt.Sprintf("%s:%d: the header is not UTF-8: read as Latin-1",
				f.Name, f.Line))
		}
		cells[i] = c
	}
	f.Header = cells
}

// noHeader handles a file without any row: its only line may be a header behind a #.
func (f *File) noHeader(head []byte, comment int) error {
	if comment < 0 {
		return fmt.Errorf("%s: %w: no header and no rows", f.Name, ErrEmpty)
	}
	return fmt.Errorf("%s: %w: it has comment lines only", f.Name, ErrEmpty)
}

// headerFromComment takes the names from a comment line right before the first row with numbers, where numpy and sadf put
// them.
func (f *File) headerFromComment(head []byte, comment, pos int, first []string) error {
	if comment >= 0 {
		line := bytes.TrimLeft(head[comment:pos], "# ")
		if cells, _, _, ok := f.row(terminated(line, true)); ok && len(cells) == len(first) &&
			!slices.ContainsFunc(cells, func(c string) bool { return IsNumber(c, 0) }) {
			f.data, f.dataLine = int64(pos), f.Line
			f.Line--
			f.setHeader(cells)
			return nil
		}
	}
	return &Error{f.Name, f.Line,
		fmt.Sprintf(
			"the first line holds numbers (%s, ...) where the names of the %d columns should be: put a header line before it",
			first[0], len(first))}
}

func allNumbers(cells []string) bool {
	for _, c := range cells {
		if !IsNumber(c, 0) {
			return false
		}
	}
	return len(cells) > 0
}

// terminated returns text that ends in a line end; what does not is left as it is if more is to come.
func terminated(b []byte, whole bool) []byte {
	if whole && (len(b) == 0 || b[len(b)-1] != '\n') {
		return append(b[:len(b):len(b)], '\n')
	}
	return b
}

// toUTF8 reads text that is not UTF-8 as Latin-1.
func toUTF8(s string) (text string, fixed bool) {
	if utf8.ValidString(s) {
		return s, false
	}
	r := make([]rune, 0, len(s))
	for i := range len(s) {
		r = append(r, rune(s[i]))
	}
	return string(r), true
}

// Sample returns the first rows, at most n and no more than the first 256 KiB of them, as text. Rows of another length
// than the header are left out: Read reports them.
func (f *File) Sample(n int) ([][]string, error) {
	buf, err := f.read(f.data, min(f.size, f.data+headSize))
	if err != nil {
		return nil, err
	}
	buf = terminated(buf, f.data+int64(len(buf)) == f.size)
	var out [][]string
	for len(out) < n && len(buf) > 0 {
		skip, _ := f.skipLines(buf)
		if buf = buf[skip:]; len(buf) == 0 {
			break
		}
		cells, next, _, ok := f.row(buf)
		if !ok {
			break
		}
		if buf = buf[next:]; len(cells) == len(f.Header) {
			out = append(out, cells)
		}
	}
	return out, nil
}

// CheckNames returns an error where two columns have one name.
func (f *File) CheckNames() error {
	if err := memory.Room(uint64(len(f.Header)) * textRoom); err != nil {
		return fmt.Errorf("%s: %d columns: %w", f.Name, len(f.Header), err)
	}
	seen := make(map[string]int, len(f.Header))
	for i, h := range f.Header {
		if j, dup := seen[h]; dup {
			return &Error{f.Name, f.Line,
				fmt.Sprintf("columns %d and %d are both called %q: rename one of them", j+1, i+1, h)}
		}
		seen[h] = i
	}
	return nil
}

// Index is the column of that name, -1 if there is none.
func (f *File) Index(name string) int { return slices.Index(f.Header, name) }
