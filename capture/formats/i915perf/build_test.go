package i915perf_test

import (
	"context"
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/decode/oa"
	"astrolabe/capture/formats"
	"astrolabe/capture/formats/all"
)

// recording builds a file of a GPU that counts n/2+k in counter k while its clock counts n.
type recording struct {
	bytes  []byte
	xe     bool // records have xe-perf-recorder's types
	f      *oa.Format
	full   uint64 // GPU timestamp
	cpu    int64  // ns
	ticks  uint64
	values []uint64
}

func gt2() oa.Info {
	return oa.Info{TimestampFrequency: 12e6, DeviceID: 0x5916, Revision: 2, MinFrequency: 3e8, MaxFrequency: 1.1e9,
		Format: oa.A32u40A4u32B8C8.Enum, Set: "RenderBasic", GUID: "99c1a40e-a090-4354-86e3-4d068bb1917e"}
}

// topology is that of a full GT2.
func topology() []byte {
	blob := make([]byte, 32)
	for i, v := range []uint16{0, 3, 4, 8, 1, 1, 4, 1} {
		binary.LittleEndian.PutUint16(blob[2*i:], v)
	}
	copy(blob[16:], []byte{1, 7, 0, 0, 0xFF, 0xFF, 0xFF})
	return blob
}

func newRecording(info oa.Info) *recording {
	f, err := info.Layout()
	if err != nil {
		f = oa.A32u40A4u32B8C8
	}
	r := &recording{xe: info.Xe, f: f, full: 1<<36 + 5e6, cpu: 7e12, values: make([]uint64, len(f.Counters()))}
	return r.headers(info)
}

func (r *recording) headers(info oa.Info) *recording {
	p, err := info.Payload()
	if err != nil {
		panic(err)
	}
	r.add(oa.RecordVersion, binary.LittleEndian.AppendUint64(nil, 1))
	r.add(oa.RecordInfo, p)
	return r.add(oa.RecordTopology, topology())
}

func (r *recording) add(kind uint32, payload []byte) *recording {
	if r.xe && kind >= oa.RecordVersion {
		kind = kind - oa.RecordVersion + 4
	}
	r.bytes = oa.AppendRecord(r.bytes, kind, payload)
	return r
}

// run lets ns pass, of which the GPU's clock counts n.
func (r *recording) run(ns int64, n uint64) *recording {
	r.cpu += ns
	r.full += uint64(ns) * 12 / 1000
	r.ticks += n
	for k := range r.values {
		r.values[k] += n/2 + uint64(k)
	}
	return r
}

func (r *recording) correlate() *recording {
	return r.add(oa.RecordCorrelation, oa.Correlation{CPU: r.cpu, GPU: r.full}.Payload())
}

func (r *recording) report(context uint32) *recording {
	rep := make(oa.Report, r.f.Size)
	r.f.Put(rep, uint64(oa.Timer)<<19|1<<16|60<<25|60, r.full, uint64(context), r.ticks, r.values)
	return r.add(oa.RecordSample, rep)
}

// steps appends n reports ms apart, the clock at 1 GHz.
func (r *recording) steps(n int, ms int64) *recording {
	for range n {
		r.run(ms*1e6, uint64(ms)*1e6).report(0x20)
	}
	return r
}

func (r *recording) path(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "made.record")
	if err := os.WriteFile(path, r.bytes, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func (r *recording) open(t testing.TB) *capture.Capture {
	t.Helper()
	return open(t, r.path(t))
}

func (r *recording) fails(t testing.TB, want ...string) {
	t.Helper()
	_, err := all.Registry().Open(context.Background(), r.path(t), formats.Options{})
	for _, w := range want {
		if err == nil || !strings.Contains(err.Error(), w) {
			t.Errorf("error %v, want %q in it", err, w)
		}
	}
}

func wantWarning(t testing.TB, c *capture.Capture, text string) {
	t.Helper()
	if !slices.ContainsFunc(c.Warnings, func(w string) bool { return strings.Contains(w, text) }) {
		t.Errorf("warnings %q, want %q", c.Warnings, text)
	}
}

func sum(t testing.TB, c *capture.Capture, name string) uint64 {
	t.Helper()
	v, ok := c.Counter(name).Sum().Uint64()
	if !ok {
		t.Errorf("%s has no sum", name)
	}
	return v
}
