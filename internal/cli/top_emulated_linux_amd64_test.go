package cli

import (
	"os/exec"
	"strings"
	"testing"

	"astrolabe/hwio/hwtest/programs"
)

// Two cards of AMD that are not there: each counter has a part of each, and what the screen shows is what a file of the
// same time has.
func TestTopOfTwoEmulatedGPUs(t *testing.T) {
	exe := built(t)
	emulate := programs.Path(t, "astrolabe/hwio/hwtest/cmd/emulate")
	if out, err := exec.Command(emulate, "--device", "gfx1151", "--", "/bin/true").CombinedOutput(); err != nil {
		t.Skipf("SKIPPED: this system cannot run a program under an emulated kernel: %v %s", err, out)
	}
	m := openTmux(t, 120, 40, emulate+" --device gfx1151 --scenario two-gpus -- "+exe+
		" top --source amdgpu --period 20ms --refresh 500ms")
	m.wait(`\+busy_gfx_sampled +[0-9]`)
	m.keys("r")
	m.wait(`REC .*\.arrow`)
	m.keys("I")
	from := field(t, m.wait(`busy_gfx_sampled\[card1\] +[0-9]`), `([0-9.]+) to `)
	for field(t, m.wait(`busy_gfx_sampled\[card1\] +[0-9]`), `([0-9.]+) to `) <= from+0.6 {
	}
	m.keys("Space")
	shown := m.wait("PAUSED(.*\n)+.*busy_gfx_sampled")
	for _, want := range []string{"busy_gfx_sampled[card0]", "busy_gfx_sampled[card1]"} {
		if !strings.Contains(shown, want) {
			t.Errorf("%s is not on the screen:\n%s", want, shown)
		}
	}
	m.keys("q")
	m.wait(`\.arrow\s+status 0`)
	m.restored()
	sameAsRecorded(t, m.dir, strings.NewReplacer("\n+", "\n ", "\n-", "\n ").Replace(shown))
}
