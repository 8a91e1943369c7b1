package analysis

import (
	"slices"
	"strconv"
	"strings"

	"astrolabe/capture"
)

// labelRun is samples lo to hi (not included) that follow each other with one value of a label.
type labelRun struct {
	name   string
	lo, hi int
}

// labelRuns are those of a label, in order; samples without a value are in none.
func labelRuns(l *capture.Label) []labelRun {
	var out []labelRun
	for i, code := range l.Codes {
		switch {
		case code < 0:
		case i > 0 && l.Codes[i-1] == code:
			out[len(out)-1].hi = i + 1
		default:
			out = append(out, labelRun{l.Dict[code], i, i + 1})
		}
	}
	return out
}

// end is where the last sample of a stretch ends.
func (s labelRun) end(a *capture.Axis) int64 {
	return slices.Max(a.End[s.lo:s.hi])
}

// labelRunCells makes each run one unit.
func labelRunCells(c *capture.Capture, list []labelRun, per string) *cells {
	bins := &capture.Bins{From: c.Axis, Axis: &capture.Axis{Clock: c.Axis.Clock}}
	units, seconds := make([]float64, len(list)), make([]float64, len(list))
	for j, s := range list {
		start, end := c.Axis.Start[s.lo], s.end(c.Axis)
		bins.Lo, bins.Hi = append(bins.Lo, s.lo), append(bins.Hi, s.hi)
		bins.Axis.Start, bins.Axis.End = append(bins.Axis.Start, start), append(bins.Axis.End, end)
		units[j], seconds[j] = 1, float64(end-start)/1e9
	}
	return newCells(bins, per, units, seconds)
}

// unitLabels number frames, dispatches and draws.
var unitLabels = []string{"frame", "dispatch", "sample", "draw"}

// manyUnits is how many values a label of another name has before it is taken to number its samples. It is far above
// the number of settings that a user would label a capture with.
const manyUnits = 32

// numbersUnits reports whether the values of a label are observations instead of parts: each value is one stretch of
// samples, and values count up as frames do, or are single samples that nobody could judge one by one.
func numbersUnits(caps []*capture.Capture, label string, repeated bool) bool {
	named := slices.Contains(unitLabels, label)
	counting, single, fewest := true, true, 0
	for i, c := range caps {
		l := c.Label(label)
		if l == nil {
			return false
		}
		list := labelRuns(l)
		seen := map[string]bool{}
		for _, s := range list {
			if seen[s.name] && label != "frame" {
				return false // it comes back, as a kernel does
			}
			seen[s.name] = true
			single = single && s.hi-s.lo == 1
		}
		counting = counting && countUp(list)
		if fewest = min(fewest, len(list)); i == 0 {
			fewest = len(list)
		}
	}
	switch {
	case label == "frame":
		return fewest > 0
	case named:
		return fewest >= minUnits && (counting || single)
	}
	return fewest > manyUnits && (counting || (single && !repeated))
}

// countUp reports whether nearly every value is that of its neighbour and one more, such as "frame 12" and "frame 13".
func countUp(list []labelRun) bool {
	steps := 0
	lastHead, last, ok := "", int64(0), false
	for _, s := range list {
		head := strings.TrimRight(s.name, "0123456789")
		n, err := strconv.ParseInt(s.name[len(head):], 10, 64)
		if err == nil && ok && head == lastHead && n == last+1 {
			steps++
		}
		lastHead, last, ok = head, n, err == nil
	}
	return steps*10 >= (len(list)-1)*9
}

// byUnit compares what a label numbers, each stretch being one observation.
func byUnit(caps []*capture.Capture, label string) ([][]part, error) {
	per := label
	if per == "dispatch" {
		per = "sample"
	}
	row := make([]part, len(caps))
	for i, c := range caps {
		l := c.Label(label)
		if l == nil {
			return nil, notComparable("%s has no label %s", nameOf(c), label)
		}
		list := labelRuns(l)
		if len(list) == 0 {
			return nil, notComparable("%s has no sample with a value of the label %s", nameOf(c), label)
		}
		row[i] = part{cap: c, cells: labelRunCells(c, list, per)}
		for _, s := range list {
			row[i].units = append(row[i].units, s.name)
		}
	}
	return [][]part{row}, nil
}
