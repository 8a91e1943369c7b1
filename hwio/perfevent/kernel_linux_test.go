//go:build linux

package perfevent

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"astrolabe/capture"
	"astrolabe/hwio"
	"astrolabe/hwio/hwtest/uapi"
)

// The bytes of a tape are those that the kernel is given, but for the size.
func TestTheBytesOfATapeAreTheKernelsStructure(t *testing.T) {
	for _, a := range []attr{{}, {typ: 4, config: 1 << 40, config1: 2, config2: 3, excludeUser: true},
		{typ: 1, period: 1e6, monotonic: true, group: true, disabled: true, excludeIdle: true, excludeKernel: true},
		{typ: 1, period: 1e6, monotonic: true, group: true, inherit: true, onExec: true}} {
		s := *sysAttr(&a)
		s.Size = 0
		is := unsafe.Slice((*byte)(unsafe.Pointer(&s)), unsafe.Sizeof(s))
		if b := attrBytes(&a); !bytes.Equal(is[:len(b)], b) || bytes.ContainsFunc(is[len(b):], func(r rune) bool { return r != 0 }) {
			t.Errorf("%+v: % x on tape, % x for the kernel", a, b, is)
		}
	}
}

func TestAttributeLayoutIsTheKernels(t *testing.T) {
	var a unix.PerfEventAttr
	size := map[string][2]uintptr{
		"type":               {unsafe.Offsetof(a.Type), unsafe.Sizeof(a.Type)},
		"size":               {unsafe.Offsetof(a.Size), unsafe.Sizeof(a.Size)},
		"config":             {unsafe.Offsetof(a.Config), unsafe.Sizeof(a.Config)},
		"sample_period":      {unsafe.Offsetof(a.Sample), unsafe.Sizeof(a.Sample)},
		"sample_type":        {unsafe.Offsetof(a.Sample_type), unsafe.Sizeof(a.Sample_type)},
		"read_format":        {unsafe.Offsetof(a.Read_format), unsafe.Sizeof(a.Read_format)},
		"wakeup_events":      {unsafe.Offsetof(a.Wakeup), unsafe.Sizeof(a.Wakeup)},
		"bp_type":            {unsafe.Offsetof(a.Bp_type), unsafe.Sizeof(a.Bp_type)},
		"config1":            {unsafe.Offsetof(a.Ext1), unsafe.Sizeof(a.Ext1)},
		"config2":            {unsafe.Offsetof(a.Ext2), unsafe.Sizeof(a.Ext2)},
		"branch_sample_type": {unsafe.Offsetof(a.Branch_sample_type), unsafe.Sizeof(a.Branch_sample_type)},
		"clockid":            {unsafe.Offsetof(a.Clockid), unsafe.Sizeof(a.Clockid)},
		"aux_watermark":      {unsafe.Offsetof(a.Aux_watermark), unsafe.Sizeof(a.Aux_watermark)},
		"sig_data":           {unsafe.Offsetof(a.Sig_data), unsafe.Sizeof(a.Sig_data)},
	}
	bits := map[string]uint64{
		"disabled": sysAttr(&attr{disabled: true}).Bits, "inherit": sysAttr(&attr{inherit: true}).Bits,
		"sample_id_all": sysAttr(&attr{period: 1}).Bits, "use_clockid": sysAttr(&attr{monotonic: true}).Bits,
		"exclude_idle": sysAttr(&attr{excludeIdle: true}).Bits, "exclude_user": sysAttr(&attr{excludeUser: true}).Bits, "enable_on_exec": sysAttr(&attr{onExec: true}).Bits,
		"exclude_kernel": sysAttr(&attr{excludeKernel: true}).Bits &^ unix.PerfBitExcludeHv,
		"exclude_hv":     sysAttr(&attr{excludeKernel: true}).Bits &^ unix.PerfBitExcludeKernel,
	}
	base := unsafe.Offsetof(a.Bits)
	kernel := uapi.Struct("perf_event_attr")
	if int(unsafe.Sizeof(a)) != kernel.Size {
		t.Errorf("the structure has %d bytes; the kernel's has %d", unsafe.Sizeof(a), kernel.Size)
	}
	for name, have := range size {
		if want := kernel.Field(name); want.Bits != 0 || int(have[0]) != want.Offset || int(have[1]) != want.Size {
			t.Errorf("%s is at %d, %d bytes; the kernel has it at %d, %d bytes", name, have[0], have[1], want.Offset, want.Size)
		}
	}
	for name, word := range bits {
		if want := kernel.Field(name); want.Bits != 1 || int(base) != want.Offset || word != 1<<want.Bit {
			t.Errorf("%s sets %#x, the kernel has bit %d of the word at %d", name, word, want.Bit, want.Offset)
		}
	}
}

