package perfstat

import (
	"errors"
	"strings"
)

// The outputs of perf stat that hold no counts which a program can read back.
var (
	errMetricOnly = errors.New(
		"this is output of perf stat --metric-only, or of --topdown, which leave the counts out: run perf stat again without --metric-only, with -j or -x (-M TopdownL1,TopdownL2 in place of --topdown)")
	errNoCounts = errors.New(
		"perf stat began this file and no line of it holds a count: the run broke off, or --metric-only left the " +
			"counts out; run perf stat again without --metric-only")
)

var (
	metricHead = pattern(`^\s*time[,;|\t]([^,;|\t]*[,;|\t])*$`)
	metricJSON = pattern(`^\{("interval" : [0-9.]+)?\}|^\{.*"metric-value" : |^\{("interval" : [0-9.]+, )?"%\s+\w+" : "`)
	metricText = pattern(`^#\s+time\s+%\s`)
)

// refusal says why the beginning of a file cannot be read, although perf stat wrote it; nil where it is not known to be
// such.
func refusal(lines []string) error {
	var plain, started, metrics bool
	content := 0
	for _, text := range lines {
		text = strings.TrimRight(text, "\r")
		switch {
		case strings.TrimSpace(text) == "":
		case strings.HasPrefix(text, startedOn):
			started = true
		case plainMark(text) && (plainTitle().MatchString(text) || plainHead().MatchString(text) ||
			plainElapsed().MatchString(text)):
			plain = true
		case strings.HasPrefix(text, "#"):
			metrics = metrics || metricText().MatchString(text)
		default:
			content++
			metrics = metrics || content == 1 && metricHead().MatchString(text) ||
				strings.HasPrefix(text, "{") && metricJSON().MatchString(text) && !strings.Contains(text, `"counter-value"`)
		}
	}
	switch {
	case plain && content == 0 && !started:
		return nil // a title alone may stand in any text
	case plain:
		return errNoCounts
	case metrics:
		return errMetricOnly
	case started:
		return errNoCounts
	}
	return nil
}
