//go:build linux

package panfrost

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"astrolabe/capture"
	"astrolabe/capture/formats"
	"astrolabe/capture/formats/all"
	"astrolabe/hwio/hwtest"
	model "astrolabe/hwio/hwtest/mali"
	"astrolabe/hwio/hwtest/programs"
	"astrolabe/hwio/internal/mali"
)

// emulation is what became of a run of the program on an emulated GPU.
type emulation struct {
	exit   int
	calls  []hwtest.Entry
	truth  *model.Truth
	output string
	file   string
}

// emulate runs astrolabe with arguments on the emulated board in scenarios; $FILE among them stands for the recording. It is interrupted when it
// has made so many requests for a sample; 0 is never.
func emulate(t *testing.T, scenarios []string, requests int, args ...string) *emulation {
	t.Helper()
	if testing.Short() {
		t.Skip("SKIPPED: -short: emulations record in real time")
	}
	path := programs.Path(t, "astrolabe")
	e := &emulation{file: filepath.Join(t.TempDir(), "live.arrow")}
	for i, a := range args {
		args[i] = strings.ReplaceAll(a, "$FILE", e.file)
	}
	models := model.Models()
	at := slices.IndexFunc(models, func(m hwtest.Model) bool { return m.Name == "panfrost" })
	if at < 0 {
		t.Fatal("no model panfrost")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	var out bytes.Buffer
	cmd := exec.Command(path, args...)
	cmd.Stdout, cmd.Stderr = &out, &out
	res, err := hwtest.Run(ctx, hwtest.Options{
		Device: models[at].New(), Settings: hwtest.Settings{Scenarios: scenarios, Seed: 1}, Cmd: cmd, EndAfter: requests,
	})
	if errors.Is(err, hwtest.ErrUnsupported) {
		t.Skipf("SKIPPED: no emulation here: %v", err)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	e.exit, e.calls, e.truth, e.output = res.Exit, res.Calls, res.Truth.(*model.Truth), out.String()
	return e
}

// record is emulate with a recording of so many requests, or until it ends by itself.
func record(t *testing.T, scenarios []string, requests int, more ...string) *emulation {
	t.Helper()
	args := append([]string{"record", "--source", "panfrost", "--period", "2ms", "--duration", "10m", "-o", "$FILE"}, more...)
	e := emulate(t, scenarios, requests, args...)
	if e.exit != 0 {
		t.Fatalf("exit status %d:\n%s", e.exit, e.output)
	}
	return e
}

// client is the one that counted.
func (e *emulation) client(t *testing.T) *model.ClientTruth {
	t.Helper()
	for _, c := range e.truth.Clients {
		if c.PID != 0 && c.Delivered > 0 {
			return c
		}
	}
	t.Fatalf("the program counted nothing:\n%s", e.output)
	return nil
}

// equalsTruth compares every counter of every physical block with what the driver delivered.
func (e *emulation) equalsTruth(t *testing.T) (*capture.Capture, *model.ClientTruth) {
	t.Helper()
	if !e.truth.Released {
		t.Error("the program left something behind")
	}
	c, err := all.Registry().Open(t.Context(), e.file, formats.Options{})
	if err != nil {
		t.Fatalf("%v\n%s", err, e.output)
	}
	truth := e.client(t)
	byAlias := map[string]*capture.Counter{}
	for _, ctr := range c.Counters {
		byAlias[ctr.Name] = ctr
		for _, a := range ctr.Aliases {
			byAlias[a] = ctr
		}
	}
	blocks := map[string]int{}
	for _, b := range truth.Totals {
		blocks[b.Block]++
	}
	compared, nonzero := 0, 0
	for _, b := range truth.Totals {
		for index := mali.HeaderValues; index < len(b.Values); index++ {
			raw := fmt.Sprintf("%s_%d", b.Block, index)
			ctr := byAlias[raw]
			if ctr == nil {
				t.Fatalf("no counter for %s", raw)
			}
			if blocks[b.Block] > 1 {
				if ctr = ctr.Instance(fmt.Sprint(b.Physical)); ctr == nil {
					t.Fatalf("%s has no instance %d", raw, b.Physical)
				}
			}
			if got, ok := ctr.Sum().Uint64(); got != b.Values[index] || !ok && b.Values[index] != 0 {
				t.Fatalf("%s[%d] is %d in all, the driver delivered %d", raw, b.Physical, got, b.Values[index])
			}
			compared++
			if b.Values[index] != 0 {
				nonzero++
			}
		}
	}
	if c.Axis.Start[0] < 0 {
		t.Errorf("the first sample begins at %d ns", c.Axis.Start[0])
	}
	if compared < 240 || nonzero == 0 {
		t.Errorf("%d values were compared, %d of them not 0", compared, nonzero)
	}
	return c, truth
}

func TestRecordingsEqualTheTruth(t *testing.T) {
	for _, scenarios := range []string{"", "sparse", "dvfs", "core-off", "wrap", "unknown-product"} {
		samples := 100
		if scenarios == "core-off" {
			samples = 280 // 560 ms at least
		}
		t.Run(scenarios, func(t *testing.T) {
			t.Parallel()
			e := record(t, strings.Fields(scenarios), samples)
			c, truth := e.equalsTruth(t)
			if c.Len() != truth.Delivered || truth.Delivered < 20 {
				t.Errorf("%d samples of %d delivered ones", c.Len(), truth.Delivered)
			}
			if f := c.Counter("gpu_frequency"); f == nil || f.Count() == 0 {
				t.Error("no frequency was recorded")
			}
		})
	}
}

// A request that the hardware does not answer leaves its counts to the next sample, also where the recording is to end while it hangs: the last sample
// is asked for after it, and only if that hangs too is there a gap.
func TestATimeoutIsLateAndLosesNoCount(t *testing.T) {
	for _, requests := range []int{5, 11} { // every fifth hangs
		e := record(t, []string{"timeout"}, requests)
		c, truth := e.equalsTruth(t)
		lost := uint64(0)
		for _, g := range c.Late {
			if !strings.Contains(g.Reason.Text, "did not answer") {
				continue
			}
			lost += g.Lost
			// The driver waits for a second.
			if i := slices.Index(c.Axis.Start, g.Start); g.End-g.Start < 1e9 || i < 0 || c.Axis.End[i] != g.End {
				t.Errorf("%d requests: the late span %+v is not that of a sample", requests, g)
			}
		}
		for _, g := range c.Gaps {
			lost += g.Lost
			if g.Start != c.Axis.End[c.Len()-1] || !strings.Contains(g.Reason.Text, "the recording ended") {
				t.Errorf("%d requests: the gap %+v is not that of a request at the end", requests, g)
			}
		}
		// Only the very last request leaves its time to nobody.
		if atEnd := (truth.Delivered+truth.Lost)%5 == 0; atEnd != (len(c.Gaps) > 0) || c.Len() != truth.Delivered {
			t.Errorf("%d requests: gaps %+v, %d samples of %d, the last request hung: %v", requests, c.Gaps, c.Len(), truth.Delivered, atEnd)
		}
		if lost == 0 || int(lost) != truth.Lost || truth.Lost < requests/5 {
			t.Errorf("%d requests: %d are late, %d were not answered: %+v", requests, lost, truth.Lost, c.Late)
		}
		if !strings.Contains(e.output, "did not answer") {
			t.Errorf("%d requests: nothing is said of the hang:\n%s", requests, e.output)
		}
	}
}

func TestARemovedDeviceEndsTheRecordingCleanly(t *testing.T) {
	e := record(t, []string{"unplug"}, 0)
	c, truth := e.equalsTruth(t)
	if !strings.Contains(e.output, "was removed") {
		t.Errorf("nothing is said of the removal:\n%s", e.output)
	}
	if c.Len() != truth.Delivered {
		t.Errorf("%d samples of %d delivered ones", c.Len(), truth.Delivered)
	}
}

func TestAnInterruptSwitchesTheCountersOff(t *testing.T) {
	e := emulate(t, nil, 200, "record", "--source", "panfrost", "--period", "2ms", "--duration", "1h", "-o", "$FILE")
	if _, truth := e.equalsTruth(t); truth.Running || !truth.Closed {
		t.Errorf("running %v, closed %v", truth.Running, truth.Closed)
	}
}

func TestRequestsComeInTheOrderOfTheReference(t *testing.T) {
	e := record(t, nil, 30)
	from := 0
	for i, c := range e.calls {
		if strings.HasPrefix(c.Call, "open") && strings.HasSuffix(c.What, "/renderD128") {
			from = i
		}
	}
	want := []string{"GET_PARAM", "PERFCNT_ENABLE", "PERFCNT_DUMP", "PERFCNT_ENABLE", "close"}
	at := 0
	for _, c := range e.calls[from:] {
		what := c.What
		if c.Call == "close" {
			what = "close"
		}
		if at < len(want) && strings.Contains(what, want[at]) {
			at++
		}
	}
	if at != len(want) {
		t.Errorf("%s is not where it should be", want[at])
	}
}

func TestTheDoctorTellsEveryTroubleApart(t *testing.T) {
	for scenario, want := range map[string]string{
		"denied-open": "/dev/dri/renderD128 may not be opened", "no-unstable": "echo 1 > /sys/module/panfrost/parameters/unstable_ioctls",
		"busy": "another program has the GPU's counters", "unknown-product": "is not known to this version", "": "counters of the Mali-G52",
	} {
		e := emulate(t, strings.Fields(scenario), 0, "doctor")
		if !strings.Contains(e.output, want) {
			t.Errorf("%s: the doctor does not say %q:\n%s", scenario, want, e.output)
		}
		if !e.truth.Released {
			t.Errorf("%s: something was left behind", scenario)
		}
	}
}
