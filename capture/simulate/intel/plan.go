package intel

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"astrolabe/capture/metrics"
	"astrolabe/capture/metrics/formula"
	"astrolabe/capture/simulate"
)

// plan says how the reports of a metric set are made: which value of the model each metric has, and which counters
// give that value by the catalogue's formula.
type plan struct {
	set   *metrics.MetricSet
	steps []step
}

// step makes the counters of a metric that no step before it has made.
type step struct {
	entry   *metrics.Entry
	target  target
	place   place
	formula *linear
	most    *linear  // of the metric; nil where the catalogue tells none
	makes   []string // counters
	weights []float64
	below   string // a counter that the formula subtracts and that nothing else tells
}

// everywhere are the aggregating counters that count the same in every set.
func everywhere(name string) bool {
	var n int
	if _, err := fmt.Sscanf(name, "A%d", &n); err != nil {
		return false
	}
	return n <= 6 || n >= 21
}

// newPlan inverts the formulas of a set for a GPU.
func newPlan(d *device, cat *metrics.Catalogue, name string) (*plan, error) {
	set, err := cat.Set(name)
	if err != nil {
		return nil, err
	}
	p := &plan{set: set}
	made := map[string]bool{}
	// Of the GPU, and anew for each plan: a case that is recorded again has the same values.
	spread := simulate.NewRandom(d.spread, "spread")
	if err := p.add(d, cat, set, made, spread, func(string) bool { return true }); err != nil {
		return nil, err
	}
	if basic, err := cat.Set("RenderBasic"); err == nil && basic != set && set.Format != "PEC64u64" {
		if err := p.add(d, cat, basic, made, spread, everywhere); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// add adds steps for the counters that the formulas of a set read, as far as they are wanted and not made yet.
func (p *plan) add(d *device, cat *metrics.Catalogue, set *metrics.MetricSet, made map[string]bool, spread simulate.Random,
	want func(string) bool) error {
	r := &reader{set, d.variables}
	var list []step
	for _, e := range cat.Entries() {
		if e.Set != set || !d.available(e) {
			continue
		}
		l, err := r.read(e.Formula().Root)
		if err != nil || l.terms["PERFCNT0"] != 0 || l.terms["PERFCNT1"] != 0 {
			continue // a ratio of counters that other metrics tell, or one that streams of reports lack
		}
		s := step{entry: e, formula: l}
		for c := range l.terms {
			if c != clockName && c != timeName {
				s.makes = append(s.makes, c)
			}
		}
		slices.Sort(s.makes)
		if len(s.makes) == 0 || slices.ContainsFunc(s.makes, func(c string) bool { return !want(c) }) {
			continue
		}
		if e.Unit == "percent" {
			s.most = &linear{number: 100, terms: map[string]float64{}}
		} else if e.Peak != "" && !narrowPeak(e) {
			if x, err := formula.Parse(formula.Intel, e.Peak); err == nil {
				if most, err := r.read(x.Root); err == nil {
					s.most = most
				}
			}
		}
		list = append(list, s)
	}
	// What one counter tells alone comes first.
	slices.SortStableFunc(list, func(a, b step) int { return cmp.Compare(len(a.makes), len(b.makes)) })
	for _, s := range list {
		s.makes = slices.DeleteFunc(slices.Clone(s.makes), func(c string) bool { return made[c] })
		if len(s.makes) == 0 {
			continue
		}
		var ok bool
		if s.target, s.place, ok = targetOf(s.entry.Symbol); !ok {
			if s.isShared(list) {
				continue // another metric tells what the counter is
			}
			return fmt.Errorf("metric set %s of %s: nothing models %s", set.Name, d.gpu, s.entry.Symbol)
		}
		s.split(spread)
		for _, c := range s.makes {
			made[c] = true
		}
		made[s.below] = true
		p.steps = append(p.steps, s)
	}
	return nil
}

// isShared reports whether a metric that is modelled has the same counters.
func (s *step) isShared(list []step) bool {
	return slices.ContainsFunc(list, func(o step) bool {
		if _, _, ok := targetOf(o.entry.Symbol); !ok {
			return false
		}
		for _, c := range s.makes {
			if _, ok := o.formula.terms[c]; !ok {
				return false
			}
		}
		return true
	})
}

// split says how the counters of a step share its value: almost evenly, as parts of a GPU share work. A counter that
// is subtracted and that nothing else tells gets a share of its own.
func (s *step) split(spread simulate.Random) {
	if len(s.makes) > 1 {
		for i, c := range s.makes {
			if s.formula.terms[c] < 0 {
				s.below = c
				s.makes = slices.Delete(s.makes, i, i+1)
				break
			}
		}
	}
	for range s.makes {
		w := 1.0
		if len(s.makes) > 1 {
			w = spread.Between(0.985, 1.015)
		}
		s.weights = append(s.weights, w)
	}
}

// keep keeps what the hardware keeps, where rounding would break it by a count. of gives counters of the row.
func (p *plan) keep(c *simulate.Columns, at map[string]int, of func(string) float64) {
	for i := range p.steps {
		p.steps[i].limit(c, at, of, p.steps[i].most)
	}
	for _, r := range relations {
		whole, parts := p.find(r.whole), r.parts
		if r.whole != "" && whole == nil {
			continue
		}
		left := &linear{number: 100, terms: map[string]float64{}}
		if whole != nil {
			left = whole.formula
		}
		rest := left.value(of)
		for _, symbol := range parts {
			if s := p.find(symbol); s != nil {
				s.limit(c, at, of, &linear{number: rest, terms: map[string]float64{}})
				rest -= s.formula.value(of)
			}
		}
	}
}

// narrowPeak reports whether a metric's published peak is one bank's of L3, which looks up a line in a clock, although
// the metric counts all banks of a slice.
func narrowPeak(e *metrics.Entry) bool {
	return strings.HasPrefix(e.Symbol, "L3") && e.Peak == "$GpuCoreClocks 64 UMUL $EuSlicesTotalCount UMUL"
}

func (p *plan) find(symbol string) *step {
	for i := range p.steps {
		if p.steps[i].entry.Symbol == symbol {
			return &p.steps[i]
		}
	}
	return nil
}

// relations are metrics that together are no more than another, or than 100 percent where none is named.
var relations = []struct {
	whole string
	parts []string
}{
	{"", []string{"EuActive", "EuStall"}}, {"", []string{"XveActive", "XveStall"}},
	{"", []string{"XVE_ACTIVE", "XVE_STALL"}},
	{"EuActive", []string{"Fpu0Active"}}, {"EuActive", []string{"Fpu1Active"}},
	{"Fpu0Active", []string{"EuFpuBothActive"}}, {"Fpu1Active", []string{"EuFpuBothActive"}},
	{"FpuActive", []string{"EuFpuEmActive"}}, {"EmActive", []string{"EuFpuEmActive"}},
	{"FpuActive", []string{"XveFpuEmActive"}}, {"EmActive", []string{"XveFpuEmActive"}},
	{"RasterizedPixels", []string{"HiDepthTestFails", "EarlyDepthTestFails", "SamplesKilledInPs",
		"PixelsFailingPostPsTests"}},
	{"SamplesWritten", []string{"SamplesBlended"}}, {"PIXEL_WRITE", []string{"PIXEL_BLEND"}},
	{"LOAD_STORE_CACHE_ACCESS", []string{"LOAD_STORE_CACHE_HIT"}},
	{"SAMPLER_TEXTURE_CACHE_ACCESS", []string{"SAMPLER_TEXTURE_CACHE_MISS"}},
	{"SAMPLER_L3_READ", []string{"SAMPLER_L3_HIT"}}, {"COLOR_L3_ACCESS", []string{"COLOR_L3_HIT"}},
	{"Z_L3_ACCESS", []string{"Z_L3_HIT"}}, {"ICACHE_L3_READ", []string{"ICACHE_L3_HIT"}},
	{"XVE_STALL", []string{"XVE_STALL_SBID", "XVE_STALL_SENDWR", "XVE_STALL_PIPESTALL", "XVE_STALL_ALUWR",
		"XVE_STALL_BARRIER", "XVE_STALL_CONTROL", "XVE_STALL_INSTFETCH", "XVE_STALL_PS_DEPENDENCY", "XVE_STALL_OTHER"}},
}

// limit takes counts from the last counter of a step until the metric is no more than it can be.
func (s *step) limit(c *simulate.Columns, at map[string]int, of func(string) float64, most *linear) {
	if most == nil {
		return
	}
	last := s.makes[len(s.makes)-1]
	by := s.formula.terms[last]
	if s.formula.over != "" {
		by /= of(s.formula.over)
	}
	over := s.formula.value(of) - most.value(of)
	if !(over > 1e-9) || !(by > 0) {
		return
	}
	n, v := uint64(math.Ceil(over/by-1e-9)), c.Last(at[last])
	c.Fix(at[last], v-min(v, n))
}

// counts are the counters of a row whose metrics have the values of the model. of gives the header's counters.
func (p *plan) counts(m *moment, of func(string) float64) map[string]float64 {
	out := map[string]float64{}
	value := func(name string) float64 {
		if name == clockName || name == timeName {
			return of(name)
		}
		return out[name]
	}
	for i := range p.steps {
		s := &p.steps[i]
		v := s.target(m, s.place)
		if s.most != nil {
			v = min(v, s.most.value(of))
		}
		if !(v > 0) {
			v = 0
		}
		if s.formula.over != "" {
			v *= of(s.formula.over)
		}
		v -= s.formula.number
		for name, c := range s.formula.terms {
			if !slices.Contains(s.makes, name) && name != s.below {
				v -= c * value(name)
			}
		}
		all := 0.0
		for _, w := range s.weights {
			all += w
		}
		if s.below != "" {
			// What is counted together with a wait, and without it.
			out[s.below] = 0.3 * max(0, of(clockName)-v/-s.formula.terms[s.below])
			v -= s.formula.terms[s.below] * out[s.below]
		}
		for k, name := range s.makes {
			out[name] = max(0, v*s.weights[k]/all/s.formula.terms[name])
		}
	}
	return out
}
