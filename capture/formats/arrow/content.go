package arrow

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"

	"astrolabe/capture/memory"
	"astrolabe/capture/progress"
)

// content is an Arrow file or stream taken apart: what each column is and where its values lie, no value converted yet.
type content struct {
	schema *arrow.Schema
	first  []int // row number of each batch's first row, and the total at the end
	cols   []column
	from   *afar
	notes  []batchNotes
	// plain has all batches, or none where one has a form of its own: then the columns have their chunks and texts.
	plain   []plainBatch
	buffers int // of a plain batch, 0 where the columns are not such
	// cut says how the data breaks off, at byte cutAt; "" where it ends as it should. file says that it has no footer.
	cut   string
	cutAt int64
	file  bool
}

// column is one field of every batch.
type column struct {
	field  arrow.Field
	width  int // bytes per value, 0 where the values are not of a fixed width that is read here
	first  []int
	chunks []chunk
	labels []*array.Dictionary // or of utf8 columns
	texts  []texts
	exotic []arrow.Array // of numbers in a form of their own

	from         *afar
	once         sync.Once
	plain        *[]plainBatch // of the content
	node, buffer int           // in a plain batch
}

// chunk points at the values of one batch, and at their validity bitmap (nil where nothing is missing). Both are known
// to be long enough. Pointers instead of slices keep the index of an hour of small batches small.
type chunk struct {
	values unsafe.Pointer
	valid  *byte
}

// texts is any of the string arrays.
type texts interface {
	Len() int
	IsNull(i int) bool
	Value(i int) string
}

// rows is the number of rows in all batches.
func (c *content) rows() int { return c.first[len(c.first)-1] }

// batches is the number of record batches.
func (c *content) batches() int { return len(c.first) - 1 }

