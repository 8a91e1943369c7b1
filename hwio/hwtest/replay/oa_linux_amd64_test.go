package replay_test

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"astrolabe/hwio/hwtest"
	"astrolabe/hwio/hwtest/devices"
	"astrolabe/hwio/hwtest/emulated"
	"astrolabe/hwio/hwtest/replay"
	"astrolabe/hwio/internal/tape"
)

// A program that shares nothing with the recorder is told the same.
func TestAProgramInCIsAnsweredAsTheRecorderWas(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: -short: emulations record in real time")
	}
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("SKIPPED: no gcc here to build the client in C")
	}
	client := filepath.Join(t.TempDir(), "client")
	if out, err := exec.Command(gcc, "-Wall", "-o", client, "testdata/oa.c").CombinedOutput(); err != nil {
		t.Fatalf("build the client: %v\n%s", err, out)
	}
	m, err := devices.Find("kbl-gt2")
	if err != nil {
		t.Fatal(err)
	}
	b := collected(t, m.New(), "--duration", "300ms")
	var reports, topology, properties []byte
	node := ""
	for _, e := range b.Events {
		switch {
		case e.Kind == tape.Read:
			reports = append(reports, e.Data...)
		case e.Kind == tape.Open && e.Path != "":
			node = e.Path
		case e.Path == "QUERY" && e.BufIn[0] == 1:
			topology = e.BufOut
		case e.Path == "PERF_OPEN":
			properties = e.BufIn
		}
	}
	args := []string{node, strconv.Itoa(len(reports))}
	for at := 0; at < len(properties); at += 8 {
		args = append(args, strconv.FormatUint(binary.LittleEndian.Uint64(properties[at:]), 10))
	}
	res, out := emulated.Run(t, hwtest.Options{Device: replay.New(b), Cmd: exec.Command(client, args...)})
	if res.Exit != 0 {
		t.Fatalf("exit status %d:\n%.2000s", res.Exit, out)
	}
	for _, want := range []string{"frequency 12000000\n", "topology " + hex.EncodeToString(topology) + "\n",
		"reports " + hex.EncodeToString(reports) + "\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("the client was not told %.80q (%d bytes)", want, len(want))
		}
	}
	// The GPU's clock goes on: it counts no less than the stamps of what was read meanwhile say.
	var ticks uint64
	if at := strings.Index(out, "ticks "); at < 0 {
		t.Error("no ticks")
	} else if _, err := fmt.Sscanf(out[at:], "ticks %d", &ticks); err != nil || ticks < 12_000*200 {
		t.Errorf("the GPU's clock counted %d, %v", ticks, err)
	}
	truth := res.Truth.(*replay.Truth)
	if len(truth.Unknown) != 1 || !strings.Contains(truth.Unknown[0], "0xc0106446 with 39 30") {
		t.Errorf("requests without an answer: %q", truth.Unknown)
	}
}
