package notation

import (
	"math"
	"strconv"
)

// FormatNS writes a duration for people, to at most four figures.
func FormatNS(ns float64) string {
	for _, u := range []struct {
		name string
		size float64
	}{{"s", 1e9}, {"ms", 1e6}, {"us", 1e3}} {
		if math.Abs(ns) >= u.size {
			return strconv.FormatFloat(ns/u.size, 'g', 4, 64) + " " + u.name
		}
	}
	return strconv.FormatFloat(ns, 'g', 4, 64) + " ns"
}
