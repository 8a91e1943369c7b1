package perfevent

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"syscall"
	"testing"

	"astrolabe/capture"
	"astrolabe/hwio"
)

func TestGroupThatFitsIsReadOncePerCPUAndExact(t *testing.T) {
	k := &fakeKernel{counters: 6, capable: true}
	s := openFake(t, fakeSource(t, k, 2, nil), hwio.Request{Counters: []string{"cycles", "instructions", "branches", "context_switches"}})
	groups := s.(*stream).groups
	if len(groups) != 4 {
		t.Fatalf("%d groups on 2 CPUs, want one of hardware and one of software events each", len(groups))
	}
	k.advance(10e6)
	got := read(t, s)
	want := map[string]float64{}
	for cpu := range 2 {
		want[fmt.Sprintf("cycles[%d]", cpu)] = 1000 * 10e3
		want[fmt.Sprintf("instructions[%d]", cpu)] = 1100 * 10e3
		want[fmt.Sprintf("branches[%d]", cpu)] = 1400 * 10e3
		want[fmt.Sprintf("context_switches[%d]", cpu)] = 1301 * 10e3
		want[fmt.Sprintf("counter_coverage[%d]", cpu)] = 100
		want[fmt.Sprintf("counter_enabled[%d]", cpu)] = 10e6
	}
	for name, v := range want {
		if got.value[name] != v {
			t.Errorf("%s = %v, want %v", name, got.value[name], v)
		}
	}
	if len(got.value) != len(want) {
		t.Errorf("values = %v", got.value)
	}
	if w := s.(*stream).Conclude(); len(w) != 0 {
		t.Errorf("warnings = %q", w)
	}
}

// The real kernel that does so is in the guests' tests (a program that starts another, read every 200 µs).
func TestCountsOfAFamilyThatChangesAreReadLater(t *testing.T) {
	k := &fakeKernel{counters: 4, capable: true}
	s := openFake(t, fakeSource(t, k, 1, hybrid), hwio.Request{Counters: []string{"cycles", "context_switches"}, PID: 5})
	k.advance(10e6)
	k.changing = k.at + 1e6 // shorter than the reader waits
	if got := read(t, s); got.value["cycles"] != 2*11e6 || got.value["counter_coverage"] != 100 {
		t.Errorf("after a short change: %v", got.value)
	}
	began := k.at
	k.advance(10e6)
	k.changing = k.at + 35e6 // longer than the reader waits for the group of one kind of cores, and not for those after it
	got := read(t, s)
	for _, name := range []string{"cycles", "counter_coverage", "counter_enabled"} {
		if why := got.reason[name]; why.Code != capture.NotCollected || !strings.Contains(why.Text, "the next sample holds them") {
			t.Errorf("during a change %s is %v, and missing for %v", name, got.value[name], why)
		}
	}
	if got.value["context_switches"] != 1.301*45e6 {
		t.Errorf("read after the change: %v", got.value)
	}
	if w := s.(*stream).Conclude(); len(w) != 1 || !strings.Contains(w[0], "what cycles counted last is lost") {
		t.Errorf("warnings = %q", w)
	}
	k.advance(10e6)
	if got := read(t, s); got.value["cycles"] != 2*float64(k.at-began) || got.value["context_switches"] != 1.301*10e6 || got.value["counter_enabled"] != float64(k.at-began) {
		t.Errorf("the next sample: %v", got.value)
	}
	if w := s.(*stream).Conclude(); len(w) != 0 {
		t.Errorf("warnings = %q", w)
	}
}

