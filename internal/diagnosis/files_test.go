package diagnosis

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"astrolabe/hwio/hwtest/programs"
)

// filed is a file whose limiter is known: a line of a truth.csv below testdata/files.
type filed struct {
	file, limiter string   // limiter is "healthy" where nothing limits that is to be mended
	flags         []string // of the report
	says          []string // findings that name the limiter
	today         string   // what the report says of it: an outcome
}

// outcomes of a report on a file, the best one first.
const (
	right      = "right"
	second     = "second"  // named behind something else
	asks       = "asks"    // says what to record
	nothing    = "nothing" // names nothing
	another    = "another" // names another limiter
	falseAlarm = "alarm"   // of a healthy program
)

// Files in the form of other programs, by models in other languages whose authors know neither the rules nor the models of
// this repository, and recordings of real programs by others, are judged as a user would let them be judged. What comes of each is written down, so that a change for the
// worse is seen, and one for the better has to be written down as well. In short tests every fourth is judged.
func TestFilesByModelsOfOthers(t *testing.T) {
	every := 1
	if testing.Short() {
		every = 4
	}
	program := programs.Path(t, "astrolabe")
	tables, err := filepath.Glob(filepath.Join("testdata", "files", "*", "truth.csv"))
	if err != nil || len(tables) == 0 {
		t.Fatalf("no tables of files: %v", err)
	}
	causes, quality := rolesOfRules(t)
	for _, table := range tables {
		dir := filepath.Dir(table)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			t.Parallel()
			counts := map[string]int{}
			for i, f := range readTruth(t, table) {
				if i%every > 0 {
					continue
				}
				out := filepath.Join(t.TempDir(), "report.json")
				args := append([]string{"report", filepath.Join(dir, f.file), "--quiet", "--summary", "-o", out}, f.flags...)
				if text, err := exec.CommandContext(t.Context(), program, args...).CombinedOutput(); err != nil {
					t.Errorf("%s: %v\n%s", f.file, err, text)
					continue
				}
				got, why := f.outcome(t, out, causes, quality)
				counts[got]++
				if got != f.today {
					t.Errorf("%s, limited by %s: %s, where truth.csv says %s: %s", f.file, f.limiter, got, f.today, why)
				}
			}
			t.Log(counts)
		})
	}
}

// outcome is what a report says of a file, and its findings in words.
func (f *filed) outcome(t *testing.T, report string, causes, quality map[string]bool) (got, why string) {
	t.Helper()
	text, err := os.ReadFile(report)
	if err != nil {
		t.Fatal(err)
	}
	var page struct {
		Findings []struct{ ID, Severity, Title string }
	}
	if err := json.Unmarshal(text, &page); err != nil {
		t.Fatal(err)
	}
	var named []string
	for _, x := range page.Findings {
		why += fmt.Sprintf("%s (%s) ", x.ID, x.Severity)
		if causes[x.ID] {
			named = append(named, x.ID)
		}
		if f.limiter == "healthy" && (x.Severity == "warning" || x.Severity == "critical") && !quality[x.ID] {
			return falseAlarm, why
		}
	}
	asking := func(id string) bool {
		return slices.Contains([]string{"not_measured", "not_countable", "waiter_unknown", "load_unknown"}, id)
	}
	hit := func(id string) bool { return slices.Contains(f.says, id) }
	switch {
	case f.limiter == "healthy":
		return right, why
	case len(named) == 0:
		return nothing, why
	case hit(named[0]):
		return right, why
	case len(named) > 1 && hit(named[1]):
		return second, why
	case asking(named[0]):
		return asks, why
	}
	return another, why
}

// rolesOfRules are the findings of all scripts that can be named as a limiter, or ask for what would tell, and those about
// the data.
func rolesOfRules(t *testing.T) (causes, quality map[string]bool) {
	t.Helper()
	causes, quality = map[string]bool{}, map[string]bool{"data_missing": true}
	scripts, err := filepath.Glob(filepath.Join("..", "..", "scripts", "triage", "*.star"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range scripts {
		if strings.HasSuffix(path, "_test.star") {
			continue
		}
		j, err := NewJudge(t.Context(), strings.TrimSuffix(filepath.Base(path), ".star"))
		if err != nil {
			t.Fatal(err)
		}
		named, err := j.Nameable("cause")
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range named {
			causes[id] = true
		}
		about, err := j.Nameable("quality")
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range about {
			quality[id] = true
		}
	}
	return causes, quality
}

func readTruth(t *testing.T, table string) (out []filed) {
	t.Helper()
	file, err := os.Open(table)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"file", "limiter", "flags", "says", "today"}; len(rows) < 2 || !slices.Equal(rows[0], want) {
		t.Fatalf("%s has no files, or other columns than %v", table, want)
	}
	for _, r := range rows[1:] {
		out = append(out, filed{file: r[0], limiter: r[1], flags: strings.Fields(r[2]), says: strings.Fields(r[3]), today: r[4]})
	}
	return out
}
