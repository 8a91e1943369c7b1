// Package simulatetest holds what the tests of the simulator's packages share.
package simulatetest

import (
	"os"
	"strconv"
	"testing"
)

// Times is the environment variable that multiplies the number of cases that tests look at. Without it they look at a
// few, drawn from fixed seeds, in a second or two for a family; 30 looks at thousands.
const Times = "ASTROLABE_SIMULATE_TIMES"

// Number is how many cases a test looks at: usual, or what Times makes of it, and few under -short.
func Number(t testing.TB, usual, few int) int {
	t.Helper()
	if testing.Short() {
		return few
	}
	text := os.Getenv(Times)
	if text == "" {
		return usual
	}
	times, err := strconv.Atoi(text)
	if err != nil || times < 1 {
		t.Fatalf("%s is %q; it takes a whole number from 1 on", Times, text)
	}
	return usual * times
}
