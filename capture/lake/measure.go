package lake

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/analysis"
	"astrolabe/capture/metrics"
)

// Scopes of rows of metrics.
const (
	ScopeCapture = "capture" // all of it
	ScopeKernel  = "kernel"  // all samples of a kernel, by its name
	ScopeRegion  = "region"  // the mean occurrence of a region, by its name
	ScopeFrames  = "frames"  // the mean frame
	ScopeFrame   = "frame"   // each frame, by its name
	ScopePhase   = "phase"   // each phase, by its number from 1
)

// Scopes are all of them, and DefaultScopes those that are written where nobody chooses: frames and phases of two runs
// are rarely the same, and each frame of a game has as many rows as the whole.
var (
	Scopes        = []string{ScopeCapture, ScopeKernel, ScopeRegion, ScopeFrames, ScopeFrame, ScopePhase}
	DefaultScopes = []string{ScopeCapture, ScopeKernel, ScopeRegion, ScopeFrames}
)

// Of is how a capture is measured.
type Of struct {
	Hash    string // of its content
	Labels  map[string]string
	Scopes  []string
	Metrics []string // names or globs; nil is all
	Options string   // of reading it
	Version string   // of astrolabe
}

// Row is the row of the table captures.
func (o *Of) Row(c *capture.Capture) Capture {
	row := Capture{Capture: o.Hash, Name: valid(filepath.Base(c.Path)), Format: c.Format, GPU: Text(c.GPU),
		DeviceName: Text(c.Device.Name), DeviceVendor: Text(c.Device.Vendor), DeviceID: Text(c.Device.ID),
		Driver: Text(c.Device.Driver), Samples: int64(c.Len()), Counters: int64(len(c.Counters)),
		Labels: o.Labels, Options: Text(o.Options), Warnings: Text(strings.Join(c.Warnings, "\n")),
		Astrolabe: o.Version}
	if row.Labels == nil {
		row.Labels = map[string]string{}
	}
	if !c.StartTime.IsZero() {
		start := c.StartTime.UTC()
		row.StartTime = &start
	}
	seconds := float64(c.Axis.Measured()) / 1e9
	row.Seconds = &seconds
	var catalogues []string
	for _, cat := range metrics.For(c) {
		catalogues = append(catalogues, cat.ID()+" "+cat.Version()[:min(16, len(cat.Version()))])
	}
	row.Catalogues = Text(strings.Join(catalogues, ", "))
	return row
}

// Rows hands on the rows of the table metrics, one part after the other.
func (o *Of) Rows(ctx context.Context, c *capture.Capture, more func([]Metric) error) error {
	// What has no value in the whole has none in its parts: that it lacks counters is said once.
	known := map[string]bool{}
	for _, scope := range Scopes { // that of the whole is the first
		if scope != ScopeCapture && !slices.Contains(o.Scopes, scope) {
			continue
		}
		emit := func(key string, list []analysis.Measured) error {
			rows := make([]Metric, 0, len(list))
			for i := range list {
				m := &list[i]
				if scope == ScopeCapture {
					known[m.Name] = m.Value == m.Value
				} else if whole, ok := known[m.Name]; ok && !whole && m.Value != m.Value {
					continue
				}
				rows = append(rows, o.metric(scope, key, m))
			}
			if !slices.Contains(o.Scopes, scope) {
				return nil
			}
			return more(rows)
		}
		if err := o.scope(ctx, c, scope, emit); err != nil {
			return fmt.Errorf("%s: %w", scope, err)
		}
	}
	return nil
}

