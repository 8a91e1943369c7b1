package bundle_test

import (
	"encoding/binary"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"astrolabe/hwio/bundle"
	"astrolabe/hwio/hwtest"
	"astrolabe/hwio/hwtest/devices"
	"astrolabe/hwio/hwtest/emulated"
	"astrolabe/hwio/hwtest/programs"
	"astrolabe/hwio/internal/tape"
)

// archived is the path of what doctor --bundle writes on a device.
func archived(t *testing.T, o hwtest.Options, more ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "b.zip")
	o.Cmd = exec.Command(programs.Path(t, "astrolabe"), append([]string{"doctor", "--bundle", file, "--yes"}, more...)...)
	res, out := emulated.Run(t, o)
	if res.Exit != 0 {
		t.Fatalf("exit status %d:\n%s", res.Exit, out)
	}
	return file
}

// bundled is that archive, opened.
func bundled(t *testing.T, o hwtest.Options, more ...string) *bundle.Bundle {
	t.Helper()
	b, err := bundle.Open(archived(t, o, more...))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// played are the readers that decode the answers of devices again.
var played = []string{"i915", "kbase", "panfrost", "perfevent", "xe"}

// measured skips a test where performance events are refused, which the model shares with the real kernel.
func measured(t *testing.T, device string, b *bundle.Bundle) {
	t.Helper()
	if device == "cpu-pmu" && b.Capture == nil {
		t.Skipf("EMULATION SKIPPED: performance events of whole processors are refused here: %s", b.About.Refused)
	}
}

// Every GPU that is modelled, and ways in which GPUs fail, is judged from what was written down as it was when it was
// there.
func TestEveryModelIsJudgedFromItsAnswers(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: -short: emulations record in real time")
	}
	for _, m := range devices.All() {
		args := []string{"--duration", "400ms"}
		if m.Name == "cpu-pmu" {
			args = append(args, "--source", "perfevent") // the model's switches are not those that the real /proc tells of
		}
		ways := [][]string{nil}
		for _, way := range [][]string{{"loaded"}, {"unplug"}, {"slow-reader"}, {"report-loss"}, {"revision-1", "no-topology"},
			{"unknown-record"}, {"counter-overflow"}, {"few-counters"}, {"watchdog"}, {"throttled"}, {"no-pmu-events"}, {"no-interrupts"}} {
			known := func(name string) bool {
				return slices.ContainsFunc(m.Scenarios, func(s hwtest.Scenario) bool { return s.Name == name })
			}
			if slices.Contains([]string{"kbl-gt2", "bmg", "cpu-pmu"}, m.Name) &&
				!slices.ContainsFunc(way, func(s string) bool { return !known(s) }) {
				ways = append(ways, way)
			}
		}
		for _, way := range ways {
			t.Run(strings.Join(append([]string{m.Name}, way...), ","), func(t *testing.T) {
				b := bundled(t, hwtest.Options{Device: m.New(), Settings: hwtest.Settings{Scenarios: way}}, args...)
				measured(t, m.Name, b)
				for _, c := range b.Judge(t.Context()) {
					// A GPU that goes away delivers nothing for the rest of the recording.
					if c.Verdict == bundle.Broken && !(c.Name == "samples against wall time" && slices.Contains(way, "unplug")) {
						t.Errorf("%s: %s", c.Name, c.Text)
					}
				}
				if b.Capture == nil {
					t.Fatalf("nothing was recorded: %s", b.About.Refused)
				}
				at := slices.IndexFunc(b.Checks, func(c bundle.Check) bool { return c.Name == "capture from raw samples" })
				if at < 0 || b.Checks[at].Verdict != bundle.Holds && slices.Contains(played, b.About.Recorded[0]) {
					t.Errorf("nothing was decoded again: %+v", b.Checks)
				}
			})
		}
	}
}

// A check that cannot fail says nothing: one bit of a report, and a clock that is 1 µs fast, are found. The clock is moved, and
// no bit of it turned: the GPU's clock is read between two looks at it, and a bit that the one look has and the other has not
// would move them toward each other, which leaves the middle where it was.
func TestAChangedAnswerOfAnOAUnitIsFound(t *testing.T) {
	fast := map[*tape.Event]bool{}
	changed(t, "kbl-gt2", map[string]func(e *tape.Event) bool{
		"reports": func(e *tape.Event) bool {
			if e.Kind == tape.Read && len(e.Data) > 1000 {
				e.Data[600] ^= 1
			}
			return false
		},
		"times": func(e *tape.Event) bool {
			switch {
			case e.Kind == tape.Clock && fast[e]:
				e.Value -= 1000
			case e.Kind == tape.Clock:
				e.Value += 1000
			}
			fast[e] = !fast[e]
			return false
		},
	})
}

// The same of a count and of a time in the eighth of the samples that were collected together: the first ones of a processor
// may lie before all of another's, and are then in no capture. Processors sample at different moments and are added up at those
// of one of them, by interpolation: a bit that is worth less than the rounding of that is nobody's to find, and changes of two
// processors could cancel each other. So a bit worth 256 or more is changed, in one ring.
func TestAChangedSampleOfTheKernelIsFound(t *testing.T) {
	bit := func(at int, mask byte) func(e *tape.Event) bool {
		return func(e *tape.Event) bool {
			if e.Kind != tape.Read || len(e.Data) < 2000 {
				return false
			}
			const header, size = 8, 6
			sample := 0
			for range 7 {
				sample += int(binary.NativeEndian.Uint16(e.Data[sample+size:]))
			}
			e.Data[sample+header+at] ^= mask
			return true
		}
	}
	const time, enabled, clockID = 16, 32, 56 // as perf_event_open(2) has them for what is asked
	changed(t, "cpu-pmu", map[string]func(e *tape.Event) bool{
		"counts": bit(clockID+8+1, 1), "times": bit(time+1, 4), "times enabled": bit(enabled+1, 1),
	}, "--source", "perfevent")
}

// changed tells whether changes to what a device answered are found. A change says whether nothing more is to be changed.
func changed(t *testing.T, device string, changes map[string]func(e *tape.Event) bool, more ...string) {
	t.Helper()
	if testing.Short() {
		t.Skip("SKIPPED: -short: emulations record in real time")
	}
	m, err := devices.Find(device)
	if err != nil {
		t.Fatal(err)
	}
	b := bundled(t, hwtest.Options{Device: m.New()}, append([]string{"--duration", "300ms"}, more...)...)
	measured(t, device, b)
	broken := func() bool {
		return slices.ContainsFunc(b.Judge(t.Context()), func(c bundle.Check) bool {
			return c.Name == "capture from raw samples" && c.Verdict == bundle.Broken
		})
	}
	if broken() {
		t.Fatal("it is broken before anything was changed")
	}
	for name, change := range changes {
		for _, want := range []bool{true, false} { // there and back
			for i := range b.Events {
				if change(&b.Events[i]) {
					break
				}
			}
			if broken() != want {
				t.Errorf("%s were changed: found %v, want %v", name, !want, want)
			}
		}
	}
}
