// Package diagnosis measures the shipped triage scripts: it lets them judge captures whose bottleneck was planted, and
// counts how often they name it. Only its tests and the command below it use it.
package diagnosis

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"go.starlark.net/starlark"

	"astrolabe/builtins/binding"
	"astrolabe/builtins/values"
	"astrolabe/capture"
	formatsall "astrolabe/capture/formats/all"
	"astrolabe/internal/script"
	"astrolabe/scripts"
)

// Judge lets one triage script judge captures. It serves one goroutine at a time.
type Judge struct {
	env        *binding.Env
	runner     *script.Runner
	verdicts   starlark.Value
	bottleneck starlark.Value
	chosen     starlark.Value
	limiter    starlark.Value
	gainOf     starlark.Value
	rules      starlark.Value
	triage     starlark.StringDict
	phases     starlark.StringDict // lib/phases.star
}

// NewJudge loads a triage script of the shipped library, such as "mali".
func NewJudge(ctx context.Context, name string) (*Judge, error) {
	env := &binding.Env{Registry: formatsall.Registry(), Warn: func(string) {}}
	if err := (script.Policy{}).Apply(env); err != nil {
		return nil, err
	}
	j := &Judge{env: env, runner: script.NewRunner(script.Options{Env: env, Library: scripts.Library,
		Print: func(string) {}})}
	triage, err := j.runner.LoadLibrary(ctx, "@astrolabe//triage/"+name+".star")
	if err != nil {
		return nil, err
	}
	rules, err := j.runner.LoadLibrary(ctx, "@astrolabe//lib/rules.star")
	if err != nil {
		return nil, err
	}
	if j.verdicts = triage["verdicts"]; j.verdicts == nil {
		return nil, fmt.Errorf("triage/%s.star defines no verdicts(cap)", name)
	}
	if j.phases, err = j.runner.LoadLibrary(ctx, "@astrolabe//lib/phases.star"); err != nil {
		return nil, err
	}
	j.bottleneck, j.limiter, j.chosen, j.gainOf = rules["bottleneck"], rules["limiter"], rules["chosen"], rules["gain_of"]
	j.rules, j.triage = triage["RULES"], triage
	return j, nil
}

// Nameable lists the rules with a role that pages can show, which gates are not: those of "cause" can be named as the
// bottleneck.
func (j *Judge) Nameable(role string) ([]string, error) {
	list, ok := j.rules.(starlark.Indexable)
	if !ok {
		return nil, errors.New("the script defines no list RULES")
	}
	var out []string
	for i := range list.Len() {
		d, ok := list.Index(i).(*starlark.Dict)
		if !ok {
			return nil, fmt.Errorf("rule %d is %s, want a dict", i, list.Index(i).Type())
		}
		if text(d, "role") == role && text(d, "severity") != "" {
			out = append(out, text(d, "id"))
		}
	}
	return out, nil
}

// Verdict is what one rule found.
type Verdict struct {
	ID         string
	State      string  // "holds", "fine", "silent" or "unknown"
	Value      float64 // 0 where it is unknown
	Why        string
	Confidence string
}

// Finding is what a report shows of a rule.
type Finding struct {
	ID         string
	Role       string // "cause", "support" or "quality"
	Severity   string // "critical", "warning" or "info", as the page shows it
	Confidence string
	// GainLow and GainHigh are the bounds of what relieving it gains, as shares of the time; NaN where it has no gain
	// of its own.
	GainLow, GainHigh float64
	// what it says to record because the capture cannot tell, such as a metric set; "" where it says nothing of the
	// kind
	Record    string
	InsteadOf string // the id of the finding that it follows on the page: what limits if that does not
}

// weight orders findings by their severity; the gravest has the highest.
func (f Finding) weight() int { return slices.Index(severities, f.Severity) }

// Sorted are findings as a page has them: the gravest first, otherwise as the scripts add them, and right behind each
// what limits if that does not.
func Sorted(list []Finding) []Finding {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b Finding) int { return cmp.Compare(b.weight(), a.weight()) })
	out := slices.DeleteFunc(slices.Clone(list), func(f Finding) bool { return f.InsteadOf != "" })
	for _, f := range list {
		if f.InsteadOf != "" {
			at := slices.IndexFunc(out, func(g Finding) bool { return g.ID == f.InsteadOf })
			out = slices.Insert(out, at+1, f)
		}
	}
	return out
}

