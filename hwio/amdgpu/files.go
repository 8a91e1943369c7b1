package amdgpu

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"

	"astrolabe/capture"
	"astrolabe/hwio/internal/sysroot"
)

// textFile is a file of sysfs that is read again and again. After an error it is opened anew.
type textFile struct {
	root sysroot.Root
	path string
	f    *sysroot.File
}

// contents is the file's present text, valid until the next call.
func (t *textFile) contents() ([]byte, error) {
	if t.f == nil {
		f, err := t.root.Open(t.path)
		if err != nil {
			return nil, err
		}
		t.f = f
	}
	data, err := t.f.Contents()
	if err != nil {
		_ = t.close()
	}
	return data, err
}

func (t *textFile) close() error {
	if t.f == nil {
		return nil
	}
	f := t.f
	t.f = nil
	return f.Close()
}

// memoryFiles maps the part of a mem_info file's name to the counter of what is used and the property of the total.
var memoryFiles = map[string][2]string{
	"vram": {"vram_used", "vram_bytes"}, "vis_vram": {"vram_visible_used", "vram_visible_bytes"},
	"gtt": {"gtt_used", "gtt_bytes"},
}

// memoryKinds are the keys of memoryFiles in the order of the columns.
var memoryKinds = []string{"vram", "vis_vram", "gtt"}

// fileKind is a counter that a file of the device's folder holds.
type fileKind struct {
	file, name, title, doc, unit, block string
	scale                               float64
	integer                             bool
	combine                             capture.Combine
	value                               func([]byte) float64
}

// deviceFiles are read where they exist.
var deviceFiles = []fileKind{
	{"gpu_busy_percent", "gpu_busy_percent", "GPU busy (firmware)",
		"Share of time in which the graphics pipe worked, as the firmware averages it. Some Raven and Picasso parts always say 100.",
		"percent", "activity", 1, false, capture.CombineMean, wholeNumber},
	{"mem_busy_percent", "mem_busy_percent", "Memory busy (firmware)",
		"Share of time in which the memory controller worked, as the firmware averages it; APUs do not say.",
		"percent", "activity", 1, false, capture.CombineMean, wholeNumber},
	{"pp_dpm_sclk", "dpm_sclk", "Shader clock level", "Clock of the level at which the shaders run now.", "Hz",
		"clocks", 1e6, false, capture.CombineMean, activeLevel},
	{"pp_dpm_mclk", "dpm_mclk", "Memory clock level", "Clock of the level at which the memory runs now.", "Hz",
		"clocks", 1e6, false, capture.CombineMean, activeLevel},
	{"pp_dpm_fclk", "dpm_fclk", "Fabric clock level", "Clock of the level at which the data fabric runs now.", "Hz",
		"clocks", 1e6, false, capture.CombineMean, activeLevel},
	{"pp_dpm_socclk", "dpm_socclk", "SoC clock level",
		"Clock of the level at which the parts beside the shaders run now.", "Hz", "clocks", 1e6, false,
		capture.CombineMean, activeLevel},
	{"current_link_speed", "pcie_link_speed", "PCIe link speed",
		"Transfers per second and lane at which the PCIe link runs now.", "GT/s", "pcie", 1, false, capture.CombineMean,
		leadingNumber},
	{"current_link_width", "pcie_link_width", "PCIe link width", "Lanes that the PCIe link uses now.", "lanes", "pcie",
		1, false, capture.CombineMean, wholeNumber},
}

// addFiles offers what the text files of the device hold. memory asks for memory use too, for where the driver itself
// cannot be asked.
func (b *builder) addFiles(g *gpu, to *readings, memory bool) {
	kinds := deviceFiles
	if memory {
		for _, file := range memoryKinds {
			name := memoryFiles[file]
			kinds = append(kinds[:len(kinds):len(kinds)], fileKind{"mem_info_" + file + "_used", name[0],
				"Memory in use (" + file + ")", "Memory that buffers of all programs take.",
				"bytes", "memory", 1, true, capture.CombineSum, wholeNumber})
		}
	}
	for _, k := range kinds {
		m := capture.Meta{Name: k.name, Title: k.title, Unit: k.unit, Doc: k.doc + " Read about every 100 ms.",
			Kind: capture.Gauge, Block: k.block, Combine: k.combine}
		b.addFile(g, to, k.file, g.card.Sysfs+"/device/"+k.file, m, k.scale, k.integer, k.value)
	}
}

