package mali

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"astrolabe/hwio/hwtest/clients"
	"astrolabe/hwio/hwtest/programs"
)

// Arm's formulas, which are not the model's, are asked of every sample: none is negative, no percentage exceeds 100. Their bounds of percentages, which
// would hide that, are taken off first.
func TestNoMetricOfASampleIsImpossible(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: -short: emulations run in real time")
	}
	program := programs.Path(t, "astrolabe")
	for _, s := range specs() {
		catalogue, err := os.ReadFile("../../../capture/metrics/data/" + s.name + ".metrics")
		if err != nil {
			continue // none of its own
		}
		t.Run(s.name, func(t *testing.T) {
			const low, high = "max(min(", ", 100), 0)"
			var script strings.Builder
			percent := map[string]bool{}
			for line := range strings.Lines(string(catalogue)) {
				formula, ok := strings.CutPrefix(strings.TrimSpace(line), "expr ")
				if !ok {
					continue
				}
				if inner, ok := strings.CutPrefix(formula, low); ok && strings.HasSuffix(inner, high) {
					formula = strings.TrimSuffix(inner, high)
					percent[formula] = true
				}
				fmt.Fprintf(&script, "c = cap.eval(%q)\nprint(c.min(), c.max(), %q)\n", formula, formula)
			}
			if len(percent) < 30 {
				t.Fatalf("%d percentages are in the catalogue", len(percent))
			}
			path := filepath.Join(t.TempDir(), "r.arrow")
			clients.Run(t, clients.Options{Device: newBoard(s), Seed: 1, EndAfter: 300}, program,
				"record", "--source", "kbase", "--period", "1ms", "--duration", "10m", "-o", path)
			out, err := exec.Command(program, "--quiet", "-c", script.String(), path).Output()
			if err != nil {
				t.Fatal(err)
			}
			computed := 0
			for line := range strings.Lines(string(out)) {
				f := strings.SplitN(strings.TrimSpace(line), " ", 3)
				least, err := strconv.ParseFloat(f[0], 64)
				if err != nil {
					continue // nothing to divide by in any sample
				}
				most, err := strconv.ParseFloat(f[1], 64)
				if err != nil {
					t.Fatalf("%q: %v", line, err)
				}
				computed++
				if least < 0 || percent[f[2]] && most > 100 {
					t.Errorf("%v to %v: %s", least, most, f[2])
				}
			}
			if computed < 90 {
				t.Errorf("%d metrics were computed:\n%s", computed, out)
			}
		})
	}
}
