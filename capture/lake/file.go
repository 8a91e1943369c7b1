package lake

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"reflect"
	"slices"
	"strings"
	"time"

	pq "github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"

	"astrolabe/capture/formats"
	"astrolabe/capture/formats/parquet"
	"astrolabe/capture/memory"
)

// Keys of a file's metadata.
const (
	keyVersion = "astrolabe.lake"
	keySum     = "astrolabe.lake.sum"
)

// version is that of the tables. A reader refuses greater ones.
const version = "1"

// groupRows bounds what a writer keeps, and readRows what a reader does.
const (
	groupRows = 1 << 16
	readRows  = 1 << 10
)

// row is one of a table.
type row interface {
	Capture | Metric | Finding
}

// sum of rows does not depend on their order, so that files can be put together and compared with what they were made
// of. It is the sum of the first halves of their SHA-256, as two numbers without carry.
type sum [2]uint64

func (s *sum) add(o sum) { s[0], s[1] = s[0]+o[0], s[1]+o[1] }

func (s sum) String() string {
	return hex.EncodeToString(binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, s[0]), s[1]))
}

// sumOf is that of one row.
func sumOf(row any) sum {
	h := sha256.Sum256(appendValue(nil, reflect.ValueOf(row)))
	return sum{binary.BigEndian.Uint64(h[:]), binary.BigEndian.Uint64(h[8:])}
}

// appendValue writes a value so that no two differ in meaning and not in bytes.
func appendValue(b []byte, v reflect.Value) []byte {
	if t, ok := v.Interface().(time.Time); ok {
		return binary.BigEndian.AppendUint64(b, uint64(t.UnixMicro()))
	}
	text := func(b []byte, s string) []byte {
		return append(binary.BigEndian.AppendUint64(b, uint64(len(s))), s...)
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			b = appendValue(b, v.Field(i))
		}
	case reflect.Pointer:
		if v.IsNil() {
			return append(b, 0)
		}
		b = appendValue(append(b, 1), v.Elem())
	case reflect.Map:
		m := v.Interface().(map[string]string)
		b = binary.BigEndian.AppendUint64(b, uint64(len(m)))
		for _, k := range sortedKeys(m) {
			b = text(text(b, k), m[k])
		}
	case reflect.String:
		b = text(b, v.String())
	case reflect.Float64:
		b = binary.BigEndian.AppendUint64(b, math.Float64bits(v.Float()))
	case reflect.Int64:
		b = binary.BigEndian.AppendUint64(b, uint64(v.Int()))
	case reflect.Bool:
		b = append(b, 0)
		if v.Bool() {
			b[len(b)-1] = 1
		}
	}
	return b
}

// contents are the rows of a file, counted.
type contents struct {
	rows int64
	sum  sum
}

// writer writes a table to a file that is on the disk when it is closed.
type writer[T row] struct {
	path string
	f    *os.File
	w    *pq.GenericWriter[T]
	contents
}

func create[T row](path string) (*writer[T], error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return nil, formats.WriteError(path, err)
	}
	return &writer[T]{path: path, f: f, w: pq.NewGenericWriter[T](f, pq.Compression(&zstd.Codec{}),
		pq.DataPageVersion(1), pq.DataPageStatistics(true), pq.MaxRowsPerRowGroup(groupRows),
		pq.CreatedBy("astrolabe", version, ""), pq.KeyValueMetadata(keyVersion, version))}, nil
}

func (w *writer[T]) write(rows []T) error {
	for i := range rows {
		w.sum.add(sumOf(rows[i]))
	}
	w.rows += int64(len(rows))
	_, err := w.w.Write(rows)
	return formats.WriteError(w.path, err)
}

func (w *writer[T]) close() error {
	w.w.SetKeyValueMetadata(keySum, w.sum.String())
	err := w.w.Close()
	if err == nil {
		err = w.f.Sync()
	}
	return formats.WriteError(w.path, errors.Join(err, w.f.Close()))
}

// abort drops what was not closed.
func (w *writer[T]) abort() { w.f.Close() }

// foreignError is a file that no astrolabe wrote.
type foreignError struct{ why string }

func (e *foreignError) Error() string { return e.why }

// read hands on the rows of a file in pieces, which it uses again, and checks their sum if the file is whole and all
// its columns are read. Only the columns of T are.
func read[T any](ctx context.Context, path string, more func([]T) error) (err error) {
	defer func() {
		if p := recover(); p != nil { // parquet-go panics where the bytes of a file contradict each other
			if err = memory.Caught(p); err == nil {
				err = fmt.Errorf("%s: damaged: %v", path, p)
			}
		}
	}()
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	file, err := openFile(f)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	want := pq.SchemaOf(new(T))
	if err := sameColumns(file, want); err != nil {
		return fmt.Errorf("%s: damaged: %w", path, err)
	}
	r := pq.NewGenericReader[T](file, want)
	defer r.Close()
	columns := columnsOf(want)
	raw, rows := make([]pq.Row, readRows), make([]T, readRows)
	left := file.NumRows()
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		clear(rows)
		n, err := r.ReadRows(raw)
		for i, row := range raw[:n] {
			if err := columns.check(row); err != nil {
				return fmt.Errorf("%s: damaged: row %d: %w", path, file.NumRows()-left+int64(i), err)
			}
			if err := want.Reconstruct(&rows[i], row); err != nil {
				return fmt.Errorf("%s: damaged: row %d: %w", path, file.NumRows()-left+int64(i), err)
			}
		}
		if left -= int64(n); n > 0 {
			if err := more(rows[:n]); err != nil {
				return err
			}
		}
		switch {
		case errors.Is(err, io.EOF) && left != 0:
			return fmt.Errorf("%s: damaged: %d rows are missing", path, left)
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("%s: damaged: %w", path, err)
		case n == 0:
			return fmt.Errorf("%s: damaged: %d rows cannot be read", path, left)
		}
	}
}

