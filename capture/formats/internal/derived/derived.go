// Package derived knows the counters that AMD's profilers compute from others, which several of their outputs have. It
// knows names and evaluates nothing.
package derived

import (
	"slices"
	"strings"
)

// shares are the ends of the names of what is a share in percent.
var shares = []string{"Busy", "Percent", "Utilization", "Hit", "Stalled", "Conflict", "Util"}

// IsShare reports whether a counter is a share in percent, which does not add up over dispatches: such are written in
// camel case, without underscores.
func IsShare(name string) bool {
	return !strings.Contains(name, "_") && slices.ContainsFunc(shares, func(end string) bool {
		return strings.HasSuffix(name, end)
	})
}
