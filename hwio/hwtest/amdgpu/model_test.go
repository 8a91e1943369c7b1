package amdgpu

import (
	"encoding/binary"
	"math"
	"syscall"
	"testing"

	"astrolabe/hwio/hwtest"
	"astrolabe/hwio/hwtest/uapi"
)

func TestTheEnergyIsTheIntegralOfThePower(t *testing.T) {
	for _, works := range [][]work{vegaWork, strixWork} {
		for _, w := range works {
			if w.Phase+w.Share > 1 {
				t.Errorf("%s works beyond its frame", w.Name)
			}
		}
	}
	joules := 0.0
	for at := int64(0); at < 1_730_000_000; at += 1_000_000 {
		watts := 120.0
		if heavy(at) {
			watts = 240
		}
		joules += watts / 1000
	}
	if got := consumed(240, 120, 1_730_000_000); math.Abs(got-joules) > 0.01 {
		t.Errorf("%v J, want %v", got, joules)
	}
}

func TestBlocksOfARegisterHaveBitsOfTheirOwn(t *testing.T) {
	for _, works := range [][]work{vegaWork, strixWork} {
		seen := map[[2]uint32]string{}
		for _, w := range works {
			key := [2]uint32{w.Reg, uint32(w.Bit)}
			if other := seen[key]; other != "" {
				t.Errorf("%s and %s share a bit", w.Name, other)
			}
			seen[key] = w.Name
		}
	}
}

// memory is a program's memory that begins at 4096.
type memory []byte

func (m memory) Read(addr uint64, b []byte) error {
	if addr < 4096 || addr-4096+uint64(len(b)) > uint64(len(m)) {
		return syscall.EFAULT
	}
	copy(b, m[addr-4096:])
	return nil
}

func (m memory) Write(addr uint64, b []byte) error {
	if addr < 4096 || addr-4096+uint64(len(b)) > uint64(len(m)) {
		return syscall.EFAULT
	}
	copy(m[addr-4096:], b)
	return nil
}

// still is a machine without a tree.
type still struct{ settings hwtest.Settings }

func (s *still) Settings() *hwtest.Settings                       { return &s.settings }
func (s *still) Own(string)                                       {}
func (s *still) File(string, string)                              {}
func (s *still) Dir(string)                                       {}
func (s *still) Link(string, string)                              {}
func (s *still) Node(string, uint32, uint32, uint32, hwtest.Node) {}
func (s *still) Fail(string, error)                               {}
func (s *still) Watch(string, func())                             {}
func (s *still) Remove(string)                                    {}

// ask issues a query with four words behind it, and returns the answer's first bytes.
func ask(t *testing.T, scenarios []string, p *part, query string, size uint32, arg ...uint32) ([]byte, error) {
	t.Helper()
	d := newDevice(p)
	if err := d.Start(&still{hwtest.Settings{Scenarios: scenarios}}); err != nil {
		t.Fatal(err)
	}
	defer d.Stop()
	f, err := node{d.gpus[0]}.Open(nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	mem := make(memory, 4096)
	l := uapi.Struct("drm_amdgpu_info")
	l.Set(mem, "return_pointer", 4096+1024)
	l.Set(mem, "return_size", uint64(size))
	l.Set(mem, "query", uint64(uapi.Const(query)))
	for i, v := range arg {
		binary.LittleEndian.PutUint32(mem[16+4*i:], v)
	}
	_, err = f.Ioctl(&hwtest.Call{Memory: mem}, uapi.Ioctl("DRM_IOCTL_AMDGPU_INFO"), 4096)
	return mem[1024:], err
}

func TestAnswersAreCutToTheRoomAndRefusalsAreTheKernels(t *testing.T) {
	dev := uapi.Struct("drm_amdgpu_info_device")
	b, err := ask(t, nil, strixHalo, "AMDGPU_INFO_DEV_INFO", 20)
	if err != nil || dev.Get(b, "family") != 150 || dev.Get(b, "num_shader_engines") != 0 {
		t.Errorf("20 bytes of the device: %v", err)
	}
	b, err = ask(t, nil, strixHalo, "AMDGPU_INFO_DEV_INFO", 448)
	if err != nil || dev.Get(b, "cu_active_number") != 40 || dev.Get(b, "ids_flags") != 1 || dev.Get(b, "mall_size") != 32<<20 {
		t.Errorf("the device: %v", err)
	}
	b, err = ask(t, []string{oldScenario}, strixHalo, "AMDGPU_INFO_DEV_INFO", 448)
	if err != nil || dev.Get(b, "mall_size") != 0 || dev.Get(b, "wave_front_size") != 32 {
		t.Errorf("the device of an old kernel: %v", err)
	}
	for _, c := range []struct {
		name      string
		scenarios []string
		query     string
		size      uint32
		arg       []uint32
		want      error
	}{
		{"no room", nil, "AMDGPU_INFO_DEV_INFO", 0, nil, syscall.EINVAL},
		{"status", nil, "AMDGPU_INFO_READ_MMR_REG", 4, []uint32{0x2004, 1, 0xffffffff}, nil},
		{"unlisted register", nil, "AMDGPU_INFO_READ_MMR_REG", 4, []uint32{0x2003, 1, 0xffffffff}, syscall.EFAULT},
		{"too many registers", nil, "AMDGPU_INFO_READ_MMR_REG", 4, []uint32{0x2004, 129, 0xffffffff}, syscall.EINVAL},
		{"refused register", []string{refusedScenario}, "AMDGPU_INFO_READ_MMR_REG", 4, []uint32{0x2002, 1, 0xffffffff}, syscall.EFAULT},
		{"absent sensor", nil, "AMDGPU_INFO_SENSOR", 4, []uint32{12}, syscall.EOPNOTSUPP},
		{"new sensor on an old kernel", []string{oldScenario}, "AMDGPU_INFO_SENSOR", 4, []uint32{8}, syscall.EINVAL},
		{"unknown query", nil, "AMDGPU_INFO_VIDEO_CAPS", 4, nil, syscall.EINVAL},
	} {
		if _, err := ask(t, c.scenarios, vega20, c.query, c.size, c.arg...); err != c.want {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
}

func TestTheEnergyCountWrapsSoon(t *testing.T) {
	g := &gpu{part: vega20}
	first := binary.LittleEndian.Uint32(metrics10(g, 0)[36:])
	later := binary.LittleEndian.Uint32(metrics10(g, 400_000_000)[36:])
	if later >= first || later-first != 240*4*65536/10 {
		t.Errorf("the count goes from %d to %d", first, later)
	}
}
