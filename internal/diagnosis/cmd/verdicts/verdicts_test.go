package main

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// inRoot runs a test where the command is run, in the root of the repository.
func inRoot(t *testing.T) {
	t.Helper()
	t.Chdir(filepath.Join("..", "..", "..", ".."))
}

func TestThePageArguesWithEveryCaptureOfTheListAndNoOther(t *testing.T) {
	inRoot(t)
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	said := map[string]string{}
	for _, c := range captures {
		said[c.name] = ""
	}
	out, err := replace(string(text), said)
	if err != nil {
		t.Fatal(err)
	}
	if out != string(text) {
		t.Error("a page that nothing was said about changes")
	}
	for _, c := range captures {
		if part, _, _ := strings.Cut(out[strings.Index(out, "<!-- says "+c.name+" "):],
			"<!-- end -->"); !strings.Contains(part, "\n> - ") {
			t.Errorf("the page does not say what the report says of %s: run the command", c.name)
		}
	}
}

func TestCapturesAreWhereTheListSays(t *testing.T) {
	inRoot(t)
	for _, c := range captures {
		if c.origin != "" {
			if strings.HasPrefix(c.path, "captures/") {
				t.Errorf("%s is of others and below testdata", c.name)
			}
			continue
		}
		path, _, err := c.open(t.TempDir(), "")
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		} else if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
	}
}

func TestWhatWasSaidReplacesWhatThePageSays(t *testing.T) {
	const text = "a\n<!-- says x -->\nold\n<!-- end -->\nb <!-- says y --><!-- end -->"
	got, err := replace(text, map[string]string{"x": "- new\n", "y": ""})
	if want := "a\n<!-- says x -->\n\n> - new\n\n<!-- end -->\nb <!-- says y --><!-- end -->"; err != nil ||
		got != want {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
	for what, said := range map[string]map[string]string{
		"no place for z":       {"x": "", "y": "", "z": ""},
		`nothing is called "y`: {"x": ""},
	} {
		if _, err := replace(text, said); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%v, want %s", err, what)
		}
	}
	if _, err := replace("<!-- says x --> and nothing", map[string]string{"x": ""}); err == nil {
		t.Error("a part without an end")
	}
}

func TestRowsOfIntelsToolsBecomeTables(t *testing.T) {
	inRoot(t)
	for name, want := range map[string]struct {
		rows  int
		first string
		has   string
	}{"gen9-gemm": {5, "GpuTime[ns]", "EuActive"}, "gen9-copy": {5, "Kernel", "EuStall"},
		"kbl-desktop": {9, "Timestamp (ns)", "EuActive (%)"}} {
		for _, c := range captures {
			if c.name != name {
				continue
			}
			path, _, err := c.open(t.TempDir(), "")
			if err != nil {
				t.Fatal(err)
			}
			f, err := os.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			rows, err := csv.NewReader(f).ReadAll()
			f.Close()
			if err != nil || len(rows) != want.rows+1 || rows[0][0] != want.first ||
				!strings.Contains(strings.Join(rows[0], ","), want.has) {
				t.Errorf("%s: %d rows, %v, %v", name, len(rows)-1, rows[0], err)
			}
		}
	}
}

func TestAReportIsSaidAsAList(t *testing.T) {
	var r report
	if err := json.Unmarshal([]byte(
		`{"verdict": "T*", "findings": [{"id": "a_b", "severity": "critical", "title": "T*", "confidence": "high", "win": "up to 5 %"}], "items": [
		{"kind": "text", "markdown": "**This page describes, and judges nothing.** So.\n\nmore"},
		{"kind": "table", "table": {"title": "Each kernel on its own", "columns": [{"name": "kernel"}, {"name": "dispatches"}, {"name": "limited by"}], "rows": [["k<1>", "2", "x"], ["j", "1", null]]}}]}`), &r); err != nil {
		t.Fatal(err)
	}
	const want = "- **a_b** (critical) T\\*; could gain up to 5 %; confidence high\n- **This page describes, and judges nothing.** So.\n- Each kernel on its own: k&lt;1>, x; j\n"
	if got := r.list(); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	r.Verdict = "Healthy"
	if got := r.list(); got != "- Healthy\n"+want {
		t.Errorf("%s\nwant the verdict before it", got)
	}
}
