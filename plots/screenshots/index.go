package screenshots

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// maxIndex is the greatest size of an index in bytes.
const maxIndex = 16 << 20

// readIndex takes what pictures are of from the index of the folder.
func (f *Folder) readIndex(root *os.Root, files []string) error {
	where := filepath.Join(f.Path, IndexName)
	file, size, err := open(root, IndexName)
	if err != nil {
		return fmt.Errorf("pictures of frames: %w", err)
	}
	defer file.Close()
	if size > maxIndex {
		return fmt.Errorf("%s has %d bytes; an index has at most %d", where, size, maxIndex)
	}
	data, err := io.ReadAll(io.LimitReader(file, maxIndex))
	if err != nil {
		return fmt.Errorf("pictures of frames: %w", err)
	}
	shots, err := parseIndex(data)
	if err != nil {
		return fmt.Errorf("%s: %w", where, err)
	}
	there := map[string]bool{}
	for _, name := range files {
		there[name] = true
	}
	listed := map[string]bool{}
	for _, s := range shots {
		if !there[s.File] {
			f.Notes = append(f.Notes, fmt.Sprintf("%q of %s is no picture in the folder%s", s.File, IndexName,
				nearest(s.File, files)))
			if len(f.Notes) > mostNamed {
				return fmt.Errorf("%s names more than %d files that are no pictures in the folder, such as %q", where,
					mostNamed, s.File)
			}
			continue
		}
		listed[s.File] = true
		f.Shots = append(f.Shots, s)
	}
	rest := slices.DeleteFunc(slices.Clone(files), func(name string) bool { return listed[name] })
	f.note(rest, "not in "+IndexName, "not in "+IndexName)
	return nil
}

// parseIndex reads an index: a line of names of columns, file and one or both of frame and time, and a line for each
// picture. Times are seconds since the start of the capture, or have a unit, in the cell (12ms) or in the name of the
// column (time_ms).
func parseIndex(data []byte) ([]Shot, error) {
	r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(data, []byte("\ufeff"))))
	r.FieldsPerRecord = -1
	r.TrimLeadingSpace = true
	head, err := r.Read()
	if errors.Is(err, io.EOF) {
		return nil, errors.New("the file is empty: it begins with a line such as file,frame or file,time")
	}
	if err != nil {
		return nil, err
	}
	file, frame, at, unit := -1, -1, -1, "s"
	for i, name := range head {
		name = strings.ToLower(strings.TrimSpace(name))
		word, suffix, _ := strings.Cut(name, "_")
		switch {
		case name == "file":
			file = i
		case name == "frame":
			frame = i
		case word == "time" && at < 0 && (suffix == "" || nsPer[suffix] > 0):
			if at = i; suffix != "" {
				unit = suffix
			}
		}
	}
	if file < 0 || frame < 0 && at < 0 {
		return nil, fmt.Errorf("line 1: the columns are %q: it takes file, and frame or time", head)
	}
	cell := func(row []string, i int) string {
		if i < 0 || i >= len(row) {
			return ""
		}
		return strings.TrimSpace(row[i])
	}
	var out []Shot
	for {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		line, _ := r.FieldPos(0)
		s := Shot{File: cell(row, file)}
		if s.File == "" {
			return nil, fmt.Errorf("line %d: there is no name of a file", line)
		}
		if text := cell(row, frame); text != "" {
			n, err := strconv.ParseInt(text, 10, 64)
			if err != nil {
				return nil, fmt.Errorf("line %d: the frame %q is no whole number", line, text)
			}
			s.Frame = &n
		}
		if text := cell(row, at); text != "" {
			ns, ok := indexTime(text, unit)
			if !ok {
				return nil, fmt.Errorf("line %d: the time %q is no number of seconds, and none with a unit as 12ms", line,
					text)
			}
			s.Time = &ns
		}
		if s.Frame == nil && s.Time == nil {
			return nil, fmt.Errorf("line %d: %q has neither a frame nor a time", line, s.File)
		}
		out = append(out, s)
	}
}

// indexTime is a time of an index in ns.
func indexTime(text, unit string) (int64, bool) {
	number := strings.TrimRightFunc(text, func(r rune) bool { return !strings.ContainsRune("0123456789.", r) })
	if own := strings.TrimSpace(text[len(number):]); own != "" {
		unit = own
	}
	return duration(number, unit)
}
