package gpumetrics

import (
	"encoding/binary"
	"fmt"
)

// versionError says that a table has a revision that is not known.
type versionError struct {
	Format, Content uint8
	Size            int    // that the header gives
	Header          []byte // the table's first bytes
}

func (e *versionError) Error() string {
	return fmt.Sprintf("gpu_metrics revision %d.%d with %d bytes is unknown (the table begins % x): its fields may lie anywhere and are not read", e.Format, e.Content, e.Size, e.Header)
}

// TruncatedError says that a table ends before its structure does. The table that comes with it has the whole fields
// that are there.
type TruncatedError struct {
	Version    string
	Have, Want int    // bytes
	FirstCut   string // the first field that is not whole
}

func (e *TruncatedError) Error() string {
	return fmt.Sprintf("gpu_metrics %s holds %d of its %d bytes: everything from %s on is missing", e.Version, e.Have,
		e.Want, e.FirstCut)
}

// Table is one reading. The zero Table is empty.
type Table struct {
	layout *Layout
	data   []byte // what can be trusted of the structure; the caller's memory
}

// Decode reads a table from the file's content, which the table goes on to use: it holds until the memory is filled
// again. An error other than *TruncatedError leaves the table empty.
func (t *Table) Decode(data []byte) error {
	*t = Table{}
	if len(data) < headerSize {
		return fmt.Errorf("gpu_metrics holds %d bytes, its header alone has %d", len(data), headerSize)
	}
	size := int(binary.LittleEndian.Uint16(data))
	l := find(data[2], data[3], size)
	if l == nil {
		return &versionError{Format: data[2], Content: data[3], Size: size,
			Header: append([]byte(nil), data[:min(len(data), 16)]...)}
	}
	if size < headerSize {
		return fmt.Errorf("gpu_metrics %s gives its size as %d bytes, its header alone has %d", l.Version(), size,
			headerSize)
	}
	have := min(len(data), size, l.Size)
	t.layout, t.data = l, data[:have]
	if have < l.Size {
		for i := range l.Fields {
			if f := &l.Fields[i]; f.End() > have {
				return &TruncatedError{Version: l.Version(), Have: have, Want: l.Size, FirstCut: f.Name}
			}
		}
	}
	return nil
}

// Known returns the table with its known fields only: all else is 0, and what follows the structure is cut off. It is
// nil where the revision is not known.
func Known(data []byte) []byte {
	var t Table
	_ = t.Decode(data)
	if t.layout == nil {
		return nil
	}
	out := make([]byte, len(t.data))
	for i := range t.layout.Fields {
		if f := &t.layout.Fields[i]; t.Holds(f) {
			copy(out[f.Offset:f.End()], t.data[f.Offset:f.End()])
		}
	}
	return out
}

// Layout is the table's revision, nil of an empty table.
func (t *Table) Layout() *Layout { return t.layout }

// Holds reports whether the table is long enough for the field.
func (t *Table) Holds(f *Field) bool { return f.End() <= len(t.data) }

// Raw is value i of a field as it stands in the table; ok is false where the table is too short for the whole field, or
// all bits are set: the GPU does not have the value.
func (t *Table) Raw(f *Field, i int) (v uint64, ok bool) {
	if !t.Holds(f) || i < 0 || i >= f.Count {
		return 0, false
	}
	b := t.data[f.Offset+i*f.Size:]
	switch f.Size {
	case 1:
		return uint64(b[0]), b[0] != 0xff
	case 2:
		v := binary.LittleEndian.Uint16(b)
		return uint64(v), v != 0xffff
	case 4:
		v := binary.LittleEndian.Uint32(b)
		return uint64(v), v != 0xffff_ffff
	}
	v = binary.LittleEndian.Uint64(b)
	return v, v != 0xffff_ffff_ffff_ffff
}

// AllMissing reports whether no field behind the header has a value: the table holds no data.
func (t *Table) AllMissing() bool {
	return !t.any(func(_ uint64, ok bool) bool { return ok })
}

// AllZero reports whether no field behind the header has a value other than 0, as before the firmware filled the table
// for the first time.
func (t *Table) AllZero() bool {
	return !t.any(func(v uint64, ok bool) bool { return ok && v != 0 })
}

// any reports whether a value behind the header passes the test. Padding counts for nothing.
func (t *Table) any(test func(v uint64, ok bool) bool) bool {
	if t.layout == nil {
		return false
	}
	for i := range t.layout.Fields {
		f := &t.layout.Fields[i]
		if f.Sort == Structure {
			continue
		}
		for k := range f.Count {
			if test(t.Raw(f, k)) {
				return true
			}
		}
	}
	return false
}
