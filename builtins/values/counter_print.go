package values

import (
	"fmt"
	"strings"

	"astrolabe/builtins/characters"
	"astrolabe/builtins/notation"
)

// String is one line: name, unit, count, interval, smallest, middle and largest value, and a sparkline.
func (c *Counter) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Counter %s", notation.VisibleLine(c.Counter.Name))
	if c.Counter.Unit != "" {
		fmt.Fprintf(&b, " [%s]", notation.VisibleLine(c.Counter.Unit))
	}
	n := c.Len()
	fmt.Fprintf(&b, " %d %s", n, notation.Plural(n, "sample"))
	if n > 0 {
		fmt.Fprintf(&b, " of %s", notation.FormatNS(float64(c.Counter.Axis.Measured())/float64(n)))
	}
	f := c.Counter.Floats()
	count := 0
	for _, v := range f {
		if v == v {
			count++
		}
	}
	if count == 0 {
		if n > 0 {
			b.WriteString(" all missing")
			if r, ok := c.Counter.Why(-1); ok {
				fmt.Fprintf(&b, ": %s", notation.VisibleLine(r.String()))
			}
		}
		return b.String() + warned(c.Counter.Warnings)
	}
	if count < n {
		fmt.Fprintf(&b, " (%d missing)", n-count)
	}
	unit := notation.VisibleLine(c.Counter.Unit)
	lo, mid, hi := c.Counter.Min().Float(), c.Counter.Median().Float(), c.Counter.Max().Float()
	fmt.Fprintf(&b, " min %s median %s max %s", notation.Quantity(lo, unit), notation.Quantity(mid, unit),
		notation.Quantity(hi, unit))
	if n > 1 {
		b.WriteString(" " + characters.Sparkline(f, 24, c.env.Plain()))
	}
	return b.String() + warned(c.Counter.Warnings)
}

// warned is what a line about a value says of its warnings: the first, and how many there are.
func warned(warnings []string) string {
	switch n := len(warnings); n {
	case 0:
		return ""
	case 1:
		return " (warning: " + notation.VisibleLine(warnings[0]) + ")"
	default:
		return fmt.Sprintf(" (%d warnings, the first: %s)", n, notation.VisibleLine(warnings[0]))
	}
}
