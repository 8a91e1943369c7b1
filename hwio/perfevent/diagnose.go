package perfevent

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"astrolabe/hwio"
)

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
		tasks.Reason, tasks.Fix = "user space only: kernel.perf_event_paranoid is "+
			fmt.Sprint(sit.security.paranoid), sit.security.grant(1)
	}
	avail := s.available(sit, genericEvents(), sit.access.system)
	hw := finding("hardware events (" + some(avail, func(e *event) bool { return e.core }) + ")")
	if why := s.hardware(sit, avail); why != "" {
		hw = finding("hardware events (cycles, instructions, caches, …)")
		hw.Usable, hw.Reason, hw.Fix = false, why, noHardwareFix
	}
	sw := finding("software events (" + some(avail, func(e *event) bool { return !e.core }) + ")")
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
		tp.Usable, tp.Reason, tp.Fix = false, none.Reason, none.Fix
	}
	return append(out, tp)
}

// some is how many events there are, and the names of the first.
func some(events []event, f func(*event) bool) string {
	const named = 3
	var names []string
	for i := range events {
		if f(&events[i]) {
			names = append(names, events[i].meta.Name)
		}
	}
	n := len(names)
	if n > named {
		names = append(names[:named], "…")
	}
	return fmt.Sprintf("%d: %s", n, strings.Join(names, ", "))
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
