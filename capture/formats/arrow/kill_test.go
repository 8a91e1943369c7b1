//go:build unix

package arrow

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"astrolabe/capture"
	"astrolabe/capture/formats/internal/table"
)

// childVar asks the test binary to be a recorder: it records to that path until it is killed.
const childVar = "ARROW_TEST_RECORD_TO"

func TestMain(m *testing.M) {
	if path := os.Getenv(childVar); path != "" {
		recordForever(path)
	}
	os.Exit(m.Run())
}

// recordForever prints the number of samples after each Write that returned. It never ends by itself, but closes now and then, so that
// some kills hit the change of form.
func recordForever(path string) {
	s := recordingSchema()
	for {
		w, err := Create(path, s)
		if err != nil {
			fmt.Println("error", err)
			os.Exit(3)
		}
		fmt.Println(0)
		b := capture.NewBatch(&s, 50)
		for k := range 40 {
			fillBatch(b, k*50, 50)
			if err := w.Write(b); err != nil {
				fmt.Println("error", err)
				os.Exit(3)
			}
			fmt.Println((k + 1) * 50)
		}
		if err := w.Close(); err != nil {
			fmt.Println("error", err)
			os.Exit(3)
		}
	}
}

func TestAPipeGetsTheStreamForm(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip("SKIPPED, no pipes here:", err)
	}
	got := make(chan []byte)
	go func() {
		data, _ := os.ReadFile(path)
		got <- data
	}()
	s := recordingSchema()
	w, err := Create(path, s)
	if err != nil {
		t.Fatal(err)
	}
	b := capture.NewBatch(&s, 10)
	fillBatch(b, 0, 10)
	if err := w.Write(b); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	c, err := decode(background, <-got, "pipe", &table.Options{})
	if err != nil {
		t.Fatal(err)
	}
	checkRecording(t, c, 10)
	if hasWarning(c, "truncated") {
		t.Errorf("warnings %q", c.Warnings)
	}
}

func TestARecorderKilledAtAnyMomentLeavesAFileThatOpens(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	truncated := 0
	for i := range 12 {
		path := filepath.Join(t.TempDir(), "r.arrow")
		cmd := exec.Command(self)
		cmd.Env = append(os.Environ(), childVar+"="+path)
		var out bytes.Buffer
		cmd.Stdout = &out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for deadline := time.Now().Add(20 * time.Second); ; {
			if _, err := os.Stat(path); err == nil {
				break
			}
			if time.Now().After(deadline) {
				t.Fatal("the recorder never started")
			}
			time.Sleep(time.Millisecond)
		}
		time.Sleep(time.Duration(i*i) * 300 * time.Microsecond)
		cmd.Process.Kill()
		cmd.Wait()
		if strings.Contains(out.String(), "error") {
			t.Fatal(out.String())
		}
		lines := strings.Fields(out.String())
		promised := 0
		if len(lines) > 0 {
			// The last line may be cut short.
			promised, _ = strconv.Atoi(lines[len(lines)-1])
		}
		c := open(t, path)
		if c.Len()%50 != 0 {
			t.Errorf("kill %d: %d samples are no number of whole batches", i, c.Len())
		}
		// Where the last line says 0 or 2000 the file may already be that of the recording before or after.
		if promised != 0 && promised != 2000 && c.Len() < promised {
			t.Errorf("kill %d: %d samples kept, %d were written", i, c.Len(), promised)
		}
		checkRecording(t, c, c.Len())
		if hasWarning(c, "truncated") {
			truncated++
			if !hasWarning(c, fmt.Sprintf("%d samples", c.Len())) || !hasWarning(c, "at byte ") {
				t.Errorf("kill %d: warning %q", i, c.Warnings)
			}
		}
	}
	if truncated == 0 {
		t.Error("no kill hit a recording in progress")
	}
}
