package parquet

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"astrolabe/capture/formats/internal/table"
	"astrolabe/capture/memory"
)

// withFooter is a file of nothing but a description.
func withFooter(footer []byte) []byte {
	out := append([]byte(magic), footer...)
	return append(binary.LittleEndian.AppendUint32(out, uint32(len(footer))), magic...)
}

func described(t *testing.T, meta *format.FileMetaData) []byte {
	t.Helper()
	var protocol thrift.CompactProtocol
	footer, err := thrift.Marshal(&protocol, meta)
	if err != nil {
		t.Fatal(err)
	}
	return withFooter(footer)
}

// Each of these has ended the program: a stack of Go that overflows, or memory that there is not, cannot be recovered
// from.
func TestDescriptionsThatMultiplyThemselvesAreRefused(t *testing.T) {
	defer memory.SetLimit(0)
	memory.SetLimit(256 << 20)
	group := func(n int32) format.SchemaElement {
		e := format.SchemaElement{Name: "g"}
		e.NumChildren.V, e.NumChildren.Valid = n, true
		return e
	}
	deep := &format.FileMetaData{Schema: make([]format.SchemaElement, 100_000)}
	for i := range deep.Schema {
		deep.Schema[i] = group(1)
	}
	wide := &format.FileMetaData{Schema: make([]format.SchemaElement, 20_001),
		RowGroups: make([]format.RowGroup, 20_000)}
	wide.Schema[0] = group(20_000)
	claims := &format.FileMetaData{Schema: []format.SchemaElement{group(1 << 30), {Name: "a"}}}
	for _, c := range []struct {
		name, want string
		data       []byte
	}{
		{"structures in structures that nobody knows", "deep in each other",
			withFooter(bytes.Repeat([]byte{0xfc}, 20_000_000))},
		{"lists in lists", "deep in each other", withFooter(bytes.Repeat([]byte{0x19}, 20_000_000))},
		{"groups in groups", "groups deep", described(t, deep)},
		{"very many columns in very many row groups", "a row group has 0 columns", described(t, wide)},
		{"a group that claims more columns than there are", "its groups have", described(t, claims)},
		{"a list that claims more than there is", "breaks off",
			withFooter(binary.AppendUvarint([]byte{0x49, 0xfc}, 1<<40))},
	} {
		_, err := decodeBytes(c.data, &table.Options{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.name, err, c.want)
		}
	}
	_, err := decodeBytes(withFooter(append(binary.AppendUvarint([]byte{0x49, 0xfc}, 4_000_000),
		make([]byte, 4_000_001)...)), &table.Options{})
	if !errors.Is(err, memory.ErrLimit) {
		t.Errorf("four million row groups of nothing: %v", err)
	}
}

func FuzzMeasured(f *testing.F) {
	f.Add([]byte{0x49, 0x2c, 0, 0, 0})
	f.Add([]byte{0x19, 0x19, 0x19})
	f.Add([]byte{0x1b, 3, 0x88, 1, 'a', 1, 'b'})
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, err := measured(data); err == nil && len(data) == 0 {
			t.Error("nothing is a structure")
		}
	})
}
