package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/formats"
	formatsall "astrolabe/capture/formats/all"
)

// wide writes a capture of 200 counters to a folder in each format, and the scripts that touch two of them and all.
func wide(t *testing.T, names ...string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	const samples = 30_000
	a := &capture.Axis{}
	for i := range samples {
		a.Start, a.End = append(a.Start, int64(i)*1000), append(a.End, int64(i)*1000+1000)
	}
	cfg := capture.Config{Axis: a}
	for k := range 200 {
		u := make([]uint64, samples)
		for i, x := 0, uint64(k+1); i < samples; i++ {
			x = x*6364136223846793005 + 1442695040888963407
			u[i] = x >> 30
		}
		cfg.Counters = append(cfg.Counters, &capture.Counter{Axis: a, Meta: capture.Meta{Name: fmt.Sprintf("c%03d", k)},
			Col: capture.NewColumn(capture.Data{U: u})})
	}
	c, err := capture.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if err := formatsall.Registry().Save(t.Context(), filepath.Join(dir, name), "", c); err != nil {
			t.Fatal(err)
		}
	}
	for name, body := range map[string]string{
		"two.star": `{"a": cap["c017"].total(), "b": cap["c120"].max()}`,
		"all.star": `{n: c.total() for n, c in cap.counters.items()}`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("def map(cap):\n    return "+body+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// counted counts the bytes of a server's answers about captures.
type counted struct {
	http.ResponseWriter
	n *atomic.Int64
}

func (c counted) Write(p []byte) (int, error) {
	c.n.Add(int64(len(p)))
	return c.ResponseWriter.Write(p)
}

// Of captures in a bucket only what a script touches is read; what is no format of columns is copied.
func TestOnlyTheColumnsThatAScriptTouchesAreRead(t *testing.T) {
	dir := wide(t, "wide.arrow", "wide.parquet", "wide.csv")
	var served, asked atomic.Int64
	bucketBehind(t, dir, func(s3 http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if asked.Add(1); r.Method == http.MethodGet {
				w = counted{w, &served}
			}
			s3.ServeHTTP(w, r)
		})
	})
	for _, name := range []string{"wide.arrow", "wide.parquet", "wide.csv"} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, script := range []string{"two.star", "all.star"} {
			here, _ := finished(t, 0, program(t, dir, "astrolabe", "map", script, name, "--csv"))
			served.Store(0)
			asked.Store(0)
			there, _ := finished(t, 0, program(t, dir, "astrolabe-beam", "map", script, "s3://b/"+name, "--csv"))
			if got := strings.ReplaceAll(there, "s3://b/", ""); got != here {
				t.Errorf("%s of %s in a bucket: %.300s, want %.300s", script, name, got, here)
			}
			share := 100 * float64(served.Load()) / float64(info.Size())
			t.Logf("%s of %s: %d of %d bytes served, %.1f %%, in %d requests", script, name, served.Load(), info.Size(), share, asked.Load())
			if whole := name == "wide.csv"; script == "two.star" && whole != (share > 8) || share > 110 {
				t.Errorf("%s of %s: %.1f %% of the object was served", script, name, share)
			}
		}
	}
	nothingLeft(t, dir)
}

// cutOff ends an answer in its middle.
type cutOff struct {
	http.ResponseWriter
	left int
}

func (c *cutOff) Write(p []byte) (int, error) {
	if len(p) > c.left {
		c.ResponseWriter.Write(p[:c.left])
		panic(http.ErrAbortHandler)
	}
	c.left -= len(p)
	return c.ResponseWriter.Write(p)
}

