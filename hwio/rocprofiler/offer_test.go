package rocprofiler

import (
	"slices"
	"testing"

	"astrolabe/hwio/internal/vendorproc"
)

func agent(counters ...vendorproc.Counter) *vendorproc.Agent {
	return &vendorproc.Agent{Name: "gfx1151", Counters: counters, CountersAvailable: len(counters)}
}

func TestOnlyReductionsOfOneHardwareCounterAreOffered(t *testing.T) {
	a := agent(
		vendorproc.Counter{Name: "A"},
		vendorproc.Counter{Name: "A_sum", Expression: "reduce(A,sum)"},
		vendorproc.Counter{Name: "A_avr", Expression: " reduce( A , avr ) "},
		vendorproc.Counter{Name: "A_max", Expression: "reduce(A,max)"},
		vendorproc.Counter{Name: "A_min", Expression: "reduce(A,min)"},
		vendorproc.Counter{Name: "AB", Expression: "reduce(A+B,sum)"},
		vendorproc.Counter{Name: "X_sum", Expression: "reduce(X,sum)"},
		vendorproc.Counter{Name: "A_se", Expression: "reduce(A,sum,[DIMENSION_XCC])"},
		vendorproc.Counter{Name: "A_lvl", Expression: "accumulate(A, HIGH_RES)"},
	)
	var got []string
	for _, o := range offersOf(a) {
		got = append(got, o.name)
	}
	if want := []string{"A", "A_sum", "A_avr", "A_max"}; !slices.Equal(got, want) {
		t.Errorf("offered: %q, want %q", got, want)
	}
}

func TestPositionsThatTheLibraryDoesNotTellApartAreNumbered(t *testing.T) {
	c := vendorproc.Counter{Name: "A", Dimensions: []vendorproc.Dimension{{Name: "DIMENSION_SHADER_ENGINE", Size: 2}, {Name: "DIMENSION_NEW", Size: 3}, {Name: "DIMENSION_XCC", Size: 1}}}
	bare := vendorproc.Counter{Name: "B"}
	offers := offersOf(agent(c, bare))
	_, specs := layout(agent(c, bare), offers, []vendorproc.Column{
		{Counter: c, Positions: []uint64{1, 2, 0}}, {Counter: c, Positions: []uint64{1, 2, 0}}, {Counter: bare}, {Counter: bare},
	})
	var got []string
	for _, s := range specs {
		got = append(got, s.Meta.Name+"["+s.Meta.Instance+"]")
	}
	if want := []string{"A[SE1/NEW2]", "A[SE1/NEW2/1]", "B[0]", "B[1]"}; !slices.Equal(got, want) {
		t.Errorf("columns: %q, want %q", got, want)
	}
}