// columns are the leaves of a table, as they follow one another in a row.
type columns []pq.LeafColumn

func columnsOf(s *pq.Schema) columns {
	var out columns
	for _, path := range s.Columns() {
		leaf, _ := s.Lookup(path...)
		out = append(out, leaf)
	}
	return out
}

// check says whether a row has a value for each column, of its type. parquet-go hands out the values of a row one after
// the other: where a damaged page has one too few, a number is taken for the text of the column before, and so for the
// address of its bytes.
func (c columns) check(row pq.Row) error {
	for i, leaf := range c {
		name := strings.Join(leaf.Path, ".")
		n := 0
		for ; n < len(row) && row[n].Column() == i; n++ {
			v := row[n]
			switch {
			case n > 0 && (leaf.MaxRepetitionLevel == 0 || v.RepetitionLevel() == 0):
				return fmt.Errorf("column %q has two values", name)
			case v.IsNull() && leaf.MaxDefinitionLevel == 0:
				return fmt.Errorf("column %q has no value", name)
			case !v.IsNull() && v.Kind() != leaf.Node.Type().Kind():
				return fmt.Errorf("column %q has a value of another type", name)
			}
		}
		if n == 0 {
			return fmt.Errorf("column %q has no value", name)
		}
		row = row[n:]
	}
	if len(row) > 0 {
		return fmt.Errorf("%d values are of no column", len(row))
	}
	return nil
}

// sameColumns says whether a file has the columns that are to be read, of their types: parquet-go takes what it reads
// for what is asked for, a number for the address of a text.
func sameColumns(file *pq.File, want *pq.Schema) error {
	root := file.Root()
	if err := sameFields("", root, want); err != nil {
		return err
	}
	leaves := leavesOf(nil, root)
	for _, g := range file.Metadata().RowGroups {
		if len(g.Columns) != len(leaves) {
			return fmt.Errorf("a row group has %d columns and the file %d", len(g.Columns), len(leaves))
		}
		for i, c := range leaves {
			if m := g.Columns[i].MetaData; pq.Kind(m.Type) != c.Type().Kind() {
				return fmt.Errorf("column %q does not have the type that the file states", c.Name())
			}
		}
	}
	return nil
}

func leavesOf(out []*pq.Column, c *pq.Column) []*pq.Column {
	if c.Leaf() {
		return append(out, c)
	}
	for _, child := range c.Columns() {
		out = leavesOf(out, child)
	}
	return out
}

func sameFields(path string, have *pq.Column, want pq.Node) error {
	names := map[string]bool{}
	for _, c := range have.Columns() {
		if names[c.Name()] {
			return fmt.Errorf("column %q is there twice", path+c.Name())
		}
		names[c.Name()] = true
	}
	for _, w := range want.Fields() {
		name := path + w.Name()
		h := have.Column(w.Name())
		switch {
		case h == nil:
			return fmt.Errorf("column %q is missing", name)
		case h.Leaf() != w.Leaf() || h.Optional() != w.Optional() || h.Repeated() != w.Repeated(),
			w.Leaf() && h.Type().Kind() != w.Type().Kind():
			return fmt.Errorf("column %q is not what this table has there", name)
		case !w.Leaf():
			if err := sameFields(name+".", h, w); err != nil {
				return err
			}
		}
	}
	return nil
}

// openFile reads the footer of a file that astrolabe wrote.
func openFile(f *os.File) (*pq.File, error) {
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() {
		return nil, &foreignError{"no regular file"}
	}
	if err := parquet.CheckFooter(f, st.Size()); err != nil {
		return nil, fmt.Errorf("damaged, or no Parquet file: %w", err)
	}
	file, err := pq.OpenFile(f, st.Size(), pq.SkipPageIndex(true), pq.SkipBloomFilters(true))
	if err != nil {
		return nil, fmt.Errorf("damaged, or no Parquet file: %w", err)
	}
	switch v, ok := file.Lookup(keyVersion); {
	case !ok:
		return nil, &foreignError{"a Parquet file that lake add did not write"}
	case v != version:
		return nil, newer(v)
	}
	return file, nil
}

func newer(v string) error {
	return fmt.Errorf("tables of version %s, and this astrolabe knows version %s: use a newer astrolabe", v, version)
}

// count reads a whole file and compares the sum of its rows with the one that the footer states.
func count[T row](ctx context.Context, path string, each func(*T)) (c contents, err error) {
	err = read(ctx, path, func(rows []T) error {
		for i := range rows {
			c.sum.add(sumOf(rows[i]))
			if each != nil {
				each(&rows[i])
			}
		}
		c.rows += int64(len(rows))
		return nil
	})
	if err != nil {
		return c, err
	}
	f, err := os.Open(path)
	if err != nil {
		return c, err
	}
	defer f.Close()
	file, err := openFile(f)
	if err != nil {
		return c, fmt.Errorf("%s: %w", path, err)
	}
	if stated, _ := file.Lookup(keySum); stated != c.sum.String() {
		return c, fmt.Errorf("%s: damaged: its rows are not those that were written (their sum is %s, and was %s)",
			path, c.sum, stated)
	}
	return c, nil
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, strings.Compare)
	return keys
}
