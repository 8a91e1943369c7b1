package units

import (
	"slices"
	"strings"
	"unicode"
)

// levelWords are the words that make a counter without a unit a level: units of levels, and what is measured in them.
var levelWords = []string{
	"percent", "pct", "frequency", "freq", "mhz", "ghz", "khz", "hz", "temperature", "temp", "celsius", "utilization",
	"utilisation", "ratio", "rate",
	"power", "watts", "voltage", "volts", "fps", "ipc",
}

// LevelByName reports whether the name of a counter that states no unit says that it is a level, such as gpu_freq_mhz.
func LevelByName(name string) bool {
	return strings.Contains(name, "%") || slices.ContainsFunc(Words(name), func(w string) bool {
		return slices.Contains(levelWords, w)
	})
}

// frequencies are the units of frequency that names end with, by their words.
var frequencies = map[string]string{"hz": "Hz", "khz": "kHz", "mhz": "MHz", "ghz": "GHz"}

// InName is the unit of frequency that the name of a counter ends with, as AvgGpuCoreFrequencyMHz does; "" where it does not.
func InName(name string) string {
	words := Words(name)
	if len(words) < 2 {
		return ""
	}
	return frequencies[words[len(words)-1]]
}

// Words divides a name into lower-case words at everything that is no letter or digit, and where a capital follows a
// small letter.
func Words(name string) []string {
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
