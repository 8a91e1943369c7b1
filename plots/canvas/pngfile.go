package canvas

import (
	"bytes"
	"encoding/binary"
	"hash/adler32"
	"hash/crc32"

	"github.com/klauspost/compress/flate"
)

// A PNG's pixels are one zlib stream (RFC 1950). It is made of pieces that are compressed at the same time: each ends
// on a whole byte, which is what a flush of deflate is for, and refers to the bytes before it as its dictionary. Where
// pieces begin depends on the picture alone, so that it has the same bytes on every machine.

const (
	pieceBytes  = 1 << 18 // of the pixels
	windowBytes = 1 << 15 // how far deflate looks back
	pngLevel    = 6
)

// indexed is a picture with a palette. Its rows stand as PNG wants them where a pixel takes a byte: each with the
// number of its filter before it, none.
type indexed struct {
	w, h   int
	rows   []byte
	colors []uint32 // 24 bits each
}

func newIndexed(w, h int, colors []uint32) *indexed {
	return &indexed{w, h, make([]byte, (1+w)*h), colors}
}

// row are the pixels of a row.
func (p *indexed) row(y int) []byte { return p.rows[y*(1+p.w)+1 : (y+1)*(1+p.w)] }

// encode returns the picture as a PNG file.
func (p *indexed) encode() ([]byte, error) {
	depth, rows := p.packed()
	pieces, err := deflated(rows)
	if err != nil {
		return nil, err
	}
	head := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, uint32(p.w)), uint32(p.h))
	doc := append([]byte(nil), "\x89PNG\r\n\x1a\n"...)
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

// packed are the rows of the picture, and how many bits a pixel takes in them: fewer than eight where the palette is
// small, the first pixel in the high ones.
func (p *indexed) packed() (depth byte, rows []byte) {
	switch n := len(p.colors); {
	case n > 16:
		return 8, p.rows
	case n > 4:
		depth = 4
	case n > 2:
		depth = 2
	default:
		depth = 1
	}
	bits := int(depth)
	stride := 1 + (p.w*bits+7)/8
	rows = make([]byte, stride*p.h)
	for y := range p.h {
		to := rows[y*stride+1 : (y+1)*stride]
		for x, v := range p.row(y) {
			at := x * bits
			to[at/8] |= v << (8 - bits - at%8)
		}
	}
	return depth, rows
}

// deflated is a zlib stream of data in pieces.
func deflated(data []byte) ([][]byte, error) {
	n := max(1, (len(data)+pieceBytes-1)/pieceBytes)
	pieces, errs := make([][]byte, n), make([]error, n)
	share(n, func() func(i int) {
		w, err := flate.NewWriter(nil, pngLevel)
		return func(i int) {
			from, to := i*pieceBytes, min((i+1)*pieceBytes, len(data))
			if errs[i] = err; err == nil {
				pieces[i], errs[i] = deflate(w, data[from:to], data[max(0, from-windowBytes):from], i+1 == n)
			}
		}
	})
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	// deflate with a window of 32 KiB, no dictionary, and a check that makes it a multiple of 31
	pieces[0] = append([]byte{0x78, 0x9c}, pieces[0]...)
	pieces[n-1] = binary.BigEndian.AppendUint32(pieces[n-1], adler32.Checksum(data))
	return pieces, nil
}

// deflate compresses a piece of a stream that has other data before it.
func deflate(w *flate.Writer, data, before []byte, last bool) ([]byte, error) {
	var buf bytes.Buffer
	w.ResetDict(&buf, before)
	if _, err := w.Write(data); err != nil {
		return nil, err
	}
	end := w.Flush
	if last {
		end = w.Close
	}
	err := end()
	return buf.Bytes(), err
}

// appendChunk adds a chunk to a PNG file.
func appendChunk(doc []byte, kind string, data []byte) []byte {
	doc = binary.BigEndian.AppendUint32(doc, uint32(len(data)))
	at := len(doc)
	doc = append(append(doc, kind...), data...)
	return binary.BigEndian.AppendUint32(doc, crc32.ChecksumIEEE(doc[at:]))
}
