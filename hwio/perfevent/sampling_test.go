package perfevent

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"astrolabe/capture"
	"astrolabe/hwio"
)

// openSampled opens what the kernel samples every period, and has it begin.
func openSampled(t *testing.T, k *fakeKernel, cpus int, period time.Duration, counters ...string) *sampling {
	t.Helper()
	st, err := fakeSource(t, k, cpus, nil).Open(t.Context(), hwio.Request{Period: period, Counters: counters})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
		if k.locked != 0 {
			t.Errorf("%d bytes of rings were left mapped", k.locked)
		}
	})
	s, ok := st.(*sampling)
	if !ok {
		t.Fatalf("the kernel does not sample: %q", st.Schema().Config.Warnings)
	}
	b := capture.NewBatch(s.Schema(), 1)
	if err := s.Read(t.Context(), b); err != nil || b.Len() != 0 {
		t.Fatalf("the baseline has %d rows, %v", b.Len(), err)
	}
	return s
}

// collected reads the stream after each of some times, and ends it.
func collected(t *testing.T, k *fakeKernel, s *sampling, steps ...int64) *capture.Batch {
	t.Helper()
	b := capture.NewBatch(s.Schema(), 1)
	for _, ns := range steps {
		k.advance(ns)
		if err := s.Read(t.Context(), b); err != nil {
			t.Fatal(err)
		}
	}
	k.advance(123_456)
	if err := s.Finish(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	for i := range b.Start {
		if b.End[i] <= b.Start[i] || i > 0 && b.Start[i] != b.End[i-1] {
			t.Fatalf("row %d is from %d to %d", i, b.Start[i], b.End[i])
		}
	}
	for i, c := range b.Cols {
		if c.Len() != b.Len() {
			t.Fatalf("%d values of %s in %d rows", c.Len(), s.Schema().Columns[i].Meta.Name, b.Len())
		}
	}
	return b
}

// sums are the columns' totals by "name[instance]".
func sums(s *sampling, b *capture.Batch) map[string]uint64 {
	out := map[string]uint64{}
	for i, c := range s.Schema().Columns {
		for _, v := range b.Cols[i].U {
			out[c.Meta.Name+"["+c.Meta.Instance+"]"] += v
		}
	}
	return out
}

// counts are what the events of a fake kernel have counted, by event and CPU.
func (k *fakeKernel) counts() map[string]uint64 {
	out := map[string]uint64{}
	for _, e := range k.open_ {
		if !e.closed && e.a.period == 0 {
			out[fmt.Sprintf("%d:%d on %d", e.a.typ, e.a.config, e.cpu)] += e.count
		}
	}
	return out
}

func TestSumsOfSamplesAreWhatTheKernelCounted(t *testing.T) {
	for _, period := range []time.Duration{100 * time.Microsecond, time.Millisecond, 10 * time.Millisecond} {
		k := &fakeKernel{counters: 6, capable: true}
		s := openSampled(t, k, 3, period, "cycles", "page_faults")
		before := k.counts()
		b := collected(t, k, s, 33e6, 1, 200e6, 71e6, 5)
		for what, n := range k.counts() {
			var typ, config, cpu int
			fmt.Sscanf(what, "%d:%d on %d", &typ, &config, &cpu)
			name := map[int]string{typeHardware: "cycles", typeSoftware: "page_faults"}[typ]
			if got := sums(s, b)[fmt.Sprintf("%s[%d]", name, cpu)]; got != n-before[what] {
				t.Errorf("%v: %s of CPU %d: %d recorded, %d counted", period, name, cpu, got, n-before[what])
			}
		}
		rows := int(304e6 / period.Nanoseconds())
		if b.Len() < rows || b.Len() > rows+2 || len(b.Late) > 0 {
			t.Errorf("%v: %d rows, %d late ones", period, b.Len(), len(b.Late))
		}
		if said := s.Conclude(); len(said) > 0 {
			t.Errorf("%v: %q", period, said)
		}
	}
}

// The timer of a CPU that starts later ticks later: its counts at the times of the rows lie between two of its samples.
func TestSamplesOfOtherCPUsAreRunningTotals(t *testing.T) {
	r := series{}
	r.begin([]uint64{1000}, times{500, 500})
	for i, p := range []struct {
		t       int64
		count   uint64
		enabled uint64
		taken   bool
	}{{100, 999, 400, false}, {300, 1100, 600, true}, {400, 1203, 700, true}, {400, 9999, 800, false}, {600, 1203, 900, true}} {
		if got := r.add(p.t, []uint64{p.count}, times{p.enabled, p.enabled}); got != p.taken {
			t.Errorf("point %d: taken %t", i, got)
		}
	}
	got := []uint64{0}
	for _, want := range []struct {
		t              int64
		count, enabled uint64
	}{{100, 1000, 500}, {200, 1000, 500}, {201, 1001, 501}, {250, 1050, 550}, {300, 1100, 600}, {333, 1133, 633}, {399, 1201, 699}, {500, 1203, 800}, {700, 1203, 900}} {
		if at, _ := r.at(want.t, got); got[0] != want.count || at.enabled != want.enabled {
			t.Errorf("at %d: %d after %d ns, want %d after %d", want.t, got[0], at.enabled, want.count, want.enabled)
		}
		if want.t == 333 {
			r.forget()
		}
	}
}

func TestAFullRingLosesNoCount(t *testing.T) {
	k := &fakeKernel{counters: 6, capable: true, mlock: 2 * 32 << 10}
	s := openSampled(t, k, 2, time.Millisecond, "page_faults")
	if s.rings.room < ringLeast.Nanoseconds() || s.rings.room > 1e9 || s.Every(time.Millisecond, 200*time.Millisecond) > time.Duration(s.rings.room)/4 {
		t.Errorf("a ring of 32 KiB holds %v and is collected every %v", time.Duration(s.rings.room), s.Every(time.Millisecond, 200*time.Millisecond))
	}
	before := k.counts()
	b := collected(t, k, s, 50e6, 2e9, 50e6)
	for what, n := range k.counts() {
		var typ, config, cpu int
		fmt.Sscanf(what, "%d:%d on %d", &typ, &config, &cpu)
		if got := sums(s, b)[fmt.Sprintf("page_faults[%d]", cpu)]; got != n-before[what] {
			t.Errorf("CPU %d: %d recorded, %d counted", cpu, got, n-before[what])
		}
	}
	if len(b.Late) != 1 || b.Late[0].Lost < 1000 || !strings.Contains(b.Late[0].Reason.Text, "ring of samples was full") {
		t.Errorf("late rows %+v", b.Late)
	}
	if said := strings.Join(s.Conclude(), "\n"); !strings.Contains(said, "found no room in the kernel's ring") {
		t.Errorf("said %q", said)
	}
}

func TestWhereTheKernelDoesNotSampleItIsSaidAndGroupsAreRead(t *testing.T) {
	for name, k := range map[string]*fakeKernel{
		"a kernel before 4.1": {counters: 6, capable: true, noClock: true},
		"no memory for rings": {counters: 6, capable: true, mlock: 4096},
	} {
		st := openFake(t, fakeSource(t, k, 2, nil), hwio.Request{Period: time.Millisecond})
		if _, sampled := st.(*sampling); sampled {
			t.Errorf("%s: the kernel samples", name)
		}
		said := slices.DeleteFunc(slices.Clone(st.Schema().Config.Warnings), func(w string) bool { return !strings.Contains(w, "reads the counters at every tick") })
		if len(said) != 1 {
			t.Errorf("%s: %q", name, st.Schema().Config.Warnings)
		}
		k.advance(5e6)
		if got := read(t, st); got.value["cycles[1]"] == 0 || got.value["counter_enabled[1]"] != 5e6 {
			t.Errorf("%s: %v", name, got.value)
		}
	}
}

func TestGroupsInTurnsAreScaledWhereTheKernelSamples(t *testing.T) {
	k := &fakeKernel{counters: 2, capable: true}
	s := openSampled(t, k, 1, time.Millisecond, "cycles", "instructions", "branches", "branch_misses", "page_faults")
	b := collected(t, k, s, 200e6, 200e6, 1)
	if b.Len() < 400 || b.Len() > 402 {
		t.Errorf("%d rows", b.Len())
	}
	c := capture.NewCollector(s.Schema())
	c.Add(b)
	all, err := capture.New(c.Config("CLOCK_MONOTONIC"))
	if err != nil {
		t.Fatal(err)
	}
	for name, config := range map[string]uint64{"cycles": 0, "instructions": 1, "branches": 4, "branch_misses": 5} {
		a := attr{config: config}
		if got, want := all.Counter(name).Total().Float(), float64(a.rate())*400.123456e3; got < 0.97*want || got > 1.03*want {
			t.Errorf("%s: %.0f, %.0f happened", name, got, want)
		}
	}
	if said := strings.Join(s.Conclude(), "\n"); !strings.Contains(said, "cycles, instructions shared the hardware counters") {
		t.Errorf("said %q", said)
	}
}

func TestACPUThatGoesOfflineIsMissingUntilItIsBack(t *testing.T) {
	for i := range 8 {
		gone, apart, back := i&1, i&2 != 0, i&4 != 0
		why := fmt.Sprintf("CPU %d was offline", gone)
		k := &fakeKernel{counters: 6, capable: true}
		s := openSampled(t, k, 2, time.Millisecond, "page_faults")
		b := capture.NewBatch(s.Schema(), 1)
		step := func(to *capture.Batch, ns int64) {
			k.advance(ns)
			if err := s.Read(t.Context(), to); err != nil {
				t.Fatal(err)
			}
		}
		step(b, 50e6)
		k.unplug(gone, apart)
		step(b, 100e6)
		step(b, 100e6)
		rest := capture.NewBatch(s.Schema(), 1)
		step(rest, 50e6)
		if back {
			k.gone = nil
		}
		step(rest, 50e6) // from here on it counts
		step(rest, 50e6)
		k.advance(50e6)
		if err := s.Finish(t.Context(), rest); err != nil {
			t.Fatal(err)
		}
		offline := 0
		for _, r := range rest.Reasons {
			if r.Reason.Code == capture.PowerGated && r.Reason.Text == why {
				offline += r.To - r.From
			}
		}
		there := map[string]int{}
		sum := map[string]uint64{}
		for c, col := range s.Schema().Columns {
			for row := range rest.Len() {
				if !rest.Cols[c].Missing(row) {
					there[col.Meta.Instance]++
					sum[col.Meta.Instance] += rest.Cols[c].U[row]
				}
			}
		}
		missing, other := rest.Len(), fmt.Sprint(1-gone)
		want := uint64(0)
		if back {
			missing, want = rest.Len()-100, 100*sum[other]/uint64(rest.Len())
		}
		at := fmt.Sprint(gone)
		if rest.Len() < 190 || abs(offline-missing) > 2 || abs(there[at]+offline-rest.Len()) > 1 ||
			there[other] < rest.Len()-1 || abs(int(sum[at])-int(want)) > int(want)/50 {
			t.Errorf("%s, apart %v, back %v: of %d rows %d are said to be offline, %v are there, with %v, not %d", why, apart,
				back, rest.Len(), offline, there, sum, want)
		}
	}
}

func abs(n int) int { return max(n, -n) }

// Where an idle CPU makes fewer samples, a timer that did not come because the host took a busy CPU away is still told.
func TestADelayIsNotTakenForAnIdleProcessor(t *testing.T) {
	for _, idle := range []bool{false, true} {
		k := &fakeKernel{counters: 6, capable: true}
		st, err := fakeSource(t, k, 2, map[string]string{"proc/sys/kernel/perf_event_max_sample_rate": "100000"}).
			Open(t.Context(), hwio.Request{Period: time.Millisecond, Counters: []string{"page_faults"}})
		if err != nil {
			t.Fatal(err)
		}
		s := st.(*sampling)
		if err := s.Read(t.Context(), capture.NewBatch(s.Schema(), 1)); err != nil || s.idle != 10e6 {
			t.Fatal(s.idle, err)
		}
		k.advance(50e6)
		k.stolen, k.idle = true, idle
		k.advance(3_400_000)
		k.stolen = false
		for _, g := range s.groups {
			g.leader.(*fakeEvent).sample(k.at)
		}
		k.idle = false
		b := collected(t, k, s, 46_600_000)
		lost := uint64(0)
		for _, g := range b.Late {
			lost += g.Lost
		}
		if want := map[bool]uint64{false: 2}[idle]; lost != want || b.Len()+int(lost) < 99 || b.Len()+int(lost) > 102 {
			t.Errorf("idle %t: %d rows, %d lost, want %d", idle, b.Len(), lost, want)
		}
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestIdleProcessorsAreSampledSoThatTheyAreNotThrottled(t *testing.T) {
	for _, c := range []struct {
		driver, governor string
		rate             int
		period, want     time.Duration
	}{
		{"haltpoll", "haltpoll", 100_000, time.Millisecond, 10 * time.Millisecond},
		{"haltpoll", "haltpoll", 100_000, 100 * time.Microsecond, 10 * time.Millisecond},
		{"haltpoll", "haltpoll", 100_000, 10 * time.Millisecond, 0},
		{"haltpoll", "haltpoll", 25_000, 10 * time.Millisecond, 40 * time.Millisecond},
		{"", "", 100_000, time.Millisecond, 10 * time.Millisecond},
		{"none", "menu", 100_000, time.Millisecond, 10 * time.Millisecond}, // the governor is not asked
		{"intel_idle", "menu", 100_000, time.Millisecond, 0},
		{"intel_idle", "teo", 100_000, 100 * time.Microsecond, time.Millisecond},
		{"intel_idle", "ladder", 100_000, time.Millisecond, 10 * time.Millisecond},
	} {
		s := fakeSource(t, &fakeKernel{}, 1, map[string]string{
			"proc/sys/kernel/perf_event_max_sample_rate":      fmt.Sprintln(c.rate),
			"sys/devices/system/cpu/cpuidle/current_driver":   c.driver,
			"sys/devices/system/cpu/cpuidle/current_governor": c.governor,
		})
		if rate, idle := s.sampleRate(c.period.Nanoseconds()); rate != uint64(c.rate) || time.Duration(idle) != c.want {
			t.Errorf("%+v: idle processors every %v", c, time.Duration(idle))
		}
	}
}

// What a throttled group counts is not known, and never in a sum: where there is a value it is what happened in the row.
func TestAThrottledGroupHasNoValuesUntilItGoesOn(t *testing.T) {
	for name, k := range map[string]*fakeKernel{
		"every tick":              {perTick: 25},
		"no ticks on CPU 0":       {perTick: 300, tickless: map[int]bool{0: true}},
		"no ticks on either":      {perTick: 300, tickless: map[int]bool{0: true, 1: true}},
		"records lost":            {perTick: 25, mlock: 2 * 128 << 10},
		"records lost at 1 ms":    {perTick: 25, mlock: 2 * 128 << 10, at: 1e6},
		"records lost at 2 ms":    {perTick: 25, mlock: 2 * 128 << 10, at: 2e6},
		"records lost at 3 ms":    {perTick: 25, mlock: 2 * 128 << 10, at: 3e6},
		"others go on (old ones)": {perTick: 25, loneStop: true},
	} {
		k.capable, k.counters = true, 6
		s := openSampled(t, k, 2, 100*time.Microsecond, "task_clock", "page_faults", "cycles")
		b := collected(t, k, s, 1e6, 52e6, 7e6, 150e6, 3e6, 100e6, 1e6)
		var stood int64
		for _, e := range k.open_ {
			stood += e.stood
		}
		if stood == 0 {
			t.Fatalf("%s: nothing was throttled", name)
		}
		there, gone := int64(0), int64(0)
		for i, c := range s.Schema().Columns {
			a := attr{typ: typeHardware}
			if c.Meta.Name == "task_clock" {
				a = attr{typ: typeSoftware, config: 1}
			} else if c.Meta.Name == "page_faults" {
				a = attr{typ: typeSoftware, config: 2}
			}
			for row := range b.Len() {
				ns := b.End[row] - b.Start[row]
				if ns > 2*s.period && !strings.HasPrefix(name, "records lost") {
					t.Fatalf("%s: row %d lasts %d ns", name, row, ns)
				}
				if b.Cols[i].Missing(row) {
					gone += ns
					continue
				}
				there += ns
				want := a.rate() * uint64(ns) / 1000
				if c.Meta.Name == capture.TurnEnabled {
					want = uint64(ns)
				} else if c.Meta.Name == capture.TurnShare {
					continue
				}
				if got := b.Cols[i].U[row]; got+5 < want || got > want+5 {
					t.Fatalf("%s: row %d of %s[%s]: %d in %d ns, expected %d", name, row, c.Meta.Name, c.Meta.Instance, got, ns, want)
				}
			}
		}
		for _, r := range b.Reasons {
			if r.Reason != throttled {
				t.Errorf("%s: missing: %q", name, r.Reason.Text)
			}
		}
		if share := float64(gone) / float64(there+gone); there == 0 || gone == 0 || share > 0.98 {
			t.Errorf("%s: %d ns with values, %d without", name, there, gone)
		}
		if said := strings.Join(s.Conclude(), "\n"); !strings.Contains(said, "throttled the timers") || !strings.Contains(said, "take a longer period than 100µs") {
			t.Errorf("%s: said %q", name, said)
		}
	}
}

// A kernel that stops only what sampled too often goes on with the other clock's samples.
func TestSamplesAfterThrottlingProveThatAGroupGoesOn(t *testing.T) {
	r := series{}
	r.begin([]uint64{0, 0}, times{500, 500})
	got := []uint64{0, 0}
	add := func(at int64, counts ...uint64) { r.add(at, counts, times{uint64(at), uint64(at)}) }
	add(1000, 1000, 10)
	r.stop()
	add(1001, 1001, 11)
	add(2000, 1001, 20)
	r.resume()
	add(3000, 1500, 30)
	if _, known := r.at(3000, got); !known || got[1] != 30 || r.stopped != 0 {
		t.Errorf("the others counted %d, known %t, stopped for %d ns", got[1], known, r.stopped)
	}
}
