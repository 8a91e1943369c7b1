package interactive_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/metrics"
	"astrolabe/plots/interactive"
)

// fed is a stretch of samples as the event that appends it.
func fed(t *testing.T, f *interactive.Feed, part *capture.Capture, most int) json.RawMessage {
	t.Helper()
	counters := slices.Clone(part.Counters)
	derived, err := metrics.Metrics(part)
	if err != nil {
		t.Fatal(err)
	}
	lanes := &interactive.Lanes{Most: most, Fed: true}
	for _, c := range append(counters, derived...) {
		lanes.Add(interactive.Lane{Name: c.Name}, c)
	}
	event, err := f.Append(lanes.Data())
	if err != nil {
		t.Fatal(err)
	}
	return event
}

// A page that was fed in parts, of which the first are forgotten, says of every stretch what a slice of the whole says.
func TestAFedPageSaysWhatASliceSays(t *testing.T) {
	for name, c := range captures(t) {
		if strings.HasSuffix(name, ".csv") || !oneAxis(c) {
			continue // samples of many lengths side by side are no recording of one clock
		}
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(3, 4))
			feed := &interactive.Feed{}
			var events []json.RawMessage
			n := c.Len()
			forgotten := int64(math.MinInt64)
			for lo := 0; lo < n; {
				hi := min(n, lo+1+r.IntN(max(2, n/8)))
				for hi < n && c.Axis.Start[hi] == c.Axis.Start[hi-1] {
					hi++
				}
				_, end := c.Axis.Extent()
				if end++; hi < n {
					end = c.Axis.Start[hi]
				}
				part, err := c.Slice(c.Axis.Start[lo], end)
				if err != nil {
					t.Fatal(err)
				}
				if part.Len() != hi-lo {
					t.Fatalf("a part has %d samples, not %d", part.Len(), hi-lo)
				}
				events = append(events, fed(t, feed, part, 1+r.IntN(6)))
				if lo = hi; hi < n/4 {
					forgotten = c.Axis.End[hi-1] + 1
				}
			}
			layout, err := feed.Layout()
			if err != nil {
				t.Fatal(err)
			}
			counters := slices.Clone(c.Counters)
			derived, err := metrics.Metrics(c)
			if err != nil {
				t.Fatal(err)
			}
			first, last := c.Axis.Extent()
			first = max(first, forgotten)
			ranges := [][2]int64{{first, last + 1}}
			for range 10 {
				a, b := first+r.Int64N(last-first), first+r.Int64N(last-first)
				ranges = append(ranges, [2]int64{min(a, b), max(a, b)})
			}
			request := map[string]any{"data": layout, "appends": events, "ranges": ranges}
			if forgotten > math.MinInt64 {
				request["before"] = forgotten
			}
			t.Logf("%d parts", len(events))
			holdAnswers(t, c, append(counters, derived...), askNode(t, request))
		})
	}
}

func oneAxis(c *capture.Capture) bool {
	return !slices.ContainsFunc(c.Counters, func(ctr *capture.Counter) bool { return !ctr.Axis.Same(c.Axis) })
}
