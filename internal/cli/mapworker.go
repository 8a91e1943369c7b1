package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"
	"go.starlark.net/starlark"

	"astrolabe/builtins/binding"
	"astrolabe/builtins/values"
	"astrolabe/capture/formats"
	"astrolabe/capture/memory"
	"astrolabe/internal/fleet"
	"astrolabe/internal/script"
	"astrolabe/internal/version"
	"astrolabe/repl"
	"astrolabe/scripts"
)

// mapWorkerName is the command that map starts its workers with.
const mapWorkerName = "map-worker"

// statusWorkerMemory is what a worker ends with that takes more memory than it may.
const statusWorkerMemory = 3

// mapSetup is what a worker needs besides captures. What the script may touch is decided by whoever started map.
type mapSetup struct {
	Version string         `json:"version"`
	Script  string         `json:"script"` // as it was named
	Bundle  *script.Bundle `json:"bundle"`
	Args    []string       `json:"args"`    // of the script
	Command string         `json:"command"` // the whole command line
	Quiet   bool           `json:"quiet"`
	Width   int            `json:"width"`
	Procs   int            `json:"procs"` // processors that it may use

	Dir      string        `json:"dir"`            // that relative paths begin in
	Kind     string        `json:"kind,omitempty"` // of work; "" calls the script
	Lake     *lakeSetup    `json:"lake,omitempty"`
	Repo     string        `json:"repo"`
	Read     []string      `json:"read"`
	Out      string        `json:"out"`
	Exec     bool          `json:"exec"`
	Clock    bool          `json:"clock"`
	MaxSteps uint64        `json:"max_steps"`
	Timeout  time.Duration `json:"timeout"`

	Open mapOpen `json:"open"`
}

// mapOpen is openFlags on its way.
type mapOpen struct {
	Format   string            `json:"format"`
	GPU      string            `json:"gpu"`
	Denom    string            `json:"denom"`
	Duration string            `json:"duration"`
	Zero     string            `json:"zero"`
	Force    bool              `json:"force"`
	Kinds    []string          `json:"kinds"`
	Extra    map[string]string `json:"extra"`
	// Properties are those of --property.
	Properties map[string]string `json:"properties"`
}

func (f *openFlags) packed() mapOpen {
	return mapOpen{Format: f.format, GPU: f.gpu, Denom: f.denom, Duration: f.duration, Zero: f.zero, Force: f.force,
		Kinds: f.kinds.texts, Extra: f.extra, Properties: f.properties}
}

func (m mapOpen) options() (formats.Options, error) {
	f, err := m.flags()
	return f.options(), err
}

// flags are those that were packed.
func (m mapOpen) flags() (openFlags, error) {
	kinds, err := formats.ParseKinds(m.Kinds...)
	return openFlags{format: m.Format, gpu: m.GPU, denom: m.Denom, duration: m.Duration, zero: m.Zero, force: m.Force,
		kinds: kindsFlag{texts: m.Kinds, kinds: kinds}, extra: m.Extra, properties: m.Properties}, err
}

// mapWorkerCommand is the worker of map. No person calls it.
func (a *app) mapWorkerCommand() *cobra.Command {
	return &cobra.Command{
		Use:    mapWorkerName,
		Short:  "Work on captures for map, which starts this",
		Hidden: true,
		Args:   argCount(0, 0),
		RunE:   func(*cobra.Command, []string) error { return a.mapWorker() },
	}
}

// mapWorker serves a pool by standard input and output. Nothing else may come from or go there.
func (a *app) mapWorker() error {
	if isTerminal(a.in) {
		return usagef("%s is started by map", mapWorkerName)
	}
	signal.Notify(make(chan os.Signal, 1), os.Interrupt) // whoever started this decides what Ctrl-C ends
	w := &mapWorker{app: a, ctx: context.WithoutCancel(a.ctx)}
	in, out := a.in, os.Stdout
	a.in, os.Stdin = nil, nil
	os.Stdout, a.out, a.memoryStatus = os.Stderr, newOutput(os.Stderr), statusWorkerMemory
	return fleet.Serve(in, out, w.begin, func() { os.Exit(statusFailed) })
}

// mapWorker works on one capture after the other.
type mapWorker struct {
	app   *app
	ctx   context.Context
	setup mapSetup
	open  formats.Options
	heard *heardLines
}

func (w *mapWorker) begin(setup json.RawMessage) (fleet.Work, error) {
	s := &w.setup
	if err := json.Unmarshal(setup, s); err != nil {
		return nil, err
	}
	if own := version.String(); s.Version != own || s.Bundle == nil {
		return nil, fmt.Errorf("this is astrolabe %s, and map was started by %s", own, s.Version)
	}
	if err := os.Chdir(s.Dir); err != nil {
		return nil, fmt.Errorf("the folder that paths of captures begin in is not on this machine: %w", err)
	}
	if s.Procs > 0 {
		runtime.GOMAXPROCS(s.Procs)
	}
	limitData(memory.Limit())
	var err error
	if w.open, err = s.Open.options(); err != nil {
		return nil, err
	}
	w.app.quiet = s.Quiet
	w.heard, err = hearLines()
	if err != nil {
		return nil, err
	}
	w.app.heard = w.heard.w
	return w.work, nil
}

