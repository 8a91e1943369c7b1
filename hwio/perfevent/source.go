package perfevent

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"syscall"
	"time"

	"astrolabe/capture"
	"astrolabe/hwio"
	"astrolabe/hwio/internal/sysroot"
	"astrolabe/hwio/internal/topology"
)

const sourceName = "perfevent"

// Source measures through the kernel's performance events.
type Source struct {
	root  sysroot.Root
	k     kernel
	sleep func(time.Duration)
}

var (
	_ hwio.Source    = (*Source)(nil)
	_ hwio.Diagnoser = (*Source)(nil)
	_ hwio.Stream    = (*stream)(nil)
	_ hwio.Concluder = (*stream)(nil)
)

// New returns the source of this machine. Its sysfs and procfs lie below root; "" is the machine's own.
func New(root string) *Source {
	return &Source{root: sysroot.At(root), k: newKernel(), sleep: time.Sleep}
}

// Name is "perfevent".
func (s *Source) Name() string { return sourceName }

// Groups are the names that it shares with other sources.
func (s *Source) Groups() []hwio.Group { return []hwio.Group{{Name: "cpu", Together: true}} }

// Doc describes the source.
func (s *Source) Doc() string {
	return "the kernel's performance events: cycles, instructions, caches, faults, context switches, tracepoints, and those of every counter unit"
}

// situation is what a look at the machine gave.
type situation struct {
	machine  *topology.Machine
	pmus     []pmu
	access   access
	security security
}

func (s *Source) look() (*situation, error) {
	m, err := topology.Read(s.root)
	if err != nil {
		return nil, err
	}
	return &situation{
		machine: m, pmus: readPMUs(s.root), access: tryAccess(s.k, m.CPUs[0].ID), security: readSecurity(s.root),
	}, nil
}

// Probe tries to open an event.
func (s *Source) Probe(context.Context) hwio.Status {
	st := hwio.Status{GPU: "cpu"}
	if runtime.GOOS != "linux" && s.root.Here() {
		st.Reason = hwio.ErrNeedsLinux.Error()
		return st
	}
	sit, err := s.look()
	if err != nil {
		st.Reason = err.Error()
		return st
	}
	st.Device = sit.machine.Model
	switch {
	case !sit.access.process:
		st.Reason, st.Fix = explain(sit.access.err, sit.security, true)
		return st
	case !sit.access.system:
		st.ProcessOnly = true
		reason, fix := explain(sit.access.err, sit.security, true)
		st.Reason = "only processes of yours can be measured (give a command or a process), not the whole machine: " + reason
		st.Fix = fix
	}
	st.Usable = true
	names := s.available(sit, genericEvents(), sit.access.system)
	if hw := s.hardware(sit, names); hw != "" {
		st.Details = append(st.Details, "no hardware events: "+hw)
	} else {
		st.Details = append(st.Details, fmt.Sprintf("%d generic hardware and cache events",
			count(names, func(e *event) bool { return e.core })))
	}
	st.Details = append(st.Details, fmt.Sprintf("%d software events",
		count(names, func(e *event) bool { return !e.core })))
	for i := range sit.pmus {
		if p := &sit.pmus[i]; len(p.events) > 0 {
			st.Details = append(st.Details, fmt.Sprintf("counter unit %s with %d named events", p.name, len(p.events)))
		}
	}
	if dir, none := tracefsDir(s.root); none != nil {
		st.Details = append(st.Details, "no tracepoints: "+none.Reason)
	} else {
		st.Details = append(st.Details, fmt.Sprintf("tracepoints of %d subsystems (tracepoint:SUBSYSTEM:EVENT, see %s)",
			len(s.root.List(dir)), dir))
	}
	return st
}

// Counters lists the generic events and those that the counter units name, as far as the kernel opens them. Tracepoints
// are not in the list: there are thousands.
func (s *Source) Counters(context.Context) ([]capture.Meta, error) {
	sit, err := s.look()
	if err != nil {
		return nil, err
	}
	if !sit.access.process {
		reason, fix := explain(sit.access.err, sit.security, true)
		return nil, fmt.Errorf("%s; %s", reason, fix)
	}
	var out []capture.Meta
	for _, e := range s.available(sit, s.known(sit), sit.access.system) {
		out = append(out, e.meta)
	}
	return out, nil
}

