package i915

import (
	"slices"
	"syscall"
	"testing"

	"astrolabe/hwio/hwtest/uapi"
)

func TestOverflowLosesTheWholeBuffer(t *testing.T) {
	r := newRig(t, "kbl-gt2", "loaded", "small-buffer")
	s := r.stream(wide, 9) // 64 reports are 5.5 ms
	out := r.run(s, 4, 2, 4096)
	r.ns += 50_000_000
	s.Check()
	if !s.Ready() {
		t.Error("an overflow does not wake the reader")
	}
	_, err := s.Read(r.call, 7)
	want(t, "read into too small a buffer", err, syscall.ENOSPC)
	b, err := s.Read(r.call, 4096)
	if err != nil || len(b) != 8 {
		t.Fatalf("read after an overflow: %d bytes, %v", len(b), err)
	}
	out = append(out, b...)
	s.Poll = 1_000_000 // so that 4 ms are enough for the second part
	out = append(out, r.run(s, 4, 2, 4096)...)
	recs := decode(t, out, wide)
	total, _, n := accumulate(recs, wide)
	s.Close()
	tr := r.truth().Streams[0]
	same(t, "totals", total, tr.Totals)
	if n != tr.Delivered || tr.Lost < 580 || len(tr.Losses) != 1 || tr.Losses[0].Kind != "buffer" || tr.Losses[0].Reports != tr.Lost ||
		tr.Produced != tr.Delivered+tr.Lost+tr.Unread {
		t.Errorf("%v, losses %v", tr, tr.Losses)
	}
	if !slices.ContainsFunc(recs, func(r record) bool { return r.kind == 3 }) {
		t.Error("no record says so")
	}
}

func TestWholeBufferHoldsItsReports(t *testing.T) {
	r := newRig(t, "kbl-gt2", "loaded", "idle")
	s := r.stream(wide, 5)
	r.ns += 65_536 * 5_333 * 999 / 1000 // just under the buffer's time
	s.Check()
	if s.overflow {
		t.Fatal("overflow too early")
	}
	r.ns += 65_536 * 5_333 / 100
	s.Check()
	if !s.overflow {
		t.Error("no overflow of 16 MiB")
	}
}

func TestScenariosLoseAndOddReports(t *testing.T) {
	for _, c := range []struct {
		scenario string
		kind     uint32 // of the record that must be there
		revision string
	}{
		{"slow-reader", 3, ""}, {"report-loss", 2, ""}, {"unknown-record", 9, ""}, {"unlanded", 1, ""}, {"reason-zero", 1, ""}, {"reason-zero", 1, "revision-4"},
		{"wrap", 1, ""}, {"wrap-36", 1, ""}, {"rc6", 1, ""}, {"idle", 1, ""}, {"one-context", 1, ""}, {"missed-switch", 1, ""}, {"clock-change", 1, ""}, {"fast-drift", 1, ""},
	} {
		r := newRig(t, "kbl-gt2", "loaded", c.scenario, c.revision)
		s := r.stream(wide, 12)
		recs := decode(t, r.run(s, 1200, 5, 16384), wide)
		s.Close()
		total, contexts, n := accumulate(recs, wide)
		tr := r.truth().Streams[0]
		same(t, c.scenario, total, tr.Totals)
		for ctx := range tr.AsReported {
			same(t, c.scenario+" "+ctx, contexts[ctx], tr.AsReported[ctx])
		}
		if !slices.ContainsFunc(recs, func(r record) bool { return r.kind == c.kind }) || n != tr.Delivered ||
			tr.Produced != tr.Delivered+tr.Lost+tr.Unread+tr.Dropped {
			t.Errorf("%s: %v", c.scenario, tr)
		}
		zero := 0
		for _, x := range recs {
			if x.kind == 1 && x.report.id != 0 && x.report.reason() == 0 {
				zero++
			}
		}
		switch c.scenario {
		case "reason-zero":
			if (zero == 0) != (c.revision == "revision-4") || (tr.Dropped == 0) != (c.revision == "") {
				t.Errorf("%s %s: %d reports without a reason, %d dropped", c.scenario, c.revision, zero, tr.Dropped)
			}
		case "unlanded":
			if tr.Unlanded == 0 {
				t.Error("every report has landed")
			}
		case "wrap", "wrap-36":
			if !wrapsIn(recs) {
				t.Errorf("%s: not all of timestamp, clocks and A0 wrap", c.scenario)
			}
		case "idle":
			if total["A0"] != 0 || len(contexts) != 1 {
				t.Errorf("idle: busy %d", total["A0"])
			}
		case "rc6":
			if d := contexts["idle"]; d["GPU_TICKS"] != 0 || d["TIMESTAMP"] == 0 || !slices.ContainsFunc(recs, func(r record) bool { return r.report.reason()&16 != 0 }) {
				t.Errorf("rc6: %d clocks in idle", d["GPU_TICKS"])
			}
		case "clock-change":
			if mhz := float64(total["GPU_TICKS"]) / float64(total["TIMESTAMP"]) * 12; mhz < 400 || mhz > 1100 {
				t.Errorf("clock-change: %v MHz on average", mhz)
			}
		case "report-loss", "slow-reader":
			if len(tr.Losses) < 3 {
				t.Errorf("%s: %d losses", c.scenario, len(tr.Losses))
			}
		}
	}
}

