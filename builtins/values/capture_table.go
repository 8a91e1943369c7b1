package values

import (
	"fmt"
	"strings"

	"go.starlark.net/starlark"

	"astrolabe/builtins/binding"
	"astrolabe/builtins/notation"
	"astrolabe/capture"
	"astrolabe/capture/export"
	"astrolabe/capture/metrics"
)

func captureText(name, doc string, get func(c *capture.Capture) string) binding.Attribute[*Capture] {
	return binding.Attribute[*Capture]{Name: name, Type: "str", Doc: doc,
		Get: func(c *Capture) starlark.Value { return starlark.String(get(c.Capture)) }}
}

// counterMethod is a method that finds a counter or metric by name.
func counterMethod(sig, doc, example string) binding.Method[*Capture] {
	return binding.Method[*Capture]{Sig: sig, Doc: doc, Example: example,
		Run: func(recv *Capture, c *binding.Call) (starlark.Value, error) {
			name := c.Str("name", "")
			out, err := binding.Await(c.Env.Context(), func() (*capture.Counter, error) { return recv.resolve(name) })
			if err != nil {
				return nil, err
			}
			if len(c.Sig.Params) > 1 && c.Has("instance") {
				id, ok := c.Arg("instance").(starlark.String)
				want := string(id)
				if !ok {
					want = c.Arg("instance").String()
				}
				in := out.Instance(want)
				if in == nil {
					if in, err = recv.resolve(out.Name + "[" + want + "]"); err != nil {
						return nil, instanceError(out, want)
					}
				}
				out = in
			}
			return recv.Counter(out), nil
		}}
}

func instanceError(c *capture.Counter, id string) error {
	if len(c.Instances) == 0 {
		return fmt.Errorf("%s has no instances", c.Name)
	}
	const show = 12
	var ids []string
	for _, in := range c.Instances[:min(show, len(c.Instances))] {
		ids = append(ids, in.Meta.Instance)
	}
	more := ""
	if n := len(c.Instances) - show; n > 0 {
		more = fmt.Sprintf(" and %d more", n)
	}
	return fmt.Errorf("%s has no instance %s: it has %s%s", c.Name, id, strings.Join(ids, ", "), more)
}

// captureMethod is a method that makes another capture.
func captureMethod(sig, doc, example string,
	f func(c *binding.Call, in *capture.Capture) (*capture.Capture, error)) binding.Method[*Capture] {
	return binding.Method[*Capture]{Sig: sig, Doc: doc, Example: example,
		Run: func(recv *Capture, c *binding.Call) (starlark.Value, error) {
			out, err := binding.Await(c.Env.Context(), func() (*capture.Capture, error) { return f(c, recv.Capture) })
			if err != nil {
				return nil, err
			}
			return recv.Derive(out), nil
		}}
}

