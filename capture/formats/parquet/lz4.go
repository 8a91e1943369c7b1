package parquet

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"

	"astrolabe/capture/memory"
)

// parquet-go cannot read LZ4: it knows nothing of the older of the two codecs that are called so, and loses what the
// newer one unpacks to three times its size and more (v0.32.0: Column.decompress drops the codec's buffer where its
// length is right). Chunks of columns in either are therefore unpacked here. A footer in which they are uncompressed is
// put in the place of the file's own, and a chunk that is read gets a reader of its unpacked pages.

// packed are the chunks that are unpacked here, by row group and column, as the file describes them.
type packed map[[2]int]format.ColumnMetaData

// roomy is the size that the replaced footer states for such a chunk. Its reader ends where its pages do.
const roomy = 1 << 40

// unpackedFooter returns the file with the replaced footer; r itself where no chunk is LZ4. The ends of the file have
// been checked.
func unpackedFooter(r io.ReaderAt, size int64) (io.ReaderAt, int64, packed, error) {
	var tail [8]byte
	if _, err := r.ReadAt(tail[:], size-8); err != nil {
		return nil, 0, nil, err
	}
	n := int64(binary.LittleEndian.Uint32(tail[:]))
	at := size - 8 - n
	if err := memory.Room(uint64(n)); err != nil {
		return nil, 0, nil, fmt.Errorf("its description of %d bytes at byte %d: %w", n, at, err)
	}
	raw := make([]byte, n)
	if _, err := r.ReadAt(raw, at); err != nil {
		return nil, 0, nil, err
	}
	if err := footerRoom(raw); errors.Is(err, memory.ErrLimit) {
		return nil, 0, nil, fmt.Errorf("its description of %d bytes at byte %d: %w", n, at, err)
	} else if err != nil {
		return nil, 0, nil, fmt.Errorf("damaged: its description at byte %d: %w", at, err)
	}
	var protocol thrift.CompactProtocol
	var meta format.FileMetaData
	if err := thrift.Unmarshal(&protocol, raw, &meta); err != nil {
		return nil, 0, nil, fmt.Errorf("damaged: its description at byte %d: %w", at, err)
	}
	if err := checkSchema(&meta); errors.Is(err, memory.ErrLimit) {
		return nil, 0, nil, err
	} else if err != nil {
		return nil, 0, nil, fmt.Errorf("damaged: %w", err)
	}
	out := packed{}
	for g := range meta.RowGroups {
		for c := range meta.RowGroups[g].Columns {
			m := &meta.RowGroups[g].Columns[c].MetaData
			if m.Codec != format.Lz4 && m.Codec != format.Lz4Raw {
				continue
			}
			out[[2]int{g, c}] = *m
			m.Codec, m.TotalCompressedSize = format.Uncompressed, roomy
		}
	}
	if len(out) == 0 {
		return r, size, nil, nil
	}
	footer, err := thrift.Marshal(&protocol, &meta)
	if err != nil {
		return nil, 0, nil, err
	}
	footer = binary.LittleEndian.AppendUint32(footer, uint32(len(footer)))
	footer = append(footer, magic...)
	return &spliced{r, at, footer}, at + int64(len(footer)), out, nil
}

// spliced is the beginning of a file with another end.
type spliced struct {
	r   io.ReaderAt
	at  int64
	end []byte
}

func (s *spliced) ReadAt(p []byte, off int64) (int, error) {
	n := 0
	if off < s.at {
		var err error
		if n, err = s.r.ReadAt(p[:min(int64(len(p)), s.at-off)], off); err != nil || n == len(p) {
			return n, err
		}
	}
	m, err := bytes.NewReader(s.end).ReadAt(p[n:], off+int64(n)-s.at)
	return n + m, err
}

// pagesAt is a reader of unpacked pages, which lie at the place of the packed ones.
type pagesAt struct {
	at    int64
	pages *bytes.Reader
}

func (p *pagesAt) ReadAt(b []byte, off int64) (int, error) { return p.pages.ReadAt(b, off-p.at) }

