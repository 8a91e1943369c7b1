package lake

import (
	"os"
	"path/filepath"
	"testing"
)

// Whatever a file of a lake holds, reading it ends, with its rows or an error.
func FuzzRead(f *testing.F) {
	l := made(f)
	add(f, l, entry(1, 5, build("A")))
	for _, table := range tables {
		files, _, err := l.scan(table)
		if err != nil || len(files) != 1 {
			f.Fatal(err, files)
		}
		data, err := os.ReadFile(files[0].path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
		f.Add(data[:len(data)/2])
	}
	f.Add([]byte("PAR1PAR1"))
	path := filepath.Join(f.TempDir(), "x.parquet")
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		count[Capture](t.Context(), path, nil)
		count[Metric](t.Context(), path, nil)
		count[Finding](t.Context(), path, nil)
	})
}
