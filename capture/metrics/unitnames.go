package metrics

import (
	"fmt"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/units"
)

// withUnitInName is the entry of a counter without a unit whose name ends in one, as columns of times do, and the counter under
// the entry's name; nil where there is none. Names of what is counted are parts of names, and so are units of something else.
func (s *scope) withUnitInName(c *capture.Counter) (*Entry, *capture.Counter) {
	i := strings.LastIndexAny(c.Name, "_ ")
	if i <= 0 || c.Unit != "" {
		return nil, nil
	}
	unit := c.Name[i+1:]
	if !units.Known(unit) || units.IsCount(unit) {
		return nil, nil
	}
	r := renamed(c, c.Name[:i])
	e := s.entryOf(r)
	if at := s.entryAt(r.Name); e == nil && at != nil && !at.IsMetric() {
		e, r = at, renamed(c, at.Name)
	}
	if e == nil || e.Unit == "" || s.cap.Counter(r.Name) != nil {
		return nil, nil
	}
	if _, same := units.Convert(unit, e.Unit); !same {
		return nil, nil
	}
	r.Unit, r.Title = unit, ""
	for _, in := range r.Instances {
		in.Unit = unit
	}
	return e, r
}

// UnknownUnits says which counters have the name of one of the catalogue's and behind it a unit that is none: they are not read
// as it, because nothing says how many of its unit one is. It is empty where there are none.
func UnknownUnits(cap *capture.Capture) string {
	s := newScope(cap, nil)
	var told []string
	for _, c := range cap.Counters {
		plain, unit := withoutUnit(strings.TrimPrefix(c.Name, "$"))
		if c.Unit != "" || unit == "" || units.Known(unit) || s.entryAt(c.Name) != nil {
			continue
		}
		if e := s.entryAt(plain); e != nil {
			told = append(told, fmt.Sprintf("%q, which is read in %s", c.Name, e.Unit))
		}
	}
	if len(told) == 0 {
		return ""
	}
	return "what stands in brackets is no known unit, so that these columns are not read: " + strings.Join(told, ", ") +
		" (write a known one in their names, such as kcycles or MHz)"
}