func wrapsIn(recs []record) bool {
	var ts, clocks, a0 bool
	for i := 1; i < len(recs); i++ {
		o, n := recs[i-1].report, recs[i].report
		ts, clocks, a0 = ts || n.ts < o.ts, clocks || n.ticks < o.ticks, a0 || n.a[0] < o.a[0]
	}
	return ts && clocks && a0
}

func TestSpuriousInvalidReportsCountForTheContext(t *testing.T) {
	r := newRig(t, "kbl-gt2", "loaded", "spurious-invalid")
	s := r.stream(wide, 12)
	recs := decode(t, r.run(s, 500, 5, 16384), wide)
	spurious := 0
	for i := 1; i+1 < len(recs); i++ {
		a, b, c := recs[i-1].report, recs[i].report, recs[i+1].report
		if a.valid() && !b.valid() && b.reason() == 1 && c.valid() && a.ctx == c.ctx {
			spurious++
			if b.ctx != 0xffffffff {
				t.Errorf("context %#x of an invalid report", b.ctx)
			}
		}
	}
	_, contexts, _ := accumulate(recs, wide)
	tr := r.truth().Streams[0]
	same(t, "as reported", contexts["0x20"], tr.AsReported["0x20"])
	if spurious < 20 || tr.Contexts["0x20"]["TIMESTAMP"] <= contexts["0x20"]["TIMESTAMP"] || tr.Contexts["idle"]["A0"] != 0 {
		t.Errorf("%d spurious reports; the context's time is %d, as reported %d", spurious, tr.Contexts["0x20"]["TIMESTAMP"], contexts["0x20"]["TIMESTAMP"])
	}
}

func TestUnplugEndsEverything(t *testing.T) {
	r := newRig(t, "kbl-gt2", "loaded")
	s := r.stream(wide, 13)
	r.run(s, 50, 5, 4096)
	r.d.Unplug()
	if !s.Ready() {
		t.Error("a waiting reader sleeps on")
	}
	_, err := s.Read(r.call, 4096)
	want(t, "read", err, syscall.ENODEV)
	_, err = s.Ioctl(r.call, uapi.Ioctl("I915_PERF_IOCTL_DISABLE"), 0)
	want(t, "stream ioctl", err, syscall.ENODEV)
	_, err = r.param("CHIPSET_ID")
	want(t, "GETPARAM", err, syscall.ENODEV)
	for _, p := range []string{r.d.PCIPath() + "/vendor", r.d.CardPath() + "/dev"} {
		if r.m.Has(p) {
			t.Errorf("%s is still there", p)
		}
	}
	if _, ok := r.m.Nodes["/dev/dri/renderD128"]; ok {
		t.Error("the node is still there")
	}
	s.Close()
	if tr := r.truth(); !tr.Unplugged || tr.Closed != 1 {
		t.Errorf("unplugged %v, %d closed", tr.Unplugged, tr.Closed)
	}
}
