package simulate

import (
	"strconv"

	"astrolabe/capture"
)

// Mark adds what a recorder with marks adds: a region for each frame, from the program's mark at its start to the
// next, and a label with the frame that a sample's middle lies in. Times of the capture count from origin.
func (r *Run) Mark(cfg *capture.Config, origin int64) {
	n := cfg.Axis.Len()
	codes := make([]int32, n)
	var dict []string
	k := -1
	code := int32(-1)
	for i := range n {
		middle := origin + cfg.Axis.Start[i] + (cfg.Axis.End[i]-cfg.Axis.Start[i])/2
		for k+1 < len(r.Frames) && r.Frames[k+1].Begin <= middle {
			k++
			code = -1
		}
		if k >= 0 && code < 0 {
			dict = append(dict, strconv.Itoa(k))
			code = int32(len(dict) - 1)
		}
		codes[i] = code
	}
	cfg.Labels = append(cfg.Labels, &capture.Label{Name: "frame", Codes: codes, Dict: dict})
	_, end := cfg.Axis.Extent()
	for i, f := range r.Frames {
		until := end
		if i+1 < len(r.Frames) {
			until = r.Frames[i+1].Begin - origin
		}
		if from := f.Begin - origin; until > 0 && from < end {
			cfg.Regions = append(cfg.Regions, capture.Region{Name: "frame " + strconv.Itoa(i), Start: max(0, from),
				End: min(end, until)})
		}
	}
}

// Rows are the samples of a capture: their axis, whose times count from the start of the first, the time of that
// start in the simulation, and for each the number of the recorder's sample. holes stretches of the capture are
// without samples. merged and lost are what the reader says of samples that cover missed ticks and of such stretches.
func (r *Run) Rows(clock string, holes int, rnd Random, merged, lost string) (axis *capture.Axis, origin int64,
	rows []int, gaps, late []capture.Gap) {
	first, last := r.Samples()
	b := r.Rec.Bounds
	axis, origin = &capture.Axis{Clock: clock}, b.At(first)
	skip := map[int]int{} // from a sample, up to which one
	for range holes {
		at := first + 1 + rnd.IntN(max(1, last-first-2))
		skip[at] = min(last-1, at+1+int(rnd.ExpFloat64()*float64(last-first)/40))
	}
	for i := first; i < last; i++ {
		if until, ok := skip[i]; ok && until > i {
			gaps = append(gaps, capture.Gap{Start: b.At(i) - origin, End: b.At(until) - origin, Lost: uint64(until - i),
				Reason: capture.Reason{Code: capture.LostReports, Text: lost}})
			i = until - 1
			continue
		}
		start, end := b.At(i)-origin, b.At(i+1)-origin
		axis.Start, axis.End, rows = append(axis.Start, start), append(axis.End, end), append(rows, i)
		if n := b.Missed(i); n > 0 {
			late = append(late, capture.Gap{Start: start, End: end, Lost: uint64(n),
				Reason: capture.Reason{Code: capture.LostReports, Text: merged}})
		}
	}
	return axis, origin, rows, gaps, late
}
