package perfstat

import (
	"fmt"
	"strings"
)

// What perf stat --topdown prints: shares of the pipeline's slots in columns below their names, of the whole or of each core, in intervals or not. Until
// Linux 6.3 the names are words, later those of metrics:
//
//	              retiring      bad speculation       frontend bound        backend bound
//	S0-D0-C0  2      43.1%                11.9%                30.2%                14.8%
//
//	 %  tma_backend_bound  %  tma_retiring  %  tma_bad_speculation  %  tma_frontend_bound
//	                 79.2            16.3                    0.5                   4.0
//
// The counts behind them are left out. Shares say what the slots were as well as counts do, and not how many they were.

// shareOf is what counts the slots that a name of a column is the share of.
var shareOf = []struct{ name, event string }{
	{"tma_retiring", "topdown-retiring"}, {"tma_bad_speculation", "topdown-bad-spec"}, {"tma_frontend_bound", "topdown-fe-bound"},
	{"tma_backend_bound", "topdown-be-bound"}, {"tma_memory_bound", "topdown-mem-bound"},
	{"bad speculation", "topdown-bad-spec"}, {"frontend bound", "topdown-fe-bound"}, {"backend bound", "topdown-be-bound"}, {"retiring", "topdown-retiring"},
	{"memory bound", "topdown-mem-bound"}, {"heavy operations", ""}, {"light operations", ""}, {"branch mispredict", ""}, {"machine clears", ""},
	{"fetch latency", ""}, {"fetch bandwidth", ""}, {"Core bound", ""},
}

// shareUnit and shareDoc are those of such a column: slots out of each hundred.
const shareUnit, shareDoc = "slots", "Of each hundred slots, as perf stat --topdown prints them."

// topdownHead reads the names above shares: an event for each column, "" for one that is a part of another. nil is no such line.
func topdownHead(text string) (events []string, interval bool) {
	rest := strings.TrimSpace(text)
	if after, ok := strings.CutPrefix(rest, "#"); ok {
		if rest, interval = strings.CutPrefix(strings.TrimSpace(after), "time"); !interval {
			return nil, false
		}
	}
	known := 0
next:
	for rest = strings.TrimLeft(rest, " %"); rest != ""; rest = strings.TrimLeft(rest, " %") {
		for _, s := range shareOf {
			if after, ok := strings.CutPrefix(rest, s.name); ok && (after == "" || after[0] == ' ') {
				events, rest = append(events, s.event), after
				if s.event != "" {
					known++
				}
				continue next
			}
		}
		word, after, _ := strings.Cut(rest, " ")
		if !strings.HasPrefix(word, "tma_") {
			return nil, false
		}
		events, rest = append(events, ""), after
	}
	if known < 4 {
		return nil, false
	}
	return events, interval
}

// topdownRow reads a line of shares below such names; nil is no such line.
func topdownRow(text string, events []string, interval bool) []*reading {
	var of reading
	if m := plainInterval().FindStringSubmatch(text); m != nil && interval {
		of.interval, text = strings.Replace(m[1], ",", ".", 1), text[len(m[0])-1:]
	} else if interval {
		return nil
	}
	words := strings.Fields(text)
	if len(words) > len(events) {
		switch w := words[0]; {
		case cpuForm().MatchString(w):
			of.instance, words = cpuForm().FindStringSubmatch(w)[1], words[1:]
		case aggregateForm().MatchString(w):
			if _, err := fmt.Sscan(words[1], &of.parts); err != nil {
				return nil
			}
			of.instance, words = w, words[2:]
		}
		of.whole = of.instance != ""
	}
	if len(words) != len(events) {
		return nil
	}
	var out []*reading
	for i, w := range words {
		r := of
		r.value, r.unit, r.event = strings.Replace(strings.TrimSuffix(w, "%"), ",", ".", 1), shareUnit, events[i]
		if !isValue(r.value) {
			return nil
		}
		if r.event != "" {
			out = append(out, &r)
		}
	}
	return out
}