// unpack reads the pages of a chunk, whose headers have been checked, and unpacks them.
func (f *file) unpack(r io.ReaderAt, m *format.ColumnMetaData) (io.ReaderAt, error) {
	at, end := pageBounds(m)
	out := &pagesAt{at: at}
	var buf bytes.Buffer
	var protocol thrift.CompactProtocol
	for seen := int64(0); at < end && seen < m.NumValues; {
		h, head, err := pageHeader(r, at, end)
		if err != nil {
			return nil, fmt.Errorf("page header at byte %d: %w", at, err)
		}
		// the page, and a buffer that grows
		if err := memory.Room(uint64(h.CompressedPageSize) + 3*uint64(h.UncompressedPageSize)); err != nil {
			return nil, err
		}
		body := make([]byte, h.CompressedPageSize)
		if _, err := r.ReadAt(body, at+head); err != nil {
			return nil, err
		}
		levels := 0 // of version 2, which are not compressed
		compressed := true
		if h.Type == format.DataPageV2 {
			v2 := &h.DataPageHeaderV2.V
			levels = int(v2.DefinitionLevelsByteLength + v2.RepetitionLevelsByteLength)
			compressed = !v2.IsCompressed.Valid || v2.IsCompressed.V
			v2.IsCompressed.V, v2.IsCompressed.Valid = false, true
			seen += int64(v2.NumValues)
		} else if h.Type == format.DataPage {
			seen += int64(h.DataPageHeader.V.NumValues)
		}
		raw := int(h.UncompressedPageSize) - levels
		if levels < 0 || levels > len(body) || raw < 0 {
			return nil, fmt.Errorf("the page at byte %d has levels of %d bytes and is %d long", at, levels, len(body))
		}
		if compressed {
			plain, err := unLZ4(body[levels:], raw, m.Codec)
			if err != nil {
				return nil, fmt.Errorf("the page at byte %d: %w", at, err)
			}
			body = append(body[:levels:levels], plain...)
		}
		at += head + int64(h.CompressedPageSize)
		h.CompressedPageSize = int32(len(body))
		h.CRC = 0 // of the packed page
		text, err := thrift.Marshal(&protocol, &h)
		if err != nil {
			return nil, err
		}
		buf.Write(text)
		buf.Write(body)
	}
	out.pages = bytes.NewReader(buf.Bytes())
	return out, nil
}

var errLZ4 = errors.New("it is no LZ4 data of the size that its header states")

// unLZ4 unpacks a page of known size. The older codec is a block, or blocks framed as Hadoop does, each behind the
// lengths of what it holds and of itself, or LZ4's own frame: writers did not agree.
func unLZ4(body []byte, size int, codec format.CompressionCodec) ([]byte, error) {
	if size == 0 {
		return nil, nil
	}
	out := make([]byte, size)
	if codec == format.Lz4 {
		if hadoopLZ4(out, body) {
			return out, nil
		}
		if bytes.HasPrefix(body, []byte{0x04, 0x22, 0x4d, 0x18}) {
			if _, err := io.ReadFull(lz4.NewReader(bytes.NewReader(body)), out); err != nil {
				return nil, fmt.Errorf("%w: %v", errLZ4, err)
			}
			return out, nil
		}
	}
	if n, err := lz4.UncompressBlock(body, out); err != nil || n != size {
		return nil, errLZ4
	}
	return out, nil
}

func hadoopLZ4(out, body []byte) bool {
	for len(body) >= 8 {
		plain, packed := binary.BigEndian.Uint32(body), binary.BigEndian.Uint32(body[4:])
		if uint64(plain) > uint64(len(out)) || uint64(packed) > uint64(len(body)-8) {
			return false
		}
		n, err := lz4.UncompressBlock(body[8:8+packed], out[:plain])
		if err != nil || n != int(plain) {
			return false
		}
		out, body = out[plain:], body[8+packed:]
	}
	return len(out) == 0 && len(body) == 0
}
