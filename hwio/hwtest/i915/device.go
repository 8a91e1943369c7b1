package i915

import (
	"fmt"
	"sync"
	"time"

	"astrolabe/hwio/hwtest"
	"astrolabe/hwio/hwtest/drm"
)

// Places of the GPU in sysfs. Its DRM nodes are card0 and renderD128.
const (
	pciAddress = "0000:00:02.0"
	pciPath    = "/sys/devices/pci0000:00/" + pciAddress
	cardPath   = pciPath + "/drm/card0"
	card       = 0
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
	pmu      *pmu    // nil until a program opens one of its events
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
	d.pmuTree()
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
	c := &clock{now: d.now, start: d.now(), hz: d.part.TimestampHz, ppm: 20}
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
	c.settle = func(t uint64) uint64 { return wrap - t - d.part.TimestampHz*6/10 }
	return c
}

// tree puts the GPU's files where Linux has them.
func (d *device) tree() {
	m, p := d.m, d.part
	m.Own("/proc/sys/dev/i915")
	drm.AddPCI(m, pciPath, drm.PCI{Address: pciAddress, Driver: "i915", Vendor: 0x8086, Device: p.DeviceID,
		Board:    [2]uint32{0x17aa, 0x2245},
		Revision: p.Revision, Class: 0x030000})
	drm.AddNodes(m, pciPath, card, node{d})
	text := func(path, format string, args ...any) { m.File(path, fmt.Sprintf(format, args...)+"\n") }
	for name, mhz := range map[string]int{"min": p.MinMHz, "max": p.MaxMHz, "boost": p.MaxMHz, "RP0": p.MaxMHz,
		"RP1": 300, "RPn": 300,
		"cur": usualMHz, "act": usualMHz} {
		text(cardPath+"/gt_"+name+"_freq_mhz", "%d", mhz)
	}
	if d.revision >= 6 {
		for name, mhz := range map[string]int{"min": p.MinMHz, "max": p.MaxMHz, "boost": p.MaxMHz, "RP0": p.MaxMHz,
			"RP1": 300, "RPn": 300,
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
}

// usualMHz is the clock at which the workload runs: ratio 63 of 16.667 MHz.
const usualMHz = 1050

// The GPU is unplugged so long after a stream was opened, or when so many reports have been read, whichever comes
// later: on a busy machine the program may not have begun to read.
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
	drm.RemoveNodes(d.m, card)
	drm.RemovePCI(d.m, pciPath, pciAddress)
	d.m.Remove(pmuLink)
	d.m.Remove(pmuPath)
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
