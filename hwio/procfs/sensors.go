package procfs

import (
	"fmt"
	"math"
	"strings"

	"astrolabe/capture"
	"astrolabe/hwio/internal/sysroot"
)

// sensor is a value that is read at its own slow pace.
type sensor struct {
	meta  capture.Meta
	path  string
	value func(data []byte) float64 // NaN where the file does not hold the value now
}

// scaled reads a whole number and multiplies it.
func scaled(by float64) func([]byte) float64 {
	return func(data []byte) float64 { return reading(data) * by }
}

// sensors finds the slow values of the machine. A file that is not there or cannot be opened makes no sensor.
func sensors(root sysroot.Root, cpus []int) []sensor {
	var out []sensor
	add := func(s sensor) {
		s.meta.Kind, s.meta.GPU, s.meta.Source = capture.Gauge, "cpu", sourceName
		f, err := root.Open(s.path)
		if err != nil {
			return
		}
		defer f.Close()
		// A sensor may answer "try again" or "no data" now and work later, so that only opening decides; a text that is
		// no number at all is something else.
		if data, err := f.Contents(); err == nil && math.IsNaN(s.value(data)) {
			return
		}
		out = append(out, s)
	}
	for _, id := range cpus {
		dir := fmt.Sprintf("/sys/devices/system/cpu/cpu%d/cpufreq/", id)
		path := dir + "scaling_cur_freq"
		if !root.Exists(path) {
			path = dir + "cpuinfo_cur_freq"
		}
		add(sensor{path: path, value: scaled(1000), meta: capture.Meta{
			Name: "cpu_frequency", Title: "CPU frequency", Unit: "Hz", Block: "cpu", Instance: fmt.Sprint(id),
			Combine: capture.CombineMean,
			Doc:     "Clock frequency of the processor as its frequency driver reports it, read some times a second.",
		}})
	}
	add(sensor{path: "/proc/loadavg", value: load, meta: capture.Meta{
		Name: "load_1m", Title: "Load average (1 min)", Block: "scheduler",
		Doc: "Runnable and uninterruptible tasks, averaged by the kernel over the last minute and renewed every 5 s.",
	}})
	for _, m := range []struct{ name, key, title, doc string }{
		{"mem_total", "MemTotal", "Memory", "Memory that the kernel manages."},
		{"mem_available", "MemAvailable", "Memory available",
			"Memory that programs could still get without swapping, as the kernel estimates it."},
	} {
		add(sensor{path: "/proc/meminfo", value: func(data []byte) float64 { return meminfo(data, m.key) },
			meta: capture.Meta{
				Name: m.name, Title: m.title, Unit: "bytes", Block: "memory", Integral: true, Doc: m.doc,
			}})
	}
	thermal(root, add)
	hwmon(root, add)
	return out
}

// thermal offers every thermal zone as an instance of temperature.
func thermal(root sysroot.Root, add func(sensor)) {
	const dir = "/sys/class/thermal/"
	used := map[string]int{}
	for _, zone := range root.List(dir) {
		if !strings.HasPrefix(zone, "thermal_zone") {
			continue
		}
		name, err := root.String(dir + zone + "/type")
		if err != nil || name == "" {
			name = zone
		}
		add(sensor{path: dir + zone + "/temp", value: scaled(1e-3), meta: capture.Meta{
			Name: "temperature", Title: "Temperature", Unit: "celsius", Block: "thermal", Instance: unique(used, name),
			Combine: capture.CombineMax,
			Doc:     "Temperature of a thermal zone; the whole counter is the hottest zone. Read some times a second.",
		}})
	}
}

// hwmonKinds are the sensor files of a monitoring chip, with what the kernel's unit is worth.
var hwmonKinds = []struct {
	prefix, suffix, title, unit string
	scale                       float64
	combine                     capture.Combine
}{
	{"temp", "_input", "temperature", "celsius", 1e-3, capture.CombineMax},
	{"power", "_average", "power", "watts", 1e-6, capture.CombineSum},
	{"power", "_input", "power", "watts", 1e-6, capture.CombineSum},
	{"fan", "_input", "fan speed", "rpm", 1, capture.CombineMean},
	{"in", "_input", "voltage", "volts", 1e-3, capture.CombineMean},
	{"curr", "_input", "current", "amperes", 1e-3, capture.CombineSum},
	{"freq", "_input", "frequency", "Hz", 1, capture.CombineMean},
}

// hwmon offers the sensors of the monitoring chips as hwmon_CHIP_LABEL.
func hwmon(root sysroot.Root, add func(sensor)) {
	const dir = "/sys/class/hwmon/"
	used := map[string]int{}
	for _, dev := range root.List(dir) {
		chip, err := root.String(dir + dev + "/name")
		if err != nil || chip == "" {
			chip = dev
		}
		files := root.List(dir + dev)
		taken := map[string]bool{}
		for _, k := range hwmonKinds {
			for _, file := range files {
				base, ok := strings.CutSuffix(file, k.suffix)
				num, ok2 := strings.CutPrefix(base, k.prefix)
				if !ok || !ok2 || num == "" || strings.Trim(num, "0123456789") != "" || taken[base] {
					continue
				}
				taken[base] = true
				label, err := root.String(dir + dev + "/" + base + "_label")
				if err != nil || label == "" {
					label = base
				}
				name := unique(used, "hwmon_"+identifier(chip)+"_"+identifier(label))
				add(sensor{path: dir + dev + "/" + file, value: scaled(k.scale), meta: capture.Meta{
					Name: name, Title: chip + " " + label, Unit: k.unit, Block: "hwmon", Combine: k.combine,
					Doc: fmt.Sprintf("The %s that chip %s measures at %s, read some times a second.", k.title,
						chip, label),
				}})
			}
		}
	}
}

// unique adds a number to a name that was used before.
func unique(used map[string]int, name string) string {
	used[name]++
	if n := used[name]; n > 1 {
		return fmt.Sprintf("%s_%d", name, n)
	}
	return name
}

// identifier makes a text fit for a counter's name.
func identifier(s string) string {
	return strings.Trim(strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
			return r
		}
		return '_'
	}, s), "_")
}
