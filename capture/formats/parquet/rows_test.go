package parquet

import (
	"bytes"
	"math"
	"math/big"
	"strings"
	"testing"
	"time"

	pq "github.com/parquet-go/parquet-go"
)

func TestRowsAreWhatWasAdded(t *testing.T) {
	at := time.Date(2026, 11, 23, 12, 0, 0, 1000, time.FixedZone("", 3600))
	huge, _ := new(big.Int).SetString("-99999999999999999999", 10)
	columns := []Column{{"z text", Text}, {"b", Bool}, {"i", Int}, {"B", Double}, {"d", Decimal}, {"t", Time}}
	rows := [][]any{
		{"é\xff", true, int64(math.MinInt64), 1.5, huge, at},
		{nil, nil, nil, nil, nil, nil},
		{"", false, int64(0), math.Inf(-1), big.NewInt(7), at.Add(time.Second)},
		{"x", true, int64(1), math.NaN(), big.NewInt(0), at},
	}
	var file bytes.Buffer
	w, err := NewRows(&file, columns, map[string]string{"k": "v"})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		if err := w.Add(r...); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := pq.OpenFile(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range f.Root().Columns() {
		names = append(names, c.Name())
	}
	if got := strings.Join(names, " "); got != "z_text b i B_2 d t" {
		t.Errorf("columns %s", got)
	}
	if v, _ := f.Lookup("k"); v != "v" {
		t.Errorf("metadata %q", v)
	}
	if v, _ := f.Lookup(keyColumns); !strings.Contains(v, `"name":"z text"`) {
		t.Errorf("renamed columns %q", v)
	}
	got := make([]pq.Row, len(rows))
	r := pq.NewReader(f)
	if n, _ := r.ReadRows(got); n != len(rows) {
		t.Fatalf("%d rows", n)
	}
	want := []string{"é\uFFFD true -9223372036854775808 1.5 -99999999999999999999 1795431600000001",
		"null null null null null null", " false 0 -Inf 7 1795431601000001", "x true 1 null 0 1795431600000001"}
	for i, row := range got {
		var cells []string
		for k, v := range row {
			switch {
			case v.IsNull():
				cells = append(cells, "null")
			case columns[k].Type == Decimal:
				cells = append(cells, fromDecimal(v.ByteArray()).String())
			default:
				cells = append(cells, v.String())
			}
		}
		if text := strings.Join(cells, " "); text != want[i] {
			t.Errorf("row %d is %s, want %s", i, text, want[i])
		}
	}
}

func TestRowsRefuseWhatIsNotOfTheirColumns(t *testing.T) {
	var file bytes.Buffer
	w, err := NewRows(&file, []Column{{"n", Int}, {"d", Decimal}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	big21, _ := new(big.Int).SetString("100000000000000000000", 10)
	for _, row := range [][]any{{int64(1)}, {"1", nil}, {1.5, nil}, {nil, big21}, {nil, 3}} {
		if err := w.Add(row...); err == nil {
			t.Errorf("%v was taken", row)
		}
	}
	if _, err := NewRows(&file, nil, nil); err == nil {
		t.Error("a table without columns was begun")
	}
}

// A row group is written when it is full, so that a table of any length takes bounded memory.
func TestRowsOfManyGroups(t *testing.T) {
	var file bytes.Buffer
	w, err := NewRows(&file, []Column{{"s", Text}, {"i", Int}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Repeat("x", 1<<20)
	const n = 100
	for i := range n {
		if err := w.Add(text, int64(i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := pq.OpenFile(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		t.Fatal(err)
	}
	if f.NumRows() != n || len(f.RowGroups()) < 2 {
		t.Errorf("%d rows in %d groups", f.NumRows(), len(f.RowGroups()))
	}
}
