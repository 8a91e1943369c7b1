package builtins_test

import (
	"testing"

	"go.starlark.net/starlark"

	"astrolabe/capture/formats/all"
	"astrolabe/internal/testfiles"
)

// TestScriptsSeeTheVendorsNumbers opens a real capture as a script does and compares what total, min and max give with
// the numbers that the vendor's tool gives for it.
func TestScriptsSeeTheVendorsNumbers(t *testing.T) {
	dir := testfiles.Path(t, "captures", "gfx1151-vcopy")
	var want struct {
		Rule string           `json:"duration_rule"`
		Rows []map[string]any // a row of one number has no min and max, which is not the same as missing ones
	}
	testfiles.JSON(t, &want, "vectors", "gfx1151_expected_sample.json")
	if len(want.Rows) == 0 {
		t.Fatal("no expected numbers")
	}
	r := newRun(t)
	r.env.Registry = all.Registry()
	r.env.Files = folder("/")
	number := func(v any) starlark.Value {
		if f, ok := v.(float64); ok {
			return starlark.Float(f)
		}
		return starlark.None
	}
	rows := starlark.NewList(nil)
	for _, w := range want.Rows {
		_, spread := w["min"]
		rows.Append(starlark.Tuple{starlark.String(w["section"].(string) + "/" + w["metric"].(string)),
			number(w["avg_or_value"]),
			starlark.Bool(spread), number(w["min"]), number(w["max"])})
	}
	r.names["path"], r.names["rule"], r.names["rows"] = starlark.String(dir), starlark.String(want.Rule), rows
	err := r.exec("vendor", `
cap = capture.open(path, duration=rule)
for name, value, spread, least, most in rows:
    m = cap.metric(name)
    assert.near(m.total(), value)
    if spread:
        assert.near(m.min(), least)
        assert.near(m.max(), most)
    if value == None:
        assert.true("missing" in explain(m), name)
assert.eq(len(cap.metrics), 91) # 77 of the panels, and 14 that rocprofiler itself defines
`)
	if err != nil {
		t.Error(trace(err))
	}
}
