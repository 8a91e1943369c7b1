package oa

import (
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/internal/testfiles"
)

// feed decodes a stream in pieces of that many bytes and accumulates it.
func feed(t testing.TB, stream []byte, piece int, o Options) (*Accumulator, *capture.Batch) {
	t.Helper()
	var d Decoder
	var a *Accumulator
	var b *capture.Batch
	for len(stream) > 0 {
		n := min(piece, len(stream))
		d.Feed(stream[:n])
		stream = stream[n:]
		for {
			r, ok, err := d.Next()
			if err != nil {
				t.Fatal(err)
			}
			if !ok {
				break
			}
			switch r.Type {
			case RecordInfo:
				if o.Info, err = ParseInfo(r.Data); err != nil {
					t.Fatal(err)
				}
			case RecordTopology:
				o.Info.Topology = append([]byte(nil), r.Data...)
			case RecordCorrelation, RecordSample, RecordReportLost, RecordBufferLost:
				if a == nil {
					if a, err = NewAccumulator(o); err != nil {
						t.Fatal(err)
					}
					b = capture.NewBatch(a.Schema(), 0)
				}
				give(t, a, b, r)
			}
		}
	}
	a.Finish(b)
	return a, b
}

func give(t testing.TB, a *Accumulator, b *capture.Batch, r Record) {
	t.Helper()
	switch r.Type {
	case RecordCorrelation:
		c, err := ParseCorrelation(r.Data)
		if err != nil {
			t.Fatal(err)
		}
		a.Correlate(c)
	case RecordSample:
		if err := a.Report(b, r.Data); err != nil {
			t.Fatal(err)
		}
	case RecordReportLost:
		a.ReportLost()
	case RecordBufferLost:
		a.BufferLost()
	}
}

func TestSampleRecordingIsTheSameInPiecesOfAnyLength(t *testing.T) {
	stream := testfiles.Read(t, "vectors", "intel_sample.record")
	var want *capture.Batch
	for _, piece := range []int{len(stream), 4096, 264, 263, 7, 1} {
		a, b := feed(t, stream, piece, Options{})
		if b.Len() != 199 {
			t.Fatalf("%d rows", b.Len())
		}
		if w := a.Warnings(); len(w) != 1 || !strings.HasPrefix(w[0], "slice and unslice clocks differ") {
			t.Errorf("warnings %q", w)
		}
		if want == nil {
			want = b
			continue
		}
		for c := range b.Cols {
			for i := range b.Len() {
				if b.Cols[c].U != nil && b.Cols[c].U[i] != want.Cols[c].U[i] {
					t.Fatalf("pieces of %d bytes: column %d row %d is %d, not %d", piece, c, i, b.Cols[c].U[i],
						want.Cols[c].U[i])
				}
			}
		}
	}
}
