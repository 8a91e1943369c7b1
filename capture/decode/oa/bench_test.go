package oa

import (
	"math/rand/v2"
	"testing"

	"astrolabe/capture"
)

// stream makes reports of random counters, the timestamps a period apart.
func randomReports(f *Format, n int) []byte {
	rng := rand.New(rand.NewPCG(1, 2))
	values := make([]uint64, len(f.fields))
	out := make([]byte, n*f.Size)
	ticks := uint32(rng.Uint32())
	for i := range n {
		for k := range values {
			values[k] += uint64(rng.IntN(5000))
		}
		ticks += 10000
		f.Put(out[i*f.Size:(i+1)*f.Size], uint64(Timer)<<19|1<<16|60<<25|60, uint64(i)*128, 0x20, uint64(ticks), values)
	}
	return out
}

func BenchmarkAccumulate(b *testing.B) {
	for _, f := range []*Format{A32u40A4u32B8C8, A24u40A14u32B8C8, MPEC8u32B8C8, PEC64u64} {
		b.Run(f.Name, func(b *testing.B) { accumulate(b, f) })
	}
}

func accumulate(b *testing.B, f *Format) {
	const n = 1 << 14
	reports := randomReports(f, n)
	info := Info{TimestampFrequency: 12e6, DeviceID: 0x5916, MaxFrequency: 1_150_000_000, Xe: f.Enum == 0}
	info.SetFormat(f)
	a, err := NewAccumulator(Options{Info: info})
	if err != nil {
		b.Fatal(err)
	}
	batch := capture.NewBatch(a.Schema(), n+1)
	b.ResetTimer()
	b.ReportAllocs()
	for range b.N {
		a.Restart("again")
		for i := range n {
			if err := a.Report(batch, reports[i*f.Size:(i+1)*f.Size]); err != nil {
				b.Fatal(err)
			}
		}
		a.Flush(batch)
		batch.Reset()
	}
	b.SetBytes(int64(len(reports)))
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mreports/s")
}
