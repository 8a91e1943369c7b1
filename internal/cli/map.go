package cli

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/spf13/cobra"
	"go.starlark.net/starlark"

	"astrolabe/builtins/values"
	"astrolabe/capture/formats"
	"astrolabe/capture/formats/all"
	"astrolabe/internal/script"
	"astrolabe/repl"
	"astrolabe/scripts"
)

// mapFlags are the flags of map; what it does not know goes to the script.
type mapFlags struct {
	jobs      int
	json, csv bool
	open      openFlags
	rest      []string // of the script
}

func (a *app) mapCommand() *cobra.Command {
	var f mapFlags
	cmd := &cobra.Command{
		Use:   "map SCRIPT CAPTURE… [flags] [SCRIPT FLAGS…]",
		Short: "Run a script over many captures and collect a row of each",
		Long: "SCRIPT defines map(cap), which returns a row: a dict, or a list of dicts or a Table for several, or " +
			"None for none. A script with\n" +
			"analyze(cap, r), as report takes it, gives what it returns, else a row for each finding. Captures are " +
			"worked on in parallel, each by an\n" +
			"interpreter of its own, and their rows come in the order of the command line: as a table, --csv or " +
			"--json.\n\n" +
			"What the script prints, warnings and files written go to standard error, the name of the capture before " +
			"them. A capture that cannot be\n" +
			"read, or whose script fails, is listed there and does not stop the others. --timeout and --max-steps " +
			"hold for each capture;\n" +
			"--max-memory is that of the whole program, so captures then follow one another.\n\n" +
			"Exit status: 0 all captures gave their rows; 1 some failed; 2 bad usage.",
		Example: "  astrolabe map rate.star captures/*.arrow --csv > rates.csv\n  astrolabe map @astrolabe//triage/mali.star *.arrow --json",
		Args:    argCount(2, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case f.json && f.csv:
				return usagef("--json and --csv exclude each other")
			case cmd.Flags().Changed("jobs") && f.jobs < 1:
				return usagef("--jobs=%d: there must be at least one", f.jobs)
			case a.limits.maxMemory > 0 && f.jobs > 1:
				return usagef("--max-memory goes with --jobs=1: memory is that of the whole program")
			case f.jobs == 0 && a.limits.maxMemory > 0:
				f.jobs = 1
			case f.jobs == 0:
				f.jobs = runtime.GOMAXPROCS(0)
			}
			return a.mapCaptures(args[0], args[1:], &f)
		},
	}
	flags := cmd.Flags()
	flags.IntVarP(&f.jobs, "jobs", "j", 0, "work on `N` captures at a time (default one per core)")
	flags.BoolVar(&f.json, "json", false, "write the rows of each capture, or why it failed, as JSON")
	flags.BoolVar(&f.csv, "csv", false, "write the rows as comma-separated values")
	f.open.register(cmd)
	takeUnknownFlags(cmd, &f.rest)
	return cmd
}

// mapped is what came of one capture.
type mapped struct {
	path string
	rows []mapRow
	talk []string // what the script said, in order
	err  error
	done bool
}

// scriptError is a script that fails whatever the capture: nothing else is tried.
type scriptError struct{ error }

func (e scriptError) Unwrap() error { return e.error }

