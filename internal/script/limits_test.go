package script

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"go.starlark.net/starlark"

	"astrolabe/builtins/binding"
	"astrolabe/capture/memory"
	"astrolabe/repl"
)

// childRun names the script that the test binary runs instead of its tests, as the program would.
const childRun = "ASTROLABE_SCRIPT_TEST_RUN"

func TestMain(m *testing.M) {
	if path := os.Getenv(childRun); path != "" {
		os.Exit(runChild(path))
	}
	os.Exit(m.Run())
}

// childMemory is what the child may take, in bytes.
const childMemory = 256 << 20

func runChild(path string) int {
	env := &binding.Env{}
	if err := (Policy{Repo: Root(path)}).Apply(env); err != nil {
		return 3
	}
	memory.SetLimit(childMemory)
	r := NewRunner(Options{Env: env})
	r.memoryGrace = time.Hour // how soon the interpreter stops is the scheduler's
	if _, err := r.LoadFile(context.Background(), path); err != nil {
		os.Stderr.WriteString(repl.FormatError(err, nil))
		return 1
	}
	return 0
}

// child runs a script in a process of its own under a memory limit of 256 MiB.
func child(t *testing.T, path string) (status int, stderr string) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), childRun+"="+path)
	var out bytes.Buffer
	cmd.Stderr = &out
	err = cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), out.String()
}

func TestOneHugeListEndsTheProgramAndNotTheMachine(t *testing.T) {
	tree(t, map[string]string{"main.star": "x = [0] * (1 << 29)\nprint(len(x))\n"})
	status, text := child(t, "main.star")
	if status != 1 || !strings.Contains(text, "memory limit 256 MiB reached") ||
		!strings.Contains(text, "raise --max-memory") {
		t.Errorf("status %d: %s", status, text)
	}
}

func TestAGrowingListStopsAtItsLine(t *testing.T) {
	tree(t,
		map[string]string{
			"main.star": "def grow():\n    l = []\n    for i in range(1 << 30):\n        l.append([i])\n\ngrow()\n"})
	status, text := child(t, "main.star")
	if status != 1 || !strings.Contains(text, "memory limit 256 MiB reached") || !strings.Contains(text, " in grow") {
		t.Errorf("status %d: %s", status, text)
	}
}

func TestGarbageDoesNotCountAsMemory(t *testing.T) {
	if underRace {
		t.Skip("SKIPPED: the race detector's shadow of the garbage stays resident")
	}
	// 32 MiB each
	tree(t,
		map[string]string{
			"main.star": "def churn():\n    for i in range(60):\n        x = [0] * (1 << 21)\n\nchurn()\n"})
	if status, text := child(t, "main.star"); status != 0 {
		t.Errorf("status %d: %s", status, text)
	}
}

// Each statement of a session is a run.
func TestWhatASessionHoldsIsNotCollectedAgainByEveryRun(t *testing.T) {
	held := make([]byte, 256<<20)
	runtime.GC()
	w := newMemoryWatch(4<<30, time.Second)
	values, _ := w.meter.Read()
	w.meter.Close()
	if values < uint64(len(held)) || values > w.goal() {
		t.Errorf("%d MiB of values are collected from %d MiB on", values>>20, w.goal()>>20)
	}
	runtime.KeepAlive(held)
}

// outlasting is a builtin that no stop reaches: it returns once the program has been ended, which in a test does not
// end it. It is called without a script around it, which the limit might stop before it gets there.
func outlasting(t *testing.T, l Limits, r func(*Runner)) (said string) {
	t.Helper()
	ended := make(chan int, 1)
	var talk strings.Builder
	x := NewRunner(Options{Env: &binding.Env{}, Limits: l, Talk: &talk, Exit: func(code int) { ended <- code }})
	x.stopGrace, x.memoryGrace = time.Millisecond, time.Millisecond
	r(x)
	hold := starlark.NewBuiltin("hold",
		func(*starlark.Thread, *starlark.Builtin, starlark.Tuple, []starlark.Tuple) (starlark.Value, error) {
			if code := <-ended; code != 1 {
				t.Errorf("the program ends with %d", code)
			}
			return starlark.None, nil
		})
	if _, err := x.Call(context.Background(), hold, nil, nil); err != nil {
		t.Error(err)
	}
	return talk.String()
}

func TestABuiltinThatOutlastsALimitEndsTheProgram(t *testing.T) {
	for want, c := range map[string]struct {
		l Limits
		r func(*Runner)
	}{
		"time limit 1h0m0s reached": {Limits{Timeout: time.Hour}, func(r *Runner) {
			r.began = time.Now().Add(-time.Hour)
		}},
		"memory limit 1 B reached": {Limits{MaxMemory: 1 << 40}, func(r *Runner) { r.opt.Limits.MaxMemory = 1 }},
	} {
		if said := outlasting(t, c.l, c.r); !strings.Contains(said, want) ||
			!strings.Contains(said, "a single operation did not stop, so the program ends") {
			t.Errorf("it says %q, want %q", said, want)
		}
	}
}

const spin = "def main(begin):\n    begin()\n    n = 0\n    for i in range(1 << 40):\n        n += i\n"

