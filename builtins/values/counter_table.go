package values

import (
	"fmt"

	"go.starlark.net/starlark"

	"astrolabe/builtins/binding"
	"astrolabe/builtins/characters"
	"astrolabe/capture"
)

func counterText(name, doc string, get func(c *Counter) string) binding.Attribute[*Counter] {
	return binding.Attribute[*Counter]{Name: name, Type: "str", Doc: doc,
		Get: func(c *Counter) starlark.Value { return starlark.String(get(c)) }}
}

// reduction is a method without arguments that makes one number of a counter.
func reduction(name, doc string, f func(c *capture.Counter) capture.Value) binding.Method[*Counter] {
	return binding.Method[*Counter]{
		Sig: name + "() -> number", Doc: doc + " None if nothing is left.", Example: "clk." + name + "()",
		Run: func(recv *Counter, c *binding.Call) (starlark.Value, error) {
			v, err := binding.AwaitValues(c.Env.Context(), recv.Counter, func() (capture.Value, error) { return f(recv.Counter), nil })
			return binding.Number(v), err
		},
	}
}

// comparison is a method that compares every sample and gives a Mask.
func comparison(name, sign string, keep func(a, b float64) bool) binding.Method[*Counter] {
	return binding.Method[*Counter]{
		Sig: name + "(x: number|str|Counter) -> Mask",
		Doc: "Selects the samples where the value is " + sign +
			" x: a number, another Counter on the same time axis, or a quantity such as \"80GB/s\". A missing value " +
			"is never selected.",
		Example: "clk." + name + "(1000).count()",
		Run: func(recv *Counter, c *binding.Call) (starlark.Value, error) {
			return recv.compare(c, c.Arg("x"), keep)
		},
	}
}

