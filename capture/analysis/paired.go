package analysis

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/progress"
)

// frameNames are the names of frames in order of time, "frame 12" and "12" being one.
func frameNames(list []capture.Region) []string {
	list = inOrder(list)
	out := make([]string, len(list))
	for i, r := range list {
		out[i] = strings.TrimPrefix(r.Name, "frame ")
	}
	return out
}

// unpairable says why the frames of captures are not pairs, "" where all have the same frames in the same order.
func unpairable(row []part) string {
	first := row[0]
	for _, p := range row[1:] {
		if len(p.units) != len(first.units) {
			return fmt.Sprintf("%s has %d, %s has %d", nameOf(first.cap), len(first.units), nameOf(p.cap), len(p.units))
		}
	}
	for _, p := range row[1:] {
		for i, name := range p.units {
			if name != first.units[i] {
				return fmt.Sprintf("number %d is %q in %s and %q in %s", i+1, first.units[i], nameOf(first.cap),
					name, nameOf(p.cap))
			}
		}
	}
	return ""
}

// pairing is what the paired frames of all runs say about one subject. A scene that is replayed costs each frame its
// own: a menu little, a level much. That is the same in all runs and no uncertainty of their difference.
type pairing struct {
	logs          bool    // judged is the logarithm of the ratio, else the difference
	within        spreads // of that, from one bootstrap of the pairs
	before, after []value // of the runs, on that scale; the variance is that which runs do not share
}

