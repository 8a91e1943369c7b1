package metrics

import (
	"slices"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/metrics/formula"
)

// intelConvention is that of Intel's metric sets: a name with $ is a counter of the set, or a constant that the
// catalogue lists.
type intelConvention struct{ none }

func (intelConvention) scalar(v *formulaEnv, c *capture.Counter, dollar bool) bool {
	if !dollar || v.expr.Dialect != formula.Intel {
		return false
	}
	e, err := v.s.find(c.Name)
	return err == nil && e.Kind == capture.Constant
}

// metrics are those that a table's other columns tell, and those of what a capture's flexible EU counters were programmed for: as the metric sets have them, but for
// the counter that they read, and where no set has one, as the manual says.
func (intelConvention) metrics(s *scope) []*Entry {
	p, ok := s.cap.Property(EUProperty)
	if !ok || !p.IsText {
		return s.repeated()
	}
	// Another program's property of the same name programs nothing.
	chosen, _ := ParseEUProgram(p.Text)
	var out []*Entry
	for _, cat := range s.cats {
		if len(cat.sets) == 0 {
			continue
		}
		for _, c := range chosen {
			e := cat.euMetric(c)
			if e.parse() == nil {
				out = append(out, e)
			}
		}
	}
	return out
}

// euMetric is the metric of a programmed counter.
func (c *Catalogue) euMetric(eu *EUCounter) *Entry {
	e := &Entry{Title: eu.Metric, Unit: "percent", Doc: eu.Doc, Expr: eu.Expr,
		Source: "Intel Kaby Lake PRM vol. 14, Flexible EU Event Counters", Peak: "100", DataType: "float"}
	for _, set := range c.sets {
		own := set.bySymbol[eu.Metric]
		if own == nil {
			continue
		}
		if at := slices.IndexFunc(own.Inputs, func(name string) bool { return EUIndex(name) >= 0 }); at >= 0 {
			was := "A " + own.Inputs[at][1:] + " READ"
			copied := *own
			e = &copied
			e.Expr = strings.ReplaceAll(own.Expr, was, "A "+eu.Counter[1:]+" READ")
			e.Set, e.Symbol = nil, ""
			break
		}
	}
	e.Name, e.Aliases, e.Group = snake(eu.Metric), []string{eu.Metric}, "Flexible EU Counters"
	e.GPU, e.Dialect, e.Kind = c.id, c.dialect, capture.Derived
	return e
}

// untimed reports whether the metric is how long a sample took, by the clock of its reports, and the capture has no
// reports: tables of other programs have none, and where such a column gave the samples their lengths it is no counter.
func (s *scope) untimed(e *Entry) bool {
	return e.Set != nil && e.Symbol == "GpuTime" && !slices.ContainsFunc(e.Inputs, func(name string) bool {
		raw, err := s.find(name)
		return err == nil && s.collected(raw) != nil
	})
}

// lengths is how long each sample took, nil where none has a length.
func (s *scope) lengths() *capture.Counter {
	axis := s.cap.Axis
	if lo, hi := axis.Extent(); lo == hi {
		return nil
	}
	return &capture.Counter{
		Meta: capture.Meta{Name: "GpuTime", Unit: "ns", Kind: capture.Delta, Source: "the length of the sample"},
		Axis: axis,
		Col: capture.LazyColumn(axis.Len(), func() (capture.Data, error) {
			f := make([]float64, axis.Len())
			for i := range f {
				f[i] = float64(axis.Interval(i))
			}
			return capture.Data{F: f}, nil
		}),
	}
}
