package intel

import (
	"strconv"
	"strings"
	"testing"

	"astrolabe/hwio/internal/oaregisters"
	"astrolabe/internal/testfiles"
)

// Kaby Lake's registers are those of the reference, from a source of its own. Those of others are the reader's, which uploads of other programs are held against too.
func TestPublishedSetsAreThoseOfTheReference(t *testing.T) {
	kabyLake := map[[2]string]*[3][]Register{}
	for _, row := range testfiles.Rows(t, "reference", "intel_kbl_oa_registers.csv") {
		k := [2]string{row["gpu"], row["metric_set"]}
		if kabyLake[k] == nil {
			kabyLake[k] = &[3][]Register{}
		}
		i := map[string]int{"NOA": 0, "OA": 1, "FLEX": 2}[row["reg_type"]]
		kabyLake[k][i] = append(kabyLake[k][i], Register{hex(t, row["address"]), hex(t, row["value"])})
	}
	of := map[string]int{}
	for _, s := range Sets() {
		l := kabyLake[[2]string{s.Part, s.Name}]
		if !strings.HasPrefix(s.Part, "kbl") {
			all, err := oaregisters.Of(s.Part, s.Name, nil)
			if err != nil {
				t.Fatal(err)
			}
			l = &[3][]Register{}
			for i, list := range [][]oaregisters.Register{all.Mux, all.Boolean, all.Flex} {
				for _, r := range list {
					l[i] = append(l[i], Register(r))
				}
			}
		}
		c := &Config{UUID: s.GUID, Mux: l[0], Boolean: l[1], Flex: l[2]}
		if len(l[2]) != len(s.Flex) || Sum(l[0], l[1], l[2]) != s.Sum || !c.isWired(s) {
			t.Errorf("%s %s differs from the reference", s.Part, s.Name)
		}
		of[s.Part]++
	}
	for part := range parts {
		if of[part] < 2 {
			t.Errorf("%s has %d sets", part, of[part])
		}
	}
}

func hex(t *testing.T, text string) uint32 {
	t.Helper()
	v, err := strconv.ParseUint(text, 0, 32)
	if err != nil {
		t.Fatal(err)
	}
	return uint32(v)
}
