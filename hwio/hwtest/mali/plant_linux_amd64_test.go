package mali

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"astrolabe/hwio/hwtest/clients"
	"astrolabe/hwio/hwtest/programs"
	"astrolabe/internal/longtests"
)

// findings are the ids of the rules that name a limiter.
var findings = map[string]string{"texture": "texture_bound", "arithmetic": "arithmetic_bound", "load-store": "load_store_bound", "memory": "read_stalls"}

// The rules, whose author has not read the models, name what is planted. Each device has one plant of its own, and all in the long form.
func TestReportsNameTheLimiterOfEveryDevice(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: -short: emulations run in real time")
	}
	program := programs.Path(t, "astrolabe")
	for n, s := range specs() {
		source := "kbase"
		if s.kind == driverPanfrost {
			source = "panfrost"
		}
		for i, p := range plants {
			if i != n%len(plants) && !longtests.Asked() {
				continue
			}
			t.Run(s.name+" "+p.limiter, func(t *testing.T) {
				var r verdict
				for range 5 {
					r = recorded(t, s, p.limiter, program, source)
					// A machine with much else to do lets the model's clock run on while nobody answers: then it had nothing to do.
					if len(r.Findings) == 0 || r.Findings[0].ID != "waiter_unknown" {
						break
					}
				}
				if len(r.Findings) == 0 || r.Findings[0].ID != findings[p.limiter] {
					t.Errorf("the verdict is %q, the findings are %+v", r.Verdict, r.Findings)
				}
			})
		}
	}
}

// verdict is what a report says.
type verdict struct {
	Verdict  string
	Findings []struct{ ID, Title string }
}

// recorded is the report of a recording of a device that something limits.
func recorded(t *testing.T, s spec, limiter, program, source string) (r verdict) {
	path := filepath.Join(t.TempDir(), "r.arrow")
	b := newBoard(s)
	clients.Run(t, clients.Options{Device: b, Scenarios: []string{limitedBy + limiter}, Seed: 1, EndAfter: 60}, program,
		"record", "--source", source, "--period", "2ms", "--duration", "10m", "-o", path)
	if truth := b.Truth().(*Truth); truth.Limiter != limiter {
		t.Errorf("the truth has the limiter %q", truth.Limiter)
	}
	page := filepath.Join(t.TempDir(), "r.json")
	if out, err := exec.Command(program, "report", path, "-o", page).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	return r
}
