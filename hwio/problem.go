package hwio

import "errors"

// Problem is why something cannot be measured here, and what to do. Readers return it for whatever a user can act on;
// Status and Finding show its parts.
type Problem struct {
	Reason string
	Fix    string // exactly what to do; "" where there is nothing to do
	Cause  error  // what the system or a library said, nil if nothing
}

func (p *Problem) Error() string {
	if p.Fix == "" {
		return p.Reason
	}
	return p.Reason + "; " + p.Fix
}

func (p *Problem) Unwrap() error { return p.Cause }

// ProblemOf is the problem that an error is or wraps, or one with the error's text for its reason.
func ProblemOf(err error) *Problem {
	var p *Problem
	if errors.As(err, &p) {
		return p
	}
	return &Problem{Reason: err.Error(), Cause: err}
}
