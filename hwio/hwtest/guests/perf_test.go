package guests

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"astrolabe/capture"
)

// counted makes the guest's time that of its instructions: one takes a nanosecond, and where nothing runs time leaps to the next timer. There is one
// processor: QEMU's counter unit counts the instructions of all.
var counted = []string{"-icount", "shift=0,sleep=off"}

const rounds = 1_000_000

// The kernel's own driver of the counter unit (PMUv3) schedules groups on six counters and one for cycles that count what is known.
func TestGuestCountsInstructionsOfArm64(t *testing.T) {
	for _, kernel := range []string{"arm64-6.1", "arm64-6.12"} {
		t.Run(kernel, func(t *testing.T) {
			t.Parallel()
			countsInstructions(t, kernel)
		})
	}
}

func countsInstructions(t *testing.T, kernel string) {
	m := Boot(t, Options{Kernel: kernel, Machine: counted, Files: map[string][]byte{
		"/bin/loop1": loop(1), "/bin/loop": loop(rounds), "/bin/long": loop(100 * rounds), "/bin/family": family(rounds),
	}})
	table := Compare(t, m.Name())
	table.Equal("doctor: hardware events can be counted", findings(t, m)["perfevent: hardware events"], true)
	table.Equal("doctor: which hardware events", strings.Contains(m.Must("astrolabe", "doctor"), "hardware events (2: cycles, instructions)"), true)
	table.Equal("sources: perfevent is usable", strings.Contains(m.Must("astrolabe", "sources"), "perfevent (also cpu): usable"), true)
	task := func(events, period, program string) *capture.Capture {
		c, _ := record(t, m, "--source", "perfevent", "--counters", events, "--period", period, "--", program)
		return c
	}

	for _, n := range []struct {
		program string
		truth   int
	}{{"loop1", 2 + loopRest}, {"loop", 2*rounds + loopRest}, {"family", 4*rounds + familyRest}} {
		for _, period := range []string{"200us", "10s"} {
			c := task("instructions,instructions:u,instructions:k,cycles,cycles:u,cycles:k", period, n.program)
			what := fmt.Sprintf("%s every %s: ", n.program, period)
			table.Equal(what+"instructions:u", exact(t, c, "instructions:u"), n.truth)
			table.Equal(what+"instructions:u, by stat in the guest", printed(t, m, "instructions:u"), n.truth)
			// Every instruction takes a cycle.
			table.Equal(what+"cycles:u", exact(t, c, "cycles:u"), n.truth)
			table.Equal(what+"instructions of user and kernel", exact(t, c, "instructions:u")+exact(t, c, "instructions:k"), exact(t, c, "instructions"))
			table.Equal(what+"cycles of user and kernel", exact(t, c, "cycles:u")+exact(t, c, "cycles:k"), exact(t, c, "cycles"))
		}
	}

	// Seven fit, and are one group; the eighth begins another, and the kernel lets them take turns.
	events := strings.Split("cycles,instructions,instructions:u,instructions:k,r8,r8:u,r8:k,r11:u,r11:k,r11,cycles:u,cycles:k", ",")
	for _, n := range []int{7, 8, 12} {
		c := task(strings.Join(events[:n], ","), "10ms", "long")
		groups := max(1, len(c.Counter(capture.TurnShare).Instances))
		table.Equal(fmt.Sprintf("%d events: groups", n), groups, (n+6)/7)
		truth := float64(200*rounds + loopRest)
		for _, name := range events[:n] {
			if !strings.HasSuffix(name, ":u") {
				continue
			}
			if groups == 1 {
				table.Equal(fmt.Sprintf("%d events: %s", n, name), exact(t, c, name), 200*rounds+loopRest)
			} else {
				table.Within(fmt.Sprintf("%d events in turns: %s", n, name), total(t, c, name), truth, 0.02)
			}
		}
	}
	c, said := record(t, m, "--source", "perfevent", "--counters", strings.Join(events[:9], ","), "--period", "1ms", "--", "long")
	table.Equal("9 events in turns: said to be estimates", strings.Contains(said, "are estimates, scaled up"), true)
	// From 6.12 on the kernel samples what processes inherit; older ones have the recorder read it, and it says so.
	sampled := kernel != "arm64-6.1"
	table.Equal("a command: said that the kernel does not sample it", strings.Count(said, "Linux 6.12 or newer samples what processes inherit"), map[bool]int{true: 0, false: 1}[sampled])
	for _, group := range []string{"instructions", "r11:u"} {
		missing := 0
		for i := range c.Len() {
			if c.Counter(group).Value(i).Missing() {
				missing++
			}
		}
		if sampled {
			// Rows have their share of what was counted between two readings of the groups: both have had turns by then, but for the last, which may be short.
			table.Between("9 events in turns: samples without "+group+", %", 100*float64(missing)/float64(c.Len()), 0, 10)
			continue
		}
		// Every millisecond a sample, every fourth a turn: about half of the samples are others' turns.
		table.Between("9 events in turns: samples without "+group+", %", 100*float64(missing)/float64(c.Len()), 25, 75)
	}
	shares := 0.0
	for _, group := range c.Counter(capture.TurnShare).Instances {
		shares += group.Total().Float()
	}
	table.Within("9 events in turns: shares of both groups, %", shares, 100, 0.02)

	// The whole machine, while a program runs on one of its processors.
	// Both are started in the guest: its time leaps where nothing runs, and may be over before the next request arrives.
	// Every 100 ms the recorder reads the groups; every 10 ms, and on an idle processor every 200 us, the kernel samples them.
	for _, period := range []string{"100ms", "10ms", "200us"} {
		out := m.Must("sh", "-c", "astrolabe record --source perfevent --counters cycles,instructions:u,cycles:u --period "+period+" --duration 3s -o /tmp/whole.arrow 2>&1 & sleep 1; long; wait $!")
		c = open(t, m, "/tmp/whole.arrow")
		what := "whole machine every " + period + ": "
		table.Equal(what+"said that the kernel does not sample", strings.Contains(out, "reads the counters at every tick"), false)
		// The recorder is on the same processor: it takes some 2,500 instructions for a sample.
		table.Between(what+"instructions:u", total(t, c, "instructions:u"), 200*rounds+loopRest, 200*rounds+loopRest+5e6+5000*float64(c.Len()))
		// The clock is at 1 GHz; the two numbers are read some instructions apart.
		table.Within(what+"cycles", total(t, c, "cycles"), c.Counter(capture.TurnEnabled).Instance("0").Total().Float(), 1e-4)
	}
}

