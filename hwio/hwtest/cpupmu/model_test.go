package cpupmu

import (
	"encoding/binary"
	"errors"
	"slices"
	"syscall"
	"testing"
	"time"

	"astrolabe/hwio/hwtest"
	"astrolabe/hwio/hwtest/uapi"
)

// bench is a device with four processors, whose clock and tasks the test holds.
type bench struct {
	*device
	t     *testing.T
	clock int64
	tasks map[int]bool
	ends  map[int][]func() // who waits for the end of a task
	call  *hwtest.Call
	out   []byte // what a request wrote
}

func newBench(t *testing.T, scenarios ...string) *bench {
	b := &bench{t: t, tasks: map[int]bool{100: true}, ends: map[int][]func(){}}
	b.device = &device{
		set: &hwtest.Settings{Scenarios: scenarios}, paranoid: 2, cpus: []int{0, 1, 3}, rosters: map[place]*roster{}, tasks: map[int]*task{}, image: func(int) image { return image{} },
		stop: make(chan struct{}), // the test says when records are made
		now:  func() int64 { return b.clock }, alive: func(tid int) bool { return b.tasks[tid] },
		watch: func(pid int, ended func()) { b.ends[pid] = append(b.ends[pid], ended) },
	}
	b.call = &hwtest.Call{PID: 100, TID: 100, Privileged: true, Note: func(string, ...any) {}, File: func(int) hwtest.File { return nil }, Memory: (*benchMemory)(b)}
	return b
}

type benchMemory bench

func (m *benchMemory) Read(uint64, []byte) error { return syscall.EFAULT }
func (m *benchMemory) Write(_ uint64, b []byte) error {
	m.out = slices.Clone(b)
	return nil
}

func (b *bench) pass(d time.Duration) { b.clock += int64(d) }

// end ends a task and tells who waits for that.
func (b *bench) end(tid int) {
	b.tasks[tid] = false
	for _, f := range b.ends[tid] {
		f()
	}
}

// makeAttr is the structure with members set.
func makeAttr(typ uint32, config uint64, set map[string]uint64) []byte {
	s := uapi.Struct("perf_event_attr")
	out := make([]byte, s.Size)
	s.Set(out, "type", uint64(typ))
	s.Set(out, "size", uint64(s.Size))
	s.Set(out, "config", config)
	for k, v := range set {
		s.Set(out, k, v)
	}
	return out
}

// allFormat asks a read for everything.
const allFormat = 15

func (b *bench) open(typ uint32, config uint64, pid, cpu int, group hwtest.File, set map[string]uint64) (*event, error) {
	f, err := b.PerfEventOpen(b.call, makeAttr(typ, config, set), pid, cpu, group, 8)
	if f == nil {
		return nil, err
	}
	return asEvent(f), err
}

// onCPU opens an event that counts at once on processor 0.
func (b *bench) onCPU(name string, leader *event, set map[string]uint64) *event {
	b.t.Helper()
	if set == nil {
		set = map[string]uint64{"read_format": allFormat}
	}
	var group hwtest.File
	if leader != nil {
		group = leader
	}
	e, err := b.open(typeHardware, uint64(uapi.Const("PERF_COUNT_HW_"+name)), -1, 0, group, set)
	if err != nil {
		b.t.Fatalf("open %s: %v", name, err)
	}
	return e
}

func (b *bench) read(e *event) []uint64 {
	b.t.Helper()
	data, err := e.Read(b.call, 4096)
	if err != nil {
		b.t.Fatalf("read: %v", err)
	}
	out := make([]uint64, len(data)/8)
	for i := range out {
		out[i] = binary.LittleEndian.Uint64(data[8*i:])
	}
	return out
}

