package rocprofv3

import (
	"path/filepath"

	"astrolabe/capture/formats/internal/pairing"
)

// group is runs of the same work, which measured different counters of its dispatches.
type group struct {
	runs    []*run
	samples []*sample
	known   []pairing.Row // of the samples
}

// sample is one dispatch of one group of runs, with its counterpart in each run.
type sample struct {
	group      int
	start, end int64
	timed      bool
	first      *dispatch
	in         []*dispatch // by run of the group; nil where it lacks the dispatch
}

// groups puts runs of the same work together. Without counters the traces are the work.
func (w *work) groups() (out []*group, onlyTraces bool) {
	onlyTraces = true
	for _, r := range w.runs {
		onlyTraces = onlyTraces && r.traced
	}
next:
	for _, r := range w.runs {
		if r.traced != onlyTraces {
			continue
		}
		for _, g := range out {
			if onlyTraces {
				break
			}
			if p, ok := g.fits(r); ok {
				g.add(r, p)
				continue next
			}
		}
		g := &group{}
		if onlyTraces { // which nothing is paired with
			g.runs = []*run{r}
			for _, d := range r.dispatches {
				g.samples = append(g.samples, &sample{first: d, in: []*dispatch{d}})
			}
		} else {
			p, _ := pairing.Match(nil, r.rows(false), true)
			g.add(r, p)
		}
		out = append(out, g)
	}
	for i, g := range out {
		for _, s := range g.samples {
			s.group = i
		}
		if len(g.runs) > 1 {
			w.warn("%d runs measured different counters of the same dispatches: they are passes, and times are those of %s", len(g.runs), g.runs[0].id)
		}
	}
	if len(out) > 1 && len(out) < len(w.runs) && !onlyTraces && len(out[0].runs) > 1 {
		w.warn("several processes were measured in several passes: the order of their files says which runs are of one process")
	}
	return out, onlyTraces
}

// fits reports whether a run is of the same work: they share dispatches, and it measured no counter of one that the
// group has already.
func (g *group) fits(r *run) (pairing.Pairs, bool) {
	p, err := pairing.Match(g.known, r.rows(false), true)
	if err != nil {
		return p, false
	}
	shared := false
	for l, i := range p.Of {
		if i < 0 {
			continue
		}
		shared = true
		for c := range r.dispatches[l].values {
			for _, d := range g.samples[i].in {
				if d != nil && len(d.values[c]) > 0 {
					return p, false
				}
			}
		}
	}
	return p, shared
}

// add adds a run whose dispatches have been paired.
func (g *group) add(r *run, p pairing.Pairs) {
	k := len(g.runs)
	g.runs = append(g.runs, r)
	rows := r.rows(false)
	for l, i := range p.Of {
		if i < 0 {
			i = len(g.samples)
			g.samples = append(g.samples, &sample{first: r.dispatches[l]})
			rows[l].Number -= p.Shift
			g.known = append(g.known, rows[l])
		}
		s := g.samples[i]
		for len(s.in) < k {
			s.in = append(s.in, nil)
		}
		s.in = append(s.in, r.dispatches[l])
	}
	for _, s := range g.samples {
		for len(s.in) <= k {
			s.in = append(s.in, nil)
		}
	}
}

// timeByTraces gives dispatches without times those of the kernel trace of the same run: the counter files of older
// releases have none. It fills in what only the trace says of a dispatch, too, such as its stream.
func (w *work) timeByTraces() {
	for _, r := range w.runs {
		if r.traced {
			continue
		}
		for _, t := range w.runs {
			if t.traced && t.prefix == r.prefix {
				w.timeBy(r, t)
			}
		}
	}
}

func (w *work) timeBy(r, t *run) {
	untimed := false
	for _, d := range r.dispatches {
		untimed = untimed || !d.timed()
	}
	// Both number dispatches where the trace does; older ones have the correlation with the call that launched the
	// kernel.
	byCorrelation := len(t.dispatches) > 0 && t.dispatches[0].key.dispatch == ""
	p, err := pairing.Match(r.rows(byCorrelation), t.rows(byCorrelation), !byCorrelation)
	if err != nil {
		if untimed {
			w.warn("%s and its kernel trace cannot be joined: %v: its dispatches have no times", r.id, err)
		}
		return
	}
	if p.Shift != 0 {
		w.warn("the kernel trace of %s numbers its dispatches %+d: they are joined so",
			filepath.Base(r.prefix), p.Shift)
	}
	for l, i := range p.Of {
		if i < 0 {
			continue
		}
		d, from := r.dispatches[i], t.dispatches[l]
		if !d.timed() {
			d.start, d.end = from.start, from.end
		}
		for k, text := range from.labels {
			if d.labels[k] == "" {
				d.labels[k] = text
			}
		}
	}
}

// findOrigins finds the first start of every run.
func (w *work) findOrigins() {
	for _, r := range w.runs {
		r.origin = 0
		for _, d := range r.dispatches {
			if d.timed() && (r.origin == 0 || d.start < r.origin) {
				r.origin = d.start
			}
		}
	}
}
