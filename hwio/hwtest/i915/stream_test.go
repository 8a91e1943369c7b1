package i915

import (
	"fmt"
	"syscall"
	"testing"

	"astrolabe/hwio/hwtest/uapi"
)

func TestTotalsOfEveryFormatEqualTheTruth(t *testing.T) {
	for f, models := range map[string][]string{"A12": {"kbl-gt2", "kbl-gt3"}, "A12_B8_C8": {"kbl-gt2", "kbl-gt3"}, wide: {"kbl-gt2", "kbl-gt3", "tgl"}, "C4_B8": {"kbl-gt2", "kbl-gt3"},
		mixed: {"dg2", "mtl"}} {
		for _, model := range models {
			r := newRig(t, model, "loaded")
			s, err := r.perfOpen(nonblock, usual(2, f, 12)...)
			if err != nil {
				t.Fatal(err)
			}
			recs := decode(t, r.run(s, 500, 10, 4096), f)
			total, contexts, n := accumulate(recs, f)
			s.Close()
			tr := r.truth().Streams[0]
			same(t, model+" "+f, total, tr.Totals)
			for ctx := range tr.Contexts {
				same(t, model+" "+f+" "+ctx, contexts[ctx], tr.Contexts[ctx])
			}
			// 0.5 s of 682.7 µs, and switches of context in 30 frames.
			if n != tr.Delivered || n < 732+30 || tr.Produced != tr.Delivered+tr.Unread || len(tr.TooLong) != 0 || len(contexts) != 4 {
				t.Errorf("%s: %d reports, contexts %d; %v, too long %v", f, n, len(contexts), tr, tr.TooLong)
			}
		}
	}
}

func TestReportsComeAtMultiplesOfThePeriodAndAtSwitches(t *testing.T) {
	r := newRig(t, "kbl-gt2", "loaded")
	recs := decode(t, r.run(r.stream(wide, 13), 200, 5, 65536), wide)
	var timers, switches int
	for i, rec := range recs {
		x := rec.report
		if x.reason()&1 != 0 {
			timers++
			if x.ts%16384 != 0 {
				t.Errorf("timer report at %d", x.ts)
			}
		}
		if x.reason()&8 != 0 {
			switches++
			if i > 0 && recs[i-1].report.ctx == x.ctx {
				t.Errorf("switch to the same context %#x", x.ctx)
			}
		} else if i > 0 && recs[i-1].report.ctx != x.ctx {
			t.Errorf("context %#x without a switch", x.ctx)
		}
		if !x.valid() && x.ctx != 0xffffffff || x.valid() && (x.ctx < 0x20 || x.ctx > 0x22) {
			t.Errorf("context %#x, valid %v", x.ctx, x.valid())
		}
		if slice, unslice := x.id>>25&0x7f|x.id>>9&3<<7, x.id&0x1ff; slice != 63 || unslice != 63 {
			t.Errorf("ratios %d and %d", slice, unslice)
		}
		if i > 0 && int32(x.ts-recs[i-1].report.ts) <= 0 {
			t.Errorf("time stands still at %d", x.ts)
		}
	}
	if timers < 142 || timers > 147 || switches < 36 {
		t.Errorf("%d timer reports and %d switches in 200 ms", timers, switches)
	}
}

func TestReadGivesWholeRecordsOnly(t *testing.T) {
	r := newRig(t, "kbl-gt2", "loaded")
	s := r.stream(wide, 13)
	_, err := s.Read(r.call, 4096)
	want(t, "read before the first report", err, syscall.EAGAIN)
	r.ns += 20_000_000
	s.Check()
	if !s.Ready() {
		t.Error("not ready after 20 ms")
	}
	_, err = s.Read(r.call, 263)
	want(t, "read into too small a buffer", err, syscall.ENOSPC)
	for _, size := range []int{264, 300, 528, 1000} {
		b, err := s.Read(r.call, size)
		if err != nil || len(b) != size/264*264 {
			t.Errorf("read of %d bytes gives %d, %v", size, len(b), err)
		}
	}
	if !s.Ready() {
		t.Error("not ready although more is pending")
	}
	if _, err = s.Read(r.call, 1<<20); err != nil || s.Ready() {
		t.Errorf("after the last report: %v, ready %v", err, s.Ready())
	}
	_, err = s.Read(r.call, 1<<20)
	want(t, "read of nothing", err, syscall.EAGAIN)
}

func TestDriverLooksOnlyEveryPollPeriod(t *testing.T) {
	r := newRig(t, "kbl-gt2", "loaded")
	s, err := r.perfOpen(nonblock, append(usual(2, wide, 9), property{"POLL_OA_PERIOD", 50_000_000})...)
	want(t, "open", err, 0)
	r.ns += 49_000_000
	_, err = s.Read(r.call, 4096)
	want(t, "read before the driver looked", err, syscall.EAGAIN)
	r.ns += 1_000_000
	if _, err = s.Read(r.call, 4096); err != nil {
		t.Errorf("read after the driver looked: %v", err)
	}
}

