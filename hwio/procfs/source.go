package procfs

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"

	"astrolabe/capture"
	"astrolabe/hwio"
	"astrolabe/hwio/internal/sysroot"
	"astrolabe/hwio/internal/topology"
)

const sourceName = "procfs"

// Source measures the machine below a root folder.
type Source struct {
	root sysroot.Root
}

var (
	_ hwio.Source    = (*Source)(nil)
	_ hwio.Diagnoser = (*Source)(nil)
)

// New returns the source of the machine whose /proc and /sys lie below root; "" is this machine.
func New(root string) *Source { return &Source{root: sysroot.At(root)} }

// Name is "procfs".
func (s *Source) Name() string { return sourceName }

// Groups are the names that it shares with other sources.
func (s *Source) Groups() []hwio.Group { return []hwio.Group{{Name: "cpu", Together: true}} }

// Doc describes the source.
func (s *Source) Doc() string {
	return "processor time, interrupts, pressure stalls, frequency, load, memory and sensors from the kernel's text files"
}

// Probe tries to read /proc/stat.
func (s *Source) Probe(context.Context) hwio.Status {
	st := hwio.Status{GPU: "cpu"}
	if _, err := s.root.Read("/proc/stat"); err != nil {
		if runtime.GOOS != "linux" {
			st.Reason = hwio.ErrNeedsLinux.Error()
			return st
		}
		st.Reason = fmt.Sprintf("the kernel's statistics cannot be read: %v", err)
		st.Fix = "mount proc on /proc (mount -t proc proc /proc)"
		return st
	}
	m, err := topology.Read(s.root)
	if err != nil {
		st.Reason = err.Error()
		return st
	}
	st.Usable = true
	st.Device = m.Model
	hz := userHZ(s.root)
	st.Details = append(st.Details, fmt.Sprintf("%s in %s; processor times come in steps of %d ms",
		several(len(m.CPUs), "CPU"), several(m.Clusters(), "cluster"), 1000/hz))
	return st
}

// several is so many of something: "2 CPUs", "1 cluster".
func several(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprint(n, " ", what)
}

// Counters lists what this machine offers.
func (s *Source) Counters(context.Context) ([]capture.Meta, error) {
	l, err := s.layout(nil)
	if err != nil {
		return nil, err
	}
	defer l.close()
	var out []capture.Meta
	for _, c := range l.cols {
		m := c.meta
		m.Instance = ""
		if !slices.ContainsFunc(out, func(o capture.Meta) bool { return o.Name == m.Name }) {
			out = append(out, m)
		}
	}
	return out, nil
}

// Open starts measuring the whole machine; a process in the request does not narrow it.
func (s *Source) Open(_ context.Context, r hwio.Request) (hwio.Stream, error) {
	l, err := s.layout(r.Counters)
	if err != nil {
		return nil, err
	}
	if len(l.cols) == 0 {
		l.close()
		return nil, hwio.ErrNoMatch
	}
	return newStream(l, r.Period), nil
}

// Diagnose says for each kind of file whether the machine has it.
func (s *Source) Diagnose(ctx context.Context) []hwio.Finding {
	st := s.Probe(ctx)
	out := []hwio.Finding{{Source: sourceName, What: "processor time, interrupts, context switches", Usable: st.Usable,
		Reason: st.Reason, Fix: st.Fix}}
	if !st.Usable {
		return out
	}
	metas, err := s.Counters(ctx)
	if err != nil {
		out[0].Usable, out[0].Reason = false, err.Error()
		return out
	}
	has := func(block string, name string) bool {
		return slices.ContainsFunc(metas, func(m capture.Meta) bool {
			return m.Name == name ||
				(block != "" && m.Block == block)
		})
	}
	add := func(what string, ok bool, reason, fix string) {
		f := hwio.Finding{Source: sourceName, What: what, Usable: ok}
		if !ok {
			f.Reason, f.Fix = reason, fix
		}
		out = append(out, f)
	}
	add("pressure stalls (tasks waiting for CPU, memory, I/O)", has("pressure", ""),
		"the kernel was built or started without pressure stall information",
		"boot with psi=1 on the kernel command line (needs CONFIG_PSI)")
	add("CPU frequency", has("", "cpu_frequency"), "no frequency driver: a virtual machine or a fixed clock",
		"on real hardware load the platform's cpufreq driver; in a virtual machine record on the host")
	add("temperatures of thermal zones", has("thermal", ""), "the machine has no thermal zone", "")
	add("sensor chips (temperature, power, fans)", has("hwmon", ""), "no sensor driver is loaded",
		"on real hardware run sensors-detect or load the driver, such as coretemp or k10temp")
	return out
}

// layout finds the columns that the patterns ask for, all where there are none, and opens their files.
func (s *Source) layout(patterns []string) (*layout, error) {
	cpus, err := topology.Online(s.root)
	if err != nil {
		return nil, err
	}
	l := &layout{hz: userHZ(s.root), stat: newStat(cpus), want: func(m *capture.Meta) bool {
		return len(patterns) == 0 || hwio.MatchAny(patterns, m)
	}}
	if m, err := topology.Read(s.root); err == nil {
		l.config = m.Config()
	}
	if err := errors.Join(l.addStat(s.root, cpus), l.addPressure(s.root)); err != nil {
		l.close()
		return nil, err
	}
	for _, sen := range sensors(s.root, cpus) {
		if l.want(&sen.meta) {
			l.addSensor(s.root, sen)
		}
	}
	return l, nil
}
