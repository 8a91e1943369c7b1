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
	"unsafe"

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
	at        int64 // ns
	paranoid  int   // 2 and no capability refuses what the real one refuses
	capable   bool
	files     int // most open files, 0 for no limit
	refuse    func(a *attr, pid, cpu int) error
	types     map[uint32]bool // accepted types beside hardware, software and cache
	noInherit bool            // refuses inherited groups, as old kernels
	wideOnly  []uint64        // hardware configs that exist
	noClock   bool            // refuses a clock for samples, as kernels before 4.1
	mlock     int             // bytes of rings, 0 for no limit
	locked    int
	changing  int64        // ns until which processes begin or end: reading what they inherit is refused
	beginning int64        // ns until which threads begin that inherit groups in part: reading those is refused for good
	perTick   int          // samples of an event between two ticks before it is throttled, 0 for no limit
	tickless  map[int]bool // CPUs without a tick
	idle      bool         // no CPU has anything to do
	stolen    bool         // timers do not come, and come at once after that
	gone      map[int]bool // CPUs that are offline
	loneStop  bool         // throttled stops only the event that samples, as before 6.16
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
	torn             bool // a thread has inherited its group in part
	offline          bool
	apart            bool     // and the kernel has taken the group apart, as Linux does
	mem              []uint64 // of its ring
	out              *fakeEvent
	lost             uint64 // samples without room since the last that found some
	interrupts       int    // since the last tick
	still            bool   // throttled
	stood            int64  // ns for which the group stood still
}

func (e *fakeEvent) hardware() bool { return e.a.typ != typeSoftware && e.a.typ != typeTracepoint }

// need is how many hardware counters a group takes.
func (e *fakeEvent) need() (n int) {
	for _, m := range e.group {
		if m.hardware() {
			n++
		}
	}
	return n
}

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
	case k.gone[cpu]:
		return nil, syscall.ENODEV
	case k.files > 0 && k.live() >= k.files:
		return nil, syscall.EMFILE
	case a.typ > typeCache && !k.types[a.typ]:
		return nil, syscall.ENOENT
	case a.typ == typeHardware && k.counters == 0, a.typ == typeCache && k.counters == 0:
		return nil, syscall.ENOENT
	case k.noClock && a.monotonic, leader != nil && a.monotonic != leader.(*fakeEvent).a.monotonic:
		return nil, syscall.EINVAL
	case k.noInherit && a.inherit && a.group:
		return nil, syscall.EINVAL
	case a.typ == typeHardware && k.wideOnly != nil && !slices.Contains(k.wideOnly, a.config):
		return nil, syscall.ENOENT
	}
	k.nextID++
	e := &fakeEvent{k: k, a: *a, pid: pid, cpu: cpu, num: 100 + k.nextID, on: !a.disabled, torn: k.at < k.beginning}
	if leader == nil {
		e.leader, e.group = e, []*fakeEvent{e}
	} else {
		l := leader.(*fakeEvent)
		if e.hardware() && l.need() >= k.counters {
			return nil, syscall.EINVAL
		}
		e.leader = l
		l.group = append(l.group, e)
	}
	k.open_ = append(k.open_, e)
	return e, nil
}

// unplug takes a CPU offline, which ends its events. As Linux does, their groups are taken apart, or not.
func (k *fakeKernel) unplug(cpu int, apart bool) {
	k.gone = map[int]bool{cpu: true}
	for _, e := range k.open_ {
		if e.cpu == cpu {
			e.offline, e.apart = true, apart
		}
	}
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
		step := min(k.slice-k.at%k.slice, ns)
		turn := int(k.at / k.slice)
		byCPU := map[int][]*fakeEvent{}
		for _, e := range k.open_ {
			if e.closed || e.leader != e || !e.on || e.offline {
				continue
			}
			if e.need() == 0 {
				e.run(step, true)
				continue
			}
			byCPU[e.cpu] = append(byCPU[e.cpu], e)
		}
		for _, groups := range byCPU {
			free := k.counters - k.held
			for i := range groups {
				g := groups[(i+turn)%len(groups)]
				fits := g.need() <= free
				if fits {
					free -= g.need()
				}
				g.run(step, fits)
			}
		}
		k.at += step
		ns -= step
	}
}

func (e *fakeEvent) run(ns int64, counting bool) {
	if e.a.period == 0 || !counting {
		e.pass(ns, counting)
		return
	}
	for at := e.k.at; ns > 0; {
		if at%e.k.tick() == 0 && !e.k.tickless[e.cpu] {
			e.unthrottle(at)
		}
		step := min(ns, int64(e.a.period-e.running%e.a.period), e.k.tick()-at%e.k.tick())
		e.pass(step, true)
		if at, ns = at+step, ns-step; e.running%e.a.period == 0 && !e.still && !e.k.stolen {
			e.interrupt(at)
		}
	}
}

