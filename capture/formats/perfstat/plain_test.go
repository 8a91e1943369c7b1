package perfstat

import (
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/metrics"
)

// The files in testdata/plain were written by perf 6.1 in the locales that their names tell, most of them on emulated
// counters.

func TestTextForPeopleHasExactCountsInEveryLocale(t *testing.T) {
	for name, events := range map[string]map[string]string{
		"german_repeated.txt": {"cpu-clock": "2.3039e+08", "page-faults": "2073", "cycles": "490093511",
			"cycles:noise": "3.1", "branch-misses": "1225635"},
		"indian.txt": {"cpu-clock": "6.1121e+08", "cycles": "1299127478", "instructions": "1948828294",
			"context-switches": "1106"},
		"multiplexed.txt": {"cycles": "446136839", "cycles:running": "23.04", "LLC-load-misses": "445048",
			"context-switches:noise": "103.62"},
		"behind_output.txt": {"cycles": "476472331", "page-faults": "5526"},
		"tool_events.txt": {"duration_time": "143268890", "user_time": "37940000", "system_time": "3693000",
			"page-faults": "140", "cycles": "-"},
		"append.txt": {"page-faults": "138 137", "task-clock": "3.807e+07 3.878e+07",
			"user_time": "39050000 34262000", "cycles": "- -"},
		"old.txt": {"task-clock": "1.06e+06", "context-switches": "2", "user_time": "1761000",
			"system_time": "0"},
		"old_intervals.txt": {"task-clock": "780000 0 60000", "page-faults": "76 - 0"},
		"table.txt":         {"task-clock": "3.953e+07", "page-faults": "139", "page-faults:noise": "1.27"},
		"summary.txt": {"branches": "9850798 10666530 11188315 10699745 753787",
			"task-clock": "2.22e+06 0 0 0 110000", "branch-misses": "98684 107359 111230 114318 -"},
	} {
		c := open(t, "plain/"+name)
		for event, text := range events {
			if got := values(c.Counter(event)); got != text {
				t.Errorf("%s: %s = %s, want %s", name, event, got, text)
			}
		}
		if c.GPU != "cpu" || c.Counter("done") != nil || c.Counter("elapsed") != nil {
			t.Errorf("%s: %s, %d counters", name, c.GPU, len(c.Counters))
		}
	}
}

func TestTheLengthOfTextForPeopleIsItsElapsedTime(t *testing.T) {
	for name, end := range map[string]int64{
		"german_repeated.txt": 115820000, "french_percore.txt": 107024480, "indian.txt": 305735638,
		"append.txt": 83585113 + 79846682, "table.txt": 108110000, "summary.txt": 106788463,
	} {
		c := open(t, "plain/"+name)
		if got := c.Axis.End[c.Len()-1]; got != end {
			t.Errorf("%s ends at %d ns, want %d", name, got, end)
		}
		for _, w := range c.Warnings {
			if strings.Contains(w, "longest time") {
				t.Errorf("%s: %s", name, w)
			}
		}
	}
}

func TestPlacesInTextForPeopleAreInstances(t *testing.T) {
	c := open(t, "plain/french_percore.txt")
	if in := c.Counter("cycles").Instance("S0-D0-C1"); in == nil || values(in) != "241865192" ||
		values(c.Counter("cycles:running").Instance("S0-D0-C0")) != "59.5" {
		t.Errorf("cycles of core 1: %+v", in)
	}
	c = open(t, "plain/percpu_intervals.txt")
	if in := c.Counter("cycles").Instance("0"); in == nil || !strings.HasPrefix(values(in), "64987090 77891698 ") ||
		c.Axis.End[0] != 30272369 {
		t.Errorf("cycles of CPU 0: %+v", in)
	}
	c = open(t, "plain/threads.txt")
	in := c.Counter("page-faults").Instances
	if len(in) != 1 || in[0].Meta.Instance != "sleep-20182" || !in[0].Value(0).Missing() {
		t.Errorf("threads: %+v", in)
	}
	c = open(t, "plain/cgroups.txt")
	if in := c.Counter("page-faults").Instance("/"); in == nil || values(in) != "6600" {
		t.Errorf("control group: %+v", c.Counter("page-faults"))
	}
	c = mustParse(t,
		" Performance counter stats for process id '1':\n\n  Web Content-77  1'234'567.89 msec task-clock  # 1 CPUs utilized\n  Web Content-77   1’234  faults:u\n\n 1.5 seconds time elapsed\n")
	if in := c.Counter("task-clock").Instance("Web Content-77"); in == nil || values(in) != "1.23456789e+06" ||
		c.Counter("faults:u").Instances[0].Value(0).Float() != 1234 {
		t.Errorf("a thread with a blank in its name: %+v", c.Counters)
	}
}

// cpus_utilized was off by a million, because task-clock is printed in msec.
func TestCPUsUtilizedIsWhatPerfSays(t *testing.T) {
	for name, says := range map[string]float64{"plain/old.txt": 0.010, "plain/tool_events.txt": 0.280,
		"total.csv": 0.011, "repeated.json": 0.01} {
		c := open(t, name)
		u, err := metrics.Resolve(c, "cpus_utilized")
		if err != nil {
			t.Fatal(err)
		}
		if v := u.Total().Float(); v < says-0.03 || v > says+0.03 && name != "repeated.json" || v > 1.1 || v < 0.005 {
			why, _ := u.Why(-1)
			t.Errorf("%s: cpus_utilized = %v (%s), perf says %v", name, v, why, says)
		}
	}
}

