package analysis

import "astrolabe/capture"

// Frames are the frames of a capture, as ByFrame takes them: regions called "frame" or "frame N", else stretches with one value of the
// label frame, whose regions are named by that value. It is nil where the capture has neither.
func Frames(c *capture.Capture) []capture.Region { return frames(c) }
