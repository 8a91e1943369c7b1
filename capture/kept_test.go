package capture

import (
	"slices"
	"testing"

	"astrolabe/capture/memory"
)

func TestValuesOfAFormulaAreLetGoAndComputedAgain(t *testing.T) {
	v := make([]float64, 9*BlockRows)
	for i := range v {
		v[i] = float64(i) / 3
	}
	axis := NewUniformAxis(len(v), 1000)
	c := &Counter{Meta: Meta{Name: "a"}, Axis: axis, Col: NewColumn(Data{F: v})}
	d := &Counter{Meta: Meta{Name: "b", Kind: Derived}, Axis: axis, Der: Identity(c)}
	for name, let := range map[string]func(){"memory is short": memory.Shed, "its owner": d.Forget} {
		first := d.Floats()
		if again := d.Floats(); &again[0] != &first[0] {
			t.Errorf("%s: values that are asked for twice are computed twice", name)
		}
		let()
		if d.keeps().floats.kept() {
			t.Errorf("%s: nothing was let go", name)
		}
		if again := d.Floats(); &again[0] == &first[0] || !slices.Equal(again, first) || !slices.Equal(first, v) {
			t.Errorf("%s: other values, or the same memory", name)
		}
	}
	c.Forget() // of a column nothing is computed
	new(Counter).Forget()
}
