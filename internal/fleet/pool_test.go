package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// workerVariable makes the program of the tests a worker.
const workerVariable = "ASTROLABE_TEST_FLEET_WORKER"

func TestMain(m *testing.M) {
	if os.Getenv(workerVariable) == "" {
		os.Exit(m.Run())
	}
	err := Serve(os.Stdin, os.Stdout, func(setup json.RawMessage) (Work, error) {
		if string(setup) == `"refused"` {
			return nil, errors.New("no such setup")
		}
		var dir string
		if json.Unmarshal(setup, &dir) == nil && filepath.IsAbs(dir) && os.Mkdir(filepath.Join(dir, "killed"), 0o777) == nil {
			p, _ := os.FindProcess(os.Getpid())
			p.Kill()
			select {}
		}
		done := 0
		return func(task Task, talk func(string)) Outcome {
			done++
			return behave(task, talk, done)
		}, nil
	}, func() { os.Exit(1) })
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// behave does what the name of a capture says.
func behave(task Task, talk func(string), done int) Outcome {
	o := Outcome{Capture: task.Capture, Status: OK}
	name, arg, _ := strings.Cut(task.Capture, ":")
	switch name {
	case "talk":
		talk("hello")
	case "crash":
		panic("of " + task.Capture)
	case "once": // as if somebody killed the worker
		if err := os.Mkdir(arg, 0o777); err == nil {
			p, _ := os.FindProcess(os.Getpid())
			p.Kill()
			select {}
		}
	case "memory":
		fmt.Fprintln(os.Stderr, "too much")
		os.Exit(7)
	case "leftover": // too much only where there was a capture before
		if done > 1 {
			o.Status = Memory
		}
	case "hang":
		select {}
	case "garbage":
		os.Stdout.WriteString("no frame at all")
		select {}
	case "long":
		o.Rows = []Row{{{"x", Text, strings.Repeat("x", MaxFrame)}}}
	default:
		o.Rows = []Row{{{"name", Text, task.Capture}, {"pid", Int, fmt.Sprint(os.Getpid())}}}
	}
	return o
}

func pool(jobs int) *Pool {
	return &Pool{Jobs: jobs, Setup: "setup", Late: "late",
		Command: func() *exec.Cmd {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), workerVariable+"=1")
			return cmd
		},
		Ended: func(status int, words string) (Outcome, bool) {
			if status == 7 {
				return Outcome{Status: Memory, Error: strings.TrimSpace(words)}, true
			}
			line, _, _ := strings.Cut(strings.TrimSpace(words), "\n")
			return Outcome{Status: Crashed, Error: line}, false
		},
		Talk: func(string, string) {}}
}

func outcomes(t *testing.T, p *Pool, captures ...string) []Outcome {
	t.Helper()
	out := make([]Outcome, len(captures))
	err := p.Run(t.Context(), len(captures), func(i int) Task { return Task{Capture: captures[i]} },
		func(i int, o Outcome) error {
			out[i] = o
			return nil
		})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestWhatACaptureDoesToItsWorkerIsItsOutcomeAlone(t *testing.T) {
	for _, jobs := range []int{1, 3} {
		p := pool(jobs)
		dir := t.TempDir()
		got := outcomes(t, p, "a", "crash", "b", "memory", "c", "once:"+filepath.Join(dir, "x"), "garbage", "long", "leftover", "d")
		want := []string{"ok", "crashed panic: of crash", "ok", "memory too much", "ok", "ok", "crashed", "failed its 1 rows take", "ok", "ok"}
		for i, o := range got {
			if text := strings.TrimSpace(string(o.Status) + " " + o.Error); !strings.HasPrefix(text, want[i]) || want[i] == "ok" && text != "ok" {
				t.Errorf("with %d workers %s is %q, want %q", jobs, o.Capture, text, want[i])
			}
		}
	}
}

func TestACaptureWithoutEndIsEndedAndNamed(t *testing.T) {
	p := pool(2)
	p.Timeout = time.Millisecond
	got := outcomes(t, p, "hang", "a", "b")
	if got[0].Status != Timeout || got[0].Error != "late" || got[1].Status != OK || got[2].Status != OK {
		t.Errorf("got %+v", got)
	}
}

func TestWorkersAreUsedAgain(t *testing.T) {
	var captures []string
	for i := range 40 {
		captures = append(captures, fmt.Sprint("c", i))
	}
	pids := map[string]bool{}
	for _, o := range outcomes(t, pool(2), captures...) {
		pids[o.Rows[0][1].Text] = true
	}
	if len(pids) > 2 {
		t.Errorf("%d processes for 40 captures", len(pids))
	}
}

func TestWhatWorkersSayNamesTheirCapture(t *testing.T) {
	p := pool(2)
	var mu sync.Mutex
	var said []string
	p.Talk = func(capture, line string) {
		mu.Lock()
		defer mu.Unlock()
		said = append(said, capture+" "+line)
	}
	outcomes(t, p, "talk:1", "talk:2")
	slices.Sort(said)
	if got := strings.Join(said, "|"); got != "talk:1 hello|talk:2 hello" {
		t.Errorf("said %q", got)
	}
}

func TestAPoolThatCannotStartSaysWhy(t *testing.T) {
	p := pool(2)
	p.Setup = "refused"
	none := func(int, Outcome) error { return nil }
	err := p.Run(t.Context(), 1, func(int) Task { return Task{Capture: "a"} }, none)
	if err == nil || !strings.Contains(err.Error(), "no such setup") {
		t.Errorf("got %v", err)
	}
	p.Command = func() *exec.Cmd { return exec.Command(filepath.Join(t.TempDir(), "absent")) }
	if err = p.Run(t.Context(), 1, func(int) Task { return Task{Capture: "a"} }, none); err == nil {
		t.Error("a program that is not there was started")
	}
}

func TestAWorkerThatIsKilledWhileItStartsIsStartedAgain(t *testing.T) {
	p := pool(1)
	p.Setup = t.TempDir()
	if o := outcomes(t, p, "a"); o[0].Status != OK {
		t.Errorf("got %+v", o)
	}
	if _, err := os.Stat(filepath.Join(p.Setup.(string), "killed")); err != nil {
		t.Error("no worker was killed")
	}
}

func TestARunEndsWhereItIsToldTo(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	p := pool(2)
	err := p.Run(ctx, 100, func(i int) Task {
		if i > 2 {
			return Task{Capture: "hang"}
		}
		return Task{Capture: "a"}
	}, func(int, Outcome) error {
		cancel()
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	full := errors.New("full")
	if err := p.Run(t.Context(), 100, func(int) Task { return Task{Capture: "a"} }, func(int, Outcome) error { return full }); !errors.Is(err, full) {
		t.Errorf("got %v", err)
	}
}

// A worker of many captures makes way for another.
func TestWorkersAreRenewed(t *testing.T) {
	pids := map[string]int{}
	n := 2*renewal + 10
	err := pool(1).Run(t.Context(), n, func(i int) Task { return Task{Capture: fmt.Sprint(i)} }, func(i int, o Outcome) error {
		pids[o.Rows[0][1].Text]++
		return nil
	})
	if err != nil || len(pids) != 3 {
		t.Errorf("%d workers did %d captures, want 3: %v", len(pids), n, err)
	}
}
