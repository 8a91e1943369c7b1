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

// The questions of lake.md are asked as they stand, of a lake of two builds.
func TestEnginesAnswer(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the program and records for seconds")
	}
	python := os.Getenv("ASTROLABE_LAKE_PYTHON")
	if python == "" {
		python = "python3"
	}
	text, err := os.ReadFile("lake.md")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	bin := t.TempDir()
	if err := os.Symlink(programs.Path(t, "astrolabe"), filepath.Join(bin, "astrolabe")); err != nil {
		t.Fatal(err)
	}
	make := exec.Command("bash", "-euc", runsOfThePage+blocksOf(string(text))[0].text)
	make.Dir, make.Env = dir, append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"))
	if out, err := make.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	want := map[string]string{"duckdb": "duration", "pandas": "1233", "polars": "len", "pyspark": "1234"}
	asked := 0
	for _, b := range blocksOf(string(text)) {
		engine, code := "duckdb", "import duckdb\nprint(duckdb.sql(\"\"\""+b.text+"\"\"\"))"
		if b.language == "py" {
			code = b.text
			for _, engine = range []string{"pandas", "polars", "pyspark"} {
				if strings.Contains(code, "import "+engine) || strings.Contains(code, "from "+engine) {
					break
				}
			}
		} else if b.language != "sql" {
			continue
		}
		asked++
		t.Run(engine, func(t *testing.T) {
			if engine == "pyspark" && !longtests.Asked() && os.Getenv("ASTROLABE_LAKE_PYTHON") == "" {
				t.Skip("SKIPPED: pyspark takes half a minute: .ci/extra lake asks it")
			}
			if exec.Command(python, "-c", "import "+engine).Run() != nil {
				t.Skipf("SKIPPED: %s is not installed", engine)
			}
			ask := exec.Command(python, "-c", code)
			ask.Dir = dir
			out, err := ask.CombinedOutput()
			if err != nil || !strings.Contains(string(out), want[engine]) {
				t.Errorf("%v\n%s\nsays\n%s", err, code, out)
			}
			t.Logf("%s", out)
		})
	}
	if asked != len(want) {
		t.Errorf("%d questions", asked)
	}
}
