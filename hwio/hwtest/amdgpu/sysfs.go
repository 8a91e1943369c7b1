package amdgpu

import (
	"fmt"
	"sort"

	"astrolabe/hwio/hwtest/drm"
)

func (g *gpu) card() string   { return fmt.Sprintf("card%d", g.number) }
func (g *gpu) render() string { return fmt.Sprintf("renderD%d", 128+g.number) }
func (g *gpu) folder() string {
	if g.xcp != "" {
		return "/sys/devices/platform/" + g.xcp
	}
	return "/sys/devices/pci0000:00/" + g.address
}

// hwmon is where the GPU's sensors are, below its folder and below /sys/class.
func (g *gpu) hwmon() string { return fmt.Sprintf("hwmon/hwmon%d", 5+g.number) }

// appear makes the nodes and what never changes.
func (g *gpu) appear() {
	m, dir := g.m, g.folder()
	if g.xcp != "" { // a partition has its nodes and nothing else
		m.Own(dir)
		m.File(dir+"/uevent", "DRIVER=\n")
		drm.AddNodes(m, dir, g.number, node{g})
		return
	}
	drm.AddPCI(m, dir, drm.PCI{Address: g.address, Driver: "amdgpu", Vendor: 0x1002, Device: g.part.device,
		Board: g.part.board, Revision: g.part.revision,
		Class: 0x030000})
	drm.AddNodes(m, dir, g.number, node{g})
	for name, text := range map[string]string{
		"mem_info_vram_total": fmt.Sprint(g.part.vram), "mem_info_vis_vram_total": fmt.Sprint(g.part.vram),
		"mem_info_gtt_total":                fmt.Sprint(g.part.gtt),
		"power_dpm_force_performance_level": "auto", "vbios_version": "113-EMULATED-001",
		g.hwmon() + "/name": "amdgpu", g.hwmon() + "/temp1_label": "edge", g.hwmon() + "/freq1_label": "sclk",
		g.hwmon() + "/in0_label":  "vddgfx",
		g.hwmon() + "/power1_cap": "250000000",
	} {
		m.File(dir+"/"+name, text+"\n")
	}
	// Libraries find the sensors by their class.
	hwmon := dir + "/" + g.hwmon()
	m.File(hwmon+"/uevent", "")
	m.Link(hwmon+"/subsystem", "../../../../../class/hwmon")
	m.Link(hwmon+"/device", "../../../"+g.address)
	m.Link("/sys/class/"+g.hwmon(), "../../devices/pci0000:00/"+g.address+"/"+g.hwmon())
	if g.part.partitions > 0 {
		m.File(dir+"/current_compute_partition", "DPX\n")
		m.File(dir+"/current_memory_partition", "NPS1\n")
	}
	if g.part.name != "" {
		m.File(dir+"/product_name", g.part.name+"\n")
	}
	if !g.part.apu {
		m.File(dir+"/current_link_speed", "8.0 GT/s PCIe\n")
		m.File(dir+"/current_link_width", "16\n")
		m.File(dir+"/unique_id", "0123456789abcdef\n")
		m.File(dir+"/"+g.hwmon()+"/temp2_label", "junction\n")
		for name, v := range map[string]int{
			"pwm1_enable": 2, "pwm1_min": 0, "pwm1_max": 255, "fan1_enable": 0, "fan1_min": 0, "fan1_max": 3850,
			"temp1_crit":      100_000,
			"temp1_emergency": 105_000,
		} {
			m.File(hwmon+"/"+name, fmt.Sprintf("%d\n", v))
		}
	}
	for i, pid := range Clients {
		p := fmt.Sprintf("/proc/%d", pid)
		m.File(p+"/comm", [2]string{"game", "solver"}[i]+"\n")
		m.File(p+"/stat", fmt.Sprintf("%d (%s) S 1 %d %d 0 -1\n", pid, [2]string{"game", "solver"}[i], pid, pid))
	}
}

// file writes a text if it is new.
func (g *gpu) file(name, text string) {
	if g.files[name] != text {
		g.files[name] = text
		g.m.File(name, text)
	}
}

