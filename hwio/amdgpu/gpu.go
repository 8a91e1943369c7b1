package amdgpu

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync/atomic"
	"syscall"

	"astrolabe/capture"
	"astrolabe/hwio/internal/drm"
	"astrolabe/hwio/internal/sysroot"
)

// gpu is one graphics processor, opened.
type gpu struct {
	root sysroot.Root
	card drm.Card
	node node  // nil where the driver cannot be asked
	why  error // why not
	info *devInfo
	name string // as people call it

	sleeping atomic.Bool // powered off by runtime power management
	gone     atomic.Bool // removed
}

// devInfo is what the driver says of the device: the parts of struct drm_amdgpu_info_device that astrolabe uses. Older
// kernels know fewer; the rest is 0.
type devInfo struct {
	deviceID, chipRev, externalRev, pciRev, family uint32
	engines, arrays, activeCUs, cusPerArray        uint32
	rbPipes, wavefront, tccBlocks, vramBits        uint32
	maxEngineKHz, maxMemoryKHz, counterKHz         uint64
	gl1cKiB, gl2cKiB                               uint32
	mallBytes                                      uint64
	apu                                            bool
}

func parseDevInfo(b []byte) *devInfo {
	u32 := func(at int) uint32 { return binary.LittleEndian.Uint32(b[at:]) }
	u64 := func(at int) uint64 { return binary.LittleEndian.Uint64(b[at:]) }
	return &devInfo{
		deviceID: u32(offDeviceID), chipRev: u32(offChipRev), externalRev: u32(offExternalRev), pciRev: u32(offPCIRev),
		family:  u32(offFamily),
		engines: u32(offEngines), arrays: u32(offArrays), activeCUs: u32(offActiveCUs),
		cusPerArray: u32(offCUsPerArray),
		rbPipes:     u32(offRBPipes), wavefront: u32(offWavefront), tccBlocks: u32(offTCCBlocks),
		vramBits:     u32(offVRAMBitWidth),
		maxEngineKHz: u64(offMaxEngineClock), maxMemoryKHz: u64(offMaxMemoryClock),
		counterKHz: uint64(u32(offCounterFreq)),
		gl1cKiB:    u32(offGL1CacheSize), gl2cKiB: u32(offGL2CacheSize), mallBytes: u64(offMALLSize),
		apu: u64(offIDsFlags)&flagAPU != 0,
	}
}

// find lists the cards that the amdgpu driver serves. A copied tree without driver links is taken by its vendor.
// The cards of partitions are not among them: what their nodes answer for memory, sensors and registers is the whole
// GPU's, and how busy each is stands in the gpu_metrics of the card on the bus.
func (s *Source) find() (ours, others []drm.Card) {
	for _, c := range drm.Cards(s.root) {
		switch {
		case c.Driver == "amdgpu" || (c.Driver == "" && c.Vendor == vendorAMD):
			ours = append(ours, c)
		case !strings.HasPrefix(c.Address, partitionDevice):
			others = append(others, c)
		}
	}
	return ours, others
}

// openGPU opens the card's render node and asks who it is. Without the node sysfs still answers.
func openGPU(root sysroot.Root, card drm.Card, open func(string) (node, error)) *gpu {
	g := &gpu{root: root, card: card}
	if card.Render == "" {
		g.why = errors.New("the kernel shows no render node for it")
	} else if g.node, g.why = open(root.Path(card.Render)); g.why == nil {
		c := new(call)
		if g.why = g.node.info(c, queryDevInfo, devInfoSize, [4]uint32{}); g.why == nil {
			g.info = parseDevInfo(c.answer[:])
		} else {
			g.why = fmt.Errorf("ask %s for its device: %w", card.Render, g.why)
			_ = g.node.close()
			g.node = nil
		}
	}
	g.name = g.title()
	return g
}

func (g *gpu) close() error {
	if g.node == nil {
		return nil
	}
	return g.node.close()
}

