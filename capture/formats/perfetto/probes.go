package perfetto

import (
	"cmp"
	"fmt"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"astrolabe/capture"
	"astrolabe/capture/memory"
)

// probe is a kind of counters that traces hold as messages of their own, and not as counter tracks.
type probe uint8

const (
	noProbe probe = iota
	gpuFrequency
	gpuFrequencyFile
	gpuMemory
	gpuProcessMemory
	gpuWork
	gpuStages
	cpuFrequency
	cpuTime
	cpuIdleTime
	clockRate
	deviceFrequency
	deviceTemperature
	zoneTemperature
	powerRail
	batteryLevel
	systemMemory
	pressure
	processCounter
	driverCounter
)

// instances says what tells the counters of one probe apart.
type instances uint8

const (
	oneEach  instances = iota // each has a name of its own
	byGPU                     // those of several GPUs are instances
	byNumber                  // a CPU or a user of a GPU is an instance
	byProcess
)

// probes has what is known of each. A name that ends with a dot goes before that of the series.
var probes = [...]struct {
	name, unit, block, doc string
	by                     instances
	kind                   capture.Kind
	sums                   bool // the whole is the sum of its instances, though they are levels
	cumulative             bool // the trace has running totals, of which the differences are the values
}{
	gpuFrequency: {name: "gpu_frequency", unit: "kHz", block: "GPU", by: byGPU, kind: capture.Gauge,
		doc: "frequency that the driver set, from the kernel's trace events"},
	gpuFrequencyFile: {name: "gpu_frequency_sysfs", unit: "MHz", block: "GPU", by: byGPU, kind: capture.Gauge,
		doc: "frequency that a file of the driver showed"},
	gpuMemory: {name: "gpu_memory", unit: "bytes", block: "GPU", by: byGPU, kind: capture.Gauge,
		doc: "memory of the GPU that all processes hold"},
	gpuProcessMemory: {name: "gpu_memory_of_process", unit: "bytes", block: "GPU", by: byProcess, kind: capture.Gauge,
		sums: true, doc: "memory of the GPU that a process holds"},
	gpuWork: {name: "gpu_active_time", unit: "ns", block: "GPU", by: byNumber,
		doc: "time in which the GPU worked for a user id, within the period that the driver reports"},
	gpuStages: {name: "gpu_stage_time.", unit: "ns", block: "GPU",
		doc: "time of the render stages on a queue of the GPU"},
	cpuFrequency: {name: "cpu_frequency", unit: "kHz", block: "CPU", by: byNumber, kind: capture.Gauge},
	cpuTime:      {name: "cpu_", unit: "ns", block: "CPU", by: byNumber, cumulative: true},
	cpuIdleTime:  {name: "cpu_idle_time.", unit: "us", block: "CPU", by: byNumber, cumulative: true},
	clockRate:    {name: "clock.", unit: "Hz", block: "clocks", kind: capture.Gauge},
	deviceFrequency: {name: "devfreq.", block: "devfreq", kind: capture.Gauge,
		doc: "frequency of a device, in the unit of its driver"},
	deviceTemperature: {name: "temperature.", unit: "degC", block: "temperatures", kind: capture.Gauge},
	zoneTemperature:   {name: "temperature_sysfs.", unit: "degC", block: "temperatures", kind: capture.Gauge},
	powerRail: {name: "power_rail.", unit: "uJ", block: "power rails", cumulative: true,
		doc: "energy that a rail took"},
	batteryLevel:   {name: "battery.", block: "battery", kind: capture.Gauge},
	systemMemory:   {name: "memory.", unit: "bytes", block: "memory", kind: capture.Gauge},
	pressure:       {name: "pressure.", unit: "ns", block: "pressure", cumulative: true},
	processCounter: {kind: capture.Gauge},
	driverCounter:  {kind: capture.Gauge},
}

// point adds a value of a probe. A name tells apart what number, which is a CPU, a process or a user, does not.
func (d *decoder) point(p *packet, kind probe, name string, number uint64, gpu int32, at int64, v uint64) {
	d.add(seriesKey{probe: kind, machine: p.machine, name: name, counter: number, gpuID: gpu}, at, v, false)
}

// stretch adds a value that belongs to a stretch of time.
func (d *decoder) stretch(p *packet, kind probe, name string, number uint64, gpu int32, from, to int64, v uint64) {
	key := seriesKey{probe: kind, machine: p.machine, name: name, counter: number, gpuID: gpu}
	d.add(key, to, v, false)
	s := d.series[key]
	s.From = memory.Append(&d.tally, s.From, from)
}

