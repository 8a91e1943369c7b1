package analysis

import (
	"math"
	"math/rand/v2"
	"sync"
)

// The least numbers of cells that say anything about their own spread: of stretches of time, which depend on each
// other, and of frames, occurrences and dispatches, which are taken to be independent where there are too few to tell.
const (
	minCells = 8
	minUnits = 3
)

// least is how many cells it takes.
func (c *cells) least() int {
	if c.per != "" {
		return minUnits
	}
	return minCells
}

// blockLength is the length of the blocks for a circular block bootstrap of the mean of v, in cells, chosen from the
// data: Politis and White, "Automatic block-length selection for the dependent bootstrap" (2004), section 3, with the
// correction of Patton, Politis and White (2009). Missing values are left out. The result is a power of two, and small
// enough to leave six blocks.
func blockLength(v []float64) int {
	x := make([]float64, 0, len(v))
	mean := 0.0
	for _, f := range v {
		if f == f && !math.IsInf(f, 0) {
			x = append(x, f)
			mean += f
		}
	}
	n := len(x)
	if n < minCells {
		return 1
	}
	mean /= float64(n)
	for i := range x {
		x[i] -= mean
	}
	most := max(1, n/6)
	// Correlations of a short series are too uncertain for "none": the cube root of its length, the order of the best
	// length, is the least.
	b, want := 1, politisWhite(x)
	for float64(b) < max(want, math.Cbrt(float64(n))) {
		b *= 2
	}
	for b > most {
		b /= 2
	}
	return max(1, b)
}

// politisWhite is the unrounded length for a series of mean 0.
func politisWhite(x []float64) float64 {
	n := len(x)
	fn := float64(n)
	window := max(5, int(math.Ceil(math.Sqrt(math.Log10(fn)))))
	most := min(int(math.Ceil(math.Sqrt(fn)))+window, n-1)
	cov := make([]float64, most+1)
	for k := range cov {
		for i := k; i < n; i++ {
			cov[k] += x[i] * x[i-k]
		}
		cov[k] /= fn
	}
	if cov[0] <= 0 {
		return 1
	}
	// m is the lag after which a whole window of correlations is insignificant; where there is none, the last
	// significant one.
	limit := 2 * math.Sqrt(math.Log10(fn)/fn)
	m, quiet, last := -1, 0, 0
	for k := 1; k <= most; k++ {
		if math.Abs(cov[k]/cov[0]) < limit {
			if quiet++; quiet == window {
				m = k - window
				break
			}
			continue
		}
		quiet, last = 0, k
	}
	if m < 0 {
		m = last
	}
	bandwidth := min(2*max(m, 1), most)
	g, spectrum := 0.0, cov[0]
	for k := 1; k <= bandwidth; k++ {
		t := float64(k) / float64(bandwidth)
		w := 1.0
		if t > 0.5 {
			w = 2 * (1 - t)
		}
		g += 2 * w * float64(k) * cov[k]
		spectrum += 2 * w * cov[k]
	}
	if spectrum <= 0 {
		return 1 // neighbours repel: single cells overstate the spread, which errs to the safe side
	}
	length := math.Cbrt(2*g*g/(4.0/3*spectrum*spectrum)) * math.Cbrt(fn)
	return min(length, math.Ceil(min(3*math.Sqrt(fn), fn/3)))
}

// draws holds rows of weights over the cells: how often each cell is in the row.
type draws struct {
	cells, rows int
	w           []float64
	single      int // so many rows at the start have their own cell alone, which need not be looked for

	mu   sync.Mutex
	sums map[*float64]func() []float64 // of shared
}

func newDraws(rows, cells int) *draws {
	return &draws{cells: cells, rows: rows, w: make([]float64, rows*cells)}
}

func (d *draws) row(i int) []float64 { return d.w[i*d.cells : (i+1)*d.cells] }

// stretch returns weights of a row that hold all but zeros of it, and the cell of the first of them.
func (d *draws) stretch(i int) (w []float64, from int) {
	if i < d.single {
		return d.row(i)[i : i+1], i
	}
	return d.row(i), 0
}

// add adds up values of cells by the weights of each row from one on. Eight rows are added up side by side.
func (d *draws) add(v []float64, from int) []float64 {
	out := make([]float64, d.rows)
	v = v[:d.cells]
	r := from
	for ; r+8 <= d.rows; r += 8 {
		w0, w1, w2, w3 := d.row(r)[:len(v)], d.row(r + 1)[:len(v)], d.row(r + 2)[:len(v)], d.row(r + 3)[:len(v)]
		w4, w5, w6, w7 := d.row(r + 4)[:len(v)], d.row(r + 5)[:len(v)], d.row(r + 6)[:len(v)], d.row(r + 7)[:len(v)]
		var s0, s1, s2, s3, s4, s5, s6, s7 float64
		for i, x := range v {
			s0 += w0[i] * x
			s1 += w1[i] * x
			s2 += w2[i] * x
			s3 += w3[i] * x
			s4 += w4[i] * x
			s5 += w5[i] * x
			s6 += w6[i] * x
			s7 += w7[i] * x
		}
		out[r], out[r+1], out[r+2], out[r+3] = s0, s1, s2, s3
		out[r+4], out[r+5], out[r+6], out[r+7] = s4, s5, s6, s7
	}
	for ; r < d.rows; r++ {
		w, sum := d.row(r)[:len(v)], 0.0
		for i, x := range v {
			sum += w[i] * x
		}
		out[r] = sum
	}
	return out
}

// shared is add for values that many columns have, by the slice that they stand in: it is done once. Single rows are left
// out.
func (d *draws) shared(v []float64) []float64 {
	d.mu.Lock()
	sum, ok := d.sums[&v[0]]
	if !ok {
		sum = sync.OnceValue(func() []float64 { return d.add(v, min(d.single, d.rows)) })
		if d.sums == nil {
			d.sums = map[*float64]func() []float64{}
		}
		d.sums[&v[0]] = sum
	}
	d.mu.Unlock()
	return sum()
}

// eachCell has one row per cell, one of all cells and one of all cells twice.
func eachCell(cells int) *draws {
	d := newDraws(cells+2, cells)
	d.single = cells
	for i := range cells {
		d.row(i)[i] = 1
		d.row(cells)[i] = 1
		d.row(cells + 1)[i] = 2
	}
	return d
}

// circular draws rows of as many cells as there are, in blocks of length b that begin anywhere and go on at the start
// behind the end.
func circular(rows, cells, b int, rng *rand.Rand) *draws {
	d := newDraws(rows, cells)
	for r := range rows {
		w := d.row(r)
		for left := cells; left > 0; left -= b {
			at := rng.IntN(cells)
			for range min(b, left) {
				w[at]++
				if at++; at == cells {
					at = 0
				}
			}
		}
	}
	return d
}
