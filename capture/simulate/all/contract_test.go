package all

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/simulatetest"
)

// every are the families of all models.
func every() []string { return slices.Concat(Families(), Others()) }

// TestTheSameArgumentsGiveTheSameCase looks at a case of every kind of every family: made again it has the same truth
// and gives the same capture, as it does when it is recorded again, and another seed gives another.
func TestTheSameArgumentsGiveTheSameCase(t *testing.T) {
	for _, family := range every() {
		t.Run(family, func(t *testing.T) {
			for _, kind := range Kinds(family) {
				a, b := made(t, family, kind, 5), made(t, family, kind, 5)
				x := simulatetest.Recorded(t, a, simulate.Options{})
				same(t, kind+" made again", x, simulatetest.Recorded(t, b, simulate.Options{}))
				same(t, kind+" recorded again", x, simulatetest.Recorded(t, a, simulate.Options{}))
				p, q := truthOf(t, a), truthOf(t, b)
				if a.Text != b.Text || !reflect.DeepEqual(p, q) {
					t.Errorf("%s: two truths, of %q and %q", kind, a.Text, b.Text)
				}
				if kind == simulate.KindRandom && reflect.DeepEqual(p, truthOf(t, made(t, family, kind, 6))) {
					t.Errorf("%s: another seed gives the same", kind)
				}
			}
		})
	}
}

// same checks that two captures have the same samples, labels, counters and values.
func same(t *testing.T, what string, a, b *capture.Capture) {
	t.Helper()
	if !a.Axis.Same(b.Axis) || len(a.Counters) != len(b.Counters) || len(a.Labels) != len(b.Labels) {
		t.Errorf("%s: other samples, counters or labels", what)
		return
	}
	for i, c := range a.Counters {
		if d := b.Counters[i]; c.Name != d.Name || !slices.EqualFunc(c.Floats(), d.Floats(), equal) {
			t.Errorf("%s: %s is not %s", what, c.Name, d.Name)
		}
	}
}

// equal takes values that are missing for the same.
func equal(x, y float64) bool { return x == y || math.IsNaN(x) && math.IsNaN(y) }

func truthOf(t *testing.T, c *simulate.Case) *simulate.Truth {
	t.Helper()
	out, err := c.Judge()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func made(t *testing.T, family, kind string, seed uint64) *simulate.Case {
	return simulatetest.Make(Case).Case(t, family, kind, seed)
}

func TestUnknownNamesAreRefused(t *testing.T) {
	if _, err := Case("none", simulate.KindSingle, 1); err == nil || Kinds("none") != nil {
		t.Error("there is a family that there is not")
	}
	for _, family := range every() {
		kinds := Kinds(family)
		for _, kind := range append([]string{"usual"}, simulate.Kinds()...) {
			if slices.Contains(kinds, kind) {
				continue
			}
			if _, err := Case(family, kind, 1); err == nil {
				t.Errorf("%s has cases of kind %q", family, kind)
			}
		}
		if !strings.HasPrefix(family, "intel-") {
			continue
		}
		if _, err := made(t, family, simulate.KindSingle, 1).Record(simulate.Options{Sets: []string{"none"}}); err == nil {
			t.Errorf("%s records a metric set that there is not", family)
		}
	}
}
