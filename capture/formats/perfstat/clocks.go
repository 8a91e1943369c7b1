package perfstat

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"astrolabe/capture"
)

// What the lines of perf stat tell of time and of whom they are, beside their counts:
//
//   - Of a clock perf prints how many CPUs it was, which is that clock divided by the elapsed time. Output without -I says
//     in no other way how long it took.
//   - An event of tasks is there to be counted while these run, and so for how long they ran: that is the time behind its
//     count, or more where it shared a hardware counter.
//   - Whole CPUs (-a, -A, -C, --per-core) are counted all of the time, whether they work or not, so that this time is a
//     whole number of CPUs. perf counts cpu-clock there, in place of a program's task-clock.

// clocks collects it.
type clocks struct {
	rows       []rowClock
	places     map[string]uint64 // parts of the machine, and of how many CPUs each is
	threads    bool              // clocks are of tasks, each by itself (--per-thread)
	systemWide bool              // the title says that the machine was counted, or some of its CPUs
}

// rowClock is that of one sample, in ns.
type rowClock struct {
	task    float64 // what task-clock counted
	cpu     float64 // what cpu-clock counted
	ran     float64 // the longest time for which an event was there to be counted
	used    float64 // user and system time
	elapsed float64 // what CPUs utilized say, 0 if nothing
	unsure  float64 // by how much of it that may be off
}

// roughest is how far off a time may be that is taken for the elapsed one, as a share of it: what perf prints of a
// program that mostly waits has few digits. Ours.
const roughest = 0.1

// note takes in what a line of the sample at row tells.
func (c *clocks) note(r *reading, row int) {
	for len(c.rows) <= row {
		c.rows = append(c.rows, rowClock{})
	}
	at := &c.rows[row]
	if r.whole {
		if c.places == nil {
			c.places = map[string]uint64{}
		}
		c.places[strings.Clone(r.instance)] = max(r.parts, 1)
	}
	c.threads = c.threads || r.thread && isClock(r.event)
	value, err := number(r.value)
	event, _ := modifiers(r.event)
	switch {
	case err != nil:
	case event == "task-clock":
		at.task += value * nanoseconds(r.unit)
	case event == "cpu-clock":
		at.cpu += value * nanoseconds(r.unit)
	case event == "user_time" || event == "system_time":
		at.used += value * nanoseconds(r.unit)
	}
	if r.timed && r.instance == "" && !isToolEvent(event) {
		ran := float64(r.runtime)
		if share, err := number(r.running); err == nil && share > 0 && share < 100 {
			ran *= 100 / share
		}
		at.ran = max(at.ran, ran)
	}
	if used, err := number(r.utilized); err == nil && used > 0 && value > 0 {
		_, digits, _ := strings.Cut(strings.Replace(r.utilized, ",", ".", 1), ".")
		unsure := math.Pow10(-len(digits)) / 2 / used
		if unsure <= roughest && (at.elapsed == 0 || unsure < at.unsure) {
			at.elapsed, at.unsure = value*nanoseconds(r.unit)/used, unsure
		}
	}
}

// isClock reports whether an event is the kernel's clock of tasks or CPUs.
func isClock(event string) bool {
	event, _ = modifiers(event)
	return event == "task-clock" || event == "cpu-clock"
}

// isToolEvent reports whether perf itself measured an event, whose time is its value.
func isToolEvent(event string) bool {
	return slices.Contains([]string{"duration_time", "user_time", "system_time"}, event)
}

// nanoseconds are those of a unit of time in which perf prints a clock.
func nanoseconds(unit string) float64 {
	switch unitOf(unit) {
	case "s":
		return 1e9
	case "ms":
		return 1e6
	case "us":
		return 1e3
	}
	return 1
}

// Shares by which a time may be off from that of a whole number of CPUs: perf reads its counters one after the other,
// shortly after it has looked at the clock. A program with as many threads that never stop comes as near only where
// nothing begins or ends meanwhile, and perf would not count cpu-clock of it. Ours.
const offWhole, offWholeUnnamed = 1e-3, 5e-4

