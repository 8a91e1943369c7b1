package values

import (
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"astrolabe/capture"
)

// Levels are computed block by block for all entries of a table that can be: what several of them ask for is then
// evaluated once, and nothing but the levels leaves the caches.

// plan is how the level of an entry comes from metrics of the capture.
type plan struct {
	entry    accountEntry
	num, per []factor
	known    bool // every metric that it needs was measured
	follows  []float64
	out      []float64
	lacks    atomic.Bool // some value of it is missing
	again    atomic.Bool // a factor is missing somewhere where another metric may tell
}

// factor is one of some metrics that tell the same, the first of them that the capture has.
type factor struct {
	counter *capture.Counter
	scale   float64
	others  bool // come after it
	names   []string
}

// plan finds the metrics of an entry, and notes what is lacking.
func (a *accounting) plan(en accountEntry) *plan {
	p := &plan{entry: en, known: true, out: a.room()}
	if en.uncounted {
		p.known = false
		return p
	}
	lacked := len(a.missing)
	p.num, p.known = a.factors(en.level)
	for _, n := range en.counted {
		switch c := a.named(n); {
		case !p.known:
		case c == nil:
			a.lack(n)
			p.known = false
		case c.Total().Float() == 0:
			a.lack(n + " (it reads 0: its clock was most likely gated)")
			p.known = false
		}
	}
	if len(en.clocked) > 0 && p.known {
		p.follows = a.followsClock(en.clocked)
	}
	if len(en.per) > 0 && p.known {
		p.per, p.known = a.factors(en.per)
	}
	// the part of the time that is not measured says what to record
	if en.set != "" || !p.known && len(a.shownBy(en)) > 0 {
		a.missing = a.missing[:lacked]
	}
	return p
}

// factors are those of a product. known is false where one of them was not measured.
func (a *accounting) factors(list [][]string) (out []factor, known bool) {
	for _, names := range list {
		k := slices.IndexFunc(names, func(n string) bool { return a.named(n) != nil })
		switch {
		case k < 0 && slices.Contains(names, takenAsOne):
		case k < 0:
			a.lackAll(names)
			return nil, false
		default:
			f := factor{counter: a.named(names[k]), scale: 1, others: k+1 < len(names), names: names}
			if isPercent(f.counter) {
				f.scale = 0.01
			}
			out = append(out, f)
		}
	}
	return out, true
}

// evaluate computes the levels of plans: the product of the factors of an entry in every sample, in that of its
// divisors; all NaN where one of them was not measured.
func (a *accounting) evaluate(plans ...*plan) {
	var blocks []*plan
	for _, p := range plans {
		if p.known {
			blocks = append(blocks, p)
			continue
		}
		p.lacks.Store(a.n > 0)
		for i := range p.out {
			p.out[i] = math.NaN()
		}
	}
	if len(blocks) > 0 {
		capture.EachBlock(a.n, func(lo, hi int) {
			s, _ := blockRooms.Get().(*blockRoom)
			if s == nil {
				s = &blockRoom{at: map[*capture.Counter]int{}}
			}
			for ; lo < hi; lo += blockRows {
				clear(s.at)
				s.lo, s.n = lo, min(blockRows, hi-lo)
				for _, p := range blocks {
					p.block(s)
				}
			}
			clear(s.at) // of the capture
			blockRooms.Put(s)
		})
	}
	for _, p := range blocks {
		if p.again.Load() {
			a.slowly(p)
		}
		if p.entry.least > 0 {
			of := p.out
			if len(p.entry.most) > 0 {
				of = a.values(p.entry.most)
			}
			most := p.entry.least
			if x := highest(of); x > most {
				most = x
			}
			for i := range p.out {
				p.out[i] /= most
			}
			capture.EachBlock(a.n, func(lo, hi int) { p.finish(p.out[lo:hi]) })
		}
		if a.inTurns() {
			fillMean(p.out)
			p.lacks.Store(anyMissing(p.out))
		}
	}
}

