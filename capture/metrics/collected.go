package metrics

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/metrics/formula"
)

// orStandIn is a compiled metric, or the column that stands for it: a file may hold a metric itself instead of what it
// is made of.
func (s *scope) orStandIn(e *Entry, c *capture.Counter) *capture.Counter {
	in := s.standIn(e)
	if in == nil && s.untimed(e) {
		in = s.lengths()
	}
	if in == nil || c.Count() > 0 {
		return c
	}
	if why := misfit(in, e); why != nil {
		return &capture.Counter{Meta: e.meta(), Axis: c.Axis, Der: c.Der,
			Reasons: []capture.ReasonRun{{From: 0, To: c.Len(), Reason: *why}}, Warnings: c.Warnings}
	}
	meta := e.meta()
	meta.Kind, meta.Source, meta.Inputs, meta.Expr = in.Kind, in.Source, nil, ""
	if in.Unit != "" {
		meta.Unit = in.Unit
	}
	return &capture.Counter{Meta: meta, Axis: in.Axis, Col: in.Col, Instances: in.Instances, Der: in.Der, Pass: in.Pass,
		Turn: in.Turn, Reasons: in.Reasons, Warnings: in.Warnings}
}

// standIn is the column of the capture that stands for an entry under a name of another kind, such as its title in a
// vendor's export.
func (s *scope) standIn(e *Entry) *capture.Counter {
	if base := s.bases[e]; base != nil {
		e = base
	}
	if s.standIns == nil {
		s.standIns = s.cap.Memo(standInsKey{}, func() any { return s.findStandIns() }).(map[*Entry]*capture.Counter)
	}
	if c := s.standIns[e]; c != nil {
		return s.selected(c)
	}
	return nil
}

// standInsKey is the key of the stand-ins among what a capture remembers.
type standInsKey struct{}

func (s *scope) findStandIns() map[*Entry]*capture.Counter {
	out := map[*Entry]*capture.Counter{}
	for _, c := range s.cap.Counters {
		if e := s.shareOf(c); e != nil {
			if out[e] == nil {
				out[e] = c
			}
			continue
		}
		names := []string{strings.TrimPrefix(c.Name, "$")}
		if s.entryOf(c) == nil {
			names = append(names, c.Aliases...) // which its reader knows: those of a counter in the catalogue are the catalogue's
		}
		for _, name := range names {
			if found := s.entryAt(name); found != nil {
				if counts(c, found) {
					break
				}
				if out[found] == nil {
					out[found] = c
				}
				if raw := s.copied(found); raw != nil && out[raw] == nil && c.Kind == capture.Delta {
					out[raw] = c
				}
				break
			}
		}
	}
	return out
}

// counts reports whether a column is a count and not the share that has its name: cycles in SPI_BUSY are no percentage
// "SPI Busy", whatever they would have to be divided by. Hardware's counters have their names in capitals; what a program
// exports by the title of a percentage is one, though nothing may say its unit.
func counts(c *capture.Counter, e *Entry) bool {
	return e.IsMetric() && e.Unit == "percent" && c.Kind == capture.Delta && c.Unit != "%" && c.Unit != "percent" && c.Name == strings.ToUpper(c.Name)
}

// copied is the raw counter that a metric only repeats, under a title that programs head the counter's column by; nil
// for one that computes something.
func (s *scope) copied(e *Entry) *Entry {
	if !e.IsMetric() || len(e.Inputs) != 1 || strings.TrimPrefix(strings.TrimSpace(e.Expr), "$") != e.Inputs[0] {
		return nil
	}
	if raw, err := s.find(e.Inputs[0]); err == nil && !raw.IsMetric() && raw.Kind == capture.Delta {
		return raw
	}
	return nil
}

// entryAt is the entry that a name addresses in the first catalogue that knows it, nil where none does.
func (s *scope) entryAt(name string) *Entry {
	for _, cat := range s.cats {
		if hits, _ := cat.hits(name); len(hits) == 0 {
			continue // a number of a block, which is no other entry's, or unknown: finding out which names are near would take long
		}
		if e, err := s.findIn(cat, name); err == nil {
			return e
		}
	}
	return nil
}

