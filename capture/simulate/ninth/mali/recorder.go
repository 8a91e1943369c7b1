package mali

import (
	"astrolabe/capture/metrics"
	"astrolabe/capture/simulate"
)

// recorder sums what is counted, by sample.
type recorder struct {
	m       *machine
	bounds  *simulate.Bounds
	at      int // the sample of the moment
	index   map[string]int
	entries []*metrics.Entry // of the counters that the layout has, in its order
	columns int              // those, and some that no layout has
	depends bool             // the job manager itself holds jobs that wait for others
	rows    []row
}

// row is a sample.
type row struct {
	counts      []float64
	app, driver float64 // ns that the threads ran
	clock       float64 // ns times the clock's share of its highest
	share, heat float64 // at its end
}

func newRecorder(m *machine, bounds *simulate.Bounds, depends bool) (*recorder, error) {
	c, err := metrics.Get(m.gpu)
	if err != nil {
		return nil, err
	}
	rec := &recorder{m: m, bounds: bounds, index: map[string]int{}, depends: depends}
	for _, e := range c.Entries() {
		if e.IsMetric() || e.Index == 0 {
			continue
		}
		for _, name := range namesOf(e) {
			rec.index[name] = len(rec.entries)
		}
		rec.entries = append(rec.entries, e)
	}
	rec.columns = len(rec.entries)
	for _, name := range []string{"MaliExtBusRdLat384", "MaliExtBusRdOTQ4", "MaliExtBusWrOTQ4"} {
		rec.index[hidden(name)] = rec.columns
		rec.columns++
	}
	return rec, nil
}

// namesOf are a counter's names, of which one is Arm's machine name.
func namesOf(e *metrics.Entry) []string { return append([]string{e.Name}, e.Aliases...) }

func (rec *recorder) row(i int) *row {
	for len(rec.rows) <= i {
		rec.rows = append(rec.rows, row{counts: make([]float64, rec.columns)})
	}
	return &rec.rows[i]
}

// pass adds what is counted from one moment to another, in which nothing changes.
func (rec *recorder) pass(x *run, f *flows, from, until float64) {
	if f.rates == nil {
		f.rates = x.rates(f)
	}
	for from < until {
		for float64(rec.bounds.At(rec.at+1)) <= from {
			rec.at++
		}
		to := min(until, float64(rec.bounds.At(rec.at+1)))
		ns := to - from
		r := rec.row(rec.at)
		for i, v := range f.rates {
			r.counts[i] += v * ns
		}
		x.frontEnd(tally{rec.index, r.counts}, ns)
		r.clock += ns * x.clock.share()
		r.share, r.heat = x.clock.share(), x.clock.heat
		if x.host.working {
			r.app += ns
		}
		if x.host.driving {
			r.driver += ns
		}
		from = to
	}
}

// job counts a job that ended.
func (rec *recorder) job(now float64, q int) {
	tally{rec.index, rec.row(rec.at).counts}.ended(rec.m, q)
}
