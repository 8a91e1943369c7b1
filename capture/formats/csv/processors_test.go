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

func unnamed(t *testing.T, text string) *capture.Capture {
	t.Helper()
	return of(t, "", text)
}

func of(t *testing.T, gpu, text string) *capture.Capture {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.csv")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := formats.NewRegistry(Format{}).Open(context.Background(), path, formats.Options{Format: "csv", GPU: gpu})
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
			if m := c.Counter("procs_blocked"); m == nil || m.Kind != capture.Gauge || c.Counter("system_context_switch_rate") == nil {
				t.Errorf("tasks that wait are %+v", m)
			}
		}
	}
	// Columns of such names that are no shares of one whole are none.
	if c := unnamed(t, "time,us,sy,id\n1,7,4,1000\n2,7,4,1001\n"); c.GPU != "" || c.Counter("id") == nil {
		t.Errorf("identities are taken for shares of %q", c.GPU)
	}
}

// Scripts join what sysstat prints, or the CPUs' loads, with the samples of a GPU.
func TestSharesOfCPUsBesideAGPUAreTheCPUs(t *testing.T) {
	c := of(t, "intel-cfl-gt2", "time_ms,GpuTime,GpuCoreClocks,EuActive,CPU user (%)[0],CPU user (%)[1]\n0,2000000,2000000,50,3,97\n2,2000000,2000000,50,5,97\n")
	if m, err := metrics.Resolve(c, "cpu/cpu_activity_user"); err != nil || len(m.Instances) != 2 || m.Instances[1].Total().Float() != 97 {
		t.Errorf("the load of each CPU is %v, %v", m, err)
	}
	c = of(t, "intel-cfl-gt2", "time_ms,GpuTime,GpuCoreClocks,EuActive,%user,%system,%iowait,%idle\n0,2000000,2000000,50,25,4,0,71\n2,2000000,2000000,50,25,4,0,71\n")
	if m, err := metrics.Resolve(c, "cpu/cpu_utilization"); err != nil || m.Total().Float() != 29 || c.GPU != "intel-cfl-gt2" {
		t.Errorf("the load of all CPUs is %v, %v", m, err)
	}
}

func TestSharesOfEachCPUMayHaveColumnsOfTheirOwn(t *testing.T) {
	c := unnamed(t, "time_s,cycles,%user[0],%system[0],%iowait[0],%idle[0],%user[1],%system[1],%iowait[1],%idle[1]\n"+
		"0,5000000,60,30,0,10,0,0,0,100\n1,5000000,60,30,0,10,0,0,0,100\n")
	busy := c.Counter("cpu_utilization")
	if c.GPU != "cpu" || busy == nil || len(busy.Instances) != 2 {
		t.Fatalf("GPU %q, %+v", c.GPU, busy)
	}
	for name, want := range map[string][3]float64{"cpu_utilization": {45, 90, 0}, "cpu_activity_system": {15, 30, 0}} {
		m := c.Counter(name)
		for i, one := range append([]*capture.Counter{m}, m.Instances...) {
			if got := one.Value(0).F; got != want[i] {
				t.Errorf("%s of %q is %v, want %v", name, one.Meta.Instance, got, want[i])
			}
		}
	}
}

