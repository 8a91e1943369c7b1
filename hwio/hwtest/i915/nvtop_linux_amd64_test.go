package i915

import (
	"encoding/json"
	"strings"
	"testing"

	"astrolabe/hwio/hwtest/clients"
)

// nvtop lists only devices that udev has noted and that are enabled on the bus: the model had neither file, and it found no GPU. Of an integrated GPU it
// knows the clock, and which fan is its.
func TestForeignNvtopShowsTheClock(t *testing.T) {
	path, args := clients.Debian13(t, "nvtop", "nvtop")
	for i, name := range []string{"kbl-gt2", "kbl-gt3"} {
		t.Run(name, func(t *testing.T) {
			_, out := clients.Run(t, clients.Options{Device: Models()[i].New(), Seed: 1}, path, append(args, "-s")...)
			var shown []map[string]any
			at := strings.Index(out, "[")
			if at < 0 {
				t.Fatal(out)
			}
			if err := json.Unmarshal([]byte(out[at:]), &shown); err != nil {
				t.Fatalf("%v:\n%s", err, out)
			}
			same := clients.Compare(t, "nvtop", name)
			same.Equal("GPUs", len(shown), 1)
			for _, got := range shown {
				same.Equal("core clock", got["gpu_clock"], "1050MHz")
				same.Equal("fan", got["fan_speed"], "CPU Fan")
			}
		})
	}
}
