package i915

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"astrolabe/hwio/hwtest"
	"astrolabe/hwio/hwtest/emulated"
	model "astrolabe/hwio/hwtest/i915"
	"astrolabe/hwio/internal/oaregisters"
)

const stressVariable = "ASTROLABE_I915_STRESS"

// Answers get lost where a structure moves, or a file is closed, while the kernel works on a request: the stacks grow and the
// garbage collector runs all the time here.
func TestEmulatedRequestsSurviveTheGarbageCollector(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: -short: emulations run in real time")
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestStressedRequests$", "-test.v")
	cmd.Env = append(os.Environ(), stressVariable+"=1")
	res, out := emulated.Run(t, hwtest.Options{Device: model.Models()[0].New(), Cmd: cmd})
	if res.Exit != 0 || !strings.Contains(out, "--- PASS: TestStressedRequests") {
		t.Errorf("%+v\n%s", res.Exit, out)
	}
}

// TestStressedRequests is the program of the test above.
func TestStressedRequests(t *testing.T) {
	if os.Getenv(stressVariable) == "" {
		t.Skip("only under the emulated kernel")
	}
	var collector, workers sync.WaitGroup
	var done atomic.Bool
	collector.Go(func() {
		for !done.Load() {
			runtime.GC()
		}
	})
	for w := range 4 {
		workers.Go(func() {
			for n := range 120 {
				if err := stressed(w, n%12); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	workers.Wait()
	done.Store(true)
	collector.Wait()
}

// stressed makes one of every request from the depth of a stack that has to grow first.
func stressed(worker, depth int) error {
	var room [512]byte
	if depth > 0 {
		err := stressed(worker, depth-1)
		runtime.KeepAlive(&room)
		return err
	}
	d, err := newKernel().open("/dev/dri/renderD128")
	if err != nil {
		return err
	}
	if v, err := d.param(paramOAFrequency); err != nil || v != 12_000_000 {
		return fmt.Errorf("frequency %d, %v", v, err)
	}
	if b, err := d.query(queryTopology); err != nil || !bytes.Equal(b, gt2Topology()) {
		return fmt.Errorf("topology %x, %v", b, err)
	}
	a, err1 := d.readRegister(regTimestamp)
	b, err2 := d.readRegister(regTimestamp)
	if err1 != nil || err2 != nil || a == 0 || b < a {
		return fmt.Errorf("timestamps %d and %d, %v, %v", a, b, err1, err2)
	}
	guid := fmt.Sprintf("00000000-0000-0000-0000-%012d", worker)
	id, err := d.addConfig(guid, &oaregisters.Lists{
		Mux:     []oaregisters.Register{{Address: 0x9888, Value: 1}, {Address: 0x9888, Value: 2}},
		Boolean: []oaregisters.Register{{Address: 0x2710}},
	})
	if err != nil || id == 0 {
		return fmt.Errorf("config %d, %w", id, err)
	}
	if err := d.removeConfig(id); err != nil {
		return err
	}
	return d.close()
}
