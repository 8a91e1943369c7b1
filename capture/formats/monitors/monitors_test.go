package monitors_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/formats"
	"astrolabe/capture/formats/monitors"
)

func open(t *testing.T, text string) (*capture.Capture, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "log.txt")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return formats.NewRegistry(monitors.Format{}).Open(context.Background(), path, formats.Options{})
}

func opened(t *testing.T, text string) *capture.Capture {
	t.Helper()
	c, err := open(t, text)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func check(t *testing.T, c *capture.Capture, row int, want map[string]float64) {
	t.Helper()
	for name, v := range want {
		if m := c.Counter(name); m == nil || math.Abs(m.Floats()[row]-v) > 1e-9*v {
			t.Errorf("%s is %+v, want %v", name, m, v)
		}
	}
}

const vmstat = `procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----
 r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st
 9  0      0 402204 303208 8686376    0    0     2    10    0    0  5  6 89  0  0
 1  3 1992040 114300   1204 244116 8120 9340 10240  9520 3120 4511 12 18  8 62  0
 2  4 1998120 109872   1196 239876 9912 7804 11220  8040 3305 4720 10 20  6 64  0
`

func TestVMStatLeavesOutTheMeanSinceTheStart(t *testing.T) {
	c := opened(t, vmstat)
	if c.GPU != "cpu" || c.Len() != 2 || c.Axis.End[1] != 2e9 || len(c.Warnings) != 2 {
		t.Errorf("%s, %d samples to %v, warnings %q", c.GPU, c.Len(), c.Axis.End, c.Warnings)
	}
	check(t, c, 0, map[string]float64{"cpu_utilization": 30, "io_wait": 62, "procs_running": 1, "procs_blocked": 3, "system_context_switch_rate": 4511, "si": 8120})
	c = opened(t, "procs ---memory--- -----timestamp-----\n r b swpd free buff cache si so bi bo in cs us sy id wa st gu                 CET\n"+
		"1 0 0 1 1 1 0 0 0 0 5 6 1 1 98 0 0 0 2026-11-30 10:00:00\n1 0 0 1 1 1 0 0 0 0 5 6 50 0 50 0 0 0 2026-11-30 10:00:02\n1 0 0 1 1 1 0 0 0 0 5 6 60 0 40 0 0 0 2026-11-30 10:00:04\n")
	if c.Len() != 2 || c.Axis.End[1]-c.Axis.Start[1] != 2e9 {
		t.Errorf("with times: %v %v", c.Axis.Start, c.Axis.End)
	}
	check(t, c, 1, map[string]float64{"cpu_utilization": 60})
}

const mpstat = `Linux 6.1.0 (host) 	11/30/26 	_x86_64_	(2 CPU)

11:59:58 PM  CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle
11:59:59 PM  all   50,00    0,00    0,00    0,00    0,00    0,00    0,00    0,00    0,00   50,00
11:59:59 PM    0  100,00    0,00    0,00    0,00    0,00    0,00    0,00    0,00    0,00    0,00
11:59:59 PM    1    0,00    0,00    0,00    0,00    0,00    0,00    0,00    0,00    0,00  100,00

11:59:59 PM  CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle
12:00:00 AM  all   40,00    0,00    0,00    0,00    0,00    0,00    0,00    0,00    0,00   60,00
12:00:00 AM    0   80,00    0,00    0,00    0,00    0,00    0,00    0,00    0,00    0,00   20,00
12:00:00 AM    1    0,00    0,00    0,00    0,00    0,00    0,00    0,00    0,00    0,00  100,00

Average:     CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle
Average:     all   45,00    0,00    0,00    0,00    0,00    0,00    0,00    0,00    0,00   55,00
`

func TestMPStatHasInstancesAndGoesOnAfterMidnight(t *testing.T) {
	c := opened(t, mpstat)
	m := c.Counter("cpu_utilization")
	if c.Len() != 2 || c.Axis.Start[0] != 0 || c.Axis.End[1] != 2e9 || len(m.Instances) != 2 || m.Instances[0].Floats()[1] != 80 {
		t.Errorf("%v, %+v", c.Axis.End, m)
	}
	check(t, c, 1, map[string]float64{"cpu_utilization": 40, "cpus_online": 2})
}

func TestTablesOfSarAreJoinedByTheirTimes(t *testing.T) {
	c := opened(t, `Linux 6.1.0 (host)	2026-11-30	_aarch64_	(4 CPU)

10:00:01     CPU     %user     %nice   %system   %iowait    %steal     %idle
10:00:02     all     10.00      0.00     10.00     30.00      0.00     50.00
10:00:03     all     20.00      0.00     10.00     30.00      0.00     40.00

10:00:01    runq-sz  plist-sz   ldavg-1   ldavg-5  ldavg-15   blocked
10:00:02          7       400      1.50      1.00      0.50         2
10:00:03          9       400      1.50      1.00      0.50         3

10:00:01  %scpu-10  %scpu-60 %scpu-300     %scpu
10:00:02      1.00      1.00      1.00     12.50
10:00:03      1.00      1.00      1.00     13.50

10:00:01     CPU       MHz
10:00:02     all   2000.00
10:00:03     all   2100.00

10:00:01     DEV       tps     %util
10:00:02  dev8-0      1.00      2.00
10:00:02  dev8-1      3.00      4.00
10:00:03  dev8-0      1.00      2.00
10:00:03  dev8-1      3.00      5.00
Average:  dev8-1      3.00      4.50
`)
	if c.Len() != 2 {
		t.Errorf("%d samples", c.Len())
	}
	check(t, c, 1, map[string]float64{"cpu_utilization": 30, "io_wait": 30, "procs_running": 9, "procs_blocked": 3, "load_1m": 1.5, "cpu_pressure": 13.5, "MHz": 2100, "%util": 3.5})
}

func TestSeveralTablesOfSadfAreJoined(t *testing.T) {
	c := opened(t, "h;-1;2026-11-30 09:59:00 UTC;LINUX-RESTART\t(4 CPU)\n# hostname;interval;timestamp;CPU;%user;%nice;%system;%iowait;%steal;%idle\n"+
		"h;600;2026-11-30 10:10:00 UTC;-1;25.00;0.00;1.00;0.00;0.00;74.00\nh;600;2026-11-30 10:20:00 UTC;-1;26.00;0.00;1.00;0.00;0.00;73.00\n"+
		"# hostname;interval;timestamp;proc/s;cswch/s\nh;600;2026-11-30 10:10:00 UTC;5.00;1000.00\nh;600;2026-11-30 10:20:00 UTC;5.00;1200.00\n")
	if c.Len() != 2 || c.Axis.End[1] != 1200e9 || c.StartTime.Minute() != 0 {
		t.Errorf("%v from %v", c.Axis.End, c.StartTime)
	}
	check(t, c, 1, map[string]float64{"cpu_utilization": 27, "system_context_switch_rate": 1200, "cpus_online": 4})
}

func TestPIDStatAddsUpTasks(t *testing.T) {
	c := opened(t, `Linux 6.1.0 (host) 	11/30/26 	_x86_64_	(1 CPU)

# Time        UID       PID    %usr %system  %guest   %wait    %CPU   CPU  minflt/s  majflt/s     VSZ     RSS   %MEM   kB_rd/s   kB_wr/s kB_ccwr/s iodelay   cswch/s nvcswch/s  Command
1700000001        0        7   50.00   10.00    0.00  140.00   60.00     0    100.00      0.00       1       1   0.01     0.00      0.00      0.00      50      9.00      1.00  my server
1700000001        0        8   40.00    0.00    0.00    0.00   40.00     0      0.00      0.00       1       1   0.01     0.00      0.00      0.00       0      0.00      0.00  b

# Time        UID       PID    %usr %system  %guest   %wait    %CPU   CPU  minflt/s  majflt/s     VSZ     RSS   %MEM   kB_rd/s   kB_wr/s kB_ccwr/s iodelay   cswch/s nvcswch/s  Command
1700000002        0        7   90.00   10.00    0.00  100.00  100.00     0    100.00      0.00       1       1   0.01     0.00      0.00      0.00      50      9.00      1.00  my server
`)
	check(t, c, 0, map[string]float64{"task_clock": 1e9, "procs_running": 2.4, "procs_blocked": 0.5, "minor_fault_rate": 100, "context_switch_rate": 10, "cpu_utilization": 100})
	if m := c.Counter("%CPU"); len(m.Instances) != 2 || m.Instances[0].Meta.Instance != "7 my server" {
		t.Errorf("tasks are %+v", m)
	}
}

func TestTurbostatHasItsClocks(t *testing.T) {
	c := opened(t, "Core\tCPU\tAvg_MHz\tBusy%\tBzy_MHz\tTSC_MHz\tIPC\tIRQ\tCoreTmp\tPkgTmp\tPkgWatt\n-\t-\t1000\t50.00\t2000\t2500\t1.5\t90\t80\t90\t65.10\n"+
		"0\t0\t2000\t100.00\t2000\t2500\t1.5\t50\t80\t90\t65.10\n1\t1\t0\t0.00\t1000\t2500\t0.5\t40\t70\n"+
		"Core\tCPU\tAvg_MHz\tBusy%\tBzy_MHz\tTSC_MHz\tIPC\tIRQ\tCoreTmp\tPkgTmp\tPkgWatt\n-\t-\t1000\t50.00\t2000\t2500\t1.5\t90\t80\t90\t65.10\n")
	check(t, c, 0, map[string]float64{"cpu_utilization": 50, "cpu_frequency": 2e9, "reference_ratio": 0.8, "temperature": 90, "ipc": 1.5})
	if m := c.Counter("cpu_utilization"); c.Len() != 2 || len(m.Instances) != 2 || m.Instances[0].Floats()[0] != 100 {
		t.Errorf("%d samples, CPUs are %+v", c.Len(), m)
	}
}

func TestBadTextIsAnErrorWithItsLine(t *testing.T) {
	for text, want := range map[string]string{
		vmstat + " 1 2 3\n":                                      ":6: 3 values below a header of 17 columns",
		strings.Replace(mpstat, "80,00", "x", 1):                 ":10: column %usr: \"x\" is no number",
		strings.Replace(mpstat, "12:00:00 AM", "11:59:00 PM", 1): ":9: the time goes back by 59s",
	} {
		if _, err := open(t, text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if c := opened(t, vmstat+" 1  3 19920"); c.Len() != 2 || len(c.Warnings) != 3 {
		t.Errorf("a line that breaks off: %q", c.Warnings)
	}
	for _, text := range []string{"", "a b c\n1 2 3\n", "10:00:01 error: 5% of requests failed\n", strings.Join(strings.SplitAfter(vmstat, "\n")[:2], "")} {
		if _, err := open(t, text); err == nil {
			t.Errorf("%q is taken for a log of a monitor", text)
		}
	}
}

func FuzzOpen(f *testing.F) {
	f.Add(vmstat)
	f.Add(mpstat)
	f.Add("# hostname;interval;timestamp;CPU;%idle\nh;1;2026-11-30 10:00:00 UTC;-1;1.0\n# hostname;interval;timestamp;runq-sz\nh;1;2026-11-30 10:00:00 UTC;1\n")
	f.Add("# Time UID PID %CPU Command\n1700000001 0 7 1.0 a b\n")
	f.Add("CPU\tAvg_MHz\tBusy%\tBzy_MHz\n-\t1\t2\t3\n0\t1\t2\t3\n")
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
		for _, m := range c.Counters {
			m.Floats()
		}
	})
}

// sar -A and mpstat -A print tables that are not known, such as that of interrupts, between those that are.
func TestTablesThatAreNotKnownArePassedOver(t *testing.T) {
	c := opened(t, "Linux 6.1 (h) \t11/30/26 \t_x86_64_\t(2 CPU)\n\n19:58:14        CPU      %usr     %sys    %idle\n19:58:15        all     90.00      9.00      1.00\n\n"+
		"19:58:14         INTR       all      CPU0      CPU1\n19:58:15          sum   3140.59   1609.90   1530.69\n19:58:15          NMI      0.00      0.00      0.00\n\n"+
		"19:58:15        CPU      %usr     %sys    %idle\n19:58:16        all     80.00      9.00     11.00\n")
	if m := c.Counter("cpu_utilization"); c.Len() != 2 || m == nil || m.Floats()[0] != 99 || m.Floats()[1] != 89 {
		t.Errorf("%d samples, %+v", c.Len(), m)
	}
}

// pidstat -t has a row for a process and rows for its threads, which did the same work.
func TestThreadsAreNotCountedWithTheirProcess(t *testing.T) {
	rows := "        0      8511         -   46.00   15.00    0.00   69.00   61.00     1  p\n%[1]s        0         -      8511   23.00    6.00    0.00   69.00   29.00     1  |__p\n%[1]s        0         -      8514   23.00    9.00    0.00   66.00   32.00     0  |__p\n"
	text := "Linux 6.1 (h) \t11/30/26 \t_x86_64_\t(2 CPU)\n"
	for _, at := range []string{"19:59:28", "19:59:29"} {
		text += "\n19:59:27      UID      TGID       TID    %usr %system  %guest   %wait    %CPU   CPU  Command\n" + at + fmt.Sprintf(rows, at)
	}
	c := opened(t, text)
	if m := c.Counter("%CPU"); m == nil || m.Floats()[1] != 61 || len(m.Instances) != 2 {
		t.Errorf("%+v", m)
	}
}

// What sysstat 12.6 and procps 4.0 wrote of a machine of two busy CPUs, to the last table.
func TestWhatTheProgramsWroteOpens(t *testing.T) {
	for name, want := range map[string]struct {
		samples int
		values  map[string]float64 // of the first sample
	}{
		"mpstat":    {3, map[string]float64{"cpu_activity_user": 89, "cpu_activity_system": 11}},
		"vmstat-t":  {2, map[string]float64{"cpu_activity_user": 91, "system_context_switch_rate": 4904}},
		"sar-A":     {2, map[string]float64{"cpu_activity_user": 90.1, "system_context_switch_rate": 5043.56, "procs_running": 6}},
		"pidstat-t": {2, map[string]float64{"%CPU": 161.32, "%usr": 140.56}},
	} {
		text, err := os.ReadFile(filepath.Join("testdata", name+".txt"))
		if err != nil {
			t.Fatal(err)
		}
		c := opened(t, string(text))
		if c.Len() != want.samples || c.GPU != "cpu" {
			t.Errorf("%s: %d samples of %s", name, c.Len(), c.GPU)
			continue
		}
		check(t, c, 0, want.values)
	}
}
