package radeontop_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/formats"
	"astrolabe/capture/formats/radeontop"
)

const dump = `Dumping to -, until termination.
1700000000.50: bus 03, gpu 98.33%, ee 0.00%, vgt 5.00%, ta 90.83%, sx 60.00%, sh 0.00%, spi 97.50%, sc 55.00%, pa 10.00%, db 40.00%, cb 30.00%, vram 50.00% 8192.00mb, gtt 1.93% 310.10mb, mclk 100.00% 1.000ghz, sclk 80.00% 2.000ghz
1700000001.250050: bus 03, gpu 50.00%, ee 0.00%, vgt 5.00%, ta 90.83%, sx 60.00%, sh 0.00%, spi 97.50%, sc 55.00%, pa 10.00%, db 40.00%, cb 30.00%, vram 25.00% 4096.00mb, gtt 1.93% 310.10mb, mclk 100.00% 1.000ghz, sclk 80.00% 2.000ghz
`

func open(t *testing.T, text string) (*capture.Capture, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "dump.txt")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return formats.NewRegistry(radeontop.Format{}).Open(context.Background(), path, formats.Options{})
}

func TestADumpHasTheCountersOfTheCatalogue(t *testing.T) {
	c, err := open(t, dump)
	if err != nil {
		t.Fatal(err)
	}
	if c.GPU != "amd-live" || c.Len() != 2 || c.Axis.End[1]-c.Axis.Start[1] != 1_250_000_000 || c.StartTime.Unix() != 1699999998 {
		t.Errorf("gpu %s, ends %v, began %v: microseconds have no leading zeros", c.GPU, c.Axis.End, c.StartTime)
	}
	for name, want := range map[string]float64{"grbm_samples": 150, "busy_gfx_ones": 75, "vram_used": 4 << 30, "sensor_sclk": 2e9} {
		if got := c.Counter(name); got == nil || got.Col.Data().Float(1) != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	for name, want := range map[string]float64{"vram_bytes": 16 << 30, "max_sclk_hz": 2.5e9} {
		if p, ok := c.Property(name); !ok || p.Number != want {
			t.Errorf("%s is %v, want %v", name, p, want)
		}
	}
}

func TestWhatIsNoDumpIsAnError(t *testing.T) {
	for text, want := range map[string]string{
		dump + "1700000001.9: bus 03, gpu 1.00%\n": "the time does not go on",
		dump + "1700000009.9: bus 03, gpu x%\n":    ":4: \"x%\" is no number",
		dump + "hello\n":                           ":4: it is no line",
	} {
		if _, err := open(t, text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text[len(dump):], err, want)
		}
	}
	c, err := open(t, dump+"1700000009.9: bus 03, gpu 1.0")
	if err != nil || c.Len() != 2 || len(c.Warnings) == 0 {
		t.Errorf("a line that breaks off: %v", err)
	}
}

func FuzzOpen(f *testing.F) {
	f.Add(dump)
	f.Add("1.1: bus 00, gpu 0%\n")
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
