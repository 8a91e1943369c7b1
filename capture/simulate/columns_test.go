package simulate

import (
	"math"
	"strings"
	"testing"

	"astrolabe/capture"
)

// A count that is no number would stay zero for the rest of the capture, as if the unit had done nothing.
func TestAColumnRefusesWhatIsNoNumber(t *testing.T) {
	axis := &capture.Axis{Start: []int64{0}, End: []int64{1}}
	cols := NewColumns(axis)
	at := cols.Counter(capture.Meta{Name: "cycles"})
	defer func() {
		if said, _ := recover().(string); !strings.Contains(said, "cycles is not a number") {
			t.Errorf("it said %q", said)
		}
	}()
	cols.Add(at, math.NaN())
}
