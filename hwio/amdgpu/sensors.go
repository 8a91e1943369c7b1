package amdgpu

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"syscall"

	"astrolabe/capture"
)

// sensorKinds are the driver's own sensors, as an unprivileged program may ask for them.
var sensorKinds = []struct {
	id               uint32
	name, title, doc string
	unit             string
	scale            float64
	combine          capture.Combine
}{
	{sensorLoad, "sensor_load", "GPU load", "Load of the graphics pipe, as the firmware averages it.", "percent", 1,
		capture.CombineMean},
	{sensorSclk, "sensor_sclk", "Shader clock", "Clock of the shaders.", "Hz", 1e6, capture.CombineMean},
	{sensorMclk, "sensor_mclk", "Memory clock", "Clock of the memory.", "Hz", 1e6, capture.CombineMean},
	{sensorPower, "sensor_power", "Average power",
		"Power averaged by the firmware, in whole watts; of the whole package on an APU. Newer kernels answer with the power of the moment where a GPU has none.", "watts", 1, capture.CombineSum},
	{sensorInputPower, "sensor_input_power", "Input power", "Power at this moment, in whole watts; newer kernels only.",
		"watts", 1, capture.CombineSum},
	{sensorTemperature, "sensor_temperature", "GPU temperature", "Temperature at the edge of the chip.", "celsius",
		1e-3, capture.CombineMax},
	{sensorVDDGFX, "sensor_vddgfx", "Graphics voltage", "Supply voltage of the graphics core.", "volts", 1e-3,
		capture.CombineMean},
	{sensorVDDNB, "sensor_vddnb", "Northbridge voltage", "Supply voltage of an APU's memory controller.", "volts", 1e-3,
		capture.CombineMean},
}

