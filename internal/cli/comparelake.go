package cli

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"astrolabe/capture/analysis"
	"astrolabe/capture/lake"
	"astrolabe/capture/metrics"
	"astrolabe/plots/canvas"
)

// lakeCompareFlags are those of compare --lake.
type lakeCompareFlags struct {
	dir                  string
	before, after, where []string
	scopes               []string
}

func (f *lakeCompareFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.dir, "lake", "", "compare the captures of the lake in this `FOLDER`")
	flags.StringArrayVar(&f.before, "before", nil,
		"of a lake: captures before have this label, as `KEY=VALUE`; where it stands several times, all of them")
	flags.StringArrayVar(&f.after, "after", nil, "of a lake: captures after have this label, as `KEY=VALUE`")
	flags.StringArrayVar(&f.where, "where", nil, "of a lake: all captures have this label, as `KEY=VALUE`")
	flags.StringSliceVar(&f.scopes, "scope", lake.DefaultScopes,
		"of a lake: what is compared: `SCOPES` are "+strings.Join(lake.Scopes, ", ")+", with commas between them")
}

// lakeSide is which captures are meant.
type lakeSide map[string]string

func (s lakeSide) has(c *lake.Capture) bool {
	for k, v := range s {
		if lakeLabel(c, k) != v {
			return false
		}
	}
	return true
}

// lakeLabel is a label of a capture; the device is known without one.
func lakeLabel(c *lake.Capture, key string) string {
	if key == "device" {
		return lake.DeviceOf(c)
	}
	return c.Labels[key]
}

// lakeSeries is a metric of one part in all captures.
type lakeSeries struct {
	part, group string
	of          lake.Metric // the first row
	before      []analysis.RunValue
	after       []analysis.RunValue
	builds      map[string][]float64
	odd         string // why rows cannot be compared
}

// lakeCompared is what was read of a lake to compare, and what came of it.
type lakeCompared struct {
	by            []string
	before, after lakeSide
	captures      [2]int // before and after
	builds        []string
	series        []*lakeSeries
	index         map[string]*lakeSeries
	result        *analysis.Result // nil where only trends were asked for
	trends        []analysis.Trend
	notes         []string
}

func (a *app) compareLake(args []string, f *compareFlags, by string) error {
	opt, err := f.options()
	if err != nil {
		return err
	}
	if len(args) > 0 || len(f.baseline) > 0 {
		return usagef("--lake=%s: captures are chosen by --before and --after, not by their files", f.lake.dir)
	}
	x := &lakeCompared{by: strings.Split(by, ","), index: map[string]*lakeSeries{}}
	var where lakeSide
	for _, side := range []struct {
		flag string
		list []string
		to   *lakeSide
	}{{"before", f.lake.before, &x.before}, {"after", f.lake.after, &x.after}, {"where", f.lake.where, &where}} {
		labels, err := lakeLabels(side.list)
		if err != nil {
			return usagef("%s", strings.Replace(err.Error(), "--label", "--"+side.flag, 1))
		}
		*side.to = labels
	}
	if (len(x.before) == 0) != (len(x.after) == 0) {
		return usagef("give --before and --after, such as --before build=A --after build=B, or neither to see how all " +
			"builds follow each other")
	}
	for _, s := range f.lake.scopes {
		if !slices.Contains(lake.Scopes, s) {
			return usagef("--scope=%s: use %s", s, strings.Join(lake.Scopes, ", "))
		}
	}
	if f.out != "" {
		if _, err := canvas.ReportFormatOf(f.out); err != nil {
			return usagef("--output=%s: %v", f.out, err)
		}
	}
	if err := checkOutputs(f.out); err != nil {
		return err
	}
	l, err := openLake(f.lake.dir)
	if err != nil {
		return err
	}
	if err := a.readLake(l, x, where, f); err != nil {
		return err
	}
	for _, n := range x.notes {
		a.warn(n)
	}
	opt.By, opt.Label = analysis.ByLabel, by
	if len(x.before) > 0 {
		if x.result, err = analysis.CompareRuns(x.runs(&opt), opt); err != nil {
			return err
		}
	} else if x.trends, err = analysis.Trends(x.overBuilds(&opt), opt); err != nil {
		return err
	}
	defer survivePipe()()
	said := a.printLake(x, f)
	if f.out != "" {
		if err := a.lakePage(x, f, opt); err != nil {
			return err
		}
	}
	if err := a.tell(&f.server, x.results(f.lake.dir), !f.json); err != nil {
		return err
	}
	switch {
	case x.result != nil && x.result.Judged == 0:
		return usagef("not comparable: nothing could be judged: %s", firstReasons(reasons(x.result)))
	case x.result != nil && x.result.Count(analysis.Worse) > 0:
		return errReported
	case slices.ContainsFunc(x.trends, func(t analysis.Trend) bool { return t.Verdict() == analysis.Worse }):
		return errReported
	}
	return said
}

