package main

import (
	"fmt"
	"io"
	"strings"
)

// shown is how many of the last lines of a failure are printed, shownAgain how many in a file of failures alone.
const shown, shownAgain = 60, 20

// report prints results, and says whether all tests passed or may be skipped.
func report(w io.Writer, res *results, rules []rule, list string, brief bool) bool {
	for _, line := range res.other {
		fmt.Fprintln(w, line)
	}
	printFailures(w, res, shown)
	used := make([]int, len(rules))
	refused := 0
	for _, s := range res.skips {
		at := -1
		for i := range rules {
			if rules[i].allows(s) {
				at = i
				break
			}
		}
		reason := strings.Join(s.logged, "; ")
		if reason == "" {
			reason = "it gives no reason"
		}
		if at < 0 {
			refused++
			fmt.Fprintf(w, "SKIP NOT ALLOWED %s %s: %s\n", s.pkg, s.test, reason)
			continue
		}
		used[at]++
		if !brief {
			fmt.Fprintf(w, "SKIP %s %s: %s\n", s.pkg, s.test, reason)
		}
	}
	for i, r := range rules {
		if used[i] > 0 && brief {
			fmt.Fprintf(w, "%d skipped: %s\n", used[i], r.why)
		}
	}
	if refused > 0 {
		fmt.Fprintf(w,
			"skips that are not allowed: %d; mend what the tests lack, or add a line to %s that says why they may be skipped\n",
			refused, list)
	}
	fmt.Fprintf(w, "%d passed, %d failed, %d skipped\n", res.passed, res.failed, len(res.skips))
	if res.passed == 0 {
		fmt.Fprintln(w, "no test passed")
	}
	return len(res.failures) == 0 && refused == 0 && res.passed > 0
}

// printFailures prints every failure with so many of its last lines at most.
func printFailures(w io.Writer, res *results, most int) {
	for _, f := range res.failures {
		lines := f.output
		if f.test == "" && !strings.Contains(strings.Join(lines, "\n"), "panic:") && len(lines) < 3 &&
			res.failedIn(f.pkg) {
			continue // it says only that a test failed
		}
		fmt.Fprintf(w, "-- FAIL %s %s\n", f.pkg, f.test)
		if n := len(lines) - most; n > 0 {
			fmt.Fprintf(w, "(%d lines before these)\n", n)
			lines = lines[n:]
		}
		for _, line := range lines {
			fmt.Fprintln(w, line)
		}
	}
}

// failedIn says whether a test of the package failed, or what it is built of.
func (res *results) failedIn(pkg string) bool {
	for _, f := range res.failures {
		if f.pkg == pkg && f.test != "" || strings.HasPrefix(f.pkg, pkg+" [") {
			return true
		}
	}
	return false
}
