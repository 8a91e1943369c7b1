package amdgpu

import (
	"strings"

	"astrolabe/capture"
)

// hwmonFiles are the sensors that the driver's monitoring device can have.
var hwmonFiles = []struct {
	file, name, title, doc, unit string
	scale                        float64
	combine                      capture.Combine
	labelled                     bool   // an instance per label
	instance                     string // where the file has no label
}{
	{"power1_average", "power", "Power", "Power of the board as the firmware averages it, or of the whole package on an APU.", "watts", 1e-6, capture.CombineSum, false, ""},
	{"power1_input", "power_now", "Power at this moment",
		"Power of the board at the moment of reading, or of the whole package on an APU.", "watts", 1e-6,
		capture.CombineSum, false, ""},
	{"power1_cap", "power_cap", "Power limit", "Power that the firmware allows.", "watts", 1e-6, capture.CombineSum,
		false, ""},
	{"temp1_input", "temperature", "Temperature",
		"Temperature inside the chip: edge, junction (the hottest spot), mem.", "celsius", 1e-3, capture.CombineMax,
		true, "edge"},
	{"temp2_input", "temperature", "Temperature",
		"Temperature inside the chip: edge, junction (the hottest spot), mem.", "celsius", 1e-3, capture.CombineMax,
		true, "junction"},
	{"temp3_input", "temperature", "Temperature",
		"Temperature inside the chip: edge, junction (the hottest spot), mem.", "celsius", 1e-3, capture.CombineMax,
		true, "mem"},
	{"freq1_input", "frequency", "Frequency", "Clock of the shaders (sclk) and of the memory (mclk).", "Hz", 1,
		capture.CombineMax, true, "sclk"},
	{"freq2_input", "frequency", "Frequency", "Clock of the shaders (sclk) and of the memory (mclk).", "Hz", 1,
		capture.CombineMax, true, "mclk"},
	{"in0_input", "voltage", "Voltage", "Supply voltage of the graphics core (vddgfx) and of an APU's memory controller (vddnb).", "volts", 1e-3, capture.CombineMax, true, "vddgfx"},
	{"in1_input", "voltage", "Voltage", "Supply voltage of the graphics core (vddgfx) and of an APU's memory controller (vddnb).", "volts", 1e-3, capture.CombineMax, true, "vddnb"},
	{"fan1_input", "fan_speed", "Fan speed", "Speed of the fan.", "rpm", 1, capture.CombineMax, false, ""},
	{"pwm1", "fan_pwm", "Fan drive", "How hard the fan is driven.", "percent", 100.0 / 255, capture.CombineMax,
		false, ""},
}

// addHwmon offers the sensors of the GPU's monitoring device.
func (b *builder) addHwmon(g *gpu, to *readings) {
	parent := g.card.Sysfs + "/device/hwmon/"
	for _, dev := range g.root.List(parent) {
		if !strings.HasPrefix(dev, "hwmon") {
			continue
		}
		for _, k := range hwmonFiles {
			m := capture.Meta{Name: k.name, Title: k.title, Unit: k.unit, Doc: k.doc + " Read about every 100 ms.",
				Kind: capture.Gauge, Block: "hwmon", Combine: k.combine}
			if k.labelled {
				m.Instance = k.instance
				label, err := g.root.String(parent + dev + "/" + strings.TrimSuffix(k.file, "_input") + "_label")
				if err == nil && label != "" {
					m.Instance = label
				}
			}
			b.addFile(g, to, k.file, parent+dev+"/"+k.file, m, k.scale, false, wholeNumber)
		}
		return // one device is the GPU's own
	}
	b.lacks("power", "the driver shows no hwmon device for this GPU", "")
}
