package rocprofv3

import (
	"path/filepath"
	"slices"
	"strings"

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
			if twice := w.repeated(g); len(twice) > 0 {
				w.warn("%s: measured in several passes; the first counts, and those of the others are counters with the name of their run behind an @", strings.Join(twice, ", "))
			}
		}
	}
	if len(out) > 1 && len(out) < len(w.runs) && !onlyTraces && len(out[0].runs) > 1 {
		w.warn("several processes were measured in several passes: the order of their files says which runs are of one process")
	}
	return out, onlyTraces
}

// fits reports whether a run is a pass of the same work: they share dispatches, and it and each run of the group have a
// counter that the other lacks. Passes repeat what their other counters are divided by, such as the cycles of the GPU;
// what measured all that another run did is that work done again.
func (g *group) fits(r *run) (pairing.Pairs, bool) {
	p, err := pairing.Match(g.known, r.rows(false), true)
	if err != nil {
		return p, false
	}
	shared := false
	for k := range g.runs {
		mine, theirs := map[int]bool{}, map[int]bool{}
		for l, i := range p.Of {
			if i < 0 || g.samples[i].in[k] == nil {
				continue
			}
			for c := range r.dispatches[l].values {
				mine[c] = true
			}
			for c := range g.samples[i].in[k].values {
				theirs[c] = true
			}
			shared = true
		}
		if covers(mine, theirs) || covers(theirs, mine) {
			return p, false
		}
	}
	return p, shared
}

// covers reports whether a set of counters holds all of another, which is not empty.
func covers(all, some map[int]bool) bool {
	for c := range some {
		if !all[c] {
			return false
		}
	}
	return len(some) > 0
}

// repeated are the names of the counters that several runs of a group measured in one dispatch.
func (w *work) repeated(g *group) []string {
	var out []string
	for i := range w.counters {
		if slices.ContainsFunc(g.samples, func(s *sample) bool { return s.runsWith(i) > 1 }) {
			out = append(out, w.counters[i].name)
		}
	}
	return out
}

// runsWith is how many runs measured a counter in this dispatch.
func (s *sample) runsWith(counter int) (n int) {
	for _, d := range s.in {
		if d != nil && len(d.values[counter]) > 0 {
			n++
		}
	}
	return n
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
