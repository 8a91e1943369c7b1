package intel

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"syscall"

	"astrolabe/hwio/hwtest"
	"astrolabe/hwio/hwtest/drm"
	"astrolabe/hwio/hwtest/uapi"
)

// GPU is what models of both drivers have of a card. Its fields are guarded by Mu from the start on.
type GPU struct {
	Driver      string // i915 or xe
	Card        int    // number of its nodes
	FirstConfig uint64 // id of the first configuration that a program adds

	Machine  hwtest.Machine
	Settings *hwtest.Settings
	Part     *Part
	Clock    *Clock
	// Now is hwtest.Now; a test has a clock of its own, and then nothing happens by itself.
	Now    func() int64
	ByHand bool

	Mu        sync.Mutex
	Gone      bool // unplugged
	Delivered int  // reports of all streams
	configs   map[uint64]*Config
	added     []ConfigTruth
	removed   []ConfigTruth
	work      *Workload
	open      map[int]*Stream // by unit
	streams   []*Stream
	closed    int
	stopped   chan struct{}
	waits     sync.WaitGroup
}

// NewGPU is a card that is not in a machine yet.
func NewGPU(driver string, firstConfig uint64) *GPU {
	return &GPU{Driver: driver, FirstConfig: firstConfig, Now: hwtest.Now, configs: map[uint64]*Config{},
		open: map[int]*Stream{}, stopped: make(chan struct{})}
}

// Has says whether a scenario was chosen.
func (g *GPU) Has(scenario string) bool { return g.Settings.Has(scenario) }

// Appear puts the card into a machine, with its clock and its work. bits are those of the timestamp's register, base is
// added to what it shows.
func (g *GPU) Appear(m hwtest.Machine, sets string, bits int, base uint64, node hwtest.Node) {
	g.Machine, g.Settings = m, m.Settings()
	p := NewPart(sets, g.Has)
	g.Part = p
	c := &Clock{Now: g.Now, Start: g.Now(), Hz: p.TimestampHz, PPM: 20, Bits: bits}
	if g.Has("fast-drift") {
		c.PPM = 500
	}
	// A few minutes of up-time, away from any wrap.
	c.Base = base + g.Settings.Rand("clock").Uint64N(1<<30) + 1<<30
	soon := func(wrap uint64) {
		c.Settle = func(t uint64) uint64 { return wrap - t - p.TimestampHz*6/10 }
	}
	switch {
	case g.Has("wrap-36"):
		soon(1 << bits)
	case g.Has("wrap"):
		soon(base + 5<<32)
	}
	g.Clock = c
	g.work = newWorkload(g)
	drm.AddPCI(m, g.PCIPath(), drm.PCI{Address: g.Address(), Driver: g.Driver, Vendor: 0x8086, Device: p.DeviceID,
		Board: [2]uint32{0x17aa, 0x2245}, Revision: p.Revision, Class: 0x030000})
	drm.AddNodes(m, g.PCIPath(), g.Card, node)
}

// Places of the GPU in sysfs. Its nodes are cardN and renderD128+N.

// Address is the card's place on the bus: that of the GPU in the processor, or of a board.
func (g *GPU) Address() string {
	if g.Card == 0 && !g.Part.Discrete {
		return "0000:00:02.0"
	}
	return fmt.Sprintf("0000:%02x:00.0", 3+g.Card)
}

// PCIPath is the folder of the device.
func (g *GPU) PCIPath() string { return "/sys/devices/pci0000:00/" + g.Address() }

// CardPath is the folder of the card's first node.
func (g *GPU) CardPath() string { return drm.Folder(g.PCIPath(), fmt.Sprintf("card%d", g.Card)) }

// Work is a workload of its own that shows what this one does.
func (g *GPU) Work() *Workload { return newWorkload(g) }

// unplugReports is how many reports are read before the scenario takes the GPU away.
const unplugReports = 60

// UnplugIfDue takes the GPU away in the scenario of that, when enough was read and before there were so many.
func (g *GPU) UnplugIfDue(before int) {
	g.Mu.Lock()
	due := g.Has("unplug") && before < unplugReports && g.Delivered >= unplugReports
	g.Mu.Unlock()
	if due {
		g.Unplug()
	}
}

// Unplug takes the GPU away: sysfs first, as the kernel does.
func (g *GPU) Unplug() {
	g.Mu.Lock()
	if g.Gone {
		g.Mu.Unlock()
		return
	}
	g.Gone = true
	open := slices.Collect(maps.Values(g.open))
	g.Mu.Unlock()
	drm.RemoveNodes(g.Machine, g.Card)
	drm.RemovePCI(g.Machine, g.PCIPath(), g.Address())
	for _, s := range open {
		s.Wake(true)
	}
}

// Present fails where the GPU was unplugged.
func (g *GPU) Present() error {
	g.Mu.Lock()
	defer g.Mu.Unlock()
	if g.Gone {
		return syscall.ENODEV
	}
	return nil
}

// Stop implements hwtest.Device.
func (g *GPU) Stop() {
	g.Mu.Lock()
	select {
	case <-g.stopped:
	default:
		close(g.stopped)
	}
	g.Mu.Unlock()
	g.waits.Wait()
}

// Open is the stream of a unit, nil where there is none.
func (g *GPU) Open(u *Unit) *Stream { return g.open[u.ID] }

// Version answers DRM_IOCTL_VERSION.
func (g *GPU) Version(c *hwtest.Call, arg uint64, minor uint64, description string) error {
	l := uapi.Struct("drm_version")
	b := make([]byte, l.Size)
	if err := c.Read(arg, b); err != nil {
		return syscall.EFAULT
	}
	l.Set(b, "version_major", 1)
	l.Set(b, "version_minor", minor)
	l.Set(b, "version_patchlevel", 0)
	for _, s := range [][2]string{{"name", g.Driver}, {"date", "20201103"}, {"desc", description}} {
		// As much as there is room for is copied, without a NUL; the length says how much there is.
		if n := min(l.Get(b, s[0]+"_len"), uint64(len(s[1]))); n > 0 && l.Get(b, s[0]) != 0 {
			if err := Write(c, l.Get(b, s[0]), []byte(s[1][:n])); err != nil {
				return err
			}
		}
		l.Set(b, s[0]+"_len", uint64(len(s[1])))
	}
	return Write(c, arg, b)
}

// Write copies to the program's memory.
func Write(c *hwtest.Call, addr uint64, b []byte) error {
	if err := c.Write(addr, b); err != nil {
		return syscall.EFAULT
	}
	return nil
}

// Node is a card's device node, whose files are a driver's.
type Node struct {
	*GPU
	File func() hwtest.File
}

// Open implements hwtest.Node.
func (n Node) Open(*hwtest.Call, int) (hwtest.File, error) {
	if err := n.Present(); err != nil {
		return nil, err
	}
	return n.File(), nil
}

// NoEvents is the part of an open DRM node that tells of events, of which there are none.
type NoEvents struct{}

// Read implements hwtest.File.
func (NoEvents) Read(*hwtest.Call, int) ([]byte, error) { return nil, syscall.EAGAIN }

// Close implements hwtest.File.
func (NoEvents) Close() {}
