package cpu

import (
	"fmt"

	"astrolabe/capture"
	"astrolabe/capture/capturetest"
)

// The machine.
const (
	cpus   = 4
	maxHz  = 3e9
	memory = 16e9

	width       = 4.0    // instructions a cycle can complete
	missCycles  = 250.0  // of a load from memory
	flushCycles = 20.0   // after a mispredicted branch
	switchTime  = 1.6e-6 // seconds in the kernel
	faultTime   = 1.3e-6
	irqTime     = 2e-6
	majorTime   = 4e-3 // seconds until storage answers
)

// sample fills in one sample of the capture.
type sample struct {
	t *capturetest.Table
	w *capturetest.Work
	r *capturetest.Random
	d demand
	i int
}

func (s sample) count(name string, v float64) { s.t.Count(name, s.i, max(0, v)) }

func (s sample) fill() {
	d, seconds := s.d, s.w.Seconds(s.i)
	memoryWait := min(0.9, d.majors*majorTime*s.r.Small())
	ioWait := min(0.95, d.reads*s.r.Small()+0.7*memoryWait)
	wanted := d.threads * s.w.Amount[s.i] * s.w.Active[s.i] * (1 - 0.5*memoryWait) * (1 - 0.5*d.reads)
	running := min(wanted, d.allowed)
	waiting := 0.02
	if wanted > running {
		waiting = max(waiting, 1-running/wanted)
	}

	kernel := min(0.6, d.calls) + d.switches*switchTime + d.faults*faultTime
	interrupts := d.irqs * irqTime
	if all := kernel + interrupts; all > 0.95 {
		kernel, interrupts = kernel*0.95/all, interrupts*0.95/all
	}
	work := 0.0 // CPU seconds
	for cpu := range cpus {
		busy := s.share(cpu, running) * seconds
		work += busy
		left := seconds - busy
		iowait := min(left, ioWait*left)
		for _, part := range []struct {
			name string
			v    float64
		}{
			{"cpu_user", busy * (1 - kernel - interrupts)}, {"cpu_nice", 0}, {"cpu_system", busy * kernel},
			{"cpu_irq", 0.3 * busy * interrupts},
			{"cpu_softirq", 0.7 * busy * interrupts}, {"cpu_steal", 0}, {"cpu_iowait", iowait},
			{"cpu_idle", left - iowait},
		} {
			s.count(fmt.Sprintf("%s[%d]", part.name, cpu), part.v*1e9)
		}
		s.t.Level(fmt.Sprintf("cpu_frequency[%d]", cpu), "Hz", s.i, s.w.Hz[s.i]*d.clock)
	}
	if d.hidden == 0 {
		s.core(work)
	}
	s.kernel(work, seconds)
	s.count("pressure_cpu_some", waiting*seconds*1e9)
	s.count("pressure_memory_some", memoryWait*seconds*1e9)
	s.count("pressure_memory_full", 0.6*memoryWait*seconds*1e9)
	s.count("pressure_io_some", ioWait*seconds*1e9)
	s.count("pressure_io_full", 0.5*ioWait*seconds*1e9)
	s.t.Level("procs_running", "tasks", s.i, wanted)
	s.t.Level("mem_total", "bytes", s.i, memory)
	s.t.Level("mem_available", "bytes", s.i, memory*(1-d.used))
}

// share is how much of the time a CPU works, of what runs on all.
func (s sample) share(cpu int, running float64) float64 {
	serial := s.d.serial * s.w.Active[s.i]
	if serial == 0 {
		return min(1, running/cpus)
	}
	if cpu == 0 {
		return max(serial, min(1, running/cpus))
	}
	return min(1, max(0, running-serial)/(cpus-1))
}

// core is what the pipelines did in the time they worked.
func (s sample) core(work float64) {
	d := s.d
	cycles := work * s.w.Hz[s.i] * d.clock
	missing := d.misses * s.r.Small()
	flushed := d.branches * s.r.Small()
	back := d.chain + missing*missCycles
	front := d.fetch + 0.3*flushed*flushCycles
	instructions := cycles / (1/width + back + front + 0.7*flushed*flushCycles)
	s.count("cycles", cycles)
	s.count("instructions", instructions)
	s.count("stalled_cycles_backend", instructions*back)
	s.count("stalled_cycles_frontend", instructions*front)
	s.count("cache_references", instructions*(missing+8e-3))
	s.count("cache_misses", instructions*missing)
	s.count("branches", instructions*0.2)
	s.count("branch_misses", instructions*flushed)
}

// kernel is what the kernel counted.
func (s sample) kernel(work, seconds float64) {
	d := s.d
	s.count("ctxt", d.switches*work*s.r.Small())
	s.count("context_switches", s.t.Get("ctxt", s.i))
	s.count("cpu_migrations", 0.02*d.switches*work)
	s.count("intr", (d.irqs+250)*work)
	minor, major := d.faults*work*s.r.Small(), d.majors*seconds
	s.t.Count("minor_faults", s.i, minor)
	s.t.Count("major_faults", s.i, major)
	s.t.Count("page_faults", s.i, s.t.Get("minor_faults", s.i)+s.t.Get("major_faults", s.i))
}

// checkTimes verifies that what a CPU did fills its time, and that no core counted more cycles than its clock allows.
func checkTimes(c *capture.Capture) error {
	parts := []string{"cpu_user", "cpu_nice", "cpu_system", "cpu_irq", "cpu_softirq", "cpu_steal", "cpu_iowait",
		"cpu_idle"}
	var cycles []float64
	if c.Counter("cycles") != nil {
		var err error
		if cycles, err = capturetest.Column(c, "cycles"); err != nil {
			return err
		}
	}
	busy := make([]float64, c.Len())
	for cpu := range cpus {
		for i := range c.Len() {
			sum := 0.0
			for _, p := range parts {
				v := c.Counter(p).Instances[cpu].Value(i).Float()
				sum += v
				if p != "cpu_iowait" && p != "cpu_idle" {
					busy[i] += v
				}
			}
			if length := float64(c.Axis.End[i] - c.Axis.Start[i]); sum < length-float64(len(parts)) ||
				sum > length+float64(len(parts)) {
				return fmt.Errorf("sample %d: the times of CPU %d add up to %g ns of %g", i, cpu, sum, length)
			}
		}
	}
	for i, v := range cycles {
		if most := busy[i] / 1e9 * maxHz; v > most+10*cpus {
			return fmt.Errorf("sample %d: %g cycles in a time of %g", i, v, most)
		}
	}
	return nil
}
