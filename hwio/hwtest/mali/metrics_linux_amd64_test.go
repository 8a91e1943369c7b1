package mali

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"testing"

	"astrolabe/hwio/hwtest/clients"
	"astrolabe/hwio/hwtest/programs"
)

// Arm's formulas, which are not the model's, are asked of every sample: none is negative, no percentage exceeds 100.
func TestNoMetricOfASampleIsImpossible(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: -short: emulations run in real time")
	}
	program := programs.Path(t, "astrolabe")
	for _, s := range specs() {
		if s.layout != "g615" && s.layout != "g720" {
			continue // without a catalogue
		}
		t.Run(s.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "r.arrow")
			clients.Run(t, clients.Options{Device: newBoard(s), Seed: 1, EndAfter: 300}, program,
				"record", "--source", "kbase", "--period", "1ms", "--duration", "10m", "-o", path)
			out, err := exec.Command(program, "stat", path, "--json", "--quiet").Output()
			if err != nil {
				t.Fatal(err)
			}
			var rows []struct {
				Name, Unit, Kind string
				Min, Max         *float64
			}
			if err := json.Unmarshal(out, &rows); err != nil {
				t.Fatal(err)
			}
			metrics := 0
			for _, r := range rows {
				if r.Min == nil || r.Kind != "derived" {
					continue
				}
				metrics++
				if *r.Min < 0 || r.Unit == "percent" && *r.Max > 100 {
					t.Errorf("%s is %v to %v %s", r.Name, *r.Min, *r.Max, r.Unit)
				}
			}
			if metrics < 90 {
				t.Errorf("%d metrics were computed", metrics)
			}
		})
	}
}