// work does one capture, in no more than the time that it may take. What does not stop by itself is for the pool to
// end.
func (w *mapWorker) work(t fleet.Task, talk func(string)) (o fleet.Outcome) {
	o.Capture, o.Status = t.Capture, fleet.OK
	w.heard.begin(talk)
	defer w.heard.end()
	ctx := w.ctx
	if w.setup.Timeout > 0 {
		limited, cancel := context.WithTimeoutCause(ctx, w.setup.Timeout, script.TimeLimit(w.setup.Timeout))
		defer cancel()
		ctx = limited
	}
	defer func() {
		if p := recover(); p != nil { // a mistake in a reader must not take the other captures with it
			o.Status, o.Rows = fleet.Crashed, nil
			o.Error = fmt.Sprintf(
				"internal error: %v; this is a mistake in astrolabe, please report it with the capture", p)
		}
	}()
	if t.Hash {
		if hash, err := w.app.identity(ctx, t.Capture); err == nil { // what cannot be read is told by who opens it
			o.Hash, o.Known = hash, hash == t.Known
		}
		if o.Known {
			return o
		}
	}
	// What the lake knows of a capture goes by the hash of its content.
	from, err := w.app.reach(ctx, t.Capture, w.setup.Kind != workLake, w.open)
	defer from.done()
	path := from.path
	var rows []fleet.Row
	if err == nil {
		rows, err = w.kind()(ctx, from, talk)
	}
	if err == nil {
		o.Rows = rows
		return o
	}
	var stop scriptError
	if errors.As(err, &stop) {
		w.stop(stop.error, &o)
		return o
	}
	text := repl.ErrorText(err)
	if path != t.Capture && path != "" {
		text = strings.ReplaceAll(text, path, t.Capture) // a copy
	}
	o.Status, o.Error = statusOf(err), strings.TrimPrefix(text, t.Capture+": ")
	var s *script.Error
	if errors.As(err, &s) {
		o.Detail = repl.FormatError(err, nil)
	}
	if o.Status == fleet.Memory {
		if o.Detail == "" {
			o.Detail = errorText(err)
		}
		o.Error = memoryText(memory.Limit())
	}
	return o
}

// memoryText is why a capture failed that takes too much memory, in the same words whoever noticed and when.
func memoryText(most uint64) string { return (&memory.LimitError{Limit: most}).Error() }

// stop fills in an error that is the script's whatever the capture.
func (w *mapWorker) stop(err error, o *fleet.Outcome) {
	var byFlags *binding.UsageError
	err = w.app.usageOf(err)
	var usage usageError
	o.Stop, o.Status, o.Error = true, fleet.Failed, strings.TrimPrefix(errorText(err), "astrolabe: ")
	switch {
	case errors.As(err, &byFlags) && byFlags.Help:
		o.Help, o.Error = true, byFlags.Msg+"\n"
	case errors.As(err, &usage):
		o.Usage, o.Error = true, repl.ErrorText(err)
	}
}

// unreadableError is an error of a capture, and not of the script.
type unreadableError struct{ error }

func (e unreadableError) Unwrap() error { return e.error }

// statusOf says what kind of failure an error is.
func statusOf(err error) fleet.Status {
	var unreadable unreadableError
	switch {
	case errors.Is(err, memory.ErrLimit):
		return fleet.Memory
	case errors.Is(err, script.ErrTimeLimit), errors.Is(err, script.ErrStepLimit):
		return fleet.Timeout
	case errors.As(err, &unreadable), errors.Is(err, memory.ErrFault), errors.Is(err, memory.ErrAgain),
		errors.Is(err, formats.ErrFetch):
		return fleet.Unreadable
	}
	return fleet.Failed
}

// kind is what is done with a capture.
func (w *mapWorker) kind() func(ctx context.Context, from *reached, talk func(string)) ([]fleet.Row, error) {
	switch w.setup.Kind {
	case workTriage:
		return w.triage
	case workLake:
		return w.addToLake
	}
	return w.rows
}

// rows opens a capture and calls the script with it.
func (w *mapWorker) rows(ctx context.Context, from *reached, talk func(string)) ([]fleet.Row, error) {
	c, err := from.open(ctx, w.open)
	if err != nil {
		return nil, err
	}
	h, err := w.host(from.readable(), talk)
	if err != nil {
		return nil, scriptError{err}
	}
	globals, err := h.runner.LoadBundle(ctx)
	if err != nil {
		return nil, loadError(err)
	}
	result, err := h.mapCall(ctx, w.setup.Script, globals, values.NewCapture(h.env, c))
	if err != nil {
		return nil, err
	}
	rows, err := mapRows(result)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", w.setup.Script, err)
	}
	return rows, nil
}

// scriptError is a script that fails whatever the capture: nothing else is tried.
type scriptError struct{ error }

func (e scriptError) Unwrap() error { return e.error }

