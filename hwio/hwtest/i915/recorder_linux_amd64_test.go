package i915

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"astrolabe/hwio/hwtest"
)

// reports are how many reports the recorder is given before it is interrupted.
const reports = 600

// recordWithRecorder runs Debian's unmodified i915-perf-recorder on the emulated GPU until it is interrupted, and returns its file.
func recordWithRecorder(t *testing.T, model, set string, scenarios ...string) (string, *hwtest.Result, *Truth) {
	t.Helper()
	recorder, err := exec.LookPath("i915-perf-recorder")
	if err != nil {
		t.Skip("SKIPPED: i915-perf-recorder is absent (Debian's intel-gpu-tools)")
	}
	// It makes a FIFO of a fixed name, so two cannot run at a time on a machine.
	lock, err := os.OpenFile(filepath.Join(os.TempDir(), fmt.Sprintf("astrolabe-i915-perf-recorder-%d.lock", os.Getuid())), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "a.record")
	var dev hwtest.Device
	for _, m := range Models() {
		if m.Name == model {
			dev = m.New()
		}
	}
	var out bytes.Buffer
	cmd := exec.Command(recorder, "-m", set, "-c", "0.2", "-o", file)
	cmd.Stdout, cmd.Stderr = &out, &out
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	res, err := hwtest.Run(ctx, hwtest.Options{Device: dev, Settings: hwtest.Settings{Scenarios: scenarios, Seed: 3}, Cmd: cmd, EndAfter: reports})
	if errors.Is(err, hwtest.ErrUnsupported) {
		t.Skipf("SKIPPED: %v", err)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	if res.Exit != 0 {
		t.Fatalf("exit %d\n%s", res.Exit, out.String())
	}
	return file, res, res.Truth.(*Truth)
}

// recording splits the recorder's file into what came from the stream, and the correlations of its own.
func recording(t *testing.T, file string) (stream []byte, correlations [][2]uint64) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for len(b) >= 8 {
		kind, n := binary.LittleEndian.Uint32(b), int(binary.LittleEndian.Uint16(b[6:]))
		if n < 8 || n > len(b) {
			t.Fatalf("record of type %#x has %d bytes", kind, n)
		}
		switch {
		case kind < 0x10000:
			stream = append(stream, b[:n]...)
		case kind == 0x10003:
			correlations = append(correlations, [2]uint64{binary.LittleEndian.Uint64(b[8:]), binary.LittleEndian.Uint64(b[16:])})
		}
		b = b[n:]
	}
	return stream, correlations
}

func TestUnmodifiedRecorderRecordsTheTruth(t *testing.T) {
	for _, c := range []struct{ model, set, scenario string }{
		{"kbl-gt2", "RenderBasic", "loaded"}, {"kbl-gt3", "ComputeBasic", "clock-change"}, {"kbl-gt2", "RenderBasic", "slow-reader"},
		{"kbl-gt2", "RenderBasic", "report-loss"}, {"kbl-gt2", "TestOa", "revision-4"},
	} {
		t.Run(c.model+" "+c.set+" "+c.scenario, func(t *testing.T) {
			file, _, truth := recordWithRecorder(t, c.model, c.set, c.scenario)
			raw, correlations := recording(t, file)
			total, contexts, n := accumulate(decode(t, raw, wide), wide)
			if len(truth.Streams) != 1 {
				t.Fatalf("%d streams", len(truth.Streams))
			}
			s := truth.Streams[0]
			same(t, "totals", total, s.Totals)
			for ctx := range s.Contexts {
				same(t, ctx, contexts[ctx], s.Contexts[ctx])
			}
			if n != s.Delivered || n < reports || s.Configs[0].Set != c.set || s.Configs[0].Registers != "published" || truth.Opened != truth.Closed {
				t.Errorf("%d reports in the file; %v of %v", n, s, s.Configs)
			}
			first, last := correlations[0], correlations[len(correlations)-1]
			if len(correlations) < 2 || first[1] >= s.FirstTimestamp || last[1] <= s.LastTimestamp {
				t.Errorf("correlations %v around reports from %d to %d", correlations, s.FirstTimestamp, s.LastTimestamp)
			}
			if c.set == "TestOa" && (total["B1"] != total["GPU_TICKS"] || total["B0"] != 0) {
				t.Errorf("self-test: B1 is %d of %d clocks", total["B1"], total["GPU_TICKS"])
			}
		})
	}
}

func TestUnmodifiedReaderPrintsTheTruth(t *testing.T) {
	reader, err := exec.LookPath("i915-perf-reader")
	if err != nil {
		t.Skip("SKIPPED: i915-perf-reader is absent (Debian's intel-gpu-tools)")
	}
	file, _, truth := recordWithRecorder(t, "kbl-gt2", "RenderBasic")
	out, err := exec.Command(reader, "-c", "VsThreads,CsThreads,PsThreads,GpuCoreClocks,RasterizedPixels,GtiReadThroughput", file).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	// It prints an interval by context between two switches.
	sums, ctx := map[string]map[string]uint64{}, ""
	for line := range strings.Lines(string(out)) {
		f := strings.Fields(line)
		switch {
		case len(f) == 0:
		case strings.HasPrefix(f[0], "hw_id="):
			if ctx = strings.TrimPrefix(f[0], "hw_id="); ctx == "0xffffffff" {
				ctx = "idle"
			}
			if sums[ctx] == nil {
				sums[ctx] = map[string]uint64{}
			}
		case len(f) == 2 && ctx != "":
			if v, err := strconv.ParseUint(f[1], 10, 64); err == nil {
				sums[ctx][f[0]] += v
			}
		}
	}
	if len(sums) != 4 {
		t.Errorf("%d contexts in:\n%.2000s", len(sums), out)
	}
	for ctx, m := range truth.Streams[0].Contexts {
		for name, v := range map[string]uint64{"VsThreads:": m["A1"], "CsThreads:": m["A4"], "PsThreads:": m["A6"], "GpuCoreClocks:": m["GPU_TICKS"],
			"RasterizedPixels:": 4 * m["A21"], "GtiReadThroughput:": 64 * m["C6"]} {
			if sums[ctx][name] != v {
				t.Errorf("context %s: %s %d, want %d", ctx, name, sums[ctx][name], v)
			}
		}
	}
}

func TestRecorderKeepsWhatCameBeforeAnUnplug(t *testing.T) {
	file, _, truth := recordWithRecorder(t, "kbl-gt2", "RenderBasic", "unplug")
	raw, _ := recording(t, file)
	total, _, _ := accumulate(decode(t, raw, wide), wide)
	same(t, "before the unplug", total, truth.Streams[0].Totals)
	if !truth.Unplugged || truth.Totals["GPU_TICKS"] == 0 {
		t.Errorf("unplugged %v, %v", truth.Unplugged, truth.Streams[0])
	}
}
