package i915

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"astrolabe/hwio/intel"
	"astrolabe/hwio/internal/sysroot"
)

func TestExponentIsTheLongestPeriodThatIsNotLongerThanAsked(t *testing.T) {
	const f = 12_000_000
	for _, c := range []struct {
		period time.Duration
		want   int
		real   float64 // ns
	}{
		{time.Millisecond, 12, 682666.67}, {1365334 * time.Nanosecond, 13, 1365333.33}, {1365333 * time.Nanosecond, 12, 682666.67},
		{50 * time.Microsecond, 8, 42666.67}, {10667 * time.Nanosecond, 6, 10666.67}, {time.Second, 22, 699050666.67}, {time.Hour, 31, 0}, {0, 0, 166.67}, {time.Nanosecond, 0, 166.67},
	} {
		if got := intel.ExponentFor(c.period, f); got != c.want || (c.real > 0 && math.Abs(intel.PeriodOf(got, f)-c.real) > 0.01) {
			t.Errorf("%v gives exponent %d (%.2f ns), want %d (%.2f ns)", c.period, got, intel.PeriodOf(got, f), c.want, c.real)
		}
	}
	// 2^(e+1) ticks, at other frequencies too.
	for _, f := range []uint64{12_000_000, 12_500_000, 19_200_000, 1} {
		for e := 0; e < 31; e++ {
			p := intel.PeriodOf(e, f)
			if p >= math.MaxInt64/2 {
				continue
			}
			if got := intel.ExponentFor(time.Duration(math.Ceil(p)), f); got != e {
				t.Errorf("at %d Hz a period of %.2f ns gives exponent %d, want %d", f, p, got, e)
			}
		}
	}
	if got := slowestAllowed(0, f, 100_000); got != 6 {
		t.Errorf("100000 reports a second allow exponent %d, want 6", got)
	}
}

func TestTopologyCountsWhatIsThere(t *testing.T) {
	got, err := parseTopology(gt2Topology())
	if err != nil || got.Slices != 1 || got.Subslices != 3 || got.EUs != 24 || got.SliceMask != 1 || got.SubsliceMask != 7 {
		t.Errorf("GT2 = %+v, %v", got, err)
	}
	// A fused GT3: slice 1 lacks subslice 1, and one EU is off.
	b := gt2Topology()
	b[16], b[18] = 3, 5
	for _, at := range []int{20 + 4, 20 + 6} {
		b[at] = 0xff
	}
	b[20] = 0x7f
	got, err = parseTopology(b)
	if err != nil || got.Slices != 2 || got.Subslices != 5 || got.EUs != 39 || got.SliceMask != 3 || got.SubsliceMask != 0b101_111 {
		t.Errorf("GT3 = %+v, %v", got, err)
	}
	for n := range 20 {
		if got, err := parseTopology(b[:n]); err == nil {
			t.Fatalf("%d of %d bytes give %+v", n, len(b), got)
		}
	}
	if _, err := parseTopology(make([]byte, 64)); err == nil {
		t.Error("zeros are a topology")
	}
}

func FuzzParseTopology(f *testing.F) {
	f.Add(gt2Topology())
	f.Fuzz(func(t *testing.T, b []byte) {
		got, err := parseTopology(b)
		if err == nil && (got.EUs <= 0 || got.Slices > 64 || got.Subslices > 64*64 || got.EUs > 64*64*64) {
			t.Fatalf("%+v", got)
		}
	})
}

func TestOldKernelsTellTopologyByParameters(t *testing.T) {
	k := newFakeKernel(newTree(t))
	k.errs["query"] = syscall.EINVAL
	d := &fakeDevice{k: k}
	if _, err := readTopology(d); !errors.Is(err, syscall.EINVAL) {
		t.Errorf("err = %v", err)
	}
	k.params[paramSliceMask], k.params[paramSubsliceMask], k.params[paramSubsliceTotal], k.params[paramEUTotal] = 1, 7, 3, 24
	got, err := readTopology(d)
	if err != nil || got.EUs != 24 || got.SubsliceMask != 7 || !bytes.Equal(got.blob, gt2Topology()) {
		t.Errorf("%+v, %v", got, err)
	}
	k.params[paramEUTotal] = 23 // one is fused off, nobody knows where
	got, err = readTopology(d)
	if err != nil || got.EUs != 23 || got.blob != nil {
		t.Errorf("%+v, %v", got, err)
	}
	// GT3: the mask is that of each slice, and has three bits for each.
	k.params[paramSliceMask], k.params[paramSubsliceTotal], k.params[paramEUTotal] = 3, 6, 48
	got, err = readTopology(d)
	if err != nil || got.EUs != 48 || got.Slices != 2 || got.SubsliceMask != 0b111_111 {
		t.Errorf("%+v, %v", got, err)
	} else if same, err := parseTopology(got.blob); err != nil || same.EUs != 48 || same.SubsliceMask != 0b111_111 {
		t.Errorf("the blob is of %+v, %v", same, err)
	}
	k.params[paramSubsliceTotal] = 5
	_, err = readTopology(d)
	wantText(t, err, "contradicts itself")
}

