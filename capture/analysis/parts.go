package analysis

import (
	"fmt"
	"slices"
	"strings"

	"astrolabe/capture"
)

// align gives the parts that all captures have: out[k][i] is part k of capture i. notes name what only some have.
func align(caps []*capture.Capture, opt Options) (out [][]part, notes []string, err error) {
	switch opt.By {
	case ByTime:
		return [][]part{whole(caps, areDispatches(caps))}, nil, nil
	case ByFrame:
		if opt.Label != "" {
			out, err = byUnit(caps, opt.Label)
			return out, nil, err
		}
		row := make([]part, len(caps))
		for i, c := range caps {
			list, err := FramesOf(c)
			if err != nil {
				return nil, nil, err
			}
			if list == nil {
				return nil, nil, notComparable(
					"%s has no frames: neither regions called \"frame N\" nor a label frame (record --marks writes them)",
					nameOf(c))
			}
			row[i] = part{cap: list.Cap, cells: list.cells(), units: frameNames(list.Regions)}
		}
		return [][]part{row}, nil, nil
	case ByRegion:
		return byRegion(caps)
	case ByLabel:
		return byLabel(caps, opt.Label)
	}
	return nil, nil, fmt.Errorf("%q is nothing to compare by", opt.By)
}

// takenApart is the capture whose samples c was put together of, such as by resampling: a formula on operands that were
// added up would take a stretch in which one of them is partly missing for whole. c stays as it is where it holds a part
// of those samples only, or a counter or label that they do not have.
func takenApart(c *capture.Capture) *capture.Capture {
	for {
		from, _ := c.Beneath()
		if from == nil || len(from.Counters) != len(c.Counters) || from.Axis.Measured() != c.Axis.Measured() ||
			slices.ContainsFunc(c.Labels, func(l *capture.Label) bool { return from.Label(l.Name) == nil }) {
			return c
		}
		c = from
	}
}

func whole(caps []*capture.Capture, dispatches bool) []part {
	row := make([]part, len(caps))
	for i, c := range wholeCells(caps, dispatches) {
		row[i] = part{cap: caps[i], cells: c}
	}
	return row
}

func byRegion(caps []*capture.Capture) ([][]part, []string, error) {
	lists := make([]map[string][]capture.Region, len(caps))
	names := make([][]string, len(caps))
	for i, c := range caps {
		names[i], lists[i] = regionsNamed(c)
		if len(names[i]) == 0 {
			return nil, nil, notComparable("%s has no regions (record --marks writes them)", nameOf(c))
		}
	}
	common, notes := inAll(caps, names, "region")
	if len(common) == 0 {
		return nil, nil, notComparable("no region is in all captures: %s has %s, %s has %s", nameOf(caps[0]),
			some(names[0]), nameOf(caps[len(caps)-1]), some(names[len(caps)-1]))
	}
	var out [][]part
	for _, name := range common {
		row := make([]part, len(caps))
		for i, c := range caps {
			row[i] = part{name: name, cap: c, cells: regionCells(c, lists[i][name], "occurrence")}
		}
		out = append(out, row)
	}
	return out, notes, nil
}

func byLabel(caps []*capture.Capture, label string) ([][]part, []string, error) {
	groups := make([]map[string]*capture.Capture, len(caps))
	names := make([][]string, len(caps))
	for i, c := range caps {
		list, err := c.GroupBy(label)
		if err != nil {
			return nil, nil, notComparable("%s: %v", nameOf(c), err)
		}
		groups[i] = map[string]*capture.Capture{}
		for _, g := range list {
			if !g.Missing {
				names[i] = append(names[i], g.Key)
				groups[i][g.Key] = g.Capture
			}
		}
	}
	common, notes := inAll(caps, names, label)
	if len(common) == 0 {
		return nil, nil, notComparable("no value of the label %s is in all captures: %s has %s, %s has %s", label,
			nameOf(caps[0]), some(names[0]), nameOf(caps[len(caps)-1]), some(names[len(caps)-1]))
	}
	dispatches := areDispatches(caps)
	var out [][]part
	for _, name := range common {
		subs := make([]*capture.Capture, len(caps))
		for i := range caps {
			subs[i] = groups[i][name]
		}
		row := whole(subs, dispatches)
		for i := range row {
			row[i].name = name
		}
		out = append(out, row)
	}
	return out, notes, nil
}

// inAll lists the names that every capture has, and says which of them are only in some.
func inAll(caps []*capture.Capture, names [][]string, what string) (common, notes []string) {
	var only []string
	seen := map[string]bool{}
	for _, list := range names {
		for _, name := range list {
			if seen[name] {
				continue
			}
			seen[name] = true
			if !slices.ContainsFunc(names, func(l []string) bool { return !slices.Contains(l, name) }) {
				common = append(common, name)
			} else {
				only = append(only, name)
			}
		}
	}
	if len(only) > 0 {
		notes = append(notes, fmt.Sprintf("%d of %s are not in every capture and are left out: %s", len(only),
			what, some(only)))
	}
	return common, notes
}

// some quotes the first names of a list and counts the others.
func some(names []string) string {
	const show = 8
	var out []string
	for _, n := range names[:min(show, len(names))] {
		out = append(out, fmt.Sprintf("%q", n))
	}
	if n := len(names) - show; n > 0 {
		return strings.Join(out, ", ") + fmt.Sprintf(" and %d more", n)
	}
	return strings.Join(out, ", ")
}
