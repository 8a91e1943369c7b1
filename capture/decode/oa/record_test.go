package oa

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
	"testing"
)

func TestARecordSmallerThanItsHeaderIsAnErrorWithItsOffset(t *testing.T) {
	good := AppendRecord(nil, RecordSample, make([]byte, 64))
	for _, size := range []uint16{0, 7} {
		bad := binary.LittleEndian.AppendUint32(bytes.Clone(good), 1)
		bad = binary.LittleEndian.AppendUint16(bad, 0)
		bad = binary.LittleEndian.AppendUint16(bad, size)
		for _, piece := range []int{len(bad), 5} {
			var d Decoder
			var err error
			records := 0
			for rest := bad; len(rest) > 0 && err == nil; {
				n := min(piece, len(rest))
				d.Feed(rest[:n])
				rest = rest[n:]
				for ok := true; ok && err == nil; {
					if _, ok, err = d.Next(); ok {
						records++
					}
				}
			}
			var re *recordError
			if !errors.As(err, &re) || re.Offset != 72 || re.Size != int(size) || records != 1 ||
				!strings.Contains(err.Error(), "byte 72") {
				t.Errorf("size %d: %d records, error %v", size, records, err)
			}
			if _, _, again := d.Next(); again == nil {
				t.Error("the error went away")
			}
		}
	}
}

func TestInfoAndCorrelationSurviveTheirPayload(t *testing.T) {
	want := Info{TimestampFrequency: 12e6, DeviceID: 0x5926, Revision: 6, MinFrequency: 3e8, MaxFrequency: 1.05e9,
		EngineClass: NoEngine, EngineInstance: NoEngine, Format: 10, Set: "ComputeBasic", GUID: "a-guid"}
	p, err := want.Payload()
	if err != nil || len(p) != 336 {
		t.Fatalf("%d bytes, %v", len(p), err)
	}
	got, err := ParseInfo(p)
	if err != nil || got.Set != want.Set || got.GUID != want.GUID || got.EngineClass != NoEngine ||
		got.MaxFrequency != want.MaxFrequency || got.TimestampFrequency != 12e6 || got.Revision != 6 ||
		got.Format != 10 {
		t.Errorf("%+v, %v", got, err)
	}
	want.Set = strings.Repeat("x", 256)
	if _, err := want.Payload(); err == nil {
		t.Error("a set's name of 256 bytes fits")
	}
	c := Correlation{CPU: 5001234567890, GPU: 1<<36 + 7}
	if back, err := ParseCorrelation(c.Payload()); back != c || err != nil {
		t.Errorf("%+v, %v", back, err)
	}
	if _, err := ParseInfo(p[:100]); err == nil {
		t.Error("100 bytes are device information")
	}
	if _, err := ParseCorrelation(make([]byte, 15)); err == nil {
		t.Error("15 bytes are a correlation")
	}
}

// FuzzDecoder checks that pieces make no difference and that every byte is accounted for.
func FuzzDecoder(f *testing.F) {
	f.Add(AppendRecord(AppendRecord(nil, 7, []byte("payload")), RecordReportLost, nil), uint8(3))
	f.Add([]byte{1, 0, 0, 0, 0, 0, 0, 0}, uint8(1))
	f.Fuzz(func(t *testing.T, stream []byte, piece uint8) {
		type seen struct {
			kind uint32
			at   int64
			data string
		}
		run := func(piece int) (out []seen, err error) {
			var d Decoder
			bytes := int64(0)
			for rest := stream; len(rest) > 0; {
				n := min(piece, len(rest))
				d.Feed(rest[:n])
				rest = rest[n:]
				for {
					r, ok, err := d.Next()
					if err != nil {
						return out, err
					}
					if !ok {
						break
					}
					out = append(out, seen{r.Type, r.Offset, string(r.Data)})
					bytes += int64(RecordHeader + len(r.Data))
				}
			}
			n, at := d.Pending()
			if at != bytes || at+int64(n) != int64(len(stream)) {
				t.Errorf("%d bytes decoded, %d pending at %d of %d", bytes, n, at, len(stream))
			}
			return out, nil
		}
		a, errA := run(max(1, len(stream)))
		b, errB := run(int(piece) + 1)
		if len(a) != len(b) || (errA == nil) != (errB == nil) {
			t.Fatalf("%d records (%v) in one piece, %d (%v) in many", len(a), errA, len(b), errB)
		}
		for i := range a {
			if a[i] != b[i] {
				t.Errorf("record %d differs", i)
			}
		}
	})
}
