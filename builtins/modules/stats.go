package modules

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"go.starlark.net/starlark"
	"gonum.org/v1/gonum/stat"

	"astrolabe/builtins/binding"
	"astrolabe/builtins/values"
)

// present returns the values that are not missing, in a slice of its own.
func present(v []float64) []float64 {
	out := make([]float64, 0, len(v))
	for _, x := range v {
		if x == x {
			out = append(out, x)
		}
	}
	return out
}

// pairs returns the values of the positions where neither is missing. They are read-only: where all are there, they are
// those of the counters.
func pairs(a, b starlark.Value) (x, y []float64, err error) {
	if ca, ok := a.(*values.Counter); ok {
		if cb, ok := b.(*values.Counter); ok && !ca.Counter.Axis.Same(cb.Counter.Axis) {
			return nil, nil, values.AxisError(ca.Counter, cb.Counter)
		}
	}
	fa, err := values.AsFloats(a)
	if err != nil {
		return nil, nil, err
	}
	fb, err := values.AsFloats(b)
	if err != nil {
		return nil, nil, err
	}
	if len(fa) != len(fb) {
		return nil, nil, fmt.Errorf("the series have %d and %d values; pairs need as many of each", len(fa), len(fb))
	}
	there := 0
	for i := range fa {
		if fa[i] == fa[i] && fb[i] == fb[i] {
			there++
		}
	}
	if there == len(fa) {
		return fa, fb, nil
	}
	x, y = make([]float64, 0, there), make([]float64, 0, there)
	for i := range fa {
		if fa[i] == fa[i] && fb[i] == fb[i] {
			x, y = append(x, fa[i]), append(y, fb[i])
		}
	}
	return x, y, nil
}

const seriesType = "Counter|list"

// statistic is a function of one series that makes one number of it.
func statistic(name, doc string, least int, f func(v []float64) float64) binding.Method[*binding.Env] {
	return binding.Method[*binding.Env]{
		Sig: name + "(x: " + seriesType + ") -> float", Doc: doc +
			" Missing values are skipped; None if too few are left.", Example: "stats." + name + "([1, 2, 4, None])",
		Run: func(e *binding.Env, c *binding.Call) (starlark.Value, error) {
			v, err := values.AsFloats(c.Arg("x"))
			if err != nil {
				return nil, err
			}
			return binding.Await(e.Context(), func() (starlark.Value, error) {
				if v := present(v); len(v) >= least {
					return binding.Float(f(v)), nil
				}
				return starlark.None, nil
			})
		},
	}
}

