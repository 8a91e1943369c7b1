package cli

import (
	"encoding/csv"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// A text that begins so is a formula in a spreadsheet, unless it is a number.
func isFormula(cell string) bool {
	_, err := strconv.ParseFloat(cell, 64)
	return cell != "" && strings.ContainsRune("=+-@\t\r\n", rune(cell[0])) && err != nil
}

func TestTextsOfTablesAreNoFormulas(t *testing.T) {
	dir := t.TempDir()
	const names = `["=cmd|'/c calc'!A0", "+x", "-x", "@SUM(1)", "\t=x", "'=kept", "plain", "it's"]`
	code := `
names = ` + names + `
cap = capture.from_columns({n: [-1.5, 2, None, -4, 5, 6, 7, 8] for n in names}, period = "1ms", labels = {"=kernel": names})
cap.save("a.csv")
cap.save("a.tsv")
write("t.csv", cap.head(8).csv())
for path in ["a.csv", "a.tsv"]:
    back = capture.open(path)
    print(back.counters.keys() == names, [r["=kernel"] for r in back.head(8)] == names, back["-x"].min() == -4.0, back["-x"].total())
`
	cmd := exec.Command("astrolabe", "-c", code)
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil || strings.Count(string(out), "True True True") != 2 {
		t.Errorf("%v: what was marked does not come back:\n%s", err, out)
	}
	if err := os.WriteFile(filepath.Join(dir, "m.star"),
		[]byte("def map(cap):\n    return {\"=k\": \"=v\", \"n\": -2.5, \"m\": \"-3\", \"t\": [\"=\"]}\n"),
		0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(dir, "a.tsv"), filepath.Join(dir, "=a.tsv")); err != nil {
		t.Fatal(err)
	}
	cmd = exec.Command("astrolabe", "map", "--csv", "m.star", "=a.tsv")
	cmd.Dir = dir
	mapped, err := cmd.Output()
	if err != nil {
		t.Fatalf("map: %v", err)
	}
	tables := map[string]string{"map": string(mapped)}
	for _, name := range []string{"a.csv", "t.csv"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		tables[name] = string(text)
	}
	for name, text := range tables {
		rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		numbers := 0
		for _, row := range rows {
			for _, cell := range row {
				if isFormula(cell) {
					t.Errorf("%s holds the formula %q", name, cell)
				}
				if strings.HasPrefix(cell, "-") {
					numbers++
				}
			}
		}
		if numbers == 0 {
			t.Errorf("%s holds no negative number: they are no texts\n%s", name, text)
		}
	}
}
