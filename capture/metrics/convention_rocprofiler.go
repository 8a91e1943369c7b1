package metrics

import (
	"slices"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/metrics/formula"
)

// rocprofilerConvention is that of rocprofiler's definitions of counters: reduce(COUNTER,sum), which is one number of
// all instances of a counter, accumulate(LEVEL,HIGH_RES), which is a level added up over cycles, and what the hardware
// has of something.
type rocprofilerConvention struct{ none }

// hardwareConstants are what the definitions call what the hardware has, as products of what captures say.
var hardwareConstants = map[string][]string{
	"CU_NUM": {"cu_per_gpu"}, "SIMD_NUM": {"cu_per_gpu", "simd_per_cu"}, "SE_NUM": {"se_per_gpu"},
	"MAX_WAVE_SIZE": {"wave_size"},
}

// cyclesPerLowRes is how many cycles pass between two times that a level is added up at the low resolution.
const cyclesPerLowRes = 4

// addsInstances is the format whose columns are sums of a counter's instances under both names. AMD's panels have no
// value where a folder of their own lacks the one that they ask for.
const addsInstances = "rocprofv3"

// SumTwin is the other name under which profilers write the sum of a counter's instances: SQ_WAVES_sum of SQ_WAVES, and
// the other way round.
func SumTwin(name string) string {
	if base, ok := strings.CutSuffix(name, "_sum"); ok {
		return base
	}
	return name + "_sum"
}

func (rocprofilerConvention) after(v *formulaEnv, name string, _ bool) (op formula.Operand, known bool, err error) {
	if v.s.cap.Format == addsInstances {
		if c := v.s.raw(SumTwin(name)); c != nil && c.Kind == capture.Delta {
			return v.measured(c, nil, false), true, nil
		}
	}
	if factors := hardwareConstants[name]; factors != nil {
		product := 1.0
		for _, f := range factors {
			x, err := v.Lookup(f, true)
			if err != nil || !x.IsConst {
				return missing(capture.NotCollected, "the capture does not say %s", f), true, err
			}
			product *= x.Const
		}
		return constant(product), true, nil
	}
	if level, resolution, ok := cutCall(name, "accumulate"); ok {
		op, err = accumulated(v, level, resolution)
		return op, true, err
	}
	counter, how, ok := cutCall(name, "reduce")
	if !ok {
		return
	}
	if level, resolution, ok := cutCall(counter, "accumulate"); ok {
		if how != "sum" {
			return missing(capture.NotCollected, "captures hold a level of all instances together, of which there is no %s", how), true, nil
		}
		op, err = accumulated(v, level, resolution)
		return op, true, err
	}
	op, err = reduced(v, counter, how)
	return op, true, err
}

// cutCall takes "function(counter,word)" apart.
func cutCall(name, function string) (counter, word string, ok bool) {
	inside, ok := strings.CutPrefix(name, function+"(")
	if !ok {
		return "", "", false
	}
	inside = strings.TrimSuffix(inside, ")")
	i := strings.LastIndexByte(inside, ',')
	if i < 0 {
		return "", "", false
	}
	return inside[:i], inside[i+1:], true
}

// accumulated is a level that a run added up over cycles, as the readers call it.
func accumulated(v *formulaEnv, level, resolution string) (formula.Operand, error) {
	op, err := v.Lookup(level+"_ACCUM", false)
	if err != nil || op.Counter == nil || resolution != "LOW_RES" {
		return op, err
	}
	meta := capture.Meta{Name: level + "_ACCUM/4", Unit: op.Counter.Unit}
	op.Counter, err = formula.Apply("/", meta, op, constant(cyclesPerLowRes))
	return op, err
}

// reduced is one number of all instances of a counter: what the profiler reduced itself, under the names that it has
// for that, or of the instances that were measured. gfx908 and gfx90a write TCC_EA_ for TCC_EA0_.
func reduced(v *formulaEnv, counter, how string) (formula.Operand, error) {
	names := []string{counter, strings.Replace(counter, "TCC_EA0_", "TCC_EA_", 1),
		strings.Replace(counter, "TA_TA_", "TA_", 1)}
	for _, name := range names {
		if c := v.s.raw(name + "_" + how); c != nil {
			return v.measured(c, nil, false), nil
		}
	}
	if v.s.raw(counter) == nil && v.s.raw(names[1]) != nil {
		counter = names[1]
	}
	op, err := v.Lookup(counter, false)
	if err != nil || op.Counter == nil || how == "sum" {
		return op, err
	}
	meta := capture.Meta{Name: "reduce(" + counter + "," + how + ")", Unit: op.Counter.Unit}
	if in := op.Counter.Instances; len(in) > 0 {
		op.Counter, err = reducedInstances(meta, in, how)
		return op, err
	}
	n := 1.0
	if strings.HasPrefix(counter, "GRBM_") { // one of these for each die
		n = dies(v)
	} else {
		return missing(capture.NotCollected, "the instances of %s were not measured one by one", counter), nil
	}
	if n == 1 {
		return op, nil
	}
	if how == "min" {
		return missing(capture.NotCollected, "the capture holds the sum of %s over the dies", counter), nil
	}
	if how == "max" {
		v.note("the mean of the dies stands for the largest %s of them, since the capture holds their sum", counter)
	}
	op.Counter, err = formula.Apply("/", meta, op, constant(n))
	return op, err
}

// reducedInstances is the largest, smallest or mean value of instances.
func reducedInstances(meta capture.Meta, in []*capture.Counter, how string) (*capture.Counter, error) {
	operator := map[string]string{"max": "max", "min": "min", "avr": "+"}[how]
	out := in[0]
	for _, c := range in[1:] {
		var err error
		if out, err = formula.Apply(operator, meta, formula.Operand{Counter: out},
			formula.Operand{Counter: c}); err != nil {
			return nil, err
		}
	}
	if how != "avr" {
		return out, nil
	}
	return formula.Apply("/", meta, formula.Operand{Counter: out}, constant(float64(len(in))))
}

// operands are the counters behind the calls, by the names that the catalogue of e has for them.
func (rocprofilerConvention) operands(e *Entry, name string) []string {
	if factors := hardwareConstants[name]; factors != nil && e.Dialect == formula.ROCm {
		return factors
	}
	counter, how, ok := cutCall(name, "reduce")
	if !ok {
		counter = name
	}
	if level, _, ok := cutCall(counter, "accumulate"); ok {
		return []string{level + "_ACCUM"}
	}
	if counter == name {
		return nil
	}
	if c, err := Get(e.GPU); err == nil {
		names := []string{counter, counter + "_" + how, counter + "_sum"}
		if i := slices.IndexFunc(names, func(name string) bool { return c.at(name) >= 0 }); i >= 0 {
			return names[i : i+1]
		}
	}
	return []string{counter}
}
