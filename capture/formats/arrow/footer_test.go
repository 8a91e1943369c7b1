package arrow

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"astrolabe/capture/formats/internal/table"
)

// foreignFile is a file of two batches with a dictionary.
func foreignFile(t testing.TB) []byte {
	t.Helper()
	dict := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	schema := arrow.NewSchema([]arrow.Field{{Name: "time", Type: arrow.PrimitiveTypes.Float64},
		{Name: "kernel", Type: dict}, {Name: "n", Type: arrow.PrimitiveTypes.Uint32}}, nil)
	var buf bytes.Buffer
	w, err := ipc.NewFileWriter(&buf, ipc.WithSchema(schema))
	if err != nil {
		t.Fatal(err)
	}
	for _, rows := range []string{`[{"time": 0.5, "kernel": "a", "n": 1}, {"time": 1, "kernel": "a", "n": 2}]`,
		`[{"time": 1.5, "kernel": "a", "n": 3}]`} {
		rec, _, err := array.RecordFromJSON(memory.DefaultAllocator, schema, bytes.NewReader([]byte(rows)))
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Write(rec); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// withoutSchema spoils the schema message in front, as files of Arrow for JavaScript and of polars have none there:
// what is left of it may be anything.
func withoutSchema(data []byte) []byte {
	out := bytes.Clone(data)
	n := int(binary.LittleEndian.Uint32(out[12:]))
	copy(out[8:16+n], bytes.Repeat([]byte{4, 0, 0, 0, 0xf2, 0xff, 0xff, 0xff}, n))
	return out
}

func TestAFileWithoutTheSchemaInFrontIsReadByItsFooter(t *testing.T) {
	data := foreignFile(t)
	for name, data := range map[string][]byte{"whole": data, "without": withoutSchema(data)} {
		c := mustDecode(t, data)
		if c.Len() != 3 || c.Counter("n").Total().Float() != 6 {
			t.Errorf("%s: %d samples, n = %v", name, c.Len(), c.Counter("n").Floats())
		}
		if v, _ := c.Label("kernel").Value(2); v != "a" {
			t.Errorf("%s: kernel = %q", name, v)
		}
	}
}

func TestAFooterThatClaimsMoreThanTheFileHasIsNotBelieved(t *testing.T) {
	data := foreignFile(t)
	n := len(data) - 10
	size := int(binary.LittleEndian.Uint32(data[n:]))
	from := n - size
	for at := from; at+8 <= n; at += 4 {
		for _, v := range []uint64{0, 1, 8, 1 << 31, 1 << 62, ^uint64(0)} {
			bad := withoutSchema(data)
			binary.LittleEndian.PutUint64(bad[at:], v)
			c, err := decode(background, bad, "x.arrow", &table.Options{})
			if err == nil && c.Len() > 6 {
				t.Errorf("%#x at byte %d of the footer gives %d samples", v, at-from, c.Len())
			}
		}
	}
}

func TestEverySortOfColumnOfOtherProgramsOpens(t *testing.T) {
	dec := func(scale int32) arrow.DataType { return &arrow.Decimal128Type{Precision: 30, Scale: scale} }
	fields := []arrow.Field{
		{Name: "time", Type: arrow.FixedWidthTypes.Duration_ms}, {Name: "half", Type: arrow.FixedWidthTypes.Float16,
			Nullable: true}, {Name: "price", Type: dec(2), Nullable: true},
		{Name: "big", Type: dec(0)}, {Name: "spent", Type: arrow.FixedWidthTypes.Duration_us},
		{Name: "vsync", Type: arrow.FixedWidthTypes.Boolean}, {Name: "day", Type: arrow.FixedWidthTypes.Date32},
	}
	schema := arrow.NewSchema(fields, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	b.Field(0).(*array.DurationBuilder).AppendValues([]arrow.Duration{5, 10}, nil)
	for i, s := range []string{"1.5", "12.34", "18446744073709551615"} {
		if err := b.Field(i + 1).AppendValueFromString(s); err != nil {
			t.Fatal(err)
		}
	}
	b.Field(1).AppendNull()
	b.Field(2).AppendNull()
	if err := b.Field(3).AppendValueFromString("1"); err != nil {
		t.Fatal(err)
	}
	b.Field(4).(*array.DurationBuilder).AppendValues([]arrow.Duration{7, 8}, nil)
	b.Field(5).(*array.BooleanBuilder).AppendValues([]bool{true, false}, nil)
	b.Field(6).(*array.Date32Builder).AppendValues([]arrow.Date32{20000, 20001}, nil)
	var buf bytes.Buffer
	w := ipc.NewWriter(&buf, ipc.WithSchema(schema))
	if err := w.Write(b.NewRecordBatch()); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	c := mustDecode(t, buf.Bytes())
	if c.Axis.Start[0] != 5e6 || c.Axis.End[0] != 10e6 {
		t.Errorf("axis %+v", c.Axis)
	}
	for name, want := range map[string]float64{"half": 1.5, "price": 12.34, "spent": 7} {
		if v := c.Counter(name).Value(0).Float(); v != want {
			t.Errorf("%s = %v, want %v", name, v, want)
		}
	}
	if !c.Counter("half").Value(1).Missing() || !c.Counter("price").Value(1).Missing() ||
		c.Counter("spent").Unit != "us" {
		t.Errorf("missing values or the unit of a duration are lost")
	}
	if u, ok := c.Counter("big").Value(0).Uint64(); !ok || u != 1<<64-1 {
		t.Errorf("big = %d", u)
	}
	for name, want := range map[string]string{"vsync": "false", "day": "2024-10-05"} {
		if v, _ := c.Label(name).Value(1); v != want {
			t.Errorf("%s = %q, want %q", name, v, want)
		}
	}
}
