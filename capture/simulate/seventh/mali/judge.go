package mali

import (
	"cmp"
	"slices"
	"sort"
	"strings"

	"astrolabe/capture/simulate"
)

// stretch is a row of frames that are judged together.
type stretch struct {
	name        string
	first, last int
}

// stretches are all frames after the warm-up, and those of each phase without their first, which still share the
// pipeline with the phase before.
func (w *load) stretches() []stretch {
	out := []stretch{{"", w.warm, len(w.frames) - 1}}
	if len(w.contents) < 2 {
		return out
	}
	const settle = 4
	begin := w.warm
	for i := w.warm; i <= len(w.frames); i++ {
		if i < len(w.frames) && w.frames[i].content == w.frames[begin].content {
			continue
		}
		first := begin
		if begin > w.warm {
			first += settle
		}
		out = append(out, stretch{w.contents[w.frames[begin].content].name, first, i - 1})
		begin = i
	}
	return out
}

func (m *machine) span(s stretch) (start, end int64) {
	return m.frames[s.first-1].flip, m.frames[s.last].flip
}

// judge finds out by relief what limits a load.
func judge(c *chip, w *load) (*simulate.Truth, error) {
	base := newMachine(c, w, nothing)
	base.path.keep = true
	if err := base.simulate(); err != nil {
		return nil, err
	}
	list := w.stretches()
	parts := make([]simulate.Part, len(list))
	for i, s := range list {
		parts[i] = base.part(s)
	}
	truth := &simulate.Truth{}
	for i := range base.frames {
		f := &base.frames[i]
		truth.Each = append(truth.Each, simulate.FrameTruth{Content: w.frames[i].content, Begin: f.begin, GPUBegin: f.gpuBegin,
			GPUEnd: f.done, Shown: f.flip, Missed: f.missed, Judged: i >= w.warm})
	}
	leaves := func(p *simulate.Part) *[]simulate.Gain { return &p.Leaves }
	queues := func(p *simulate.Part) *[]simulate.Gain { return &p.Queues }
	whole := func(p *simulate.Part) *[]simulate.Gain { return &p.Whole }
	var failed error
	try := func(name simulate.Candidate, work bool, put func(p *simulate.Part) *[]simulate.Gain, change func(r *relief)) {
		r := nothing
		change(&r)
		m := newMachine(c, w, r)
		if work && failed == nil {
			failed = m.simulate()
		}
		for i := range parts {
			g := simulate.Gain{Candidate: name, Simulated: work}
			if all := parts[i].End - parts[i].Start; work && all > 0 && failed == nil {
				start, end := m.span(list[i])
				g.Percent = 100 * float64(all-(end-start)) / float64(all)
			}
			to := put(&parts[i])
			*to = append(*to, g)
		}
	}
	asked := c.asked(w)
	for s := range stations {
		if s != stRays || c.rays {
			try(candidates[s], asked[s], leaves, func(r *relief) { r.station = s })
		}
	}
	try(simulate.LaunchOverhead, true, leaves, func(r *relief) { r.launch = true })
	try(simulate.CPUApp, true, leaves, func(r *relief) { r.app = true })
	try(simulate.CPUDriver, true, leaves, func(r *relief) { r.driver = true })
	try(simulate.CPUSync, true, leaves, func(r *relief) { r.wait = true })
	if w.loose() {
		try(simulate.QueuesInTurn, true, leaves, func(r *relief) { r.loose = true })
		try(simulate.QueuesInTurn, true, queues, func(r *relief) { r.loose = true })
	}
	if holder, low := base.dial.holder(base.now); low {
		try(holder, true, leaves, func(r *relief) { r.clock = true })
	}
	for q, name := range c.queues() {
		try(simulate.Candidate{Level: simulate.LevelQueue, Name: name}, true, queues, func(r *relief) { r.queue = q })
	}
	try(simulate.WholeCPU, true, whole, func(r *relief) { r.app, r.driver, r.wait = true, true, true })
	try(simulate.WholeGPU, true, whole, func(r *relief) { r.gpu = true })
	if failed != nil {
		return nil, failed
	}
	for i := range parts {
		parts[i].Conclude()
	}
	truth.Part = parts[0]
	truth.Phases = parts[1:]
	if len(truth.Phases) == 0 {
		truth.Phases = nil
	}
	if !w.pace.Adaptive {
		truth.Hold(float64(w.pace.Refresh))
	}
	return truth, nil
}

// part is what the simulation itself says of some frames.
func (m *machine) part(s stretch) simulate.Part {
	start, end := m.span(s)
	p := simulate.Part{Name: s.name, First: s.first, Frames: s.last - s.first + 1, Start: start, End: end}
	for i := s.first; i <= s.last; i++ {
		p.Missed += m.frames[i].missed
	}
	leaf, by := map[simulate.Candidate]int64{}, map[simulate.Candidate]int64{}
	m.path.walk(m.frames[s.last].flipNode, start, func(ns int64, cause uint8, queue int8, turn bool) {
		leaf[candidates[cause]] += ns
		switch {
		case queue < 0:
			by[candidates[cause]] += ns
		case turn:
			by[simulate.QueuesInTurn] += ns
		default:
			by[simulate.Candidate{Level: simulate.LevelQueue, Name: m.c.queues()[queue]}] += ns
		}
	})
	p.Shares, p.QueueShares = sorted(leaf), sorted(by)
	if end > start {
		a, b := m.markAt(start), m.markAt(end)
		p.GPUBusy = (b.busy - a.busy) / float64(end-start)
		p.ClockMean = (b.clock - a.clock) / float64(end-start)
	}
	return p
}

// markAt is how busy the GPU was up to a time; it went on as before where the simulation ended earlier.
func (m *machine) markAt(t int64) mark {
	i := sort.Search(len(m.marks), func(i int) bool { return m.marks[i].t >= t })
	switch {
	case i == len(m.marks):
		last := m.marks[i-1]
		last.clock += float64(t-last.t) * m.dial.share
		return last
	case i == 0 || m.marks[i].t == t:
		return m.marks[i]
	}
	a, b := m.marks[i-1], m.marks[i]
	x := float64(t-a.t) / float64(b.t-a.t)
	return mark{t, a.busy + x*(b.busy-a.busy), a.clock + x*(b.clock-a.clock)}
}

func sorted(of map[simulate.Candidate]int64) (out []simulate.Share) {
	for c, ns := range of {
		out = append(out, simulate.Share{Candidate: c, Ns: ns})
	}
	slices.SortFunc(out, func(a, b simulate.Share) int {
		return cmp.Or(cmp.Compare(b.Ns, a.Ns), strings.Compare(a.Candidate.String(), b.Candidate.String()))
	})
	return out
}

// asked says which stations have any work.
func (c *chip) asked(w *load) (out [stations]bool) {
	for i := range w.contents {
		for k := range w.contents[i].jobs {
			for _, p := range w.contents[i].jobs[k].parts {
				d := c.class(&p, 1, &nothing, 0)
				for s := range stations {
					out[s] = out[s] || d.demand[s] > 0
				}
			}
		}
	}
	return out
}

// loose reports whether any dependency is needless.
func (w *load) loose() bool {
	for i := range w.contents {
		for _, j := range w.contents[i].jobs {
			for _, d := range j.after {
				if d.loose {
					return true
				}
			}
		}
	}
	return false
}