// addFile offers the number in one file. A file that cannot be read now may be readable later: only one that is not
// there, or that the driver says it does not support, or that holds something else, is left out.
func (b *builder) addFile(g *gpu, to *readings, short, path string, m capture.Meta, scale float64, integer bool,
	parse func([]byte) float64) {
	name := m.Name
	if !b.wants(&m, false) {
		return
	}
	f := &textFile{root: g.root, path: path}
	data, err := f.contents()
	switch {
	case absentFile(err):
		b.lacks(name, "the driver shows no "+short+" for this GPU", "")
		return
	case err == nil && math.IsNaN(parse(data)):
		b.lacks(name, fmt.Sprintf("%s holds no number that can be read: %q", short, clip(data)), "")
		_ = f.close()
		return
	case err != nil && explain(short, err).Code == capture.Unsupported:
		b.lacks(name, short+": "+explain(short, err).Text, "")
		_ = f.close()
		return
	}
	b.keep(task{size: 1, cols: []column{{meta: m, integer: integer}}, close: f.close, read: func(out []value) {
		data, err := f.contents()
		if err != nil {
			why := explain(short, err)
			out[0].miss(&why)
			return
		}
		x := parse(data)
		switch {
		case math.IsNaN(x):
			out[0].miss(&capture.Reason{Code: capture.NotANumber, Text: short + " held no number"})
		case integer:
			out[0].setWhole(uint64(max(x, 0)))
		default:
			out[0].set(x * scale)
		}
	}}, to)
}

func clip(data []byte) string { return string(data[:min(len(data), 40)]) }

// wholeNumber reads a number alone in its file, NaN where there is none.
func wholeNumber(data []byte) float64 {
	v, err := strconv.ParseInt(string(bytes.TrimSpace(data)), 10, 64)
	if err != nil {
		return math.NaN()
	}
	return float64(v)
}

// leadingNumber reads the number at the beginning of a text such as "16.0 GT/s PCIe".
func leadingNumber(data []byte) float64 {
	first, _, _ := strings.Cut(strings.TrimSpace(string(data)), " ")
	v, err := strconv.ParseFloat(first, 64)
	if err != nil || math.IsInf(v, 0) {
		return math.NaN()
	}
	return v
}

// activeLevel reads the clock in MHz of the level with the star, from lines such as "1: 1200Mhz *". NaN where none is
// marked.
func activeLevel(data []byte) float64 {
	for line := range bytes.Lines(data) {
		text := strings.TrimSpace(string(line))
		if !strings.HasSuffix(text, "*") {
			continue
		}
		_, clock, ok := strings.Cut(strings.TrimSpace(strings.TrimSuffix(text, "*")), ":")
		clock = strings.ToLower(strings.TrimSpace(clock))
		if !ok || !strings.HasSuffix(clock, "mhz") {
			return math.NaN()
		}
		v, err := strconv.ParseFloat(strings.TrimSuffix(clock, "mhz"), 64)
		if err != nil || math.IsInf(v, 0) || v < 0 {
			return math.NaN()
		}
		return v
	}
	return math.NaN()
}

// addBandwidth offers the PCIe traffic, which takes the driver a second to measure and so has readings of its own.
func (b *builder) addBandwidth(g *gpu, to *readings) {
	const short = "pcie_bw"
	f := &textFile{root: g.root, path: g.card.Sysfs + "/device/" + short}
	t := task{close: f.close}
	var at []int
	for k, c := range []struct{ name, title, doc string }{
		{"pcie_received", "PCIe bytes received",
			"Bytes per second that the GPU received over PCIe, assuming packets of the largest size."},
		{"pcie_sent", "PCIe bytes sent", "Bytes per second that the GPU sent over PCIe, assuming packets of the largest size."},
	} {
		m := capture.Meta{Name: c.name, Title: c.title, Unit: "bytes/s", Kind: capture.Gauge, Block: "pcie",
			Doc: c.doc + " The driver measures for a second per reading: record it only where it matters, by naming it."}
		if !b.wants(&m, true) {
			continue
		}
		if !g.root.Exists(f.path) {
			b.lacks(c.name, "the driver shows no pcie_bw for this GPU; APUs have none", "")
			continue
		}
		t.cols = append(t.cols, column{meta: m, slot: t.size})
		at = append(at, k)
		t.size++
	}
	t.read = func(out []value) {
		data, err := f.contents()
		got, ok := bandwidth(data)
		for i := range out {
			switch {
			case err != nil:
				why := explain(short, err)
				out[i].miss(&why)
			case !ok:
				out[i].miss(&capture.Reason{Code: capture.NotANumber, Text: short + " held no three numbers"})
			default:
				out[i].set(got[at[i]])
			}
		}
	}
	b.keep(t, to)
}

// bandwidth makes bytes per second of the counts of packets received and sent in a second and the largest packet's
// bytes.
func bandwidth(data []byte) (out [2]float64, ok bool) {
	var n [3]uint64
	words := strings.Fields(string(data))
	if len(words) != 3 {
		return out, false
	}
	for i, w := range words {
		v, err := strconv.ParseUint(w, 10, 64)
		if err != nil {
			return out, false
		}
		n[i] = v
	}
	return [2]float64{float64(n[0]) * float64(n[2]), float64(n[1]) * float64(n[2])}, true
}
