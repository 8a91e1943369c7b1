package mali

import (
	"errors"
	"syscall"
	"testing"
	"time"

	"astrolabe/hwio/hwtest"
)

// oldSession sets up a reader of the first interface with all counters.
func oldSession(t *testing.T, buffers uint32, scenarios ...string) (*rig, hwtest.File) {
	t.Helper()
	r := newRig(t, "mali-g72", scenarios...)
	f := r.open()
	r.shake(f)
	arg := make([]byte, 20)
	le.PutUint32(arg, buffers)
	for i := 4; i < 20; i++ {
		arg[i] = 0xff
	}
	r.must(f, readerSetup, arg)
	return r, r.files[0]
}

// value is one 32-bit value of a sample.
func (r *rig) value(buffer, size, place, index int) uint32 {
	return le.Uint32(r.mapping[buffer*size+place*vinstrBlock+4*index:])
}

// byValue is a request whose argument is a number.
func (r *rig) byValue(f hwtest.File, request uint32, arg uint64) error {
	_, err := f.Ioctl(r.call(), request, arg)
	return err
}

func TestVinstrLeavesHolesForAbsentCores(t *testing.T) {
	r, k := oldSession(t, 4, "sparse") // 0b11101101
	size := make([]byte, 4)
	r.must(k, readerGetSize, size)
	n := int(le.Uint32(size))
	if places := 2 + 2 + 8; n != places*vinstrBlock || len(r.mapping) != 4*n {
		t.Fatalf("%d bytes per sample, mapping of %d", n, len(r.mapping))
	}
	api := make([]byte, 8)
	r.must(k, readerAPIFeatures, api)
	if le.Uint32(api) != 1 || le.Uint32(api[4:]) != 3 {
		t.Errorf("version and features %x", api)
	}
	meta := make([]byte, 32)
	r.fails(k, readerGet, meta, syscall.EAGAIN)
	r.fails(k, readerPut, meta, syscall.EPERM)
	if err := r.byValue(k, readerClear, 0); err != nil {
		t.Error(err)
	}
	sum := [12][64]uint64{}
	for i := range 10 {
		r.pass(7 * time.Millisecond)
		if err := r.byValue(k, readerDump, 0); err != nil {
			t.Fatal(err)
		}
		r.must(k, readerGetCycles, meta)
		r.fails(k, readerGet, make([]byte, 16), syscall.EAGAIN)
		if le.Uint64(meta) != uint64(r.clock) || le.Uint32(meta[8:]) != 0 || int(le.Uint32(meta[12:])) != i%4 || le.Uint64(meta[16:]) == 0 {
			t.Errorf("sample %d: %x", i, meta)
		}
		for place := range sum {
			for index := range sum[place] {
				sum[place][index] += uint64(r.value(i%4, n, place, index))
			}
		}
		wrong := append([]byte{}, meta...)
		wrong[12] ^= 1
		r.fails(k, readerPutCycles, wrong, syscall.EINVAL)
		r.must(k, readerPutCycles, meta)
	}
	c := r.own()
	for _, b := range c.Totals {
		place := map[string]int{"fe": 0, "tiler": 1, "memory": 2 + b.Physical, "core": 4 + b.Physical}[b.Block]
		for i := headerValues; i < 64; i++ {
			if sum[place][i] != b.Values[i] {
				t.Fatalf("%s %d index %d: %d, truth %d", b.Block, b.Physical, i, sum[place][i], b.Values[i])
			}
		}
	}
	if sum[4+1] != [64]uint64{} || sum[4+4] != [64]uint64{} {
		t.Error("an absent core counts")
	}
	identities(t, c, 6)
	k.Close()
	if c.Delivered != 10 || c.Returned != 10 || !c.Closed || c.Cut != 0 {
		t.Errorf("truth: %+v", c)
	}
}

