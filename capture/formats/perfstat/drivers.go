package perfstat

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"astrolabe/capture"
)

// The drivers i915 and xe have PMUs for their GPUs, which perf counts as it counts those of processors: i915/rcs0-busy/, and i915_0000_03_00.0/rcs0-busy/ of a
// card (i915_pmu.c and xe_pmu.c of Linux). A file of them tells of a GPU, and of no program on a processor. They
// become the counters of the catalogue intel-live; of several engines of a kind the busiest is taken.

const monitored = "intel-live"

// engineClasses are the catalogue's names of engines by those of i915, and by the numbers that xe gives classes (xe_drm.h).
var engineClasses = map[string]string{"rcs": "engine_render", "bcs": "engine_copy", "vcs": "engine_video", "vecs": "engine_enhance", "ccs": "engine_compute",
	"0": "engine_render", "1": "engine_copy", "2": "engine_video", "3": "engine_enhance", "4": "engine_compute"}

// driverEvent divides an event of a GPU's driver into the event and its parameters: "engine-active-ticks", "gt=0,engine_class=0".
func driverEvent(event string) (name, parameters string, ok bool) {
	pmu, rest, ok := strings.Cut(event, "/")
	if !ok || pmu != "i915" && pmu != "xe" && !strings.HasPrefix(pmu, "i915_") && !strings.HasPrefix(pmu, "xe_") {
		return "", "", false
	}
	rest, _, _ = strings.Cut(rest, "/")
	name, parameters, _ = strings.Cut(rest, ",")
	if plain, ok := strings.CutPrefix(name, "event="); ok {
		name = plain
	}
	return name, parameters, name != ""
}

// onlyDrivers reports whether all events are those of GPUs' drivers.
func (b *builder) onlyDrivers() bool {
	return !slices.ContainsFunc(b.order, func(s *series) bool {
		_, _, ok := driverEvent(s.event)
		return !ok && s.event != "duration_time"
	})
}

// ofDrivers adds what events of GPUs' drivers tell to a capture, and says that it is of a GPU where nothing else was counted.
func ofDrivers(cfg *capture.Config) {
	g := &driverCounts{cfg: cfg, columns: map[string][]float64{}}
	others := 0
	for _, c := range cfg.Counters {
		name, parameters, ok := driverEvent(c.Name)
		switch {
		case !ok && c.Name != "duration_time" && !strings.HasSuffix(c.Name, ":running") && !strings.HasSuffix(c.Name, ":noise"):
			others++
		case ok:
			c.GPU = monitored
			g.take(c, name, parameters)
		}
	}
	if len(g.columns) == 0 {
		return
	}
	for _, s := range g.order {
		kind, unit := capture.Delta, "ns"
		switch s {
		case "frequency", "frequency_requested":
			kind, unit = capture.Gauge, "Hz"
		case "interrupts":
			unit = "interrupts"
		}
		cfg.Counters = append(cfg.Counters, &capture.Counter{Meta: capture.Meta{Name: s, Unit: unit, Kind: kind, GPU: monitored, Source: "perf stat"}, Axis: cfg.Axis,
			Col: capture.NewColumn(capture.Data{F: g.columns[s]})})
	}
	if others == 0 {
		cfg.GPU, cfg.Device.Vendor = monitored, "Intel"
	}
}

// driverCounts collects the counters of the catalogue.
type driverCounts struct {
	cfg     *capture.Config
	columns map[string][]float64
	order   []string
}

// take notes an event. One that the catalogue has no counter for stays what it is.
func (g *driverCounts) take(c *capture.Counter, name, parameters string) {
	length := func(i int) float64 { return float64(g.cfg.Axis.Interval(i)) }
	same := func(_ int, v float64) float64 { return v }
	mean := func(i int, v float64) float64 { return v * 1e6 / (length(i) / 1e9) } // i915 adds up megahertz times seconds
	switch {
	case strings.HasSuffix(name, "-busy"):
		class := strings.TrimRight(strings.TrimSuffix(name, "-busy"), "0123456789")
		if counter := engineClasses[class]; counter != "" && class[0] > '9' {
			g.add(counter, c, same)
			g.add("engine_busiest", c, same)
		}
	case name == "engine-active-ticks":
		class := ""
		for _, p := range strings.Split(parameters, ",") {
			if v, ok := strings.CutPrefix(p, "engine_class="); ok {
				if n, err := strconv.ParseUint(v, 0, 8); err == nil {
					class = strconv.FormatUint(n, 10)
				}
			}
		}
		i := slices.IndexFunc(g.cfg.Counters, func(o *capture.Counter) bool {
			return o.Name == strings.Replace(c.Name, "engine-active-ticks", "engine-total-ticks", 1)
		})
		if counter := engineClasses[class]; counter != "" && i >= 0 && g.cfg.Counters[i].Col != nil {
			total := g.cfg.Counters[i].Col.Data()
			share := func(i int, v float64) float64 {
				if !(total.Float(i) > 0) {
					return math.NaN()
				}
				return v / total.Float(i) * length(i)
			}
			g.add(counter, c, share)
			g.add("engine_busiest", c, share)
		}
	case strings.HasPrefix(name, "actual-frequency"):
		g.add("frequency", c, mean)
	case strings.HasPrefix(name, "requested-frequency"):
		g.add("frequency_requested", c, mean)
	case strings.HasPrefix(name, "rc6-residency"):
		g.add("rc6_time", c, same)
	case name == "interrupts":
		g.add("interrupts", c, same)
	}
}

// add notes the values of an event as a counter's: of several the highest in each sample.
func (g *driverCounts) add(counter string, c *capture.Counter, of func(i int, v float64) float64) {
	if c.Col == nil {
		return
	}
	d := c.Col.Data()
	column := g.columns[counter]
	if column == nil {
		column = make([]float64, d.Len())
		for i := range column {
			column[i] = math.NaN()
		}
		g.columns[counter], g.order = column, append(g.order, counter)
	}
	for i := range column {
		if v := of(i, d.Float(i)); !d.Missing(i) && v == v && !math.IsInf(v, 0) && !(v <= column[i]) {
			column[i] = v
		}
	}
}
