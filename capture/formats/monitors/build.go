package monitors

import (
	"fmt"
	"slices"
	"time"

	"astrolabe/capture"
	"astrolabe/capture/formats/internal/machine"
	"astrolabe/capture/formats/internal/table"
)

// build makes a capture of the tables.
func (r *reader) build(cfg *capture.Config) error {
	if len(r.ends) == 0 {
		return fmt.Errorf("%s: empty: no row of numbers stands below a header (averages alone say nothing of when: keep the rows of the intervals)", r.name)
	}
	warn := func(format string, args ...any) {
		cfg.Warnings = append(cfg.Warnings, r.name+": "+fmt.Sprintf(format, args...))
	}
	untimed := slices.ContainsFunc(r.tables, func(t *rows) bool { return !t.timed })
	if untimed && slices.ContainsFunc(r.tables, func(t *rows) bool { return t.timed }) {
		return fmt.Errorf("%s: it has reports with times and without: divide the file", r.name)
	}
	r.dropFirst(warn)
	times := slices.Compact(slices.Sorted(slices.Values(r.ends)))
	r.axis(cfg, times, untimed, warn)
	for _, t := range r.tables {
		if err := r.counters(cfg, t, times); err != nil {
			return err
		}
	}
	if r.cpus > 0 {
		cfg.Counters = append(cfg.Counters, &capture.Counter{Meta: capture.Meta{Name: "cpus_online", Unit: "CPUs", Kind: capture.Constant}, Axis: cfg.Axis,
			Col: capture.NewColumn(capture.Data{F: slices.Repeat([]float64{float64(r.cpus)}, len(times))})})
	}
	machine.Known(cfg)
	if r.odd > 0 {
		warn("%d lines are neither header nor row and are left out, the first is line %d", r.odd, r.oddLine)
	}
	if r.again > 0 {
		warn("%d values stand twice for one time and are left out", r.again)
	}
	if r.cut > 0 {
		warn("truncated: line %d breaks off and is left out", r.cut)
	}
	return nil
}

// dropFirst leaves out the row of vmstat that is a mean since the machine started.
func (r *reader) dropFirst(warn func(string, ...any)) {
	for _, t := range r.tables {
		if !t.since || len(t.at) < 2 {
			continue
		}
		for i, cells := range t.values {
			t.values[i] = slices.DeleteFunc(cells, func(c cell) bool { return c.row == 0 })
		}
		first := t.at[0]
		r.ends = slices.DeleteFunc(r.ends, func(at int64) bool { return at == first })
		warn("the first row is left out: vmstat's is the mean since the machine started (unless it was asked to leave it out)")
	}
}

// axis makes the samples.
func (r *reader) axis(cfg *capture.Config, times []int64, untimed bool, warn func(string, ...any)) {
	if untimed {
		period := r.period
		if period == 0 {
			period = int64(time.Second)
			warn("the program prints no times: each of its reports counts as a second (option period= gives the time between them)")
		}
		cfg.Axis = capture.NewUniformAxis(len(times), period)
		return
	}
	period := r.period
	if first := r.tables[0].first; period == 0 && first >= 0 && first < times[0] {
		period = times[0] - first
	}
	a, why := table.Intervals(times, true, period)
	if why != "" {
		warn("%s", why)
	}
	origin := a.Start[0]
	for i := range a.Start {
		a.Start[i], a.End[i] = a.Start[i]-origin, a.End[i]-origin
	}
	if origin > int64(365*24*time.Hour) { // seconds of the epoch, and not of a day
		cfg.StartTime = time.Unix(0, origin).UTC()
	}
	cfg.Axis = a
}

// counters makes a counter of each column of a table.
func (r *reader) counters(cfg *capture.Config, t *rows, times []int64) error {
	places := slices.Compact(slices.Sorted(slices.Values(t.of)))
	if err := machine.Room(len(t.names), len(places)+1, len(times)); err != nil {
		return fmt.Errorf("%s: %w", r.name, err)
	}
	for i, name := range t.names {
		if len(t.values[i]) == 0 {
			continue
		}
		parts := make([]machine.Part, len(t.values[i]))
		for k, c := range t.values[i] {
			at, _ := slices.BinarySearch(times, t.at[c.row])
			parts[k] = machine.Part{At: int32(at), Of: t.of[c.row], V: c.v}
		}
		if slices.ContainsFunc(cfg.Counters, func(c *capture.Counter) bool { return c.Name == name }) {
			name = t.names[0] + " " + name // another table has a column of that name
			if slices.ContainsFunc(cfg.Counters, func(c *capture.Counter) bool { return c.Name == name }) {
				return fmt.Errorf("%s: two tables have a column %s: divide the file", r.name, name)
			}
		}
		m := capture.Meta{Name: name, Kind: capture.Gauge, Source: Format{}.Name()}
		if name[0] == '%' {
			m.Unit = "percent"
		}
		c, again := machine.Counter(cfg.Axis, m, parts, r.places, t.tasks)
		r.again += again
		cfg.Counters = append(cfg.Counters, c)
	}
	return nil
}
