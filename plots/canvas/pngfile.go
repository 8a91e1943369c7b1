package canvas

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"slices"
	"sync"

	"github.com/klauspost/compress/flate"
)

// A PNG's pixels are one zlib stream (RFC 1950). It is made of pieces that are compressed at the same time: each ends
// on a whole byte, which is what a flush of deflate is for, and refers to the bytes before it as its dictionary. Where
// pieces begin depends on the picture alone, so that it has the same bytes on every machine.

const (
	pieceBytes  = 1 << 18 // of the pixels
	windowBytes = 1 << 15 // how far deflate looks back
	pngLevel    = 1
)

// indexed is a picture with a palette. Its rows stand nowhere: pieces of them are made of its bands when they are
// compressed.
type indexed struct {
	w, h   int
	bands  []runsOf
	colors []uint32 // 24 bits each
}

// encode returns the picture as a PNG file.
func (p *indexed) encode() ([]byte, error) {
	depth := p.depth()
	pieces, err := p.deflated()
	if err != nil {
		return nil, err
	}
	head := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, uint32(p.w)), uint32(p.h))
	size := 4 << 10 // the palette, and what is put behind the header
	for _, piece := range pieces {
		size += len(piece) + 12
	}
	doc := append(make([]byte, 0, size), "\x89PNG\r\n\x1a\n"...)
	doc = appendChunk(doc, "IHDR", append(head, depth, 3, 0, 0, 0))
	var colors []byte
	for _, c := range p.colors {
		colors = append(colors, byte(c>>16), byte(c>>8), byte(c))
	}
	doc = appendChunk(doc, "PLTE", colors)
	for _, piece := range pieces {
		doc = appendChunk(doc, "IDAT", piece)
	}
	return appendChunk(doc, "IEND", nil), nil
}

// depth is how many bits a pixel takes in the file: fewer than eight where the palette is small.
func (p *indexed) depth() byte {
	switch n := len(p.colors); {
	case n > 16:
		return 8
	case n > 4:
		return 4
	case n > 2:
		return 2
	}
	return 1
}

// stride is how many bytes a row takes as PNG wants it: the number of its filter, none, and its pixels.
func (p *indexed) stride() int { return 1 + (p.w*int(p.depth())+7)/8 }

// appendRows appends rows [from, to) to dst.
func (p *indexed) appendRows(dst []byte, from, to int) []byte {
	at := len(dst)
	dst = slices.Grow(dst, (to-from)*p.stride()+p.w)[:at+(to-from)*p.stride()]
	for i := from / bandRows; i*bandRows < to; i++ {
		b, y, begin := &p.bands[i], i*bandRows, 0
		for _, same := range b.rows {
			lo, hi := max(y, from), min(y+same.n, to)
			if lo < hi {
				first := dst[at : at+p.stride()]
				p.put(first, b, b.runs[begin:same.end])
				at += len(first)
				for range hi - lo - 1 {
					at += copy(dst[at:], first)
				}
			}
			y, begin = y+same.n, same.end
		}
	}
	return dst
}

// put writes a row, whose pixels have the first one in the high bits where several share a byte.
func (p *indexed) put(row []byte, b *runsOf, runs []colorRun) {
	row[0] = 0
	pixels, bits := row[1:], int(p.depth())
	if bits < 8 {
		clear(pixels)
	}
	x := 0
	for _, r := range runs {
		v, end := b.index[r.color], x+int(r.n)
		if bits == 8 {
			if r.n == 1 { // edges of letters and lines
				pixels[x] = v
			} else {
				fill(pixels[x:end], v)
			}
			x = end
		}
		for ; x < end; x++ {
			at := x * bits
			pixels[at/8] |= v << (8 - bits - at%8)
		}
	}
}

// fill sets bytes to a value, eight at a time.
func fill(to []byte, v byte) {
	eight := uint64(v) * 0x0101010101010101
	for ; len(to) >= 8; to = to[8:] {
		binary.LittleEndian.PutUint64(to, eight)
	}
	for i := range to {
		to[i] = v
	}
}