// rawEntry is the measured counter of an entry, or one that says that it was not collected.
func (s *scope) rawEntry(e *Entry) *capture.Counter {
	if c := s.collected(e); c != nil {
		return c
	}
	c := &capture.Counter{Meta: e.meta(), Axis: s.cap.Axis}
	c.Kind = e.Kind
	n := s.cap.Axis.Len()
	if e.Kind == capture.Constant {
		if x, stated, known := s.constantOf(e); known {
			c.Col = capture.LazyColumn(n, func() (capture.Data, error) {
				return capture.Data{F: slices.Repeat([]float64{x}, n)}, nil
			})
			if !stated {
				c.Warnings = append(c.Warnings, e.assumption())
			}
			return c
		}
	}
	reason := capture.Reason{Code: capture.NotCollected, Text: e.Name + " was not collected"}
	c.Col = capture.LazyColumn(n, func() (capture.Data, error) { return capture.MissingData(n), nil })
	c.Reasons = []capture.ReasonRun{{From: 0, To: n, Reason: reason}}
	return c
}

// constantOf is the value of a constant: what the capture states under any of its names, or else what hardware of this
// kind has.
func (s *scope) constantOf(e *Entry) (x float64, stated, known bool) {
	for _, name := range append([]string{e.Name}, e.Aliases...) {
		if x, ok := s.property(name); ok {
			return x, true, true
		}
	}
	if e.assumed == nil {
		return 0, false, false
	}
	return *e.assumed, false, true
}

// assumption says that a constant's value is not the capture's.
func (e *Entry) assumption() string {
	return fmt.Sprintf("the capture does not say $%s: %v is assumed, as most products of this kind have it (give it as a property where it is another)",
		e.Name, *e.assumed)
}

// collected is the measured counter of an entry under any of its names, nil if there is none. The hardware's own
// counter, named in capitals, is not yet multiplied by the entry's scaler.
func (s *scope) collected(e *Entry) *capture.Counter {
	for _, name := range append([]string{e.Name}, e.Aliases...) {
		c := s.cap.Counter(name)
		if c == nil || s.ofDevice(e, c) {
			continue
		}
		c = s.selected(c)
		if e.Scaler > 1 && name == strings.ToUpper(name) {
			return scaled(e, c)
		}
		return c
	}
	if s.cap.Format == addsInstances {
		if c := s.cap.Counter(SumTwin(e.Name)); c != nil && c.Kind == capture.Delta && e.Kind == capture.Delta {
			return s.selected(c)
		}
	}
	// A recording of a GPU that was not known when it was made names its counters by their places.
	if e.Index > 0 && e.Block != "" {
		if c := s.cap.Counter(e.Block + "_" + strconv.Itoa(e.Index)); c != nil {
			return scaled(e, s.selected(c))
		}
	}
	return s.standIn(e)
}

// ofDevice says that an entry of the CPUs' catalogue is asked for, and the counter of that name is the device's beside
// them: both may have a temperature.
func (s *scope) ofDevice(e *Entry, c *capture.Counter) bool {
	if e.GPU != CPU || c.GPU == "" || c.GPU == CPU {
		return false
	}
	return slices.ContainsFunc(s.cats, func(cat *Catalogue) bool {
		return cat.id != CPU && cat.owns(c.GPU) && slices.ContainsFunc(cat.keys()[fold(c.Name)], func(h hit) bool { return h.e.Name == c.Name })
	})
}

// scaled makes an entry's counter of the hardware's number; nil where that cannot be.
func scaled(e *Entry, c *capture.Counter) *capture.Counter {
	out, err := formula.Apply("*", e.meta(), formula.Operand{Counter: c}, constant(float64(max(e.Scaler, 1))))
	if err != nil {
		return nil
	}
	return out
}
