package csv

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/formats"
)

func unnamed(t *testing.T, text string) *capture.Capture {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.csv")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := formats.NewRegistry(Format{}).Open(context.Background(), path, formats.Options{Format: "csv"})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestTablesOfProcessorsAreNotAskedForTheirGPU(t *testing.T) {
	c := unnamed(t, "time_s,cpu_user (ms),cpu_idle (ms),cycles,cpus_online,other\n1,100,900,5000000,16,3\n2,120,880,6000000,16,4\n")
	if c.GPU != "cpu" || strings.Contains(strings.Join(c.Warnings, "\n"), "which GPU") {
		t.Errorf("GPU %q, warnings %q", c.GPU, c.Warnings)
	}
	if k := c.Counter("cpus_online").Kind; k != capture.Constant {
		t.Errorf("cpus_online is a %v", k)
	}
	for name, text := range map[string]string{
		"events that GPUs have too": "time_s,cycles,instructions\n1,100,900\n2,120,880\n",
		"a GPU beside":              "time_s,cpu_user (ms),shaders,texels,vertices\n1,100,9,9,9\n2,120,8,8,8\n",
	} {
		if c := unnamed(t, text); c.GPU != "" {
			t.Errorf("%s: taken for %s", name, c.GPU)
		}
	}
}

func TestSharesOfMonitorsAreThoseOfProcessors(t *testing.T) {
	for name, text := range map[string]string{
		"sadf": "# hostname;interval;timestamp;CPU;%user;%nice;%system;%iowait;%steal;%idle\n" +
			"db01;1;2026-11-30 10:00:00 UTC;-1;6.00;1.00;4.00;43.00;0.00;46.00\ndb01;1;2026-11-30 10:00:01 UTC;-1;6.00;1.00;4.00;43.00;0.00;46.00\n",
		"a table": "time_s,CPU user (%),CPU nice (%),CPU system (%),CPU iowait (%),CPU idle (%),CPU steal (%)\n1,6,1,4,43,46,0\n2,6,1,4,43,46,0\n",
		"vmstat":  "time,r,b,in,cs,us,sy,id,wa,st\n2026-11-30 10:00:00,1,9,500,21000,7,4,46,43,0\n2026-11-30 10:00:01,1,9,500,21000,7,4,46,43,0\n",
	} {
		c := unnamed(t, text)
		if c.GPU != "cpu" || len(c.Warnings) > 1 {
			t.Errorf("%s: GPU %q, warnings %q", name, c.GPU, c.Warnings)
		}
		for metric, want := range map[string]float64{"cpu_utilization": 11, "cpu_activity_user": 7, "cpu_activity_system": 4, "io_wait": 43, "idle_time": 46} {
			m := c.Counter(metric)
			if m == nil || m.Kind != capture.Gauge || m.Col.Data().Float(0) != want {
				t.Errorf("%s: %s is %+v, want %v", name, metric, m, want)
			}
		}
		if name == "vmstat" {
			if m := c.Counter("procs_blocked"); m == nil || m.Kind != capture.Gauge || c.Counter("ctxt") == nil {
				t.Errorf("tasks that wait are %+v", m)
			}
		}
	}
	// Columns of such names that are no shares of one whole are none.
	if c := unnamed(t, "time,us,sy,id\n1,7,4,1000\n2,7,4,1001\n"); c.GPU != "" || c.Counter("id") == nil {
		t.Errorf("identities are taken for shares of %q", c.GPU)
	}
}

// rocm-smi --csv in a loop writes its header and a blank line each time.
func TestAHeaderThatComesAgainIsNoRow(t *testing.T) {
	head := "device,GPU use (%),Average Graphics Package Power (W)\n"
	text := head + "card0,97,50.5\n\n" + head + "card0,98,51\n\n" + head + "card0,99,52\n"
	c := mustOpen(t, text, map[string]any{"period": "1s"})
	eq(t, "the use", values(t, c, "GPU use"), []float64{97, 98, 99})
	_, err := open(t, "x.csv", text+"card0,much,52\n", map[string]any{"period": "1s"})
	wantError(t, err, `x\.csv:9: column "GPU use`)
	if n := (Format{}).Sniff(&formats.Input{Path: "x.csv", Head: []byte(text), Size: int64(len(text))}); n == 0 {
		t.Error("it is not taken for a table")
	}
}

func TestMemoryOfAMDsMonitorIsInItsUnits(t *testing.T) {
	for unit, rows := range map[string]string{"MiB": "1,0,218,2000,300,16304\n2,0,218,2000,301,16304\n", "GiB": "1,0,218,2000,0.3,15.9\n2,0,218,2000,0.3,15.9\n"} {
		c := mustOpen(t, "timestamp,gpu,power_usage,gfx_clk,vram_used,vram_total\n"+rows, nil)
		for _, name := range []string{"vram_used", "vram_total"} {
			if got := c.Counter(name); got == nil || got.Unit != unit || got.Kind != capture.Gauge || got.Guessed {
				t.Errorf("%s is %v, want a level in %s", name, got, unit)
			}
		}
	}
	c := mustOpen(t, "timestamp,vram_used,vram_total\n1,300,16304\n2,301,16304\n", nil)
	if got := c.Counter("vram_used"); got.Unit != "" {
		t.Errorf("a table of another program is said to be in %s", got.Unit)
	}
}
