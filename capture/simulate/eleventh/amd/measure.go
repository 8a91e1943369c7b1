package amd

// measured is what one run of a sample showed: the outcome of the simulation in clocks and quantities.
type measured struct {
	*pass
	q       quantities
	o       *outcome
	clk     float64          // clocks in a picosecond
	ns      float64          // length of the sample
	clocks  float64          // in which the command processor counted as busy
	done    [classes]float64 // work in relation to what was planned
	busy    [classes]float64 // clocks of each class's unit
	wide    float64          // how much of the work there was, over all classes
	held    float64          // clocks in which the L0 caches held up the address units
	address float64          // clocks in which the busiest address unit had something
}

// measure reads the counters off an outcome.
func (p *program) measure(x *sample, o *outcome) measured {
	d := &p.dev
	m := measured{pass: x.pass, q: x.pass.quantities(d), o: o, clk: d.clock / 1000, ns: float64(o.total) / 1000, wide: x.factor}
	total := float64(o.total) * m.clk
	m.clocks = total * d.cpfBusy
	for c := range m.done {
		if m.done[c] = x.factor; m.share[c] > 0 && m.share[c]*m.base >= 1 {
			m.done[c] = o.work[c] / (m.share[c] * m.base)
		}
		m.busy[c] = float64(o.busy[c]) * m.clk
	}
	if m.compute {
		m.q.vertices, m.q.prims = 0, 0
	}
	// The address unit is held up where requests stand before the L2 cache or the memory, and has something to do
	// while it works, is held up, or, in part, while answers are under way.
	union := func(a, b float64) float64 { return a + b - a*b/max(total, 1) }
	fromShader := 1.0
	if client := m.q.colourReads + m.q.colourWrites + m.q.depthReads + m.q.depthWrites; m.q.by[cache] > 0 {
		fromShader = max(0, 1-client/m.q.by[cache])
	}
	m.held = d.held * fromShader * float64(union(float64(o.queued[cache])*m.clk, float64(o.queued[bandwidth])*m.clk))
	m.held = min(m.held, .98*total)
	work := m.busy[texture] + m.busy[loadStore]
	m.address = union(union(work, m.held), d.sees*float64(o.memory)*m.clk*.5)
	m.address = min(m.address*d.uneven, m.clocks*.998)
	m.held = min(m.held*d.uneven, m.address)
	if work == 0 {
		m.address, m.held = 0, 0
	}
	return m
}

// span is a time of the outcome in clocks, at most those of the sample.
func (m *measured) span(ps int64) float64 { return min(float64(ps)*m.clk, m.clocks) }
