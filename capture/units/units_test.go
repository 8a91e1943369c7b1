package units

import (
	"math"
	"testing"
)

func TestUnitsConvert(t *testing.T) {
	for _, c := range []struct {
		from, to string
		in, want float64
	}{
		{"msec", "ns", 16.23, 16.23e6}, {"ms", "ns", 1, 1e6}, {"s", "ns", 2, 2e9}, {"us", "ms", 1500, 1.5},
		{"ns", "ms", 3e6, 3}, {"min", "s", 2, 120},
		{"MHz", "Hz", 800, 8e8}, {"GHz", "cycles/s", 1.5, 1.5e9}, {"mhz", "Hz", 1, 1e6},
		{"1/s", "s", math.NaN(), math.NaN()},
		{"KiB", "bytes", 3, 3072}, {"KB", "bytes", 3, 3000}, {"kbit", "bytes", 8, 1000}, {"MB/s", "bytes/s", 5, 5e6},
		{"bytes per second", "MB/s", 5e6, 5},
		{"%", "percent", 7, 7}, {"fraction", "percent", 0.25, 25}, {"percent", "ratio", 25, 0.25},
		{"percent", "cycles", math.NaN(), math.NaN()},
		{"°C", "celsius", 40, 40}, {"millicelsius", "celsius", 75000, 75}, {"K", "celsius", 300, 26.85}, {"degF", "°C", 212, 100},
		{"mW", "watts", 1500, 1.5}, {"J", "watts", math.NaN(), math.NaN()}, {"uJ", "joules", 2e6, 2},
		{"mV", "V", 900, 0.9},
		{"Mcycles", "cycles", 2, 2e6}, {"", "ns", 5, 5}, {"events", "requests", 5, 5}, {"foo", "FOOS", 5, 5},
		{"foo", "ns", math.NaN(), math.NaN()},
		{"misses/1000 instructions", "misses/instruction", 5, 0.005}, {"requests per kernel", "requests/kernel", 5, 5},
		{"beats", "bytes", math.NaN(), math.NaN()},
		{"bytes/cycle", "bytes", math.NaN(), math.NaN()}, {"GFLOP/s", "FLOPS", 2, 2e9},
		{"dBm", "W", math.NaN(), math.NaN()},
	} {
		got, ok := Convert(c.from, c.to)
		if ok != !math.IsNaN(c.want) {
			t.Errorf("%s to %s: %v", c.from, c.to, ok)
			continue
		}
		if v := got.Apply(c.in); ok && math.Abs(v-c.want) > 1e-12*math.Abs(c.want) {
			t.Errorf("%v %s = %v %s, want %v", c.in, c.from, v, c.to, c.want)
		}
	}
}

func TestFactorsOfTenAreExact(t *testing.T) {
	for _, c := range []struct {
		from, to string
		want     float64
	}{{"ms", "ns", 1e6}, {"us", "ns", 1e3}, {"ns", "us", 1 / 1e3}, {"s", "ns", 1e9}, {"ns", "s", 1 / 1e9},
		{"ms", "us", 1e3}, {"mW", "W", 1 / 1e3}, {"GHz", "MHz", 1e3},
		{"percent", "ratio", 1 / 1e2}, {"ratio", "percent", 1e2}, {"MiB", "KiB", 1024}, {"bits", "bytes", 1 / 8.0},
		{"h", "min", 60}} {
		got, ok := Convert(c.from, c.to)
		if !ok || got.Apply(1) != c.want || got.Apply(7) != 7*got.Mul/got.Div || c.want > 1 &&
			got.Whole() != uint64(c.want) || c.want < 1 && got.Whole() != 0 {
			t.Errorf("%s to %s: %v, want %v", c.from, c.to, got, c.want)
		}
	}
}

func TestLevelsAreTold(t *testing.T) {
	for unit, want := range map[string]bool{
		"%": true, "percent": true, "Hz": true, "MHz": true, "°C": true, "celsius": true, "W": true, "mW": true,
		"V": true, "A": true, "bytes/s": true, "MB per second": true,
		"fps": true, "cycles/pixel": true, "1/s": true, "per second": true, "K": true, "ratio": true,
		"cycles": false, "bytes": false, "KiB": false, "ns": false, "J": false, "issues": false, "beats": false,
		"requests": false, "Mcycles": false, "s": false,
	} {
		if got, ok := IsLevel(unit); !ok || got != want {
			t.Errorf("%q is a level: %v (known %v), want %v", unit, got, ok, want)
		}
	}
	for _, unit := range []string{"", "foo", "of the GPU", "avg", "total", "left", "1", "3", "read", "hit"} {
		if Known(unit) {
			t.Errorf("%q is a known unit", unit)
		}
	}
}

func FuzzConvert(f *testing.F) {
	for _, s := range []string{"MB/s", "misses/1000 instructions", "°C", "per second", "a*b/(c*d)", "//", "1/", "kk"} {
		f.Add(s, "bytes/s")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		c, ok := Convert(a, b)
		back, again := Convert(b, a)
		if ok != again {
			t.Fatalf("%q to %q: %v, and back: %v", a, b, ok, again)
		}
		if ok && (!(c.Mul/c.Div > 0) || !(back.Mul/back.Div > 0) || math.Abs(c.Mul/c.Div*back.Mul/back.Div-1) > 1e-9) {
			t.Fatalf("%q to %q: %v and %v", a, b, c, back)
		}
	})
}

func FuzzParseDuration(f *testing.F) {
	for _, s := range []string{"250us", "10ms", "2s", "1m30s", "-1h", "0.5", "", "1e3s", "µs", "9999999999h"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if ns, err := ParseDuration(s); err != nil && ns != 0 {
			t.Errorf("%q: %d with error %v", s, ns, err)
		}
	})
}
