package export

import (
	"fmt"
	"slices"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/metrics"
)

// metrics are those that Options.Metrics names, in its order; those of a glob in that of the catalogue.
func (o *Options) metrics(c *capture.Capture) ([]*capture.Counter, error) {
	if len(o.Metrics) == 0 {
		return nil, nil
	}
	var every []*capture.Counter
	if slices.ContainsFunc(o.Metrics, many) {
		var err error
		if every, err = o.catalogued(c); err != nil {
			return nil, err
		}
	}
	var single []string // resolved together, so that they share work
	for _, name := range o.Metrics {
		if !many(name) {
			single = append(single, name)
		}
	}
	resolved, err := metrics.ResolveAllWith(c, o.Defined, single)
	if err != nil {
		return nil, err
	}
	var out []*capture.Counter
	for _, name := range o.Metrics {
		if !many(name) {
			out = append(out, resolved[0])
			resolved = resolved[1:]
			continue
		}
		found := false
		for _, m := range every {
			if name == All || matches(name, &m.Meta) {
				out, found = append(out, m), true
			}
		}
		if !found && name == All {
			return nil, fmt.Errorf("no catalogue has metrics of %s", whatOf(c))
		}
		if !found {
			return nil, fmt.Errorf("no metric is called %q; list(cap.metrics) are their names", name)
		}
	}
	return once(out), nil
}

// whatOf is the GPU of a capture as messages call it.
func whatOf(c *capture.Capture) string {
	if c.GPU == "" {
		return "a GPU that the capture does not name: --gpu=ID says which it is"
	}
	return c.GPU
}

// catalogued are all metrics of the capture's catalogues, and the caller's own before them.
func (o *Options) catalogued(c *capture.Capture) ([]*capture.Counter, error) {
	out, err := metrics.Metrics(c)
	if err != nil || len(o.Defined) == 0 {
		return out, err
	}
	names := make([]string, len(o.Defined))
	for i, d := range o.Defined {
		names[i] = d.Name
	}
	own, err := metrics.ResolveAllWith(c, o.Defined, names)
	return append(own, out...), err
}

// many reports whether a name stands for several.
func many(name string) bool { return name == All || strings.ContainsAny(name, "*?") }

// matches reports whether a glob is the name or the title of a counter, NAME[ID] of an instance, whatever the case.
func matches(glob string, m *capture.Meta) bool {
	glob = strings.ToLower(glob)
	name := m.Name
	if m.Instance != "" && !strings.HasSuffix(name, "]") {
		name += "[" + m.Instance + "]"
	}
	return metrics.Glob(glob, strings.ToLower(name)) || m.Instance == "" && m.Title != "" && metrics.Glob(glob, strings.ToLower(m.Title))
}

// measured are the counters that Options.Select names, with their instances, in the order of the capture.
func (o *Options) measured(c *capture.Capture) ([]*capture.Counter, error) {
	if o.Select == nil {
		if len(o.Metrics) > 0 {
			return nil, nil
		}
		return c.Counters, nil
	}
	whole, parts := map[string]bool{}, map[string][]string{} // by the name of the counter
	for _, pattern := range o.Select {
		found := false
		for _, ctr := range c.Counters {
			if matches(pattern, &ctr.Meta) {
				whole[ctr.Name], found = true, true
				continue
			}
			for _, in := range ctr.Instances {
				if matches(pattern, &in.Meta) {
					parts[ctr.Name], found = append(parts[ctr.Name], in.Meta.Instance), true
				}
			}
		}
		if found {
			continue
		}
		if many(pattern) {
			return nil, fmt.Errorf("no counter is called %q; list(cap.counters) are their names", pattern)
		}
		one, err := metrics.ResolveWith(c, o.Defined, pattern)
		if err != nil {
			return nil, err
		}
		if c.Counter(one.Name) == nil {
			return nil, fmt.Errorf("%q is no counter that was measured: name it among the metrics", pattern)
		}
		whole[one.Name] = true
	}
	var out []*capture.Counter
	for _, ctr := range c.Counters {
		if ids := parts[ctr.Name]; !whole[ctr.Name] && ids != nil {
			out = append(out, ofInstances(ctr, ids))
		} else if whole[ctr.Name] {
			out = append(out, ctr)
		}
	}
	return out, nil
}

// ofInstances is the counter of some of its instances only.
func ofInstances(c *capture.Counter, ids []string) *capture.Counter {
	out := c.Clone()
	out.Col, out.Instances = nil, nil
	for _, in := range c.Instances {
		if slices.Contains(ids, in.Meta.Instance) {
			out.AddInstance(in)
		}
	}
	return out
}

// once drops what stands in a list before.
func once(list []*capture.Counter) []*capture.Counter {
	seen := map[string]bool{}
	return slices.DeleteFunc(list, func(c *capture.Counter) bool {
		again := seen[c.Name]
		seen[c.Name] = true
		return again
	})
}
