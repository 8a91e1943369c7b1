package canvas

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"image"
	"image/png"
	"math"
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"
)

// PNG paints the scene and returns the picture with its resolution. A chart has few colours, so nearly every picture
// gets a palette: that makes the file a fraction of the size and the encoding a fraction of the time.
func (sc *Scene) PNG(dpi int) ([]byte, error) {
	if !sc.photos() {
		if p := sc.indexed(); p != nil {
			doc, err := p.encode()
			if err != nil {
				return nil, err
			}
			return withResolution(doc, dpi), nil
		}
	}
	var buf bytes.Buffer
	if err := png.Encode(&buf, sc.Paint()); err != nil {
		return nil, err
	}
	return withResolution(buf.Bytes(), dpi), nil
}

// withResolution inserts a pHYs chunk, so that the picture prints at its size.
func withResolution(doc []byte, dpi int) []byte {
	perMetre := uint32(math.Round(float64(dpi) / 0.0254))
	data := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, perMetre), perMetre)
	return withChunk(doc, "pHYs", append(data, 1))
}

// withText inserts a text with a key, as an iTXt chunk that is not compressed.
func withText(doc []byte, key, text string) []byte {
	data := append([]byte(key), 0, 0, 0, 0, 0)
	return withChunk(doc, "iTXt", append(data, text...))
}

// withChunk inserts a chunk behind the header.
func withChunk(doc []byte, kind string, data []byte) []byte {
	const header = 8 + 25 // signature and IHDR
	return slices.Insert(doc, header, appendChunk(nil, kind, data)...)
}

// mostColors is how many colours a picture may have that gets a palette. Charts have some thousand, photographs far
// more.
const mostColors = 1 << 14

// runsOf is a band of a page as runs of pixels of one colour, which take a fraction of the room: a page never stands in
// memory with four bytes a pixel.
type runsOf struct {
	colors []colorCount
	runs   []colorRun
	rows   []sameRows
	index  []uint8 // of the colours in a palette
}

// colorRun is n pixels beside each other of a colour, by its place in runsOf.
type colorRun struct{ color, n uint16 }

// sameRows are n rows that are equal; their runs end before the one at end.
type sameRows struct{ end, n int }

// indexed paints the scene as a picture with at most 256 colours, nil where that would show.
func (sc *Scene) indexed() *indexed {
	w, h := deviceSize(sc)
	bands := make([]runsOf, bandsOf(h))
	var many atomic.Bool
	sc.inBands(w, h, func(i int, area image.Rectangle, paint func(img *image.RGBA)) {
		if many.Load() {
			return
		}
		reader := readers.Get().(*bandReader)
		defer readers.Put(reader)
		reader.pix = slices.Grow(reader.pix[:0], 4*w*min(h, bandRows))
		img := &image.RGBA{Pix: reader.pix[:4*w*area.Dy()], Stride: 4 * w, Rect: area}
		paint(img)
		var few bool
		if bands[i], few = reader.read(img); !few {
			many.Store(true)
		}
	})
	if many.Load() {
		return nil
	}
	counts := colorTables.Get().(*colorTable)
	defer colorTables.Put(counts)
	counts.clear()
	for _, b := range bands {
		for _, c := range b.colors {
			*counts.of(c.color) += c.n
		}
		if counts.used > mostColors {
			return nil
		}
	}
	pal := palette(counts)
	if pal == nil {
		return nil
	}
	for i := range bands {
		b := &bands[i]
		b.index = make([]uint8, len(b.colors))
		for k, c := range b.colors {
			b.index[k] = uint8(*counts.of(c.color))
		}
	}
	return &indexed{w, h, bands, pal}
}

// readers and tables are kept, because fresh memory for the pixels and the colours of a page is dear.
var (
	readers     = sync.Pool{New: func() any { return new(bandReader) }}
	colorTables = sync.Pool{New: func() any { return new(colorTable) }}
)

// bandReader makes runs of bands, one after the other, in the same memory.
type bandReader struct {
	table colorTable
	pix   []uint8
	runsOf
}

// read returns the pixels of a band; few is false where it has more than mostColors.
func (b *bandReader) read(img *image.RGBA) (out runsOf, few bool) {
	b.table.clear()
	b.colors, b.runs, b.rows = b.colors[:0], b.runs[:0], b.rows[:0]
	w, h := img.Rect.Dx(), img.Rect.Dy()
	row := func(y int) []uint8 { return img.Pix[y*img.Stride : y*img.Stride+4*w] }
	for y := 0; y < h; {
		pix := row(y)
		same := 1
		for y++; y < h && bytes.Equal(pix, row(y)); y++ {
			same++
		}
		// Pixels of one colour stand side by side, so they are counted in runs: the table is asked for few of them.
		for i := 0; i < len(pix); {
			n := run(pix[i:])
			color := colorAt(pix[i:])
			at := b.table.of(color)
			if *at == 0 {
				if len(b.colors) == mostColors {
					return out, false
				}
				b.colors = append(b.colors, colorCount{color, 0})
				*at = uint32(len(b.colors)) // its place, plus 1
			}
			k := *at - 1
			b.colors[k].n += uint32(same * n / 4)
			i += n
			for n /= 4; n > 0; {
				part := min(n, math.MaxUint16)
				b.runs = append(b.runs, colorRun{uint16(k), uint16(part)})
				n -= part
			}
		}
		b.rows = append(b.rows, sameRows{len(b.runs), same})
	}
	return runsOf{colors: slices.Clone(b.colors), runs: slices.Clone(b.runs), rows: slices.Clone(b.rows)}, true
}

