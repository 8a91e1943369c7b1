package cli

import (
	"slices"
	"strconv"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/analysis"
	"astrolabe/capture/formats/all"
)

// What --slices adds to a capture as regions, each kind on a track of its own.
const (
	sliceFrames   = "frames"
	slicePhases   = "phases"
	sliceFindings = "findings"
	sliceNone     = "none"
)

var sliceKinds = []string{sliceFrames, slicePhases, sliceFindings}

// slicesFor are the kinds of slices that are to be written: those that were asked for, or all where metrics go into a
// trace, which is looked at along the time.
func (f *viewFlags) slicesFor(out, format string) []string {
	if f.slices != nil {
		return f.slices
	}
	w, err := all.Registry().Writer(out, format)
	if err == nil && len(f.opt.Metrics) > 0 && (w.Name() == "perfetto" || w.Name() == "chrometrace") {
		return sliceKinds
	}
	return nil
}

// checkSlices finds what is no kind of slices.
func (f *viewFlags) checkSlices() error {
	for _, kind := range f.slices {
		if !slices.Contains(sliceKinds, kind) && (kind != sliceNone || len(f.slices) > 1) {
			return usagef("--slices=%s: use %s or none", strings.Join(f.slices, ","), strings.Join(sliceKinds, ", "))
		}
	}
	return nil
}

// withSlices adds frames, phases and findings to the regions of a capture.
func (a *app) withSlices(c *capture.Capture, kinds []string, readable string) (*capture.Capture, error) {
	var add []capture.Region
	for _, kind := range kinds {
		var more []capture.Region
		var err error
		switch kind {
		case sliceFrames:
			more = missingFrames(c)
		case slicePhases:
			more, err = a.phaseRegions(c)
		case sliceFindings:
			more, err = a.findingRegions(c, readable)
		}
		if err != nil {
			return nil, err
		}
		for i := range more {
			more[i].Track = kind
		}
		add = append(add, more...)
	}
	if len(add) == 0 {
		return c, nil
	}
	return c.With(func(cfg *capture.Config) { cfg.Regions = slices.Concat(c.Regions, add) })
}

// missingFrames are the frames that only a label tells.
func missingFrames(c *capture.Capture) []capture.Region {
	out := analysis.Frames(c)
	has := map[[2]int64]bool{}
	for _, r := range c.Regions {
		has[[2]int64{r.Start, r.End}] = has[[2]int64{r.Start, r.End}] || analysis.IsFrame(r.Name)
	}
	out = slices.DeleteFunc(out, func(r capture.Region) bool { return has[[2]int64{r.Start, r.End}] })
	for i := range out {
		if !analysis.IsFrame(out[i].Name) {
			out[i].Name = "frame " + out[i].Name
		}
	}
	return out
}

// phaseRegions are the phases of a capture that has several.
func (a *app) phaseRegions(c *capture.Capture) ([]capture.Region, error) {
	spans, err := analysis.PhasesOf(a.ctx, c)
	if err != nil || len(spans) < 2 {
		return nil, err
	}
	var out []capture.Region
	for i, s := range spans {
		out = append(out, capture.Region{Name: "phase " + strconv.Itoa(i+1), Start: s.Start, End: s.End})
	}
	return out, nil
}

// findingRegions are the stretches for which findings of the report hold, which is all of the capture where one does not
// say.
func (a *app) findingRegions(c *capture.Capture, readable string) ([]capture.Region, error) {
	h, err := a.scriptHost(nil, "", []string{readable}, "")
	if err != nil {
		return nil, err
	}
	page, err := a.fill(a.ctx, h, c, reportScripts(c, ""), "")
	if err != nil {
		return nil, err
	}
	var out []capture.Region
	for _, f := range page.Findings() {
		spans := f.Spans
		if start, end := c.Axis.Extent(); len(spans) == 0 {
			spans = []capture.Span{{Start: start, End: end}}
		}
		for _, s := range spans {
			out = append(out, capture.Region{Name: f.Severity.String() + ": " + f.Title, Start: s.Start, End: s.End})
		}
	}
	return out, nil
}
