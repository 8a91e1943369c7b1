package arrow

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"

	"astrolabe/capture"
)

// The messages of a recording are laid out here and not by arrow-go, which is to read of them what was written, in
// batches of every size around those of a bitmap's bytes and of alignment, with and without missing values, texts and
// notes.
func TestArrowGoReadsTheMessagesOfARecording(t *testing.T) {
	schema := recordingSchema()
	var batches []*capture.Batch
	at := 0
	for n := range 70 {
		b := capture.NewBatch(&schema, n)
		fillBatch(b, at, n)
		if at += n; n%2 == 0 {
			b.Warnings = append(b.Warnings, fmt.Sprintf("a warning <of> batch %d, %s", n, strings.Repeat("é", n)))
		}
		batches = append(batches, b)
	}
	readByArrowGo(t, batches)
}

func FuzzMessagesOfARecording(f *testing.F) {
	f.Add(uint8(9), []byte{0b101, 0xff}, "some", "\xff\x00é")
	f.Add(uint8(0), []byte{}, "", "only a note")
	f.Fuzz(func(t *testing.T, n uint8, has []byte, text, note string) {
		schema := recordingSchema()
		b := capture.NewBatch(&schema, int(n))
		bit := func(i int) bool { return i/8 < len(has) && has[i/8]&(1<<(i%8)) != 0 }
		for i := range int(n) {
			b.Start, b.End = append(b.Start, int64(i)), append(b.End, int64(i)+1)
			for c, spec := range schema.Columns {
				switch {
				case bit(4*i + c):
					b.AppendMissing(c)
				case spec.Integer:
					b.AppendInt(c, uint64(i)<<uint(n%60))
				default:
					b.AppendFloat(c, float64(i)/3)
				}
			}
			b.Labels[0] = append(b.Labels[0], text[:min(len(text), i)])
		}
		if note != "" {
			b.Warnings = []string{note}
		}
		readByArrowGo(t, []*capture.Batch{b})
	})
}

// readByArrowGo records batches and compares them with what arrow-go finds in the file.
func readByArrowGo(t *testing.T, batches []*capture.Batch) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "r.arrow")
	w, err := Create(path, recordingSchema())
	if err != nil {
		t.Fatal(err)
	}
	var want []*capture.Batch
	for _, b := range batches {
		if err := w.Write(b); err != nil {
			t.Fatal(err)
		}
		if b.Len() > 0 || len(b.Warnings) > 0 {
			want = append(want, b)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := ipc.NewFileReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if f.NumRecords() != len(want) {
		t.Fatalf("%d batches, want %d", f.NumRecords(), len(want))
	}
	for k, b := range want {
		rec, err := f.RecordBatch(k)
		if err != nil {
			t.Fatalf("batch %d: %v", k, err)
		}
		if rec.NumRows() != int64(b.Len()) {
			t.Fatalf("batch %d has %d rows, want %d", k, rec.NumRows(), b.Len())
		}
		same := func(field int, missing func(i int) bool, value func(i int) string) {
			a := rec.Column(field)
			n := 0
			for i := range b.Len() {
				switch {
				case a.IsNull(i) != missing(i):
					t.Fatalf("batch %d, row %d of %s: missing is %t", k, i, rec.ColumnName(field), a.IsNull(i))
				case a.IsNull(i):
					n++
				case a.ValueStr(i) != value(i):
					t.Fatalf("batch %d, row %d of %s: %s, want %s", k, i, rec.ColumnName(field), a.ValueStr(i), value(i))
				}
			}
			if a.NullN() != n {
				t.Fatalf("batch %d: %s has %d missing values and says %d", k, rec.ColumnName(field), n, a.NullN())
			}
		}
		none := func(int) bool { return false }
		same(0, none, func(i int) string { return fmt.Sprint(b.Start[i]) })
		same(1, none, func(i int) string { return fmt.Sprint(b.End[i]) })
		for c, d := range b.Cols {
			if w.specs[c].Integer {
				same(w.fields[c], func(i int) bool { return !d.Valid.Get(i) }, func(i int) string { return fmt.Sprint(d.U[i]) })
				continue
			}
			same(w.fields[c], func(i int) bool { return math.IsNaN(d.F[i]) },
				func(i int) string { return fmt.Sprint(d.F[i]) })
		}
		for l, texts := range b.Labels {
			same(int(rec.NumCols())-len(b.Labels)+l, func(i int) bool { return texts[i] == "" },
				func(i int) string { return validText(texts[i]) })
		}
		notes, err := notesOf(b, w.fields)
		if err != nil {
			t.Fatal(err)
		}
		keys := rec.(arrow.RecordBatchWithMetadata).Metadata()
		if found, _ := keys.GetValue(keyNotes); found != notes {
			t.Fatalf("batch %d has the notes %q, want %q", k, found, notes)
		}
	}
}
