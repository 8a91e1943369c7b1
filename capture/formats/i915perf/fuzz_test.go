package i915perf_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"astrolabe/capture/decode/oa"
	"astrolabe/capture/formats"
	"astrolabe/capture/formats/i915perf"
)

// openAny opens any content: it gives a capture that can be written again, or an error.
func openAny(t *testing.T, content []byte) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.record")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	in, err := formats.Inspect(path)
	if err != nil {
		return
	}
	format := i915perf.Format{}
	format.Sniff(in)
	format.WhyNot(in)
	c, err := format.Open(context.Background(), in, formats.Options{})
	if err != nil {
		return
	}
	for i := range c.Len() {
		if c.Axis.End[i] < c.Axis.Start[i] || i > 0 && c.Axis.Start[i] < c.Axis.End[i-1] {
			t.Fatalf("sample %d lies from %d to %d", i, c.Axis.Start[i], c.Axis.End[i])
		}
	}
	format.Doubts(c)
	var out bytes.Buffer
	if err := format.Encode(context.Background(), &out, c); err != nil && c.Len() > 0 {
		t.Logf("not written: %v", err)
	}
}

func FuzzOpen(f *testing.F) {
	info := gt2()
	info.Format = oa.A12.Enum
	r := newRecording(info).correlate().report(0x20).steps(3, 1)
	f.Add(r.bytes)
	f.Add(r.add(oa.RecordBufferLost, nil).steps(3, 1).correlate().headers(info).bytes[16:])
	f.Add(newRecording(gt2()).bytes)
	for _, g := range oa.Formats() {
		info := gt2()
		info.Xe, info.DeviceID = true, 0x64A0
		info.SetFormat(g)
		f.Add(newRecording(info).correlate().report(0x20).steps(3, 1).correlate().bytes)
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		openAny(t, content)
	})
}
