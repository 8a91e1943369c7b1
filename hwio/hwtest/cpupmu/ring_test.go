package cpupmu

import (
	"encoding/binary"
	"errors"
	"slices"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"astrolabe/hwio/hwtest"
	"astrolabe/hwio/hwtest/perfring"
	"astrolabe/hwio/hwtest/uapi"
)

// sampler opens an event that samples and maps so many pages for it.
func (b *bench) sampler(pages uint64, set map[string]uint64) *sampled {
	b.t.Helper()
	f, err := b.PerfEventOpen(b.call, makeAttr(typeHardware, uint64(uapi.Const("PERF_COUNT_HW_CPU_CYCLES")), set), 100, -1, nil, 8)
	if err != nil {
		b.t.Fatal(err)
	}
	s := f.(*sampled)
	s.Attach(hwtest.NewReadiness(nil))
	s.SetMapping(make([]byte, perfring.Most))
	if pages > 0 {
		if err := s.Map((1+pages)*perfring.Page, 0, true); err != nil {
			b.t.Fatal(err)
		}
	}
	return s
}

func (b *bench) flushed() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.sampleAll()
}

// taken is a record of a ring, as a program takes it out.
type taken struct {
	kind, misc uint64
	words      []uint64
}

// take reads all that is new in a ring and moves data_tail.
func take(r *ring) (out []taken) {
	head, at := atomic.LoadUint64(r.Word("data_head")), r.Tail()
	word := func(at uint64) uint64 { return binary.LittleEndian.Uint64(r.Mem[perfring.Page+at%r.Size:]) }
	for at < head {
		h := word(at)
		n := h >> 48
		x := taken{kind: h & (1<<32 - 1), misc: h >> 32 & (1<<16 - 1)}
		for i := uint64(8); i < n; i += 8 {
			x.words = append(x.words, word(at+i))
		}
		out, at = append(out, x), at+n
	}
	atomic.StoreUint64(r.Word("data_tail"), at)
	return out
}

func kind(name string) uint64 { return uint64(uapi.Const("PERF_RECORD_" + name)) }

// Parts of samples: time and period.
const timeAndPeriod = 1<<2 | 1<<8

func TestASampleIsTakenWhenThePeriodIsOver(t *testing.T) {
	b := newBench(t)
	s := b.sampler(64, map[string]uint64{"sample_period": 3_000_000, "sample_type": timeAndPeriod})
	b.pass(10 * time.Millisecond) // 20 million cycles
	b.flushed()
	var got []uint64
	for _, r := range take(&s.own) {
		if r.kind != kind("SAMPLE") || r.words[1] != 3_000_000 {
			t.Errorf("a record is %+v", r)
		}
		got = append(got, r.words[0])
	}
	// At 2 cycles a nanosecond.
	if want := []uint64{1_500_000, 3_000_000, 4_500_000, 6_000_000, 7_500_000, 9_000_000}; !slices.Equal(got, want) {
		t.Errorf("samples at %d ns, want %d", got, want)
	}
	b.pass(500 * time.Microsecond)
	b.flushed()
	if got := take(&s.own); len(got) != 1 || got[0].words[0] != 10_500_000 {
		t.Errorf("the part of a period before the last look is forgotten: %+v", got)
	}
	if e := s.truth; e.Samples != 7 || e.Written != 7 || e.Lost != 0 {
		t.Errorf("the truth is %+v", e)
	}
}

func TestAFullRingKeepsItsRecordsAndCountsTheRest(t *testing.T) {
	b := newBench(t)
	s := b.sampler(1, map[string]uint64{"sample_period": 100_000, "sample_type": timeAndPeriod})
	b.pass(10 * time.Millisecond) // 200 samples of 24 bytes; 170 have room
	b.flushed()
	first := take(&s.own)
	if len(first) != 170 || first[169].words[0] != 170*50_000 {
		t.Fatalf("%d records, the last %+v", len(first), first[len(first)-1])
	}
	b.pass(50 * time.Microsecond)
	b.flushed()
	next := take(&s.own)
	if len(next) != 2 || next[0].kind != kind("LOST") || next[0].words[0] != s.id || next[0].words[1] != 30 || next[1].kind != kind("SAMPLE") {
		t.Errorf("after a loss come %+v", next)
	}
	if e := s.truth; e.Samples != 201 || e.Written != 171 || e.Lost != 30 {
		t.Errorf("the truth is %+v", e)
	}
	// It goes round and round.
	for range 100 {
		b.pass(5 * time.Millisecond)
		b.flushed()
		if got := take(&s.own); len(got) != 100 {
			t.Fatalf("%d of 100 samples", len(got))
		}
	}
	b.pass(5 * time.Millisecond)
	b.flushed()
	s.Close()
	if e := s.truth; e.Unread != 100 || !e.Closed || e.Count != e.Samples*100_000 {
		t.Errorf("the truth is %+v", e)
	}
}

