// Package drm puts into the emulated tree what Linux shows of every graphics card: its place on the bus, and its two
// minors in sysfs and in /dev. The models of the drivers say which card it is and answer for its nodes.
package drm

import (
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"astrolabe/hwio/hwtest"
)

// major is the number of all nodes of graphics cards.
const major = 226

// minor is one of a card's nodes.
type minor struct {
	name   string
	number uint32
	mode   uint32
}

// minors are the nodes of the card of a number: the one for displays, and the one for everybody.
func minors(card int) []minor {
	return []minor{{fmt.Sprintf("card%d", card), uint32(card), 0o660},
		{fmt.Sprintf("renderD%d", 128+card), uint32(128 + card), 0o666}}
}

// link makes a link with a relative target, as sysfs has them: programs take the target's name from the link's text, so
// it ends with that also where the target is a folder above.
func link(m hwtest.Machine, at, target string) {
	to, err := filepath.Rel(path.Dir(at), path.Dir(target))
	if err != nil {
		panic(fmt.Sprintf("link %s to %s: %v", at, target, err)) // both are written in a model
	}
	m.Link(at, filepath.ToSlash(to)+"/"+path.Base(target))
}

// AddNodes makes the card's nodes and their folders below a device of /sys/devices. Nothing else is in /dev/dri and
// /sys/class/drm.
func AddNodes(m hwtest.Machine, device string, card int, n hwtest.Node) {
	m.Own("/sys/class/drm")
	m.Own("/dev/dri")
	m.File("/sys/class/drm/version", "drm 1.1.0 20060810\n")
	for _, x := range minors(card) {
		dir := Folder(device, x.name)
		m.File(dir+"/dev", fmt.Sprintf("%d:%d\n", major, x.number))
		// udev's note that it has seen the device: without it libudev does not list it.
		m.File(noted(x), "I:1000000\n")
		m.File(dir+"/uevent", fmt.Sprintf("MAJOR=%d\nMINOR=%d\nDEVNAME=dri/%s\nDEVTYPE=drm_minor\n", major,
			x.number, x.name))
		link(m, dir+"/device", device)
		link(m, dir+"/subsystem", "/sys/class/drm")
		link(m, "/sys/class/drm/"+x.name, dir)
		link(m, fmt.Sprintf("/sys/dev/char/%d:%d", major, x.number), dir)
		m.Node("/dev/dri/"+x.name, major, x.number, x.mode, n)
	}
}

// noted is where udev keeps what it knows of a node.
func noted(x minor) string { return fmt.Sprintf("/run/udev/data/c%d:%d", major, x.number) }

// RemoveNodes takes away what leads to the card's nodes; the device's own folder is the caller's.
func RemoveNodes(m hwtest.Machine, card int) {
	for _, x := range minors(card) {
		m.Remove("/sys/class/drm/" + x.name)
		m.Remove(fmt.Sprintf("/sys/dev/char/%d:%d", major, x.number))
		m.Remove(noted(x))
		m.Remove("/dev/dri/" + x.name)
	}
}

// Folder is where a device has the attributes of one of its nodes.
func Folder(device, name string) string { return device + "/drm/" + name }

// PCI is a card on the PCI bus.
type PCI struct {
	Address         string // "0000:03:00.0", which ends the path of its device
	Driver          string
	Vendor, Device  uint32
	Board           [2]uint32 // the vendor and the number of the board that it is on
	Revision, Class uint32
}

// AddPCI shows the card's identity in its folder and on the bus.
func AddPCI(m hwtest.Machine, device string, p PCI) {
	m.Own(device)
	for name, text := range map[string]string{
		"vendor": fmt.Sprintf("0x%04x", p.Vendor), "device": fmt.Sprintf("0x%04x", p.Device),
		"revision": fmt.Sprintf("0x%02x", p.Revision),
		"enable":   "1", "subsystem_vendor": fmt.Sprintf("0x%04x", p.Board[0]),
		"subsystem_device": fmt.Sprintf("0x%04x", p.Board[1]),
		"class":            fmt.Sprintf("0x%06x", p.Class), "numa_node": "-1",
		"uevent": strings.ToUpper(fmt.Sprintf("PCI_CLASS=%x\nPCI_ID=%04x:%04x\nPCI_SUBSYS_ID=%04x:%04x\n",
			p.Class, p.Vendor, p.Device, p.Board[0], p.Board[1])) + "DRIVER=" +
			p.Driver + "\nPCI_SLOT_NAME=" + p.Address,
	} {
		m.File(device+"/"+name, text+"\n")
	}
	m.Dir("/sys/bus/pci/drivers/" + p.Driver)
	link(m, device+"/driver", "/sys/bus/pci/drivers/"+p.Driver)
	link(m, device+"/subsystem", "/sys/bus/pci")
	link(m, "/sys/bus/pci/devices/"+p.Address, device)
}

// RemovePCI takes the card off the bus, with everything in its folder.
func RemovePCI(m hwtest.Machine, device, address string) {
	m.Remove("/sys/bus/pci/devices/" + address)
	m.Remove(device)
}