func TestBlockingReadNeedsATimer(t *testing.T) {
	r := newRig(t, "kbl-gt2", "loaded")
	s, err := r.perfOpen(0, without(usual(2, wide, 9), "OA_EXPONENT")...)
	want(t, "open", err, 0)
	_, err = s.Read(r.call, 4096)
	want(t, "blocking read without a timer", err, syscall.EIO)
	s.Close()
	s, err = r.perfOpen(nonblock, without(usual(2, wide, 9), "OA_EXPONENT")...)
	want(t, "open", err, 0)
	_, err = s.Read(r.call, 4096)
	want(t, "nonblocking read without a timer", err, syscall.EAGAIN)
}

func TestDisableLosesWhatIsPending(t *testing.T) {
	r := newRig(t, "kbl-gt2", "loaded")
	s := r.stream(wide, 13)
	out := r.run(s, 50, 5, 4096)
	r.ns += 20_000_000
	ioctl := func(name string) {
		_, err := s.Ioctl(r.call, uapi.Ioctl(name), 0)
		want(t, name, err, 0)
	}
	ioctl("I915_PERF_IOCTL_DISABLE")
	_, err := s.Read(r.call, 4096)
	want(t, "read of a stopped stream", err, syscall.EIO)
	r.ns += 30_000_000
	ioctl("I915_PERF_IOCTL_ENABLE")
	ioctl("I915_PERF_IOCTL_ENABLE")
	_, err = s.Read(r.call, 4096)
	want(t, "read right after ENABLE", err, syscall.EAGAIN)
	// Readers take a new base: the two parts are summed up apart.
	first, _, n1 := accumulate(decode(t, out, wide), wide)
	second, _, n2 := accumulate(decode(t, r.run(s, 50, 5, 4096), wide), wide)
	s.Close()
	tr := r.truth().Streams[0]
	if len(tr.Bases) != 2 || tr.Bases[0].Reports != n1 || tr.Bases[1].Reports != n2 || tr.Lost == 0 {
		t.Fatalf("%v", tr)
	}
	same(t, "before", first, tr.Bases[0].Totals)
	same(t, "after", second, tr.Bases[1].Totals)
	for k, v := range tr.Totals {
		if first[k]+second[k] != v {
			t.Errorf("%s: %d and %d, truth %d", k, first[k], second[k], v)
		}
	}
}

func TestConfigChangesTheSet(t *testing.T) {
	r := newRig(t, "kbl-gt2", "loaded", "kernel-testoa")
	s := r.stream(wide, 13)
	r.run(s, 50, 5, 4096)
	got, err := s.Ioctl(r.call, uapi.Ioctl("I915_PERF_IOCTL_CONFIG"), 1)
	if err != nil || got != 2 {
		t.Errorf("CONFIG gives %d, %v", got, err)
	}
	_, err = s.Ioctl(r.call, uapi.Ioctl("I915_PERF_IOCTL_CONFIG"), 77)
	want(t, "CONFIG with an unknown id", err, syscall.EINVAL)
	r.run(s, 50, 5, 4096)
	tr := r.truth().Streams[0]
	if len(tr.Configs) != 2 || tr.Configs[1].Set != "TestOa" || len(tr.Bases) != 2 || tr.Bases[1].Why != "config" {
		t.Fatalf("%v %v", tr, tr.Configs)
	}
	if b := tr.Bases[1].Totals; b["B1"] != b["GPU_TICKS"] || b["B0"] != 0 {
		t.Errorf("after the change B1 is %d of %d clocks", b["B1"], b["GPU_TICKS"])
	}
	r = newRig(t, "kbl-gt2", "loaded", "revision-1")
	_, err = r.stream(wide, 13).Ioctl(r.call, uapi.Ioctl("I915_PERF_IOCTL_CONFIG"), 2)
	want(t, "CONFIG in revision 1", err, syscall.EINVAL)
}

func TestSelfTestSetCountsClocks(t *testing.T) {
	for _, scenario := range []string{"kernel-testoa", "idle", "clock-change"} {
		r := newRig(t, "kbl-gt2", "kernel-testoa", scenario)
		s, err := r.perfOpen(nonblock, usual(1, wide, 13)...)
		want(t, "open", err, 0)
		total, _, _ := accumulate(decode(t, r.run(s, 300, 5, 65536), wide), wide)
		clocks := total["GPU_TICKS"]
		if clocks == 0 {
			t.Fatal("no clocks")
		}
		for name, x := range map[string][2]uint64{"B0": {0, 1}, "B1": {1, 1}, "B2": {1, 1}, "B3": {1, 2}, "B4": {1, 3}, "B5": {1, 3}, "B6": {1, 6},
			"B7": {2, 3}, "C7": {1, 1}} {
			if d := int64(total[name]) - int64(clocks*x[0]/x[1]); d < -1 || d > 1 {
				t.Errorf("%s: %s is %d of %d clocks, want %d/%d", scenario, name, total[name], clocks, x[0], x[1])
			}
		}
	}
}

