package drm

import (
	"os"
	"path/filepath"
	"testing"

	"astrolabe/hwio/internal/sysroot"
)

func TestCardAndRenderNodeBelongTogetherByTheirDevice(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	link := func(name, target string) {
		t.Helper()
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(target, path); err != nil {
			t.Fatal(err)
		}
	}
	write("sys/devices/pci0000:00/0000:00:02.0/vendor", "0x8086\n")
	write("sys/devices/pci0000:00/0000:00:02.0/device", "0x5912\n")
	write("sys/devices/pci0000:00/0000:00:02.0/revision", "0x04\n")
	link("sys/devices/pci0000:00/0000:00:02.0/driver", "../../../bus/pci/drivers/i915")
	link("sys/class/drm/card1/device", "../../../devices/pci0000:00/0000:00:02.0")
	link("sys/class/drm/renderD129/device", "../../../devices/platform/gpu")
	link("sys/class/drm/renderD128/device", "../../../devices/pci0000:00/0000:00:02.0")
	write("sys/devices/platform/gpu/uevent", "DRIVER=panfrost\n")
	link("sys/devices/platform/gpu/driver", "../../../bus/platform/drivers/panfrost")
	link("sys/class/drm/card0/device", "../../../devices/platform/gpu")
	write("sys/class/drm/card1-HDMI-A-1/status", "connected\n")
	write("sys/class/drm/version", "drm 1.1.0\n")

	got := Cards(sysroot.At(dir))
	want := []Card{
		{Name: "card0", Sysfs: "/sys/class/drm/card0", Node: "/dev/dri/card0", Render: "/dev/dri/renderD129", Driver: "panfrost", Address: "gpu"},
		{
			Name: "card1", Sysfs: "/sys/class/drm/card1", Node: "/dev/dri/card1", Render: "/dev/dri/renderD128", Driver: "i915",
			Address: "0000:00:02.0", Vendor: 0x8086, Device: 0x5912, Revision: 4,
		},
	}
	if len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
	if none := Cards(sysroot.At(t.TempDir())); none != nil {
		t.Errorf("an empty tree has cards: %+v", none)
	}
}
