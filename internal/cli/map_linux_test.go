package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"astrolabe/capture/capturetest"
	"astrolabe/capture/capturetest/all"
	formatsall "astrolabe/capture/formats/all"
	"astrolabe/hwio/hwtest/programs"
	"astrolabe/internal/longtests"
	"astrolabe/internal/testfiles"
)

// farmScript is what captures of a farm are asked. Some of them are trouble, by their names.
const farmScript = `
def map(cap):
    file = cap.path.split("/")[-1]
    print("at " + file)
    if file.startswith("hang"):
        for i in range(1 << 50):
            pass
    if file.startswith("bomb"):
        x = [[0] * (1 << 20) for i in range(1 << 14)]
    if file.startswith("waits"):
        for i in range(1 << 50):
            if read("go").strip() == "yes":
                break
    names = list(cap.counters)
    first = cap[names[0]]
    return [{"gpu": cap.gpu, "samples": cap.samples, "seconds": cap.duration, "counters": len(names)},
            {"first": names[0], "total": first.total(), "max": cap[names[-1]].max(), "peak": None}]
`

// farm writes captures of every modelled GPU, some damaged ones, one that never ends, one that takes all memory and one
// that is much larger than the others, into folders of builds and devices.
func farm(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	put := func(name string, data []byte) {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	n := 0
	var last []byte
	for _, m := range all.Models() {
		plants := m.Plants()
		if !longtests.Asked() {
			plants = plants[:min(2, len(plants))]
		}
		for _, p := range plants {
			c, err := m.Generate(capturetest.Case{Plant: p.ID, Load: 0.5})
			if err != nil {
				t.Fatal(err)
			}
			name := fmt.Sprintf("farm/build=%d/device=%s/%s.arrow", n%3, strings.ReplaceAll(m.Name(), " ", "_"), p.ID)
			path := filepath.Join(dir, filepath.FromSlash(name))
			if err := formatsall.Registry().Save(t.Context(), path, "arrow", c); err != nil {
				t.Fatal(err)
			}
			if last, err = os.ReadFile(path); err != nil {
				t.Fatal(err)
			}
			n++
		}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 8 {
		data := bytes.Clone(last)
		switch i % 4 {
		case 0:
			data = data[:rng.IntN(len(data))]
		case 1:
			for range 40 {
				data[rng.IntN(len(data))] ^= 0xff
			}
		case 2:
			data = data[:0]
		case 3:
			clear(data[len(data)/2 : len(data)/2+4096])
		}
		put(fmt.Sprintf("farm/build=9/device=odd/damaged%d.arrow", i), data)
	}
	put("farm/build=9/device=odd/hang.arrow", last)
	put("farm/build=9/device=odd/bomb.arrow", last)
	var huge bytes.Buffer
	huge.WriteString("time,a,b\n")
	for i := range 200_000 {
		fmt.Fprintf(&huge, "%d.%03d,%d,%d\n", i/1000, i%1000, i%977, i)
	}
	put("farm/build=9/device=odd/huge.csv", huge.Bytes())
	put("fleet.star", []byte(farmScript))
	if err := os.CopyFS(filepath.Join(dir, "farm/real/vcopy"), os.DirFS(testfiles.Path(t, "captures/gfx1151-vcopy"))); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d captures of models", n)
	return dir
}

// mapped runs map in the folder of a farm.
func mapped(t *testing.T, dir string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), programs.Path(t, "astrolabe"),
		append([]string{"--max-steps=20000000", "--max-memory=400MiB", "map", "-q", "fleet.star"}, args...)...)
	cmd.Dir = dir
	return cmd
}

// finished runs it to its end, which some captures fail in.
func finished(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := mapped(t, dir, args...)
	if out, err := cmd.CombinedOutput(); cmd.ProcessState == nil || cmd.ProcessState.ExitCode() > 1 {
		t.Fatalf("%v: %v\n%s", args, err, out)
	}
}

