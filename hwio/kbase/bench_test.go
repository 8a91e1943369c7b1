package kbase

import (
	"path/filepath"
	"testing"
	"time"

	"astrolabe/capture"
	"astrolabe/capture/formats/arrow"
	"astrolabe/hwio/hwtest/uapi"
	"astrolabe/hwio/internal/mali"
)

// g720Ring is a mapping with one sample of a Mali-G720 with ten cores and four L2 slices.
func g720Ring(g *mali.GPU) ([]byte, []mali.Block) {
	fields := func(structure string, f map[string]uint64) []byte {
		b := make([]byte, metaItemSize)
		for name, v := range f {
			uapi.Struct(structure).Set(b[8:], name, v)
		}
		return b
	}
	sample, clock := fields("prfcnt_sample_metadata", map[string]uint64{"timestamp_start": 1e9, "timestamp_end": 1e9 + 1e6}), fields("prfcnt_clock_metadata", map[string]uint64{"num_domains": 2})
	le.PutUint16(sample, metaSample)
	le.PutUint16(clock, metaClock)
	list := join(sample, clock)
	const room, block = 64 * metaItemSize, 128 * 8
	var blocks []mali.Block
	n := 0
	for _, b := range []struct {
		typ       mali.BlockType
		instances int
	}{{mali.FrontEnd, 1}, {mali.Tiler, 1}, {mali.Memory, 4}, {mali.Core, g.Cores()}} {
		one := mali.Block{Type: b.typ, Values: 128}
		for i := range b.instances {
			item := fields("prfcnt_block_metadata", map[string]uint64{
				"block_type": uint64(b.typ), "block_idx": uint64(i), "block_state": uint64(mali.StateOn | mali.StateNormal), "values_offset": uint64(room + n*block),
			})
			le.PutUint16(item, metaBlock)
			list = append(list, item...)
			one.Instances = append(one.Instances, i)
			n++
		}
		blocks = append(blocks, one)
	}
	list = append(list, make([]byte, room+n*block-len(list))...)
	for i := range n * 128 {
		le.PutUint64(list[room+8*i:], uint64(i*1234567%1000003))
	}
	return list, blocks
}

// BenchmarkDecodeAndStore is what one sample costs, from the mapped ring to the bytes in the file, with the batches of 200 samples that a
// recording at 1 kHz has. There, 50 µs per sample are 5 % of a core.
func BenchmarkDecodeAndStore(b *testing.B) {
	b.Run("ten shader cores", func(b *testing.B) { decodeAndStore(b, true, func(m *capture.Meta) bool { return m.Block == "core" }) })
	b.Run("every block", func(b *testing.B) { decodeAndStore(b, true, func(*capture.Meta) bool { return true }) })
	b.Run("every block, in memory", func(b *testing.B) { decodeAndStore(b, false, func(*capture.Meta) bool { return true }) })
}

func decodeAndStore(b *testing.B, toFile bool, want func(*capture.Meta) bool) {
	g := mali.GPU{ID: mali.ParseID(0xc8700000), CoreMask: 0x3ff, L2Slices: 4}
	g.Identify()
	mapping, blocks := g720Ring(&g)
	w := walker{ring: mapping, stride: metaItemSize, cores: g.CoreNumbers()}
	for _, bl := range blocks {
		w.values[bl.Type] = bl.Values
	}
	table := mali.NewTable(blocks, g.Product.Layout, g.Product.Catalogue(), sourceName, want)
	schema := capture.Schema{Columns: table.Columns}
	out, err := arrow.Create(filepath.Join(b.TempDir(), "bench.arrow"), schema)
	if err != nil {
		b.Fatal(err)
	}
	const rows = 200
	batch := capture.NewBatch(&schema, rows)
	var s sample
	now := int64(0)
	for b.Loop() {
		if err := w.walk(0, &s); err != nil {
			b.Fatal(err)
		}
		w.renumber(&s)
		batch.Start, batch.End = append(batch.Start, now), append(batch.End, now+1e6)
		now += 1e6
		table.Append(batch, s.blocks, nil)
		// Values of a GPU at work differ from sample to sample.
		for i := 64 * metaItemSize; i < len(mapping); i += 8 {
			mapping[i] += 7
		}
		if batch.Len() == rows {
			if toFile {
				if err := out.Write(batch); err != nil {
					b.Fatal(err)
				}
			}
			batch.Reset()
		}
	}
	b.ReportMetric(float64(len(table.Columns)), "columns")
	b.StopTimer()
	// Closing writes the footer. That comes after the recording and not beside it, so it is told apart.
	before := time.Now()
	if err := out.Close(); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(time.Since(before).Nanoseconds())/float64(b.N), "close-ns/op")
}
