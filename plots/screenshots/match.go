package screenshots

import (
	"fmt"
	"strconv"
)

// Frame is one that pictures may be of. Name is its number as text, or any other name.
type Frame struct {
	Name       string
	Start, End int64 // ns since the start of the capture
}

// Matched are the pictures of each frame, by their places in Shots, and what is to know of those that have none.
type Matched struct {
	Of    [][]int
	Notes []string
}

// Match finds the frame of each picture. A time belongs to the frame that it lies in, of several at a time the one that
// began last. A number belongs to the frame of that name; where there are several only a time tells which.
func (f *Folder) Match(frames []Frame) *Matched {
	out := &Matched{Of: make([][]int, len(frames))}
	byName := map[int64][]int{}
	for i, fr := range frames {
		if n, err := strconv.ParseInt(fr.Name, 10, 64); err == nil {
			byName[n] = append(byName[n], i)
		}
	}
	within := func(i int, t int64) bool { return t >= frames[i].Start && t < frames[i].End }
	ended := ends(frames)
	var outside, unknown, several, unlike []string
	for k, s := range f.Shots {
		at := -1
		switch {
		case s.Frame == nil:
			// The last frame that began before, or one before it that is not over yet.
			for i := before(frames, *s.Time); i >= 0 && ended[i] > *s.Time; i-- {
				if within(i, *s.Time) {
					at = i
					break
				}
			}
			if at < 0 {
				outside = append(outside, s.File)
			}
		case len(byName[*s.Frame]) == 0:
			unknown = append(unknown, s.File)
		case s.Time != nil:
			for _, i := range byName[*s.Frame] {
				if within(i, *s.Time) {
					at = i
				}
			}
			if at < 0 {
				unlike = append(unlike, s.File)
			}
		case len(byName[*s.Frame]) > 1:
			several = append(several, s.File)
		default:
			at = byName[*s.Frame][0]
		}
		if at >= 0 {
			out.Of[at] = append(out.Of[at], k)
		}
	}
	note := func(names []string, one, several string) {
		if len(names) > 0 {
			out.Notes = append(out.Notes, noteOf(names, one, several))
		}
	}
	note(outside, "at its time there is no frame", "at their times there is no frame")
	there := "there is no frame with a number"
	if lo, hi, ok := extent(byName); ok {
		there = fmt.Sprintf("the capture has the frames %d to %d", lo, hi)
	}
	note(unknown, "no frame has its number: "+there, "no frames have their numbers: "+there)
	note(several, "several frames have its number: only a time tells which",
		"several frames have their numbers: only times tell which")
	note(unlike, "its time is not in the frame with its number", "their times are not in the frames with their numbers")
	return out
}

// before is the last frame that starts at a time or before it, -1 if there is none. Frames are in order of their start.
func before(frames []Frame, t int64) int {
	lo, hi := 0, len(frames)
	for lo < hi {
		if mid := int(uint(lo+hi) >> 1); frames[mid].Start <= t {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo - 1
}

// ends are the greatest ends of the frames up to each.
func ends(frames []Frame) []int64 {
	out := make([]int64, len(frames))
	for i, f := range frames {
		if out[i] = f.End; i > 0 {
			out[i] = max(f.End, out[i-1])
		}
	}
	return out
}

func extent(byName map[int64][]int) (lo, hi int64, ok bool) {
	for n := range byName {
		if !ok {
			lo, hi, ok = n, n, true
		}
		lo, hi = min(lo, n), max(hi, n)
	}
	return lo, hi, ok
}