func TestAGroupIsReadAtOnce(t *testing.T) {
	b := newBench(t)
	l := b.onCPU("CPU_CYCLES", nil, nil)
	m := b.onCPU("CACHE_MISSES", l, nil)
	b.pass(time.Second)
	want := []uint64{2, 1e9, 1e9, 2e9, l.id, 4e6, m.id}
	if got := b.read(l); !slices.Equal(got, want) {
		t.Errorf("the group reads %d, want %d", got, want)
	}
	if got := b.read(m); !slices.Equal(got, want) {
		t.Errorf("a member reads %d, want what its leader reads", got)
	}
	if _, err := l.Read(b.call, 55); err != syscall.ENOSPC {
		t.Errorf("a read with too little room: %v", err)
	}
	if _, err := l.Ioctl(b.call, request("PERF_EVENT_IOC_ID"), 1); err != nil || binary.LittleEndian.Uint64(b.out) != l.id {
		t.Errorf("the id of the leader: %v, %v", b.out, err)
	}
}

func TestASingleEventIsReadInTheOrderOfTheHeader(t *testing.T) {
	b := newBench(t)
	e := b.onCPU("CPU_CYCLES", nil, map[string]uint64{"read_format": 1 | 2 | 4 | 16, "exclude_kernel": 1})
	b.pass(time.Second)
	if got := b.read(e); !slices.Equal(got, []uint64{15e8, 1e9, 1e9, e.id, 0}) {
		t.Errorf("user space alone reads %d", got)
	}
	if got := b.read(b.onCPU("CPU_CYCLES", nil, map[string]uint64{"disabled": 1})); !slices.Equal(got, []uint64{0}) {
		t.Errorf("without a format it reads %d", got)
	}
}