// blockRows is the number of samples of a block: the values of some thirty metrics in them stay in the second cache.
const blockRows = 1024

// blockRoom is what evaluating a block needs: the values of counters in it, and room for them.
type blockRoom struct {
	lo, n int
	at    map[*capture.Counter]int
	rows  []*[blockRows]float64
	per   [blockRows]float64
}

var blockRooms sync.Pool

// values are those of a counter in the block, read once.
func (s *blockRoom) values(c *capture.Counter) []float64 {
	k, ok := s.at[c]
	if !ok {
		if k = len(s.at); k == len(s.rows) {
			s.rows = append(s.rows, new([blockRows]float64))
		}
		c.ReadFloats(s.rows[k][:s.n], s.lo)
		s.at[c] = k
	}
	return s.rows[k][:s.n]
}

// block computes the level in a block.
func (p *plan) block(s *blockRoom) {
	out := p.out[s.lo : s.lo+s.n]
	p.product(out, p.num, s)
	if p.follows != nil {
		for i, x := range p.follows[s.lo : s.lo+s.n] {
			out[i] *= x
		}
	}
	if len(p.per) > 0 {
		per := s.per[:s.n]
		p.product(per, p.per, s)
		divide(out, per)
	}
	if p.entry.least > 0 {
		return // in what is only known when all of them are there
	}
	p.finish(out)
}

// product is that of some factors in the block, percentages as shares.
func (p *plan) product(out []float64, factors []factor, s *blockRoom) {
	if len(factors) == 0 {
		for i := range out {
			out[i] = 1
		}
		return
	}
	for k, f := range factors {
		v := s.values(f.counter)
		if f.others && anyMissing(v) {
			p.again.Store(true)
		}
		if k == 0 {
			for i, x := range v {
				out[i] = f.scale * x
			}
			continue
		}
		for i, x := range v {
			if out[i] != 0 { // what a unit does in the time of another that did nothing has no value, and is nothing
				out[i] *= f.scale * x
			}
		}
	}
}

// divide leaves what is nothing as it is, whatever it is divided by.
func divide(out, per []float64) {
	for i, x := range per {
		if out[i] != 0 {
			out[i] /= x
		}
	}
}

// finish makes levels of products.
func (p *plan) finish(out []float64) {
	en, lacks := &p.entry, false
	for i, x := range out {
		if en.rest {
			x = max(0, 1-x)
		}
		x -= x - x // an infinity is missing
		x = en.offset + en.scale*x
		out[i] = x
		lacks = lacks || x != x
	}
	if lacks {
		p.lacks.Store(true)
	}
}

// slowly computes a level again, of which some metrics are missing in some samples: there the next ones count.
func (a *accounting) slowly(p *plan) {
	times := func(out []float64, factors []factor) {
		for i := range out {
			out[i] = 1
		}
		for k, f := range factors {
			for i, x := range a.values(f.names) {
				if k == 0 {
					out[i] = x
				} else if out[i] != 0 {
					out[i] *= x
				}
			}
		}
	}
	times(p.out, p.num)
	for i, x := range p.follows {
		p.out[i] *= x
	}
	if len(p.per) > 0 {
		per := make([]float64, a.n)
		times(per, p.per)
		divide(p.out, per)
	}
	if p.lacks.Store(false); p.entry.least <= 0 {
		p.finish(p.out)
	}
}

// anyMissing reports whether a value is NaN.
func anyMissing(v []float64) bool {
	for _, x := range v {
		if x != x {
			return true
		}
	}
	return false
}

// room is memory for one value of each sample, with whatever is in it: fresh memory costs as much as what is computed
// into it.
func (a *accounting) room() []float64 {
	if k := len(a.spare) - 1; k >= 0 {
		out := a.spare[k]
		a.spare = a.spare[:k]
		return out
	}
	return make([]float64, a.n)
}