// Open starts measuring.
func (s *Source) Open(ctx context.Context, r hwio.Request) (hwio.Stream, error) {
	sit, err := s.look()
	if err != nil {
		return nil, err
	}
	whole := r.PID == 0
	if (whole && !sit.access.system) || !sit.access.process {
		reason, fix := explain(sit.access.err, sit.security, whole)
		return nil, fmt.Errorf("%s; %s", reason, fix)
	}
	events, err := s.choose(sit, r.Counters, whole)
	if err != nil {
		return nil, err
	}
	if len(events) == 0 {
		return nil, hwio.ErrNoMatch
	}
	p := &plan{machine: sit.machine, opener: opener{
		k: s.k, events: events, userOnly: sit.access.userOnly, inherit: !whole, onExec: r.OnExec,
		failed: map[int]error{}, sleep: s.sleep,
	}}
	if r.Period > 0 && r.Period <= samplingMost {
		st, err := s.openSampling(*p, sit, r)
		if err == nil {
			return st, nil
		}
		p.unsampled = err
	}
	if err := s.openAll(p, r); err != nil {
		return nil, s.openError(err, sit, r, len(events))
	}
	cfg := sit.machine.Config()
	cfg.Warnings = s.warnings(sit, p, r)
	return p.layout(cfg, !whole), nil
}

// samplingMost is the longest period at which the kernel takes the samples: beyond it there is little to gather.
const samplingMost = 50 * time.Millisecond

// openSampling opens groups that the kernel samples.
func (s *Source) openSampling(p plan, sit *situation, r hwio.Request) (hwio.Stream, error) {
	p.failed = map[int]error{}
	p.period = r.Period.Nanoseconds()
	p.maxRate, p.idle = s.sampleRate(p.period)
	if r.PID != 0 {
		p.idle = 0 // a CPU that runs the task is not idle
		if n := len(sit.machine.CPUs) * len(p.events); n > copiesMost {
			return nil, fmt.Errorf("every process that begins would take %d events with it, those of %d CPUs", n,
				len(sit.machine.CPUs))
		}
	}
	if err := s.openAll(&p, r); err != nil {
		return nil, err
	}
	for i := range p.events {
		if err := p.failed[i]; err != nil {
			p.closeAll()
			reason, _ := explain(err, sit.security, r.PID == 0)
			return nil, fmt.Errorf("%s cannot stand beside a timer: %s", p.events[i].meta.Name, reason)
		}
	}
	if len(p.groups) == 0 {
		return nil, hwio.ErrNoMatch
	}
	cfg := sit.machine.Config()
	cfg.Warnings = s.warnings(sit, &p, r)
	if p.idle > 0 {
		cfg.Properties = append(cfg.Properties, capture.Property{Name: "perfevent_idle_period", IsText: true,
			Text: fmt.Sprintf(
				"%v: so often the counters of a CPU that has nothing to do are taken, and spread evenly over the samples",
				time.Duration(p.idle))})
	}
	var st hwio.Stream
	var err error
	if r.PID == 0 {
		st, err = newSampling(&p, p.layout(cfg, false))
	} else {
		st, err = newTasks(&p, p.layout(cfg, true))
	}
	if err != nil {
		p.closeAll()
		return nil, err
	}
	return st, nil
}

// copiesMost is how many events the kernel may have to copy for every thread that begins, so that its samples have a
// ring on every CPU.
const copiesMost = 512

// A timer that makes as many samples between two ticks of the scheduler as kernel.perf_event_max_sample_rate allows is
// throttled. An idle CPU has no ticks for a while: the kernel stops them even where such a timer wakes it up, unless its
// cpuidle governor looks at when the next timer is due. Where samples would be too many for a time so long, an idle CPU
// makes fewer.
const (
	calmLeast    = 4 * time.Second
	calmGoverned = 400 * time.Millisecond
)

// calm is the longest time that an idle CPU is to be without a tick and not throttled.
func (s *Source) calm() time.Duration {
	const dir = "/sys/devices/system/cpu/cpuidle/"
	driver, err := s.root.String(dir + "current_driver")
	if err != nil || driver == "none" {
		return calmLeast
	}
	governor, err := s.root.String(dir + "current_governor")
	if err != nil { // its name of older kernels
		governor, err = s.root.String(dir + "current_governor_ro")
	}
	if err == nil && (governor == "menu" || governor == "teo") {
		return calmGoverned
	}
	return calmLeast
}

