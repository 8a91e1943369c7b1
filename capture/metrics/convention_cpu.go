package metrics

import (
	"astrolabe/capture"
	"astrolabe/capture/metrics/formula"
)

// cpuConvention is that of the cpu catalogue, whose formulas are ours.
type cpuConvention struct{ none }

// sampleTime is the name that a formula of the cpu catalogue gives to the measured time of a sample, in ns.
const sampleTime = "sample_ns"

func (cpuConvention) before(v *formulaEnv, name string, _ bool) (formula.Operand, bool, error) {
	if name != sampleTime || v.s.cap.Counter(name) != nil {
		return formula.Operand{}, false, nil
	}
	if p, ok := v.s.cap.Property(capture.ElapsedUnknown); ok {
		return missing(capture.NotCollected, "%s", p.Text), true, nil
	}
	return v.duration(), true, nil
}
