package metrics

import (
	"astrolabe/capture"
	"astrolabe/capture/metrics/formula"
)

// intelConvention is that of Intel's metric sets: a name with $ is a counter of the set, or a constant that the catalogue lists.
type intelConvention struct{ none }

func (intelConvention) scalar(v *formulaEnv, c *capture.Counter, dollar bool) bool {
	if !dollar || v.expr.Dialect != formula.Intel {
		return false
	}
	e, err := v.s.find(c.Name)
	return err == nil && e.Kind == capture.Constant
}