// A recording does not fail because threads begin while it does. The real kernel that refuses such a group for good is
// that of a thread that moves, whose process begins threads of its own.
func TestThreadsThatBeginMeanwhileDelayARecordingAndDoNotRefuseIt(t *testing.T) {
	for _, k := range []*fakeKernel{{changing: 300e6}, {beginning: 300e6}, {changing: 100e6, beginning: 1e9}} {
		k.counters, k.capable = 4, true
		until := max(k.changing, k.beginning)
		s := openFake(t, fakeSource(t, k, 1, nil), hwio.Request{Counters: []string{"cycles"}, PID: 5})
		began := k.at
		k.advance(10e6)
		if got := read(t, s); began < until || got.value["cycles"] != 10e6 {
			t.Errorf("begun after %d ns, not before %d, then %v", began, until, got.value)
		}
		if n := k.live(); n != 1 {
			t.Errorf("%d events are open", n)
		}
	}
	k := &fakeKernel{counters: 4, capable: true, beginning: 1e15}
	if _, err := fakeSource(t, k, 1, nil).Open(t.Context(), hwio.Request{Counters: []string{"cycles"}, PID: 5}); err == nil ||
		!strings.Contains(err.Error(), "threads of process 5 begin all the time") || k.live() != 0 {
		t.Errorf("threads that begin for ever: %v, and %d events are open", err, k.live())
	}
}

func TestGroupThatDoesNotFitIsSplitScaledAndItsCoverageReported(t *testing.T) {
	k := &fakeKernel{counters: 2, capable: true}
	s := openFake(t, fakeSource(t, k, 1, nil), hwio.Request{Counters: []string{"cycles", "instructions", "branches", "branch-misses"}})
	if n := len(s.(*stream).groups); n != 2 {
		t.Fatalf("%d groups, want 2 of 2 events", n)
	}
	k.advance(80e6) // ten turns each
	got := read(t, s)
	for name, rate := range map[string]float64{"cycles": 1000, "instructions": 1100, "branches": 1400, "branch_misses": 1500} {
		if v := got.value[name+"[0]"]; math.Abs(v-rate*80e3) > rate {
			t.Errorf("%s = %v, scaled it should be %v", name, v, rate*80e3)
		}
	}
	for _, g := range []string{"counter_coverage[0/group0]", "counter_coverage[0/group1]"} {
		if v := got.value[g]; v != 50 {
			t.Errorf("%s = %v, want 50", g, v)
		}
	}
	w := s.(*stream).Conclude()
	if len(w) != 2 || !strings.Contains(w[1], "cycles, instructions shared") || !strings.Contains(w[1], "50 %") {
		t.Errorf("warnings = %q", w)
	}
}

func TestSampleWithoutATurnIsMissingAndNotZero(t *testing.T) {
	k := &fakeKernel{counters: 1, capable: true, slice: 4e6}
	s := openFake(t, fakeSource(t, k, 1, nil), hwio.Request{Counters: []string{"cycles", "instructions"}})
	present, missing := 0, 0
	for range 40 {
		k.advance(1e6)
		got := read(t, s)
		for _, name := range []string{"cycles[0]", "instructions[0]"} {
			if _, ok := got.value[name]; ok {
				present++
				continue
			}
			missing++
			if got.reason[name].Code != capture.NotScheduled {
				t.Fatalf("%s is missing because %v", name, got.reason[name])
			}
		}
	}
	if present != 40 || missing != 40 {
		t.Errorf("%d values and %d missing, want half and half", present, missing)
	}
}

func TestGroupThatNeverCountsIsSplitWhenOpened(t *testing.T) {
	// The kernel takes groups of four, but the watchdog holds a counter for good.
	k := &fakeKernel{counters: 4, held: 1, capable: true}
	s := openFake(t, fakeSource(t, k, 2, nil), hwio.Request{Counters: []string{"cycles", "instructions", "branches", "branch_misses"}})
	for _, g := range s.(*stream).groups {
		if len(g.members) > 3 {
			t.Fatalf("a group of %d cannot be scheduled on 3 free counters", len(g.members))
		}
	}
	k.advance(100e6)
	if got := read(t, s); len(got.value) != 2*4+2*4 {
		t.Errorf("values = %v", got.value)
	}
}

