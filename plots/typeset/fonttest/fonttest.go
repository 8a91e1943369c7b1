// Package fonttest makes small fonts for tests: every glyph is a triangle. Only tests import it.
package fonttest

import (
	"bytes"
	"encoding/binary"
	"slices"
	"sort"
	"unicode/utf16"
)

// perEm is the number of units of an em of these fonts.
const perEm = 1000

// Make returns a TrueType font with a glyph for each of the characters, all of one width in units. Spaces have no
// outline.
func Make(family string, width int, runes ...rune) []byte {
	runes = slices.Clone(runes)
	slices.Sort(runes)
	runes = slices.Compact(runes)
	n := len(runes) + 1 // with .notdef

	triangle := be(int16(1), int16(0), int16(0), int16(width), int16(700), // contours and bounds
		uint16(2), uint16(0), // last point, no instructions
		// on the curve, coordinates in two bytes
		[]byte{1, 1, 1},
		// x and y from point to point
		int16(0), int16(width), int16(-width/2), int16(0), int16(0), int16(700), []byte{0})
	var glyf []byte
	loca := be(uint32(0))
	for i := range n {
		if i == 0 || runes[i-1] != ' ' {
			glyf = append(glyf, triangle...)
		}
		loca = append(loca, be(uint32(len(glyf)))...)
	}
	var hmtx []byte
	for range n {
		hmtx = append(hmtx, be(uint16(width), int16(0))...)
	}
	head := be(uint32(0x10000), uint32(0x10000), uint32(0), uint32(0x5f0f3cf5), uint16(0), uint16(perEm),
		uint64(0), uint64(0),
		int16(0), int16(0), int16(width), int16(700), uint16(0), uint16(8), int16(2), int16(1), int16(0))
	hhea := be(uint32(0x10000), int16(900), int16(-200), int16(0), uint16(width), int16(0), int16(0), int16(width),
		int16(1), int16(0), int16(0),
		uint64(0), int16(0), uint16(n))
	maxp := be(uint32(0x10000), uint16(n), uint16(3), uint16(1), uint16(0), uint16(0), uint16(1), uint16(0), uint16(0),
		uint16(0), uint16(0), uint16(0),
		uint16(0), uint16(0), uint16(0))
	return file(map[string][]byte{"head": head, "hhea": hhea, "maxp": maxp, "hmtx": hmtx, "cmap": cmap(runes),
		"loca": loca, "glyf": glyf, "name": names(family)})
}

// Collection puts fonts into one file.
func Collection(fonts ...[]byte) []byte {
	head := append([]byte("ttcf"), be(uint32(0x10000), uint32(len(fonts)))...)
	at := len(head) + 4*len(fonts)
	var body []byte
	for _, f := range fonts {
		head = append(head, be(uint32(at+len(body)))...)
		f = slices.Clone(f)
		for i := range int(binary.BigEndian.Uint16(f[4:])) { // the tables are found from the start of the file
			rec := f[12+16*i:]
			binary.BigEndian.PutUint32(rec[8:], binary.BigEndian.Uint32(rec[8:])+uint32(at+len(body)))
		}
		body = append(body, f...)
	}
	return append(head, body...)
}

// cmap has one group per character, in format 12.
func cmap(runes []rune) []byte {
	groups := be(uint16(12), uint16(0), uint32(16+12*len(runes)), uint32(0), uint32(len(runes)))
	for i, r := range runes {
		groups = append(groups, be(uint32(r), uint32(r), uint32(i+1))...)
	}
	return append(be(uint16(0), uint16(1), uint16(3), uint16(10), uint32(12)), groups...)
}

func names(family string) []byte {
	var text []byte
	for _, c := range utf16.Encode([]rune(family)) {
		text = append(text, be(c)...)
	}
	version := []byte{}
	for _, c := range utf16.Encode([]rune("Version 1.5")) {
		version = append(version, be(c)...)
	}
	out := be(uint16(0), uint16(2), uint16(6+2*12))
	out = append(out, be(uint16(3), uint16(1), uint16(0x409), uint16(1), uint16(len(text)), uint16(0))...)
	out = append(out, be(uint16(3), uint16(1), uint16(0x409), uint16(5), uint16(len(version)), uint16(len(text)))...)
	return append(append(out, text...), version...)
}

// file puts tables behind their directory.
func file(tables map[string][]byte) []byte {
	var tags []string
	for tag := range tables {
		tags = append(tags, tag)
	}
	sort.Strings(tags)
	head := be(uint32(0x10000), uint16(len(tags)), uint16(0), uint16(0), uint16(0))
	at := len(head) + 16*len(tags)
	var body []byte
	for _, tag := range tags {
		head = append(append(head, tag...), be(uint32(0), uint32(at+len(body)), uint32(len(tables[tag])))...)
		body = append(body, tables[tag]...)
		for len(body)%4 != 0 {
			body = append(body, 0)
		}
	}
	return append(head, body...)
}

// be writes values with the most significant byte first.
func be(values ...any) []byte {
	var b bytes.Buffer
	for _, v := range values {
		if err := binary.Write(&b, binary.BigEndian, v); err != nil {
			panic(err)
		}
	}
	return b.Bytes()
}
