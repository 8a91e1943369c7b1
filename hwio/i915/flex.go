package i915

import (
	"crypto/sha1"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"astrolabe/capture/decode/oa"
	"astrolabe/capture/metrics"
	"astrolabe/hwio"
	"astrolabe/hwio/intel"
	"astrolabe/hwio/internal/oaregisters"
)

// flexSeparator stands between events: flags of the command line take a comma for the end of an option.
const flexSeparator = "+"

// readFlex reads what the flexible EU counters shall count beside the set: events with + between them, each on the last
// counter that the set's metrics do not read, or on the one behind its @. A counter that they read is refused, since
// the metric would show the event under a wrong name.
func readFlex(text string, sel *intel.Selection, f *oa.Format) ([]*metrics.EUCounter, error) {
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	readBy := readers(sel)
	var free []string
	for i := range sel.Raw {
		if name := sel.Raw[i].Name; metrics.EUIndex(name) >= 0 && readBy[name] == "" {
			free = append(free, name)
		}
	}
	slices.Reverse(free) // most sets leave the last ones, so that rounds of several sets agree
	words := strings.Split(text, flexSeparator)
	taken := map[string]bool{}
	for _, w := range words {
		if _, at, ok := strings.Cut(w, "@"); ok {
			taken[strings.ToUpper(strings.TrimSpace(at))] = true
		}
	}
	var out []*metrics.EUCounter
	for _, w := range words {
		event, at, placed := strings.Cut(strings.TrimSpace(w), "@")
		at = strings.ToUpper(strings.TrimSpace(at))
		switch {
		case !placed:
			k := slices.IndexFunc(free, func(name string) bool { return !taken[name] })
			if k < 0 {
				return nil, noneFree(event, sel, free)
			}
			at = free[k]
			taken[at] = true
		case metrics.EUIndex(at) < 0:
			return nil, fmt.Errorf("flex %q: %q is no flexible EU counter; they are A7 to A20", w, at)
		case readBy[at] != "":
			return nil, fmt.Errorf("flex %q: %s of metric set %s reads %s; it leaves %s", w, readBy[at], sel.Set.Name,
				at, listOrNone(free))
		case !slices.Contains(f.Counters(), at):
			return nil, fmt.Errorf("flex %q: reports of format %s do not hold %s", w, f.Name, at)
		case slices.ContainsFunc(out, func(c *metrics.EUCounter) bool { return c.Counter == at }):
			return nil, fmt.Errorf("flex %q: %s counts %s already", w, at, counting(out, at))
		}
		c, err := metrics.ParseEUCounter(event, metrics.EUIndex(at))
		if err != nil {
			return nil, fmt.Errorf("flex %q: %w", w, err)
		}
		out = append(out, c)
	}
	return out, nil
}

func counting(chosen []*metrics.EUCounter, counter string) string {
	return chosen[slices.IndexFunc(chosen, func(c *metrics.EUCounter) bool { return c.Counter == counter })].Spelling()
}

// noneFree says that the set leaves too few counters, and which sets leave most.
func noneFree(event string, sel *intel.Selection, free []string) error {
	var others []string
	for _, set := range sel.Cat.Sets() {
		other := &intel.Selection{Cat: sel.Cat, Set: set}
		if len(readers(other)) == 0 {
			others = append(others, set.Name)
		}
	}
	return &hwio.CounterError{Counter: event, Problem: hwio.Problem{
		Reason: fmt.Sprintf("metric set %s leaves %s of the flexible EU counters, and no more", sel.Set.Name,
			listOrNone(free)),
		Fix: "record fewer events at a time, or with --set " + strings.Join(others, " or "),
	}}
}

func listOrNone(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// readers are the flexible EU counters that metrics of the set read, each with one of those metrics.
func readers(s *intel.Selection) map[string]string {
	out := map[string]string{}
	for _, e := range s.Cat.Entries() {
		if e.Set != s.Set {
			continue
		}
		for _, name := range e.Inputs {
			if metrics.EUIndex(name) >= 0 && out[name] == "" {
				out[name] = e.Symbol
			}
		}
	}
	return out
}

// choose puts what the counters were programmed for into their descriptions.
func choose(s *intel.Selection, chosen []*metrics.EUCounter) {
	s.Flex = chosen
	for i := range s.Raw {
		m := &s.Raw[i]
		for _, c := range chosen {
			if c.Counter == m.Name {
				m.Title, m.Doc = "EU clocks: "+c.Spelling(), c.Doc
				if c.Event.Name == "occupancy" {
					m.Title = "EU threads: " + c.Spelling()
				}
				m.Aliases = append([]string{c.Spelling()}, m.Aliases...)
			}
		}
	}
}

// withFlex are the set's registers with the chosen counters programmed, one write for each register: the driver writes
// the list as it stands, but takes the first write of a register for the contexts that it saves. It sets registers that
// no list names to zero, as we do with their other halves. The GUID is made of the writes, so that a configuration that
// somebody left in the driver is found again, and is never another one.
func (d *setData) withFlex(chosen []*metrics.EUCounter) *setData {
	if len(chosen) == 0 {
		return d
	}
	out := &setData{d.guid, d.Lists}
	out.Flex = slices.Clone(d.Flex)
	for _, c := range chosen {
		at := slices.IndexFunc(out.Flex, func(r oaregisters.Register) bool { return r.Address == c.Address })
		if at < 0 {
			at = len(out.Flex)
			out.Flex = append(out.Flex, oaregisters.Register{Address: c.Address})
		}
		r := &out.Flex[at]
		r.Value = r.Value&^c.Mask() | c.Value()
	}
	h := sha1.New()
	h.Write([]byte(d.guid))
	for _, r := range out.Flex {
		h.Write(binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, r.Address), r.Value))
	}
	// As RFC 9562 makes version 5 of a hash.
	b := h.Sum(nil)[:16]
	b[6], b[8] = b[6]&0x0f|0x50, b[8]&0x3f|0x80
	out.guid = fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
	return out
}