var statsModule = binding.MethodTable[*binding.Env]{
	Name: "stats",
	Doc: "Statistics over counters and lists of numbers. Missing values are skipped, in pairs where two series are " +
		"compared.",
	Methods: append([]binding.Method[*binding.Env]{
		statistic("mean", "Average.", 1, func(v []float64) float64 { return stat.Mean(v, nil) }),
		statistic("median", "Middle value.", 1, func(v []float64) float64 { return quantile(v, 0.5) }),
		statistic("std", "Standard deviation of the sample (n-1).", 2, func(v []float64) float64 {
			return stat.StdDev(v, nil)
		}),
		statistic("variance", "Variance of the sample (n-1).", 2, func(v []float64) float64 {
			return stat.Variance(v, nil)
		}),
		statistic("geomean", "Geometric mean; None where a value is not positive.", 1, func(v []float64) float64 {
			if slices.Min(v) <= 0 {
				return math.NaN()
			}
			return stat.GeometricMean(v, nil)
		}),
		statistic("skew", "Skewness.", 3, func(v []float64) float64 { return stat.Skew(v, nil) }),
		statistic("kurtosis", "Excess kurtosis: 0 for a normal distribution.", 4, func(v []float64) float64 {
			return stat.ExKurtosis(v, nil)
		}),
		statistic("mad", "Median absolute deviation from the median.", 1, func(v []float64) float64 {
			m := quantile(v, 0.5)
			for i := range v {
				v[i] = math.Abs(v[i] - m)
			}
			return quantile(v, 0.5)
		}),
		{
			Sig:     "quantiles(x: " + seriesType + ", p: list=None) -> list",
			Doc:     "The quantiles p (0 to 1, quartiles if not given), interpolated between neighbours.",
			Example: "stats.quantiles(clk, [0.5, 0.95])",
			Run: func(e *binding.Env, c *binding.Call) (starlark.Value, error) {
				v, err := values.AsFloats(c.Arg("x"))
				if err != nil {
					return nil, err
				}
				ps := []float64{0.25, 0.5, 0.75}
				if c.Has("p") {
					if ps, err = values.AsFloats(c.Arg("p")); err != nil {
						return nil, fmt.Errorf("parameter p: %w", err)
					}
				}
				for _, p := range ps {
					if !(p >= 0 && p <= 1) {
						return nil, fmt.Errorf("parameter p: %v is not between 0 and 1", p)
					}
				}
				return binding.Await(e.Context(), func() (starlark.Value, error) {
					v := present(v)
					slices.Sort(v)
					out := make([]starlark.Value, len(ps))
					for i, p := range ps {
						out[i] = starlark.None
						if len(v) > 0 {
							out[i] = binding.Float(quantileSorted(v, p))
						}
					}
					return binding.FrozenList(out), nil
				})
			},
		},
		{
			Sig: "describe(x: " + seriesType + ") -> Table",
			Doc: "Count, missing, mean, deviation and percentiles in one table.", Example: "stats.describe(clk)",
			Run: func(e *binding.Env, c *binding.Call) (starlark.Value, error) {
				v, err := values.AsFloats(c.Arg("x"))
				if err != nil {
					return nil, err
				}
				return binding.Await(e.Context(), func() (starlark.Value, error) { return describe(e, v), nil })
			},
		},
		{
			Sig: "correlation(x: " + seriesType + ", y: " + seriesType + ", method: str=\"pearson\") -> float",
			Doc: "Correlation, -1 to 1: \"pearson\" of the values, \"spearman\" of their ranks, or \"kendall\" " +
				"of their order. None where one series does not vary.",
			Example: "stats.correlation(clk, hits)",
			Run: func(e *binding.Env, c *binding.Call) (starlark.Value, error) {
				x, y, err := pairs(c.Arg("x"), c.Arg("y"))
				if err != nil {
					return nil, err
				}
				f, ok := correlations[c.Str("method", "pearson")]
				if !ok {
					return nil, fmt.Errorf("parameter method: %q is none of \"pearson\", \"spearman\", \"kendall\"",
						c.Str("method", ""))
				}
				if len(x) < 2 {
					return starlark.None, nil
				}
				return binding.Await(e.Context(), func() (starlark.Value, error) { return binding.Float(f(x, y)), nil })
			},
		},
		{
			Sig: "covariance(x: " + seriesType + ", y: " + seriesType + ") -> float",
			Doc: "Covariance of the sample (n-1).", Example: "stats.covariance(clk, hits)",
			Run: func(e *binding.Env, c *binding.Call) (starlark.Value, error) {
				x, y, err := pairs(c.Arg("x"), c.Arg("y"))
				if err != nil || len(x) < 2 {
					return starlark.None, err
				}
				return binding.Float(stat.Covariance(x, y, nil)), nil
			},
		},
		{
			Sig: "regression(x: " + seriesType + ", y: " + seriesType + ") -> struct",
			Doc: "Straight line through the pairs by least squares: slope, intercept, r2, stderr (of the slope), " +
				"n.",
			Example: "stats.regression(clk, hits).slope",
			Run: func(e *binding.Env, c *binding.Call) (starlark.Value, error) {
				x, y, err := pairs(c.Arg("x"), c.Arg("y"))
				if err != nil {
					return nil, err
				}
				return regression(x, y)
			},
		},
		{
			Sig: "histogram(x: " + seriesType + ", bins: int|list=10, lo: number=None, hi: number=None) -> struct",
			Doc: "How often values fall into each bin: edges (one more than bins), counts, below and above " +
				"(values outside). The last bin includes its end.",
			Example: "stats.histogram(clk, bins=4).counts",
			Run: func(e *binding.Env, c *binding.Call) (starlark.Value, error) {
				v, err := values.AsFloats(c.Arg("x"))
				if err != nil {
					return nil, err
				}
				edges, err := binEdges(c, v)
				if err != nil {
					return nil, err
				}
				return binding.Await(e.Context(), func() (starlark.Value, error) { return histogram(v, edges), nil })
			},
		},
		twoSample("t_test", "equal_var: bool=False",
			"Whether two samples have the same mean: Welch's test, or Student's where equal_var is true. Gives statistic, df, p_value, n_x, n_y.",
			func(c *binding.Call, x, y []float64) (starlark.Value, error) {
				return tTest(x, y, c.Flag("equal_var", false))
			}),
		twoSample("mann_whitney", "",
			"Whether values of one sample tend to be larger than those of another, without assuming a distribution (Mann-Whitney U, normal approximation with correction for ties). Gives statistic, p_value, effect (the chance that x > y), n_x, n_y.",
			func(c *binding.Call, x, y []float64) (starlark.Value, error) {
				return mannWhitney(x, y)
			}),
		twoSample("ks_test", "",
			"Whether two samples come from one distribution (Kolmogorov-Smirnov, asymptotic). Gives statistic, p_value, n_x, n_y.",
			func(c *binding.Call, x, y []float64) (starlark.Value, error) {
				return kolmogorovSmirnov(x, y)
			}),
	}, slices.Concat(phaseMethods, overviewMethods)...),
}

