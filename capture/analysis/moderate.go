package analysis

import (
	"math"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat"
)

// prior is what all metrics together say about how much runs differ. Two or three runs say next to nothing about a
// single metric, and Student's t with one or two degrees of freedom finds no change among hundreds. So the variance
// between runs, relative to that within a run, is taken to scatter over the metrics as in Smyth (2004), "Linear models
// and empirical Bayes methods", section 6: a scaled F, whose scale and degrees of freedom are fitted to all metrics and
// count as runs more of each.
type prior struct {
	scale float64
	df    float64 // 0 is no prior
}

const (
	minModerated = 10 // metrics that a fit takes
	// maxPriorDF bounds what a metric borrows. Metrics of one capture depend on each other, which makes them look more
	// alike than they are.
	maxPriorDF = 12
)

// relative is the variance between runs of a row, as a multiple of that within a run.
func relative(before, after []value) (x, df, inside float64) {
	runs := between(before, after)
	n := 0.0
	for _, list := range [][]value{before, after} {
		for _, v := range list {
			inside += v.variance
			n++
		}
	}
	inside /= n
	return runs.before * float64(len(before)) / inside, runs.df, inside
}

// fitPrior fits the prior to the rows of a group that are judged.
func fitPrior(rows []Row, group string) prior {
	var logs []float64
	sampling := 0.0 // variance of the logarithms that the number of runs explains
	for i := range rows {
		r := &rows[i]
		if r.Why != "" || !r.borrows || r.group != group {
			continue
		}
		x, d, inside := relative(r.scaled())
		if d == 0 || !(inside > 0) || !(x > 0) || math.IsInf(x, 0) {
			continue
		}
		sampling += trigamma(d / 2)
		logs = append(logs, math.Log(x)-mathext.Digamma(d/2)+math.Log(d/2))
	}
	if len(logs) < minModerated {
		return prior{}
	}
	mean, variance := stat.MeanVariance(logs, nil)
	p := prior{df: maxPriorDF, scale: math.Exp(mean)}
	if extra := variance - sampling/float64(len(logs)); extra > 0 {
		p.df = min(2*trigammaInverse(extra), maxPriorDF)
		p.scale = math.Exp(mean + mathext.Digamma(p.df/2) - math.Log(p.df/2))
	}
	p.scale = max(p.scale, 1) // runs differ at least by what each is uncertain
	return p
}

// moderated is between with the prior's help.
func (p prior) moderated(before, after []value) spreads {
	runs := between(before, after)
	if !runs.known || p.df == 0 {
		return runs
	}
	x, df, inside := relative(before, after)
	if !(inside > 0) || math.IsNaN(x) {
		return runs
	}
	variance := (p.df*p.scale + df*x) / (p.df + df) * inside
	return spreads{before: variance / float64(len(before)), after: variance / float64(len(after)),
		df: p.df + df, known: true}
}

// trigamma is the derivative of the digamma function.
func trigamma(x float64) float64 { return mathext.Zeta(2, x) }

// trigammaInverse solves trigamma(y) = x for x > 0 by Newton's method on 1/trigamma, which is convex and nearly linear
// (Smyth 2004, appendix).
func trigammaInverse(x float64) float64 {
	switch {
	case x > 1e7:
		return 1 / math.Sqrt(x)
	case x < 1e-6:
		return 1 / x
	}
	y := 0.5 + 1/x
	for range 50 {
		tri := trigamma(y)
		tetra := -2 * mathext.Zeta(3, y)
		step := tri * (1 - tri/x) / tetra
		y += step
		if -step/y < 1e-8 {
			break
		}
	}
	return y
}