// loadError tells a script that is wrong for every capture from one that ran into a limit.
func loadError(err error) error {
	for _, limit := range []error{script.ErrInterrupted, script.ErrTimeLimit, script.ErrMemoryLimit} {
		if errors.Is(err, limit) {
			return err
		}
	}
	return scriptError{err}
}

// host contains the script for one capture. Whatever it says goes to talk: standard output is the pool's.
func (w *mapWorker) host(readable []string, talk func(string)) (*host, error) {
	s := &w.setup
	env := w.app.environment(s.Args)
	env.Command, env.Width, env.Wrote = s.Command, s.Width, talk
	env.Warn = func(text string) {
		if !s.Quiet {
			talk("warning: " + text)
		}
	}
	policy := script.Policy{Repo: s.Repo, Read: append(readable, s.Read...), Out: s.Out, Exec: s.Exec,
		Clock: s.Clock}
	if err := policy.Apply(env); err != nil {
		return nil, usageError{err}
	}
	return &host{env: env, runner: script.NewRunner(script.Options{
		Env: env, Library: scripts.Library, Bundle: s.Bundle, Print: talk, Talk: os.Stderr,
		Limits: script.Limits{MaxSteps: s.MaxSteps},
		Exit:   func(int) { os.Exit(statusWorkerMemory) }, // only memory is left to the runner
	})}, nil
}

// mapCall calls map(cap), or analyze(cap, r), whose findings are the rows where it returns none.
func (h *host) mapCall(ctx context.Context, name string, globals starlark.StringDict,
	cap *values.Capture) (starlark.Value, error) {
	if fn, ok := globals["map"].(starlark.Callable); ok {
		return h.runner.Call(ctx, fn, starlark.Tuple{cap}, nil)
	}
	fn, ok := globals["analyze"].(starlark.Callable)
	if !ok {
		return nil, scriptError{fmt.Errorf("%s defines neither map(cap) nor analyze(cap, r), which map calls", name)}
	}
	r := values.NewReport(h.env, name, cap)
	v, err := h.runner.Call(ctx, fn, starlark.Tuple{cap, r}, nil)
	if err != nil || v != starlark.None {
		return v, err
	}
	return r.FindingsTable(), nil
}

// heardLines takes what commands of a script write, line by line.
type heardLines struct {
	w     *os.File
	talk  atomic.Pointer[func(string)] // of the capture at work
	ended chan struct{}
}

// heardMark is the line that says that all before it has been heard: no program writes it by chance.
const heardMark = "\x00astrolabe: the capture is done\x00"

func hearLines() (*heardLines, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	h := &heardLines{w: w, ended: make(chan struct{})}
	go func() {
		lines := bufio.NewReaderSize(r, 1<<16)
		for {
			line, err := lines.ReadSlice('\n') // a longer line is told in parts
			if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
				return
			}
			text := strings.TrimRight(string(line), "\r\n")
			if before, ok := strings.CutSuffix(text, heardMark); ok {
				if before != "" {
					h.say(before)
				}
				h.ended <- struct{}{}
				continue
			}
			h.say(text)
		}
	}()
	return h, nil
}

func (h *heardLines) say(line string) {
	if talk := h.talk.Load(); talk != nil {
		(*talk)(line)
	}
}

func (h *heardLines) begin(talk func(string)) { h.talk.Store(&talk) }

// end waits until everything that was written has been told.
func (h *heardLines) end() {
	io.WriteString(h.w, heardMark+"\n")
	<-h.ended
}

// mapWorkerProgram is a worker of this program, with so much memory for each capture, in bytes.
func mapWorkerProgram(most uint64) (func() *exec.Cmd, error) {
	path, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program, to start workers: %w", err)
	}
	if runtime.GOOS == "linux" {
		path = "/proc/self/exe" // this program also where its file has been replaced
	}
	name := os.Args[0]
	return func() *exec.Cmd {
		return &exec.Cmd{Path: path, Args: []string{name, "--max-memory=" + strconv.FormatUint(most, 10),
			mapWorkerName}}
	}, nil
}

// workerEnded reads how a worker has ended that was given a capture and so much memory.
func workerEnded(most uint64, status int, words string) (o fleet.Outcome, told bool) {
	lines := strings.FieldsFunc(words, func(r rune) bool { return r == '\n' || r == '\r' })
	has := func(parts ...string) (string, bool) {
		for _, line := range lines {
			if slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(line, p) }) {
				return line, true
			}
		}
		return "", false
	}
	if _, refused := has("out of memory", "cannot allocate memory"); refused || status == statusWorkerMemory {
		return fleet.Outcome{Status: fleet.Memory, Error: memoryText(most), Detail: words}, true
	}
	reason, ok := has("fatal error:", "panic:")
	switch {
	case !ok && len(lines) > 0:
		reason = lines[len(lines)-1]
	case !ok:
		reason = fmt.Sprintf("exit status %d, without a word", status)
	}
	return fleet.Outcome{Status: fleet.Crashed, Error: "its process ended: " + reason}, false
}
