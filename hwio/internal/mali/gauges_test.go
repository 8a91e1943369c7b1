package mali

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"astrolabe/capture"
	"astrolabe/hwio/internal/sysroot"
)

// tree writes files below a folder.
func tree(t *testing.T, files map[string]string) sysroot.Root {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return sysroot.At(dir)
}

func TestGaugesAreFoundAndRead(t *testing.T) {
	root := tree(t, map[string]string{
		"sys/class/devfreq/13000000.mali/cur_freq":    "850000000\n",
		"sys/class/devfreq/13000000.mali/load":        "45@850000000Hz\n",
		"sys/class/devfreq/dmc/cur_freq":              "2133000000\n",
		"sys/class/devfreq/other/cur_freq":            "1\n",
		"sys/class/misc/mali0/device/clock":           "850\n",
		"sys/class/thermal/thermal_zone0/type":        "cpu-thermal\n",
		"sys/class/thermal/thermal_zone0/temp":        "40000\n",
		"sys/class/thermal/thermal_zone3/type":        "gpu-thermal\n",
		"sys/class/thermal/thermal_zone3/temp":        "61500\n",
		"sys/class/thermal/thermal_zone4/type":        "G3D\n",
		"sys/class/thermal/thermal_zone4/temp":        "62500\n",
		"sys/class/thermal/cooling_device0/type":      "gpu\n",
		"sys/class/misc/mali0/device/utilization":     "17\n",
		"sys/class/devfreq/13000000.mali/target_freq": "9\n",
	})
	const dir = "/sys/class/misc/mali0/device"
	g := OpenGauges(root, dir, "test", time.Second, everything)
	defer g.Close()
	b := capture.NewBatch(&capture.Schema{Columns: g.Columns}, 1)
	g.Append(b, 0)
	got := map[string]float64{}
	for i, c := range g.Columns {
		got[c.Meta.Name+c.Meta.Instance] = b.Cols[i].F[0]
		if c.Meta.Kind != capture.Gauge || c.Meta.Unit == "" || c.Meta.Doc == "" {
			t.Errorf("%+v", c.Meta)
		}
	}
	want := map[string]float64{
		"gpu_frequency": 850e6, "gpu_utilisation": 45, "memory_frequency": 2133e6, "gpu_temperaturegpu-thermal": 61.5, "gpu_temperatureG3D": 62.5,
	}
	for name, v := range want {
		if got[name] != v {
			t.Errorf("%s = %v, want %v", name, got[name], v)
		}
	}
	if len(got) != len(want) {
		t.Errorf("gauges %v", got)
	}
	// Both temperatures are one.
	if names := GaugeMetas(root, dir, "test"); len(names) != len(want)-1 {
		t.Errorf("%d gauges are listed", len(names))
	}
	if err := g.Close(); err != nil {
		t.Error(err)
	}
}

func TestTheClockFilesUnitShowsInItsSize(t *testing.T) {
	for text, want := range map[string]float64{"850000000": 850e6, "850000\n": 850e6, "850": 850e6, "0": 0, "26000000": 26e6} {
		if got := clockHz([]byte(text)); got != want {
			t.Errorf("%q is %v Hz, want %v", text, got, want)
		}
	}
	for _, text := range []string{"", "off", "-5"} {
		if got := clockHz([]byte(text)); !math.IsNaN(got) {
			t.Errorf("%q is %v Hz", text, got)
		}
	}
	if got := share([]byte("101")); !math.IsNaN(got) {
		t.Errorf("101 %% became %v", got)
	}
}

func TestAMachineWithoutGaugesHasNone(t *testing.T) {
	g := OpenGauges(tree(t, nil), "", "test", time.Second, everything)
	if len(g.Columns) != 0 {
		t.Errorf("%v", g.Columns)
	}
	if err := g.Close(); err != nil {
		t.Error(err)
	}
	if err := g.Close(); err != nil {
		t.Error("second Close:", err)
	}
}

func TestSetOfGroupsCoversEveryValueAskedFor(t *testing.T) {
	var m Mask
	var want []int
	for _, i := range []int{4, 63, 64, 127} {
		m.addGroup(i)
		want = append(want, i/4)
	}
	var got []int
	for g := range 32 {
		if m.Groups()>>g&1 != 0 {
			got = append(got, g)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("groups %v, want %v", got, want)
	}
}
