package perfevent

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
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
	return &Source{root: sysroot.Root(root), k: newKernel(), sleep: time.Sleep}
}

// Name is "perfevent".
func (s *Source) Name() string { return sourceName }

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
	if runtime.GOOS != "linux" && s.root == "" {
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
		st.Details = append(st.Details, fmt.Sprintf("%d generic hardware and cache events", count(names, func(e *event) bool { return e.core })))
	}
	st.Details = append(st.Details, fmt.Sprintf("%d software events", count(names, func(e *event) bool { return !e.core })))
	for i := range sit.pmus {
		if p := &sit.pmus[i]; len(p.events) > 0 {
			st.Details = append(st.Details, fmt.Sprintf("counter unit %s with %d named events", p.name, len(p.events)))
		}
	}
	if dir, none := tracefsDir(s.root); none != nil {
		st.Details = append(st.Details, "no tracepoints: "+none.reason)
	} else {
		st.Details = append(st.Details, fmt.Sprintf("tracepoints of %d subsystems (tracepoint:SUBSYSTEM:EVENT, see %s)", len(s.root.List(dir)), dir))
	}
	return st
}

func count(events []event, f func(*event) bool) int {
	n := 0
	for i := range events {
		if f(&events[i]) {
			n++
		}
	}
	return n
}

// hardware says why no generic hardware event can be measured, "" where one can.
func (s *Source) hardware(sit *situation, available []event) string {
	if slices.ContainsFunc(available, func(e event) bool { return e.core }) {
		return ""
	}
	return s.noHardware(sit)
}

// noHardware says why a machine has no hardware events.
func (s *Source) noHardware(sit *situation) string {
	if len(sit.machine.Cores) > 0 {
		return "the kernel lists a counter unit (" + pmuName(&sit.machine.Cores[0]) + ") but opens none of its events"
	}
	info, _ := s.root.String("/proc/cpuinfo")
	if strings.Contains(info, " hypervisor ") || strings.HasSuffix(info, " hypervisor") {
		return "this is a virtual machine whose host does not pass the processor's counters on"
	}
	return "the kernel lists no counter unit for the processor's cores"
}

const noHardwareFix = "enable the virtual counter unit on the host (QEMU: -cpu host,pmu=on), or record on a machine with one; software events and procfs work here"

// available opens each event for a moment and returns those that the kernel takes.
func (s *Source) available(sit *situation, events []event, whole bool) []event {
	var out []event
	for _, e := range events {
		if s.tryEvent(sit, &e, whole) == nil {
			out = append(out, e)
		}
	}
	return out
}

var errKernelOnly = errors.New("it happens in the kernel, which you may not measure, and would read 0")

// tryEvent opens the event where it would be measured, on one processor or on this very process.
func (s *Source) tryEvent(sit *situation, e *event, whole bool) error {
	if sit.access.userOnly && e.kernelOnly {
		return errKernelOnly
	}
	if e.systemWide && !whole {
		return syscall.EINVAL
	}
	o := opener{k: s.k, userOnly: sit.access.userOnly && !whole, inherit: !whole}
	targets := []target{{pid: 0, cpu: -1}}
	if whole {
		targets = []target{{pid: -1, cpu: sit.machine.CPUs[0].ID}}
		if len(e.cpus) > 0 {
			targets[0].cpu = e.cpus[0]
		}
	}
	if e.core && len(sit.machine.Cores) > 1 {
		base := targets[0]
		targets = nil
		for i := range sit.machine.Cores {
			p := &sit.machine.Cores[i]
			if e.pmu != "" && e.pmu != p.Name {
				continue
			}
			t := base
			t.pmu = p
			if whole && len(p.CPUs) > 0 {
				t.cpu = p.CPUs[0]
			}
			targets = append(targets, t)
		}
	}
	var err error = syscall.ENOENT
	for _, t := range targets {
		var c counter
		if c, err = o.start(e, t, nil); err == nil {
			return c.close()
		}
	}
	return err
}

// Counters lists the generic events and those that the counter units name, as far as the kernel opens them. Tracepoints are not in
// the list: there are thousands.
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

// known are all events that have a name here.
func (s *Source) known(sit *situation) []event {
	all := genericEvents()
	for i := range sit.pmus {
		all = append(all, sit.pmus[i].namedEvents()...)
	}
	return all
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
		k: s.k, events: events, userOnly: sit.access.userOnly, inherit: !whole, onExec: r.OnExec, failed: map[int]error{}, sleep: s.sleep,
	}}
	if whole {
		err = p.openSystem()
	} else {
		err = p.openTasks(s.root, r.PID)
	}
	if err == nil {
		err = p.enable()
	}
	if err != nil {
		p.closeAll()
		return nil, s.openError(err, sit, r, len(events))
	}
	cfg := sit.machine.Config()
	cfg.Warnings = s.warnings(sit, p, r)
	return p.layout(cfg, !whole), nil
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
		reason, fix = fmt.Sprintf("process %d belongs to another user or is protected", r.PID), "run astrolabe as that user or as root"
	case errors.Is(err, syscall.EMFILE):
		reason = fmt.Sprintf("%d counters on %d processors need about %d open files, more than this program may have", events, len(sit.machine.CPUs), events*len(sit.machine.CPUs))
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