// interrupt samples, and throttles what does so too often.
func (e *fakeEvent) interrupt(at int64) {
	if e.interrupts++; e.k.perTick > 0 && e.interrupts >= e.k.perTick {
		e.still = true
		e.tell(recordThrottle, []uint64{uint64(at), e.num, e.num, e.num, uint64(at)}, at)
	}
	e.sample(at)
}

// unthrottle is what a tick does. As in Linux the clock of tasks counts once more what it has counted before.
func (e *fakeEvent) unthrottle(at int64) {
	e.interrupts = 0
	if !e.still {
		return
	}
	e.still = false
	e.tell(recordUnthrottle, []uint64{uint64(at), e.num, e.num, e.num, uint64(at)}, at)
	for _, m := range e.group {
		if m.a.typ == typeSoftware && m.a.config == 1 && !e.k.loneStop {
			m.count += m.count / 2
		}
	}
}

func (e *fakeEvent) pass(ns int64, counting bool) {
	if e.still {
		e.stood += ns
	}
	for _, m := range e.group {
		m.enabled += uint64(ns)
		if counting {
			m.running += uint64(ns)
		}
		if counting && (!e.still || e.k.loneStop && m != e) {
			m.count += m.a.rate() * uint64(ns) / 1000
		}
	}
}

func (e *fakeEvent) read(buf []byte) (int, error) {
	if e.closed {
		return 0, syscall.EBADF
	}
	if (e.k.at < e.k.changing || e.torn) && e.a.group && e.a.inherit {
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
	group := e.group
	if e.apart {
		group = group[:1]
	}
	put(buf, uint64(len(group)))
	put(buf[8:], e.enabled)
	put(buf[16:], e.running)
	for i, m := range group {
		put(buf[24+16*i:], m.count)
		put(buf[32+16*i:], m.num)
	}
	return groupSize(len(group)), nil
}

// sample writes what the group has counted to its ring.
func (e *fakeEvent) sample(at int64) {
	if e.out == nil {
		return // as in Linux nothing is said of it
	}
	values := make([]byte, groupSize(len(e.group)))
	if _, err := e.read(values); err != nil {
		panic(err)
	}
	task := uint64(max(e.pid, 1))
	if e.k.idle {
		task = 0
	}
	words := []uint64{e.num, task<<32 | task, uint64(at)}
	if e.a.inherit {
		words = append(words, e.num)
	}
	for i := 0; i < len(values); i += 8 {
		words = append(words, binary.NativeEndian.Uint64(values[i:]))
	}
	e.tell(recordSample, words, at)
}

// tell writes a record, after how many found no room before it.
func (e *fakeEvent) tell(kind uint64, words []uint64, at int64) {
	o := e.out
	if o.lost > 0 && o.put(recordLost, []uint64{o.num, o.lost, uint64(at), o.num}) {
		o.lost = 0
	}
	if o.lost > 0 || !o.put(kind, words) {
		o.lost++
	}
}

// put writes a record where there is room.
func (e *fakeEvent) put(kind uint64, words []uint64) bool {
	head, tail, size := &e.mem[ringHead/8], e.mem[ringTail/8], e.mem[ringSize/8]
	n := uint64(8 + 8*len(words))
	if size-(*head-tail) < n {
		return false
	}
	for _, w := range append([]uint64{kind | n<<48}, words...) {
		e.mem[512+*head%size/8] = w
		*head += 8
	}
	return true
}

func (e *fakeEvent) ring(bytes int) (records, error) {
	switch {
	case e.k.mlock > 0 && e.k.locked+bytes > e.k.mlock:
		return nil, syscall.EPERM
	case e.a.period == 0:
		return nil, syscall.EINVAL
	}
	e.k.locked += bytes
	e.mem = make([]uint64, 512+bytes/8)
	e.mem[ringData/8], e.mem[ringSize/8] = 4096, uint64(bytes)
	e.out = e
	all := unsafe.Slice((*byte)(unsafe.Pointer(&e.mem[0])), len(e.mem)*8)
	return newRing(all, func() error { e.k.locked -= bytes; return nil })
}

func (e *fakeEvent) into(c counter) error {
	to := c.(*fakeEvent)
	if to.cpu != e.cpu || to.mem == nil || to.a.monotonic != e.a.monotonic {
		return syscall.EINVAL
	}
	e.out = to
	return nil
}

func (k *fakeKernel) now() int64         { return k.at }
func (k *fakeKernel) tick() int64        { return 4e6 }
func (e *fakeEvent) id() (uint64, error) { return e.num, nil }
func (e *fakeEvent) enable() error       { e.on = true; return nil }
func (e *fakeEvent) disable() error      { e.on = false; return nil }
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
	return &Source{root: sysroot.At(dir), k: k, sleep: func(d time.Duration) { k.advance(d.Nanoseconds()) }}
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
