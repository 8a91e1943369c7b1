package oadump_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/decode/oa"
	"astrolabe/capture/formats"
	"astrolabe/capture/formats/all"
	"astrolabe/capture/formats/oadump"
	"astrolabe/capture/metrics"
)

// dump makes n snapshots 1 ms apart in which the clock and counter k count 1000000 and 500000+k; every pair is 5 ms
// from the next.
func dump(f *oa.Format, n int) []byte {
	values := make([]uint64, len(f.Counters()))
	for k := range values {
		values[k] = 1<<32 - 7
	}
	full, ticks := uint64(1<<32-100), uint64(1<<32-5)
	var out []byte
	for i := range n {
		r := make(oa.Report, f.Size)
		f.Put(r, uint64(0xCAFE0000+i), uint64(full), 0x20+uint64(i/2), uint64(ticks), values)
		out = append(out, r...)
		full += 12000
		if i%2 == 1 {
			full += 4 * 12000
		}
		ticks += 1_000_000
		for k := range values {
			values[k] += 500_000 + uint64(k)
		}
	}
	return out
}

func write(t testing.TB, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "snapshots.bin")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func options(format string, more ...string) formats.Options {
	o := formats.Options{Format: "oa", GPU: "intel-kbl-gt2", Extra: map[string]any{"report_format": format}}
	for i := 0; i+1 < len(more); i += 2 {
		o.Extra[more[i]] = more[i+1]
	}
	return o
}

func TestConsecutiveSnapshotsAreExactInEveryFormat(t *testing.T) {
	for _, f := range oa.Formats() {
		c, err := all.Registry().Open(context.Background(), write(t, dump(f, 11)), options(f.Name))
		if err != nil {
			t.Fatal(err)
		}
		if c.Len() != 10 || c.Format != "oa" || c.GPU != "intel-kbl-gt2" || c.Duration() != 30e6 ||
			c.Axis.Clock != "gpu" {
			t.Errorf("%s: %d samples, format %s, %d ns of %s", f.Name, c.Len(), c.Format, c.Duration(), c.Axis.Clock)
		}
		for k, name := range f.Counters() {
			for i, v := range c.Counter(name).Col.Data().U {
				if v != 500_000+uint64(k) {
					t.Errorf("%s: sample %d of %s is %d", f.Name, i, name, v)
				}
			}
		}
		if id := c.Counter("RPT_ID").Col.Data().U; id[3] != 0xCAFE0003 {
			t.Errorf("%s: first words %x", f.Name, id)
		}
		if c.Counter("SLICE_CLOCK") != nil || c.Label("reason") != nil || len(c.Warnings) > 0 {
			t.Errorf("%s: the user's value was taken for a report id, or warnings %q", f.Name, c.Warnings)
		}
		if ctx, _ := c.Label("context").Value(2); ctx != "0x21" {
			t.Errorf("%s: context %q", f.Name, ctx)
		}
	}
}

func TestPairsLeaveOutWhatLiesBetween(t *testing.T) {
	c, err := all.Registry().Open(context.Background(), write(t, dump(oa.A32u40A4u32B8C8, 12)),
		options("101", "snapshots", "pairs"))
	if err != nil {
		t.Fatal(err)
	}
	if c.Len() != 6 || c.Axis.Measured() != 6e6 || c.Axis.Start[1] != 6e6 || c.Duration() != 31e6 {
		t.Errorf("%d samples, %d ns measured of %d", c.Len(), c.Axis.Measured(), c.Duration())
	}
	if v, _ := c.Counter("GPU_TICKS").Sum().Uint64(); v != 6e6 {
		t.Errorf("%d clocks", v)
	}
}

func TestConstantsGivenToOpenMakeMetrics(t *testing.T) {
	o := options("10")
	o.Properties = []capture.Property{{Name: "metric_set", Text: "RenderBasic", IsText: true},
		{Name: "EuCoresTotalCount", Number: 24}}
	c, err := all.Registry().Open(context.Background(), write(t, dump(oa.A32u40A4u32B8C8, 11)), o)
	if err != nil {
		t.Fatal(err)
	}
	m, err := metrics.Resolve(c, "EuActive")
	if err != nil {
		t.Fatal(err)
	}
	// A7 by 24 EUs and by the clocks.
	if got, want := m.Value(0).Float(), float64(500_007/24*100)/1e6; got != want {
		t.Errorf("EuActive is %v, want %v", got, want)
	}
}