func twoSample(name, more, doc string,
	f func(c *binding.Call, x, y []float64) (starlark.Value, error)) binding.Method[*binding.Env] {
	if more != "" {
		more = ", " + more
	}
	return binding.Method[*binding.Env]{
		Sig: name + "(x: " + seriesType + ", y: " + seriesType + more + ") -> struct", Doc: doc,
		Example: "stats." + name + "([1, 2, 3, 4], [2, 3, 4, 6]).p_value",
		Run: func(e *binding.Env, c *binding.Call) (starlark.Value, error) {
			x, err := values.AsFloats(c.Arg("x"))
			if err != nil {
				return nil, err
			}
			y, err := values.AsFloats(c.Arg("y"))
			if err != nil {
				return nil, err
			}
			return binding.Await(e.Context(), func() (starlark.Value, error) {
				x, y := present(x), present(y)
				if len(x) < 2 || len(y) < 2 {
					return nil, fmt.Errorf("the samples have %d and %d values; a test needs two of each", len(x),
						len(y))
				}
				return f(c, x, y)
			})
		},
	}
}

// quantile sorts v and interpolates.
func quantile(v []float64, p float64) float64 {
	v = slices.Clone(v)
	slices.Sort(v)
	return quantileSorted(v, p)
}

func quantileSorted(v []float64, p float64) float64 {
	pos := p * float64(len(v)-1)
	i := int(pos)
	if i+1 >= len(v) {
		return v[len(v)-1]
	}
	return v[i] + (pos-float64(i))*(v[i+1]-v[i])
}

func describe(e *binding.Env, all []float64) *values.Table {
	v := present(all)
	slices.Sort(v)
	t := values.NewTable(e, []string{"statistic", "value"}, nil)
	t.Append(starlark.String("count"), starlark.MakeInt(len(v)))
	t.Append(starlark.String("missing"), starlark.MakeInt(len(all)-len(v)))
	add := func(name string, least int, f func() float64) {
		var cell starlark.Value = starlark.None
		if len(v) >= least {
			cell = binding.Float(f())
		}
		t.Append(starlark.String(name), cell)
	}
	add("mean", 1, func() float64 { return stat.Mean(v, nil) })
	add("std", 2, func() float64 { return stat.StdDev(v, nil) })
	add("min", 1, func() float64 { return v[0] })
	for _, p := range []int{5, 25, 50, 75, 95, 99} {
		add(fmt.Sprintf("p%d", p), 1, func() float64 { return quantileSorted(v, float64(p)/100) })
	}
	add("max", 1, func() float64 { return v[len(v)-1] })
	return t
}

