// Package drm lists the graphics devices that the kernel's DRM layer shows in sysfs, for the readers of their drivers.
package drm

import (
	"strings"

	"astrolabe/hwio/internal/sysroot"
)

// Card is a graphics device. Numbers are 0 and texts "" where the kernel does not tell them, as for a device that is
// not on PCI.
type Card struct {
	Name     string // "card0"
	Sysfs    string // "/sys/class/drm/card0"
	Node     string // "/dev/dri/card0"
	Render   string // "/dev/dri/renderD128"
	Driver   string // kernel driver that is bound to it, such as "amdgpu"
	Address  string // name of the device on its bus, such as "0000:00:02.0" on PCI or "ff9a0000.gpu"
	Vendor   uint64 // PCI ids
	Device   uint64
	Revision uint64
}

const class = "/sys/class/drm"

// Cards lists the devices in the order of their numbers. A card and its render node need not have like numbers: they
// belong together where they lead to the same device.
func Cards(root sysroot.Root) []Card {
	var out []Card
	names := root.List(class)
	for _, name := range names {
		if !numbered(name, "card") {
			continue
		}
		c := Card{Name: name, Sysfs: class + "/" + name, Node: "/dev/dri/" + name}
		dev := c.Sysfs + "/device"
		c.Driver, c.Address = root.LinkName(dev+"/driver"), root.LinkName(dev)
		for file, to := range map[string]*uint64{"/vendor": &c.Vendor, "/device": &c.Device, "/revision": &c.Revision} {
			// A device that is not on PCI has none of them.
			*to, _ = root.Uint(dev + file)
		}
		for _, other := range names {
			if numbered(other, "renderD") && c.Address != "" && root.LinkName(class+"/"+other+"/device") == c.Address {
				c.Render = "/dev/dri/" + other
			}
		}
		if c.Render == "" {
			// The device's own folder lists its nodes too; a copied tree may have no links.
			for _, other := range root.List(dev + "/drm") {
				if numbered(other, "renderD") {
					c.Render = "/dev/dri/" + other
				}
			}
		}
		out = append(out, c)
	}
	return out
}

// numbered reports whether the name is the prefix with a number behind it: connectors are called card0-HDMI-A-1.
func numbered(name, prefix string) bool {
	num, ok := strings.CutPrefix(name, prefix)
	return ok && num != "" && strings.Trim(num, "0123456789") == ""
}
