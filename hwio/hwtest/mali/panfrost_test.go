package mali

import (
	"errors"
	"syscall"
	"testing"
	"time"

	"astrolabe/hwio/hwtest"
	"astrolabe/hwio/hwtest/uapi"
)

var (
	getParam = uapi.Ioctl("DRM_IOCTL_PANFROST_GET_PARAM")
	enable   = uapi.Ioctl("DRM_IOCTL_PANFROST_PERFCNT_ENABLE")
	dump     = uapi.Ioctl("DRM_IOCTL_PANFROST_PERFCNT_DUMP")
)

func TestPanfrostDumpsBlocksWithHoles(t *testing.T) {
	r := newRig(t, "panfrost", "sparse") // two cores: 0b101
	f := r.open()
	param := func(n uint32) uint64 {
		b := make([]byte, 16)
		le.PutUint32(b, n)
		r.must(f, getParam, b)
		return le.Uint64(b[8:])
	}
	if param(0) != 0x7212 || param(2) != 0b101 || param(11)>>8&15 != 0 || param(8)>>24 != 7 {
		t.Errorf("params %#x %#b %#x", param(0), param(2), param(11))
	}
	r.fails(f, getParam, []byte{99, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, syscall.EINVAL)

	addr := make([]byte, 8)
	le.PutUint64(addr, memoryBase+0x1000)
	r.fails(f, dump, addr, syscall.EINVAL)
	r.must(f, enable, []byte{1, 0, 0, 0, 0, 0, 0, 0})
	r.must(f, enable, []byte{1, 0, 0, 0, 0, 0, 0, 0}) // no effect
	other := r.open()
	r.fails(other, enable, []byte{1, 0, 0, 0, 0, 0, 0, 0}, syscall.EBUSY)
	r.fails(other, enable, make([]byte, 8), syscall.EINVAL)
	r.fails(other, dump, addr, syscall.EINVAL)

	const places = 2 + 1 + 3
	sum := [places][64]uint64{}
	for range 5 {
		r.pass(20 * time.Millisecond)
		r.must(f, dump, addr)
		for p := range sum {
			for i := range sum[p] {
				sum[p][i] += uint64(le.Uint32(r.mem[0x1000+p*vinstrBlock+4*i:]))
			}
		}
	}
	c := r.own()
	for _, b := range c.Totals {
		place := map[string]int{"fe": 0, "tiler": 1, "memory": 2, "core": 3 + b.Physical}[b.Block]
		for i := headerValues; i < 64; i++ {
			if sum[place][i] != b.Values[i] {
				t.Fatalf("%s %d index %d: %d, truth %d", b.Block, b.Physical, i, sum[place][i], b.Values[i])
			}
		}
	}
	if sum[3+1] != [64]uint64{} || sum[3+2][26] == 0 {
		t.Error("the hole is in the wrong place")
	}
	le.PutUint64(addr, 1)
	r.fails(f, dump, addr, syscall.EFAULT)
	f.Close()
	other.Close()
	if !r.truth().Released || c.Delivered != 5 {
		t.Errorf("truth: %+v", c)
	}
	r.must(r.open(), enable, []byte{1, 0, 0, 0, 0, 0, 0, 0}) // closing freed it
}

func TestPanfrostRefuses(t *testing.T) {
	on := []byte{1, 0, 0, 0, 0, 0, 0, 0}
	for scenario, want := range map[string]error{"no-unstable": syscall.ENOSYS, "busy": syscall.EBUSY, "idle": nil} {
		r := newRig(t, "panfrost", scenario)
		if _, err := r.ioctl(r.open(), enable, append([]byte{}, on...)); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", scenario, err, want)
		}
	}
	r := newRig(t, "panfrost")
	f := r.open()
	r.fails(f, enable, []byte{1, 0, 0, 0, 2, 0, 0, 0}, syscall.EINVAL)
	r.must(f, enable, []byte{1, 0, 0, 0, 1, 0, 0, 0}) // Bifrost has a second set
	r = newRig(t, "panfrost", "unknown-product")
	r.fails(r.open(), enable, []byte{1, 0, 0, 0, 1, 0, 0, 0}, syscall.EINVAL)
}

func TestPanfrostTimesOutAndCountsOn(t *testing.T) {
	r := newRig(t, "panfrost", "timeout")
	f := r.open()
	r.must(f, enable, []byte{1, 0, 0, 0, 0, 0, 0, 0})
	addr := make([]byte, 8)
	le.PutUint64(addr, memoryBase+0x1000)
	for i := 1; i <= timeoutEvery+1; i++ {
		r.pass(10 * time.Millisecond)
		if i == timeoutEvery {
			r.fails(f, dump, addr, syscall.ETIMEDOUT)
		} else {
			r.must(f, dump, addr)
		}
	}
	c := r.own()
	last := c.Samples[len(c.Samples)-1]
	if r.slept != time.Second || c.Lost != 1 || last.End-last.Start != 1e9+20e6 {
		t.Errorf("slept %v, %d lost, last sample of %d ns", r.slept, c.Lost, last.End-last.Start)
	}
}

func TestPanfrostSaysItsName(t *testing.T) {
	r := newRig(t, "panfrost")
	l := uapi.Struct("drm_version")
	b := make([]byte, l.Size)
	l.Set(b, "name_len", 4)
	l.Set(b, "name", memoryBase+0x1000)
	r.must(r.open(), uapi.Ioctl("DRM_IOCTL_VERSION"), b)
	if name := string(r.mem[0x1000:0x1005]); name != "panf\x00" || l.Get(b, "name_len") != 8 {
		t.Errorf("name %q of %d", name, l.Get(b, "name_len"))
	}
	if got := r.m.files["/sys/module/panfrost/parameters/unstable_ioctls"]; got != "Y\n" {
		t.Errorf("unstable_ioctls %q", got)
	}
}

func TestModelsHaveNamesAndScenarios(t *testing.T) {
	want := []string{"mali-g615", "mali-g720", "mali-g52", "mali-g57", "mali-g72", "mali-g76", "mali-g78", "mali-g710", "mali-g925", "mali-g1", "panfrost"}
	for i, m := range Models() {
		if m.Name != want[i] || m.Doc == "" || len(m.Scenarios) < 10 {
			t.Errorf("model %q: %q", m.Name, m.Doc)
		}
		var _ hwtest.Device = m.New()
		for _, s := range m.Scenarios {
			newRig(t, m.Name, s.Name).truth() // starts in each of them
		}
	}
}