func TestFrequencyAndRevisionFallBackOnOldKernels(t *testing.T) {
	f := kabyLake(t, "0x5912", "i915")
	k := newFakeKernel(f)
	c, err := find(sysroot.At(f.root), "")
	if err != nil {
		t.Fatal(err)
	}
	read := func() *hardware {
		t.Helper()
		h, err := readHardware(sysroot.At(f.root), c, &fakeDevice{k: k})
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	k.params[paramOAFrequency], k.params[paramCSFrequency] = 19_200_000, 12_000_000
	if h := read(); h.frequency != 19_200_000 || h.perfRev != 7 || h.revision != 4 || h.minClock != 350e6 || h.maxClock != 1150e6 || len(h.warnings) != 0 {
		t.Errorf("%+v", h)
	}
	delete(k.params, paramOAFrequency)
	if h := read(); h.frequency != 12_000_000 || len(h.warnings) != 0 {
		t.Errorf("%+v", h)
	}
	delete(k.params, paramCSFrequency)
	delete(k.params, paramPerfRev)
	delete(k.params, paramRevision)
	f.remove("/sys/class/drm/card0/gt_max_freq_mhz")
	h := read()
	if h.frequency != 12_000_000 || h.perfRev != 1 || h.revision != 2 || h.maxClock != 0 || len(h.warnings) != 2 {
		t.Errorf("%+v", h)
	}
	f.file("/sys/class/drm/card0/gt/gt0/rps_max_freq_mhz", "1000\n")
	if h := read(); h.maxClock != 1e9 {
		t.Errorf("%+v", h)
	}
}

func TestDiscoverySaysWhatSpeaksAgainstACard(t *testing.T) {
	for name, c := range map[string]struct {
		id, driver string
		change     func(*tree)
		want       []string
	}{
		"xe":       {"0x5912", "xe", nil, []string{"no card in /sys/class/drm is a GPU of Intel that the driver i915 runs"}},
		"vfio":     {"0x5912", "vfio-pci", nil, []string{"vfio-pci, not by i915"}},
		"GT1":      {"0x5902", "i915", nil, []string{"GT1", "no metric sets exist"}},
		"GT4":      {"0x593b", "i915", nil, []string{"GT4", "no metric sets exist"}},
		"xe only":  {"0x64a0", "i915", nil, []string{"does not serve", "xe.force_probe=64a0"}},
		"unknown":  {"0x0001", "i915", nil, []string{"in no list of Intel's GPUs"}},
		"no perf":  {"0x5912", "i915", func(f *tree) { f.remove("/sys/class/drm/card0/metrics") }, []string{"no folder /sys/class/drm/card0/metrics", "4.14"}},
		"unbound":  {"0x5912", "i915", func(f *tree) { f.remove(pci + "/driver") }, []string{"no kernel driver is bound", "modprobe i915"}},
		"no cards": {"0x5912", "i915", func(f *tree) { f.remove("/sys/class/drm") }, []string{"no graphics card", "/dev/dri"}},
		"AMD":      {"0x5912", "amdgpu", func(f *tree) { f.file(pci+"/vendor", "0x1002") }, []string{"no card in /sys/class/drm is a GPU of Intel that"}},
	} {
		f := kabyLake(t, c.id, c.driver)
		if c.change != nil {
			c.change(f)
		}
		_, err := find(sysroot.At(f.root), "")
		if err == nil {
			t.Errorf("%s: no error", name)
			continue
		}
		for _, w := range c.want {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%s: %q does not say %q", name, err, w)
			}
		}
	}
	f := kabyLake(t, "0x5926", "i915")
	c, err := find(sysroot.At(f.root), "")
	if err != nil || c.part.catalogue != "intel-kbl-gt3" || !slices.Equal(c.nodes(), []string{"/dev/dri/renderD129", "/dev/dri/card0"}) {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestHolderOfTheStreamIsNamed(t *testing.T) {
	f := newTree(t)
	f.link("/proc/4711/fd/3", "anon_inode:[i915_perf]")
	f.link("/proc/4711/fd/4", "anon_inode:[i915_perf]")
	f.file("/proc/4711/comm", "vtune\n")
	f.link("/proc/4712/fd/3", "anon_inode:[eventpoll]")
	f.link("/proc/815/fd/0", "anon_inode:[i915-perf]")
	f.file("/proc/meminfo", "")
	if got := holders(sysroot.At(f.root)); !slices.Equal(got, []string{"process 815", "process 4711 (vtune)"}) {
		t.Errorf("holders = %q", got)
	}
	wantText(t, busy(sysroot.At(f.root)), "one at a time: process 815, process 4711 (vtune)")
	wantText(t, busy(sysroot.At(t.TempDir())), "end the other profiler")
}