// palette chooses at most 256 of the colours that were counted, and gives each colour of the table the place of one of
// them; nil where that would show. The most frequent colours stay exact, then those least like any other are taken in;
// the rest, shades on the edges of letters and lines, become the nearest of them.
func palette(counts *colorTable) []uint32 {
	const near = 24 // a shade may be so many of 441 steps away, which the eye does not see on the edge of a letter
	var all []colorCount
	for _, e := range counts.entries {
		if e.key != 0 {
			all = append(all, colorCount{e.key - 1, e.val})
		}
	}
	slices.SortFunc(all, func(a, b colorCount) int {
		// Colours as frequent as each other are in the order of their values, so that a picture has the same bytes each
		// time.
		return cmp.Or(cmp.Compare(b.n, a.n), cmp.Compare(a.color, b.color))
	})
	if len(all) > 256 {
		// The 160 most frequent stay. Of the others the rare ones count too, such as a single red dot among greys: they
		// are chosen by how unlike the chosen they are.
		farthestFirst(all, 160, 256)
	}
	n := min(len(all), 256)
	pal := make([]uint32, n)
	for i, e := range all[:n] {
		pal[i] = e.color
		*counts.of(e.color) = uint32(i)
	}
	for _, e := range all[n:] {
		best, dist := 0, math.MaxInt
		for i, k := range all[:n] {
			if d := colorDistance(e.color, k.color); d < dist {
				best, dist = i, d
			}
		}
		// One pixel that would show is enough: the picture is then written with all of its colours.
		if dist > near*near {
			return nil
		}
		*counts.of(e.color) = uint32(best)
	}
	return pal
}

// colorAt is the colour of the first pixel.
func colorAt(pix []uint8) uint32 { return uint32(pix[0])<<16 | uint32(pix[1])<<8 | uint32(pix[2]) }

// run is how many bytes the pixels at the beginning take that are equal to the first.
func run(pix []uint8) int {
	first := binary.LittleEndian.Uint32(pix)
	if len(pix) < 8 || binary.LittleEndian.Uint32(pix[4:]) != first { // edges of letters and lines
		return 4
	}
	two := uint64(first)<<32 | uint64(first)
	i := 4
	for i+32 <= len(pix) { // grounds are long
		at := pix[i : i+32 : i+32]
		if (binary.LittleEndian.Uint64(at)^two)|(binary.LittleEndian.Uint64(at[8:])^two)|
			(binary.LittleEndian.Uint64(at[16:])^two)|(binary.LittleEndian.Uint64(at[24:])^two) != 0 {
			break
		}
		i += 32
	}
	for ; i+8 <= len(pix) && binary.LittleEndian.Uint64(pix[i:]) == two; i += 8 {
	}
	if i+4 <= len(pix) && binary.LittleEndian.Uint32(pix[i:]) == first {
		i += 4
	}
	return i
}

// colorCount is a colour and the number of its pixels.
type colorCount struct{ color, n uint32 }

// farthestFirst reorders all so that behind the first from colours, at each place up to the given one, stands the
// colour that is least like any before it: the error of a palette cut there is then small everywhere.
func farthestFirst(all []colorCount, from, to int) {
	dist := make([]int, len(all))
	for i := range all {
		dist[i] = math.MaxInt
		for _, k := range all[:from] {
			if i >= from {
				dist[i] = min(dist[i], colorDistance(all[i].color, k.color))
			}
		}
	}
	for ; from < to; from++ {
		best := from
		for i := from + 1; i < len(all); i++ {
			if dist[i] > dist[best] {
				best = i
			}
		}
		all[from], all[best] = all[best], all[from]
		dist[from], dist[best] = dist[best], dist[from]
		for i := from + 1; i < len(all); i++ {
			dist[i] = min(dist[i], colorDistance(all[i].color, all[from].color))
		}
	}
}

func colorDistance(a, b uint32) int {
	r, g, bl := int(a>>16)-int(b>>16), int(a>>8&0xff)-int(b>>8&0xff), int(a&0xff)-int(b&0xff)
	return r*r + g*g + bl*bl
}

// colorTable is an open-addressed map from a 24-bit colour to a number. It grows with what is in it: most bands have few
// colours.
type colorTable struct {
	entries []colorEntry // a power of two
	used    int
}

// colorEntry has its colour plus one, 0 being free.
type colorEntry struct{ key, val uint32 }

// leastColors is how many entries a table begins with.
const leastColors = 1 << 10

// clear empties the table. One that is new is written to as well: pages that are read first cost twice.
func (t *colorTable) clear() {
	if t.entries == nil {
		t.entries = make([]colorEntry, leastColors)
	}
	clear(t.entries)
	t.used = 0
}

// of is the number of a colour, which is 0 at first. It may be written to until another colour is asked for.
func (t *colorTable) of(c uint32) *uint32 {
	e := t.entry(c)
	if e.key == 0 {
		if 2*t.used >= len(t.entries) {
			t.grow()
			e = t.entry(c)
		}
		e.key = c + 1
		t.used++
	}
	return &e.val
}

func (t *colorTable) entry(c uint32) *colorEntry {
	mask := uint32(len(t.entries) - 1)
	i := c * 2654435761 >> bits.LeadingZeros32(mask)
	for t.entries[i].key != 0 && t.entries[i].key != c+1 {
		i = (i + 1) & mask
	}
	return &t.entries[i]
}

func (t *colorTable) grow() {
	old := t.entries
	t.entries = make([]colorEntry, 4*len(old))
	clear(t.entries)
	for _, e := range old {
		if e.key != 0 {
			*t.entry(e.key - 1) = e
		}
	}
}
