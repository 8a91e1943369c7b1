package gpumetrics

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
	"sync"
)

// headerSize is the length of what all revisions share: u16 structure_size, u8 format_revision, u8 content_revision.
const headerSize = 4

// Field is a member of a table.
type Field struct {
	Name   string
	Offset int // in bytes
	Size   int // of a value, in bytes: 1, 2, 4 or 8
	Count  int // values in a row
	Meaning
}

// End is the offset behind the field.
func (f *Field) End() int { return f.Offset + f.Size*f.Count }

// Layout is one revision of the table.
type Layout struct {
	Format, Content uint8
	Size            int     // of the whole structure, in bytes
	Fields          []Field // by offset, with the three of the header
}

// Version is the revision as in "1.3".
func (l *Layout) Version() string { return fmt.Sprintf("%d.%d", l.Format, l.Content) }

//go:embed layouts.txt
var layoutText string

var layouts = sync.OnceValue(func() []Layout {
	l, err := parseLayouts(layoutText)
	if err != nil {
		panic(err) // the text is part of the program, and a test reads it
	}
	return l
})

// find is the layout of a revision, nil where it is unknown. Where kernels disagree about a revision the size that the
// table states tells: it is the longest that is no longer.
func find(format, content uint8, size int) *Layout {
	var best *Layout
	all := layouts()
	for i := range all {
		l := &all[i]
		if l.Format == format && l.Content == content && (best == nil || l.Size <= size && l.Size > best.Size) {
			best = l
		}
	}
	return best
}

// Partition takes a field of one partition of the GPU apart: xcp3_vcn_busy is vcn_busy of partition 3. ok is false of
// all other fields.
func (f *Field) Partition() (name string, number int, ok bool) {
	rest, ok := strings.CutPrefix(f.Name, "xcp")
	digits, name, under := strings.Cut(rest, "_")
	number, err := strconv.Atoi(digits)
	if !ok || !under || err != nil {
		return f.Name, 0, false
	}
	return name, number, true
}

var sizes = map[string]int{"u8": 1, "u16": 2, "u32": 4, "u64": 8}

// parseLayouts reads the embedded text; its first lines describe its form.
func parseLayouts(text string) ([]Layout, error) {
	var out []Layout
	for n, line := range strings.Split(text, "\n") {
		words := strings.Fields(line)
		if len(words) == 0 || words[0] == "#" {
			continue
		}
		fail := func(word string) error { return fmt.Errorf("gpu_metrics layouts line %d: cannot read %q", n+1, word) }
		var l Layout
		if _, err := fmt.Sscanf(words[0], "%d.%d", &l.Format, &l.Content); err != nil || len(words) < 2 {
			return nil, fail(words[0])
		}
		var err error
		if l.Size, err = strconv.Atoi(words[1]); err != nil {
			return nil, fail(words[1])
		}
		l.Fields = []Field{
			{Name: "structure_size", Offset: 0, Size: 2, Count: 1},
			{Name: "format_revision", Offset: 2, Size: 1, Count: 1},
			{Name: "content_revision", Offset: 3, Size: 1, Count: 1},
		}
		for _, word := range words[2:] {
			parts := strings.Split(word, ":")
			if len(parts) != 3 {
				return nil, fail(word)
			}
			f := Field{Name: parts[2], Count: 1}
			typ, count, several := strings.Cut(parts[1], "x")
			f.Size = sizes[typ]
			if f.Offset, err = strconv.Atoi(parts[0]); err != nil || f.Size == 0 {
				return nil, fail(word)
			}
			if several {
				if f.Count, err = strconv.Atoi(count); err != nil {
					return nil, fail(word)
				}
			}
			bare, _, _ := f.Partition()
			f.Meaning = meaning(l.Format, bare)
			l.Fields = append(l.Fields, f)
		}
		out = append(out, l)
	}
	return out, nil
}
