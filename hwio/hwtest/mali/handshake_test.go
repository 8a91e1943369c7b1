package mali

import (
	"errors"
	"syscall"
	"testing"

	"astrolabe/hwio/hwtest"
)

func TestHandshakesHaveOneFormPerFamilyOfDrivers(t *testing.T) {
	for _, c := range []struct {
		device, scenario string
		errs             [3]error // of the forms in the order of probing: nr 0 of 16 bytes, nr 0, nr 52
		want             version
	}{
		{"mali-g720", "idle", [3]error{syscall.ENOTTY, syscall.EPERM, nil}, version{1, 38}},
		{"mali-g615", "old-driver", [3]error{syscall.ENOTTY, syscall.EPERM, nil}, version{1, 9}},
		{"mali-g57", "idle", [3]error{syscall.ENOTTY, nil, syscall.ENOTTY}, version{11, 38}},
		{"mali-g72", "idle", [3]error{syscall.ENOTTY, nil, syscall.ENOTTY}, version{11, 20}},
		{"mali-g72", "pre-r21", [3]error{nil, syscall.ENOTTY, syscall.ENOTTY}, version{10, 6}},
	} {
		r := newRig(t, c.device, c.scenario)
		f := r.open()
		for i, request := range []uint32{oldHandshake, nr0, nr52} {
			size, at := 4, 0
			if i == 0 {
				size, at = 16, 8
			}
			b := make([]byte, size)
			if _, err := r.ioctl(f, request, b); !errors.Is(err, c.errs[i]) {
				t.Errorf("%s %s, form %d: %v, want %v", c.device, c.scenario, i, err, c.errs[i])
			}
			got, want := version{le.Uint16(b[at:]), le.Uint16(b[at+2:])}, version{}
			if c.errs[i] == nil {
				want = c.want
			}
			if got != want {
				t.Errorf("%s %s, form %d: version %v, want %v", c.device, c.scenario, i, got, want)
			}
		}
		again := []uint32{oldHandshake, nr0, nr52}
		for i, request := range again {
			if c.errs[i] == nil {
				if _, err := r.ioctl(f, request, make([]byte, 16)); err == nil {
					t.Errorf("%s %s: a second handshake succeeded", c.device, c.scenario)
				}
			}
		}
	}
}

func TestAMatchingMajorSettlesForTheSmallerMinor(t *testing.T) {
	r := newRig(t, "mali-g720")
	b := []byte{1, 0, 5, 0}
	r.must(r.open(), nr52, b)
	if le.Uint16(b[2:]) != 5 || r.truth().Files[0].Session != "1.5" {
		t.Errorf("minor %d, session %s", le.Uint16(b[2:]), r.truth().Files[0].Session)
	}
	b = []byte{9, 0, 5, 0}
	r.must(r.open(), nr52, b)
	if le.Uint16(b) != 1 || le.Uint16(b[2:]) != 38 {
		t.Errorf("another major is answered with %d.%d", le.Uint16(b), le.Uint16(b[2:]))
	}
}

func TestCallsComeAfterHandshakeAndContext(t *testing.T) {
	r := newRig(t, "mali-g720")
	f := r.open()
	for _, request := range []uint32{flags, props, enum, setup} {
		r.fails(f, request, make([]byte, 16), syscall.EPERM)
	}
	r.must(f, nr52, make([]byte, 4))
	r.must(f, enum, make([]byte, 16)) // new drivers want no context
	r.fails(f, flags, []byte{0x80, 0, 0, 0}, syscall.EINVAL)
	r.must(f, flags, []byte{2, 0, 0, 0})
	r.fails(f, flags, []byte{2, 0, 0, 0}, syscall.EPERM)
	r.fails(f, 0xc0de, nil, syscall.ENOTTY)
	if _, err := f.Ioctl(r.call(), flags, 3); !errors.Is(err, syscall.EFAULT) && !errors.Is(err, syscall.EPERM) {
		t.Errorf("bad address: %v", err)
	}

	r = newRig(t, "mali-g72")
	f = r.open()
	r.must(f, nr0, make([]byte, 4))
	r.fails(f, props, make([]byte, 16), syscall.EPERM)
	r.fails(f, readerSetup, make([]byte, 20), syscall.EPERM)
	r.must(f, flags, []byte{2, 0, 0, 0})
	r.must(f, props, make([]byte, 16))
	r.fails(f, enum, make([]byte, 16), syscall.ENOTTY)
}

func TestSomeDriversRefuseAnInheritedDescriptor(t *testing.T) {
	for device, want := range map[string]error{"mali-g615": syscall.EPERM, "mali-g720": nil} {
		r := newRig(t, device)
		f := r.open()
		r.shake(f)
		k := r.client(f, 0)
		r.pid = 8
		for _, x := range []hwtest.File{f, k} {
			request := enum
			if x == k {
				request = cmd
			}
			arg := make([]byte, 16)
			arg[0] = 0
			if x == k {
				arg[0] = cmdStart
			}
			if _, err := r.ioctl(x, request, arg); !errors.Is(err, want) {
				t.Errorf("%s: %v, want %v", device, err, want)
			}
		}
	}
}

