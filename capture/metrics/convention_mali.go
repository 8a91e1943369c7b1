package metrics

import (
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/metrics/formula"
)

// maliConvention is that of Arm's guides: MaliConstantsNAME and MaliConfigNAME are scalars, of which two count parts.
type maliConvention struct{ none }

func (maliConvention) before(v *formulaEnv, name string, _ bool) (op formula.Operand, known bool, err error) {
	if v.s.sel == nil || name != "MaliConstantsShaderCoreCount" && name != "MaliConstantsL2SliceCount" {
		return
	}
	return constant(float64(len(v.s.sel.ids))), true, nil // of the cores or slices that the value is for
}

func (maliConvention) scalar(_ *formulaEnv, c *capture.Counter, _ bool) bool {
	return strings.HasPrefix(c.Name, "MaliConst") || strings.HasPrefix(c.Name, "MaliConfig")
}
