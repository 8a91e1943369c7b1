package cli

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"astrolabe/capture/formats"
	"astrolabe/capture/formats/all"
	"astrolabe/capture/memory"
	"astrolabe/capture/metrics"
	"astrolabe/internal/fleet"
	"astrolabe/internal/script"
	"astrolabe/internal/version"
	"astrolabe/scripts"
)

// mapFlags are the flags of map; what it does not know goes to the script.
type mapFlags struct {
	jobs             int
	json, csv, lines bool
	output           string
	resume           bool
	from, shard      string
	open             openFlags
	rest             []string // of the script

	groups *Groups // that the rows are put together in; nil where they are not

	part   fleet.Shard // of shard
	remote bool        // output is a URL
	form   fleet.Form  // of output and lines; "" is a table, CSV or JSON on standard output
}

func (a *app) mapCommand() *cobra.Command {
	var f mapFlags
	cmd := &cobra.Command{
		Use:   "map SCRIPT CAPTURE… [flags] [SCRIPT FLAGS…]",
		Short: "Run a script over many captures and collect a row of each",
		Long: "SCRIPT defines map(cap), which returns a row: a dict, or a list of dicts or a Table for several, or " +
			"None for none. A script with\n" +
			"analyze(cap, r), as report takes it, gives what it returns, else a row for each finding. Rows come in the " +
			"order of the captures: as a\n" +
			"table, --csv, --json or --jsonl, or in a file (-o) that also has a row with status and error for each " +
			"capture that failed.\n\n" +
			"CAPTURE is a file, a folder, or a pattern in quotes: 'runs/**/*.arrow'. A folder that is no capture stands " +
			"for those below it, and\n" +
			"folders KEY=VALUE in a path become columns. Captures are worked on by processes, each with its own limits: " +
			"--timeout, --max-memory and\n" +
			"--max-steps hold for each capture. One that cannot be read, whose script fails, or that ends its process " +
			"is listed and stops no other.\n" +
			"What the script prints, warnings and files written go to standard error, the name of the capture before " +
			"them.\n\n" +
			"With -o a journal beside the file keeps what is done: after an interruption, --resume goes on with it.\n\n" +
			"Exit status: 0 all captures gave their rows; 1 some failed; 2 bad usage; 130 interrupted.",
		Example: "  astrolabe map rate.star captures/*.arrow --csv > rates.csv\n" +
			"  astrolabe map @astrolabe//triage/mali.star *.arrow --json\n" +
			"  astrolabe --timeout=60s map rate.star 'farm/**/*.arrow' --shard=2/8 -o rates-2.parquet --resume",
		Args: func(cmd *cobra.Command, args []string) error {
			if f.from != "" {
				return argCount(1, -1)(cmd, args)
			}
			return argCount(2, -1)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("jobs") && f.jobs < 1 {
				return usagef("--jobs=%d: there must be at least one", f.jobs)
			}
			if f.jobs == 0 {
				f.jobs = runtime.GOMAXPROCS(0)
			}
			if err := f.check(); err != nil {
				return err
			}
			return a.mapCaptures(args[0], args[1:], &f)
		},
	}
	flags := cmd.Flags()
	flags.IntVarP(&f.jobs, "jobs", "j", 0, "work on `N` captures at a time (default one per core)")
	flags.BoolVar(&f.json, "json", false, "write the rows of each capture, or why it failed, as JSON")
	flags.BoolVar(&f.csv, "csv", false, "write the rows as comma-separated values")
	flags.BoolVar(&f.lines, "jsonl", false, "write rows and failures as lines of JSON, as they come")
	flags.StringVarP(&f.output, "output", "o", "", "write rows and failures to `FILE`: .parquet, .csv or .jsonl")
	flags.BoolVar(&f.resume, "resume", false,
		"with -o: skip what the journal beside the file has of the same captures and script, and keep it")
	flags.StringVar(&f.from, "from", "", "further captures from the list in `FILE`, - for standard input: one a line, or "+
		"with zero bytes between them")
	flags.StringVar(&f.shard, "shard", "", "only part `I/N` of the captures, such as 2/8, by the hash of their paths")
	f.open.register(cmd)
	takeUnknownFlags(cmd, &f.rest)
	return cmd
}