func regression(x, y []float64) (starlark.Value, error) {
	if len(x) < 2 {
		return nil, errors.New("a line needs two pairs of values")
	}
	if slices.Min(x) == slices.Max(x) {
		return nil, errors.New("x does not vary: no line fits")
	}
	a, b := stat.LinearRegression(x, y, nil, false)
	var rss, sxx float64
	mean := stat.Mean(x, nil)
	for i := range x {
		d := y[i] - a - b*x[i]
		rss += d * d
		sxx += (x[i] - mean) * (x[i] - mean)
	}
	stderr := math.NaN()
	if len(x) > 2 {
		stderr = math.Sqrt(rss / float64(len(x)-2) / sxx)
	}
	return binding.Struct("regression", starlark.StringDict{
		"slope": binding.Float(b), "intercept": binding.Float(a), "r2": binding.Float(stat.RSquared(x, y, nil, a, b)),
		"stderr": binding.Float(stderr), "n": starlark.MakeInt(len(x)),
	}), nil
}

// maxBins is the most bins of a histogram.
const maxBins = 1 << 20

func binEdges(c *binding.Call, v []float64) ([]float64, error) {
	if c.Has("bins") && !binding.IsNumber(c.Arg("bins")) {
		edges, err := values.AsFloats(c.Arg("bins"))
		if err != nil {
			return nil, fmt.Errorf("parameter bins: %w", err)
		}
		for i := range edges {
			if edges[i] != edges[i] || (i > 0 && edges[i] <= edges[i-1]) {
				return nil, errors.New("parameter bins: the edges must increase")
			}
		}
		if len(edges) < 2 {
			return nil, errors.New("parameter bins: give at least two edges")
		}
		return edges, nil
	}
	n, err := c.Integer("bins", 10)
	if err != nil {
		return nil, err
	}
	if n < 1 || n > maxBins {
		return nil, fmt.Errorf("parameter bins: %d is not between 1 and %d", n, maxBins)
	}
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, x := range v {
		if x == x && !math.IsInf(x, 0) {
			lo, hi = min(lo, x), max(hi, x)
		}
	}
	if lo > hi {
		lo, hi = 0, 1
	}
	lo, hi = c.Float("lo", lo), c.Float("hi", hi)
	if lo == hi {
		lo, hi = lo-0.5, hi+0.5
	}
	if !(lo < hi) {
		return nil, fmt.Errorf("lo is %v and hi is %v: lo must be the smaller", lo, hi)
	}
	edges := make([]float64, n+1)
	for i := range edges {
		edges[i] = lo + (hi-lo)*float64(i)/float64(n)
	}
	return edges, nil
}

func histogram(v, edges []float64) starlark.Value {
	counts := make([]int64, len(edges)-1)
	var below, above int64
	for _, x := range v {
		switch i, found := slices.BinarySearch(edges, x); {
		case x != x:
		case x < edges[0]:
			below++
		case x > edges[len(edges)-1]:
			above++
		case found && i < len(counts):
			counts[i]++
		default:
			counts[i-1]++
		}
	}
	e := make([]starlark.Value, len(edges))
	for i, x := range edges {
		e[i] = starlark.Float(x)
	}
	n := make([]starlark.Value, len(counts))
	for i, k := range counts {
		n[i] = starlark.MakeInt64(k)
	}
	return binding.Struct("histogram", starlark.StringDict{
		"edges": binding.FrozenList(e), "counts": binding.FrozenList(n), "below": starlark.MakeInt64(below),
		"above": starlark.MakeInt64(above),
	})
}
