//go:build unix

package arrow

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow/ipc"

	"astrolabe/capture"
	"astrolabe/capture/formats/internal/table"
	"astrolabe/internal/longtests"
)

// childVar asks the test binary to be a recorder: it records to that path until it is killed. stayVar is after how many
// samples of the first recording it stays where it is.
const (
	childVar = "ARROW_TEST_RECORD_TO"
	stayVar  = "ARROW_TEST_STAY_AFTER"
)

func TestMain(m *testing.M) {
	if path := os.Getenv(childVar); path != "" {
		stay, _ := strconv.Atoi(os.Getenv(stayVar))
		recordForever(path, stay)
	}
	os.Exit(m.Run())
}

// recordForever prints the number of samples after each Write that returned. It never ends by itself, but closes now
// and then, so that some kills hit the footer.
func recordForever(path string, stay int) {
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
			if (k+1)*50 == stay {
				time.Sleep(time.Hour) // it is killed
			}
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

func TestAFileNamedAsAStreamIsOne(t *testing.T) {
	path := filepath.Join(t.TempDir(), "recorded.Arrows")
	s := recordingSchema()
	w, err := Create(path, s)
	if err != nil {
		t.Fatal(err)
	}
	b := capture.NewBatch(&s, 10)
	fillBatch(b, 0, 10)
	if err := errors.Join(w.Write(b), w.Close()); err != nil {
		t.Fatal(err)
	}
	recorded, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	c, err := decode(background, recorded, "recorded", &table.Options{})
	if err != nil {
		t.Fatal(err)
	}
	checkRecording(t, c, 10)
	if hasWarning(c, "truncated") {
		t.Errorf("warnings %q", c.Warnings)
	}
	var saved bytes.Buffer
	if err := (Format{}).Named(path).Encode(background, &saved, c); err != nil {
		t.Fatal(err)
	}
	again, err := decode(background, saved.Bytes(), "saved", &table.Options{})
	if err != nil {
		t.Fatal(err)
	}
	checkRecording(t, again, 10)
	for name, data := range map[string][]byte{"recorded": recorded, "saved": saved.Bytes()} {
		r, err := ipc.NewReader(bytes.NewReader(data)) // which refuses the file form
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		rows := int64(0)
		for r.Next() {
			rows += r.RecordBatch().NumRows()
		}
		if r.Err() != nil || rows != 10 || !bytes.HasSuffix(data, endMark) {
			t.Errorf("%s: %d rows, error %v, ends in % x", name, rows, r.Err(), data[len(data)-8:])
		}
	}
}

func TestARecorderKilledAtAnyMomentLeavesAFileThatOpens(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for i := range longtests.Of(200, 12) {
		path := filepath.Join(t.TempDir(), "r.arrow")
		cmd := exec.Command(self)
		cmd.Env = append(os.Environ(), childVar+"="+path)
		// Every third recorder is killed in the middle of its recording, the others wherever they are once they have
		// said so many lines, of which a recording has 41.
		stays, said := i%3 == 0, 5*(i%12)
		if stays {
			said = 2 + 2*(i%12)
			cmd.Env = append(cmd.Env, fmt.Sprint(stayVar, "=", 50*(said-1)))
		}
		pipe, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		for lines := bufio.NewReader(pipe); ; {
			line, err := lines.ReadString('\n')
			out.WriteString(line)
			if err != nil {
				break // the end, or the recorder was killed
			}
			if strings.Count(out.String(), "\n") == said {
				cmd.Process.Kill()
			}
		}
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
			if !hasWarning(c, fmt.Sprintf("%d samples", c.Len())) || !hasWarning(c, "at byte ") {
				t.Errorf("kill %d: warning %q", i, c.Warnings)
			}
		} else if stays {
			t.Errorf("kill %d hit a recording in progress of %d samples, and no warning says so: %q", i,
				c.Len(), c.Warnings)
		}
		repaired(t, path, c.Len())
	}
}
