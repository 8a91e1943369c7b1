// Package emulated is the fixture of tests that run a program on an emulated device: it starts the model, runs the
// program in it, opens what was recorded and holds it against the truth. The program is astrolabe as users have it,
// which package programs builds once, or any other. Only tests import it, those of models too, so it imports no model.
package emulated

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"astrolabe/capture"
	"astrolabe/capture/formats"
	"astrolabe/capture/formats/all"
	"astrolabe/hwio/hwtest"
	"astrolabe/hwio/hwtest/programs"
)

// Device is a new device of the model of that name.
func Device(t testing.TB, models []hwtest.Model, name string) hwtest.Device {
	t.Helper()
	at := slices.IndexFunc(models, func(m hwtest.Model) bool { return m.Name == name })
	if at < 0 {
		t.Fatalf("no model %s", name)
	}
	return models[at].New()
}

// limit is the longest that a program may take. It guards against hanging: the program is asked where it stands, which
// one in Go answers by the stacks of its goroutines, and is killed if it goes on.
const limit, lastWords = 5 * time.Minute, 5 * time.Second

// Run runs the options' program, with a seed of 1 where they have none, and returns what it printed. Where there is no
// emulation the test is skipped.
func Run(t testing.TB, o hwtest.Options) (*hwtest.Result, string) {
	t.Helper()
	var out bytes.Buffer
	o.Cmd.Stdout, o.Cmd.Stderr = &out, &out
	if o.Settings.Seed == 0 {
		o.Settings.Seed = 1
	}
	ctx, cancel := context.WithTimeout(t.Context(), limit+lastWords)
	defer cancel()
	var hangs atomic.Bool
	if o.Signals == nil {
		ask := make(chan os.Signal, 1)
		o.Signals = ask
		defer time.AfterFunc(limit, func() {
			hangs.Store(true)
			ask <- syscall.SIGQUIT
		}).Stop()
	}
	res, err := hwtest.Run(ctx, o)
	if errors.Is(err, hwtest.ErrUnsupported) {
		t.Skipf("SKIPPED: this system cannot run a program under an emulated kernel: %v", err)
	}
	if err != nil || hangs.Load() {
		if res != nil {
			last := res.Calls[max(0, len(res.Calls)-20):]
			t.Logf("of %d calls the last are %v", len(res.Calls), last)
		}
		t.Fatalf("the program hangs: %v; %v\n%s", hangs.Load(), err, out.String())
	}
	return res, out.String()
}

// Emulation is what became of a run of astrolabe on a device whose truth is a T.
type Emulation[T any] struct {
	Exit   int
	Calls  []hwtest.Entry
	Truth  T
	Output string // standard output and error
	File   string // of the recording
}

// File stands for the recording in arguments of Astrolabe.
const File = "$FILE"

// Astrolabe runs astrolabe with arguments on the options' device. Recordings take the time that they take, so -short
// skips the test.
func Astrolabe[T any](t testing.TB, o hwtest.Options, args ...string) *Emulation[T] {
	t.Helper()
	if testing.Short() {
		t.Skip("SKIPPED: -short: emulations record in real time")
	}
	e := &Emulation[T]{File: filepath.Join(t.TempDir(), "live.arrow")}
	var own []string
	for _, a := range args {
		own = append(own, strings.ReplaceAll(a, File, e.File))
	}
	o.Cmd = exec.Command(programs.Path(t, "astrolabe"), own...)
	res, out := Run(t, o)
	e.Exit, e.Calls, e.Truth, e.Output = res.Exit, res.Calls, res.Truth.(T), out
	return e
}

// Record is Astrolabe with a recording of a source, which must end well. Arguments of the caller's come last, and so
// are stronger.
func Record[T any](t testing.TB, o hwtest.Options, source, period string, more ...string) *Emulation[T] {
	t.Helper()
	e := Astrolabe[T](t, o, append([]string{"record", "--source", source, "--period", period, "--duration", "10m", "-o",
		File}, more...)...)
	if e.Exit != 0 {
		t.Fatalf("exit status %d:\n%s", e.Exit, e.Output)
	}
	return e
}

// Open opens the recording.
func (e *Emulation[T]) Open(t testing.TB) *capture.Capture {
	t.Helper()
	if t.Failed() {
		t.Log(e.Output)
	}
	return Open(t, e.File)
}

// Asked fails where the program has not made the wanted calls in that order since it opened a node for the last time.
// Calls are known by a part of what the log calls them, "close" by itself; others may stand between them.
func (e *Emulation[T]) Asked(t testing.TB, node string, want []string) {
	t.Helper()
	from := 0
	for i, c := range e.Calls {
		if strings.HasPrefix(c.Call, "open") && strings.HasSuffix(c.What, node) {
			from = i
		}
	}
	at := 0
	var seen []string
	for _, c := range e.Calls[from:] {
		what := c.What
		if c.Call == "close" {
			what = "close"
		}
		if len(seen) == 0 || seen[len(seen)-1] != what {
			seen = append(seen, what)
		}
		if at < len(want) && strings.Contains(what, want[at]) {
			at++
		}
	}
	if at != len(want) {
		t.Errorf("%s: %s is not where it should be:\n%s", node, want[at], strings.Join(seen[:min(len(seen), 60)], "\n"))
	}
}

// Open opens a capture of any format.
func Open(t testing.TB, path string) *capture.Capture {
	t.Helper()
	c, err := all.Registry().Open(t.Context(), path, formats.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}