func TestVinstrSamplesPeriodicallyAndMergesSilently(t *testing.T) {
	r, k := oldSession(t, 4)
	if err := r.byValue(k, readerInterval, 1000); err != nil {
		t.Fatal(err)
	}
	if p := r.own().PeriodNs; p != 100_000 {
		t.Errorf("a period of 1000 ns became %d", p)
	}
	if err := r.byValue(k, readerInterval, 1e6); err != nil {
		t.Fatal(err)
	}
	r.pass(10 * time.Millisecond)
	if err := r.byValue(k, readerDump, 0); !errors.Is(err, syscall.EBUSY) {
		t.Errorf("a manual sample with full buffers: %v", err)
	}
	meta := make([]byte, 16)
	r.must(k, readerGet, meta)
	r.fails(k, readerGet, make([]byte, 16), syscall.EBUSY)
	if le.Uint32(meta[8:]) != 1 {
		t.Errorf("event %d", le.Uint32(meta[8:]))
	}
	r.must(k, readerPut, meta)
	last := uint64(0)
	for r.ready.Ready() {
		r.must(k, readerGet, meta)
		last = le.Uint64(meta)
		r.must(k, readerPut, meta)
	}
	r.pass(time.Millisecond)
	r.must(k, readerGet, meta)
	if c := r.own(); c.Merged != 6 || le.Uint64(meta)-last != 7e6 {
		t.Errorf("%d merged, %d ns in the next sample", c.Merged, le.Uint64(meta)-last)
	}
	if err := r.byValue(k, readerInterval, 0); err != nil || k.(*vinstrClient).due() != 0 {
		t.Errorf("an interval of 0: %v", err)
	}
	if err := r.byValue(k, 0xBEBE, 0); !errors.Is(err, syscall.EINVAL) {
		t.Errorf("an unknown request: %v", err)
	}
}

func TestVinstrChecksTheNumberOfBuffers(t *testing.T) {
	r := newRig(t, "mali-g72", "low-memory")
	f := r.open()
	r.shake(f)
	for n, want := range map[uint32]error{0: syscall.EINVAL, 3: syscall.EINVAL, 64: syscall.EINVAL, 32: syscall.ENOMEM, 16: syscall.ENOMEM, 8: nil} {
		arg := make([]byte, 20)
		le.PutUint32(arg, n)
		if _, err := r.ioctl(f, readerSetup, arg); !errors.Is(err, want) {
			t.Errorf("%d buffers: %v, want %v", n, err, want)
		}
	}
}

func TestOldMidgardBeginsWithTheCores(t *testing.T) {
	r, k := oldSession(t, 2, "midgard")
	r.pass(50 * time.Millisecond)
	if err := r.byValue(k, readerDump, 0); err != nil {
		t.Fatal(err)
	}
	r.must(k, readerGet, make([]byte, 16))
	n := 8 * vinstrBlock
	if len(r.mapping) != 2*n {
		t.Fatalf("mapping of %d bytes", len(r.mapping))
	}
	for place, index := range map[int]int{0: 26, 3: 26, 4: 4, 5: 32, 7: 6} {
		if r.value(0, n, place, index) == 0 || r.value(0, n, 6, index) != 0 {
			t.Errorf("place %d index %d: %d; the unused place: %d", place, index, r.value(0, n, place, index), r.value(0, n, 6, index))
		}
	}
}

func TestVinstrMasksEnableGroupsOfFour(t *testing.T) {
	r := newRig(t, "mali-g72")
	f := r.open()
	r.shake(f)
	arg := make([]byte, 20)
	le.PutUint32(arg, 1)
	le.PutUint32(arg[8:], 1<<1) // shader cores: values 4 to 7
	r.must(f, readerSetup, arg)
	k := r.files[0]
	r.pass(50 * time.Millisecond)
	if err := r.byValue(k, readerDump, 0); err != nil {
		t.Fatal(err)
	}
	n := len(r.mapping)
	if r.value(0, n, 4, 4) == 0 || r.value(0, n, 4, 53) != 0 || r.value(0, n, 0, 6) != 0 || r.value(0, n, 4, 2) != 2 {
		t.Error("the masks are not obeyed")
	}
}
