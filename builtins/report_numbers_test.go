package builtins_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// TestNumbersOfFindingsAreReadFromTextsWithTheirUnit is about what machines get from the JSON of reports whose scripts
// write "52.4 %".
func TestNumbersOfFindingsAreReadFromTextsWithTheirUnit(t *testing.T) {
	type finding struct {
		ID       string
		Measured *float64
		Limit    *float64
		Unit     string
	}
	number := func(f *float64) any {
		if f == nil {
			return nil
		}
		return *f
	}
	r := exampleRun(t)
	if err := r.exec("findings", `
r = report.new("t", capture=cap)
busy = capture.from_columns({"busy": [1, 2], "cost": [1, 2]}, period="1s", units={"busy": "cycles", "cost": "ms"})
def f(id, evidence, **values):
    r.finding(id, "info", id, evidence=[busy[evidence]], **values)
f("percent", "busy", value="52.39 %", threshold="above 15 %")
f("number", "busy", value=3, threshold=2)
f("text", "busy", value="3 cycles", threshold="below 5 cycles")
f("converted", "cost", value="2 s", threshold="> 1")
f("words", "busy", value="much", threshold="above 1.5 times the median")
f("total", "busy", threshold="above 1")
f("unlike", "busy", value="5 %", threshold="above 3 cycles")
f("unit only of the limit", "busy", value="many", threshold=4)
r.save("r.json")
`); err != nil {
		t.Fatal(trace(err))
	}
	data, err := os.ReadFile(filepath.Join(string(r.env.Files.(folder)), "r.json"))
	if err != nil {
		t.Fatal(err)
	}
	var doc struct{ Findings []finding }
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	want := map[string][3]any{
		"percent":                {52.39, 15.0, "percent"},
		"number":                 {3.0, 2.0, "cycles"},
		"text":                   {3.0, 5.0, "cycles"},
		"converted":              {2000.0, 1.0, "ms"},
		"words":                  {nil, nil, ""},
		"total":                  {3.0, 1.0, "cycles"},
		"unlike":                 {5.0, nil, "percent"},
		"unit only of the limit": {nil, 4.0, "cycles"},
	}
	for _, f := range doc.Findings {
		if got := [3]any{number(f.Measured), number(f.Limit), f.Unit}; got != want[f.ID] {
			t.Errorf("%s: measured, limit and unit are %v, want %v", f.ID, got, want[f.ID])
		}
		delete(want, f.ID)
	}
	if len(want) > 0 {
		t.Errorf("not in the file: %v", want)
	}
}