// check finds contradictions, and reads the values of flags.
func (f *mapFlags) check() (err error) {
	forms := 0
	for _, given := range []bool{f.json, f.csv, f.lines, f.output != ""} {
		if given {
			forms++
		}
	}
	switch {
	case forms > 1:
		return usagef("--json, --csv, --jsonl and -o exclude each other")
	case f.resume && f.output == "":
		return usagef("--resume goes with -o FILE, beside which the journal is")
	case f.open.force && f.open.gpu == "":
		return usagef("--force goes with --gpu=ID, which it insists on")
	}
	if f.open.gpu != "" {
		if _, err := metrics.Get(f.open.gpu); err != nil {
			return usagef("--gpu: %v", err)
		}
	}
	if f.lines {
		f.form = fleet.JSONLinesForm
	}
	if f.output != "" {
		if f.form, err = fleet.FormOf(f.output); err != nil {
			return usageError{err}
		}
		if f.remote = strings.Contains(f.output, "://"); f.remote && f.resume {
			return usagef("--resume keeps a journal beside the file of -o, which must be on this machine")
		}
		if f.remote {
			return f.readShard()
		}
		if err := formats.CheckOutput(f.output); err != nil {
			return err
		}
	}
	return f.readShard()
}

// readShard reads --shard.
func (f *mapFlags) readShard() (err error) {
	if f.shard != "" {
		if f.part, err = fleet.ParseShard(f.shard); err != nil {
			return usagef("--shard: %v", err)
		}
	}
	return nil
}

// isCaptureFolder reports whether a folder is one capture. A format of data sets takes a folder of folders KEY=VALUE for
// one that has a file of its own somewhere: it is one where all files of captures below it are of that format.
func isCaptureFolder(folder string) bool {
	f, err := all.Registry().Sniff(folder)
	if err != nil || !fleet.Partitioned(folder) {
		return err == nil
	}
	ending, ok := f.(formats.Ending)
	if !ok {
		return false
	}
	files := fleet.Inputs{Endings: all.Registry().Extensions(), Claimed: func(string) bool { return false }}
	found, err := files.Expand([]string{folder})
	return err == nil && !slices.ContainsFunc(found, func(path string) bool {
		return !slices.Contains(ending.Extensions(), strings.ToLower(filepath.Ext(path)))
	})
}

// maxList is the largest list of captures, in bytes.
const maxList = 1 << 30

// mapInputs lists the captures: those of the command line, and those of --from behind them.
func (a *app) mapInputs(args []string, f *mapFlags) ([]string, error) {
	in := fleet.Inputs{Endings: all.Registry().Extensions(), Claimed: isCaptureFolder, Elsewhere: a.elsewhere}
	paths, err := in.Expand(args)
	if err != nil {
		return nil, usageError{err}
	}
	if in.LeftOut > 0 {
		a.warn(fmt.Sprintf("%d files in folders have no ending of a capture and were left out: name them by a pattern",
			in.LeftOut))
	}
	if f.from != "" {
		data, err := a.readNamed(f.from, maxList, "list of captures")
		if err != nil {
			return nil, err
		}
		paths = fleet.Once(append(paths, fleet.ParseList(data)...))
		if len(paths) == 0 {
			return nil, usagef("--from=%s: the list is empty", f.from)
		}
	}
	return f.part.Keep(paths), nil
}

// mapKey is a hash of all that rows depend on besides the captures: the script, its flags and what it may touch, how
// captures are read, and the catalogues, library and version of this program.
func (a *app) mapKey(setup *mapSetup, taken []string) (string, error) {
	catalogues, err := metrics.DataHash()
	if err != nil {
		return "", err
	}
	h := sha256.New()
	enc := json.NewEncoder(h)
	if err := enc.Encode([]any{catalogues, version.String(), setup.Bundle.Hash(), setup.Kind, setup.Args, setup.Open, setup.Exec,
		setup.Clock, setup.Read, taken}); err != nil {
		return "", err
	}
	err = fs.WalkDir(scripts.Library, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(scripts.Library, path)
		return errors.Join(err, enc.Encode([]string{path, string(text)}))
	})
	return fmt.Sprintf("%x", h.Sum(nil)), err
}

func (a *app) mapCaptures(name string, args []string, f *mapFlags) error {
	if a.limits.out != "" {
		if err := formats.CheckOutputFolder(a.limits.out); err != nil {
			return err
		}
	}
	if err := notCapture(name); err != nil {
		return err
	}
	bundle, err := script.NewBundle(scripts.Library, name)
	if err != nil {
		return err
	}
	return a.mapWork(&mapSetup{Script: name, Bundle: bundle}, args, f, (*mapRun).write)
}