func TestCounterThatNeverCountsIsMissingAndToldAtTheEnd(t *testing.T) {
	k := &fakeKernel{counters: 1, held: 1, capable: true}
	s := openFake(t, fakeSource(t, k, 1, nil), hwio.Request{Counters: []string{"cycles", "page_faults"}})
	k.advance(50e6)
	got := read(t, s)
	if _, ok := got.value["cycles[0]"]; ok || got.reason["cycles[0]"].Code != capture.NotScheduled {
		t.Errorf("cycles = %v because %v", got.value, got.reason)
	}
	if got.value["counter_coverage[0]"] != 0 || got.value["page_faults[0]"] == 0 {
		t.Errorf("values = %v", got.value)
	}
	if w := s.(*stream).Conclude(); len(w) != 1 || !strings.Contains(w[0], "nmi_watchdog") {
		t.Errorf("warnings = %q", w)
	}
}

func TestCountsAreExactBeyondTheDoublesMantissa(t *testing.T) {
	k := &fakeKernel{counters: 4, capable: true}
	s := openFake(t, fakeSource(t, k, 1, nil), hwio.Request{Counters: []string{"cycles"}})
	e := s.(*stream).groups[0].leader.(*fakeEvent)
	e.count = math.MaxUint64 - 5 // and wraps
	e.enabled, e.running = e.enabled+1, e.running+1
	read(t, s)
	e.count += 1<<60 + 1
	e.enabled, e.running = e.enabled+1, e.running+1
	got := read(t, s)
	if u := got.batch.Cols[0].U[0]; u != 1<<60+1 {
		t.Errorf("cycles = %d, want %d", u, uint64(1<<60+1))
	}
}

func TestScaleUpRoundsAndNeverOverflows(t *testing.T) {
	for _, c := range []struct{ count, enabled, running, want uint64 }{
		{7, 10, 10, 7}, {7, 9, 10, 7}, {10, 3, 2, 15}, {1, 3, 2, 2}, {0, 100, 1, 0},
		{1 << 62, 1 << 40, 1 << 39, 1 << 63}, {1 << 63, 1 << 40, 1, math.MaxUint64},
	} {
		if got := scaleUp(c.count, c.enabled, c.running); got != c.want {
			t.Errorf("scaleUp(%d, %d, %d) = %d, want %d", c.count, c.enabled, c.running, got, c.want)
		}
	}
}

func TestOfflineCPUIsMissingAndOthersGoOn(t *testing.T) {
	k := &fakeKernel{counters: 4, capable: true}
	s := openFake(t, fakeSource(t, k, 2, nil), hwio.Request{Counters: []string{"cycles"}})
	k.unplug(1, false)
	for range 20 {
		k.advance(5e6)
		got := read(t, s)
		if got.value["cycles[0]"] != 5e6 {
			t.Errorf("values = %v", got.value)
		}
		if r := got.reason["cycles[1]"]; r.Code != capture.PowerGated || r.Text != "CPU 1 was offline" {
			t.Errorf("cycles[1] is missing because %v", r)
		}
	}
	// It is counted anew when it is back.
	k.gone = nil
	k.advance(50e6)
	read(t, s)
	k.advance(5e6)
	if got := read(t, s); got.value["cycles[1]"] != 5e6 || got.value["cycles[0]"] != 5e6 {
		t.Errorf("values = %v, missing for %v", got.value, got.reason)
	}
}

func TestCPUThatGoesOfflineWhileOpeningIsLeftOutWithAWarning(t *testing.T) {
	k := &fakeKernel{counters: 4, capable: true}
	k.refuse = func(_ *attr, _, cpu int) error {
		if cpu == 2 {
			return syscall.ENODEV
		}
		return nil
	}
	s := openFake(t, fakeSource(t, k, 3, nil), hwio.Request{Counters: []string{"cycles"}})
	if w := s.Schema().Config.Warnings; len(w) != 1 || !strings.Contains(w[0], "CPU 2") {
		t.Errorf("warnings = %q", w)
	}
}

