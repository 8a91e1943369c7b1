package metrics

import (
	"astrolabe/capture"
	"astrolabe/capture/metrics/formula"
)

// convention is what the formulas of one vendor take for granted beside counters: constants, names for time, suffixes,
// scalars. Each stands in a file of its own, convention_NAME.go; Lookup asks one after the other and knows none of
// their names.
type convention interface {
	// before answers for names that mean something whatever was measured; known is false for all others.
	before(v *formulaEnv, name string, dollar bool) (op formula.Operand, known bool, err error)
	// after answers for names under which nothing was measured.
	after(v *formulaEnv, name string, dollar bool) (op formula.Operand, known bool, err error)
	// scalar reports whether a formula means one value for the whole capture by the name of a column, such as a number
	// of cores: that does not add up over samples.
	scalar(v *formulaEnv, c *capture.Counter, dollar bool) bool
	// operands lists the counters that a name in a formula of e is made of, where it is none itself.
	operands(e *Entry, name string) []string
	// metrics are those that only the capture can tell of, because somebody chose for it what its counters count.
	metrics(s *scope) []*Entry
}

// operandsOf lists the counters that a name in a formula of e stands for.
func operandsOf(e *Entry, name string) []string {
	for _, c := range conventions {
		if out := c.operands(e, name); out != nil {
			return out
		}
	}
	if base, id, ok := cutInstance(name); ok {
		if _, _, some := instanceRange(id); some {
			return []string{base}
		}
	}
	return []string{name}
}

// conventions are asked in this order.
var conventions = []convention{rocmConvention{}, rocprofilerConvention{}, gpaConvention{}, maliConvention{},
	intelConvention{}, cpuConvention{}}

// none answers for no name: conventions embed it for what they do not have.
type none struct{}

func (none) before(*formulaEnv, string, bool) (op formula.Operand, known bool, err error) { return }
func (none) after(*formulaEnv, string, bool) (op formula.Operand, known bool, err error)  { return }
func (none) scalar(*formulaEnv, *capture.Counter, bool) bool                              { return false }
func (none) metrics(*scope) []*Entry                                                      { return nil }
func (none) operands(*Entry, string) []string                                             { return nil }
