package i915

import (
	"slices"
	"strings"
	"syscall"
	"testing"

	"astrolabe/capture/decode/oa"
	"astrolabe/hwio"
)

// testReports makes reports of an OA unit that counts the test set as it must, except for what spoil does to a counter's total.
func testUnit(k *fakeKernel, spoil func(name string, total, clocks uint64) uint64) func(uint64) []byte {
	const perReport = 16384 // ticks of the timestamp, and 75 times as many clocks: 900 MHz
	n := uint64(0)
	return func(uint64) []byte {
		n++
		k.clock += perReport * 1000 / 12
		clocks := n * perReport * 75
		var counters []uint64
		for _, name := range oa.A32u40A4u32B8C8.Counters() {
			total := uint64(0)
			for _, r := range testRates {
				if r.counter == name {
					total = uint64(float64(clocks)*r.rate + 0.5)
				}
			}
			if spoil != nil {
				total = spoil(name, total, clocks)
			}
			counters = append(counters, total)
		}
		r := make(oa.Report, oa.A32u40A4u32B8C8.Size)
		oa.A32u40A4u32B8C8.Put(r, uint64(oa.Timer)<<19, uint64(n*perReport), oa.NoContext, uint64(clocks), counters)
		return oa.AppendRecord(nil, oa.RecordSample, r)
	}
}

func deep(t *testing.T, change func(*fakeKernel)) ([]hwio.Finding, *fakeKernel) {
	t.Helper()
	s, k := newFake(t)
	k.make = testUnit(k, nil)
	if change != nil {
		change(k)
	}
	found := s.DeepTest(t.Context())
	k.released(t)
	return found, k
}

func said(list []hwio.Finding) string {
	var b strings.Builder
	for _, f := range list {
		b.WriteString(f.What + ": " + f.Reason + "; " + f.Fix + "\n")
	}
	return b.String()
}

func TestDeepTestProvesTheCountersAndLeavesNothing(t *testing.T) {
	found, k := deep(t, nil)
	if len(found) != 3 || slices.ContainsFunc(found, func(f hwio.Finding) bool { return !f.Usable }) {
		t.Errorf("findings:\n%s", said(found))
	}
	if !strings.Contains(said(found), "core clock 900 MHz") {
		t.Errorf("findings:\n%s", said(found))
	}
	if !slices.Contains(k.calls, "config") {
		t.Errorf("the set was not changed: %q", k.calls)
	}
	// Drivers of revision 1 cannot change it.
	found, k = deep(t, func(k *fakeKernel) { k.params[paramPerfRev] = 1 })
	if len(found) != 2 || slices.Contains(k.calls, "config") {
		t.Errorf("findings:\n%s calls %q", said(found), k.calls)
	}
}

// On a busy machine the doctor said that the timestamps ran too fast, or that the driver delivered too little: it held the reports against the time before
// the read that brought them.
func TestDeepTestOfAProgramThatDidNotRunForAWhile(t *testing.T) {
	found, _ := deep(t, func(k *fakeKernel) {
		one := testUnit(k, nil)
		k.make = func(set uint64) (all []byte) {
			for range 25 {
				all = append(all, one(set)...)
			}
			return all
		}
	})
	if len(found) != 3 || slices.ContainsFunc(found, func(f hwio.Finding) bool { return !f.Usable }) {
		t.Errorf("findings:\n%s", said(found))
	}
	// The same right after the stream was enabled: its first reports are of that time.
	found, _ = deep(t, func(k *fakeKernel) {
		one := testUnit(k, nil)
		var ready []byte
		k.onEnable = func() {
			for range 20 {
				ready = append(ready, one(0)...)
			}
		}
		k.make = func(set uint64) []byte {
			all := append(ready, one(set)...)
			ready = nil
			return all
		}
	})
	if len(found) != 3 || slices.ContainsFunc(found, func(f hwio.Finding) bool { return !f.Usable }) {
		t.Errorf("findings:\n%s", said(found))
	}
}

func TestDeepTestFindsWhatIsWrong(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*fakeKernel)
		want   string
	}{
		"rate": {func(k *fakeKernel) {
			k.make = testUnit(k, func(name string, total, _ uint64) uint64 {
				if name == "B3" {
					return 2 * total
				}
				return total
			})
		}, "B3 counted 1 per clock instead of 1/2"},
		"silent": {func(k *fakeKernel) { k.make, k.step = nil, 1e8 }, "delivered 0 reports in"},
		"clock": {func(k *fakeKernel) {
			k.tree.file("/sys/class/drm/card0/gt_max_freq_mhz", "300\n")
		}, "more than the 300 MHz"},
		"busy": {func(k *fakeKernel) {
			k.make = testUnit(k, func(name string, total, clocks uint64) uint64 {
				if name == "A0" {
					return 2 * clocks
				}
				return total
			})
		}, "the GPU was busy for"},
		"taken":   {func(k *fakeKernel) { k.errs["stream"] = syscall.EBUSY }, "another program measures this GPU"},
		"refused": {func(k *fakeKernel) { k.errs["config"] = syscall.EINVAL }, "invalid argument"},
		"gone":    {func(k *fakeKernel) { k.reads = []readStep{{err: syscall.ENODEV}} }, "no such device"},
		"no GPU":  {func(k *fakeKernel) { k.tree.remove("/sys/class/drm") }, "no graphics card"},
	} {
		found, _ := deep(t, c.change)
		bad := slices.DeleteFunc(slices.Clone(found), func(f hwio.Finding) bool { return f.Usable })
		if len(bad) != 1 || !strings.Contains(said(bad), c.want) {
			t.Errorf("%s: want %q in\n%s", name, c.want, said(found))
		}
	}
}
