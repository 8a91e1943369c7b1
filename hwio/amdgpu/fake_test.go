package amdgpu

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"astrolabe/hwio/hwtest/uapi"
)

// fakeDriver answers the questions of DRM_IOCTL_AMDGPU_INFO from fields that a test sets.
type fakeDriver struct {
	mu        sync.Mutex
	family    uint32
	rev       uint32
	apu       bool
	size      uint32 // bytes of the device's description that this kernel knows, 0 for all
	registers map[uint32]uint32
	phase     uint32 // counts reads: the graphics pipe is busy in one of four
	sensors   map[uint32]uint32
	vram      uint64
	moved     uint64
	fail      map[uint32]error // per query
	asked     int
}

func newFakeDriver() *fakeDriver {
	return &fakeDriver{family: familyAI, rev: 1, registers: map[uint32]uint32{0x2004: 1 << 29, 0x2002: 1 << 28}, sensors: map[uint32]uint32{
		sensorSclk: 1500, sensorMclk: 800, sensorTemperature: 51000, sensorLoad: 42, sensorPower: 95, sensorVDDGFX: 850, sensorStableSclk: 1200,
	}, vram: 3 << 30, fail: map[uint32]error{}}
}

func (d *fakeDriver) info(c *call, query, size uint32, arg [4]uint32) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.asked++
	clear(c.answer[:size])
	if err := d.fail[query]; err != nil {
		return err
	}
	word := func(v uint32) { binary.LittleEndian.PutUint32(c.answer[:], v) }
	switch query {
	case queryDevInfo:
		l := uapi.Struct("drm_amdgpu_info_device")
		b := make([]byte, l.Size)
		l.Set(b, "family", uint64(d.family))
		l.Set(b, "external_rev", uint64(d.rev))
		l.Set(b, "device_id", 0x687f)
		l.Set(b, "cu_active_number", 64)
		l.Set(b, "max_engine_clock", 1_630_000)
		l.Set(b, "mall_size", 64<<20)
		if d.apu {
			l.Set(b, "ids_flags", uint64(uapi.Const("AMDGPU_IDS_FLAGS_FUSION")))
		}
		n := int(size)
		if d.size > 0 {
			n = min(n, int(d.size))
		}
		copy(c.answer[:n], b)
	case queryReadRegister:
		v, ok := d.registers[arg[0]]
		if !ok || arg[1] != 1 {
			return syscall.EFAULT
		}
		if arg[0] == 0x2004 {
			if d.phase++; d.phase%4 == 0 {
				v |= 1 << 31
			}
		}
		word(v)
	case querySensor:
		v, ok := d.sensors[arg[0]]
		if !ok {
			return syscall.EOPNOTSUPP
		}
		word(v)
	case queryMemory:
		l := uapi.Struct("drm_amdgpu_heap_info")
		l.Set(c.answer[:], "total_heap_size", 8<<30)
		l.Set(c.answer[:], "heap_usage", d.vram)
	case queryBytesMoved, queryEvictions:
		binary.LittleEndian.PutUint64(c.answer[:], d.moved)
	case queryVRAMLost:
		word(0)
	default:
		return syscall.EINVAL
	}
	return nil
}

func (d *fakeDriver) close() error { return nil }

func (d *fakeDriver) set(f func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	f()
}

// tree writes the files of a GPU below dir.
type tree struct {
	t   testing.TB
	dir string
}

func newTree(t testing.TB) *tree { return &tree{t, t.TempDir()} }

func (tr *tree) write(path, text string) {
	tr.t.Helper()
	full := filepath.Join(tr.dir, filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		tr.t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
		tr.t.Fatal(err)
	}
}

func (tr *tree) link(path, target string) {
	tr.t.Helper()
	full := filepath.Join(tr.dir, filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		tr.t.Fatal(err)
	}
	if err := os.Symlink(target, full); err != nil {
		tr.t.Fatal(err)
	}
}

// gpu makes the card with that number, on PCI bus 3 + number.
func (tr *tree) gpu(number string) string {
	address := "0000:0" + string('3'+number[0]-'0') + ":00.0"
	dev := "sys/devices/pci0000:00/" + address
	for name, text := range map[string]string{
		"vendor": "0x1002\n", "device": "0x687f\n", "revision": "0xc1\n", "gpu_busy_percent": "37\n", "mem_busy_percent": "12\n",
		"mem_info_vram_total": "8589934592\n", "mem_info_vram_used": "3221225472\n",
		"pp_dpm_sclk":        "0: 852Mhz \n1: 1200Mhz *\n2: 1630Mhz \n",
		"current_link_speed": "16.0 GT/s PCIe\n", "current_link_width": "16\n", "pcie_bw": "1000 2000 256\n",
		"power_dpm_force_performance_level": "auto\n", "power/runtime_status": "active\n",
		"hwmon/hwmon4/power1_average": "95000000\n", "hwmon/hwmon4/temp1_input": "51000\n", "hwmon/hwmon4/temp1_label": "edge\n",
		"hwmon/hwmon4/temp2_input": "63000\n", "hwmon/hwmon4/temp2_label": "junction\n", "hwmon/hwmon4/fan1_input": "1200\n", "hwmon/hwmon4/pwm1": "51\n",
	} {
		tr.write(dev+"/"+name, text)
	}
	tr.write("dev/dri/renderD12"+string('8'+number[0]-'0'), "")
	tr.link(dev+"/driver", "../../../bus/pci/drivers/amdgpu")
	tr.link("sys/class/drm/card"+number+"/device", "../../../devices/pci0000:00/"+address)
	tr.link("sys/class/drm/renderD12"+string('8'+number[0]-'0')+"/device", "../../../devices/pci0000:00/"+address)
	return "/" + dev
}

// client makes a descriptor of a program that uses the GPU at address.
func (tr *tree) client(pid, fd, address, text string) {
	link := filepath.Join(tr.dir, "proc", pid, "fd", fd)
	if _, err := os.Lstat(link); err != nil {
		tr.link("proc/"+pid+"/fd/"+fd, "/dev/dri/renderD128")
	}
	tr.write("proc/"+pid+"/fdinfo/"+fd, "pos:\t0\nflags:\t02\ndrm-driver:\tamdgpu\ndrm-pdev:\t"+address+"\n"+text)
}

// source reads the tree and asks the driver.
func (tr *tree) source(d ...node) *Source {
	s := New(tr.dir)
	s.open = func(path string) (node, error) {
		if len(d) == 0 {
			return nil, &os.PathError{Op: "open", Path: path, Err: syscall.EACCES}
		}
		return d[(path[len(path)-1]-'8')%byte(len(d))], nil
	}
	return s
}

// metricsTable is a gpu_metrics table of revision 1.3 with an energy count.
func metricsTable(energy uint64) string {
	b := make([]byte, 120)
	for i := 4; i < len(b); i++ {
		b[i] = 0xff
	}
	binary.LittleEndian.PutUint16(b, 120)
	b[2], b[3] = 1, 3
	binary.LittleEndian.PutUint16(b[4:], 50)          // temperature_edge
	binary.LittleEndian.PutUint16(b[22:], 178)        // average_socket_power
	binary.LittleEndian.PutUint64(b[24:], energy)     // energy_accumulator
	binary.LittleEndian.PutUint16(b[54:], 1500)       // current_gfxclk
	binary.LittleEndian.PutUint32(b[68:], 1<<3)       // throttle_status
	binary.LittleEndian.PutUint64(b[32:], 1234567890) // system_clock_counter
	return string(b)
}