// readLake takes in the captures that are meant, and their rows.
func (a *app) readLake(l *lake.Lake, x *lakeCompared, where lakeSide, f *compareFlags) error {
	ctx, done := a.busy(a.ctx, "reading "+f.lake.dir)
	defer done()
	first := map[string]time.Time{} // of the captures of a build
	untimed := false
	seen := map[string]map[string]bool{} // the values of each label, to name them
	makers := map[string]bool{}
	mixed := map[string]map[string]bool{} // the labels that are not compared by, by part
	both := ""
	parts := map[string]*[2]int{}
	keep := func(c *lake.Capture) bool {
		if !where.has(c) {
			return false
		}
		for k, v := range c.Labels {
			if seen[k] == nil {
				seen[k] = map[string]bool{}
			}
			seen[k][v] = true
		}
		build := c.Labels["build"]
		if t, ok := first[build]; c.StartTime == nil {
			untimed = true
			first[build] = time.Time{}
		} else if !ok || c.StartTime.Before(t) {
			first[build] = *c.StartTime
		}
		if len(x.before) == 0 && build == "" {
			return false
		}
		isBefore, isAfter := len(x.before) > 0 && x.before.has(c), len(x.after) > 0 && x.after.has(c)
		if isBefore && isAfter {
			both = c.Name
		}
		part := x.partOf(c)
		if parts[part] == nil {
			parts[part] = &[2]int{}
		}
		for side, is := range []bool{isBefore, isAfter} {
			if is {
				x.captures[side]++
				parts[part][side]++
			}
		}
		if isBefore || isAfter || len(x.before) == 0 {
			makers[c.Astrolabe+orNothing(c.Catalogues)+orNothing(c.Options)] = true
			for k, v := range c.Labels {
				if _, fixed := x.before[k]; k == "build" || fixed || slices.Contains(x.by, k) {
					continue
				}
				if mixed[part+"\x00"+k] == nil {
					mixed[part+"\x00"+k] = map[string]bool{}
				}
				mixed[part+"\x00"+k][v] = true
			}
		}
		return true
	}
	err := l.Rows(ctx, keep, f.lake.scopes, func(c *lake.Capture, m *lake.Metric) {
		if len(f.metrics) == 0 || slices.ContainsFunc(f.metrics, func(g string) bool { return lakeMatches(g, m) }) {
			x.take(c, m)
		}
	})
	if err != nil {
		return err
	}
	for side, s := range []lakeSide{x.before, x.after} {
		if len(x.before) > 0 && x.captures[side] == 0 {
			return usagef("no capture of the lake has %s%s", lake.LabelsText(s), lakeValues(s, seen))
		}
	}
	switch {
	case both != "":
		return usagef("%s is both before and after: choose labels that tell them apart", both)
	case len(x.series) == 0:
		return usagef("not comparable: the captures have no rows that were asked for")
	}
	for b := range first {
		if b != "" {
			x.builds = append(x.builds, b)
		}
	}
	slices.SortFunc(x.builds, func(p, q string) int {
		if !untimed {
			if c := first[p].Compare(first[q]); c != 0 {
				return c
			}
		}
		return naturally(p, q)
	})
	if untimed && len(x.before) == 0 {
		x.notes = append(x.notes, "some captures do not say when they were made: builds are in the order of their names")
	}
	if len(makers) > 1 {
		x.notes = append(x.notes, "the captures were added by different versions of astrolabe or its catalogues, or read "+
			"with different options: lake add --replace computes them anew")
	}
	for key, values := range mixed {
		part, label, _ := strings.Cut(key, "\x00")
		if len(values) > 1 {
			x.notes = append(x.notes, fmt.Sprintf("the captures of %s differ in %s: --by %s,%s compares like with like",
				orText(part, "one device"), label, strings.Join(x.by, ","), label))
		}
	}
	slices.Sort(x.notes)
	x.pad(parts)
	return nil
}

// lakeValues names what a label may be.
func lakeValues(s lakeSide, seen map[string]map[string]bool) string {
	for k := range s {
		if len(s) == 1 && len(seen[k]) > 0 {
			var list []string
			for v := range seen[k] {
				list = append(list, v)
			}
			slices.SortFunc(list, naturally)
			return fmt.Sprintf(": %s is %s", k, listed(list, 8))
		}
	}
	return ""
}

func (x *lakeCompared) partOf(c *lake.Capture) string {
	var out []string
	for _, k := range x.by {
		out = append(out, lakeLabel(c, k))
	}
	return strings.Join(out, ", ")
}

