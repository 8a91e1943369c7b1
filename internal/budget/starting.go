package budget

import (
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/analysis"
	"astrolabe/capture/metrics"
	"astrolabe/plots/charts"
)

// startingLimits is how many metrics a starting budget limits.
const startingLimits = 12

// Starting writes a budget that a capture keeps with a margin, such as 0.1, for a person to go on from: the time of
// frames, and of each group of the catalogues the first metric with a value of which the catalogue says whether more of
// it is better. The error says that the capture has nothing to limit.
func Starting(c *capture.Capture, margin float64) (string, error) {
	var out strings.Builder
	fmt.Fprintf(&out,
		"# What %s measured, with a margin of %s. Keep what matters, set the numbers that you want to hold,\n",
		comment(filepath.Base(c.Path)), percent(margin))
	out.WriteString("# and judge: astrolabe check --budget THIS-FILE CAPTURE. docs/budget.md lists every key.\n")
	if c.GPU != "" {
		fmt.Fprintf(&out, "gpu = %s\n", quote(c.GPU))
	}
	n := 0
	limit := func(metric, title, unit, key string, now, value float64, more string) {
		n++
		what := charts.Quantity(now, unit)
		if title != "" {
			what = comment(title) + ": " + what
		}
		fmt.Fprintf(&out, "\n[[limit]] # %s\nmetric = %s\n%s = %s%s\n%s", what, quote(metric), key, number(value),
			inUnit(unit), more)
	}
	if list := analysis.Frames(c); len(list) > 0 {
		p := regionParts(c, perFrame, list)
		values := make([]float64, p.Len())
		for i := range values {
			values[i] = p.duration(i)
		}
		now := quantile(0.99)(values)
		if now > 0 {
			limit(durationMetric, "99 of 100 frames", "s", "max", now, outward(now*(1+margin), true),
				"per = \"frame\"\nstatistic = \"p99\"\n")
		}
	}
	derived, err := metrics.Metrics(c)
	if err != nil {
		return "", err
	}
	left := 0
	for _, cat := range metrics.For(c) {
		groups := map[string]bool{}
		for _, m := range derived {
			e, err := cat.Find(strings.TrimPrefix(m.Name, cat.ID()+"/"))
			if err != nil || m.GPU != cat.ID() || e.MoreIsBetter == "" || groups[e.Group] {
				continue
			}
			now := m.Total().Float()
			if !(math.Abs(now) > 0) || math.IsInf(now, 0) {
				continue
			}
			groups[e.Group] = true
			if n >= startingLimits {
				left++
				continue
			}
			more := e.MoreIsBetter == "yes"
			key, value := "max", now+margin*math.Abs(now)
			if more {
				key, value = "min", now-margin*math.Abs(now)
			}
			if metrics.SameUnit(m.Unit, "percent") && now <= 100 {
				value = min(value, 100)
			}
			limit(m.Name, m.Title, m.Unit, key, now, outward(value, !more), "")
		}
	}
	if n == 0 {
		return "", fmt.Errorf(
			"%s has neither frames nor a metric with a value of which a catalogue says whether more is better: write the limits by hand",
			orCapture(c))
	}
	if left > 0 {
		fmt.Fprintf(&out, "\n# Metrics of %d more groups have values: astrolabe stat lists them.\n", left)
	}
	return out.String(), nil
}

func orCapture(c *capture.Capture) string {
	if c.Path != "" {
		return c.Path
	}
	return "the capture"
}

// outward rounds to three figures, away from what is measured now.
func outward(v float64, up bool) float64 {
	if v == 0 {
		return 0
	}
	step := math.Pow(10, math.Floor(math.Log10(math.Abs(v)))-2)
	n := math.Floor(v/step + 1e-9)
	if up {
		n = math.Ceil(v/step - 1e-9)
	}
	text := strconv.FormatFloat(n*step, 'g', 3, 64)
	r, err := strconv.ParseFloat(text, 64)
	slack := equal / 2 * math.Abs(v) // what judging takes for equal
	if err == nil && (up && r >= v-slack || !up && r <= v+slack) {
		return r
	}
	return v
}

func number(v float64) string {
	text := strconv.FormatFloat(v, 'f', -1, 64)
	if len(text) > 12 {
		text = strconv.FormatFloat(v, 'g', -1, 64)
	}
	return text
}

// inUnit says as a comment what a number is in.
func inUnit(unit string) string {
	if unit == "" {
		return ""
	}
	return " # " + comment(unit)
}

func percent(f float64) string { return strconv.FormatFloat(100*f, 'g', 4, 64) + " %" }

// comment makes a text fit for a comment, which ends with its line and holds no control characters.
func comment(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

// quote writes a basic string of TOML.
func quote(s string) string {
	var out strings.Builder
	out.WriteByte('"')
	for _, r := range strings.ToValidUTF8(s, "\uFFFD") {
		switch {
		case r == '"' || r == '\\':
			out.WriteByte('\\')
			out.WriteRune(r)
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&out, "\\u%04X", r)
		default:
			out.WriteRune(r)
		}
	}
	out.WriteByte('"')
	return out.String()
}
