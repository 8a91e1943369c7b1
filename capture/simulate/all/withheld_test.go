package all

import (
	"slices"
	"strings"
	"testing"

	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/telling"
)

// tables are what tells of candidates, by what the names of families begin with.
var tables = map[string]map[simulate.Candidate][]string{"amd-gpa": telling.GPA, "amd-live": telling.AMD, "cpu": telling.CPU,
	"mali": telling.Mali, "gfx1151": telling.RDNA}

func TestModelsByOthersLeaveOutWhatIsWithheld(t *testing.T) {
	for _, family := range Others() {
		for prefix, table := range tables {
			if !strings.HasPrefix(family, prefix) {
				continue
			}
			told := map[simulate.Candidate]bool{}
			kinds := Kinds(family)
			for seed := range uint64(8) {
				kind := kinds[seed%uint64(len(kinds))]
				whole := record(t, family, kind, seed, simulate.Options{Host: simulate.Yes})
				var all []simulate.Candidate
				for c, names := range table {
					all = append(all, c)
					told[c] = told[c] || slices.ContainsFunc(names, func(n string) bool { return find(whole, n) != nil })
				}
				less := record(t, family, kind, seed, simulate.Options{Host: simulate.Yes, Withheld: all})
				for c, names := range table {
					for _, n := range names {
						if find(less, n) != nil {
							t.Errorf("%s %d: %s is there without %v", family, seed, n, c)
						}
					}
				}
			}
			for c, ok := range told {
				if !ok && c.Name != "ray_tracing" { // which not all have
					t.Errorf("%s: nothing tells of %v", family, c)
				}
			}
		}
		if strings.HasPrefix(family, "intel") {
			o := simulate.Options{Sets: []string{"RenderBasic"}, Withheld: []simulate.Candidate{{Level: "unit", Name: "texture"}}}
			less := record(t, family, simulate.KindArchetype, 1, o)
			texels, busy, pixels := "A28", "B0", "A26"
			if find(less, "PEC0") != nil { // the reports of Xe2
				texels, busy, pixels = "PEC5", "PEC6", "PEC36"
			}
			if find(less, texels) != nil || find(less, busy) != nil || find(less, pixels) == nil {
				t.Errorf("%s: samplers are counted, or pixels are not", family)
			}
		}
	}
}
