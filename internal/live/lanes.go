package live

import (
	"strconv"
	"unicode/utf8"

	"astrolabe/capture"
	"astrolabe/capture/metrics"
	"astrolabe/plots/canvas"
	"astrolabe/plots/interactive"
)

// counter is one lane: a counter or metric, or an instance of one.
type counter struct {
	*capture.Counter
	of string // the counter of an instance, "" where it is none
}

// lanesOf lists what is shown of samples: metrics, then counters, as in every listing.
func lanesOf(c *capture.Capture, instances bool) (*capture.Capture, []counter, error) {
	c, err := metrics.Describe(c)
	if err != nil {
		return nil, nil, err
	}
	derived, err := metrics.Metrics(c)
	if err != nil {
		return nil, nil, err
	}
	var out []counter
	for _, list := range [][]*capture.Counter{derived, c.Counters} {
		for _, m := range list {
			if m.Kind == capture.Constant {
				continue
			}
			out = append(out, counter{Counter: m})
			for _, in := range m.Instances {
				if instances {
					out = append(out, counter{in, m.Name})
				}
			}
		}
	}
	return c, out, nil
}

// bucketed makes lanes of at most so many buckets.
func bucketed(counters []counter, most int) interactive.Data {
	lanes := &interactive.Lanes{Most: most, Fed: true}
	heads, called := make([]interactive.Lane, len(counters)), map[string]int{}
	for i, m := range counters {
		heads[i] = m.lane()
		called[heads[i].Name]++
	}
	for i, m := range counters {
		if called[heads[i].Name] > 1 { // such as a counter and the metric that is made of it
			heads[i].Name += canvas.Undirected(" (" + m.Name + ")")
		}
		lanes.Add(heads[i], m.Counter)
	}
	return lanes.Data()
}

// lane is the head of a counter's lane.
func (m *counter) lane() interactive.Lane {
	name := m.Title
	if name == "" {
		name = m.Name
	}
	script := "part[" + strconv.QuoteToASCII(m.Name) + "]"
	switch {
	case m.of != "" && m.Meta.Instance != "":
		name += " [" + m.Meta.Instance + "]"
		script = "part.counter(" + strconv.QuoteToASCII(m.of) + ", instance=" + strconv.QuoteToASCII(m.Meta.Instance) + ")"
	case m.of != "":
		script = ""
	}
	if m.Device != "" {
		name += " of " + m.Device
	}
	doc := m.Name
	if m.Doc != "" {
		doc += ": " + m.Doc
	}
	out := interactive.Lane{Name: canvas.Undirected(name), Unit: canvas.Undirected(m.Unit), Doc: canvas.Undirected(doc)}
	if utf8.ValidString(m.Name) {
		out.Script = script
	}
	if reason, ok := m.Why(-1); ok {
		out.Why = canvas.Undirected(reason.String())
	}
	return out
}
