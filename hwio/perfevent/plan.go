package perfevent

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"astrolabe/capture"
	"astrolabe/hwio/internal/sysroot"
	"astrolabe/hwio/internal/topology"
)

// domain is the events that may share groups: those of one counter unit.
func (e *event) domain() string {
	switch {
	case e.core:
		return "core"
	case e.pmu != "":
		return e.pmu
	case e.typ == typeTracepoint:
		return "tracepoint"
	}
	return "software"
}

// plan opens everything that a request asks for.
type plan struct {
	opener
	machine *topology.Machine
	groups  []*group
	silent  []int // CPUs on which no event could be opened, as they just went offline

	unsampled error // why the kernel does not take the samples, though it could be of use
}

// domains splits the events into those of each unit, in the order of their first event.
func (p *plan) domains() (names []string, members map[string][]int) {
	members = map[string][]int{}
	for i := range p.events {
		d := p.events[i].domain()
		if members[d] == nil {
			names = append(names, d)
		}
		members[d] = append(members[d], i)
	}
	return names, members
}

// openSystem opens groups on every processor.
func (p *plan) openSystem() error {
	names, members := p.domains()
	tested := map[string]bool{}
	for _, cpu := range p.machine.CPUs {
		pmu := p.machine.PMUOf(cpu.ID)
		before, tried := len(p.groups), false
		for _, d := range names {
			idx := members[d]
			t := target{pid: -1, cpu: cpu.ID}
			if cpus := p.events[idx[0]].cpus; cpus != nil && !slices.Contains(cpus, cpu.ID) {
				continue
			}
			open := p.openGroups
			if d == "core" {
				if len(p.machine.Cores) > 1 {
					t.pmu = pmu
				}
				if idx = p.ofPMU(idx, pmu); len(idx) == 0 {
					continue
				}
				if kind := pmuName(pmu); !tested[kind] {
					tested[kind] = true
					open = p.openFitting
				}
			}
			groups, err := open(t, idx)
			if err != nil {
				return err
			}
			tried = true
			p.groups = append(p.groups, groups...)
		}
		if tried && len(p.groups) == before {
			p.silent = append(p.silent, cpu.ID)
		}
	}
	return nil
}

// openTasks opens groups on every thread of a process. Threads and children that it starts from now on are inherited.
func (p *plan) openTasks(root sysroot.Root, pid int) error {
	names, members := p.domains()
	tids := []int{}
	for _, name := range root.List(fmt.Sprintf("/proc/%d/task", pid)) {
		if tid, err := strconv.Atoi(name); err == nil {
			tids = append(tids, tid)
		}
	}
	if len(tids) == 0 {
		tids = []int{pid}
	}
	opened := 0
	for _, tid := range tids {
		groups, err := p.openTask(tid, names, members)
		if errors.Is(err, syscall.ESRCH) {
			continue // the thread has just ended
		}
		if err != nil {
			return err
		}
		opened++
		p.groups = append(p.groups, groups...)
	}
	if opened == 0 {
		return syscall.ESRCH
	}
	return nil
}

func (p *plan) openTask(tid int, names []string, members map[string][]int) (all []*group, err error) {
	defer func() {
		if err != nil {
			for _, g := range all {
				_ = g.close()
			}
		}
	}()
	if p.period > 0 {
		return p.openTaskOnCPUs(tid, names, members)
	}
	for _, d := range names {
		if d != "core" || len(p.machine.Cores) < 2 {
			groups, err := p.openGroups(target{pid: tid, cpu: -1}, members[d])
			if err != nil {
				return all, err
			}
			all = append(all, groups...)
			continue
		}
		for k := range p.machine.Cores {
			pmu := &p.machine.Cores[k]
			groups, err := p.openGroups(target{pid: tid, cpu: -1, pmu: pmu, extra: k > 0}, p.ofPMU(members[d], pmu))
			if err != nil {
				return all, err
			}
			all = append(all, groups...)
		}
	}
	return all, nil
}

// openTaskOnCPUs opens groups of a thread on every CPU: the kernel writes what an inherited event samples to the ring
// of a CPU.
func (p *plan) openTaskOnCPUs(tid int, names []string, members map[string][]int) (all []*group, err error) {
	for n, cpu := range p.machine.CPUs {
		pmu := p.machine.PMUOf(cpu.ID)
		for _, d := range names {
			t, idx := target{pid: tid, cpu: cpu.ID, extra: n > 0}, members[d]
			if d == "core" && len(p.machine.Cores) > 1 {
				t.pmu, idx = pmu, p.ofPMU(idx, pmu)
			}
			groups, err := p.openGroups(t, idx)
			if err != nil {
				return all, err
			}
			all = append(all, groups...)
		}
	}
	return all, nil
}

