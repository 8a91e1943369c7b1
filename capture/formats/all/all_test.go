package all

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/formats"
	"astrolabe/internal/testfiles"
)

func sameColumn(t *testing.T, what string, a, b *capture.Column) {
	t.Helper()
	if (a == nil) != (b == nil) {
		t.Errorf("%s: a column on one side only", what)
		return
	}
	if a == nil {
		return
	}
	x, y := a.Data(), b.Data()
	if x.Len() != y.Len() || (x.U != nil) != (y.U != nil) {
		t.Errorf("%s: %d values became %d, integers %t became %t", what, x.Len(), y.Len(), x.U != nil, y.U != nil)
		return
	}
	for i := range x.Len() {
		if x.Missing(i) != y.Missing(i) || !x.Missing(i) &&
			(x.U != nil && x.U[i] != y.U[i] || x.U == nil && math.Float64bits(x.F[i]) != math.Float64bits(y.F[i])) {
			t.Errorf("%s: value %d differs", what, i)
			return
		}
	}
}

func sameCounters(t *testing.T, a, b []*capture.Counter) {
	t.Helper()
	if len(a) != len(b) {
		t.Fatalf("%d counters became %d", len(a), len(b))
	}
	for i := range a {
		if a[i].Name != b[i].Name || a[i].Kind != b[i].Kind || a[i].Unit != b[i].Unit ||
			len(a[i].Reasons) != len(b[i].Reasons) || len(a[i].Warnings) != len(b[i].Warnings) {
			t.Errorf("counter %+v became %+v", a[i].Meta, b[i].Meta)
		}
		sameColumn(t, a[i].Name, a[i].Col, b[i].Col)
		if (a[i].Pass == nil) != (b[i].Pass == nil) {
			t.Errorf("%s: a pass on one side only", a[i].Name)
		} else if p, q := a[i].Pass, b[i].Pass; p != nil {
			sameColumn(t, a[i].Name+" pass start", p.Start, q.Start)
			sameColumn(t, a[i].Name+" pass duration", p.Duration, q.Duration)
		}
		sameCounters(t, a[i].Instances, b[i].Instances)
	}
}

func TestRealCapturesSurviveTheNativeFormatAndParquet(t *testing.T) {
	for _, name := range []string{"gfx1151-vcopy", "mi200-vcopy", "mi300x-vcopy-long"} {
		t.Run(name, func(t *testing.T) { survives(t, name, "arrow") })
		t.Run(name+" parquet", func(t *testing.T) { survives(t, name, "parquet") })
	}
}

// survives saves a real capture in a format and opens it again.
func survives(t *testing.T, name, format string) {
	ctx := context.Background()
	r := Registry()
	want, err := r.Open(ctx, testfiles.Path(t, "captures", name), formats.Options{})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "x."+format)
	if err := r.Save(ctx, path, "", want); err != nil {
		t.Fatal(err)
	}
	got, err := r.Open(ctx, path, formats.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got.Format != format || got.GPU != want.GPU || got.Len() != want.Len() ||
		len(got.Properties) != len(want.Properties) ||
		len(got.Labels) != len(want.Labels) || len(got.Passes) != len(want.Passes) ||
		strings.Join(got.Warnings, "\n") != strings.Join(want.Warnings, "\n") {
		t.Errorf("%+v\nbecame\n%+v", want.Config, got.Config)
	}
	if !got.Axis.Same(want.Axis) {
		t.Error("the time axis differs")
	}
	sameCounters(t, want.Counters, got.Counters)
}

func TestUnknownContentIsToldWhatEveryFormatLooksFor(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "x.arrow")
	if err := os.WriteFile(file, []byte("\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{file, dir} {
		_, err := Registry().Open(context.Background(), path, formats.Options{})
		if !errors.Is(err, formats.ErrUnrecognised) {
			t.Fatalf("%s: error %v", path, err)
		}
		for _, f := range Registry().Formats() {
			if !strings.Contains(err.Error(), "\n  "+f.Name()+": ") {
				t.Errorf("error %q says nothing about %s", err, f.Name())
			}
		}
	}
}

func TestTheFormatIsSeenInTheContent(t *testing.T) {
	axis := capture.NewUniformAxis(3, 1e6)
	c, err := capture.New(capture.Config{Name: "c", Axis: axis, Counters: []*capture.Counter{
		{Meta: capture.Meta{Name: "a"}, Axis: axis, Col: capture.NewColumn(capture.Data{U: []uint64{1, 2, 3}})}}})
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	for _, f := range Registry().Formats() {
		w, ok := f.(formats.Writer)
		if !ok {
			continue
		}
		path := filepath.Join(t.TempDir(), "misleading.txt")
		err := Registry().Save(ctx, path, w.Name(), c)
		if errors.Is(err, formats.ErrUnsuitable) {
			continue // its own package tests what it takes
		}
		if err != nil {
			t.Fatal(err)
		}
		if seen, err := Registry().Sniff(path); err != nil || seen.Name() != w.Name() {
			t.Errorf("saved as %s, seen as %v, %v", w.Name(), seen, err)
		}
		got, err := Registry().Open(ctx, path, formats.Options{})
		switch {
		case errors.Is(err, formats.ErrWriteOnly):
		case err != nil:
			t.Fatal(err)
		case got.Format != w.Name():
			t.Errorf("saved as %s, opened as %s", w.Name(), got.Format)
		default:
			if v, ok := got.Counter("a").Sum().Uint64(); !ok || v != 6 {
				t.Errorf("%s: the sum is %d", w.Name(), v)
			}
		}
		var buf bytes.Buffer
		if err := Registry().Encode(ctx, &buf, "x", w.Name(), c); err != nil || buf.Len() == 0 {
			t.Errorf("%s: encoded %d bytes, %v", w.Name(), buf.Len(), err)
		}
	}
}
