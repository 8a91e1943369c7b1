package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// What prism makes of a farm is what map makes of it, byte by byte.
func TestRowsOfPrismAreThoseOfMap(t *testing.T) {
	dir, captures := farm(t, 0)
	_, talk := finished(t, 1, program(t, dir, "astrolabe", onFarm("-j", "1", "-o", "one.jsonl")...))
	one := content(t, dir, "one.jsonl")
	status := map[string]string{}
	counts := map[string]int{}
	for line := range strings.Lines(one) {
		var row struct{ Capture, Status string }
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err)
		}
		if _, ok := status[row.Capture]; !ok {
			counts[row.Status]++
		}
		status[row.Capture] = row.Status
	}
	if len(status) != captures || counts["ok"] < captures-15 || counts["unreadable"] < 2 || counts["timeout"] != 1 ||
		counts["crashed"] != 1 {
		t.Errorf("%d captures, want %d: %v", len(status), captures, counts)
	}
	said := strings.Count(talk, "a line of it")

	t.Run("in this process", func(t *testing.T) {
		_, talk := finished(t, 1, program(t, dir, "astrolabe-beam", onFarm("-j", "2", "--chunk", "7", "-o", "prism.jsonl")...))
		if content(t, dir, "prism.jsonl") != one {
			t.Error("other rows")
		}
		if n := strings.Count(talk, "a line of it"); n != said || n != 1 {
			t.Errorf("what the script prints came %d times\n%s", n, talk)
		}
		if strings.Contains(talk, "level=") || strings.Contains(talk, "job-001") {
			t.Errorf("Beam talks:\n%s", talk)
		}
	})
	t.Run("as Parquet and resumed", func(t *testing.T) {
		finished(t, 1, program(t, dir, "astrolabe", onFarm("-o", "one.parquet")...))
		finished(t, 1, program(t, dir, "astrolabe-beam", onFarm("--resume", "-o", "two.parquet")...))
		journal, err := os.Stat(filepath.Join(dir, "two.parquet.journal"))
		if err != nil {
			t.Fatal(err)
		}
		finished(t, 1, program(t, dir, "astrolabe-beam", onFarm("--resume", "-o", "two.parquet")...))
		if content(t, dir, "one.parquet") != content(t, dir, "two.parquet") {
			t.Error("other rows")
		}
		again, err := os.Stat(filepath.Join(dir, "two.parquet.journal"))
		if err != nil || again.Size() > journal.Size()+journal.Size()/4 {
			t.Errorf("what was known was worked on again: %v, %v", journal, again)
		}
	})
	nothingLeft(t, dir)
}

// The program that was called is killed while the work goes on, and called again: the rows are those of one that was
// not, and what was done is not done again.
func TestAJobThatIsKilledIsResumed(t *testing.T) {
	dir, captures := farm(t, 0)
	finished(t, 1, program(t, dir, "astrolabe", onFarm("-j", "1", "-o", "one.parquet")...))
	args := onFarm("-j", "2", "--chunk", "3", "--resume", "-o", "two.parquet")
	known := 0
	for round := 1; known < captures/2; round++ {
		if round > 20 {
			t.Fatal("it is killed too early each time")
		}
		cmd := program(t, dir, "astrolabe-beam", args...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		for before, killed := known, false; !killed; {
			select {
			case <-ended:
				t.Fatalf("it ended with %d of %d captures in the journal", known, captures)
			case <-time.After(5 * time.Millisecond):
				if journal, err := os.ReadFile(filepath.Join(dir, "two.parquet.journal")); err == nil {
					known = strings.Count(string(journal), "\n") - 1
				}
				if known > before {
					killed = true
					if err := cmd.Process.Kill(); err != nil {
						t.Fatal(err)
					}
					<-ended
				}
			}
		}
	}
	_, talk := finished(t, 1, program(t, dir, "astrolabe-beam", args...))
	if content(t, dir, "two.parquet") != content(t, dir, "one.parquet") {
		t.Errorf("other rows\n%s", talk)
	}
}

// A script that fails whatever the capture is an error once, as in map, and nothing is left behind.
func TestAScriptThatIsWrongEndsTheJob(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"wrong.star": "def map(cap):\n    return undefined\n", "a.csv": "time,a\n0,1\n1,2\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	cmd := program(t, dir, "astrolabe-beam", "map", "wrong.star", "a.csv", "--temp", "shared", "-o", "rows.csv")
	_, talk := finished(t, 1, cmd)
	if !strings.Contains(talk, "wrong.star:2") || !strings.Contains(talk, "undefined") {
		t.Errorf("it says %s", talk)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "shared", "*")); len(left) > 0 {
		t.Errorf("left are %v", left)
	}
	nothingLeft(t, dir)
	if _, err := os.Stat(filepath.Join(dir, "rows.csv")); err == nil {
		t.Error("there are rows")
	}
}

func TestFlagsThatMakeNoSense(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct{ flags, want string }{
		{"--runner=other", "--runner=other: use prism, portable or dataflow"},
		{"--runner=flink", "--endpoint=HOST:PORT names the job server"},
		{"--environment=process --environment-config=/nowhere/program", "/nowhere/program"},
		{"--environment=docker", "--environment-config names the image"},
		{"--runner=dataflow", "--temp=gs://BUCKET/FOLDER"},
		{"--start-within=0s", "--start-within"},
		{"--beam=no_such=1", `no option "no_such"`},
	} {
		if err := os.WriteFile(filepath.Join(dir, "a.star"), []byte("def map(cap):\n    return {}\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		args := append([]string{"map", "a.star", "a.csv"}, strings.Fields(c.flags)...)
		_, talk := finished(t, 2, program(t, dir, "astrolabe-beam", args...))
		if !strings.Contains(talk, c.want) {
			t.Errorf("%s: %s", c.flags, talk)
		}
	}
}
