package analysis

import (
	"astrolabe/capture"
)

// frameDuration is the counter of PerFrame that holds the length of each frame in seconds.
const frameDuration = "frame_duration"

// PerFrame returns the capture with one sample for each of its frames (see FramesOf). Such a sample lasts as long as
// the frame and holds the samples that belong to it; a frame without any has missing values. The label frame holds the
// names, and where frames have none their numbers from 0; the counter frameDuration holds the lengths. Without frames
// the result is nil.
func PerFrame(c *capture.Capture) (*capture.Capture, error) {
	list, err := FramesOf(c)
	if err != nil || list == nil {
		return nil, err
	}
	c = list.Cap
	bins := list.bins()
	axis := bins.Axis
	axis.Covered, axis.Count = make([]int64, bins.Len()), make([]float64, bins.Len())
	for j := range bins.Lo {
		for i := bins.Lo[j]; i < bins.Hi[j]; i++ {
			axis.Covered[j] += c.Axis.Interval(i)
			axis.Count[j] += c.Axis.Merged(i)
		}
	}
	text := list.Names()
	return c.With(func(cfg *capture.Config) {
		cfg.Axis = axis
		cfg.Labels = []*capture.Label{capture.NewLabel("frame", text, nil)}
		cfg.Passes = nil
		seen := map[string]*capture.Pass{}
		cfg.Counters = make([]*capture.Counter, len(c.Counters))
		for k, ctr := range c.Counters {
			out := ctr.Rebin(bins)
			if out.Pass != nil {
				if p := seen[out.Pass.ID]; p != nil {
					out.Pass = p
				} else {
					seen[out.Pass.ID] = out.Pass
					cfg.Passes = append(cfg.Passes, out.Pass)
				}
			}
			cfg.Counters[k] = out
		}
		if c.Counter(frameDuration) == nil {
			cfg.Counters = append(cfg.Counters, frameDurations(axis))
		}
	})
}

func frameDurations(axis *capture.Axis) *capture.Counter {
	v := make([]float64, axis.Len())
	for j := range v {
		v[j] = float64(axis.End[j]-axis.Start[j]) / 1e9
	}
	return &capture.Counter{
		Meta: capture.Meta{Name: frameDuration, Title: "Frame duration", Unit: "s", Kind: capture.Delta,
			Doc: "From the start of a frame to its end."},
		Axis: axis, Col: capture.NewColumn(capture.Data{F: v}),
	}
}
