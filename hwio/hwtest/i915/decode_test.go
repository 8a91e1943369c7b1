package i915

import (
	"encoding/binary"
	"fmt"
	"testing"

	"astrolabe/hwio/hwtest/intel"
)

// A tiny reading of the stream, made from the documentation and sharing nothing with the model: the tables of sections 3 and 4.

type rawReport struct {
	id, ts, ctx, ticks uint32
	a                  map[int]uint64
	b, c               map[int]uint64
}

func (r *rawReport) reason() uint32 { return r.id >> 19 & 0x3f }
func (r *rawReport) valid() bool    { return r.id>>16&1 == 1 }

// record is one of a stream: kind 1 has a report.
type record struct {
	kind   uint32
	report *rawReport
}

func decode(t *testing.T, b []byte, format string) []record {
	t.Helper()
	size := map[string]int{"A12": 64, "A12_B8_C8": 128, wide: 256, "C4_B8": 64, mixed: 256, media: 128}[format]
	var out []record
	for len(b) > 0 {
		if len(b) < 8 {
			t.Fatalf("%d bytes are left, no header", len(b))
		}
		kind, n := binary.LittleEndian.Uint32(b), int(binary.LittleEndian.Uint16(b[6:]))
		if n < 8 || n > len(b) {
			t.Fatalf("record of type %d has %d bytes, of %d", kind, n, len(b))
		}
		rec := record{kind: kind}
		if kind == 1 {
			if n != 8+size {
				t.Fatalf("sample has %d bytes, want %d", n, 8+size)
			}
			rec.report = decodeReport(b[8:n], format)
		}
		out = append(out, rec)
		b = b[n:]
	}
	return out
}

func decodeReport(b []byte, format string) *rawReport {
	w := func(i int) uint64 { return uint64(binary.LittleEndian.Uint32(b[4*i:])) }
	r := &rawReport{id: uint32(w(0)), ts: uint32(w(1)), ctx: uint32(w(2)), ticks: uint32(w(3)), a: map[int]uint64{}, b: map[int]uint64{}, c: map[int]uint64{}}
	switch format {
	case "A12", "A12_B8_C8":
		for i := range 12 {
			r.a[7+i] = w(4 + i)
		}
		if format == "A12_B8_C8" {
			for i := range 8 {
				r.b[i], r.c[i] = w(16+i), w(24+i)
			}
		}
	case "C4_B8":
		for i := range 4 {
			r.c[i] = w(4 + i)
		}
		for i := range 8 {
			r.b[i] = w(8 + i)
		}
	case wide:
		for i := range 32 {
			r.a[i] = w(4+i) | uint64(b[160+i])<<32
		}
		for i := range 4 {
			r.a[32+i] = w(36 + i)
		}
		for i := range 8 {
			r.b[i], r.c[i] = w(48+i), w(56+i)
		}
	case mixed: // where A0 to A3 and A24 to A27 have no high byte, and A36 and A37 stand in the place of those
		for i := range 36 {
			if r.a[i] = w(4 + i); wideIn(mixed, i) {
				r.a[i] |= uint64(b[160+i]) << 32
			}
		}
		r.a[36], r.a[37] = w(40), w(46)
		for i := range 8 {
			r.b[i], r.c[i] = w(48+i), w(56+i)
		}
	case media: // the header has 64 bits
		r.ts, r.ctx, r.ticks = uint32(w(2)), uint32(w(4)), uint32(w(6))
		for i := range 8 {
			r.a[i], r.b[i], r.c[i] = w(8+i), w(16+i), w(24+i)
		}
	}
	return r
}

// wideIn says whether a counter A has 40 bits.
func wideIn(format string, i int) bool {
	return format == wide && i < 32 || format == mixed && (i >= 4 && i < 24 || i >= 28 && i < 32)
}

// accumulate adds up consecutive deltas as section 9 says: a lost buffer drops the base, a lost report only keeps a delta from the contexts.
func accumulate(recs []record, format string) (total map[string]uint64, contexts map[string]map[string]uint64, reports int) {
	total, contexts = map[string]uint64{}, map[string]map[string]uint64{}
	var prev *rawReport
	gap := false
	for _, rec := range recs {
		switch rec.kind {
		case 2:
			gap = true
		case 3:
			prev = nil
		case 1:
			r := rec.report
			reports++
			if r.id == 0 && r.ts == 0 {
				continue
			}
			if prev != nil {
				d := delta(prev, r, format)
				name := "idle"
				if prev.valid() {
					name = intel.ContextName(prev.ctx)
				}
				if contexts[name] == nil {
					contexts[name] = map[string]uint64{}
				}
				for k, v := range d {
					total[k] += v
					if !gap {
						contexts[name][k] += v
					}
				}
			}
			prev, gap = r, false
		}
	}
	return total, contexts, reports
}

func delta(old, new *rawReport, format string) map[string]uint64 {
	d := map[string]uint64{"TIMESTAMP": uint64(new.ts - old.ts), "GPU_TICKS": uint64(new.ticks - old.ticks)}
	for i, v := range new.a {
		width := 32
		if wideIn(format, i) {
			width = 40
		}
		d[fmt.Sprintf("A%d", i)] = (v - old.a[i]) & (1<<width - 1)
	}
	for i, v := range new.b {
		d[fmt.Sprintf("B%d", i)] = uint64(uint32(v - old.b[i]))
	}
	for i, v := range new.c {
		d[fmt.Sprintf("C%d", i)] = uint64(uint32(v - old.c[i]))
	}
	return d
}

// same compares totals by counter.
func same(t *testing.T, what string, got, want map[string]uint64) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d counters, want %d", what, len(got), len(want))
	}
	for k, v := range want {
		if got[k] != v {
			t.Errorf("%s: %s is %d, want %d", what, k, got[k], v)
		}
	}
}
