package lake

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"astrolabe/internal/longtests"
)

// workVariable makes the program of the tests one that works on a lake, for the tests that end it.
const workVariable = "ASTROLABE_TEST_LAKE_WORK"

func TestMain(m *testing.M) {
	if os.Getenv(workVariable) != "" {
		os.Exit(work(strings.Fields(os.Getenv(workVariable))))
	}
	os.Exit(m.Run())
}

// workRows is how many rows of metrics each capture has that a worker adds.
const workRows = 40

// work does "add DIR FROM TO", or "compact DIR TIMES", and prints a line behind each capture or compaction.
func work(args []string) int {
	l, err := Create(args[1])
	if err != nil {
		fmt.Println(err)
		return 1
	}
	var from, to int
	if args[0] == "add" {
		fmt.Sscan(args[2]+" "+args[3], &from, &to)
	} else {
		fmt.Sscan(args[2], &to)
	}
	for i := from; i < to; i++ {
		if args[0] == "add" {
			_, err = l.Add(context.Background(), entry(i, workRows, build(fmt.Sprint(i%2))))
		} else {
			_, err = l.Compact(context.Background())
		}
		if err != nil {
			fmt.Println(err)
			return 1
		}
		fmt.Println("done", i)
	}
	return 0
}

// worker is such a program and how many lines it has printed.
type worker struct {
	cmd   *exec.Cmd
	lines chan string
}

func start(t *testing.T, task string) *worker {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	w := &worker{cmd: exec.Command(exe), lines: make(chan string, 1000)}
	w.cmd.Env = append(os.Environ(), workVariable+"="+task)
	out, err := w.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := w.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		for s := bufio.NewScanner(out); s.Scan(); {
			w.lines <- s.Text()
		}
		close(w.lines)
	}()
	return w
}

// seen counts the rows of each capture in a table as an engine does, which reads every file that it finds. A file that
// is gone when it is opened is an error of that engine's query, which is asked again.
func seen(t *testing.T, l *Lake, table string) map[string]int {
	t.Helper()
	for {
		out := map[string]int{}
		err := filepath.WalkDir(filepath.Join(l.dir, table), func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() || !strings.HasSuffix(path, ending) {
				return err
			}
			return read(t.Context(), path, func(rows []hashOnly) error {
				for _, r := range rows {
					out[r.Capture]++
				}
				return nil
			})
		})
		if errors.Is(err, fs.ErrNotExist) {
			if _, err := os.Stat(filepath.Join(l.dir, table)); err != nil {
				return out
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
}

// once fails where a capture is there more than once, or has other rows of metrics than it should.
func once(t *testing.T, l *Lake, confirmed map[string]bool) {
	t.Helper()
	captures, metrics := seen(t, l, tableCaptures), seen(t, l, tableMetrics)
	for hash, n := range captures {
		if n != 1 || metrics[hash] != workRows {
			t.Errorf("the capture %s is there %d times, with %d rows of metrics", hash, n, metrics[hash])
		}
	}
	for hash := range confirmed {
		if captures[hash] != 1 {
			t.Errorf("the capture %s was added and is there %d times", hash, captures[hash])
		}
	}
}

func TestWritersAtOnceAddEachCaptureOnce(t *testing.T) {
	l := made(t)
	compact(t, l) // skips where that cannot be
	workers := []*worker{start(t, "add "+l.dir+" 0 24"), start(t, "add "+l.dir+" 0 24"), start(t, "add "+l.dir+" 12 36"),
		start(t, "compact "+l.dir+" 15")}
	for running := len(workers); running > 0; {
		running = 0
		for _, w := range workers {
			select {
			case line, ok := <-w.lines:
				if ok {
					running++
				}
				if ok && !strings.HasPrefix(line, "done") {
					t.Errorf("a worker says %s", line)
				}
			default:
				running++
			}
		}
		for hash, n := range seen(t, l, tableCaptures) {
			if n != 1 {
				t.Fatalf("the capture %s is there %d times", hash, n)
			}
		}
	}
	for _, w := range workers {
		if err := w.cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	if v := whole(t, l); v.Captures != 36 || v.Metrics != 36*workRows {
		t.Errorf("%+v", v)
	}
}

func TestWritersThatAreKilledLoseAndDoubleNothing(t *testing.T) {
	l := made(t)
	compact(t, l)
	rng := rand.New(rand.NewPCG(1, 2))
	confirmed := map[string]bool{}
	for i := range longtests.Of(60, 10) {
		add, other := start(t, fmt.Sprintf("add %s %d %d", l.dir, i*3, i*3+40)), start(t, "compact "+l.dir+" 1000")
		left := 1 + rng.IntN(6)
		for line := range add.lines {
			var k int
			if _, err := fmt.Sscanf(line, "done %d", &k); err != nil {
				t.Fatalf("the writer says %s", line)
			}
			confirmed[fmt.Sprintf("%064x", 0xabc000+k)] = true
			if left--; left == 0 {
				break
			}
		}
		time.Sleep(time.Duration(rng.IntN(20000)) * time.Microsecond) // somewhere in what comes next
		add.cmd.Process.Kill()
		time.Sleep(time.Duration(rng.IntN(20000)) * time.Microsecond)
		other.cmd.Process.Kill()
		for line := range add.lines {
			var k int
			if _, err := fmt.Sscanf(line, "done %d", &k); err == nil {
				confirmed[fmt.Sprintf("%064x", 0xabc000+k)] = true
			}
		}
		for range other.lines {
		}
		add.cmd.Wait()
		other.cmd.Wait()
		once(t, l, confirmed)
	}
	c := compact(t, l)
	t.Logf("%d captures were added; what %d killed writers left is removed", len(confirmed), c.Abandoned)
	v := whole(t, l)
	if v.Abandoned != 0 || v.Captures < int64(len(confirmed)) {
		t.Errorf("%+v", v)
	}
	if list, err := os.ReadDir(filepath.Join(l.dir, tempName)); err != nil || len(list) != 0 {
		t.Errorf("%d folders of writers are left: %v", len(list), err)
	}
}
