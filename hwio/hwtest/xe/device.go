package xe

import (
	"fmt"
	"syscall"

	"astrolabe/hwio/hwtest"
	"astrolabe/hwio/hwtest/intel"
	"astrolabe/hwio/hwtest/uapi"
)

type device struct {
	*intel.GPU
	sets     string // column part of sets.csv
	units    []*unit
	engines  []intel.Engine
	paranoid bool
	queries  map[string]int // questions that were answered, by name
	refused  []RefusalTruth
}

func newDevice(sets string) *device {
	return &device{GPU: intel.NewGPU("xe", 1), sets: sets, queries: map[string]int{}}
}

// Start implements hwtest.Device.
func (d *device) Start(m hwtest.Machine) error {
	// Of some hours of up-time: the upper half of the 64 bits is in use.
	d.Appear(m, d.sets, 64, 5<<36, intel.Node{GPU: d.GPU, File: func() hwtest.File { return &drmFile{d: d} }})
	d.engines = engines(d.Part)
	d.units = newUnits(d.Part, d.engines, d.Has("kernel-7"))
	d.paranoid = !d.Has("paranoid-0")
	d.tree()
	if !d.Has("no-observation") && !d.Has("old-kernel") {
		m.Dir(d.CardPath() + "/metrics")
		if d.Has("loaded") {
			d.Preload("RenderBasic", 0)
		}
	}
	return nil
}

// tree puts the driver's files where Linux has them.
func (d *device) tree() {
	m, p := d.Machine, d.Part
	m.Own("/proc/sys/dev/xe")
	for gt := range d.gts() {
		dir := fmt.Sprintf("%s/tile0/gt%d/freq0/", d.PCIPath(), gt)
		for name, mhz := range map[string]int{"min": p.MinMHz, "max": p.MaxMHz, "cur": p.MHz(), "act": p.MHz(), "rp0": p.MaxMHz,
			"rpn": p.MinMHz, "rpe": 1100} {
			m.File(dir+name+"_freq", fmt.Sprintf("%d\n", mhz))
		}
	}
	if d.Has("old-kernel") {
		return
	}
	paranoid := 0
	if d.paranoid {
		paranoid = 1
	}
	m.File("/proc/sys/dev/xe/observation_paranoid", fmt.Sprintf("%d\n", paranoid))
}

// drmFile is an open DRM node.
type drmFile struct {
	intel.NoEvents
	d *device
}

// Ioctl implements hwtest.File.
func (f *drmFile) Ioctl(c *hwtest.Call, request uint32, arg uint64) (int64, error) {
	d := f.d
	if err := d.Present(); err != nil {
		return 0, err
	}
	switch request {
	case uapi.Ioctl("DRM_IOCTL_VERSION"):
		return 0, d.Version(c, arg, 1, "Intel Xe Graphics")
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
