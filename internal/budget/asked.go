package budget

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/spelling"
)

// Some limits are about what no counter says: timePrefix begins the names of shares of the time by what set its pace,
// such as "time.queues_in_turn", and findingsPrefix those of how many findings there are, such as
// "findings.slow_frames".
const (
	timePrefix     = "time."
	findingsPrefix = "findings."
)

// Asker answers what no counter says of a capture.
type Asker interface {
	// Time is where the time of a capture went.
	Time(ctx context.Context, c *capture.Capture) (*Time, error)
	// Findings are what the rules find in it.
	Findings(ctx context.Context, c *capture.Capture) (*Findings, error)
}

// Time is where the time of a capture went: shares from 0 to 1, by the names that limits use.
type Time struct {
	Shares  map[string]float64 // every name that there can be; one without time has 0
	Open    []string           // names of time that nothing explains, which may belong to any other
	Missing []string           // what would have to be recorded to tell
	CPUs    bool               // whether the processors were recorded, which tell whom a GPU waits for
}

// Findings are what the rules find.
type Findings struct {
	Count  map[string]int // by id, and by "warning" (with the critical ones) and "critical"; every id that there can be
	Unsure string         // why nothing could be judged; "" where something was
}

// asks reports whether a limit is about what no counter says.
func asks(l *Limit) bool {
	return l.Expr == "" && (strings.HasPrefix(l.Metric, timePrefix) || strings.HasPrefix(l.Metric, findingsPrefix))
}

// asked judges a limit about what no counter says.
func (j *judge) asked(ctx context.Context, l *Limit) (*Result, error) {
	if l.Per != perTotal {
		return nil, l.fault("per", fmt.Errorf("%s is of the whole capture: leave per out", l.Metric))
	}
	if j.ask == nil {
		return nil, l.fault("metric", fmt.Errorf("nobody is here to say %s", l.Metric))
	}
	r := &Result{Limit: l, Title: l.Metric, Worst: math.NaN(), WorstAt: -1}
	v, open, why, err := j.answer(ctx, r)
	if err != nil {
		return nil, err
	}
	if err := r.bounds(); err != nil {
		return nil, err
	}
	p, none, err := j.partsOf(l)
	if err != nil {
		return nil, l.fault("per", err)
	}
	if p == nil || p.Len() == 0 {
		r.Parts = &Parts{What: l.Per}
		r.unjudged(none)
		return r, nil
	}
	r.Parts, r.Values = p, []float64{v}
	// What nobody could tell may be of that kind: a limit is kept only if it is with that.
	if math.IsNaN(v) || open > 0 && r.Excess(v) <= 0 && r.Excess(v+open) > 0 || open > 0 && r.Excess(v) > 0 &&
		r.Excess(v+open) <= 0 {
		r.Missing = 1
		r.unjudged(why)
		return r, nil
	}
	r.judge(j.cap)
	return r, nil
}

// answer is the value of a limit's name, how much more it may be, and why that is not known.
func (j *judge) answer(ctx context.Context, r *Result) (v, open float64, why string, err error) {
	l := r.Limit
	if name, ok := strings.CutPrefix(l.Metric, timePrefix); ok {
		r.Unit = "percent"
		t, err := j.ask.Time(ctx, j.cap)
		if err != nil {
			return 0, 0, "", err
		}
		share, ok := t.Shares[name]
		if !ok {
			return 0, 0, "", l.fault("metric", unknownName(l.Metric, timePrefix, t.Shares))
		}
		if !slices.Contains(t.Open, name) {
			for _, o := range t.Open {
				open += t.Shares[o]
			}
		}
		if open > 0 {
			why = fmt.Sprintf("for %.3g %% of the time nobody can tell what set the pace", 100*open)
			if record := t.record(); len(record) > 0 {
				why += ": record " + strings.Join(record, ", ")
			}
		}
		return 100 * share, 100 * open, why, nil
	}
	f, err := j.ask.Findings(ctx, j.cap)
	if err != nil {
		return 0, 0, "", err
	}
	name := strings.TrimPrefix(l.Metric, findingsPrefix)
	n, ok := f.Count[name]
	switch {
	case !ok:
		return 0, 0, "", l.fault("metric", unknownName(l.Metric, findingsPrefix, f.Count))
	case f.Unsure != "" && n == 0:
		return math.NaN(), 0, f.Unsure, nil
	}
	return float64(n), 0, "", nil
}

// record is what to record for time that nothing explains.
func (t *Time) record() []string {
	out := t.Missing[:min(3, len(t.Missing)):min(3, len(t.Missing))]
	if t.Shares[waiterUnknown] > 0 && !t.CPUs {
		out = append(out, "the CPUs")
	}
	return out
}

// waiterUnknown is what limits call the time in which a GPU waits for nobody known.
const waiterUnknown = "waiter_unknown"

// unknownName is the error of a name that does not exist.
func unknownName[V any](name, prefix string, known map[string]V) error {
	var names []string
	for n := range known {
		names = append(names, prefix+n)
	}
	slices.Sort(names)
	if near := spelling.Near(name, names); len(near) > 0 {
		return fmt.Errorf("there is no %s for this capture (did you mean %s?)", name, near[0])
	}
	return fmt.Errorf("there is no %s for this capture; there are %s", name, strings.Join(names, ", "))
}

// Inline reads limits of a command line, such as "time.queues_in_turn < 5%".
func Inline(texts []string) (*Budget, error) {
	var out strings.Builder
	for _, text := range texts {
		i := strings.IndexAny(text, "<>")
		if i <= 0 {
			return nil, fmt.Errorf("%q is no limit: write it as NAME < VALUE or NAME > VALUE", text)
		}
		key := "max"
		if text[i] == '>' {
			key = "min"
		}
		name, value := strings.TrimSpace(text[:i]), strings.TrimSpace(strings.TrimPrefix(text[i+1:], "="))
		if name == "" || value == "" {
			return nil, fmt.Errorf("%q is no limit: write it as NAME < VALUE or NAME > VALUE", text)
		}
		fmt.Fprintf(&out, "[[limit]]\nname = %s\nmetric = %s\n%s = %s\n", quote(text), quote(name), key, quote(value))
	}
	b, err := Parse("--limit", []byte(out.String()))
	if err != nil {
		return nil, err
	}
	for _, l := range b.Limits { // a limit of the command line has no line
		l.inline, l.file = true, fmt.Sprintf("--limit '%s'", l.Name)
	}
	return b, nil
}
