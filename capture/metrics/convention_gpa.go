package metrics

import (
	"astrolabe/capture"
	"astrolabe/capture/metrics/formula"
)

// gpaConvention is that of AMD's GPUPerfAPI: a name with $ is a constant of the device, and a formula depends on
// generation and API.
type gpaConvention struct{ none }

func (gpaConvention) before(v *formulaEnv, name string, dollar bool) (op formula.Operand, known bool, err error) {
	switch name {
	case "generation", "api":
		if dollar && v.entry != nil && !v.entry.defined { // see Entry.undecided
			return missing(capture.Unsupported, "the capture does not say its %s, on which the formula depends",
				name), true, nil
		}
	}
	return
}

func (gpaConvention) scalar(v *formulaEnv, _ *capture.Counter, dollar bool) bool {
	return dollar && v.expr.Dialect == formula.GPA
}