func TestProcessIsMeasuredOnAllItsThreadsAndSummed(t *testing.T) {
	k := &fakeKernel{counters: 4, capable: true}
	src := fakeSource(t, k, 4, map[string]string{"proc/77/task/77/comm": "a", "proc/77/task/78/comm": "b"})
	s := openFake(t, src, hwio.Request{Counters: []string{"cycles", "context_switches"}, PID: 77})
	for _, g := range s.(*stream).groups {
		if g.cpu != -1 || (g.pid != 77 && g.pid != 78) || !g.leader.(*fakeEvent).a.inherit {
			t.Errorf("group of process %d on CPU %d", g.pid, g.cpu)
		}
	}
	k.advance(2e6)
	got := read(t, s)
	if got.value["cycles"] != 2*2e6 || got.value["context_switches"] != 2*1301*2e3 || got.value["counter_coverage"] != 100 {
		t.Errorf("values = %v", got.value)
	}
	// A process that did not run counted nothing, which is a true 0; how well it was covered cannot be said.
	got = read(t, s)
	if v, ok := got.value["cycles"]; !ok || v != 0 {
		t.Errorf("values = %v", got.value)
	}
	if _, ok := got.value["counter_coverage"]; ok {
		t.Errorf("values = %v", got.value)
	}
}

func TestOldKernelWithoutInheritedGroupsIsReadEventByEvent(t *testing.T) {
	k := &fakeKernel{counters: 4, capable: true, noInherit: true}
	s := openFake(t, fakeSource(t, k, 1, nil), hwio.Request{Counters: []string{"cycles", "instructions", "page_faults"}, PID: 5})
	if n := len(s.(*stream).groups); n != 3 {
		t.Fatalf("%d groups, want one per event", n)
	}
	k.advance(1e6)
	if got := read(t, s); got.value["cycles"] != 1e6 || got.value["instructions"] != 1.1e6 || got.value["page_faults"] != 1.201e6 {
		t.Errorf("values = %v", got.value)
	}
}

func TestCommandStartsCountingWhenItExecutes(t *testing.T) {
	k := &fakeKernel{counters: 4, capable: true}
	s := openFake(t, fakeSource(t, k, 1, nil), hwio.Request{Counters: []string{"cycles", "instructions", "page_faults"}, PID: 5, OnExec: true})
	for _, g := range s.(*stream).groups {
		if l := g.leader.(*fakeEvent); l.on || !l.a.onExec || !l.a.disabled {
			t.Errorf("leader %+v counts before the command starts", l.a)
		}
		for _, m := range g.members[1:] {
			if a := m.(*fakeEvent).a; a.disabled || a.onExec {
				t.Errorf("member %+v would not follow its leader", a)
			}
		}
	}
}

func TestUserWithoutRightsMeasuresOwnProcessesInUserSpaceOnly(t *testing.T) {
	k := &fakeKernel{counters: 4, paranoid: 2}
	src := fakeSource(t, k, 1, nil)
	st := src.Probe(t.Context())
	if !st.Usable || !st.ProcessOnly || !strings.Contains(st.Reason, "perf_event_paranoid is 2") || !strings.Contains(st.Fix, "sysctl kernel.perf_event_paranoid=0") {
		t.Errorf("status = %+v", st)
	}
	if _, err := src.Open(t.Context(), hwio.Request{}); err == nil || !strings.Contains(err.Error(), "cap_perfmon") {
		t.Errorf("err = %v", err)
	}
	s := openFake(t, src, hwio.Request{PID: 5})
	names := map[string]bool{}
	for _, c := range s.Schema().Columns {
		names[c.Meta.Name] = true
	}
	if names["context_switches"] || names["cpu_migrations"] || !names["page_faults"] || !names["cycles"] {
		t.Errorf("columns = %v: an event of the kernel would read 0 in user space", names)
	}
	if w := s.Schema().Config.Warnings; !slices.ContainsFunc(w, func(w string) bool { return strings.Contains(w, "user space only") }) {
		t.Errorf("warnings = %q", w)
	}
	_, err := src.Open(t.Context(), hwio.Request{Counters: []string{"context_switches"}, PID: 5})
	var ce *hwio.CounterError
	if !errors.As(err, &ce) || !strings.Contains(ce.Fix, "perf_event_paranoid=1") {
		t.Errorf("err = %v", err)
	}
}

