package hwio

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// combined maps a name that stands for several sources to them. They are recorded together, and one that does not work here is
// left out as long as another does.
var combined = map[string][]string{"cpu": {"perfevent", "procfs"}}

// Selection is the sources that one recording reads, with what the user should know about the choice.
type Selection struct {
	Sources  []Source
	Warnings []string
}

// Names lists the sources of the selection.
func (s *Selection) Names() []string {
	var out []string
	for _, src := range s.Sources {
		out = append(out, src.Name())
	}
	return out
}

// UnusableError says that a source exists and why it cannot measure here.
type UnusableError struct {
	Source, Why string
}

func (e *UnusableError) Error() string {
	return fmt.Sprintf("source %s cannot be used here: %s", e.Source, e.Why)
}

// Select finds sources by name: a source's own, or "cpu" for perfevent and procfs together. process says that a process or command will be
// measured, not the whole machine. A named source that does not work here is an error; of a combined name those that work are
// taken, and a warning says which did not.
func Select(ctx context.Context, all []Source, names []string, process bool) (*Selection, error) {
	sel := &Selection{}
	add := func(s Source) {
		if !slices.Contains(sel.Sources, s) {
			sel.Sources = append(sel.Sources, s)
		}
	}
	for _, name := range names {
		name = strings.TrimSpace(name)
		if members, ok := combined[name]; ok {
			var reasons []string
			found := 0
			for _, member := range members {
				src := byName(all, member)
				if src == nil {
					continue
				}
				st := src.Probe(ctx)
				if why := unfit(st, process); why != "" {
					reasons = append(reasons, fmt.Sprintf("%s: %s", member, why))
					continue
				}
				add(src)
				found++
			}
			if found == 0 {
				return nil, &UnusableError{name, orText(strings.Join(reasons, "; "), ErrNeedsLinux.Error())}
			}
			for _, r := range reasons {
				sel.Warnings = append(sel.Warnings, "left out "+r)
			}
			continue
		}
		src := byName(all, name)
		if src == nil {
			known := append(sourceNames(all), "cpu")
			if near := Near(name, known); len(near) > 0 {
				return nil, fmt.Errorf("no source is called %q; did you mean %s?", name, strings.Join(near, " or "))
			}
			return nil, fmt.Errorf("no source is called %q; there are %s", name, strings.Join(known, ", "))
		}
		if why := unfit(src.Probe(ctx), process); why != "" {
			return nil, &UnusableError{name, why}
		}
		add(src)
	}
	if len(sel.Sources) == 0 {
		return nil, errors.New("no source was named")
	}
	return sel, nil
}

// Best chooses what to record where the user did not say: a GPU that works here, else the CPU.
func Best(ctx context.Context, all []Source) (*Selection, error) {
	for _, src := range all {
		if st := src.Probe(ctx); st.Usable && !st.ProcessOnly && st.GPU != "" && st.GPU != "cpu" {
			return &Selection{Sources: []Source{src}}, nil
		}
	}
	if len(all) == 0 {
		return nil, ErrNeedsLinux
	}
	return Select(ctx, all, []string{"cpu"}, false)
}

// unfit says why a source of this status cannot make the recording, "" where it can.
func unfit(st Status, process bool) string {
	switch {
	case !st.Usable:
	case st.ProcessOnly && !process:
	default:
		return ""
	}
	why := orText(st.Reason, "it gives no reason")
	if st.Fix != "" {
		why += "; " + st.Fix
	}
	return why
}

func byName(all []Source, name string) Source {
	for _, s := range all {
		if strings.EqualFold(s.Name(), name) {
			return s
		}
	}
	return nil
}

func sourceNames(all []Source) []string {
	var out []string
	for _, s := range all {
		out = append(out, s.Name())
	}
	return out
}

func orText(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}