// renew writes what changes. Texts keep their length, so that a program which reads at this moment sees no mixture of
// two numbers.
func (g *gpu) renew() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.gone || g.xcp != "" {
		return
	}
	t := g.since()
	l := g.levels(t)
	dir := g.folder() + "/"
	status := "active"
	if g.off {
		status, l.Watts = "suspended", 0
	}
	values := map[string]string{
		"power/runtime_status": status + "\n",
		"gpu_busy_percent":     fmt.Sprintf("%d\n", l.BusyPercent),
		"mem_info_vram_used":   fmt.Sprintf("%d\n", l.VRAM), "mem_info_vis_vram_used": fmt.Sprintf("%d\n", l.VRAM),
		"mem_info_gtt_used":        fmt.Sprintf("%d\n", l.GTT),
		"pp_dpm_sclk":              dpm(l.SclkMHz, g.part.light.SclkMHz, g.part.heavy.SclkMHz),
		"pp_dpm_fclk":              dpm(l.FclkMHz, g.part.light.FclkMHz, g.part.heavy.FclkMHz),
		g.hwmon() + "/temp1_input": fmt.Sprintf("%d\n", l.Celsius*1000), g.hwmon() + "/freq1_input": fmt.Sprintf("%d\n",
			l.SclkMHz*1_000_000),
		g.hwmon() + "/in0_input": fmt.Sprintf("%d\n", l.GfxMillivolts),
	}
	if g.part.apu {
		values[g.hwmon()+"/power1_input"] = fmt.Sprintf("%d\n", l.Watts*1_000_000)
		values[g.hwmon()+"/in1_input"] = "750\n"
	} else {
		values["mem_busy_percent"] = fmt.Sprintf("%d\n", l.MemPercent)
		values[g.hwmon()+"/power1_average"] = fmt.Sprintf("%d\n", l.Watts*1_000_000)
		values[g.hwmon()+"/temp2_input"] = fmt.Sprintf("%d\n", l.HotCelsius*1000)
		values[g.hwmon()+"/fan1_input"] = fmt.Sprintf("%d\n", l.RPM)
		values[g.hwmon()+"/pwm1"] = "102\n"
	}
	names := make([]string, 0, len(values))
	for name := range values {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		g.file(dir+name, values[name])
	}
	if !g.has(oldScenario) {
		g.file(dir+"gpu_metrics", string(g.table(t)))
	}
	g.clients(t)
}

// table is gpu_metrics at t.
func (g *gpu) table(t int64) []byte {
	b := g.part.metrics(g, t)
	switch {
	case g.has(unknownScenario):
		b[2], b[3] = 1, 9
	case g.has(emptyScenario):
		b = empty(len(b), b[2], b[3])
	}
	return b
}

// dpm lists the levels of a clock with a star at the present one.
func dpm(now uint64, levels ...uint64) string {
	out := ""
	for i, mhz := range levels {
		mark := ""
		if mhz == now {
			mark = " *"
		}
		out += fmt.Sprintf("%d: %dMhz%s\n", i, mhz, mark)
	}
	return out
}

// clients writes what /proc shows of those who use the GPU.
func (g *gpu) clients(t int64) {
	for i, pid := range Clients {
		text := fmt.Sprintf("pos:\t0\nflags:\t02100002\nmnt_id:\t26\nino:\t600\ndrm-driver:\tamdgpu\ndrm-client-id:\t%d\ndrm-pdev:\t%s\n", 70+i, g.address)
		for _, engine := range []string{"gfx", "compute", "dma"} {
			if share := Engines[engine][i]; share > 0 {
				// A width of its own keeps the text's length.
				text += fmt.Sprintf("drm-engine-%s:\t%012d ns\n", engine, int64(share*float64(t))+1e9)
			}
		}
		text += "drm-memory-vram:\t262144 KiB\ndrm-memory-gtt:\t1024 KiB\n"
		for fd := 5 + 10*g.number; fd < 7+10*g.number-i; fd++ {
			g.link(fmt.Sprintf("/proc/%d/fd/%d", pid, fd), "/dev/dri/"+g.render())
			g.file(fmt.Sprintf("/proc/%d/fdinfo/%d", pid, fd), text)
		}
	}
}

// link makes a link once.
func (g *gpu) link(path, target string) {
	if g.files[path] == "" {
		g.files[path] = target
		g.m.Link(path, target)
	}
}
