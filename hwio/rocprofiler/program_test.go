//go:build linux && (amd64 || arm64)

package rocprofiler

import (
	"bytes"
	"fmt"
	"image/png"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"astrolabe/capture"
	"astrolabe/capture/formats"
	"astrolabe/capture/formats/all"
	"astrolabe/capture/metrics"
	"astrolabe/hwio/hwtest/programs"
)

// program runs astrolabe as users do and returns what it said.
func program(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command(programs.Path(t, "astrolabe"), args...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("astrolabe %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// recordFile has the program record from the stand-in and opens what it wrote.
func recordFile(t *testing.T, faults string) (file string, c *capture.Capture, truth map[string]map[uint64]float64, said string) {
	t.Helper()
	if testing.Short() {
		t.Skip("SKIPPED: -short: recordings take their time")
	}
	_, account := stand(t, faults)
	file = filepath.Join(t.TempDir(), "gl0.arrow")
	cmd := exec.Command(programs.Path(t, "astrolabe"), "record", "--source", "rocprofiler", "--counters", "TCP_*,GRBM_*", "--duration", "10m", "-o", file)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	// It ends when the library has handed out so many samples, the first of which are no part of the recording.
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for told := false; ; time.Sleep(10 * time.Millisecond) {
		select {
		case err := <-ended:
			if err != nil || !told {
				t.Fatalf("it was told to end: %v, and ends with %v:\n%s", told, err, out.String())
			}
		default:
			if b, err := os.ReadFile(account); !told && err == nil && bytes.Contains(b, []byte("\n25 ")) {
				told = true
				_ = cmd.Process.Signal(os.Interrupt)
			}
			continue
		}
		break
	}
	said = out.String()
	opened, err := all.Registry().Open(t.Context(), file, formats.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return file, opened, readTruth(t, account), said
}

func TestTheProgramRecordsAndReportsTheCountsOfTheLibrary(t *testing.T) {
	file, c, truth, _ := recordFile(t, "")
	if c.GPU != "gfx1151" || c.Len() < 10 {
		t.Fatalf("GPU %q, %d samples", c.GPU, c.Len())
	}
	total := func(name string) float64 {
		t.Helper()
		r, err := metrics.Resolve(c, name)
		if err != nil {
			t.Fatal(err)
		}
		return r.Total().Float()
	}
	rise := func(counter string, n int) (sum float64) {
		for i := range n {
			v := truth[fmt.Sprint(counter, " ", i)]
			sum += v[uint64(c.Len()+1)] - v[1]
		}
		return sum
	}
	for counter, n := range map[string]int{"GRBM_COUNT": 1, "GRBM_GUI_ACTIVE": 1, "TCP_REQ": 16, "TCP_REQ_MISS": 16, "TCP_GL1_REQ_READ": 16} {
		if got, want := total(counter), rise(counter, n); got != want || want == 0 {
			t.Errorf("%s is %v in the file, %v in the library", counter, got, want)
		}
	}
	if got, want := total("tcp_hit_rate"), 100*(1-rise("TCP_REQ_MISS", 16)/rise("TCP_REQ", 16)); math.Abs(got-want) > 1e-9 {
		t.Errorf("the hit rate is %v %%, want %v %%", got, want)
	}
	picture := strings.TrimSuffix(file, ".arrow") + ".png"
	program(t, "report", file, "-o", picture)
	b, err := os.ReadFile(picture)
	if err != nil {
		t.Fatal(err)
	}
	if img, err := png.Decode(bytes.NewReader(b)); err != nil || img.Bounds().Dy() < 600 {
		t.Errorf("the picture: %v", err)
	}
}

func TestAReportOfGatedCountersSaysSo(t *testing.T) {
	file, c, _, said := recordFile(t, "gated")
	if !strings.Contains(said, "TCP_REQ_WRITE read 0 throughout") {
		t.Errorf("recording said %q", said)
	}
	m, err := metrics.Resolve(c, "tcp_hit_rate")
	if err != nil {
		t.Fatal(err)
	}
	if !m.Total().Missing() {
		t.Errorf("the hit rate of counters that were off is %v", m.Total())
	}
	if out := program(t, "report", file, "-o", strings.TrimSuffix(file, ".arrow")+".png"); !strings.Contains(out, "were not clocked") || !strings.Contains(out, "profile_standard") {
		t.Errorf("the report says %q", out)
	}
}
