package delimited

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// readText reads text in pieces of the given size, every column as want.
func readText(text string, piece int64, want Want) (*File, *Table, error) {
	f, err := Open("x", strings.NewReader(text), int64(len(text)), Options{})
	if err != nil {
		return nil, nil, err
	}
	f.piece = piece
	specs := make([]Spec, len(f.Header))
	for i := range specs {
		specs[i].Want = want
	}
	t, err := f.Read(context.Background(), specs)
	return f, t, err
}

// cells returns the texts of a table read with Want Text.
func cells(t *Table) [][]string {
	out := make([][]string, t.Rows)
	for r := range out {
		for i := range t.cols {
			c := t.Col(i)
			s := ""
			if c.Codes[r] >= 0 {
				s = c.Dict[c.Codes[r]]
			}
			out[r] = append(out[r], s)
		}
	}
	return out
}

func TestEveryPieceSizeReadsTheSame(t *testing.T) {
	const text = "k,a,\"b\nc\"\n" +
		"x,1,2\n# a \"comment, with a quote\n\n" +
		"\"quoted, with\n two\n line ends\",3,4\n" +
		"  \"after blanks\" ,5,6\r\n" +
		"5\" disk,7,\"8\"\n" +
		"\"say \"\"hi\"\"\",9,10\n" +
		"y,11,12"
	want :=
		"[[x 1 2] [quoted, with\n two\n line ends 3 4] [after blanks 5 6] [5\" disk 7 8] [say \"hi\" 9 10] [y 11 12]]"
	lines := []int{3, 6, 9, 10, 11, 12}
	for piece := int64(1); piece < int64(len(text))+2; piece++ {
		f, tab, err := readText(text, piece, Text)
		if err != nil {
			t.Fatalf("pieces of %d: %v", piece, err)
		}
		if got := fmt.Sprint(cells(tab)); got != want {
			t.Fatalf("pieces of %d:\n got %q\nwant %q", piece, got, want)
		}
		if f.Header[2] != "b\nc" {
			t.Fatalf("header = %q", f.Header)
		}
		for row, line := range lines {
			if got := tab.Line(row); got != line {
				t.Fatalf("pieces of %d: row %d is in line %d, want %d", piece, row, got, line)
			}
		}
	}
}

func TestIntegersBecomeDoublesInEveryPiece(t *testing.T) {
	var text strings.Builder
	text.WriteString("a,b,c\n")
	var want []float64
	for i := range 200 {
		v, cell := float64(i), fmt.Sprint(i)
		switch {
		case i%17 == 3:
			v, cell = math.NaN(), ""
		case i == 100:
			v, cell = 0.5, "0.5"
		}
		want = append(want, v)
		fmt.Fprintf(&text, "%s,%d,%s\n", cell, i, strings.Repeat("9", i%3))
	}
	for _, piece := range []int64{7, 64, 100, 1000, 1 << 20} {
		_, tab, err := readText(text.String(), piece, Number)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range want {
			if got := tab.Col(0).Num.Data().F[i]; got != v && !(got != got && v != v) {
				t.Fatalf("pieces of %d: a[%d] = %v, want %v", piece, i, got, v)
			}
			if got := tab.Col(1).Num.Data().U[i]; got != uint64(i) {
				t.Fatalf("pieces of %d: b[%d] = %v", piece, i, got)
			}
			if got := tab.Col(2).Num.Data().Missing(i); got != (i%3 == 0) {
				t.Fatalf("pieces of %d: c[%d] missing = %v", piece, i, got)
			}
		}
		if tab.Col(0).Whole || tab.Col(0).Missing != 12 {
			t.Fatalf("whole = %v, missing = %d", tab.Col(0).Whole, tab.Col(0).Missing)
		}
	}
}

func TestTheFirstErrorOfTheFileIsReported(t *testing.T) {
	var text strings.Builder
	text.WriteString("a,b\n")
	for i := 2; i < 3000; i++ {
		cell := "1"
		if i > 1234 {
			cell = "bad" + fmt.Sprint(i)
		}
		fmt.Fprintf(&text, "1,%s\n", cell)
	}
	for range 20 {
		_, _, err := readText(text.String(), 100, Number)
		if err == nil || !strings.Contains(err.Error(), `x:1235: column "b": "bad1235"`) {
			t.Fatalf("error = %v", err)
		}
	}
}

func TestBlankLinesAskForNoMemory(t *testing.T) {
	header := strings.Repeat("a,", 999) + "b\n"
	text := header + strings.Repeat("\n", 1<<20)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, tab, err := readText(text, 0, Number)
	runtime.ReadMemStats(&after)
	if err != nil || tab.Rows != 0 {
		t.Fatalf("rows = %v, error = %v", tab, err)
	}
	if got := after.TotalAlloc - before.TotalAlloc; got > 64<<20 {
		t.Errorf("reading 1 MiB of blank lines took %d MiB", got>>20)
	}
}

