package metrics

import (
	"fmt"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/metrics/formula"
)

// rocmConvention is that of rocprof-compute's panels: times of the dispatch, $denom (its normalization units), values per die, and scalars with $.
type rocmConvention struct{ none }

func (rocmConvention) before(v *formulaEnv, name string, dollar bool) (op formula.Operand, known bool, err error) {
	switch {
	case name == "Start_Timestamp":
		return constant(0), true, nil // times count from the start of the dispatch
	case name == "End_Timestamp" && v.s.cap.Counter(name) == nil:
		return v.duration(), true, nil
	case name == "denom" && dollar:
		op, err = denominator(v)
		return op, true, err
	}
	return
}

func (rocmConvention) after(v *formulaEnv, name string, _ bool) (op formula.Operand, known bool, err error) {
	if base, ok := strings.CutSuffix(name, "_PER_XCD"); ok && v.s.known(base) {
		op, err = perXCD(v, base)
		return op, true, err
	}
	if name == "num_xcd" {
		return constant(dies(v)), true, nil
	}
	return
}

// scalar: the ROCm dialect writes counters with $ too, so that it is one where the catalogue has no counter of the name.
func (rocmConvention) scalar(v *formulaEnv, c *capture.Counter, dollar bool) bool {
	if !dollar || v.expr.Dialect != formula.ROCm {
		return false
	}
	e, err := v.s.find(c.Name)
	return err != nil || e.Name != c.Name
}

// denominator is $denom: what "per kernel" and the like divide by.
func denominator(v *formulaEnv) (formula.Operand, error) {
	switch d := denomOf(v.s.cap); d {
	case "per_kernel":
		return formula.Operand{Counter: v.s.dispatches()}, nil
	case "per_wave":
		if c := v.s.raw("SQ_WAVES"); c != nil {
			return formula.Operand{Counter: c}, nil
		}
		if c := v.s.raw("SQ_WAVES_sum"); c != nil {
			v.note("waves are counted by SQ_WAVES_sum, because SQ_WAVES was not collected")
			return formula.Operand{Counter: c}, nil
		}
		return missing(capture.NotCollected, "SQ_WAVES was not collected, which the denominator per_wave needs"), nil
	case "per_cycle":
		return perXCD(v, "GRBM_GUI_ACTIVE")
	case "per_second":
		ns := v.duration().Counter
		c, err := formula.Apply("/", capture.Meta{Name: "seconds", Unit: "s"}, formula.Operand{Counter: ns}, constant(1e9))
		return formula.Operand{Counter: c}, err
	default:
		return formula.Operand{}, fmt.Errorf("denominator %q is unknown; use %s", d, joinOr(Denoms()))
	}
}

// perXCD is a counter divided by the number of dies.
func perXCD(v *formulaEnv, base string) (formula.Operand, error) {
	c := v.s.raw(base)
	if c == nil {
		return missing(capture.NotCollected, "%s was not collected", base), nil
	}
	n := dies(v)
	if n == 1 {
		return formula.Operand{Counter: c}, nil
	}
	q, err := formula.Apply("/", capture.Meta{Name: base + "_PER_XCD", Unit: c.Unit}, formula.Operand{Counter: c}, constant(n))
	return formula.Operand{Counter: q}, err
}

// dies is the number of dies of the GPU; one of a single die does not say so.
func dies(v *formulaEnv) float64 {
	if n, ok := v.s.property("num_xcd"); ok {
		return n
	}
	return 1
}