func TestHigherProcessorsCountFaster(t *testing.T) {
	b := newBench(t)
	e, err := b.open(typeHardware, 0, -1, 3, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	b.pass(time.Second)
	if got := b.read(e); got[0] != 2e9/8*11 {
		t.Errorf("processor 3 counts %d cycles", got)
	}
}

func TestEventsAreEnabledDisabledAndReset(t *testing.T) {
	b := newBench(t)
	l := b.onCPU("CPU_CYCLES", nil, map[string]uint64{"read_format": allFormat, "disabled": 1})
	m := b.onCPU("INSTRUCTIONS", l, nil)
	do := func(e *event, name string, arg uint64) {
		t.Helper()
		if _, err := e.Ioctl(b.call, request("PERF_EVENT_IOC_"+name), arg); err != nil {
			t.Fatal(err)
		}
	}
	b.pass(time.Second)
	if got := b.read(l); got[1] != 0 || got[5] != 0 {
		t.Errorf("before it is enabled the group reads %d", got)
	}
	do(l, "ENABLE", 1)
	b.pass(time.Second)
	do(l, "DISABLE", 0)
	b.pass(time.Second)
	if got := b.read(l); got[1] != 1e9 || got[5] != 3e9 {
		t.Errorf("a member counts while its leader does not: %d", got)
	}
	do(m, "RESET", 0)
	do(l, "ENABLE", 0)
	b.pass(time.Second)
	if got := b.read(l); got[3] != 4e9 || got[5] != 3e9 || got[1] != 2e9 {
		t.Errorf("after the reset of one member: %d", got)
	}
	if _, err := l.Ioctl(b.call, request("PERF_EVENT_IOC_REFRESH"), 1); err != syscall.EINVAL {
		t.Errorf("REFRESH of an event that does not sample: %v", err)
	}
	if _, err := l.Ioctl(b.call, 0x1234, 1); err != syscall.ENOTTY {
		t.Errorf("an unknown request: %v", err)
	}
}

func TestGroupsThatDoNotFitTogetherTakeTurnsWhole(t *testing.T) {
	b := newBench(t, "few-counters")
	a := b.onCPU("CPU_CYCLES", nil, nil)
	b.onCPU("INSTRUCTIONS", a, nil)
	c := b.onCPU("CACHE_MISSES", nil, nil)
	b.onCPU("BRANCH_MISSES", c, nil)
	b.pass(time.Second)
	for _, e := range []*event{a, c} {
		if got := b.read(e); got[1] != 1e9 || got[2] != 5e8 || got[3] != e.rate/2 {
			t.Errorf("half of the time each: %d", got)
		}
	}
	c.Close()
	b.pass(time.Second)
	if got := b.read(a); got[2] != 1e9 || got[1] != 2e9 {
		t.Errorf("the member of the closed leader, now alone, takes turns too: %d", got)
	}
}

func TestAGroupThatIsTooBigIsRefused(t *testing.T) {
	b := newBench(t)
	l := b.onCPU("CPU_CYCLES", nil, nil)
	for _, n := range []string{"INSTRUCTIONS", "REF_CPU_CYCLES", "CACHE_MISSES", "CACHE_REFERENCES", "BRANCH_MISSES", "BRANCH_INSTRUCTIONS"} {
		b.onCPU(n, l, nil)
	}
	if _, err := b.open(typeHardware, uint64(uapi.Const("PERF_COUNT_HW_BUS_CYCLES")), -1, 0, l, nil); err != syscall.EINVAL {
		t.Errorf("an eighth event on seven counters: %v", err)
	}
	if len(l.members) != 7 {
		t.Errorf("the group has %d members", len(l.members))
	}
}

func TestTheWatchdogKeepsAGroupOffThatTheKernelTook(t *testing.T) {
	b := newBench(t, "watchdog")
	l := b.onCPU("CACHE_MISSES", nil, nil)
	for _, n := range []string{"CACHE_REFERENCES", "BRANCH_MISSES", "BRANCH_INSTRUCTIONS"} {
		b.onCPU(n, l, nil)
	}
	b.pass(time.Second)
	if got := b.read(l); got[1] != 1e9 || got[2] != 0 {
		t.Errorf("the group was on the hardware: %d", got)
	}
	p := b.onCPU("BUS_CYCLES", nil, map[string]uint64{"pinned": 1})
	b.onCPU("BRANCH_MISSES", p, nil)
	b.onCPU("CACHE_MISSES", p, nil)
	b.onCPU("CACHE_REFERENCES", p, nil)
	b.pass(time.Second)
	if data, err := p.Read(b.call, 4096); err != nil || len(data) != 0 {
		t.Errorf("a pinned group without room reads %d, %v; want the end of the file", data, err)
	}
}

func TestMembersOfAClosedLeaderCountOn(t *testing.T) {
	b := newBench(t)
	l := b.onCPU("CPU_CYCLES", nil, nil)
	m := b.onCPU("INSTRUCTIONS", l, nil)
	b.pass(time.Second)
	l.Close()
	b.pass(time.Second)
	if got := b.read(m); !slices.Equal(got, []uint64{1, 2e9, 2e9, 6e9, m.id}) {
		t.Errorf("the member reads %d", got)
	}
	m.Close()
	if x := m.roster; len(x.groups) != 0 {
		t.Errorf("%d groups are left", len(x.groups))
	}
}

func TestATaskCountsFromItsExecToItsEnd(t *testing.T) {
	b := newBench(t)
	e, err := b.open(typeHardware, 0, 100, -1, nil, map[string]uint64{"disabled": 1, "enable_on_exec": 1, "inherit": 1, "read_format": allFormat})
	if err != nil {
		t.Fatal(err)
	}
	b.pass(time.Second)
	b.Exec(99, "/bin/true")
	b.pass(time.Second)
	b.Exec(100, "/bin/true")
	b.pass(time.Second)
	if got := b.read(e); got[1] != 1e9 || got[3] != 2e9 {
		t.Errorf("after the exec: %d", got)
	}
	// Its last stretch counts, although nobody reads before the end.
	b.pass(time.Second / 2)
	b.end(100)
	b.pass(time.Second)
	if got := b.read(e); got[1] != 15e8 || got[3] != 3e9 {
		t.Errorf("after its end: %d", got)
	}
	// The number comes again: nothing of the old task is counted for the new one.
	b.tasks[100] = true
	f, err := b.open(typeHardware, 0, 100, -1, nil, map[string]uint64{"read_format": allFormat})
	if err != nil {
		t.Fatal(err)
	}
	b.pass(time.Second)
	if got, old := b.read(f), b.read(e); got[1] != 1e9 || old[1] != 15e8 {
		t.Errorf("a new task of the number: %d, the old one %d", got, old)
	}
}

func TestAnEndThatNobodyTellsOfIsWhenItIsNoticed(t *testing.T) {
	b := newBench(t)
	e, err := b.open(typeHardware, 0, 100, -1, nil, map[string]uint64{"read_format": allFormat})
	if err != nil {
		t.Fatal(err)
	}
	b.pass(time.Second)
	b.tasks[100] = false // a thread that leads no process
	for range 2 {
		if got := b.read(e); got[1] != 1e9 {
			t.Errorf("after its end: %d", got)
		}
		b.pass(time.Second)
	}
}

func TestWrongRequestsHaveTheKernelsErrors(t *testing.T) {
	cycles := uint32(typeHardware)
	for name, c := range map[string]struct {
		scenarios    []string
		unprivileged bool
		typ          uint32
		config       uint64
		pid, cpu     int
		set          map[string]uint64
		want         error
	}{
		"neither task nor processor":                {typ: cycles, pid: -1, cpu: -1, want: syscall.EINVAL},
		"no such task":                              {typ: cycles, pid: 77, cpu: -1, want: syscall.ESRCH},
		"an offline processor":                      {typ: cycles, pid: -1, cpu: 2, want: syscall.ENODEV},
		"a processor beyond all":                    {typ: cycles, pid: -1, cpu: 4, want: syscall.EINVAL},
		"a generic event that the unit lacks":       {typ: cycles, config: 7, pid: -1, want: syscall.ENOENT},
		"no generic event":                          {typ: cycles, config: 10, pid: -1, want: syscall.EINVAL},
		"a cache event that the unit lacks":         {typ: typeCache, config: 6, pid: -1, want: syscall.ENOENT},
		"no cache event":                            {typ: typeCache, config: 7, pid: -1, want: syscall.EINVAL},
		"bits that no format names":                 {typ: typeRaw, config: 1 << 32, pid: -1, want: syscall.EINVAL},
		"a generic event of another unit":           {typ: cycles, config: 9 << 32, pid: -1, want: syscall.ENOENT},
		"a generic event of this unit":              {typ: cycles, config: typeRaw << 32, pid: -1},
		"sampling without interrupts":               {scenarios: []string{"no-interrupts"}, typ: cycles, pid: -1, set: map[string]uint64{"sample_period": 1e6}, want: syscall.EOPNOTSUPP},
		"sampling":                                  {typ: cycles, pid: -1, set: map[string]uint64{"sample_period": 1e6}},
		"more samples than may be":                  {typ: cycles, pid: -1, set: map[string]uint64{"sample_period": 19_000}, want: syscall.EINVAL},
		"a higher frequency than may be":            {typ: cycles, pid: -1, set: map[string]uint64{"sample_freq": 100_001, "freq": 1}, want: syscall.EINVAL},
		"a negative period":                         {typ: cycles, pid: -1, set: map[string]uint64{"sample_period": 1 << 63}, want: syscall.EINVAL},
		"samples of exact places":                   {typ: cycles, pid: -1, set: map[string]uint64{"sample_period": 1e6, "precise_ip": 1}, want: syscall.EOPNOTSUPP},
		"samples with what is not modelled":         {typ: cycles, pid: -1, set: map[string]uint64{"sample_period": 1e6, "sample_type": 1 << 11}, want: syscall.EINVAL},
		"samples of a memory controller":            {typ: imcType, config: 1, pid: -1, set: map[string]uint64{"sample_period": 1e6}, want: syscall.EINVAL},
		"reserved bits":                             {typ: cycles, pid: -1, set: map[string]uint64{"__reserved_1": 1}, want: syscall.EINVAL},
		"a read format of the future":               {typ: cycles, pid: -1, set: map[string]uint64{"read_format": 32}, want: syscall.EINVAL},
		"a memory controller limited to a task":     {typ: imcType, config: 1, pid: 100, cpu: -1, want: syscall.EINVAL},
		"a memory controller without user space":    {typ: imcType, config: 1, pid: -1, set: map[string]uint64{"exclude_user": 1}, want: syscall.EINVAL},
		"no event of the memory controller":         {typ: imcType, config: 9, pid: -1, want: syscall.EINVAL},
		"the memory controller":                     {typ: imcType, config: 1, pid: -1},
		"a raw event":                               {typ: typeRaw, config: 0x1a2, pid: -1},
		"a unit that opens nothing":                 {scenarios: []string{"no-pmu-events"}, typ: cycles, pid: -1, want: syscall.ENOENT},
		"an inherited group on an old kernel":       {scenarios: []string{"no-inherited-groups"}, typ: cycles, pid: 0, cpu: -1, set: map[string]uint64{"inherit": 1, "read_format": 8}, want: syscall.EINVAL},
		"a processor without privileges":            {unprivileged: true, typ: cycles, pid: -1, set: map[string]uint64{"exclude_kernel": 1}, want: syscall.EACCES},
		"the kernel without privileges":             {unprivileged: true, typ: cycles, pid: 0, cpu: -1, want: syscall.EACCES},
		"user space of a task, without privileges":  {unprivileged: true, typ: cycles, pid: 0, cpu: -1, set: map[string]uint64{"exclude_kernel": 1}},
		"a software event without privileges":       {unprivileged: true, typ: typeSoftware, pid: -1, set: map[string]uint64{"exclude_kernel": 1}, want: syscall.EACCES},
		"a software event is the real kernel's":     {typ: typeSoftware, pid: -1},
		"a tracepoint is the real kernel's as well": {typ: typeTracepoint, pid: -1},
	} {
		b := newBench(t, c.scenarios...)
		b.call.Privileged = !c.unprivileged
		e, err := b.open(c.typ, c.config, c.pid, c.cpu, nil, c.set)
		if !errors.Is(err, c.want) || c.want == nil && err != nil {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
		if (c.typ == typeSoftware || c.typ == typeTracepoint) && e != nil {
			t.Errorf("%s: it was answered", name)
		}
	}
}

func TestMembersOfAGroupBelongTogether(t *testing.T) {
	b := newBench(t)
	l := b.onCPU("CPU_CYCLES", nil, nil)
	m := b.onCPU("INSTRUCTIONS", l, nil)
	for name, c := range map[string]struct {
		group hwtest.File
		typ   uint32
		cpu   int
		set   map[string]uint64
	}{
		"a member as leader":    {group: m},
		"another processor":     {group: l, cpu: 1},
		"a pinned member":       {group: l, set: map[string]uint64{"pinned": 1}},
		"a member of elsewhere": {group: l, typ: imcType},
	} {
		if _, err := b.open(c.typ, uint64(min(c.typ, 1)), -1, c.cpu, c.group, c.set); err != syscall.EINVAL {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestOlderAndNewerAttributesAreUnderstood(t *testing.T) {
	b := newBench(t)
	old := makeAttr(typeHardware, 0, nil)[:64]
	if f, err := b.PerfEventOpen(b.call, old, -1, 0, nil, 0); f == nil || err != nil {
		t.Errorf("the first version: %v", err)
	}
	newer := append(makeAttr(typeHardware, 0, nil), make([]byte, 8)...)
	if f, err := b.PerfEventOpen(b.call, newer, -1, 0, nil, 0); f == nil || err != nil {
		t.Errorf("a newer version with zeros: %v", err)
	}
	newer[130] = 1
	if _, err := b.PerfEventOpen(b.call, newer, -1, 0, nil, 0); err != syscall.E2BIG {
		t.Errorf("a newer version with what nobody knows: %v", err)
	}
}

func FuzzPerfEventOpen(f *testing.F) {
	f.Add(makeAttr(typeHardware, 0, map[string]uint64{"read_format": allFormat}), -1, 0, uint64(8))
	f.Add(makeAttr(typeCache, 0x10002, map[string]uint64{"inherit": 1}), 0, -1, uint64(0))
	f.Fuzz(func(t *testing.T, raw []byte, pid, cpu int, flags uint64) {
		b := newBench(t)
		file, err := b.PerfEventOpen(b.call, raw, pid, cpu, nil, flags)
		if file == nil {
			return
		}
		if err != nil {
			t.Fatalf("a file and the error %v", err)
		}
		b.pass(time.Millisecond)
		if _, err := file.Read(b.call, 256); err != nil {
			t.Errorf("read: %v", err)
		}
		file.Close()
	})
}