// takeApart indexes the data behind m. Its errors say where the damage is; data that merely breaks off is not an error.
func takeApart(ctx context.Context, m *messages) (c *content, err error) {
	defer func() {
		if r := recover(); r != nil {
			if c, err = nil, caught(r); err == nil {
				err = fmt.Errorf("damaged at byte %d: %v", m.current, r)
			}
		}
	}()
	r, err := ipc.NewReaderFromMessageReader(m, ipc.WithAllocator(m.limit), ipc.WithEnsureNativeEndian(false))
	switch {
	case err != nil && m.cut != "":
		return nil, fmt.Errorf("truncated at byte %d, inside the description of its columns (%s): it holds no samples",
			m.current, m.cut)
	case err != nil && m.done:
		return nil, fmt.Errorf("truncated: the Arrow data ends at byte %d before the description of its columns",
			m.current)
	case errors.Is(err, memory.ErrLimit):
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("damaged at byte %d: %w", m.current, err)
	}
	if !r.Schema().IsNativeEndian() {
		return nil, errors.New(
			"its numbers are in the byte order of another kind of machine: convert it there first, for example with pyarrow")
	}
	c = newContent(r.Schema(), m.from)
	if m.from != nil {
		m.batch = c.needBatch
	}
	meter := progress.From(ctx)
	meter.Begin(m.end, progress.Bytes)
	direct := c.buffers > 0 && !m.indirect
	for {
		added := false
		if raw := m.peek(); direct && raw.info.header == headerBatch {
			if added, err = c.addPlain(raw); added {
				m.skip()
			}
		}
		if !added {
			if !r.Next() {
				break
			}
			c.spread()
			direct = false
			err = c.add(r.RecordBatch())
		}
		if err != nil {
			return nil, fmt.Errorf("damaged record batch at byte %d: %w", m.current, err)
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		meter.Set(m.pos)
	}
	if err := r.Err(); errors.Is(err, memory.ErrLimit) {
		return nil, err
	} else if err != nil && m.cut == "" {
		return nil, fmt.Errorf("damaged at byte %d: %w", m.current, err)
	}
	c.cut, c.cutAt, c.file = m.cut, m.current, m.start > 0
	for i := range c.cols {
		c.cols[i].first = c.first
	}
	return c, nil
}

func newContent(s *arrow.Schema, from *afar) *content {
	c := &content{schema: s, from: from, first: []int{0}, cols: make([]column, s.NumFields())}
	for i := range c.cols {
		f := s.Field(i)
		c.cols[i] = column{field: f, width: fixedWidth(f.Type), plain: &c.plain, from: from}
	}
	c.layPlain()
	return c
}

// fixedWidth is the size in bytes of a value of the number and time types that are read, 0 for every other type.
func fixedWidth(t arrow.DataType) int {
	switch t.ID() {
	case arrow.INT8, arrow.UINT8:
		return 1
	case arrow.INT16, arrow.UINT16:
		return 2
	case arrow.INT32, arrow.UINT32, arrow.FLOAT32, arrow.DATE32, arrow.TIME32:
		return 4
	case arrow.INT64, arrow.UINT64, arrow.FLOAT64, arrow.DATE64, arrow.TIME64, arrow.TIMESTAMP:
		return 8
	}
	return 0
}

// mostRows is more than any file has: columns of runs, or of nothing, claim rows without having bytes for them.
const mostRows = min(1<<48, math.MaxInt)

func (c *content) add(rec arrow.RecordBatch) error {
	n := int(rec.NumRows())
	if n < 0 || n > mostRows-c.rows() {
		return fmt.Errorf("%d rows after %d", n, c.rows())
	}
	for i := range c.cols {
		col := &c.cols[i]
		arr := rec.Column(i)
		if col.width > 0 {
			ch, err := newChunk(arr.Data(), n, col.width)
			if err != nil {
				return fmt.Errorf("column %q: %w", col.field.Name, err)
			}
			col.chunks = append(col.chunks, ch)
			continue
		}
		if isExotic(col.field.Type) {
			arr.Retain()
			col.exotic = append(col.exotic, arr)
			continue
		}
		switch a := arr.(type) {
		case *array.Boolean:
			arr.Retain()
			col.texts = append(col.texts, boolTexts{a})
		case *array.RunEndEncoded:
			if values, ok := a.Values().(texts); ok {
				arr.Retain()
				col.texts = append(col.texts, runTexts{a, values})
			}
		case *array.Dictionary:
			if _, ok := a.Dictionary().(texts); ok {
				a.Retain()
				col.labels = append(col.labels, a)
			}
		case texts:
			arr.Retain()
			col.texts = append(col.texts, a)
		}
	}
	text, noted := "", false
	if with, ok := rec.(arrow.RecordBatchWithMetadata); ok {
		md := with.Metadata()
		text, noted = md.GetValue(keyNotes)
	}
	return c.addRows(n, text, noted)
}

// addRows ends a batch of n rows, whose columns were added, with what it says besides them.
func (c *content) addRows(n int, notes string, noted bool) error {
	if noted {
		read, err := readNotes(notes, c.rows(), n, len(c.cols))
		if err != nil {
			return err
		}
		c.notes = append(c.notes, *read)
	}
	c.first = append(c.first, c.rows()+n)
	return nil
}

func newChunk(d arrow.ArrayData, n, width int) (chunk, error) {
	if n == 0 {
		return chunk{}, nil
	}
	buffers := d.Buffers()
	if d.Offset() != 0 || d.Len() != n || len(buffers) != 2 || buffers[1] == nil || buffers[1].Len()/width < n {
		return chunk{}, fmt.Errorf("it has fewer values than the batch's %d rows", n)
	}
	ch := chunk{values: unsafe.Pointer(unsafe.SliceData(buffers[1].Bytes()))}
	if d.NullN() != 0 && buffers[0] != nil && buffers[0].Len() > 0 {
		if buffers[0].Len() < (n+7)/8 {
			return chunk{}, fmt.Errorf("its bitmap of missing values is shorter than the batch's %d rows", n)
		}
		ch.valid = unsafe.SliceData(buffers[0].Bytes())
	}
	return ch, nil
}

// missing reports whether value i of the chunk is missing.
func (ch chunk) missing(i int) bool {
	return ch.valid != nil && *(*byte)(unsafe.Add(unsafe.Pointer(ch.valid), i>>3))&(1<<(i&7)) == 0
}

// bitmap is the chunk's validity of n values.
func (ch chunk) bitmap(n int) []byte { return unsafe.Slice(ch.valid, (n+7)/8) }
