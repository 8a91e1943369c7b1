package xe

import (
	"fmt"
	"sync"
	"syscall"

	"astrolabe/hwio/hwtest"
	"astrolabe/hwio/hwtest/drm"
	"astrolabe/hwio/hwtest/uapi"
)

// Places of the GPU in sysfs. Its DRM nodes are card0 and renderD128.
const (
	pciAddress = "0000:00:02.0"
	pciPath    = "/sys/devices/pci0000:00/" + pciAddress
	cardPath   = pciPath + "/drm/card0"
	card       = 0
)

type device struct {
	m     hwtest.Machine
	set   *hwtest.Settings
	part  *Part
	units []*unit
	clk   *clock
	// now is hwtest.Now; a test has a clock of its own, and then nothing happens by itself.
	now      func() int64
	byHand   bool
	paranoid bool
	stopped  chan struct{}
	waits    sync.WaitGroup

	mu      sync.Mutex
	gone    bool // unplugged
	configs map[uint64]*config
	added   []ConfigTruth
	removed []ConfigTruth
	work    *workload
	open    map[int]*stream // by unit
	streams []*stream
	closed  int
	// delivered counts the reports of all streams.
	delivered int
	queries   map[string]int // questions that were answered, by name
	refused   []RefusalTruth
}

func newDevice() *device {
	return &device{now: hwtest.Now, stopped: make(chan struct{}), configs: map[uint64]*config{},
		open: map[int]*stream{}, queries: map[string]int{}}
}

func (d *device) has(scenario string) bool { return d.set.Has(scenario) }

// Start implements hwtest.Device.
func (d *device) Start(m hwtest.Machine) error {
	d.m, d.set = m, m.Settings()
	d.part = newPart(d.has("fused"))
	d.units = newUnits(d.has("kernel-7"))
	d.paranoid = !d.has("paranoid-0")
	d.clk = d.newClock()
	d.work = newWorkload(d)
	d.tree()
	if !d.has("no-observation") && !d.has("old-kernel") {
		m.Dir(cardPath + "/metrics")
		if d.has("loaded") {
			for _, s := range publishedSets() {
				if s.name == "RenderBasic" {
					d.keepConfig(&config{uuid: s.guid, builtin: true})
				}
			}
		}
	}
	return nil
}

func (d *device) newClock() *clock {
	c := &clock{now: d.now, start: d.now(), ppm: 20}
	if d.has("fast-drift") {
		c.ppm = 500
	}
	// The base is of some hours of up-time: the upper half of the 64 bits is in use.
	c.base = d.set.Rand("clock").Uint64N(1<<30) + 5<<36 + 1<<30
	if d.has("wrap") {
		c.settle = func(t uint64) uint64 { return 5<<36 + 3<<32 - t - timestampHz*6/10 }
	}
	return c
}

// tree puts the GPU's files where Linux has them.
func (d *device) tree() {
	m, p := d.m, d.part
	m.Own("/proc/sys/dev/xe")
	drm.AddPCI(m, pciPath, drm.PCI{Address: pciAddress, Driver: "xe", Vendor: 0x8086, Device: p.DeviceID,
		Board: [2]uint32{0x17aa, 0x2245}, Revision: p.Revision, Class: 0x030000})
	drm.AddNodes(m, pciPath, card, node{d})
	for _, gt := range []int{gtMain, gtMedia} {
		dir := fmt.Sprintf("%s/tile0/gt%d/freq0/", pciPath, gt)
		for name, mhz := range map[string]int{"min": p.MinMHz, "max": p.MaxMHz, "cur": usualRatio * 50 / 3,
			"act": usualRatio * 50 / 3, "rp0": p.MaxMHz, "rpn": p.MinMHz, "rpe": 1100} {
			m.File(dir+name+"_freq", fmt.Sprintf("%d\n", mhz))
		}
	}
	if d.has("old-kernel") {
		return
	}
	paranoid := 0
	if d.paranoid {
		paranoid = 1
	}
	m.File("/proc/sys/dev/xe/observation_paranoid", fmt.Sprintf("%d\n", paranoid))
}

// unplugReports is how many reports are read before the scenario takes the GPU away.
const unplugReports = 60

// unplug takes the GPU away: sysfs first, as the kernel does.
func (d *device) unplug() {
	d.mu.Lock()
	if d.gone {
		d.mu.Unlock()
		return
	}
	d.gone = true
	var open []*stream
	for _, s := range d.open {
		open = append(open, s)
	}
	d.mu.Unlock()
	drm.RemoveNodes(d.m, card)
	drm.RemovePCI(d.m, pciPath, pciAddress)
	for _, s := range open {
		s.wake(true)
	}
}

// Stop implements hwtest.Device.
func (d *device) Stop() {
	d.mu.Lock()
	select {
	case <-d.stopped:
	default:
		close(d.stopped)
	}
	d.mu.Unlock()
	d.waits.Wait()
}

// node is /dev/dri/card0 or renderD128.
type node struct{ d *device }

// Open implements hwtest.Node.
func (n node) Open(*hwtest.Call, int) (hwtest.File, error) {
	n.d.mu.Lock()
	defer n.d.mu.Unlock()
	if n.d.gone {
		return nil, syscall.ENODEV
	}
	return &drmFile{n.d}, nil
}

// drmFile is an open DRM node.
type drmFile struct{ d *device }

// Read implements hwtest.File: DRM events, of which there are none.
func (f *drmFile) Read(*hwtest.Call, int) ([]byte, error) { return nil, syscall.EAGAIN }

// Close implements hwtest.File.
func (f *drmFile) Close() {}

// Ioctl implements hwtest.File.
func (f *drmFile) Ioctl(c *hwtest.Call, request uint32, arg uint64) (int64, error) {
	d := f.d
	d.mu.Lock()
	gone := d.gone
	d.mu.Unlock()
	if gone {
		return 0, syscall.ENODEV
	}
	switch request {
	case uapi.Ioctl("DRM_IOCTL_VERSION"):
		return 0, version(c, arg)
	case uapi.Ioctl("DRM_IOCTL_XE_DEVICE_QUERY"):
		return 0, d.query(c, arg)
	case uapi.Ioctl("DRM_IOCTL_XE_OBSERVATION"):
		return d.observe(c, arg)
	}
	if request>>8&0xff == 'd' {
		return 0, syscall.EINVAL
	}
	return 0, syscall.ENOTTY
}

func version(c *hwtest.Call, arg uint64) error {
	l := uapi.Struct("drm_version")
	b := make([]byte, l.Size)
	if err := c.Read(arg, b); err != nil {
		return syscall.EFAULT
	}
	l.Set(b, "version_major", 1)
	l.Set(b, "version_minor", 1)
	l.Set(b, "version_patchlevel", 0)
	for _, s := range [][2]string{{"name", "xe"}, {"date", "20201103"}, {"desc", "Intel Xe Graphics"}} {
		// As much as there is room for is copied, without a NUL; the length says how much there is.
		if n := min(l.Get(b, s[0]+"_len"), uint64(len(s[1]))); n > 0 && l.Get(b, s[0]) != 0 {
			if err := write(c, l.Get(b, s[0]), []byte(s[1][:n])); err != nil {
				return err
			}
		}
		l.Set(b, s[0]+"_len", uint64(len(s[1])))
	}
	return write(c, arg, b)
}

func write(c *hwtest.Call, addr uint64, b []byte) error {
	if err := c.Write(addr, b); err != nil {
		return syscall.EFAULT
	}
	return nil
}
