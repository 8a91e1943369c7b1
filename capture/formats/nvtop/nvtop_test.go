package nvtop_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/formats"
	"astrolabe/capture/formats/nvtop"
)

const shot = `[
  {
   "device_name": "AMD Radeon RX 6600",
   "gpu_clock": "2044MHz",
   "mem_clock": "875MHz",
   "temp": "64C",
   "fan_speed": "40%",
   "power_draw": "98W",
   "gpu_util": "97%",
   "encode": null,
   "mem_util": "50%",
   "mem_total": "8000000000",
   "mem_used": "4000000000",
   "mem_free": "4000000000",
   "processes" : [{"pid": "1", "cmdline": "game"}]
  }
]
`

func open(t *testing.T, text string, extra map[string]any) (*capture.Capture, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "shots.json")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return formats.NewRegistry(nvtop.Format{}).Open(context.Background(), path, formats.Options{Extra: extra})
}

func TestSnapshotsHaveTheCountersOfTheCatalogue(t *testing.T) {
	c, err := open(t, shot+strings.Replace(shot, "64C", "122F", 1)+strings.Replace(shot, `"98W"`, "null", 1), map[string]any{"period": "500ms"})
	if err != nil {
		t.Fatal(err)
	}
	if c.GPU != "amd-live" || c.Len() != 3 || c.Axis.End[2] != 1_500_000_000 || len(c.Warnings) > 0 {
		t.Errorf("gpu %s, ends %v, warnings %q", c.GPU, c.Axis.End, c.Warnings)
	}
	for name, want := range map[string]float64{"gpu_busy_percent": 97, "sensor_sclk": 2044e6, "temperature": 50, "power": 98, "vram_used": 4e9, "mem_util": 50} {
		if got := c.Counter(name); got == nil || got.Col.Data().Float(1) != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	if got := c.Counter("power").Floats()[2]; got == got {
		t.Errorf("what is null reads %v", got)
	}
	if p, ok := c.Property("vram_bytes"); !ok || p.Number != 8e9 {
		t.Errorf("vram_bytes is %v", p)
	}
}

func TestTheGPUThatWorksIsReadAndTheOthersTold(t *testing.T) {
	two := strings.Replace(shot, "[\n", "[{\"device_name\": \"NVIDIA T4\", \"gpu_util\": \"1%\"},\n", 1)
	c, err := open(t, two+two, nil)
	if err != nil || c.Device.Name != "AMD Radeon RX 6600" || len(c.Warnings) != 2 || !strings.Contains(c.Warnings[1], "2 GPUs") || !strings.Contains(c.Warnings[0], "period=") {
		t.Fatalf("%v, %q: %v", c.Device, c.Warnings, err)
	}
	if c, err = open(t, two, map[string]any{"device": "0", "period": "1s"}); err != nil || c.GPU != "" || c.Device.Name != "NVIDIA T4" {
		t.Errorf("device 0 is %v of %q: %v", c.Device, c.GPU, err)
	}
}

func TestWhatIsNoSnapshotIsAnError(t *testing.T) {
	for text, want := range map[string]string{
		shot + "[]\n": "snapshot 2 has no GPU",
		shot + "what": ":18: snapshot 2: invalid character",
		shot + strings.Replace(shot, "97%", "much", 1):      `snapshot 2: "much" is no number in the unit of gpu_busy_percent`,
		`[{"device_name": "AMD", "gpu_util": null}]`:        "its driver tells nothing",
		shot + `[{"device_name": 7, "gpu_util": "1%"}]`:     "snapshot 2: json",
		strings.Replace(shot, `"2044MHz"`, `"-2044MHz"`, 1): "is no number in the unit of sensor_sclk",
	} {
		if _, err := open(t, text, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text[max(0, len(text)-20):], err, want)
		}
	}
	for name, v := range map[string]any{"period": "soon", "device": "-1", "card": "card0"} {
		if _, err := open(t, shot, map[string]any{name: v}); err == nil {
			t.Errorf("%s=%v is taken", name, v)
		}
	}
	c, err := open(t, shot+shot[:40], nil)
	if err != nil || c.Len() != 1 || !strings.Contains(c.Warnings[0], "breaks off") {
		t.Errorf("a snapshot that breaks off: %v", err)
	}
}

func FuzzOpen(f *testing.F) {
	f.Add(shot)
	f.Add(`[{"device_name": "AMD", "gpu_util": "1%"}]`)
	f.Fuzz(func(t *testing.T, text string) {
		c, err := open(t, text, nil)
		if err == nil && (c.Len() == 0 || len(c.Counters) == 0) {
			t.Fatal("a capture of nothing")
		}
	})
}
