package values

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"go.starlark.net/starlark"

	"astrolabe/builtins/binding"
	"astrolabe/capture"
	"astrolabe/capture/analysis"
)

// accountGroups are what a table of an account is about, and which of them each sample belongs to.
type accountGroups struct {
	names     []string
	of        []int32                       // -1 for none
	cuts      map[int][]analysis.AccountCut // samples that lie in several
	stretches []analysis.AccountStretch     // when they are; nil where samples name them
}

// between are groups of the time that stretches have; where these overlap the later ones of the list have it.
func (g *accountGroups) between(axis *capture.Axis) *accountGroups {
	g.of, g.cuts = analysis.CutSamples(axis, g.stretches)
	return g
}

// starts is when each group begins, as far as it was measured; math.MaxInt64 for those that no sample belongs to.
func (g *accountGroups) starts(axis *capture.Axis) []int64 {
	out := make([]int64, len(g.names))
	for i := range out {
		out[i] = math.MaxInt64
	}
	for i, group := range g.of {
		at := axis.Start[i]
		if group >= 0 {
			out[group] = min(out[group], at)
		}
		for k, c := range g.cuts[i] {
			if k > 0 {
				at += int64(math.Round(float64(axis.End[i]-axis.Start[i]) * g.cuts[i][k-1].Share))
			}
			if c.Group >= 0 {
				out[c.Group] = min(out[c.Group], at)
			}
		}
	}
	return out
}

// groups are what a table of the account is about.
func (a *Account) groups(what starlark.Value) (*accountGroups, error) {
	c := a.run.cap.Capture
	g := &accountGroups{}
	word, ok := starlark.AsString(what)
	switch {
	case !ok:
		err := binding.Each(what, func(x starlark.Value) error {
			s, ok := x.(*Span)
			if !ok {
				return fmt.Errorf("got %s, want \"frame\", \"region\", a label such as \"kernel\", or a list of Span",
					x.Type())
			}
			g.stretches = append(g.stretches, analysis.AccountStretch{Start: s.Span.Start, End: s.Span.End,
				Group: int32(len(g.names))})
			name := s.name
			if name == "" {
				name = fmt.Sprintf("span %d", len(g.names)+1)
			}
			g.names = append(g.names, name)
			return nil
		})
		return g.between(c.Axis), err
	case word == "frame":
		frames, err := analysis.FramesOf(c)
		if err != nil {
			return nil, err
		}
		if frames == nil || frames.Cap != c {
			return nil, errors.New(
				"the capture has no frames: neither regions called \"frame N\" nor a label frame")
		}
		for f, r := range frames.Regions {
			g.stretches = append(g.stretches, analysis.AccountStretch{Start: r.Start, End: r.End, Group: int32(f)})
			g.names = append(g.names, r.Name)
		}
		return g.between(c.Axis), nil
	case word == "region":
		if len(c.Regions) == 0 {
			return nil, errors.New("the capture has no regions")
		}
		// Time belongs to the innermost region: they are drawn from the longest to the shortest.
		order := slices.Clone(c.Regions)
		if beside := slices.DeleteFunc(slices.Clone(order), func(r capture.Region) bool {
			return analysis.IsFrame(r.Name)
		}); len(beside) > 0 {
			order = beside // frames are a division of their own, and would hide the scenes that they lie in
		}
		slices.SortStableFunc(order, func(x, y capture.Region) int {
			return int(min(max((y.End-y.Start)-(x.End-x.Start), -1), 1))
		})
		at := map[string]int32{}
		for _, r := range order {
			group, seen := at[r.Name]
			if !seen {
				group = int32(len(g.names))
				at[r.Name], g.names = group, append(g.names, r.Name)
			}
			g.stretches = append(g.stretches, analysis.AccountStretch{Start: r.Start, End: r.End, Group: group})
		}
		return g.between(c.Axis), nil
	}
	l := c.Label(word)
	if l == nil {
		_, err := c.GroupBy(word) // says which there are
		return nil, err
	}
	g.names, g.of = slices.Clone(l.Dict), slices.Clone(l.Codes)
	return g, nil
}
