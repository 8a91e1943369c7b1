package mali

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"astrolabe/hwio/hwtest"
	"astrolabe/hwio/hwtest/emulated"
)

// sampled runs this test's program under a model and compares what it read with the truth.
func sampled(t *testing.T, part, device string, scenarios ...string) *Truth {
	t.Helper()
	sums := filepath.Join(t.TempDir(), "sums.json")
	cmd := exec.Command(os.Args[0], "-test.run=^TestProgram$", "-test.count=1")
	cmd.Env = append(os.Environ(), "MALI_PROGRAM="+part, "MALI_SUMS="+sums)
	r, out := emulated.Run(t, hwtest.Options{Device: emulated.Device(t, Models(), device), Settings: hwtest.Settings{Scenarios: scenarios}, Cmd: cmd})
	if r.Exit != 0 {
		t.Fatalf("exit status %d\n%s", r.Exit, out)
	}
	b, err := os.ReadFile(sums)
	if err != nil {
		t.Fatal(err)
	}
	var got map[string][]uint64
	if err := json.Unmarshal(b, &got); err != nil {
		t.Fatal(err)
	}
	truth := r.Truth.(*Truth)
	if !truth.Released || len(truth.Clients) != 1 {
		t.Errorf("not everything was released: %+v", truth)
	}
	for _, b := range truth.Clients[0].Totals {
		key := fmt.Sprintf("%d/%d", b.Type, b.Reported)
		if len(got[key]) == 0 || !slices.Equal(got[key][:len(b.Values)], b.Values) {
			t.Errorf("%s %d: read %d, truth %d", b.Block, b.Physical, got[key], b.Values)
		}
	}
	return truth
}

func TestAProgramSamplesKinstrThroughRealCalls(t *testing.T) {
	c := sampled(t, "kinstr", "mali-g720").Clients[0]
	if !c.Mapped || c.Stops != 1 || c.Delivered < 300 || c.Unread != 0 {
		t.Errorf("truth: mapped %v, %d stops, %d samples", c.Mapped, c.Stops, c.Delivered)
	}
	identities(t, c, 4)
}

func TestAProgramSamplesVinstrThroughRealCalls(t *testing.T) {
	if c := sampled(t, "vinstr", "mali-g72").Clients[0]; !c.Mapped || c.Delivered != 100 {
		t.Errorf("truth: mapped %v, %d samples", c.Mapped, c.Delivered)
	}
}

func TestAProgramSamplesPanfrostThroughRealCalls(t *testing.T) {
	if c := sampled(t, "panfrost", "panfrost").Clients[0]; c.Delivered != 50 {
		t.Errorf("truth: %d samples", c.Delivered)
	}
}