// wholeCPUs tells whether whole CPUs were counted, and how many; 0 if that is not known.
func (c *clocks) wholeCPUs(length func(row int) float64) (n uint64, whole bool) {
	if len(c.places) > 0 {
		for _, parts := range c.places {
			n += parts
		}
		return n, true
	}
	var clock, ran, elapsed float64
	tasks := false
	for i, at := range c.rows {
		clock, ran, elapsed = clock+at.cpu, ran+at.ran, elapsed+length(i)
		tasks = tasks || at.task > 0 || at.used > 0
	}
	off := offWhole
	if clock == 0 {
		clock, off = ran, offWholeUnnamed
	}
	if elapsed <= 0 || clock <= 0 || tasks && !c.systemWide {
		return 0, c.systemWide
	}
	cpus := math.Round(clock / elapsed)
	if cpus >= 2 && math.Abs(clock/elapsed-cpus) <= off*cpus || c.systemWide && cpus >= 1 {
		return uint64(cpus), true
	}
	return 0, c.systemWide
}

// taskClock is a series of how long the tasks ran in each sample, where no clock was counted and something else tells;
// nil where nothing does.
func (c *clocks) taskClock() *series {
	s := &series{key: key{event: "task-clock"}, unit: "ns"}
	for i, at := range c.rows {
		switch {
		case at.task > 0 || at.cpu > 0:
			return nil
		case at.ran > 0:
			s.doc = "For how long the events that were counted of the tasks were there to be counted, which is while these ran."
			s.put(i, strconv.FormatFloat(math.Round(at.ran), 'f', 0, 64))
		case at.used > 0:
			s.doc = "The time that the tasks ran in user space and in the kernel."
			s.put(i, strconv.FormatFloat(math.Round(at.used), 'f', 0, 64))
		}
	}
	if len(s.rows) == 0 {
		return nil
	}
	return s
}

// put adds a value that no line has.
func (s *series) put(row int, value string) {
	s.rows, s.values = append(s.rows, row), append(s.values, value)
	s.running, s.noise = append(s.running, ""), append(s.noise, "")
}

// tell adds what is known of time, and of whom the counts are, to a capture of the samples on axis.
func (b *builder) tell(cfg *capture.Config, axis *capture.Axis) {
	length := func(row int) float64 {
		if b.guessed {
			return 0
		}
		return float64(axis.Interval(row))
	}
	if b.guessed {
		cfg.Properties = append(cfg.Properties, capture.Property{Name: capture.ElapsedUnknown, IsText: true,
			Text: "perf stat does not print how long it ran"})
	}
	n, whole := b.clocks.wholeCPUs(length)
	if !whole {
		if b.clocks.threads {
			cfg.Properties = append(cfg.Properties, capture.Property{Name: capture.Counted, Text: capture.Threads, IsText: true})
		}
		if s := b.clocks.taskClock(); s != nil && !slices.ContainsFunc(b.order, func(o *series) bool { return isClock(o.event) }) {
			b.order = append(b.order, s)
		}
		return
	}
	cfg.Properties = append(cfg.Properties, capture.Property{Name: capture.Counted, Text: capture.WholeCPUs, IsText: true})
	if n > 0 {
		cfg.Properties = append(cfg.Properties, capture.Property{Name: capture.CPUsCounted, Number: float64(n)})
	}
}

// lasted is how long the sample at row took by the CPUs that perf says were utilized, with what to say of that; 0 where
// it says nothing.
func (c *clocks) lasted(row int) (ns uint64, doubt string) {
	if row >= len(c.rows) || c.rows[row].elapsed <= 0 || c.rows[row].elapsed > 1<<60 {
		return 0, ""
	}
	at := c.rows[row]
	return uint64(at.elapsed), fmt.Sprintf(
		"perf stat does not print how long it ran: that follows from the CPUs utilized that it prints, to %.2g %%", 100*at.unsure)
}