// take adds a row to its series.
func (x *lakeCompared) take(c *lake.Capture, m *lake.Metric) {
	group := x.partOf(c)
	key := strings.Join([]string{group, m.Scope, orNothing(m.Key), m.Metric}, "\x00")
	s := x.index[key]
	if s == nil {
		s = &lakeSeries{part: group, group: group, of: *m, builds: map[string][]float64{}}
		if m.Scope != lake.ScopeCapture {
			s.part += ", " + m.Scope
			if m.Key != nil {
				s.part += " " + *m.Key
			}
			s.part = strings.TrimPrefix(s.part, ", ")
		}
		x.index[key], x.series = s, append(x.series, s)
	}
	value := math.NaN()
	if m.Value != nil {
		value = *m.Value
	}
	if orNothing(s.of.Unit) != orNothing(m.Unit) || s.of.Basis != m.Basis {
		if s.of.Value != nil && m.Value != nil {
			s.odd = fmt.Sprintf("%s (%s) in some runs and %s (%s) in others", orNothing(s.of.Unit), s.of.Basis,
				orNothing(m.Unit), m.Basis)
		} else if s.of.Value == nil {
			s.of = *m
		}
	}
	run := analysis.RunValue{Value: value, Error: math.NaN()}
	if m.Error != nil {
		run.Error = *m.Error
	}
	if m.Blocks != nil {
		run.Blocks = int(*m.Blocks)
	}
	if m.Missing != nil {
		run.Missing = *m.Missing
	}
	if len(x.before) > 0 && x.before.has(c) {
		s.before = append(s.before, run)
	}
	if len(x.after) > 0 && x.after.has(c) {
		s.after = append(s.after, run)
	}
	if b := c.Labels["build"]; b != "" && value == value && !math.IsInf(value, 0) && run.Missing <= 0.5 {
		s.builds[b] = append(s.builds[b], value)
	}
}

// pad counts captures without a row of a series as runs without a value.
func (x *lakeCompared) pad(parts map[string]*[2]int) {
	none := analysis.RunValue{Value: math.NaN(), Error: math.NaN()}
	for _, s := range x.series {
		for len(s.before) < parts[s.group][0] {
			s.before = append(s.before, none)
		}
		for len(s.after) < parts[s.group][1] {
			s.after = append(s.after, none)
		}
	}
}

// direction is whether more is better: what the flags say, else what the lake does.
func (s *lakeSeries) direction(opt *analysis.Options) string {
	for _, side := range []struct {
		globs []string
		is    string
	}{{opt.Less, "less"}, {opt.More, "more"}} {
		if slices.ContainsFunc(side.globs, func(g string) bool { return lakeMatches(g, &s.of) }) {
			return side.is
		}
	}
	return orNothing(s.of.Better)
}

// lakeMatches reports whether a glob is the name or title of a metric, whatever the case.
func lakeMatches(glob string, m *lake.Metric) bool {
	glob = strings.ToLower(glob)
	return metrics.Glob(glob, strings.ToLower(m.Metric)) ||
		m.Title != nil && metrics.Glob(glob, strings.ToLower(*m.Title))
}

// runs are the series that both sides have.
func (x *lakeCompared) runs(opt *analysis.Options) (out []analysis.Runs) {
	valued := func(r analysis.RunValue) bool { return r.Value == r.Value }
	for _, s := range x.series {
		if len(s.before) == 0 || len(s.after) == 0 ||
			!slices.ContainsFunc(s.before, valued) && !slices.ContainsFunc(s.after, valued) {
			continue
		}
		r := analysis.Runs{Part: s.part, Group: s.group, Name: s.of.Metric, Title: orNothing(s.of.Title),
			Unit: orNothing(s.of.Unit), Basis: s.of.Basis, Direction: s.direction(opt), Before: s.before,
			After: s.after,
			Why:   s.odd}
		out = append(out, r)
	}
	return out
}

// overBuilds are all series in the order of builds.
func (x *lakeCompared) overBuilds(opt *analysis.Options) (out []analysis.Series) {
	for _, s := range x.series {
		if len(s.builds) == 0 || s.of.Basis == "constant" {
			continue
		}
		one := analysis.Series{Part: s.part, Name: s.of.Metric, Title: orNothing(s.of.Title),
			Unit:  orNothing(s.of.Unit),
			Basis: s.of.Basis, Direction: s.direction(opt), Why: s.odd}
		for _, b := range x.builds {
			if v := s.builds[b]; len(v) > 0 {
				one.Builds, one.Values = append(one.Builds, b), append(one.Values, v)
			}
		}
		out = append(out, one)
	}
	return out
}

// naturally compares texts with numbers in them as people do: 9 is before 10.
func naturally(a, b string) int {
	for a != "" && b != "" {
		x, y := leadingDigits(a), leadingDigits(b)
		if x > 0 && y > 0 {
			p, q := strings.TrimLeft(a[:x], "0"), strings.TrimLeft(b[:y], "0")
			if c := cmp.Or(cmp.Compare(len(p), len(q)), strings.Compare(p, q)); c != 0 {
				return c
			}
			a, b = a[x:], b[y:]
			continue
		}
		if c := cmp.Compare(a[0], b[0]); c != 0 {
			return c
		}
		a, b = a[1:], b[1:]
	}
	return cmp.Compare(len(a), len(b))
}

func leadingDigits(s string) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}
