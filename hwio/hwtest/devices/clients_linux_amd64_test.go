package devices

import (
	"fmt"
	"strings"
	"testing"

	"astrolabe/hwio/hwtest/clients"
)

// cards are the emulated graphics cards as libraries of graphics find them.
var cards = []struct {
	device, syspath, bus string
	ids                  [5]string // vendor and device, those of the board, revision; of a PCI card
}{
	{"kbl-gt2", "/devices/pci0000:00/0000:00:02.0", "0000:00:02.0", [5]string{"8086", "5916", "17aa", "2245", "02"}},
	{"kbl-gt3", "/devices/pci0000:00/0000:00:02.0", "0000:00:02.0", [5]string{"8086", "5926", "17aa", "2245", "06"}},
	{"gfx9", "/devices/pci0000:00/0000:03:00.0", "0000:03:00.0", [5]string{"1002", "66af", "1002", "081e", "c1"}},
	{"gfx1151", "/devices/pci0000:00/0000:03:00.0", "0000:03:00.0", [5]string{"1002", "1586", "f111", "000a", "c1"}},
	{"tgl", "/devices/pci0000:00/0000:00:02.0", "0000:00:02.0", [5]string{"8086", "9a49", "17aa", "2245", "01"}},
	{"lnl", "/devices/pci0000:00/0000:00:02.0", "0000:00:02.0", [5]string{"8086", "64a0", "17aa", "2245", "04"}},
	{"panfrost", "/devices/platform/13000000.mali", "/soc/gpu@13000000", [5]string{}},
}

// fields splits lines at a mark; where a name comes again the first counts.
func fields(text, mark string) map[string]string {
	out := map[string]string{}
	for line := range strings.Lines(text) {
		k, v, ok := strings.Cut(strings.TrimLeft(line, " |+->"), mark)
		if k = strings.TrimSpace(k); ok && out[k] == "" {
			out[k] = strings.TrimSpace(v)
		}
	}
	return out
}

// libudev walks every path by descriptors of O_PATH, and believes one of /sys only on a sysfs.
func TestForeignLibudevFindsTheDevices(t *testing.T) {
	udevadm := clients.Path(t, "udevadm", "udev")
	look := func(t *testing.T, c *clients.Comparison, device, node, devpath, subsystem string, major, minor int) {
		m, err := Find(device)
		if err != nil {
			t.Fatal(err)
		}
		for _, by := range [][]string{{"-n", "/dev/" + node}, {"-p", "/sys" + devpath}, {"-p", "/sys/class/" + subsystem + "/" + node[strings.LastIndex(node, "/")+1:]}} {
			_, out := clients.Run(t, clients.Options{Device: m.New(), Seed: 1}, udevadm, append([]string{"info", "-q", "property"}, by...)...)
			got := fields(out, "=")
			for k, want := range map[string]string{
				"DEVPATH": devpath, "DEVNAME": "/dev/" + node, "SUBSYSTEM": subsystem, "MAJOR": fmt.Sprint(major), "MINOR": fmt.Sprint(minor),
			} {
				c.Equal(fmt.Sprint(by, " ", k), got[k], want)
			}
		}
	}
	for _, card := range cards {
		t.Run(card.device, func(t *testing.T) {
			c := clients.Compare(t, "udevadm info", card.device)
			look(t, c, card.device, "dri/card0", card.syspath+"/drm/card0", "drm", 226, 0)
			look(t, c, card.device, "dri/renderD128", card.syspath+"/drm/renderD128", "drm", 226, 128)
		})
	}
	t.Run("mali-g720", func(t *testing.T) {
		look(t, clients.Compare(t, "udevadm info", "mali-g720"), "mali-g720", "mali0", "/devices/platform/13000000.mali/misc/mali0", "misc", 10, 121)
	})
}

// libdrm looks under /sys/dev/char, and opens the nodes.
func TestForeignLibdrmFindsTheCards(t *testing.T) {
	drmdevice := clients.Path(t, "drmdevice", "libdrm-tests")
	for _, card := range cards {
		t.Run(card.device, func(t *testing.T) {
			m, err := Find(card.device)
			if err != nil {
				t.Fatal(err)
			}
			_, out := clients.Run(t, clients.Options{Device: m.New(), Seed: 1}, drmdevice)
			c := clients.Compare(t, "libdrm's drmdevice", card.device)
			list, opened, _ := strings.Cut(strings.ReplaceAll(out, "\t", " "), "--- Opening device node")
			got := fields(list, " ")
			c.Equal("nodes", got["nodes[0]"]+" "+got["nodes[2]"], "/dev/dri/card0 /dev/dri/renderD128")
			if card.ids[0] == "" {
				c.Equal("the name in the device tree", got["fullname"], card.bus)
				return
			}
			c.Equal("place on the bus", fmt.Sprintf("%s:%s:%s.%s", got["domain"], got["bus"], got["dev"], got["func"]), card.bus)
			for i, name := range []string{"vendor_id", "device_id", "subvendor_id", "subdevice_id"} {
				c.Equal(name, got[name], card.ids[i])
			}
			// The revision is asked for only when a node has been opened.
			c.Equal("revision_id", fields(opened, " ")["revision_id"], card.ids[4])
		})
	}
}

// igt's list of GPUs comes from libudev's enumeration of a subsystem.
func TestForeignIntelGPUTopListsTheCards(t *testing.T) {
	top := clients.Path(t, "intel_gpu_top", "intel-gpu-tools")
	for device, want := range map[string]string{"kbl-gt2": "Intel Kabylake (Gen9) pci:vendor=8086,device=5916,card=0", "kbl-gt3": "Intel Kabylake (Gen9) pci:vendor=8086,device=5926,card=0",
		"tgl": "Intel Tigerlake (Gen12) pci:vendor=8086,device=9A49,card=0"} {
		t.Run(device, func(t *testing.T) {
			m, err := Find(device)
			if err != nil {
				t.Fatal(err)
			}
			_, out := clients.Run(t, clients.Options{Device: m.New(), Seed: 1}, top, "-L")
			got := fields(out, " ")
			c := clients.Compare(t, "intel_gpu_top -L", device)
			c.Equal("card0", strings.Join(strings.Fields(got["card0"]), " "), want)
			c.Equal("its render node", strings.Contains(out, "renderD128"), true)
		})
	}
}