func TestTheTimestampFrequencyCanBeGiven(t *testing.T) {
	o := options("10")
	o.Properties = []capture.Property{{Name: "GpuTimestampFrequency", Number: 24e6}}
	c, err := all.Registry().Open(context.Background(), write(t, dump(oa.A32u40A4u32B8C8, 2)), o)
	if err != nil {
		t.Fatal(err)
	}
	if got := c.Axis.End[0] - c.Axis.Start[0]; got != 500_000 {
		t.Errorf("12000 ticks of 24 MHz are %d ns", got)
	}
}

func TestMissingOptionsSayWhatToGive(t *testing.T) {
	path := write(t, dump(oa.A12, 3))
	for _, x := range []struct {
		opt  formats.Options
		want string
	}{
		{formats.Options{Format: "oa"}, "give gpu=, one of intel-bdw, intel-chv"},
		{formats.Options{Format: "oa", GPU: "intel-kbl-gt2"},
			`give report_format=, one of "A32u40_A4u32_B8_C8" (256 bytes), "A12" (64 bytes)`},
		{formats.Options{Format: "oa", GPU: "cpu", Extra: map[string]any{"report_format": "A12"}},
			"gpu cpu has no OA reports"},
		{formats.Options{Format: "oa", GPU: "intel-kbl-gt9", Extra: map[string]any{"report_format": "A12"}},
			"intel-kbl-gt2"},
		{options("A13"), `option report_format: unknown OA report format "A13"`},
		{options("A12", "snapshots", "some"), `use "consecutive"`},
		{options("A12", "colour", "red"), "no option colour"},
		{formats.Options{}, `format="oa"`},
	} {
		_, err := all.Registry().Open(context.Background(), path, x.opt)
		if err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("error %v, want %q in it", err, x.want)
		}
	}
}

func TestWhatIsNotWholeIsLeftOutAndTold(t *testing.T) {
	content := dump(oa.A12, 9)
	content = append(content[:4*64:4*64], append(make([]byte, 64), content[4*64:]...)...)
	for snapshots, want := range map[string]struct {
		samples  int
		warnings []string
	}{
		"consecutive": {8, []string{"1 snapshots were left out because they are zeros", "the last 10 bytes of 650"}},
		"pairs":       {4, []string{"1 pairs of snapshots were left out", "the last 10 bytes of 650"}},
	} {
		c, err := all.Registry().Open(context.Background(),
			write(t, append(slices.Clone(content), make([]byte, 10)...)), options("A12", "snapshots", snapshots))
		if err != nil {
			t.Fatal(err)
		}
		if c.Len() != want.samples {
			t.Errorf("%s: %d samples", snapshots, c.Len())
		}
		for _, w := range want.warnings {
			if !strings.Contains(strings.Join(c.Warnings, "\n"), w) {
				t.Errorf("%s: warnings %q, want %q", snapshots, c.Warnings, w)
			}
		}
	}
}

func FuzzOpen(f *testing.F) {
	for i, g := range oa.Formats() {
		f.Add(dump(g, 4), uint8(i), i%2 == 0)
	}
	f.Fuzz(func(t *testing.T, content []byte, which uint8, pairs bool) {
		snapshots := "consecutive"
		if pairs {
			snapshots = "pairs"
		}
		in, err := formats.Inspect(write(t, content))
		if err != nil {
			return
		}
		g := oa.Formats()[int(which)%len(oa.Formats())]
		c, err := oadump.Format{}.Open(context.Background(), in, options(g.Name, "snapshots", snapshots))
		if err != nil {
			t.Fatal(err)
		}
		for i := range c.Len() {
			if c.Axis.End[i] < c.Axis.Start[i] || i > 0 && c.Axis.Start[i] < c.Axis.End[i-1] {
				t.Fatalf("sample %d lies from %d to %d", i, c.Axis.Start[i], c.Axis.End[i])
			}
		}
	})
}