func TestNumbersAreTheKernels(t *testing.T) {
	consts := map[string]uint64{
		"PERF_TYPE_HARDWARE": typeHardware, "PERF_TYPE_SOFTWARE": typeSoftware, "PERF_TYPE_TRACEPOINT": typeTracepoint,
		"PERF_TYPE_HW_CACHE": typeCache, "PERF_TYPE_RAW": typeRaw, "PERF_FORMAT_GROUP": formatGroup, "PERF_FORMAT_ID": formatID,
		"PERF_FORMAT_TOTAL_TIME_ENABLED": formatTotalTimeEnabled, "PERF_FORMAT_TOTAL_TIME_RUNNING": formatTotalTimeRunning,
		"PERF_SAMPLE_TIME": sampleTime, "PERF_SAMPLE_READ": sampleRead, "PERF_SAMPLE_TID": sampleTID, "PERF_SAMPLE_STREAM_ID": sampleStreamID,
		"PERF_SAMPLE_IDENTIFIER": sampleIdentifier, "PERF_RECORD_LOST": recordLost, "PERF_RECORD_THROTTLE": recordThrottle, "PERF_RECORD_UNTHROTTLE": recordUnthrottle,
		"PERF_RECORD_SAMPLE": recordSample, "PERF_RECORD_LOST_SAMPLES": recordLostSamples,
		"PERF_IOC_FLAG_GROUP": unix.PERF_IOC_FLAG_GROUP, "PERF_FLAG_FD_CLOEXEC": unix.PERF_FLAG_FD_CLOEXEC,
	}
	config := func(name string) uint64 {
		all := genericEvents()
		i := slices.IndexFunc(all, func(e event) bool { return e.meta.Name == name })
		return all[i].config
	}
	for kernel, ours := range map[string]string{
		"HW_CPU_CYCLES": "cycles", "HW_INSTRUCTIONS": "instructions", "HW_CACHE_REFERENCES": "cache_references", "HW_CACHE_MISSES": "cache_misses",
		"HW_BRANCH_INSTRUCTIONS": "branches", "HW_BRANCH_MISSES": "branch_misses", "HW_BUS_CYCLES": "bus_cycles",
		"HW_STALLED_CYCLES_FRONTEND": "stalled_cycles_frontend", "HW_STALLED_CYCLES_BACKEND": "stalled_cycles_backend", "HW_REF_CPU_CYCLES": "ref_cycles",
		"SW_CPU_CLOCK": "cpu_clock", "SW_TASK_CLOCK": "task_clock", "SW_PAGE_FAULTS": "page_faults", "SW_CONTEXT_SWITCHES": "context_switches",
		"SW_CPU_MIGRATIONS": "cpu_migrations", "SW_PAGE_FAULTS_MIN": "minor_faults", "SW_PAGE_FAULTS_MAJ": "major_faults",
		"SW_ALIGNMENT_FAULTS": "alignment_faults", "SW_EMULATION_FAULTS": "emulation_faults", "SW_CGROUP_SWITCHES": "cgroup_switches",
		// First loads of each cache: the cache's number stands in the lowest byte.
		"HW_CACHE_L1I": "L1_icache_loads", "HW_CACHE_LL": "LLC_loads", "HW_CACHE_DTLB": "dTLB_loads", "HW_CACHE_ITLB": "iTLB_loads",
		"HW_CACHE_BPU": "branch_loads", "HW_CACHE_NODE": "node_loads", "HW_CACHE_L1D": "L1_dcache_loads",
	} {
		consts["PERF_COUNT_"+kernel] = config(ours)
	}
	consts["PERF_COUNT_HW_CACHE_OP_WRITE"] = config("L1_dcache_stores") >> 8
	consts["PERF_COUNT_HW_CACHE_OP_PREFETCH"] = config("L1_dcache_prefetches") >> 8
	consts["PERF_COUNT_HW_CACHE_RESULT_MISS"] = config("L1_dcache_load_misses") >> 16
	for name, ours := range consts {
		if want := uapi.Const(name); uint64(want) != ours {
			t.Errorf("%s is %d, ours is %d", name, want, ours)
		}
	}
	page := uapi.Struct("perf_event_mmap_page")
	for name, at := range map[string]int{"data_head": ringHead, "data_tail": ringTail, "data_offset": ringData, "data_size": ringSize} {
		if want := page.Field(name); want.Offset != at || want.Size != 8 {
			t.Errorf("%s is at %d, %d bytes; ours is at %d", name, want.Offset, want.Size, at)
		}
	}
	for name, ours := range map[string]uint32{
		"PERF_EVENT_IOC_ENABLE": unix.PERF_EVENT_IOC_ENABLE, "PERF_EVENT_IOC_ID": unix.PERF_EVENT_IOC_ID,
		"PERF_EVENT_IOC_SET_OUTPUT": unix.PERF_EVENT_IOC_SET_OUTPUT,
	} {
		if want := uapi.Ioctl(name); want != ours {
			t.Errorf("%s is %#x, ours is %#x", name, want, ours)
		}
	}
}