// never reports whether the driver's refusal is for good: other errors pass, as a reset does.
func never(err error) bool {
	for _, e := range []error{syscall.EINVAL, syscall.EOPNOTSUPP, syscall.ENOTTY, syscall.EFAULT} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// addSensors offers the sensors that the driver has for this GPU: it tries each once.
func (b *builder) addSensors(g *gpu, to *readings) {
	c := new(call)
	var ids []uint32
	var scales []float64
	t := task{}
	for _, k := range sensorKinds {
		m := capture.Meta{Name: k.name, Title: k.title, Unit: k.unit, Doc: k.doc + " Read about every 100 ms.",
			Kind: capture.Gauge, Block: "sensors", Combine: k.combine}
		if !b.wants(&m, false) {
			continue
		}
		if err := g.node.info(c, querySensor, 4, [4]uint32{k.id}); never(err) {
			b.lacks(k.name, "the driver has no such sensor for this GPU, or is too old", "")
			continue
		}
		t.cols = append(t.cols, column{meta: m, slot: t.size})
		ids, scales = append(ids, k.id), append(scales, k.scale)
		t.size++
	}
	t.read = func(out []value) {
		for i := range out {
			if err := g.node.info(c, querySensor, 4, [4]uint32{ids[i]}); err != nil {
				why := explain("sensor", err)
				out[i].miss(&why)
				g.lost(err)
				continue
			}
			out[i].set(float64(binary.LittleEndian.Uint32(c.answer[:])) * scales[i])
		}
	}
	b.keep(t, to)
}

// stableClocks are the clocks of the driver's profiling states, as properties.
func stableClocks(g *gpu, suffix string) (out []capture.Property) {
	if g.node == nil {
		return nil
	}
	c := new(call)
	for _, k := range []struct {
		id   uint32
		name string
	}{{sensorStableSclk, "stable_sclk_hz"}, {sensorStableMclk, "stable_mclk_hz"}, {sensorPeakSclk, "peak_sclk_hz"},
		{sensorPeakMclk, "peak_mclk_hz"}} {
		if g.node.info(c, querySensor, 4, [4]uint32{k.id}) == nil {
			out = append(out, capture.Property{Name: k.name + suffix,
				Number: 1e6 * float64(binary.LittleEndian.Uint32(c.answer[:]))})
		}
	}
	return out
}

// driverCounts are whole numbers that the driver keeps of the memory.
var driverCounts = []struct {
	query            uint32
	size             uint32
	name, title, doc string
	unit             string
}{
	{queryBytesMoved, 8, "bytes_moved", "Bytes moved by the driver",
		"Bytes that the driver copied to place buffers in video memory or out of it, for all programs.", "bytes"},
	{queryEvictions, 8, "evictions", "Evictions",
		"Buffers that the driver pushed out of video memory because it was full, for all programs.", "buffers"},
	{queryVRAMLost, 4, "vram_lost", "Resets that lost video memory",
		"Times that a reset of the GPU lost the content of video memory.", "resets"},
}

// addMemory offers memory use and the driver's counts.
func (b *builder) addMemory(g *gpu, to *readings) {
	c := new(call)
	use := task{}
	var heaps []int
	for k, h := range []struct{ name, title, doc string }{
		{"vram_used", "Video memory in use", "Video memory that buffers of all programs take. On an APU it is the part of main memory set aside for the GPU."},
		{"vram_visible_used", "Visible video memory in use", "Part of it that the processor can address."},
		{"gtt_used", "Main memory in use by the GPU", "Main memory that buffers of the GPU take."},
	} {
		m := capture.Meta{Name: h.name, Title: h.title, Unit: "bytes", Doc: h.doc, Kind: capture.Gauge, Block: "memory"}
		if b.wants(&m, false) {
			use.cols = append(use.cols, column{meta: m, slot: use.size, integer: true})
			heaps = append(heaps, k)
			use.size++
		}
	}
	use.read = func(out []value) {
		if err := g.node.info(c, queryMemory, memorySize, [4]uint32{}); err != nil {
			why := explain("memory use", err)
			for i := range out {
				out[i].miss(&why)
			}
			g.lost(err)
			return
		}
		for i := range out {
			out[i].setWhole(binary.LittleEndian.Uint64(c.answer[heaps[i]*heapSize+heapUsage:]))
		}
	}
	b.keep(use, to)

	counts := task{}
	var queries, sizes []uint32
	for _, k := range driverCounts {
		m := capture.Meta{Name: k.name, Title: k.title, Unit: k.unit, Doc: k.doc, Block: "memory"}
		if !b.wants(&m, false) {
			continue
		}
		if err := g.node.info(c, k.query, k.size, [4]uint32{}); never(err) {
			b.lacks(k.name, "this kernel's driver does not count it", "")
			continue
		}
		counts.cols = append(counts.cols, column{meta: m, slot: counts.size, integer: true, wide: uint8(8 * k.size)})
		queries, sizes = append(queries, k.query), append(sizes, k.size)
		counts.size++
	}
	counts.read = func(out []value) {
		for i := range out {
			if err := g.node.info(c, queries[i], sizes[i], [4]uint32{}); err != nil {
				why := explain("the driver's count", err)
				out[i].miss(&why)
				g.lost(err)
				continue
			}
			out[i].setWhole(binary.LittleEndian.Uint64(c.answer[:])) // the upper half of a shorter answer is 0
		}
	}
	b.keep(counts, to)
}

// memoryTotals are the sizes of the memories, as properties.
func memoryTotals(g *gpu, suffix string) (out []capture.Property) {
	if g.node != nil {
		c := new(call)
		if g.node.info(c, queryMemory, memorySize, [4]uint32{}) == nil {
			for k, name := range []string{"vram_bytes", "vram_visible_bytes", "gtt_bytes"} {
				out = append(out, capture.Property{Name: name + suffix,
					Number: float64(binary.LittleEndian.Uint64(c.answer[k*heapSize+heapTotal:]))})
			}
		}
		return out
	}
	for _, file := range memoryKinds {
		name := memoryFiles[file]
		if v, err := g.root.Uint(g.card.Sysfs + "/device/mem_info_" + file + "_total"); err == nil {
			out = append(out, capture.Property{Name: name[1] + suffix, Number: float64(v)})
		}
	}
	return out
}

// lost notes that the device is gone where the error says so.
func (g *gpu) lost(err error) {
	if errors.Is(err, syscall.ENODEV) {
		g.gone.Store(true)
	}
}

// keep adds a task to the readings unless nothing of it is wanted.
func (b *builder) keep(t task, to *readings) {
	if t.size == 0 {
		if t.close != nil {
			_ = t.close()
		}
		return
	}
	base := to.add(t)
	kept := &to.tasks[len(to.tasks)-1]
	for i := range kept.cols {
		kept.cols[i].slot += base
	}
}

// absentFile reports whether an error says that there is no such file.
func absentFile(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}