func (a *app) mapCaptures(name string, paths []string, f *mapFlags) error {
	if a.limits.out != "" {
		if err := formats.CheckOutputFolder(a.limits.out); err != nil {
			return err
		}
	}
	if err := notCapture(name); err != nil {
		return err
	}
	results := make([]mapped, len(paths))
	ctx, stop := context.WithCancelCause(a.ctx)
	defer stop(nil)
	show := &mapProgress{bar: progressBar{w: a.talk.file, live: isTerminal(a.talk.file) && !a.quiet}, total: len(paths)}
	var next atomic.Int64
	finished := make(chan int, len(paths))
	var workers sync.WaitGroup
	for range min(f.jobs, len(paths)) {
		workers.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= len(paths) {
					return
				}
				a.mapOne(ctx, name, paths[i], f, &results[i])
				finished <- i
			}
		})
	}
	go func() {
		workers.Wait()
		close(finished)
	}()
	said := 0 // results whose talk was shown: in order, as soon as those before are done
	for i := range finished {
		results[i].done = true
		show.update(results[i].err != nil)
		var bad scriptError
		if errors.As(results[i].err, &bad) {
			stop(bad)
		}
		for ; said < len(results) && results[said].done; said++ {
			if len(results[said].talk) > 0 {
				show.clear()
			}
			for _, line := range results[said].talk {
				fmt.Fprintf(a.talk, "%s: %s\n", results[said].path, line)
			}
		}
	}
	show.clear()
	for i := range results {
		var bad scriptError
		if errors.As(results[i].err, &bad) {
			return a.usageOf(bad.error)
		}
	}
	if err := a.ctx.Err(); err != nil {
		return err
	}
	if err := a.printMapped(name, results, f); err != nil {
		return err
	}
	return a.listFailures(results)
}

// listFailures names the captures that failed, the first with the place in the script.
func (a *app) listFailures(results []mapped) error {
	failed := 0
	for i := range results {
		err := results[i].err
		if err == nil {
			continue
		}
		var s *script.Error
		if failed++; failed == 1 && errors.As(err, &s) {
			fmt.Fprint(a.talk, repl.FormatError(err, nil))
		}
		fmt.Fprintf(a.talk, "failed: %s: %s\n", results[i].path,
			strings.TrimPrefix(repl.ErrorText(err), results[i].path+": "))
	}
	if failed == 0 {
		return nil
	}
	fmt.Fprintf(a.talk, "%d of %d captures failed\n", failed, len(results))
	return errReported
}

// mapOne opens a capture and calls the script with it.
func (a *app) mapOne(ctx context.Context, name, path string, f *mapFlags, out *mapped) {
	out.path = path
	defer func() {
		if p := recover(); p != nil { // a mistake in a reader must not take the other captures with it
			out.err = fmt.Errorf(
				"internal error: %v; this is a mistake in astrolabe, please report it with the capture", p)
		}
	}()
	if out.err = ctx.Err(); out.err != nil {
		return
	}
	cap, err := all.Registry().Open(ctx, path, f.open.options())
	if err != nil {
		out.err = err
		return
	}
	h, err := a.mapHost(name, path, f, func(text string) { out.talk = append(out.talk, text) })
	if err != nil {
		out.err = scriptError{err}
		return
	}
	globals, err := h.load(ctx, name)
	if err != nil {
		out.err = loadError(err)
		return
	}
	value := values.NewCapture(h.env, cap)
	result, err := h.mapCall(ctx, name, globals, value)
	if err != nil {
		out.err = err
		return
	}
	if out.rows, err = mapRows(result); err != nil {
		out.err = fmt.Errorf("%s: %w", name, err)
	}
}

// loadError tells a script that is wrong for every capture from one that ran into a limit or was interrupted.
func loadError(err error) error {
	for _, limit := range []error{script.ErrInterrupted, script.ErrTimeLimit, script.ErrMemoryLimit} {
		if errors.Is(err, limit) {
			return err
		}
	}
	return scriptError{err}
}

// mapHost contains the script for one capture. Whatever it says goes to talk: standard output is for the rows.
func (a *app) mapHost(name, path string, f *mapFlags, talk func(string)) (*host, error) {
	repo := ""
	if !strings.HasPrefix(name, libraryPrefix) {
		repo = script.Root(name)
	}
	env := a.environment(f.rest)
	env.Warn = func(text string) {
		if !a.quiet {
			talk("warning: " + text)
		}
	}
	env.Wrote = talk
	policy := script.Policy{Repo: repo, Read: append([]string{path}, a.limits.allowRead...), Out: a.limits.out,
		Exec: a.limits.allowExec, Clock: a.limits.clock()}
	if err := policy.Apply(env); err != nil {
		return nil, usageError{err}
	}
	return &host{env: env, runner: script.NewRunner(script.Options{
		Env: env, Library: scripts.Library, Limits: a.scriptLimits(), Print: talk,
		Talk: talkWriter{a.talk, path},
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