func TestEveryParanoidLevelIsExplained(t *testing.T) {
	for level, want := range map[int]string{-1: "everything", 0: "whole processors and the kernel", 1: "not whole processors", 2: "user space", 3: "not measure at all", 4: "not measure at all"} {
		if got := paranoidText(level); !strings.Contains(got, want) {
			t.Errorf("level %d: %q lacks %q", level, got, want)
		}
	}
	for level, usable := range map[int][2]bool{-1: {true, false}, 0: {true, false}, 1: {true, true}, 2: {true, true}, 3: {false, false}} {
		k := &fakeKernel{counters: 4, paranoid: level}
		st := fakeSource(t, k, 1, nil).Probe(t.Context())
		if st.Usable != usable[0] || st.ProcessOnly != usable[1] {
			t.Errorf("level %d: usable %v, processes only %v", level, st.Usable, st.ProcessOnly)
		}
		if !st.Usable && (st.Reason == "" || st.Fix == "") {
			t.Errorf("level %d: %+v says neither why nor what to do", level, st)
		}
	}
}

func TestRefusalsAreExplained(t *testing.T) {
	known := security{paranoid: 2, known: true}
	for _, c := range []struct {
		err    error
		s      security
		reason string
		fix    string
	}{
		{syscall.EACCES, known, "perf_event_paranoid is 2", "sysctl"},
		{syscall.EPERM, security{known: true, container: true}, "seccomp", "--cap-add PERFMON"},
		{syscall.ENOSYS, known, "blocked", "profile"},
		{syscall.ENOSYS, security{}, "CONFIG_PERF_EVENTS", "procfs"},
		{syscall.ENOENT, known, "no such event", ""},
		{syscall.ENODEV, known, "offline", "online"},
		{syscall.EINVAL, known, "rejects", "manual"},
		{syscall.EMFILE, known, "open more files", "ulimit -n"},
		{syscall.EBUSY, known, "holds the counter unit", "nmi_watchdog"},
		{syscall.ESRCH, known, "ended", ""},
		{fmt.Errorf("wrapped: %w", syscall.ENOSPC), known, "no counter", "fewer"},
		{errors.New("something else"), known, "something else", ""},
	} {
		reason, fix := explain(c.err, c.s, true)
		if !strings.Contains(reason, c.reason) || !strings.Contains(fix, c.fix) {
			t.Errorf("%v: %q; %q", c.err, reason, fix)
		}
	}
}

func TestTooManyFilesNamesTheNumberAndLeavesNothingOpen(t *testing.T) {
	k := &fakeKernel{counters: 6, capable: true, files: 5}
	_, err := fakeSource(t, k, 4, nil).Open(t.Context(), hwio.Request{Counters: []string{"cycles", "instructions", "page_faults"}})
	if !errors.Is(err, syscall.EMFILE) || !strings.Contains(err.Error(), "about 12 open files") || !strings.Contains(err.Error(), "ulimit") {
		t.Errorf("err = %v", err)
	}
}

func TestMachineWithoutCountersSaysWhy(t *testing.T) {
	k := &fakeKernel{capable: true}
	src := fakeSource(t, k, 1, map[string]string{
		"sys/bus/event_source/devices/cpu/type": "",
		"proc/cpuinfo":                          "flags\t: fpu hypervisor sse\n",
	})
	_, err := src.Open(t.Context(), hwio.Request{Counters: []string{"cycles"}})
	var ce *hwio.CounterError
	if !errors.As(err, &ce) || !strings.Contains(ce.Reason, "virtual machine") || !strings.Contains(ce.Fix, "pmu=on") {
		t.Errorf("err = %v", err)
	}
	s := openFake(t, src, hwio.Request{})
	for _, c := range s.Schema().Columns {
		if c.Meta.Block != "software" {
			t.Errorf("column %s", c.Meta.Name)
		}
	}
	if w := s.Schema().Config.Warnings; len(w) != 1 || !strings.Contains(w[0], "virtual machine") {
		t.Errorf("warnings = %q", w)
	}
	found := false
	for _, f := range src.Diagnose(t.Context()) {
		found = found || (!f.Usable && strings.HasPrefix(f.What, "hardware events") && f.Fix != "")
	}
	if !found {
		t.Error("the diagnosis does not mention the missing hardware events")
	}
}

