package perfevent

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"astrolabe/capture"
	"astrolabe/hwio"
)

// openTasks opens processes that the kernel samples, and has the stream begin.
func openTasks(t *testing.T, k *fakeKernel, cpus int, r hwio.Request) *tasks {
	t.Helper()
	r.PID = 77
	st, err := fakeSource(t, k, cpus, nil).Open(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	s, ok := st.(*tasks)
	if !ok {
		t.Fatalf("the kernel does not sample: %q", st.Schema().Config.Warnings)
	}
	if err := s.Read(t.Context(), capture.NewBatch(s.Schema(), 1)); err != nil {
		t.Fatal(err)
	}
	return s
}

// windows reads the stream after each of some times, and ends it.
func windows(t *testing.T, k *fakeKernel, s *tasks, steps ...int64) *capture.Batch {
	t.Helper()
	b := capture.NewBatch(s.Schema(), 1)
	for _, ns := range steps {
		k.advance(ns)
		if err := s.Read(t.Context(), b); err != nil {
			t.Fatal(err)
		}
	}
	k.advance(12_345)
	if err := s.Finish(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	for i, c := range b.Cols {
		if c.Len() != b.Len() {
			t.Fatalf("%d values of %s in %d rows", c.Len(), s.Schema().Columns[i].Meta.Name, b.Len())
		}
	}
	return b
}

// The fake's process is on both CPUs at once, as two threads would be.
func TestRowsOfProcessesHoldWhatTheKernelCounted(t *testing.T) {
	k := &fakeKernel{counters: 6, capable: true}
	s := openTasks(t, k, 2, hwio.Request{Period: time.Millisecond, Counters: []string{"cycles", "page_faults"}})
	before := map[uint64]uint64{}
	for _, e := range k.open_ {
		before[e.num] = e.count
	}
	b := windows(t, k, s, 200e6, 1, 200e6, 77e6)
	want := map[string]uint64{}
	for _, e := range k.open_ {
		if !e.closed && e.a.period == 0 && e.a.typ <= typeSoftware {
			want[map[uint32]string{typeHardware: "cycles", typeSoftware: "page_faults"}[e.a.typ]] += e.count - before[e.num]
		}
	}
	for i, c := range s.Schema().Columns {
		var sum uint64
		for row, v := range b.Cols[i].U {
			sum += v
			ns := uint64(b.End[row] - b.Start[row])
			a := attr{typ: typeHardware}
			if c.Meta.Name == "page_faults" {
				a = attr{typ: typeSoftware, config: 2}
			}
			if even := 2 * a.rate() * ns / 1000; c.Meta.Name != capture.TurnEnabled && ns > 500_000 && (v < even*98/100 || v > even*102/100) {
				t.Errorf("row %d of %s: %d in %d ns, %d happened", row, c.Meta.Name, v, ns, even)
			}
		}
		if n, ok := want[c.Meta.Name]; ok && (sum != n || n == 0) {
			t.Errorf("%s: %d recorded, %d counted", c.Meta.Name, sum, n)
		}
	}
	if b.Len() < 477 || b.Len() > 478 || len(s.Conclude()) > 0 {
		t.Errorf("%d rows, and %q", b.Len(), s.Conclude())
	}
}

func TestProcessesThatAreThrottledHaveNoValuesAround(t *testing.T) {
	k := &fakeKernel{counters: 6, capable: true}
	s := openTasks(t, k, 1, hwio.Request{Period: time.Millisecond, Counters: []string{"task_clock"}})
	k.advance(100e6)
	b := capture.NewBatch(s.Schema(), 1)
	if err := s.Read(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	k.perTick = 2
	k.advance(100e6)
	k.perTick = 0
	k.advance(5e6)
	if err := s.Read(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	rest := windows(t, k, s, 100e6)
	missing := 0
	for row := range b.Len() {
		if b.Cols[0].Missing(row) {
			missing++
		}
	}
	if missing != 105 || b.Reasons[0].Reason != throttled || len(rest.Reasons) > 0 {
		t.Errorf("%d of %d rows are missing, then %+v", missing, b.Len(), rest.Reasons)
	}
	if said := strings.Join(s.Conclude(), "\n"); !strings.Contains(said, "take a longer period than 1ms") {
		t.Errorf("said %q", said)
	}
}

func TestWhereProcessesCannotBeSampledItIsSaidAndTheyAreRead(t *testing.T) {
	old := &fakeKernel{counters: 6, capable: true, refuse: func(a *attr, _, _ int) error {
		if a.inherit && a.period > 0 {
			return syscall.EINVAL
		}
		return nil
	}}
	for name, c := range map[string]struct {
		k    *fakeKernel
		cpus int
		want string
	}{
		"before 6.12":   {old, 2, "Linux 6.12 or newer samples"},
		"too many CPUs": {&fakeKernel{counters: 6, capable: true}, 300, "every process that begins would take"},
	} {
		st, err := fakeSource(t, c.k, c.cpus, nil).Open(t.Context(), hwio.Request{Period: time.Millisecond, PID: 77, Counters: []string{"cycles", "page_faults"}})
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := st.(*stream); !ok {
			t.Errorf("%s: a %T", name, st)
		}
		if said := strings.Join(st.Schema().Config.Warnings, "\n"); strings.Count(said, "reads the counters at every tick") != 1 || !strings.Contains(said, c.want) {
			t.Errorf("%s: %q", name, said)
		}
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	}
}
