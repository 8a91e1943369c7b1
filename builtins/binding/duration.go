package binding

import (
	"fmt"
	"math"
	"strings"
	"time"

	startime "go.starlark.net/lib/time"
	"go.starlark.net/starlark"

	"astrolabe/builtins/notation"
	"astrolabe/capture"
	"astrolabe/capture/units"
)

// AsDuration reads a duration in seconds, or as text such as "250us", "10ms", "2s" or "1m30s", into ns.
func AsDuration(v starlark.Value) (int64, error) {
	switch v := v.(type) {
	case starlark.String:
		return units.ParseDuration(string(v))
	case startime.Duration:
		return int64(time.Duration(v)), nil
	case starlark.Int, starlark.Float:
		f, _ := starlark.AsFloat(v)
		ns := math.Round(f * 1e9)
		if math.IsNaN(ns) || math.Abs(ns) >= 1<<63 {
			return 0, fmt.Errorf("%v seconds is no usable duration", v)
		}
		return int64(ns), nil
	}
	return 0, fmt.Errorf(`got %s, want a duration in seconds or as text such as "10ms"`, v.Type())
}

// WarnOfLong says where a period or window without a unit spans more than all samples: who wrote 50 may have meant
// rows, or milliseconds.
func (c *Call) WarnOfLong(what string, ns int64, axis *capture.Axis) {
	if text, ok := starlark.AsString(c.Arg(what)); ok && strings.ContainsAny(text, "smhn") {
		return
	}
	first, last := axis.Extent()
	if axis.Len() > 1 && ns > last-first {
		c.Env.Warnf("a %s of %s is longer than all samples together, %s: a number is seconds, \"50ms\" milliseconds",
			what, notation.FormatNS(float64(ns)), notation.FormatNS(float64(last-first)))
	}
}