// hybrid is a machine of two kinds of cores.
var hybrid = map[string]string{
	"sys/bus/event_source/devices/cpu/type":                "",
	"sys/bus/event_source/devices/cpu_core/type":           "4\n",
	"sys/bus/event_source/devices/cpu_core/cpus":           "0-1\n",
	"sys/bus/event_source/devices/cpu_core/format/event":   "config:0-7\n",
	"sys/bus/event_source/devices/cpu_core/events/slots":   "event=0x04\n",
	"sys/bus/event_source/devices/cpu_atom/type":           "10\n",
	"sys/bus/event_source/devices/cpu_atom/cpus":           "2-3\n",
	"sys/bus/event_source/devices/cpu_atom/format/event":   "config:0-7\n",
	"sys/bus/event_source/devices/cpu_atom/events/topdown": "event=0x05\n",
}

func TestHybridMachineAsksEachCoresOwnUnit(t *testing.T) {
	k := &fakeKernel{counters: 4, capable: true, types: map[uint32]bool{4: true, 10: true}}
	s := openFake(t, fakeSource(t, k, 4, hybrid), hwio.Request{Counters: []string{"cycles", "r3c", "cpu_atom/topdown/"}})
	for _, g := range s.(*stream).groups {
		unit := uint64(4)
		if g.cpu >= 2 {
			unit = 10
		}
		for _, m := range g.members {
			a := m.(*fakeEvent).a
			if (a.typ == typeHardware && a.config != unit<<32) || (a.typ != typeHardware && uint64(a.typ) != unit) {
				t.Errorf("CPU %d opened %+v", g.cpu, a)
			}
		}
	}
	k.advance(1e6)
	got := read(t, s)
	if _, ok := got.value["cpu_atom/topdown/[0]"]; ok || got.value["cpu_atom/topdown/[3]"] == 0 || len(got.value) != 4+4+2+2*4 {
		t.Errorf("values = %v", got.value)
	}
}

func TestHybridProcessCountsItsTimeOnceAndSumsBothUnits(t *testing.T) {
	k := &fakeKernel{counters: 8, capable: true, types: map[uint32]bool{4: true, 10: true}}
	s := openFake(t, fakeSource(t, k, 4, hybrid), hwio.Request{Counters: []string{"cycles"}, PID: 9})
	groups := s.(*stream).groups
	if len(groups) != 2 {
		t.Fatalf("%d groups, want one per unit", len(groups))
	}
	// The process ran 3 ms on one kind of core and 1 ms on the other: each unit was enabled all the time.
	for i, ms := range []uint64{3, 1} {
		e := groups[i].leader.(*fakeEvent)
		e.enabled += 4e6
		e.running += ms * 1e6
		e.count += ms * 1000
	}
	if got := read(t, s); got.value["cycles"] != 4000 || got.value["counter_coverage"] != 100 {
		t.Errorf("values = %v, want 4000 cycles, exact", got.value)
	}
}

func TestUnitEventsAreReadWhereTheirMaskSaysAndScaled(t *testing.T) {
	k := &fakeKernel{counters: 4, capable: true, types: map[uint32]bool{4: true, 31: true}}
	src := fakeSource(t, k, 4, map[string]string{
		"sys/bus/event_source/devices/power/type":                    "31\n",
		"sys/bus/event_source/devices/power/cpumask":                 "0,2\n",
		"sys/bus/event_source/devices/power/format/event":            "config:0-7\n",
		"sys/bus/event_source/devices/power/events/energy-pkg":       "event=0x02\n",
		"sys/bus/event_source/devices/power/events/energy-pkg.unit":  "Joules\n",
		"sys/bus/event_source/devices/power/events/energy-pkg.scale": "2.5e-3\n",
	})
	s := openFake(t, src, hwio.Request{Counters: []string{"power/energy-*/"}})
	cols := s.Schema().Columns
	if len(cols) != 2 || cols[0].Meta.Unit != "joules" || cols[0].Integer || cols[1].Meta.Instance != "2" {
		t.Fatalf("columns = %+v", cols)
	}
	k.advance(1e6)
	if got := read(t, s); math.Abs(got.value["power/energy-pkg/[0]"]-1231*1e3*2.5e-3) > 1e-6 {
		t.Errorf("values = %v", got.value)
	}
	_, err := src.Open(t.Context(), hwio.Request{Counters: []string{"power/energy-pkg/"}, PID: 5})
	if err == nil || !strings.Contains(err.Error(), "cannot be limited to a process") {
		t.Errorf("err = %v", err)
	}
}

