package charts

import "testing"

func TestAConfusionMatrixMustFitItsClasses(t *testing.T) {
	for name, counts := range map[string][][]int{
		"a row is missing":  {{1, 2}},
		"a row is short":    {{1, 2}, {3}},
		"a count below nil": {{1, 2}, {3, -1}},
	} {
		if _, err := Confusion(ConfusionOptions{}, []string{"a", "b"}, counts); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := Confusion(ConfusionOptions{}, make([]string, maxCorrelated+1),
		make([][]int, maxCorrelated+1)); err == nil {
		t.Error("more classes than have room were taken")
	}
}
