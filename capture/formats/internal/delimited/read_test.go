package delimited

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// benchFile writes rows of cols counters, as a Mali capture has them, and returns its path.
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
		if len(buf) > 1<<20 {
			if _, err := f.Write(buf); err != nil {
				b.Fatal(err)
			}
			buf = buf[:0]
		}
	}
	if _, err := f.Write(buf); err != nil {
		b.Fatal(err)
	}
	return path
}

func BenchmarkRead(b *testing.B) {
	rows := 10000
	if s := os.Getenv("ASTROLABE_BENCH_ROWS"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			b.Fatal(err)
		}
		rows = n
	}
	path := benchFile(b, rows, 89)
	for b.Loop() {
		r, err := os.Open(path)
		if err != nil {
			b.Fatal(err)
		}
		st, _ := r.Stat()
		b.SetBytes(st.Size())
		f, err := Open(path, r, st.Size(), Options{})
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
			b.Fatal(t.Rows)
		}
		r.Close()
	}
}
