package arrow

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"astrolabe/capture/formats/internal/table"
)

// anything allows a repair.
func anything(*Damage) error { return nil }

// rowsByFooter is how many rows the file reader of arrow-go finds, which goes by the footer alone.
func rowsByFooter(t testing.TB, path string) (rows int64) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r, err := ipc.NewFileReader(bytes.NewReader(data))
	if err != nil {
		t.Fatalf("%s, by its footer: %v", path, err)
	}
	defer r.Close()
	for i := range r.NumRecords() {
		rec, err := r.RecordBatchAt(i)
		if err != nil {
			t.Fatalf("%s, batch %d: %v", path, i, err)
		}
		rows += rec.NumRows()
		rec.Release()
	}
	return rows
}

// repaired repairs a recording of n samples, which every reader then reads to its end, and of which a second repair
// changes no byte.
func repaired(t testing.TB, path string, n int) {
	t.Helper()
	if err := Repair(background, path, anything); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	c, err := decode(background, before, path, &table.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if c.Len() != n || hasWarning(c, "truncated") {
		t.Fatalf("%d samples after the repair, %d before; warnings %q", c.Len(), n, c.Warnings)
	}
	if got := rowsByFooter(t, path); got != int64(n) {
		t.Fatalf("%d rows by the footer, want %d", got, n)
	}
	whole := false
	if err := Repair(background, path, func(d *Damage) error { whole = d.Whole; return nil }); err != nil || !whole {
		t.Fatalf("a second repair: %v, whole: %t", err, whole)
	}
	if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
		t.Fatal("a second repair changed the file")
	}
}

