package analysis

import (
	"fmt"
	"slices"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/metrics"
)

// subject is one counter or metric that is compared.
type subject struct {
	name      string
	direction string             // "more" or "less" is better; "" where it depends
	counters  []*capture.Counter // in each capture; nil where it has none
}

// durationName is the pseudo-counter of how long a frame, an occurrence or a run takes.
const durationName = "duration"

// subjects lists what the captures have in common, in the order of the first; only lists what just some of them have.
func subjects(caps []*capture.Capture, opt Options) (list []*subject, only []string, err error) {
	byName := map[string]*subject{}
	var order []*subject
	add := func(i int, c *capture.Counter) {
		s := byName[c.Name]
		if s == nil {
			s = &subject{name: c.Name, counters: make([]*capture.Counter, len(caps))}
			byName[c.Name] = s
			order = append(order, s)
		}
		if s.counters[i] == nil {
			s.counters[i] = c
		}
	}
	for i, c := range caps {
		all, err := everything(c, opt.Defined)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", nameOf(c), err)
		}
		for _, ctr := range all {
			add(i, ctr)
		}
	}
	chosen, err := choose(caps, order, opt)
	if err != nil {
		return nil, nil, err
	}
	for _, s := range chosen {
		if slices.Contains(s.counters, nil) {
			only = append(only, s.name)
			continue
		}
		s.direction = direction(caps[0], s, opt)
		list = append(list, s)
	}
	return list, only, nil
}

// everything lists the metrics of a capture, the caller's own among them, and then its counters.
func everything(c *capture.Capture, defs []*metrics.Entry) ([]*capture.Counter, error) {
	out, err := metrics.Metrics(c)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, d := range defs {
		names = append(names, d.Name)
	}
	if len(names) > 0 {
		own, err := metrics.ResolveAllWith(c, defs, names)
		if err != nil {
			return nil, err
		}
		out = append(own, out...)
	}
	return append(out[:len(out):len(out)], c.Counters...), nil
}

// choose keeps what Options.Metrics selects. A name that selects nothing is an error with near names.
func choose(caps []*capture.Capture, all []*subject, opt Options) ([]*subject, error) {
	if len(opt.Metrics) == 0 {
		return all, nil
	}
	keep := map[*subject]bool{}
	for _, pattern := range opt.Metrics {
		found := pattern == durationName
		for _, s := range all {
			if s.matches(pattern) {
				keep[s], found = true, true
			}
		}
		if found {
			continue
		}
		if strings.ContainsAny(pattern, "*?") {
			return nil, notComparable("no counter or metric matches %q", pattern)
		}
		c, err := resolveAny(caps, opt.Defined, pattern)
		if err != nil {
			return nil, &notComparableError{err.Error()}
		}
		for _, s := range all {
			if s.name == c.Name {
				keep[s], found = true, true
			}
		}
		if !found { // such as one instance of a counter
			s, err := resolved(caps, opt.Defined, pattern)
			if err != nil {
				return nil, &notComparableError{err.Error()}
			}
			all = append(all, s)
			keep[s] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(all), func(s *subject) bool { return !keep[s] }), nil
}

// resolveAny finds a name in the first capture that knows it.
func resolveAny(caps []*capture.Capture, defs []*metrics.Entry, name string) (*capture.Counter, error) {
	var first error
	for _, c := range caps {
		out, err := metrics.ResolveWith(c, defs, name)
		if err == nil {
			return out, nil
		}
		if first == nil {
			first = err
		}
	}
	return nil, first
}

// resolved makes a subject of a name that every capture has to know.
func resolved(caps []*capture.Capture, defs []*metrics.Entry, name string) (*subject, error) {
	s := &subject{name: name}
	for _, c := range caps {
		out, err := metrics.ResolveWith(c, defs, name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", nameOf(c), err)
		}
		s.counters = append(s.counters, out)
	}
	return s, nil
}

// matches reports whether a glob is the name or title of the subject, whatever the case.
func (s *subject) matches(glob string) bool {
	glob = strings.ToLower(glob)
	if metrics.Glob(glob, strings.ToLower(s.name)) {
		return true
	}
	for _, c := range s.counters {
		if c != nil && c.Title != "" && metrics.Glob(glob, strings.ToLower(c.Title)) {
			return true
		}
	}
	return false
}

// direction says whether more of something is better: what the caller says, else what the catalogue says.
func direction(cap *capture.Capture, s *subject, opt Options) string {
	for _, glob := range opt.Less {
		if s.matches(glob) {
			return "less"
		}
	}
	for _, glob := range opt.More {
		if s.matches(glob) {
			return "more"
		}
	}
	for _, cat := range metrics.For(cap) {
		name := strings.TrimPrefix(s.name, cat.ID()+"/")
		e := cat.Named(name)
		if e == nil {
			continue
		}
		switch e.MoreIsBetter {
		case "yes":
			return "more"
		case "no":
			return "less"
		}
		return ""
	}
	return ""
}

// passesOf lists the measuring passes that a counter's values come from.
func passesOf(c *capture.Counter) []string {
	var out []string
	seen := map[*capture.Counter]bool{}
	var visit func(*capture.Counter)
	visit = func(c *capture.Counter) {
		if c == nil || seen[c] {
			return
		}
		seen[c] = true
		if id := c.PassID(); id != "" {
			out = append(out, id)
		}
		for _, in := range c.Instances {
			if in.Der == nil {
				visit(in)
			}
		}
		if c.Der != nil {
			for _, op := range c.Der.Operands() {
				visit(op)
			}
		}
	}
	visit(c)
	slices.Sort(out)
	return slices.Compact(out)
}
