package units

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

var durationUnits = map[string]float64{
	"ns": 1, "us": 1e3, "µs": 1e3, "μs": 1e3, "ms": 1e6, "s": 1e9, "sec": 1e9, "m": 60e9, "min": 60e9, "h": 3600e9,
}

// ParseDuration reads text such as "250us", "10ms", "2s", "1m30s" or "0.5" (seconds) into ns.
func ParseDuration(s string) (int64, error) {
	rest := strings.TrimSpace(s)
	bad := func() error {
		return fmt.Errorf(`%q is no duration: write a number with ns, us, ms, s, min or h, such as "10ms"`, s)
	}
	neg := strings.HasPrefix(rest, "-")
	rest = strings.TrimPrefix(rest, "-")
	total := 0.0
	for first := true; rest != "" || first; first = false {
		n := 0
		for n < len(rest) && (rest[n] >= '0' && rest[n] <= '9' || rest[n] == '.') {
			n++
		}
		v, err := strconv.ParseFloat(rest[:n], 64)
		if err != nil {
			return 0, bad()
		}
		rest = strings.TrimLeft(rest[n:], " ")
		u := 0
		for u < len(rest) && !(rest[u] >= '0' && rest[u] <= '9' || rest[u] == '.' || rest[u] == ' ') {
			u++
		}
		factor, ok := durationUnits[rest[:u]]
		if u == 0 && first && rest == "" {
			factor, ok = 1e9, true
		}
		if !ok {
			return 0, bad()
		}
		rest = strings.TrimLeft(rest[u:], " ")
		total += v * factor
	}
	if neg {
		total = -total
	}
	if total = math.Round(total); math.Abs(total) >= 1<<63 {
		return 0, bad()
	}
	return int64(total), nil
}