func TestACancelledReadStops(t *testing.T) {
	text := "a,b\n1,2\n"
	f, err := Open("x", strings.NewReader(text), int64(len(text)), Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := f.Read(ctx, make([]Spec, 2)); err != context.Canceled {
		t.Errorf("error = %v", err)
	}
}

func TestAFileThatShrinksIsAnError(t *testing.T) {
	text := "a,b\n1,2\n3,4\n"
	f, err := Open("x", strings.NewReader(text), int64(len(text)), Options{})
	if err != nil {
		t.Fatal(err)
	}
	f.r = strings.NewReader(text[:8])
	if _, err := f.Read(context.Background(), make([]Spec, 2)); err == nil ||
		!strings.Contains(err.Error(), "truncated while it was read") {
		t.Errorf("error = %v", err)
	}
}

// FuzzTableAgreesWithEncodingCSV compares the cells with those of the standard library wherever that accepts the text.
func FuzzTableAgreesWithEncodingCSV(f *testing.F) {
	f.Add("a,b\n1,2\n", int64(3))
	f.Add("a,b\n\"x\n\"\"y\",2\r\n\n# c\n3,4", int64(5))
	f.Add("k;v\n\"1;2\";3,5\n", int64(2))
	f.Add("a,b\n1,2\n\na,b\n3,4\n", int64(3))
	f.Add("a,b\na,b", int64(3))         // the header once more
	f.Add("\xfe\xffb,\n1,", int64(-42)) // the mark of UTF-16
	f.Fuzz(func(t *testing.T, text string, piece int64) {
		piece = piece&63 + 1
		_, whole, err := readText(text, 1<<20, Text)
		_, tab, err2 := readText(text, piece, Text)
		if fmt.Sprint(err) != fmt.Sprint(err2) {
			t.Fatalf("in one piece: %v, in pieces of %d: %v", err, piece, err2)
		}
		_, _, _ = readText(text, piece, Number)
		_, _, _ = readText(text, piece, Time)
		if err != nil {
			return
		}
		got := cells(tab)
		if a, b := fmt.Sprint(got), fmt.Sprint(cells(whole)); a != b {
			t.Fatalf("pieces of %d give %q, one piece gives %q", piece, a, b)
		}
		if strings.ContainsAny(text, "#\r ") || len(tab.Warnings) > 0 || strings.HasPrefix(text, "sep=") ||
			tab.file.again != nil && strings.Count(text+"\n", string(tab.file.again)) > 1 || // its last line may end with the file
			bytes.HasPrefix([]byte(text), []byte("\xef\xbb\xbf")) ||
			utf16Order([]byte(text)) != nil {
			return // the standard library knows nothing of these, or other rules
		}
		r := csv.NewReader(strings.NewReader(text))
		r.Comma = rune(tab.file.Delim)
		want, err := r.ReadAll()
		if err != nil || len(want) == 0 {
			return
		}
		for i, row := range want[1:] {
			for k, cell := range row {
				fixed, _ := toUTF8(cell)
				if !strings.HasPrefix(cell, " ") && strings.TrimSpace(got[i][k]) != strings.TrimSpace(fixed) {
					t.Fatalf("row %d cell %d = %q, encoding/csv has %q", i, k, got[i][k], fixed)
				}
			}
		}
	})
}

// benchFile writes rows of 89 counters, as a Mali capture has them, and returns its path.
func benchFile(b *testing.B, rows, cols int) string {
	b.Helper()
	path := filepath.Join(b.TempDir(), "bench.csv")
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	rng := rand.New(rand.NewPCG(1, 2))
	buf := []byte("time_ns")
	for c := range cols {
		buf = fmt.Appendf(buf, ",Counter%d", c)
	}
	buf = append(buf, '\n')
	for r := range rows {
		buf = strconv.AppendInt(buf, int64(r)*1000, 10)
		for range cols {
			buf = append(buf, ',')
			buf = strconv.AppendUint(buf, rng.Uint64N(100000)+1000, 10)
		}
		buf = append(buf, '\n')
		if len(buf) > 1<<20 || r == rows-1 {
			if _, err := f.Write(buf); err != nil {
				b.Fatal(err)
			}
			buf = buf[:0]
		}
	}
	return path
}

// benchRows is the number of rows of benchmarks: ASTROLABE_BENCH_ROWS, 1000000 for the reference capture.
func benchRows(b *testing.B) int {
	b.Helper()
	s := os.Getenv("ASTROLABE_BENCH_ROWS")
	if s == "" {
		return 10000
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		b.Fatal(err)
	}
	return n
}

func BenchmarkRead(b *testing.B) {
	rows := benchRows(b)
	path := benchFile(b, rows, 89)
	r, err := os.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	size, err := r.Seek(0, io.SeekEnd)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		f, err := Open(path, r, size, Options{})
		if err != nil {
			b.Fatal(err)
		}
		specs := make([]Spec, len(f.Header))
		for i := range specs {
			specs[i].Want = Number
		}
		t, err := f.Read(context.Background(), specs)
		if err != nil {
			b.Fatal(err)
		}
		if t.Rows != rows {
			b.Fatalf("%d rows, want %d", t.Rows, rows)
		}
	}
}
