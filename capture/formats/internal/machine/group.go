package machine

import (
	"math"
	"slices"

	"astrolabe/capture"
)

// group reads the columns that are called as the lines of a control group's cpu.stat: running totals, of which each sample has what the next row has
// more. The group's time is that of a program. It reports whether the table has them.
func group(cfg *capture.Config) bool {
	usage := column(cfg, "usage_usec")
	if usage == nil || column(cfg, "user_usec") == nil && column(cfg, "nr_periods") == nil {
		return false
	}
	totals := slices.IsSorted(usage.Floats()) // else somebody took the differences
	for _, n := range []struct {
		column, name, unit string
		scale              float64
	}{{"usage_usec", "task_clock", "ns", 1e3}, {"user_usec", "user_time", "ns", 1e3}, {"system_usec", "system_time", "ns", 1e3},
		{"throttled_usec", "throttled_usec", "us", 1}, {"nr_periods", "nr_periods", "periods", 1}, {"nr_throttled", "nr_throttled", "periods", 1},
		{"nr_bursts", "nr_bursts", "periods", 1}, {"burst_usec", "burst_usec", "us", 1}} {
		c := column(cfg, n.column)
		if c == nil || len(c.Instances) > 0 {
			continue
		}
		values := slices.Clone(c.Floats())
		for i := range values {
			if totals && len(values) > 1 {
				next := math.NaN() // after the last row nothing is known
				if i+1 < len(values) {
					next = values[i+1]
				}
				values[i] = next - values[i]
			}
			values[i] *= n.scale
		}
		c.Name, c.Title, c.Unit, c.Kind, c.Guessed, c.Integral = n.name, "", n.unit, capture.Delta, false, false
		c.Col = capture.NewColumn(capture.Data{F: values})
	}
	return true
}
