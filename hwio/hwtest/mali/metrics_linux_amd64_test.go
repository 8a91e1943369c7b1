package mali

import (
	"encoding/json"
	"fmt"
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
	output := func(args ...string) string {
		t.Helper()
		out, err := exec.Command(program, append([]string{"--quiet"}, args...)...).Output()
		if err != nil {
			t.Fatalf("%q: %v", args, err)
		}
		return string(out)
	}
	for _, s := range specs() {
		t.Run(s.name, func(t *testing.T) {
			source := "kbase"
			if s.kind == driverPanfrost {
				source = "panfrost"
			}
			path := filepath.Join(t.TempDir(), "r.arrow")
			clients.Run(t, clients.Options{Device: newBoard(s), Seed: 1, EndAfter: 150}, program,
				"record", "--source", source, "--period", "2ms", "--duration", "10m", "-o", path)
			gpu := strings.TrimSpace(output("-c", "print(cap.gpu)", path))
			var entries []struct{ Expr, Unit string }
			if err := json.Unmarshal([]byte(output("metrics", gpu, "--json")), &entries); err != nil {
				t.Fatal(err)
			}
			const low, high = "max(min(", ", 100), 0)"
			var script strings.Builder
			percent := map[string]bool{}
			for _, e := range entries {
				if e.Expr == "" {
					continue
				}
				formula := e.Expr
				if inner, ok := strings.CutPrefix(formula, low); ok && strings.HasSuffix(inner, high) {
					formula = strings.TrimSuffix(inner, high)
					percent[formula] = true
				}
				fmt.Fprintf(&script, "c = cap.eval(%q)\nprint(c.min(), c.max(), %q)\n", formula, formula)
			}
			if len(percent) < 30 {
				t.Fatalf("%d percentages are in the catalogue %s", len(percent), gpu)
			}
			computed := 0
			for line := range strings.Lines(output("-c", script.String(), path)) {
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
			if computed < 80 {
				t.Errorf("%d metrics of %s were computed", computed, gpu)
			}
		})
	}
}