// spreadPaired finds the spread of the changes of all subjects. Blocks of frames are drawn for all runs together, so
// that only what differs within the pairs is left in the replicates of the change. The first n runs are those before. A
// subject whose spread can't be known has an unknown one.
func spreadPaired(ctx context.Context, runs []*run, n int) ([]*pairing, error) {
	first := runs[0]
	out := make([]*pairing, len(first.subjects))
	classes, shapes := map[int][]int{}, map[int]pairShape{}
	all, done := 0, 0
	for k := range out {
		out[k] = scaledPair(runs, n, k, false)
		rest, logs := pairResiduals(runs, n, k)
		able, present := true, countPresent(rest)
		for _, x := range runs {
			x.values[k].variance = math.NaN()
			able = able && x.spreads(k, present)
		}
		if !able {
			continue
		}
		// Differences and ratios are judged from the same draws, so blocks must be long enough for the slower of
		// the two: shorter ones would cut what hangs together and make intervals too narrow.
		b := max(blockLength(rest), blockLength(logs))
		for _, x := range runs {
			x.values[k].blocks = present / b
		}
		shapes[k] = shapeOf(rest, logs, b)
		// the moments of a handful tell little: frames are taken to be as unlike as their costs
		if present < fewFrames {
			s := shapes[k]
			s.blocks = max(2, min(s.blocks, int(math.Round(equivalent(meanCells(runs, k), 0)))))
			shapes[k] = s
		}
		classes[b] = append(classes[b], k)
		all++
	}
	work := int64(runSteps-prepareSteps) * int64(len(runs))
	meter := progress.From(ctx)
	if all == 0 {
		meter.Add(work)
	}
	// Lengths of blocks are powers of two, so that subjects share draws: a draw of all runs costs more than the
	// sums of one subject over it.
	for b := 1; len(classes) > 0; b *= 2 {
		list := classes[b]
		delete(classes, b)
		if len(list) == 0 {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		// One draw for all runs: a replicate must take the same frames before and after, else the cost of scenes,
		// which cancels in pairs, would be in the spread. The seed depends on the options and the class only, so
		// that another subject more or less moves no interval.
		d := circular(first.opt.Replicates, first.pool.part.cells.count, b,
			rand.New(rand.NewPCG(first.seed, uint64(b))))
		rows := make([][][]float64, len(runs)) // of each run and subject
		if err := eachRun(runs, func(x *run) (err error) {
			rows[x.index], err = x.resample(ctx, list, d)
			return err
		}); err != nil {
			return nil, err
		}
		for i, k := range list {
			replicates := make([][]float64, len(runs))
			for j := range runs {
				replicates[j] = rows[j][i]
				runs[j].values[k].setVariance(replicates[j])
			}
			out[k] = newPairing(runs, n, k, replicates, shapes[k])
		}
		was := done
		done += len(list)
		meter.Add(work*int64(done)/int64(all) - work*int64(was)/int64(all))
	}
	return out, nil
}

// meanCells is the mean of several runs in each cell, NaN where one lacks the value.
func meanCells(runs []*run, k int) []float64 {
	out := make([]float64, len(runs[0].values[k].cells))
	for i := range out {
		for _, x := range runs {
			out[i] += x.values[k].cells[i] / float64(len(runs))
		}
	}
	return out
}

// meanOfRuns is the mean of a subject over runs.
func meanOfRuns(runs []*run, k int) float64 {
	sum := 0.0
	for _, x := range runs {
		sum += x.values[k].v
	}
	return sum / float64(len(runs))
}

// pairResiduals is what is left of each frame after the change that all have in common, a factor, or a difference where
// there is no factor; logs are the logarithms of the frames' own factors, NaN where there is none.
func pairResiduals(runs []*run, n, k int) (rest, logs []float64) {
	before, rest := meanCells(runs[:n], k), meanCells(runs[n:], k)
	factor := meanOfRuns(runs[n:], k) / meanOfRuns(runs[:n], k)
	negative := func(x float64) bool { return x < 0 }
	if !(factor > 0) || math.IsInf(factor, 0) || slices.ContainsFunc(before, negative) ||
		slices.ContainsFunc(rest, negative) {
		factor = 1
	}
	logs = make([]float64, len(rest))
	for i := range rest {
		logs[i] = math.NaN()
		if before[i] > 0 && rest[i] > 0 {
			logs[i] = math.Log(rest[i] / before[i])
		}
		rest[i] -= factor * before[i]
	}
	return rest, logs
}

// pairShape is what the bootstrap does not see of the residuals of pairs.
type pairShape struct {
	// stretches that the variance comes from: dear frames count for more than cheap ones, so it is less than there are
	blocks  int
	inflate float64 // of the variance, for the dependence that reaches over the ends of stretches
}

// shapeOf takes the equivalent number of stretches from the fourth moment of the residuals, which is 3 for normal ones
// of one size, and what stretches of length b miss of their variance from the correlation of neighbours. Paired frames
// have half the stretches of unpaired ones to tell their spread, and content makes them unlike, so neither can be left
// out: simulated scenes without a change gave false changes in up to 27 % of the comparisons at alpha = 5 %.
func shapeOf(rest, logs []float64, b int) pairShape {
	n := float64(countPresent(rest))
	out := pairShape{blocks: int(n) / b, inflate: 1}
	if few := 3 * equivalent(rest, presentMean(rest)); few > 0 && few < n {
		out.blocks = max(2, int(math.Round(few/float64(b))))
	}
	if n < minCells {
		return out
	}
	rho := max(neighbours(rest), neighbours(logs))
	rho = min(rho+(1+3*rho)/n, 0.99) // it is estimated too small by that
	if rho <= 0 {
		return out
	}
	within, power := 1.0, 1.0
	for j := 1; j < b; j++ {
		power *= rho
		within += 2 * (1 - float64(j)/float64(b)) * power
	}
	out.inflate = max(1, min((1+rho)/(1-rho), n/minUnits)/within)
	return out
}

// fewFrames is below how many nothing is known of how frames depend on each other.
const fewFrames = 12

// equivalent is how many values of one distance from the mean would have as much of their squares in few of them.
func equivalent(v []float64, mean float64) float64 {
	square, fourth := 0.0, 0.0
	for _, x := range v {
		if x == x && !math.IsInf(x, 0) {
			e := (x - mean) * (x - mean)
			square, fourth = square+e, fourth+e*e
		}
	}
	return square * square / fourth
}

func presentMean(v []float64) float64 {
	sum, n := 0.0, 0.0
	for _, x := range v {
		if x == x && !math.IsInf(x, 0) {
			sum, n = sum+x, n+1
		}
	}
	return sum / n
}

// neighbours is the correlation of each value with the next, 0 where it is not known.
func neighbours(v []float64) float64 {
	mean := presentMean(v)
	var both, own, last float64
	for _, x := range v {
		if x -= mean; x != x || math.IsInf(x, 0) {
			x = 0
		}
		both, own, last = both+x*last, own+x*x, x
	}
	if !(own > 0) {
		return 0
	}
	return both / own
}

// newPairing makes a subject's pairing of its replicates in each run. Changes of a program are factors far more often
// than differences: what costs 12 % more costs more in the level than in the menu. So logarithms are judged unless
// values are 0 or negative.
func newPairing(runs []*run, n, k int, replicates [][]float64, shape pairShape) *pairing {
	logs := true
	for i, list := range replicates {
		logs = logs && runs[i].values[k].v > 0
		for _, x := range list {
			logs = logs && !(x <= 0)
		}
	}
	out := scaledPair(runs, n, k, logs)
	change := make([]float64, len(replicates[0]))
	for i := range change {
		a, b := 0.0, 0.0
		for j, list := range replicates {
			if j < n {
				a += list[i] / float64(n)
			} else {
				b += list[i] / float64(len(runs)-n)
			}
		}
		change[i] = b - a
		if logs {
			change[i] = math.Log(b / a)
		}
	}
	variance := varianceOf(change, shape.blocks) * shape.inflate
	out.within = spreads{after: variance, df: float64(max(1, shape.blocks-1)), known: variance == variance}
	own := ownVariance(replicates, shape.blocks, logs) * shape.inflate
	for _, list := range [][]value{out.before, out.after} {
		for i := range list {
			list[i].variance = own
		}
	}
	return out
}

// scaledPair has the runs' values on the scale that is judged, and no spread yet.
func scaledPair(runs []*run, n, k int, logs bool) *pairing {
	values := make([]value, len(runs))
	for i, x := range runs {
		values[i] = x.values[k]
		values[i].variance = math.NaN()
		if logs {
			values[i].v = math.Log(values[i].v)
		}
	}
	return &pairing{logs: logs, before: values[:n], after: values[n:]}
}

// ownVariance is that of one run without what it shares with the others: half that of the difference of two, on
// average.
func ownVariance(replicates [][]float64, blocks int, logs bool) float64 {
	sum, pairs := 0.0, 0
	difference := make([]float64, len(replicates[0]))
	for i, x := range replicates {
		for _, y := range replicates[:i] {
			for j := range difference {
				if difference[j] = x[j] - y[j]; logs {
					difference[j] = math.Log(x[j] / y[j])
				}
			}
			sum += varianceOf(difference, blocks) / 2
			pairs++
		}
	}
	return sum / float64(pairs)
}

// fillPaired works out the intervals of a change of paired frames. They hold for the frames that were measured, so the
// interval of the difference and that of the ratio are the same one, and both leave out no change where the other does.
func (r *Row) fillPaired(use spreads, alpha float64) {
	m, a := use.margin(alpha), r.Before
	if !r.pair.logs {
		r.DifferenceLo, r.DifferenceHi, r.P = r.Difference-m, r.Difference+m, use.p(r.Difference)
		own := spreads{after: meanVariance(r.before), df: use.df, known: true}
		if own.margin(alpha) < math.Abs(a) { // else a may be 0, and the ratio anything
			lo, hi := 1+r.DifferenceLo/a, 1+r.DifferenceHi/a
			r.RatioLo, r.RatioHi = min(lo, hi), max(lo, hi)
		}
		return
	}
	change := math.Log(r.Ratio)
	if r.Difference == 0 {
		change = 0
	}
	r.P = use.p(change)
	r.RatioLo, r.RatioHi = math.Exp(change-m), math.Exp(change+m)
	r.DifferenceLo, r.DifferenceHi = a*(r.RatioLo-1), a*(r.RatioHi-1)
}

// meanVariance is that of the mean of runs, each with its own.
func meanVariance(list []value) float64 {
	sum := 0.0
	for _, v := range list {
		sum += v.variance
	}
	return sum / float64(len(list)*len(list))
}

// dominance is Cliff's delta within pairs: the share of pairs whose second value is the greater, less that of the
// reverse. Pairs that lack a value are left out.
func dominance(x, y []float64) float64 {
	score, pairs := 0, 0
	for i := range min(len(x), len(y)) {
		if x[i] != x[i] || y[i] != y[i] {
			continue
		}
		pairs++
		switch {
		case y[i] > x[i]:
			score++
		case y[i] < x[i]:
			score--
		}
	}
	if pairs == 0 {
		return math.NaN()
	}
	return float64(score) / float64(pairs)
}
