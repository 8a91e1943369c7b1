package oa

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"astrolabe/capture"
)

// play gives an accumulator the records of a stream, in copies, or where they lie in Options.Stream.
func play(t testing.TB, o Options, records []Record) (*Accumulator, *capture.Batch) {
	t.Helper()
	a, err := NewAccumulator(o)
	if err != nil {
		t.Fatal(err)
	}
	b, err := a.NewBatch(0)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		switch r.Type {
		case RecordSample:
			if o.Stream != nil {
				_ = a.ReportAt(b, int(r.Offset)+RecordHeader, len(r.Data))
			} else {
				_ = a.Report(b, r.Data)
			}
		case RecordCorrelation:
			if c, err := ParseCorrelation(r.Data); err == nil {
				a.Correlate(c)
			}
		case RecordReportLost:
			a.ReportLost()
		case RecordBufferLost:
			a.BufferLost()
		case RecordVersion:
			a.Flush(b)
		}
	}
	a.Finish(b)
	return a, b
}

// sameConfig holds every value of a capture against those of another.
func sameConfig(t testing.TB, got, want capture.Config) {
	t.Helper()
	if !slices.Equal(got.Axis.Start, want.Axis.Start) || !slices.Equal(got.Axis.End, want.Axis.End) ||
		!reflect.DeepEqual(got.Labels, want.Labels) || !slices.Equal(got.Gaps, want.Gaps) ||
		!slices.Equal(got.Late, want.Late) || !slices.Equal(got.Regions, want.Regions) {
		t.Fatalf("axis, labels, gaps or regions differ")
	}
	for i, c := range want.Counters {
		g := got.Counters[i]
		if !reflect.DeepEqual(g.Meta, c.Meta) || !slices.Equal(g.Reasons, c.Reasons) {
			t.Fatalf("%s: %v %v, want %v %v", c.Name, g.Meta, g.Reasons, c.Meta, c.Reasons)
		}
		sameData(t, c.Name, g.Col.Data(), c.Col.Data())
	}
}

func sameData(t testing.TB, name string, got, want capture.Data) {
	if got.Len() != want.Len() || (got.U == nil) != (want.U == nil) || !slices.Equal(got.U, want.U) {
		t.Fatalf("%s: %v, want %v", name, got, want)
	}
	for i := range want.Len() {
		if got.Missing(i) != want.Missing(i) || math.Float64bits(got.Float(i)) != math.Float64bits(want.Float(i)) {
			t.Fatalf("%s: row %d is %v, want %v", name, i, got.Float(i), want.Float(i))
		}
	}
}

// A whole stream is worked on in stretches, parts of which are filled beside each other: whatever happens where two
// stretches or parts meet, the values are those of reports that were taken over one by one.
func TestCountersOfAWholeStreamAreThoseOfItsReportsOneByOne(t *testing.T) {
	for _, f := range Formats() {
		for seed := range uint64(6) {
			stream := eventful(f, seed)
			var records []Record
			s := Survey{Format: f}
			var d Decoder
			d.Feed(stream)
			for {
				r, ok, err := d.Next()
				if err != nil {
					t.Fatal(err)
				}
				if !ok {
					break
				}
				records = append(records, r)
				s.Add(r)
			}
			o := Options{Info: gt2(f), Survey: &s, PeriodTicks: 1000, Separate: seed == 5}
			a, b := play(t, o, records)
			want, warnings := a.Config(b, "cpu"), a.Warnings()
			if n := want.Axis.Len(); n < 200 {
				t.Fatalf("%d rows", n)
			}
			for _, rows := range []int{1, 64, 65, 100, 0} {
				o.Stream, o.stretch = stream, rows
				a, b := play(t, o, records)
				sameConfig(t, a.Config(b, "cpu"), want)
				if got := a.Warnings(); !slices.Equal(got, warnings) {
					t.Fatalf("%q, want %q", got, warnings)
				}
			}
		}
	}
}

// eventful is a stream in which about everything happens: losses, wraps of every field, contexts that switch, reports
// without time between them, from before and of no clock ratios, stretches of time that are too long, and damage.
func eventful(f *Format, seed uint64) (stream []byte) {
	rng := rand.New(rand.NewPCG(seed, 3))
	values := make([]uint64, len(f.fields))
	for k := range values {
		values[k] = 1<<40 - rng.Uint64N(1<<22)
	}
	full, ticks := uint64(1<<36-100_000), uint32(1<<32-1_000_000)
	report := make(Report, f.Size)
	for i := range 600 {
		elapsed := uint64(1000)
		switch rng.IntN(20) {
		case 0:
			elapsed = 0
		case 1:
			elapsed = 40_000_000
		case 2:
			elapsed = 100_000_000
		case 3:
			stream = AppendRecord(stream, RecordReportLost, nil)
		case 4:
			stream = AppendRecord(stream, RecordBufferLost, nil)
		case 5:
			stream = AppendRecord(stream, 77, make([]byte, 8*rng.IntN(4)))
		}
		if i%50 == 20 && seed != 4 {
			c := Correlation{CPU: int64(full-1<<35) * 250 / 3, GPU: full & (1<<36 - 1)}
			stream = AppendRecord(stream, RecordCorrelation, c.Payload())
		}
		full += elapsed
		ticks += uint32(elapsed * 90)
		for k := range values {
			values[k] += rng.Uint64N(elapsed*90 + 1)
			if rng.IntN(500) == 0 {
				values[k] += 1 << 31
			}
		}
		id := uint32(Timer)<<19 | 1<<16
		if rng.IntN(8) > 0 {
			id |= 60<<25 | 60
		}
		stamp := uint32(full)
		if rng.IntN(40) == 0 {
			stamp -= 50_000
		}
		f.Put(report, uint64(id), uint64(stamp), uint64(0x20+i/30%3), uint64(ticks), values)
		stream = AppendRecord(stream, RecordSample, report)
	}
	return stream
}