func TestAPollIsToldOnceOfSamplesAndOfTheEndForGood(t *testing.T) {
	for name, c := range map[string]struct {
		set  map[string]uint64
		last int // ms after which it is told
	}{
		"every third sample":  {map[string]uint64{"wakeup_events": 3}, 3},
		"half of a ring":      {nil, 86}, // of 24 bytes
		"so many bytes":       {map[string]uint64{"watermark": 1, "wakeup_events": 200}, 9},
		"more than its bytes": {map[string]uint64{"watermark": 1, "wakeup_events": 1 << 30}, 170 + 1},
	} {
		b := newBench(t)
		set := map[string]uint64{"sample_period": 2_000_000, "sample_type": timeAndPeriod}
		for k, v := range c.set {
			set[k] = v
		}
		s := b.sampler(1, set)
		told := 0
		for ms := 1; ms <= 170 && told == 0; ms++ {
			b.pass(time.Millisecond)
			b.flushed()
			if s.ready.Ready() {
				told = ms
			}
		}
		if c.last <= 170 && told != c.last || c.last > 170 && told != 0 {
			t.Errorf("%s: told after %d samples, want %d", name, told, c.last)
		}
		data, end := s.Polled()
		if data != (told > 0) || end {
			t.Errorf("%s: the poll finds %v and %v", name, data, end)
		}
		if data, end := s.Polled(); data || end || s.ready.Ready() {
			t.Errorf("%s: it is told of twice", name)
		}
		b.Exit(100)
		for range 2 {
			if data, end := s.Polled(); data || !end || !s.ready.Ready() {
				t.Errorf("%s: after the task's end the poll finds %v and %v", name, data, end)
			}
		}
	}
}

func TestTheKindsOfRecordsOfATask(t *testing.T) {
	b := newBench(t)
	program := image{exe: "/bin/old", maps: []mapping{{0x1000, 0x100, 0, 8, 1, 77, "/bin/old"}}}
	b.image = func(int) image { return program }
	s := b.sampler(8, map[string]uint64{
		"sample_period": 10_000_000, "sample_type": 1 | timeAndPeriod, "sample_id_all": 1, "disabled": 1, "enable_on_exec": 1, "comm": 1, "comm_exec": 1,
		"mmap": 1, "mmap2": 1, "task": 1,
	})
	b.pass(20 * time.Millisecond)
	b.Exec(100, "/bin/a-name-that-is-too-long")
	b.pass(10 * time.Millisecond)
	b.flushed() // the call of exec is still under way
	program = image{exe: "/bin/new", maps: []mapping{{0x5000, 0x200, 0x1000, 8, 1, 78, "/bin/new"}}}
	b.pass(10 * time.Millisecond)
	b.flushed()
	b.Exit(100)
	b.end(100)
	var kinds []uint64
	for _, r := range take(&s.own) {
		kinds = append(kinds, r.kind)
		switch r.kind {
		case kind("COMM"):
			name := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, r.words[1]), r.words[2])
			if string(name) != "a-name-that-is-\x00" || r.words[3] != 20e6 || r.misc != 1<<13 {
				t.Errorf("the name is %q at %d", name, r.words[3])
			}
		case kind("MMAP2"):
			if !slices.Equal(r.words[:8], []uint64{pair(100, 100), 0x5000, 0x200, 0x1000, pair(8, 1), 78, 0, 5 | 2<<32}) || r.words[len(r.words)-1] != 20e6 {
				t.Errorf("the mapping is %#x", r.words)
			}
		case kind("SAMPLE"):
			if user := r.misc == 2; user != (r.words[0] >= 0x5000 && r.words[0] < 0x5200) {
				t.Errorf("a sample of mode %d lies at %#x", r.misc, r.words[0])
			}
		}
	}
	want := []uint64{kind("COMM"), kind("MMAP2"), kind("SAMPLE"), kind("SAMPLE"), kind("SAMPLE"), kind("SAMPLE"), kind("EXIT")}
	if !slices.Equal(kinds, want) {
		t.Errorf("the records are of kinds %d, want %d", kinds, want)
	}
}

func TestWrongMappingsAndOutputsAreRefused(t *testing.T) {
	b := newBench(t)
	set := map[string]uint64{"sample_period": 1_000_000}
	s, other := b.sampler(0, set), b.sampler(4, set)
	for n, want := range map[uint64]error{0: syscall.EINVAL, perfring.Page: syscall.EINVAL, 4 * perfring.Page: syscall.EINVAL, 2*perfring.Page + 1: syscall.EINVAL, perfring.Page + 128<<20: syscall.ENOMEM} {
		if err := s.Map(n, 0, true); !errors.Is(err, want) {
			t.Errorf("%d bytes: %v, want %v", n, err, want)
		}
	}
	if err := s.Map(3*perfring.Page, perfring.Page, true); !errors.Is(err, syscall.EINVAL) {
		t.Errorf("from the second page on: %v", err)
	}
	plain := b.onCPU("CPU_CYCLES", nil, nil)
	files := map[int]hwtest.File{600: s, 601: other, 602: plain}
	b.call.File = func(fd int) hwtest.File { return files[fd] }
	output := request("PERF_EVENT_IOC_SET_OUTPUT")
	for fd, want := range map[uint64]error{600: syscall.EINVAL, 602: syscall.EINVAL, 9: syscall.EINVAL, 601: nil} {
		if _, err := s.Ioctl(b.call, output, fd); !errors.Is(err, want) {
			t.Errorf("output to %d: %v, want %v", fd, err, want)
		}
	}
	if _, err := other.Ioctl(b.call, output, 600); !errors.Is(err, syscall.EINVAL) {
		t.Errorf("output of an event that is mapped itself: %v", err)
	}
	b.pass(10 * time.Millisecond)
	b.flushed()
	if got := take(&other.own); len(got) != 40 {
		t.Errorf("%d records of two events, want 40", len(got))
	}
	if _, err := s.Ioctl(b.call, output, 1<<32-1); err != nil {
		t.Error(err)
	}
	b.pass(10 * time.Millisecond)
	b.flushed()
	if got := take(&other.own); len(got) != 20 || s.truth.Written != 20 || s.truth.Samples != 40 {
		t.Errorf("%d records, and the event without a ring has %+v", len(got), s.truth)
	}
}
