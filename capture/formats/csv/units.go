package csv

import (
	"slices"
	"strings"
	"unicode"

	"astrolabe/capture"
	"astrolabe/capture/formats/internal/delimited"
)

// timeUnits are the spellings of units of time, in lower case.
var timeUnits = map[string]delimited.TimeUnit{
	"ns": {Exp: 0}, "nsec": {Exp: 0}, "nanosecond": {Exp: 0}, "nanoseconds": {Exp: 0},
	"us": {Exp: 3}, "µs": {Exp: 3}, "μs": {Exp: 3}, "usec": {Exp: 3}, "microsecond": {Exp: 3}, "microseconds": {Exp: 3},
	"ms": {Exp: 6}, "msec": {Exp: 6}, "millisecond": {Exp: 6}, "milliseconds": {Exp: 6},
	"s": {Exp: 9}, "sec": {Exp: 9}, "secs": {Exp: 9}, "second": {Exp: 9}, "seconds": {Exp: 9},
	"min": {Exp: 9, Mul: 60}, "minute": {Exp: 9, Mul: 60}, "minutes": {Exp: 9, Mul: 60},
	"h": {Exp: 9, Mul: 3600}, "hour": {Exp: 9, Mul: 3600}, "hours": {Exp: 9, Mul: 3600},
}

// plainUnits are units that are counted, in lower case and in the singular.
var plainUnits = []string{
	"cycle", "clock", "clk", "tick", "byte", "bit", "octet", "count", "event", "instruction", "inst", "instr", "op", "flop", "request", "req", "access",
	"accesse",
	"transaction", "beat", "burst", "line", "word", "thread", "warp", "wave", "wavefront", "workgroup", "task", "job", "quad", "pixel", "texel", "fragment", "primitive",
	"triangle", "vertex", "vertice", "vertexe", "sample",
	"tile", "frame", "call", "fault", "switch", "switche", "migration", "interrupt", "packet", "page", "message", "kernel", "item", "lane", "rotation",
}

// levelUnits are units of levels: they are averaged over time, not added.
var levelUnits = []string{
	"%", "percent", "pct", "°c", "c", "celsius", "degc", "°f", "k", "kelvin",
	"fps", "rpm", "dbm", "db", "ratio", "fraction", "per second", "ipc", "cpi",
}

// prefixed are units that take SI and IEC prefixes; level says which of them are levels.
var prefixed = []struct {
	unit  string
	level bool
}{
	{"Hz", true}, {"W", true}, {"V", true}, {"A", true}, {"bps", true}, {"Bps", true}, {"FLOPS", true},
	{"J", false}, {"B", false}, {"iB", false}, {"b", false}, {"ib", false}, {"bit", false}, {"bits", false}, {"FLOP", false}, {"byte", false}, {"bytes", false},
}

const prefixes = "numµkKMGTP"

// unitKind says whether text is a known unit, and whether it is one of a level.
func unitKind(text string) (level, known bool) {
	u := strings.TrimSpace(text)
	low := strings.ToLower(u)
	if slices.Contains(levelUnits, low) {
		return true, true
	}
	if _, ok := timeUnits[low]; ok {
		return false, true
	}
	if num, den, ok := cutPer(low); ok {
		_, numKnown := unitKind(num)
		_, denKnown := unitKind(den)
		return true, (numKnown || num == "1" || num == "") && denKnown
	}
	if slices.Contains(plainUnits, strings.TrimSuffix(low, "s")) || slices.Contains(plainUnits, low) {
		return false, true
	}
	for _, p := range prefixed {
		head, ok := strings.CutSuffix(u, p.unit)
		if !ok {
			head, ok = strings.CutSuffix(low, strings.ToLower(p.unit))
		}
		if ok && (head == "" || len([]rune(head)) == 1 && strings.Contains(strings.ToLower(prefixes), strings.ToLower(head))) {
			return p.level, true
		}
	}
	return false, false
}

// cutPer divides a unit such as "MB/s" or "bytes per cycle".
func cutPer(u string) (num, den string, ok bool) {
	if num, den, ok = strings.Cut(u, "/"); ok {
		return strings.TrimSpace(num), strings.TrimSpace(den), true
	}
	num, den, ok = strings.Cut(u, " per ")
	return strings.TrimSpace(num), strings.TrimSpace(den), ok
}

// levelWords are words in a name that make a counter without a unit a level.
var levelWords = []string{
	"percent", "pct", "frequency", "freq", "mhz", "ghz", "khz", "hz", "temperature", "temp", "celsius", "utilization", "utilisation", "ratio", "rate",
	"power", "watts", "voltage", "volts", "fps", "ipc",
}

// kindOf is the documented rule for a counter whose kind nobody gives.
func kindOf(name, unit string) capture.Kind {
	if unit != "" {
		if level, known := unitKind(unit); known {
			if level {
				return capture.Gauge
			}
			return capture.Delta
		}
	}
	for _, w := range words(name) {
		if slices.Contains(levelWords, w) {
			return capture.Gauge
		}
	}
	if strings.Contains(name, "%") {
		return capture.Gauge
	}
	return capture.Delta
}

// words divides a name into lower-case words at everything that is no letter or digit, and where a capital follows a small letter.
func words(name string) []string {
	var out []string
	var cur []rune
	flush := func() {
		if len(cur) > 0 {
			out = append(out, strings.ToLower(string(cur)))
			cur = cur[:0]
		}
	}
	prev := rune(0)
	for _, r := range name {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			flush()
		case unicode.IsUpper(r) && unicode.IsLower(prev):
			flush()
			cur = append(cur, r)
		default:
			cur = append(cur, r)
		}
		prev = r
	}
	flush()
	return out
}