// probeLine says what a series of a probe is.
func (d *decoder) probeLine(l *series) {
	key, is := l.key, probes[l.key.probe]
	l.Forwards = is.kind == capture.Gauge
	name := is.name
	if is.name == "" || strings.HasSuffix(is.name, ".") || strings.HasSuffix(is.name, "_") {
		name += key.name
	}
	l.Meta = capture.Meta{Name: name, Unit: is.unit, Block: is.block, Doc: is.doc, Kind: is.kind, Source: "perfetto"}
	if key.machine != 0 {
		l.Meta.Device = fmt.Sprint("machine ", key.machine)
	}
	l.Combined, l.Idle = is.sums, key.probe == gpuStages
	switch is.by {
	case oneEach:
		if key.probe == batteryLevel {
			l.Meta.Unit = batteryUnits[key.counter]
		}
		if key.probe == processCounter || key.probe == driverCounter {
			l.Meta.Block = d.processName(key.counter)
		}
	case byNumber:
		l.instanceOf(name, fmt.Sprint(key.counter))
	case byProcess:
		l.instanceOf(name, d.processName(key.counter))
	}
	if key.probe >= gpuFrequency && key.probe <= gpuStages && len(d.gpus) > 1 {
		l.Meta.Device = strings.TrimSpace(l.Meta.Device + fmt.Sprint(" gpu", key.gpuID))
		if l.Meta.Instance != "" {
			l.instanceOf(name, fmt.Sprint(key.gpuID, "/", l.Meta.Instance))
		} else {
			l.instanceOf(name, fmt.Sprint(key.gpuID))
		}
	}
	if is.cumulative {
		l.differences(&d.tally)
	}
}

// instanceOf makes the line an instance of a counter.
func (l *series) instanceOf(whole, id string) {
	l.Whole, l.Meta.Instance = whole, id
	l.Meta.Name = fmt.Sprintf("%s[%s]", whole, id)
}

// differences turns running totals into what was added since the value before. The first has none before it, and one
// that falls began anew: neither is known.
func (l *series) differences(tally *memory.Tally) {
	var times, from []int64
	var bits []uint64
	last := -1
	for i := range l.Bits {
		if i+1 < len(l.Bits) && l.Times[i+1] == l.Times[i] {
			continue // another total of the same moment takes its place
		}
		if last >= 0 && l.Bits[i] >= l.Bits[last] {
			times, from = memory.Append(tally, times, l.Times[i]), memory.Append(tally, from, l.Times[last])
			bits = memory.Append(tally, bits, l.Bits[i]-l.Bits[last])
		}
		last = i
	}
	l.Times, l.Bits, l.From = times, bits, from
}

// processName is what a process is called.
func (d *decoder) processName(pid uint64) string {
	if name := d.processes[pid]; name != "" {
		return fmt.Sprint(name, " ", pid)
	}
	return fmt.Sprint("process ", pid)
}

// processTree keeps the names of processes.
func (d *decoder) processTree(b []byte) error {
	return each(b, func(num protowire.Number, typ protowire.Type, _ uint64, data []byte) error {
		if num != treeProcesses || typ != protowire.BytesType {
			return nil
		}
		pid, name := uint64(0), ""
		err := each(data, func(num protowire.Number, _ protowire.Type, val uint64, data []byte) error {
			switch {
			case num == processPID:
				pid = val
			case num == processCommand && name == "":
				name = validText(string(data))
			}
			return nil
		})
		if pid != 0 && name != "" && d.processes[pid] == "" {
			d.tally.Must(uint64(len(name)) + 64)
			d.processes[pid] = name
		}
		return err
	})
}

// gpuInfo keeps what the trace says of its GPUs.
func (d *decoder) gpuInfo(b []byte) error {
	return each(b, func(num protowire.Number, typ protowire.Type, _ uint64, data []byte) error {
		if num != infoGPUs || typ != protowire.BytesType {
			return nil
		}
		dev, model := capture.Device{}, ""
		err := each(data, func(num protowire.Number, typ protowire.Type, _ uint64, data []byte) error {
			switch text := validText(string(data)); num {
			case infoName:
				dev.Name = text
			case infoVendor:
				dev.Vendor = text
			case infoModel:
				model = text
			case infoBus:
				dev.ID = text
			case infoExtra:
				k, v := "", ""
				err := each(data, func(num protowire.Number, _ protowire.Type, _ uint64, data []byte) error {
					switch num {
					case extraKey:
						k = validText(string(data))
					case extraValue:
						v = validText(string(data))
					}
					return nil
				})
				if dev.Extra == nil {
					dev.Extra = map[string]string{}
				}
				dev.Extra[k] = v
				return err
			}
			return nil
		})
		dev.Name = cmp.Or(dev.Name, model)
		d.tally.Must(uint64(len(data)) + 256)
		d.devices = append(d.devices, dev)
		return err
	})
}
