package notation_test

import (
	"testing"

	"astrolabe/builtins/notation"
)

// A span of a long recording was from 1.235e+04 s to 1.235e+04 s, and micros were "us" here and "µs" everywhere else.
func TestTimesAreWrittenForPeople(t *testing.T) {
	for ns, want := range map[float64]string{
		0: "0 ns", 0.25: "0.25 ns", 12_345: "12.35 µs", -2e6: "-2 ms", 1.5e9: "1.5 s", 9_999.4e9: "9999 s", 9_999.6e9: "10000 s",
		12_345.6e9: "12346 s", 100_000e9: "100000 s",
	} {
		if got := notation.FormatNS(ns); got != want {
			t.Errorf("%v ns are %q, want %q", ns, got, want)
		}
	}
}
