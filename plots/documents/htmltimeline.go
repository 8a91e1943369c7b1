package documents

import (
	"fmt"
	"strconv"
	"unicode/utf8"

	"astrolabe/capture"
	"astrolabe/plots/canvas"
	"astrolabe/plots/charts"
	"astrolabe/plots/interactive"
)

// What an HTML page can zoom: the series of its timelines, with findings, regions, gaps and marks.

const (
	maxRegions = 5000    // of the capture, on one page
	roomyLane  = 340_000 // bytes of a lane on the page, from which on its buckets are fewer
	roomyPage  = 9 << 20 // of all lanes together
)

// timelineData is what the page can zoom, packed; "" where there is nothing.
func (h *htmlWriter) timelineData() (string, error) {
	r := h.r
	if r.Static {
		return "", nil
	}
	series, bands := h.drawn()
	if len(series) == 0 {
		return "", nil
	}
	most := interactive.MaxBuckets
	if r.Full {
		most = 0
	}
	for {
		data := h.lanes(series, most)
		data.Bands = bands
		h.addOf(&data)
		text, err := data.Encode()
		if err != nil {
			return "", fmt.Errorf("report %q: %w; a static page has none", r.Title, err)
		}
		room := min(roomyLane*len(series), roomyPage)
		if r.Full || len(text) <= room || most <= 1000 {
			return text, nil
		}
		most = max(1000, min(most*9/10, int(float64(most)*0.95*float64(room)/float64(len(text)))))
	}
}

// drawn lists the series of the page's timelines, each once, and what its charts and findings say happened.
func (h *htmlWriter) drawn() (series []charts.Series, bands []interactive.Band) {
	type key struct { // a counter and its moving average differ in their greatest value
		name, unit string
		axis       int
		most       float64
	}
	seen, placed := map[key]bool{}, map[interactive.Band]bool{}
	var axes []*capture.Axis
	band := func(b interactive.Band) {
		if !placed[b] {
			placed[b] = true
			bands = append(bands, b)
		}
	}
	lane := func(s charts.Series) {
		if s.Counter == nil {
			s.Counter = bare(s)
		}
		axis := -1
		for i, a := range axes {
			if a.Same(s.Counter.Axis) {
				axis = i
			}
		}
		if axis < 0 {
			axis, axes = len(axes), append(axes, s.Counter.Axis)
		}
		k := key{s.Name, s.Counter.Unit, axis, s.Counter.Max().Float()}
		if k.most != k.most {
			k.most = -1
		}
		if !seen[k] && s.Counter.Len() > 0 {
			seen[k] = true
			series = append(series, s)
		}
	}
	for _, s := range h.r.Lanes {
		lane(s)
	}
	for i, f := range h.r.shownFindings() {
		for _, s := range f.Spans {
			band(interactive.Band{Kind: "finding", Label: canvas.Undirected(f.headline()), Start: s.Start, End: s.End,
				Severity: f.Severity.String(), Href: fmt.Sprintf("#finding-%d", i+1)})
		}
	}
	var add func(p *charts.Plot)
	add = func(p *charts.Plot) {
		for _, row := range p.Children() {
			for _, child := range row {
				add(child)
			}
		}
		if p.Kind != "timeline" {
			return
		}
		for _, s := range p.Series() {
			lane(s)
		}
		spans, marks := p.Events()
		for _, s := range spans {
			kind := s.Kind
			if kind == "" {
				kind = "span"
			}
			if s.Severity == canvas.None { // those of findings are there
				band(interactive.Band{Kind: canvas.Undirected(kind), Label: canvas.Undirected(s.Label), Start: s.Start, End: s.End})
			}
		}
		for _, m := range marks {
			kind := "mark"
			if m.Note {
				kind = "note"
			}
			band(interactive.Band{Kind: kind, Label: canvas.Undirected(m.Label), Start: m.At, End: m.At})
		}
	}
	if h.r.Summary != nil {
		for _, p := range charts.Drawable([]*charts.Plot{h.r.Summary.Timeline}) {
			add(p)
		}
	}
	for _, f := range h.r.shownFindings() {
		for _, p := range charts.Drawable(f.Plots) {
			add(p)
		}
	}
	for _, it := range h.r.shownItems() {
		if c, ok := it.(Chart); ok && c.Drawable() {
			add(c.Plot)
		}
	}
	return series, bands
}

// bare makes a level of a series that is of no counter.
func bare(s charts.Series) *capture.Counter {
	n := len(s.Y)
	return &capture.Counter{Meta: capture.Meta{Name: s.Name, Unit: s.Unit, Kind: capture.Gauge},
		Axis: &capture.Axis{Start: s.Start, End: s.End},
		Col:  capture.LazyColumn(n, func() (capture.Data, error) { return capture.Data{F: s.Y}, nil })}
}

// lanes makes a lane of each series, of at most so many buckets.
func (h *htmlWriter) lanes(series []charts.Series, most int) interactive.Data {
	lanes := &interactive.Lanes{Most: most}
	for _, s := range series {
		lane := interactive.Lane{Name: canvas.Undirected(s.Name), Unit: canvas.Undirected(s.Counter.Unit),
			Doc: canvas.Undirected(s.Counter.Doc), Why: canvas.Undirected(s.Why)}
		if s.Of != nil && s.Of == h.r.Of && utf8.ValidString(s.Counter.Name) {
			lane.Script = "part[" + strconv.QuoteToASCII(s.Counter.Name) + "]"
		}
		lanes.Add(lane, s.Counter)
	}
	return lanes.Data()
}

// addOf adds what the capture itself says: how long it is, its regions, and its gaps.
func (h *htmlWriter) addOf(data *interactive.Data) {
	data.Start, data.End = h.r.extent()
	of := h.r.Of
	if of == nil {
		return
	}
	for _, g := range of.Gaps {
		data.Bands = append(data.Bands, interactive.Band{Kind: "gap", Label: canvas.Undirected(g.Reason.String()),
			Start: g.Start, End: g.End})
	}
	regions := of.Regions
	if len(regions) > maxRegions {
		data.Notes = append(data.Notes, fmt.Sprintf("The first %d of %d regions of the capture are on this page.",
			maxRegions, len(regions)))
		regions = regions[:maxRegions]
	}
	for _, g := range regions {
		label := g.Name
		if g.Track != "" {
			label += " on " + g.Track
		}
		data.Bands = append(data.Bands, interactive.Band{Kind: "region", Label: canvas.Undirected(label),
			Start: g.Start, End: g.End})
	}
	for _, a := range data.Axes {
		if n := len(a.Start); n < a.Samples {
			data.Notes = append(data.Notes, fmt.Sprintf("%d samples in %d buckets each; report --full has every sample.",
				a.Samples, n))
		}
	}
}
