package perfetto

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
)

// bundle is an FtraceEventBundle: what one CPU's buffer of the kernel's trace events held.
type bundle struct {
	events      [][]byte
	clock       uint64
	stamp, boot uint64 // the same moment on the clock of its events and on BOOTTIME
	related     bool
}

// ftrace takes the counters among the events of a bundle in.
func (d *decoder) ftrace(p *packet) error {
	var b bundle
	err := each(p.ftrace, func(num protowire.Number, typ protowire.Type, val uint64, data []byte) error {
		switch num {
		case bundleEvents:
			if typ == protowire.BytesType && ofInterest(data) {
				b.events = append(b.events, data)
			}
		case bundleClock:
			b.clock = val
		case bundleStamp:
			b.stamp, b.related = val, true
		case bundleBoot:
			b.boot = val
		case bundleLost:
			if val != 0 {
				d.lostEvents++
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("trace events: %w", err)
	}
	if b.related {
		at, err := d.clocks.time(p.machine, p.sequence, clockBoottime, b.boot)
		if err == nil {
			d.ftraceOffset, d.ftraceRelated = at-signed(b.stamp), true
		}
	}
	for _, e := range b.events {
		if err := d.ftraceEvent(p, &b, e); errors.Is(err, errNoClock) {
			d.noClock++
		} else if err != nil {
			return fmt.Errorf("trace event: %w", err)
		}
	}
	return nil
}

// ofInterest reports whether an event may hold a counter. Most do not, and there are millions of them.
func ofInterest(b []byte) bool {
	for len(b) > 0 {
		num, typ, n := protowire.ConsumeTag(b)
		if n < 0 {
			return true // and is said to be damaged
		}
		switch num {
		case ftracePrint, ftraceCPUFrequency, ftraceClockRate, ftraceGPUFrequency, ftraceSDEMark,
			ftraceGPUMemory, ftraceThermal, ftraceDPUMark, ftraceG2DMark, ftraceMaliMark, ftraceSamsungMark,
			ftraceGPUWork, ftraceKGSLFrequency:
			return true
		}
		m := protowire.ConsumeFieldValue(num, typ, b[n:])
		if m < 0 {
			return true
		}
		b = b[n+m:]
	}
	return false
}

// ftraceTime is the trace's time of a stamp of an event.
func (d *decoder) ftraceTime(p *packet, b *bundle, stamp uint64) (int64, error) {
	switch b.clock {
	case ftraceClockBoot:
		return d.clocks.time(p.machine, p.sequence, clockBoottime, stamp)
	case ftraceClockRaw:
		return d.clocks.time(p.machine, p.sequence, clockMonotonicRaw, stamp)
	case ftraceClockGlobal, ftraceClockLocal:
		if d.ftraceRelated {
			at, err := nanoseconds(stamp, 1)
			return at + d.ftraceOffset, err
		}
	}
	return 0, errNoClock
}

// fieldsOf are the numbers and texts of a small message, by field.
func fieldsOf(b []byte) (nums [12]uint64, texts [12]string, err error) {
	err = each(b, func(num protowire.Number, typ protowire.Type, val uint64, data []byte) error {
		if int(num) < len(nums) {
			if typ == protowire.BytesType {
				texts[num] = validText(string(data))
			} else {
				nums[num] = val
			}
		}
		return nil
	})
	return nums, texts, err
}

func (d *decoder) ftraceEvent(p *packet, b *bundle, event []byte) error {
	var stamp uint64
	var kind protowire.Number
	var body []byte
	err := each(event, func(num protowire.Number, typ protowire.Type, val uint64, data []byte) error {
		switch {
		case num == ftraceStamp:
			stamp = val
		case typ == protowire.BytesType:
			kind, body = num, data
		}
		return nil
	})
	if err != nil {
		return err
	}
	if kind == ftracePrint && !isPrintedCounter(body) {
		return nil
	}
	n, text, err := fieldsOf(body)
	if err != nil {
		return err
	}
	at, err := d.ftraceTime(p, b, stamp)
	if err != nil {
		return err
	}
	switch kind {
	case ftracePrint:
		if pid, name, value, ok := printedCounter(text[printText]); ok {
			d.point(p, processCounter, name, pid, 0, at, uint64(value))
		}
	case ftraceGPUFrequency:
		d.point(p, gpuFrequency, "", 0, int32(n[1]), at, n[2])
	case ftraceKGSLFrequency:
		d.point(p, gpuFrequency, "", 0, int32(n[2]), at, 1000*n[1]) // in MHz
	case ftraceGPUMemory:
		d.gpuMemory(p, n, at)
	case ftraceGPUWork:
		return d.gpuWorkPeriod(p, n)
	case ftraceCPUFrequency:
		d.point(p, cpuFrequency, "", n[2], 0, at, n[1])
	case ftraceClockRate:
		d.point(p, clockRate, text[1], 0, 0, at, n[2])
	case ftraceThermal:
		d.temperature(p, deviceTemperature, text[4], at, float64(int32(n[2]))/1000)
	case ftraceDPUMark, ftraceG2DMark:
		d.mark(p, n[5], text[4], n[1], at, n[6])
	case ftraceSDEMark:
		d.mark(p, n[3], text[2], n[1], at, n[4])
	case ftraceSamsungMark:
		d.mark(p, n[4], text[2], n[1], at, n[5])
	case ftraceMaliMark:
		d.mark(p, n[3], text[1], n[2], at, n[4])
	}
	return nil
}

// mark takes a counter that a driver marks in the kernel's trace.
func (d *decoder) mark(p *packet, kind uint64, name string, pid uint64, at int64, value uint64) {
	if kind == 'C' && name != "" {
		d.point(p, driverCounter, name, pid, 0, at, uint64(int64(int32(value))))
	}
}

// gpuMemory takes GpuMemTotal: of a GPU, of a process, bytes. Process 0 is all of them.
func (d *decoder) gpuMemory(p *packet, n [12]uint64, at int64) {
	if n[2] == 0 {
		d.point(p, gpuMemory, "", 0, int32(n[1]), at, n[3])
		return
	}
	d.point(p, gpuProcessMemory, "", n[2], int32(n[1]), at, n[3])
}

// gpuWorkPeriod takes how long a GPU worked for a user within a period, whose times are of CLOCK_MONOTONIC_RAW.
func (d *decoder) gpuWorkPeriod(p *packet, n [12]uint64) error {
	from, err := d.clocks.time(p.machine, p.sequence, clockMonotonicRaw, n[3])
	if err != nil {
		return err
	}
	to, err := d.clocks.time(p.machine, p.sequence, clockMonotonicRaw, n[4])
	if err != nil {
		return err
	}
	if to <= from || n[5] > math.MaxInt64 {
		d.oddPeriods++
		return nil
	}
	d.stretch(p, gpuWork, "", n[2], int32(n[1]), from, to, n[5])
	return nil
}

// isPrintedCounter looks whether a print event may be one, before anything is made of it.
func isPrintedCounter(body []byte) bool {
	found := false
	// Damage of the event is found when it is read.
	_ = each(body, func(num protowire.Number, _ protowire.Type, _ uint64, data []byte) error {
		found = found || num == printText && len(data) > 2 && data[0] == 'C' && data[1] == '|'
		return nil
	})
	return found
}

// printedCounter reads a counter that a process wrote into the kernel's trace: C|PID|NAME|VALUE, perhaps with more
// behind another stroke.
func printedCounter(text string) (pid uint64, name string, value int64, ok bool) {
	parts := strings.SplitN(strings.TrimRight(text, "\n"), "|", 5)
	if len(parts) < 4 || parts[0] != "C" || parts[2] == "" {
		return 0, "", 0, false
	}
	pid, err := strconv.ParseUint(parts[1], 10, 32)
	if err != nil {
		return 0, "", 0, false
	}
	value, err = strconv.ParseInt(strings.TrimSpace(parts[3]), 10, 64)
	return pid, parts[2], value, err == nil
}