// properties reads the records of GET_GPUPROPS.
func properties(t *testing.T, r *rig, f hwtest.File) map[uint32]uint64 {
	t.Helper()
	arg := make([]byte, 16)
	n := r.must(f, props, arg)
	le.PutUint64(arg, memoryBase+0x1000)
	le.PutUint32(arg[8:], uint32(n)-1)
	r.fails(f, props, arg, syscall.EINVAL)
	le.PutUint32(arg[8:], uint32(n)+100)
	if got := r.must(f, props, arg); got != n {
		t.Errorf("%d bytes announced, %d written", n, got)
	}
	arg[12] = 1
	r.fails(f, props, arg, syscall.EINVAL)
	b := r.mem[0x1000:][:n]
	out := map[uint32]uint64{}
	for len(b) > 0 {
		key := le.Uint32(b)
		var v [8]byte
		n := 1 << (key & 3)
		copy(v[:], b[4:4+n])
		out[key>>2] = le.Uint64(v[:])
		b = b[4+n:]
	}
	return out
}

func TestPropertiesDescribeTheGPU(t *testing.T) {
	for _, c := range []struct {
		device   string
		scenario []string
		id, mask uint64
		slices   uint64
		bus      uint64
	}{
		{"mali-g615", nil, 0xb8a30010, 0x3f, 2, 7},
		{"mali-g720", []string{"sparse"}, 0xc8700000, 0b111111101101, 4, 8},
		{"mali-g720", []string{"id64"}, 0x0c080000_f0000000, 0x3ff, 4, 8},
		{"mali-g720", []string{"unknown-product", "unknown-blocks"}, 0x0f020009_f0000000, 0x3ff, 4, 8},
		{"mali-g57", nil, 0x90930000, 0b1011, 1, 7},
	} {
		r := newRig(t, c.device, c.scenario...)
		f := r.open()
		r.shake(f)
		p := properties(t, r, f)
		if p[55] != c.id || p[64] != c.mask || p[25] != c.mask || p[62] != 1 || p[15] != c.slices || p[29]>>24 != c.bus {
			t.Errorf("%s %v: id %#x, mask %#b, %d slices, bus %d", c.device, c.scenario, p[55], p[64], p[15], p[29]>>24)
		}
		if _, ok := p[500]; ok != (len(c.scenario) == 2) {
			t.Errorf("%s %v: unknown property: %v", c.device, c.scenario, ok)
		}
	}
}

func TestDriversBeforeR21LeadStructuresWithAHeader(t *testing.T) {
	r := newRig(t, "mali-g72", "pre-r21", "sparse")
	f := r.open()
	call := func(request uint32, id uint32, size int, fill func([]byte)) ([]byte, error) {
		b := make([]byte, size)
		le.PutUint32(b, id)
		if fill != nil {
			fill(b)
		}
		_, err := r.ioctl(f, request, b)
		return b, err
	}
	if _, err := call(oldSetFlags, idSetFlags, 16, nil); !errors.Is(err, syscall.EFAULT) {
		t.Errorf("flags before the handshake: %v", err)
	}
	if _, err := call(oldHandshake, 7, 16, nil); !errors.Is(err, syscall.EFAULT) {
		t.Errorf("a wrong function: %v", err)
	}
	if b, err := call(oldHandshake, 0, 16, nil); err != nil || le.Uint16(b[8:]) != 10 || le.Uint16(b[10:]) != 6 {
		t.Errorf("handshake: %v, %x", err, b)
	}
	monitor := func(b []byte) { le.PutUint32(b[8:], 2) }
	if _, err := call(oldSetFlags, idSetFlags, 16, monitor); err != nil {
		t.Error(err)
	}
	if _, err := call(oldSetFlags, idSetFlags, 16, monitor); !errors.Is(err, syscall.EFAULT) {
		t.Errorf("a second context: %v", err)
	}
	b, err := call(oldGPUProps, idGPUProps, 536, nil)
	if err != nil || le.Uint32(b) != 0 {
		t.Fatalf("properties: %v", err)
	}
	if le.Uint32(b[8:]) != 0x6221 || b[58] != 2 || le.Uint64(b[104:]) != 0b11101101 || le.Uint32(b[240:]) != 0x62210010 || le.Uint64(b[280:]) != 0b11101101 {
		t.Errorf("properties: %x", b)
	}
	b, err = call(oldReader, idReader, 32, func(b []byte) {
		le.PutUint32(b[8:], 16)
		for i := 12; i < 28; i++ {
			b[i] = 0xff
		}
	})
	if err != nil || le.Uint32(b[28:]) != 601 {
		t.Errorf("reader: %v, descriptor %d", err, le.Uint32(b[28:]))
	}
	k := r.files[0]
	r.fails(k, readerAPIFeatures, make([]byte, 8), syscall.EINVAL)
	r.must(k, readerAPI, make([]byte, 4))
	r.fails(k, readerGetCycles, make([]byte, 32), syscall.EINVAL)
}
