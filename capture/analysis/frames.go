package analysis

import (
	"slices"
	"sort"
	"strconv"
	"strings"

	"astrolabe/capture"
)

// FrameList is the frames of a capture, with the samples of each.
type FrameList struct {
	// Cap is the capture itself or, where frames are in flight at the same time, with the samples of each frame beside
	// each other.
	Cap     *capture.Capture
	Regions []capture.Region // in order of their start
	Lo, Hi  []int            // the samples [Lo, Hi) of Cap belong to the frame; none where they are equal
}

// Frames are the regions of FramesOf.
func Frames(c *capture.Capture) []capture.Region {
	list, _ := framesOf(c)
	out := make([]capture.Region, len(list))
	for i, f := range list {
		out[i] = f.Region
	}
	return out
}

// FramesOf finds the frames of a capture: regions called "frame" or "frame N", and the values of the label frame that
// no such region has. All that counts frames asks it, so that all count the same. A sample belongs to the frame that
// its label names, else to the one that it starts in. It is nil where there are no frames.
func FramesOf(c *capture.Capture) (*FrameList, error) {
	list, neighbours := framesOf(c)
	if len(list) == 0 {
		return nil, nil
	}
	out := &FrameList{Cap: c}
	var rows []int
	for _, f := range list {
		out.Regions = append(out.Regions, f.Region)
		if neighbours {
			out.Lo, out.Hi = append(out.Lo, f.pieces[0][0]), append(out.Hi, f.pieces[0][1])
			continue
		}
		out.Lo = append(out.Lo, len(rows))
		for _, p := range f.pieces {
			for i := p[0]; i < p[1]; i++ {
				rows = append(rows, i)
			}
		}
		out.Hi = append(out.Hi, len(rows))
	}
	if neighbours {
		return out, nil
	}
	var err error
	out.Cap, err = c.Take(rows)
	return out, err
}

// Names are what the frames are called without the word: their numbers, in order from 0 where they have none.
func (l *FrameList) Names() []string {
	out := make([]string, len(l.Regions))
	for j, r := range l.Regions {
		if out[j] = strings.TrimPrefix(strings.TrimPrefix(r.Name, "frame"), " "); out[j] == "" {
			out[j] = strconv.Itoa(j)
		}
	}
	return out
}

// cells makes each frame one unit.
func (l *FrameList) cells() *cells {
	units, seconds := make([]float64, len(l.Regions)), make([]float64, len(l.Regions))
	for j, r := range l.Regions {
		units[j], seconds[j] = 1, float64(r.End-r.Start)/1e9
	}
	return newCells(l.bins(), "frame", units, seconds)
}

func (l *FrameList) bins() *capture.Bins {
	bins := &capture.Bins{From: l.Cap.Axis, Axis: &capture.Axis{Clock: l.Cap.Axis.Clock}, Lo: l.Lo, Hi: l.Hi}
	for _, r := range l.Regions {
		bins.Axis.Start, bins.Axis.End = append(bins.Axis.Start, r.Start), append(bins.Axis.End, r.End)
	}
	return bins
}

// frame is one frame and the stretches of samples [lo, hi) that belong to it, at least one.
type frame struct {
	capture.Region
	pieces [][2]int
}

// framesOf lists the frames in order of their start. neighbours says that the samples of each are beside each other.
func framesOf(c *capture.Capture) (list []frame, neighbours bool) {
	labelled := map[string][]frame{}
	var order []string
	if l := c.Label("frame"); l != nil {
		for _, f := range labelledFrames(c, l) {
			if labelled[f.Name] == nil {
				order = append(order, f.Name)
			}
			labelled[f.Name] = append(labelled[f.Name], f)
		}
	}
	at := func(t int64) int {
		return sort.Search(c.Len(), func(i int) bool { return c.Axis.Start[i] >= t })
	}
	for _, r := range c.Regions {
		number, ok := frameNumber(r.Name)
		if !ok {
			continue
		}
		f := frame{Region: r}
		for i, other := range labelled[number] {
			if other.Start < r.End && other.End > r.Start {
				f.pieces = other.pieces
				labelled[number] = slices.Delete(labelled[number], i, i+1)
				break
			}
		}
		if f.pieces == nil {
			lo := at(r.Start)
			f.pieces = [][2]int{{lo, max(lo, at(r.End))}}
		}
		list = append(list, f)
	}
	// beside these nobody can tell which frame a label means
	if !slices.ContainsFunc(list, func(f frame) bool { return f.Name == "frame" }) {
		for _, name := range order {
			list = append(list, labelled[name]...)
		}
	}
	slices.SortStableFunc(list, func(a, b frame) int { return int(min(max(a.Start-b.Start, -1), 1)) })
	return list, !slices.ContainsFunc(list, func(f frame) bool { return len(f.pieces) > 1 })
}

// IsFrame reports whether a region of that name is a frame.
func IsFrame(name string) bool {
	_, ok := frameNumber(name)
	return ok
}

// frameNumber is N of "frame N", and "" of "frame"; anything else is no frame, such as a region "frame setup" within
// one.
func frameNumber(name string) (string, bool) {
	if name == "frame" {
		return "", true
	}
	number, ok := strings.CutPrefix(name, "frame ")
	if _, err := strconv.ParseInt(number, 10, 64); !ok || err != nil {
		return "", false
	}
	return number, true
}

// inFlight is after how many stretches of other frames a value of the label frame is another frame, such as of a second
// run, and no longer the rest of one that was interrupted. Ours: three frames are in flight at most.
const inFlight = 3

// labelledFrames are the stretches with one value of the label frame. One that others interrupt is a single frame.
func labelledFrames(c *capture.Capture, l *capture.Label) []frame {
	var out []frame
	last := map[string][2]int{} // of a value: its frame in out, and the number of its last stretch
	for n, s := range labelRuns(l) {
		start, end := c.Axis.Start[s.lo], s.end(c.Axis)
		if at, ok := last[s.name]; ok && n-at[1]-1 <= inFlight {
			f := &out[at[0]]
			f.End = max(f.End, end)
			f.pieces = append(f.pieces, [2]int{s.lo, s.hi})
			last[s.name] = [2]int{at[0], n}
			continue
		}
		last[s.name] = [2]int{len(out), n}
		out = append(out, frame{capture.Region{Name: s.name, Start: start, End: end}, [][2]int{{s.lo, s.hi}}})
	}
	return out
}
