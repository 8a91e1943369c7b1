package gputop_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/formats"
	"astrolabe/capture/formats/gputop"
)

const text = `    Timestamp  GpuCoreClocks  EuActive      L3Misses  GtiL3Throughput
         (ns)     (cycles/s)       (%)  (messages/s)              (B)
 285000000000,770.9 M cycles,  0.919 %,   1473133.00,       89.91 MiB
 286000000000,1.028 G cycles,     10 %,   2036968.00,       1.5 GiB
`

func open(t *testing.T, text string) (*capture.Capture, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "rows.txt")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return formats.NewRegistry(gputop.Format{}).Open(context.Background(), path, formats.Options{GPU: "intel-kbl-gt2"})
}

func TestRowsOfGputopAreCounts(t *testing.T) {
	commas := strings.NewReplacer("Timestamp  Gpu", "Timestamp,  Gpu", "Clocks  Eu", "Clocks,  Eu", "Active  ", "Active,  ", "Misses  ", "Misses,  ",
		"(ns)  ", "(ns),  ", "s/s)   ", "s/s),   ", "(%)  ", "(%),  ").Replace(text)
	for _, text := range []string{text, commas} {
		c, err := open(t, text)
		if err != nil {
			t.Fatal(err)
		}
		if c.Len() != 2 || c.Axis.End[0]-c.Axis.Start[0] != 1e9 {
			t.Errorf("%d rows, the first of %d ns", c.Len(), c.Axis.End[0]-c.Axis.Start[0])
		}
		for name, want := range map[string]float64{"GpuCoreClocks": 1028e6, "EuActive": 10, "L3Misses": 2036968, "GtiL3Throughput": 1.5 * (1 << 30)} {
			if got := c.Counter(name); got == nil || got.Col.Data().Float(1) != want || got.Guessed {
				t.Errorf("%s is %v, want %v", name, got, want)
			}
		}
		if k := c.Counter("L3Misses").Kind; k != capture.Delta {
			t.Errorf("misses are a %s", k)
		}
	}
}

func TestWhatIsNoTableOfGputopIsAnError(t *testing.T) {
	if _, err := open(t, strings.Replace(text, "10 %", "10 potatoes", 1)); err == nil || !strings.Contains(err.Error(), `:4: column "EuActive": "10 potatoes" is no number in %`) {
		t.Errorf("%v", err)
	}
	if _, err := open(t, "Timestamp  a\n(ns)\n1,2\n"); err == nil {
		t.Error("units of other columns are taken")
	}
	c, err := open(t, text+" 287000000000,1.0 G cy")
	if err != nil || c.Len() != 2 || len(c.Warnings) == 0 {
		t.Errorf("a line that breaks off: %v", err)
	}
}

func FuzzOpen(f *testing.F) {
	f.Add(text)
	f.Add("Timestamp,a\n(ns),(%)\n1,2 %\n")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := open(t, text)
		if err != nil {
			return
		}
		for i := range c.Len() {
			if c.Axis.End[i] < c.Axis.Start[i] {
				t.Fatalf("sample %d ends before it starts", i)
			}
		}
	})
}
