package perfevent

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"astrolabe/capture"
	"astrolabe/hwio"
	"astrolabe/hwio/internal/sysroot"
)

// fakeKernel is a kernel with a hardware counter unit per CPU. Groups of hardware events take turns on a limited number of
// counters; every event advances at its own rate. Time passes only when a test says so.
type fakeKernel struct {
	counters  int   // hardware counters per CPU
	held      int   // of them held by someone else for good, which group validation does not see
	slice     int64 // ns until the next group has its turn
	now       int64 // ns
	paranoid  int   // 2 and no capability refuses what the real one refuses
	capable   bool
	files     int // most open files, 0 for no limit
	refuse    func(a *attr, pid, cpu int) error
	types     map[uint32]bool // accepted types beside hardware, software and cache
	noInherit bool            // refuses inherited groups, as old kernels
	wideOnly  []uint64        // hardware configs that exist
	changing  int64           // ns until which processes begin or end: reading what they inherit is refused
	open_     []*fakeEvent
	nextID    uint64
}

// fakeEvent is an open event; a leader has its group.
type fakeEvent struct {
	k                *fakeKernel
	a                attr
	pid, cpu         int
	num              uint64
	leader           *fakeEvent
	group            []*fakeEvent // of a leader, itself first
	count            uint64
	enabled, running uint64
	on, closed       bool
	offline          bool
}

func (e *fakeEvent) hardware() bool { return e.a.typ != typeSoftware && e.a.typ != typeTracepoint }

// rate is what an event counts per microsecond of running time.
func (a *attr) rate() uint64 { return 1000 + 100*(a.config&0xff) + uint64(a.typ) }

func (k *fakeKernel) open(a *attr, pid, cpu int, leader counter) (counter, error) {
	if k.refuse != nil {
		if err := k.refuse(a, pid, cpu); err != nil {
			return nil, err
		}
	}
	switch {
	case !k.capable && k.paranoid > 0 && pid == -1, !k.capable && k.paranoid > 1 && !a.excludeKernel, !k.capable && k.paranoid > 2:
		return nil, syscall.EACCES
	case k.files > 0 && k.live() >= k.files:
		return nil, syscall.EMFILE
	case a.typ > typeCache && !k.types[a.typ]:
		return nil, syscall.ENOENT
	case a.typ == typeHardware && k.counters == 0, a.typ == typeCache && k.counters == 0:
		return nil, syscall.ENOENT
	case k.noInherit && a.inherit && a.group:
		return nil, syscall.EINVAL
	case a.typ == typeHardware && k.wideOnly != nil && !slices.Contains(k.wideOnly, a.config):
		return nil, syscall.ENOENT
	}
	k.nextID++
	e := &fakeEvent{k: k, a: *a, pid: pid, cpu: cpu, num: 100 + k.nextID, on: !a.disabled}
	if leader == nil {
		e.leader, e.group = e, []*fakeEvent{e}
	} else {
		l := leader.(*fakeEvent)
		if l.hardware() && len(l.group) >= k.counters {
			return nil, syscall.EINVAL
		}
		e.leader = l
		l.group = append(l.group, e)
	}
	k.open_ = append(k.open_, e)
	return e, nil
}

func (k *fakeKernel) live() int {
	n := 0
	for _, e := range k.open_ {
		if !e.closed {
			n++
		}
	}
	return n
}

// advance lets time pass in slices, each with another set of hardware groups counting.
func (k *fakeKernel) advance(ns int64) {
	for ns > 0 {
		step := min(k.slice-k.now%k.slice, ns)
		turn := int(k.now / k.slice)
		byCPU := map[int][]*fakeEvent{}
		for _, e := range k.open_ {
			if e.closed || e.leader != e || !e.on || e.offline {
				continue
			}
			if !e.hardware() {
				e.run(step, true)
				continue
			}
			byCPU[e.cpu] = append(byCPU[e.cpu], e)
		}
		for _, groups := range byCPU {
			free := k.counters - k.held
			for i := range groups {
				g := groups[(i+turn)%len(groups)]
				fits := len(g.group) <= free
				if fits {
					free -= len(g.group)
				}
				g.run(step, fits)
			}
		}
		k.now += step
		ns -= step
	}
}

