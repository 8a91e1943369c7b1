package all

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/formats"
)

// server is a file elsewhere, whose bytes are counted.
type server struct {
	data   []byte
	served int64
	asked  int
	breaks int // after so many requests; 0 is never
}

var errBroken = errors.New("the line is dead")

func (s *server) ReadAt(p []byte, off int64) (int, error) {
	if s.asked++; s.asked == s.breaks {
		return 0, errBroken
	}
	n, err := bytes.NewReader(s.data).ReadAt(p, off)
	s.served += int64(n)
	return n, err
}

// afar opens a file as if it lay elsewhere; c is nil where it is of no format that can do that.
func afar(t *testing.T, s *server, name string) (c *capture.Capture, err error) {
	t.Helper()
	d, err := formats.NewDistant(name, int64(len(s.data)), 1<<40, s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return Registry().OpenDistant(t.Context(), d, formats.Options{})
}

// asText is everything of a capture.
func asText(t *testing.T, c *capture.Capture) string {
	t.Helper()
	var out bytes.Buffer
	for _, name := range []string{"csv", "arrow"} {
		fmt.Fprintln(&out)
		if err := Registry().Encode(t.Context(), &out, "x", name, c); err != nil {
			fmt.Fprintln(&out, err) // of a damaged column
		}
	}
	fmt.Fprint(&out, c.Warnings, c.Name, c.GPU)
	return out.String()
}

// wide is a capture of many counters, of which some lack values, with labels.
func wide(t *testing.T, counters, samples int) *capture.Capture {
	t.Helper()
	a := &capture.Axis{}
	var kernels []string
	for i := range samples {
		a.Start, a.End = append(a.Start, int64(i)*1000), append(a.End, int64(i)*1000+1000)
		kernels = append(kernels, fmt.Sprint("kernel ", i*7/samples))
	}
	cfg := capture.Config{Name: "wide", Axis: a, Labels: []*capture.Label{capture.NewLabel("kernel", kernels, nil)}}
	for k := range counters {
		d := capture.Data{U: make([]uint64, samples)}
		if k%3 == 0 {
			d = capture.Data{F: make([]float64, samples)}
		}
		if k%4 == 1 {
			d.Valid = capture.NewBitmap(samples)
		}
		for i, x := 0, uint64(k+1); i < samples; i++ {
			x = x*6364136223846793005 + 1442695040888963407
			switch {
			case d.F != nil:
				d.F[i] = float64(x>>40) / 7
			case d.Valid.Bits != nil && x>>60 == 0:
				d.Valid.Clear(i)
			default:
				d.U[i] = x >> 30
			}
		}
		cfg.Counters = append(cfg.Counters, &capture.Counter{Axis: a, Meta: capture.Meta{Name: fmt.Sprintf("c%03d", k)},
			Col: capture.NewColumn(d)})
	}
	c, err := capture.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// same wants a file elsewhere to be what it is here.
func same(t *testing.T, path string) {
	t.Helper()
	here, herr := Registry().Open(t.Context(), path, formats.Options{})
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	there, terr := afar(t, &server{data: data}, path)
	switch {
	case herr != nil:
		if there != nil || terr != nil && terr.Error() != herr.Error() {
			t.Errorf("%s: here %v, elsewhere %v", path, herr, terr)
		}
	case terr != nil || there == nil:
		t.Errorf("%s: not opened elsewhere: %v", path, terr)
	case asText(t, here) != asText(t, there):
		t.Errorf("%s: elsewhere it is another capture", path)
	}
}

func TestAFileElsewhereIsWhatItIsHere(t *testing.T) {
	dir := t.TempDir()
	full := filepath.Join(dir, "full.arrow")
	for _, c := range []*capture.Capture{fullCapture(t), wide(t, 9, 200_000), wide(t, 3, 10)} {
		for _, name := range []string{"full.arrow", "full.arrows", "full.parquet"} {
			path := filepath.Join(dir, name)
			if err := Registry().Save(t.Context(), path, "", c); err != nil {
				t.Fatal(err)
			}
			same(t, path)
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for i := range 12 { // and damaged alike
				bad := bytes.Clone(data)
				if i%2 == 0 {
					bad = bad[:len(bad)*i/12]
				} else {
					for k := range 5 {
						bad[(k*104729+i*7919)%len(bad)] ^= 0x5a
					}
				}
				if err := os.WriteFile(filepath.Join(dir, "bad"), bad, 0o666); err != nil {
					t.Fatal(err)
				}
				same(t, filepath.Join(dir, "bad"))
			}
		}
	}
	if err := os.WriteFile(full, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	same(t, full)
	same(t, "../../../testdata/captures/cpu-programs/pipe.arrow")
	// What is read as a whole is not read in parts.
	c, err := afar(t, &server{data: []byte("time,a\n0,1\n1,2\n")}, "x.csv")
	if c != nil || err != nil {
		t.Errorf("CSV in parts: %v", err)
	}
}

// Of a file elsewhere that is touched in two of 200 columns, little is read.
func TestAFileElsewhereIsReadInParts(t *testing.T) {
	c := wide(t, 200, 50_000)
	for _, name := range []string{"arrow", "parquet"} {
		var data bytes.Buffer
		if err := Registry().Encode(t.Context(), &data, "x."+name, "", c); err != nil {
			t.Fatal(err)
		}
		s := &server{data: data.Bytes()}
		got, err := afar(t, s, "x."+name)
		if err != nil {
			t.Fatal(err)
		}
		opened := s.served
		for _, k := range []string{"c017", "c120"} {
			if a, b := got.Counter(k).Total(), c.Counter(k).Total(); a != b {
				t.Errorf("%s: %v, want %v", k, a, b)
			}
		}
		share := float64(s.served) / float64(len(s.data))
		t.Logf("%s of %d bytes: %d to open it, %.1f %% in %d requests in all", name, len(s.data), opened, 100*share, s.asked)
		if share > 0.06 {
			t.Errorf("%s: %.1f %% was read for 2 of 200 columns", name, 100*share)
		}
	}
}

// What cannot be fetched is an error that says so, at whatever request the line breaks, and never another value.
func TestALineThatBreaksIsAnError(t *testing.T) {
	c := wide(t, 6, 60_000)
	for _, name := range []string{"arrow", "arrows", "parquet"} {
		var data bytes.Buffer
		if err := Registry().Encode(t.Context(), &data, "x."+name, "", c); err != nil {
			t.Fatal(err)
		}
		for breaks := 1; ; breaks++ {
			s := &server{data: data.Bytes(), breaks: breaks}
			got, err := afar(t, s, "x."+name)
			for i := 0; err == nil && i < len(c.Counters); i++ {
				if err = got.Counters[i].Col.Err(); err == nil && got.Counters[i].Total() != c.Counters[i].Total() {
					t.Fatalf("%s, request %d: another value", name, breaks)
				}
			}
			if s.asked < breaks {
				break
			}
			if !errors.Is(err, formats.ErrFetch) || !errors.Is(err, errBroken) {
				t.Fatalf("%s, request %d: %v", name, breaks, err)
			}
		}
	}
	d, err := formats.NewDistant("x.arrow", 1<<20, 100<<10, &server{data: make([]byte, 1<<20)})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if _, err := d.ReadAt(make([]byte, 1), 1<<20); err != io.EOF {
		t.Errorf("behind the end: %v", err)
	}
	if err := d.Need(0, 1<<20); !errors.Is(err, formats.ErrFetch) || !strings.Contains(err.Error(), "the most") {
		t.Errorf("more than may be read: %v", err)
	}
}
