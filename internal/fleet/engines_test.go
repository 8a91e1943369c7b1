package fleet

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// python is the interpreter that has an engine.
func python(t *testing.T, engine string) string {
	t.Helper()
	exe := os.Getenv("ASTROLABE_LAKE_PYTHON")
	if exe == "" {
		exe = "python3"
	}
	if err := exec.Command(exe, "testdata/engines.py", engine, "--there").Run(); err != nil {
		t.Skipf("SKIPPED: %s is not installed for %s (.ci/extra lake installs it)", engine, filepath.Base(exe))
	}
	return exe
}

// Engines of others read every kind of value, missing ones and failures from Parquet and JSON lines.
func TestEnginesReadRowsAndFailures(t *testing.T) {
	outcomes := []Outcome{
		{Capture: "build=007/a.arrow", Status: OK, Rows: []Row{
			{{"yes", Bool, "true"}, {"n", Int, "-9007199254740993"}, {"x", Float, "0.1"}, {"text", Text, "é \"q\"\n,"}, {"list", JSON, "[1,2]"}},
			{{"yes", Bool, "false"}, {"n", Int, "3"}, {"x", Float, ""}, {"none", Null, ""}, {"text", Text, "007"}}}},
		{Capture: "build=" + noValue + "/b.arrow", Status: Timeout, Error: "time limit"},
		{Capture: "build=x%2Fy/c.arrow", Status: OK, Rows: []Row{{{"x", Int, "4"}}, {{"x", Float, "1e+300"}, {"n", Null, ""}}}},
	}
	want := []string{
		`{"build":"007","capture":"build=007/a.arrow","list":LIST,"n":-9007199254740992,"status":"ok","text":"é \"q\"\n,","x":0.1,"yes":true}`,
		`{"build":"007","capture":"build=007/a.arrow","n":3,"status":"ok","text":"007","yes":false}`,
		`{"capture":"build=` + noValue + `/b.arrow","error":"time limit","status":"timeout"}`,
		`{"build":"x/y","capture":"build=x%2Fy/c.arrow","status":"ok","x":4}`,
		`{"build":"x/y","capture":"build=x%2Fy/c.arrow","status":"ok","x":1e+300}`,
	}
	var cols Columns
	for i, o := range outcomes {
		cols.Add(i, o.Rows)
	}
	dir := t.TempDir()
	for _, form := range []Form{ParquetForm, JSONLinesForm} {
		file := filepath.Join(dir, "rows."+string(form))
		var text bytes.Buffer
		table, err := NewTable(&text, form, []string{"build"}, &cols)
		if err != nil {
			t.Fatal(err)
		}
		for i := range outcomes {
			if err := table.Add(&outcomes[i]); err != nil {
				t.Fatal(err)
			}
		}
		if err := table.Close(); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, text.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		list := `[1,2]`
		if form == ParquetForm {
			list = `"[1,2]"` // as text
		}
		for _, engine := range []string{"duckdb", "pandas", "polars"} {
			t.Run(string(form)+"/"+engine, func(t *testing.T) {
				cmd := exec.Command(python(t, engine), "testdata/engines.py", engine, file)
				var said bytes.Buffer
				cmd.Stderr = &said
				out, err := cmd.Output()
				if err != nil {
					t.Fatalf("%v\n%s", err, &said)
				}
				var got []string
				for line := range strings.Lines(string(out)) {
					got = append(got, sameJSON(t, line))
				}
				var wanted []string
				for _, line := range want {
					wanted = append(wanted, sameJSON(t, strings.Replace(line, "LIST", list, 1)))
				}
				if !slices.Equal(got, wanted) {
					t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(wanted, "\n"))
				}
			})
		}
	}
}

// sameJSON writes an object in one way.
func sameJSON(t *testing.T, text string) string {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