// mapWork does the work of a setup, which it completes, on captures, and what is to be done with the result.
func (a *app) mapWork(setup *mapSetup, args []string, f *mapFlags, result func(*mapRun) error) error {
	paths, err := a.mapInputs(args, f)
	if err != nil {
		return err
	}
	run := &mapRun{app: a, flags: f, script: setup.Script, paths: paths, at: make([]int64, len(paths)), result: result}
	run.learnLabels()
	if err := a.mapSetup(setup, f); err != nil {
		return err
	}
	if err := run.openStore(setup); err != nil {
		return err
	}
	err = run.work(setup)
	return errors.Join(err, run.close(err == nil || errors.Is(err, errSomeFailed)))
}

// mapSetup completes what workers are told.
func (a *app) mapSetup(s *mapSetup, f *mapFlags) (err error) {
	if s.Dir, err = os.Getwd(); err != nil {
		return fmt.Errorf("find the folder that paths begin in: %w", err)
	}
	if !strings.HasPrefix(s.Script, libraryPrefix) && s.Script != "" {
		s.Repo = script.Root(s.Script)
	}
	s.Version, s.Args, s.Command, s.Quiet, s.Width = version.String(), f.rest, ownCommand(), a.quiet, a.width()
	s.Procs = max(2, runtime.GOMAXPROCS(0)/f.jobs)
	s.Read, s.Out, s.Exec, s.Clock = a.limits.allowRead, a.limits.out, a.limits.allowExec, a.limits.clock()
	s.MaxSteps, s.Timeout, s.Open = a.limits.maxSteps, a.limits.timeout, f.open.packed()
	return nil
}

// mapRun is one run of map.
type mapRun struct {
	app    *app
	flags  *mapFlags
	script string
	paths  []string
	keys   []string // of the labels of all paths
	taken  []string // names that no row may use
	result func(*mapRun) error

	store   *fleet.Store
	journal bool                   // the store stays where the run does not end
	saved   map[string]fleet.Saved // by an earlier run
	at      []int64                // where the outcome of each capture stands in the store; 0 where there is none yet
	columns fleet.Columns
	limits  string // for captures that run into one
	failed  int
	show    *mapProgress

	lines *fleet.Table // as they come, for --jsonl
	next  int          // the capture whose rows are written next
}

// learnLabels finds what the folders of captures say of them.
func (r *mapRun) learnLabels() {
	seen := map[string]bool{}
	for _, p := range r.paths {
		for _, l := range fleet.Labels(p) {
			if !seen[l.Key] {
				seen[l.Key] = true
				r.keys = append(r.keys, l.Key)
			}
		}
	}
	r.taken = append([]string{fleet.CaptureColumn}, r.keys...)
	if r.flags.form != "" {
		r.taken = fleet.Fixed(r.keys)
	}
}

// journalEnding is behind the name of the file that the rows go to.
const journalEnding = ".journal"

// openStore opens the journal, or a store that nobody sees.
func (r *mapRun) openStore(setup *mapSetup) (err error) {
	if r.flags.output == "" || r.flags.remote {
		r.store, err = fleet.NewStore()
		return err
	}
	key, err := r.app.mapKey(setup, r.taken)
	if err != nil {
		return err
	}
	r.journal = true
	path := r.flags.output + journalEnding
	var dropped int64
	r.store, r.saved, dropped, err = fleet.OpenJournal(path, key, r.flags.resume)
	switch {
	case errors.Is(err, fleet.ErrJournal):
		return usagef("%v: --resume goes on with it; to begin anew, remove it", err)
	case err != nil:
		return err
	case dropped > 0:
		r.app.say(fmt.Sprintf("%s: %d bytes were of no use; their captures are worked on again", path, dropped))
	}
	return nil
}

// errSomeFailed is the error of a run that is complete.
var errSomeFailed = fmt.Errorf("%w: some captures failed", errReported)