// Without a counter unit there are software events and the kernel's text files.
func TestGuestCountsSoftwareEventsOfAMD64(t *testing.T) {
	for _, kernel := range []string{"amd64-6.1", "amd64-6.12"} {
		t.Run(kernel, func(t *testing.T) {
			t.Parallel()
			m := Boot(t, Options{Kernel: kernel, Machine: counted, Files: map[string][]byte{
				"/bin/one": touch("amd64", 1), "/bin/many": touch("amd64", 1001), "/bin/long": loopAMD64(50 * rounds),
			}})
			table := Compare(t, m.Name())
			said := findings(t, m)
			for what, want := range map[string]bool{
				"perfevent: hardware events": false, "perfevent: software events": true, "perfevent: tracepoints": true, "procfs: processor time, interrupts, context switches": true,
				"procfs: pressure stalls": true, "procfs: CPU frequency": false,
			} {
				got, there := said[what]
				if !there {
					t.Errorf("doctor says nothing of %q", what)
				}
				table.Equal("doctor: "+what, got, want)
			}
			// Pages of 4 KiB, and a stack that begins at the same place each time.
			m.Ask(WriteFile("/sys/kernel/mm/transparent_hugepage/enabled", "never"))
			m.Ask(WriteFile("/proc/sys/kernel/randomize_va_space", "0"))
			faults := func(program, period string) int {
				c, _ := record(t, m, "--source", "perfevent", "--counters", "page_faults,minor_faults,major_faults", "--period", period, "--", program)
				minor, major := exact(t, c, "minor_faults"), exact(t, c, "major_faults")
				table.Equal(program+": minor and major faults", minor+major, exact(t, c, "page_faults"))
				table.Equal(program+": page faults, by stat in the guest", printed(t, m, "page_faults"), exact(t, c, "page_faults"))
				return int(minor)
			}
			table.Equal("sources: perfevent is usable", strings.Contains(m.Must("astrolabe", "sources"), "perfevent (also cpu): usable"), true)
			faults("one", "10s")
			for _, period := range []string{"200us", "10s"} {
				table.Equal("page faults of 1000 pages every "+period, faults("many", period)-faults("one", period), 1000)
			}
			c, _ := record(t, m, "--source", "perfevent", "--counters", "task_clock,tracepoint:sched:sched_process_exec,raw_syscalls:sys_enter", "--period", "10ms", "--", "long")
			table.Within("task clock of a loop, ns", total(t, c, "task_clock"), 100*rounds, 0.1)
			table.Equal("tracepoint of the program's begin", exact(t, c, "sched:sched_process_exec"), 1)
			table.Equal("tracepoint of system calls: only the last one", exact(t, c, "raw_syscalls:sys_enter"), 1)

			before := stat(t, m)
			m.Must("sh", "-c", "astrolabe record --source procfs --period 50ms --duration 3s -o /tmp/whole.arrow & sleep 1; for i in 1 2 3 4 5 6 7 8 9 10; do long; done; wait $!")
			after := stat(t, m)
			c = open(t, m, "/tmp/whole.arrow")
			for _, name := range []string{"ctxt", "processes", "intr"} {
				// The recording is most of the time between the two readings.
				all := float64(after[name] - before[name])
				table.Between("procfs: "+name, total(t, c, name), all/3, all)
			}
			table.Between("procfs: processes, at least the loops'", total(t, c, "processes"), 10, float64(after["processes"]-before["processes"]))
			// Ten loops of 100 ms in steps of 10 ms.
			table.Within("procfs: processor time of the loops, ms", total(t, c, "cpu_user")/1e6, 1000, 0.1)
			memory := regexp.MustCompile(`MemTotal: +(\d+) kB`).FindStringSubmatch(m.Text("/proc/meminfo"))
			kib, err := strconv.Atoi(memory[1])
			if err != nil {
				t.Fatal(err)
			}
			table.Equal("procfs: mem_total", fmt.Sprintf("%.0f", c.Counter("mem_total").Total().Float()), kib*1024)
		})
	}
}

// stat reads the first number of each line of the guest's /proc/stat.
func stat(t *testing.T, m *Machine) map[string]int {
	t.Helper()
	out := map[string]int{}
	for line := range strings.Lines(m.Text("/proc/stat")) {
		if f := strings.Fields(line); len(f) > 1 {
			n, err := strconv.Atoi(f[1])
			if err != nil {
				t.Fatal(err)
			}
			out[f[0]] = n
		}
	}
	return out
}