// scope measures the parts of one scope.
func (o *Of) scope(ctx context.Context, c *capture.Capture, scope string,
	emit func(key string, list []analysis.Measured) error) error {
	opt := analysis.Options{Metrics: o.Metrics, Replicates: replicates}
	byPart := func(list []analysis.Measured) error { return emit(list[0].Part, list) }
	switch scope {
	case ScopeCapture:
		return analysis.Measure(ctx, c, opt, byPart)
	case ScopeKernel:
		if c.Label("kernel") == nil {
			return nil
		}
		opt.By, opt.Label = analysis.ByLabel, "kernel"
		return analysis.Measure(ctx, c, opt, byPart)
	case ScopeRegion:
		regions := slices.DeleteFunc(slices.Clone(c.Regions), func(r capture.Region) bool {
			return analysis.IsFrame(r.Name)
		})
		if len(regions) == 0 {
			return nil
		}
		with, err := c.With(func(cfg *capture.Config) { cfg.Regions = regions })
		if err != nil {
			return err
		}
		opt.By = analysis.ByRegion
		return analysis.Measure(ctx, with, opt, byPart)
	case ScopeFrames, ScopeFrame:
		if frames, err := analysis.FramesOf(c); err != nil || frames == nil {
			return err
		}
		opt.By = analysis.ByFrame
		if scope == ScopeFrames {
			return analysis.Measure(ctx, c, opt, byPart)
		}
		opt.Replicates = leastReplicates // they are not looked at
		return analysis.Measure(ctx, c, opt, func(mean []analysis.Measured) error {
			return eachFrame(ctx, c, mean, emit)
		})
	}
	return phases(ctx, c, opt, emit)
}

// eachFrame measures every frame by itself; mean is the mean frame.
func eachFrame(ctx context.Context, c *capture.Capture, mean []analysis.Measured,
	emit func(key string, list []analysis.Measured) error) error {
	frames, err := analysis.PerFrame(c)
	if err != nil {
		return err
	}
	counters, err := metrics.Metrics(frames)
	if err != nil {
		return err
	}
	byName := map[string]int{}
	counters = append(counters, frames.Counters...)
	for i, ctr := range counters {
		if _, ok := byName[ctr.Name]; !ok {
			byName[ctr.Name] = i
		}
	}
	values, err := metrics.Floats(ctx, counters)
	if err != nil {
		return err
	}
	names := frames.Label("frame")
	for f := range frames.Len() {
		if err := ctx.Err(); err != nil {
			return err
		}
		list := make([]analysis.Measured, 0, len(mean))
		for _, m := range mean {
			m.Error, m.Blocks, m.Missing, m.Why = math.NaN(), 0, math.NaN(), ""
			m.Total, m.TotalUnit = math.NaN(), ""
			m.Seconds = float64(frames.Axis.Interval(f)) / 1e9
			if k, ok := byName[m.Name]; ok {
				m.Value = values[k][f]
				if why, ok := counters[k].Why(f); ok && m.Value != m.Value {
					m.Why = why.String()
				}
			} else if m.Kind == "duration" {
				m.Value = m.Seconds
			} else {
				continue // such as one instance of a counter, which only the whole resolves
			}
			if m.Value != m.Value && m.Why == "" {
				m.Why = "no value"
			}
			list = append(list, m)
		}
		name, _ := names.Value(f)
		if err := emit(name, list); err != nil {
			return err
		}
	}
	return nil
}

// phases measures each phase of a capture that has several.
func phases(ctx context.Context, c *capture.Capture, opt analysis.Options,
	emit func(key string, list []analysis.Measured) error) error {
	spans, err := analysis.PhasesOf(ctx, c)
	if err != nil || len(spans) < 2 {
		return err
	}
	for i, s := range spans {
		part, err := c.Slice(s.Start, s.End)
		if err != nil {
			return err
		}
		err = analysis.Measure(ctx, part, opt, func(list []analysis.Measured) error {
			return emit(strconv.Itoa(i+1), list)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// metric is a row of the table metrics.
func (o *Of) metric(scope, key string, m *analysis.Measured) Metric {
	row := Metric{Capture: o.Hash, Scope: scope, Key: Text(key), Metric: valid(m.Name), Title: Text(m.Title),
		Kind: m.Kind, Basis: m.Basis, Unit: Text(m.Unit), Better: Text(m.Direction), Value: Number(m.Value),
		Reason: Text(m.Why), Error: Number(m.Error), Total: Number(m.Total), TotalUnit: Text(m.TotalUnit),
		Missing: Number(m.Missing), Seconds: Number(m.Seconds)}
	if row.Value != nil {
		row.Reason = nil
	}
	if row.Total == nil {
		row.TotalUnit = nil
	}
	if row.Error != nil {
		blocks := int64(m.Blocks)
		row.Blocks = &blocks
	}
	return row
}

// replicates are enough for a standard error to be known to 5 %.
const replicates = 200

const leastReplicates = 100
