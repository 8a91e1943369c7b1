package perfetto

import (
	"fmt"
	"math"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
)

// memoryNames are the schema's MeminfoCounters, by number.
var memoryNames = strings.Fields(`unspecified total free available buffers cached swap_cached active inactive active_anon
	inactive_anon active_file inactive_file unevictable mlocked swap_total swap_free dirty writeback anon_pages mapped
	shmem slab slab_reclaimable slab_unreclaimable kernel_stack page_tables commit_limit committed vmalloc_total
	vmalloc_used vmalloc_chunk cma_total cma_free gpu zram misc ion_heap ion_heap_pool`)

// cpuTimeNames are the fields of SysStats.CpuTimes, by the names that their columns of /proc/stat have wherever they come from.
var cpuTimeNames = [...]string{2: "user", 3: "nice", 4: "system", 5: "idle", 6: "iowait", 7: "irq", 8: "softirq",
	9: "steal"}

// pressureNames are the schema's PsiResource, by number.
var pressureNames = [...]string{1: "cpu_some", 2: "cpu_full", 3: "io_some", 4: "io_full", 5: "memory_some",
	6: "memory_full"}

// batteryNames and batteryUnits are the fields of BatteryCounters.
var (
	batteryNames = [...]string{1: "charge", 2: "capacity", 3: "current", 4: "current_average", 6: "energy", 7: "voltage"}
	batteryUnits = [...]string{1: "uAh", 2: "percent", 3: "uA", 4: "uA", 6: "uWh", 7: "uV"}
)

// unreadStats are the fields of SysStats that are not read, as people call them.
var unreadStats = map[protowire.Number]string{2: "vmstat", 4: "forks", 5: "interrupts", 6: "interrupts",
	7: "soft interrupts", 8: "soft interrupts", 12: "buddyinfo", 13: "disks", 18: "slabs"}

// sysStats takes in what the system's files showed.
func (d *decoder) sysStats(p *packet, at int64) error {
	cpu, gpu := uint64(0), int32(0)
	return each(p.stats, func(num protowire.Number, typ protowire.Type, val uint64, data []byte) error {
		switch num {
		case statsCPUFrequency:
			for _, v := range numbers(nil, typ, val, data, false) {
				d.point(p, cpuFrequency, "", cpu, 0, at, v)
				cpu++
			}
			return nil
		case statsGPUFrequency:
			for _, v := range numbers(nil, typ, val, data, false) {
				d.point(p, gpuFrequencyFile, "", 0, gpu, at, v)
				gpu++
			}
			return nil
		case statsCPUTimes, statsMemory, statsDevices, statsPressure, statsThermal:
		case statsCPUIdle:
			return d.cpuIdle(p, at, data)
		default:
			if name := unreadStats[num]; name != "" {
				d.unread[name]++
			}
			return nil
		}
		n, text, err := fieldsOf(data)
		if err != nil {
			return fmt.Errorf("system statistics: %w", err)
		}
		switch num {
		case statsCPUTimes:
			for i, name := range cpuTimeNames {
				if name != "" && hasField(data, protowire.Number(i)) {
					d.point(p, cpuTime, name, n[1], 0, at, n[i])
				}
			}
		case statsMemory:
			name := fmt.Sprint("counter_", n[1])
			if n[1] < uint64(len(memoryNames)) {
				name = memoryNames[n[1]]
			}
			d.point(p, systemMemory, name, 0, 0, at, 1024*n[2])
		case statsDevices:
			d.point(p, deviceFrequency, text[1], 0, 0, at, n[2])
		case statsPressure:
			if n[1] > 0 && n[1] < uint64(len(pressureNames)) {
				d.point(p, pressure, pressureNames[n[1]], 0, 0, at, n[2])
			}
		case statsThermal:
			d.point(p, zoneTemperature, orElse(text[3], text[1]), 0, 0, at, n[2])
		}
		return nil
	})
}

// hasField reports whether a message has a field: a CPU without a time of some kind has no such counter.
func hasField(b []byte, want protowire.Number) (has bool) {
	// Its caller has read the message before.
	_ = each(b, func(num protowire.Number, _ protowire.Type, _ uint64, _ []byte) error {
		has = has || num == want
		return nil
	})
	return has
}

func (d *decoder) cpuIdle(p *packet, at int64, b []byte) error {
	n, _, err := fieldsOf(b)
	if err != nil {
		return err
	}
	return each(b, func(num protowire.Number, typ protowire.Type, _ uint64, data []byte) error {
		if num != idleEntries || typ != protowire.BytesType {
			return nil
		}
		v, text, err := fieldsOf(data)
		if err == nil {
			d.point(p, cpuIdleTime, text[1], n[1], 0, at, v[2])
		}
		return err
	})
}

// railKey names a power rail: by its index, within a session of a machine.
type railKey struct{ machine, session, index uint64 }

// powerRails takes the energy that rails took; the first packet says how they are called. Each value has its own time.
func (d *decoder) powerRails(p *packet, at int64, timed bool) error {
	var energy [][]byte
	session := uint64(0)
	var named [][]byte
	err := each(p.rails, func(num protowire.Number, typ protowire.Type, val uint64, data []byte) error {
		switch {
		case num == railDescriptors && typ == protowire.BytesType:
			named = append(named, data)
		case num == railEnergy && typ == protowire.BytesType:
			energy = append(energy, data)
		case num == railSession:
			session = val
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, b := range named {
		n, text, err := fieldsOf(b)
		if err != nil {
			return err
		}
		d.tally.Must(uint64(len(text[2])) + 64)
		d.rails[railKey{p.machine, session, n[1]}] = text[2]
	}
	for _, b := range energy {
		n, _, err := fieldsOf(b)
		if err != nil {
			return err
		}
		when := at
		if hasField(b, energyStamp) {
			if when, err = d.clocks.time(p.machine, p.sequence, clockBoottime, satMul(n[energyStamp], 1_000_000)); err != nil {
				d.noClock++
				continue
			}
		} else if !timed {
			d.untimed++
			continue
		}
		name := orElse(d.rails[railKey{p.machine, session, n[1]}], fmt.Sprint("rail ", n[1]))
		d.point(p, powerRail, name, session, 0, when, n[3])
	}
	return nil
}

func satMul(a, b uint64) uint64 {
	if a > math.MaxUint64/b {
		return math.MaxUint64
	}
	return a * b
}

// battery takes the charge and the current of a battery.
func (d *decoder) batteryCounters(p *packet, at int64) error {
	name := ""
	err := each(p.battery, func(num protowire.Number, _ protowire.Type, _ uint64, data []byte) error {
		if num == batteryName {
			name = validText(string(data)) + "."
		}
		return nil
	})
	if err != nil {
		return err
	}
	return each(p.battery, func(num protowire.Number, typ protowire.Type, val uint64, _ []byte) error {
		if int(num) >= len(batteryNames) || batteryNames[num] == "" {
			return nil
		}
		double := typ == protowire.Fixed32Type
		if double {
			val = math.Float64bits(float64(math.Float32frombits(uint32(val))))
		}
		d.add(seriesKey{probe: batteryLevel, machine: p.machine, name: name + batteryNames[num], counter: uint64(num)},
			at, val, double)
		return nil
	})
}

// temperature adds a temperature that is no whole number.
func (d *decoder) temperature(p *packet, kind probe, name string, at int64, v float64) {
	d.add(seriesKey{probe: kind, machine: p.machine, name: name}, at, math.Float64bits(v), true)
}