func TestWrongRegistersOfAKnownSetCountNothing(t *testing.T) {
	r := newRig(t, "kbl-gt2")
	id, err := r.add("cd4b577b-073a-423f-a948-e198dd818c71", writes(0x9840, 0x80), nil, nil)
	want(t, "add", err, 0)
	s, err := r.perfOpen(nonblock, usual(id, wide, 13)...)
	want(t, "open", err, 0)
	total, _, _ := accumulate(decode(t, r.run(s, 50, 5, 65536), wide), wide)
	if total["B1"] != 0 || total["GPU_TICKS"] == 0 {
		t.Errorf("B1 is %d", total["B1"])
	}
	if c := r.truth().Streams[0].Configs[0]; c.Registers != "other" || c.Set != "TestOa" {
		t.Errorf("%+v", c)
	}
}

func TestCountersObeyTheHardwaresIdentities(t *testing.T) {
	for _, scenario := range []string{"loaded", "clock-change", "fused", "one-context", "wrap"} {
		r := newRig(t, "kbl-gt2", "loaded", scenario)
		eus := uint64(r.d.Part.TotalEUs)
		recs := decode(t, r.run(r.stream(wide, 12), 300, 5, 65536), wide)
		for i := 1; i < len(recs); i++ {
			d := delta(recs[i-1].report, recs[i].report, wide)
			clocks := d["GPU_TICKS"]
			// RenderBasic: A7 any pipe active, A8 stall, A9 both FPUs, A10 and A11 FPUs in VS, A15 and A16 in PS.
			for _, x := range []struct {
				what       string
				less, more uint64
			}{
				{"busy", d["A0"], clocks},
				{"active and stalled", d["A7"] + d["A8"], clocks*eus + 2},
				{"both FPUs", d["A9"], d["A7"] + 2},
				{"FPU0 of VS and PS", d["A10"] + d["A15"], clocks * eus},
				{"sampler 0", d["B0"], clocks + 1},
				{"texel misses", d["A29"], d["A28"] + 1},
				{"written", d["A26"], d["A21"] + 1},
				{"GTI writes", d["C7"] * 2, clocks + 2},
			} {
				if x.less > x.more {
					t.Fatalf("%s, report %d: %s is %d, at most %d", scenario, i, x.what, x.less, x.more)
				}
			}
			if !recs[i-1].report.valid() && d["A0"]+d["A7"]+d["A21"] != 0 {
				t.Fatalf("%s, report %d: work in an idle interval", scenario, i)
			}
		}
	}
}

func TestFilteredStreamHidesOtherContexts(t *testing.T) {
	r := newRig(t, "kbl-gt2", "loaded")
	s, err := r.perfOpen(nonblock, append(usual(2, wide, 12), property{"CTX_HANDLE", 0})...)
	want(t, "open", err, 0)
	recs := decode(t, r.run(s, 300, 5, 16384), wide)
	seen := map[uint32]int{}
	for i, x := range recs {
		seen[x.report.ctx]++
		if i > 0 && x.report.ctx != 0x20 && recs[i-1].report.ctx != 0x20 && x.report.reason()&8 == 0 {
			t.Fatalf("report %d of other contexts is passed on", i)
		}
	}
	if len(seen) != 2 || seen[0x20] == 0 || seen[0xffffffff] == 0 || r.truth().Streams[0].Filtered == 0 {
		t.Errorf("contexts %v", seen)
	}
}

func TestTooLongDifferencesAreTold(t *testing.T) {
	r := newRig(t, "kbl-gt2", "loaded", "one-context")
	s := r.stream("A12", 22) // 0.7 s: the low halves of the EU counters wrap
	r.run(s, 4000, 50, 4096)
	if tr := r.truth().Streams[0]; tr.TooLong["A7"] == 0 || tr.TooLong["A14"] != 0 {
		t.Errorf("too long: %v", tr.TooLong)
	}
}

func TestSameSeedGivesTheSameReports(t *testing.T) {
	var runs []string
	for range 2 {
		r := newRig(t, "kbl-gt3", "loaded", "clock-change")
		runs = append(runs, fmt.Sprintf("%x", r.run(r.stream(wide, 13), 100, 5, 4096)))
	}
	if runs[0] != runs[1] || runs[0] == "" {
		t.Error("two runs differ")
	}
}

func TestContextHandlesComeAndGo(t *testing.T) {
	r := newRig(t, "kbl-gt2", "loaded")
	l := uapi.Struct("drm_i915_gem_context_create")
	b := make([]byte, l.Size)
	_, err := r.ask("DRM_IOCTL_I915_GEM_CONTEXT_CREATE", b)
	want(t, "create", err, 0)
	id := l.Get(b, "ctx_id")
	s, err := r.perfOpen(nonblock, append(usual(2, wide, 12), property{"CTX_HANDLE", id})...)
	want(t, "open", err, 0)
	s.Close()
	_, err = r.ask("DRM_IOCTL_I915_GEM_CONTEXT_DESTROY", b)
	want(t, "destroy", err, 0)
	_, err = r.perfOpen(nonblock, append(usual(2, wide, 12), property{"CTX_HANDLE", id})...)
	want(t, "open for a destroyed context", err, syscall.ENOENT)
}
