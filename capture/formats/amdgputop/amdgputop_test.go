package amdgputop_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/formats"
	"astrolabe/capture/formats/amdgputop"
)

// line is an object as amdgpu_top prints it, with what is read of it.
func line(duration, busy int, card string) string {
	return fmt.Sprintf(`{"ROCm version":null,"amdgpu_top_version":{"major":0,"minor":11,"patch":5},"devices":[{"GRBM":{"Graphics Pipe":{"unit":"%%","value":%d},"Texture Pipe":{"unit":"%%","value":40}},`+
		`"GRBM2":{"Texture Cache per Pipe":{"unit":"%%","value":30}},"Info":{"DeviceName":"AMD Radeon RX 6800","DevicePath":{"card":"/dev/dri/%s","pci":"0000:03:00.0"},"GPU Clock":{"max":2475,"min":500},"Power Cap":{"current":203,"max":203,"min":183},"VRAM Size":17163091968},`+
		`"Sensors":{"Average Power":{"unit":"W","value":180},"CPU Core freq":[{"cur_freq":4000}],"Edge Temperature":{"unit":"C","value":61},"GFX_SCLK":{"unit":"MHz","value":2400},"Junction Temperature":{"unit":"C","value":75},"Input Power":null},`+
		`"Total fdinfo":{"GFX":{"unit":"%%","value":90},"VCN_Unified":null},"VRAM":{"Total VRAM Usage":{"unit":"MiB","value":4096}},"gpu_activity":{"GFX":{"unit":"%%","value":97},"Memory":{"unit":"%%","value":null}},`+
		`"gpu_metrics":{"Throttle Status":["PPT0"]}}],"period":{"duration":%d,"unit":"ms"},"timestamp":"2026-01-02T03:04:05+00:00","title":"amdgpu_top"}`+"\n", busy, card, duration)
}

func open(t *testing.T, text string, extra map[string]any) (*capture.Capture, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "log.json")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return formats.NewRegistry(amdgputop.Format{}).Open(context.Background(), path, formats.Options{Extra: extra})
}

func TestALogHasTheCountersOfTheCatalogue(t *testing.T) {
	c, err := open(t, line(1010, 98, "card1")+line(2020, 96, "card1"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if c.GPU != "amd-live" || c.Device.Name != "AMD Radeon RX 6800" || c.Axis.Start[1] != 1_010_000_000 || c.Axis.End[1] != 2_020_000_000 || c.StartTime.Year() != 2026 {
		t.Errorf("gpu %s, device %s, axis %v %v, began %v", c.GPU, c.Device.Name, c.Axis.Start, c.Axis.End, c.StartTime)
	}
	for name, want := range map[string]float64{"grbm_samples": 100, "busy_gfx_ones": 96, "busy_ta_ones": 40, "busy_tc_ones": 30, "gpu_busy_percent": 97,
		"sensor_sclk": 2.4e9, "power": 180, "power_cap": 203, "temperature": 75, "vram_used": 4 << 30, "engine_gfx": 909e6, "throttled": 100, "throttled_by_power": 100, "throttled_by_heat": 0} {
		if got := c.Counter(name); got == nil || got.Col.Data().Float(1) != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	for _, name := range []string{"mem_busy_percent", "power_now", "busy_cb_ones", "sensor_mclk"} {
		if c.Counter(name) != nil {
			t.Errorf("%s is there, but the log has none", name)
		}
	}
}

func TestLengthsOfPeriodsReadAsTimesSinceTheBeginningDo(t *testing.T) {
	c, err := open(t, line(1000, 1, "card1")+line(1003, 2, "card1")+line(1001, 3, "card1"), nil)
	if err != nil || c.Axis.End[2] != 3_004_000_000 {
		t.Fatalf("ends %v, %v", c.Axis.End, err)
	}
}

func TestOfSeveralGPUsTheBusiestIsRead(t *testing.T) {
	two := strings.Replace(line(1000, 5, "card0"), `}],"period"`, `},`+strings.Split(strings.Split(line(1000, 90, "card1"), `"devices":[`)[1], `],"period"`)[0]+`],"period"`, 1)
	two = strings.ReplaceAll(two, `"value":97`, `"value":1`)
	c, err := open(t, two, nil)
	if err != nil || c.Counter("busy_gfx_ones").Col.Data().Float(0) != 90 || !strings.Contains(strings.Join(c.Warnings, " "), "card=") {
		t.Fatalf("%v: want card1, and a warning", err)
	}
	if c, err = open(t, two, map[string]any{"card": "card0"}); err != nil || c.Counter("busy_gfx_ones").Col.Data().Float(0) != 5 {
		t.Errorf("%v: want card0", err)
	}
	if _, err = open(t, two, map[string]any{"card": "card7"}); err == nil || !strings.Contains(err.Error(), "card0, card1") {
		t.Errorf("card7: %v", err)
	}
}

func TestWhatBreaksOffIsLeftOut(t *testing.T) {
	whole := line(1000, 5, "card0")
	c, err := open(t, whole+whole[:200], nil)
	if err != nil || c.Len() != 1 || !strings.Contains(strings.Join(c.Warnings, " "), "breaks off") {
		t.Errorf("%v", err)
	}
	if _, err = open(t, strings.Replace(whole, `"duration":1000`, `"duration":-1`, 1), nil); err == nil || !strings.Contains(err.Error(), "-1 ms") {
		t.Errorf("a period of -1 ms: %v", err)
	}
}

func FuzzOpen(f *testing.F) {
	f.Add(line(1000, 5, "card0") + line(2000, 6, "card0"))
	f.Add(`{"amdgpu_top_version":{},"devices":[null],"period":{"duration":1}}`)
	f.Fuzz(func(t *testing.T, text string) {
		c, err := open(t, text, nil)
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

func TestTheSizeOfMemoryStandsInEitherPlace(t *testing.T) {
	beside := strings.Replace(line(1000, 98, "card1"), `"Total VRAM Usage"`, `"Total GTT":{"unit":"MiB","value":100},"Total VRAM":{"unit":"MiB","value":8176},"Total VRAM Usage"`, 1)
	for text, want := range map[string]float64{beside: 17163091968, strings.Replace(beside, `,"VRAM Size":17163091968`, "", 1): 8176 << 20} {
		c, err := open(t, text, nil)
		if err != nil {
			t.Fatal(err)
		}
		if p, _ := c.Property("vram_bytes"); p.Number != want {
			t.Errorf("vram_bytes is %v, want %v", p.Number, want)
		}
		if p, _ := c.Property("gtt_bytes"); p.Number != 100<<20 {
			t.Errorf("gtt_bytes is %v", p.Number)
		}
	}
}
