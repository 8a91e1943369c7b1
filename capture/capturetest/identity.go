package capturetest

import (
	"fmt"

	"astrolabe/capture"
)

// Column is the values of a raw counter of a capture; an error where it has none of that name.
func Column(c *capture.Capture, name string) ([]float64, error) {
	ctr := c.Counter(name)
	if ctr == nil || ctr.Col == nil {
		return nil, fmt.Errorf("the capture has no counter %s", name)
	}
	if err := ctr.Col.Err(); err != nil {
		return nil, err
	}
	return ctr.Col.Data().Floats(), nil
}

// AtMost checks that in every sample a is not above b by more than slack events, which is what rounding takes: a part
// is no larger than its whole. Missing values are left out.
func AtMost(c *capture.Capture, a, b string, slack float64) error {
	x, err := Column(c, a)
	if err != nil {
		return err
	}
	y, err := Column(c, b)
	if err != nil {
		return err
	}
	for i := range x {
		if x[i] > y[i]+slack {
			return fmt.Errorf("sample %d: %s = %g is above %s = %g", i, a, x[i], b, y[i])
		}
	}
	return nil
}

// SumsTo checks that in every sample the parts make up the whole, but for slack events.
func SumsTo(c *capture.Capture, whole string, slack float64, parts ...string) error {
	y, err := Column(c, whole)
	if err != nil {
		return err
	}
	sum := make([]float64, len(y))
	for _, p := range parts {
		x, err := Column(c, p)
		if err != nil {
			return err
		}
		for i, v := range x {
			sum[i] += v
		}
	}
	for i := range y {
		if d := sum[i] - y[i]; d > slack || d < -slack {
			return fmt.Errorf("sample %d: %v add up to %g, not to %s = %g", i, parts, sum[i], whole, y[i])
		}
	}
	return nil
}
