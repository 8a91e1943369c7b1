package hwio

import (
	"context"
	_ "embed"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"

	"astrolabe/hwio/internal/sysroot"
)

// Doctor says what this machine can measure, what it cannot, and what to do about it: every source in detail, then the
// GPUs that are there without a reader.
func Doctor(ctx context.Context, root string, sources []Source) []Finding {
	return DoctorOf(ctx, sysroot.At(root), sources)
}

// DoctorOf is Doctor on a root that may be on tape.
func DoctorOf(ctx context.Context, root sysroot.Root, sources []Source) []Finding {
	var out []Finding
	if len(sources) == 0 {
		out = append(out, Finding{
			Source: runtime.GOOS, What: "recording", Reason: ErrNeedsLinux.Error(),
			Fix: "record on a Linux machine (the program is one static file that can be copied there) and open the capture here",
		})
	}
	covered := map[string]bool{}
	for _, src := range sources {
		covered[src.Name()] = true
		if d, ok := src.(Diagnoser); ok {
			out = append(out, d.Diagnose(ctx)...)
			continue
		}
		st := src.Probe(ctx)
		out = append(out, Finding{Source: src.Name(), What: src.Doc(), Usable: st.Usable, Reason: st.Reason,
			Fix: st.Fix})
	}
	for _, g := range GPUs(root) {
		if g.Reader != "" && covered[g.Reader] {
			continue
		}
		f := Finding{Source: g.Node, What: "counters of " + g.Name}
		if g.Reader == "" {
			f.Reason = "astrolabe has no reader for this GPU, and none is planned"
			f.Fix = "captures from the vendor's own tools can be opened where astrolabe reads their format, CSV among them"
		} else {
			f.Reason = fmt.Sprintf("this version of astrolabe has no reader for it; the reader %s is planned", g.Reader)
			f.Fix = "until then record with the vendor's own tool and open its file"
		}
		out = append(out, f)
	}
	return out
}

// GPU is a graphics processor that the kernel shows.
type GPU struct {
	Name   string // vendor and ids, as far as known
	Node   string // device node or sysfs folder
	Driver string // kernel driver, "" if none is bound
	Vendor string // PCI vendor id such as "0x8086", "" where it is no PCI device
	Device string // PCI device id
	Reader string // name of astrolabe's reader for this driver, which a version may not have yet; "" if none is planned
}

//go:embed devices.csv
var deviceFile string

// device is a line of devices.csv.
type device struct{ by, key, name, reader, driver, unless string }

var devices = sync.OnceValue(func() []device {
	var out []device
	for line := range strings.Lines(deviceFile) {
		if f := strings.Split(strings.TrimSpace(line), ","); len(f) == 6 && line[0] != '#' {
			out = append(out, device{f[0], f[1], f[2], f[3], f[4], f[5]})
		}
	}
	return out
})

// named is the device that the kernel calls so.
func named(by, key string) (d device, ok bool) {
	i := slices.IndexFunc(devices(), func(d device) bool { return d.by == by && d.key == key })
	if i < 0 {
		return d, false
	}
	return devices()[i], true
}

// GPUs lists the graphics processors that the kernel below r shows: DRM cards, and devices with nodes of their own.
func GPUs(r sysroot.Root) []GPU {
	var out []GPU
	bound := map[string]bool{}
	for _, card := range r.List("/sys/class/drm") {
		num, ok := strings.CutPrefix(card, "card")
		if !ok || num == "" || strings.Trim(num, "0123456789") != "" {
			continue
		}
		dir := "/sys/class/drm/" + card + "/device/"
		g := GPU{Node: "/dev/dri/" + card, Driver: r.LinkName(dir + "driver")}
		g.Vendor, _ = r.String(dir + "vendor")
		g.Device, _ = r.String(dir + "device")
		d, known := named("driver", g.Driver)
		if !known {
			d, known = named("vendor", g.Vendor)
		}
		if g.Name, g.Reader = d.name, d.reader; !known {
			g.Name = "graphics device"
		}
		bound[g.Driver] = true
		var ids []string
		if g.Vendor != "" {
			ids = append(ids, strings.TrimPrefix(g.Vendor, "0x")+":"+strings.TrimPrefix(g.Device, "0x"))
		}
		if g.Driver != "" {
			ids = append(ids, "driver "+g.Driver)
		}
		if len(ids) > 0 {
			g.Name += " (" + strings.Join(ids, ", ") + ")"
		}
		out = append(out, g)
	}
	for _, d := range devices() {
		if d.by == "node" && r.Exists(d.key) && !bound[d.unless] {
			out = append(out, GPU{Name: d.name, Node: d.key, Driver: d.driver, Reader: d.reader})
		}
	}
	return out
}
