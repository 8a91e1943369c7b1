package values

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"astrolabe/capture"
)

// FuzzLevelsAreThoseOfEachSample computes levels sample by sample as docs/scripting.md has them, where evaluate works
// on blocks of all entries at once, reads counters once for several of them and begins anew where values are missing.
func FuzzLevelsAreThoseOfEachSample(f *testing.F) {
	for seed, n := range []uint16{0, 1, 17, blockRows - 1, blockRows + 1, 3*blockRows + 5, 9 * capture.BlockRows, 8*capture.BlockRows + 1} {
		f.Add(uint64(seed), n)
	}
	f.Add(uint64(33), uint16(1)) // an infinity where nothing is finite
	f.Fuzz(func(t *testing.T, seed uint64, n uint16) {
		r := rand.New(rand.NewPCG(seed, uint64(n)))
		axis := capture.NewUniformAxis(int(n), 1000)
		a := &accounting{cap: &Capture{Capture: &capture.Capture{}}, table: &accountTable{}, n: int(n),
			known: map[string]*capture.Counter{"absent": nil}}
		values := map[string][]float64{}
		names := []string{"absent"}
		for k := range 1 + r.IntN(6) {
			name := fmt.Sprint("m", k)
			v := make([]float64, n)
			gaps := r.IntN(3) == 0
			for i := range v {
				switch p := r.IntN(100); {
				case p < 10:
					v[i] = 0
				case gaps && p < 40:
					v[i] = math.NaN()
				case gaps && p < 41:
					v[i] = math.Inf(1)
				default:
					v[i] = r.Float64() * 200
				}
			}
			c := &capture.Counter{Meta: capture.Meta{Name: name}, Axis: axis, Col: capture.NewColumn(capture.Data{F: v})}
			scale := 1.0
			if r.IntN(2) == 0 {
				c.Unit, scale = "percent", 0.01
			}
			a.known[name] = c
			values[name] = make([]float64, n)
			for i, x := range v {
				values[name][i] = scale * x
			}
			names = append(names, name)
		}
		factors := func(most int) (out [][]string) {
			for range r.IntN(most + 1) {
				alternatives := []string{names[r.IntN(len(names))]}
				for range r.IntN(3) {
					alternatives = append(alternatives, names[r.IntN(len(names))])
				}
				out = append(out, append(alternatives, names[1])) // one at least is there
			}
			return out
		}
		var plans []*plan
		for range 1 + r.IntN(5) {
			en := accountEntry{level: factors(3), per: factors(2), scale: 1, rest: r.IntN(4) == 0}
			if r.IntN(3) == 0 {
				en.scale, en.offset = r.Float64()*2, r.Float64()-0.5
			}
			if r.IntN(4) == 0 {
				en.least = r.Float64() * 100
			}
			plans = append(plans, a.plan(en))
		}
		a.evaluate(plans...)
		for _, p := range plans {
			want, lacks := levelsOneByOne(&p.entry, values, int(n))
			for i, x := range want {
				if y := p.out[i]; x != y && (x == x || y == y) {
					t.Fatalf("sample %d of %d: %v, one by one %v, of %+v", i, n, y, x, p.entry)
				}
			}
			if p.lacks.Load() != lacks {
				t.Fatalf("says that values are missing: %v, want %v, of %+v", p.lacks.Load(), lacks, p.entry)
			}
		}
	})
}

// levelsOneByOne is what evaluate is to find.
func levelsOneByOne(en *accountEntry, values map[string][]float64, n int) (out []float64, lacks bool) {
	first := func(names []string, i int) float64 {
		for _, name := range names {
			if v := values[name]; v != nil && v[i] == v[i] {
				return v[i]
			}
		}
		return math.NaN()
	}
	product := func(list [][]string, i int) float64 {
		x := 1.0
		for k, names := range list {
			if k == 0 || x != 0 {
				x *= first(names, i)
			}
		}
		return x
	}
	out = make([]float64, n)
	var finite []float64
	for i := range out {
		if out[i] = product(en.level, i); out[i] != 0 && len(en.per) > 0 {
			out[i] /= product(en.per, i)
		}
		if !math.IsNaN(out[i]) && !math.IsInf(out[i], 0) {
			finite = append(finite, out[i])
		}
	}
	most := en.least // or what the hundredth highest shows, where that is more
	if slices.Sort(finite); len(finite) > 0 {
		most = max(en.least, finite[(len(finite)-1)*99/100])
	}
	for i, x := range out {
		if en.least > 0 {
			x /= most
		}
		if en.rest {
			x = max(0, 1-x)
		}
		if math.IsInf(x, 0) {
			x = math.NaN()
		}
		out[i] = en.offset + en.scale*x
		lacks = lacks || out[i] != out[i]
	}
	return out, lacks
}
