package hwio

import (
	"context"
	"fmt"
	"runtime"
	"strings"

	"astrolabe/hwio/internal/sysroot"
)

// Doctor says what this machine can measure, what it cannot, and what to do about it: every source in detail, then the GPUs that are
// there without a reader.
func Doctor(ctx context.Context, root string, sources []Source) []Finding {
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
		out = append(out, Finding{Source: src.Name(), What: src.Doc(), Usable: st.Usable, Reason: st.Reason, Fix: st.Fix})
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

// drivers maps kernel drivers of GPUs to the readers of astrolabe's plan.
var drivers = map[string]struct{ name, reader string }{
	"i915":     {"Intel GPU", "i915"},
	"xe":       {"Intel GPU (xe driver)", ""},
	"amdgpu":   {"AMD GPU", "amdgpu"},
	"radeon":   {"AMD GPU (old radeon driver)", ""},
	"panfrost": {"Mali GPU", "panfrost"},
	"panthor":  {"Mali GPU (panthor driver)", "panfrost"}, // which says what that driver lacks
	"nouveau":  {"NVIDIA GPU", ""},
	"nvidia":   {"NVIDIA GPU", ""},
}

var vendors = map[string]string{"0x8086": "Intel GPU", "0x1002": "AMD GPU", "0x10de": "NVIDIA GPU", "0x13b5": "Mali GPU", "0x5143": "Qualcomm GPU"}

// GPUs lists the graphics processors that the kernel below root shows: DRM cards, Arm's Mali device and AMD's compute
// device.
func GPUs(root string) []GPU {
	r := sysroot.Root(root)
	var out []GPU
	amd := false
	for _, card := range r.List("/sys/class/drm") {
		num, ok := strings.CutPrefix(card, "card")
		if !ok || num == "" || strings.Trim(num, "0123456789") != "" {
			continue
		}
		dir := "/sys/class/drm/" + card + "/device/"
		g := GPU{Node: "/dev/dri/" + card, Driver: r.LinkName(dir + "driver")}
		g.Vendor, _ = r.String(dir + "vendor")
		g.Device, _ = r.String(dir + "device")
		d, known := drivers[g.Driver]
		g.Name, g.Reader = d.name, d.reader
		if !known {
			if g.Name = vendors[g.Vendor]; g.Name == "" {
				g.Name = "graphics device"
			}
		}
		amd = amd || g.Driver == "amdgpu"
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
	if r.Exists("/dev/mali0") {
		out = append(out, GPU{Name: "Mali GPU (Arm's own kernel driver)", Node: "/dev/mali0", Driver: "mali", Reader: "kbase"})
	}
	if r.Exists("/dev/kfd") && !amd {
		out = append(out, GPU{Name: "AMD compute device", Node: "/dev/kfd", Driver: "amdkfd", Reader: "rocprofiler"})
	}
	return out
}