// title is the board's name, else what the ids say.
func (g *gpu) title() string {
	if name, err := g.root.String(g.card.Sysfs + "/device/product_name"); err == nil && name != "" {
		return name
	}
	kind := "AMD GPU"
	if g.info != nil {
		if chip := chipName(g.info.family, g.info.externalRev); chip != "" {
			kind = "AMD " + chip
		} else if gen := generationOf(g.info.family, g.info.externalRev); gen != unknownGeneration {
			kind = "AMD " + gen.String()
		}
		if g.info.apu {
			kind += " APU"
		} else {
			kind += " GPU"
		}
		kind = strings.Replace(kind, "GPU GPU", "GPU", 1)
	}
	if g.card.Device != 0 {
		kind += fmt.Sprintf(" (1002:%04x)", g.card.Device)
	}
	return kind
}

func (g *gpu) generation() generation {
	if g.info == nil {
		return unknownGeneration
	}
	return generationOf(g.info.family, g.info.externalRev)
}

// look finds out whether the GPU is asleep or gone. It wakes nothing.
func (g *gpu) look() {
	state, err := g.root.String(g.card.Sysfs + "/device/power/runtime_status")
	g.sleeping.Store(err == nil && (state == "suspended" || state == "suspending"))
	if err != nil && !g.root.Exists(g.card.Sysfs) {
		g.gone.Store(true)
	}
}

// noAccess says why the driver cannot be asked, and what to do.
func (g *gpu) noAccess() (reason, fix string) {
	switch {
	case g.why == nil:
		return "", ""
	case errors.Is(g.why, syscall.EACCES), errors.Is(g.why, syscall.EPERM):
		return fmt.Sprintf("no permission to open %s", g.card.Render),
			"add yourself to the group that owns it, often render or video (sudo usermod -aG render $USER), and log in again"
	case g.card.Render != "" && errors.Is(g.why, fs.ErrNotExist):
		return fmt.Sprintf("%s does not exist here although the kernel has the GPU", g.card.Render),
			"in a container pass the device in (--device=/dev/dri)"
	case errors.Is(g.why, syscall.ENOTTY):
		return fmt.Sprintf("%s is not a render node of the amdgpu driver", g.card.Render), ""
	}
	return g.why.Error(), ""
}

// config describes the GPU for the capture. suffix is appended to the names of properties where there are several.
func (g *gpu) config(suffix string) capture.Config {
	cfg := capture.Config{GPU: catalogue, Device: capture.Device{Name: g.name, Vendor: "AMD", ID: g.card.Address,
		Extra: map[string]string{"card": g.card.Name}}}
	if release, err := g.root.String("/proc/sys/kernel/osrelease"); err == nil {
		cfg.Device.Driver = "amdgpu, Linux " + release
	}
	for _, file := range []string{"vbios_version", "unique_id", "power_dpm_force_performance_level",
		"current_compute_partition",
		"current_memory_partition"} {
		if text, err := g.root.String(g.card.Sysfs + "/device/" + file); err == nil && text != "" {
			cfg.Device.Extra[file] = text
		}
	}
	number := func(name string, v float64) {
		if v != 0 {
			cfg.Properties = append(cfg.Properties, capture.Property{Name: name + suffix, Number: v})
		}
	}
	number("pci_device", float64(g.card.Device))
	number("pci_revision", float64(g.card.Revision))
	if i := g.info; i != nil {
		if chip := chipName(i.family, i.externalRev); chip != "" {
			cfg.Device.Extra["chip"] = chip
		}
		cfg.Device.Extra["generation"] = g.generation().String()
		number("amd_family", float64(i.family))
		number("amd_external_rev", float64(i.externalRev))
		number("shader_engines", float64(i.engines))
		number("shader_arrays_per_engine", float64(i.arrays))
		number("cu_per_gpu", float64(i.activeCUs))
		number("render_backends", float64(i.rbPipes))
		number("wave_size", float64(i.wavefront))
		number("l2_channels", float64(i.tccBlocks))
		number("vram_bus_bits", float64(i.vramBits))
		number("max_sclk_hz", float64(i.maxEngineKHz)*1000)
		number("max_mclk_hz", float64(i.maxMemoryKHz)*1000)
		number("gpu_counter_hz", float64(i.counterKHz)*1000)
		number("gl1c_bytes", float64(i.gl1cKiB)*1024)
		number("gl2c_bytes", float64(i.gl2cKiB)*1024)
		number("mall_bytes", float64(i.mallBytes))
		apu := 0.0
		if i.apu {
			apu = 1
		}
		cfg.Properties = append(cfg.Properties, capture.Property{Name: "is_apu" + suffix, Number: apu})
	}
	return cfg
}
