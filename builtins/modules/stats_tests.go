package modules

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"go.starlark.net/starlark"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"astrolabe/builtins/binding"
	"astrolabe/capture/analysis"
)

var correlations = map[string]func(x, y []float64) float64{
	"pearson":  func(x, y []float64) float64 { return pearson(x, y) },
	"spearman": func(x, y []float64) float64 { return pearson(analysis.Ranks(x), analysis.Ranks(y)) },
	"kendall":  kendall,
}

// pearson is NaN where one series does not vary.
func pearson(x, y []float64) float64 {
	if slices.Min(x) == slices.Max(x) || slices.Min(y) == slices.Max(y) {
		return math.NaN()
	}
	return min(max(stat.Correlation(x, y, nil), -1), 1)
}

// kendall is Kendall's tau-b in O(n log n): discordant pairs are the exchanges that sorting y needs once x is in order.
func kendall(x, y []float64) float64 {
	n := len(x)
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		if c := cmp.Compare(x[i], x[j]); c != 0 {
			return c
		}
		return cmp.Compare(y[i], y[j])
	})
	ys := make([]float64, n)
	for k, i := range order {
		ys[k] = y[i]
	}
	pairsOf := func(n float64) float64 { return n * (n - 1) / 2 }
	var tiesX, tiesBoth float64
	for i := 0; i < n; {
		j := i
		for j < n && x[order[j]] == x[order[i]] {
			j++
		}
		tiesX += pairsOf(float64(j - i))
		for a := i; a < j; {
			b := a
			for b < j && ys[b] == ys[a] {
				b++
			}
			tiesBoth += pairsOf(float64(b - a))
			a = b
		}
		i = j
	}
	swaps := exchanges(ys, make([]float64, n))
	var tiesY float64
	for i := 0; i < n; { // ys is sorted now
		j := i
		for j < n && ys[j] == ys[i] {
			j++
		}
		tiesY += pairsOf(float64(j - i))
		i = j
	}
	all := pairsOf(float64(n))
	den := math.Sqrt((all - tiesX) * (all - tiesY))
	if den == 0 {
		return math.NaN()
	}
	return (all - tiesX - tiesY + tiesBoth - 2*swaps) / den
}

// exchanges sorts v by merging and returns how many pairs were out of order.
func exchanges(v, buf []float64) float64 {
	n := len(v)
	if n < 2 {
		return 0
	}
	m := n / 2
	count := exchanges(v[:m], buf[:m]) + exchanges(v[m:], buf[m:])
	copy(buf, v)
	i, j := 0, m
	for k := range v {
		if j >= n || (i < m && buf[i] <= buf[j]) {
			v[k] = buf[i]
			i++
		} else {
			v[k] = buf[j]
			count += float64(m - i)
			j++
		}
	}
	return count
}

// tTest compares two means.
func tTest(x, y []float64, equal bool) (starlark.Value, error) {
	mx, vx := stat.MeanVariance(x, nil)
	my, vy := stat.MeanVariance(y, nil)
	nx, ny := float64(len(x)), float64(len(y))
	var se, df float64
	if equal {
		df = nx + ny - 2
		se = math.Sqrt(((nx-1)*vx + (ny-1)*vy) / df * (1/nx + 1/ny))
	} else {
		a, b := vx/nx, vy/ny
		se = math.Sqrt(a + b)
		df = (a + b) * (a + b) / (a*a/(nx-1) + b*b/(ny-1))
	}
	if se == 0 {
		return nil, errors.New("neither sample varies: the test says nothing")
	}
	t := (mx - my) / se
	p := 2 * distuv.StudentsT{Mu: 0, Sigma: 1, Nu: df}.Survival(math.Abs(t))
	return binding.Struct("t_test", starlark.StringDict{
		"statistic": binding.Float(t), "df": binding.Float(df), "p_value": binding.Float(p),
		"n_x": starlark.MakeInt(len(x)), "n_y": starlark.MakeInt(len(y)),
	}), nil
}

// mannWhitney compares two samples by ranks.
func mannWhitney(x, y []float64) (starlark.Value, error) {
	all := append(slices.Clone(x), y...)
	r := analysis.Ranks(all)
	nx, ny := float64(len(x)), float64(len(y))
	n := nx + ny
	sum := 0.0
	for _, v := range r[:len(x)] {
		sum += v
	}
	u := sum - nx*(nx+1)/2
	slices.Sort(all)
	ties := 0.0
	for i := 0; i < len(all); {
		j := i
		for j < len(all) && all[j] == all[i] {
			j++
		}
		t := float64(j - i)
		ties += t*t*t - t
		i = j
	}
	sd := math.Sqrt(nx * ny / 12 * (n + 1 - ties/(n*(n-1))))
	if sd == 0 {
		return nil, errors.New("all values are equal: the test says nothing")
	}
	d := math.Abs(u-nx*ny/2) - 0.5
	p := min(1, 2*distuv.UnitNormal.Survival(max(d, 0)/sd))
	return binding.Struct("mann_whitney", starlark.StringDict{
		"statistic": binding.Float(u), "p_value": binding.Float(p), "effect": binding.Float(u / (nx * ny)),
		"n_x": starlark.MakeInt(len(x)), "n_y": starlark.MakeInt(len(y)),
	}), nil
}

// kolmogorovSmirnov compares two distributions.
func kolmogorovSmirnov(x, y []float64) (starlark.Value, error) {
	x, y = slices.Clone(x), slices.Clone(y)
	slices.Sort(x)
	slices.Sort(y)
	d := stat.KolmogorovSmirnov(x, nil, y, nil)
	nx, ny := float64(len(x)), float64(len(y))
	en := math.Sqrt(nx * ny / (nx + ny))
	return binding.Struct("ks_test", starlark.StringDict{
		"statistic": binding.Float(d), "p_value": binding.Float(kolmogorovSurvival(en * d)),
		"n_x": starlark.MakeInt(len(x)), "n_y": starlark.MakeInt(len(y)),
	}), nil
}

// kolmogorovSurvival is the limiting distribution's chance to exceed t.
func kolmogorovSurvival(t float64) float64 {
	if t < 0.2 {
		return 1
	}
	sum, sign := 0.0, 1.0
	for k := 1.0; k < 200; k++ {
		term := math.Exp(-2 * k * k * t * t)
		sum += sign * term
		if term < 1e-16 {
			break
		}
		sign = -sign
	}
	return min(max(2*sum, 0), 1)
}
