package metrics

import (
	"fmt"

	"astrolabe/capture"
	"astrolabe/capture/metrics/formula"
)

// PeakValue is the highest value that the metric called name can have on the capture's hardware, such as the product of clock and
// lane count. It is missing, with the reason, where the catalogue or the capture does not say.
func PeakValue(cap *capture.Capture, name string) (capture.Value, capture.Reason, error) {
	s := newScope(cap, nil)
	e, err := s.find(name)
	if err != nil {
		return capture.Value{}, capture.Reason{}, err
	}
	if e.Peak == "" {
		return capture.Value{}, capture.Reason{Code: capture.Unsupported, Text: "no peak is known for " + e.Name}, nil
	}
	c, err := s.side(e, e.Peak, e.Unit)
	if err != nil {
		return capture.Value{}, capture.Reason{}, err
	}
	v := c.Der.Aggregate(cap.Axis.Whole())[0]
	if v != v {
		return capture.Value{}, c.Der.Why(-1), nil
	}
	return capture.FloatValue(v), capture.Reason{}, nil
}

// PercentOfPeak is the metric called name as a percentage of its peak.
func PercentOfPeak(cap *capture.Capture, name string) (*capture.Counter, error) {
	s := newScope(cap, nil)
	e, err := s.find(name)
	if err != nil {
		return nil, err
	}
	if e.Peak == "" {
		return nil, fmt.Errorf("no peak is known for %s", e.Name)
	}
	expr := e.PeakExpr
	if expr == "" {
		expr = e.Dialect.Percent(e.Expr, e.Peak)
	}
	return s.side(e, expr, "percent")
}

// side compiles a formula that belongs to a metric beside its own.
func (s *scope) side(e *Entry, expr, unit string) (*capture.Counter, error) {
	x, err := formula.Parse(e.Dialect, expr)
	if err != nil {
		return nil, err
	}
	side := *e
	side.Expr, side.expr, side.Unit, side.Inputs, side.PerDenom = expr, x, unit, x.Names(), false
	side.Title += ", percent of peak"
	return s.counter(&side)
}