func TestARecordingCutAtAnyByteIsRepaired(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.arrow")
	data := recordedBytesOf(t, 3)
	var x index
	if err := x.addAll(data[magicPadded:], magicPadded); err != nil {
		t.Fatal(err)
	}
	data = append(data, x.end()...)
	kept := -1
	for n := magicPadded; n < len(data); n += stride() {
		if err := os.WriteFile(path, data[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := decode(background, data[:n:n], path, &table.Options{})
		if err != nil {
			if err := Repair(background, path, anything); err == nil || kept >= 0 {
				t.Fatalf("cut at %d: no samples, and the repair says %v", n, err)
			}
			continue
		}
		kept = c.Len()
		var lost int64
		refused := errors.New("no")
		err = Repair(background, path, func(d *Damage) error {
			if lost = d.Lost; d.Samples != kept || d.Behind != 0 || d.At+lost > int64(n) {
				t.Fatalf("cut at %d, %d samples: %+v", n, kept, d)
			}
			return refused
		})
		if got, _ := os.ReadFile(path); !errors.Is(err, refused) || !bytes.Equal(got, data[:n]) {
			t.Fatalf("cut at %d: a repair that was refused: %v", n, err)
		}
		repaired(t, path, kept)
	}
	if kept != 15 {
		t.Errorf("%d samples where the footer alone was cut", kept)
	}
}

func TestAWholeFileStaysAsItIs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.arrow")
	for name, data := range map[string][]byte{"a file": fileBytes(t), "a stream": streamBytes(t, 2, true),
		"of another program": foreignFile(t), "without schema": withoutSchema(foreignFile(t))} {
		if err := os.WriteFile(path, data, 0o400); err != nil {
			t.Fatal(err)
		}
		err := Repair(background, path, func(d *Damage) error {
			if !d.Whole {
				t.Errorf("%s: %+v", name, d)
			}
			return nil
		})
		if got, _ := os.ReadFile(path); err != nil || !bytes.Equal(got, data) {
			t.Errorf("%s: %v", name, err)
		}
		os.Remove(path)
	}
}

func TestAnOlderRecordingInTheStreamFormIsRepairedAsAStream(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.arrow")
	whole := streamBytes(t, 3, true)
	if err := os.WriteFile(path, whole[:len(whole)-100], 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Repair(background, path, anything); err != nil {
		t.Fatal(err)
	}
	c := open(t, path)
	checkRecording(t, c, 10)
	if hasWarning(c, "truncated") {
		t.Errorf("warnings %q", c.Warnings)
	}
}

func TestBatchesBehindDamageAreCounted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.arrow")
	data := recordedBytesOf(t, 4)
	var x index
	if err := x.addAll(data[magicPadded:], magicPadded); err != nil {
		t.Fatal(err)
	}
	at := x.blocks[1].at
	for name, spoil := range map[string]func(b []byte){
		"a length":   func(b []byte) { b[7] = 0x7f },
		"a message":  func(b []byte) { copy(b[8:], bytes.Repeat([]byte{0xff}, 40)) },
		"its header": func(b []byte) { copy(b, make([]byte, 8)) },
	} {
		spoiled := bytes.Clone(data)
		spoil(spoiled[at:])
		if err := os.WriteFile(path, spoiled, 0o600); err != nil {
			t.Fatal(err)
		}
		err := Repair(background, path, func(d *Damage) error {
			if d.Samples != 5 || d.Behind != 2 || d.At != at || d.Lost != int64(len(data))-at {
				t.Errorf("%s: %+v, want 5 samples and 2 batches behind byte %d", name, d, at)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if n := rowsByFooter(t, path); n != 5 {
			t.Errorf("%s: %d rows", name, n)
		}
	}
}

// foreignStream is what another program that was killed leaves of a file of two batches whose dictionary changes.
func foreignStream(t *testing.T, grows bool) []byte {
	t.Helper()
	dict := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	schema := arrow.NewSchema([]arrow.Field{{Name: "time", Type: arrow.PrimitiveTypes.Float64},
		{Name: "n", Type: arrow.PrimitiveTypes.Float64}, {Name: "kernel", Type: dict}}, nil)
	var buf bytes.Buffer
	buf.WriteString(magic + "\x00\x00")
	w := ipc.NewWriter(&buf, ipc.WithSchema(schema), ipc.WithDictionaryDeltas(grows))
	for i, text := range []string{`["a"]`, `["a", "b"]`} {
		values, _, err := array.FromJSON(memory.DefaultAllocator, arrow.BinaryTypes.String, strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		at, _, err := array.FromJSON(memory.DefaultAllocator, arrow.PrimitiveTypes.Float64,
			strings.NewReader(fmt.Sprintf("[%d]", i)))
		if err != nil {
			t.Fatal(err)
		}
		codes, _, err := array.FromJSON(memory.DefaultAllocator, dict.IndexType, strings.NewReader(fmt.Sprintf("[%d]", i)))
		if err != nil {
			t.Fatal(err)
		}
		rec := array.NewRecordBatch(schema, []arrow.Array{at, at, array.NewDictionaryArray(dict, codes, values)}, 1)
		if err := w.Write(rec); err != nil {
			t.Fatal(err)
		}
	}
	return buf.Bytes()
}

func TestAFileOfAnotherProgramIsRepairedUnlessItsDictionaryWasReplaced(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.arrow")
	for _, grows := range []bool{true, false} {
		data := foreignStream(t, grows)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		err := Repair(background, path, anything)
		if !grows {
			if got, _ := os.ReadFile(path); err == nil || !strings.Contains(err.Error(), "replaced") ||
				!bytes.Equal(got, data) {
				t.Errorf("a dictionary that is replaced: %v", err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if n := rowsByFooter(t, path); n != 2 {
			t.Errorf("%d rows", n)
		}
		if v, _ := open(t, path).Label("kernel").Value(1); v != "b" {
			t.Errorf("the second label is %q", v)
		}
	}
}

// A recorder that is killed between the dictionaries of its first batch left what no reader took once it was repaired.
func TestAFileThatBreaksOffBetweenItsDictionariesIsRepaired(t *testing.T) {
	file := fileBytes(t)
	for name, data := range map[string][]byte{"a file": file, "a stream": file[magicPadded:]} {
		var x index
		// Without its footer: messages are seen one after the other.
		m := newMessages(data[:len(data)-len(magic)])
		m.seen = &x
		if _, err := takeApart(background, m); err != nil || len(x.dicts) != 3 {
			t.Fatalf("%s: %d dictionaries, %v", name, len(x.dicts), err)
		}
		for _, d := range x.dicts {
			for _, cut := range []int64{d.at, d.at + 8} {
				path := filepath.Join(t.TempDir(), "r.arrow")
				if err := os.WriteFile(path, data[:cut], 0o600); err != nil {
					t.Fatal(err)
				}
				if err := Repair(background, path, anything); err != nil {
					t.Errorf("%s, cut at %d: %v", name, cut, err)
				}
				if c := open(t, path); c.Len() != 0 {
					t.Errorf("%s, cut at %d: %d samples", name, cut, c.Len())
				}
			}
		}
	}
}

func TestWhatIsNoArrowFileIsNotRepaired(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x.csv")
	if err := os.WriteFile(path, []byte("a,b\n1,2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{dir, path, filepath.Join(dir, "absent")} {
		if err := Repair(background, p, anything); err == nil || !strings.Contains(err.Error(), p) {
			t.Errorf("%s: %v", p, err)
		}
	}
}

func FuzzRepair(f *testing.F) {
	f.Add(recordedBytesOf(f, 2))
	f.Add(streamBytes(f, 1, false))
	f.Add(fileBytes(f))
	f.Add(foreignFile(f))
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "r.arrow")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		var d *Damage
		if Repair(background, path, func(x *Damage) error { d = x; return nil }) != nil {
			return
		}
		after, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if d.Whole && !bytes.Equal(after, data) || !bytes.HasPrefix(after, data[:d.At]) {
			t.Fatal("a repair changed what was whole")
		}
		if err := Repair(background, path, func(x *Damage) error {
			if !x.Whole || x.Samples != d.Samples {
				t.Fatalf("%+v became %+v", d, x)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	})
}
