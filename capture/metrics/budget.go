package metrics

import (
	"fmt"
	"math"
)

// realisticUtilization is the share of its cycles that a GPU is reckoned to use in a realistic cycle budget.
// Source: Arm Mali-G615 guide, section 4.4; Mali-G720 guide, section 4.5.
const realisticUtilization = 0.85

// Budget is how many shader core cycles a GPU has for each pixel. It covers everything that is shaded for the pixel,
// vertices included.
type Budget struct {
	Max  float64 // with perfect scheduling, cycles per pixel
	Real float64 // at realisticUtilization
}

// CycleBudget is the budget of a GPU with that many shader cores at a clock of hz, for frames of width by height pixels
// at fps frames per second. All must be positive and finite.
func CycleBudget(cores, hz, width, height, fps float64) (Budget, error) {
	for _, p := range []struct {
		name  string
		value float64
	}{{"cores", cores}, {"hz", hz}, {"width", width}, {"height", height}, {"fps", fps}} {
		if !(p.value > 0) || math.IsInf(p.value, 0) {
			return Budget{}, fmt.Errorf("cycle budget: %s is %v, want a number above 0", p.name, p.value)
		}
	}
	most := cores * hz / (width * height * fps)
	return Budget{Max: most, Real: realisticUtilization * most}, nil
}