// live opens this machine's source, or skips where it may not measure.
func live(t testing.TB, whole bool) *Source {
	t.Helper()
	s := New("")
	st := s.Probe(t.Context())
	if !st.Usable || (whole && st.ProcessOnly) {
		t.Skipf("SKIPPED: performance events cannot be measured here: %s", st.Reason)
	}
	return s
}

func TestThisMachinesClocksAgreeWithTheClock(t *testing.T) {
	s, err := live(t, true).Open(t.Context(), hwio.Request{Counters: []string{"cpu_clock", "context_switches", "page_faults"}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	// However long the reads take: the clocks advance by no less than what lies between them, and no more than what encloses them.
	outer := time.Now()
	read(t, s)
	inner := time.Now()
	time.Sleep(20 * time.Millisecond)
	least := float64(time.Since(inner).Nanoseconds())
	got := read(t, s)
	most := float64(time.Since(outer).Nanoseconds())
	for i, c := range s.Schema().Columns {
		if c.Meta.Name != "cpu_clock" {
			continue
		}
		// The scheduler's clock is not that of the wall, and may be off by a tick.
		if v := got.batch.Cols[i].Float(0); v < 0.99*least-4e6 || v > 1.01*most+4e6 {
			t.Errorf("CPU %s: cpu_clock advanced %v ns in %v to %v ns", c.Meta.Instance, v, least, most)
		}
	}
	var switches float64
	for name, v := range got.value {
		if strings.HasPrefix(name, "context_switches") {
			switches += v
		}
	}
	if switches < 1 {
		t.Error("no context switch, though this test slept")
	}
}

func TestThisProcessCountsItsOwnFaults(t *testing.T) {
	s, err := live(t, false).Open(t.Context(), hwio.Request{Counters: []string{"page_faults", "task_clock"}, PID: os.Getpid()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	read(t, s)
	const pages = 2000
	mem, err := unix.Mmap(-1, 0, pages*os.Getpagesize(), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Munmap(mem)
	if err := unix.Madvise(mem, unix.MADV_NOHUGEPAGE); err != nil && !errors.Is(err, unix.EINVAL) {
		t.Fatal(err)
	}
	for i := 0; i < len(mem); i += os.Getpagesize() {
		mem[i] = 1
	}
	got := read(t, s)
	if got.value["page_faults"] < pages || got.value["page_faults"] > 3*pages {
		t.Errorf("page_faults = %v after touching %d pages", got.value["page_faults"], pages)
	}
	if got.value["task_clock"] <= 0 {
		t.Errorf("task_clock = %v", got.value["task_clock"])
	}
}

func TestUnknownProcessIsAnError(t *testing.T) {
	cmd := exec.Command("true")
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	_, err := live(t, false).Open(t.Context(), hwio.Request{Counters: []string{"page_faults"}, PID: cmd.Process.Pid})
	if !errors.Is(err, syscall.ESRCH) || !strings.Contains(err.Error(), "ended or does not exist") {
		t.Errorf("err = %v", err)
	}
}

func TestTracepointIsCountedWhereTracefsIsMounted(t *testing.T) {
	src := live(t, true)
	if _, none := tracefsDir(src.root); none != nil {
		t.Skipf("SKIPPED: no tracepoints here: %v", none)
	}
	s, err := src.Open(t.Context(), hwio.Request{Counters: []string{"tracepoint:sched:sched_switch"}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	read(t, s)
	time.Sleep(20 * time.Millisecond) // which leaves the processor at least once
	var sum float64
	for _, v := range read(t, s).value {
		sum += v
	}
	if sum < 1 {
		t.Errorf("sched_switch was passed %v times", sum)
	}
}

func TestUnprivilegedThreadIsRefusedAsPredicted(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("SKIPPED: the refusals of the real kernel show only without root; the fake kernel covers them")
	}
	st := New("").Probe(t.Context())
	if sec := readSecurity(New("").root); sec.known && sec.paranoid > 0 && !sec.perfmon && st.Usable && !st.ProcessOnly {
		t.Errorf("level %d allows the whole machine: %+v", sec.paranoid, st)
	}
}

// Two readings of one clock: the kernel's samples are the rows, and their sums what the counters say at both ends.
func TestThisMachinesKernelTakesTheSamples(t *testing.T) {
	src := live(t, true)
	st, err := src.Open(t.Context(), hwio.Request{Counters: []string{"cpu_clock", "page_faults"}, Period: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	s, ok := st.(*sampling)
	if !ok {
		t.Skipf("SKIPPED: this kernel takes no samples for us: %q", st.Schema().Config.Warnings)
	}
	b := capture.NewBatch(s.Schema(), 1)
	if err := s.Read(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	first := map[*group][]uint64{}
	for _, g := range s.groups {
		first[g] = slices.Clone(g.run.base)
	}
	for range 3 {
		time.Sleep(20 * time.Millisecond)
		if err := s.Read(t.Context(), b); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Finish(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	if b.Len() < 3 {
		t.Fatalf("%d rows", b.Len())
	}
	for i, c := range s.Schema().Columns {
		var sum, want uint64
		for _, v := range b.Cols[i].U {
			sum += v
		}
		for _, g := range s.groups {
			if k := slices.Index(g.cols, i); k >= 0 {
				if err := g.read(); err != nil {
					t.Fatal(err)
				}
				// It counts on: what was read at the end is the last point of its series.
				want = g.run.point(len(g.run.t) - 1)[k] - first[g][k]
				if g.cur[k]-first[g][k] < want {
					t.Errorf("%s: %d at the end, and %d after it", c.Meta.Name, want, g.cur[k]-first[g][k])
				}
			}
		}
		if sum != want {
			t.Errorf("%s of CPU %s: %d recorded, %d counted", c.Meta.Name, c.Meta.Instance, sum, want)
		}
	}
}

// Processes that fork, exec and end while they are counted, threads on all CPUs, and a leader that ends before its children: however they are read and sampled, sums
// are what the kernel says in the end, and the counts of known programs.
func TestThisMachinesKernelSamplesProcesses(t *testing.T) {
	for name, script := range map[string]string{
		"short ones":                   "i=0; while [ $i -lt 150 ]; do /bin/true; i=$((i+1)); done",
		"at once":                      "for j in 1 2 3 4; do (i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done) & done; wait",
		"an exec":                      "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; exec /bin/true",
		"the first ends before others": "(i=0; while [ $i -lt 40000 ]; do i=$((i+1)); done; /bin/true) & exit",
	} {
		sumsAreTheKernels(t, name, exec.Command("sh", "-c", "read go; "+script))
	}
}

// sumsAreTheKernels records a command that waits for a line, and all that it starts, and holds the sums against the
// counters when all have ended.
func sumsAreTheKernels(t *testing.T, name string, cmd *exec.Cmd) map[string]uint64 {
	t.Helper()
	out := map[string]uint64{}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	ended, held, err := os.Pipe() // closed when the last of them has ended
	if err != nil {
		t.Fatal(err)
	}
	cmd.ExtraFiles = []*os.File{held}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = held.Close()
	over := make(chan struct{})
	go func() {
		_, _ = ended.Read(make([]byte, 1))
		_ = cmd.Wait()
		close(over)
	}()
	st, err := live(t, false).Open(t.Context(), hwio.Request{Counters: []string{"task_clock", "page_faults", "context_switches", "cpu_migrations"}, PID: cmd.Process.Pid, Period: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	s, ok := st.(*tasks)
	if !ok {
		_ = cmd.Process.Kill()
		t.Skipf("SKIPPED: this kernel takes no samples for us: %q", st.Schema().Config.Warnings)
	}
	b := capture.NewBatch(s.Schema(), 1)
	if err := s.Read(t.Context(), b); err != nil || b.Len() != 0 {
		t.Fatalf("%s: the baseline has %d rows, %v", name, b.Len(), err)
	}
	first := make([]uint64, len(s.cols))
	each := func(to []uint64) {
		for _, g := range s.groups {
			if err := g.read(); err != nil {
				t.Fatal(err)
			}
			for k, col := range g.cols {
				if col >= 0 {
					to[col] += g.cur[k]
				}
			}
			copy(g.prev, g.cur)
		}
	}
	each(first)
	if _, err := in.Write([]byte("\n")); err != nil {
		t.Fatal(err)
	}
	for running := true; running; {
		select {
		case <-over:
			running = false
		case <-time.After(15 * time.Millisecond):
		}
		if err := s.Read(t.Context(), b); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Finish(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	last := make([]uint64, len(s.cols))
	each(last)
	for i, c := range s.Schema().Columns {
		var sum uint64
		for row, v := range b.Cols[i].U {
			if b.Cols[i].Missing(row) {
				t.Fatalf("%s: row %d of %s is missing: %+v", name, row, c.Meta.Name, b.Reasons)
			}
			sum += v
		}
		out[c.Meta.Name] = sum
		if want := last[i] - first[i]; sum != want || want == 0 && c.Meta.Name != "cpu_migrations" {
			t.Errorf("%s: %s: %d recorded, %d counted", name, c.Meta.Name, sum, want)
		}
	}
	for i := range b.Start {
		if b.End[i] <= b.Start[i] || i > 0 && b.Start[i] != b.End[i-1] {
			t.Errorf("%s: row %d is from %d to %d", name, i, b.Start[i], b.End[i])
		}
	}
	if err := st.Close(); err != nil {
		t.Error(err)
	}
	return out
}

func BenchmarkReadThisMachine(b *testing.B) {
	s, err := live(b, true).Open(b.Context(), hwio.Request{})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	batch := capture.NewBatch(s.Schema(), 1)
	b.ReportAllocs()
	for b.Loop() {
		batch.Reset()
		if err := s.Read(b.Context(), batch); err != nil {
			b.Fatal(err)
		}
	}
}