// spinUnder runs an endless function under limits, with a builtin that it calls first.
func spinUnder(t *testing.T, ctx context.Context, l Limits, begin func(r *Runner)) error {
	t.Helper()
	tree(t, map[string]string{"main.star": spin})
	r, _ := testRunner(t, Policy{}, Limits{})
	g, err := r.LoadFile(context.Background(), "main.star")
	if err != nil {
		t.Fatal(err)
	}
	r.opt.Limits, r.memoryGrace, r.stopGrace = l, time.Hour, time.Hour
	if l.Timeout > 0 { // it is over while the function runs: how soon that is told is the scheduler's
		r.began = time.Now().Add(-l.Timeout)
	}
	_, err = r.Call(ctx, g["main"],
		starlark.Tuple{starlark.NewBuiltin("begin",
			func(*starlark.Thread, *starlark.Builtin, starlark.Tuple, []starlark.Tuple) (starlark.Value, error) {
				begin(r)
				return starlark.None, nil
			})}, nil)
	return err
}

func TestEachStopSaysWhatStoppedTheRun(t *testing.T) {
	interrupted, cancel := context.WithCancel(context.Background())
	nothing := func(*Runner) {}
	for _, c := range []struct {
		ctx   context.Context
		l     Limits
		begin func(*Runner)
		kind  error
		text  string
	}{
		{interrupted, Limits{MaxMemory: 1 << 40}, func(*Runner) { cancel() }, ErrInterrupted, "interrupted"},
		{context.Background(), Limits{Timeout: 30 * time.Millisecond, MaxMemory: 1 << 40}, nothing, ErrTimeLimit,
			"time limit 30ms reached: raise --timeout"},
		{context.Background(), Limits{MaxSteps: 12345, MaxMemory: 1 << 40}, nothing, ErrStepLimit,
			"step limit 12345 reached: raise --max-steps"},
		{context.Background(), Limits{MaxMemory: 1}, nothing, ErrMemoryLimit, "memory limit 1 B reached"},
	} {
		err := spinUnder(t, c.ctx, c.l, c.begin)
		if !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%v: got %v", c.kind, err)
		}
		var eval *starlark.EvalError
		if !errors.As(err, &eval) || len(eval.CallStack) == 0 || eval.CallStack[0].Name != "main" {
			t.Errorf("%v: no traceback", c.kind)
		}
	}
}

func TestBuiltinsSeeTheStop(t *testing.T) {
	tree(t, map[string]string{"main.star": "def main(f):\n    f()\n"})
	env := &binding.Env{}
	r := NewRunner(Options{Env: env, Limits: Limits{Timeout: time.Hour}})
	g, err := r.LoadFile(context.Background(), "main.star")
	if err != nil {
		t.Fatal(err)
	}
	r.stopGrace, r.began = time.Hour, time.Now().Add(-time.Hour)
	wait := starlark.NewBuiltin("wait",
		func(*starlark.Thread, *starlark.Builtin, starlark.Tuple, []starlark.Tuple) (starlark.Value, error) {
			<-env.Context().Done()
			return nil, context.Cause(env.Context())
		})
	if _, err := r.Call(context.Background(), g["main"], starlark.Tuple{wait}, nil); !errors.Is(err, ErrTimeLimit) {
		t.Errorf("got %v", err)
	}
}

func TestStepsOfModulesAndCallsCountTogether(t *testing.T) {
	tree(t, map[string]string{
		"m.star":    "x = [i for i in range(2000)]\n",
		"main.star": "load(\"m.star\", \"x\")\ny = [i for i in range(2000)]\ndef main():\n    return [i for i in range(2000)]\n",
	})
	measure := func(limit uint64) (used uint64, loadErr, callErr error) {
		r, _ := testRunner(t, Policy{}, Limits{MaxSteps: limit})
		g, err := r.LoadFile(context.Background(), "main.star")
		if err != nil {
			return r.steps, err, nil
		}
		_, err = r.Call(context.Background(), g["main"], nil, nil)
		return r.steps, nil, err
	}
	all, _, _ := measure(1 << 30)
	if used, l, c := measure(all + 10); l != nil || c != nil || used != all {
		t.Errorf("with enough steps: %v, %v, %d used", l, c, used)
	}
	if _, l, c := measure(all - 100); l != nil || !errors.Is(c, ErrStepLimit) {
		t.Errorf("with too few for the call: %v, %v", l, c)
	}
	if _, l, _ := measure(all / 2); !errors.Is(l, ErrStepLimit) {
		t.Errorf("with too few for the script: %v", l)
	}
	if _, l, _ := measure(all / 5); !errors.Is(l, ErrStepLimit) {
		t.Errorf("with too few for the module: %v", l)
	}
}

func TestDefaultsAllowHundredsOfMillionsOfSteps(t *testing.T) {
	l := Limits{}.withDefaults(false)
	if l.MaxSteps < 500e6 || l.MaxMemory < 64<<20 || l.Timeout != 0 {
		t.Errorf("%+v", l)
	}
	meter := memory.NewMeter()
	defer meter.Close()
	if values, resident := meter.Read(); values == 0 || resident == 0 || values > l.MaxMemory ||
		resident > l.MaxMemory {
		t.Errorf("%d bytes of values, %d resident, %d allowed", values, resident, l.MaxMemory)
	}
	if n := testing.AllocsPerRun(100, func() { meter.Read() }); n != 0 {
		t.Errorf("a look at the memory allocates %v times", n)
	}
}
