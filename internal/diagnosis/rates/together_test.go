package rates

import (
	"bytes"
	"strings"
	"testing"

	"astrolabe/internal/diagnosis"
)

func TestFamiliesOfAScriptAddUp(t *testing.T) {
	family := func(name string, hits, of int) FamilyRates {
		return FamilyRates{
			Name: name, Runs: []Run{{"archetype", 1, of}}, Rows: []Row{{Name: rowFirst, Hits: hits, Of: of}},
			Confusion: []Confused{{"unit/ray_tracing", "ray_tracing_bound", hits}, {"unit/ray_tracing", diagnosis.Nothing, of - hits}},
		}
	}
	x := &Rates{Rules: "r", Model: "m", Mapping: "t", Families: []FamilyRates{
		family("intel-dg2", 7, 10), family("gfx1151", 1, 2), family("intel-tgl-third", 50, 90),
	}}
	got := x.Together()
	if len(got.Families) != 2 || got.Families[0].Name != "intel_oa" || got.Families[1].Name != "gfx1151" {
		t.Fatalf("got %+v", got.Families)
	}
	intel := &got.Families[0]
	if r := intel.row(rowFirst); r.Hits != 57 || r.Of != 100 {
		t.Errorf("got %+v", r)
	}
	if len(x.Families[0].Rows) != 1 || x.Families[0].Rows[0].Of != 10 {
		t.Errorf("the counts by family changed: %+v", x.Families[0])
	}
	var page bytes.Buffer
	if err := got.WriteMarkdown(&page, "", "planted"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"- intel_oa: seeds of intel-dg2 archetype 1..10, intel-tgl-third archetype 1..90",
		"| unit/ray_tracing | 100 | **ray_tracing_bound 57**, nothing 43 |", "57 (47..66) of 100",
	} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("%q is not in\n%s", want, page.String()[:3000])
		}
	}
}
