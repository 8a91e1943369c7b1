package chrometrace

import (
	"slices"

	"astrolabe/capture"
	"astrolabe/capture/memory"
)

// labelRun is a stretch of time with one value of a label.
type labelRun struct {
	value      string
	start, end int64
}

// labelRuns are samples that adjoin and have one value; where each value names a sample, these.
func labelRuns(a *capture.Axis, l *capture.Label) (out []labelRun) {
	for i := range a.Len() {
		v, ok := l.Value(i)
		switch n := len(out) - 1; {
		case !ok:
		case n >= 0 && !l.Unique && i > 0 && l.Codes[i] == l.Codes[i-1] && a.Start[i] == a.End[i-1]:
			out[n].end = a.End[i]
		default:
			out = append(out, labelRun{v, a.Start[i], a.End[i]})
		}
	}
	return out
}

// labelled puts the slices of labels back on samples.
type labelled struct {
	axis  *capture.Axis
	tally *memory.Tally
	list  []*capture.Label
	codes []map[string]int32 // of the values of each label
}

// take gives the samples that start in a stretch a value: the one at its start where values name samples.
func (x *labelled) take(name, value string, start, end int64, unique bool) {
	at := slices.IndexFunc(x.list, func(l *capture.Label) bool { return l.Name == name })
	if at < 0 {
		at = len(x.list)
		x.tally.Must(4 * uint64(x.axis.Len()))
		l := &capture.Label{Name: name, Codes: make([]int32, x.axis.Len()), Unique: unique}
		for i := range l.Codes {
			l.Codes[i] = -1
		}
		x.list, x.codes = append(x.list, l), append(x.codes, map[string]int32{})
	}
	l := x.list[at]
	code, known := x.codes[at][value]
	if !known {
		code = int32(len(l.Dict))
		x.codes[at][value] = code
		l.Dict = memory.Append(x.tally, l.Dict, value)
	}
	i, _ := slices.BinarySearch(x.axis.Start, start)
	for ; i < x.axis.Len() && (x.axis.Start[i] < end || x.axis.Start[i] == start); i++ {
		if l.Codes[i] = code; unique {
			break
		}
	}
}
