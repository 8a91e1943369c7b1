package csv

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/formats"
	"astrolabe/capture/metrics"
)

func export(t *testing.T, text, gpu string) *capture.Capture {
	t.Helper()
	path := filepath.Join(t.TempDir(), "export.csv")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := formats.NewRegistry(Format{}).Open(context.Background(), path, formats.Options{GPU: gpu})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Exports of Streamline, as its charts and gatord's list of counters head columns: with units and without, per core, and the three constants.
func TestExportsOfStreamlineAreReadByTheirTitles(t *testing.T) {
	const charts = `Time (ms),Mali GPU Cycles: GPU active (cycles),Mali GPU Cycles: Fragment queue active,Mali External Bus Beats: Read beats (beats),` +
		`$MaliConstantsBusWidthBits,Mali Constants: Shader Core Count,Mali Shader Core Cycles: Fragment active[0],Mali Shader Core Cycles: Fragment active[1],` +
		`Mali Shader Core Cycles: Non-fragment active (cycles)
0,1000,600,10,128,2,300,500,400
1,1000,400,30,128,2,300,500,400
`
	want := map[string]float64{
		"gpu_active_cycles": 2000, "fragment_queue_utilization": 50, "output_external_read_bytes": 640, "shader_core_count": 2,
		"fragment_utilization": 40, "non_fragment_utilization": 20,
	}
	ids := strings.NewReplacer("Mali GPU Cycles: GPU active (cycles)", "ARM_Mali-G52_GPU_ACTIVE", "Mali GPU Cycles: Fragment queue active", "ARM_Mali-G52_JS0_ACTIVE").Replace(charts)
	for name, c := range map[string]struct{ text, gpu string }{"charts": {charts, "mali-g52"}, "ids": {ids, ""}} {
		got := export(t, c.text, c.gpu)
		if got.GPU != "mali-g52" || len(got.Warnings) > 0 {
			t.Errorf("%s: of %q, warnings %q", name, got.GPU, got.Warnings)
		}
		for metric, x := range want {
			m, err := metrics.Resolve(got, metric)
			if err != nil {
				t.Error(err)
			} else if v := m.Total(); v.Missing() || v.Float() != x {
				t.Errorf("%s: %s is %v, want %v", name, metric, v, x)
			}
		}
	}
}

func TestAnExportOfTwoGPUsSaysOfNone(t *testing.T) {
	c := export(t, "time,ARM_Mali-G52_GPU_ACTIVE,ARM_Mali-G720_GPU_ACTIVE\n0,1,2\n1,1,2\n", "")
	if c.GPU != "" || !strings.Contains(strings.Join(c.Warnings, "\n"), "does not say which GPU") {
		t.Errorf("of %q, warnings %q", c.GPU, c.Warnings)
	}
}