// sampleRate is the sample rate that the kernel allows, and the period for idle CPUs, 0 where that is the period.
func (s *Source) sampleRate(period int64) (rate uint64, idle int64) {
	v, err := s.root.Int("/proc/sys/kernel/perf_event_max_sample_rate")
	if err != nil || v <= 0 {
		return 0, 0
	}
	perTick := max(1, (v*s.k.tick()+int64(time.Second)-1)/int64(time.Second))
	if idle = s.calm().Nanoseconds() / perTick; idle <= period {
		idle = 0
	}
	return uint64(v), idle
}

// openAll opens and starts all groups. On error nothing stays open.
//
// A thread that begins while a group is being opened inherits what there is of it by then, and the kernel refuses to
// read the group for as long as that thread lives. Then all are opened anew, with that thread's own.
func (s *Source) openAll(p *plan, r hwio.Request) (err error) {
	const tries = 10
	for range tries {
		if r.PID == 0 {
			err = p.openSystem()
		} else {
			err = p.openTasks(s.root, r.PID)
		}
		if err == nil {
			err = p.enable()
		}
		if err == nil && r.PID != 0 {
			err = p.check()
		}
		if err == nil {
			return nil
		}
		p.closeAll()
		if !errors.Is(err, familyChanges) {
			return err
		}
		p.failed = map[int]error{}
	}
	return fmt.Errorf("threads of process %d begin all the time: %w", r.PID, err)
}

// check reports whether all groups can be read.
func (p *plan) check() error {
	for _, g := range p.groups {
		if err := g.readFirst(); err != nil {
			return fmt.Errorf("read a group of events: %w", err)
		}
	}
	return nil
}

// enable starts all groups; those of a command start when it does.
func (p *plan) enable() error {
	if p.onExec {
		return nil
	}
	for _, g := range p.groups {
		if err := g.leader.enable(); err != nil {
			return fmt.Errorf("start a group of events: %w", err)
		}
	}
	return nil
}

func (s *Source) openError(err error, sit *situation, r hwio.Request, events int) error {
	reason, fix := explain(err, sit.security, r.PID == 0)
	switch {
	case r.PID != 0 && (errors.Is(err, syscall.EACCES) || errors.Is(err, syscall.EPERM)):
		reason, fix = fmt.Sprintf("process %d belongs to another user or is protected", r.PID),
			"run astrolabe as that user or as root"
	case errors.Is(err, syscall.EMFILE):
		reason = fmt.Sprintf("%d counters on %d processors need about %d open files, more than this program may have",
			events, len(sit.machine.CPUs), events*len(sit.machine.CPUs))
	}
	if fix != "" {
		reason += "; " + fix
	}
	return fmt.Errorf("%s: %w", reason, err)
}

// warnings tells what the recording leaves out.
func (s *Source) warnings(sit *situation, p *plan, r hwio.Request) []string {
	var out []string
	if len(r.Counters) == 0 && !slices.ContainsFunc(p.events, func(e event) bool { return e.core }) {
		out = append(out, "perfevent: no hardware events: "+s.noHardware(sit))
	}
	if sit.access.userOnly {
		out = append(out, fmt.Sprintf("perfevent: kernel.perf_event_paranoid is %d: counts cover user space only, and events of the kernel such as context switches are left out", sit.security.paranoid))
	}
	if p.unsampled != nil {
		if r.PID != 0 && errors.Is(p.unsampled, syscall.EINVAL) {
			p.unsampled = errors.New("only Linux 6.12 or newer samples what processes inherit")
		}
		out = append(out, fmt.Sprintf("perfevent: the kernel does not take the samples itself, so that the recorder reads the counters at every tick, which costs more: %v", p.unsampled))
	}
	for i := range p.events {
		if err := p.failed[i]; err != nil && !opened(p.groups, i) {
			reason, _ := explain(err, sit.security, r.PID == 0)
			out = append(out, fmt.Sprintf("perfevent: %s is left out: %s", p.events[i].meta.Name, reason))
		}
	}
	for _, cpu := range p.silent {
		out = append(out, fmt.Sprintf("perfevent: CPU %d is left out: it is offline or has none of these counters", cpu))
	}
	return out
}

func opened(groups []*group, event int) bool {
	return slices.ContainsFunc(groups, func(g *group) bool { return slices.Contains(g.events, event) })
}
