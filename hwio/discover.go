package hwio

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"astrolabe/capture/spelling"
)

// groups are those of a source.
func groups(s Source) []Group {
	if g, ok := s.(grouped); ok {
		return g.Groups()
	}
	return nil
}

// group finds the sources that share a name.
func group(all []Source, name string) (members []Source, together bool) {
	for _, s := range all {
		for _, x := range groups(s) {
			if strings.EqualFold(x.Name, name) {
				members, together = append(members, s), together || x.Together
			}
		}
	}
	return members, together
}

// Names lists what Select takes: the names of the sources, and then those that they share.
func Names(all []Source) []string {
	out := sourceNames(all)
	for _, s := range all {
		for _, x := range SharedNames(s) {
			if !slices.Contains(out, x) {
				out = append(out, x)
			}
		}
	}
	return out
}

// SharedNames are the names that a source shares with others.
func SharedNames(s Source) []string {
	var out []string
	for _, x := range groups(s) {
		out = append(out, x.Name)
	}
	return out
}

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

// Select finds sources by name: a source's own, or one that several share (Grouped). process says that a process or
// command will be measured, not the whole machine. A named source that does not work here is an error. Of a shared name
// those that work are taken, or the first of them where they are ways to the same; where they belong together a warning
// says which did not work.
func Select(ctx context.Context, all []Source, names []string, process bool) (*Selection, error) {
	sel := &Selection{}
	add := func(s Source) {
		if !slices.Contains(sel.Sources, s) {
			sel.Sources = append(sel.Sources, s)
		}
	}
	for _, name := range names {
		name = strings.TrimSpace(name)
		if src := byName(all, name); src != nil {
			if why := unfit(src.Probe(ctx), process); why != "" {
				return nil, &UnusableError{name, why}
			}
			add(src)
			continue
		}
		members, together := group(all, name)
		if len(members) == 0 {
			known := Names(all)
			switch near := spelling.Near(name, known); {
			case len(all) == 0:
				return nil, &UnusableError{name, ErrNeedsLinux.Error()}
			case len(near) > 0:
				return nil, fmt.Errorf("no source is called %q; did you mean %s?", name, strings.Join(near, " or "))
			}
			return nil, fmt.Errorf("no source is called %q; there are %s", name, strings.Join(known, ", "))
		}
		var reasons []string
		found := 0
		for _, src := range members {
			if why := unfit(src.Probe(ctx), process); why != "" {
				reasons = append(reasons, fmt.Sprintf("%s: %s", src.Name(), why))
				continue
			}
			add(src)
			if found++; !together {
				reasons = nil
				break
			}
		}
		if found == 0 {
			return nil, &UnusableError{name, strings.Join(reasons, "; ")}
		}
		for _, r := range reasons {
			sel.Warnings = append(sel.Warnings, "left out "+r)
		}
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
