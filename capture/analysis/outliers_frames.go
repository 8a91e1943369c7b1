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
	per, err := merge(list.Cap, list.bins(), capture.NewLabel("frame", list.Names(), nil))
	if err != nil || c.Counter(frameDuration) != nil {
		return per, err
	}
	return per.With(func(cfg *capture.Config) {
		cfg.Counters = append(cfg.Counters[:len(cfg.Counters):len(cfg.Counters)], frameDurations(cfg.Axis))
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
