package uapi

import (
	"bytes"
	"testing"
)

// The encoding of a request is that of asm-generic/ioctl.h: number, type, size and direction from the lowest bit up.
func TestARequestsNumberHoldsItsSizeAndDirection(t *testing.T) {
	direction := map[string]uint32{"none": 0, "w": 1, "r": 2, "rw": 3}
	for _, r := range rows("ioctls.csv") {
		n := Ioctl(r[0])
		if size := n >> 16 & 0x3fff; int64(size) != number(r[3]) {
			t.Errorf("%s: %d bytes in its number %#x, %s in the table", r[0], size, n, r[3])
		}
		if n>>30 != direction[r[2]] {
			t.Errorf("%s: direction %d in its number %#x, %s in the table", r[0], n>>30, n, r[2])
		}
	}
}

func TestMembersLieWithinTheirStructure(t *testing.T) {
	for name, l := range load().layouts {
		if l.Size <= 0 {
			t.Errorf("%s has no size", name)
		}
		for member, f := range l.Fields {
			end := f.Offset + f.Size
			if f.Bits > 0 {
				end = f.Offset + (f.Bit+f.Bits+7)/8
			}
			if f.Offset < 0 || end > l.Size {
				t.Errorf("%s.%s ends at byte %d of %d", name, member, end, l.Size)
			}
		}
	}
}

func TestMembersAreReadAndWrittenAtTheirPlace(t *testing.T) {
	s := Struct("perf_event_attr")
	b := make([]byte, s.Size)
	for i := range b {
		b[i] = 0xff
	}
	s.Set(b, "type", 0x11223344)
	s.Set(b, "config", 0x0102030405060708)
	s.Set(b, "inherit", 0)
	s.Set(b, "precise_ip", 2)
	s.Set(b, "sample_max_stack", 0x55aa)
	for name, want := range map[string]uint64{
		"type": 0x11223344, "config": 0x0102030405060708, "disabled": 1, "inherit": 0, "pinned": 1, "precise_ip": 2, "mmap_data": 1,
		"sample_max_stack": 0x55aa, "__reserved_2": 0xffff, "size": 0xffffffff,
	} {
		if got := s.Get(b, name); got != want {
			t.Errorf("%s reads %#x, want %#x", name, got, want)
		}
	}
	if !bytes.Equal(b[:4], []byte{0x44, 0x33, 0x22, 0x11}) {
		t.Errorf("the first bytes are % x", b[:4])
	}
}

func TestUnknownNamesStopTheProgram(t *testing.T) {
	for what, f := range map[string]func(){
		"request":   func() { Ioctl("NO_SUCH_IOCTL") },
		"constant":  func() { Const("NO_SUCH_CONST") },
		"structure": func() { Struct("no_such_struct") },
		"member":    func() { Struct("perf_event_attr").Field("no_such_member") },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("an unknown %s is taken", what)
				}
			}()
			f()
		}()
	}
}

func TestARequestIsNamedAfterTheDriverThatIsEmulated(t *testing.T) {
	for _, name := range []string{"I915_PERF_IOCTL_ENABLE", "DRM_IOCTL_I915_GETPARAM", "PERF_EVENT_IOC_ENABLE"} {
		if got := IoctlName(Ioctl(name)); got != name {
			t.Errorf("%s is called %s", name, got)
		}
	}
	if got := IoctlName(0x1234); got != "0x00001234" {
		t.Errorf("an unknown request is called %s", got)
	}
}
