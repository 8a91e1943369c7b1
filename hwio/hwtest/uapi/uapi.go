// Package uapi holds sizes, offsets, numbers and constants of kernel interfaces, as a compiler saw them in the public
// headers. Models of devices and tests take them from here; readers do not, so that each checks the other.
package uapi

import (
	"embed"
	"encoding/binary"
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"
	"sync"
)

//go:embed layouts.csv ioctls.csv consts.csv
var tables embed.FS

// Field is a member of a structure. Bits is 0 except for a bit-field, which starts at bit Bit of the storage at Offset.
type Field struct {
	Offset, Size int
	Bit, Bits    int
}

// Layout is a structure or union.
type Layout struct {
	Name   string
	Size   int
	Fields map[string]Field
}

type all struct {
	layouts map[string]*Layout
	ioctls  map[string]uint32
	names   map[uint32]string
	consts  map[string]int64
}

var load = sync.OnceValue(func() *all {
	a := &all{map[string]*Layout{}, map[string]uint32{}, map[uint32]string{}, map[string]int64{}}
	for _, r := range rows("layouts.csv") {
		l := a.layouts[r[1]]
		if l == nil {
			l = &Layout{Name: r[1], Fields: map[string]Field{}}
			a.layouts[r[1]] = l
		}
		off := number(r[3])
		if r[2] == "(struct)" || r[2] == "(union)" {
			l.Size = int(number(r[4]))
			continue
		}
		f := Field{Offset: int(off)}
		if bits, ok := strings.CutPrefix(r[4], "bit"); ok {
			bit, width, _ := strings.Cut(bits, ":")
			f.Bit, f.Bits = int(number(bit)), int(number(width))
		} else {
			f.Size = int(number(r[4]))
		}
		l.Fields[r[2]] = f
	}
	for _, r := range rows("ioctls.csv") {
		n := uint32(number(r[1]))
		a.ioctls[r[0]] = n
		if _, taken := a.names[n]; !taken {
			a.names[n] = r[0]
		}
	}
	for _, r := range rows("consts.csv") {
		if v, err := strconv.ParseInt(r[2], 0, 64); err == nil {
			a.consts[r[1]] = v
		} else if u, err := strconv.ParseUint(r[2], 0, 64); err == nil {
			a.consts[r[1]] = int64(u)
		}
	}
	return a
})

func rows(name string) [][]string {
	f, err := tables.Open(name)
	if err != nil {
		panic(err)
	}
	defer f.Close()
	r, err := csv.NewReader(f).ReadAll()
	if err != nil {
		panic(fmt.Sprintf("%s: %v", name, err))
	}
	return r[1:]
}

func number(s string) int64 {
	v, err := strconv.ParseInt(s, 0, 64)
	if err != nil {
		panic(fmt.Sprintf("table of kernel interfaces: %v", err))
	}
	return v
}

// Ioctl is the number of a request. It panics where the table has none of that name: only constants are asked for.
func Ioctl(name string) uint32 {
	n, ok := load().ioctls[name]
	if !ok {
		panic("no request is called " + name)
	}
	return n
}

// IoctlName is the name of a request, its number in hexadecimal where it is unknown. Drivers reuse numbers: of several
// names it is the first in the table, where the drivers that are emulated stand before the others.
func IoctlName(request uint32) string {
	if n, ok := load().names[request]; ok {
		return n
	}
	return fmt.Sprintf("0x%08x", request)
}

// Const is a constant of the headers. It panics where the table has none of that name.
func Const(name string) int64 {
	v, ok := load().consts[name]
	if !ok {
		panic("no constant is called " + name)
	}
	return v
}

// Struct is a layout. It panics where the table has none of that name.
func Struct(name string) *Layout {
	l, ok := load().layouts[name]
	if !ok {
		panic("no structure is called " + name)
	}
	return l
}

// Field is a member of the structure. It panics where there is none of that name.
func (l *Layout) Field(name string) Field {
	f, ok := l.Fields[name]
	if !ok {
		panic(l.Name + " has no member " + name)
	}
	return f
}

// Get reads an unsigned member (1, 2, 4 or 8 bytes, or a bit-field) from the structure's bytes.
func (l *Layout) Get(b []byte, name string) uint64 {
	f := l.Field(name)
	if f.Bits > 0 {
		var w [8]byte
		copy(w[:], b[f.Offset:])
		return binary.LittleEndian.Uint64(w[:]) >> f.Bit & (1<<f.Bits - 1)
	}
	switch f.Size {
	case 1:
		return uint64(b[f.Offset])
	case 2:
		return uint64(binary.LittleEndian.Uint16(b[f.Offset:]))
	case 4:
		return uint64(binary.LittleEndian.Uint32(b[f.Offset:]))
	case 8:
		return binary.LittleEndian.Uint64(b[f.Offset:])
	}
	panic(fmt.Sprintf("%s.%s has %d bytes and is no number", l.Name, name, f.Size))
}

// Set writes an unsigned member into the structure's bytes.
func (l *Layout) Set(b []byte, name string, v uint64) {
	f := l.Field(name)
	switch {
	case f.Bits > 0:
		var w [8]byte
		copy(w[:], b[f.Offset:])
		mask := uint64(1<<f.Bits-1) << f.Bit
		binary.LittleEndian.PutUint64(w[:], binary.LittleEndian.Uint64(w[:])&^mask|v<<f.Bit&mask)
		copy(b[f.Offset:], w[:])
	case f.Size == 1:
		b[f.Offset] = byte(v)
	case f.Size == 2:
		binary.LittleEndian.PutUint16(b[f.Offset:], uint16(v))
	case f.Size == 4:
		binary.LittleEndian.PutUint32(b[f.Offset:], uint32(v))
	case f.Size == 8:
		binary.LittleEndian.PutUint64(b[f.Offset:], v)
	default:
		panic(fmt.Sprintf("%s.%s has %d bytes and is no number", l.Name, name, f.Size))
	}
}
