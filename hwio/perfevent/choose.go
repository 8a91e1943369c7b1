package perfevent

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"

	"astrolabe/hwio"
)

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
			return nil, &hwio.CounterError{Counter: p, Problem: *hwio.ProblemOf(err)}
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
	out := &hwio.CounterError{Counter: name, Problem: hwio.Problem{Cause: err}}
	switch {
	case errors.Is(err, errKernelOnly):
		out.Reason = err.Error()
		out.Fix = sit.security.grant(1)
	case e.systemWide && !whole:
		out.Reason = fmt.Sprintf("the unit %s counts for the whole machine and cannot be limited to a process", e.pmu)
		out.Fix = "record it without a process or command"
	case e.core && (notHere(err) || errors.Is(err, syscall.EINVAL)) &&
		(len(sit.machine.Cores) == 0 || len(s.available(sit, hardwareEvents(), whole)) == 0):
		out.Reason, out.Fix = s.noHardware(sit), noHardwareFix
	default:
		out.Reason, out.Fix = explain(err, sit.security, whole)
	}
	return out
}

// known are all events that have a name here.
func (s *Source) known(sit *situation) []event {
	all := genericEvents()
	for i := range sit.pmus {
		all = append(all, sit.pmus[i].namedEvents()...)
	}
	return all
}

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
