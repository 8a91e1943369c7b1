package cli

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"

	"astrolabe/builtins/notation"
	"astrolabe/capture"
	"astrolabe/capture/memory"
	"astrolabe/capture/metrics"
	"astrolabe/plots/charts"
)

// statJSON is one counter or metric in stat --json.
type statJSON struct {
	Name    string   `json:"name"`
	Title   *string  `json:"title"`
	Unit    *string  `json:"unit"`
	Kind    string   `json:"kind"`
	GPU     *string  `json:"gpu"`
	Count   int      `json:"count"`
	Total   *number  `json:"total"`
	Mean    *number  `json:"mean"`
	Min     *number  `json:"min"`
	P50     *number  `json:"p50"`
	P95     *number  `json:"p95"`
	P99     *number  `json:"p99"`
	Max     *number  `json:"max"`
	Missing int      `json:"missing"`
	Why     *string  `json:"why"`
	Warning []string `json:"warnings"`
}

// number is a value as JSON: an exact integer where it is one.
type number struct{ v capture.Value }

func (n *number) MarshalJSON() ([]byte, error) {
	if n.v.IsInt() {
		return []byte(n.v.Big().String()), nil
	}
	if f := n.v.Float(); !math.IsInf(f, 0) && !math.IsNaN(f) {
		return fmt.Appendf(nil, "%.17g", f), nil
	}
	return []byte("null"), nil
}

func jsonValue(v capture.Value) *number {
	if v.Missing() {
		return nil
	}
	return &number{v}
}

func (a *app) statCommand() *cobra.Command {
	var asJSON bool
	var by string
	var opt openFlags
	cmd := &cobra.Command{
		Use:   "stat CAPTURE",
		Short: "Print every counter and metric of a capture with its statistics",
		Long: "Prints a line for every counter and metric: how many values it has, the total (the sum of a count, " +
			"the time-weighted mean of a level,\n" +
			"the formula on the totals for a metric), mean, smallest, percentiles and largest, and how many values " +
			"are missing and why.\n" +
			"The kernels that take longest stand before them, where the samples are of several.",
		Args: argCount(1, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			c, err := a.open(args[0], &opt)
			if err != nil {
				return err
			}
			if by != "" {
				parts, err := partsBy(c, by)
				switch {
				case err != nil:
					return err
				case asJSON:
					return a.printJSON(parts)
				}
				return a.print(statHead(c) + partsText(by, parts, len(parts)))
			}
			list, err := statistics(a.ctx, c)
			if err != nil {
				return err
			}
			if asJSON {
				return a.printJSON(list)
			}
			return a.print(statText(c, list))
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().StringVar(&by, "by", "", "print what the samples took for every value of the label `LABEL` instead, such as kernel, the longest first")
	opt.register(cmd)
	return cmd
}

// statistics describes every counter, then every metric, until ctx ends.
func statistics(ctx context.Context, c *capture.Capture) ([]statJSON, error) {
	derived, err := metrics.Metrics(c)
	if err != nil {
		return nil, err
	}
	list := append(slices.Clone(c.Counters), derived...)
	out := make([]statJSON, len(list))
	var next atomic.Int64
	var wg memory.Group
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(list)) && ctx.Err() == nil; i = next.Add(1) - 1 {
				out[i] = describe(list[i])
				list[i].Forget() // the values of all metrics would be twice the file
			}
		})
	}
	wg.Wait()
	return out, ctx.Err()
}

func describe(c *capture.Counter) statJSON {
	q := c.Quantiles(0.5, 0.95, 0.99)
	s := statJSON{
		Name: c.Name, Title: jsonText(c.Title), Unit: jsonText(c.Unit), Kind: c.Kind.String(), GPU: jsonText(c.GPU),
		Count: c.Count(),
		Total: jsonValue(c.Total()), Mean: jsonValue(c.Mean()), Min: jsonValue(c.Min()), P50: jsonValue(q[0]),
		P95: jsonValue(q[1]),
		P99: jsonValue(q[2]), Max: jsonValue(c.Max()), Warning: orEmpty(c.Doubts()),
	}
	s.Missing = c.Len() - s.Count
	if s.Missing > 0 || s.Total == nil {
		s.Why = jsonText(whyMissing(c))
	}
	return s
}

// whyMissing is the reason for the first missing value, or for the total.
func whyMissing(c *capture.Counter) string {
	if c.Count() == 0 {
		if r, ok := c.Why(-1); ok {
			return r.String()
		}
	}
	var block [capture.BlockRows]float64 // and no more: all values would stay with the counter
	for from := 0; from < c.Len(); from += len(block) {
		some := block[:min(len(block), c.Len()-from)]
		c.ReadFloats(some, from)
		for i, v := range some {
			if v != v {
				if r, ok := c.Why(from + i); ok {
					return r.String()
				}
			}
		}
	}
	if r, ok := c.Why(-1); ok {
		return r.String()
	}
	return ""
}

// statHead is the line that says what was captured.
func statHead(c *capture.Capture) string {
	head := fmt.Sprintf("%s: %s", orText(c.Name, c.Path), charts.Extent(c))
	if c.GPU != "" {
		head += ", " + c.GPU
	}
	return head + "\n"
}

// mostKernels is how many kernels stand before the counters.
const mostKernels = 10

func statText(c *capture.Capture, list []statJSON) string {
	var out strings.Builder
	out.WriteString(statHead(c))
	if parts, err := partsBy(c, "kernel"); err == nil && len(parts) > 1 {
		out.WriteString(partsText("kernel", parts, mostKernels) + "\n")
	}
	t := &notation.TextTable{
		Header: []string{"name", "unit", "kind", "count", "total", "mean", "min", "p50", "p95", "p99", "max",
			"missing", "why"},
		Right: []bool{false, false, false, true, true, true, true, true, true, true, true, true, false},
	}
	for _, s := range list {
		t.Add(s.Name, orDash(s.Unit), s.Kind, fmt.Sprint(s.Count), shortNumber(s.Total), shortNumber(s.Mean),
			shortNumber(s.Min), shortNumber(s.P50),
			shortNumber(s.P95), shortNumber(s.P99), shortNumber(s.Max), fmt.Sprint(s.Missing),
			strings.ReplaceAll(orNothing(s.Why), "\n", " "))
	}
	out.WriteString(t.String())
	return out.String()
}

// shortNumber has six significant digits; whole numbers below a billion are exact.
func shortNumber(n *number) string {
	if n == nil {
		return "-"
	}
	f := n.v.Float()
	if f == math.Trunc(f) && math.Abs(f) < 1e9 {
		return fmt.Sprintf("%.0f", f)
	}
	return fmt.Sprintf("%.6g", f)
}

func orNothing(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func orText(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}
