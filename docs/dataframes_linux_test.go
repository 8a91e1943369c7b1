package docs

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"astrolabe/hwio/hwtest/programs"
	"astrolabe/internal/longtests"
)

// frameOfThePage makes a capture with what data frames may lose: integers that no double and no signed integer holds,
// missing values beside integers, and units.
const frameOfThePage = `astrolabe -c 'capture.from_columns({"requests": [9007199254740993, 3, None], ` +
	`"cycles": [18446744073709551615, 1, 2], "used": [1.5, None, 2.5]}, period="1ms", ` +
	`kinds={"used": "gauge", "requests": "delta", "cycles": "delta"}, ` +
	`units={"used": "MiB", "cycles": "cycles"}).save("run.arrow")'` + "\n"

// alike says in Python whether what an engine has read is what was written. rows makes lists of dicts of it.
const alike = `
def alike(engine, what, rows):
    have = [(r["start"], r["end"], r["requests"], int(r["cycles"]), r["used"]) for r in rows]
    assert have == [(0, 1000000, 9007199254740993, 2**64 - 1, 1.5), (1000000, 2000000, 3, 1, None),
                    (2000000, 3000000, None, 2, 2.5)], (engine, what, have)
    print("ENGINE |", engine, "|", what, "|", len(have) * 5, "values")

def lake_alike(engine, rows):
    used = [(r["value"], r["unit"], round(r["missing"], 9)) for r in rows if r["metric"] == "used"]
    assert used == [(2.0, "MiB", 0.333333333)], (engine, used)
    cycles = [(r["total"], r["total_unit"]) for r in rows if r["metric"] == "cycles"]
    assert cycles == [(float(2**64 + 2), "cycles")], (engine, cycles)
    print("ENGINE |", engine, "| lake |", 5, "values")
`

// checks are what each section's lines have read, asked of the engine.
var checks = map[string]string{
	"pandas": `
def rows(d):
    return [{k: None if v is pd.NA else v for k, v in r.items()} for r in d.to_dict("records")]
alike("pandas", "native file", rows(run))
alike("pandas", "Parquet", rows(table))
lake_alike("pandas", rows(lake))
assert int(pd.read_feather("run.arrow")["requests"][0]) == 2**53, "pandas keeps integers now: say so on the page"
`,
	"polars": `
alike("polars", "native file", run.to_dicts())
alike("polars", "Parquet", table.to_dicts())
lake_alike("polars", lake.to_dicts())
`,
	"DuckDB": `
def rows(r):
    return [dict(zip(r.columns, row)) for row in r.fetchall()]
alike("DuckDB", "native file", rows(run))
alike("DuckDB", "Parquet", rows(table))
lake_alike("DuckDB", rows(lake))
`,
	"pyarrow": `
alike("pyarrow", "native file", run.to_pylist())
alike("pyarrow", "Parquet", table.to_pylist())
lake_alike("pyarrow", lake.to_pylist())
`,
	"pyspark": `
alike("pyspark", "Parquet", [r.asDict() for r in table.collect()])
lake_alike("pyspark", [r.asDict() for r in lake.collect()])
`,
	"Units, kinds and reasons": `
want = {"start": "ns", "end": "ns", "requests": "", "cycles": "cycles", "used": "MiB"}
assert units == want, units
assert kinds == {"start": None, "end": None, "requests": "delta", "cycles": "delta", "used": "gauge"}, kinds
assert {c["column"]: c["keys"].get("unit", "") for c in columns} == want
assert "None here" in fields.field("requests").metadata[b"reasons"].decode()
print("ENGINE | pyarrow | units, kinds and reasons |", len(units) + len(kinds), "values")
`,
}

// The lines of dataframes.md are run as they stand, each section's by its engine, and what they have read is compared with
// what was written.
func TestEnginesReadCapturesAsDataFrames(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the program and starts engines")
	}
	python := os.Getenv("ASTROLABE_LAKE_PYTHON")
	if python == "" {
		python = "python3"
	}
	text, err := os.ReadFile("dataframes.md")
	if err != nil {
		t.Fatal(err)
	}
	dir, bin := t.TempDir(), t.TempDir()
	if err := os.Symlink(programs.Path(t, "astrolabe"), filepath.Join(bin, "astrolabe")); err != nil {
		t.Fatal(err)
	}
	make := exec.Command("bash", "-euc", frameOfThePage+blocksOf(string(text))[0].text)
	make.Dir, make.Env = dir, append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"))
	if out, err := make.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	asked := 0
	for _, section := range strings.Split(string(text), "\n## ")[1:] {
		name, _, _ := strings.Cut(section, "\n")
		for _, b := range blocksOf(section) {
			if b.language != "py" {
				continue
			}
			asked++
			t.Run(name, func(t *testing.T) {
				if checks[name] == "" {
					t.Fatal("nothing compares what this section reads")
				}
				if name == "pyspark" && !longtests.Asked() && os.Getenv("ASTROLABE_LAKE_PYTHON") == "" {
					t.Skip("SKIPPED: pyspark takes half a minute: .ci/extra lake asks it")
				}
				for _, line := range strings.Split(b.text, "\n") {
					if module, ok := strings.CutPrefix(strings.Replace(line, "from ", "import ", 1), "import "); ok {
						module = strings.Fields(module)[0]
						if exec.Command(python, "-c", "import "+module).Run() != nil {
							t.Skipf("SKIPPED: %s is not installed", module)
						}
					}
				}
				ask := exec.Command(python, "-c", b.text+alike+checks[name])
				ask.Dir = dir
				out, err := ask.CombinedOutput()
				if err != nil {
					t.Fatalf("%v\n%s\nsays\n%s", err, b.text, out)
				}
				for _, line := range strings.Split(string(out), "\n") {
					if i := strings.Index(line, "ENGINE | "); i >= 0 { // Spark draws its progress before it
						t.Log(line[i:])
					}
				}
			})
		}
	}
	if asked != len(checks) {
		t.Errorf("%d sections were asked, and there are checks of %d", asked, len(checks))
	}
}
