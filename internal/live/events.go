package live

import (
	"fmt"

	"astrolabe/capture"
	"astrolabe/plots/canvas"
	"astrolabe/plots/interactive"
)

// mostEvents is how many of the marks, regions and gaps of a recording a page lists. A GPU can have thousands of regions
// in a second.
const mostEvents = 1000

// events are what a recording says happened in what is kept, the newest at the end.
type events struct {
	list   []interactive.Band
	hidden int // that were more than a page lists
}

// add takes those of new samples and forgets what ended before a time. It reports whether anything changed.
func (e *events) add(c *capture.Capture, before int64) (changed bool) {
	gone := 0
	kept := e.list[:0]
	for _, b := range e.list {
		if b.End >= before {
			kept = append(kept, b)
		} else {
			gone++
		}
	}
	e.list = kept
	for _, g := range c.Gaps {
		e.list = append(e.list, interactive.Band{Kind: "gap", Label: canvas.Undirected(g.Reason.String()), Start: g.Start,
			End: g.End})
	}
	for _, r := range c.Regions {
		b := interactive.Band{Kind: "region", Label: r.Name, Start: r.Start, End: r.End}
		if r.Track != "" {
			b.Label += " on " + r.Track
		} else if r.Start == r.End {
			b.Kind = "mark"
		}
		b.Label = canvas.Undirected(b.Label)
		e.list = append(e.list, b)
	}
	if n := len(e.list) - mostEvents; n > 0 {
		e.hidden += n
		e.list = append(e.list[:0], e.list[n:]...)
	}
	return gone+len(c.Gaps)+len(c.Regions) > 0
}

// note says what is not listed, "" where all is.
func (e *events) note() string {
	if e.hidden == 0 {
		return ""
	}
	return fmt.Sprintf("The newest %d marks, regions and gaps are listed, %d older ones are not; a saved capture has them.",
		mostEvents, e.hidden)
}
