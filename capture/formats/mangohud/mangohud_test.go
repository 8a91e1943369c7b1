package mangohud_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/formats"
	"astrolabe/capture/formats/csv"
	"astrolabe/capture/formats/mangohud"
)

const (
	system  = "os,cpu,gpu,ram,kernel,driver,cpuscheduler\nSteamOS,a CPU,AMD Radeon RX 6800 XT,32768,6.11,Mesa 25.1,performance\n"
	columns = "fps,frametime,cpu_load,cpu_power,gpu_load,cpu_temp,gpu_temp,gpu_core_clock,gpu_mem_clock,gpu_vram_used,gpu_power,ram_used,swap_used,process_rss,cpu_mhz,elapsed\n"
	rows    = "60,16.667,20.5,0,97,60,80,2400,1000,11.5,250,9.1,0,1.2,4200,100000000\n60,16.667,21,0,98,61,81,2300,1000,11.5,252,9.1,0,1.2,4200,200000000\n"
)

func open(t *testing.T, text, gpu string) (*capture.Capture, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "game.csv")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return formats.NewRegistry(csv.Format{}, mangohud.Format{}).Open(context.Background(), path, formats.Options{GPU: gpu})
}

func TestALogHasTheNamesAndUnitsOfTheCatalogue(t *testing.T) {
	versioned := "v1\n0.8.1\n---------------------SYSTEM INFO---------------------\n" + system + "--------------------FRAME METRICS--------------------\n"
	for name, text := range map[string]string{"plain": system + columns + rows, "with versions": versioned + columns + rows} {
		c, err := open(t, text, "")
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if c.Format != "mangohud" || c.GPU != "amd-live" || c.Device.Name != "AMD Radeon RX 6800 XT" || c.Axis.End[1] != 200_000_000 {
			t.Errorf("%s: format %s, gpu %s, device %s, ends %v", name, c.Format, c.GPU, c.Device.Name, c.Axis.End)
		}
		for counter, want := range map[string]float64{"gpu_busy_percent": 97, "sensor_sclk": 2.4e9, "sensor_mclk": 1e9, "power": 250,
			"temperature": 80, "vram_used": 11.5 * (1 << 30), "fps": 60, "cpu_load": 20.5} {
			got := c.Counter(counter)
			if got == nil || got.Kind != capture.Gauge || got.Guessed || got.Col.Data().Float(0) != want {
				t.Errorf("%s: %s is %v, want a level of %v", name, counter, got, want)
			}
		}
		if c.Counter("cpu_power") != nil || !strings.Contains(strings.Join(c.Warnings, " "), "cpu_power is 0 throughout") {
			t.Errorf("%s: a power of 0 is no measurement; warnings %q", name, c.Warnings)
		}
	}
}

func TestWithoutTheSystemTheGPUIsWhatTheCallerSays(t *testing.T) {
	c, err := open(t, columns+rows, "")
	if err != nil || c.GPU != "" || !strings.Contains(strings.Join(c.Warnings, " "), "amd-live") {
		t.Fatalf("gpu %q, %v, warnings %q, want none and what to give", c.GPU, err, c.Warnings)
	}
	if c, err = open(t, columns+rows, "amd-live"); err != nil || c.Counter("sensor_sclk") == nil {
		t.Errorf("%v: no clock of the shaders", err)
	}
}

func TestRowsOfEachFrameAreFrames(t *testing.T) {
	text := system + columns
	for i := range 12 {
		text += strings.Replace("60,16.667,20,0,97,60,80,2400,1000,11.5,250,9.1,0,1.2,4200,END\n", "END", []string{"16667", "33334", "50001", "66668", "83335",
			"100002", "116669", "133336", "150003", "166670", "183337", "200004"}[i]+"000", 1)
	}
	c, err := open(t, text, "")
	if err != nil || c.Label("frame") == nil {
		t.Fatalf("no label of frames, %v", err)
	}
	if c, err = open(t, system+columns+rows, ""); err != nil || c.Label("frame") != nil {
		t.Errorf("rows of 100 ms are no frames of 17 ms: %v", err)
	}
}

func FuzzOpen(f *testing.F) {
	f.Add(system + columns + rows)
	f.Add(columns + "1,2\n")
	f.Add(system)
	f.Fuzz(func(t *testing.T, text string) {
		c, err := open(t, text, "")
		if err != nil {
			return
		}
		for _, one := range c.Counters {
			if one.Col != nil && one.Col.Len() != c.Len() {
				t.Fatalf("%s has %d values in %d samples", one.Name, one.Col.Len(), c.Len())
			}
		}
	})
}
