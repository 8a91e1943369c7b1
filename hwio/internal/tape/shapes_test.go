package tape

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
)

func TestShapesKeepWhatIsKnownAndNothingElse(t *testing.T) {
	for _, c := range []struct {
		path, in, want string // want "" for what is not let through
	}{
		{"/proc/sys/kernel/osrelease", "6.1.0-17-joes-laptop\n", "6.1.0\n"},
		{"/proc/self/status", "Name:\tsecret\nUid:\t0\t0\t0\t0\nCapEff:\t00ff\nGroups:\t4 24\n", "Uid:\t0\t0\t0\t0\nCapEff:\t00ff\n"},
		{"/proc/stat", "cpu  1 2 3\ncpu0 1 2 3\nintr 55 1 2 3\nbtime 1700000000\nname joe\n", "cpu  1 2 3\ncpu0 1 2 3\nintr 55\n"},
		{"/proc/cpuinfo", "processor\t: 0\nmodel name\t: Intel(R) Core(TM) i7-1165G7 @ 2.80GHz of Joe\nserial\t: 77\nSerial\t\t: 1000aabb\n",
			"processor\t: 0\nmodel name\t: Intel(R) Core(TM) i7-1165G7 @ 2.80GHz x x\n"},
		{"/proc/pressure/cpu", "some avg10=0.00 avg60=0.10 avg300=0.00 total=123\nowner=joe\n", "some avg10=0.00 avg60=0.10 avg300=0.00 total=123\n"},
		{"/sys/class/thermal/thermal_zone0/type", "joes-gpu-thermal\n", "x-gpu-thermal\n"},
		{"/sys/class/thermal/thermal_zone0/temp", "41000\n", "41000\n"},
		{"/sys/class/thermal/thermal_zone0/temp", "41000 joe\n", ""},
		{"/sys/class/devfreq/13000000.gpu/load", "65@900000000Hz\n", "65@900000000Hz\n"},
		{"/sys/class/devfreq/13000000.gpu/load", "65@joe\n", ""},
		{"/sys/devices/system/cpu/online", "0-3,8\n", "0-3,8\n"},
		{"/sys/class/drm/card0/device/unique_id", "1234\n", ""},
		{"/sys/bus/event_source/devices/cpu/events/mem-loads", "event=0xcd,umask=0x1,ldlat=3\n", "event=0xcd,umask=0x1,ldlat=3\n"},
		{"/sys/bus/event_source/devices/cpu/events/mem-loads", "event=0xcd,config1=0x1ffffffff\n", "event=0xcd,config1=0x1ffffffff\n"},
		{"/sys/bus/event_source/devices/cpu/events/mem-loads", "event=0xcd,joe=0x1\n", ""},
		{"/sys/bus/event_source/devices/cpu/events/mem-loads", "event=joe\n", ""},
		{"/sys/bus/event_source/devices/power/events/energy-pkg.scale", "2.3283064365386962890625e-10\n", "2.3283064365386962890625e-10\n"},
		{"/sys/bus/event_source/devices/power/events/energy-pkg.scale", "2.3283 joe\n", ""},
		{"/sys/bus/event_source/devices/power/events/energy-pkg.unit", "Joules\n", "Joules\n"},
		{"/sys/bus/event_source/devices/cpu/format/event", "config:0-7,32-35\n", "config:0-7,32-35\n"},
		{"/sys/bus/event_source/devices/cpu/format/event", "config:joe\n", ""},
		{"/proc/1/cmdline", "init\n", ""},
		{"/etc/hostname", "joe\n", ""},
	} {
		tp := New(func() int64 { return 1 })
		got, err := tp.Content(c.path, false, func() ([]byte, error) { return []byte(c.in), nil })
		switch {
		case c.want == "" && !errors.Is(err, fs.ErrNotExist):
			t.Errorf("%s: %q, %v; want nothing", c.path, got, err)
		case c.want == "" && len(tp.Left()) != 1:
			t.Errorf("%s: left out %q", c.path, tp.Left())
		case c.want != "" && string(got) != c.want:
			t.Errorf("%s: %q, %v; want %q", c.path, got, err, c.want)
		}
	}
}

func TestNamesInFoldersAreOfKnownForms(t *testing.T) {
	tp := New(func() int64 { return 1 })
	for folder, c := range map[string][2]string{
		"/sys/class/drm":                {"card0 card0-HDMI-A-1 renderD128 version joe card1x", "card0 renderD128"},
		"/sys/class/devfreq/":           {"13000000.mali joes.gpu ff9a0000.gpu dmc", "13000000.mali ff9a0000.gpu dmc"},
		"/sys/class/hwmon/hwmon3":       {"temp1_input name temp1_label device temp12_input", "temp1_input temp1_label temp12_input"},
		"/proc":                         {"1 2 self", ""},
		"/sys/bus/event_source/devices": {"cpu i915_0000_03_00.0 joe msr", "cpu i915_0000_00_01.0 msr"},
	} {
		if got := strings.Join(tp.Folder(folder, strings.Fields(c[0])), " "); got != c[1] {
			t.Errorf("%s: %q, want %q", folder, got, c[1])
		}
	}
}

func TestAddressesOnABusAreReplacedAndComeBack(t *testing.T) {
	tp := New(func() int64 { return 1 })
	a := tp.Target("/sys/class/drm/card0/device", "../../../0000:c3:00.1")
	b := tp.Target("/sys/class/drm/card1/device", "../../../0000:0d:00.0")
	if a != "0000:00:01.0" || b != "0000:00:02.0" {
		t.Errorf("%q, %q", a, b)
	}
	if again := tp.Target("/sys/class/drm/card0/device", "../0000:c3:00.1"); again != a {
		t.Errorf("%q, then %q", a, again)
	}
	if got := tp.Real("/sys/bus/pci/devices/" + a + "/vendor"); got != "/sys/bus/pci/devices/0000:c3:00.1/vendor" {
		t.Error(got)
	}
	if got := tp.Real("/sys/bus/event_source/devices/i915_0000_00_02.0/type"); got != "/sys/bus/event_source/devices/i915_0000_0d_00.0/type" {
		t.Error(got)
	}
}

func FuzzShape(f *testing.F) {
	f.Add("/proc/cpuinfo", "model name : x\n")
	f.Fuzz(func(t *testing.T, path, text string) {
		tp := New(func() int64 { return 1 })
		got, err := tp.Content(path, false, func() ([]byte, error) { return []byte(text), nil })
		if err == nil && strings.Contains(string(got), "kAnaRie") {
			t.Fatalf("%s: %q", path, got)
		}
	})
}
