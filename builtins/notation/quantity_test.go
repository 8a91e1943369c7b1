package notation_test

import (
	"math"
	"strings"
	"testing"

	"astrolabe/builtins/notation"
)

func TestQuantitiesAreReadInTheUnitOfTheCounter(t *testing.T) {
	for _, x := range []struct {
		text, unit string
		want       float64
	}{
		{"2GB/s", "bytes/s", 2e9}, {"2 GiB/s", "MiB/s", 2048}, {"2 MB per second", "bytes/s", 2e6},
		{"2GBps", "bytes/s", 2e9}, {"2Gbps", "bytes/s", 2.5e8},
		{"1MiB", "KiB", 1024}, {"600MHz", "hz", 6e8}, {"0.6GHz", "cycles/s", 6e8}, {"600M", "cycles", 6e8},
		{"10ms", "ns", 1e7}, {"0.01s", "ms", 10},
		{"5W", "watts", 5}, {"5000mW", "watts", 5}, {"60°C", "celsius", 60}, {"60C", "celsius", 60},
		{"2J", "joules", 2}, {"50%", "ratio", 0.5}, {"60fps", "Hz", 60},
		{"50 %", "percent", 50}, {"1000 requests/kernel", "requests per kernel", 1000}, {"1 TFLOP/s", "GFLOP/s", 1000},
		{"64B/cycle", "bytes/cycle", 64},
		{"5/s", "switches/s", 5}, {"2k/s", "switches/s", 2000}, {"5/ms", "switches/s", 5000},
		{"5 per s", "switches/s", 5}, {"2G/s", "bytes/s", 2e9},
	} {
		if got, err := notation.ParseQuantity(x.text, x.unit); err != nil || math.Abs(got/x.want-1) > 1e-12 {
			t.Errorf("%q in %s is %v (%v), want %v", x.text, x.unit, got, err, x.want)
		}
	}
	for _, x := range [][2]string{{"2GB/s", "bytes"}, {"5 faults", "cycles"}, {"5 faults/s", "cycles/s"},
		{"5 W", "bytes"}, {"5%", "cycles"}, {"5/s", "switches"}, {"5/s", "switches/cycle"},
		{"3 requests", "requests per kernel"}} {
		if got, err := notation.ParseQuantity(x[0], x[1]); err == nil ||
			!strings.Contains(err.Error(), "the counter is in "+x[1]) {
			t.Errorf("%q in %s is %v, %v", x[0], x[1], got, err)
		}
	}
}