func TestSharesBesidePerfsEventsAreThoseOfProcessors(t *testing.T) {
	c := unnamed(t, "time_s,task-clock (ms),context-switches,cycles,instructions,branches,branch-misses,LLC-load-misses,page-faults,CPU user (%),CPU system (%),CPU idle (%)\n"+
		"0,500,9,5000,4000,900,9,9,9,60,30,10\n1,500,9,5000,4000,900,9,9,9,60,30,10\n")
	if m := c.Counter("cpu_utilization"); c.GPU != "cpu" || m == nil || m.Value(0).F != 90 {
		t.Errorf("GPU %q, utilization %+v", c.GPU, m)
	}
	c = unnamed(t, "time_s,shaders,texels,vertices,fragments,tiles,lines,waves,reads,CPU user (%),CPU system (%),CPU idle (%)\n0,5,9,5,4,9,9,9,9,60,30,10\n1,5,9,5,4,9,9,9,9,60,30,10\n")
	if c.GPU == "cpu" {
		t.Error("a table of a GPU, with the loads of processors beside, was taken for one of processors")
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

func TestRowsOfCPUsAreInstances(t *testing.T) {
	for name, text := range map[string]string{
		"sadf -P ALL": "# hostname;interval;timestamp;CPU;%user;%nice;%system;%iowait;%steal;%idle\n" +
			"h;1;2026-11-30 10:00:00 UTC;-1;45;0;5;0;0;50\nh;1;2026-11-30 10:00:00 UTC;0;90;0;6;0;0;4\nh;1;2026-11-30 10:00:00 UTC;1;0;0;4;0;0;96\n" +
			"h;1;2026-11-30 10:00:01 UTC;-1;45;0;5;0;0;50\nh;1;2026-11-30 10:00:01 UTC;0;90;0;6;0;0;4\nh;1;2026-11-30 10:00:01 UTC;1;0;0;4;0;0;96\n",
		"mpstat": "timestamp,CPU,%usr,%nice,%sys,%iowait,%irq,%soft,%steal,%guest,%gnice,%idle\n" +
			"2026-11-30 10:00:00,all,45,0,5,0,0,0,0,0,0,50\n2026-11-30 10:00:00,0,90,0,6,0,0,0,0,0,0,4\n2026-11-30 10:00:00,1,0,0,4,0,0,0,0,0,0,96\n" +
			"2026-11-30 10:00:01,all,45,0,5,0,0,0,0,0,0,50\n2026-11-30 10:00:01,0,90,0,6,0,0,0,0,0,0,4\n2026-11-30 10:00:01,1,0,0,4,0,0,0,0,0,0,96\n",
		"without the sum": "time_s,CPU,%usr,%sys,%idle\n1,0,90,6,4\n1,1,0,4,96\n2,0,90,6,4\n2,1,0,4,96\n",
	} {
		c := unnamed(t, text)
		m := c.Counter("cpu_utilization")
		if c.Len() != 2 || m == nil || len(m.Instances) != 2 || m.Floats()[1] != 50 || m.Instances[0].Floats()[1] != 96 || m.Instances[1].Meta.Instance != "1" {
			t.Errorf("%s: %d samples, %+v", name, c.Len(), m)
		}
	}
	if c := unnamed(t, "time_s,CPU,GPU\n1,20,30\n2,25,31\n"); c.Counter("CPU") == nil {
		t.Error("a load that is called CPU is a label")
	}
}

func TestTablesOfSysstatAreOfProcessors(t *testing.T) {
	c := unnamed(t, "# hostname;interval;timestamp;pgpgin/s;pgpgout/s;fault/s;majflt/s\nh;2;2026-11-30 10:00:00 UTC;10;20;4000;300\nh;2;2026-11-30 10:00:02 UTC;10;20;4000;300\n")
	if m := c.Counter("major_fault_rate"); c.GPU != "cpu" || m == nil || m.Kind != capture.Gauge || m.Floats()[0] != 300 || c.Counter("pgpgin/s").Kind != capture.Gauge {
		t.Errorf("sar -B: %s, %+v", c.GPU, m)
	}
	c = unnamed(t, "Time,UID,PID,%usr,%system,%guest,%wait,%CPU,CPU,minflt/s,majflt/s,iodelay,cswch/s,nvcswch/s,Command\n"+
		"1700000000,0,7,50,10,0,40,60,3,100,5,50,9,1,a\n1700000000,0,8,20,20,0,0,40,1,0,0,50,0,0,b\n1700000002,0,7,50,10,0,40,60,3,100,5,50,9,1,a\n")
	for name, want := range map[string]float64{"task_clock": 2e9, "procs_running": 1.4, "procs_blocked": 0.5, "page_fault_rate": 105, "context_switch_rate": 10} {
		if m := c.Counter(name); m == nil || m.Floats()[0] != want {
			t.Errorf("pidstat: %s is %+v, want %v", name, m, want)
		}
	}
	if m := c.Counter("%CPU"); c.Len() != 2 || len(m.Instances) != 2 || m.Instances[1].Meta.Instance != "8 b" {
		t.Errorf("tasks are %+v", m)
	}
}

func TestCPUStatOfAControlGroupHasRunningTotals(t *testing.T) {
	c := unnamed(t, "timestamp,usage_usec,user_usec,system_usec,nr_periods,nr_throttled,throttled_usec\n"+
		"1700000000,1000,800,200,10,9,50\n1700000001,3000,2400,600,20,18,150\n1700000002,5000,4000,1000,30,27,250\n")
	for name, want := range map[string]float64{"task_clock": 2e6, "nr_periods": 10, "nr_throttled": 9, "throttled_usec": 100} {
		if m := c.Counter(name); m == nil || m.Floats()[1] != want || m.Count() != 2 || m.Kind != capture.Delta {
			t.Errorf("%s is %+v, want %v", name, m, want)
		}
	}
	if c.GPU != "cpu" {
		t.Errorf("GPU is %q", c.GPU)
	}
}

func TestLabelsMayBeAListInText(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.csv")
	if err := os.WriteFile(path, []byte("time_s,who,n\n1,4,5\n2,4,6\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"who", `["who"]`} {
		c, err := formats.NewRegistry(Format{}).Open(context.Background(), path, formats.Options{Format: "csv", Extra: map[string]any{"labels": text}})
		if err != nil || len(c.Labels) != 1 {
			t.Errorf("%s: %v", text, err)
		}
	}
}