// piece is what compressing one needs, and is kept for the next.
type piece struct {
	rows []byte
	to   *flate.Writer
	out  bytes.Buffer
}

var piecesKept = sync.Pool{New: func() any {
	to, err := flate.NewWriter(nil, pngLevel)
	if err != nil {
		panic(err) // the level is one of deflate's
	}
	return &piece{to: to}
}}

// deflated is a zlib stream of the rows in pieces.
func (p *indexed) deflated() ([][]byte, error) {
	stride := p.stride()
	size := stride * p.h
	n := max(1, (size+pieceBytes-1)/pieceBytes)
	pieces, errs := make([][]byte, n), make([]error, n)
	var sum uint32
	Share(1+n, func(i int) {
		if i == 0 {
			sum = p.adler()
			return
		}
		i--
		w := piecesKept.Get().(*piece)
		defer piecesKept.Put(w)
		from, to := i*pieceBytes, min((i+1)*pieceBytes, size)
		before := max(0, from-windowBytes)
		first := before / stride
		w.rows = p.appendRows(w.rows[:0], first, (to+stride-1)/stride)
		data := w.rows[from-first*stride : to-first*stride]
		pieces[i], errs[i] = w.deflate(data, w.rows[before-first*stride:from-first*stride], i+1 == n)
	})
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	// deflate with a window of 32 KiB, no dictionary, and a check that makes it a multiple of 31
	pieces[0] = append([]byte{0x78, 0x9c}, pieces[0]...)
	pieces[n-1] = binary.BigEndian.AppendUint32(pieces[n-1], sum)
	return pieces, nil
}

// adler is the Adler-32 of all rows. It is taken of runs and of equal rows as wholes, for a page has a hundred pixels for
// each of them.
func (p *indexed) adler() uint32 {
	const mod = 65521
	n := uint64(p.stride())
	low, high := uint64(1), uint64(0)
	var packed []byte
	for i := range p.bands {
		b, begin := &p.bands[i], 0
		for _, same := range b.rows {
			// What the bytes of the row add up to, and the same with each byte counted as often as twice its place, less
			// one: the sums that Adler-32 adds up are those of all bytes from each one on.
			var sum, placed uint64
			if p.depth() == 8 {
				at := uint64(1) // behind the number of the filter, which is 0
				for _, r := range b.runs[begin:same.end] {
					v := uint64(r.n) * uint64(b.index[r.color])
					sum += v
					placed += v * (2*at + uint64(r.n))
					at += uint64(r.n)
				}
			} else {
				packed = slices.Grow(packed[:0], int(n))[:n]
				p.put(packed, b, b.runs[begin:same.end])
				for at, v := range packed {
					sum += uint64(v)
					placed += uint64(v) * uint64(2*at+1)
				}
			}
			sums := (sum*(2*n+1) - placed) / 2 % mod
			sum %= mod
			for range same.n {
				high = (high + n*low + sums) % mod
				low = (low + sum) % mod
			}
			begin = same.end
		}
	}
	return uint32(high)<<16 | uint32(low)
}

// deflate compresses a piece of a stream that has other data before it.
func (w *piece) deflate(data, before []byte, last bool) ([]byte, error) {
	w.out.Reset()
	w.to.ResetDict(&w.out, before)
	if _, err := w.to.Write(data); err != nil {
		return nil, err
	}
	end := w.to.Flush
	if last {
		end = w.to.Close
	}
	err := end()
	return bytes.Clone(w.out.Bytes()), err
}

// appendChunk adds a chunk to a PNG file.
func appendChunk(doc []byte, kind string, data []byte) []byte {
	doc = binary.BigEndian.AppendUint32(doc, uint32(len(data)))
	at := len(doc)
	doc = append(append(doc, kind...), data...)
	return binary.BigEndian.AppendUint32(doc, crc32.ChecksumIEEE(doc[at:]))
}