func content(t *testing.T, dir, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func sortedLines(texts ...string) []string {
	lines := slices.Collect(strings.Lines(strings.Join(texts, "")))
	slices.Sort(lines)
	return lines
}

// However a farm is worked on, and whatever happens meanwhile, the rows are the same.
func TestRowsOfAFarmDoNotDependOnHowItIsWorkedOn(t *testing.T) {
	built(t)
	dir := farm(t)
	finished(t, dir, "farm", "-j", "1", "-o", "one.jsonl")
	one := content(t, dir, "one.jsonl")
	counts := map[string]int{}
	captures := map[string]string{}
	for line := range strings.Lines(one) {
		var row struct{ Capture, Status, Build, Device string }
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err)
		}
		captures[row.Capture] = row.Status
		if row.Build == "" && !strings.Contains(row.Capture, "real") {
			t.Errorf("no label: %s", line)
		}
	}
	for _, status := range captures {
		counts[status]++
	}
	t.Logf("%d captures: %v", len(captures), counts)
	if captures["farm/build=9/device=odd/hang.arrow"] != "timeout" || captures["farm/build=9/device=odd/bomb.arrow"] != "memory" ||
		captures["farm/build=9/device=odd/huge.csv"] != "ok" || captures["farm/real/vcopy"] != "ok" || counts["unreadable"] < 4 {
		t.Errorf("statuses %v", captures)
	}

	t.Run("with two workers", func(t *testing.T) {
		finished(t, dir, "farm", "-j", "2", "-o", "two.jsonl")
		if content(t, dir, "two.jsonl") != one {
			t.Error("other rows")
		}
		if left, _ := filepath.Glob(filepath.Join(dir, "*.journal")); len(left) > 0 {
			t.Errorf("%v is left of complete runs", left)
		}
	})
	t.Run("in shards", func(t *testing.T) {
		var parts []string
		for i := range 4 {
			name := fmt.Sprintf("shard%d.jsonl", i)
			finished(t, dir, "farm/**/*.arrow", "farm/**/*.csv", "farm/real/*", "-j", "2", "--shard", fmt.Sprintf("%d/4", i+1), "-o", name)
			parts = append(parts, content(t, dir, name))
		}
		got := sortedLines(parts...)
		// The pattern also names the files in the folder that is one capture.
		got = slices.DeleteFunc(got, func(line string) bool { return strings.Contains(line, `"farm/real/vcopy/`) })
		if !slices.Equal(got, sortedLines(one)) {
			t.Error("other rows")
		}
	})
	t.Run("killed and resumed", func(t *testing.T) {
		rng := rand.New(rand.NewPCG(3, 4))
		var enough int
		kills := 0
		for {
			enough += 1 + rng.IntN(1+len(captures)/6)
			cmd := mapped(t, dir, "farm", "-j", "2", "-o", "killed.jsonl", "--resume")
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			if enough > len(captures) {
				if cmd.Wait(); cmd.ProcessState.ExitCode() != 1 {
					t.Fatalf("exit status %d", cmd.ProcessState.ExitCode())
				}
				break
			}
			journalLines(t, filepath.Join(dir, "killed.jsonl.journal"), enough)
			workers := children(cmd.Process.Pid)
			cmd.Process.Kill()
			cmd.Wait()
			kills++
			for _, pid := range workers {
				gone(t, pid)
			}
			if _, err := os.Stat(filepath.Join(dir, "killed.jsonl")); err == nil {
				t.Fatal("the file is there before it is whole")
			}
		}
		if content(t, dir, "killed.jsonl") != one || kills < 3 {
			t.Errorf("other rows after %d kills", kills)
		}
		// What was resumed keeps its journal: nothing is done again, and what is new is.
		before := content(t, dir, "killed.jsonl.journal")
		finished(t, dir, "farm", "-o", "killed.jsonl", "--resume")
		if content(t, dir, "killed.jsonl") != one || content(t, dir, "killed.jsonl.journal") != before {
			t.Error("a complete run was done again")
		}
	})
	t.Run("workers killed", func(t *testing.T) {
		// With --resume the journal stays when all is done, so that it can be waited for whatever runs first.
		cmd := mapped(t, dir, "farm", "-j", "2", "-o", "workers.jsonl", "--resume")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		kills := 0
		for i := 1; i < len(captures)-20; i += len(captures) / 6 {
			journalLines(t, filepath.Join(dir, "workers.jsonl.journal"), i)
			if workers := children(cmd.Process.Pid); len(workers) > 0 {
				syscall.Kill(workers[0], syscall.SIGKILL)
				kills++
			}
		}
		if cmd.Wait(); content(t, dir, "workers.jsonl") != one || kills == 0 {
			t.Errorf("other rows after %d kills", kills)
		}
	})
	t.Run("as CSV and as they come", func(t *testing.T) {
		out, _ := mapped(t, dir, "farm", "-j", "2", "--jsonl").Output()
		if string(out) != one {
			t.Error("--jsonl writes other rows than -o")
		}
	})
}

