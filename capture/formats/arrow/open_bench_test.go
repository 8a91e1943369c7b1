package arrow

import (
	"flag"
	"fmt"
	"path/filepath"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/formats"
)

// The capture of the published target has a million samples of 89 counters: -args -samples 1000000.
var benchSamples = flag.Int("samples", 20000, "samples of the benchmarks' capture")

const benchColumns = 89

func benchCapture(b *testing.B) *capture.Capture {
	n := *benchSamples
	axis := capture.NewUniformAxis(n, 1000)
	cfg := capture.Config{Name: "bench", Axis: axis}
	for c := range benchColumns {
		u := make([]uint64, n)
		for i := range u {
			u[i] = uint64(i) * uint64(c)
		}
		cfg.Counters = append(cfg.Counters,
			&capture.Counter{Axis: axis, Col: ints(u...), Meta: capture.Meta{Name: fmt.Sprint("c", c)}})
	}
	return mustNew(b, cfg)
}

func BenchmarkOpenAndReadTwoColumns(b *testing.B) {
	path := filepath.Join(b.TempDir(), "big.arrow")
	if err := formats.NewRegistry(Format{}).Save(background, path, Format{}.Name(), benchCapture(b)); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		c := open(b, path)
		sum := 0.0
		for _, name := range []string{"c3", "c80"} {
			v := c.Counter(name).Sum()
			sum += v.Float()
		}
		if sum == 0 {
			b.Fatal("nothing read")
		}
	}
}

func BenchmarkSave(b *testing.B) {
	c := benchCapture(b)
	path := filepath.Join(b.TempDir(), "big.arrow")
	b.SetBytes(int64(c.Len()) * 8 * (benchColumns + 2))
	for b.Loop() {
		if err := formats.NewRegistry(Format{}).Save(background, path, Format{}.Name(), c); err != nil {
			b.Fatal(err)
		}
	}
}
