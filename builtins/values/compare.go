package values

import (
	"errors"
	"fmt"

	"go.starlark.net/starlark"

	"astrolabe/builtins/binding"
	"astrolabe/capture"
	"astrolabe/capture/analysis"
)

// compareSig is the signature of Capture.compare.
const compareSig = "compare(other: Capture, by: str=\"time\", label: str=None, metrics: str|list=None, *, baselines: " +
	"list=None, repeats: list=None, more: str|list=None, less: str|list=None, alpha: number=0.05, min_effect: " +
	"number|str=\"1%\", seed: int=0) -> Table"

var compareMethod = binding.Method[*Capture]{
	Sig: compareSig,
	Doc: "What changed from this capture to another: one row per counter and metric that both have, the worst first. " +
		"by is \"time\" (the whole of both), \"region\", \"frame\", \"kernel\" or \"label:NAME\"; label=NAME stands " +
		"for the last. A label that numbers frames or single samples gives observations, not one row for each value. " +
		"By frame, frame N is compared with frame N where all captures have the same frames in the same order, as a " +
		"replayed scene has; the column paired says whether. metrics takes names and globs. basis says what is " +
		"compared: what adds up per second, per dispatch (\"per sample\"), per frame or per occurrence, gauges as " +
		"time-weighted means, metrics by their formulas on totals. baselines are further runs of this capture's " +
		"program and repeats of the other's: a change then has to stand out of the noise between runs too. verdict " +
		"is \"worse\", \"better\", \"changed\" (the catalogue knows no direction; more and less are globs of what " +
		"should be higher or lower), \"same\" or \"not judged\" with the reason in why. change is after / before - " +
		"1, with its interval at 1-alpha; q is the p value adjusted for the number of rows (Benjamini and Hochberg); " +
		"effect is Cliff's delta, of paired frames within the pairs. Standard errors come from a block bootstrap, so " +
		"that skewed series whose samples depend on each other are judged rightly.",
	Example: "cap.compare(cap, by=\"kernel\", metrics=[\"clk\", \"hit*\"])",
	Run: func(recv *Capture, c *binding.Call) (starlark.Value, error) {
		opt, err := recv.compareOptions(c)
		if err != nil {
			return nil, err
		}
		before, after := []*capture.Capture{recv.Capture}, []*capture.Capture{c.Arg("other").(*Capture).Capture}
		if before, err = captures(c, "baselines", before); err != nil {
			return nil, err
		}
		if after, err = captures(c, "repeats", after); err != nil {
			return nil, err
		}
		ctx, done := c.Env.Begin("comparing")
		res, err := binding.Await(ctx, func() (*analysis.Result, error) {
			return analysis.Compare(ctx, before, after, opt)
		})
		done()
		if err != nil {
			return nil, err
		}
		for _, n := range res.Notes {
			c.Env.Warnf("%s", n)
		}
		return comparisonTable(recv.env, res), nil
	},
}

// compareOptions reads the arguments that say how to compare.
func (recv *Capture) compareOptions(c *binding.Call) (analysis.Options, error) {
	opt := analysis.Options{Alpha: c.Float("alpha", analysis.DefaultAlpha), Defined: recv.env.Defined(recv.Capture.GPU)}
	var err error
	by := c.Str("by", "time")
	if label := c.Str("label", ""); label != "" {
		if by != "time" && by != "label" {
			return opt, fmt.Errorf("label=%q goes with by=\"label\" only, not with by=%q", label, by)
		}
		by = "label:" + label
	}
	if opt.By, opt.Label, err = analysis.ParseBy(by); err != nil {
		return opt, fmt.Errorf("parameter by: %w", err)
	}
	for _, list := range []struct {
		name string
		dst  *[]string
	}{{"metrics", &opt.Metrics}, {"more", &opt.More}, {"less", &opt.Less}} {
		if *list.dst, err = globs(c, list.name); err != nil {
			return opt, err
		}
	}
	if opt.Alpha == 0 {
		return opt, errors.New("parameter alpha: 0 accepts no change at all; it must lie between 0 and 1")
	}
	if opt.MinEffect, err = fraction(c, "min_effect", analysis.DefaultMinEffect); err != nil {
		return opt, err
	}
	seed, err := c.Integer("seed", 0)
	opt.Seed = uint64(seed)
	return opt, err
}

// globs is an argument as a list of texts; one text is a list of one.
func globs(c *binding.Call, name string) ([]string, error) {
	if s, ok := c.Arg(name).(starlark.String); ok {
		return []string{string(s)}, nil
	}
	if !c.Has(name) {
		return nil, nil
	}
	out, err := binding.AsStrings(c.Arg(name))
	if err != nil {
		return nil, fmt.Errorf("parameter %s: %w", name, err)
	}
	return out, nil
}

// fraction is an argument, a number or a text such as "2%".
func fraction(c *binding.Call, name string, def float64) (float64, error) {
	s, ok := c.Arg(name).(starlark.String)
	if !ok {
		return c.Float(name, def), nil
	}
	f, err := analysis.ParseEffect(string(s))
	if err != nil {
		return 0, fmt.Errorf("parameter %s: %w", name, err)
	}
	return f, nil
}

// captures appends the captures of an argument to list.
func captures(c *binding.Call, name string, list []*capture.Capture) ([]*capture.Capture, error) {
	err := binding.Each(c.Value(name), func(v starlark.Value) error {
		x, ok := v.(*Capture)
		if !ok {
			return fmt.Errorf("parameter %s: got %s, want Capture", name, v.Type())
		}
		list = append(list, x.Capture)
		return nil
	})
	return list, err
}

// comparisonTable has one row per judgement.
func comparisonTable(env *binding.Env, res *analysis.Result) *Table {
	names := []string{"verdict", "metric", "unit", "basis", "before", "after", "change", "change_lo", "change_hi",
		"difference", "difference_lo", "difference_hi",
		"effect", "noise", "p", "q", "before_total", "after_total", "why"}
	if res.Options.By == analysis.ByRegion || res.Options.By == analysis.ByLabel {
		part := "region"
		if res.Options.Label != "" {
			part = res.Options.Label
		}
		names = append([]string{part}, names...)
	}
	byFrame := res.Options.By == analysis.ByFrame
	if byFrame {
		names = append(names, "paired")
	}
	t := NewTable(env, names, nil)
	for i := range res.Rows {
		r := &res.Rows[i]
		row := []starlark.Value{
			starlark.String(r.Verdict), starlark.String(r.Name), binding.Text(r.Unit), starlark.String(r.Basis),
			binding.Float(r.Before), binding.Float(r.After),
			binding.Float(r.Change()), binding.Float(r.RatioLo - 1), binding.Float(r.RatioHi - 1),
			binding.Float(r.Difference), binding.Float(r.DifferenceLo), binding.Float(r.DifferenceHi),
			binding.Float(r.Effect), binding.Float(r.Noise), binding.Float(r.P), binding.Float(r.Q),
			binding.Float(r.BeforeTotal), binding.Float(r.AfterTotal), binding.Text(r.Why),
		}
		if byFrame {
			row = append(row, starlark.Bool(res.Paired))
		}
		if len(names) > len(row) {
			row = append([]starlark.Value{starlark.String(r.Part)}, row...)
		}
		t.append(row)
	}
	return t
}
