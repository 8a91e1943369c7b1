package i915

import (
	"fmt"
	"sync"
	"time"

	"astrolabe/hwio/hwtest"
)

// Places of the GPU in sysfs. Its DRM nodes are card0 and renderD128.
const (
	pciPath    = "/sys/devices/pci0000:00/0000:00:02.0"
	cardPath   = pciPath + "/drm/card0"
	renderPath = pciPath + "/drm/renderD128"
	drmMajor   = 226
	cardMinor  = 0
	nodeMinor  = 128
)

// Limits of the driver that its sysctls show.
const defaultMaxSampleRate = 100_000 // Hz

type device struct {
	sets string // column part of sets.csv
	m    hwtest.Machine
	set  *hwtest.Settings
	part *Part
	clk  *clock
	// now is hwtest.Now; a test has a clock of its own, and then nothing happens by itself.
	now      func() int64
	byHand   bool
	revision int
	paranoid bool
	stopped  chan struct{}
	waits    sync.WaitGroup

	mu       sync.Mutex
	gone     bool // unplugged
	plugPull *time.Timer
	configs  map[uint64]*config
	added    []ConfigTruth
	removed  []ConfigTruth
	work     *workload
	stream   *stream // the one that is open
	streams  []*stream
	closed   int
	// delivered counts the reports of all streams.
	delivered int
	contexts  uint32 // last GEM context handle given out
}

func newDevice(sets string) *device {
	return &device{sets: sets, now: hwtest.Now, stopped: make(chan struct{}), configs: map[uint64]*config{}}
}

func (d *device) has(scenario string) bool { return d.set.Has(scenario) }

// Start implements hwtest.Device.
func (d *device) Start(m hwtest.Machine) error {
	d.m, d.set = m, m.Settings()
	d.part = newPart(d.sets, d.has)
	d.revision = 7
	for r := 1; r <= 7; r++ {
		if d.has(fmt.Sprintf("revision-%d", r)) {
			d.revision = r
		}
	}
	d.paranoid = !d.has("paranoid-0")
	d.clk = d.newClock()
	d.work = newWorkload(d)
	d.tree()
	switch {
	case d.has("no-perf"), d.has("no-metrics"):
	default:
		m.Dir(cardPath + "/metrics")
		if d.has("kernel-testoa") {
			d.preload("TestOa", 1)
		}
		if d.has("loaded") {
			d.preload("RenderBasic", 0)
		}
	}
	return nil
}

func (d *device) newClock() *clock {
	c := &clock{now: d.now, start: d.now(), ppm: 20}
	if d.has("fast-drift") {
		c.ppm = 500
	}
	// The base is a few minutes of up-time, away from any wrap.
	c.base = d.set.Rand("clock").Uint64N(1<<30) + 1<<30
	var wrap uint64
	switch {
	case d.has("wrap-36"):
		wrap = 1 << 36
	case d.has("wrap"):
		wrap = 5 << 32
	default:
		return c
	}
	c.settle = func(t uint64) uint64 { return wrap - t - timestampHz*6/10 }
	return c
}