// ofPMU leaves out the events that belong to another kind of core.
func (p *plan) ofPMU(idx []int, pmu *topology.CorePMU) []int {
	var out []int
	for _, i := range idx {
		if e := &p.events[i]; e.pmu == "" || (pmu != nil && e.pmu == pmu.Name) {
			out = append(out, i)
		}
	}
	return out
}

func pmuName(p *topology.CorePMU) string {
	if p == nil {
		return ""
	}
	return p.Name
}

func (p *plan) closeAll() {
	for _, g := range p.groups {
		_ = g.close()
	}
	p.groups = nil
}

// layout gives every event its columns and makes the stream. perTask says that a column is the sum over all threads.
func (p *plan) layout(cfg capture.Config, perTask bool) *stream {
	s := &stream{groups: p.groups, perTask: perTask, opener: &p.opener}
	s.schema.Config = cfg
	type key struct{ event, cpu int }
	at := map[key]int{}
	for i := range p.events {
		e := &p.events[i]
		for _, g := range p.groups {
			k := slices.Index(g.events, i)
			if k < 0 {
				continue
			}
			cpu := g.column()
			where := key{i, cpu}
			col, ok := at[where]
			if !ok {
				col = len(s.schema.Columns)
				at[where] = col
				m := e.meta
				if cpu >= 0 {
					m.Instance = strconv.Itoa(cpu)
				}
				s.schema.Columns = append(s.schema.Columns, capture.ColumnSpec{Meta: m, Integer: e.scale == 0})
				s.cols = append(s.cols, column{scale: e.scale, cpu: cpu, name: e.meta.Name})
			}
			g.cols[k] = col
		}
	}
	p.coverage(s)
	s.acc = make([]sum, len(s.cols))
	return s
}

// coverage adds two columns for each group of the cores' unit on a processor, or for a task's groups of that number:
// which share of the time it counted, and how long it was to count.
func (p *plan) coverage(s *stream) {
	type key struct{ cpu, k int }
	at := map[key]int{}
	turns := map[int]string{}
	count := map[target]int{}
	perCPU := map[int]int{}
	for _, g := range p.groups {
		if p.events[g.first()].core {
			t := g.target
			count[t]++
			perCPU[t.column()] = max(perCPU[t.column()], count[t])
		}
	}
	clear(count)
	for _, g := range p.groups {
		if !p.events[g.first()].core {
			continue
		}
		cpu := g.column()
		where := key{cpu, count[g.target]}
		count[g.target]++
		col, ok := at[where]
		if !ok {
			col = len(s.schema.Columns)
			at[where] = col
			share := meta(capture.TurnShare, "Counter coverage", "percent", "core",
				"Share of the time in which the group of hardware events was really counting. Below 100 the values of its events are scaled up and are estimates.")
			share.Kind, share.Combine = capture.Gauge, capture.CombineMean
			enabled := meta(capture.TurnEnabled, "Counter enabled time", "ns", "core",
				"Time in which the group of hardware events was to count, of which counter_coverage is a share: sums are scaled up by both.")
			enabled.Combine = capture.CombineMean
			turn := capture.TurnWhole
			switch {
			case cpu >= 0 && perCPU[cpu] > 1:
				turn = fmt.Sprintf("%d/group%d", cpu, where.k)
			case cpu >= 0:
				turn = strconv.Itoa(cpu)
			case perCPU[cpu] > 1:
				turn = fmt.Sprintf("group%d", where.k)
			}
			if turn != capture.TurnWhole {
				share.Instance, enabled.Instance = turn, turn
			}
			var names []string
			for _, i := range g.events {
				if i != clockOnly {
					names = append(names, p.events[i].meta.Name)
				}
			}
			of := strings.Join(names, ", ")
			share.Doc += " This group: " + of + "."
			enabled.Doc += " This group: " + of + "."
			s.schema.Columns = append(s.schema.Columns, capture.ColumnSpec{Meta: share},
				capture.ColumnSpec{Meta: enabled, Integer: true})
			s.cols = append(s.cols, column{cpu: cpu, coverage: true, name: of},
				column{cpu: cpu, enabledTime: true, name: of})
			turns[col] = turn
		}
		g.coverage = col
		for _, c := range g.cols {
			if c >= 0 {
				s.schema.Columns[c].Meta.TurnOf = turns[col]
			}
		}
	}
}