func TestEventsOfUserCodeStandForTheEvent(t *testing.T) {
	c := mustParse(t,
		" Performance counter stats for 'x':\n\n  1,000      cycles:u\n  2,000      instructions:u\n\n 0.5 seconds time elapsed\n")
	c, err := c.With(func(cfg *capture.Config) { cfg.GPU = "cpu" })
	if err != nil {
		t.Fatal(err)
	}
	ipc, err := metrics.Resolve(c, "ipc")
	if err != nil || ipc.Total().Float() != 2 {
		why, _ := ipc.Why(-1)
		t.Errorf("ipc = %v, %v, %s", ipc.Total().Float(), err, why)
	}
	if w := c.Counter("cycles:u").Warnings; len(w) != 1 || !strings.Contains(w[0], "programs") {
		t.Errorf("warnings %q", w)
	}
}

// A table of ours with two labels looked like "value,unit,event" to the sniffer.
func TestATableWithTwoLabelsIsNotTakenForPerfStat(t *testing.T) {
	table := "start (ns),end (ns),metric_set,engine,GpuTime (ns),Load (percent)\n" +
		strings.Repeat("0,1000,RenderBasic,rcs0,5,100.00\n", 30)
	if f, why := judge([]byte(table)); f != formNone || why != nil {
		t.Errorf("form %d, %v", f, why)
	}
	if f, _ := judge([]byte(strings.SplitN(table, "\n", 2)[1])); f != formNone {
		t.Error("without its header it is taken for perf stat")
	}
	if f, _ := judge(
		[]byte("5,,a,9,100.00,,\n1.2,msec,task-clock,9,100.00,,\n3,Joules,power/energy-pkg/,9,100.00,,\n")); f !=
		formFields {
		t.Error("perf stat -x is not recognised")
	}
}

func FuzzPlain(f *testing.F) {
	f.Add(
		" Performance counter stats for 'x' (3 runs):\n\n  1,000      cycles:u   # 1 GHz ( +- 2.5% )  (25.00%)\n S0-D0 2  1 msec a\n\n 0.5 seconds time elapsed\n 0.1 seconds user\n")
	f.Add("#           time             counts unit events\n     0.100178609      <not counted> msec task-clock\n")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := parse(text)
		if err != nil {
			return
		}
		for i := range c.Len() {
			if c.Axis.End[i] < c.Axis.Start[i] {
				t.Fatalf("sample %d covers [%d, %d)", i, c.Axis.Start[i], c.Axis.End[i])
			}
		}
	})
}

// Of perf before Linux 6.3, after, and in intervals.
func TestTopdownHasSharesOfSlots(t *testing.T) {
	for name, text := range map[string]string{
		"cores": "\n Performance counter stats for 'system wide':\n\n        retiring      bad speculation       frontend bound        backend bound\n" +
			"S0-D0-C0           2    30.0%                10.0%                20.0%                40.0%\nS0-D0-C1           2    50.0%                10.0%                20.0%                20.0%\n\n       2.000000000 seconds time elapsed\n\n",
		"metrics": " Performance counter stats for './a':\n\n %  tma_backend_bound  %  tma_retiring  %  tma_bad_speculation  %  tma_frontend_bound \n" +
			"                 30.0            40.0                   10.0                  20.0 \n\n       2.000000000 seconds time elapsed\n",
		"intervals": "#           time             retiring      bad speculation       frontend bound        backend bound     memory bound           Core bound\n" +
			"     2.000000000                40.0%                10.0%                20.0%                30.0%        20.0%      10.0%\n",
		"names that go on": " Performance counter stats for './a':\n\n %  tma_backend_bound %  tma_info_other  %  tma_retiring  %  tma_bad_speculation  %  tma_frontend_bound \n" +
			"                 30.0            7.0  40.0                   10.0                  20.0 \n\n       2.000000000 seconds time elapsed\n",
	} {
		c, err := mustParse(t, text).With(func(cfg *capture.Config) { cfg.GPU = "cpu" })
		if err != nil {
			t.Fatal(err)
		}
		m, err := metrics.Resolve(c, "retiring_slots")
		if err != nil || c.Len() != 1 || c.Axis.End[0] != 2e9 || m.Total().Float() != 40 || len(c.Counter("topdown-fe-bound").Instances) != map[string]int{"cores": 2}[name] {
			t.Errorf("%s: %v, slots %v, warnings %q", name, c.Axis.End, m, c.Warnings)
		}
	}
}

func TestThreadsOfAProgramAreNoCPUs(t *testing.T) {
	for name, text := range map[string]string{
		"for people": " Performance counter stats for './a':\n\n a-7      10.00 msec task-clock   # 0.500 CPUs utilized\n b-8       5.00 msec task-clock   # 0.250 CPUs utilized\n\n 0.020000000 seconds time elapsed\n",
		"csv":        "a-7,10.00,msec,task-clock,10000000,100.00,0.500,CPUs utilized\nb-8,5.00,msec,task-clock,5000000,100.00,0.250,CPUs utilized\n",
	} {
		c := mustParse(t, text)
		if p, _ := c.Property(capture.Counted); p.Text != capture.Threads || len(c.Counter("task-clock").Instances) != 2 {
			t.Errorf("%s: counted %q", name, p.Text)
		}
	}
}