// journalLines waits until so many outcomes stand in a journal.
func journalLines(t *testing.T, path string, n int) {
	t.Helper()
	for end := time.Now().Add(stuck); time.Now().Before(end); time.Sleep(2 * time.Millisecond) {
		if data, err := os.ReadFile(path); err == nil && bytes.Count(data, []byte("\n")) > n {
			return
		}
	}
	t.Fatalf("%s has no %d outcomes", path, n)
}

// children are the processes that a process has started.
func children(pid int) (out []int) {
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, list := range lists {
		data, _ := os.ReadFile(list)
		for _, word := range strings.Fields(string(data)) {
			if n, err := strconv.Atoi(word); err == nil {
				out = append(out, n)
			}
		}
	}
	return out
}

// gone waits until a worker has noticed that nobody waits for it.
func gone(t *testing.T, pid int) {
	t.Helper()
	for end := time.Now().Add(stuck); time.Now().Before(end); time.Sleep(2 * time.Millisecond) {
		state, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil || strings.Contains(string(state), ") Z ") {
			return
		}
	}
	t.Fatalf("the worker %d outlives map", pid)
}

// heard is what a program says, for who listens meanwhile.
type heard struct {
	mu   sync.Mutex
	text strings.Builder
}

func (h *heard) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.text.Write(p)
}

func (h *heard) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.text.String()
}

// A file that is cut off while a worker has it mapped is a row.
func TestACaptureThatIsCutOffWhileItIsMappedIsARow(t *testing.T) {
	exe, dir := built(t), t.TempDir()
	for _, name := range []string{"a", "waits", "z"} { // large enough to be mapped and not copied
		make := exec.CommandContext(t.Context(), exe, "-c", "capture.from_columns({'n': range(1 << 18), 'm': "+
			"range(1 << 18)}, period = '1us').save('"+name+".arrow')")
		make.Dir = dir
		if out, err := make.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	for name, text := range map[string]string{"fleet.star": farmScript, "go": "no", "astrolabe.toml": ""} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), exe, "map", "-q", "-j", "1", "fleet.star", "a.arrow",
		"waits.arrow", "z.arrow", "--jsonl")
	cmd.Dir = dir
	said := &heard{}
	var rows bytes.Buffer
	cmd.Stderr, cmd.Stdout = said, &rows
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(stuck); !strings.Contains(said.String(), "at waits.arrow"); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the script did not begin")
		}
	}
	if err := os.Truncate(filepath.Join(dir, "waits.arrow"), 4096); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "go"), []byte("yes"), 0o666); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	lines := strings.Split(rows.String(), "\n")
	if len(lines) != 6 || !strings.Contains(lines[2], `"status":"unreadable"`) || !strings.Contains(lines[2], "cut off while it was read") ||
		!strings.Contains(lines[3], `"capture":"z.arrow","status":"ok"`) {
		t.Errorf("got %s\n%s", rows.String(), said)
	}
}
