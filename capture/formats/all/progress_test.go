package all

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/formats"
	"astrolabe/capture/progress"
	"astrolabe/internal/testfiles"
)

// longCapture is of so many samples that every format is told of them in parts.
func longCapture(t *testing.T) *capture.Capture {
	t.Helper()
	n := 20000
	a := &capture.Axis{Clock: "cpu", Start: make([]int64, n), End: make([]int64, n)}
	v := make([]uint64, n)
	for i := range n {
		a.Start[i], a.End[i], v[i] = int64(i)*1000, int64(i+1)*1000, uint64(i)
	}
	c, err := capture.New(capture.Config{Name: "long", Axis: a, Counters: []*capture.Counter{
		{Meta: capture.Meta{Name: "cycles", Kind: capture.Delta}, Axis: a,
			Col: capture.NewColumn(capture.Data{U: v})}}})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// told fails where a meter was not told of work, or of more than there is.
func told(t *testing.T, what string, m *progress.Meter) {
	t.Helper()
	s := m.State()
	if s.Begun.IsZero() || s.Done <= 0 || s.Total > 0 && (s.Done > s.Total || s.Done < s.Total/2) {
		t.Errorf("%s: %d of %d %s were told of", what, s.Done, s.Total, s.Unit)
	}
}

func TestEveryFormatSaysHowFarWritingAndReadingAre(t *testing.T) {
	c := longCapture(t)
	for _, f := range Registry().Formats() {
		w, ok := f.(formats.Writer)
		if !ok {
			continue
		}
		path := filepath.Join(t.TempDir(), "x")
		var m progress.Meter
		err := Registry().Save(progress.With(context.Background(), &m), path, w.Name(), c)
		if errors.Is(err, formats.ErrUnsuitable) {
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v", f.Name(), err)
		}
		told(t, "writing "+f.Name(), &m)
		m = progress.Meter{}
		if _, err := Registry().Open(progress.With(context.Background(), &m), path,
			formats.Options{Format: f.Name()}); errors.Is(err, formats.ErrWriteOnly) {
			continue
		} else if err != nil {
			t.Fatalf("%s: %v", f.Name(), err)
		}
		told(t, "opening "+f.Name(), &m)
	}
}

func TestOpeningRealCapturesSaysHowFarItIs(t *testing.T) {
	for _, name := range []string{"gfx1151-vcopy", "mi300x-vcopy-long"} {
		var m progress.Meter
		if _, err := Registry().Open(progress.With(context.Background(), &m), testfiles.Path(t, "captures", name),
			formats.Options{}); err != nil {
			t.Fatal(err)
		}
		told(t, "opening "+name, &m)
	}
}

func TestWhoIsToldOfProgressGetsTheSameBytes(t *testing.T) {
	c := longCapture(t)
	var alone, told bytes.Buffer
	if err := Registry().Encode(context.Background(), &alone, "", "csv", c); err != nil {
		t.Fatal(err)
	}
	if err := Registry().Encode(progress.With(context.Background(), &progress.Meter{}), &told, "", "csv",
		c); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(alone.Bytes(), told.Bytes()) {
		t.Error("the bytes differ")
	}
}
