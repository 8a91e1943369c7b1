package canvas

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/png"
	"math"
	"slices"
)

// EncodePNG returns the picture with its resolution. A chart has few colours, so nearly every picture gets a palette:
// that makes the file a fraction of the size and the encoding a fraction of the time.
func EncodePNG(img *image.RGBA, dpi int) ([]byte, error) {
	var buf bytes.Buffer
	enc := png.Encoder{CompressionLevel: png.DefaultCompression}
	var err error
	if p := paletted(img); p != nil {
		err = enc.Encode(&buf, p)
	} else {
		err = enc.Encode(&buf, img)
	}
	if err != nil {
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
	chunk := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
	chunk = append(append(chunk, kind...), data...)
	chunk = binary.BigEndian.AppendUint32(chunk, crc32.ChecksumIEEE(chunk[4:]))
	return slices.Insert(doc, header, chunk...)
}

// paletted returns the picture with at most 256 colours, nil where that would show. The most frequent colours stay
// exact, then those least like any other are taken in; the rest, shades on the edges of letters and lines, become the
// nearest of them.
func paletted(img *image.RGBA) *image.Paletted {
	// Charts have some thousand colours, photographs far more: from 16,384 on nobody looks for a palette. A shade may
	// be 24 of 441 steps away, which the eye does not see on the edge of a letter.
	const most, near = 1 << 14, 24
	counts := newColorTable()
	w, h := img.Rect.Dx(), img.Rect.Dy()
	for y := range h {
		row := img.Pix[y*img.Stride : y*img.Stride+4*w]
		run, last := uint32(0), uint32(0)
		for i := 0; i < len(row); i += 4 {
			c := uint32(row[i])<<16 | uint32(row[i+1])<<8 | uint32(row[i+2])
			// Pixels of one colour stand side by side, so they are counted in runs: the table is asked for few of them.
			if c != last {
				counts.add(last, run)
				run, last = 0, c
			}
			run++
		}
		counts.add(last, run)
		if counts.used > most {
			return nil
		}
	}
	var all []colorCount
	for i, k := range counts.keys {
		if k != 0 {
			all = append(all, colorCount{k - 1, counts.vals[i]})
		}
	}
	slices.SortFunc(all, func(a, b colorCount) int {
		// Colours as frequent as each other are in the order of their values, so that a picture has the same bytes each
		// time.
		return cmp.Or(cmp.Compare(b.n, a.n), cmp.Compare(a.color, b.color))
	})
	if len(all) > 256 {
		// The 160 most frequent stay. Of the others the rare ones count too, such as a single red dot among greys: they are
		// chosen by how unlike the chosen they are.
		farthestFirst(all, 160, 256)
	}
	n := min(len(all), 256)
	pal := make(color.Palette, n)
	for i, e := range all[:n] {
		pal[i] = color.RGBA{uint8(e.color >> 16), uint8(e.color >> 8), uint8(e.color), 0xff}
		counts.set(e.color, uint32(i))
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
		counts.set(e.color, uint32(best))
	}
	out := image.NewPaletted(image.Rect(0, 0, w, h), pal)
	for y := range h {
		row := img.Pix[y*img.Stride : y*img.Stride+4*w]
		dst := out.Pix[y*out.Stride : y*out.Stride+w]
		last, idx := uint32(math.MaxUint32), uint8(0)
		for x := range dst {
			i := 4 * x
			c := uint32(row[i])<<16 | uint32(row[i+1])<<8 | uint32(row[i+2])
			if c != last {
				last, idx = c, uint8(counts.vals[counts.slot(c)])
			}
			dst[x] = idx
		}
	}
	return out
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

// colorTable is an open-addressed map from a 24-bit colour to a number; keys are stored plus one, 0 being free.
type colorTable struct {
	keys, vals []uint32
	used       int
}

func newColorTable() *colorTable {
	return &colorTable{keys: make([]uint32, 1<<16), vals: make([]uint32, 1<<16)}
}

func (t *colorTable) slot(c uint32) int {
	i := c * 2654435761 >> 16
	for t.keys[i] != 0 && t.keys[i] != c+1 {
		i = (i + 1) & 0xffff
	}
	return int(i)
}

func (t *colorTable) add(c, n uint32) {
	if n == 0 {
		return
	}
	i := t.slot(c)
	if t.keys[i] == 0 {
		t.keys[i] = c + 1
		t.used++
	}
	t.vals[i] += n
}

func (t *colorTable) set(c, v uint32) { t.vals[t.slot(c)] = v }