// Connections that break in the middle of an answer, and servers that fail, cost nothing but time.
func TestABrokenConnectionIsTakenUpAgain(t *testing.T) {
	dir := wide(t, "wide.arrow", "wide.parquet")
	var mu sync.Mutex
	var asked int
	bucketBehind(t, dir, func(s3 http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			asked++
			n := asked
			mu.Unlock()
			switch {
			case r.Method != http.MethodGet:
			case n%7 == 0:
				w.WriteHeader(http.StatusServiceUnavailable)
				return
			case n%3 == 0:
				w = &cutOff{w, 10_000}
			}
			s3.ServeHTTP(w, r)
		})
	})
	here, _ := finished(t, 0, program(t, dir, "astrolabe", "map", "all.star", "wide.arrow", "wide.parquet", "--csv"))
	there, _ := finished(t, 0, program(t, dir, "astrolabe-beam", "map", "all.star", "s3://b/wide.arrow", "s3://b/wide.parquet", "--csv"))
	if got := strings.ReplaceAll(there, "s3://b/", ""); got != here {
		t.Errorf("%.300s, want %.300s", got, here)
	}
}

// An object that is replaced while it is read gives no values of two contents: it is a row that says so.
func TestAnObjectThatIsReplacedGivesNoMixedValues(t *testing.T) {
	dir := wide(t, "wide.arrow", "wide.parquet", "other.csv")
	other := t.TempDir()
	for _, name := range []string{"wide.arrow", "wide.parquet", "other.csv"} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		// As long as it was, and its numbers others.
		data = bytes.Clone(data)
		for i := len(data) / 4; i < len(data)*3/4; i++ {
			if c := data[i]; c >= '0' && c <= '9' {
				data[i] = '0' + (c-'0'+1)%10
			}
		}
		if err := os.WriteFile(filepath.Join(other, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"wide.arrow", "wide.parquet", "other.csv"} {
		var asked, replaced atomic.Int64
		bucketBehind(t, dir, func(s3 http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, name) && asked.Add(1) == 3 || r.Method == http.MethodGet &&
					name == "other.csv" && strings.HasSuffix(r.URL.Path, name) && asked.Load() == 2 {
					if replaced.Add(1) == 1 {
						replace(t, other, name)
					}
				}
				if r.Method == http.MethodGet && name == "other.csv" {
					w = &cutOff{w, 1 << 20} // so that there is a second request
				}
				s3.ServeHTTP(w, r)
			})
		})
		_, talk := finished(t, 1, program(t, dir, "astrolabe-beam", "map", "all.star", "s3://b/"+name, "-o", "rows.jsonl"))
		rows := content(t, dir, "rows.jsonl")
		if !strings.Contains(rows, "it was replaced while it was read") || !strings.Contains(rows, `"unreadable"`) || replaced.Load() == 0 {
			t.Errorf("%s: %s\n%s", name, rows, talk)
		}
	}
}

func replace(t *testing.T, dir, name string) {
	b, err := openFolder(t.Context(), "s3://b")
	if err != nil {
		t.Error(err)
		return
	}
	defer b.Close()
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err == nil {
		err = put(t.Context(), b, name, func(w io.Writer) error {
			_, err := w.Write(data)
			return err
		})
	}
	if err != nil {
		t.Error(err)
	}
}

// A folder of this machine that is named by a URL tells versions apart too.
func TestAFileThatIsReplacedIsNotReadOn(t *testing.T) {
	dir := wide(t, "wide.parquet")
	file := filepath.Join(dir, "wide.parquet")
	here, _ := finished(t, 0, program(t, dir, "astrolabe", "map", "two.star", "wide.parquet", "--csv"))
	there, _ := finished(t, 0, program(t, dir, "astrolabe-beam", "map", "two.star", "file://"+dir+"/", "--csv"))
	if got := strings.ReplaceAll(there, "file://"+dir+"/", ""); got != here {
		t.Errorf("%s, want %s", got, here)
	}
	d, theirs, err := (&engine{}).Distant(t.Context(), "file://"+file)
	if err != nil || !theirs || d == nil {
		t.Fatal(d, theirs, err)
	}
	defer d.Close()
	c, err := formatsall.Registry().OpenDistant(t.Context(), d, formats.Options{})
	if err != nil || c == nil {
		t.Fatal(c, err)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, append(data[:4:4], data[5:]...), 0o666); err != nil {
		t.Fatal(err)
	}
	err = c.Counter("c100").Col.Err()
	if !errors.Is(err, formats.ErrFetch) || !strings.Contains(err.Error(), "replaced") {
		t.Errorf("%v", err)
	}
}