func TestCounterTakenAwayWhileRecordingIsMissingFromThere(t *testing.T) {
	k := &fakeKernel{counters: 4, capable: true}
	s := openFake(t, fakeSource(t, k, 1, nil), hwio.Request{Counters: []string{"cycles", "page_faults"}})
	st := s.(*stream)
	st.groups[0].leader = &goneCounter{st.groups[0].leader}
	k.advance(1e6)
	got := read(t, s)
	if _, ok := got.value["cycles[0]"]; ok || len(got.batch.Warnings) != 1 || got.value["page_faults[0]"] == 0 {
		t.Errorf("values = %v, warnings = %q", got.value, got.batch.Warnings)
	}
	if got = read(t, s); len(got.batch.Warnings) != 0 || got.reason["cycles[0]"].Code != capture.Unsupported {
		t.Errorf("reasons = %v, warnings = %q", got.reason, got.batch.Warnings)
	}
}

// goneCounter is a counter whose unit was unloaded.
type goneCounter struct{ counter }

func (*goneCounter) read([]byte) (int, error) { return 0, syscall.ENODEV }

func TestReadingAllocatesNothing(t *testing.T) {
	k := &fakeKernel{counters: 2, capable: true}
	s := openFake(t, fakeSource(t, k, 2, nil), hwio.Request{})
	b := capture.NewBatch(s.Schema(), 1)
	if n := testing.AllocsPerRun(50, func() {
		for _, e := range k.open_ {
			e.enabled, e.running = e.enabled+1, e.running+1
		}
		b.Reset()
		if err := s.Read(t.Context(), b); err != nil {
			t.Fatal(err)
		}
	}); n >= 1 {
		t.Errorf("a read allocates %v times", n)
	}
}

// A command that ends before the kernel changes groups leaves the second one without a value: nobody else holds the hardware (seen on Linux 6.1 of arm64 with
// a program of 2.6 ms).
func TestAShortRecordingSaysWhyAGroupHadNoTurn(t *testing.T) {
	coverage := func(name string, enabled, running uint64) column {
		return column{name: name, coverage: true, enabled: enabled, running: running}
	}
	for _, c := range []struct {
		what string
		cols []column
		want string
	}{
		{"short", []column{coverage("cycles", 2e6, 2e6), coverage("branches", 2e6, 0)}, "it ended before the kernel gave these their turn"},
		{"long", []column{coverage("cycles", 2e9, 2e9), coverage("branches", 2e9, 0)}, "another profiler"},
		{"alone", []column{coverage("branches", 2e6, 0)}, "another profiler"},
	} {
		if got := (&stream{cols: c.cols}).Conclude(); len(got) != 1 || !strings.HasPrefix(got[0], "perfevent: branches never got onto") || !strings.Contains(got[0], c.want) {
			t.Errorf("%s: %q", c.what, got)
		}
	}
}

// A counter unit may have cycles only, as QEMU's has on arm64: then no instructions are promised.
func TestTheDiagnosisNamesOnlyEventsThatCount(t *testing.T) {
	events := []event{{core: true}, {}, {core: true}, {core: true}, {core: true}}
	for i, name := range []string{"cycles", "task_clock", "instructions", "branches", "bus_cycles"} {
		events[i].meta.Name = name
	}
	core := func(e *event) bool { return e.core }
	for n, want := range map[int]string{1: "1: cycles", 3: "2: cycles, instructions", 4: "3: cycles, instructions, branches", 5: "4: cycles, instructions, branches, …"} {
		if got := some(events[:n], core); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