// work does all captures and writes the result.
func (r *mapRun) work(setup *mapSetup) error {
	a, f := r.app, r.flags
	most := uint64(a.limits.maxMemory)
	if most == 0 {
		most = memory.Limit() / uint64(max(1, min(f.jobs, len(r.paths))))
	}
	r.limits = fmt.Sprintf("timeout=%v steps=%d memory=%d", a.limits.timeout, a.limits.maxSteps, most)
	text, err := json.Marshal(setup)
	if err != nil {
		return err
	}
	if f.lines {
		if r.lines, err = fleet.NewTable(a.out, f.form, r.keys, nil); err != nil {
			return err
		}
	}
	r.show = newMapProgress(a, len(r.paths))
	engine := localEngine
	if a.engine != nil {
		engine = a.engine.Run
	}
	if f.groups != nil {
		f.groups.Labels = r.keys
	}
	err = engine(a.ctx, &Job{Groups: f.groups, Tasks: len(r.paths), Task: r.task, Done: r.done,
		Work: &Work{Setup: text, Jobs: f.jobs, Memory: most, Timeout: a.limits.timeout},
		Talk: func(capture, line string) {
			r.show.say(func() { fmt.Fprintf(a.talk, "%s: %s\n", capture, line) })
		}})
	r.show.clear()
	var stop stoppedMap
	switch {
	case errors.As(err, &stop):
		return a.mapStopped(stop.why)
	case a.ctx.Err() != nil:
		if r.journal {
			a.say(fmt.Sprintf("%d of %d captures are done: --resume goes on with the others", r.show.done,
				len(r.paths)))
		}
		return script.ErrInterrupted
	case err != nil:
		if r.journal && !r.show.none() {
			a.say(fmt.Sprintf("%d of %d captures are done: --resume goes on with the others", r.show.done, len(r.paths)))
		}
		return err
	}
	if err := r.result(r); err != nil {
		return err
	}
	return r.listFailures()
}

// task is the capture of that number, with its hash where an outcome of the same is known.
func (r *mapRun) task(i int) fleet.Task {
	t := fleet.Task{Capture: r.paths[i], Hash: r.journal}
	s, ok := r.saved[t.Capture]
	switch {
	case !ok, s.Status == fleet.Crashed: // that may have come from outside
	case (s.Status == fleet.Timeout || s.Status == fleet.Memory) && s.Limits != r.limits:
	default:
		t.Known = s.Hash
	}
	return t
}

// stoppedMap ends a run because of the script.
type stoppedMap struct{ why fleet.Outcome }

func (s stoppedMap) Error() string { return "the script fails whatever the capture" }

// done keeps what came of a capture.
func (r *mapRun) done(i int, o fleet.Outcome) error {
	if o.Stop {
		return stoppedMap{o}
	}
	known := o.Known
	if known {
		saved, err := r.store.Read(r.saved[o.Capture].At)
		if err != nil {
			return err
		}
		o, r.at[i] = *saved, r.saved[o.Capture].At
	} else {
		if name := fleet.Taken(o.Rows, r.taken); name != "" {
			o.Status, o.Rows = fleet.Failed, nil
			o.Error = fmt.Sprintf("the key %q is that of a column which map writes: choose another", name)
		}
		if o.Status == fleet.Timeout || o.Status == fleet.Memory {
			o.Limits = r.limits
		}
		at, err := r.store.Add(&o)
		if err != nil {
			return err
		}
		r.at[i] = at
	}
	r.columns.Add(i, o.Rows)
	if o.Status != fleet.OK {
		r.failed++
	}
	r.show.update(o.Status != fleet.OK, known)
	return r.stream()
}

// mapStopped says why nothing was done.
func (a *app) mapStopped(o fleet.Outcome) error {
	switch {
	case o.Help:
		return a.printAsIs(o.Error)
	case o.Usage:
		return usageError{errors.New(o.Error)}
	}
	io.WriteString(a.talk, o.Error)
	return errReported
}

// listFailures names the captures that failed, the first with the place in the script.
func (r *mapRun) listFailures() error {
	if r.failed == 0 {
		return nil
	}
	first := true
	err := r.each(func(o *fleet.Outcome) error {
		if o.Status == fleet.OK {
			return nil
		}
		if first && o.Detail != "" {
			fmt.Fprint(r.app.talk, o.Detail)
		}
		first = false
		fmt.Fprintf(r.app.talk, "failed: %s: %s\n", o.Capture, o.Error)
		return nil
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(r.app.talk, "%d of %d captures failed\n", r.failed, len(r.paths))
	return errSomeFailed
}

// close closes the store. A journal stays where the run did not end, or is to be resumed.
func (r *mapRun) close(complete bool) error {
	if r.journal && !r.flags.resume && (complete || r.show.none()) {
		return r.store.Remove()
	}
	return r.store.Close()
}
