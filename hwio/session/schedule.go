package session

import (
	"maps"
	"slices"
)

// need is the hardware counters of one enabled counter.
type need struct {
	kind     Kind
	hardware []Hardware
}

// plan says which hardware counters each pass holds, and where those of each counter are.
type plan struct {
	passes [][]Hardware
	where  [][]place // of each need, of each of its hardware counters
}

// place is one copy of a hardware counter.
type place struct{ pass, offset int }

// filling is a pass while it is filled.
type filling struct {
	list   []Hardware
	at     map[string]int
	used   map[string]int // per block instance
	events map[string]bool
	stage  string
	sq     bool // holds SQ counters
	tex    bool // holds counters that exclude them
	stamp  bool // holds a timestamp
}

func newFilling() *filling {
	return &filling{at: map[string]int{}, used: map[string]int{}, events: map[string]bool{}}
}

func (p *filling) clone() *filling {
	q := *p
	q.list, q.at, q.used, q.events = slices.Clone(p.list), maps.Clone(p.at), maps.Clone(p.used), maps.Clone(p.events)
	return &q
}

func instanceKey(h *Hardware) string {
	return h.Block + "\x00" + string(rune(h.Instance))
}

// add puts a counter into the pass; false says that it does not fit, and nothing changed. A counter that is there
// already needs no place.
func (p *filling) add(h Hardware, l *Limits) bool {
	if _, ok := p.at[h.Name]; ok {
		return true
	}
	if p.stamp || h.timestamp() && len(p.list) > 0 {
		return false
	}
	key := instanceKey(&h)
	if n, limited := l.Slots[h.Block]; limited && p.used[key] >= n {
		return false
	}
	stage, sq := h.stage()
	switch {
	case sq && (p.tex || p.sq && p.stage != stage):
		return false
	case sq && l.SQ > 0 && !p.events[h.Event] && len(p.events) >= l.SQ:
		return false
	case h.texture() && p.sq:
		return false
	}
	p.at[h.Name] = len(p.list)
	p.list = append(p.list, h)
	p.used[key]++
	p.stamp = p.stamp || h.timestamp()
	p.tex = p.tex || h.texture()
	if sq {
		p.sq, p.stage = true, stage
		p.events[h.Event] = true
	}
	return true
}

// holds reports whether all counters are in the pass.
func (p *filling) holds(list []Hardware) bool {
	return !slices.ContainsFunc(list, func(h Hardware) bool { _, ok := p.at[h.Name]; return !ok })
}

// scheduler packs counters into passes: GPA's "consolidated" algorithm.
type scheduler struct {
	limits Limits
	passes []*filling
}

// schedule packs the needs: derived counters in their order, then hardware counters by themselves, then software
// counters.
func schedule(needs []need, limits Limits) *plan {
	s := &scheduler{limits: limits}
	out := &plan{where: make([][]place, len(needs))}
	for _, kind := range Kinds {
		for i, n := range needs {
			if n.kind != kind {
				continue
			}
			if kind == kindPublic {
				out.where[i] = s.public(n.hardware)
				continue
			}
			for _, h := range n.hardware {
				out.where[i] = append(out.where[i], s.single(h))
			}
		}
	}
	for _, p := range s.passes {
		out.passes = append(out.passes, p.list)
	}
	return out
}

// split packs the counters of one derived counter alone, which gives the least number of passes for it.
func (s *scheduler) split(list []Hardware) [][]Hardware {
	var alone []*filling
next:
	for _, h := range list {
		for _, p := range alone {
			if p.add(h, &s.limits) {
				continue next
			}
		}
		p := newFilling()
		p.add(h, &s.limits)
		alone = append(alone, p)
	}
	out := make([][]Hardware, len(alone))
	for i, p := range alone {
		out[i] = p.list
		if s.limits.Cap > 0 {
			s.limits.Cap = max(s.limits.Cap, len(p.list))
		}
	}
	return out
}

// public places a derived counter and returns where each of its hardware counters is.
func (s *scheduler) public(list []Hardware) []place {
	at := map[string]place{}
	put := func(pass int, part []Hardware) {
		for _, h := range part {
			at[h.Name] = place{pass, s.passes[pass].at[h.Name]}
		}
	}
	var rest [][]Hardware
	// A part that another counter has already brought into a pass as a whole is measured there and needs no place.
	for _, part := range s.split(list) {
		if i := slices.IndexFunc(s.passes, func(p *filling) bool { return p.holds(part) }); i >= 0 {
			put(i, part)
			continue
		}
		rest = append(rest, part)
	}
	if len(rest) > 0 {
		// Ends, because passes behind the last are empty and a part fits an empty one.
		for first := 0; ; first++ {
			if filled, ok := s.window(first, rest); ok {
				for k, p := range filled {
					if first+k == len(s.passes) {
						s.passes = append(s.passes, p)
					}
					s.passes[first+k] = p
					put(first+k, rest[k])
				}
				break
			}
		}
	}
	out := make([]place, len(list))
	for i, h := range list {
		out[i] = at[h.Name]
	}
	return out
}

// window tries to put the parts into consecutive passes from the given one on; behind the last pass there are empty
// ones.
func (s *scheduler) window(first int, parts [][]Hardware) (filled []*filling, ok bool) {
	for k, part := range parts {
		p := newFilling()
		if first+k < len(s.passes) {
			p = s.passes[first+k].clone()
		}
		empty := len(p.list) == 0
		for _, h := range part {
			if !p.add(h, &s.limits) {
				return nil, false
			}
		}
		// An empty pass may hold more than the limit: the counter fits nowhere else.
		if !empty && s.over(p) {
			return nil, false
		}
		filled = append(filled, p)
	}
	return filled, true
}

// over reports whether a pass holds more counters than it may.
func (s *scheduler) over(p *filling) bool {
	return s.limits.Cap > 0 && len(p.list) > s.limits.Cap || s.limits.Max > 0 && len(p.list) > s.limits.Max
}

// single places one counter in the first pass that it fits.
func (s *scheduler) single(h Hardware) place {
	for i, p := range s.passes {
		if k, ok := p.at[h.Name]; ok {
			return place{i, k}
		}
		if q := p.clone(); q.add(h, &s.limits) && !s.over(q) {
			s.passes[i] = q
			return place{i, q.at[h.Name]}
		}
	}
	p := newFilling()
	p.add(h, &s.limits)
	s.passes = append(s.passes, p)
	return place{len(s.passes) - 1, 0}
}
