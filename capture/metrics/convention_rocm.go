package metrics

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/metrics/formula"
)

// rocmConvention is that of rocprof-compute's panels: times of the dispatch, $denom (its normalization units), values
// per die, and scalars with $.
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
	case name == "numActiveCUs" && dollar:
		op, err = activeUnits(v)
		return op, true, err
	}
	return
}

func (rocmConvention) after(v *formulaEnv, name string, dollar bool) (op formula.Operand, known bool, err error) {
	if base, ok := strings.CutSuffix(name, "_PER_XCD"); ok && v.s.known(base) {
		op, err = perXCD(v, base)
		return op, true, err
	}
	switch {
	case name == "num_xcd":
		return constant(dies(v)), true, nil
	case name == "SQ_ACCUM_PREV_HIRES" && v.entry != nil && v.entry.Run != "":
		op, err = v.Lookup(v.entry.Run+"_ACCUM", false) // the level that the run accumulated, as the readers call it
		return op, true, err
	case dispatchLabels[name] != "":
		if l := v.s.cap.Label(dispatchLabels[name]); l != nil {
			return formula.Operand{Counter: v.s.labelled(l)}, true, nil
		}
	case name == "hbmBandwidth" && dollar:
		op, err = memoryBandwidth(v)
		return op, true, err
	}
	return
}

// dispatchLabels are what formulas say of a dispatch, by the names that rocprof-compute's files have for it, and the
// labels of a capture that say so.
var dispatchLabels = map[string]string{
	"Grid_Size": "grid_size", "Workgroup_Size": "workgroup_size", "LDS_Per_Workgroup": "lds_per_workgroup",
	"Scratch_Per_Workitem": "scratch_per_workitem",
	"Arch_VGPR":            "arch_vgpr", "Accum_VGPR": "accum_vgpr", "SGPR": "sgpr",
}

// labelled is a label of numbers as a counter: a level, since numbers of registers of several dispatches do not add up.
func (s *scope) labelled(l *capture.Label) *capture.Counter {
	if c := s.labels[l]; c != nil {
		return c
	}
	axis := s.cap.Axis
	c := &capture.Counter{Meta: capture.Meta{Name: l.Name, Title: l.Name, Kind: capture.Gauge,
		Combine: capture.CombineMean, Doc: "Label " + l.Name + " of the dispatch."}, Axis: axis}
	c.Col = capture.LazyColumn(axis.Len(), func() (capture.Data, error) {
		f := make([]float64, axis.Len())
		for i := range f {
			f[i] = math.NaN()
			if text, ok := l.Value(i); ok {
				if x, err := strconv.ParseFloat(text, 64); err == nil {
					f[i] = x
				}
			}
		}
		return capture.Data{F: f}, nil
	})
	s.labels[l] = c
	return c
}

// unitsActive is how many compute units worked at once, rounded as AMD does it: of each group of as many as a unit has
// wave slots at most 8 are counted.
const unitsActive = "TO_INT(MIN(ROUND(AVG(4 * SQ_BUSY_CU_CYCLES / $GRBM_GUI_ACTIVE_PER_XCD), 0) / $max_waves_per_cu * 8 + " +
	"MIN(MOD(ROUND(AVG(4 * SQ_BUSY_CU_CYCLES / $GRBM_GUI_ACTIVE_PER_XCD), 0), $max_waves_per_cu), 8), $cu_per_gpu))"

// activeUnits is $numActiveCUs: one number for all dispatches of the capture, always of the counters that count,
// whatever run the formula reads.
func activeUnits(v *formulaEnv) (formula.Operand, error) {
	s := v.s
	if s.units != nil {
		return *s.units, nil
	}
	x, err := formula.Parse(formula.ROCm, unitsActive)
	if err != nil {
		return formula.Operand{}, err
	}
	c, err := s.evaluate(&Entry{Name: "numActiveCUs", Expr: unitsActive, expr: x, Dialect: formula.ROCm,
		GPU: s.cap.GPU}, capture.Meta{Name: "numActiveCUs"}, "")
	if err != nil {
		return formula.Operand{}, err
	}
	axis := s.cap.Axis
	op := formula.Operand{Counter: &capture.Counter{
		Meta: capture.Meta{Name: "numActiveCUs", Title: "Active CUs", Kind: capture.Constant,
			Doc: "Compute units that worked at once, one number for all dispatches."}, Axis: axis,
		Col: capture.LazyColumn(axis.Len(), func() (capture.Data, error) {
			return capture.Data{F: slices.Repeat([]float64{c.Total().Float()}, axis.Len())}, nil
		})}}
	s.units = &op
	return op, nil
}

// memoryBandwidth is $hbmBandwidth, the data sheet's rate of memory in GB/s: 32 bytes in each clock cycle of each
// channel.
func memoryBandwidth(v *formulaEnv) (formula.Operand, error) {
	gbps := 32.0 / 1000
	for _, name := range []string{"max_mclk", "num_hbm_channels"} {
		x, ok := v.s.property(name)
		if !ok {
			return missing(capture.NotCollected, "the capture does not say $%s", name), nil
		}
		gbps *= x
	}
	return constant(gbps), nil
}

// scalar: the ROCm dialect writes counters with $ too, so that it is one where the catalogue has no counter of the
// name.
func (rocmConvention) scalar(v *formulaEnv, c *capture.Counter, dollar bool) bool {
	if !dollar || v.expr.Dialect != formula.ROCm {
		return false
	}
	e, err := v.s.find(c.Name)
	return err != nil || e.Name != c.Name
}

// operands are those of built-in variables, and of a level that a run accumulated.
func (rocmConvention) operands(e *Entry, name string) []string {
	base, perDie := strings.CutSuffix(name, "_PER_XCD")
	switch {
	case e.Dialect != formula.ROCm:
		return nil
	case perDie:
		return []string{base, "num_xcd"}
	case name == "SQ_ACCUM_PREV_HIRES" && e.Run != "":
		return []string{e.Run + "_ACCUM"}
	case name == "numActiveCUs":
		return []string{"SQ_BUSY_CU_CYCLES", "GRBM_GUI_ACTIVE", "max_waves_per_cu", "cu_per_gpu"}
	case name == "hbmBandwidth":
		return []string{"max_mclk", "num_hbm_channels"}
	}
	return nil
}

// denominator is $denom: what "per kernel" and the like divide by.
func denominator(v *formulaEnv) (formula.Operand, error) {
	switch d := denomOf(v.s.cap); d {
	case "per_kernel":
		return formula.Operand{Counter: v.s.dispatches()}, nil
	case "per_wave":
		if c := v.s.raw("SQ_WAVES"); c != nil {
			return v.measured(c, nil, false), nil
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
		c, err := formula.Apply("/", capture.Meta{Name: "seconds", Unit: "s"}, formula.Operand{Counter: ns},
			constant(1e9))
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
	q, err := formula.Apply("/", capture.Meta{Name: base + "_PER_XCD", Unit: c.Unit}, formula.Operand{Counter: c},
		constant(n))
	return formula.Operand{Counter: q}, err
}

// dies is the number of dies of the GPU; one of a single die does not say so.
func dies(v *formulaEnv) float64 {
	const name = "num_xcd"
	if e := v.s.entryAt(name); e != nil {
		if n, stated, known := v.s.constantOf(e); known {
			if !stated && n > 1 {
				v.note("%s", e.assumption())
			}
			return n
		}
	}
	if n, ok := v.s.property(name); ok {
		return n
	}
	return 1
}