var CounterTable = binding.MethodTable[*Counter]{
	Name: "Counter",
	Doc: "One series over the samples of a capture: a hardware counter, one instance of it, or a metric derived from " +
		"several. Counters of one time axis combine with + - * / // % and numbers; a missing value stays missing. " +
		"Comparisons are methods (gt, ge, lt, le, eq, ne, between) and give a Mask. " +
		"The operators == and != stop the run where they meet a Counter or a Mask and anything but None, also inside " +
		"the lists, tuples and dicts that they compare.",
	Attrs: []binding.Attribute[*Counter]{
		counterText("name", "Vendor's variable, or the metric's name; COUNTER[ID] of an instance.",
			func(c *Counter) string { return c.Counter.Name }),
		counterText("title", "The vendor's title.", func(c *Counter) string { return c.Counter.Title }),
		counterText("unit", "Unit of the values, such as \"cycles\" or \"percent\"; empty if not known.",
			func(c *Counter) string { return c.Counter.Unit }),
		counterText("doc", "What it means.", func(c *Counter) string { return c.Counter.Doc }),
		counterText("kind", "How it adds up over time: \"delta\", \"gauge\", \"constant\" or \"derived\".",
			func(c *Counter) string { return c.Counter.Kind.String() }),
		{Name: "guessed", Type: "bool",
			Doc: "Whether nobody states its kind: neither the file, nor a catalogue, nor the unit.",
			Get: func(c *Counter) starlark.Value { return starlark.Bool(c.Counter.Guessed) }},
		counterText("gpu", "Catalogue that describes it.", func(c *Counter) string { return c.Counter.GPU }),
		counterText("block", "Hardware block that counts.", func(c *Counter) string { return c.Counter.Block }),
		counterText("device", "Device that counts, where a capture holds several.", func(c *Counter) string {
			return c.Counter.Device
		}),
		counterText("source", "Reader that measured it.", func(c *Counter) string { return c.Counter.Source }),
		counterText("instance", "Physical id of an instance; empty of a whole counter.", func(c *Counter) string {
			return c.Counter.Meta.Instance
		}),
		counterText("measuring_pass", "Measuring run it comes from; empty where there was one.",
			func(c *Counter) string { return c.Counter.PassID() }),
		counterText("expr", "Formula of a derived counter, in its vendor's notation.", (*Counter).expr),
		{Name: "inputs", Type: "list", Doc: "Names of the counters that the formula reads.",
			Get: func(c *Counter) starlark.Value { return binding.StringList(c.inputs()) }},
		{Name: "refs", Type: "list", Doc: "Sections of the vendor's guide.",
			Get: func(c *Counter) starlark.Value { return binding.StringList(c.Counter.Refs) }},
		{Name: "aliases", Type: "list", Doc: "Other names that find it.",
			Get: func(c *Counter) starlark.Value { return binding.StringList(c.Counter.Aliases) }},
		{Name: "instances", Type: "list",
			Doc: "One Counter per shader core, slice, CPU or the like; empty where there are none.",
			Get: func(c *Counter) starlark.Value { return c.instances() }},
		{Name: "values", Type: "list", Doc: "Every value as int, float or None.",
			Ask: func(c *Counter) (starlark.Value, error) {
				return binding.AwaitValues(c.env.Context(), c.Counter, func() (starlark.Value, error) { return c.values(), nil })
			}},
		{Name: "times", Type: "list", Doc: "Start of every sample in seconds since the start of the capture.",
			Ask: func(c *Counter) (starlark.Value, error) {
				return binding.AwaitValues(c.env.Context(), c.Counter, func() (starlark.Value, error) {
					out := make([]starlark.Value, c.Len())
					for i, t := range c.Counter.Axis.Start {
						out[i] = binding.Seconds(t)
					}
					return binding.FrozenList(out), nil
				})
			}},
		{Name: "warnings", Type: "list", Doc: "Doubts about the values, such as operands from different passes.",
			Get: func(c *Counter) starlark.Value { return binding.StringList(c.warnings()) }},
	},
	Methods: []binding.Method[*Counter]{
		reduction("sum", "Sum of the values, exact for integers. Missing values are skipped.", (*capture.Counter).Sum),
		reduction("mean", "Plain average of the values. Missing values are skipped.", (*capture.Counter).Mean),
		reduction("time_mean", "Average over time: each value counts as long as its sample lasts, and all alike where none "+
			"of them has a length. Missing values are skipped.", (*capture.Counter).TimeMean),
		reduction("min", "Smallest value. Missing values are skipped.", (*capture.Counter).Min),
		reduction("max", "Largest value. Missing values are skipped.", (*capture.Counter).Max),
		reduction("std", "Standard deviation of the sample (n-1). Missing values are skipped.", (*capture.Counter).Std),
		reduction("median", "Middle value. Missing values are skipped.", (*capture.Counter).Median),
		reduction("first", "First value that is not missing.", (*capture.Counter).First),
		reduction("last", "Last value that is not missing.", (*capture.Counter).Last),
		{
			Sig: "percentile(p: number) -> number",
			Doc: "The value that p percent of the values do not exceed, interpolated between neighbours. None if " +
				"nothing is left.",
			Example: "clk.percentile(95)",
			Run: func(recv *Counter, c *binding.Call) (starlark.Value, error) {
				p := c.Float("p", 0)
				if !(p >= 0 && p <= 100) {
					return nil, fmt.Errorf("parameter p: %v is not between 0 and 100", c.Arg("p"))
				}
				if p > 0 && p < 1 {
					c.Env.Warnf(
						"percentile(%v) lies below the first percentile: p is in percent, so the value that %v of all do not exceed is percentile(%v)",
						p, p, 100*p)
				}
				v, err := binding.AwaitValues(c.Env.Context(), recv.Counter, func() (capture.Value, error) {
					return recv.Counter.Percentile(p), nil
				})
				return binding.Number(v), err
			},
		},
		{
			Sig: "count() -> int", Doc: "Number of values that are not missing.", Example: "clk.count()",
			Run: func(recv *Counter, c *binding.Call) (starlark.Value, error) {
				n, err := binding.AwaitValues(c.Env.Context(), recv.Counter, func() (int, error) { return recv.Counter.Count(), nil })
				return starlark.MakeInt(n), err
			},
		},
		{
			Sig: "total() -> number",
			Doc: "The value over all samples: the sum of a delta, the time-weighted mean of a gauge, and for a " +
				"derived metric its formula on the totals of its inputs, never the mean of ratios. A delta that took " +
				"turns with others on the hardware is scaled up to all of the time, and explain says how much was " +
				"counted. None if missing; explain says why.",
			Example: "(hits / clk).total()",
			Run: func(recv *Counter, c *binding.Call) (starlark.Value, error) {
				v, err := binding.AwaitValues(c.Env.Context(), recv.Counter, func() (capture.Value, error) {
					return recv.Counter.Total(), nil
				})
				return binding.Number(v), err
			},
		},
		{
			Sig: "why(sample: int=None) -> str",
			Doc: "Why the total is missing, or the value of one sample; None where it is not. explain shows the " +
				"whole formula.",
			Example: "clk.why()",
			Run: func(recv *Counter, c *binding.Call) (starlark.Value, error) {
				i, err := c.Integer("sample", -1)
				if err != nil {
					return nil, err
				}
				if i < -1 || i >= recv.Counter.Len() {
					return nil, fmt.Errorf("sample %d: there are samples 0 to %d", i, recv.Counter.Len()-1)
				}
				r, err := binding.AwaitValues(c.Env.Context(), recv.Counter, func() (string, error) {
					if r, ok := recv.Counter.Why(i); ok {
						return r.String(), nil
					}
					return "", nil
				})
				return binding.Text(r), err
			},
		},
		unaryMethod("abs", "abs", "Absolute values."),
		{
			Sig:     "clamp(lo: number|None, hi: number|None) -> Counter",
			Doc:     "Values limited to lo..hi; None leaves that side open. Missing stays missing.",
			Example: "clk.clamp(0, 100)",
			Run: func(recv *Counter, c *binding.Call) (starlark.Value, error) {
				return recv.clamp(c.Arg("lo"), c.Arg("hi"))
			},
		},
		binaryMethod("minimum", "min", "The smaller of value and x, sample by sample."),
		binaryMethod("maximum", "max", "The larger of value and x, sample by sample."),
		binaryMethod("fill", "fill", "x where the value is missing."),
		{
			Sig: "rate() -> Counter", Doc: "Per second, by each sample's real interval.", Example: "clk.rate().max()",
			Run: func(recv *Counter, c *binding.Call) (starlark.Value, error) { return recv.rate() },
		},
		{
			Sig: "share(of: Counter|number) -> Counter", Doc: "Percent of another counter.",
			Example: "hits.share(clk).total()",
			Run:     func(recv *Counter, c *binding.Call) (starlark.Value, error) { return recv.share(c.Arg("of")) },
		},
		{
			Sig: "rolling(window: duration) -> Counter",
			Doc: "At every sample the value over the window that ends with it: sums of deltas, averages of " +
				"gauges, formulas on those.",
			Example: "clk.rolling(\"3s\").max()",
			Run: func(recv *Counter, c *binding.Call) (starlark.Value, error) {
				ns, err := c.Duration("window", 0)
				if err != nil {
					return nil, err
				}
				c.WarnOfLong("window", ns, recv.Counter.Axis)
				out, err := binding.Await(c.Env.Context(), func() (*capture.Counter, error) {
					return recv.Counter.Rolling(ns)
				})
				if err != nil {
					return nil, err
				}
				return recv.with(out), nil
			},
		},
		{
			Sig:     "resample(period: duration) -> Counter",
			Doc:     "The counter in samples of another period. Sums stay what they were.",
			Example: "clk.resample(\"2s\").total()",
			Run: func(recv *Counter, c *binding.Call) (starlark.Value, error) {
				ns, err := c.Duration("period", 0)
				if err != nil {
					return nil, err
				}
				c.WarnOfLong("period", ns, recv.Counter.Axis)
				return binding.Await(c.Env.Context(), func() (starlark.Value, error) {
					b, err := recv.Counter.Axis.Resample(ns)
					if err != nil {
						return nil, err
					}
					return recv.with(recv.Counter.Rebin(b)), nil
				})
			},
		},
		{
			Sig: "diff() -> Counter", Doc: "Change from the sample before; the first is missing.",
			Example: "clk.diff().max()",
			Run: func(recv *Counter, c *binding.Call) (starlark.Value, error) {
				return recv.with(recv.diff()), nil
			},
		},
		{
			Sig: "cumsum() -> Counter", Doc: "Running sum; a missing value adds nothing and stays missing.",
			Example: "clk.cumsum().last()",
			Run: func(recv *Counter, c *binding.Call) (starlark.Value, error) {
				return recv.with(recv.cumsum()), nil
			},
		},
		comparison("gt", "greater than", func(a, b float64) bool { return a > b }),
		comparison("ge", "at least", func(a, b float64) bool { return a >= b }),
		comparison("lt", "less than", func(a, b float64) bool { return a < b }),
		comparison("le", "at most", func(a, b float64) bool { return a <= b }),
		comparison("eq", "equal to", func(a, b float64) bool { return a == b }),
		comparison("ne", "different from", func(a, b float64) bool { return a != b && a == a && b == b }),
		{
			Sig: "between(lo: number|str|Counter, hi: number|str|Counter) -> Mask",
			Doc: "Selects the samples where lo <= value <= hi.", Example: "clk.between(900, 1100).count()",
			Run: func(recv *Counter, c *binding.Call) (starlark.Value, error) {
				lo, err := recv.compare(c, c.Arg("lo"), func(a, b float64) bool { return a >= b })
				if err != nil {
					return nil, err
				}
				hi, err := recv.compare(c, c.Arg("hi"), func(a, b float64) bool { return a <= b })
				if err != nil {
					return nil, err
				}
				return &Mask{env: recv.env, Mask: lo.Mask.And(hi.Mask)}, nil
			},
		},
		{
			Sig: "sparkline(width: int=24) -> str",
			Doc: "The values as a row of blocks, the largest of each stretch; a stretch without values is a space. " +
				"With --no-unicode the blocks are characters of ASCII.",
			Example: "clk.sparkline(8)",
			Run: func(recv *Counter, c *binding.Call) (starlark.Value, error) {
				n, err := c.Integer("width", 24)
				if err != nil {
					return nil, err
				}
				if n < 1 || n > characters.MostCells {
					return nil, fmt.Errorf("parameter width: %d is not between 1 and %d", n, characters.MostCells)
				}
				v, err := AsFloats(recv)
				return starlark.String(characters.Sparkline(v, n, recv.env.Plain())), err
			},
		},
		{
			Sig: "missing() -> Mask", Doc: "Selects the samples without a value.", Example: "clk.missing().count()",
			Run: func(recv *Counter, c *binding.Call) (starlark.Value, error) {
				f, err := AsFloats(recv)
				if err != nil {
					return nil, err
				}
				return &Mask{env: recv.env, Mask: capture.NewMask(recv.Counter.Axis, func(i int) bool {
					return f[i] != f[i]
				})}, nil
			},
		},
	},
}