// tree puts the GPU's files where Linux has them.
func (d *device) tree() {
	m, p := d.m, d.part
	for _, prefix := range []string{"/sys/class/drm", pciPath, "/dev/dri", "/proc/sys/dev/i915"} {
		m.Own(prefix)
	}
	text := func(path, format string, args ...any) { m.File(path, fmt.Sprintf(format, args...)+"\n") }
	text(pciPath+"/vendor", "0x8086")
	text(pciPath+"/device", "0x%04x", p.DeviceID)
	text(pciPath+"/revision", "0x%02x", p.Revision)
	text(pciPath+"/subsystem_vendor", "0x17aa")
	text(pciPath+"/subsystem_device", "0x2245")
	text(pciPath+"/class", "0x030000")
	text(pciPath+"/numa_node", "-1")
	text(pciPath+"/uevent", "DRIVER=i915\nPCI_CLASS=30000\nPCI_ID=8086:%04X\nPCI_SUBSYS_ID=17AA:2245\nPCI_SLOT_NAME=0000:00:02.0", p.DeviceID)
	m.Dir("/sys/bus/pci/drivers/i915")
	m.Link(pciPath+"/driver", "../../../bus/pci/drivers/i915")
	m.Link(pciPath+"/subsystem", "../../../bus/pci")
	for _, n := range []struct {
		path, name string
		minor      uint32
	}{{cardPath, "card0", cardMinor}, {renderPath, "renderD128", nodeMinor}} {
		text(n.path+"/dev", "%d:%d", drmMajor, n.minor)
		text(n.path+"/uevent", "MAJOR=%d\nMINOR=%d\nDEVNAME=dri/%s\nDEVTYPE=drm_minor", drmMajor, n.minor, n.name)
		m.Link(n.path+"/device", "../../../0000:00:02.0")
		m.Link(n.path+"/subsystem", "../../../../../class/drm")
		m.Link("/sys/class/drm/"+n.name, "../../devices/pci0000:00/0000:00:02.0/drm/"+n.name)
		m.Link(fmt.Sprintf("/sys/dev/char/%d:%d", drmMajor, n.minor), "../../devices/pci0000:00/0000:00:02.0/drm/"+n.name)
	}
	m.File("/sys/class/drm/version", "drm 1.1.0 20060810\n")
	for name, mhz := range map[string]int{"min": p.MinMHz, "max": p.MaxMHz, "boost": p.MaxMHz, "RP0": p.MaxMHz, "RP1": 300, "RPn": 300,
		"cur": usualMHz, "act": usualMHz} {
		text(cardPath+"/gt_"+name+"_freq_mhz", "%d", mhz)
	}
	if d.revision >= 6 {
		for name, mhz := range map[string]int{"min": p.MinMHz, "max": p.MaxMHz, "boost": p.MaxMHz, "RP0": p.MaxMHz, "RP1": 300, "RPn": 300,
			"cur": usualMHz, "act": usualMHz} {
			text(cardPath+"/gt/gt0/rps_"+name+"_freq_mhz", "%d", mhz)
		}
	}
	paranoid := 0
	if d.paranoid {
		paranoid = 1
	}
	text("/proc/sys/dev/i915/perf_stream_paranoid", "%d", paranoid)
	text("/proc/sys/dev/i915/oa_max_sample_rate", "%d", defaultMaxSampleRate)
	m.Node("/dev/dri/card0", drmMajor, cardMinor, 0o660, node{d})
	m.Node("/dev/dri/renderD128", drmMajor, nodeMinor, 0o666, node{d})
}

// usualMHz is the clock at which the workload runs: ratio 63 of 16.667 MHz.
const usualMHz = 1050

// The GPU is unplugged so long after a stream was opened, or when so many reports have been read, whichever comes later: on a busy machine the
// program may not have begun to read.
const (
	unplugAfter   = 400 * time.Millisecond
	unplugReports = 60
)

// unplugWhenRead unplugs the GPU, or looks again in a while.
func (d *device) unplugWhenRead() {
	d.mu.Lock()
	early := d.delivered < unplugReports
	select {
	case <-d.stopped:
	default:
		if early {
			d.plugPull.Reset(20 * time.Millisecond)
		}
	}
	d.mu.Unlock()
	if !early {
		d.unplug()
	}
}

// unplug takes the GPU away: sysfs first, as the kernel does.
func (d *device) unplug() {
	d.mu.Lock()
	select {
	case <-d.stopped:
		d.mu.Unlock()
		return
	default:
	}
	d.gone = true
	s := d.stream
	d.mu.Unlock()
	for _, p := range []string{"/sys/class/drm/card0", "/sys/class/drm/renderD128", "/sys/dev/char/226:0", "/sys/dev/char/226:128",
		"/dev/dri/card0", "/dev/dri/renderD128", pciPath} {
		d.m.Remove(p)
	}
	if s != nil {
		s.wake(true)
	}
}

// Stop implements hwtest.Device.
func (d *device) Stop() {
	d.mu.Lock()
	if d.plugPull != nil {
		d.plugPull.Stop()
	}
	select {
	case <-d.stopped:
	default:
		close(d.stopped)
	}
	d.mu.Unlock()
	d.waits.Wait()
}
