// Package cpupmu models the counter units of a processor behind perf_event_open(2), as Linux drives those of an Intel
// core: groups that go onto the hardware whole or not at all, counters that are too few for all groups and then rotate,
// and the errors of each wrong request. Software events and tracepoints are left to the real kernel.
//
// Every event happens at a fixed rate on every processor, so that a value is the rate times the time that its group was
// on the hardware, exactly. Two things are simpler than on real hardware: a task is taken to run without pause on one
// processor from when its events are enabled to its end, whatever it and its children really do, and its counters are
// apart from those of processor-wide events. An event of a task on one processor counts while the task is there: it
// moves on every 4 ms.
//
// Events that sample write records to the ring that the program maps: a sample whenever the count reaches the next
// multiple of the period, names, mappings and the end of the task itself (not of its children), and how many samples
// found no room. A sample has the time at which the count got there, and a made-up place in the program or in the
// kernel. Not modelled: places without skid, registers, stacks, branches, raw data, rings written backwards, throttling
// but where the scenario has it (elsewhere faster periods than perf_event_max_sample_rate are refused), and other
// signals than those that poll and ppoll see.
package cpupmu

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"astrolabe/hwio/hwtest"
)

// Models are the devices of this package.
func Models() []hwtest.Model {
	return []hwtest.Model{{
		Name: "cpu-pmu",
		Doc:  "hardware counters of the machine's processors (4 general, 3 fixed) and of a memory controller, for perf_event_open",
		Scenarios: []hwtest.Scenario{
			{Name: "few-counters", Doc: "2 general counters and no fixed ones"},
			{Name: "watchdog", Doc: "the NMI watchdog holds a general counter for good, which the check of a group's size does not know"},
			{Name: "no-pmu-events", Doc: "the unit is listed but opens no event (ENOENT), as in many virtual machines"},
			{Name: "no-interrupts", Doc: "the unit counts but does not sample (EOPNOTSUPP), as in some virtual machines"},
			{Name: "no-inherited-groups", Doc: "an event that is inherited cannot be read as a group (EINVAL), as in old kernels"},
			{Name: "no-inherited-samples", Doc: "an event that is inherited samples no counts (EINVAL), as before Linux 6.12"},
			{Name: "throttled", Doc: "kernel.perf_event_max_sample_rate is 4000: a group whose clock takes 16 samples between two ticks stands still until the next"},
			{Name: "paranoid-0", Doc: "kernel.perf_event_paranoid is 0: whole processors without privileges"},
			{Name: "paranoid-1", Doc: "kernel.perf_event_paranoid is 1: own tasks and the kernel's work for them"},
			{Name: "paranoid-3", Doc: "kernel.perf_event_paranoid is 3: nothing without privileges"},
		},
		New: func() hwtest.Device {
			return &device{rosters: map[place]*roster{}, tasks: map[int]*task{}, image: imageOf}
		},
	}}
}

// device is all counter units of the machine.
type device struct {
	mu       sync.Mutex
	set      *hwtest.Settings
	paranoid int
	cpus     []int // online ones
	lastID   uint64
	rosters  map[place]*roster
	truth    Truth
	now      func() int64
	alive    func(tid int) bool
	watch    func(pid int, ended func())
	waits    []*os.File // for the ends of tasks
	waiters  sync.WaitGroup

	tasks   map[int]*task // whose events sample
	samples []happening   // that are to be written
	image   func(pid int) image
	stop    chan struct{} // ends the making of records; nil where none are made
}

var (
	_ hwtest.PerfOpener  = (*device)(nil)
	_ hwtest.ExecWatcher = (*device)(nil)
	_ hwtest.ExitWatcher = (*device)(nil)
)

const units = "/sys/bus/event_source/devices"

// Start shows the units in sysfs.
func (d *device) Start(m hwtest.Machine) error {
	d.set = m.Settings()
	d.now, d.alive, d.watch = hwtest.Now, taskAlive, d.onEnd
	var err error
	if d.cpus, err = onlineCPUs(); err != nil {
		return err
	}
	d.paranoid = 2
	for _, level := range []int{0, 1, 3} {
		if d.set.Has(fmt.Sprintf("paranoid-%d", level)) {
			d.paranoid = level
		}
	}
	m.File("/proc/sys/kernel/perf_event_paranoid", fmt.Sprintf("%d\n", d.paranoid))
	m.File("/proc/sys/kernel/perf_event_max_sample_rate", fmt.Sprintf("%d\n", d.sampleRate()))
	m.Own(units)
	m.Own("/sys/devices/cpu")
	m.Own("/sys/devices/" + imcName)
	for name, typ := range map[string]int{"software": typeSoftware, "tracepoint": typeTracepoint,
		"breakpoint": typeBreakpoint} {
		d.unit(m, "/sys/devices/"+name, name, typ)
	}
	d.unit(m, "/sys/devices/cpu", "cpu", typeRaw)
	for _, f := range coreFormats {
		m.File("/sys/devices/cpu/format/"+f.name, f.text+"\n")
	}
	for _, e := range coreNamed {
		m.File("/sys/devices/cpu/events/"+e.name, e.text+"\n")
	}
	d.unit(m, "/sys/devices/"+imcName, imcName, imcType)
	m.File("/sys/devices/"+imcName+"/cpumask", fmt.Sprintf("%d\n", d.cpus[0]))
	m.File("/sys/devices/"+imcName+"/format/event", "config:0-7\n")
	for _, e := range imcEvents {
		at := "/sys/devices/" + imcName + "/events/" + e.name
		m.File(at, fmt.Sprintf("event=%#02x\n", e.code))
		if e.unit != "" {
			m.File(at+".scale", e.scale+"\n")
			m.File(at+".unit", e.unit+"\n")
		}
	}
	d.truth = Truth{CPUs: d.cpus, Paranoid: d.paranoid, Counters: d.core().general + len(d.core().fixed)}
	return nil
}

func (d *device) unit(m hwtest.Machine, dir, name string, typ int) {
	m.File(dir+"/type", fmt.Sprintf("%d\n", typ))
	m.Link(units+"/"+name, "../../../devices/"+name)
}

// Stop ends the waiting for tasks; counts are worked out when they are asked for.
func (d *device) Stop() {
	d.mu.Lock()
	for _, f := range d.waits {
		_ = f.Close()
	}
	d.waits = nil
	if d.stop != nil {
		close(d.stop)
	}
	d.mu.Unlock()
	d.waiters.Wait()
}

// onlineCPUs lists the real machine's processors: software events, which the real kernel counts, must find the same
// ones.
func onlineCPUs() ([]int, error) {
	const file = "/sys/devices/system/cpu/online"
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("list the processors: %w", err)
	}
	var out []int
	for part := range strings.SplitSeq(strings.TrimSpace(string(text)), ",") {
		lo, hi, ranged := strings.Cut(part, "-")
		a, err := strconv.Atoi(lo)
		b := a
		if err == nil && ranged {
			b, err = strconv.Atoi(hi)
		}
		if err != nil || b-a > 1<<16 {
			return nil, fmt.Errorf("%s: %q is no list of processors", file, text)
		}
		for ; a <= b; a++ {
			out = append(out, a)
		}
	}
	return out, nil
}

// taskAlive reports whether a thread exists and is no zombie.
func taskAlive(tid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", tid))
	if err != nil {
		return false
	}
	_, rest, ok := strings.Cut(string(stat), ") ")
	return !ok || rest == "" || rest[0] != 'Z' && rest[0] != 'X'
}

// rotation is how long groups stay on the hardware when they take turns (perf_event_mux_interval_ms).
const rotation = int64(4 * time.Millisecond)
