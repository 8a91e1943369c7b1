package cli

import (
	"context"
	"slices"
	"strings"

	"go.starlark.net/starlark"

	"astrolabe/builtins/values"
	"astrolabe/capture"
	"astrolabe/capture/analysis"
	"astrolabe/internal/budget"
	"astrolabe/plots/canvas"
)

// asker answers what no counter says of captures: by the tables of their GPUs, and by what report finds. Each is asked
// once.
type asker struct {
	app   *app
	times map[*capture.Capture]*budget.Time
	found map[*capture.Capture]*budget.Findings
}

func newAsker(a *app) *asker {
	return &asker{a, map[*capture.Capture]*budget.Time{}, map[*capture.Capture]*budget.Findings{}}
}

// kindNames are what limits call the kinds of an account.
var kindNames = map[analysis.LimitKind]string{
	analysis.LimitDisplay: "display", analysis.LimitProcessor: "processor", analysis.LimitTurns: "processor_in_turn",
	analysis.LimitQueue: "queues_in_turn", analysis.LimitUnit: "units",
	analysis.LimitMemory: "memory", analysis.LimitWaiter: "waiter_unknown", analysis.LimitMissing: "not_measured",
	analysis.LimitMixed: "mixed", analysis.LimitEven: "nothing_leads",
}

// accountOf is where the time of a capture went, as report has it: by what the script that judges its GPU makes of the
// GPU's table, or by a table of the user's own.
func (a *app) accountOf(ctx context.Context, c *capture.Capture) (*values.Account, error) {
	h, err := a.scriptHost(nil, "", nil, "")
	if err != nil {
		return nil, err
	}
	values.Told(h.env, c)
	if names := reportScripts(c, ""); len(names) > 0 && !h.runner.OwnTable(c.GPU) {
		if err := h.runner.Declare(ctx, names[0]); err != nil {
			return nil, err
		}
		globals, err := h.load(ctx, names[0])
		if err != nil {
			return nil, err
		}
		if judge, ok := globals["accounted"].(starlark.Callable); ok {
			v, err := h.runner.Call(ctx, judge, starlark.Tuple{values.NewCapture(h.env, c)}, nil)
			if err != nil {
				return nil, err
			}
			if found, ok := v.(*values.Account); ok {
				return found, nil
			}
		}
	}
	var out *values.Account
	err = h.runner.Protect(ctx, func(ctx context.Context) error {
		defer h.env.Enter(ctx, nil)()
		out, err = values.AccountOf(h.env, values.NewCapture(h.env, c))
		return err
	})
	return out, err
}

func (k *asker) Time(ctx context.Context, c *capture.Capture) (*budget.Time, error) {
	if t := k.times[c]; t != nil {
		return t, nil
	}
	a, err := k.app.accountOf(ctx, c)
	if err != nil {
		return nil, err
	}
	t := &budget.Time{Shares: map[string]float64{}, Missing: a.Missing(), CPUs: a.Processors()}
	for kind, name := range kindNames {
		t.Shares[name] = 0
		if !kind.Explained() && kind != analysis.LimitEven {
			t.Open = append(t.Open, name)
		}
	}
	slices.Sort(t.Open)
	named := func(s string) string { return strings.ReplaceAll(s, " ", "_") }
	for _, n := range a.Names() {
		t.Shares[named(n)] += 0
	}
	found := a.Found()
	for _, p := range found.Parts {
		share := float64(p.Time) / float64(max(1, found.Base))
		t.Shares[kindNames[p.Kind]] += share
		if n := named(p.Name); n != "" && n != kindNames[p.Kind] {
			t.Shares[n] += share
		}
	}
	k.times[c] = t
	return t, nil
}

// runnerUp is how limits call a finding that limits if what the page begins with does not.
const runnerUp = "runner_up"

func (k *asker) Findings(ctx context.Context, c *capture.Capture) (*budget.Findings, error) {
	if f := k.found[c]; f != nil {
		return f, nil
	}
	h, err := k.app.scriptHost(nil, "", nil, "")
	if err != nil {
		return nil, err
	}
	values.Told(h.env, c)
	names := reportScripts(c, "")
	if err := h.runner.Declare(ctx, names...); err != nil {
		return nil, err
	}
	page, err := k.app.fill(ctx, h, c, names, "")
	if err != nil {
		return nil, err
	}
	f := &budget.Findings{Count: map[string]int{"critical": 0, "warning": 0, runnerUp: 0, "slow_frames": 0,
		"periodic_stutter": 0, "phase_limits": 0}}
	for _, name := range names {
		globals, err := h.load(ctx, name)
		if err != nil {
			return nil, err
		}
		for _, id := range ruleIDs(globals["RULES"]) {
			f.Count[id] += 0
			f.Count[runnerUp+"."+id] += 0
		}
	}
	for _, one := range page.Findings() {
		if one.InsteadOf != "" { // it limits only if what is named does not
			f.Count[runnerUp]++
			f.Count[runnerUp+"."+one.ID]++
			continue
		}
		f.Count[one.ID]++
		if one.Severity >= canvas.Warning {
			f.Count["warning"]++
		}
		if one.Severity >= canvas.Critical {
			f.Count["critical"]++
		}
	}
	if !page.Judged() {
		for _, j := range page.NotJudged() {
			f.Unsure = j.Subject + ": " + j.Why
		}
	}
	if page.Lacking() {
		f.Unsure = "a part of the rules failed"
	}
	k.found[c] = f
	return f, nil
}

// ruleIDs are the ids of a list of rules.
func ruleIDs(v starlark.Value) []string {
	list, ok := v.(starlark.Indexable)
	if !ok {
		return nil
	}
	var out []string
	for i := range list.Len() {
		if d, ok := list.Index(i).(*starlark.Dict); ok {
			if id, found, _ := d.Get(starlark.String("id")); found {
				if s, ok := starlark.AsString(id); ok {
					out = append(out, s)
				}
			}
		}
	}
	return out
}