// Answer is what a triage script says about a capture.
type Answer struct {
	Named string // id of the rule of the dominant bottleneck; "" where none is named
	// the rules that a report shows as findings, what limits first; its page has the gravest of all before others
	Shown    []Finding
	Verdicts []Verdict
}

// Of is the verdict of a rule.
func (a *Answer) Of(id string) (Verdict, bool) {
	for _, v := range a.Verdicts {
		if v.ID == id {
			return v, true
		}
	}
	return Verdict{}, false
}

// Judge judges a capture.
func (j *Judge) Judge(ctx context.Context, c *capture.Capture) (*Answer, error) {
	list, err := j.runner.Call(ctx, j.verdicts, starlark.Tuple{values.NewCapture(j.env, c)}, nil)
	if err != nil {
		return nil, err
	}
	top, err := j.runner.Call(ctx, j.bottleneck, starlark.Tuple{list}, nil)
	if err != nil {
		return nil, err
	}
	out := &Answer{}
	if d, ok := top.(*starlark.Dict); ok {
		out.Named = text(d, "id")
	}
	shown, err := j.runner.Call(ctx, j.chosen, starlark.Tuple{list}, nil)
	if err != nil {
		return nil, err
	}
	if seq, ok := shown.(starlark.Indexable); ok {
		for i := range seq.Len() {
			if d, ok := seq.Index(i).(*starlark.Dict); ok {
				f := Finding{ID: text(d, "id"), Role: ruleText(d, "role"), Severity: text(d, "severity"),
					Confidence: text(d, "confidence"), Record: text(d, "record"), InsteadOf: text(d, "instead_of")}
				if f.GainLow, f.GainHigh, err = j.gain(ctx, d); err != nil {
					return nil, err
				}
				out.Shown = append(out.Shown, f)
			}
		}
	}
	seq, ok := list.(starlark.Indexable)
	if !ok {
		return nil, fmt.Errorf("verdicts(cap) returned %s, want a list", list.Type())
	}
	for i := range seq.Len() {
		d, ok := seq.Index(i).(*starlark.Dict)
		if !ok {
			return nil, fmt.Errorf("verdict %d is %s, want a dict", i, seq.Index(i).Type())
		}
		v := Verdict{ID: text(d, "id"), State: text(d, "state"), Why: text(d, "why"), Confidence: text(d, "confidence")}
		if value, ok, _ := d.Get(starlark.String("value")); ok {
			v.Value, _ = starlark.AsFloat(value)
		}
		out.Verdicts = append(out.Verdicts, v)
	}
	return out, nil
}

// severities are in the order of their weight.
var severities = []string{"info", "warning", "critical"}

// ruleText is a text in the rule of a verdict.
func ruleText(verdict *starlark.Dict, key string) string {
	v, _, _ := verdict.Get(starlark.String("rule"))
	if d, ok := v.(*starlark.Dict); ok {
		return text(d, key)
	}
	return ""
}

// gain are the bounds of what relieving what a verdict is about gains, as a page prints them; NaN where it says none.
func (j *Judge) gain(ctx context.Context, verdict *starlark.Dict) (low, high float64, err error) {
	v, err := j.runner.Call(ctx, j.gainOf, starlark.Tuple{verdict}, nil)
	if err != nil {
		return math.NaN(), math.NaN(), err
	}
	if t, ok := v.(starlark.Tuple); ok && len(t) == 2 {
		least, okLow := starlark.AsFloat(t[0])
		most, okHigh := starlark.AsFloat(t[1])
		if okLow && okHigh {
			return least, most, nil
		}
	}
	return math.NaN(), math.NaN(), nil
}

// text is a text in a dict, "" where it is None.
func text(d *starlark.Dict, key string) string {
	v, _, _ := d.Get(starlark.String(key))
	s, _ := starlark.AsString(v)
	return s
}
