package budget

import (
	"fmt"
	"math"
	"strings"

	"astrolabe/plots/charts"
)

// NothingJudged is why a budget whose limits were all skipped is not kept.
const NothingJudged = "every limit was skipped: nothing was judged"

// LimitText is the limit with its unit, such as "≤ 16.6 ms".
func (r *Result) LimitText() string {
	var parts []string
	if !math.IsNaN(r.Min) {
		parts = append(parts, "≥ "+charts.Quantity(r.Min, r.Unit))
	}
	if !math.IsNaN(r.Max) {
		parts = append(parts, "≤ "+charts.Quantity(r.Max, r.Unit))
	}
	return strings.Join(parts, ", ")
}

// ValueText is the worst value, with more digits where it would read like the limit that it breaks.
func (r *Result) ValueText() string {
	text := charts.Quantity(r.Worst, r.Unit)
	if !r.Beyond(r.Worst) {
		return text
	}
	for _, limit := range []float64{r.Max, r.Min} {
		if text == charts.Quantity(limit, r.Unit) {
			return fmt.Sprintf("%s (%.3g beyond)", text, r.Excess(r.Worst))
		}
	}
	return text
}

// OverText counts what breaks the limit, such as "12 of 600 (6 allowed)"; "" where the limit is about one number.
func (r *Result) OverText() string {
	n := r.Judged
	if n == 0 || r.Parts.What == "" || r.Limit.Statistic != "" && len(r.Groups) == 1 {
		return ""
	}
	text := fmt.Sprintf("%d of %d", r.Over, n)
	if r.Limit.Allow != (Allowance{}) {
		text += fmt.Sprintf(" (%d allowed)", r.Allowed)
	}
	return text
}

// Where names the part with the worst value and when it starts; "" for a total.
func (r *Result) Where() string {
	if r.WorstAt < 0 || r.Parts.What == "" {
		return ""
	}
	if !r.Parts.InOrder() { // it has no place of its own
		return r.Parts.Name(r.WorstAt)
	}
	return fmt.Sprintf("%s at %s", r.Parts.Name(r.WorstAt), charts.Duration(r.Parts.Start[r.WorstAt]))
}

// Sentence says what came of the limit.
func (r *Result) Sentence() string {
	name := r.Limit.Label()
	if r.Verdict == NotJudged || r.Verdict == Skipped {
		return fmt.Sprintf("%s %s: %s", name, r.Verdict, r.Why)
	}
	text := fmt.Sprintf("%s is %s, limit %s", name, r.ValueText(), r.LimitText())
	if over := r.OverText(); over != "" && r.Over > 0 {
		text += "; " + over + " break it"
	}
	if where := r.Where(); where != "" {
		text += "; worst: " + where
	}
	return text
}
