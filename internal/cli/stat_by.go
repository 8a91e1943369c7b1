package cli

import (
	"fmt"
	"strings"

	"astrolabe/builtins/notation"
	"astrolabe/capture"
	"astrolabe/capture/analysis"
	"astrolabe/capture/symbols"
)

// partJSON is one value of a label in stat --by LABEL --json. Times are in seconds, null where the samples have no
// length.
type partJSON struct {
	Value    *string  `json:"value"` // null for the samples without one
	Samples  int      `json:"samples"`
	Time     *float64 `json:"time"`
	Share    *float64 `json:"share"` // of the time of all, 0 to 1
	Shortest *float64 `json:"shortest"`
	Median   *float64 `json:"median"`
	Longest  *float64 `json:"longest"`
	Slow     int      `json:"slow"`
}

// partsBy says what the samples took for every value of a label, the longest time first.
func partsBy(c *capture.Capture, label string) ([]partJSON, error) {
	if _, err := c.FindLabel(label); err != nil {
		return nil, err
	}
	parts := analysis.LabelParts(c, label)
	whole := 0.0
	for _, p := range parts {
		whole += p.Time
	}
	out := make([]partJSON, len(parts))
	for i, p := range parts {
		out[i] = partJSON{Samples: p.Count, Slow: p.Slow}
		if !p.Missing {
			out[i].Value = &p.Name
		}
		if whole > 0 {
			share := p.Time / whole
			out[i].Time, out[i].Share, out[i].Shortest, out[i].Median, out[i].Longest = &p.Time, &share, &p.Shortest,
				&p.Median, &p.Longest
		}
	}
	return out, nil
}

// longestValue is how many letters of a label's value a column has room for.
const longestValue = 120

// partsText is a table of the first parts, and a line that says how many more there are.
func partsText(label string, parts []partJSON, most int) string {
	t := &notation.TextTable{
		Header: []string{label, "samples", "time", "share", "shortest", "median", "longest", "slow"},
		Right:  []bool{false, true, true, true, true, true, true, true},
	}
	names := make([]string, len(parts))
	for i, p := range parts {
		names[i] = orDash(p.Value)
	}
	names = symbols.Short(names)
	for i, p := range parts[:min(most, len(parts))] {
		share := "-"
		if p.Share != nil {
			share = fmt.Sprintf("%.1f %%", *p.Share*100)
		}
		t.Add(cutMiddle(strings.ReplaceAll(names[i], "\n", " "), longestValue), fmt.Sprint(p.Samples), seconds(p.Time),
			share, seconds(p.Shortest),
			seconds(p.Median), seconds(p.Longest), fmt.Sprint(p.Slow))
	}
	out := t.String()
	if len(parts) > most {
		out += fmt.Sprintf("These are %d of %d values of the label %s: --by %s prints all.\n", most, len(parts),
			label, label)
	}
	return out
}

func seconds(s *float64) string {
	if s == nil {
		return "-"
	}
	return notation.FormatNS(*s * 1e9)
}

// cutMiddle is a text of at most so many letters, of which the last stay: names of kernels begin alike.
func cutMiddle(s string, most int) string {
	r := []rune(s)
	if len(r) <= most {
		return s
	}
	tail := most / 3
	return string(r[:most-tail-1]) + "…" + string(r[len(r)-tail:])
}