var captureTable = binding.MethodTable[*Capture]{
	Name: "Capture",
	Doc: "What was measured: counters over one time axis. cap[\"Name\"] is a counter or metric by any of its names, " +
		"cap[3] a sample, len(cap) the number of samples; iteration gives samples. A truth test says whether there " +
		"are any.",
	Attrs: []binding.Attribute[*Capture]{
		captureText("name", "Short name.", func(c *capture.Capture) string { return c.Name }),
		captureText("path", "File or folder it was read from.", func(c *capture.Capture) string { return c.Path }),
		captureText("format", "Format of that file.", func(c *capture.Capture) string { return c.Format }),
		captureText("gpu", "Catalogue id of what was measured; empty if not known.", func(c *capture.Capture) string {
			return c.GPU
		}),
		{Name: "device", Type: "struct",
			Doc: "What was measured: name, vendor, driver, id and whatever else the source says.",
			Get: func(c *Capture) starlark.Value { return c.device() }},
		{Name: "device_names", Type: "list", Doc: "Every device of the capture.",
			Get: func(c *Capture) starlark.Value { return binding.StringList(c.deviceNames()) }},
		{Name: "properties", Type: "dict", Doc: "Constants, such as a shader core count.",
			Get: func(c *Capture) starlark.Value { return c.properties() }},
		{Name: "start", Type: "time", Doc: "Wall clock at time 0, None if not known.",
			Get: func(c *Capture) starlark.Value { return c.startTime() }},
		{Name: "duration", Type: "float",
			Doc: "Length in seconds from the first sample's start to the last one's end, gaps included.",
			Get: func(c *Capture) starlark.Value { return binding.Seconds(c.Capture.Duration()) }},
		{Name: "measured", Type: "float",
			Doc: "Seconds in which something was measured: what samples cover, overlapping ones once, less gaps. " +
				"Late time belongs to it. It is what to divide sums by.",
			Get: func(c *Capture) starlark.Value {
				return binding.Seconds(c.Capture.Measured())
			}},
		{Name: "durations", Type: "Counter", Doc: "How long each sample lasts, in seconds.",
			Get: func(c *Capture) starlark.Value {
				return NewCounter(c.env, c.Capture.Durations())
			}},
		{Name: "samples", Type: "int", Doc: "Number of samples.", Get: func(c *Capture) starlark.Value {
			return starlark.MakeInt(c.Len())
		}},
		{Name: "counters", Type: "CounterMap", Doc: "Every counter that was measured, by name and in order.",
			Get: func(c *Capture) starlark.Value { return c.counterMap() }},
		{Name: "metrics", Type: "CounterMap", Doc: "Every metric of the catalogues that fit, by name and in order.",
			Get: func(c *Capture) starlark.Value { return c.metricMap() }},
		{Name: "labels", Type: "list", Doc: "Names of the labels that group_by takes.",
			Get: func(c *Capture) starlark.Value {
				var names []string
				for _, l := range c.Capture.Labels {
					names = append(names, l.Name)
				}
				return binding.StringList(names)
			}},
		{Name: "regions", Type: "list", Doc: "Named stretches of time, as Span values.",
			Get: func(c *Capture) starlark.Value { return c.regions() }},
		{Name: "gaps", Type: "list",
			Doc: "Stretches without data, as Span values with the reason: what happened there is in no sum.",
			Get: func(c *Capture) starlark.Value { return c.gapSpans(c.Capture.Gaps, false) }},
		{Name: "late", Type: "list",
			Doc: "Stretches that one longer sample covers because ticks were missed, as Span values with the reason: " +
				"counts are complete, only resolution is lost, so they are never taken off a duration.",
			Get: func(c *Capture) starlark.Value { return c.gapSpans(c.Capture.Late, true) }},
		{Name: "warnings", Type: "list", Doc: "Doubts about the data.", Get: func(c *Capture) starlark.Value {
			return binding.StringList(c.Capture.Warnings)
		}},
	},
	Methods: []binding.Method[*Capture]{
		counterMethod("counter(name: str, instance: str|int=None) -> Counter",
			"A counter or metric by any of its names, or one physical instance of it.",
			"cap.counter(\"TCP_REQ_sum\").total()"),
		counterMethod("metric(name: str) -> Counter",
			"A metric by name, vendor's name, guide section or \"Group/Title\". Where its inputs were not collected every value is missing and explain says what is absent.",
			"cap.metric(\"TCP Cache Performance/Hit Rate\").total()"),
		{
			Sig: "roles(kind: str=None) -> list",
			Doc: "The roles that metrics of the capture's GPU play, in the order of its catalogue: cap[\"queue:fragment\"] is the load of that " +
				"queue, whatever its product calls it. Kinds are \"" + strings.Join(metrics.RoleKindNames(), "\", \"") +
				"\"; without one, all of them.",
			Example: "cap.roles(\"queue\")",
			Run: func(recv *Capture, c *binding.Call) (starlark.Value, error) {
				roles, err := metrics.Roles(recv.Capture, c.Str("kind", ""))
				if err != nil {
					return nil, err
				}
				return binding.StringList(roles), nil
			},
		},
		{
			Sig: "eval(expr: str, name: str=None, unit: str=None) -> Counter",
			Doc: "A metric from a formula in the vendor's own notation, as it stands in a manual. A prefix names " +
				"the notation where it is not clear: \"streamline:\", \"rocm:\", \"intel:\", \"gpa:\".",
			Example: "cap.eval(\"$TCP_REQ_sum / 2\", name=\"half\").total()",
			Run: func(recv *Capture, c *binding.Call) (starlark.Value, error) {
				src := c.Str("expr", "")
				meta := capture.Meta{Name: c.Str("name", src), Unit: c.Str("unit", ""), Kind: capture.Derived}
				out, err := binding.Await(c.Env.Context(), func() (*capture.Counter, error) {
					return metrics.EvalWith(recv.Capture, recv.env.Defined(recv.Capture.GPU), src, meta)
				})
				if err != nil {
					if strings.Contains(src, "[\"") || strings.Contains(src, "['") {
						err = fmt.Errorf(
							"%w\n    a formula names its counters as the vendor does, $A / $B; without eval: cap[\"A\"] / cap[\"B\"]",
							err)
					}
					if first := strings.TrimSpace(src); !strings.Contains(src, "$") && first != "" &&
						strings.ContainsRune("/*+", rune(first[0])) {
						err = fmt.Errorf(
							"%w\n    a shell takes $NAME out of code between double quotes: put it between single ones",
							err)
					}
					return nil, err
				}
				for _, w := range out.Warnings {
					c.Env.Warnf("%s", w)
				}
				return recv.Counter(out), nil
			},
		},
		captureMethod("slice(start: duration=None, end: duration=None) -> Capture",
			"The samples that start in start..end, in seconds since the start of the capture.",
			"cap.slice(\"1s\", \"3s\").samples",
			func(c *binding.Call, in *capture.Capture) (*capture.Capture, error) {
				first, last := in.Axis.Extent()
				start, err := c.Duration("start", min(first, 0))
				if err != nil {
					return nil, err
				}
				end, err := c.Duration("end", max(last, start)+1)
				if err != nil {
					return nil, err
				}
				if end < start {
					return nil, fmt.Errorf("the end, %s, is before the start, %s", notation.FormatNS(float64(end)),
						notation.FormatNS(float64(start)))
				}
				out, err := in.Slice(start, end)
				if err == nil && out.Len() == 0 && in.Len() > 0 {
					c.Env.Warnf("slice from %s to %s has no samples: the capture lasts from %s to %s",
						notation.FormatNS(float64(start)), notation.FormatNS(float64(end)),
						notation.FormatNS(float64(first)), notation.FormatNS(float64(last)))
				}
				return out, err
			}),
		captureMethod("where(mask: Mask) -> Capture", "The selected samples.", "cap.where(clk.gt(1000)).samples",
			func(c *binding.Call, in *capture.Capture) (*capture.Capture, error) {
				return in.Where(c.Arg("mask").(*Mask).Mask)
			}),
		captureMethod("resample(period: duration) -> Capture",
			"Samples of another period: deltas shared out by overlap so that sums stay what they were, gauges averaged over time, metrics computed anew.",
			"cap.resample(\"2s\").samples",
			func(c *binding.Call, in *capture.Capture) (*capture.Capture, error) {
				ns, err := c.Duration("period", 0)
				if err != nil {
					return nil, err
				}
				c.WarnOfLong("period", ns, in.Axis)
				return in.Resample(ns)
			}),
		captureMethod("region(name: str) -> Capture", "The samples that start inside the regions of that name.",
			"cap.region(\"frame\").samples",
			func(c *binding.Call, in *capture.Capture) (*capture.Capture, error) {
				return in.Region(c.Str("name", ""))
			}),
		{
			Sig: "group_by(label: str) -> dict",
			Doc: "One Capture per value of a label, in order of first appearance. The key of samples without a " +
				"value is None; an empty text in a file is no value.",
			Example: "{k: c.total(\"TCP_REQ_sum\") for k, c in cap.group_by(\"kernel\").items()}",
			Run: func(recv *Capture, c *binding.Call) (starlark.Value, error) {
				label := c.Str("label", "")
				groups, err := binding.Await(c.Env.Context(), func() ([]capture.Group, error) {
					return recv.Capture.GroupBy(label)
				})
				if err != nil {
					return nil, err
				}
				d := starlark.NewDict(len(groups))
				for _, g := range groups {
					var key starlark.Value = starlark.String(g.Key)
					if g.Missing {
						key = starlark.None
					}
					if err := d.SetKey(key, recv.Derive(g.Capture)); err != nil {
						return nil, err
					}
				}
				d.Freeze()
				return d, nil
			},
		},
		labelledMethod,
		compareMethod,
		{
			Sig:     "total(name: str) -> number",
			Doc:     "The value of a counter or metric over the whole capture; None if missing.",
			Example: "cap.total(\"TCP_REQ_sum\")",
			Run: func(recv *Capture, c *binding.Call) (starlark.Value, error) {
				name := c.Str("name", "")
				v, err := binding.Await(c.Env.Context(), func() (capture.Value, error) {
					out, err := recv.resolve(name)
					if err != nil {
						return capture.Value{}, err
					}
					return out.Total(), nil
				})
				return binding.Number(v), err
			},
		},
		{
			Sig: "cells(name: str) -> dict",
			Doc: "What the vendor's own tool prints of a metric over these samples, by the heading of the column: Avg is the mean " +
				"of the samples' ratios, where total is the ratio of totals. Peak is computed from the data sheet, Peak (Empirical) " +
				"measured on the GPU. Empty where the catalogue does not say what the tool prints.",
			Example: "cap.cells(\"wavefront_occupancy\")",
			Run: func(recv *Capture, c *binding.Call) (starlark.Value, error) {
				name := c.Str("name", "")
				cells, err := binding.Await(c.Env.Context(), func() ([]metrics.Cell, error) {
					return metrics.Cells(recv.Capture, recv.env.Defined(recv.Capture.GPU), name)
				})
				if err != nil {
					return nil, err
				}
				d := starlark.NewDict(len(cells))
				for _, cell := range cells {
					if err := d.SetKey(starlark.String(cell.Heading), binding.Number(cell.Value)); err != nil {
						return nil, err
					}
				}
				d.Freeze()
				return d, nil
			},
		},
		{
			Sig:     "summary(metrics: bool=True) -> Table",
			Doc:     "One row per counter and metric: count, missing and why, total, mean, percentiles.",
			Example: "cap.summary()",
			Run: func(recv *Capture, c *binding.Call) (starlark.Value, error) {
				return recv.summary(c.Env.Context(), c.Flag("metrics", true))
			},
		},
		{
			Sig: "head(n: int=5) -> Table", Doc: "The first samples, one row each.", Example: "cap.head(2)",
			Run: func(recv *Capture, c *binding.Call) (starlark.Value, error) {
				n, err := c.Integer("n", 5)
				if err != nil {
					return nil, err
				}
				return binding.Interruptible(c, func() (starlark.Value, error) { return recv.head(n), nil })
			},
		},
		{
			Sig: "table(names: str|list, " + stretches + ") -> Table",
			Doc: "A row for each sample, with its start, end and labels and the values of counters and metrics; \"all\" is every metric. " +
				"resample=\"10ms\" makes samples of that period, by=\"frame\", \"kernel\" or \"label:NAME\" one of each frame or value, by=\"capture\" one: " +
				"a metric is then its formula on the totals of the stretch.",
			Example: "cap.table([\"TCP_REQ_sum\"], by=\"kernel\")",
			Run: func(recv *Capture, c *binding.Call) (starlark.Value, error) {
				names, err := namesGiven(c, "names")
				if err != nil {
					return nil, err
				}
				if len(names) == 0 {
					return nil, fmt.Errorf("parameter names: the list is empty: name counters or metrics, or \"all\"")
				}
				return binding.Await(c.Env.Context(), func() (starlark.Value, error) {
					seen, err := recv.exported(c, export.Options{Metrics: names}, func(opt export.Options) (*capture.Capture, error) {
						return export.View(c.Env.Context(), recv.Capture, opt)
					})
					if err != nil {
						return nil, err
					}
					return recv.rows(c.Env.Context(), seen)
				})
			},
		},
		{
			Sig: "save(path: str, format: str=None, metrics: str|list=None, select: str|list=None, instances: bool=False, " +
				stretches + ")",
			Doc: "Writes the capture in the format of the path's extension, such as .arrow or .csv. metrics are names and globs of metrics " +
				"to write in place of counters, or \"all\"; select are those of the counters that are written, beside metrics if both are " +
				"given; instances=True writes metrics of each core as well. resample and by are those of table.",
			Example: "cap.save(\"copy.csv\", metrics=\"all\", by=\"kernel\")",
			Run: func(recv *Capture, c *binding.Call) (starlark.Value, error) {
				path, err := c.Env.Output(c.Str("path", ""))
				if err != nil {
					return nil, err
				}
				format := c.Str("format", "")
				seen, err := recv.saved(c, path, format)
				if err != nil {
					return nil, err
				}
				ctx, done := c.Env.Begin("writing " + path)
				_, err = binding.Await(ctx, func() (int, error) {
					return 0, c.Env.Registry.Save(ctx, path, format, seen)
				})
				done()
				if err != nil {
					return nil, err
				}
				for _, w := range c.Env.Registry.Doubts(path, format, seen) {
					c.Env.Warnf("%s", w)
				}
				c.Env.Written(path)
				return starlark.None, nil
			},
		},
	},
}
