package notation

import (
	"math"
	"strconv"
)

// FormatNS writes a duration or a time for people, to four figures, of seconds all before the point.
func FormatNS(ns float64) string {
	for _, u := range []struct {
		name string
		size float64
	}{{"s", 1e9}, {"ms", 1e6}, {"µs", 1e3}} {
		switch {
		case math.Abs(ns) >= 9999.5*1e9:
			return strconv.FormatFloat(ns/1e9, 'f', 0, 64) + " s"
		case math.Abs(ns) >= u.size:
			return strconv.FormatFloat(ns/u.size, 'g', 4, 64) + " " + u.name
		}
	}
	return strconv.FormatFloat(ns, 'g', 4, 64) + " ns"
}
