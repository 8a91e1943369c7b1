package procfs

import (
	"errors"
	"fmt"

	"astrolabe/capture"
	"astrolabe/hwio/internal/sysroot"
)

// column is one recorded value.
type column struct {
	meta capture.Meta
	// slot is the value's place in the stream's fast values, or its sensor's number if slow.
	slot  int
	slow  bool
	scale uint64 // what a unit of the fast value is worth
	gone  string // why the value is missing when the file does not list it
}

// layout is what one stream reads: the fast files with their slots, the sensors, and the columns made of them.
type layout struct {
	config   capture.Config
	want     func(*capture.Meta) bool
	hz       uint64
	stat     *stat
	statFile *sysroot.File
	pressure []pressureFile
	sensors  []openSensor
	cols     []column
	slots    int
}

type pressureFile struct {
	file       *sysroot.File
	some, full int // slots, -1 for none
}

type openSensor struct {
	sensor
	file *sysroot.File
}

// statColumns are the CPU times of /proc/stat.
var statColumns = []struct {
	field            int
	name, title, doc string
}{
	{statUser, "cpu_user", "CPU time in user space",
		"Time that the processor ran programs at normal priority; it includes guests of a virtual machine host."},
	{statNice, "cpu_nice", "CPU time in user space, niced",
		"Time that the processor ran programs of lowered priority."},
	{statSystem, "cpu_system", "CPU time in the kernel",
		"Time that the processor ran the kernel for programs, without interrupts."},
	{statIdle, "cpu_idle", "CPU idle time", "Time that the processor had nothing to run and no disk request of its own was under way."},
	{statIOWait, "cpu_iowait", "CPU time idle with I/O",
		"Idle time with a disk request of a task on this processor under way. The kernel does not count it reliably."},
	{statIRQ, "cpu_irq", "CPU time in interrupts", "Time in hardware interrupts."},
	{statSoftIRQ, "cpu_softirq", "CPU time in soft interrupts", "Time in soft interrupts, such as network processing."},
	{statSteal, "cpu_steal", "CPU time stolen",
		"Time that a virtual processor wanted to run and the host ran something else."},
	{statGuest, "cpu_guest", "CPU time of guests",
		"Time that the processor ran virtual machines; already part of cpu_user."},
}

// addStat offers the values of /proc/stat that the kernel writes now.
func (l *layout) addStat(root sysroot.Root, cpus []int) error {
	f, err := root.Open("/proc/stat")
	if err != nil {
		return fmt.Errorf("open /proc/stat: %w", err)
	}
	l.statFile = f
	data, err := f.Contents()
	if err != nil {
		return err
	}
	l.stat.parse(data)
	before := len(l.cols)
	for _, sc := range statColumns {
		for row, id := range cpus {
			m := capture.Meta{Name: sc.name, Title: sc.title, Unit: "ns", Doc: sc.doc, Block: "cpu",
				Instance: fmt.Sprint(id)}
			if sc.field < l.stat.fields[row] && l.want(l.describe(&m)) {
				l.cols = append(l.cols, column{meta: m, slot: row*statFields + sc.field, scale: 1e9 / l.hz,
					gone: fmt.Sprintf("the kernel did not list CPU %d at that time: it was offline", id)})
			}
		}
	}
	base := len(cpus) * statFields
	for k, single := range [statSingles]capture.Meta{
		statIntr: {Title: "Interrupts", Unit: "interrupts", Doc: "Interrupts that the machine served."},
		statCtxt: {Title: "Context switches", Unit: "switches",
			Doc: "Times that a processor changed from one task to another, on all processors."},
		statProcesses: {Title: "Tasks started", Unit: "tasks", Doc: "Processes and threads created."},
		statRunning: {Title: "Runnable tasks", Unit: "tasks", Kind: capture.Gauge,
			Doc: "Tasks that run or wait for a processor at the end of the sample; the recorder itself is one of them."},
		statBlocked: {Title: "Blocked tasks", Unit: "tasks", Kind: capture.Gauge,
			Doc: "Tasks that wait for a disk at the end of the sample."},
	} {
		single.Name, single.Block = statNames[k], "scheduler"
		if l.stat.present[k] && l.want(l.describe(&single)) {
			l.cols = append(l.cols, column{meta: single, slot: base + k, scale: 1,
				gone: "/proc/stat did not hold it at that time"})
		}
	}
	l.slots = base + statSingles
	if len(l.cols) == before {
		l.statFile = nil
		return f.Close()
	}
	return nil
}

// pressureColumns are the stall times of /proc/pressure. The "full" line of cpu has no meaning for a whole machine.
var pressureColumns = []struct {
	file       string
	full       bool
	title, doc string
}{
	{"cpu", false, "CPU pressure", "Time in which at least one task waited for a processor."},
	{"memory", false, "Memory pressure, some", "Time in which at least one task waited for memory."},
	{"memory", true, "Memory pressure, full", "Time in which every task that had work waited for memory."},
	{"io", false, "I/O pressure, some", "Time in which at least one task waited for I/O."},
	{"io", true, "I/O pressure, full", "Time in which every task that had work waited for I/O."},
}

// addPressure offers the stall times. A kernel without them, or started with psi=0, has no file or one that cannot be
// read.
func (l *layout) addPressure(root sysroot.Root) error {
	byFile := map[string]*pressureFile{}
	for _, pc := range pressureColumns {
		m := capture.Meta{Name: "pressure_" + pc.file + "_some", Title: pc.title, Unit: "ns", Doc: pc.doc,
			Block: "pressure"}
		if pc.full {
			m.Name = "pressure_" + pc.file + "_full"
		}
		if !l.want(l.describe(&m)) {
			continue
		}
		pf := byFile[pc.file]
		if pf == nil {
			f, err := root.Open("/proc/pressure/" + pc.file)
			if err != nil {
				continue
			}
			pf = &pressureFile{file: f, some: -1, full: -1}
			byFile[pc.file] = pf
		}
		data, err := pf.file.Contents()
		if err != nil {
			continue
		}
		_, _, hasSome, hasFull := pressure(data)
		if (pc.full && !hasFull) || (!pc.full && !hasSome) {
			continue
		}
		if pc.full {
			pf.full = l.slots
		} else {
			pf.some = l.slots
		}
		l.cols = append(l.cols, column{meta: m, slot: l.slots, scale: 1000,
			gone: "the pressure file did not hold it at that time"})
		l.slots++
	}
	var err error
	for _, pc := range pressureColumns {
		if pf := byFile[pc.file]; pf != nil {
			delete(byFile, pc.file)
			if pf.some < 0 && pf.full < 0 {
				err = errors.Join(err, pf.file.Close())
				continue
			}
			l.pressure = append(l.pressure, *pf)
		}
	}
	return err
}

func (l *layout) addSensor(root sysroot.Root, s sensor) {
	f, err := root.Open(s.path)
	if err != nil {
		return
	}
	l.cols = append(l.cols, column{meta: s.meta, slot: len(l.sensors), slow: true})
	l.sensors = append(l.sensors, openSensor{s, f})
}

// describe fills in what all counters of this source share.
func (l *layout) describe(m *capture.Meta) *capture.Meta {
	m.GPU, m.Source = "cpu", sourceName
	return m
}

// close closes all files.
func (l *layout) close() error {
	var errs []error
	if l.statFile != nil {
		errs = append(errs, l.statFile.Close())
	}
	for _, p := range l.pressure {
		errs = append(errs, p.file.Close())
	}
	for _, s := range l.sensors {
		errs = append(errs, s.file.Close())
	}
	return errors.Join(errs...)
}