// choose finds the events that the patterns ask for, the default set where there are none.
func (s *Source) choose(sit *situation, patterns []string, whole bool) ([]event, error) {
	known := s.known(sit)
	var chosen []event
	add := func(e event) {
		if !slices.ContainsFunc(chosen, func(c event) bool { return c.meta.Name == e.meta.Name }) {
			chosen = append(chosen, e)
		}
	}
	if len(patterns) == 0 {
		var want []event
		for _, e := range known {
			if e.isDefault() {
				want = append(want, e)
			}
		}
		return s.available(sit, want, whole), nil
	}
	for _, p := range patterns {
		if hwio.IsGlob(p) {
			var want []event
			for _, e := range known {
				if matches(p, &e) {
					want = append(want, e)
				}
			}
			for _, e := range s.available(sit, want, whole) {
				add(e)
			}
			continue
		}
		e, err := s.named(sit, p, known)
		if err != nil {
			out := &hwio.CounterError{Counter: p, Reason: err.Error(), Err: err}
			var none *noTracepoints
			if errors.As(err, &none) {
				out.Fix = none.fix
			}
			return nil, out
		}
		if e == nil {
			continue
		}
		if err := s.tryEvent(sit, e, whole); err != nil {
			return nil, s.eventError(sit, p, e, err, whole)
		}
		add(*e)
	}
	return chosen, nil
}

// named finds the event of an exact name or specification, nil if this source has none.
func (s *Source) named(sit *situation, text string, known []event) (*event, error) {
	if i := slices.IndexFunc(known, func(e event) bool { return matches(text, &e) }); i >= 0 {
		return &known[i], nil
	}
	if !isSpec(text) {
		return nil, nil
	}
	sp, err := parseSpec(text)
	if err != nil && strings.Count(text, ":") == 1 && !strings.Contains(text, "/") {
		// As perf writes a tracepoint.
		sp, err = parseSpec("tracepoint:" + text)
		sp.text = text
	}
	if err != nil {
		return nil, err
	}
	return resolve(sp, s.root, sit.pmus)
}

func matches(pattern string, e *event) bool { return hwio.Match(pattern, &e.meta) }

// eventError says why an event that the user named cannot be measured.
func (s *Source) eventError(sit *situation, name string, e *event, err error, whole bool) error {
	out := &hwio.CounterError{Counter: name, Err: err}
	switch {
	case errors.Is(err, errKernelOnly):
		out.Reason = err.Error()
		out.Fix = grant(1)
	case e.systemWide && !whole:
		out.Reason = fmt.Sprintf("the unit %s counts for the whole machine and cannot be limited to a process", e.pmu)
		out.Fix = "record it without a process or command"
	case e.core && len(sit.machine.Cores) == 0 && (notHere(err) || errors.Is(err, syscall.EINVAL)):
		out.Reason, out.Fix = s.noHardware(sit), noHardwareFix
	default:
		out.Reason, out.Fix = explain(err, sit.security, whole)
	}
	return out
}

// Diagnose says for each kind of event whether it can be measured here.
func (s *Source) Diagnose(ctx context.Context) []hwio.Finding {
	st := s.Probe(ctx)
	finding := func(what string) hwio.Finding { return hwio.Finding{Source: sourceName, What: what, Usable: true} }
	if !st.Usable {
		f := finding("performance events (perf_event_open)")
		f.Usable, f.Reason, f.Fix = false, st.Reason, st.Fix
		return []hwio.Finding{f}
	}
	sit, err := s.look()
	if err != nil {
		f := finding("performance events (perf_event_open)")
		f.Usable, f.Reason = false, err.Error()
		return []hwio.Finding{f}
	}
	whole := finding("the whole machine, kernel included")
	if !sit.access.system {
		whole.Usable = false
		whole.Reason, whole.Fix = explain(sit.access.err, sit.security, true)
	} else if sit.security.known {
		whole.Reason = fmt.Sprintf("kernel.perf_event_paranoid is %d", sit.security.paranoid)
		if sit.security.perfmon {
			whole.Reason += ", which does not bind you: you have CAP_PERFMON or CAP_SYS_ADMIN"
		}
	}
	tasks := finding("your own processes and commands")
	if sit.access.userOnly {
		tasks.Reason, tasks.Fix = "user space only: kernel.perf_event_paranoid is "+fmt.Sprint(sit.security.paranoid), grant(1)
	}
	avail := s.available(sit, genericEvents(), sit.access.system)
	hw := finding(fmt.Sprintf("hardware events (%d: cycles, instructions, caches, …)", count(avail, func(e *event) bool { return e.core })))
	if why := s.hardware(sit, avail); why != "" {
		hw = finding("hardware events (cycles, instructions, caches, …)")
		hw.Usable, hw.Reason, hw.Fix = false, why, noHardwareFix
	}
	sw := finding(fmt.Sprintf("software events (%d: faults, context switches, …)", count(avail, func(e *event) bool { return !e.core })))
	out := []hwio.Finding{whole, tasks, hw, sw}
	for i := range sit.pmus {
		p := &sit.pmus[i]
		named := p.namedEvents()
		if len(named) == 0 || p.core {
			continue
		}
		f := finding(fmt.Sprintf("counter unit %s (%d named events)", p.name, len(named)))
		if n := len(s.available(sit, named, sit.access.system)); n == 0 {
			f.Usable = false
			err := s.tryEvent(sit, &named[0], sit.access.system)
			if !sit.access.system {
				err = sit.access.err
			}
			f.Reason, f.Fix = explain(err, sit.security, true)
		}
		out = append(out, f)
	}
	tp := finding("tracepoints")
	if _, none := tracefsDir(s.root); none != nil {
		tp.Usable, tp.Reason, tp.Fix = false, none.reason, none.fix
	}
	return append(out, tp)
}
