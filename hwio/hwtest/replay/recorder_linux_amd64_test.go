package replay_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"astrolabe/hwio/hwtest"
	"astrolabe/hwio/hwtest/clients"
	"astrolabe/hwio/hwtest/devices"
	"astrolabe/hwio/hwtest/emulated"
	"astrolabe/hwio/hwtest/replay"
	"astrolabe/hwio/internal/tape"
)

// Debian's unmodified recorder is given the reports of the tape, to the last byte.
func TestForeignRecorderRecordsWhatIsOnTheTape(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: -short: emulations record in real time")
	}
	recorder := clients.Path(t, "i915-perf-recorder", "intel-gpu-tools")
	for _, name := range []string{"kbl-gt2", "tgl", "dg2"} {
		t.Run(name, func(t *testing.T) {
			m, err := devices.Find(name)
			if err != nil {
				t.Fatal(err)
			}
			b := collected(t, m.New(), "--duration", "500ms")
			var want []byte
			reads, exponent := 0, uint64(0)
			for i := range b.Events {
				e := &b.Events[i]
				if e.Kind == tape.Read && len(e.Data) > 0 {
					reads, want = reads+1, append(want, e.Data...)
				}
				for at := 0; e.Path == "PERF_OPEN" && at+16 <= len(e.BufIn); at += 16 {
					if binary.LittleEndian.Uint64(e.BufIn[at:]) == 5 { // DRM_I915_PERF_PROP_OA_EXPONENT
						exponent = binary.LittleEndian.Uint64(e.BufIn[at+8:])
					}
				}
			}
			file := filepath.Join(t.TempDir(), "a.record")
			// It makes a FIFO of a fixed name, so two cannot run at a time on a machine.
			lock, err := os.OpenFile(filepath.Join(os.TempDir(), fmt.Sprintf("astrolabe-i915-perf-recorder-%d.lock", os.Getuid())), os.O_CREATE|os.O_RDWR, 0o600)
			if err != nil {
				t.Fatal(err)
			}
			defer lock.Close()
			if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX); err != nil {
				t.Fatal(err)
			}
			// It says which exponent it makes of a period, by a clock that it knows or guesses.
			for period, tries := 0.005, 0; ; tries++ {
				res, out := emulated.Run(t, hwtest.Options{Device: replay.New(b), EndAfter: reads,
					Cmd: exec.Command(recorder, "-m", "RenderBasic", "-p", fmt.Sprintf("%.9f", period), "-c", "0.2", "-o", file)})
				_, said, _ := strings.Cut(out, "oa_exponent=")
				var made int
				if _, err := fmt.Sscanf(said, "%d", &made); err != nil {
					t.Fatalf("exit status %d:\n%s", res.Exit, out)
				}
				if made != int(exponent) && tries < 3 {
					period *= math.Exp2(float64(int(exponent) - made))
					continue
				}
				if res.Exit != 0 {
					t.Fatalf("exit status %d:\n%s", res.Exit, out)
				}
				break
			}
			got := streamed(t, file)
			// It may be interrupted between two of its reads.
			if len(got) < len(want)/2 || !bytes.HasPrefix(want, got) {
				t.Errorf("%d bytes of reports in its file are not the first of the %d on the tape", len(got), len(want))
			}
			t.Logf("%d of %d bytes of reports", len(got), len(want))
		})
	}
}

// streamed is what of a recorder's file came from the driver. Its own records have kinds from 0x10000 on.
func streamed(t *testing.T, file string) (out []byte) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for len(b) >= 8 {
		kind, n := binary.LittleEndian.Uint32(b), int(binary.LittleEndian.Uint16(b[6:]))
		if n < 8 || n > len(b) {
			t.Fatalf("a record of kind %#x has %d bytes", kind, n)
		}
		if kind < 0x10000 {
			out = append(out, b[:n]...)
		}
		b = b[n:]
	}
	return out
}