func (e *fakeEvent) run(ns int64, counting bool) {
	for _, m := range e.group {
		m.enabled += uint64(ns)
		if counting {
			m.running += uint64(ns)
			m.count += m.a.rate() * uint64(ns) / 1000
		}
	}
}

func (e *fakeEvent) read(buf []byte) (int, error) {
	if e.closed {
		return 0, syscall.EBADF
	}
	if e.k.now < e.k.changing && e.a.group && e.a.inherit {
		return 0, syscall.ECHILD
	}
	put := binary.NativeEndian.PutUint64
	if !e.a.group {
		put(buf, e.count)
		put(buf[8:], e.enabled)
		put(buf[16:], e.running)
		put(buf[24:], e.num)
		return 32, nil
	}
	if len(buf) < groupSize(len(e.group)) {
		return 0, syscall.ENOSPC
	}
	put(buf, uint64(len(e.group)))
	put(buf[8:], e.enabled)
	put(buf[16:], e.running)
	for i, m := range e.group {
		put(buf[24+16*i:], m.count)
		put(buf[32+16*i:], m.num)
	}
	return groupSize(len(e.group)), nil
}

func (e *fakeEvent) id() (uint64, error) { return e.num, nil }
func (e *fakeEvent) enable() error       { e.on = true; return nil }
func (e *fakeEvent) close() error {
	if e.closed {
		return syscall.EBADF
	}
	e.closed = true
	return nil
}

// fakeSource is a source on a fake kernel and a fixture tree of CPUs 0 to n-1 with a counter unit.
func fakeSource(t *testing.T, k *fakeKernel, cpus int, files map[string]string) *Source {
	t.Helper()
	dir := t.TempDir()
	all := map[string]string{
		"sys/devices/system/cpu/online":         fmt.Sprintf("0-%d\n", cpus-1),
		"proc/sys/kernel/perf_event_paranoid":   fmt.Sprintln(k.paranoid),
		"sys/bus/event_source/devices/cpu/type": "4\n",
	}
	for name, text := range files {
		all[name] = text
		if text == "" {
			delete(all, name)
		}
	}
	for name, text := range all {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if k.slice == 0 {
		k.slice = 4e6
	}
	if k.types == nil {
		k.types = map[uint32]bool{4: true}
	}
	t.Cleanup(func() {
		if n := k.live(); n > 0 {
			t.Errorf("%d events were left open", n)
		}
	})
	return &Source{root: sysroot.Root(dir), k: k, sleep: func(d time.Duration) { k.advance(d.Nanoseconds()) }}
}

// sample is one read: values by "name" or "name[instance]", and the reasons of the missing ones.
type sample struct {
	value  map[string]float64
	reason map[string]capture.Reason
	batch  *capture.Batch
}

func read(t *testing.T, s hwio.Stream) sample {
	t.Helper()
	b := capture.NewBatch(s.Schema(), 1)
	if err := s.Read(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	out := sample{map[string]float64{}, map[string]capture.Reason{}, b}
	for i, c := range s.Schema().Columns {
		name := c.Meta.Name
		if c.Meta.Instance != "" {
			name += "[" + c.Meta.Instance + "]"
		}
		if b.Cols[i].Len() == 1 && !b.Cols[i].Missing(0) {
			out.value[name] = b.Cols[i].Float(0)
		}
		for _, r := range b.Reasons {
			if r.Col == i {
				out.reason[name] = r.Reason
			}
		}
	}
	return out
}

func openFake(t *testing.T, s *Source, r hwio.Request) hwio.Stream {
	t.Helper()
	st, err := s.Open(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	if first := read(t, st); len(first.value) > 0 {
		t.Fatalf("the baseline delivered %v", first.value)
	}
	return st
}
