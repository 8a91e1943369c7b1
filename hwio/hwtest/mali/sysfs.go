package mali

import (
	"fmt"
	"syscall"

	"astrolabe/hwio/hwtest/drm"
)

// Places of the device in the tree.
const (
	platformDevice = "/sys/devices/platform/13000000.mali"
	kbaseNode      = "/dev/mali0"
	renderNode     = "/dev/dri/renderD128"
	thermalZone    = "/sys/devices/virtual/thermal/thermal_zone0"
)

// card is the number of the mainline driver's card.
const card = 0

// gaugeEvery is the time between two updates of the gauges in ns.
const gaugeEvery = 50e6

func (b *board) node() string {
	if b.spec.kind == driverPanfrost {
		return renderNode
	}
	return kbaseNode
}

// makeTree makes the node and the files around it.
func (b *board) makeTree() {
	m, s := b.machine, &b.spec
	for _, p := range []string{platformDevice, "/sys/class/devfreq", "/sys/class/thermal",
		"/sys/devices/virtual/thermal", "/sys/bus/platform"} {
		m.Own(p)
	}
	driver := "mali"
	if s.kind == driverPanfrost {
		driver = "panfrost"
		b.makePanfrostTree()
	} else {
		b.makeKbaseTree()
	}
	m.Dir("/sys/bus/platform/drivers/" + driver)
	m.Link(platformDevice+"/driver", "../../../bus/platform/drivers/"+driver)
	m.Link(platformDevice+"/subsystem", "../../../bus/platform")
	m.Link("/sys/bus/platform/devices/13000000.mali", "../../../devices/platform/13000000.mali")

	freq := platformDevice + "/devfreq/13000000.mali"
	m.Link("/sys/class/devfreq/13000000.mali", "../../devices/platform/13000000.mali/devfreq/13000000.mali")
	m.Link(freq+"/device", "../../../13000000.mali")
	m.File(freq+"/name", "13000000.mali\n")
	m.File(freq+"/governor", "simple_ondemand\n")
	low, list := s.mhz[0], ""
	for i := len(s.mhz) - 1; i >= 0; i-- {
		low = min(low, s.mhz[i])
		list += fmt.Sprintf("%.0f ", s.mhz[i]*1e6)
	}
	m.File(freq+"/available_frequencies", list[:len(list)-1]+"\n")
	m.File(freq+"/min_freq", fmt.Sprintf("%.0f\n", low*1e6))
	m.File(freq+"/max_freq", fmt.Sprintf("%.0f\n", s.mhz[0]*1e6))

	m.Link("/sys/class/thermal/thermal_zone0", "../../devices/virtual/thermal/thermal_zone0")
	m.File(thermalZone+"/type", "gpu-thermal\n")
	b.writeGauges(b.now())
	if b.set.Has("denied-open") {
		m.Fail(b.node(), syscall.EACCES)
		if s.kind == driverPanfrost {
			m.Fail("/dev/dri/card0", syscall.EACCES)
		}
	}
}

func (b *board) makeKbaseTree() {
	m, s := b.machine, &b.spec
	m.Own("/sys/class/misc")
	m.Node(kbaseNode, 10, 121, 0o666, &kbaseDevice{b})
	misc := platformDevice + "/misc/mali0"
	m.Link("/sys/class/misc/mali0", "../../devices/platform/13000000.mali/misc/mali0")
	m.Link(misc+"/device", "../../../13000000.mali")
	m.Link(misc+"/subsystem", "../../../../../class/misc")
	m.Link("/sys/dev/char/10:121", "../../devices/platform/13000000.mali/misc/mali0")
	m.File(misc+"/dev", "10:121\n")
	m.File(misc+"/uevent", "MAJOR=10\nMINOR=121\nDEVNAME=mali0\n")
	m.File(platformDevice+"/gpuinfo", fmt.Sprintf("%s %d cores r%dp%d 0x%04X\n", s.gpu, popcount(s.cores), 0, 1,
		s.productID()))
	power := "active\n"
	if b.set.Has("powered-off") {
		power = "suspended\n"
	}
	m.File(platformDevice+"/power/runtime_status", power)
	m.File(platformDevice+"/core_mask", fmt.Sprintf("Current core mask : 0x%X\nAvailable core mask : 0x%X\n",
		s.cores, s.cores))
}

func (b *board) makePanfrostTree() {
	m := b.machine
	m.Own("/sys/module/panfrost")
	drm.AddNodes(m, platformDevice, card, &panfrostDevice{b})
	m.File(platformDevice+"/uevent", "DRIVER=panfrost\nOF_NAME=gpu\nOF_FULLNAME=/soc/gpu@13000000\nOF_COMPATIBLE_0=arm,mali-bifrost\nOF_COMPATIBLE_N=1\n")
	unstable := "Y\n"
	if b.set.Has("no-unstable") {
		unstable = "N\n"
	}
	m.File("/sys/module/panfrost/parameters/unstable_ioctls", unstable)
}

// writeGauges writes clock, load and temperature as they are now.
func (b *board) writeGauges(now int64) {
	m, g := b.machine, b.gpu
	since := now - b.gauged
	b.gauged = now
	hz := g.mhzAt(now) * 1e6
	f := g.frameAt(now)
	load := (1 - f.parts(0, frameNs, 1)[partIdle]/frameNs) * 100
	if g.off || since <= 0 {
		load = 0
	}
	freq := platformDevice + "/devfreq/13000000.mali"
	m.File(freq+"/cur_freq", fmt.Sprintf("%.0f\n", hz))
	m.File(freq+"/load", fmt.Sprintf("%.0f@%.0fHz\n", load, hz))
	m.File(thermalZone+"/temp", fmt.Sprintf("%.0f\n", 41000+load*200))
	if b.spec.kind != driverPanfrost {
		m.File(platformDevice+"/clock", fmt.Sprintf("%.0f\n", hz))
		m.File(platformDevice+"/utilisation", fmt.Sprintf("%.0f\n", load))
	}
}

// removeTree takes away what hot unplug takes away.
func (b *board) removeTree() {
	m := b.machine
	gone := []string{"/sys/class/devfreq/13000000.mali", "/sys/bus/platform/devices/13000000.mali", platformDevice}
	if b.spec.kind == driverPanfrost {
		drm.RemoveNodes(m, card)
	} else {
		gone = append(gone, kbaseNode, "/sys/class/misc/mali0", "/sys/dev/char/10:121")
	}
	for _, p := range gone {
		m.Remove(p)
	}
}

// productID is the product as the driver prints it.
func (s *spec) productID() uint64 {
	if s.id>>28&15 == 15 && s.id>>32 != 0 {
		return s.id >> 32
	}
	return s.id >> 16 & 0xffff
}
