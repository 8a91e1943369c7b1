package budget

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// statisticOf returns what makes one number of the values of many parts, nil for "": every part is judged. The values
// are all present; their slice may be reordered.
func statisticOf(name string) (func(values []float64) float64, error) {
	switch name {
	case "":
		return nil, nil
	case "mean":
		return mean, nil
	case "median":
		return quantile(0.5), nil
	case "min":
		return slices.Min[[]float64], nil
	case "max":
		return slices.Max[[]float64], nil
	}
	if digits, ok := strings.CutPrefix(name, "p"); ok {
		if p, err := strconv.ParseFloat(digits, 64); err == nil && p >= 0 && p <= 100 {
			return quantile(p / 100), nil
		}
	}
	return nil, fmt.Errorf("unknown statistic %q: there are every, mean, median, min, max, and percentiles such as p95",
		name)
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// quantile interpolates linearly between neighbours, as a counter's percentiles do.
func quantile(p float64) func([]float64) float64 {
	return func(values []float64) float64 {
		slices.Sort(values)
		at := p * float64(len(values)-1)
		lo := int(math.Floor(at))
		hi := min(lo+1, len(values)-1)
		a, b := values[lo], values[hi]
		if f := at - float64(lo); f > 0 && a != b {
			return a + f*(b-a)
		}
		return a
	}
}
